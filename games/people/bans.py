"""Bans: close an account for a while or for good.

A ban sets `User.is_active` to false, which every page, socket and token checks, ends the account's
sessions, and closes its sockets in every process.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.base import SessionBase
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from games.models import Ban, Player, User
from games.sockets import hub

#: How long after a ban its sockets are closed repeatedly: one may have been opening at that moment,
#: or another process may have missed the message.
CLOSED_AGAIN_FOR: Final = timedelta(minutes=1)


def ban(user: User, reason: str, until: datetime | None, by: tuple[int, str], now: datetime) -> Ban:
    """Close an account whose row is locked; `by` is the id and name of the account that bans."""
    by_id, by_name = by
    made = Ban.objects.create(
        user=user, reason=reason, until=until, by_id=by_id, by_name=by_name, made=now
    )
    User.objects.filter(pk=user.pk).update(is_active=False, sessions_ended=F("sessions_ended") + 1)
    transaction.on_commit(partial(close_sockets, [user.pk]))
    return made


@transaction.atomic
def lift(ban: Ban, now: datetime) -> bool:
    """End a ban and reopen the account; return False if it had ended already."""
    # Lock the account first, as its deletion does, to avoid a deadlock.
    User.objects.select_for_update(no_key=True).filter(pk=ban.user_id).first()
    if not Ban.objects.filter(pk=ban.pk, lifted=None).update(lifted=now):
        return False
    User.objects.filter(pk=ban.user_id).update(is_active=True)
    return True


def ended(now: datetime) -> list[Ban]:
    return list(Ban.objects.filter(lifted=None, until__lte=now).select_related("user"))


def close_sockets(user_ids: Iterable[int]) -> None:
    """Close the sockets and streams of accounts and of their programs, in every process."""
    theirs = Q(user__in=user_ids) | Q(owner__user__in=user_ids)
    for player_id in Player.objects.filter(theirs).values_list("pk", flat=True):
        hub.close_player(player_id)


def close_sockets_again(now: datetime) -> None:
    just = Ban.objects.filter(lifted=None, made__gt=now - CLOSED_AGAIN_FOR)
    close_sockets(just.values_list("user", flat=True))


def standing(user: User) -> Ban | None:
    return Ban.objects.filter(user=user, lifted=None).first()


def in_words(ban: Ban | None) -> str:
    """Tell the owner how long the account is closed and why; None: it was closed without a ban."""
    if ban is None:
        return "This account is closed."
    if ban.until is None:
        return f"This account has been closed for good: {ban.reason}"
    until = timezone.localtime(ban.until)
    return f"This account is closed until {until:%-d %B %Y, %H:%M %Z}: {ban.reason}"


def words_for(session: SessionBase) -> str:
    """Explain why the account of a session is closed; empty if the session has no account."""
    key = session.get(SESSION_KEY)
    user = User.objects.filter(pk=key, is_active=False).first() if key else None
    return in_words(standing(user)) if user is not None else ""


def refuse_guest(session: SessionBase) -> None:
    """Raise PermissionDenied if the session belongs to a closed account.

    So that nobody plays on as a guest while banned. A deleted account is dropped from the session.
    """
    if SESSION_KEY not in session:
        return
    words = words_for(session)
    if words:
        raise PermissionDenied(words)
    for key in (SESSION_KEY, BACKEND_SESSION_KEY, HASH_SESSION_KEY):
        session.pop(key, None)
