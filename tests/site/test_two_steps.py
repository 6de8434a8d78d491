"""Required two-step login: what directors and staff cannot do before they have set it up."""

from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import (
    format_hotp_value,
    hotp_value,
    yield_hotp_counters_from_time,
)
from django.core.management import CommandError, call_command
from django.db import transaction
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from games.models import Player, Scope, User
from games.people import two_steps
from tests.addresses import address
from tests.api.asking import ask as ask_api
from tests.api.asking import token_of
from tests.factories import PASSWORD, again, logged_in, member
from tests.site.factories import admin_pages
from tests.tournaments import build
from tests.tournaments.test_url_roles import ROLES, ROWS, house
from tournaments.models import Club, Event, Membership

pytestmark = pytest.mark.django_db
#: Who must be led to the second step, and before what.
RANKED = ("director", "owner", "staff")
SET_UP = "/accounts/2fa/totp/activate/"


@pytest.fixture
def _of_directors(settings: Settings) -> None:
    settings.TWO_STEPS_FOR = "directors"


def second_step(who: Player) -> Authenticator:
    """Give an account a second factor."""
    assert who.user
    return Authenticator.objects.create(user=who.user, type="totp", data={"secret": "A" * 32})


def staff(name: str = "Stella") -> Player:
    made = member(name)
    User.objects.filter(player=made).update(is_staff=True)
    return Player.objects.get(pk=made.pk)


@pytest.mark.usefixtures("_of_directors")
def test_ranks_have_no_rights_before_setup() -> None:
    at = house(Club.Joining.OPEN)
    needing = {name: row for name, row in ROWS.items() if row.least in {*RANKED, "moderator"}}
    assert len(needing) > 40
    wrong = []
    for name, row in needing.items():
        for role in RANKED:
            if ROLES.index(role) < ROLES.index(row.least):
                continue
            with transaction.atomic():
                browser = again(at.browsers[role])
                answer: Any = getattr(browser, row.method.lower())(
                    address(name, at.known), dict(row.data)
                )
                transaction.set_rollback(True)
            led = answer.status_code == 303 and answer["Location"] == SET_UP
            if not led and row.but.get(role) != answer.status_code:
                wrong.append((name, role, answer.status_code))
    assert wrong == []


@pytest.mark.usefixtures("_of_directors")
def test_a_members_rights_are_unaffected() -> None:
    at = house(Club.Joining.OPEN)
    for name, row in ROWS.items():
        if row.least not in {"visitor", "account", "member"} or name == "leave_club":
            continue
        if "member" in row.but:
            continue  # what is that member's own
        answers = []
        for role in ("member", "director"):
            with transaction.atomic():
                browser = again(at.browsers[role])
                ask = getattr(browser, row.method.lower())
                answers.append(ask(address(name, at.known), dict(row.data)).status_code)
                transaction.set_rollback(True)
        assert answers[0] == answers[1], name


@pytest.mark.usefixtures("_of_directors")
def test_moderators_and_visitors_are_unaffected() -> None:
    at = house(Club.Joining.OPEN)
    url = address("accept_request", at.known)
    assert again(at.browsers["visitor"]).post(url).status_code == 403
    assert again(at.browsers["member"]).post(url).status_code == 403
    assert again(at.browsers["moderator"]).post(url)["Location"] != SET_UP


def test_only_staff_can_be_required(settings: Settings) -> None:
    settings.TWO_STEPS_FOR = "staff"
    club = build.club()
    url = reverse("club_settings", args=[club.slug])
    owner, of_site = member("Ada"), staff()
    build.joined(club, owner, Membership.Role.OWNER)
    assert logged_in(owner).get(url).status_code == 200
    assert logged_in(of_site).get(url)["Location"] == SET_UP
    assert logged_in(of_site).get(reverse("cases"))["Location"] == SET_UP
    second_step(of_site)
    assert logged_in(of_site).get(url).status_code == 200
    assert logged_in(of_site).get(reverse("cases")).status_code == 200


def test_nobody_is_required_by_default(django_assert_num_queries: Any) -> None:
    of_site = staff().user
    assert of_site
    with django_assert_num_queries(0):
        assert not two_steps.lacks(of_site)


@pytest.mark.usefixtures("_of_directors")
def test_recovery_codes_alone_are_no_second_factor() -> None:
    of_site = staff().user
    assert of_site
    Authenticator.objects.create(user=of_site, type="recovery_codes", data={"seed": "x"})
    assert two_steps.lacks(of_site)


