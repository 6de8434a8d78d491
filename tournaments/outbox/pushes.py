"""Sending push messages, encrypted for the browser (RFC 8291) and signed with our key (RFC 8292).

A message that fails is tried again after each of `DELAYS`, while it is of use. A device that its
push service does not know any more is forgotten. Each push service has a run of its own, so one
that hangs holds up nobody else's messages.
"""

import asyncio
import json
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final
from urllib.parse import urlsplit

import structlog
from asgiref.sync import async_to_sync, sync_to_async
from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone

from games.models import PushDevice, PushMessage
from games.notifying import devices
from games.sockets import metrics
from tournaments.outbox import outside
from tournaments.outbox.claiming import Clock, claim
from tournaments.outbox.outside import UnreachableError

log = structlog.get_logger(__name__)

DELAYS: Final = (timedelta(seconds=15), timedelta(minutes=1), timedelta(minutes=4))
#: Messages sent to one service concurrently, and services that are sent to concurrently.
AT_ONCE: Final = 8
SERVICES_AT_ONCE: Final = 32
#: Seconds after which a run that waits for a service looks for messages to others.
LOOK_AGAIN: Final = 1.0
#: The time over which `refused_lately` looks back, and the most tries it looks at.
LATELY: Final = timedelta(hours=1)
MAX_TRIES: Final = 5000
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
    return async_to_sync(_send_due)(clock) if settings.PUSH_KEY else 0


def waiting(now: datetime) -> QuerySet[PushMessage]:
    """Return the messages that are due and still of use."""
    due = PushMessage.objects.filter(sent=None, due__lte=now, until__gt=now)
    return due.exclude(device__player__user__is_active=False)  # a closed account


def refused_lately(now: datetime) -> dict[str, int]:
    """Return the hosts that took no message in the last hour, and how many they were sent."""
    tried = PushMessage.objects.filter(made__gt=now - LATELY, tries__gt=0).order_by("-made", "-pk")
    sent, unsent = Counter[str](), Counter[str]()
    for endpoint, at in tried.values_list("device__endpoint", "sent")[:MAX_TRIES]:
        (sent if at else unsent)[urlsplit(endpoint).hostname or ""] += 1
    return {host: number for host, number in unsent.items() if not sent[host]}


def payload_of(message: PushMessage) -> bytes:
    """Return what the service worker gets: nothing but words, a path of this site and a tag."""
    parts = {"title": message.title, "text": message.text, "path": message.path, "tag": message.tag}
    return json.dumps(parts, ensure_ascii=False).encode()


async def _send_due(clock: Clock) -> int:
    """Send to all services with due messages, also those whose messages come meanwhile.

    Whatever asks the database runs in the thread that started this.
    """
    tries, runs = 0, dict[str, asyncio.Task[int]]()
    taken = set[str]()  # their messages are another worker's, or expired, at the moment
    while True:
        for service in await sync_to_async(_services)(clock()):
            if service not in (*runs, *taken) and len(runs) < SERVICES_AT_ONCE:
                runs[service] = asyncio.create_task(_send_to(service, clock))
        if not runs:
            return tries
        ended, _ = await asyncio.wait(
            runs.values(), timeout=LOOK_AGAIN, return_when=asyncio.FIRST_COMPLETED
        )
        if not ended:
            taken.clear()
        for service in [one for one, run in runs.items() if run.done()]:
            done = runs.pop(service).result()
            tries += done
            if not done:
                taken.add(service)


def _services(now: datetime) -> list[str]:
    """Return the addresses of push services with due messages, without a path."""
    endpoints = waiting(now).order_by("due", "pk").values_list("device__endpoint", flat=True)
    return list(dict.fromkeys("/".join(endpoint.split("/")[:3]) for endpoint in endpoints))


async def _send_to(service: str, clock: Clock) -> int:
    tries = 0
    while claimed := await sync_to_async(_claim)(service, clock()):
        now = clock()
        outcomes = await asyncio.gather(*(_try(message, now) for message in claimed))
        await sync_to_async(_record_outcomes)(claimed, outcomes, clock)
        tries += len(claimed)
    return tries


def _claim(service: str, now: datetime) -> list[PushMessage]:
    messages = waiting(now).filter(device__endpoint__startswith=service).select_related("device")
    return claim(messages, now, DELAYS, "tries", AT_ONCE)


def _record_outcomes(
    claimed: Sequence[PushMessage], outcomes: Sequence[tuple[int | None, str]], clock: Clock
) -> None:
    for message, (status, trouble) in zip(claimed, outcomes, strict=True):
        _record_outcome(message, status, trouble, clock())


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
    mailbox = f"mailto:{settings.DEFAULT_FROM_EMAIL}"
    subject = settings.SITE_URL if settings.SITE_URL.startswith("https://") else mailbox
    claims = {
        "sub": subject,
        "aud": f"{parts.scheme}://{parts.netloc}",
        "exp": int((now + SIGNED_FOR).timestamp()),
    }
    headers: dict[str, str] = Vapid02.from_raw(settings.PUSH_KEY.encode()).sign(claims)
    return headers


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
