"""What leaves the site: letters, and requests to addresses that people have given."""
