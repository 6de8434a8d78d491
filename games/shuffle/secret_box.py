"""Encryption of the shuffles' secrets in the database, with the key in `settings.DEAL_KEY`."""

from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from games.models import Game, Shuffle


def seal(secret: bytes) -> bytes:
    return Fernet(settings.DEAL_KEY).encrypt(secret)


def unseal(sealed: bytes | memoryview) -> bytes:
    """Decrypt a sealed secret; raise ImproperlyConfigured if DEAL_KEY is another key."""
    try:
        return Fernet(settings.DEAL_KEY).decrypt(bytes(sealed))
    except InvalidToken:
        raise ImproperlyConfigured("DEAL_KEY is not the key this game was dealt with.") from None


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
