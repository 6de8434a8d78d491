"""Personal tokens: made once, kept as a digest, and told from all others by it."""

import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, Final

from django.db.models import Q, QuerySet

from games.models import Player, Scope, Token
from games.refusals import VerbError

#: How every token begins, so that people and secret scanners know one when they see it.
PREFIX: Final = "bower_"
#: Random bytes in a token.
SIZE: Final = 32
#: How many tokens a player can have; the expired ones count until they are revoked.
MOST: Final = 20
#: How often it is noted that a token is used.
NOTED_EVERY: Final = timedelta(minutes=1)


class TooManyTokensError(VerbError):
    """A player has as many tokens as one can have; the message says what to do."""


def make(
    player: Player, name: str, scopes: Iterable[Scope], expires: datetime | None, now: datetime
) -> tuple[Token, str]:
    """Make a token and return it with the secret itself, which is never known again.

    Args:
        player: whom its holder acts as.
        name: what it is for.
        scopes: what it allows.
        expires: when it stops letting anybody in; None: never.
        now: the present moment.

    Raises:
        TooManyTokensError: the player has `MOST` already.
    """
    if player.tokens.count() >= MOST:
        raise TooManyTokensError("many", f"You can have {MOST} tokens: revoke one first.")
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
    """Return the token with its player, and note its use; None where it lets nobody in.

    That is so for one that is unknown, revoked or expired, and for one whose account, or whose
    program's account, has been deleted or closed.
    """
    token = _token(now, digest=digest_of(secret))
    if token is not None:
        stale = Q(used=None) | Q(used__lte=now - NOTED_EVERY)
        if token.used is None or token.used <= now - NOTED_EVERY:
            Token.objects.filter(stale, pk=token.pk).update(used=now)
    return token


def alive(token_id: int, now: datetime) -> bool:
    """Return whether a token that has let somebody in still would."""
    return _token(now, pk=token_id) is not None


def tokens_of(player: Player) -> QuerySet[Token]:
    """Return a player's tokens, the newest first."""
    return player.tokens.order_by("-created", "-pk")


def revoke(player: Player, token_id: int) -> None:
    """Let a token of a player let nobody in any more; one that is gone already stays so."""
    player.tokens.filter(pk=token_id).delete()


def digest_of(secret: str) -> str:
    """Return what is kept of a token; its randomness makes a plain hash enough."""
    return sha256(secret.encode()).hexdigest()


def _token(now: datetime, **which: Any) -> Token | None:
    tokens = Token.objects.select_related("player__user", "player__owner__user")
    token = tokens.filter(**which).first()
    if token is None or token.expired(now):
        return None
    # An account must stand behind the token's player.
    player = token.player
    account = player.owner if player.kind == Player.Kind.PROGRAM else player
    answered_for = account is not None and account.user is not None and account.user.is_active
    return token if answered_for else None
