"""The decisions of a played game: every moment at which a player had a choice."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from games.engine.actions import DISCARD, MAKE, ORDER, PASS, PLAY, Action
from games.engine.observation import Observation
from games.files.played import PlayedDeal, PlayedGame, fresh_copy
from games.review.answers import ANSWERS

#: Cutting, and naming a turned-up joker's suit before seeing a card, leave nothing to judge.
JUDGED: Final = frozenset((PASS, ORDER, MAKE, DISCARD, PLAY, *ANSWERS))


class SeatDecision(NamedTuple):
    """A choice between at least two legal actions.

    Attributes:
        hand: the number of the deal in the game, from 1.
        step: how many actions of the deal came before, as in a replay's ``<hand>.<step>``.
        seen: what the player in turn saw.
        taken: what they did.
    """

    hand: int
    step: int
    seen: Observation
    taken: Action

    @property
    def seat(self) -> int:
        return self.seen.turn


def decisions(game: PlayedGame) -> Iterator[SeatDecision]:
    for played in game.deals:
        yield from decisions_in(played)


def decisions_in(played: PlayedDeal) -> Iterator[SeatDecision]:
    deal = fresh_copy(played.deal)
    for step, action in enumerate(played.deal.actions):
        if action.kind in JUDGED and len(deal.legal_actions()) > 1:
            yield SeatDecision(played.number, step, deal.observe(deal.turn, played.before), action)
        deal.push(action)
