"""Calls to people: to tables at which they are awaited, to check in, and for a director."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from typing import Final

from django.db.models import F, Q
from django.urls import reverse

from games.models import Player, Seat, Table
from games.picture.viewing import UNSEEN_FOR
from tournaments.events.states import UPCOMING
from tournaments.events.timetable import check_in_opens
from tournaments.models import Entry, EntryPlayer, Event, Membership, Pairing
from tournaments.models.clubs import DIRECTORS
from tournaments.models.entries import COMPLETE

#: How long before an event starts its players' pages begin to listen for calls.
LISTEN_BEFORE: Final = timedelta(minutes=30)
#: How far ahead a page learns when to begin listening.
AHEAD: Final = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class PlayerCall:
    """A call to a player.

    title: a sentence. url: path of the page to go to. button: text of the link. since: when they
    were called.
    """

    title: str
    url: str
    button: str
    since: datetime


def calls_of(player: Player, now: datetime) -> list[PlayerCall]:
    """Return the calls of a player, the oldest first."""
    return calls_by_player([player.pk], now)[player.pk]


def calls_by_player(player_ids: Collection[int], now: datetime) -> dict[int, list[PlayerCall]]:
    """Return the calls of several players, in three queries."""
    calls: defaultdict[int, list[PlayerCall]] = defaultdict(list)
    # Tables of running rounds at which players are missing: not there yet, or gone.
    away = Q(last_seen__lt=F("table__created"))
    away |= Q(last_seen__lt=now - timedelta(seconds=UNSEEN_FOR))
    seats = Seat.objects.filter(
        away,
        player__in=player_ids,
        table__pairing__state__in=(Pairing.State.CALLED, Pairing.State.PLAYING),
        table__pairing__round__event__state=Event.State.RUNNING,
    ).exclude(table__state=Table.State.CLOSED)
    rows = seats.values_list(
        "player",
        "table",
        "table__pairing__number",
        "table__pairing__round__number",
        "table__pairing__round__called",
        "table__pairing__round__event__name",
    )
    for player, table, number, round_, called, event in rows:
        title = f"{event}, round {round_}: you are called to table {number}"
        path = reverse("table", args=[table])
        calls[player].append(PlayerCall(title, path, "Go to your table", called))
    # Events in which players are entered or waiting, and have not checked in.
    lines = EntryPlayer.objects.filter(
        player__in=player_ids,
        active=True,
        event__state=Event.State.CHECK_IN,
        entry__state__in=(Entry.State.ENTERED, Entry.State.WAITING),
        entry__here=False,
    )
    for line in lines.select_related("event"):
        title = f"{line.event.name}: check-in is open"
        path = reverse("event", args=[line.event_id])
        call = PlayerCall(title, path, "Check in", check_in_opens(line.event))
        calls[line.player_id].append(call)
    for one, call in _for_directors(player_ids):
        calls[one].append(call)
    return {one: sorted(calls[one], key=lambda call: call.since) for one in player_ids}


def _for_directors(player_ids: Collection[int]) -> Iterator[tuple[int, PlayerCall]]:
    """Yield directors with the calls from the tables of each event, one call an event."""
    rows = Membership.objects.filter(
        player__in=player_ids,
        role__in=DIRECTORS,
        club__events__state=Event.State.RUNNING,
        club__events__played_rounds__pairings__director_called__isnull=False,
    )
    event = "club__events"
    found = rows.order_by("player", event, f"{event}__played_rounds__pairings__number").values_list(
        "player", event, f"{event}__name", f"{event}__played_rounds__pairings__number",
        f"{event}__played_rounds__pairings__director_called",
    )  # fmt: skip
    for (player, event_id, name), lines in groupby(found, key=lambda row: row[:3]):
        tables, since = zip(*(row[3:] for row in lines), strict=True)
        *most, last = (str(number) for number in tables)
        which = f"tables {', '.join(most)} and {last} call" if most else f"table {last} calls"
        path = reverse("manage_event", args=[event_id])
        title = f"{name}: {which} for a director"
        yield player, PlayerCall(title, path, "Direct the event", min(since))


def listens_from(player: Player, now: datetime) -> datetime | None:
    """Return when a player's pages begin to listen for calls; None: not within a day.

    Those of a director listen while an event of the club is running.
    """
    lines = EntryPlayer.objects.filter(
        Q(event__state=Event.State.RUNNING)
        | Q(event__state__in=UPCOMING, event__starts__lte=now + AHEAD),
        player=player,
        active=True,
        entry__state__in=COMPLETE,
    )
    directed = Membership.objects.filter(
        player=player, role__in=DIRECTORS, club__events__state=Event.State.RUNNING
    )
    begins = lines.order_by().values_list("event__starts", flat=True)
    either = begins.union(directed.order_by().values_list("club__events__starts", flat=True))
    starts = min(either, default=None)
    return starts - LISTEN_BEFORE if starts is not None else None
