"""Logging in with an account elsewhere: an OpenID Connect server runs beside the tests."""

import logging
import re
from collections.abc import Iterator
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialToken
from django.contrib.sessions.models import Session
from django.core import mail
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import Settings

from euchre_site.environment import Variables
from euchre_site.login_providers import login_providers
from euchre_site.own_data import deletion, export_contents
from games.models import Ban, Player, User
from tests.factories import PASSWORD, confirmed, logged_in, member
from tests.site.test_two_steps import second_step

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.filterwarnings("ignore:get_jwt_config:DeprecationWarning"),  # the provider's own
]
LOGIN = "/accounts/oidc/openid/login/"
CONNECTIONS = "/accounts/3rdparty/"


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    from oidc_provider_mock import run_server_in_thread  # it imports Flask

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    with run_server_in_thread() as running:
        yield f"http://localhost:{running.server_port}"


@pytest.fixture
def elsewhere(server: str, settings: Settings) -> Iterator[str]:
    """The address of a provider called Mill, at which the site is registered."""
    cache.clear()
    settings.LOGIN_PROVIDERS = login_providers(
        of(LOGIN_OPENID=f"{server} bower a-secret The Mill", LOGIN_GOOGLE="g-id g-secret")
    )
    yield server
    cache.clear()


def of(**variables: str) -> Variables:
    """An environment of these variables only."""
    env = Variables()
    env.text = lambda name, default="": variables.get(name, default)  # type: ignore[method-assign]
    return env


def proved(server: str, sub: str, email: str, verified: Any = True) -> None:
    """Somebody has an account at the provider, with an address it may have proved."""
    claims = {"email": email, "email_verified": verified, "name": "Maeve M."}
    assert httpx.put(f"{server}/users/{sub}", json=claims).status_code == 204


def come_back(browser: Client, sub: str, process: str = "login", **more: str) -> Any:
    """Go to the provider, log in there as `sub`, and come back; the page where that ends."""
    leaving = browser.post(f"{LOGIN}?process={process}", more)
    if leaving.status_code == 302:
        return browser.get(leaving["Location"], follow=True)
    found = re.search(r'content="0;url=([^"]+)"', leaving.text)
    assert found, leaving.text
    back = httpx.post(unescape(found[1]), data={"sub": sub})
    assert back.status_code in (302, 303), back.text
    to = urlsplit(back.headers["Location"])
    return browser.get(f"{to.path}?{to.query}", follow=True)


def user_of(page: Any) -> Any:
    return page.wsgi_request.user


def test_no_provider_is_set_by_default() -> None:
    for page in ("account_login", "account_signup"):
        assert "Go on with" not in Client().get(reverse(page)).text
    for path in ("oidc/google/", "oidc/openid/", "microsoft/", "apple/"):
        assert Client().post(f"/accounts/{path}login/").status_code == 404
    assert "Other logins" not in logged_in(member()).get(reverse("you")).text


def test_a_first_login_asks_for_the_name_and_makes_an_account(elsewhere: str) -> None:
    proved(elsewhere, "m-1", "Maeve@example.com")
    browser = Client()
    form = come_back(browser, "m-1")
    assert form.redirect_chain[-1][0] == "/accounts/3rdparty/signup/"
    assert "your first time here with The Mill" in form.text
    assert browser.post("/accounts/3rdparty/signup/", {"name": ""}).status_code == 200
    made = browser.post("/accounts/3rdparty/signup/", {"name": "Maeve", "email": "x@example.com"})
    assert made.status_code == 302
    player = Player.objects.get(name="Maeve")
    assert player.user
    assert player.user.email == "maeve@example.com"
    assert not player.user.has_usable_password()
    assert EmailAddress.objects.get(user=player.user).verified
    assert browser.get("/you/").wsgi_request.user == player.user
    other = Client()
    assert user_of(come_back(other, "m-1")) == player.user
    assert User.objects.count() == 1


def test_nothing_of_the_profile_and_no_token_is_kept(elsewhere: str) -> None:
    proved(elsewhere, "m-2", "maeve@example.com")
    browser = Client()
    come_back(browser, "m-2")
    (kept,) = [one.get_decoded() for one in Session.objects.all()]
    assert "token" not in kept["socialaccount_sociallogin"]
    browser.post("/accounts/3rdparty/signup/", {"name": "Maeve"})
    come_back(Client(), "m-2")
    account = SocialAccount.objects.get()
    assert (account.extra_data, account.uid) == ({}, "m-2")
    assert not SocialToken.objects.exists()


