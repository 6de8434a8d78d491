"""Sign-up keeps the guest; login, password reset and two-step login work as pages."""

import re
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.totp.internal.auth import (
    format_hotp_value,
    hotp_value,
    yield_hotp_counters_from_time,
)
from django.core import mail
from django.core.cache import cache
from django.http import HttpRequest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import Settings

from euchre_site.accounts import adapter, known_browsers
from games.models import Player, Scope, User
from games.people import identity
from games.programs import tokens

pytestmark = pytest.mark.django_db
PASSWORD = "old mill thursday"
FIELDS = {"name": "Maeve", "email": "maeve@example.org", "password1": PASSWORD}


@pytest.fixture(autouse=True)
def _fresh_rate_limits() -> None:
    cache.clear()


def become_guest(client: Client) -> Player:
    session = client.session
    guest = identity.make_guest(session)
    session.save()
    client.cookies["bower_session"] = str(session.session_key)
    return guest


def member(client: Client) -> User:
    user = User.objects.create_user("maeve@example.org", PASSWORD)
    Player.objects.create(user=user, name="Maeve")
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    client.force_login(user)
    return user


def sign_up(client: Client, **changes: str) -> Any:
    return client.post(reverse("account_signup"), FIELDS | changes)


def test_sign_up_keeps_the_guest_and_logs_in(client: Client) -> None:
    guest = become_guest(client)
    assert sign_up(client).headers["Location"] == "/"
    user = User.objects.get()
    guest.refresh_from_db()
    assert (guest.user, guest.name) == (user, "Maeve")
    assert Player.objects.count() == 1
    assert client.get("/you/").context["me"] == guest


def test_the_sign_up_page_shows_the_guests_name(client: Client) -> None:
    guest = become_guest(client)
    assert f"{guest.name}, your seats" in client.get(reverse("account_signup")).content.decode()


def test_signing_up_sends_a_link_that_confirms_the_address(client: Client) -> None:
    sign_up(client)
    (sent,) = mail.outbox
    assert sent.subject == "Bower: Confirm your e-mail address"
    assert "Hello from Bower" in sent.body
    link = re.search(r"http://localhost:8000(\S+)", str(sent.body))
    assert link is not None
    assert client.get(link[1]).status_code == 200
    assert client.post(link[1]).status_code == 302
    assert EmailAddress.objects.get().verified


@pytest.mark.parametrize(
    ("field", "typed"),
    [("name", " "), ("name", "\u202eMaeve"), ("email", "maeve"), ("password1", "short")],
)
def test_an_invalid_field_shows_its_error(client: Client, field: str, typed: str) -> None:
    page = sign_up(client, **{field: typed}).content.decode()
    assert f'id="id_{field}_error"' in page
    assert re.search(rf'<input[^>]*name="{field}"[^>]*aria-invalid="true"', page)
    assert not User.objects.exists()


def test_a_taken_address_shows_an_error(client: Client) -> None:
    User.objects.create_user("maeve@example.org", PASSWORD)
    assert 'id="id_email_error"' in sign_up(client, email="Maeve@Example.org").content.decode()
    assert User.objects.count() == 1


def test_sign_up_with_confirmation_does_not_reveal_accounts(
    client: Client, settings: Settings
) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    User.objects.create_user("maeve@example.org", PASSWORD)
    known, unknown = Client(), Client()
    answers = [
        sign_up(known, email="Maeve@Example.org"), sign_up(unknown, email="iris@example.org")
    ]  # fmt: skip
    assert len({(one.status_code, one.headers["Location"]) for one in answers}) == 1
    pages = [one.get(answers[0].headers["Location"]).text for one in (known, unknown)]
    assert pages[0].replace("maeve@", "iris@") == pages[1]
    assert not Player.objects.exists()  # nor does a name that is taken
    assert [sent.to for sent in mail.outbox] == [["maeve@example.org"], ["iris@example.org"]]
    assert "You have an account with it already" in str(mail.outbox[0].body)


def test_a_guest_is_kept_until_the_address_is_confirmed(client: Client, settings: Settings) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    guest = become_guest(client)
    sign_up(client)
    assert client.get("/you/").context["me"] == guest
    link = re.search(r"http://localhost:8000(\S+)", str(mail.outbox[0].body))
    assert link is not None
    client.post(link[1])
    client.post(reverse("account_login"), {"login": FIELDS["email"], "password": PASSWORD})
    me = client.get("/you/").context["me"]
    assert (me, me.name, me.user) == (guest, "Maeve", User.objects.get())


