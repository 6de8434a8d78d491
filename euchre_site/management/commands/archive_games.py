"""`manage.py archive_games`: archive all games that are due, for example after an upgrade."""

from time import monotonic
from typing import Any

from django.core.management import BaseCommand
from django.utils import timezone

from games.records import archiving

#: Seconds between two lines of progress.
PAUSE = 2.0


class Command(BaseCommand):
    """Archives games until none is due, and prints how many are left."""

    help = (
        "Compress the events of all finished games that are older than ARCHIVE_DAYS. The site does "
        "the same bit by bit; this command can run beside it, and be ended at any time."
    )

    def handle(self, *_args: Any, **_options: Any) -> None:
        """Run the command."""
        games = archiving.to_archive(timezone.now())
        refused = games.exclude(archive_after=None)
        refused.update(archive_after=None)  # they are tried again
        due, archived, failed, told = games.count(), 0, 0, monotonic()
        while archiving.ready(timezone.now()).exists():
            done = archiving.archive_due(timezone.now())
            archived += done
            if not done and failed == (failed := refused.count()):
                break  # another process is doing the others
            if monotonic() - told >= PAUSE:
                told = monotonic()
                self.stderr.write(f"{archived:,} games archived, {max(due - archived, 0):,} left")
        left = archiving.to_archive(timezone.now()).count()
        self.stdout.write(f"{archived:,} games archived, {left:,} left")
        if failed := refused.count():
            self.stderr.write(f"{failed:,} could not be archived; the log says of each why.")
