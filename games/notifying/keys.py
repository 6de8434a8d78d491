"""The public key by which a push service knows this site's messages (RFC 8292)."""

import base64
from functools import cache

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.conf import settings


def public_key() -> str:
    """Return the public key as browsers want it, in URL-safe base64; empty if there is no push."""
    return _public_key_of(settings.PUSH_KEY) if settings.PUSH_KEY else ""


@cache
def _public_key_of(private: str) -> str:
    number = int.from_bytes(base64.urlsafe_b64decode(f"{private}="), "big")
    public = ec.derive_private_key(number, ec.SECP256R1()).public_key()
    point = public.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    return base64.urlsafe_b64encode(point).decode().rstrip("=")
