"""`manage.py recompute_ratings`: all ratings anew from the results."""

from typing import Any

from django.core.management import BaseCommand

from tournaments.services import rating


class Command(BaseCommand):
    """Rates every finished rated event again in order, and prints a hash of each pool."""

    help = "Rebuild all ratings from the results and print a hash of each pool."

    def handle(self, *_args: Any, **_options: Any) -> None:
        """Run the command."""
        hashes = rating.recompute()
        for key, value in sorted(hashes.items()):
            self.stdout.write(f"{key}: {value}")
        if not hashes:
            self.stdout.write("No rated event has been finished.")
