"""The admin pages show nothing hidden; they exist only with ADMIN_PATH."""

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.apps import apps
from django.contrib import admin
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django.plugin import DjangoDbBlocker

from games.models import Game, GameEvent, OperatorAct, Player, Scope, Shuffle, Table, Token, User
from games.programs import tokens
from tests.factories import PASSWORD, logged_in, member, people, play_out
from tests.factories import table as seated_table
from tests.games.shuffles import Search, kept, tables
from tests.site.factories import admin_pages, admin_table, operator, post
from tests.tournaments import build
from tests.volume import volume
from tournaments.models import Club, FeedKey, Webhook
from tournaments.webhooks import webhooks

#: Only on SQLite: a server could not empty the tables to which that of the admin pages refers.
pytestmark = [
    pytest.mark.django_db,
    pytest.mark.sqlite,
    pytest.mark.usefixtures("_behind"),
]

#: Of how many rows of a list the own pages are looked at.
ROWS = volume(4, 4, 12)
#: What anybody may change on a form, by model; of all others nothing.
CHANGED = {
    "user": {"is_staff", "is_superuser", "groups", "user_permissions"},
    "player": {"country", "private"},
    "club": {"about", "country", "recognised"},
    "emailaddress": {"verified"},
    "group": {"name", "permissions"},
}


