"""Passkeys: adding, using, losing and removing them."""

import json
import logging
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from games.models import Ban, Player, Scope, User
from games.people import two_steps
from tests.api.asking import token_of
from tests.factories import PASSWORD, confirmed, logged_in, member
from tests.site.soft_key import SoftKey
from tests.site.test_two_steps import second_step

pytestmark = pytest.mark.django_db(transaction=True)
ADD, LIST = "/accounts/2fa/webauthn/add/", "/accounts/2fa/webauthn/"


@pytest.fixture(autouse=True)
def _no_counts() -> None:
    cache.clear()


def here() -> Client:
    """A browser at the only name at which passkeys work without TLS."""
    return Client(SERVER_NAME="localhost")


def by_password(who: Player) -> Client:
    assert who.user
    browser = here()
    fields = {"login": who.user.email, "password": PASSWORD}
    browser.post(reverse("account_login"), fields)
    return browser


def add(browser: Client, key: SoftKey, name: str = "My phone") -> Any:
    page = browser.get(ADD, follow=True)
    if "js_data" not in page.context:
        browser.post(f"{reverse('account_reauthenticate')}?next={ADD}", {"password": PASSWORD})
        page = browser.get(ADD)
    made = key.made(page.context["js_data"]["creation_options"])
    return browser.post(ADD, {"name": name, "credential": made}, follow=True)


def log_in(key: SoftKey, browser: Client | None = None, **more: Any) -> Any:
    browser = browser or here()
    asked = browser.get("/accounts/2fa/webauthn/login/", headers={"Accept": "application/json"})
    signed = key.signed(asked.json()["request_options"], **more)
    return browser.post("/accounts/2fa/webauthn/login/", {"credential": signed}, follow=True)


def test_a_passkey_lets_in_without_a_password() -> None:
    ada, key = confirmed(member("Ada")), SoftKey()
    browser, phone = by_password(ada), logged_in(ada)
    token_of(ada, Scope.READ)
    page = add(browser, key)
    assert page.redirect_chain[-1][0] == LIST
    assert "The passkey is added." in page.text
    assert "My phone" in page.text
    assert phone.get("/you/").context["user"].is_anonymous
    assert ada.tokens.exists()
    assert [one.type for one in Authenticator.objects.all()] == ["webauthn"]
    assert log_in(key).wsgi_request.user == ada.user


def test_a_passkey_goes_on_to_where_somebody_wanted() -> None:
    ada, key = confirmed(member("Ada")), SoftKey()
    add(by_password(ada), key)
    browser = here()
    asked = browser.get("/accounts/2fa/webauthn/login/", headers={"Accept": "application/json"})
    fields = {"credential": key.signed(asked.json()["request_options"]), "next": "/clubs/"}
    assert browser.post("/accounts/2fa/webauthn/login/", fields)["Location"] == "/clubs/"


def test_the_password_still_lets_in_alone() -> None:
    ada, key = confirmed(member("Ada")), SoftKey()
    add(by_password(ada), key)
    assert by_password(ada).get("/you/").context["user"] == ada.user


def test_a_passkey_is_no_second_step_for_those_who_need_one(settings: Settings) -> None:
    settings.TWO_STEPS_FOR = "staff"
    ada, key = confirmed(member("Ada")), SoftKey()
    assert ada.user
    User.objects.filter(pk=ada.user.pk).update(is_staff=True)
    add(by_password(ada), key)
    assert two_steps.lacks(User.objects.get())
    second_step(ada)
    assert not two_steps.lacks(User.objects.get())


def test_with_an_app_a_passkey_serves_alone_or_as_the_second_step() -> None:
    ada, key = confirmed(member("Ada")), SoftKey()
    add(by_password(ada), key)
    second_step(ada)
    assert log_in(key).wsgi_request.user == ada.user
    browser = by_password(ada)
    page = browser.get(reverse("mfa_authenticate"))
    assert page.wsgi_request.user.is_anonymous
    signed = key.signed(page.context["js_data"]["request_options"])
    done = browser.post(reverse("mfa_authenticate"), {"credential": signed}, follow=True)
    assert done.wsgi_request.user == ada.user


def test_a_key_that_checks_no_hand_is_refused() -> None:
    ada = confirmed(member("Ada"))
    page = add(by_password(ada), SoftKey(verifies=False))
    assert "That code or passkey did not work. Try again." in page.text
    assert not Authenticator.objects.exists()


