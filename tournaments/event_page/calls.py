"""Calls to people: to tables at which they are awaited or in turn, to check in, to direct."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from typing import Final

from django.db.models import F, Q, Value
from django.urls import reverse

from games.models import Game, Player, Seat, Table
from games.notifying import choices
from games.notifying.kinds import CHECK_IN, ROUND, TO_TABLE, TURN, Way
from games.picture.viewing import UNSEEN_FOR
from tournaments.events.states import UPCOMING
from tournaments.events.timetable import check_in_opens
from tournaments.models import Act, Entry, EntryPlayer, Event, Membership, Pairing
from tournaments.models.clubs import DIRECTORS
from tournaments.models.entries import COMPLETE

#: How long before an event starts its players' pages begin to listen for calls.
LISTEN_BEFORE: Final = timedelta(minutes=30)
#: How far ahead a page learns when to begin listening.
AHEAD: Final = timedelta(hours=24)
#: How long somebody has been gone from the table before other pages say that it is their turn.
GONE_FOR: Final = timedelta(seconds=3)
#: How long a director’s message to a table stays on its players’ other pages.
WRITTEN_FOR: Final = timedelta(minutes=10)


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


@dataclass(frozen=True, slots=True)
class Listening:
    """What the pages of a player listen for.

    begins: when they begin to listen for calls; None: not within a day. table: their table with
    a running game, whose turns other pages show: that of a rated quick game, else the latest; None:
    there is none.
    """

    begins: datetime | None
    table: int | None


def calls_of(player: Player, now: datetime) -> list[PlayerCall]:
    """Return the calls of a player, the oldest first."""
    return calls_by_player([player.pk], now)[player.pk]


def calls_by_player(player_ids: Collection[int], now: datetime) -> dict[int, list[PlayerCall]]:
    """Return the calls of several players, in four queries; those to a table as they chose."""
    calls: defaultdict[int, list[PlayerCall]] = defaultdict(list)
    # Tables of running rounds at which players are missing: not there yet, or gone.
    away = Q(last_seen__lt=F("table__created"))
    away |= Q(last_seen__lt=now - timedelta(seconds=UNSEEN_FOR))
    seats = Seat.objects.filter(
        away,
        choices.wants(ROUND, Way.PAGE, "player"),
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
        choices.wants(CHECK_IN, Way.PAGE, "player"),
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
    seated = EntryPlayer.objects.filter(
        choices.wants(TO_TABLE, Way.PAGE, "player"),
        player__in=player_ids,
        active=True,
        event__state=Event.State.RUNNING,
        entry__pairings__pairing__acts__kind=Act.Kind.TO_TABLE,
        entry__pairings__pairing__acts__undone_by=None,
        entry__pairings__pairing__acts__at__gt=now - WRITTEN_FOR,
        entry__pairings__pairing__state__in=(Pairing.State.CALLED, Pairing.State.PLAYING),
    )
    act = "entry__pairings__pairing__acts"
    written = seated.values_list("player", "event", f"{act}__pk", f"{act}__reason", f"{act}__at")
    for player, event_id, key, text, at in written:
        path = f"{reverse('event', args=[event_id])}#message-{key}"
        calls[player].append(PlayerCall(f"The director writes: “{text}”", path, "To the event", at))
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


def turns_by_player(player_ids: Collection[int], now: datetime) -> dict[int, tuple[int, int]]:
    """Return table and version of the game of players in turn who have no page of the table open.

    Of several tables it is the one that has waited longest. Only for those who chose to be told.
    """
    seats = Seat.objects.filter(
        choices.wants(TURN, Way.PAGE, "player"),
        player__in=player_ids,
        stand_in=False,
        missing_since__lte=now - GONE_FOR,
        table__state=Table.State.PLAYING,
        table__games__state=Game.State.PLAYING,
        table__games__turn=F("position"),
    )
    latest_first = seats.order_by("-table__games__moved", "-table")
    rows = latest_first.values_list("player", "table", "table__games__version")
    return {player: (table, version) for player, table, version in rows if player is not None}


def listening(player: Player, now: datetime, *, games: bool = True) -> Listening:
    """Return what a player's pages listen for, in one query; games: also for their turns.

    Those of a director listen while an event of the club is running.
    """
    entered = EntryPlayer.objects.filter(
        Q(event__state=Event.State.RUNNING)
        | Q(event__state__in=UPCOMING, event__starts__lte=now + AHEAD),
        player=player,
        active=True,
        entry__state__in=COMPLETE,
    )
    directed = Membership.objects.filter(
        player=player, role__in=DIRECTORS, club__events__state=Event.State.RUNNING
    )
    found = [
        entered.order_by().values_list("event__starts", Value(0), Value(False)),
        directed.order_by().values_list("club__events__starts", Value(0), Value(False)),
    ]
    if games:
        seats = Seat.objects.filter(player=player, stand_in=False, table__state=Table.State.PLAYING)
        at = seats.order_by().annotate(at=F("table"))
        found.append(at.values_list("table__created", "at", "table__rated"))
    rows = list(found[0].union(*found[1:]))
    starts = min((start for start, at, _rated in rows if not at), default=None)
    _rated, latest = max(((rated, at) for _start, at, rated in rows if at), default=(False, None))
    return Listening(starts - LISTEN_BEFORE if starts is not None else None, latest)
