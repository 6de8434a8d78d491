"""Setting up a new event, and changing its settings."""
