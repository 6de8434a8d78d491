"""The best line of play with all hands open, which nobody at the table could know."""

from __future__ import annotations

from typing import NamedTuple

from games.engine.actions import PLAYS
from games.engine.deal import Deal
from games.engine.observation import PLAYING
from games.engine.solver import Position, points_by_card, tricks_by_card
from games.files.played import fresh_copy


class OpenLine(NamedTuple):
    """The best line, and what the cards of the seat in turn come to with all hands open.

    Attributes:
        deal: the deal, played to its end.
        tricks: by card, the tricks that the side of the seat in turn takes in the whole deal.
        points: by card, that side's points.
    """

    deal: Deal
    tricks: dict[int, int]
    points: dict[int, int]


def best_line(deal: Deal) -> OpenLine | None:
    """Return the best line from a deal that is in the play; None before and after it."""
    if deal.phase != PLAYING:
        return None
    rules, turn = deal.rules, deal.turn
    line = fresh_copy(deal)
    for action in deal.actions:
        line.push(action)
    makers = rules.side_of(deal.maker)
    position = _position(line)
    ours = rules.side_of(turn) == makers
    tricks = {card: made if ours else 5 - made for card, made in tricks_by_card(position).items()}
    points = {
        card: made if ours else -made for card, made in points_by_card(rules, position).items()
    }
    while line.result is None:
        made_by = tricks_by_card(_position(line))
        choose = max if rules.side_of(line.turn) == makers else min
        line.push(PLAYS[choose(made_by, key=made_by.__getitem__)])
    return OpenLine(line, tricks, points)


def _position(deal: Deal) -> Position:
    return Position.of(deal.observe(), deal.hands)
