"""People, tables and games."""

from django.apps import AppConfig


class GamesConfig(AppConfig):
    """Registers the app; it knows nothing of tournaments."""

    name = "games"

    def ready(self) -> None:
        """Connect the receivers."""
        from games import receivers  # noqa: F401
