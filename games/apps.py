"""People, tables and games."""

from django.apps import AppConfig


class GamesConfig(AppConfig):
    """The app of games, which must not depend on tournaments."""

    name = "games"

    def ready(self) -> None:
        from games import numbers, receivers  # noqa: F401 - numbers registers a path converter
