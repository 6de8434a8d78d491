"""People, tables and games."""

from django.apps import AppConfig
from django.urls import register_converter


class GamesConfig(AppConfig):
    """The app of games, which must not depend on tournaments."""

    name = "games"

    def ready(self) -> None:
        from games import receivers  # noqa: F401
        from games.numbers import NumberConverter

        register_converter(NumberConverter, "num")
