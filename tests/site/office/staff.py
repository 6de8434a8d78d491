"""People who run the site, and browsers of theirs."""

from typing import Any

from django.test import Client
from django.urls import reverse

from games.models import Player
from tests.factories import logged_in, member

WHY = "Insults others."


def operator(name: str = "Opal", *, superuser: bool = False) -> Player:
    """A member who is of the site's staff."""
    made = member(name)
    assert made.user
    made.user.is_staff, made.user.is_superuser = True, superuser
    made.user.save()
    return made


def post(who: Player | Client, page: str, /, *args: Any, **fields: str) -> Any:
    """Send a form of the office."""
    browser = logged_in(who) if isinstance(who, Player) else who
    return browser.post(reverse(page, args=args), fields)
