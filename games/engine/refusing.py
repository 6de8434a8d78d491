"""Why an action is refused, in words for players."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NoReturn

from games.engine.actions import (
    BEST,
    DISCARD,
    FOLD,
    GIVE,
    MAKE,
    NEXT,
    ORDER,
    PASS,
    PLAY,
    SWAP,
    Action,
    action_text,
    is_action,
)
from games.engine.cards import BIT, SUIT_NAMES, UNNAMED, card_text, cards_in
from games.engine.errors import IllegalActionError, MalformedError, OutOfTurnError
from games.engine.observation import (
    ASKING,
    DISCARDING,
    DONE,
    FIRST_ROUND,
    FOLDING,
    GIVING,
    PLAYING,
    SECOND_ROUND,
    SWAPPING,
)
from games.engine.rules import RuleSet
from games.engine.seats import compass
from games.engine.tricks import suit_led

if TYPE_CHECKING:
    from games.engine.deal import Deal

#: The action by which cards leave a hand, by the phase.
_CARDS_GO: Final = {
    SWAPPING: SWAP,
    DISCARDING: DISCARD,
    ASKING: GIVE,
    GIVING: BEST,
    PLAYING: PLAY,
}


def check_seat(rules: RuleSet, seat: int) -> None:
    """Raise MalformedError for a number that is not a seat, such as -1."""
    if not 0 <= seat < rules.players:
        raise MalformedError(f"There is no seat {seat}: the seats are 0 to {rules.players - 1}.")


def check_is_action(action: Action) -> None:
    if not is_action(action):
        raise MalformedError(f"{tuple(action)} is not an action.")


def refuse(deal: Deal, action: Action, seat: int | None) -> NoReturn:
    """Raise the error of `Deal.push` that explains why an action is refused now."""
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
    kind, value, alone = action
    if kind == _CARDS_GO.get(deal.phase):
        missing = (value if kind == SWAP else BIT[value]) & ~deal.hands[deal.turn]
        if missing:
            return f"{card_text(next(cards_in(missing)))} is not in your hand."
        led = SUIT_NAMES[suit_led(deal.trump, deal.plays)]
        return f"You must follow {led}; you may: {_allowed(deal)}."
    if kind == FOLD and deal.phase == FOLDING:
        held = " ".join(map(card_text, cards_in(deal.held_against_folding(deal.hands[deal.turn]))))
        return f"You hold {held}: such a hand may not be folded; you may: {_allowed(deal)}."
    if kind in (ORDER, MAKE) and deal.phase == (FIRST_ROUND if kind == ORDER else SECOND_ROUND):
        why = _why_no_call(deal, value if kind == MAKE else deal.turned_suit, alone=alone)
        if why:
            return f"{why}; you may: {_allowed(deal)}."
    if kind == PASS and deal.phase == SECOND_ROUND:
        return f"The dealer is stuck and may not pass; you may: {_allowed(deal)}."
    what = "deal the next hand" if kind == NEXT else action_text(action)
    return f"You cannot {what} now ({deal.phase}); you may: {_allowed(deal)}."


def _why_no_call(deal: Deal, trump: int, *, alone: bool) -> str:
    """Return why trump may not be made, or not in this way, in a round in which it is made."""
    rules, seat = deal.rules, deal.turn
    if deal.phase == SECOND_ROUND and trump == deal.turned_suit:
        return f"{SUIT_NAMES[trump].capitalize()} was turned down and may not be named"
    if rules.own_trump and trump < UNNAMED and not deal.may_name(seat, trump):
        return f"You hold no card of {SUIT_NAMES[trump]}, so you may not make it trump"
    if alone and rules.alone and deal.is_near_end(seat):
        return f"Nobody plays alone with {deal.score[rules.side_of(seat)]} points"
    if not alone and deal.phase == FIRST_ROUND and rules.dealers_partner_alone:
        return "The dealer’s partner may accept the turn-up only alone"
    return ""


def _allowed(deal: Deal) -> str:
    allowed = [action_text(one) for one in deal.legal_actions()]
    if len(allowed) > 12:
        return f"{allowed[0]} to {allowed[-1]}"
    return ", ".join(allowed)
