"""Calls to players: to tables at which they are awaited, and to check in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db.models import F, Q
from django.urls import reverse

from games.models import Player, Seat, Table
from games.picture.viewing import UNSEEN_FOR
from tournaments.events.states import UPCOMING
from tournaments.events.timetable import check_in_opens
from tournaments.models import Entry, EntryPlayer, Event, Pairing
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
    """Return the calls of several players, in two queries."""
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
    return {one: sorted(calls[one], key=lambda call: call.since) for one in player_ids}


def listens_from(player: Player, now: datetime) -> datetime | None:
    """Return when a player's pages begin to listen for calls; None: not within a day."""
    lines = EntryPlayer.objects.filter(
        Q(event__state=Event.State.RUNNING)
        | Q(event__state__in=UPCOMING, event__starts__lte=now + AHEAD),
        player=player,
        active=True,
        entry__state__in=COMPLETE,
    )
    starts = lines.order_by("event__starts").values_list("event__starts", flat=True).first()
    return starts - LISTEN_BEFORE if starts is not None else None
