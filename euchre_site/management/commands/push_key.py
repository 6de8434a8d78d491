"""`manage.py push_key`: make the key for push of a site that quickstart does not run."""

from typing import Any

from django.core.management import BaseCommand

from euchre_site.startup.data_folder import new_push_key


class Command(BaseCommand):
    help = "Print a new PUSH_KEY, for the environment of all processes."
    requires_system_checks = ()

    def handle(self, *_args: Any, **_options: Any) -> None:
        self.stdout.write(f"PUSH_KEY={new_push_key()}")
