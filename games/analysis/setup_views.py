"""The pages on which a position is set up by hand or taken from a pasted record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render, resolve_url
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from games.analysis import links
from games.analysis.completing import PositionError
from games.analysis.positions import rules_text
from games.analysis.setting_up import Assembled, SetUp, card_sign, parse_one_card
from games.answers import SeeOther, by_script
from games.engine.cards import BIT, SUIT_NAMES, SUITS, card_text, cards_in
from games.engine.rules import HAND, RULE_SETS, RuleSet
from games.picture import phrases
from games.picture.cast import cast_of


@never_cache
@require_safe
def set_up(request: HttpRequest) -> HttpResponse:
    """Show a hand that is being set up, all of it in the fields of the query.

    ``card`` is a card of the pack that was pressed. With ``analyse`` the board is opened, if
    nothing is wrong or missing. A position (``p``) opens the board, too.
    """
    if "p" in request.GET:
        return SeeOther(f"{resolve_url('analysis_board')}?{request.GET.urlencode()}")
    typed = SetUp.of(request.GET.dict())
    pressed = parse_one_card(request.GET.get("card", ""), typed.rules)
    if pressed >= 0:
        typed = typed.pressed(pressed)
    found = typed.assembled()
    if found.position is not None and "analyse" in request.GET:
        return SeeOther(links.board_address(found.position))
    page = "games/analysis/_set_up.html" if by_script(request) else "games/analysis/set_up.html"
    status = 422 if "analyse" in request.GET else 200
    # The rules that the page began with stay on offer: a club's own are in no other list.
    first = SetUp.of({"rules": request.GET.get("first") or request.GET.get("rules", "")}).rules
    return render(request, page, _drawn(typed, found, first), status=status)


def _drawn(typed: SetUp, found: Assembled, first: RuleSet) -> dict[str, Any]:
    rules, lies = typed.rules, typed.lies()
    wrong = found.problem if found.problem and not found.problem.missing else None
    around = [(rules.players // 2 + place) % rules.players for place in range(rules.players)]
    cards = sorted(cards_in(rules.pack_mask), key=lambda card: (card >> 3, -card))
    sides = phrases.sides_of(cast_of(("",) * rules.players)).names
    offered = {key: one.name for key, one in RULE_SETS.items()}
    return {
        "typed": typed,
        "problem": found.problem,
        "wrong": wrong,
        "seats": [_seat(typed, seat, found.played, wrong) for seat in around],
        "pack": [
            {
                "card": card,
                "text": card_text(card),
                "name": phrases.plain_name(card),
                "sign": card_sign(card),
                "letter": phrases.suit_letter(card),
                "where": lies.get(card, ""),
            }
            for card in cards
        ],
        "up": typed.readable("up")[:1],
        "to": "be turned up" if typed.to == "up" else typed.name(int(typed.to)),
        "rules": rules_text(rules),
        "rules_offered": offered | {rules_text(one): one.name for one in (first, rules)},
        "first": rules_text(first),
        "calls": list(typed.call_choices()),
        "suits": list(zip(SUITS, SUIT_NAMES, strict=True)),
        "scores": list(zip(range(2), sides, typed.score, strict=True)),
        "takes_up": typed.calls[:1] in {"o", "q"},
    }


def _seat(
    typed: SetUp, seat: int, played: Mapping[int, int], wrong: PositionError | None
) -> dict[str, Any]:
    held, marked = typed.readable(f"hand{seat}"), wrong.cards if wrong else 0
    out = [card for card, player in played.items() if player == seat and card not in held]
    cards = [(card, card in played, marked & BIT[card] != 0) for card in (*out, *held)]
    is_named = wrong is not None and wrong.place == f"hand-{seat}"
    return {
        "seat": seat,
        "name": typed.name(seat),
        "is_active": str(seat) == typed.to,
        "is_wrong": is_named or any(is_marked for _, _, is_marked in cards),
        "cards": cards,
        "unknown": range(HAND - len(cards)),
        "typed": typed.cards[f"hand{seat}"],
    }
