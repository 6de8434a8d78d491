"""How long individuals take to seat: ``python -m tests.load.seating``.

Prints the milliseconds of each round of progressive and the seconds of a whole rotation; the time
is that of the processor.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from random import Random
from time import process_time

from tests.formats.results import decided
from tournaments.formats import progressive, rotation
from tournaments.formats.draw import PlayedRound
from tournaments.formats.meetings import meetings


def progressive_milliseconds(players: int, rounds: int, seed: int) -> list[float]:
    """What seating each round took, with all rounds before it as its history."""
    rng = Random(seed)
    history: list[PlayedRound] = []
    spent = []
    for _round in range(rounds):
        started = process_time()
        draw = progressive.pair(range(players), history, rng)
        spent.append(1000 * (process_time() - started))
        history.append(decided(draw, rng))
    return spent


def rotation_seconds(players: int, rounds: int, seed: int) -> tuple[float, int, int]:
    """What a rotation took, and its repeats of partners and of opponents."""
    started = process_time()
    draws = rotation.draws(range(players), rounds, Random(seed))
    spent = process_time() - started
    found = meetings(pairing for draw in draws for pairing in draw.pairings).repeats()
    return spent, len(found.partners), len(found.opponents)


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--players", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args(arguments)
    spent = progressive_milliseconds(asked.players, asked.rounds, asked.seed)
    print(f"progressive, {asked.players}:", *(f"{each:.1f}" for each in spent), "ms")
    seconds, partners, opponents = rotation_seconds(asked.players, asked.rounds, asked.seed)
    print(
        f"rotation, {asked.players} × {asked.rounds}: {seconds:.3f} s,"
        f" repeats: {partners} of partners, {opponents} of opponents"
    )


if __name__ == "__main__":
    main()
