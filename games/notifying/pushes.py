"""Queueing push messages for those who chose them, unless it is quiet for them.

The caller is in the transaction that causes the message, so that neither is without the other.
`tournaments.outbox.pushes` sends them.
"""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from django.conf import settings
from django.utils import timezone

from games.models import Player, PushDevice, PushMessage, QuietHours
from games.notifying.choices import wants
from games.notifying.kinds import NotificationKind, Way
from games.notifying.quiet_hours import quiet_until

#: How long a message that is of use only at once, or for longer, may be late.
SOON: Final = timedelta(minutes=10)
LATER: Final = timedelta(hours=24)
#: Seconds in which one test is sent.
TEST_EVERY: Final = 10
TEST: Final = NotificationKind("test", "Test", "", {Way.PUSH: True})
TITLE_LENGTH: Final = 150
TEXT_LENGTH: Final = 200


class PushNote(NamedTuple):
    """What a message says, and the path of the page that a click opens."""

    title: str
    path: str
    text: str = ""


def queue(
    kind: NotificationKind,
    key: str,
    player_ids: Collection[int],
    title: str,
    path: str,
    *,
    text: str = "",
    now: datetime | None = None,
) -> None:
    """Queue a push to every device of those who chose it; safe to repeat with the same key.

    key: at most 80 characters. path: of the page that a click opens. Never pass a card, or a path
    with a secret.
    """
    if not settings.PUSH_KEY or not player_ids:
        return
    now = now or timezone.now()
    note = PushNote(title, path, text)
    readers = Player.objects.filter(wants(kind, Way.PUSH), pk__in=player_ids)
    devices = PushDevice.objects.filter(player__in=readers).order_by("pk")
    quiet = {
        hours.player_id: until
        for hours in QuietHours.objects.filter(player__in=player_ids, on=True)
        if (until := quiet_until(hours, now)) and not (kind.own_round and hours.own_rounds)
    }
    PushMessage.objects.bulk_create(
        (
            message(device, kind, f"{key} to {device.pk}", note, due)
            for device in devices
            if (due := quiet.get(device.player_id, now)) == now or kind.lasts
        ),
        ignore_conflicts=True,
        batch_size=100,
    )


def send_test(device: PushDevice, path: str, now: datetime) -> bool:
    """Queue a test message; return False if one was queued in the last seconds."""
    key = f"test {int(now.timestamp()) // TEST_EVERY} to {device.pk}"
    note = PushNote("This is a test", path, "Push works on this device.")
    test = message(device, TEST, key, note, now)
    stored = PushMessage.objects.filter(key=key).exists()
    PushMessage.objects.bulk_create([test], ignore_conflicts=True)
    return not stored


def message(
    device: PushDevice, kind: NotificationKind, key: str, note: PushNote, due: datetime
) -> PushMessage:
    """Return a message, not stored yet."""
    return PushMessage(
        key=key,
        device=device,
        title=_short(note.title, TITLE_LENGTH),
        text=_short(note.text, TEXT_LENGTH),
        path=note.path,
        tag=f"{kind.key} {note.path}"[:40],
        due=due,
        until=due + (LATER if kind.lasts else SOON),
    )


def delete_unsent(key: str) -> None:
    """Delete the unsent messages with this key."""
    PushMessage.objects.filter(key__startswith=f"{key} to ", sent=None).delete()


def forget_old(now: datetime) -> None:
    """Delete messages that were sent or given up a day after they were of use."""
    PushMessage.objects.filter(until__lt=now - LATER).delete()


def _short(text: str, most: int) -> str:
    line = " ".join(text.split())
    return f"{line[: most - 1]}…" if len(line) > most else line
