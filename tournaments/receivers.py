"""Imports the signal receivers of clubs and events."""

from tournaments.running import outages

__all__ = ["outages"]