@pytest.fixture(scope="module")
def _behind(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    with admin_pages("behind"), django_db_blocker.unblock(), admin_table():
        yield


@pytest.fixture
def ruth() -> Player:
    return operator("Ruth", superuser=True)


def pages(browser: Client) -> Iterator[tuple[str, bytes]]:
    """Yield every list of the admin pages, and the page and history of each row."""
    for model in admin.site._registry:
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        listed = browser.get(reverse(f"{name}_changelist"))
        assert listed.status_code == 200, name
        yield name, listed.content
        for row in listed.context["cl"].result_list[:ROWS]:
            shown = browser.get(reverse(f"{name}_change", args=[row.pk]))
            assert shown.status_code == 200, name
            yield f"{name} {row.pk}", shown.content
            told = browser.get(reverse(f"{name}_history", args=[row.pk]))
            yield f"{name} {row.pk} history", told.content


def test_there_are_admin_pages_only_with_admin_path() -> None:
    assert Client().get("/behind/").status_code == 302
    with admin_pages(""):
        assert Client().get("/behind/").status_code == 404
        assert Client().get("/admin/").status_code == 404


def test_pages_show_no_hand_or_secret_of_a_running_game(ruth: Player) -> None:
    at = tables(people(4), Random(3))
    search = Search(kept(at))
    dropped = list(GameEvent.objects.filter(action__startswith="discard"))
    assert dropped
    assert Shuffle.objects.exists()
    seen = 0
    for name, content in pages(logged_in(ruth)):
        assert search.told_by(content) == [], name
        assert b"discard " not in content, name
        seen += 1
    assert seen > 60
    browser = logged_in(ruth)
    hidden = browser.get(reverse("admin:games_gameevent_change", args=[dropped[0].pk]))
    assert hidden.status_code == 302  # there is no such row


def test_pages_show_no_key_or_token(ruth: Player) -> None:
    maeve = member()
    club = build.club()
    hook, secret = webhooks.make(club, "https://example.org/euchre")
    token, own = tokens.make(maeve, "mine", [Scope.READ], None, timezone.now())
    feed = FeedKey.objects.create(player=maeve)
    factor = generate_totp_secret()
    TOTP.activate(maeve.user, factor)
    at = seated_table(maeve, *people(3))
    assert maeve.user
    keys = [
        maeve.user.password, secret, bytes(hook.secret).hex(), str(bytes(hook.secret)), own,
        token.digest, token.hint, feed.token, factor, club.invite_token, at.invite_token,
    ]  # fmt: skip
    for name, content in pages(logged_in(ruth)):
        for key in keys:
            assert key.encode() not in content, name


def test_finished_games_can_be_read(ruth: Player) -> None:
    game = play_out(seated_table(*people(4)))
    browser, path = logged_in(ruth), reverse("admin:games_gameevent_changelist")
    assert browser.get(path).context["cl"].result_count == 0
    Game.objects.update(published=True)
    assert browser.get(path, {"q": str(game.pk)}).context["cl"].result_count == game.version


def test_forms_change_only_harmless_fields(rf: Any) -> None:
    request = rf.get("/")
    request.user = get_user_model()(is_superuser=True, is_staff=True, is_active=True)
    changed = {
        str(model._meta.model_name): set(page.get_form(request).base_fields)
        for model, page in admin.site._registry.items()
        if page.has_change_permission(request)
    }
    assert {model: fields for model, fields in changed.items() if fields} == CHANGED
    assert len(admin.site._registry) > 30


@pytest.mark.parametrize("words", ["Maeve \u0000 % é", "99999999999999999999"])
def test_every_list_can_be_searched(ruth: Player, words: str) -> None:
    member()
    browser = logged_in(ruth)
    for model in admin.site._registry:
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist"
        assert browser.get(reverse(name), {"q": words}).status_code == 200, name


def test_a_player_is_found_by_name(ruth: Player) -> None:
    member("Maeve")
    found = logged_in(ruth).get(reverse("admin:games_player_changelist"), {"q": "maeve"})
    assert [one.name for one in found.context["cl"].result_list] == ["Maeve"]


class TestPermissions:
    def test_login_is_the_sites_own(self) -> None:
        asked = Client().get(reverse("admin:login"))
        assert asked.status_code == 302
        assert asked["Location"].startswith(reverse("account_login"))
        sent = Client().post(
            reverse("admin:login"), {"username": "ruth@example.com", "password": PASSWORD}
        )
        assert "sessionid" not in sent.cookies
        assert sent.status_code == 302

    def test_staff_cannot_make_themselves_superusers(self) -> None:
        opal = operator()
        path = reverse("admin:games_user_change", args=[opal.user_id])
        logged_in(opal).post(path, {"is_staff": "on", "is_superuser": "on"})
        assert not User.objects.get(player=opal).is_superuser

    def test_a_closed_account_loses_access_at_once(self, ruth: Player) -> None:
        rosa = operator("Rosa", superuser=True)
        browser = logged_in(rosa)
        assert browser.get(reverse("admin:index")).status_code == 200
        post(ruth, "office_ban", rosa.user_id, long="7", reason="Gone.")
        assert browser.get(reverse("admin:index")).status_code == 302


def test_changes_are_recorded_as_staff_actions(ruth: Player) -> None:
    club: Club = build.club()
    path = reverse("admin:tournaments_club_change", args=[club.pk])
    done = logged_in(ruth).post(path, {"about": "Mild words.", "country": "", "recognised": "on"})
    assert done.status_code == 302
    club.refresh_from_db()
    assert club.recognised
    act = OperatorAct.objects.get()
    assert (act.by_name, act.about, act.about_id) == ("Ruth", "club", club.pk)


def test_a_token_can_be_revoked(ruth: Player) -> None:
    token, _ = tokens.make(member(), "mine", [Scope.READ], None, timezone.now())
    path = reverse("admin:games_token_delete", args=[token.pk])
    assert logged_in(ruth).post(path, {"post": "yes"}).status_code == 302
    assert not Token.objects.exists()
    assert OperatorAct.objects.get().what == "admin"


def test_every_model_is_registered_or_left_out_on_purpose() -> None:
    ours = set(admin.site._registry)
    every = {
        model for app in ("games", "tournaments") for model in apps.get_app_config(app).get_models()
    }
    left_out = {model.__name__ for model in every - ours}
    # keys, and from where people came
    secret = {"FeedKey", "KeyMark", "SeenFrom", "Trace"}
    # what people take away, and what is left of them
    own = {"Deletion", "Farewell", "HeldName", "PastName", "Takeaway", "TakeawayFile"}
    # what a club decides on pages of its own
    fair_play = {"FairPlayAct", "FairPlayLook", "FairPlayMatter", "FairPlayMeasure"}
    # who has a case open, for minutes
    taken = {"TakenCase"}
    # whom a club's lists name, and who wants no invitation
    lists = {"ListedName", "PastResult", "UnwantedAddress"}
    # how people wish to be called, with addresses of their devices; a club's call lasts minutes
    called = {"ClubCall", "NotificationChoice", "PushDevice", "PushMessage", "QuietHours"}
    # which steps of the lessons and puzzles a member has solved
    learnt = {"SolvedStep", "PuzzleProgress"}
    # the compressed events of old games, and who acted in them
    archived = {"GameArchive", "GameSubstitute"}
    assert left_out == secret | own | fair_play | taken | lists | called | learnt | archived
    assert {Table, Webhook} <= ours
