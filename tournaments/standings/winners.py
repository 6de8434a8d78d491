"""The winners of an event, for every page, letter, export, season and trophy.

Prizes are for people. House players are passed over unless the event says otherwise or only house
players have played; so is everybody who has withdrawn or never came to a table.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from tournaments.models import Entry, EntryPlayer, Event
from tournaments.models.entries import OUT

ENDINGS: Final = {1: "st", 2: "nd", 3: "rd"}


def ordinal(number: int) -> str:
    """Return a place in words: "1st", "12th", "23rd"."""
    ending = "th" if number % 100 in (11, 12, 13) else ENDINGS.get(number % 10, "th")
    return f"{number}{ending}"


class Placed(NamedTuple):
    """An entry with its place among all, which it may share.

    `out`: the state of one that has withdrawn, or never came to a table; else empty.
    """

    entry: int
    place: int
    house: bool
    out: str = ""


@dataclass(frozen=True, slots=True)
class PrizeOutcome:
    """The places for prizes in an event; `counted` entries include those that are out.

    Nobody has the first place if nobody is left, or both sides forfeited the final.
    """

    places: dict[int, int] = field(default_factory=dict)
    counted: frozenset[int] = frozenset()
    apart: bool = False
    out: frozenset[str] = frozenset()

    @property
    def unwon(self) -> str:
        """Why nobody has won; empty if somebody has, or nobody has a place."""
        if self.first or not self.counted:
            return ""
        if self.places:
            return "Nobody won: neither side came to the final."
        if self.out == {Entry.State.NO_SHOW}:
            return "Nobody won: nobody came to a table."
        how = "withdrew" if self.out == {Entry.State.WITHDRAWN} else "withdrew or never came"
        return f"Nobody won: everybody {how}."

    @property
    def first(self) -> list[int]:
        return [entry for entry, place in self.places.items() if place == 1]

    def place_of(self, entry: Entry) -> int | None:
        """Return an entry's place for prizes, or else its place among all."""
        return self.places.get(entry.pk, entry.place)

    @property
    def entrants_in_words(self) -> str:
        """How many can win: "14", or "38 people" where house players played too."""
        return f"{len(self.counted)}{' people' if self.apart else ''}"

    def finish(self, entry: int, place: int, entrants: int) -> str:
        """Return how an entry finished: "2nd of 14", "1st of 38 people"."""
        if entry not in self.places:
            return f"{ordinal(place)} of {entrants}"
        return f"{ordinal(self.places[entry])} of {self.entrants_in_words}"


#: The outcome of an event without places.
NO_OUTCOME: Final = PrizeOutcome()


def outcome(
    placed: Iterable[Placed], *, house_prizes: bool, all_places: Iterable[int] = ()
) -> PrizeOutcome:
    """Return the outcome for prizes; `placed` are all entries that have a place.

    all_places: the places of the whole event, where `placed` are only some of its entries.
    """
    every = list(placed)
    playing = [one for one in every if not one.out]
    # If all people have withdrawn nobody wins, since they took part.
    apart = not house_prizes and {one.house for one in every} == {True, False}
    able = [one for one in playing if not (apart and one.house)]
    ahead = sorted(one.place for one in able)
    # Of all entries fewer are ahead where nobody has won a place.
    all_ahead = sorted(all_places) or sorted(one.place for one in every)
    return PrizeOutcome(
        {
            one.entry: bisect_left(ahead, one.place) + one.place - bisect_left(all_ahead, one.place)
            for one in able
        },
        frozenset(one.entry for one in every if not (apart and one.house)),
        apart,
        frozenset(one.out for one in every if one.out and not one.house),
    )


def outcomes_of(events: Iterable[Event]) -> dict[int, PrizeOutcome]:
    """Return the outcome of each finished event by primary key, in one query."""
    finished = {event.pk: event for event in events if event.state == Event.State.FINISHED}
    if not finished:
        return {}
    placed: dict[int, list[Placed]] = defaultdict(list)
    rows = Entry.objects.filter(event__in=finished, place__isnull=False).order_by("place", "pk")
    for event, entry, place, house, state in rows.values_list(
        "event", "pk", "place", "house", "state"
    ):
        placed[event].append(Placed(entry, place or 0, house, state if state in OUT else ""))
    return {
        event: outcome(lines, house_prizes=finished[event].house_prizes)
        for event, lines in placed.items()
    }


def prize_places(event: Event) -> dict[int, int]:
    """Return the final places for prizes, by entry; none before an event is finished."""
    return outcomes_of([event]).get(event.pk, NO_OUTCOME).places


def names_of(outcomes: dict[int, PrizeOutcome]) -> dict[int, str]:
    """Return the winners' names by event, in one query."""
    first = {entry for one in outcomes.values() for entry in one.first}
    if not first:
        return {}
    names: dict[int, list[str]] = defaultdict(list)
    players = EntryPlayer.objects.filter(entry__in=first).order_by("position", "pk")
    for entry, name in players.values_list("entry", "player__name"):
        names[entry].append(name)
    return {
        event: ", ".join(" and ".join(names[entry]) for entry in sorted(one.first))
        for event, one in outcomes.items()
        if one.first
    }