@pytest.mark.usefixtures("_of_directors")
def test_a_script_gets_a_403() -> None:
    event = build.event()
    director = build.director(event.club)
    url = reverse("pause_event", args=[event.pk])
    answer = logged_in(director).post(url, headers={"HX-Request": "true"})
    assert (answer.status_code, answer.text) == (403, two_steps.WORDS)


@pytest.mark.usefixtures("_of_directors")
@pytest.mark.parametrize("page", ["club", "event"])
def test_the_page_explains_the_missing_rights(page: str) -> None:
    event = build.event()
    director = build.director(event.club)
    url = reverse(page, args=[event.club.slug if page == "club" else event.pk])
    pages = [logged_in(who).get(url).text for who in (director, member("Otto"))]
    assert ["role here that takes effect once you use two-step login" in one for one in pages] == [
        True,
        False,
    ]
    second_step(director)
    assert "by two steps" not in logged_in(director).get(url).text


@pytest.mark.usefixtures("_of_directors")
def test_a_draft_redirects_its_director_to_the_setup() -> None:
    event = build.event(state=Event.State.DRAFT)
    director, other = build.director(event.club), member("Otto")
    build.joined(event.club, other)
    url = reverse("event", args=[event.pk])
    assert logged_in(director).get(url)["Location"] == SET_UP
    assert logged_in(other).get(url).status_code == 404


@pytest.mark.usefixtures("_of_directors")
def test_a_directors_token_has_a_members_rights() -> None:
    event = build.event()
    director, other = build.director(event.club), member("Otto")
    build.joined(event.club, other)
    tokens = {who.name: token_of(who, Scope.READ, Scope.ENTER) for who in (director, other)}
    path = f"/events/{event.pk}/entry"
    assert ask_api(f"/events/{event.pk}", tokens[director.name]).status_code == 200
    refusal = ask_api(path, tokens[director.name], method="PUT", body={})
    assert (refusal.status_code, refusal.json()["code"]) == (403, "two steps")
    assert ask_api(path, tokens["Otto"], method="PUT", body={}).json().get("code") != "two steps"
    second_step(director)
    again_ = ask_api(path, tokens[director.name], method="PUT", body={})
    assert again_.json().get("code") != "two steps"


def set_up(client: Client) -> str:
    """Set up two-step login on its page; return the app's secret."""
    page = client.get(reverse("mfa_activate_totp"), follow=True)
    if "password" in page.context["form"].fields:
        page = client.post(
            f"{page.request['PATH_INFO']}?next={SET_UP}", {"password": PASSWORD}, follow=True
        )
    secret: str = page.context["form"].secret
    answer = client.post(SET_UP, {"code": code_of(secret)})
    assert answer.status_code == 302
    return secret


def code_of(secret: str) -> str:
    """Return the code that the app shows now."""
    counter = next(iter(yield_hotp_counters_from_time()))
    return str(format_hotp_value(hotp_value(secret, counter)))


@pytest.mark.usefixtures("_of_directors")
@pytest.mark.parametrize("mailed", [True, False])
def test_setup_restores_the_rights_at_once(settings: Settings, mailed: bool) -> None:
    settings.MFA_ALLOW_UNVERIFIED_EMAIL = not mailed
    event = build.event()
    director = build.director(event.club)
    assert director.user
    EmailAddress.objects.create(
        user=director.user, email=director.user.email, primary=True, verified=mailed
    )
    client, url = logged_in(director), reverse("manage_event", args=[event.pk])
    assert client.get(url)["Location"] == SET_UP
    set_up(client)
    assert client.get(url).status_code == 200


def test_each_recovery_code_works_once() -> None:
    ada = member("Ada")
    client = logged_in(ada)
    set_up(client)
    assert ada.user
    codes = Authenticator.objects.get(user=ada.user, type="recovery_codes").wrap()
    code = codes.get_unused_codes()[0]
    assert log_in(ada, code).get("/you/").context["user"].is_authenticated
    assert not log_in(ada, code).get("/you/").context["user"].is_authenticated


def log_in(who: Player, code: str) -> Client:
    """Return a browser that has logged in with password and code."""
    client = Client()
    assert who.user
    fields = {"login": who.user.email, "password": PASSWORD}
    client.post(reverse("account_login"), fields)
    client.post(reverse("mfa_authenticate"), {"code": code})
    return client


