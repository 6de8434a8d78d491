"""A deal of four players and 24 cards as OpenSpiel's euchre plays it, in our own words.

OpenSpiel (https://github.com/google-deepmind/open_spiel, game ``euchre``) plays one deal. With
``stick_the_dealer`` it is our ``stick-the-dealer``, without it our ``classic-24``; it has neither
joker nor cut, packs of other sizes, two players, or whole games. Where it asks in another order,
or less, than the printed rules, ``Counterpart`` says the same thing its way:

* Alone is asked after the discard there; with us it is said with the call. Whoever may call there
  may, with us, call or call alone; the answer is given as soon as it is asked.
* The turn-up may not be discarded there; with us the dealer may put it away again. If so,
  the deal is dealt anew there with another card turned up, which all pass, and the maker names the
  same trump in the second round: the hands and the play are the same.
* A dealer who sits out still discards there; with us nothing is asked of them. Any card will do, as
  none of theirs is played.
* Eight passes end the deal there, at nothing for everybody; with us it is thrown in.
* What one side scores the other loses there; with us only one side scores.
"""

from __future__ import annotations

from typing import Any

import pyspiel

from games.engine.actions import (
    DISCARD,
    DISCARDS,
    MAKE,
    MAKES,
    ORDER,
    ORDERS,
    PASSED,
    PLAY,
    PLAYS,
    Action,
)
from games.engine.cards import cards_in, suit_of
from games.engine.deal import Deal

_EUCHRE = pyspiel.euchre
_PASS: int = _EUCHRE.PASS_ACTION
_NAMES: list[int] = [
    _EUCHRE.CLUBS_TRUMP_ACTION,
    _EUCHRE.DIAMONDS_TRUMP_ACTION,
    _EUCHRE.HEARTS_TRUMP_ACTION,
    _EUCHRE.SPADES_TRUMP_ACTION,
]
#: Our card as OpenSpiel counts it, and back.
THEIRS = {suit * 8 + rank: (rank - 2) * 4 + suit for suit in range(4) for rank in range(2, 8)}
_OURS = {theirs: ours for ours, theirs in THEIRS.items()}


class Counterpart:
    """OpenSpiel's state of the same deal.

    Args:
        deal: the deal, dealt and nothing called yet, of four players and 24 cards.
    """

    def __init__(self, deal: Deal) -> None:
        stick = str(deal.rules.stick_the_dealer).lower()
        self.game = pyspiel.load_game(f"euchre(stick_the_dealer={stick})")
        self.state = self._dealt(deal, deal.turn_up)

    def _dealt(self, deal: Deal, turn_up: int) -> Any:
        """A state after the cards of this deal; there the dealer is given the first card."""
        hands = [list(cards_in(hand)) for hand in deal.start[0]]
        state = self.game.new_initial_state()
        state.apply_action(deal.dealer)
        for number in range(20):
            state.apply_action(THEIRS[hands[(deal.dealer + number) % 4][number // 4]])
        state.apply_action(THEIRS[turn_up])
        return state

    @property
    def turn(self) -> int:
        """Who must act, or -1 at the end."""
        return -1 if self.state.is_terminal() else int(self.state.current_player())

    def legal_actions(self, turn_up: int) -> set[Action]:
        """What they may do, in our words; the turn-up, which may not be discarded there, added."""
        numbers: list[int] = self.state.legal_actions()
        phase = self.state.current_phase()
        if phase == _EUCHRE.Phase.DISCARD:
            return {DISCARDS[_OURS[number]] for number in numbers} | {DISCARDS[turn_up]}
        if phase == _EUCHRE.Phase.PLAY:
            return {PLAYS[_OURS[number]] for number in numbers}
        first_round = self.state.num_passes() < 4
        legal = set()
        for number in numbers:
            if number == _PASS:
                legal.add(PASSED)
            else:
                legal.update(ORDERS if first_round else MAKES[_NAMES.index(number)])
        return legal

    def follow(self, action: Action, deal: Deal) -> None:
        """Does what was just done in the deal, and answers what is not asked there."""
        if action.kind == DISCARD and action.value == deal.turn_up:
            self._name_trump_later(deal)
        else:
            self.state.apply_action(self._number(action, deal))
        if self.state.current_phase() == _EUCHRE.Phase.DISCARD and deal.dealer in deal.sitting_out:
            self.state.apply_action(self.state.legal_actions()[0])
        if self.state.current_phase() == _EUCHRE.Phase.GO_ALONE:
            self.state.apply_action(
                _EUCHRE.GO_ALONE_ACTION if deal.alone else _EUCHRE.PLAY_WITH_PARTNER_ACTION
            )

    def _number(self, action: Action, deal: Deal) -> int:
        """Our action as theirs."""
        if action.kind in (PLAY, DISCARD):
            return THEIRS[action.value]
        if action.kind == ORDER:
            return _NAMES[deal.trump]
        return _NAMES[action.value] if action.kind == MAKE else _PASS

    def _name_trump_later(self, deal: Deal) -> None:
        """The same deal with a card of another suit turned up and the trump named in round two."""
        self.state = self._dealt(deal, other_turn_up(deal))
        for _ in range(4 + (deal.maker - deal.dealer - 1) % 4):
            self.state.apply_action(_PASS)
        self.state.apply_action(_NAMES[deal.trump])

    def tricks(self) -> list[tuple[int, list[int]]]:
        """The finished tricks: who took each, and the cards in the order played."""
        players = sum(self.state.active_players())
        done = self.state.num_cards_played() // players
        return [
            (trick.winner(), [_OURS[card] for card in trick.cards()])
            for trick in self.state.tricks()[:done]
        ]

    def gain(self) -> int:
        """What side 0 gains at the end; negative what the other side gains."""
        north, east, south, west = self.state.returns()
        assert (north, east) == (south, west) == (-west, -north)
        return int(north)


def other_turn_up(deal: Deal) -> int:
    """A card that lies face down in the kitty and is not of the turn-up's suit, or -1."""
    out = {deal.turn_up, *(card for hand in deal.start[0] for card in cards_in(hand))}
    rest = [card for card in deal.rules.pack_in_order() if card not in out]
    return next((card for card in rest if suit_of(card) != suit_of(deal.turn_up)), -1)
