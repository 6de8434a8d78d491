"""How strong the house players are, by duplicate deals against frozen opponents.

Run ``python -m tests.load.ladder``; ``--help`` lists its options. Every deal is played twice with
the sides swapped, and every pair of games with the same packs. Printed are points a deal, or the
share of games won, with their standard errors, how the player's calls did, and the milliseconds of
processor time of its decisions.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from math import sqrt
from random import Random
from statistics import fmean, median, quantiles, stdev
from time import process_time_ns
from typing import Final

from games.bots import levels, random_player
from games.engine.actions import Action
from games.engine.game import Game, Packs
from games.engine.observation import DISCARDING, FIRST_ROUND, PLAYING, SECOND_ROUND, Observation
from games.engine.rules import RULE_SETS, RuleSet
from tests.games.bots.house_at_play import CLUBS, Choose, duplicate, shuffled
from tests.load.opponents import house_2026, sampler, simple


def _of_level(level: str) -> Choose:
    return lambda observation, rng: levels.choose(level, observation, rng)


PLAYERS: Final[dict[str, Choose]] = {
    "random": random_player.choose,
    "simple": simple.choose,
    "house-2026": house_2026.choose,
    "sampler": sampler.choose,
    **{level: _of_level(level) for level in levels.LEVELS},
}


#: Those that are offered, and one for each rule of clubs.
RULES: Final = RULE_SETS | CLUBS


class Timed:
    """A player whose decisions are timed, by their kind."""

    def __init__(self, choose: Choose) -> None:
        self.choose = choose
        self.taken: dict[str, list[float]] = defaultdict(list)

    def __call__(self, observation: Observation, rng: Random) -> Action:
        before = process_time_ns()
        action = self.choose(observation, rng)
        if len(observation.legal) > 1:
            self.taken[_kind(observation)].append((process_time_ns() - before) / 1e6)
        return action

    def __str__(self) -> str:
        lines = [f"  {'ms of one core':18}{'median':>9}{'p95':>9}{'n':>9}"]
        for kind, taken in sorted(self.taken.items()):
            if len(taken) > 1:
                p95 = quantiles(taken, n=20)[18]
                lines.append(f"  {kind:18}{median(taken):9.2f}{p95:9.2f}{len(taken):9}")
        return "\n".join(lines)


def _kind(observation: Observation) -> str:
    if observation.phase == PLAYING:
        if not observation.tricks:
            return "later in trick 1" if observation.plays else "opening lead"
        return "later tricks"
    if observation.phase == FIRST_ROUND and not observation.calls:
        return "first bid"
    if observation.phase in (FIRST_ROUND, SECOND_ROUND):
        return "later bids"
    return "discard" if observation.phase == DISCARDING else "cut, joker's suit"


def row(rules: RuleSet, first: Choose, second: Choose, pairs: int, seed: int) -> str:
    """Return the line of one rule set: points a deal, and how the first player's calls did."""
    record = duplicate(rules, first, second, pairs, seed)
    return (
        f"{rules.key:18}{record.points_per_deal:+9.4f} ±{record.error:.4f}{pairs:8}"
        f"{record.made_good:9.1%}{record.marched:9.1%}{record.called_alone:9.1%}"
        f"{record.thrown_in / record.deals:9.1%}"
    )


def games_row(rules: RuleSet, first: Choose, second: Choose, pairs: int, seed: int) -> str:
    """Return the share of games to 10 that the first player's side wins."""
    won = [
        _won(replace(rules, target=10, deals=None), first, second, seed, number)
        for number in range(pairs)
    ]
    error = stdev(won) / sqrt(pairs)
    return f"{rules.key:18}{fmean(won):9.2%} ±{error:.2%}{pairs:8} pairs of games to 10"


def _won(rules: RuleSet, first: Choose, second: Choose, seed: int, number: int) -> float:
    """Play two games with the same packs, and return the share that the first player wins."""
    wins = 0
    for side in (0, 1):
        rng = Random(number)
        game = Game(rules, number % rules.players, _packs(rules, Random(f"{seed} {number}")))
        sides: Sequence[Choose] = (first, second) if side == 0 else (second, first)
        while not game.standing.over:
            player = sides[rules.side_of(max(game.turn, 0))]
            game.push(player(game.observe(max(game.turn, 0)), rng))
        wins += game.standing.winner == side
    return wins / 2


def _packs(rules: RuleSet, rng: Random) -> Packs:
    return lambda _: shuffled(rules, rng)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Measures house players.")
    parser.add_argument("--player", choices=PLAYERS, default=levels.STRONG)
    parser.add_argument("--against", choices=PLAYERS, nargs="+", default=["house-2026"])
    parser.add_argument("--rules", choices=RULES, nargs="+", default=list(RULE_SETS))
    parser.add_argument("--pairs", type=int, default=1000, help="pairs of deals, or of games")
    parser.add_argument("--games", action="store_true", help="games to 10 instead of deals")
    parser.add_argument("--seed", type=int, default=2026)
    asked = parser.parse_args()
    for against in asked.against:
        print(f"{asked.player} against {against}, seed {asked.seed}")
        if not asked.games:
            print(
                f"{'rule set':18}{'points':>9}{'':8}{'pairs':>8}{'made':>9}{'march':>9}{'alone':>9}"
                f"{'thrown':>9}"
            )
        for key in asked.rules:
            player = Timed(PLAYERS[asked.player])
            line = games_row if asked.games else row
            print(line(RULES[key], player, PLAYERS[against], asked.pairs, asked.seed))
            print(player, flush=True)


if __name__ == "__main__":
    main()
