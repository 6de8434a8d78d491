"""`manage.py backup [FOLDER]`: a backup of database and keys, made while the site runs."""

import os
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand, CommandError
from django.core.management.base import CommandParser
from django.utils import timezone

from euchre_site.backups import backups, encryption, retention, verification
from euchre_site.backups.errors import BackupError, BackupRunningError
from euchre_site.backups.files import size_text


class Command(BaseCommand):
    help = "Make and verify a backup of database and keys while the site runs."
    requires_system_checks = ()  # for speed; the tests run them

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "folder",
            nargs="?",
            type=Path,
            help="folder for the backup; default: BACKUP_FOLDER, or backups in the data folder",
        )
        parser.add_argument("--data", metavar="DIR", help="the data folder; default: var")
        instead = parser.add_mutually_exclusive_group()
        instead.add_argument(
            "--verify", metavar="FILE", type=Path, help="verify this backup instead of making one"
        )
        instead.add_argument(
            "--new-key",
            action="store_true",
            help="print a new secret key, and the BACKUP_KEY that belongs to it, instead",
        )
        parser.add_argument(
            "--key", metavar="FILE", type=Path, help="with --verify: the file with the secret key"
        )
        parser.add_argument(
            "--prune",
            action="store_true",
            help="afterwards remove older backups, except the latest of each of "
            f"{retention.DAYS} days and {retention.WEEKS} weeks",
        )
        parser.add_argument("--gently", action="store_true", help="run at low CPU priority")

    def handle(self, *_args: Any, **options: Any) -> None:
        if options["gently"] and hasattr(os, "nice"):
            os.nice(10)
        try:
            if options["new_key"]:
                self.stdout.write(encryption.new_key(timezone.now()), ending="")
            elif options["verify"] is not None:
                self.verify(options["verify"], options["key"])
            else:
                folder = (options["folder"] or settings.BACKUP_FOLDER).expanduser().absolute()
                self.back_up(folder, prune=options["prune"])
        except BackupRunningError as error:
            raise CommandError(str(error), returncode=backups.RUNNING) from error
        except (BackupError, OSError) as error:
            raise CommandError(str(error)) from error

    def back_up(self, folder: Path, *, prune: bool) -> None:
        made = backups.back_up(folder)
        games = f"{made.games} unfinished games replayed"
        self.stdout.write(f"Backup made: {made.path} ({size_text(made.size)}, {games})")
        if made.apart:
            self.stdout.write(
                f"It does not contain {' and '.join(made.apart)}, set in the environment: keep "
                "them elsewhere. Without them it cannot be used."
            )
        if not made.encrypted:
            inside = "the cards of running games" + ("" if made.apart else " and the site's keys")
            self.stdout.write(
                f"It is not encrypted and contains {inside}: keep it private, or set BACKUP_KEY."
            )
        if prune:
            for old in retention.remove_old(folder):
                self.stdout.write(f"Removed {old}")

    def verify(self, file: Path, key_file: Path | None) -> None:
        checked = verification.verify(file, key_file)
        info = checked.info
        games = (
            "unfinished games not replayed"
            if checked.games is None
            else f"{checked.games} unfinished games replayed"
        )
        self.stdout.write(
            f"{file} is complete: from {info.made:%Y-%m-%d %H:%M} UTC, "
            f"Bower {info.version}, {info.database} {info.server}; {checked.how}, "
            f"{games}."
        )