@pytest.mark.parametrize("verified", [True, False, "false"])
def test_an_address_elsewhere_never_takes_over_an_account(elsewhere: str, verified: Any) -> None:
    ada = confirmed(member("Ada"))
    proved(elsewhere, "thief", "ada@example.com", verified)
    browser = Client()
    page = come_back(browser, "thief")
    if verified is not True:
        page = browser.post(
            "/accounts/3rdparty/signup/", {"name": "Eve", "email": "ada@example.com"}
        )
    assert "That address already has an account here. Log in to it as you always do" in page.text
    assert user_of(page).is_anonymous
    assert not SocialAccount.objects.exists()
    assert list(User.objects.all()) == [ada.user]


def test_where_addresses_are_confirmed_the_owner_is_told_by_mail(
    elsewhere: str, settings: Settings
) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    confirmed(member("Ada"))
    proved(elsewhere, "thief", "ada@example.com", verified=False)
    browser = Client()
    come_back(browser, "thief")
    page = browser.post(
        "/accounts/3rdparty/signup/", {"name": "Eve", "email": "ada@example.com"}, follow=True
    )
    assert user_of(page).is_anonymous
    assert [one.to for one in mail.outbox] == [["ada@example.com"]]
    assert not SocialAccount.objects.exists()
    assert User.objects.count() == 1


def test_an_unproved_address_is_confirmed_before_it_lets_in(
    elsewhere: str, settings: Settings
) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    proved(elsewhere, "m-3", "new@example.com", verified=False)
    browser = Client()
    come_back(browser, "m-3")
    page = browser.post(
        "/accounts/3rdparty/signup/", {"name": "Nora", "email": "new@example.com"}, follow=True
    )
    assert user_of(page).is_anonymous
    assert not EmailAddress.objects.get().verified
    assert [one.to for one in mail.outbox] == [["new@example.com"]]
    assert user_of(come_back(Client(), "m-3")).is_anonymous


def test_accounts_are_joined_by_who_has_logged_in_to_both(elsewhere: str) -> None:
    ada = confirmed(member("Ada"))
    proved(elsewhere, "a-1", "other@example.com")
    browser, phone = Client(), logged_in(ada)
    browser.post(reverse("account_login"), {"login": "ada@example.com", "password": PASSWORD})
    asked = come_back(browser, "a-1", "connect")
    if "password" in asked.text and not SocialAccount.objects.exists():
        asked = browser.post(reverse("account_reauthenticate"), {"password": PASSWORD}, follow=True)
    assert "The Mill now lets you in." in asked.text
    assert SocialAccount.objects.get().user == ada.user
    assert phone.get("/you/").context["user"].is_anonymous  # other sessions have ended
    assert browser.get("/you/").context["user"] == ada.user
    assert user_of(come_back(Client(), "a-1")) == ada.user
    assert ada.user
    ada.user.refresh_from_db()
    assert ada.user.email == "ada@example.com"


def test_an_account_elsewhere_lets_in_one_person_only(elsewhere: str) -> None:
    proved(elsewhere, "one", "first@example.com")
    first = Client()
    come_back(first, "one")
    first.post("/accounts/3rdparty/signup/", {"name": "First"})
    ben = confirmed(member("Ben"))
    browser = Client()
    browser.post(reverse("account_login"), {"login": "ben@example.com", "password": PASSWORD})
    page = come_back(browser, "one", "connect")
    if not page.context or "already lets somebody else" not in page.text:
        page = browser.post(reverse("account_reauthenticate"), {"password": PASSWORD}, follow=True)
    assert "already lets somebody else in here" in page.text
    assert SocialAccount.objects.get().user != ben.user


def joined(who: Player, uid: str) -> SocialAccount:
    assert who.user
    return SocialAccount.objects.create(user=who.user, provider="openid", uid=uid)


def test_a_login_is_removed_but_not_the_only_one(elsewhere: str) -> None:
    ada = confirmed(member("Ada"))
    account, browser, phone = joined(ada, "a-2"), Client(), logged_in(ada)
    browser.post(reverse("account_login"), {"login": "ada@example.com", "password": PASSWORD})
    fresh = browser.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    assert fresh.status_code == 302
    assert ada.user
    User.objects.filter(pk=ada.user.pk).update(password="!none")
    assert not User.objects.get().has_usable_password()
    alone = logged_in(Player.objects.get(name="Ada"))
    page = alone.post(CONNECTIONS, {"account": account.pk})
    assert "This is your only way in. Choose a password first." in page.text
    assert SocialAccount.objects.exists()
    User.objects.filter(pk=ada.user.pk).update(password=ada.user.password)
    assert phone.get("/you/").context["user"].is_authenticated
    gone = browser.post(CONNECTIONS, {"account": account.pk}, follow=True)
    assert "It no longer lets you in." in gone.text
    assert not SocialAccount.objects.exists()
    assert phone.get("/you/").context["user"].is_anonymous


