"""Finding people, clubs and events by name."""
