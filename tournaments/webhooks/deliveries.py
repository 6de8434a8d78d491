"""Delivery of webhook messages, signed by the Standard Webhooks specification, with retries.

A message that fails is retried after each of `DELAYS`, then given up. So is one whose worker died
while sending, with the same id. After `MAX_FAILURES` failures in a row the webhook is paused, and
the club's owners get a letter.
"""

import asyncio
import base64
import hashlib
import hmac
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from games.models import Player
from games.sockets import metrics
from tournaments.models import Delivery, Membership, Webhook
from tournaments.outbox import letters, outside
from tournaments.outbox.claiming import Clock, claims
from tournaments.outbox.outside import UnreachableError
from tournaments.webhooks import webhooks

log = structlog.get_logger(__name__)

#: Delay before each retry; about a day in total.
DELAYS: Final = (
    timedelta(seconds=30),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=6),
    timedelta(hours=15),
)
#: Failures in a row after which a webhook is paused.
MAX_FAILURES: Final = 20
#: The receiver wants no more messages.
HTTP_GONE: Final = 410
#: Messages sent concurrently, so that an unresponsive receiver does not delay the others.
AT_ONCE: Final = 8


def send_due(clock: Clock = timezone.now) -> int:
    """Send messages until none is due; return the number of tries.

    Safe in any number of workers at once.
    """
    tries = 0
    waiting = Delivery.objects.select_related("webhook__club").filter(webhook__paused=False)
    for claimed in claims(waiting, clock, DELAYS, "attempts", AT_ONCE):
        outcomes = asyncio.run(_send(claimed, clock()))
        for delivery, (status, trouble) in zip(claimed, outcomes, strict=True):
            _record_outcome(delivery, status, trouble, clock())
        tries += len(claimed)
    return tries


def remove_old(now: datetime) -> int:
    """Delete messages that arrived, or were given up, `WEBHOOK_DAYS` ago; return how many."""
    before = now - timedelta(days=settings.WEBHOOK_DAYS)
    given_up = Q(arrived=None, due=None, created__lt=before)
    return Delivery.objects.filter(given_up | Q(arrived__lt=before)).delete()[0]


def signature(secret: bytes, message_id: str, timestamp: int, body: bytes) -> str:
    """Sign a message by scheme ``v1`` of the Standard Webhooks specification.

    This is HMAC-SHA256 over id, time (seconds since 1970) and body, separated by full stops.
    """
    signed = b".".join((message_id.encode(), str(timestamp).encode(), body))
    return f"v1,{base64.b64encode(hmac.digest(secret, signed, hashlib.sha256)).decode()}"


async def _send(claimed: Sequence[Delivery], now: datetime) -> list[tuple[int | None, str]]:
    return await asyncio.gather(*(_try(delivery, now) for delivery in claimed))


async def _try(delivery: Delivery, now: datetime) -> tuple[int | None, str]:
    """Send a message once; return the response's status, if any, and why it failed, or empty."""
    body, timestamp = delivery.body.encode(), int(now.timestamp())
    secret = webhooks.secret_of(delivery.webhook)
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "Bower",
        "webhook-id": delivery.key,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": signature(secret, delivery.key, timestamp, body),
    }
    try:
        status = await outside.post(delivery.webhook.url, body, headers)
    except UnreachableError as error:
        return None, str(error)[:200]
    arrived = 200 <= status < 300
    return status, "" if arrived else f"The server responded with {status}."


def _record_outcome(delivery: Delivery, status: int | None, trouble: str, now: datetime) -> None:
    """Store a try's outcome; pause a webhook that keeps failing and write to the club's owners."""
    outcome = "arrived" if not trouble else "given up" if delivery.due is None else "failed"
    metrics.deliveries.labels(outcome).inc()
    row = Delivery.objects.filter(pk=delivery.pk)
    hook = Webhook.objects.filter(pk=delivery.webhook_id)
    with transaction.atomic():
        row.update(status=status, trouble=trouble)
        if not trouble:
            row.update(arrived=now, due=None)
            hook.update(failures=0)
            return
        log.warning(
            "webhook failed",
            webhook=delivery.webhook_id,
            attempts=delivery.attempts,
            reason=str(status or "no answer"),
        )
        hook.update(failures=F("failures") + 1)
        failing = hook.filter(failures__gte=MAX_FAILURES) if status != HTTP_GONE else hook
        if failing.filter(paused=False).update(paused=True):
            club = delivery.webhook.club
            owners = Player.objects.filter(
                memberships__club=club, memberships__role=Membership.Role.OWNER
            )
            letters.write(
                f"webhook {delivery.webhook_id} paused {delivery.pk}.{delivery.attempts}",
                owners.select_related("user"),
                f"A webhook of {club} is paused",
                "webhook_paused",
                webhook=delivery.webhook,
                club=club,
                trouble=trouble,
            )
