"""States and times of an event, its record, calls for a director, its description, and repeats."""
