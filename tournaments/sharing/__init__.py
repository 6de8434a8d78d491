"""What other sites show of clubs and events: feeds, previews of links, and embedded pages."""
