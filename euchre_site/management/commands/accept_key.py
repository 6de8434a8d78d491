"""`manage.py accept_key SECRET_KEY`: a key that was changed on purpose belongs to the database."""

from typing import Any

from django.core.management import BaseCommand
from django.core.management.base import CommandParser

from euchre_site.startup.startup import KEYS, mark_of
from games.models import KeyMark


class Command(BaseCommand):
    """Notes the mark of the key that the settings have now."""

    help = "Take the SECRET_KEY of the settings as the database's, after it was changed on purpose."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the argument."""
        # Not DEAL_KEY: what it has sealed, the hands of all games, is read by no other.
        parser.add_argument("name", choices=["SECRET_KEY"], help="which key was changed")

    def handle(self, *_args: Any, name: str, **_options: Any) -> None:
        """Run the command."""
        KeyMark.objects.update_or_create(name=name, defaults={"mark": mark_of(name)})
        self.stdout.write(f"The database belongs to the {name} of now. {KEYS[name]}")
