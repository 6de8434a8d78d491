"""How fast the solver is: ``python -m tests.load.solver_speed``.

House players bid random deals of every published rule set; what is solved are the openings, all
cards in the hands. It prints openings a second for plain alpha-beta and for the solver: the tricks,
the points, and the points of each card that may be led. The time is that of the processor.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from time import process_time

from games.bots import house
from games.engine.deal import Deal
from games.engine.observation import PLAYING
from games.engine.rules import RULE_SETS, RuleSet
from games.engine.solver import Position, best_points, best_tricks, points_by_card
from tests.load.engine_speed import shuffled_packs
from tests.oracle import alpha_beta


def openings(rules: RuleSet, count: int, seed: int) -> list[Position]:
    """Return positions before the first lead; deals that are thrown in are left out."""
    rng = Random(seed)
    found: list[Position] = []
    while len(found) < count:
        (pack,) = shuffled_packs(rules, 1, rng)
        deal = Deal.from_pack(rules, rng.randrange(rules.players), pack)
        while deal.phase != PLAYING and deal.result is None:
            deal.push(house.choose(deal.observe(deal.turn), rng))
        if deal.phase == PLAYING:
            found.append(Position.of(deal.observe(), deal.hands))
    return found


def a_second(solve: Callable[[Position], object], positions: Sequence[Position]) -> float:
    """Return how many of these positions are solved in a second."""
    started = process_time()
    for position in positions:
        solve(position)
    return len(positions) / (process_time() - started)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Measures the solver.")
    parser.add_argument("--deals", type=int, default=2000, help="openings the solver gets")
    parser.add_argument("--plain", type=int, default=50, help="how many alpha-beta gets of them")
    asked = parser.parse_args()
    print(f"{'openings/s':<18}{'alpha-beta':>12}{'tricks':>10}{'points':>10}{'points by card':>16}")
    for rules in RULE_SETS.values():
        positions = openings(rules, asked.deals, seed=1)
        plain = a_second(alpha_beta.best_tricks, positions[: asked.plain])
        tricks = a_second(best_tricks, positions)
        points = a_second(partial(best_points, rules), positions)
        by_card = a_second(partial(points_by_card, rules), positions)
        print(f"{rules.key:<18}{plain:>12,.0f}{tricks:>10,.0f}{points:>10,.0f}{by_card:>16,.0f}")


if __name__ == "__main__":
    main()
