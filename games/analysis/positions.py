"""A position of the analysis board, and the text in a link that holds all of it."""

from __future__ import annotations

import json
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import replace
from itertools import takewhile
from string import ascii_uppercase, digits
from typing import Final, NamedTuple

from games.analysis.completing import Completion, PositionError, complete
from games.engine.actions import (
    BEST,
    CUT,
    DECLINED,
    DEFENDS,
    DISCARD,
    FOLDS,
    GIVE,
    MAKE,
    NAMES,
    ORDERS,
    PASSED,
    PLAY,
    SWAP,
    Action,
    without_cards,
)
from games.engine.cards import CARDS, TRUMPS, cards_in, mask_of
from games.engine.deal import Deal
from games.engine.errors import RuleSetError
from games.engine.observation import Observation, Standing
from games.engine.rules import RULE_SETS, RuleSet, rules_from_data, rules_to_data
from games.engine.seats import compass
from games.files.played import PlayedGame

#: The first field of a text; another form gets another number, and this one stays readable.
VERSION: Final = "1"
MAX_TEXT: Final = 900
MAX_SCORE: Final = 999
#: More actions than any deal has: questions, two rounds, a discard and 20 cards.
MAX_ACTIONS: Final = 60

_CARD_LETTERS: Final = (ascii_uppercase + digits)[:CARDS]
_HIDDEN: Final = "_"
_FIELDS: Final = "the rules, the dealer, the score, the turn-up, the hands, the kitty, the actions"
_HOUSE: Final = {"key": "house", "name": "House rules"}
#: The fields of a rule set that a single deal does not depend on.
_OF_GAMES: Final = {
    "reversed_by": 0,
    "stuck_after": 0,
    "thrown_in_counts": False,
    "old_words": False,
}
#: Actions without cards, by their code.
_CODES: Final = {
    "p": PASSED,
    "o": ORDERS[0],
    "q": ORDERS[1],
    "f": FOLDS,
    "x": DECLINED,
    "d": DEFENDS,
    **{f"u{action.value}": action for action in NAMES},
    **{f"m{trump}": Action(MAKE, trump) for trump in TRUMPS},
    **{f"n{trump}": Action(MAKE, trump, True) for trump in TRUMPS},
}
_CODE_OF: Final = {action: code for code, action in _CODES.items()}
#: The letter before the card of an action, ``_`` where the card is not known.
_WITH_CARD: Final = {"t": DISCARD, "g": GIVE, "b": BEST}
_LETTER_OF: Final = {kind: letter for letter, kind in _WITH_CARD.items()}
_ACTION: Final = re.compile(r"[poqfxd]|u[0-3]|[mn][0-6]|[tgb][A-Z0-7_]|s(?:_|[A-Z0-7]{3})|[A-Z0-7]")


