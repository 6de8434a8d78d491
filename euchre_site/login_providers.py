"""Sites whose accounts may be used here, as set in the environment; none by default."""

from typing import Any, Final

from euchre_site.environment import Variables

CLIENT: Final = r"(?P<client_id>\S+) +(?P<secret>\S+)"
APPLE: Final = r"(?P<client_id>\S+) +(?P<key>\S+) +(?P<secret>\S+) +(?P<file>\S.*)"
OPENID: Final = rf"(?P<server>https?://\S+) +{CLIENT}(?: +(?P<name>\S.{{0,39}}))?"


def login_providers(env: Variables) -> list[dict[str, Any]]:
    """Return the fields of allauth's `SocialApp` for each provider that is set."""
    found: list[dict[str, Any]] = []
    if google := env.client("LOGIN_GOOGLE", CLIENT, "a client ID and a client secret"):
        found.append(_connect("google", "Google", "https://accounts.google.com", google))
    if apple := env.client(
        "LOGIN_APPLE", APPLE, "a services ID, a team ID, a key ID and the path of the key's file"
    ):
        key = env.file("LOGIN_APPLE", apple.pop("file"))
        app = {"provider": "apple", "name": "Apple", "settings": {"certificate_key": key}}
        found.append(app | apple)
    if microsoft := env.client("LOGIN_MICROSOFT", CLIENT, "a client ID and a client secret"):
        found.append({"provider": "microsoft", "name": "Microsoft", **microsoft})
    if openid := env.client(
        "LOGIN_OPENID", OPENID, "an issuer's address, a client ID, a client secret and a name"
    ):
        server, name = openid.pop("server"), openid.pop("name")
        found.append(_connect("openid", name or "OpenID", server, openid))
    return found


def _connect(key: str, name: str, server: str, client: dict[str, str]) -> dict[str, Any]:
    settings = {"server_url": server}
    app = {"provider": "openid_connect", "provider_id": key, "name": name, "settings": settings}
    return app | client