def test_an_operator_can_reset_two_step_login() -> None:
    ada, ben = member("Ada"), member("Ben")
    for one in (ada, ben):
        second_step(one)
    told = StringIO()
    call_command("reset_two_steps", "ADA@example.com", stdout=told)
    assert "with the password alone" in told.getvalue()
    assert "no password" not in told.getvalue()
    assert [one.user for one in Authenticator.objects.all()] == [ben.user]
    for wrong in ("ada@example.com", "nobody@example.com"):
        with pytest.raises(CommandError):
            call_command("reset_two_steps", wrong)


def test_a_reset_keeps_passkeys_and_says_where_there_is_no_password() -> None:
    ada, told = member("Ada"), StringIO()
    second_step(ada)
    assert ada.user
    ada.user.set_unusable_password()
    ada.user.save()
    kept = Authenticator.objects.create(user=ada.user, type="webauthn", data={})
    call_command("reset_two_steps", "ada@example.com", stdout=told)
    assert list(Authenticator.objects.all()) == [kept]
    assert "It has no password: its owner can set one by mail." in told.getvalue()
    with pytest.raises(CommandError, match="does not use two-step login"):
        call_command("reset_two_steps", "ada@example.com")


@pytest.fixture
def admin() -> Iterator[str]:
    """The URL of Django's admin pages, enabled for this test."""
    with admin_pages("office"):
        yield "/office/"


def test_the_admin_pages_require_two_step_login(admin: str, settings: Settings) -> None:
    of_site = staff()
    assert of_site.user
    User.objects.filter(player=of_site).update(is_superuser=True)
    visitor, page = Client(), f"{admin}jsi18n/"  # one that needs no tables of its own
    asked = visitor.get(admin, follow=True)
    assert asked.redirect_chain[-1][0].startswith(reverse("account_login"))
    fields = {"username": of_site.user.email, "password": PASSWORD}
    visitor.post(f"{admin}login/", fields)
    assert "_auth_user_id" not in visitor.session
    assert logged_in(member("Otto")).get(page, follow=True).status_code == 403
    assert logged_in(of_site).get(page).status_code == 200
    settings.TWO_STEPS_FOR = "staff"
    assert logged_in(of_site).get(page, follow=True).redirect_chain[-1][0].startswith("/accounts/")
    second_step(of_site)
    assert logged_in(of_site).get(page).status_code == 200


def test_a_superuser_has_no_rights_before_setup(settings: Settings) -> None:
    settings.TWO_STEPS_FOR = "staff"
    club, ruth = build.club(joining=Club.Joining.INVITATION), member("Ruth")
    User.objects.filter(player=ruth).update(is_staff=True, is_superuser=True)
    page = reverse("club_settings", args=[club.slug])
    assert logged_in(ruth).get(page).status_code != 200
    second_step(ruth)
    assert logged_in(ruth).get(page).status_code == 200


def test_the_api_explains_the_missing_rights(settings: Settings) -> None:
    ada, club = member("Ada"), build.club()
    build.joined(club, ada, Membership.Role.DIRECTOR)
    draft = build.event(club, state=Event.State.DRAFT)
    assert logged_in(ada).get(f"/api/events/{draft.pk}").status_code == 200
    settings.TWO_STEPS_FOR = "directors"
    answer = logged_in(ada).get(f"/api/events/{draft.pk}")
    assert (answer.status_code, answer.json()["code"]) == (403, "two steps")


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("_of_directors")
def test_setup_ends_other_sessions() -> None:
    ada, club = member("Ada"), build.club()
    build.joined(club, ada, Membership.Role.OWNER)
    page = reverse("club_settings", args=[club.slug])
    here, elsewhere, other = logged_in(ada), logged_in(ada), logged_in(member("Otto"))
    token = token_of(ada, Scope.READ, Scope.ENTER)
    at_club = f"/clubs/{club.slug}"
    assert ask_api(at_club, token).status_code == 200
    set_up(here)
    assert here.get(page).status_code == 200
    assert elsewhere.get(page).status_code != 200
    assert elsewhere.get(reverse("you")).context["user"].is_anonymous
    assert ask_api(at_club, token).status_code == 401
    assert other.get(reverse("you")).context["user"].is_authenticated
