"""Taking back what was pushed: the deal is again as it was, in every slot."""

from __future__ import annotations

from typing import Any

import pytest

from games.engine.deal import Deal
from games.engine.notation import cards_text, parse_deal
from games.engine.rules import CLASSIC_24, JOKER_33, RuleSet
from tests.engine.build import hearts

PACK = JOKER_33.pack_in_order()
JOKER_UP = cards_text((*PACK[24:28], *PACK[:20], PACK[32], *PACK[20:24], *PACK[28:32]))
LONE = "pass, order alone, play 9C, play AC, play QC, play JH, play KH, play 9H"


def state_of(deal: Deal) -> dict[str, Any]:
    """Every slot of a deal, the tricks as they are told; lists copied."""
    names = {*Deal.__slots__, "plays", "tricks"} - {"_tricks"}
    slots = {name: getattr(deal, name) for name in names}
    return {slot: list(one) if isinstance(one, list) else one for slot, one in slots.items()}


@pytest.mark.parametrize(
    ("rules", "text"),
    [
        (JOKER_33, f"West deals pack {JOKER_UP} : cut 4, name H, pass, pass, pass, pass, make C"),
        (JOKER_33, f"West deals pack {JOKER_UP} : cut 4, name H, pass, order, discard Jo"),
        (CLASSIC_24, hearts(LONE)),
        (CLASSIC_24, hearts(", ".join(["pass"] * 8))),
    ],
    ids=["cut, joker named, turned down", "joker taken", "alone", "thrown in"],
)
def test_popped_to_the_start_and_pushed_again(rules: RuleSet, text: str | Deal) -> None:
    deal = text if isinstance(text, Deal) else parse_deal(rules, text)
    done = list(deal.actions)
    seen = []
    for _ in done:
        seen.append(state_of(deal))
        deal.pop()
    assert deal.actions == []
    for action in done:
        deal.push(action)
        assert state_of(deal) == seen.pop()


def test_a_cut_taken_back_gathers_the_cards() -> None:
    deal = Deal.from_pack(JOKER_33, 0, PACK)
    before = state_of(deal)
    deal.push(deal.legal_actions()[0])
    deal.pop()
    assert state_of(deal) == before
    assert (deal.hands, deal.start, deal.turn_up) == ([0, 0, 0, 0], ((), -1), -1)


def test_there_is_nothing_before_the_start() -> None:
    with pytest.raises(IndexError):
        hearts("").pop()
