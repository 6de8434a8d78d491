"""The fixed movement: North stays, South moves down a table, East up one and West up two.

It does not depend on results, so everybody can be given a card for the whole evening. With four
players to a table:

- nobody partners another twice within as many rounds as there are tables;
- then everybody is back at their first table, South becomes East, East West and West South, so that
  nobody partners another twice within three times as many rounds.

With one, two or three players too many, as many of the lines that move have one more place, on the
bench. Each of their players comes to it in turn. Nobody partners another twice before the places
are dealt again: after as many rounds as there are tables, or one fewer with two players too many.
Those who have sat out least then come to the bench first, so sit-outs are always within one of each
other, and of several ways to deal the places that with the fewest repeated partners is taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from random import Random
from typing import Final, NamedTuple

from tournaments.formats.apart import NOBODY, Apart
from tournaments.formats.base import Stage
from tournaments.formats.draw import Draw, DrawnMatch, PlayedRound
from tournaments.formats.meetings import Meetings, meetings, partners_of, played
from tournaments.formats.sitting_out import sat_out

TABLE: Final = 4
NORTH, EAST, SOUTH, WEST = range(TABLE)
#: How many tables up each seat moves.
STEPS: Final = {NORTH: 0, EAST: 1, SOUTH: -1, WEST: 2}
#: The seats whose lines have a place on the bench, by how many players are too many.
BENCHED: Final = ((), (SOUTH,), (SOUTH, EAST), (SOUTH, EAST, WEST))
#: How often places are dealt in search of few repeated partners.
TRIES: Final = 24
#: How many rounds are looked at for that, so that it stays quick with a hundred tables.
LOOKED_AT: Final = 16


class Place(NamedTuple):
    """A card of the movement: a seat, and the table of its first round."""

    seat: int
    first: int


def draw(stage: Stage) -> Draw:
    """Return the next round; the movement begins again for those who stay when players change."""
    playing, history = stage.playing, stage.history
    since = len(history)
    while since and history[since - 1].present == set(playing):
        since -= 1
    rng = Random(f"{stage.seed} fixed movement {since}")  # noqa: S311 - anybody may draw it again
    rounds = len(history) - since + 1
    ahead = len(history) + stage.left - since
    return draws(playing, rounds, rng, history[:since], apart=stage.apart, ahead=ahead)[-1]


def draws(
    entrants: Sequence[int],
    rounds: int,
    rng: Random,
    history: Sequence[PlayedRound] = (),
    *,
    apart: Apart = NOBODY,
    ahead: int = LOOKED_AT,
) -> list[Draw]:
    """Draw the `rounds` rounds that follow `history`.

    ahead: how many there are in all for which players are kept `apart`, by the places they get.
    More rounds leave the first ones as they are. Raises ValueError for fewer than four entrants, or
    one named twice.
    """
    if len(entrants) < TABLE or len(set(entrants)) < len(entrants):
        raise ValueError(f"a movement needs four players or more, each once: {list(entrants)}")
    met = meetings(played(history))
    sat = {one: past.times for one, past in sat_out(entrants, history).items()}
    found: list[Draw] = []
    while len(found) < rounds:
        holder = _fewest_repeats(entrants, sat, met, rng, apart=apart, ahead=ahead - len(found))
        for drawn in islice(_rounds(holder), rounds - len(found)):
            found.append(drawn)
            for match in drawn.pairings:
                met.add(match)
            for one in drawn.sit_outs:
                sat[one] += 1
    return found


def _fewest_repeats(
    entrants: Sequence[int],
    sat: Mapping[int, int],
    met: Meetings,
    rng: Random,
    *,
    apart: Apart,
    ahead: int,
) -> dict[Place, int]:
    """Deal the places until no partners are repeated or the tries are used up.

    Players who are to be kept apart come before that: they change places with others who have sat
    out as often.
    """
    best, least = _dealt(entrants, sat, rng), (-1, -1)
    for _try in range(TRIES):
        if least == (0, 0):
            break
        holder = best if least[0] < 0 else _dealt(entrants, sat, rng)
        together = 0
        if apart.anybody:
            holder, together = _kept_apart(holder, sat, rng, apart, ahead)
        again = sum(
            met.partners[both]
            for drawn in islice(_rounds(holder), LOOKED_AT)
            for match in drawn.pairings
            for both in partners_of(match)
        )
        if least[0] < 0 or (together, again) < least:
            best, least = holder, (together, again)
    return best


def _kept_apart(
    holder: Mapping[Place, int], sat: Mapping[int, int], rng: Random, apart: Apart, ahead: int
) -> tuple[dict[Place, int], int]:
    """Return the places after exchanges, and how often those come together who are kept apart."""
    numbers = {place: number for number, place in enumerate(holder)}
    met = meetings(match for drawn in islice(_rounds(numbers), ahead) for match in drawn.pairings)
    order = list(holder.values())
    dealt = apart.dealt(order, met, rng, lambda one, other: sat[one] == sat[other])
    return dict(zip(holder, dealt, strict=True)), apart.numbered(dealt).times(met)


def _dealt(entrants: Sequence[int], sat: Mapping[int, int], rng: Random) -> dict[Place, int]:
    """Deal the places by lot, those that come to the bench first to who has sat out least."""
    tables, over = divmod(len(entrants), TABLE)
    order = sorted(rng.sample(entrants, len(entrants)), key=sat.__getitem__)
    places = sorted(_places(tables, over), key=lambda place: _sits_out_in(place, tables, over))
    return dict(zip(places, order, strict=True))


def _rounds(holder: Mapping[Place, int]) -> Iterator[Draw]:
    """Yield the rounds until the places are dealt again."""
    tables, over = divmod(len(holder), TABLE)
    for times in range(1 if over else TABLE - 1):
        turned = _turned(holder, times)
        yield from (_round(turned, tables, over, at) for at in range(_length(tables, over)))


def _length(tables: int, over: int) -> int:
    """Return after how many rounds seats change or, with a bench, places are dealt again."""
    return max(1, tables - 1) if over == 2 else tables


def _places(tables: int, over: int) -> Iterator[Place]:
    return (
        Place(seat, first)
        for seat in range(TABLE)
        for first in range(_size(seat, tables, over))
    )  # fmt: skip


def _size(seat: int, tables: int, over: int) -> int:
    """Return how many places the line of a seat has, with the bench."""
    return tables + (seat in BENCHED[over])


def _turned(holder: Mapping[Place, int], times: int) -> dict[Place, int]:
    """Return who holds which place once South, East and West have changed so many times."""
    moving = (SOUTH, EAST, WEST)
    turned = dict(zip(moving, moving[times:] + moving[:times], strict=True)) | {NORTH: NORTH}
    return {Place(turned[place.seat], place.first): one for place, one in holder.items()}


def _table(place: Place, tables: int, over: int, number: int) -> int:
    """Return the table of a place in a round, both from 0; `tables` is the bench.

    In a line with an even number of places, moving by two would come to half of them only, so West
    moves by three once, halfway, if it has a bench.
    """
    size = _size(place.seat, tables, over)
    moved = STEPS[place.seat] * number
    if place.seat == WEST and size > tables and size % 2 == 0:
        moved += number // (size // 2)
    return (place.first + moved) % size


def _sits_out_in(place: Place, tables: int, over: int) -> int:
    """Return the round in which a place first comes to the bench; never is after all rounds."""
    rounds = range(_length(tables, over))
    return next(
        (number for number in rounds if _table(place, tables, over, number) == tables), len(rounds)
    )


def _round(holder: Mapping[Place, int], tables: int, over: int, number: int) -> Draw:
    seated: list[dict[int, int]] = [{} for _table in range(tables)]
    bench = []
    for place, one in holder.items():
        at = _table(place, tables, over, number)
        if at == tables:
            bench.append(one)
        else:
            seated[at][place.seat] = one
    return Draw(
        tuple(
            DrawnMatch(at, ((table[NORTH], table[SOUTH]), (table[EAST], table[WEST])))
            for at, table in enumerate(seated, start=1)
        ),
        tuple(bench),
    )
