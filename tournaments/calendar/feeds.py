"""iCalendar feeds of a club's and of a player's events (RFC 5545 and 7986)."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final
from unicodedata import category
from urllib.parse import urlsplit

from django.conf import settings
from django.db.models import Max, QuerySet
from django.urls import reverse
from icalendar import STATUS, Calendar
from icalendar import Event as Entered

from games.models import Player
from tournaments.calendar.your_events import entries_of
from tournaments.events.event_words import game_in_words
from tournaments.models import Club, Event
from tournaments.models.entries import PLACED

#: How far back a feed reaches, and the most events in it.
PAST: Final = timedelta(days=365)
MAX_EVENTS: Final = 500
#: The assumed length of an event without round times.
USUAL: Final = timedelta(hours=2, minutes=30)
#: How often calendar programs should refresh.
REFRESH: Final = timedelta(hours=1)


def club_calendar(club: Club, now: datetime) -> bytes:
    events = _recent(club.events.exclude(state=Event.State.DRAFT), now)
    path = reverse("club", args=[club.slug])
    return _calendar(f"club-{club.pk}", club.name, path, map(_entered, events))


def player_calendar(player: Player, now: datetime) -> bytes:
    """Return the feed of a player's entries; tentative while they have no place."""
    sure = {entry.event_id: entry.state in PLACED for entry in entries_of(player)}
    events = _recent(Event.objects.filter(pk__in=sure), now)
    entered = (_entered(event, sure=sure[event.pk]) for event in events)
    name = f"{player.name}, {settings.SITE_NAME}"
    return _calendar(f"player-{player.pk}", name, reverse("your_events"), entered)


def ends(event: Event) -> datetime:
    """Return when an event ends, estimated from its round times if it has any."""
    if event.ended is not None and event.ended > starts(event):
        return event.ended
    if event.rounds and event.round_minutes:
        of_one = timedelta(minutes=event.round_minutes, seconds=event.break_seconds)
        return starts(event) + event.rounds * of_one
    return starts(event) + USUAL


def starts(event: Event) -> datetime:
    return event.started or event.starts


def _recent(events: QuerySet[Event], now: datetime) -> QuerySet[Event]:
    found = events.filter(starts__gte=now - PAST).select_related("club")
    return found.annotate(noticed=Max("notices__at")).order_by("starts", "pk")[:MAX_EVENTS]


def _calendar(key: str, name: str, path: str, entered: Iterable[Entered]) -> bytes:
    calendar = Calendar.new(
        prodid=f"-//{settings.SITE_NAME}//Events//EN",
        uid=_uid(key),
        name=name,
        url=settings.SITE_URL + path,
        subcomponents=list(entered),
    )
    calendar.add("REFRESH-INTERVAL", REFRESH, {"VALUE": "DURATION"})
    ical: bytes = calendar.to_ical()
    return ical


def _uid(key: str) -> str:
    return f"{key}@{urlsplit(settings.SITE_URL).hostname}"


def _entered(event: Event, *, sure: bool = True) -> Entered:
    link = settings.SITE_URL + reverse("event", args=[event.pk])
    noticed: datetime | None = event.noticed  # type: ignore[attr-defined]
    revised = max(filter(None, (event.created, event.started, event.ended, noticed)))
    about = [event.get_format_display(), game_in_words(event)]
    status = STATUS.CONFIRMED if sure else STATUS.TENTATIVE
    if event.state == Event.State.CANCELLED:
        status = STATUS.CANCELLED
    return Entered.new(
        uid=_uid(f"event-{event.pk}"),
        stamp=revised,
        last_modified=revised,
        sequence=event.version,
        created=event.created,
        start=starts(event),
        end=ends(event),
        status=status,
        summary=_readable(f"{event.name}, {event.club.name}"),
        description=_readable("\n\n".join(filter(None, (", ".join(about), event.about, link)))),
        location=_readable(event.where) or None,
        url=link,
    )


def _readable(text: str) -> str:
    """Remove the control characters that RFC 5545 (3.1, CONTROL) forbids."""
    lines = "\n".join(text.splitlines())
    return "".join(one for one in lines if one in "\n\t" or category(one) != "Cc")
