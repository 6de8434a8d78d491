"""Sessions by owner, which is stored only inside their data."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Final

from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session

from games.access import INVITED_KEY
from games.lessons import progress as lesson_progress
from games.models import Player, User
from games.people.identity import PLAYER_KEY
from games.puzzles import progress as puzzle_progress
from games.records.game_files import FILE_KEY

#: The session key in which allauth stores the login methods.
LOGGED_IN_BY: Final = "account_authentication_methods"
CHUNK: Final = 500


def sessions_of(player: Player) -> list[dict[str, Any]]:
    """Return the contents of a player's sessions, without their keys."""
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
            "lessons": kept.get(lesson_progress.SESSION_KEY, {}),
            "puzzle_set": kept.get(puzzle_progress.SESSION_KEY, {}),
        }
        for session, kept in _all()
        if _owner_of(kept) in (("account", player.user_id), ("player", player.pk))
    ]


def forget_gone() -> int:
    """Delete sessions that expired or whose owner was deleted; return the number of the latter."""
    SessionStore.clear_expired()
    accounts = set(User.objects.values_list("pk", flat=True))
    former = set(Player.objects.filter(former=True).values_list("pk", flat=True))
    gone = []
    for session, kept in _all():
        kind, number = _owner_of(kept)
        if (kind == "account" and number not in accounts) or (
            kind == "player" and number in former
        ):
            gone.append(session.pk)
    Session.objects.filter(pk__in=gone).delete()
    return len(gone)


def _all() -> Iterator[tuple[Session, dict[str, Any]]]:
    for session in Session.objects.order_by().iterator(chunk_size=CHUNK):
        yield session, session.get_decoded()


def _owner_of(kept: dict[str, Any]) -> tuple[str, int | None]:
    account = kept.get(SESSION_KEY)
    if account is not None:
        return "account", int(account)
    return "player", kept.get(PLAYER_KEY)
