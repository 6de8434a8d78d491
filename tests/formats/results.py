"""Rounds with results, for the tests of formats and standings."""

from collections.abc import Sequence
from random import Random

from tournaments.formats.draw import Draw, DrawnMatch, PlayedMatch, PlayedRound

TIE = -1


def match(
    north: int, south: int, points: tuple[int, int], lone_hands: tuple[int, int] = (0, 0)
) -> PlayedMatch:
    """A match of two partnerships at its points."""
    return PlayedMatch(DrawnMatch(1, ((north,), (south,))), winner_at(points), points, lone_hands)


def winner_at(points: tuple[int, int]) -> int:
    """Which side has won at these points."""
    return TIE if points[0] == points[1] else int(points[1] > points[0])


def forfeit(winner: int, loser: int) -> PlayedMatch:
    """A match that one side did not come to."""
    return PlayedMatch(DrawnMatch(1, ((winner,), (loser,))), 0, forfeit=True)


def played(draw: Draw, rng: Random) -> PlayedRound:
    """A draw with random results: wins, some ties, now and then a forfeit by one side or both."""
    matches = (
        PlayedMatch(pairing, rng.choice((0, 0, 0, 1, 1, 1, TIE)), forfeit=rng.random() < 0.1)
        for pairing in draw.pairings
    )
    return PlayedRound(tuple(matches), draw.sit_outs)


def random_round(teams: Sequence[int], rng: Random) -> PlayedRound:
    """Partnerships drawn at random, the last sitting out if their number is odd."""
    order = rng.sample(teams, len(teams))
    pairs = zip(order[::2], order[1::2], strict=False)
    pairings = tuple(DrawnMatch(table, ((a,), (b,))) for table, (a, b) in enumerate(pairs, start=1))
    return played(Draw(pairings, tuple(order[2 * len(pairings) :])), rng)


def decided(draw: Draw, rng: Random, better: float = 0.5) -> PlayedRound:
    """A draw with a winner of each match: with a chance of ``better`` the lower number's side."""
    matches = []
    for pairing in draw.pairings:
        lower = 0 if pairing.sides[0] < pairing.sides[1] else 1
        winner = lower if rng.random() < better else 1 - lower
        matches.append(PlayedMatch(pairing, winner, (10, 5) if winner == 0 else (5, 10)))
    return PlayedRound(tuple(matches), draw.sit_outs)


def present(draw: Draw) -> list[int]:
    """Everybody who plays or sits out, by number."""
    return sorted([one for each in draw.pairings for one in each.entrants] + [*draw.sit_outs])


def tables_of(draw: Draw) -> str:
    """A draw in a line: ``1+2 v 3+4, 5+6 v 7+8; 9 out``."""
    matches = ", ".join(
        " v ".join("+".join(map(str, side)) for side in pairing.sides) for pairing in draw.pairings
    )
    return f"{matches}; {' '.join(map(str, draw.sit_outs))} out" if draw.sit_outs else matches


def spread_of_sit_outs(entrants: Sequence[int], draws: Sequence[Draw | PlayedRound]) -> int:
    """By how much the sit-outs of any two differ at most."""
    sat = [sum(entrant in each.sit_outs for each in draws) for entrant in entrants]
    return max(sat) - min(sat)
