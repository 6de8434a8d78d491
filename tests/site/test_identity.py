"""The player behind a request or a socket."""

from types import SimpleNamespace
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.backends.db import SessionStore
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.http import HttpRequest

from games.models import Player, User
from games.people import identity
from games.people.names import friendly_name
from games.people.socket_identities import identities_of

pytestmark = pytest.mark.django_db


def asking(session: SessionStore, user: User | None = None) -> HttpRequest:
    request = HttpRequest()
    request.session, request.user = session, user or AnonymousUser()
    return request


def maeve() -> User:
    return User.objects.create_user("maeve@example.org", "old mill thursday")


def test_a_visitor_has_no_player_before_playing() -> None:
    session = SessionStore()
    assert identity.player_of(asking(session)) is None
    guest = identity.make_guest(session)
    assert guest.guest
    assert identity.player_of(asking(session)) == guest


def test_a_request_and_a_socket_see_the_same_player() -> None:
    session = SessionStore()
    guest = identity.make_guest(session)
    session.save()
    opener = identities_of([session.session_key])[session.session_key]
    assert identity.player_of(asking(session)) == opener.player == guest


def test_becoming_a_guest_changes_the_session_key() -> None:
    session = SessionStore()
    session.create()
    planted = session.session_key
    identity.make_guest(session)
    assert session.session_key != planted


def test_an_account_gets_one_player_on_first_use() -> None:
    user = maeve()
    player = identity.player_of(asking(SessionStore(), user))
    assert player is not None
    assert player.user == user
    assert not player.guest
    assert identity.player_of(asking(SessionStore(), user)) == player


def test_concurrent_first_uses_make_one_player(monkeypatch: pytest.MonkeyPatch) -> None:
    user = maeve()
    quicker = Player.objects.create(user=user, name="Maeve")
    found = iter([None, quicker])  # the other request had not committed yet when first asked
    late = SimpleNamespace(first=lambda: next(found))
    monkeypatch.setattr(identity, "friendly_name", lambda: "Quiet Heron")
    monkeypatch.setattr(Player.objects, "filter", lambda **_kwargs: late)
    assert identity.player_of_user(user) == quicker


def test_the_account_takes_precedence_over_the_guest() -> None:
    session = SessionStore()
    guest = identity.make_guest(session)
    assert identity.player_of(asking(session, maeve())) != guest


@pytest.mark.parametrize("kind", ["house", "program"])
def test_a_session_cannot_be_a_house_player(kind: str) -> None:
    session = SessionStore()
    session[identity.PLAYER_KEY] = Player.objects.create(name="Old Crow", kind=kind).pk
    assert identity.player_of(asking(session)) is None


def test_a_session_cannot_be_an_accounts_player() -> None:
    session = SessionStore()
    session[identity.PLAYER_KEY] = Player.objects.create(name="Maeve", user=maeve()).pk
    assert identity.player_of(asking(session)) is None


def test_sign_up_keeps_the_guest() -> None:
    session = SessionStore()
    guest = identity.make_guest(session)
    user = maeve()
    kept = identity.keep_guest(asking(session), user, "Maeve")
    assert (kept.pk, kept.name, kept.user) == (guest.pk, "Maeve", user)
    assert identity.PLAYER_KEY not in session


def test_sign_up_without_a_guest_makes_a_player() -> None:
    player = identity.keep_guest(asking(SessionStore()), maeve(), "Maeve")
    assert (player.name, player.guest) == ("Maeve", False)


def test_sign_up_cannot_take_another_accounts_player() -> None:
    ben = Player.objects.create(name="Ben", user=User.objects.create_user("ben@example.org"))
    session = SessionStore()
    session[identity.PLAYER_KEY] = ben.pk
    player = identity.keep_guest(asking(session), maeve(), "Maeve")
    assert player != ben


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("Maeve", "Maeve"),
        ("  Maeve   of the Mill ", "Maeve of the Mill"),
        ("Zoe\u0308", "Zo\u00eb"),
    ],
)
def test_names_are_normalised(typed: str, kept: str) -> None:
    player = Player.objects.create(name="Quiet Heron")
    identity.rename(player, typed)
    player.refresh_from_db()
    assert player.name == kept


@pytest.mark.parametrize(
    ("typed", "code"),
    [("", "length"), (" \t ", "length"), ("x" * 31, "length"), ("Ma\u200beve", "invisible"),
     ("Ma\u202eeve", "invisible"), ("Ma\x00eve", "invisible"), ("ㅤ", "invisible"),
     ("⠀", "invisible"), ("\u0301", "invisible"), ("Maeve\ufe0f", "invisible")],
)  # fmt: skip
def test_invalid_names_are_refused(typed: str, code: str) -> None:
    player = Player.objects.create(name="Quiet Heron")
    with pytest.raises(ValidationError) as refusal:
        identity.rename(player, typed)
    assert refusal.value.code == code
    player.refresh_from_db()
    assert player.name == "Quiet Heron"


def test_friendly_names_are_valid() -> None:
    names = {friendly_name() for _ in range(200)}
    assert len(names) > 100
    assert all(identity.checked_name(name) == name for name in names)


@pytest.mark.parametrize(
    "fields",
    [
        {"name": ""},
        {"name": "Maeve", "kind": "ghost"},
        {"name": "Maeve", "kind": "house", "user": 1},
    ],
)
def test_database_constraints_on_players(fields: dict[str, Any]) -> None:
    if "user" in fields:
        fields = fields | {"user": maeve()}
    with pytest.raises(IntegrityError), transaction.atomic():
        Player.objects.create(**fields)


def test_addresses_are_case_insensitive() -> None:
    user = User.objects.create_user("Maeve@Example.ORG", "old mill thursday")
    assert user.email == "maeve@example.org"
    assert User.objects.get_by_natural_key("MAEVE@example.org") == user
    with pytest.raises(IntegrityError), transaction.atomic():
        User.objects.filter(pk=user.pk).update(email="Maeve@example.org")


def test_a_superuser_has_all_permissions() -> None:
    user = User.objects.create_superuser("iris@example.org", "old mill thursday")
    assert (user.is_staff, user.is_superuser) == (True, True)
    assert (user.get_full_name(), user.get_short_name()) == ("iris@example.org", "iris")


@pytest.mark.django_db(transaction=True)
async def test_async_identity() -> None:
    session = SessionStore()
    await session.aset(identity.PLAYER_KEY, (await Player.objects.acreate(name="Otto")).pk)
    player = await identity.aplayer_of(asking(session))
    assert player is not None
    assert player.name == "Otto"
