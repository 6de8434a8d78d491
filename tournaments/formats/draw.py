"""The values every format takes and gives, and the results read entrant by entrant.

An entrant is a number: a player in the individual formats, a partnership in the others. The list
of entrants is in seeding order, the best first.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple


class DrawnMatch(NamedTuple):
    """A match of a round.

    Attributes:
        table: its table, 1 for the head table.
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
    """A round to be played.

    Attributes:
        pairings: the matches, by table.
        sit_outs: who does not play: a bye in the formats of partnerships.
    """

    pairings: tuple[DrawnMatch, ...]
    sit_outs: tuple[int, ...] = ()


class PlayedMatch(NamedTuple):
    """A match that was played.

    Attributes:
        pairing: the match.
        winner: 0 or 1, the side that won it, or -1 for a tie.
        points: what both sides scored.
        lone_hands: lone marches of both sides.
        forfeit: it was not played: the winner is given by the event's rule.
    """

    pairing: DrawnMatch
    winner: int
    points: tuple[int, int] = (0, 0)
    lone_hands: tuple[int, int] = (0, 0)
    forfeit: bool = False


class PlayedRound(NamedTuple):
    """A round that was played.

    Attributes:
        matches: its matches.
        sit_outs: who did not play.
    """

    matches: tuple[PlayedMatch, ...]
    sit_outs: tuple[int, ...] = ()

    @property
    def present(self) -> set[int]:
        """Everybody who was there."""
        return {one for match in self.matches for one in match.pairing.entrants} | {*self.sit_outs}


class EntrantTurn(NamedTuple):
    """What an entrant did in one round; as it stands, that they were absent.

    Attributes:
        half_wins: 2 for a win, 1 for a tie; what a sit-out counts is for the event to say.
        opponents: whom they were drawn against.
        available: they could be drawn: not absent, and no forfeit of their own.
        played: the match was played.
        sat_out: they were given no match.
        difference: points scored less points lost.
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
    """Everybody's turns, one for each round, in the order of their first appearance.

    Args:
        rounds: all that was played, in order.

    Raises:
        ValueError: somebody is twice in a round.
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
    """A side's turn; of a forfeit nothing counts but the win, and with no winner both have lost."""
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
