"""How fast the engine is: ``python -m tests.load.engine_speed``.

Plays random deals of every published rule set and prints, as medians of several runs, deals a
second with checked ``push`` and with unchecked ``apply``, and microseconds for one ``observe``.
The time is that of the processor, which other work on the machine disturbs little.

Where OpenSpiel is installed, the same packs of ``classic-24`` are also dealt and played by its
euchre, driven from Python, in the same process and turn by turn with ours; the ratios say how many
deals the engine plays while OpenSpiel plays one.
"""

from __future__ import annotations

import argparse
from importlib.util import find_spec
from random import Random
from statistics import median
from time import process_time

from games.engine.deal import Deal
from games.engine.rules import CLASSIC_24, HAND, RULE_SETS, RuleSet


def shuffled_packs(rules: RuleSet, count: int, rng: Random) -> list[tuple[int, ...]]:
    """So many packs in random order."""
    pack = rules.pack_in_order()
    return [tuple(rng.sample(pack, len(pack))) for _ in range(count)]


def deals_a_second(rules: RuleSet, deals: int, seed: int, *, checked: bool) -> float:
    """Plays random deals to their end; the shuffling is not counted, dealing and choosing are."""
    rng = Random(seed)
    packs = shuffled_packs(rules, deals, rng)
    started = process_time()
    for pack in packs:
        deal = Deal.from_pack(rules, 0, pack)
        do = deal.push if checked else deal.apply
        while legal := deal.legal_actions():
            do(legal[int(rng.random() * len(legal))])
    return deals / (process_time() - started)


def open_spiel_deals_a_second(deals: int, seed: int) -> float:
    """The same of OpenSpiel, from the same packs; naming its cards is not counted."""
    import pyspiel

    from tests.oracle.spiel import THEIRS

    rng = Random(seed)
    dealt = CLASSIC_24.players * HAND + 1
    packs = [
        [THEIRS[card] for card in pack[:dealt]] for pack in shuffled_packs(CLASSIC_24, deals, rng)
    ]
    game = pyspiel.load_game("euchre(stick_the_dealer=false)")
    started = process_time()
    for pack in packs:
        state = game.new_initial_state()
        state.apply_action(0)
        for card in pack:
            state.apply_action(card)
        while not state.is_terminal():
            legal = state.legal_actions()
            state.apply_action(legal[int(rng.random() * len(legal))])
    return deals / (process_time() - started)


def observe_microseconds(rules: RuleSet, deals: int, seed: int) -> float:
    """What one ``observe`` takes, over every seat and a spectator at every step of some deals."""
    rng = Random(seed)
    spent, observed = 0.0, 0
    viewers = (None, *range(rules.players))
    for pack in shuffled_packs(rules, deals, rng):
        deal = Deal.from_pack(rules, 0, pack)
        while legal := deal.legal_actions():
            started = process_time()
            for viewer in viewers:
                deal.observe(viewer)
            spent += process_time() - started
            observed += len(viewers)
            deal.push(legal[int(rng.random() * len(legal))])
    return 1e6 * spent / observed


def compare_with_open_spiel(deals: int, runs: int) -> None:
    """Prints how many deals both play in a second, in turn, and the ratios run by run."""
    theirs, pushed, applied = [], [], []
    for run in range(runs):
        theirs.append(open_spiel_deals_a_second(deals, run))
        pushed.append(deals_a_second(CLASSIC_24, deals, run, checked=True))
        applied.append(deals_a_second(CLASSIC_24, deals, run, checked=False))
    print(f"\nOpenSpiel, classic-24: {median(theirs):,.0f} deals/s")
    for name, ours in (("push", pushed), ("apply", applied)):
        ratio = median(one / other for one, other in zip(ours, theirs, strict=True))
        print(f"{name + ':':<7}{median(ours):>10,.0f} deals/s, {ratio:.2f} of OpenSpiel's")


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description="Measures the engine.")
    parser.add_argument("--deals", type=int, default=2000, help="random deals in a run")
    parser.add_argument("--runs", type=int, default=5, help="runs of which the median is printed")
    asked = parser.parse_args()
    runs = range(asked.runs)
    print(f"{'rule set':<18}{'push, deals/s':>15}{'apply, deals/s':>16}{'observe, µs':>13}")
    for rules in RULE_SETS.values():
        pushed = median(deals_a_second(rules, asked.deals, run, checked=True) for run in runs)
        applied = median(deals_a_second(rules, asked.deals, run, checked=False) for run in runs)
        observed = median(observe_microseconds(rules, asked.deals // 10, run) for run in runs)
        print(f"{rules.key:<18}{pushed:>15,.0f}{applied:>16,.0f}{observed:>13.2f}")
    if find_spec("pyspiel"):
        compare_with_open_spiel(asked.deals, asked.runs)


if __name__ == "__main__":
    main()
