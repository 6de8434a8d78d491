"""A hand set up by hand: what was typed, and the first thing in it that makes no sense."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple, NoReturn, Self

from games.analysis.completing import PositionError, steps
from games.analysis.positions import BoardPosition, hidden, parse_rules
from games.engine.actions import (
    DECLINED,
    DISCARDS,
    MAKES,
    NAMES,
    ORDERS,
    PASSED,
    PLAYS,
    Action,
)
from games.engine.cards import (
    BENNY,
    BIT,
    EFFECTIVE_SUIT,
    JOKER,
    SUIT_NAMES,
    SUITS,
    TRUMP_NAMES,
    TRUMP_TEXTS,
    card_text,
    cards_in,
    is_joker,
    mask_of,
    parse_card,
)
from games.engine.deal import Deal
from games.engine.errors import MalformedError
from games.engine.observation import (
    DISCARDING,
    FIRST_ROUND,
    NAMING,
    PLAYING,
    SECOND_ROUND,
    TAKEN,
)
from games.engine.rules import CLASSIC_24, HAND, NO_TRUMPS, RULE_SETS, RuleSet
from games.engine.seats import compass
from games.picture import phrases

#: Symbols and words of cards, in the letters of `parse_card`.
_LETTERS: Final = str.maketrans({**dict(zip("♣♦♥♠", SUITS, strict=True)), "\ufe0e": "", ",": " "})
_SIGNS: Final = "♣♦♥♠"
_MANY: Final = {6: "six", 7: "seven", 8: "eight", 9: "nine", 10: "ten"}
_TEXTS: Final = ("up", "calls", "named", "discard", "plays")
#: Longer than any field that makes sense.
MAX_TYPED: Final = 200


class SetUpError(PositionError):
    """What makes no sense in what was typed, or what is still missing.

    `advice` says what helps, `cards` are the cards to mark; `missing`: nothing is wrong so far.
    """

    def __init__(
        self, place: str, reason: str, advice: str = "", cards: int = 0, *, missing: bool = False
    ) -> None:
        super().__init__(place, reason)
        self.advice, self.cards, self.missing = advice, cards, missing


class Assembled(NamedTuple):
    """A position or what is wrong with it, and who played each card as far as it makes sense."""

    position: BoardPosition | None
    problem: SetUpError | None
    played: Mapping[int, int]


class SetUp(NamedTuple):
    """A hand as it is typed: cards such as ``JC KS 9S``, in capitals or not, T or 10.

    Attributes:
        calls: ``p<passes>``; ``o<seat>`` for an order up and ``m<trump><seat>`` for trump named by
            a seat, after all before it have passed; ``q`` and ``n`` in their place if alone.
        named: the suit that a turned-up joker counts as.
        to: the seat to which the cards pressed go.
    """

    rules: RuleSet
    dealer: int
    to: int
    hands: tuple[str, ...]
    up: str = ""
    calls: str = ""
    named: str = ""
    discard: str = ""
    plays: str = ""

    @classmethod
    def of(cls, fields: Mapping[str, str]) -> Self:
        """Read the fields of the form; what is not there or no seat takes a usual value."""
        try:
            rules = parse_rules(fields.get("rules", CLASSIC_24.key))
        except PositionError:
            rules = CLASSIC_24
        seats = {str(seat): seat for seat in range(rules.players)}
        last = rules.players // 2
        typed = {key: value[:MAX_TYPED].strip() for key, value in fields.items()}
        return cls(
            rules,
            seats.get(typed.get("dealer", ""), last - 1),
            seats.get(typed.get("to", ""), last),
            tuple([typed.get(f"hand{seat}", "") for seat in seats.values()]),
            **{field: typed.get(field, "") for field in _TEXTS},
        )

    def pressed(self, card: int) -> Self:
        """Give a card of the pack to the seat in turn for cards, or take it back from its place."""
        text = card_text(card)
        for seat, hand in enumerate(self.hands):
            if card in _readable(hand, self.rules):
                return self._with_hand(seat, _without(hand, card, self.rules))
        if card in _readable(self.up, self.rules):
            return self._replace(up="")
        if card in _readable(self.discard, self.rules):
            return self._replace(discard="")
        if card in _readable(self.plays, self.rules):
            return self._replace(plays=_without(self.plays, card, self.rules))
        return self._with_hand(self.to, f"{self.hands[self.to]} {text}".strip())

    def _with_hand(self, seat: int, text: str) -> Self:
        hands = [text if seat == one else hand for one, hand in enumerate(self.hands)]
        return self._replace(hands=tuple(hands))

    def lies(self) -> dict[int, str]:
        """Return where each card is that was typed somewhere, in a word."""
        found = dict.fromkeys(_readable(self.plays, self.rules), "played")
        found |= dict.fromkeys(_readable(self.discard, self.rules), "away")
        found |= dict.fromkeys(_readable(self.up, self.rules), "up")
        for seat, hand in enumerate(self.hands):
            found |= dict.fromkeys(_readable(hand, self.rules), self.name(seat))
        return found

    def cards(self, seat: int) -> list[int]:
        """Return the cards typed for a seat that can be read."""
        return _readable(self.hands[seat], self.rules)

    @property
    def is_joker_up(self) -> bool:
        return any(map(is_joker, _readable(self.up, self.rules)))

    def name(self, seat: int) -> str:
        return compass(self.rules.players, seat)

    def assembled(self) -> Assembled:
        """Return the position, or the first thing that makes no sense or is missing."""
        assembly = _Assembly(self)
        try:
            return Assembled(assembly.position(), None, assembly.played)
        except SetUpError as error:
            return Assembled(None, error, assembly.played)
        except PositionError as error:
            return Assembled(None, SetUpError(error.place, error.reason), assembly.played)

    def call_choices(self) -> Iterator[tuple[str, list[tuple[str, str]]]]:
        """Yield the values of ``calls`` in groups, each with its words."""
        rules, seats = self.rules, range(self.rules.players)
        players = rules.players
        passes = [(f"p{number}", _passed(number, players)) for number in range(1, 2 * players)]
        yield "Bidding", [("", "Nobody has called"), *passes]
        ways = ((1, ""), (2, ", alone"))[: 1 + rules.alone]
        yield (
            "First round",
            [
                ("oq"[way - 1] + str(seat), f"{self.name(seat)} orders it up{words}")
                for seat in seats
                for way, words in ways
            ],
        )
        trumps = (*range(4), *NO_TRUMPS[rules.no_trump])
        yield (
            "Second round",
            [
                (
                    f"{'mn'[way - 1]}{trump}{seat}",
                    f"All pass, {self.name(seat)}: {TRUMP_NAMES[trump]}{words}",
                )
                for seat in seats
                for trump in trumps
                for way, words in ways
            ],
        )


def _passed(number: int, players: int) -> str:
    if number < players:
        return f"{phrases.NUMBERS[number].capitalize()} passed"
    again = number - players
    return f"All passed, then {phrases.NUMBERS[again]}" if again else "All passed"


def card_sign(card: int) -> str:
    """Return a card as people write it: "K♥", "10♠", "the joker"."""
    if phrases.suit_letter(card) == "o":
        return "the joker"
    return f"{phrases.index(card)}{_SIGNS[phrases.printed_suit(card)]}"


def parse_one_card(text: str, rules: RuleSet) -> int:
    """Return the first card of a text, or -1."""
    return next(iter(_readable(text[:MAX_TYPED], rules)), -1)


def _tokens(text: str) -> list[str]:
    return text.translate(_LETTERS).upper().replace("10", "T").split()


def _card(token: str, rules: RuleSet) -> int:
    if token in {"JO", "JOKER"}:
        card = JOKER
    else:
        card = BENNY if token == card_text(BENNY) else parse_card(token)
    if not rules.pack_mask >> card & 1:
        raise MalformedError(f"{token} is not in a pack of {rules.pack} cards.")
    return card


def _readable(text: str, rules: RuleSet) -> list[int]:
    """Return the cards of a text that can be read."""
    found = []
    for token in _tokens(text):
        try:
            found.append(_card(token, rules))
        except MalformedError:
            continue
    return found


def _without(text: str, card: int, rules: RuleSet) -> str:
    return " ".join(token for token in _tokens(text) if card not in _readable(token, rules))


class _Assembly:
    """The position that was typed, put together step by step."""

    def __init__(self, typed: SetUp) -> None:
        self.played: dict[int, int] = {}
        self.typed, self.rules, self.dealer = typed, typed.rules, typed.dealer
        self.name = typed.name
        self.whose: dict[int, int] = {}

    def position(self) -> BoardPosition:
        for seat in range(self.rules.players):
            self._read_hand(seat)
        up = self._read_up()
        discard = next(iter(self._read("discard", self.typed.discard)), -1)
        plays = self._read("plays", self.typed.plays)
        actions, deal = self._bidding(up, discard, plays)
        if discard in self.whose and self.whose[discard] != self.dealer:
            who = self.name(self.whose[discard])
            _wrong("discard", f"{card_sign(discard)} is in {who}’s hand.", discard)
        if discard >= 0 and deal.turn_up_at != TAKEN:
            _wrong("discard", "Nobody picked the turn-up up, so nobody discarded.")
        if deal.turn_up_at == TAKEN:
            self.whose.pop(up, None)
        elif up in self.whose:
            holder = self.name(self.whose[up])
            _wrong("up", f"{card_sign(up)} is turned up and in {holder}’s hand.", up)
        actions, deal = self._play(up, discard, plays, actions)
        hands = [0] * self.rules.players
        for card, seat in self.whose.items():
            hands[seat] |= BIT[card]
        if discard >= 0 and discard != up:
            hands[self.dealer] |= BIT[discard]
        self._check_numbers(hands, up, deal)
        self._check_following(hands, up, discard, deal)
        found = BoardPosition(self.rules, self.dealer, up, tuple(hands), actions=actions)
        self._check_mover(found, hands, deal)
        return found

    # Reading ------------------------------------------------------------------------------

    def _read(self, place: str, text: str) -> list[int]:
        found: list[int] = []
        for token in _tokens(text):
            try:
                card = _card(token, self.rules)
            except MalformedError as why:
                _wrong(place, str(why))
            if card in found:
                _wrong(place, f"{card_sign(card)} is here twice.", card)
            found.append(card)
        return found

    def _read_hand(self, seat: int) -> None:
        place = f"hand-{seat}"
        for card in self._read(place, self.typed.hands[seat]):
            if card in self.whose:
                both = f"{self.name(self.whose[card])} and {self.name(seat)}"
                _wrong(place, f"Two players have {card_sign(card)}: {both}.", card)
            self.whose[card] = seat

    def _read_up(self) -> int:
        found = self._read("up", self.typed.up)
        if not found:
            raise SetUpError("up", "Which card was turned up?", missing=True)
        if len(found) > 1:
            _wrong("up", "One card is turned up.")
        return found[0]

    def _calls(self) -> list[tuple[int, Action]]:
        """Return who called what; the seat is -1 for passes."""
        text, players = self.typed.calls, self.rules.players
        if text not in {value for _, group in self.typed.call_choices() for value, _ in group}:
            _wrong("calls", "Choose one of the calls shown.")
        if not text:
            return []
        kind, seat = text[0], int(text[-1])
        if kind == "p":
            return [(-1, PASSED)] * seat
        before = [(-1, PASSED)] * ((seat - self.dealer - 1) % players)
        if kind in "oq":
            return [*before, (seat, ORDERS[kind == "q"])]
        return [*[(-1, PASSED)] * players, *before, (seat, MAKES[int(text[1])][kind == "n"])]

    # Putting together ---------------------------------------------------------------------

    def _bidding(
        self, up: int, discard: int, plays: Sequence[int]
    ) -> tuple[tuple[Action, ...], Deal]:
        """Return the actions before the play; where somebody is asked a question, the answer no."""
        calls = self._calls()
        actions: tuple[Action, ...] = ()
        while True:
            _, deal = steps(self.rules, self.dealer, up, actions)
            if deal.phase in (FIRST_ROUND, SECOND_ROUND):
                if not calls:
                    return actions, deal
                seat, call = calls.pop(0)
                if deal.phase == SECOND_ROUND and call in MAKES[deal.turned_suit]:
                    suit = SUIT_NAMES[call.value]
                    _wrong("calls", f"{self.name(seat)} named {suit}, which were turned down.")
                actions = (*actions, call)
            elif deal.phase == NAMING:
                if self.typed.named not in {*TRUMP_TEXTS[:4]}:
                    why = "The joker is turned up: which suit does it count as?"
                    raise SetUpError("named", why, missing=True)
                actions = (*actions, NAMES[SUITS.index(self.typed.named)])
            elif deal.phase == DISCARDING:
                known = sum(seat == self.dealer for card, seat in self.whose.items() if card != up)
                if discard < 0 and not plays and known == HAND:
                    return actions, deal
                action = DISCARDS[discard] if discard >= 0 else hidden(DISCARDS[0])
                actions = (*actions, action)
            elif deal.phase == PLAYING or deal.result is not None:
                return actions, deal
            else:
                actions = (*actions, DECLINED)

    def _play(
        self, up: int, discard: int, plays: Sequence[int], actions: tuple[Action, ...]
    ) -> tuple[tuple[Action, ...], Deal]:
        """Return all actions, with the cards played."""
        _, deal = steps(self.rules, self.dealer, up, actions)
        if plays and deal.phase != PLAYING:
            _wrong("plays", "Trump is not made yet, so nobody can have played a card.")
        for card in plays:
            turn, sign = deal.turn, card_sign(card)
            held = self.dealer if card == up else self.whose.get(card, turn)
            if card == up and deal.turn_up_at != TAKEN:
                _wrong("plays", f"{sign} was turned down, so nobody can have played it.", card)
            if card == discard:
                who = self.name(self.dealer)
                _wrong("plays", f"{who} discarded {sign}, so nobody can have played it.", card)
            if held != turn:
                words = f"It was {self.name(turn)}’s turn, not {self.name(held)}’s."
                _wrong("plays", words, card)
            if card != up:
                self.whose[card] = turn
            self.played[card] = turn
            actions = (*actions, PLAYS[card])
            _, deal = steps(self.rules, self.dealer, up, actions)
        return actions, deal

    # Checking -----------------------------------------------------------------------------

    def _check_numbers(self, hands: Sequence[int], up: int, deal: Deal) -> None:
        for seat, cards in enumerate(hands):
            number = cards.bit_count()
            if number > HAND:
                counted = f"{_MANY.get(number, number)} cards"
                besides = ""
                if seat == self.dealer and deal.turn_up_at == TAKEN:
                    besides = f" besides {card_sign(up)}"
                raise SetUpError(
                    f"hand-{seat}",
                    f"{self.name(seat)} has {counted}{besides}.",
                    f"{phrases.NUMBERS[HAND].capitalize()} are dealt; those played count, too.",
                )

    def _check_following(self, hands: Sequence[int], up: int, discard: int, deal: Deal) -> None:
        """Refuse a card that did not follow suit though its player could."""
        later = {card: seat for seat, card in _all_plays(deal)}
        for trick in (*(trick.plays for trick in deal.tricks), deal.plays):
            for seat, card in trick:
                del later[card]
                suit = EFFECTIVE_SUIT[deal.trump]
                led = suit[trick[0][1]]
                if suit[card] == led:
                    continue
                held = mask_of(one for one, player in later.items() if player == seat)
                if seat != self.dealer or deal.turn_up_at != TAKEN or discard >= 0:
                    gone = mask_of(one for _, one in _all_plays(deal))
                    gone |= BIT[discard] if discard >= 0 else 0
                    held |= hands[seat] & ~gone
                    held |= BIT[up] & ~gone if seat == self.dealer and discard >= 0 else 0
                could = next((one for one in cards_in(held) if suit[one] == led), -1)
                if could >= 0:
                    plays = (trick[0], (seat, card))
                    self._refuse_revoke(plays, SUIT_NAMES[led], could, played=could in later)

    def _refuse_revoke(
        self, plays: tuple[tuple[int, int], ...], suit: str, could: int, *, played: bool
    ) -> NoReturn:
        lead, play = plays
        who, leader = self.name(play[0]), self.name(lead[0])
        sign = card_sign(could)
        where = f"{who} played {sign} later" if played else f"{sign} is in {who}’s hand"
        raise SetUpError(
            "plays",
            f"{who} can’t have played {card_sign(play[1])}.",
            f"{leader} led a {suit.removesuffix('s')} and {where}: {suit} had to be followed. "
            + (
                "Change one of the two cards."
                if played
                else f"Take {sign} from {who}, or change the card played."
            ),
            BIT[could],
        )

    def _check_mover(self, found: BoardPosition, hands: Sequence[int], deal: Deal) -> None:
        try:
            found.seen()
        except PositionError as why:
            missing = why.place.startswith("hand-")
            if missing and deal.turn == self.dealer and deal.turn_up_at == TAKEN:
                who = self.name(self.dealer)
                place = "discard" if hands[self.dealer].bit_count() >= HAND - 1 else why.place
                reason = f"It is {who}’s turn: all five cards and the discard must be known."
                raise SetUpError(place, reason, missing=True) from None
            raise SetUpError(why.place, why.reason, missing=missing) from None


def _all_plays(deal: Deal) -> list[tuple[int, int]]:
    return [*(play for trick in deal.tricks for play in trick.plays), *deal.plays]


def _wrong(place: str, reason: str, card: int = -1) -> NoReturn:
    raise SetUpError(place, reason, cards=BIT[card] if card >= 0 else 0)


#: What the form offers of rules, with their names.
RULES_OFFERED: Final = [(rules.key, rules.name) for rules in RULE_SETS.values()]
