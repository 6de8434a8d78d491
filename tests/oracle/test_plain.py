"""Random whole games in the engine and in the plain rules, compared at every step.

Both are given the same packs and the same words; who is asked, what they may say, trump, makers,
hands, tricks, points and the end must agree. A difference is for the printed rules to settle.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest

from games.engine.actions import parse_action
from games.engine.cards import SUITS, UNNAMED, card_text, cards_in, parse_card
from games.engine.deal import Deal
from games.engine.game import Game
from games.engine.observation import CUTTING
from games.engine.rules import CLASSIC_24, DEALER_MAKES, HEADS_UP, JOKER_33, RULE_SETS, RuleSet
from tests.oracle import plain
from tests.volume import volume

#: Games of each published rule set, and of each variant.
GAMES = volume(50, 250, 40_000)
VARIED = volume(25, 25, 4_000)
CLASSIC, JOKER, TWO = (plain.PUBLISHED[key] for key in ("classic-24", "joker-33", "heads-up"))

#: The published rule sets, and what the sources or the rules offer as an option.
COMPARED = {
    **{key: (RULE_SETS[key], rules) for key, rules in plain.PUBLISHED.items()},
    "the dealer may not pass, of two": (
        replace(HEADS_UP, stick_the_dealer=True),
        replace(TWO, stick=True),
    ),
    "four points without a trick, the deal stays": (
        replace(HEADS_UP, skunk=4, dealer_stays=True),
        replace(TWO, no_tricks=4, same_dealer=True),
    ),
    "a joker turned up makes": (
        replace(JOKER_33, pack=25, joker_turned_up=DEALER_MAKES),
        replace(JOKER, lowest="9", joker_makes=True),
    ),
    "eight deals, thirty-two cards": (
        replace(CLASSIC_24, pack=32, target=None, deals=8),
        replace(CLASSIC, lowest="7", target=None, deals=8),
    ),
    "deals of a duplicate round": (
        replace(CLASSIC_24, target=None, deals=8, thrown_in_counts=True),
        replace(CLASSIC, target=None, deals=8, pass_counts=True),
    ),
    "laid down when certain": (
        replace(CLASSIC_24, pack=28, lay_down=True),
        replace(CLASSIC, lowest="8", lay_down=True),
    ),
    "nobody alone": (replace(CLASSIC_24, alone=False), replace(CLASSIC, alone=False)),
}


def shuffled(rules: plain.Rules, seed: str) -> list[str]:
    """A pack in random order, one in five with the joker where the turn-up comes from."""
    rng = Random(seed)
    pack = plain.pack_of(rules)
    rng.shuffle(pack)
    if rules.joker and not rules.cut and rng.random() < 0.2:
        top, joker = rules.players * 5, pack.index("Jo")
        pack[top], pack[joker] = pack[joker], pack[top]
    return pack


def said_by(seat: int, choices: list[str], rng: Random) -> str:
    """A choice; half the time the first, a pass in the bidding, so that second rounds come up."""
    return choices[0] if seat >= 0 and rng.random() < 0.5 else rng.choice(choices)


def compare_table(game: Game, table: plain.Table) -> None:
    """What lies on the table, whoever is asked next."""
    deal = game.deal
    assert deal.dealer == table.dealer
    assert list(game.standing.score) == table.score
    assert ("" if deal.trump == UNNAMED else SUITS[deal.trump]) == table.trump
    assert (deal.maker, deal.alone) == (table.maker, table.alone)
    assert [(trick.winner, [card_text(card) for _, card in trick.plays]) for trick in deal.tricks] \
        == table.tricks  # fmt: skip
    if deal.phase != CUTTING:
        assert card_text(deal.turn_up) == table.turn_up
        compare_hands(deal, table.hands)


def compare_hands(deal: Deal, hands: list[list[str]]) -> None:
    """The cards in every hand."""
    for ours, theirs in zip(deal.hands, hands, strict=True):
        assert sorted(map(card_text, cards_in(ours))) == sorted(theirs)


def compare_game(rules: RuleSet, plainly: plain.Rules, seed: str) -> Iterator[str]:
    """Plays one game in both and yields every word said."""
    rng = Random(seed)
    dealer = rng.randrange(rules.players)
    table = plain.Table(plainly, dealer, lambda number: shuffled(plainly, f"{seed} {number}"))
    game = Game(rules, dealer, lambda number: [*map(parse_card, table.packs(number))])
    talk = plain.whole_game(table)
    asked = next(talk, None)
    while asked:
        seat, choices = asked
        assert game.turn == seat
        assert sorted(map(str, game.legal_actions())) == sorted(choices)
        said = said_by(seat, choices, rng)
        yield said
        game.push(parse_action(said), seat if seat >= 0 else None)
        try:
            asked = talk.send(said)
        except StopIteration:
            asked = None
        compare_table(game, table)
    compare_end(game, table)


def compare_end(game: Game, table: plain.Table) -> None:
    """The end of the game: both know it, and who won."""
    assert game.standing.over
    assert not game.legal_actions()
    north, east = table.score
    assert game.standing.winner == (-1 if north == east else int(east > north))
    assert game.standing.deals_counted == table.counted
    assert len(game.records) == table.deal + 1


@pytest.mark.parametrize("key", COMPARED)
def test_a_game_is_the_same_in_the_plain_rules(key: str) -> None:
    rules, plainly = COMPARED[key]
    assert sorted(map(card_text, rules.pack_in_order())) == sorted(plain.pack_of(plainly))
    heard: set[str] = set()
    for number in range(GAMES if key in RULE_SETS else VARIED):
        heard.update(compare_game(rules, plainly, f"{key} {number}"))
    for word, possible in {
        "cut 4": plainly.cut,
        "name H": plainly.joker,
        "order alone": plainly.alone,
        "make S": True,
        "pass": True,
        "play Jo": plainly.joker,
    }.items():
        assert (word in heard) is possible
