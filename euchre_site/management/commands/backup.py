"""`manage.py backup [FOLDER]`: one file from which the site can go on, made while it runs."""

import os
import signal
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand, CommandError
from django.core.management.base import CommandParser

from euchre_site.backups import backups, encryption, retention, verification
from euchre_site.backups.daily import DailyBackups
from euchre_site.backups.errors import BackupError, BackupRunningError
from euchre_site.backups.files import size_text


class Command(BaseCommand):
    """Makes a backup, or tries one that has been made."""

    help = "Make a backup of database and keys while the site runs, and try that it can go on."
    requires_system_checks = ()  # for speed; the tests run them

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument(
            "folder",
            nargs="?",
            type=Path,
            help="where it is put; default: BACKUP_FOLDER, or backups in the data folder",
        )
        parser.add_argument("--data", metavar="DIR", help="the data folder; default: var")
        instead = parser.add_mutually_exclusive_group()
        instead.add_argument(
            "--verify", metavar="FILE", type=Path, help="make none, but try whether this can go on"
        )
        instead.add_argument(
            "--new-key", action="store_true", help="make none, but a key for BACKUP_KEY"
        )
        instead.add_argument(
            "--daily",
            action="store_true",
            help="stay, and make one each day at BACKUP_HOUR as quickstart does, until stopped",
        )
        parser.add_argument(
            "--prune",
            action="store_true",
            help=f"afterwards remove all but the latest of {retention.DAYS} days and "
            f"{retention.WEEKS} weeks from the folder",
        )
        parser.add_argument(
            "--gently", action="store_true", help="leave the processor to what is being played"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        """Run the command; raise CommandError with one line on what prevents it."""
        if options["gently"] and hasattr(os, "nice"):
            os.nice(10)
        try:
            if options["new_key"]:
                self.stdout.write(encryption.new_key())
            elif options["daily"]:
                self.stay()
            elif options["verify"] is not None:
                self.verify(options["verify"])
            else:
                folder = (options["folder"] or settings.BACKUP_FOLDER).expanduser().absolute()
                self.back_up(folder, prune=options["prune"])
        except BackupRunningError as error:
            raise CommandError(str(error), returncode=backups.RUNNING) from error
        except (BackupError, OSError) as error:
            raise CommandError(str(error)) from error

    def back_up(self, folder: Path, *, prune: bool) -> None:
        """Make a backup, and tell what is in it and what is not."""
        made = backups.back_up(folder)
        games = f"{made.games} unfinished games played again from it"
        self.stdout.write(f"Backup made: {made.path} ({size_text(made.size)}, {games})")
        if made.apart:
            self.stdout.write(
                f"It does not hold {' and '.join(made.apart)}, set in the environment: keep them "
                "apart from it. Without them nothing of it can go on."
            )
        if not made.sealed:
            inside = "the cards of running games" + ("" if made.apart else " and the site's keys")
            self.stdout.write(
                f"It is not encrypted and tells {inside}: keep it private, or set BACKUP_KEY."
            )
        if prune:
            for old in retention.remove_old(folder):
                self.stdout.write(f"Removed {old}")

    def stay(self) -> None:
        """Make a backup each day until the process is told to end."""
        backups = DailyBackups()
        for one in (signal.SIGTERM, signal.SIGINT):
            signal.signal(one, lambda *_signal: backups.end())
        backups.start()

    def verify(self, file: Path) -> None:
        """Try whether a backup could go on, and tell what was tried."""
        checked = verification.verify(file)
        manifest = checked.manifest
        games = (
            "unfinished games not played again"
            if checked.games is None
            else f"{checked.games} unfinished games played again"
        )
        self.stdout.write(
            f"{file} is whole: of {manifest.made:%Y-%m-%d %H:%M} UTC, Bower {manifest.version}, "
            f"{manifest.database} {manifest.server}; {checked.how}, {games}."
        )
