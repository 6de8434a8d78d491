"""A hand set up by hand: what was typed, and the first thing in it that makes no sense."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple, NoReturn, Self

from games.analysis.completing import PositionError, plays_of, steps
from games.analysis.positions import BoardPosition, hidden, parse_rules, parse_score
from games.engine.actions import DECLINED, DISCARDS, MAKES, NAMES, ORDERS, PASSED, PLAYS, Action
from games.engine.cards import (
    BENNY,
    BIT,
    EFFECTIVE_SUIT,
    JOKER,
    SUIT_NAMES,
    SUITS,
    TRUMP_NAMES,
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
from games.engine.rules import CLASSIC_24, HAND, NO_TRUMPS, RuleSet
from games.engine.seats import compass
from games.picture import phrases

#: Symbols and words of cards, in the letters of `parse_card`.
_LETTERS: Final = str.maketrans({**dict(zip("♣♦♥♠", SUITS, strict=True)), "\ufe0e": "", ",": " "})
_SIGNS: Final = "♣♦♥♠"
_MANY: Final = {6: "six", 7: "seven", 8: "eight", 9: "nine", 10: "ten"}
#: Longer than any field that makes sense.
MAX_TYPED: Final = 200


class SetUp(NamedTuple):
    """A hand as it is typed: cards such as ``JC KS 9S``, in capitals or not, T or 10.

    Attributes:
        to: where the cards pressed go: the number of a seat, or ``up``.
        cards: what is typed as ``hand<seat>``, ``up``, ``discard`` and ``plays``.
        calls: ``p<passes>``; ``o<seat>`` for an order up and ``m<trump><seat>`` for trump named by
            a seat, after all before it have passed; ``q`` and ``n`` in their place if alone.
        named: the suit that a turned-up joker counts as.
        score: by side.
    """

    rules: RuleSet
    dealer: int
    to: str
    cards: Mapping[str, str]
    calls: str = ""
    named: str = ""
    score: tuple[str, str] = ("", "")

    @classmethod
    def of(cls, fields: Mapping[str, str]) -> Self:
        """Read the fields of the form; what is not there or no seat takes a usual value."""
        try:
            rules = parse_rules(fields.get("rules", CLASSIC_24.key))
        except PositionError:
            rules = CLASSIC_24
        typed = {key: value[:MAX_TYPED].strip() for key, value in fields.items()}
        seats = [str(seat) for seat in range(rules.players)]
        last = seats[len(seats) // 2]
        dealer, to = typed.get("dealer", ""), typed.get("to", "")
        places = (*(f"hand{seat}" for seat in seats), "up", "discard", "plays")
        return cls(
            rules,
            int(dealer) if dealer in seats else int(last) - 1,
            to if to in {*seats, "up"} else last,
            {place: typed.get(place, "") for place in places},
            typed.get("calls", ""),
            typed.get("named", ""),
            (typed.get("score0", ""), typed.get("score1", "")),
        )

    def pressed(self, card: int) -> Self:
        """Give a card of the pack to where cards go, or take it back from its place."""
        for place, text in self.cards.items():
            if card in self.readable(place):
                left = [one for one in _tokens(text) if card not in _readable(one, self.rules)]
                return self._with(place, " ".join(left))
        if self.to == "up":
            seat = str(self.rules.players // 2)
            return self._with("up", card_text(card))._replace(to=seat)
        place = f"hand{self.to}"
        return self._with(place, f"{self.cards[place]} {card_text(card)}".strip())

    def _with(self, place: str, text: str) -> Self:
        return self._replace(cards={**self.cards, place: text})

    def lies(self) -> dict[int, str]:
        """Return where each card is that was typed somewhere, in a word."""
        words = {"plays": "played", "discard": "away", "up": "up"}
        words |= {f"hand{seat}": self.name(seat) for seat in range(self.rules.players)}
        return {card: word for place, word in words.items() for card in self.readable(place)}

    def readable(self, place: str) -> list[int]:
        """Return the cards typed at a place that can be read."""
        return _readable(self.cards[place], self.rules)

    @property
    def is_joker_up(self) -> bool:
        return any(map(is_joker, self.readable("up")))

    def name(self, seat: int) -> str:
        return compass(self.rules.players, seat)

    def assembled(self) -> Assembled:
        """Return the position, or the first thing that makes no sense or is missing."""
        assembly = _Assembly(self)
        try:
            return Assembled(assembly.position(), None, assembly.played)
        except PositionError as error:
            return Assembled(None, error, assembly.played)

    def call_choices(self) -> Iterator[tuple[str, dict[str, str]]]:
        """Yield the values of ``calls`` in groups, each with its words."""
        rules, players = self.rules, self.rules.players
        ways = (("o", "m", ""), ("q", "n", ", alone"))[: 1 + rules.alone]
        seats = [(seat, self.name(seat)) for seat in range(players)]
        passes = {f"p{number}": _passed(number, players) for number in range(1, 2 * players)}
        yield "Bidding", {"": "Nobody has called", **passes}
        yield (
            "First round",
            {
                f"{order}{seat}": f"{name} orders it up{how}"
                for seat, name in seats
                for order, _, how in ways
            },
        )
        yield (
            "Second round",
            {
                f"{make}{trump}{seat}": f"All pass, {name}: {TRUMP_NAMES[trump]}{how}"
                for seat, name in seats
                for trump in (*range(4), *NO_TRUMPS[rules.no_trump])
                for _, make, how in ways
            },
        )


class Assembled(NamedTuple):
    """A position or what is wrong with it, and who played each card as far as it makes sense."""

    position: BoardPosition | None
    problem: PositionError | None
    played: Mapping[int, int]


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
    found = []
    for token in _tokens(text):
        try:
            found.append(_card(token, rules))
        except MalformedError:
            continue
    return found


class _Assembly:
    """The position that was typed, put together step by step."""

    def __init__(self, typed: SetUp) -> None:
        self.typed, self.rules, self.dealer, self.name = (
            typed,
            typed.rules,
            typed.dealer,
            typed.name,
        )
        self.played: dict[int, int] = {}
        self.whose: dict[int, int] = {}
        self.actions: tuple[Action, ...] = ()

    def position(self) -> BoardPosition:
        score = parse_score(self.rules, "-".join(one or "0" for one in self.typed.score))
        for seat in range(self.rules.players):
            for card in self._read(f"hand{seat}", f"hand-{seat}"):
                if card in self.whose:
                    both = f"{self.name(self.whose[card])} and {self.name(seat)}"
                    _wrong(f"hand-{seat}", f"Two players have {card_sign(card)}: {both}.", card)
                self.whose[card] = seat
        self.up = self._turned_up()
        self.discard = next(iter(self._read("discard")), -1)
        self.plays = self._read("plays")
        deal = self._bid()
        self.takes_up = deal.turn_up_at == TAKEN
        self._check_discard_and_turn_up()
        deal = self._play(deal)
        hands = [0] * self.rules.players
        for card, seat in self.whose.items():
            hands[seat] |= BIT[card]
        if self.discard >= 0 and self.discard != self.up:
            hands[self.dealer] |= BIT[self.discard]
        self._check_numbers(hands)
        self._check_following(hands, deal)
        found = BoardPosition(
            self.rules, self.dealer, self.up, tuple(hands), score, actions=self.actions
        )
        self._check_mover(found, deal)
        return found

    def _read(self, field: str, place: str = "") -> list[int]:
        found: list[int] = []
        for token in _tokens(self.typed.cards[field]):
            try:
                card = _card(token, self.rules)
            except MalformedError as why:
                _wrong(place or field, str(why))
            if card in found:
                _wrong(place or field, f"{card_sign(card)} is here twice.", card)
            found.append(card)
        return found

    def _turned_up(self) -> int:
        found = self._read("up")
        if not found:
            raise PositionError("up", "Which card was turned up?", missing=True)
        if len(found) > 1:
            _wrong("up", "One card is turned up.")
        return found[0]

    def _calls(self) -> list[tuple[int, Action]]:
        """Return who called what; the seat is -1 for passes."""
        text, players = self.typed.calls, self.rules.players
        if all(text not in group for _, group in self.typed.call_choices()):
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

    def _add(self, *actions: Action) -> Deal:
        """Return the deal after more actions."""
        self.actions += actions
        return steps(self.rules, self.dealer, self.up, self.actions)[1]

    def _bid(self) -> Deal:
        """Add the actions before the play; where somebody is asked a question, the answer no."""
        calls, deal = self._calls(), self._add()
        while deal.phase != PLAYING and deal.result is None:
            action = DECLINED
            if deal.phase in (FIRST_ROUND, SECOND_ROUND):
                if not calls:
                    break
                seat, action = calls.pop(0)
                if deal.phase == SECOND_ROUND and action in MAKES[deal.turned_suit]:
                    suit = SUIT_NAMES[action.value]
                    _wrong("calls", f"{self.name(seat)} named {suit}, which were turned down.")
            elif deal.phase == NAMING:
                if self.typed.named not in {*SUITS}:
                    why = "The joker is turned up: which suit does it count as?"
                    raise PositionError("named", why, missing=True)
                action = NAMES[SUITS.index(self.typed.named)]
            elif deal.phase == DISCARDING:
                of_dealer = [card for card, seat in self.whose.items() if seat == self.dealer]
                known = len({*of_dealer} - {self.up}) == HAND
                if known and self.discard < 0 and not self.plays:
                    break
                action = DISCARDS[self.discard] if self.discard >= 0 else hidden(DISCARDS[0])
            deal = self._add(action)
        return deal

    def _play(self, deal: Deal) -> Deal:
        """Add the cards played."""
        if self.plays and deal.phase != PLAYING:
            _wrong("plays", "Trump is not made yet, so nobody can have played a card.")
        for card in self.plays:
            turn, sign = deal.turn, card_sign(card)
            held = self.dealer if card == self.up else self.whose.get(card, turn)
            if card == self.up and not self.takes_up:
                _wrong("plays", f"{sign} was turned down, so nobody can have played it.", card)
            if card == self.discard:
                who = self.name(self.dealer)
                _wrong("plays", f"{who} discarded {sign}, so nobody can have played it.", card)
            if held != turn:
                words = f"It was {self.name(turn)}’s turn, not {self.name(held)}’s."
                _wrong("plays", words, card)
            if card != self.up:
                self.whose[card] = turn
            self.played[card] = turn
            deal = self._add(PLAYS[card])
        return deal

    # Checking -----------------------------------------------------------------------------

    def _check_discard_and_turn_up(self) -> None:
        up, discard = self.up, self.discard
        if self.whose.get(discard, self.dealer) != self.dealer:
            who = self.name(self.whose[discard])
            _wrong("discard", f"{card_sign(discard)} is in {who}’s hand.", discard)
        if discard >= 0 and not self.takes_up:
            _wrong("discard", "Nobody picked the turn-up up, so nobody discarded.")
        if self.takes_up:
            self.whose.pop(up, None)
        elif up in self.whose:
            holder = self.name(self.whose[up])
            _wrong("up", f"{card_sign(up)} is turned up and in {holder}’s hand.", up)

    def _check_numbers(self, hands: Sequence[int]) -> None:
        for seat, cards in enumerate(hands):
            number = cards.bit_count()
            if number > HAND:
                picked = seat == self.dealer and self.takes_up
                besides = f" besides {card_sign(self.up)}" if picked else ""
                raise PositionError(
                    f"hand-{seat}",
                    f"{self.name(seat)} has {_MANY.get(number, number)} cards{besides}.",
                    f"{phrases.NUMBERS[HAND].capitalize()} are dealt; those played count, too.",
                )

    def _check_following(self, hands: Sequence[int], deal: Deal) -> None:
        """Refuse a card that did not follow suit though its player could."""
        later, held = plays_of(deal), list(hands)
        if self.takes_up:  # which card went away may not be known
            known = self.discard >= 0
            held[self.dealer] = (
                (held[self.dealer] | BIT[self.up]) & ~BIT[self.discard] if known else 0
            )
        suit = EFFECTIVE_SUIT[deal.trump]
        for trick in (*(trick.plays for trick in deal.tricks), deal.plays):
            for seat, card in trick:
                del later[0]
                held[seat] &= ~BIT[card]
                could = held[seat] | mask_of(one for player, one in later if player == seat)
                led = suit[trick[0][1]]
                followed = [one for one in cards_in(could) if suit[one] == led]
                if followed and suit[card] != led:
                    played = (seat, followed[0]) in later
                    self._refuse_revoke(trick[0], (seat, card), led, followed[0], played=played)

    def _refuse_revoke(
        self, lead: tuple[int, int], play: tuple[int, int], led: int, could: int, *, played: bool
    ) -> NoReturn:
        who, leader = self.name(play[0]), self.name(lead[0])
        sign, suit = card_sign(could), SUIT_NAMES[led]
        if played:
            why, advice = f"{who} played {sign} later", "Change one of the two cards."
        else:
            why = f"{sign} is in {who}’s hand"
            advice = f"Take {sign} from {who}, or change the card played."
        raise PositionError(
            "plays",
            f"{who} can’t have played {card_sign(play[1])}.",
            f"{leader} led a {suit[:-1]} and {why}: {suit} had to be followed. {advice}",
            BIT[could],
        )

    def _check_mover(self, found: BoardPosition, deal: Deal) -> None:
        try:
            found.seen()
        except PositionError as why:
            why.missing = why.place.startswith("hand-")
            if why.missing and deal.turn == self.dealer and self.takes_up:
                who = self.name(self.dealer)
                if found.hands[self.dealer].bit_count() >= HAND - 1:
                    why.place = "discard"
                why.reason = f"It is {who}’s turn: all five cards and the discard must be known."
            raise


def _wrong(place: str, reason: str, card: int = -1) -> NoReturn:
    raise PositionError(place, reason, cards=BIT[card] if card >= 0 else 0)
