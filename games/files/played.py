"""A played game from any source, for replaying it and for writing files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from games.engine.cards import cards_in
from games.engine.deal import Deal
from games.engine.observation import Standing, is_over
from games.engine.rules import RuleSet


class PlayedDeal(NamedTuple):
    """One deal of a played game, with the standings before and after it (equal if unfinished).

    `unknown` are cards that are placeholders for cards nobody saw, `said` are tags of a PTN file
    with their texts, which are kept as they are.
    """

    deal: Deal
    before: Standing
    after: Standing
    unknown: frozenset[int] = frozenset()
    said: tuple[tuple[str, str], ...] = ()

    @property
    def number(self) -> int:
        return self.before.deal_number

    @property
    def steps(self) -> int:
        return len(self.deal.actions)

    def at(self, step: int) -> Deal:
        deal = fresh_copy(self.deal)
        for action in self.deal.actions[:step]:
            deal.push(action)
        return deal


class PlayedGame(NamedTuple):
    """A played game; only the last of its `deals` may be unfinished.

    `game_id`, `title`, `description` and `date` are as in the file, or empty, and so are
    `team_names`. `notes` are sentences about parts of the file that could not be replayed.
    `resigned` is a side, or -1.
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
        return self.deals[-1].after


def fresh_copy(deal: Deal) -> Deal:
    if deal.pack:
        return Deal.from_pack(deal.rules, deal.dealer, deal.pack, score=deal.score)
    hands, turn_up = deal.start
    cards = [tuple(cards_in(hand)) for hand in hands]
    return Deal.from_cards(deal.rules, deal.dealer, cards, turn_up, score=deal.score)


def standings(
    rules: RuleSet, deals: Sequence[Deal], score: tuple[int, int] = (0, 0)
) -> Iterator[tuple[Standing, Standing]]:
    """Yield the standing before and after each deal; ``score`` is that before the first."""
    before = Standing(score, over=is_over(rules, score, 0))
    for number, deal in enumerate(deals, start=1):
        before = before._replace(deal_number=number)
        after = before if deal.result is None else before.after(rules, deal.result)
        yield before, after
        before = after
