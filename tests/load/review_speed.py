"""How long a review takes, and whether its marks hold: ``python -m tests.load.review_speed``.

Games of ten deals are played by house players, of whose actions some are replaced by chance, and
by chance alone, and judged as the site does it. It prints seconds of the processor for one seat and
for all four, and of the marked decisions how many lose points against fresh worlds too: at all, as
much as the smallest mark takes, and as much as their own mark takes.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from random import Random
from time import process_time
from typing import NamedTuple

from games.bots import house, random_player
from games.bots.worlds import worlds
from games.engine.actions import NEXT_DEAL, Action
from games.engine.game import Game
from games.engine.observation import Observation
from games.engine.rules import RULE_SETS, STICK_THE_DEALER, RuleSet
from games.files.played import PlayedDeal, PlayedGame, standings
from games.review.decisions import SeatDecision, decisions
from games.review.judging import INACCURACY, MARKS, MIN_LOSS, Judgement, judge
from games.review.values import values_in

Chooser = Callable[[Observation, Random], Action]
#: How often an action of a house player is replaced by chance.
ASTRAY = 0.1


class Marked(NamedTuple):
    mark: str
    loss: float
    fresh: float


def astray(seen: Observation, rng: Random) -> Action:
    """Choose as a house player who is not always at their best."""
    return rng.choice(seen.legal) if rng.random() < ASTRAY else house.choose(seen, rng)


CHOOSERS: dict[str, Chooser] = {
    "house": house.choose, "house astray": astray, "random": random_player.choose,
}  # fmt: skip


def played(rules: RuleSet, rng: Random, deals: int, choose: Chooser) -> PlayedGame:
    """Play a game of so many deals, whatever the score."""
    hands = []
    for number in range(deals):
        pack = rng.sample(rules.pack_in_order(), rules.pack)
        game = Game(rules, number % rules.players, partial(_same, pack))
        while not game.records:
            game.push(NEXT_DEAL if game.between_deals else choose(game.observe(game.turn), rng))
        hands.append(game.deal)
    around = standings(rules, hands)
    whole = [PlayedDeal(deal, *both) for deal, both in zip(hands, around, strict=True)]
    return PlayedGame(rules, tuple("ABCD"[: rules.players]), tuple(whole))


def _same(pack: list[int], _number: int) -> list[int]:
    return pack


def held(decision: SeatDecision, verdict: Judgement, count: int) -> float:
    """Return how many points the best option gains over the one taken, in fresh worlds."""
    both, rng = (verdict.best, decision.taken), Random(f"fresh {decision.hand} {decision.step}")
    gained = 0
    for world in worlds(decision.seen, rng, count):
        values = values_in(decision.seen, world, both)
        gained += values[verdict.best] - values[decision.taken]
    return gained / count


def measure(rules: RuleSet, name: str, games: int, fresh: int) -> None:
    """Print a line for games by one kind of players."""
    rng, seats, total, marked = Random(1), [0.0] * rules.players, 0, []
    for number in range(games):
        for decision in decisions(played(rules, rng, 10, CHOOSERS[name])):
            began = process_time()
            seed = f"{number}/{decision.hand}/{decision.step}"
            verdict = judge(decision.seen, decision.taken, Random(seed))
            seats[decision.seat] += process_time() - began
            total += 1
            if verdict.mark:
                gain = held(decision, verdict, fresh)
                marked.append(Marked(verdict.mark, verdict.loss, gain))
    counts = " + ".join(str(sum(one.mark == mark for one in marked)) for mark in MARKS)
    limits = [(0.0, MIN_LOSS[INACCURACY], MIN_LOSS[one.mark]) for one in marked]
    shares = [
        sum(one.fresh > limit[at] for one, limit in zip(marked, limits, strict=True)) / len(marked)
        for at in range(3)
    ]
    told = sum(one.loss for one in marked) / len(marked)
    gained = sum(one.fresh for one in marked) / len(marked)
    print(
        f"{rules.key:<18}{name:<14}{max(seats) / games:>6.2f} s{sum(seats) / games:>7.2f} s"
        f"{total:>7} decisions, marked {len(marked)} ({counts}), of them lose: any "
        f"{shares[0]:.0%}, a mark's {shares[1]:.0%}, their mark's {shares[2]:.0%}; "
        f"mean {told:.2f}, fresh {gained:.2f}",
        flush=True,
    )


def main() -> None:
    """Print the table."""
    asks = argparse.ArgumentParser(description="Measures reviews.")
    asks.add_argument("--rules", default=STICK_THE_DEALER.key, choices=[*RULE_SETS, "all"])
    asks.add_argument("--players", default="all", choices=[*CHOOSERS, "all"])
    asks.add_argument("--games", type=int, default=10, help="games of ten deals")
    asks.add_argument("--fresh", type=int, default=600, help="fresh worlds for a marked decision")
    asked = asks.parse_args()
    print("Seconds of the processor for a game of ten deals: the slowest seat, all seats.")
    for key in RULE_SETS if asked.rules == "all" else [asked.rules]:
        for name in CHOOSERS if asked.players == "all" else [asked.players]:
            measure(RULE_SETS[key], name, asked.games, asked.fresh)


if __name__ == "__main__":
    main()
