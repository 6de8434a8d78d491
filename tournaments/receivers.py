"""Imports the signal receivers of clubs and events."""

from tournaments.running import embargo, outages

__all__ = ["embargo", "outages"]
