"""Reader and writer of one deal in EGN."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any, Final, NamedTuple

from games.engine.actions import MAKE, MAKES, ORDER, ORDERS, PASSED, Action
from games.engine.cards import JOKER, cards_in, suit_of
from games.engine.deal import Deal
from games.engine.rules import HAND, RuleSet
from games.engine.tricks import winner
from games.files.egn_rules import read_card, write_card
from games.files.reading import FileNode, UnsupportedGameError

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
    TRICKS: (("type", "tricks"), ("phaseNumber", "isAlone", "playAnnotations")),
}
_SUIT_CALLS: Final = "cdhs"


class Bid(NamedTuple):
    """The bidding of a deal; trump and maker are -1 if trump was not made."""

    steps: tuple[tuple[Action, FileNode], ...]
    trump: int = -1
    maker: int = -1
    alone: bool = False
    ordered: bool = False


class DealStart(NamedTuple):
    """The start of a deal; an unknown hand is None, an unknown card -1.

    left_of_loner: by the file's rules, the seat left of a lone player leads.
    """

    rules: RuleSet
    dealer: int
    turn_up: int
    hands: tuple[tuple[int, ...] | None, ...]
    place: str
    left_of_loner: bool = False


class TricksPlayed(NamedTuple):
    """The (seat, card) tricks up to the first unknown card, which comes next if `cut_short`."""

    tricks: tuple[tuple[tuple[int, int], ...], ...] = ()
    nodes: tuple[FileNode, ...] = ()
    cut_short: bool = False

    @property
    def plays(self) -> list[tuple[int, int]]:
        return [play for plays in self.tricks for play in plays]

    @property
    def cards(self) -> set[int]:
        return {card for _, card in self.plays}

    def by(self, seat: int) -> set[int]:
        return {card for player, card in self.plays if player == seat}


class EgnDeal(NamedTuple):
    """A deal as described by a file; `discard` is the dealer's, or -1."""

    start: DealStart
    bid: Bid
    played: TricksPlayed
    discard: int = -1
    discard_node: FileNode | None = None

    @property
    def sitting_out(self) -> int:
        return sitting_out(self.start, self.bid)

    @property
    def picks_up(self) -> bool:
        return self.bid.ordered and self.sitting_out != self.start.dealer

    @property
    def complete(self) -> bool:
        size = self.start.rules.players - (self.sitting_out >= 0)
        return len(self.played.cards) == HAND * size


# Reading ----------------------------------------------------------------------------------


def parse_deal(node: FileNode, rules: RuleSet, *, left_of_loner: bool = False) -> EgnDeal:
    """Read an entry without checking it against the rules of play; raise FileError."""
    if isinstance(node.value, str):
        node.refuse("Deals packed into a text are not supported; each must be an object.")
    fields = node.fields(("dealNumber", "initialState", "phases"), ("alternativeLines",))
    start = _read_start(fields["initialState"], rules)._replace(left_of_loner=left_of_loner)
    phases = _read_phases(fields["phases"])
    if not phases:
        return EgnDeal(start, Bid(()), TricksPlayed())
    bidding = phases[0]
    bid = _read_bidding(bidding, start)
    played = TricksPlayed()
    if len(phases) > 1:
        # The file may repeat here that a player is alone.
        alone = phases[1].get("isAlone")
        if alone is not None and alone.flag() != bid.alone:
            who = "somebody plays" if bid.alone else "nobody plays"
            alone.refuse(f"By the bidding, {who} alone in this deal.")
        played = _read_tricks(phases[1]["tricks"], start, bid)
    return EgnDeal(start, bid, played, _read_discard(bidding, start, bid), bidding.get("discard"))


def _read_start(node: FileNode, rules: RuleSet) -> DealStart:
    fields = node.fields(("dealer", "upCard"), ("playerCards",))
    dealer = fields["dealer"].number(0, rules.players - 1)
    turn_up = read_card(fields["upCard"], rules)
    if turn_up < 0:
        fields["upCard"].refuse("The card turned up must be known.")
    if turn_up == JOKER:
        fields["upCard"].refuse("EGN has no field for the suit that a turned-up joker counts as.")
    hands: list[tuple[int, ...] | None] = [None] * rules.players
    if "playerCards" in fields:
        seen = {turn_up: fields["upCard"].place}
        for seat, hand in enumerate(fields["playerCards"].items(rules.players, rules.players)):
            cards = tuple(_read_once(card, rules, seen) for card in hand.items(0, HAND))
            if len(cards) not in (0, HAND):
                hand.refuse(f"A hand has {HAND} cards; it is an empty list where none is known.")
            hands[seat] = cards or None
    return DealStart(rules, dealer, turn_up, tuple(hands), node.place)


def _read_once(node: FileNode, rules: RuleSet, seen: dict[int, str]) -> int:
    """Read a card that has not been dealt before; ``seen`` maps the cards to their places."""
    card = read_card(node, rules)
    if card in seen:
        node.refuse(f"{node.value} was dealt already, at {seen[card]}.")
    if card >= 0:
        seen[card] = node.place
    return card


def _read_phases(node: FileNode) -> list[Mapping[str, FileNode]]:
    """Read the phases (bidding, then tricks), numbered from 0 or from 1, as far as they exist."""
    found = []
    least, most = 0, 1
    for number, (phase, kind) in enumerate(zip(node.items(0, 2), (BIDDING, TRICKS), strict=False)):
        if not isinstance(phase.value, dict) or phase.value.get("type") != kind:
            phase.refuse(f"This phase must have the type {kind}.")
        fields = phase.fields(*_KEYS[kind])
        if "phaseNumber" in fields:
            found_number = fields["phaseNumber"].number(least + number, most + number)
            least = most = found_number - number
        found.append(fields)
    return found


