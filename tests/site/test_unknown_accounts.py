"""Requests about unknown accounts are answered like those about known ones.

Neither the answer nor the server's work reveals whether an address has an account. No time is
measured; what takes time is counted.
"""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import NamedTuple

import pytest
from django.contrib.auth import hashers
from django.core import mail
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from games.models import User
from tests.factories import PASSWORD, member
from tests.tournaments import build
from tests.tournaments.build import NOON
from tournaments.entering import partners
from tournaments.refusals import RefusedError

pytestmark = pytest.mark.django_db

KNOWN, UNKNOWN = "maeve@example.org", "nobody@example.org"


class Told(NamedTuple):
    """What a client learns, and the server's work.

    status, leads_to: of the response. text: of the final page, without input and random parts.
    hashed: number of password hashes. mails: number of mails sent.
    """

    status: int
    leads_to: str
    text: str
    hashed: int
    mails: int


@pytest.fixture
def _known() -> None:
    cache.clear()
    User.objects.create_user(KNOWN, PASSWORD)


@pytest.fixture
def hashed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every hashing of a password."""
    made: list[str] = []
    hasher = hashers.get_hasher()
    encode = type(hasher).encode

    def counted(self: hashers.BasePasswordHasher, password: str, salt: str) -> str:
        made.append(salt)
        return str(encode(self, password, salt))

    monkeypatch.setattr(type(hasher), "encode", counted)
    return made


def told(path: str, fields: dict[str, str], hashed: list[str]) -> Told:
    """Send a form from a new browser."""
    hashed.clear()
    mail.outbox.clear()
    client = Client()
    answer = client.post(path, fields)
    leads_to = answer.headers.get("Location", "")
    page = client.get(leads_to).text if leads_to else answer.text
    page = re.sub(r'(csrfmiddlewaretoken" value=")\w+', r"\1", page)
    for typed in fields.values():
        page = page.replace(typed, "…")
    return Told(answer.status_code, leads_to, page, len(hashed), len(mail.outbox))


def log_in(email: str) -> tuple[str, dict[str, str]]:
    return reverse("account_login"), {"login": email, "password": "not the password"}


def reset(email: str) -> tuple[str, dict[str, str]]:
    return reverse("account_reset_password"), {"email": email}


def sign_up(email: str) -> tuple[str, dict[str, str]]:
    fields = {"email": email, "password1": PASSWORD, "name": "Somebody"}
    return reverse("account_signup"), fields


@pytest.mark.usefixtures("_known")
@pytest.mark.parametrize(
    ("form", "hashes", "mails"), [(log_in, 1, 0), (reset, 0, 1), (sign_up, 1, 1)]
)
def test_known_and_unknown_accounts_are_indistinguishable(
    form: Callable[[str], tuple[str, dict[str, str]]],
    hashes: int,
    mails: int,
    settings: Settings,
    hashed: list[str],
) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    known, unknown = told(*form(KNOWN), hashed), told(*form(UNKNOWN), hashed)
    assert known == unknown
    assert (known.hashed, known.mails) == (hashes, mails)


@pytest.mark.usefixtures("_known")
def test_a_closed_account_looks_unknown(hashed: list[str]) -> None:
    User.objects.update(is_active=False)
    assert told(*log_in(KNOWN), hashed) == told(*log_in(UNKNOWN), hashed)


@pytest.mark.usefixtures("_known")
def test_rate_limits_do_not_reveal_accounts(hashed: list[str]) -> None:
    answers = []
    for email in (KNOWN, UNKNOWN):
        cache.clear()
        for _ in range(6):
            last = told(*log_in(email), hashed)
        answers.append(last)
    assert answers[0] == answers[1]
    assert "Too many wrong passwords" in answers[0].text


def test_partner_invitations_do_not_reveal_accounts() -> None:
    event = build.event(format="swiss")
    build.joined(event.club, member("Maeve"))
    otto, told_of = member("Otto"), []
    for address in ("maeve@example.com", "nobody@example.com"):
        with pytest.raises(RefusedError) as refusal:
            partners.ask(event, otto, address, NOON - timedelta(hours=2))
        told_of.append((refusal.value.code, refusal.value.message.replace(address, "…")))
    assert told_of[0] == told_of[1]
    assert told_of[0][0] == "unknown"
