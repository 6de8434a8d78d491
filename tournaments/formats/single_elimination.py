"""The knock-out: whoever loses is out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from tournaments.formats.bracket import (
    BracketPart,
    BracketSpot,
    Comes,
    Node,
    Source,
    draw,
    places_for,
    resolve,
    upper_half,
)
from tournaments.formats.draw import Draw, PlayedRound


@cache
def drawing(entrants: int, *, third_place: bool = False) -> tuple[BracketSpot, ...]:
    """The matches for so many entrants; the last one is the final.

    Args:
        entrants: two or more. Places that are left over are byes of the best seeds.
        third_place: whether the losers of the semi-finals play for third place.
    """
    *spots, last = upper_half(places_for(entrants))
    if third_place and len(spots) > 1:
        semi_finals = [source.number for source in last.sources]
        one, other = (Source(Comes.LOSER, number) for number in semi_finals)
        spots.append(BracketSpot(BracketPart.THIRD_PLACE, 1, last.turn, (one, other)))
    return (*spots, BracketSpot(BracketPart.FINAL, 1, last.turn, last.sources))


def nodes(
    entrants: Sequence[int], history: Sequence[PlayedRound], *, third_place: bool = False
) -> list[Node]:
    """The bracket as far as it is played.

    Args:
        entrants: everybody who started, in seeding order.
        history: the rounds played; whoever left lost by forfeit.
        third_place: as the event says.

    Raises:
        ValueError: an entrant is named twice, a match was not due, or it has no winner.
    """
    return resolve(drawing(len(entrants), third_place=third_place), entrants, history)


def pair(
    entrants: Sequence[int], history: Sequence[PlayedRound], *, third_place: bool = False
) -> Draw:
    """Draws the next round, without matches when there is a winner; arguments as ``nodes``."""
    return draw(nodes(entrants, history, third_place=third_place))
