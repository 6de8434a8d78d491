"""A browser's keys and a push service on this machine, which decrypts as the browser would."""

import base64
import json
from typing import Any

import http_ece
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from games.notifying.devices import Subscription
from tests.receiver import Receiver

#: The hosts of the push service, as settings of the site.
LOCAL = {
    "PUSH_HOSTS": ["127.0.0.1"],
    "WEBHOOKS_HTTP_HOSTS": ["127.0.0.1"],
    "WEBHOOKS_TO_PRIVATE": True,
    "PUSH_KEY": base64.urlsafe_b64encode(bytes(31) + b"\x07").decode().rstrip("="),
}
AUTH = bytes(range(16))


class Browser:
    """A browser that has subscribed, and reads what its push service received."""

    def __init__(self) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())

    def subscription(self, url: str) -> Subscription:
        point = self._key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        return Subscription(url, _text(point), _text(AUTH))

    def read(self, service: Receiver) -> list[dict[str, Any]]:
        return [
            json.loads(
                http_ece.decrypt(
                    one.body, private_key=self._key, auth_secret=AUTH, version="aes128gcm"
                )
            )
            for one in service.received
        ]


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")