@pytest.mark.parametrize(
    "wrong", ["another's", "another site's", "another key", "an old answer", "cut", "nonsense"]
)
def test_a_wrong_passkey_lets_nobody_in(wrong: str) -> None:
    ada, ben, key = confirmed(member("Ada")), confirmed(member("Ben")), SoftKey()
    add(by_password(ada), key)
    browser = here()
    asked = browser.get("/accounts/2fa/webauthn/login/", headers={"Accept": "application/json"})
    options = asked.json()["request_options"]
    assert ben.user
    if wrong == "another's":
        signed = key.signed(options, owner=ben.user)
    elif wrong == "another site's":
        key.host = "evil.example"
        signed = key.signed(options)
    elif wrong == "an old answer":
        signed = key.signed(options)
        browser.get("/accounts/2fa/webauthn/login/", headers={"Accept": "application/json"})
    elif wrong == "another key":
        forged = SoftKey()
        forged.owner = key.owner
        signed = forged.signed(options)
    elif wrong == "cut":
        parts = json.loads(key.signed(options))
        parts["response"]["authenticatorData"] = "AAAA"
        signed = json.dumps(parts)
    else:
        signed = '{"id": 1}'
    page = browser.post("/accounts/2fa/webauthn/login/", {"credential": signed}, follow=True)
    assert page.wsgi_request.user.is_anonymous
    assert "That code or passkey did not work" in page.text


def test_a_closed_account_stays_closed() -> None:
    ada, key = confirmed(member("Ada")), SoftKey()
    add(by_password(ada), key)
    assert ada.user
    User.objects.filter(pk=ada.user.pk).update(is_active=False)
    Ban.objects.create(user=ada.user, reason="Shouting")
    page = log_in(key)
    assert (page.status_code, "Shouting" in page.text) == (403, True)


def test_a_passkey_is_renamed_and_removed(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "euchre_site.security_log")
    ada, key = confirmed(member("Ada")), SoftKey()
    browser = by_password(ada)
    add(browser, key)
    phone = logged_in(ada)
    pk = Authenticator.objects.get().pk
    page = browser.post(f"{LIST}keys/{pk}/edit/", {"name": "Old phone"}, follow=True)
    assert "Old phone" in page.text
    assert "Remove “Old phone”?" in browser.get(f"{LIST}keys/{pk}/remove/").text
    page = browser.post(f"{LIST}keys/{pk}/remove/", follow=True)
    assert "The passkey is removed." in page.text
    assert phone.get("/you/").context["user"].is_anonymous
    assert log_in(key).wsgi_request.user.is_anonymous
    told = [one.msg for one in caplog.records if isinstance(one.msg, dict)]
    kinds = [(one["event"], one.get("kind"), one.get("what")) for one in told]
    assert ("second step", "webauthn", "added") in kinds
    assert ("second step", "webauthn", "removed") in kinds


def test_a_passkey_confirms_who_is_asking_where_there_is_no_password() -> None:
    ada, key = confirmed(member("Ada")), SoftKey()
    add(by_password(ada), key)
    assert ada.user
    user = User.objects.get()
    user.set_unusable_password()
    user.save()
    browser = here()
    log_in(key, browser)
    asked = browser.get(ADD, follow=True)
    assert asked.redirect_chain[-1][0].startswith("/accounts/2fa/webauthn/reauthenticate/")
    signed = key.signed(asked.context["js_data"]["request_options"])
    path = asked.request["PATH_INFO"]
    done = browser.post(f"{path}?next={ADD}", {"credential": signed}, follow=True)
    assert done.redirect_chain[-1][0] == ADD


def test_nobody_adds_a_passkey_to_another_account() -> None:
    ada, ben = confirmed(member("Ada")), confirmed(member("Ben"))
    browser = by_password(ada)
    add(browser, SoftKey())
    pk = Authenticator.objects.get().pk
    for step in ("edit", "remove"):
        other = by_password(ben)
        other.post(f"{reverse('account_reauthenticate')}?next={ADD}", {"password": PASSWORD})
        assert other.post(f"{LIST}keys/{pk}/{step}/", {"name": "x"}).status_code == 404
    assert here().get(ADD).status_code == 302
