"""Webhooks: URLs that receive a message when a result of a club's events is final.

Messages are stored in the transaction that causes them, like letters, and sent by a task; see
`tournaments.webhooks.deliveries`.
"""

import base64
import json
import secrets
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from django.conf import settings
from django.db import IntegrityError, transaction
from django.urls import reverse

from games.shuffle.secret_box import seal, unseal
from tournaments.changes.row_locks import locked_club
from tournaments.event_page import exports
from tournaments.models import Club, Correction, Delivery, Event, Webhook
from tournaments.outbox import outside
from tournaments.refusals import RefusedError

#: Webhooks a club may have.
MAX_WEBHOOKS: Final = 5
#: Bytes of a secret; the Standard Webhooks specification asks for 24 to 64.
SECRET_SIZE: Final = 32
#: The prefix of a secret in text form, by the same specification.
PREFIX: Final = "whsec_"

#: The types of messages.
FINISHED: Final = "event.finished"
CORRECTED: Final = "event.corrected"
CANCELLED: Final = "event.cancelled"
TEST: Final = "test"


@transaction.atomic
def make(club: Club, url: str) -> tuple[Webhook, str]:
    """Add a webhook; return it with its secret as text, which is not shown again.

    Raises RefusedError ``url``, ``many``, ``known`` or ``gone``.
    """
    wrong = outside.fault(url)
    if wrong:
        raise RefusedError("url", wrong, 422)
    club = locked_club(club)
    if club.webhooks.count() >= MAX_WEBHOOKS:
        raise RefusedError("many", f"{club} has {MAX_WEBHOOKS} webhooks; remove one first.")
    secret = secrets.token_bytes(SECRET_SIZE)
    try:
        with transaction.atomic():
            webhook = club.webhooks.create(url=url, secret=seal(secret))
    except IntegrityError as error:
        raise RefusedError("known", "There is already a webhook for this URL.") from error
    return webhook, PREFIX + base64.b64encode(secret).decode()


def secret_of(webhook: Webhook) -> bytes:
    return unseal(webhook.secret)


def pause(webhook: Webhook) -> None:
    """Pause a webhook; messages are kept until it is resumed."""
    Webhook.objects.filter(pk=webhook.pk).update(paused=True)


def resume(webhook: Webhook) -> None:
    """Resume a webhook: send the waiting messages and forget earlier failures."""
    Webhook.objects.filter(pk=webhook.pk).update(paused=False, failures=0)


def send_test(webhook: Webhook, now: datetime) -> Delivery:
    about = {"club": webhook.club.slug, "message": "This is a test."}
    return _write(webhook, f"test-{secrets.token_hex(8)}", TEST, about, now)


def send_again(delivery: Delivery, now: datetime) -> None:
    """Queue a message again and reset its retry count."""
    Delivery.objects.filter(pk=delivery.pk).update(
        due=now, attempts=0, status=None, trouble="", arrived=None
    )


# Events sent -------------------------------------------------------------------------------


def event_finished(event: Event, now: datetime) -> None:
    """Queue the final standings; call it in the transaction that ends the event."""
    _notify(event, FINISHED, event.pk, now, lambda: {"standings": exports.standings(event)})


def event_corrected(event: Event, correction: Correction, now: datetime) -> None:
    """Queue a result corrected after the end, with its effects; call it in that transaction."""
    match = correction.pairing

    def data() -> dict[str, Any]:
        changed = {
            "round": match.round.number,
            "table": match.number,
            "before": correction.before,
            "after": correction.after,
        }
        return {"correction": changed, "standings": exports.standings(event)}

    _notify(event, CORRECTED, correction.pk, now, data)


def event_cancelled(event: Event, reason: str, now: datetime) -> None:
    """Queue an event's cancellation and its reason; call it in the transaction that cancels it."""
    _notify(event, CANCELLED, event.pk, now, lambda: {"reason": reason})


def _notify(
    event: Event, kind: str, number: int, now: datetime, data: Callable[[], Mapping[str, Any]]
) -> None:
    """Queue a message to all webhooks of an event's club; safe to repeat.

    `number` and the type form the message's id. `data` is called only if there is a webhook.
    """
    webhooks = list(event.club.webhooks.all())
    if not webhooks:
        return
    url = f"{settings.SITE_URL}{reverse('event', args=[event.pk])}"
    about = {"event": {**exports.about(event), "url": url}, **data()}
    key = f"{kind.replace('.', '-')}-{number}"
    for webhook in webhooks:
        _write(webhook, key, kind, about, now)


def _write(
    webhook: Webhook, key: str, kind: str, data: Mapping[str, Any], now: datetime
) -> Delivery:
    """Store one message; key: its id, without full stops, which separate it in the signature."""
    message = {
        "id": key,
        "type": kind,
        "timestamp": now.astimezone(UTC).isoformat(timespec="seconds"),
        "data": data,
    }
    body = json.dumps(message, ensure_ascii=False)
    values = {"body": body, "created": now, "due": now}
    return Delivery.objects.get_or_create(webhook=webhook, key=key, defaults=values)[0]
