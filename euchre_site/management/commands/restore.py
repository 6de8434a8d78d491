"""`manage.py restore FILE`: restore a backup while the site is stopped."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand, CommandError
from django.core.management.base import CommandParser
from django.utils import timezone

from euchre_site.backups import restoring
from euchre_site.backups.errors import BackupError


class Command(BaseCommand):
    help = "Restore a backup's database and keys; the site must be stopped."
    requires_system_checks = ()  # for speed; the tests run them

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="the backup")
        parser.add_argument(
            "--key", metavar="FILE", type=Path, help="the file with the secret key, if encrypted"
        )
        parser.add_argument("--data", metavar="DIR", help="the data folder; default: var")
        parser.add_argument(
            "--replace",
            action="store_true",
            help="replace a database that exists already, keeping a copy of it",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        file = options["file"].expanduser().absolute()
        try:
            restored = restoring.restore(
                file, timezone.now(), key_file=options["key"], replace=options["replace"]
            )
        except BackupError as error:
            raise CommandError(str(error)) from error
        info = restored.backup.info
        self.stdout.write(
            f"Restored in {settings.DATA_DIR}, as of {info.made:%Y-%m-%d %H:%M:%S} UTC."
        )
        if restored.aside is not None:
            self.stdout.write(f"The previous database and keys are kept in {restored.aside}")
        if info.apart:
            self.stdout.write(
                f"{' and '.join(info.apart)}: as set in the environment, not in the backup."
            )
        self.stdout.write("Start Bower; it migrates the database if necessary.")
