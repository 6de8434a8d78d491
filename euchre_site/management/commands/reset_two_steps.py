"""`manage.py reset_two_steps ADDRESS`: for an owner who lost device and recovery codes."""

from typing import Any

import structlog
from allauth.mfa.models import Authenticator
from django.core.management import BaseCommand, CommandError
from django.core.management.base import CommandParser

from games.models import User

log = structlog.get_logger(__name__)


class Command(BaseCommand):
    help = (
        "Turn two-step login off for an account whose owner has lost both device and recovery "
        "codes. Make sure that the request comes from the owner."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("address", help="the account's e-mail address")

    def handle(self, *_args: Any, address: str, **_options: Any) -> None:
        user = User.objects.filter(email=User.objects.normalize_email(address)).first()
        if user is None:
            raise CommandError(f"No account has the address {address}.")
        steps = (Authenticator.Type.TOTP, Authenticator.Type.RECOVERY_CODES)  # no passkeys
        removed, _kinds = Authenticator.objects.filter(user=user, type__in=steps).delete()
        if not removed:
            raise CommandError(f"{user.email} does not use two-step login; nothing was changed.")
        log.warning("two steps turned off", account=user.pk)
        self.stdout.write(f"{user.email} now logs in with the password alone.")
        if not user.has_usable_password():
            self.stdout.write("It has no password: its owner can set one by mail.")