@pytest.mark.parametrize("host", ["localhost:6666", "127.0.0.1:99"])
def test_links_in_mails_use_the_sites_address(client: Client, host: str) -> None:
    User.objects.create_user("maeve@example.org", PASSWORD)
    for name in ("maeve@example.org", "nobody@example.org"):
        client.post(reverse("account_reset_password"), {"email": name}, HTTP_HOST=host)
    sign_up(client, email="iris@example.org", name="Iris")
    assert len(mail.outbox) == 3
    for sent in mail.outbox:
        assert "http://localhost:8000/accounts/" in str(sent.body)
        assert host not in str(sent.body)


def test_logging_in_and_out(client: Client) -> None:
    User.objects.create_user("maeve@example.org", PASSWORD)
    fields = {"login": "Maeve@Example.org", "password": PASSWORD}
    assert client.post(reverse("account_login"), fields).headers["Location"] == "/"
    assert client.get("/you/").context["user"].is_authenticated
    assert client.post(reverse("account_logout")).headers["Location"] == "/"
    assert not client.get("/you/").context["user"].is_authenticated


def test_a_wrong_password_is_refused(client: Client) -> None:
    User.objects.create_user("maeve@example.org", PASSWORD)
    fields = {"login": "maeve@example.org", "password": "wrong"}
    page = client.post(reverse("account_login"), fields).content.decode()
    assert "No account has this address and this password." in page
    assert 'class="note bad" role="alert"' in page


def log_in(client: Client, password: str, address: str = "192.0.2.1") -> bool:
    """Try to log Maeve in from an address; return whether it succeeded."""
    fields = {"login": "maeve@example.org", "password": password}
    client.post(reverse("account_login"), fields, REMOTE_ADDR=address)
    return "_auth_user_id" in client.session


def wrong_passwords(number: int, address: str = "198.51.100.66") -> None:
    for _ in range(number):
        assert not log_in(Client(), "a guess", address)


def test_wrong_passwords_lock_out_only_their_address() -> None:
    User.objects.create_user("maeve@example.org", PASSWORD)
    wrong_passwords(6)
    assert not log_in(Client(), PASSWORD, "198.51.100.66")
    assert log_in(Client(), PASSWORD)


def test_wrong_passwords_lock_out_an_ipv6_network() -> None:
    User.objects.create_user("maeve@example.org", PASSWORD)
    for n in range(5):
        wrong_passwords(1, f"2001:db8::{n}")
    assert not log_in(Client(), PASSWORD, "2001:db8::77")