def _read_bidding(fields: Mapping[str, FileNode], start: DealStart) -> Bid:
    players = start.rules.players
    alone = "isAlone" in fields and fields["isAlone"].flag()
    if alone and not start.rules.alone:
        fields["isAlone"].refuse("Nobody plays alone in a game for two.")
    if "aloneDefender" in fields and fields["aloneDefender"].number(-1, players - 1) >= 0:
        fields["aloneDefender"].refuse("Bower does not play defend_alone: nobody defends alone.")
    if "cardExchanges" in fields and fields["cardExchanges"].items():
        fields["cardExchanges"].refuse("Bower does not play cardExchanges: hands stay as dealt.")
    bid = Bid(())
    for index, call in enumerate(fields["calls"].items(0, 2 * players)):
        if bid.maker >= 0:
            call.refuse("Trump is made already; no call may follow.")
        first = index < players
        action, trump = _read_call(call, start, first=first, alone=alone)
        bid = bid._replace(steps=(*bid.steps, (action, call)))
        if trump >= 0:
            maker = (start.dealer + 1 + index) % players
            bid = bid._replace(trump=trump, maker=maker, alone=alone, ordered=first)
    if alone and bid.maker < 0:
        fields["isAlone"].refuse("Nobody made trump, so nobody can play alone.")
    return bid


def _read_call(call: FileNode, start: DealStart, *, first: bool, alone: bool) -> tuple[Action, int]:
    """Read a call and the trump it makes, -1 for a pass."""
    text = call.choice(("Pass", "Order", *_SUIT_CALLS, "n", "x"))
    if text == "n":
        call.refuse("Bower does not play allow_no_trump: there is always a trump suit.")
    if text == "x":
        call.refuse("A deal with an unknown call cannot be replayed.")
    if text == "Pass":
        return PASSED, -1
    if text == "Order":
        if not first:
            call.refuse("Order belongs to the first round; the second names s, h, d or c.")
        return ORDERS[alone], suit_of(start.turn_up)
    if first:
        call.refuse("A suit is named in the second round; the first has Pass or Order.")
    suit = _SUIT_CALLS.index(text)
    return MAKES[suit][alone], suit


def sitting_out(start: DealStart, bid: Bid) -> int:
    partner = start.rules.partner_of(bid.maker) if bid.alone else None
    return -1 if partner is None else partner


def _read_discard(fields: Mapping[str, FileNode], start: DealStart, bid: Bid) -> int:
    if "discard" not in fields:
        return -1
    card = read_card(fields["discard"], start.rules)
    if not bid.ordered:
        fields["discard"].refuse("Nobody ordered the turn-up, so the dealer discards nothing.")
    if sitting_out(start, bid) == start.dealer:
        fields["discard"].refuse("The dealer sits out and discards nothing.")
    return card


def _read_tricks(node: FileNode, start: DealStart, bid: Bid) -> TricksPlayed:
    players, out = start.rules.players, sitting_out(start, bid)
    tricks: list[tuple[tuple[int, int], ...]] = []
    nodes: list[FileNode] = []
    seen: dict[int, str] = {}
    leader = start.rules.after(start.dealer)
    leader = start.rules.after(leader) if leader == out else leader
    listed = node.items(0, HAND)
    if listed and bid.maker < 0:
        node.refuse("Nobody made trump, so no trick can be played.")
    by_file = start.rules.after(bid.maker)
    if listed and bid.alone and start.left_of_loner and leader != by_file:
        node.refuse(
            f"Bower does not play LEFT_OF_LONER: seat {leader}, at dealer's left, leads here, "
            f"not seat {by_file}."
        )
    size = players - (out >= 0)
    for number, trick in enumerate(listed):
        cards = trick.items(1, size)
        if len(cards) < size and number < len(listed) - 1:
            trick.refuse(f"This trick must have {size} cards; only the last may have fewer.")
        seat = leader
        plays: list[tuple[int, int]] = []
        for card_node in cards:
            card = read_card(card_node, start.rules)
            if card < 0:
                return TricksPlayed((*tricks, tuple(plays)), tuple(nodes), cut_short=True)
            if card in seen:
                card_node.refuse(f"{card_node.value} was played before, at {seen[card]}.")
            seen[card] = card_node.place
            plays.append((seat, card))
            nodes.append(card_node)
            seat = start.rules.after(seat)
            seat = start.rules.after(seat) if seat == out else seat
        tricks.append(tuple(plays))
        leader = winner(bid.trump, plays)
    return TricksPlayed(tuple(tricks), tuple(nodes))


# Writing ----------------------------------------------------------------------------------


def write_deal(deal: Deal, number: int, unknown: Container[int] = ()) -> dict[str, Any]:
    """Return a deal as EGN data, `unknown` cards as placeholders; raise UnsupportedGameError."""
    hands, turn_up = deal.start
    if turn_up == JOKER:
        raise UnsupportedGameError(
            f"In hand {number + 1} the joker was turned up; EGN has no field for its suit."
        )
    if deal.result is not None and deal.maker >= 0 and len(deal.tricks) < HAND:
        raise UnsupportedGameError(
            f"In hand {number + 1} the last cards were laid down; EGN needs every trick played."
        )
    bidding: dict[str, Any] = {
        "phaseNumber": 0,
        "type": BIDDING,
        "calls": [write_call(action) for _, action in deal.calls],
        "isAlone": deal.alone,
    }
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
                [write_card(card, unknown) for card in cards_in(hand)] for hand in hands
            ],
        },
        "phases": phases,
    }


def write_call(action: Action) -> str:
    if action.kind == ORDER:
        return "Order"
    return _SUIT_CALLS[action.value] if action.kind == MAKE else "Pass"
