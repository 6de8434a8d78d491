"""Checks an action against a deal, and words the refusal so that a player understands it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NoReturn

from games.engine.actions import DISCARD, MAKE, NEXT, PASS, PLAY, Action, action_text, is_action
from games.engine.cards import NO_SUIT, card_text
from games.engine.errors import IllegalActionError, MalformedError, OutOfTurnError
from games.engine.observation import DISCARDING, DONE, PLAYING, SECOND_ROUND
from games.engine.rules import HAND, PACK_SETS, RuleSet
from games.engine.tricks import suit_led

if TYPE_CHECKING:
    from games.engine.deal import Deal

SUIT_NAMES: Final = ("clubs", "diamonds", "hearts", "spades")
_COMPASS: Final = {2: ("North", "South"), 4: ("North", "East", "South", "West")}


def compass(players: int, seat: int) -> str:
    """The name of a seat: North, East, South, West, clockwise; North and South for two."""
    return _COMPASS[players][seat]


def check_seat(rules: RuleSet, seat: int) -> None:
    """Refuses a number that is no seat, such as the -1 that stands for nobody.

    Raises:
        MalformedError: there is no such seat.
    """
    if not 0 <= seat < rules.players:
        raise MalformedError(f"There is no seat {seat}: the seats are 0 to {rules.players - 1}.")


def check_dealt(rules: RuleSet, hands: Sequence[Sequence[int]], turn_up: int) -> None:
    """Refuses hands and a turn-up that no deal of these rules can give.

    Raises:
        MalformedError: a wrong number of hands or cards, a card twice or not in the pack.
    """
    held = [card for hand in hands for card in hand]
    if len(hands) != rules.players or any(len(hand) != HAND for hand in hands):
        raise MalformedError(f"{rules.players} hands of {HAND} cards are needed.")
    if len({*held, turn_up}) != len(held) + 1 or not PACK_SETS[rules.pack].issuperset(
        (*held, turn_up)
    ):
        raise MalformedError(f"A card is there twice or not in the pack of {rules.pack}.")


def check_is_action(action: Action) -> None:
    """Refuses values that make no action at all, such as playing card 99.

    Raises:
        MalformedError: there is no such action.
    """
    if not is_action(action):
        raise MalformedError(f"{tuple(action)} is not an action.")


def refuse(deal: Deal, action: Action, seat: int | None) -> NoReturn:
    """Says why an action may not be pushed on a deal now.

    Args:
        deal: the deal as it stands.
        action: what is to be done.
        seat: who wants to do it; None stands for the seat in turn.

    Raises:
        MalformedError: there is no such action or seat.
        OutOfTurnError: it is another seat's turn.
        IllegalActionError: in every other case; the message says what is allowed.
    """
    if deal.phase == DONE:
        raise IllegalActionError("This hand is over.")
    if seat is not None and seat != deal.turn:
        check_seat(deal.rules, seat)
        raise OutOfTurnError(
            f"It is {compass(deal.rules.players, deal.turn)}'s turn ({deal.phase}), "
            f"not {compass(deal.rules.players, seat)}'s."
        )
    check_is_action(action)
    raise IllegalActionError(_why_not(deal, action))


def _why_not(deal: Deal, action: Action) -> str:
    """Why an action may not be done now, and what may."""
    if action.kind in (PLAY, DISCARD) and deal.phase in (PLAYING, DISCARDING):
        if deal.hands[deal.turn] >> action.value & 1 == 0:
            return f"{card_text(action.value)} is not in your hand."
        led = suit_led(deal.trump, deal.plays)
        if action.kind == PLAY and deal.phase == PLAYING and led != NO_SUIT:
            return f"You must follow {SUIT_NAMES[led]}; you may: {_allowed(deal)}."
    if deal.phase == SECOND_ROUND and action.kind == MAKE and action.value == deal.turned_suit:
        suit = SUIT_NAMES[action.value].capitalize()
        return f"{suit} was turned down and may not be named; you may: {_allowed(deal)}."
    if deal.phase == SECOND_ROUND and action.kind == PASS:
        return f"The dealer is stuck and must name a suit; you may: {_allowed(deal)}."
    what = "deal the next hand" if action.kind == NEXT else action_text(action)
    return f"You cannot {what} now ({deal.phase}); you may: {_allowed(deal)}."


def _allowed(deal: Deal) -> str:
    """What the seat in turn may do, in words; a long row of cuts by its ends."""
    allowed = [action_text(one) for one in deal.legal_actions()]
    if len(allowed) > 12:
        return f"{allowed[0]} to {allowed[-1]}"
    return ", ".join(allowed)
