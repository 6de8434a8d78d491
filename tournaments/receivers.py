"""Imports the signal receivers of clubs and events, and what they give to games."""

from tournaments.fair_play import objections
from tournaments.ratings import quick_games
from tournaments.running import embargo, outages

__all__ = ["embargo", "objections", "outages", "quick_games"]
