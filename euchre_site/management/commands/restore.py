"""`manage.py restore FILE`: put a backup in the place of a site that stands still."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand, CommandError
from django.core.management.base import CommandParser
from django.utils import timezone

from euchre_site.backups import archives, restoring
from euchre_site.backups.errors import BackupError


class Command(BaseCommand):
    """Restores database and keys, all of it or nothing."""

    help = "Put a backup's database and keys in place; the site must not run meanwhile."
    requires_system_checks = ()  # for speed; the tests run them

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("file", type=Path, help="the backup")
        parser.add_argument("--data", metavar="DIR", help="the data folder; default: var")
        parser.add_argument(
            "--replace",
            action="store_true",
            help="if there is a database already, keep it aside and put the backup in its place",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        """Run the command; raise CommandError with one line on what prevents it."""
        file = options["file"].expanduser().absolute()
        try:
            restored = restoring.restore(file, timezone.now(), replace=options["replace"])
        except BackupError as error:
            raise CommandError(str(error)) from error
        manifest = restored.backup.manifest
        self.stdout.write(
            f"Restored in {settings.DATA_DIR}, as it was at {manifest.made:%Y-%m-%d %H:%M:%S} UTC."
        )
        if restored.aside is not None:
            self.stdout.write(f"What was there before is kept in {restored.aside}")
        if archives.KEYS not in manifest.members:
            self.stdout.write("The keys are those of the environment, as in the backup.")
        self.stdout.write("Start Bower; it brings the database to this version if need be.")
