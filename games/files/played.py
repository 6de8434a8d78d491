"""A game that was played, as it is replayed and written to files, wherever it came from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from games.engine.cards import cards_in
from games.engine.deal import Deal
from games.engine.observation import Standing
from games.engine.rules import RuleSet
from games.engine.scoring import THROWN_IN


class PlayedDeal(NamedTuple):
    """One deal of such a game.

    Attributes:
        deal: the deal with all that was done in it.
        before: how the game stood before it.
        after: how it stood after it; as before where the deal was not played to its end.
        unknown: cards nobody saw, which only stand for cards that are not known.
    """

    deal: Deal
    before: Standing
    after: Standing
    unknown: frozenset[int] = frozenset()

    @property
    def number(self) -> int:
        """1 for the first deal."""
        return self.before.deal_number

    @property
    def steps(self) -> int:
        """How many actions it has."""
        return len(self.deal.actions)

    def at(self, step: int) -> Deal:
        """The deal after so many of its actions."""
        deal = dealt_again(self.deal)
        for action in self.deal.actions[:step]:
            deal.push(action)
        return deal


class PlayedGame(NamedTuple):
    """A game that was played.

    Attributes:
        rules: the rule set.
        players: names by seat.
        deals: in order; only the last may be unfinished.
        game_id, title, description, date: what a file says of it, or empty.
        team_names: of side 0 and side 1, or none.
        notes: what of the file could not be replayed, as sentences.
        resigned: the side that gave it up, or -1.
    """

    rules: RuleSet
    players: tuple[str, ...]
    deals: tuple[PlayedDeal, ...]
    game_id: str = ""
    title: str = ""
    description: str = ""
    date: str = ""
    team_names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    resigned: int = -1

    @property
    def standing(self) -> Standing:
        """How it stood at the end."""
        return self.deals[-1].after


def dealt_again(deal: Deal) -> Deal:
    """The same deal with nothing done in it yet."""
    if deal.pack:
        return Deal.from_pack(deal.rules, deal.dealer, deal.pack)
    hands, turn_up = deal.start
    cards = [tuple(cards_in(hand)) for hand in hands]
    return Deal.from_cards(deal.rules, deal.dealer, cards, turn_up)


def standings(
    rules: RuleSet, deals: Sequence[Deal], score: tuple[int, int] = (0, 0)
) -> Iterator[tuple[Standing, Standing]]:
    """How the game stood before and after each deal.

    Args:
        rules: when the game is over.
        deals: in order.
        score: of both sides before the first.
    """
    counted = 0
    for number, deal in enumerate(deals, start=1):
        before = Standing(score, number, counted, over=is_over(rules, score, counted))
        if deal.result is not None:
            points, side = deal.result.points, deal.result.side
            score = (score[0] + points * (side == 0), score[1] + points * (side == 1))
            counted += deal.result.outcome != THROWN_IN
        over = is_over(rules, score, counted)
        winner = -1 if not over or score[0] == score[1] else int(score[1] > score[0])
        yield before, Standing(score, number, counted, over, winner)


def is_over(rules: RuleSet, score: tuple[int, int], counted: int) -> bool:
    """Whether a game ends at a score, after so many deals that count."""
    return max(score) >= rules.target if rules.target is not None else counted == rules.deals
