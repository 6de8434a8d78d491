"""What is on: lists of events, one’s own events, calendars for other programs."""
