"""How well the house player plays and bids, and how long it thinks.

Run ``python -m tests.load.bot_strength [pairs of deals]``. Every deal is played twice with the
sides swapped; rates of calls are those of house players among themselves.
"""

from __future__ import annotations

import sys
from random import Random
from statistics import median, quantiles
from time import perf_counter_ns

from games.bots import house, random_player
from games.engine.actions import Action
from games.engine.observation import Observation
from games.engine.rules import RULE_SETS, RuleSet
from tests.games.bots.house_at_play import duplicate


def row(rules: RuleSet, pairs: int) -> str:
    """One line of the table."""
    taken: list[int] = []

    def timed(observation: Observation, rng: Random) -> Action:
        before = perf_counter_ns()
        action = house.choose(observation, rng)
        taken.append(perf_counter_ns() - before)
        return action

    against = duplicate(rules, house.choose, random_player.choose, pairs)
    among = duplicate(rules, timed, timed, pairs)
    worst = quantiles(taken, n=100)[98]
    return (
        f"{rules.key:18}{against.points_per_deal:+8.3f} ±{against.error:.3f}"
        f"{among.made_good:8.1%}{1 - among.made_good:9.1%}{among.marched:8.1%}"
        f"{among.called_alone:8.1%}{among.thrown_in / among.deals:9.1%}"
        f"{median(taken) / 1e3:9.1f}{worst / 1e3:8.1f}{max(taken) / 1e3:8.1f}"
    )


def main(pairs: int) -> None:
    """Prints the table for the published rule sets."""
    print(f"{pairs} pairs of deals; points a deal against the random player; µs for a choice")
    print(
        f"{'rule set':18}{'points':>8}{'':7}{'made':>8}{'euchred':>9}{'march':>8}{'alone':>8}"
        f"{'thrown':>9}{'median':>9}{'p99':>8}{'max':>8}"
    )
    for rules in RULE_SETS.values():
        print(row(rules, pairs))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3000)
