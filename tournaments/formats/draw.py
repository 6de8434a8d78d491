"""The values every format takes and gives.

An entrant is a number: a player in the individual formats, a partnership in the others. The list
of entrants is in seeding order, the best first.
"""

from __future__ import annotations

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
