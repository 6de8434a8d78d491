"""The cards, calls, examples and options on the page of a rule set.

All are computed from the rule set, so that no page can contradict it. In the examples hearts are
trump, the dealer is in the last seat and the eldest hand in the first.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final, TypeAlias, cast

from django import forms

from games.engine.actions import MAKES, ORDERS, PASSED, Action
from games.engine.cards import (
    CLUBS,
    DIAMONDS,
    EFFECTIVE_SUIT,
    HEARTS,
    SPADES,
    STRENGTH,
    SUIT_NAMES,
    is_joker,
    parse_card,
)
from games.engine.rules import DEALER_MAKES, DEALERS_LEFT, NO_TRUMPS, PICK_UP, STUCK_AFTER, RuleSet
from games.engine.seats import COMPASS
from games.engine.tricks import winner
from games.guide.examples import examples_of
from games.picture import phrases
from games.rule_words import ABOUT, brief, goal, pack, points, stuck_unless
from games.seats.house_rules import HouseRulesForm

TRUMP: Final = HEARTS
#: Target score to the prefix of the drawings of score cards, and the scores they show.
_MARKERS: Final = {5: ("m5", range(1, 5)), 10: ("m10", range(11))}
_AT_FIVE: Final[tuple[str, ...]] = (
    "The four lies face down on the three: one pip of the three shows.",
    "The three lies face down on the four: two pips of the four show.",
    "The three lies face up on the four.",
    "The four lies face up on the three.",
)
_AT_TEN: Final[tuple[str, ...]] = (
    "Both cards are covered.",
    "One pip shows.",
    *(
        f"{number} pips show."
        for number in ("Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")
    ),
)


#: A call: who says it, its words, what it means, and its old words if it has others.
Call: TypeAlias = tuple[str, str, str, str]


def page_of(rules: RuleSet) -> dict[str, Any]:
    """Return what the page of a rule set shows."""
    seats = COMPASS[rules.players]
    four = rules.players == 4
    return {
        "rules": rules,
        "brief": brief(rules),
        "about": ABOUT.get(rules.key, ""),
        "goal": goal(rules),
        "pack": pack(rules),
        "dealer": seats[-1],
        "eldest": seats[0],
        "seats": seats,
        "trumps": _ranked(rules, TRUMP),
        "suits": _suits(rules),
        "deal_orders": _deal_orders(rules),
        "round_by_round": _round_by_round(rules),
        "first_calls": _first_calls(rules),
        "second_calls": _second_calls(rules),
        "first_bidding": _first_bidding(rules),
        "second_bidding": _second_bidding(rules),
        "trick": _trick(rules),
        "alone_lead": four and rules.alone and rules.lone_lead == DEALERS_LEFT,
        "points": points(rules),
        "markers": _markers(rules),
        "stuck_after": STUCK_AFTER if rules.deal_stays else 0,
        "stuck_unless": stuck_unless(rules),
        "dealer_makes_joker": rules.joker_turned_up == DEALER_MAKES,
        "options": _options(rules),
        "examples": examples_of(rules),
    }


# Ranks --------------------------------------------------------------------------------------


def _ranked(rules: RuleSet, suit: int) -> list[tuple[int, str]]:
    """Return the cards of a suit from the highest, with special names such as "right bower"."""
    held = [card for card in rules.pack_in_order() if EFFECTIVE_SUIT[TRUMP][card] == suit]
    held.sort(key=lambda card: -STRENGTH[TRUMP][suit][card])
    top = "the Benny" if rules.benny else "joker"
    return [(card, top if is_joker(card) else phrases.bower(card, TRUMP)) for card in held]


def _suits(rules: RuleSet) -> list[tuple[str, str, list[tuple[int, str]]]]:
    kinds = ((DIAMONDS, "next"), (CLUBS, "cross"), (SPADES, "cross"))
    return [(SUIT_NAMES[suit].capitalize(), kind, _ranked(rules, suit)) for suit, kind in kinds]


# The deal -----------------------------------------------------------------------------------


def _deal_orders(rules: RuleSet) -> list[str]:
    orders = [rules.packets]
    if rules.packets_by_dealer:
        orders.append(rules.packets[::-1])
    return [phrases.dealt_in(packets) for packets in orders]


def _round_by_round(rules: RuleSet) -> list[str]:
    if len(rules.packets) > 3:
        first, second = COMPASS[rules.players][:2]
        return [f"One card to {first}, one to {second}, and so on until everybody has five"]
    to = ", ".join(COMPASS[rules.players])
    return [
        f"{phrases.counted(size, 'card', 'cards').capitalize()} each to {to}"
        for size in rules.packets
    ]


# The bidding --------------------------------------------------------------------------------


def _words(
    rules: RuleSet, action: Action, seat: int, *, first_round: bool = True, old: bool = False
) -> str:
    call = phrases.call_of(
        action,
        rules=replace(rules, old_words=old),
        seat=seat,
        dealer=rules.players - 1,
        first_round=first_round,
        turned=TRUMP,
    )
    return f"“{phrases.said(call, action)}”"


def _call(
    who: str, meaning: str, rules: RuleSet, action: Action, seat: int, *, first_round: bool = True
) -> Call:
    """Return a call in plain words and in its old ones."""
    plain = _words(rules, action, seat, first_round=first_round)
    old = _words(rules, action, seat, first_round=first_round, old=True)
    return who, plain, meaning, old


def _first_calls(rules: RuleSet) -> list[Call]:
    dealer, order = rules.players - 1, ORDERS[0]
    told = "The dealer must take the turn-up, its suit is trump, and you are the maker."
    own = "You take the turn-up into your own hand, its suit is trump, and you are the maker."
    if rules.players == 2:
        calls = [_call("The other player", told, rules, order, 0)]
    elif rules.calls == PICK_UP:
        calls = [_call("Everybody but the dealer", told, rules, order, 0)]
    else:
        partner, assist = (
            "The same for your own partner, who deals: their hand gets the card.",
            order,
        )
        if rules.dealers_partner_alone:
            partner, assist = "You accept its suit and play alone: the dealer sits out.", ORDERS[1]
        calls = [
            _call("An opponent of the dealer (order up)", told, rules, order, 0),
            _call("The dealer’s partner (assist)", partner, rules, assist, 1),
        ]
    term = "" if rules.calls == PICK_UP else " (take up)"
    return [
        *calls,
        _call(f"The dealer{term}", own, rules, order, dealer),
        _call("Everybody but the dealer", "The next player decides.", rules, PASSED, 0),
        _call(
            "The dealer, who passes (turn down)",
            "The suit is rejected, and the second round begins.",
            rules, PASSED, dealer,
        ),
    ]  # fmt: skip


def _second_calls(rules: RuleSet) -> list[Call]:
    make_next, cross = MAKES[DIAMONDS][0], MAKES[SPADES][0]
    none = [
        _call(
            "Anybody (no trump)",
            "Nothing is trump, and no jack is a bower.",
            rules, MAKES[trump][0], 0, first_round=False,
        )
        for trump in NO_TRUMPS[rules.no_trump]
    ]  # fmt: skip
    passing = "The next player decides; there is no third round."
    if rules.stick_the_dealer:
        passing += f" The dealer may not pass{stuck_unless(rules)}."
    return [
        _call(
            "Anybody (next)",
            "Trump is the other suit of the rejected card’s colour.",
            rules, make_next, 0, first_round=False,
        ),
        _call(
            "Anybody (cross)",
            "Trump is a suit of the opposite colour.",
            rules, cross, 0, first_round=False,
        ),
        *none,
        _call(
            "Anybody but a stuck dealer" if rules.stick_the_dealer else "Anybody",
            passing,
            rules, PASSED, 0, first_round=False,
        ),
    ]  # fmt: skip


def _first_bidding(rules: RuleSet) -> list[Call]:
    seats, order = COMPASS[rules.players], ORDERS[0]
    if rules.players == 2:
        return [
            (seats[0], _words(rules, PASSED, 0), "North has one small heart only.", ""),
            (
                seats[1],
                _words(rules, order, 1),
                "South deals, takes the king and discards a card. Hearts are trump.",
                "",
            ),
        ]
    calls = [(seats[0], _words(rules, PASSED, 0), "North has one small heart only.", "")]
    who, hand = 1, "East is the dealer’s partner and has two good hearts"
    unasked = "South does not get to bid."
    if rules.dealers_partner_alone:
        alone = "East, the dealer’s partner, would have to play alone."
        calls.append((seats[1], _words(rules, PASSED, 1), alone, ""))
        who, hand, unasked = 2, "South has two good hearts", "West does not get to bid."
    made = (
        f"Hearts are trump, {seats[who]} is the maker, and West takes the king and discards a card."
    )
    return [*calls, (seats[who], _words(rules, order, who), f"{hand}. {made} {unasked}", "")]


def _second_bidding(rules: RuleSet) -> list[Call]:
    seats, dealer = COMPASS[rules.players], rules.players - 1
    passes = [(seat, _words(rules, PASSED, at), "", "") for at, seat in enumerate(seats[:dealer])]
    return [
        *passes,
        (
            seats[dealer],
            _words(rules, PASSED, dealer),
            "The king is pushed half under the pack, face up: hearts may not be named.",
            "",
        ),
        (
            seats[0],
            _words(rules, MAKES[DIAMONDS][0], 0, first_round=False),
            "Diamonds are trump and North is the maker. Nobody takes the turn-up, nobody discards.",
            "",
        ),
    ]


# The play -----------------------------------------------------------------------------------

_TRICK: Final = {
    4: (
        ("TD", "leads a diamond."),
        ("AD", "has a diamond and must follow; the ace is the highest of them."),
        ("9H", "has no diamond and may trump. The nine is enough."),
        ("JC", "has no diamond either and throws off a card. A jack of clubs is no bower here."),
    ),
    2: (
        ("TD", "leads a diamond."),
        ("JD", "holds no diamond: this jack is the left bower, a heart, and takes the trick."),
    ),
}


def _trick(rules: RuleSet) -> list[tuple[str, int, str, bool]]:
    """Return a trick with a reason for each card, and whether it takes the trick."""
    cards = [(parse_card(card), why) for card, why in _TRICK[rules.players]]
    taker = winner(TRUMP, [(seat, card) for seat, (card, _) in enumerate(cards)])
    return [
        (COMPASS[rules.players][seat], card, why, seat == taker)
        for seat, (card, why) in enumerate(cards)
    ]


# The score ----------------------------------------------------------------------------------


def _markers(rules: RuleSet) -> list[tuple[str, int, str]]:
    """Return each score as two cards show it: the drawing, the points, and words."""
    if rules.target not in _MARKERS:
        return []
    kind, scores = _MARKERS[rules.target]
    words = _AT_FIVE if kind == "m5" else _AT_TEN
    return [(f"{kind}-{score}h", score, text) for score, text in zip(scores, words, strict=True)]


# House rules --------------------------------------------------------------------------------


def _options(rules: RuleSet) -> list[tuple[str, str, str]]:
    """Return each option of house rules: what it is, how it is here, and what else there is."""
    form, packets = HouseRulesForm.of(rules), " or ".join(_deal_orders(rules))
    worth = ", ".join(str(each) for _, each in points(rules))
    options = [
        ("The game ends", goal(rules), "At any number up to 50 points, or after 100 hands"),
        ("Points for a hand", worth, "1 to 10 for each; often 4 if the makers take no trick"),
        ("Packets", f"{packets[:1].upper()}{packets[1:]}", "Any that make five"),
    ]
    for name, field in form.fields.items():
        bound, value = form[name], form[name].value()
        if name == "ends" or bound.why_off:
            continue
        if isinstance(field, forms.BooleanField):
            options.append((str(bound.label), *(("Yes", "No") if value else ("No", "Yes"))))
        elif isinstance(field, forms.ChoiceField):
            choices = dict(cast("list[tuple[Any, str]]", list(field.widget.choices)))
            here = choices.pop(value)
            options.append((str(bound.label), here, "; ".join(choices.values())))
    return options
