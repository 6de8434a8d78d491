"""`manage.py doctor`: what is wrong with this installation, and how to fix it."""

import sys
from typing import Any

from django.core.management import BaseCommand
from django.core.management.base import CommandParser
from django.utils import timezone

from euchre_site.health import doctor
from euchre_site.health.findings import Level


class Command(BaseCommand):
    help = (
        "Check this installation and say in plain words what is wrong and how to fix it. "
        "Exits with status 1 if something is wrong."
    )
    requires_system_checks = ()  # the doctor reports the same problems in plain words

    def add_arguments(self, parser: CommandParser) -> None:
        # Read before the settings are loaded, by `doctor.load_settings`
        parser.add_argument("--data", metavar="DIR", help="the data folder; default: BOWER_DATA")
        parser.add_argument("--json", action="store_true", help="print JSON")
        parser.add_argument("--web", type=int, default=1, help="number of web processes")
        parser.add_argument("--workers", type=int, default=1, help="number of workers")
        parser.add_argument("--mail-to", metavar="ADDRESS", default="", help="send a test mail")

    def handle(self, *_args: Any, **options: Any) -> None:
        asked = doctor.Options(options["web"], options["workers"], options["mail_to"])
        findings = list(doctor.run_checks(asked, timezone.now))
        self.stdout.write(doctor.report(findings, as_json=options["json"]), ending="")
        if any(one.level is Level.WRONG for one in findings):
            sys.exit(1)