class BoardPosition(NamedTuple):
    """A deal up to a moment, as far as it is known.

    Attributes:
        score: that of the game before the deal, by side.
        hands: by seat, the known ones of the five dealt cards, as sets, played cards included.
            What a seat plays is known without being listed here.
        kitty: the known ones of the cards left under the turn-up, as a set.
        actions: from the bidding on. The card of a discard, or of what a lone maker and the partner
            give each other, is -1 where it is not known; so is a swap's set of cards 0.
    """

    rules: RuleSet
    dealer: int
    turn_up: int
    hands: tuple[int, ...]
    score: tuple[int, int] = (0, 0)
    kitty: int = 0
    actions: tuple[Action, ...] = ()

    def completed(self) -> Completion:
        """Return one whole deal that agrees with all that is known; raise PositionError."""
        return complete(self)

    def deal(self) -> Deal | None:
        """Return the deal if all hands are known, else None; raise PositionError."""
        whole = self.completed()
        return None if whole.unknown else whole.deal

    def seen(self) -> Observation:
        """Return what the side to move sees; raise PositionError, also if the deal is over.

        All that the seat in turn would know must be known; what the others hold makes no
        difference.
        """
        whole = self.completed()
        deal, seat = whole.deal, whole.deal.turn
        if deal.result is not None:
            raise PositionError("plays", "The hand is over: nothing is left to decide.")
        seen = deal.observe(seat, Standing(self.score))
        if (seen.hand | seen.put_away) & whole.unknown:
            who = compass(self.rules.players, seat)
            raise PositionError(
                f"hand-{seat}", f"It is {who}’s turn, so all of {who}’s cards must be known."
            )
        return seen

    def after(self, action: Action) -> BoardPosition:
        return self._replace(actions=(*self.actions, action))

    @classmethod
    def of_decision(
        cls, game: PlayedGame, hand: int, step: int, *, open_hands: bool = False
    ) -> BoardPosition:
        """Return the position before an action of a finished game, as in a replay's address.

        It holds what the seat in turn knew, or with `open_hands` all that the record does. Raise
        PositionError if there is no such hand or step, or nothing was dealt yet.
        """
        if not 1 <= hand <= len(game.deals) or not 0 <= step <= game.deals[hand - 1].steps:
            raise PositionError("", "There is no such moment in this game.")
        played = game.deals[hand - 1]
        deal = played.at(step)
        if not deal.start[0]:
            raise PositionError("", "Nothing has been dealt yet at this moment.")
        dealt, turn_up = deal.start
        viewer, unknown = deal.turn, mask_of(played.unknown)
        undealt = deal.rules.pack_mask & ~(sum(dealt) | 1 << turn_up)
        acted = list(takewhile(lambda one: one.kind == CUT, deal.actions))
        actions, swapped = [], False
        replayed = played.at(len(acted))
        for action in deal.actions[len(acted) :]:
            seat = replayed.turn
            replayed.push(action)
            swapped |= action.kind == SWAP and seat == viewer
            sees = open_hands or seat == viewer
            sees |= action.kind == BEST and replayed.maker == viewer
            actions.append(action if sees else hidden(action))
        hands = [
            cards & ~unknown if open_hands or seat == viewer else 0
            for seat, cards in enumerate(dealt)
        ]
        return cls(
            deal_rules(deal.rules),
            deal.dealer,
            turn_up,
            tuple(hands),
            played.before.score,
            undealt & ~unknown if swapped or (open_hands and not unknown) else 0,
            tuple(actions),
        )

    # Text ---------------------------------------------------------------------------------

    @property
    def text(self) -> str:
        """Return the position as text for a link: letters, digits and ``. - _ ~``."""
        return ".".join(
            (
                VERSION,
                rules_text(self.rules),
                str(self.dealer),
                "-".join(map(str, self.score)),
                _CARD_LETTERS[self.turn_up],
                "-".join(map(_cards_text, self.hands)),
                _cards_text(self.kitty),
                "".join(map(_action_text, self.actions)),
            )
        )

    @classmethod
    def parse(cls, text: str) -> BoardPosition:
        """Read the text of a link; raise PositionError, which says what is wrong with it.

        Whether the position makes sense is another question (`completed`).
        """
        if len(text) > MAX_TEXT:
            raise PositionError("", f"A position has at most {MAX_TEXT} characters.")
        version, *fields = text.split(".")
        if version != VERSION:
            raise PositionError("", "This link is not a position of this version of the board.")
        if len(fields) != 7:
            raise PositionError("", f"A position has 7 parts: {_FIELDS}.")
        rules = parse_rules(fields[0])
        return cls(
            rules,
            _number("dealer", fields[1], rules.players - 1),
            _one_card(rules, fields[3]),
            _parse_hands(rules, fields[4]),
            parse_score(rules, fields[2]),
            _cards("kitty", rules, fields[5]),
            _parse_actions(rules, fields[6]),
        )


def deal_rules(rules: RuleSet) -> RuleSet:
    """Return the rule set of a single deal: one that is offered, or house rules without a name."""
    of_deal = replace(rules, **_OF_GAMES)  # type: ignore[arg-type] # each has the field's type
    for offered in RULE_SETS.values():
        if replace(of_deal, key=offered.key, name=offered.name) == replace(offered, **_OF_GAMES):  # type: ignore[arg-type] # as above
            return offered
    return replace(of_deal, key=_HOUSE["key"], name=_HOUSE["name"])


