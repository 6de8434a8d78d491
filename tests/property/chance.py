"""Games, deals and rule sets by chance, each from its seed."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hypothesis import strategies as st

from games.engine.actions import Action
from games.engine.deal import Deal
from games.engine.game import Game
from games.engine.rules import DEALER_MAKES, DEALER_NAMES, HAND, PACKS, RULE_SETS, RuleSet
from tests.volume import scaled


def random_rules(rng: Random) -> RuleSet:
    """A house rule set within the bounds, every field by chance."""
    four = rng.random() < 0.7
    pack = rng.choice(list(PACKS))
    by_target = rng.random() < 0.7
    made, alone_made, euchre = (rng.randint(1, 5) for _ in range(3))
    return RuleSet(
        key=f"house-{rng.randrange(1000)}",
        name=rng.choice(["House", "Club – Löwen", 'The "Nine"', "# 1"]),
        players=4 if four else 2,
        pack=pack,
        cut=rng.random() < 0.5,
        packets=_packets(rng),
        stick_the_dealer=rng.random() < 0.4,
        alone=four and rng.random() < 0.8,
        dealer_stays=rng.random() < 0.5,
        joker_turned_up=rng.choice([DEALER_NAMES, DEALER_MAKES])
        if PACKS[pack][1]
        else DEALER_NAMES,
        lay_down=rng.random() < 0.5,
        made=made,
        march=rng.randint(made, 10),
        alone_made=alone_made,
        alone_march=rng.randint(alone_made, 10),
        euchre=euchre,
        skunk=rng.choice([euchre, rng.randint(euchre, 10)]),
        target=rng.randint(1, 20) if by_target else None,
        deals=None if by_target else rng.randint(1, 8),
    )


def _packets(rng: Random) -> tuple[int, ...]:
    sizes: list[int] = []
    while sum(sizes) < HAND:
        sizes.append(rng.randint(1, HAND - sum(sizes)))
    return tuple(sizes)


#: Rule sets for hypothesis, which finds a simple one that fails.
rule_sets = st.randoms(use_true_random=False).map(random_rules)

#: A rule set for each seed: the published ones by name, or another house rule set each time.
SOURCES = [*RULE_SETS, "house rules"]


def rules_of(source: str, rng: Random) -> RuleSet:
    """The published rule set of that key, or one by chance."""
    return RULE_SETS[source] if source in RULE_SETS else random_rules(rng)


def shuffled_pack(rules: RuleSet, rng: Random) -> tuple[int, ...]:
    """A pack in random order; a joker is turned up more often than by chance."""
    pack = list(rules.pack_in_order())
    rng.shuffle(pack)
    if rules.joker and not rules.cut and rng.random() < 0.2:
        top = rules.players * HAND
        joker = pack.index(32)
        pack[top], pack[joker] = pack[joker], pack[top]
    return tuple(pack)


def random_deal(rules: RuleSet, rng: Random) -> Deal:
    """A deal from a random pack, nothing done yet."""
    return Deal.from_pack(rules, rng.randrange(rules.players), shuffled_pack(rules, rng))


def random_game(rules: RuleSet, seed: str) -> Game:
    """A game whose packs follow from a seed, nothing done yet."""
    first_dealer = Random(seed).randrange(rules.players)
    return Game(
        rules, first_dealer, lambda number: shuffled_pack(rules, Random(f"{seed} {number}"))
    )


def random_action(state: Deal | Game, rng: Random) -> Action:
    """A legal action by chance; a pass half the time, or few deals would see a second round."""
    legal = state.legal_actions()
    return legal[0] if rng.random() < 0.5 else rng.choice(legal)


def seeded(source: str, games: int) -> Iterator[tuple[RuleSet, str]]:
    """Rule sets with a seed each, so many in CI; house rule sets differ from one to the next."""
    for number in range(scaled(games)):
        seed = f"{source} {number}"
        yield rules_of(source, Random(seed)), seed