def test_wrong_passwords_from_many_addresses_lock_out_unknown_browsers(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(adapter.FOR_ACCOUNT, "login_failed", "8/h/key")
    User.objects.create_user("maeve@example.org", PASSWORD)
    assert log_in(client, PASSWORD)
    client.post(reverse("account_logout"))
    for n in range(8):
        wrong_passwords(1, f"203.0.113.{n}")
    assert not log_in(Client(), PASSWORD, "192.0.2.2")
    assert log_in(client, PASSWORD)
    assert log_in(client, PASSWORD, "203.0.113.1")


def test_a_known_browser_has_a_limit_too(client: Client) -> None:
    User.objects.create_user("maeve@example.org", PASSWORD)
    assert log_in(client, PASSWORD)
    client.post(reverse("account_logout"))
    tries = [log_in(client, "a guess", f"203.0.113.{n}") for n in range(10)]
    assert not any(tries)
    page = client.post(
        reverse("account_login"), {"login": "maeve@example.org", "password": PASSWORD}
    ).text
    assert "Too many wrong passwords" in page


def test_a_browser_is_known_only_to_its_own_accounts(client: Client) -> None:
    User.objects.create_user("ben@example.org", PASSWORD)
    User.objects.create_user("maeve@example.org", PASSWORD)
    client.post(reverse("account_login"), {"login": "ben@example.org", "password": PASSWORD})
    client.post(reverse("account_logout"))
    assert known_browsers.id_of(asked_by(client), "Ben@example.org")
    assert not known_browsers.id_of(asked_by(client), "maeve@example.org")
    client.cookies[known_browsers.COOKIE] = client.cookies[known_browsers.COOKIE].value + "x"
    assert not known_browsers.id_of(asked_by(client), "ben@example.org")


def asked_by(client: Client) -> HttpRequest:
    request = HttpRequest()
    request.COOKIES = {name: one.value for name, one in client.cookies.items()}
    return request


def test_a_password_reset_ends_the_lockout(client: Client) -> None:
    user = member(client)
    client.logout()
    wrong_passwords(5, "192.0.2.1")
    client.post(reverse("account_reset_password"), {"email": user.email})
    link = re.search(r"http://localhost:8000(\S+)", str(mail.outbox[0].body))
    assert link is not None
    address = client.get(link[1], follow=True).redirect_chain[-1][0]
    client.post(address, {"password1": "new mill friday", "password2": "new mill friday"},
                REMOTE_ADDR="192.0.2.1")  # fmt: skip
    assert log_in(Client(), "new mill friday")


def test_login_does_not_merge_the_guest(client: Client) -> None:
    guest = become_guest(client)
    user = User.objects.create_user("maeve@example.org", PASSWORD)
    client.post(reverse("account_login"), {"login": user.email, "password": PASSWORD})
    me = client.get("/you/").context["me"]
    guest.refresh_from_db()
    assert me != guest
    assert guest.guest


def test_a_forgotten_password_is_reset_by_mail(client: Client) -> None:
    user = User.objects.create_user("maeve@example.org", PASSWORD)
    done = client.post(reverse("account_reset_password"), {"email": user.email}, follow=True)
    assert "Look at your mail" in done.content.decode()
    (sent,) = mail.outbox
    link = re.search(r"http://localhost:8000(\S+)", str(sent.body))
    assert link is not None
    form = client.get(link[1], follow=True)
    address = form.redirect_chain[-1][0]
    assert "Choose a new password" in form.content.decode()
    fresh = "the new mill friday"
    changed = client.post(address, {"password1": fresh, "password2": fresh}, follow=True)
    assert "keep working" in changed.text
    user.refresh_from_db()
    assert user.check_password(fresh)


def test_two_step_login_can_be_set_up_and_is_required(client: Client) -> None:
    user = member(client)
    page = client.get(reverse("mfa_activate_totp"), follow=True)
    if "password" in page.context["form"].fields:
        page = client.post(page.request["PATH_INFO"] + "?next=" + reverse("mfa_activate_totp"),
                           {"password": PASSWORD}, follow=True)  # fmt: skip
    assert "<svg" in page.content.decode()
    assert "data:image" not in page.content.decode()
    secret = page.context["form"].secret
    code = format_hotp_value(hotp_value(secret, next(iter(yield_hotp_counters_from_time()))))
    client.post(reverse("mfa_activate_totp"), {"code": code})
    client.post(reverse("account_logout"))
    asked = client.post(
        reverse("account_login"), {"login": user.email, "password": PASSWORD}, follow=True
    )
    assert asked.redirect_chain[-1][0] == reverse("mfa_authenticate")


def test_a_new_password_keeps_tokens_and_says_so(client: Client) -> None:
    user = member(client)
    new = {"oldpassword": PASSWORD, "password1": "new mill friday", "password2": "new mill friday"}
    page = client.get(reverse("account_change_password")).text
    assert reverse("tokens") not in page
    token, secret = tokens.make(user.player, "My notes", [Scope.READ], None, timezone.now())
    done = client.post(reverse("account_change_password"), new, follow=True)
    user.refresh_from_db()
    assert user.check_password("new mill friday")
    assert "keep working" in done.text
    assert f'href="{reverse("tokens")}"' in done.text
    assert tokens.find(secret, timezone.now()) == token


@pytest.mark.parametrize(
    "name",
    ["account_email", "account_change_password", "account_logout", "mfa_index", "you",
     "account_reauthenticate", "mfa_activate_totp"],
)  # fmt: skip
def test_account_pages_use_the_sites_layout(client: Client, name: str) -> None:
    member(client)
    page = client.get(reverse(name), follow=True)
    assert page.status_code == 200
    assert "site/you.html" in [t.name for t in page.templates] or "panel" in page.content.decode()
    assert 'class="top"' in page.content.decode()


def test_too_many_attempts_get_a_429_page(client: Client) -> None:
    fields = {"email": "maeve@example.org"}
    statuses = [
        client.post(reverse("account_reset_password"), fields).status_code for _ in range(30)
    ]
    last = client.post(reverse("account_reset_password"), fields)
    assert 429 in statuses
    assert "A little slower" in last.content.decode()
