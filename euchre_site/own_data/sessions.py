"""Sessions of people: whose they are stands only within them."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Final

from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session

from games.access import INVITED_KEY
from games.models import Player, User
from games.people.identity import PLAYER_KEY
from games.records.game_files import FILE_KEY

#: Where allauth keeps by what somebody has logged in.
LOGGED_IN_BY: Final = "account_authentication_methods"
AT_ONCE: Final = 500


def sessions_of(player: Player) -> list[dict[str, Any]]:
    """Return what is kept in a player's sessions, without the keys that open them."""
    return [
        {
            "until": session.expire_date,
            "logged_in": [
                {"method": one.get("method"), "at": datetime.fromtimestamp(one["at"], UTC)}
                for one in kept.get(LOGGED_IN_BY, ())
                if "at" in one
            ],
            "tables_by_invitation": list(kept.get(INVITED_KEY, ())),
            "keeps_a_file_of_games": FILE_KEY in kept,
        }
        for session, kept in _all()
        if _whose(kept) in (("account", player.user_id), ("player", player.pk))
    ]


def forget_gone() -> int:
    """Remove the sessions of accounts and guests that are gone, and expired ones; return how many
    of the former."""
    SessionStore.clear_expired()
    accounts = set(User.objects.values_list("pk", flat=True))
    former = set(Player.objects.filter(former=True).values_list("pk", flat=True))
    gone = []
    for session, kept in _all():
        kind, number = _whose(kept)
        if (kind == "account" and number not in accounts) or (
            kind == "player" and number in former
        ):
            gone.append(session.pk)
    Session.objects.filter(pk__in=gone).delete()
    return len(gone)


def _all() -> Iterator[tuple[Session, dict[str, Any]]]:
    for session in Session.objects.order_by().iterator(chunk_size=AT_ONCE):
        yield session, session.get_decoded()


def _whose(kept: dict[str, Any]) -> tuple[str, int | None]:
    """An account's number, or a guest's."""
    account = kept.get(SESSION_KEY)
    if account is not None:
        return "account", int(account)
    return "player", kept.get(PLAYER_KEY)
