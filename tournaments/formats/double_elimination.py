"""The knock-out in which the second lost match puts out, with a bracket reset.

Losers of the winners' rounds drop into the losers' rounds, in an order turned round from one
drop to the next so that those who have met do not soon meet again. If the final is won by
whoever came through the losers' rounds, both have lost once and play again: the reset.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

from tournaments.formats.bracket import (
    BracketPart,
    BracketSpot,
    Comes,
    Node,
    Source,
    adjacent,
    draw,
    places_for,
    resolve,
    upper_half,
)
from tournaments.formats.draw import Draw, PlayedRound


@cache
def drawing(entrants: int) -> tuple[BracketSpot, ...]:
    """The matches for so many entrants: winners' and losers' rounds, the final, the reset.

    Args:
        entrants: two or more. Places that are left over are byes of the best seeds.
    """
    spots = upper_half(places_for(entrants))
    winners_final = len(spots) - 1
    rounds = spots[winners_final].round
    left = _losers(spots, 1)
    for dropped in range(2, rounds + 1):
        left = _played(spots, 2 * dropped - 3, adjacent(left))
        # The order of a drop: backwards, then halves exchanged, then each half backwards, and on.
        sources = _losers(spots, dropped)
        half = len(sources) // 2
        first, second = sources[:half], sources[half:]
        dropping = (second[::-1] + first[::-1], second + first, first[::-1] + second[::-1])[
            (dropped - 2) % 3
        ]
        left = _played(spots, 2 * dropped - 2, zip(dropping, left, strict=True))
    final = len(spots)
    spots.append(
        BracketSpot(
            BracketPart.FINAL, 1, 2 * rounds, (Source(Comes.WINNER, winners_final), left[0])
        )
    )
    again = (Source(Comes.WINNER, final), Source(Comes.BEATEN_FIRST, final))
    return (*spots, BracketSpot(BracketPart.RESET, 1, 2 * rounds + 1, again))


def nodes(entrants: Sequence[int], history: Sequence[PlayedRound]) -> list[Node]:
    """The bracket as far as it is played.

    Args:
        entrants: everybody who started, in seeding order.
        history: the rounds played; whoever left lost by forfeit.

    Raises:
        ValueError: an entrant is named twice, a match was not due, or it has no winner.
    """
    return resolve(drawing(len(entrants)), entrants, history)


def pair(entrants: Sequence[int], history: Sequence[PlayedRound]) -> Draw:
    """Draws the next round, without matches when there is a winner; arguments as ``nodes``."""
    return draw(nodes(entrants, history))


def _played(
    spots: list[BracketSpot], number: int, matches: Iterable[tuple[Source, Source]]
) -> list[Source]:
    """Adds a losers' round; its winners."""
    start = len(spots)
    spots += [BracketSpot(BracketPart.LOSERS, number, number + 1, both) for both in matches]
    return [Source(Comes.WINNER, at) for at in range(start, len(spots))]


def _losers(spots: Sequence[BracketSpot], number: int) -> list[Source]:
    """The losers of a winners' round."""
    return [
        Source(Comes.LOSER, at)
        for at, spot in enumerate(spots)
        if spot.part is BracketPart.WINNERS and spot.round == number
    ]
