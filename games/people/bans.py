"""Closed accounts: an account that is banned lets nobody in until its ban is over.

While it is, `User.is_active` is false, which every page, socket and token looks at with the account
itself. Its sessions end, and so do its sockets in every process.
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

#: For so long after an account was closed its sockets are closed again and again: one may have been
#: on its way when it was closed, and a process may not have heard the first time.
CLOSED_AGAIN_FOR: Final = timedelta(minutes=1)


def ban(user: User, reason: str, until: datetime | None, by: tuple[int, str], now: datetime) -> Ban:
    """Close an account, whose row is held, at once until a moment or (None) for good.

    by: the account of whoever does it, and the name.
    """
    by_id, by_name = by
    made = Ban.objects.create(
        user=user, reason=reason, until=until, by_id=by_id, by_name=by_name, made=now
    )
    User.objects.filter(pk=user.pk).update(is_active=False, sessions_ended=F("sessions_ended") + 1)
    transaction.on_commit(partial(close_sockets, [user.pk]))
    return made


@transaction.atomic
def lift(ban: Ban, now: datetime) -> bool:
    """End a ban; whether it had not ended before. The account lets its owner in again."""
    # The account first, as whoever deletes it does: else the two could wait for each other.
    User.objects.select_for_update(no_key=True).filter(pk=ban.user_id).first()
    if not Ban.objects.filter(pk=ban.pk, lifted=None).update(lifted=now):
        return False
    User.objects.filter(pk=ban.user_id).update(is_active=True)
    return True


def ended(now: datetime) -> list[Ban]:
    """Return the bans whose time is up."""
    return list(Ban.objects.filter(lifted=None, until__lte=now).select_related("user"))


def close_sockets(user_ids: Iterable[int]) -> None:
    """Close the sockets and streams of accounts and of their programs, in every process."""
    theirs = Q(user__in=user_ids) | Q(owner__user__in=user_ids)
    for player_id in Player.objects.filter(theirs).values_list("pk", flat=True):
        hub.close_player(player_id)


def close_sockets_again(now: datetime) -> None:
    """Close those of accounts that have just been banned once more."""
    just = Ban.objects.filter(lifted=None, made__gt=now - CLOSED_AGAIN_FOR)
    close_sockets(just.values_list("user", flat=True))


def standing(user: User) -> Ban | None:
    """Return the ban that closes an account now."""
    return Ban.objects.filter(user=user, lifted=None).first()


def in_words(ban: Ban | None) -> str:
    """Say to the owner of a closed account how long and why; None: it was closed otherwise."""
    if ban is None:
        return "This account is closed."
    if ban.until is None:
        return f"This account has been closed for good: {ban.reason}"
    until = timezone.localtime(ban.until)
    return f"This account is closed until {until:%-d %B %Y, %H:%M %Z}: {ban.reason}"


def words_for(session: SessionBase) -> str:
    """Say why the account of a session, which lets nobody in, is closed; empty for no account."""
    key = session.get(SESSION_KEY)
    user = User.objects.filter(pk=key, is_active=False).first() if key else None
    return in_words(standing(user)) if user is not None else ""


def refuse_guest(session: SessionBase) -> None:
    """Keep whoever is logged in to a closed account from playing on as a guest.

    Call it for a session of which nobody is known; raise PermissionDenied. An account that has been
    deleted is forgotten.
    """
    if SESSION_KEY not in session:
        return
    words = words_for(session)
    if words:
        raise PermissionDenied(words)
    for key in (SESSION_KEY, BACKEND_SESSION_KEY, HASH_SESSION_KEY):
        session.pop(key, None)
