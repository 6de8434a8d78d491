"""The input and output of every format, and results by entrant and round.

An entrant is a number: a player in the individual formats, a partnership in the others. Lists of
entrants are in seeding order, the best first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

Scores = tuple[Fraction, ...]


class DrawnMatch(NamedTuple):
    """A match of a round; table 1 is the head table, and north-south is the first side."""

    table: int
    sides: tuple[tuple[int, ...], tuple[int, ...]]

    @property
    def entrants(self) -> tuple[int, ...]:
        return self.sides[0] + self.sides[1]


class Draw(NamedTuple):
    """A round to be played. `sit_outs` are byes in the formats of partnerships."""

    pairings: tuple[DrawnMatch, ...]
    sit_outs: tuple[int, ...] = ()

    def exchanged(self, instead: Mapping[int, int]) -> Draw:
        """Return the draw with others in the places of some."""

        def those(people: tuple[int, ...]) -> tuple[int, ...]:
            return tuple(instead.get(one, one) for one in people)

        matches = [
            match._replace(sides=(those(match.sides[0]), those(match.sides[1])))
            for match in self.pairings
        ]
        return Draw(tuple(matches), those(self.sit_outs))


class PlayedMatch(NamedTuple):
    """A match that was played; `winner` is 0, 1 or -1 for a tie, and a forfeit was not played.

    `scores` are those of each side by deal in a duplicate event; see `comparison`.
    """

    pairing: DrawnMatch
    winner: int
    points: tuple[int, int] = (0, 0)
    lone_hands: tuple[int, int] = (0, 0)
    forfeit: bool = False
    scores: tuple[Scores, Scores] = ((), ())


class PlayedRound(NamedTuple):
    matches: tuple[PlayedMatch, ...]
    sit_outs: tuple[int, ...] = ()

    @property
    def present(self) -> set[int]:
        return {one for match in self.matches for one in match.pairing.entrants} | {*self.sit_outs}


class EntrantTurn(NamedTuple):
    """What an entrant did in one round; the defaults mean that they were absent.

    A win is 2 half wins, a tie 1; what a sit-out is worth depends on the event. `available` says
    whether they were there to be drawn, and did not forfeit.
    """

    half_wins: int | Fraction = 0
    opponents: tuple[int, ...] = ()
    available: bool = False
    played: bool = False
    sat_out: bool = False
    difference: int | Fraction = 0
    lone_hands: int | Fraction = 0
    scores: Scores = ()


ABSENT = EntrantTurn()
SAT_OUT = EntrantTurn(available=True, sat_out=True)


def turns_of(rounds: Sequence[PlayedRound]) -> dict[int, list[EntrantTurn]]:
    """Return everybody's turns by round; raise ValueError if an entrant is in a round twice."""
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
        return EntrantTurn(
            half_wins=2 if won else 0,
            opponents=opponents,
            available=won,
            scores=match.scores[side],
        )
    return EntrantTurn(
        half_wins=2 if won else 1 if match.winner == -1 else 0,
        opponents=opponents,
        available=True,
        played=True,
        difference=match.points[side] - match.points[1 - side],
        lone_hands=match.lone_hands[side],
        scores=match.scores[side],
    )
