"""`manage.py make_keys`: make the data folder and its keys without quickstart."""

from typing import Any

from django.conf import settings
from django.core.management import BaseCommand
from django.core.management.base import CommandParser

from euchre_site.startup.data_folder import KEYS_FILE


class Command(BaseCommand):
    """Says where the keys are; `data_folder.prepare` made them before the settings were loaded."""

    help = "Make the data folder and its keys, unless they exist."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--data", metavar="DIR", help="the data folder; default: BOWER_DATA")

    def handle(self, *_args: Any, **_options: Any) -> None:
        self.stdout.write(
            f"The keys are in {settings.DATA_DIR / KEYS_FILE}. Keep a copy of that file, but not "
            "with the copies of the database: a lost DEAL_KEY cannot be replaced."
        )
