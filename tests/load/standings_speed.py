"""How long standings take: ``python -m tests.load.standings_speed``.

Plays a Swiss event with random pairings, corrects one result, and prints the milliseconds until the
standings with every tie-break are there again, as the median of several runs.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from random import Random
from statistics import median
from time import process_time

from tournaments.formats.draw import DrawnMatch, PlayedMatch, PlayedRound
from tournaments.formats.registry import FORMATS
from tournaments.formats.standings import draw_lots, standings


def random_round(teams: int, rng: Random) -> PlayedRound:
    """A round of everybody, one side at ten points in each match."""
    order = rng.sample(range(teams), teams)
    matches = []
    for table, (north, south) in enumerate(zip(order[::2], order[1::2], strict=False), start=1):
        pairing = DrawnMatch(table, ((north,), (south,)))
        matches.append(PlayedMatch(pairing, 0, (10, rng.randrange(10))))
    return PlayedRound(tuple(matches), tuple(order[2 * len(matches) :]))


def corrected(played: PlayedRound) -> PlayedRound:
    """The round with the other side the winner of its first match."""
    first = played.matches[0]
    turned = first._replace(winner=1 - first.winner, points=first.points[::-1])
    return played._replace(matches=(turned, *played.matches[1:]))


def milliseconds(teams: int, rounds: int, seed: int) -> float:
    """The time of the processor for the standings after a correction."""
    rng = Random(seed)
    history = [random_round(teams, rng) for _ in range(rounds)]
    lots = draw_lots(range(teams), rng)
    history[0] = corrected(history[0])
    started = process_time()
    standings(range(teams), history, FORMATS["swiss"].usual_order, lots)
    return 1000 * (process_time() - started)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the median."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--teams", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--runs", type=int, default=7)
    options = parser.parse_args(arguments)
    spent = [milliseconds(options.teams, options.rounds, seed) for seed in range(options.runs)]
    print(f"{options.teams} x {options.rounds}: {median(spent):.0f} ms")


if __name__ == "__main__":
    main()
