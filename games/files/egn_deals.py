"""Reader and writer of one deal in EGN."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any, Final

from games.engine.actions import (
    BEST,
    DEFENDS,
    GIVE,
    MAKE,
    MAKES,
    ORDER,
    ORDERS,
    PASSED,
    Action,
)
from games.engine.cards import HIGH, UNNAMED, cards_in
from games.engine.deal import Deal
from games.engine.rules import HAND, RuleSet
from games.files import hands
from games.files.egn_rules import read_card, write_card
from games.files.strict_json import FileNode

BIDDING: Final = "EUCHRE_BIDDING"
TRICKS: Final = "TRICK_PLAY"
#: The keys that a phase must have, and those it may have. Annotations, and the alternative lines
#: of a deal, do not affect the play: they are allowed and dropped.
_KEYS: Final = {
    BIDDING: (
        ("type", "calls"),
        (
            "phaseNumber",
            "isAlone",
            "aloneDefender",
            "discard",
            "cardExchanges",
            "callAnnotations",
        ),
    ),
    TRICKS: (("type", "tricks"), ("phaseNumber", "isAlone", "initialLead", "playAnnotations")),
}
#: The names of keys in versions 1.0 and 1.1, and those of today.
OLDER: Final = {
    "matchId": "gameId",
    "player_cards": "playerCards",
    "card_exchanges": "cardExchanges",
    "calls_annotations": "callAnnotations",
    "tricks_annotations": "playAnnotations",
}
_SUIT_CALLS: Final = "cdhs"


# Reading ----------------------------------------------------------------------------------


def read_deal(node: FileNode, rules: RuleSet) -> hands.ReadDeal:
    """Read a deal and replay it; raise FileError if something in it could not have been played."""
    if isinstance(node.value, str):
        node.refuse("Deals packed into a text are not supported; each must be an object.")
    fields = node.fields(("dealNumber", "initialState", "phases"), ("alternativeLines",))
    start = _read_start(fields["initialState"], rules)
    phases = _read_phases(fields["phases"])
    if not phases:
        return hands.replayed(hands.FileHand(start))
    bidding = phases[0]
    bid = _read_bidding(bidding, start)
    answers = _read_answers(bidding, start, bid)
    played = hands.TricksPlayed()
    if len(phases) > 1:
        # The file may repeat here that a player is alone.
        alone = phases[1].get("isAlone")
        if alone is not None and alone.flag() != bid.alone:
            who = "somebody plays" if bid.alone else "nobody plays"
            alone.refuse(f"By the bidding, {who} alone in this deal.")
        played = _read_tricks(phases[1], start, bid)
    discard = bidding.get("discard")
    card = read_card(discard, rules) if discard is not None else -1
    if discard is not None:
        hands.check_exchange(discard, start, bid)
    return hands.replayed(hands.FileHand(start, bid, played, card, discard, answers))


def _read_start(node: FileNode, rules: RuleSet) -> hands.DealStart:
    fields = node.fields(("dealer", "upCard"), ("playerCards", "kitty"), OLDER)
    dealer = fields["dealer"].number(0, rules.players - 1)
    listed = fields.get("playerCards", FileNode([[]] * rules.players))
    held = [(hand, hand.items(0, HAND)) for hand in listed.items(rules.players, rules.players)]
    left = fields.get("kitty", FileNode([])).items(0, rules.pack - rules.players * HAND)
    kitty = [card for card in left if card.value != ""]  # as other programs write unknown ones
    cards = hands.read_cards(rules, NOTATION, fields["upCard"], held, kitty)
    return hands.DealStart(rules, NOTATION, dealer, *cards, node.place)


def _read_phases(node: FileNode) -> list[Mapping[str, FileNode]]:
    """Read the phases (bidding, then tricks), numbered from 0 or from 1, as far as they exist."""
    found = []
    least, most = 0, 1
    for number, (phase, kind) in enumerate(zip(node.items(0, 2), (BIDDING, TRICKS), strict=False)):
        if not isinstance(phase.value, dict) or phase.value.get("type") != kind:
            phase.refuse(f"This phase must have the type {kind}.")
        fields = phase.fields(*_KEYS[kind], OLDER)
        if "phaseNumber" in fields:
            found_number = fields["phaseNumber"].number(least + number, most + number)
            least = most = found_number - number
        found.append(fields)
    return found


def _read_bidding(fields: Mapping[str, FileNode], start: hands.DealStart) -> hands.Bid:
    players = start.rules.players
    alone = "isAlone" in fields and fields["isAlone"].flag()
    if alone and not start.rules.alone:
        fields["isAlone"].refuse("Nobody plays alone in a game for two.")
    calls = fields["calls"].items(0, 2 * players)
    bid = hands.read_bid(
        calls, start, lambda call, first: _read_call(call, first=first, alone=alone)
    )
    if alone and bid.maker < 0:
        fields["isAlone"].refuse("Nobody made trump, so nobody can play alone.")
    node = fields.get("aloneDefender", FileNode(-1))
    defender = node.number(-1, players - 1)
    if defender >= 0 and not (start.rules.defend_alone and alone and (defender - bid.maker) % 2):
        node.refuse("By the ruleset and the calls, this seat does not defend alone.")
    return bid._replace(defender=defender)


def _read_answers(
    fields: Mapping[str, FileNode], start: hands.DealStart, bid: hands.Bid
) -> tuple[hands.Answer, ...]:
    answers: list[hands.Answer] = []
    seats = start.rules.players - 1
    for node in fields.get("cardExchanges", FileNode([])).items(0, 2):
        exchange = node.fields(("receiver", "cards"), ("sender",))
        if "sender" not in exchange:
            node.refuse("EGN does not say which cards are put away for those of the kitty.")
        ends = exchange["sender"].number(0, seats), exchange["receiver"].number(0, seats)
        (card,) = exchange["cards"].items(1, 1)
        passed = read_card(card, start.rules)
        answers.append(hands.passed(node, start, bid, ends, passed))
    if bid.defender >= 0:
        answers.append((bid.defender, DEFENDS, fields["aloneDefender"]))
    return tuple(answers)


def _read_call(call: FileNode, *, first: bool, alone: bool) -> Action:
    text = call.choice(("Pass", "Order", *_SUIT_CALLS, "n", "x"))
    if text == "x":
        call.refuse("A deal with an unknown call cannot be replayed.")
    if text == "Pass":
        return PASSED
    if text == "Order":
        if not first:
            call.refuse("Order belongs to the first round; the second names s, h, d or c.")
        return ORDERS[alone]
    if first:
        call.refuse("A suit is named in the second round; the first has Pass or Order.")
    return MAKES[HIGH if text == "n" else _SUIT_CALLS.index(text)][alone]


def _read_tricks(
    fields: Mapping[str, FileNode], start: hands.DealStart, bid: hands.Bid
) -> hands.TricksPlayed:
    rules, node = start.rules, fields["tricks"]
    rows = node.items(0, HAND)
    if "initialLead" in fields:
        by_file = fields["initialLead"].number(0, rules.players - 1)
        if rows:
            hands.check_lead(fields["initialLead"], start, bid, by_file)
    size = rules.players - len(hands.sitting_out(start, bid))
    return hands.read_tricks(node, rows, lambda row, _leader: row.items(1, size), start, bid)


# Writing ----------------------------------------------------------------------------------


def write_deal(deal: Deal, number: int, unknown: Container[int] = ()) -> dict[str, Any]:
    """Return a deal as EGN data, `unknown` cards as placeholders."""
    held, turn_up = deal.start
    bidding: dict[str, Any] = {
        "phaseNumber": 0,
        "type": BIDDING,
        "calls": [write_call(action) for _, action in deal.calls],
        "isAlone": deal.alone,
    }
    if deal.rules.defend_alone:
        bidding["aloneDefender"] = deal.defender
    exchanges = [
        {
            "sender": seat,
            "receiver": deal.rules.partner_of(seat),
            "cards": [write_card(action.value)],
        }
        for seat, action in deal.answers
        if action.kind in (GIVE, BEST)
    ]
    if exchanges:
        bidding["cardExchanges"] = exchanges
    if deal.discarded >= 0:
        bidding["discard"] = write_card(deal.discarded, unknown)
    phases = [bidding]
    tricks = [trick.plays for trick in deal.tricks] + ([deal.plays] if deal.plays else [])
    if tricks:
        played = [[write_card(card) for _, card in plays] for plays in tricks]
        phases.append({"phaseNumber": 1, "type": TRICKS, "tricks": played})
    return {
        "dealNumber": number,
        "initialState": {
            "dealer": deal.dealer,
            "upCard": write_card(turn_up),
            "playerCards": [
                [write_card(card, unknown) for card in cards_in(hand)] for hand in held
            ],
        },
        "phases": phases,
    }


def write_call(action: Action) -> str:
    if action.kind == ORDER:
        return "Order"
    if action.kind != MAKE:
        return "Pass"
    return _SUIT_CALLS[action.value] if action.value < UNNAMED else "n"


NOTATION: Final = hands.Notation(
    "EGN", read_card, write_card, write_call, "seat {}".format, "an empty list"
)
