"""E-mail: stored in the transaction that causes it, and sent by a task.

A letter that cannot be sent is retried after each of `DELAYS`, then given up. So is a letter whose
worker died while sending; it keeps its Message-ID, by which most mailboxes recognise a duplicate.
"""

from collections.abc import Iterable
from datetime import timedelta
from smtplib import SMTPException
from typing import Any, Final
from urllib.parse import urlsplit

import structlog
from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db.models import Q
from django.template import Context, Engine
from django.urls import reverse
from django.utils import timezone

from games.models import Player
from games.sockets import metrics
from tournaments.models import Letter
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
#: Prefix of the keys of letters about a closed account.
ACCOUNT_CLOSED_PREFIX: Final = "account closed "


def write(key: str, players: Iterable[Player], subject: str, template: str, **context: Any) -> None:
    """Queue one letter to each player with an account; safe to repeat with the same key.

    The text ends with a link to the reader's settings for letters. The key has at most 90
    characters, such as ``event 7 promoted 31``. `template` is a file in
    ``templates/tournaments/outbox/``, without ``.txt``. In addition to `context`, it receives
    `player`, `site_name` and `site_url`; links are written
    ``{{ site_url }}{% url "event" event.pk %}``.
    """
    # Users' texts may contain line breaks and be long.
    line = " ".join(subject.split())
    if len(line) > SUBJECT_LENGTH:
        line = f"{line[: SUBJECT_LENGTH - 1]}…"
    texts = [
        Engine.get_default().get_template(f"tournaments/outbox/{name}.txt")
        for name in (template, "_end")
    ]
    known = {"site_name": settings.SITE_NAME, "site_url": settings.SITE_URL, **context}
    letters = []
    for player in players:
        if player.user_id is None:
            continue
        plain = Context({"player": player, **known}, autoescape=False)
        text = "\n\n".join(one.render(plain).strip() for one in texts)
        letters.append(
            Letter(
                key=f"{key} to {player.pk}", user_id=player.user_id, subject=line, text=f"{text}\n"
            )
        )
    Letter.objects.bulk_create(letters, ignore_conflicts=True)


def delete_unsent(key: str) -> None:
    """Delete the unsent letters with this key."""
    Letter.objects.filter(key__startswith=f"{key} to ", sent=None).delete()


def forget_unsent(user_id: int) -> None:
    """Delete the unsent letters to an account."""
    Letter.objects.filter(user=user_id, sent=None).delete()


def send_due(clock: Clock = timezone.now) -> int:
    """Send due letters until none is left or one cannot be sent; return how many were sent.

    Safe in any number of workers at once.
    """
    sent = 0
    mailbox = get_connection()
    try:
        waiting = Letter.objects.select_related("user").filter(to_be_sent())
        for (letter,) in claims(waiting, clock, DELAYS, "tries"):
            if not _send(letter, mailbox, clock):
                break
            sent += 1
    finally:
        mailbox.close()
    return sent


def to_be_sent() -> Q:
    """Return the condition on letters to send: to a closed account only those about its closing."""
    return Q(user__is_active=True) | Q(key__startswith=ACCOUNT_CLOSED_PREFIX)


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
    return EmailMessage(
        f"{settings.SITE_NAME}: {letter.subject}",
        letter.text,
        to=[letter.user.email],
        headers={
            "Message-ID": f"<letter-{letter.pk}-{letter.made:%Y%m%d%H%M%S%f}@{host}>",
            "Auto-Submitted": "auto-generated",  # RFC 3834: no out-of-office replies
            "List-Unsubscribe": f"<{settings.SITE_URL}{reverse('your_events')}>",
        },
    )
