"""Sending push messages, encrypted for the browser (RFC 8291) and signed with our key (RFC 8292).

A message that fails is tried again after each of `DELAYS`, while it is of use. A device that its
push service does not know any more is forgotten.
"""

import asyncio
import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final
from urllib.parse import urlsplit

import structlog
from django.conf import settings
from django.utils import timezone

from games.models import PushDevice, PushMessage
from games.notifying import devices
from games.sockets import metrics
from tournaments.outbox import outside
from tournaments.outbox.claiming import Clock, claims
from tournaments.outbox.outside import UnreachableError

log = structlog.get_logger(__name__)

DELAYS: Final = (timedelta(seconds=15), timedelta(minutes=1), timedelta(minutes=4))
AT_ONCE: Final = 8
#: The push service does not know the device any more.
GONE: Final = (404, 410)
#: The message itself is refused: another try would be, too.
REFUSED: Final = (400, 401, 403, 413)
#: How long a signature is valid; push services accept at most a day.
SIGNED_FOR: Final = timedelta(hours=12)


def send_due(clock: Clock = timezone.now) -> int:
    """Send messages until none is due; return the number of tries.

    Safe in any number of workers at once.
    """
    tries = 0
    if not settings.PUSH_KEY:
        return tries
    waiting = PushMessage.objects.select_related("device").filter(sent=None, until__gt=clock())
    waiting = waiting.exclude(device__player__user__is_active=False)  # a closed account
    for claimed in claims(waiting, clock, DELAYS, "tries", AT_ONCE):
        outcomes = asyncio.run(_send(claimed, clock()))
        for one, (status, trouble) in zip(claimed, outcomes, strict=True):
            _record_outcome(one, status, trouble, clock())
        tries += len(claimed)
    return tries


def payload_of(message: PushMessage) -> bytes:
    """Return what the service worker gets: nothing but words, a path of this site and a tag."""
    parts = {"title": message.title, "text": message.text, "path": message.path, "tag": message.tag}
    return json.dumps(parts, ensure_ascii=False).encode()


async def _send(claimed: Sequence[PushMessage], now: datetime) -> list[tuple[int | None, str]]:
    return await asyncio.gather(*(_try(message, now) for message in claimed))


async def _try(message: PushMessage, now: datetime) -> tuple[int | None, str]:
    device = message.device
    # The hosts may have been changed since the device was stored.
    if why := devices.fault(device.endpoint):
        return None, why
    try:
        body = _encrypted(payload_of(message), device)
        headers = {
            "Content-Type": "application/octet-stream",
            "Content-Encoding": "aes128gcm",
            "TTL": str(max(0, int((message.until - now).total_seconds()))),
            "Urgency": "high",
            **_signed(device.endpoint, now),
        }
        status = await outside.post(device.endpoint, body, headers)
    except UnreachableError as error:
        return None, str(error)
    return status, "" if 200 <= status < 300 else f"The push service responded with {status}."


def _encrypted(payload: bytes, device: PushDevice) -> bytes:
    from pywebpush import WebPusher  # it loads two HTTP clients, which we do not use

    keys = {"p256dh": device.p256dh, "auth": device.auth}
    encoded: Any = WebPusher({"endpoint": device.endpoint, "keys": keys}).encode(payload)
    body: bytes = encoded["body"]
    return body


def _signed(endpoint: str, now: datetime) -> dict[str, str]:
    from py_vapid import Vapid02

    parts = urlsplit(endpoint)
    subject = settings.SITE_URL if settings.SITE_URL.startswith("https://") else _mailbox()
    claims = {
        "sub": subject,
        "aud": f"{parts.scheme}://{parts.netloc}",
        "exp": int((now + SIGNED_FOR).timestamp()),
    }
    headers: dict[str, str] = Vapid02.from_raw(settings.PUSH_KEY.encode()).sign(claims)
    return headers


def _mailbox() -> str:
    return f"mailto:{settings.DEFAULT_FROM_EMAIL}"


def _record_outcome(message: PushMessage, status: int | None, trouble: str, now: datetime) -> None:
    row = PushMessage.objects.filter(pk=message.pk)
    if not trouble:
        row.update(sent=now, due=None)
        PushDevice.objects.filter(pk=message.device_id).update(used=now)
        metrics.pushes.labels("sent").inc()
        return
    if status in GONE:
        PushDevice.objects.filter(pk=message.device_id).delete()
        metrics.pushes.labels("gone").inc()
        return
    if status in REFUSED:
        row.update(due=None)
    last = status in REFUSED or message.due is None
    metrics.pushes.labels("given up" if last else "failed").inc()
    log.warning(
        "push not sent", device=message.device_id, tries=message.tries,
        reason=str(status or "no answer"),
    )  # fmt: skip
