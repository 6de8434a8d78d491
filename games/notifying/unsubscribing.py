"""Signed links by which a mail's reader stops one kind of mail without logging in (RFC 8058)."""

from typing import Final

from django.core import signing

from games.models import Player, User
from games.notifying.kinds import KINDS, NotificationKind

SALT: Final = "games.notifying.unsubscribing"


def token_of(user: User, kind: str) -> str:
    return signing.dumps([user.pk, kind], salt=SALT)


def read(token: str) -> tuple[Player, NotificationKind] | None:
    """Return whose mail of which kind a token stops; None if it is not ours or they are gone."""
    try:
        account, kind = signing.loads(token, salt=SALT)
    except signing.BadSignature:
        return None
    player = Player.objects.filter(user=account).first()
    return (player, KINDS[kind]) if player is not None and kind in KINDS else None
