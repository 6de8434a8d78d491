"""Who did what in each round: the results, read entrant by entrant."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from tournaments.formats.draw import PlayedMatch, PlayedRound


class EntrantTurn(NamedTuple):
    """What an entrant did in one round; as it stands, that he was absent.

    Attributes:
        half_wins: 2 for a win, 1 for a tie; what a sit-out counts is for the event to say.
        opponents: whom he was drawn against.
        available: he could be drawn: not absent, and no forfeit of his own.
        played: the match was played.
        sat_out: he was given no match.
        difference: points scored less points lost.
        lone_hands: lone marches of his side.
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
