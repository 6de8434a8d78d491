"""Changes of an event, one at a time, and pushing them to open pages."""
