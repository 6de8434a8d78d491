"""The engine and the plain rules beside each other, compared at every step of random games.

Both are given the same packs and the same words; who is asked, what they may say, who sits out,
trump, makers, hands, tricks, points, the next dealer and the end must agree. A difference is for
the printed rules to settle.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from games.engine.actions import parse_action
from games.engine.cards import TRUMP_TEXTS, card_text, cards_in, parse_card
from games.engine.deal import Deal
from games.engine.game import Game
from games.engine.observation import CUTTING
from games.engine.rules import RuleSet
from games.engine.scoring import FOLDED
from games.engine.seats import dealt_to
from tests.oracle import plain


def shuffled(rules: plain.Rules, seed: str) -> list[str]:
    """A pack in random order; if nobody cuts, rare beginnings come more often than by chance."""
    rng = Random(seed)
    pack = plain.pack_of(rules)
    rng.shuffle(pack)
    for card, place in zip(*rare(rules, pack, rng), strict=False) if not rules.cut else ():
        held = pack.index(card)
        pack[held], pack[place] = pack[place], pack[held]
    return pack


def rare(rules: plain.Rules, pack: list[str], rng: Random) -> tuple[list[str], list[int]]:
    """Cards and places for them: a joker up, a poor hand, or the dealer with only the suit up."""
    up, chance = rules.players * 5, rng.random()
    dealt = dealt_to(rules.players, tuple(rules.packets), rules.players - 1)
    if chance < 0.2:
        return [card for card in pack if card in plain.JOKERS], [up]
    if chance < 0.4 and rules.fold:
        poor = [card for card in pack if card[0] in "789T"]
        return poor, list(rng.choice(dealt))
    if chance < 0.5 and rules.own_trump:
        suit = rng.choice(plain.SUITS)
        same = [card for card in pack if card[1] == suit and card not in plain.JOKERS]
        return same, [up, *dealt[-1]]
    return [], []


def said_by(seat: int, choices: list[str], rng: Random) -> str:
    """A choice; half the time the first, a pass in the bidding, so that second rounds come up."""
    return choices[0] if seat >= 0 and rng.random() < 0.5 else rng.choice(choices)


def compare_table(game: Game, table: plain.Table) -> None:
    """What lies on the table, whoever is asked next."""
    deal = game.deal
    assert deal.dealer == table.dealer
    assert list(game.standing.score) == table.score
    assert TRUMP_TEXTS[deal.trump] == table.trump
    assert (deal.maker, deal.alone, deal.defender) == (table.maker, table.alone, table.defender)
    assert set(deal.sitting_out) == set(filter(table.sits_out, range(table.rules.players)))
    assert [(seat, str(said)) for seat, said in deal.answers] == table.answers
    assert (deal.result is not None and deal.result.outcome == FOLDED) == (table.folded != -1)
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
