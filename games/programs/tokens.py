"""Personal tokens, of which only a digest is stored."""

import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, Final

from django.db.models import Q, QuerySet

from games.models import Player, Scope, Token
from games.refusals import VerbError

#: The prefix of every token, by which people and secret scanners recognise one.
PREFIX: Final = "bower_"
#: Random bytes in a token.
SIZE: Final = 32
#: Tokens per player; expired ones count until they are revoked.
MAX_TOKENS: Final = 20
#: How often a token's last use is updated.
NOTED_EVERY: Final = timedelta(minutes=1)


class TooManyTokensError(VerbError):
    pass


def make(
    player: Player, name: str, scopes: Iterable[Scope], expires: datetime | None, now: datetime
) -> tuple[Token, str]:
    """Create a token and return it with its secret, which is not stored."""
    if player.tokens.count() >= MAX_TOKENS:
        raise TooManyTokensError("many", f"You can have {MAX_TOKENS} tokens: revoke one first.")
    secret = PREFIX + secrets.token_urlsafe(SIZE)
    token = Token.objects.create(
        player=player,
        name=name,
        digest=digest_of(secret),
        hint=secret[: Token._meta.get_field("hint").max_length],
        scopes=sorted(scopes),
        created=now,
        expires=expires,
    )
    return token, secret


def find(secret: str, now: datetime) -> Token | None:
    """Return the valid token with this secret and its player, or None; update its last use.

    A token is invalid if it is unknown, revoked or expired, or if its player's account, or that of
    the program's owner, is deleted or inactive.
    """
    token = _token(now, digest=digest_of(secret))
    if token is not None:
        stale = Q(used=None) | Q(used__lte=now - NOTED_EVERY)
        if token.used is None or token.used <= now - NOTED_EVERY:
            Token.objects.filter(stale, pk=token.pk).update(used=now)
    return token


def alive(token_id: int, now: datetime) -> bool:
    return _token(now, pk=token_id) is not None


def tokens_of(player: Player) -> QuerySet[Token]:
    return player.tokens.order_by("-created", "-pk")


def revoke(player: Player, token_id: int) -> None:
    player.tokens.filter(pk=token_id).delete()


def digest_of(secret: str) -> str:
    """Return a token's digest; a plain hash is enough because tokens are random."""
    return sha256(secret.encode()).hexdigest()


def _token(now: datetime, **which: Any) -> Token | None:
    tokens = Token.objects.select_related("player__user", "player__owner__user")
    token = tokens.filter(**which).first()
    if token is None or token.expired(now):
        return None
    player = token.player
    person = player.owner if player.kind == Player.Kind.PROGRAM else player
    active = person is not None and person.user is not None and person.user.is_active
    return token if active else None