def hidden(action: Action) -> Action:
    """Return an action as those see it who may not see its card."""
    return action._replace(value=-1) if action.kind == DISCARD else without_cards(action)


def rules_text(rules: RuleSet) -> str:
    if RULE_SETS.get(rules.key) == rules:
        return rules.key
    usual = rules_to_data(RuleSet(key=rules.key, name=rules.name))
    data = {
        field: value
        for field, value in rules_to_data(rules).items()
        if (field, value) not in usual.items() and field not in _HOUSE
    }
    packed = json.dumps(data, separators=(",", ":"), sort_keys=True).encode()
    return "~" + urlsafe_b64encode(packed).decode().rstrip("=")


def parse_rules(text: str) -> RuleSet:
    if text in RULE_SETS:
        return RULE_SETS[text]
    wrong = PositionError(
        "rules",
        f"The rules of this link are not known; they are {', '.join(RULE_SETS)} or a club’s own.",
    )
    if not text.startswith("~"):
        raise wrong
    try:
        data = json.loads(urlsafe_b64decode(text[1:] + "=" * (-len(text[1:]) % 4)))
        return deal_rules(rules_from_data({**data, **_HOUSE}))
    except RuleSetError as why:
        raise PositionError("rules", f"These rules cannot be: {why}") from None
    except (ValueError, TypeError, RecursionError):
        raise wrong from None


def _number(field: str, text: str, most: int) -> int:
    if not re.fullmatch("[0-9]{1,3}", text) or int(text) > most:
        raise PositionError(field, f"The {field} is a number from 0 to {most}.")
    return int(text)


def parse_score(rules: RuleSet, text: str) -> tuple[int, int]:
    most = MAX_SCORE if rules.target is None else rules.target - 1
    ours, hyphen, theirs = text.partition("-")
    return _number("score", ours, most), _number("score", theirs if hyphen else "", most)


def _cards(field: str, rules: RuleSet, text: str) -> int:
    cards = [_CARD_LETTERS.find(letter) for letter in text]
    if -1 in cards or len({*cards}) != len(cards):
        raise PositionError(field, "A card of this link cannot be read, or is there twice.")
    if not rules.pack_set.issuperset(cards):
        raise PositionError(field, f"A card of this link is not in the pack of {rules.pack}.")
    return mask_of(cards)


def _one_card(rules: RuleSet, text: str) -> int:
    cards = [*cards_in(_cards("turn_up", rules, text))]
    if len(cards) != 1:
        raise PositionError("turn_up", "One card is turned up.")
    return cards[0]


def _parse_hands(rules: RuleSet, text: str) -> tuple[int, ...]:
    hands = text.split("-")
    if len(hands) != rules.players:
        raise PositionError("hands", f"There are {rules.players} hands in a game of these rules.")
    return tuple(_cards(f"hand-{seat}", rules, cards) for seat, cards in enumerate(hands))


def _parse_actions(rules: RuleSet, text: str) -> tuple[Action, ...]:
    codes = _ACTION.findall(text)
    if "".join(codes) != text or len(codes) > MAX_ACTIONS:
        raise PositionError("calls", "The calls and cards of this link cannot be read.")
    return tuple(_action(rules, code) for code in codes)


def _action(rules: RuleSet, code: str) -> Action:
    if code in _CODES:
        return _CODES[code]
    letters = code.lstrip("tgbs").replace(_HIDDEN, "")
    kind = SWAP if code[0] == "s" else _WITH_CARD.get(code[0], PLAY)
    cards = _cards("plays" if kind == PLAY else "calls", rules, letters)
    if kind == SWAP:
        return Action(SWAP, cards)
    return Action(kind, next(cards_in(cards), -1))


def _cards_text(cards: int) -> str:
    return "".join(_CARD_LETTERS[card] for card in cards_in(cards))


def _action_text(action: Action) -> str:
    if action in _CODE_OF:
        return _CODE_OF[action]
    if action.kind == SWAP:
        return "s" + (_cards_text(action.value) or _HIDDEN)
    card = _CARD_LETTERS[action.value] if action.value >= 0 else _HIDDEN
    return _LETTER_OF.get(action.kind, "") + card
