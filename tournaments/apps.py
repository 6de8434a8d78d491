"""Clubs, events, standings and ratings."""

from django.apps import AppConfig


class TournamentsConfig(AppConfig):
    """Registers the app; it depends on `games`, never the reverse."""

    name = "tournaments"

    def ready(self) -> None:
        from tournaments import receivers  # noqa: F401
        from tournaments.search import folding  # noqa: F401
