"""Webhooks: URLs that receive a message when a result of a club's events is final, and chats.

Messages are stored in the transaction that causes them, like letters, and sent by a task; see
`tournaments.webhooks.deliveries`.
"""

import base64
import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Q

from games.shuffle.secret_box import seal, unseal
from tournaments.changes.row_locks import locked_club
from tournaments.event_page import exports
from tournaments.models import Club, Correction, Delivery, Event, Round, Webhook
from tournaments.outbox import outside
from tournaments.refusals import RefusedError
from tournaments.webhooks import chats

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
ROUND: Final = "round.drawn"  #: only to chats


class Message(NamedTuple):
    """A message for programs, as `data`, and for chats, as lines and a link.

    key: its id, without full stops, which separate it in the signature.
    """

    key: str
    kind: str
    data: Mapping[str, Any]
    lines: Sequence[str]
    link: str

    def body(self, url: str, now: datetime) -> str:
        if chat := chats.kind_of(url):
            return chats.body(chat, self.lines, self.link)
        moment = now.astimezone(UTC).isoformat(timespec="seconds")
        message = {"id": self.key, "type": self.kind, "timestamp": moment, "data": self.data}
        return json.dumps(message, ensure_ascii=False)


@transaction.atomic
def make(club: Club, url: str) -> tuple[Webhook, str]:
    """Add a webhook; return it with its secret as text, which is not shown again; a chat has none.

    Raises RefusedError ``url``, ``many``, ``known`` or ``gone``.
    """
    wrong = outside.fault(url) or chats.fault(url)
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
    if chats.kind_of(url):
        return webhook, ""  # chats check no signature
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
    lines = [f"This is a test from {webhook.club} at {settings.SITE_NAME}."]
    message = Message(f"test-{secrets.token_hex(8)}", TEST, about, lines, settings.SITE_URL)
    return _write(webhook, message, now)


def send_again(delivery: Delivery, now: datetime) -> None:
    """Queue a message again and reset its retry count."""
    Delivery.objects.filter(pk=delivery.pk).update(
        due=now, attempts=0, status=None, trouble="", arrived=None
    )


# Events sent -------------------------------------------------------------------------------


def round_drawn(event: Event, round_: Round, now: datetime, change: int | None = None) -> None:
    """Queue a round's pairings to chats; call it in the transaction that draws or changes it.

    change: a number of its own for each time that the round was changed by hand.
    """
    changed, key = change is not None, str(round_.pk)
    if changed:
        forget_round(round_)
        key += f"-{change}"

    def lines() -> list[str]:
        return chats.round_lines(event, round_.number, changed=changed)

    _notify(event, (ROUND, key), now, None, lines)


def forget_round(round_: Round) -> None:
    """Delete the unsent messages of a round: its pairings no longer hold."""
    key = f"round-drawn-{round_.pk}"
    of_round = Q(key=key) | Q(key__startswith=f"{key}-")
    Delivery.objects.filter(of_round, webhook__club=round_.event.club, arrived=None).delete()


def event_finished(event: Event, now: datetime) -> None:
    """Queue the final standings; call it in the transaction that ends the event."""

    def data() -> dict[str, Any]:
        return {"standings": exports.standings(event)}

    _notify(event, (FINISHED, event.pk), now, data, lambda: chats.result_lines(event))


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

    def lines() -> list[str]:
        where = f"round {match.round.number}, table {match.number}"
        return [f"A result has been corrected: {where}", *chats.result_lines(event)]

    _notify(event, (CORRECTED, correction.pk), now, data, lines)


def event_cancelled(event: Event, reason: str, now: datetime) -> None:
    """Queue an event's cancellation and its reason; call it in the transaction that cancels it."""
    lines = [f"{event.name} is cancelled.", *filter(None, [reason])]
    _notify(event, (CANCELLED, event.pk), now, lambda: {"reason": reason}, lambda: lines)


def _notify(
    event: Event,
    what: tuple[str, int | str],
    now: datetime,
    data: Callable[[], Mapping[str, Any]] | None,
    lines: Callable[[], Sequence[str]],
) -> None:
    """Queue a message to all webhooks of an event's club; safe to repeat.

    `what`, its type and a number, forms the message's id. `data`, for programs, and `lines`, for
    chats, are called only if there is one; without `data` programs get nothing.
    """
    webhooks = list(event.club.webhooks.all())
    chat = [webhook for webhook in webhooks if chats.kind_of(webhook.url)]
    programs = [webhook for webhook in webhooks if webhook not in chat] if data else []
    link, (kind, number) = chats.link_to(event), what
    about: dict[str, Any] = {"event": {**exports.about(event), "url": link}}
    if data and programs:
        about |= data()
    key = f"{kind.replace('.', '-')}-{number}"
    message = Message(key, kind, about, lines() if chat else (), link)
    for webhook in chat + programs:
        _write(webhook, message, now)


def _write(webhook: Webhook, message: Message, now: datetime) -> Delivery:
    values = {"body": message.body(webhook.url, now), "created": now, "due": now}
    return Delivery.objects.get_or_create(webhook=webhook, key=message.key, defaults=values)[0]
