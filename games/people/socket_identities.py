"""Look up sessions, accounts and players for many opening sockets in a few queries.

A socket never saves its session: under a rotated SECRET_KEY that would give it a new key the
browser does not learn, and the next page would be logged out.
"""

from collections.abc import Collection
from typing import NamedTuple

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from games.models import Player, User
from games.people import identity
from games.people.identity import PLAYER_KEY


class SocketIdentity(NamedTuple):
    """Who opens a socket; a visitor without a session has an empty one without a key."""

    session: SessionStore
    user: User | None
    player: Player | None


def identities_of(keys: Collection[str | None]) -> dict[str | None, SocketIdentity]:
    """Return the identities by session key; None is the key of a visitor without a session."""
    now = timezone.now()
    rows = Session.objects.filter(session_key__in={*keys} - {None}, expire_date__gt=now)
    sessions = {row.session_key: _session(row) for row in rows}
    user_ids = {str(one.get(SESSION_KEY)) for one in sessions.values() if SESSION_KEY in one}
    users = {str(one.pk): one for one in User.objects.filter(pk__in=user_ids, is_active=True)}
    users_by_key = {key: _logged_in(session, users) for key, session in sessions.items()}
    accounts = _players_of([user for user in users_by_key.values() if user is not None])
    guests = {
        key: one[PLAYER_KEY]
        for key, one in sessions.items()
        if PLAYER_KEY in one and SESSION_KEY not in one
    }
    players = {one.pk: one for one in identity.guests(guests.values())}
    nobody = SessionStore()
    found = {}
    for key in keys:
        user = users_by_key.get(key or "")
        player = accounts[user.pk] if user else players.get(guests.get(key or "", 0))
        found[key] = SocketIdentity(sessions.get(key or "", nobody), user, player)
    return found


def _session(row: Session) -> SessionStore:
    session = SessionStore(row.session_key)
    vars(session)["_session_cache"] = session.decode(row.session_data)  # saves a query
    return session


def _logged_in(session: SessionStore, users: dict[str, User]) -> User | None:
    """Do what `django.contrib.auth.get_user` does, with the users already fetched."""
    user = users.get(str(session.get(SESSION_KEY)))
    if user is None or session.get(BACKEND_SESSION_KEY) not in settings.AUTHENTICATION_BACKENDS:
        return None
    kept = str(session.get(HASH_SESSION_KEY, ""))
    hashes = (user.get_session_auth_hash(), *user.get_session_auth_fallback_hash())
    return user if any(constant_time_compare(kept, one) for one in hashes) else None


def _players_of(users: Collection[User]) -> dict[int, Player]:
    players = Player.objects.filter(user__in=users).select_related("user")
    known = {one.user_id: one for one in players}
    return {user.pk: known.get(user.pk) or identity.player_of_user(user) for user in users}
