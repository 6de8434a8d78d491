"""A passkey in software, for tests without a browser (WebAuthn level 2, ES256, no attestation)."""

import json
from hashlib import sha256
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from fido2.cose import ES256
from fido2.utils import websafe_decode, websafe_encode
from fido2.webauthn import AttestationObject, AttestedCredentialData, AuthenticatorData

from games.models import User

PRESENT, VERIFIED = AuthenticatorData.FLAG.UP, AuthenticatorData.FLAG.UV


class SoftKey:
    """A key of one account at one site; `verifies` tells whether it checks whose hand holds it."""

    def __init__(self, host: str = "localhost", *, verifies: bool = True) -> None:
        self.host = host
        self.flags = PRESENT | VERIFIED if verifies else PRESENT
        self.id = b"a soft key's own" + sha256(host.encode()).digest()[:8]
        self.secret = ec.generate_private_key(ec.SECP256R1())
        self.owner = b""

    def made(self, options: dict[str, Any]) -> str:
        """The answer to a page that asks for a new key."""
        asked = options["publicKey"]
        self.owner = websafe_decode(asked["user"]["id"])
        credential = AttestedCredentialData.create(
            b"\0" * 16,
            self.id,
            ES256.from_cryptography_key(self.secret.public_key()),  # type: ignore[no-untyped-call]
        )
        data = AuthenticatorData.create(
            sha256(self.host.encode()).digest(),
            self.flags | AuthenticatorData.FLAG.AT,
            0,
            credential,
        )
        parts = {
            "clientDataJSON": self._client("webauthn.create", asked["challenge"]),
            "attestationObject": AttestationObject.create("none", data, {}),
        }
        return self._answer(parts, credProps={"rk": True})

    def signed(self, options: dict[str, Any], owner: User | None = None) -> str:
        """The answer to a page that asks for a key."""
        client = self._client("webauthn.get", options["publicKey"]["challenge"])
        data = AuthenticatorData.create(sha256(self.host.encode()).digest(), self.flags, 1)
        signature = self.secret.sign(
            bytes(data) + sha256(client).digest(), ec.ECDSA(hashes.SHA256())
        )
        parts = {
            "clientDataJSON": client,
            "authenticatorData": data,
            "signature": signature,
            "userHandle": str(owner.pk).encode() if owner else self.owner,
        }
        return self._answer(parts)

    def _client(self, kind: str, challenge: str) -> bytes:
        origin = f"http://{self.host}"
        said = {"type": kind, "challenge": challenge, "origin": origin, "crossOrigin": False}
        return json.dumps(said).encode()

    def _answer(self, parts: dict[str, bytes], **extensions: Any) -> str:
        return json.dumps(
            {
                "id": websafe_encode(self.id),
                "rawId": websafe_encode(self.id),
                "type": "public-key",
                "response": {name: websafe_encode(bytes(part)) for name, part in parts.items()},
                "clientExtensionResults": extensions,
            }
        )
