"""The shuffles' secrets: drawn by chance, encrypted in the database with `settings.DEAL_KEY`."""

import secrets
import uuid

from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from games.engine import shuffle as euf1
from games.models import Game, Shuffle


def draw() -> tuple[uuid.UUID, bytes]:
    """Return a new match and the secret of its shuffle."""
    return uuid.uuid4(), secrets.token_bytes(euf1.SECRET_SIZE)


def seal(secret: bytes) -> bytes:
    return Fernet(settings.DEAL_KEY).encrypt(secret)


def unseal(sealed: bytes | memoryview) -> bytes:
    """Decrypt a sealed secret; raise ImproperlyConfigured if DEAL_KEY is another key."""
    try:
        return Fernet(settings.DEAL_KEY).decrypt(bytes(sealed))
    except InvalidToken:
        raise ImproperlyConfigured("DEAL_KEY is not the key this game was dealt with.") from None


def secret_of(game: Game) -> bytes:
    """Return the secret of a game's shuffle; raise as `unseal` does."""
    return game.archived_game.secret if game.archived else unseal(game.secret)


def opens() -> bool:
    """Return True if the key decrypts the latest secret, or there is none yet."""
    sealed = (
        Shuffle.objects.order_by("-made").values_list("secret", flat=True).first()
        or Game.objects.exclude(secret=b"")
        .order_by("-started")
        .values_list("secret", flat=True)
        .first()
    )
    if not sealed:
        return True
    try:
        unseal(sealed)
    except ImproperlyConfigured:
        return False
    return True
