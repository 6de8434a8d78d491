"""`manage.py recompute_ratings`: recompute all ratings from the results."""

import sys
from time import monotonic
from typing import Any

from django.core.management import BaseCommand, CommandError

from tournaments.ratings import rating_games

#: Seconds between two lines of progress.
PAUSE = 2.0


class Command(BaseCommand):
    """Rates every finished rated event again, in order, and prints a hash of each pool."""

    help = (
        "Rebuild all ratings from the results and print a hash of each pool. Progress goes to the "
        "error output; what is stored is replaced where it differs."
    )

    def handle(self, *_args: Any, **_options: Any) -> None:
        """Run the command."""
        progress = Progress(self)
        try:
            hashes = rating_games.recompute(progress.report)
        except rating_games.PoolBusyError as error:
            raise CommandError(f"{error} Try again in a few minutes.") from None
        for key, value in sorted(hashes.items()):
            self.stdout.write(f"{key}: {value}")
        if not hashes:
            self.stdout.write("No rated event has been finished.")


class Progress:
    """Prints progress every few seconds."""

    def __init__(self, command: BaseCommand) -> None:
        self.command = command
        self.key = ""
        self.began = self.told = monotonic()

    def report(self, key: str, games: int) -> None:
        """Print the number of games rated in a pool; see `rating_games.Report`."""
        now = monotonic()
        if key != self.key:
            self.key, self.began = key, now
        if now - self.told >= PAUSE:
            self.told = now
            speed = games / max(now - self.began, 0.001)
            told = [f"{games:,} games", f"{speed:,.0f} games/s", *memory()]
            self.command.stderr.write(f"{key}: {', '.join(told)}")


def memory() -> list[str]:
    """Return a line about the peak memory of this process, on systems that report it."""
    if sys.platform == "win32":
        return []
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # kilobytes; bytes on macOS
    return [f"{most / (1024**2 if sys.platform == 'darwin' else 1024):.0f} MB"]
