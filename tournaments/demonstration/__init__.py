"""The demonstration club, and events that house players play for people to look at."""
