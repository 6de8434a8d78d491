"""`manage.py accept_key SECRET_KEY`: accept a key that was changed on purpose."""

from typing import Any

from django.core.management import BaseCommand
from django.core.management.base import CommandParser

from euchre_site.startup.startup import KEYS, mark_of
from games.models import KeyMark


class Command(BaseCommand):
    help = "Accept the SECRET_KEY in the settings for this database, after a change on purpose."

    def add_arguments(self, parser: CommandParser) -> None:
        # Not DEAL_KEY: no other key can decrypt the hands of past games.
        parser.add_argument("name", choices=["SECRET_KEY"], help="which key was changed")

    def handle(self, *_args: Any, name: str, **_options: Any) -> None:
        KeyMark.objects.update_or_create(name=name, defaults={"mark": mark_of(name)})
        self.stdout.write(f"The database now belongs to the current {name}. {KEYS[name]}")
