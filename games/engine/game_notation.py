"""A whole game as text: enough to play it again.

    bower game 1
    rules {"key": "classic-24", …}
    first dealer West
    deal TD 9S QS …
      North pass, East order, West discard 9S
      North play AS, East play 9S, South play KS, West play TS
    next

A reader skips empty lines and those that start with ``#``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from games.engine.actions import NEXT, PLAY, Action, action_text
from games.engine.cards import card_text
from games.engine.errors import MalformedError
from games.engine.game import Game
from games.engine.rules import RuleSet, rules_to_data
from games.engine.seats import compass

HEADER: Final = "bower game 1"


def cards_text(cards: Sequence[int]) -> str:
    return " ".join(card_text(card) for card in cards)


class GameRecord(NamedTuple):
    """All data needed to play a game again; the packs are top first and before the cut."""

    rules: RuleSet
    first_dealer: int
    packs: tuple[tuple[int, ...], ...]
    actions: tuple[Action, ...]

    def pack_of(self, deal: int) -> tuple[int, ...]:
        """Return the pack of a deal, numbered from 0; raise MalformedError if it is missing."""
        if deal >= len(self.packs):
            raise MalformedError(f"The pack of deal {deal + 1} is missing.")
        return self.packs[deal]


def game_text(record: GameRecord) -> str:
    lines = [
        HEADER,
        f"rules {json.dumps(rules_to_data(record.rules), ensure_ascii=False)}",
        f"first dealer {compass(record.rules.players, record.first_dealer)}",
        *_deal_lines(record),
    ]
    return "\n".join(lines) + "\n"


def _deal_lines(record: GameRecord) -> Iterator[str]:
    game = Game(record.rules, record.first_dealer, record.pack_of)
    yield f"deal {cards_text(record.packs[0])}"
    line: list[str] = []
    for action in record.actions:
        if action.kind == NEXT:
            yield from ("next", f"deal {cards_text(record.packs[game.standing.deal_number])}")
            game.push(action)
            continue
        deal = game.deal
        line.append(f"{compass(record.rules.players, deal.turn)} {action_text(action)}")
        before = (deal.phase, len(deal.tricks))
        game.push(action)
        if before != (deal.phase, len(deal.tricks)) and (action.kind != PLAY or not deal.plays):
            yield "  " + ", ".join(line)
            line = []
    if line:
        yield "  " + ", ".join(line)
