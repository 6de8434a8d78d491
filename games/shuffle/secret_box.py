"""Keeps the secrets of shuffles encrypted in the database, with the key in `settings.DEAL_KEY`."""

from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from games.models import Game, Shuffle


def seal(secret: bytes) -> bytes:
    """Encrypt a secret for the database."""
    return Fernet(settings.DEAL_KEY).encrypt(secret)


def unseal(sealed: bytes | memoryview) -> bytes:
    """Decrypt what `seal` made; raise ImproperlyConfigured when DEAL_KEY is not the key it had."""
    try:
        return Fernet(settings.DEAL_KEY).decrypt(bytes(sealed))
    except InvalidToken:
        raise ImproperlyConfigured("DEAL_KEY is not the key this game was dealt with.") from None


def opens() -> bool:
    """Whether the latest secret of a shuffle can be read with the key, if there is any."""
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
