"""E-mail: stored in the transaction that causes it, and sent by a task.

A letter that cannot be sent is retried after each of `DELAYS`, then given up. So is a letter whose
worker died while sending; it keeps its Message-ID, by which most mailboxes recognise a duplicate.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from smtplib import SMTPException
from typing import Any, Final
from urllib.parse import urlsplit

import structlog
from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db.models import Exists, F, OuterRef, Q
from django.template import Context, Engine, Template
from django.urls import reverse
from django.utils import timezone

from games.models import Player
from games.notifying import choices, unsubscribing
from games.notifying.kinds import NotificationKind, Way
from games.sockets import metrics
from tournaments.models import EntryPlayer, Event, Letter
from tournaments.models.entries import PLACED
from tournaments.outbox.claiming import Clock, claims

log = structlog.get_logger(__name__)

#: The time from each failed try to the next one.
DELAYS: Final = (
    timedelta(minutes=1),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=12),
)
SUBJECT_LENGTH: Final = 150
ADDRESSES_KEPT: Final = timedelta(days=30)
#: Prefix of the keys of letters about a closed account.
ACCOUNT_CLOSED_PREFIX: Final = "account closed "


def write(
    key: str,
    players: Iterable[Player],
    subject: str,
    template: str,
    *,
    reminds_of: Event | None = None,
    kind: NotificationKind | None = None,
    **context: Any,
) -> None:
    """Queue one letter to each player with an account; safe to repeat with the same key.

    The text ends with a link to the reader's settings of notifications. The key has at most 90
    characters, such as ``event 7 promoted 31``. `template` is a file in
    ``templates/tournaments/outbox/``, without ``.txt``. In addition to `context`, it receives
    `player`, `site_name` and `site_url`; links are written
    ``{{ site_url }}{% url "event" event.pk %}``.

    reminds_of: an event; the letter is no longer sent once it has started or is cancelled, nor to
    players who have no place in it then. kind: only players who chose mail for it get the letter.
    """
    if kind is not None:
        players = choices.wanting(kind, Way.MAIL, list(players))
    keyed = [(key, players, context)]
    Letter.objects.bulk_create(
        _letters(keyed, subject, template, reminds_of, kind), ignore_conflicts=True
    )


def write_many(
    keyed: Iterable[tuple[str, Iterable[Player], Mapping[str, Any]]], subject: str, template: str
) -> None:
    """Queue letters that differ by key, players and context, otherwise as `write`."""
    Letter.objects.bulk_create(
        _letters(keyed, subject, template), ignore_conflicts=True, batch_size=100
    )


def _letters(
    keyed: Iterable[tuple[str, Iterable[Player], Mapping[str, Any]]],
    subject: str,
    template: str,
    reminds_of: Event | None = None,
    kind: NotificationKind | None = None,
) -> Iterator[Letter]:
    line = _subject(subject)
    texts = _templates(template, "_end")
    for key, players, context in keyed:
        for player in players:
            if player.user_id is not None:
                yield Letter(
                    key=f"{key} to {player.pk}",
                    user_id=player.user_id,
                    reminds_of=reminds_of,
                    kind=kind.key if kind is not None else "",
                    subject=line,
                    text=_text(texts, {"player": player, **context}),
                )


def write_to_addresses(
    keyed: Iterable[tuple[str, str, Mapping[str, Any]]], subject: str, template: str
) -> None:
    """Queue letters to people who may have no account; safe to repeat with the same keys.

    keyed: for each letter its key, the address and the context of the template, which says at its
    end how to get no more of them.
    """
    line = _subject(subject)
    texts = _templates(template)
    Letter.objects.bulk_create(
        (
            Letter(key=key, address=address, subject=line, text=_text(texts, context))
            for key, address, context in keyed
        ),
        ignore_conflicts=True,
        batch_size=100,
    )


def _subject(subject: str) -> str:
    # Users' texts may contain line breaks and be long.
    line = " ".join(subject.split())
    return f"{line[: SUBJECT_LENGTH - 1]}…" if len(line) > SUBJECT_LENGTH else line


def _templates(*names: str) -> list[Template]:
    return [Engine.get_default().get_template(f"tournaments/outbox/{name}.txt") for name in names]


def _text(templates: Iterable[Template], context: Mapping[str, Any]) -> str:
    known = {"site_name": settings.SITE_NAME, "site_url": settings.SITE_URL, **context}
    plain = Context(known, autoescape=False)
    return "\n\n".join(one.render(plain).strip() for one in templates) + "\n"


def confirmed_address() -> Q:
    """Return the condition that a player has confirmed the address to which letters go."""
    return Q(user__emailaddress__verified=True, user__emailaddress__email=F("user__email"))


def delete_unsent(key: str) -> None:
    """Delete the unsent letters with this key."""
    Letter.objects.filter(key__startswith=f"{key} to ", sent=None).delete()


def delete_unsent_reminders(event: Event) -> None:
    """Delete the unsent reminders of an event."""
    event.reminders.filter(sent=None).delete()


def forget_unsent(user_id: int) -> None:
    """Delete the unsent letters to an account."""
    Letter.objects.filter(user=user_id, sent=None).delete()


def forget_addresses(now: datetime) -> None:
    """Delete letters to the addresses of people without an account, 30 days after writing them."""
    Letter.objects.filter(user=None, made__lt=now - ADDRESSES_KEPT).delete()


def send_due(clock: Clock = timezone.now) -> int:
    """Send due letters until none is left or one cannot be sent; return how many were sent.

    Safe in any number of workers at once.
    """
    sent = 0
    mailbox = get_connection()
    try:
        waiting = Letter.objects.select_related("user").filter(to_be_sent(clock()))
        for (letter,) in claims(waiting, clock, DELAYS, "tries"):
            if not _send(letter, mailbox, clock):
                break
            sent += 1
    finally:
        mailbox.close()
    return sent


def to_be_sent(now: datetime) -> Q:
    """Return the condition on letters to send.

    To a closed account these are only those about its closing, and reminders only while they are
    of use.
    """
    to_reader = Q(user__is_active=True) | Q(user=None) | Q(key__startswith=ACCOUNT_CLOSED_PREFIX)
    place = EntryPlayer.objects.filter(
        event=OuterRef("reminds_of"),
        player__user=OuterRef("user"),
        active=True,
        entry__state__in=PLACED,
    )
    coming = Q(reminds_of__started=None, reminds_of__ended=None, reminds_of__starts__gt=now)
    return to_reader & (Q(reminds_of=None) | Q(coming, Exists(place)))


def _send(letter: Letter, mailbox: BaseEmailBackend, clock: Clock) -> bool:
    try:
        mailbox.send_messages([_message(letter)])
    except (OSError, SMTPException, ValueError) as error:
        outcome = "given up" if letter.due is None else "failed"
        metrics.letters.labels(outcome).inc()
        words = "letter given up" if letter.due is None else "letter not sent"
        log.warning(words, letter=letter.pk, tries=letter.tries, reason=type(error).__name__)
        return False
    metrics.letters.labels("sent").inc()
    Letter.objects.filter(pk=letter.pk).update(sent=clock(), due=None)
    return True


def _message(letter: Letter) -> EmailMessage:
    host = urlsplit(settings.SITE_URL).hostname
    headers = {
        "Message-ID": f"<letter-{letter.pk}-{letter.made:%Y%m%d%H%M%S%f}@{host}>",
        "Auto-Submitted": "auto-generated",  # RFC 3834: no out-of-office replies
    }
    if letter.user is not None and letter.kind:
        token = unsubscribing.token_of(letter.user, letter.kind)
        headers["List-Unsubscribe"] = f"<{settings.SITE_URL}{reverse('unsubscribe', args=[token])}>"
        headers["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"  # RFC 8058
    elif letter.user is not None:
        headers["List-Unsubscribe"] = f"<{settings.SITE_URL}{reverse('notifications')}>"
    return EmailMessage(
        f"{settings.SITE_NAME}: {letter.subject}",
        letter.text,
        to=[letter.user.email if letter.user else letter.address],
        headers=headers,
    )
