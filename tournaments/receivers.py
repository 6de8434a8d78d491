"""What clubs and events do when something happens elsewhere: each service answers for itself."""

from tournaments.running import outages

__all__ = ["outages"]
