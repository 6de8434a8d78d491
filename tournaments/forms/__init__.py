"""The forms of clubs and events."""
