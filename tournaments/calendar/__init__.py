"""Lists of events, a player's own events, and calendar feeds."""
