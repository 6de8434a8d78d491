"""Tables in the room whose scores are written by phone."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from itertools import count
from typing import Any

from games.models import Player
from tests.tournaments import build
from tests.tournaments.build import NOON
from tournaments.models import Club, Event, Pairing, RoomTable, ScoreLine
from tournaments.room_scores import cards, writing
from tournaments.room_scores.cards import RoomCard
from tournaments.room_scores.writing import NewLine, Writer

Kind = ScoreLine.Kind
KEYS = count(1)
#: A phone of each side, without accounts.
NORTH, EAST = Writer("phone of north", None), Writer("phone of east", None)


def drawn(of: Club, entries: int = 4, **fields: Any) -> Event:
    """An event in the room whose first round is drawn: matches of two hands unless it is said."""
    usual = {"place": Event.Place.ROOM, "rounds": 2, "match": Event.Match.DEALS, "deals": 2}
    made = build.event(of, **{**usual, **fields})
    build.enter(made, entries)
    build.begin(made)
    return made


def table_of(event: Event, number: int = 1) -> RoomTable:
    return event.room_tables.select_related("event__club").get(number=number)


def match_of(event: Event, number: int = 1) -> Pairing:
    return build.latest(event).pairings.get(number=number)


def card_of(event: Event, number: int = 1) -> RoomCard:
    match = match_of(event, number)
    return cards.card_of(event, match, writing.lines_of(match))


def player_at(event: Event, side: int, number: int = 1) -> Player:
    """The first player of a side of a table."""
    line = match_of(event, number).entries.get(side=side, position=0)
    return line.entry.players.get(position=0).player


def new_key() -> str:
    return f"key-{next(KEYS):06}"


def send(
    event: Event,
    kind: str,
    values: Mapping[str, Any],
    *,
    at: int = 1,
    by: Writer = NORTH,
    side: int = 0,
    number: int = 0,
    seen: str = "",
    key: str = "",
    round_: int = 1,
    now: datetime = NOON,
    said: str = "",
    drawn: str = "",
) -> str:
    """Write a line; return its key."""
    line = NewLine(key or new_key(), kind, round_, side, number, seen, values, said, drawn)
    writing.write(table_of(event, at), line, by, now)
    return line.key


def hand(
    event: Event, number: int, caller: int, took: str = cards.MADE, *, alone: bool = False,
    defended: bool = False, **more: Any,
) -> str:  # fmt: skip
    values = {"caller": caller, "took": took, "alone": alone}
    values |= {"defended": True} if defended else {}
    return send(event, Kind.HAND, values, number=number, **more)


def game(
    event: Event, number: int, *points: int, lone: tuple[int, int] = (0, 0), **more: Any
) -> str:
    return send(
        event, Kind.GAME, {"points": list(points), "lone": list(lone)}, number=number, **more
    )


def sign(
    event: Event,
    *scores: tuple[int, int],
    side: int = 0,
    lone: tuple[int, int] | None = None,
    **more: Any,
) -> str:
    """Sign for a side, on its phone unless it is said; without lone marches as older pages do."""
    more.setdefault("by", EAST if side else NORTH)
    values: dict[str, Any] = {"scores": [list(one) for one in scores]}
    if lone is not None:
        values["lone"] = list(lone)
    return send(event, Kind.SIGN, values, side=side, **more)


def dispute(event: Event, side: int = 1, said: str = "", **more: Any) -> str:
    more.setdefault("by", EAST if side else NORTH)
    return send(event, Kind.DISPUTE, {}, side=side, said=said, **more)
