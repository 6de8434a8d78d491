"""The input and output of every format, and results by entrant and round.

An entrant is a number: a player in the individual formats, a partnership in the others. Lists of
entrants are in seeding order, the best first.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple


class DrawnMatch(NamedTuple):
    """A match of a round.

    Attributes:
        table: its table; 1 is the head table.
        sides: the entrants of both sides, north-south first: two players each in the individual
            formats, one partnership each in the others.
    """

    table: int
    sides: tuple[tuple[int, ...], tuple[int, ...]]

    @property
    def entrants(self) -> tuple[int, ...]:
        """Everybody in it."""
        return self.sides[0] + self.sides[1]


class Draw(NamedTuple):
    """A round to be played. `sit_outs` are byes in the formats of partnerships."""

    pairings: tuple[DrawnMatch, ...]
    sit_outs: tuple[int, ...] = ()


class PlayedMatch(NamedTuple):
    """A match that was played.

    Attributes:
        pairing: the match.
        winner: the winning side, 0 or 1, or -1 for a tie.
        points, lone_hands: points and lone marches of both sides.
        forfeit: whether it was not played, so that the event's rule gives the winner.
    """

    pairing: DrawnMatch
    winner: int
    points: tuple[int, int] = (0, 0)
    lone_hands: tuple[int, int] = (0, 0)
    forfeit: bool = False


class PlayedRound(NamedTuple):
    """A round that was played."""

    matches: tuple[PlayedMatch, ...]
    sit_outs: tuple[int, ...] = ()

    @property
    def present(self) -> set[int]:
        """Everybody who was in the round."""
        return {one for match in self.matches for one in match.pairing.entrants} | {*self.sit_outs}


class EntrantTurn(NamedTuple):
    """What an entrant did in one round; the defaults mean that they were absent.

    Attributes:
        half_wins: 2 for a win, 1 for a tie; what a sit-out is worth depends on the event.
        opponents: whom they were drawn against.
        available: whether they were there to be drawn, and did not forfeit.
        played: whether the match was played.
        sat_out: whether they were given no match.
        difference: points scored minus points lost.
        lone_hands: lone marches of their side.
    """

    half_wins: int | Fraction = 0
    opponents: tuple[int, ...] = ()
    available: bool = False
    played: bool = False
    sat_out: bool = False
    difference: int | Fraction = 0
    lone_hands: int | Fraction = 0


ABSENT = EntrantTurn()
SAT_OUT = EntrantTurn(available=True, sat_out=True)


def turns_of(rounds: Sequence[PlayedRound]) -> dict[int, list[EntrantTurn]]:
    """Return everybody's turns, one for each round, in the order in which entrants first appear.

    Raises:
        ValueError: an entrant is in a round twice.
    """
    turns: dict[int, list[EntrantTurn]] = {}
    for number, played in enumerate(rounds):
        found = [
            (entrant, _turn(match, side))
            for match in played.matches
            for side in (0, 1)
            for entrant in match.pairing.sides[side]
        ]
        for entrant, turn in found + [(entrant, SAT_OUT) for entrant in played.sit_outs]:
            mine = turns.setdefault(entrant, [ABSENT] * len(rounds))
            if mine[number] is not ABSENT:
                raise ValueError(f"entrant {entrant} is twice in round {number + 1}")
            mine[number] = turn
    return turns


def _turn(match: PlayedMatch, side: int) -> EntrantTurn:
    """Return a side's turn. A forfeit counts only as a win or a loss; with no winner, both lose."""
    won = match.winner == side
    opponents = match.pairing.sides[1 - side]
    if match.forfeit:
        return EntrantTurn(half_wins=2 if won else 0, opponents=opponents, available=won)
    return EntrantTurn(
        half_wins=2 if won else 1 if match.winner == -1 else 0,
        opponents=opponents,
        available=True,
        played=True,
        difference=match.points[side] - match.points[1 - side],
        lone_hands=match.lone_hands[side],
    )
