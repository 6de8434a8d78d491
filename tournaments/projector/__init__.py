"""The screen in the room of an event."""
