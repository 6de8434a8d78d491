"""States and times of an event, its record, its description in words, and repeats."""
