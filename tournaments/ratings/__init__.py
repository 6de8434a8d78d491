"""What is rated and when, how ratings are counted again, and the pages that show them."""