def test_a_second_step_is_asked_after_a_login_elsewhere(elsewhere: str) -> None:
    ada = confirmed(member("Ada"))
    joined(ada, "a-3")
    second_step(ada)
    proved(elsewhere, "a-3", "ada@example.com")
    page = come_back(Client(), "a-3")
    assert page.redirect_chain[-1][0] == reverse("mfa_authenticate")
    assert user_of(page).is_anonymous


def test_a_closed_account_stays_closed(elsewhere: str) -> None:
    ada = confirmed(member("Ada"))
    joined(ada, "a-4")
    assert ada.user
    User.objects.filter(pk=ada.user.pk).update(is_active=False)
    Ban.objects.create(user=ada.user, reason="Shouting")
    proved(elsewhere, "a-4", "ada@example.com")
    page = come_back(Client(), "a-4")
    assert page.status_code == 403
    assert "Shouting" in page.text


def test_a_guest_keeps_seats_and_games(elsewhere: str) -> None:
    browser = logged_in(Player.objects.create(name="Gus"))
    proved(elsewhere, "g-1", "gus@example.com")
    assert "Gus, your seats and games come with you" in come_back(browser, "g-1").text
    browser.post("/accounts/3rdparty/signup/", {"name": "Gus"})
    assert Player.objects.get().user == User.objects.get()


@pytest.mark.parametrize("step", ["", "callback/"])
def test_the_kind_of_two_providers_names_neither(step: str, elsewhere: str) -> None:
    url = f"/accounts/oidc/openid_connect/login/{step}"
    assert Client().get(url).status_code == 404


