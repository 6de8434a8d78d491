"""Standings, computed each time from all results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import groupby
from random import Random
from types import MappingProxyType
from typing import Final, NamedTuple

from tournaments.formats.draw import ABSENT, EntrantTurn, PlayedRound, turns_of
from tournaments.formats.tie_breaks import CURRENT, WIN, Book, Edition, TieBreak

FULL_WIN = Fraction(1)
OWN_AVERAGE = None


class Missed(NamedTuple):
    """The rounds that a late entrant missed, and what each is worth in wins."""

    rounds: int
    worth: Fraction


NONE_MISSED: Final[Mapping[int, Missed]] = MappingProxyType({})


class EntrantStanding(NamedTuple):
    """An entrant's line; no two places are equal.

    `values` are in the event's order, the lot last; head-to-head is None for entrants who were tied
    with nobody when its turn came. `credit` is what their sit-outs are worth together, in wins.
    """

    place: int
    entrant: int
    values: dict[TieBreak, Fraction | None]
    credit: Fraction = Fraction()


def draw_lots(entrants: Sequence[int], rng: Random) -> dict[int, int]:
    """Draw a lot for everybody, to be stored with the event; 1 goes before 2.

    The order of `entrants` and the event's seed in `rng` make it reproducible.
    """
    drawn = rng.sample(entrants, len(entrants))
    return {entrant: lot for lot, entrant in enumerate(drawn, start=1)}


def standings(
    entrants: Sequence[int],
    rounds: Sequence[PlayedRound],
    order: Sequence[TieBreak],
    lots: Mapping[int, int],
    credit: Fraction | None = FULL_WIN,
    *,
    round_robin: bool = False,
    edition: Edition = CURRENT,
    missed: Mapping[int, Missed] = NONE_MISSED,
) -> list[EntrantStanding]:
    """Return the standings after some rounds; others, such as house players, may have played.

    `order` leaves out the lot, which is always last. `credit` is what a sit-out is worth in wins,
    with no point difference, or `OWN_AVERAGE`. In a round robin forfeits count as played. `missed`
    are the first rounds of late entrants. Raises ValueError if a tie-break is repeated, the lot is
    among them, or lots are missing or shared.
    """
    turns: dict[int, Sequence[EntrantTurn]] = {
        entrant: _credited(mine, credit) for entrant, mine in turns_of(rounds).items()
    }
    for entrant in entrants:
        turns.setdefault(entrant, [ABSENT] * len(rounds))
    for entrant, (count, worth) in missed.items():
        absent = ABSENT._replace(half_wins=_plain(worth * WIN))
        turns[entrant] = [absent] * min(count, len(rounds)) + list(turns[entrant][count:])
    return ranked(entrants, turns, order, lots, round_robin=round_robin, edition=edition)


def _credited(turns: Sequence[EntrantTurn], credit: Fraction | None) -> Sequence[EntrantTurn]:
    """Return the turns with what the sit-outs among them are worth."""
    if not any(turn.sat_out for turn in turns):
        return turns
    played = [turn for turn in turns if turn.played]
    count = len(played)
    if credit is not OWN_AVERAGE:
        worth = EntrantTurn(half_wins=_plain(credit * WIN))
    elif not played:
        worth = EntrantTurn()
    else:
        worth = EntrantTurn(
            half_wins=_plain(Fraction(sum(turn.half_wins for turn in played), count)),
            difference=_plain(Fraction(sum(turn.difference for turn in played), count)),
            lone_hands=_plain(Fraction(sum(turn.lone_hands for turn in played), count)),
        )
    credited = worth._replace(available=True, sat_out=True)
    return [credited if turn.sat_out else turn for turn in turns]


def _plain(number: Fraction) -> int | Fraction:
    """Return a whole number as an int, since adding ints is much faster."""
    return number.numerator if number.denominator == 1 else number


def ranked(
    entrants: Sequence[int],
    turns: Mapping[int, Sequence[EntrantTurn]],
    order: Sequence[TieBreak],
    lots: Mapping[int, int],
    *,
    round_robin: bool = False,
    edition: Edition = CURRENT,
) -> list[EntrantStanding]:
    """Return the standings of turns whose sit-outs have been credited; see `standings`."""
    if TieBreak.LOT in order or len(set(order)) < len(order):
        raise ValueError("each tie-break may be stated once, and the lot is always the last")
    if len({lots.get(entrant) for entrant in entrants} - {None}) < len(entrants):
        raise ValueError("each entrant must have a lot of its own")
    book = Book(turns, round_robin=round_robin, edition=edition)
    columns: dict[TieBreak, dict[int, Fraction]] = {}
    groups = [list(entrants)]
    for tie_break in order:
        if tie_break is TieBreak.HEAD_TO_HEAD:
            tied = [group for group in groups if len(group) > 1]
            columns[tie_break] = {
                k: v for group in tied for k, v in book.head_to_head(group).items()
            }
            groups = [part for group in groups for part in book.by_head_to_head(group)]
        else:
            column = {entrant: book.value(tie_break, entrant) for entrant in entrants}
            columns[tie_break] = column
            # Split each group by the value, the highest first.
            groups = [
                list(part)
                for group in groups
                for _, part in groupby(
                    sorted(group, key=column.__getitem__, reverse=True), key=column.__getitem__
                )
            ]
    columns[TieBreak.LOT] = {entrant: Fraction(lots[entrant]) for entrant in entrants}
    in_order = [entrant for group in groups for entrant in sorted(group, key=lots.__getitem__)]
    return [
        EntrantStanding(
            place,
            entrant,
            {which: column.get(entrant) for which, column in columns.items()},
            Fraction(sum(turn.half_wins for turn in turns[entrant] if turn.sat_out)) / WIN,
        )
        for place, entrant in enumerate(in_order, start=1)
    ]
