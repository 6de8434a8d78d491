"""How long a Swiss round takes to pair: ``python -m tests.load.swiss_rounds``.

Plays some rounds of a large field, the better seed winning in three matches of four, and prints
the seconds of each pairing; the time is that of the processor.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from random import Random
from time import process_time

from tournaments.formats import swiss
from tournaments.formats.draw import Draw, PlayedMatch, PlayedRound


def played(draw: Draw, rng: Random) -> PlayedRound:
    """A round of a draw with results."""
    matches = []
    for pairing in draw.pairings:
        better = 0 if pairing.sides[0] < pairing.sides[1] else 1
        winner = better if rng.random() < 0.75 else 1 - better
        points = (10, rng.randrange(10))
        matches.append(PlayedMatch(pairing, winner, points if winner == 0 else points[::-1]))
    return PlayedRound(tuple(matches), draw.sit_outs)


def seconds_of_rounds(teams: int, rounds: int, seed: int) -> list[float]:
    """What each pairing of an event took."""
    rng = Random(seed)
    history: list[PlayedRound] = []
    spent = []
    for _ in range(rounds):
        started = process_time()
        draw = swiss.pair(range(teams), history, rng)
        spent.append(process_time() - started)
        history.append(played(draw, rng))
    return spent


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the seconds of each round for each number of teams."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("teams", nargs="*", type=int, default=[256, 1000, 2000])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    for teams in options.teams:
        spent = seconds_of_rounds(teams, options.rounds, options.seed)
        print(f"{teams} teams:", *(f"{seconds:.2f}" for seconds in spent), "s")


if __name__ == "__main__":
    main()