@pytest.mark.parametrize("step", ["login", "callback"])
def test_a_provider_that_is_down_is_said_and_logged(
    step: str, elsewhere: str, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    browser = Client()
    url = LOGIN
    if step == "callback":
        leaving = browser.post(LOGIN)
        state = parse_qs(urlsplit(unescape(leaving.text.split("0;url=")[1])).query)["state"][0]
        url = f"{LOGIN}callback/?code=x&state={state.split(chr(34))[0]}"
    settings.LOGIN_PROVIDERS = login_providers(
        of(LOGIN_OPENID="http://localhost:1 bower a-secret The Mill")
    )
    answer = browser.post(url) if step == "login" else browser.get(url)
    assert answer.status_code in (401, 502)
    assert "The Mill could not log you in just now" in answer.text
    told = [one.msg for one in caplog.records if isinstance(one.msg, dict)]
    assert [one["reason"] for one in told if one["event"] == "login elsewhere failed"] == [
        "openid: ConnectionError"
    ]


@pytest.mark.parametrize("step", ["login", "callback"])
def test_a_silent_provider_is_not_waited_for_again(
    step: str, elsewhere: str, settings: Settings
) -> None:
    browser = Client()
    if step == "login":
        settings.LOGIN_PROVIDERS = login_providers(
            of(LOGIN_OPENID="http://localhost:1 bower a-secret The Mill")
        )
        assert browser.post(LOGIN).status_code == 502
    else:
        silent = {"token_endpoint": "http://localhost:1/"}
        settings.LOGIN_PROVIDERS[-1]["settings"]["openid_configuration_overrides"] = silent
        found = re.search(r"state=(\w+)", unescape(browser.post(LOGIN).text))
        assert found
        assert browser.get(f"{LOGIN}callback/?code=x&state={found[1]}").status_code == 401
    settings.LOGIN_PROVIDERS = login_providers(
        of(LOGIN_OPENID=f"{elsewhere} bower a-secret The Mill")
    )
    assert browser.post(LOGIN).status_code == 502
    cache.clear()
    assert browser.post(LOGIN).status_code == 200


def test_an_answer_that_nobody_asked_for_is_refused(elsewhere: str) -> None:
    assert Client().get(f"{LOGIN}callback/?code=x&state=y").status_code == 401


def test_whoever_turns_back_is_told_so(elsewhere: str) -> None:
    browser = Client()
    leaving = browser.post(LOGIN)
    found = re.search(r"state=(\w+)", unescape(leaving.text))
    assert found
    page = browser.get(f"{LOGIN}callback/?error=access_denied&state={found[1]}", follow=True)
    assert "Nothing has changed here" in page.text


def test_a_page_leads_away_so_that_the_policy_for_forms_holds(elsewhere: str) -> None:
    answer = Client().post(LOGIN)
    assert answer.status_code == 200
    assert f'content="0;url={elsewhere}/oauth2/authorize?' in answer.text
    asked = Client().get(LOGIN)
    assert "0;url=" not in asked.text  # a page of another site cannot start it


def test_apple_comes_back_by_a_form_of_its_own(settings: Settings) -> None:
    app = {"provider": "apple", "name": "Apple", "client_id": "a", "secret": "k", "key": "t"}
    settings.LOGIN_PROVIDERS = [app | {"settings": {"certificate_key": "none"}}]
    browser = Client(enforce_csrf_checks=True)
    path = "/accounts/apple/login/callback/"
    answer = browser.post(path, {"code": "x", "state": "y", "id_token": "z"})
    assert answer["Location"] == f"http://testserver{path}finish/?code=x&state=y"
    assert "apple-login-session" in answer.cookies
    assert browser.get(answer["Location"]).status_code == 401  # nobody has asked for it here
    leaving = Client().post("/accounts/apple/login/")
    assert "0;url=https://appleid.apple.com/auth/authorize?" in leaving.text


def test_sign_ups_are_limited_as_by_password(elsewhere: str, settings: Settings) -> None:
    settings.ACCOUNT_RATE_LIMITS = settings.ACCOUNT_RATE_LIMITS | {"signup": "1/m/ip"}
    answers = []
    for number in range(2):
        proved(elsewhere, f"s-{number}", f"s{number}@example.com", verified=False)
        browser = Client()
        come_back(browser, f"s-{number}")
        fields = {"name": f"Sam {number}", "email": f"s{number}@example.com"}
        answers.append(browser.post("/accounts/3rdparty/signup/", fields).status_code)
    assert answers == [302, 429]


def test_a_reset_by_mail_removes_what_a_stranger_set_up(elsewhere: str) -> None:
    """Somebody signs up with another's address, which nobody has confirmed; its owner comes."""
    eve, ada = member("Eve"), confirmed(member("Ada"))
    for who in (eve, ada):
        joined(who, who.name)
        Authenticator.objects.create(user=who.user, type="webauthn", data={"name": "Key"})
        assert who.user
        Client().post(reverse("account_reset_password"), {"email": who.user.email})
        found = re.search(r"http://localhost:8000(\S+)", str(mail.outbox[-1].body))
        assert found
        owner = Client()
        form = owner.get(found[1], follow=True)
        new = {"password1": "new mill friday", "password2": "new mill friday"}
        owner.post(form.redirect_chain[-1][0], new)
    assert [one.user for one in SocialAccount.objects.all()] == [ada.user]
    assert [one.user for one in Authenticator.objects.all()] == [ada.user]


def test_logins_elsewhere_are_exported_and_deleted(elsewhere: str) -> None:
    ada = confirmed(member("Ada"))
    joined(ada, "a-5")
    assert export_contents.data(ada, timezone.now())["logins_elsewhere"][0]["uid"] == "a-5"
    assert ada.user
    assert deletion.delete_account(ada.user, None, timezone.now())
    assert not SocialAccount.objects.exists()
    proved(elsewhere, "a-5", "ada@example.com")
    assert "your first time here" in come_back(Client(), "a-5").text


def test_changes_are_in_the_security_log(elsewhere: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "euchre_site.security_log")
    ada = confirmed(member("Ada"))
    joined(ada, "a-6")
    proved(elsewhere, "a-6", "ada@example.com")
    browser = Client()
    come_back(browser, "a-6")
    page = browser.post(CONNECTIONS, {"account": SocialAccount.objects.get().pk}, follow=True)
    if SocialAccount.objects.exists():
        page = browser.post(reverse("account_reauthenticate"), {"password": PASSWORD}, follow=True)
        page = browser.post(CONNECTIONS, {"account": SocialAccount.objects.get().pk})
    assert not SocialAccount.objects.exists(), page.status_code
    told = [one.msg for one in caplog.records if isinstance(one.msg, dict)]
    lines = [(one["event"], one.get("kind"), one.get("what")) for one in told]
    assert ("logged in", "openid", None) in lines
    assert ("login elsewhere", "openid", "removed") in lines
    assert "example.com" not in repr(told)


def test_settings_are_read_and_refused(tmp_path: Any) -> None:
    key = tmp_path / "key.p8"
    key.write_text("a key")
    apps = login_providers(
        of(
            LOGIN_GOOGLE="g-id g-secret",
            LOGIN_MICROSOFT="m-id m-secret",
            LOGIN_APPLE=f"org.example team key-id {key}",
            LOGIN_OPENID="https://id.example.org o-id o-secret Our Club",
        )
    )
    assert [(one["provider"], one["name"], one["client_id"]) for one in apps] == [
        ("openid_connect", "Google", "g-id"),
        ("apple", "Apple", "org.example"),
        ("microsoft", "Microsoft", "m-id"),
        ("openid_connect", "Our Club", "o-id"),
    ]
    assert apps[1]["settings"] == {"certificate_key": "a key"}
    env = of(LOGIN_GOOGLE="only-one", LOGIN_APPLE="a b c /nowhere", LOGIN_OPENID="id a-secret x")
    assert [one["name"] for one in login_providers(env)] == ["Apple"]
    assert len(env.wrong) == 3
    assert "a-secret" not in "".join(env.wrong)
