"""Events of accounts are logged by number and IP address, without anything typed."""

import logging
import re
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.core import mail
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from games.models import User
from tests.factories import PASSWORD, logged_in, member
from tests.site.test_two_steps import set_up

pytestmark = pytest.mark.django_db
NEW = {"password1": "new mill friday", "password2": "new mill friday"}


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> Any:
    """Return the messages and fields logged since the last call."""
    caplog.set_level(logging.INFO, "euchre_site.security_log")
    cache.clear()

    def told() -> list[dict[str, Any]]:
        found = [
            dict(record.msg)
            for record in caplog.records
            if record.name == "euchre_site.security_log" and isinstance(record.msg, dict)
        ]
        caplog.clear()
        return found

    return told


def log_in(client: Client, email: str, password: str) -> None:
    client.post(reverse("account_login"), {"login": email, "password": password})


def test_logins_logouts_and_failed_logins_are_logged(lines: Any) -> None:
    me, client = User.objects.create_user("maeve@example.org", PASSWORD), Client()
    log_in(client, "Maeve@example.org", "a guess")
    log_in(client, "nobody@example.org", "a guess")
    log_in(client, "maeve@example.org", PASSWORD)
    client.post(reverse("account_logout"))
    told = lines()
    assert [(one["event"], one["account"]) for one in told] == [
        ("login failed", me.pk), ("login failed", None), ("logged in", me.pk),
        ("logged out", me.pk),
    ]  # fmt: skip
    assert told[2]["steps"] == 1
    assert {one["address"] for one in told} == {"127.0.0.1"}
    text = repr(told)
    assert not [word for word in ("example.org", "guess", PASSWORD) if word in text]


@pytest.mark.django_db(transaction=True)  # what follows a second step stands before it is answered
def test_changes_of_credentials_are_logged(lines: Any) -> None:
    me = member()
    client = logged_in(me)
    set_up(client)
    client.post(reverse("account_change_password"), {"oldpassword": PASSWORD, **NEW})
    told = [(one["event"], one.get("kind"), one["account"]) for one in lines()]
    assert ("second step", "totp", me.user_id) in told
    assert ("second step", "recovery_codes", me.user_id) in told
    assert ("password changed", None, me.user_id) in told


def link_of_a_reset(email: str) -> str:
    """Return the path of the link in a password reset mail."""
    Client().post(reverse("account_reset_password"), {"email": email})
    found = re.search(r"http://localhost:8000(\S+)", str(mail.outbox[-1].body))
    assert found
    return found[1]


@pytest.mark.parametrize(("minutes", "works"), [(59, True), (61, False)])
def test_a_password_reset_link_is_valid_for_an_hour(
    minutes: int, works: bool, lines: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = User.objects.create_user("maeve@example.org", PASSWORD)
    link, client = link_of_a_reset(user.email), Client()
    now = PasswordResetTokenGenerator()._now()

    def later(_self: object) -> datetime:
        moment: datetime = now + timedelta(minutes=minutes)
        return moment

    monkeypatch.setattr(PasswordResetTokenGenerator, "_now", later)
    form = client.get(link, follow=True)
    if form.redirect_chain:
        client.post(form.redirect_chain[-1][0], NEW)
    user.refresh_from_db()
    assert user.check_password(NEW["password1"]) is works
    assert ("password set by mail" in [one["event"] for one in lines()]) is works


def test_changing_the_address_needs_the_password() -> None:
    client = logged_in(member())
    asked = client.post(
        reverse("account_email"), {"action_add": "", "email": "else@example.org"}, follow=True
    )
    assert asked.redirect_chain[-1][0].startswith(reverse("account_reauthenticate"))
    assert mail.outbox == []
