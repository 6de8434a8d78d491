"""The devices to which somebody's pushes go.

A push service is chosen by the browser, and its URL is sent to us by a script. We send requests to
it, so only the hosts in `settings.PUSH_HOSTS` are allowed, by https.
"""

import base64
import binascii
import re
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from cryptography.hazmat.primitives.asymmetric import ec
from django.conf import settings
from django.contrib.sessions.backends.base import SessionBase
from django.db import transaction

from games.models import Player, PushDevice

#: The most devices of one person; another one takes the place of the oldest.
MOST: Final = 8
MAX_ENDPOINT: Final = 600
#: The session key with the id of this browser's device.
DEVICE_KEY: Final = "push_device"
#: Names of browsers and systems, by what their User-Agent has; the first that fits counts.
BROWSERS: Final = {
    "Edg": "Edge", "OPR/": "Opera", "SamsungBrowser": "Samsung Internet", "Firefox": "Firefox",
    "FxiOS": "Firefox", "Chrome": "Chrome", "CriOS": "Chrome", "Safari": "Safari",
}  # fmt: skip
SYSTEMS: Final = {
    "Android": "Android", "iPhone": "iPhone", "iPad": "iPad", "CrOS": "ChromeOS",
    "Windows": "Windows", "Mac OS": "Mac", "Linux": "Linux",
}  # fmt: skip


NO_ADDRESS: Final = "That is not the address of a push service."
_PRINTABLE: Final = re.compile(r"[!-~]+")


class Subscription(NamedTuple):
    """What a browser's script sends: the push service's URL, and the browser's keys in base64."""

    endpoint: str
    p256dh: str
    auth: str


class BadDeviceError(ValueError):
    """A browser sent a subscription that cannot be used; the message says why."""


def fault(endpoint: str) -> str:
    """Return why a push service's URL is refused; empty if it is allowed."""
    try:
        parts = urlsplit(endpoint)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return NO_ADDRESS
    plain = host in settings.WEBHOOKS_HTTP_HOSTS
    wrongs = {
        NO_ADDRESS: len(endpoint) > MAX_ENDPOINT or not _PRINTABLE.fullmatch(endpoint),
        "The address of a push service must start with https://.": (
            parts.scheme != "https" and not plain
        ),
        "The address of a push service has no name, password or backslash.": (
            "@" in parts.netloc or "\\" in endpoint
        ),
        "A push service answers at the usual port.": port not in (None, 443) and not plain,
        f"This site sends no push by {host or 'that service'}.": not any(
            host == one or host.endswith(f".{one}") for one in settings.PUSH_HOSTS
        ),
    }
    return next((words for words, wrong in wrongs.items() if wrong), "")


def add(player: Player, session: SessionBase, sent: Subscription, agent: str) -> PushDevice:
    """Store this browser's subscription, and forget what it had before, whoever's that was.

    Raises BadDeviceError.
    """
    if why := fault(sent.endpoint):
        raise BadDeviceError(why)
    if not _is_point(sent.p256dh) or len(_decoded(sent.auth)) != 16:
        raise BadDeviceError("The keys of the subscription are not those of a browser.")
    with transaction.atomic():
        Player.objects.select_for_update(no_key=True).get(pk=player.pk)
        forget_browser(session)
        PushDevice.objects.filter(endpoint=sent.endpoint).delete()
        kept = player.push_devices.order_by("-made", "-pk").values_list("pk", flat=True)
        player.push_devices.exclude(pk__in=list(kept[: MOST - 1])).delete()
        device = PushDevice.objects.create(player=player, name=name_of(agent), **sent._asdict())
    session[DEVICE_KEY] = device.pk
    return device


def forget_browser(session: SessionBase) -> None:
    """Forget the device of a session, as at logout."""
    known = session.pop(DEVICE_KEY, None)
    if known is not None:
        PushDevice.objects.filter(pk=known).delete()


def forget_others(player: Player, session: SessionBase | None) -> None:
    """Forget a player's devices, as when their sessions end, but the one of a session."""
    own = session.get(DEVICE_KEY) if session is not None else None
    player.push_devices.exclude(pk=own or 0).delete()


def remove(player: Player, device_id: int) -> None:
    """Forget one of a player's devices; harmless if it is gone."""
    player.push_devices.filter(pk=device_id).delete()


def name_of(agent: str) -> str:
    """Return a User-Agent as a name that its owner recognises."""
    browser = next((name for part, name in BROWSERS.items() if part in agent), "A browser")
    system = next((name for part, name in SYSTEMS.items() if part in agent), "")
    return f"{browser} on {system}" if system else browser


def _is_point(p256dh: str) -> bool:
    try:
        ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), _decoded(p256dh))
    except ValueError:
        return False
    return True


def _decoded(text: str) -> bytes:
    if not re.fullmatch(r"[\w-]{1,100}", text, re.ASCII):
        return b""
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except binascii.Error:
        return b""
