"""`manage.py doctor`: what is wrong with this installation, and how to mend it."""

import sys
from typing import Any

from django.core.management import BaseCommand
from django.core.management.base import CommandParser
from django.utils import timezone

from euchre_site.health import doctor


class Command(BaseCommand):
    """Looks at everything that Bower stands on, changes nothing, and ends with 1 if it is wrong."""

    help = (
        "Say in plain words what is wrong with this installation and how to mend it. "
        "Ends with status 1 if something is."
    )
    requires_system_checks = ()  # what they find is found here too, in plain words

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options; `--data` is read before the settings."""
        parser.add_argument("--data", metavar="DIR", help="the data folder; default: BOWER_DATA")
        parser.add_argument("--json", action="store_true", help="for programs")
        parser.add_argument("--web", type=int, default=1, help="web processes there are")
        parser.add_argument("--workers", type=int, default=1, help="workers there are")
        parser.add_argument("--mail-to", metavar="ADDRESS", default="", help="send a mail there")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Run the command."""
        asked = doctor.Asked(options["web"], options["workers"], options["mail_to"])
        findings = list(doctor.look(asked, timezone.now))
        self.stdout.write(doctor.told(findings, as_json=options["json"]), ending="")
        if doctor.is_wrong(findings):
            sys.exit(1)
