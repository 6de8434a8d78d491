"""The words of the table: cards, calls and results as players say them.

Pure functions; players are called by name, so the words are the same for everybody. Each sentence
is one phrase with placeholders, so that a translation can change the word order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache, lru_cache
from typing import Final, NamedTuple

from games.engine.actions import (
    BEST,
    DECLINE,
    DEFEND,
    FOLD,
    GIVE,
    MAKE,
    PASS,
    SWAP,
    Action,
)
from games.engine.cards import (
    BENNY,
    CARDS,
    EFFECTIVE_SUIT,
    FOLLOWING,
    JOKER,
    SPADES,
    SUIT_NAMES,
    TRUMP_NAMES,
    TRUMPS,
    UNNAMED,
    cards_in,
    left_bower,
    next_suit,
    rank_of,
    right_bower,
    suit_of,
)
from games.engine.observation import (
    ASKING,
    DEFENDING,
    FOLDING,
    GIVING,
    SWAPPING,
    Observation,
    Standing,
)
from games.engine.rules import PICK_UP, RuleSet
from games.engine.scoring import (
    ALONE_MADE,
    EUCHRE,
    FOLDED,
    LONE_MARCH,
    MARCH,
    NEEDED,
    SKUNK,
    DealRecord,
    DealResult,
    folded,
    stays_with,
)
from games.figures import signed
from games.models import Proposal
from games.picture.cast import Cast, Person

#: The suits' letters in names of drawings, and by trump also those of hands without trumps.
SUIT_LETTERS: Final = "cdhs"
TRUMP_LETTERS: Final[tuple[str, ...]] = (*SUIT_LETTERS, "", "n", "l")
RANKS: Final = ("seven", "eight", "nine", "ten", "jack", "queen", "king", "ace")
INDEXES: Final = ("7", "8", "9", "10", "J", "Q", "K", "A")
ORDINALS: Final = ("First", "Second", "Third", "Fourth", "Fifth")
NUMBERS: Final = ("no", "one", "two", "three", "four", "five", "six")


# Cards ------------------------------------------------------------------------------------


def card_name(card: int, trump: int = UNNAMED) -> str:
    """Return a card's full name: "Jack of Diamonds, left bower", "Ace of Hearts, trump"."""
    return _CARD_NAMES[trump][card]


def _card_name(card: int, trump: int) -> str:
    name = plain_name(card)
    if trump >= UNNAMED or EFFECTIVE_SUIT[trump][card] != trump:
        return name
    return f"{name}, {bower(card, trump) or 'trump'}"


def plain_name(card: int) -> str:
    """Return a card's printed name: "10 of Spades", "King of Hearts", "Joker"."""
    if card == JOKER:
        return "Joker"
    printed = index(card)
    name = printed if printed.isdigit() else RANKS[rank_of(card)].capitalize()
    return f"{name} of {SUIT_NAMES[printed_suit(card)].capitalize()}"


def bower(card: int, trump: int) -> str:
    if trump >= UNNAMED:
        return ""
    if card == right_bower(trump):
        return "right bower"
    return "left bower" if card == left_bower(trump) else ""


def must_follow(trump: int, led: int, hand: int) -> str:
    """Say which suit a hand must follow, and which card counts as another suit than is printed.

    Such a card is named where it decides: it was led, it alone can follow, or it has the printed
    suit to follow and yet cannot. `trump` may be ``UNNAMED``.
    """
    suit = EFFECTIVE_SUIT[trump][led]
    sentence = f"You must follow {SUIT_NAMES[suit]}."
    if trump >= UNNAMED:
        return sentence
    left = left_bower(trump)
    special, following = {left, JOKER, BENNY}, set(cards_in(hand & FOLLOWING[trump][led]))
    if led in special:
        named = [led]
    elif suit == trump:
        named = sorted(following) if following <= special else []
    else:
        named = [card for card in (left, BENNY) if printed_suit(card) == suit and hand >> card & 1]
    if not named:
        return sentence
    cards = " and ".join(
        f"the {plain_name(card).lower()}{' (left bower)' * (card == left)}" for card in named
    )
    one = SUIT_NAMES[trump].removesuffix("s")
    counts = f"counts as a {one}" if len(named) == 1 else f"count as {SUIT_NAMES[trump]}"
    return f"{sentence} {cards[0].upper()}{cards[1:]} {counts}."


@cache
def bower_of(card: int, trump: int) -> dict[str, str]:
    """Return ``{"bower": "right"}`` or ``"left"`` for a bower, else nothing, for a card's row."""
    name = bower(card, trump).removesuffix(" bower")
    return {"bower": name} if name else {}


def rank_name(card: int) -> str:
    """Return the rank with its article: "the king", "the joker"."""
    names = {JOKER: "the joker", BENNY: "the two"}
    return names.get(card) or f"the {RANKS[rank_of(card)]}"


def index(card: int) -> str:
    return {JOKER: "★", BENNY: "2"}.get(card) or INDEXES[rank_of(card)]


def printed_suit(card: int) -> int:
    """Return the suit printed on a card; not of the joker."""
    return SPADES if card == BENNY else suit_of(card)


def suit_letter(card: int) -> str:
    """Return the letter of the suit printed on a card; "o" for the joker."""
    return "o" if card == JOKER else SUIT_LETTERS[printed_suit(card)]


_CARD_NAMES: Final = tuple(
    tuple(_card_name(card, trump) for card in range(CARDS)) for trump in TRUMPS
)


# Sides ------------------------------------------------------------------------------------


class Sides(NamedTuple):
    """What the two sides are called; each field has the texts for side 0 and side 1.

    `names` start a sentence, `inside` names are inside one, and `makers` is such as "Jonah’s side".
    `caller` is the maker alone.
    `win` is a sentence with ``{players}`` and ``{score}``.
    """

    names: tuple[str, str]
    inside: tuple[str, str]
    makers: tuple[str, str]
    win: tuple[str, str]
    players: tuple[str, str]
    caller: str


def together(cast: Cast, side: int) -> str:
    first, *second = [person.short for person in cast if person.seat % 2 == side]
    return f"{first} and {second[0]}" if second else first


def sides_of(cast: Cast, maker: int = -1) -> Sides:
    """Return the names of the sides for spectators; the maker's seat may be -1."""
    names = (together(cast, 0), together(cast, 1))
    heads_up = len(cast) == 2
    made_by = cast[maker].short
    makers = names if heads_up else (f"{made_by}’s side",) * 2
    win = "{players} wins, {score}" if heads_up else "{players} win, {score}"
    return Sides(names, names, makers, (win, win), names, made_by)


def sides_for(cast: Cast, viewer: int, maker: int = -1) -> Sides:
    """Return the names of the sides for a player: "Us" and "Them"; heads-up "You" and a name."""
    ours, all_call = viewer % 2, sides_of(cast, maker)

    def each(us: str, them: str) -> tuple[str, str]:
        return (us, them) if ours == 0 else (them, us)

    theirs = 1 - ours
    caller = "you" if viewer == maker else all_call.caller
    if len(cast) == 2:
        other = all_call.names[theirs]
        return Sides(
            each("You", other), each("you", other), each("you", other),
            each("You win, {score}", all_call.win[theirs]), all_call.players, caller,
        )  # fmt: skip
    return Sides(
        each("Us", "Them"), each("us", "them"), each("your side", all_call.makers[theirs]),
        each("You win, {score}", all_call.win[theirs]), all_call.players, caller,
    )  # fmt: skip


# Calls ------------------------------------------------------------------------------------


class CallWords(NamedTuple):
    """The words of a call: "I make it next: {suit}", "{name} makes it next", and in the past.

    `bubble` is what stands beside the caller's seat, where it differs from the button (`said`).
    """

    said: str
    present: str
    past: str = ""
    bubble: str = ""


_PLAIN_PASS: Final = CallWords("Pass", "{name} passes", "{name} passed")
_PLAIN_TURN_DOWN: Final = CallWords(
    "Turn it down", "{name} turns it down", "{name} turned it down", "Turned down"
)
#: With a partner, and alone.
_PLAIN_ORDER_UP: Final = (
    CallWords("Order it up", "{name} orders it up", "{name} ordered it up"),
    CallWords("Order it up, alone", "{name} orders it up, alone", "{name} ordered it up, alone"),
)
_PLAIN_TAKE_UP: Final = (
    CallWords("Take it up", "{name} takes it up", "{name} took it up", "Taken up"),
    CallWords(
        "Take it up, alone", "{name} takes it up, alone", "{name} took it up, alone",
        "Taken up, alone",
    ),
)  # fmt: skip
_PLAIN_CALL: Final = (
    CallWords("{Suit}", "{name} calls {suit}", "{name} called it"),
    CallWords("{Suit}, alone", "{name} calls {suit}, alone", "{name} called it, alone"),
)

#: The old words.
_PASS: Final = CallWords("I pass", "{name} passes", "{name} passed")
_TURN_DOWN: Final = CallWords("I turn it down", "{name} turns it down", "{name} turned it down")
_ORDER_UP: Final = (
    CallWords("I order it up", "{name} orders it up", "{name} ordered it up"),
    CallWords("I order it up, alone", "{name} orders it up, alone", "{name} ordered it up, alone"),
)
_ASSIST: Final = (
    CallWords("I assist", "{name} assists", "{name} assisted"),
    CallWords("I assist, alone", "{name} assists, alone", "{name} assisted, alone"),
)
_TAKE_UP: Final = (
    CallWords("I take it up", "{name} takes it up", "{name} took it up"),
    CallWords("I take it up, alone", "{name} takes it up, alone", "{name} took it up, alone"),
)
#: The same where the rule set's calls are those of ``PICK_UP``: to the dealer, and by the dealer.
_PICK_UP: Final = (
    CallWords("Pick it up", "{name} says “pick it up”", "{name} said “pick it up”"),
    CallWords(
        "Pick it up, alone", "{name} says “pick it up”, alone", "{name} said “pick it up”, alone"
    ),
)
_PICKS_UP: Final = (
    CallWords("I pick it up", "{name} picks it up", "{name} picked it up"),
    CallWords("I pick it up, alone", "{name} picks it up, alone", "{name} picked it up, alone"),
)
_NEXT: Final = (
    CallWords("I make it next: {suit}", "{name} makes it next", "{name} made it next"),
    CallWords(
        "I make it next: {suit}, alone", "{name} makes it next, alone", "{name} made it next, alone"
    ),
)
_CROSS: Final = (
    CallWords("I cross it: {suit}", "{name} crosses it", "{name} crossed it"),
    CallWords("I cross it: {suit}, alone", "{name} crosses it, alone", "{name} crossed it, alone"),
)
_NO_TRUMP: Final = (
    CallWords("I make it {suit}", "{name} makes it {suit}", "{name} made it"),
    CallWords("I make it {suit}, alone", "{name} makes it {suit}, alone", "{name} made it, alone"),
)
#: The dealer names the suit of a turned-up joker and must then make it trump.
JOKER_NAMED: Final = CallWords("I name {suit}", "{name} names it", "{name} named it")


def call_of(
    action: Action, *, rules: RuleSet, seat: int, dealer: int, first_round: bool, turned: int
) -> CallWords:
    """Return the words of a call; `turned` is the suit turned up.

    In the old words the same action is "order it up", "assist" or "take it up", depending on the
    caller's seat.
    """
    if not rules.old_words:
        return _plain_call(action, dealing=seat == dealer, first_round=first_round)
    if action.kind == PASS:
        return _TURN_DOWN if first_round and seat == dealer else _PASS
    if action.kind == MAKE:
        crossed = _NO_TRUMP if action.value > UNNAMED else _CROSS
        return (_NEXT if action.value == next_suit(turned) else crossed)[action.alone]
    if rules.calls == PICK_UP:
        return (_PICKS_UP if seat == dealer else _PICK_UP)[action.alone]
    if seat == dealer:
        return _TAKE_UP[action.alone]
    partner = rules.partner_of(dealer) == seat
    return (_ASSIST if partner else _ORDER_UP)[action.alone]


def _plain_call(action: Action, *, dealing: bool, first_round: bool) -> CallWords:
    if action.kind == PASS:
        return _PLAIN_TURN_DOWN if first_round and dealing else _PLAIN_PASS
    if action.kind == MAKE:
        return _PLAIN_CALL[action.alone]
    return (_PLAIN_TAKE_UP if dealing else _PLAIN_ORDER_UP)[action.alone]


#: Answers to the questions that only some rules ask, by the phase of the deal.
ANSWERS: Final[Mapping[tuple[str, str], CallWords]] = {
    (SWAPPING, SWAP): CallWords("Swap", "{name} swaps three cards", bubble="A farmer’s hand"),
    (SWAPPING, DECLINE): CallWords("Keep my cards", "{name} does not swap", bubble="No swap"),
    (FOLDING, FOLD): CallWords("Fold", "{name} folds"),
    (FOLDING, DECLINE): CallWords("Play on", "{name} plays on"),
    (ASKING, GIVE): CallWords("I ask for a card", "{name} gives a card away, face down"),
    (ASKING, DECLINE): CallWords("No, I play these five", "{name} keeps all five cards"),
    (GIVING, BEST): CallWords("", "{name} gives a card in return"),
    (DEFENDING, DEFEND): CallWords("I defend alone", "{name} defends alone"),
    (DEFENDING, DECLINE): CallWords("Not alone", "{name} does not defend alone"),
}


def said(call: CallWords, action: Action) -> str:
    if action.kind != MAKE:
        return call.said
    suit = TRUMP_NAMES[action.value]
    return call.said.format(suit=suit, Suit=suit.capitalize())


def worded(seen: Observation, *, old: bool) -> Observation:
    """Return an observation with the old words of the calls, if its viewer has chosen them."""
    return seen._replace(rules=_in_old_words(seen.rules)) if old else seen


@lru_cache(maxsize=256)
def _in_old_words(rules: RuleSet) -> RuleSet:
    return replace(rules, old_words=True)


# Numbers ----------------------------------------------------------------------------------


def dealt_in(packets: tuple[int, ...]) -> str:
    """Return how the cards are dealt: "3 then 2", "one at a time"."""
    if set(packets) == {1}:
        return "one at a time"
    return " then ".join(str(size) for size in packets)


def counted(number: int, one: str, many: str) -> str:
    """Return a number with its noun: "one seat", "three seats"."""
    word = NUMBERS[number] if number < len(NUMBERS) else str(number)
    return f"{word} {one if number == 1 else many}"


def trick_name(tricks_before: int) -> str:

    return f"{ORDINALS[tricks_before]} trick"


# Results ----------------------------------------------------------------------------------


def deal_result(
    sides: Sides, maker: Person | None, trump: int, result: DealResult, alone_by: str = ""
) -> str:
    """Return a deal's result: "Us +2: Jonah called clubs and was euchred", "March: us +2".

    alone_by: the name of whoever defended alone.
    """
    if result.outcome == FOLDED:
        return "The hand is folded"
    if result.side < 0 or maker is None:
        return "Everybody passed: the hand is thrown in"
    gained = f"{sides.names[result.side]} +{result.points}" if result.points else "No points"
    if result.outcome in (MARCH, LONE_MARCH):
        how = "March" if result.outcome == MARCH else "Alone, march"
        return f"{how}: {sides.inside[result.side]} +{result.points}"
    makers = sides.makers[result.makers]
    if result.outcome == EUCHRE:
        was = "were" if sides.caller == "you" else "was"
        by = f" by {alone_by} alone" if alone_by else ""
        return f"{gained}: {sides.caller} called {TRUMP_NAMES[trump]} and {was} euchred{by}"
    if result.outcome == SKUNK:
        return f"{gained}: {makers} took no trick"
    who = f"{maker.short} alone" if result.outcome == ALONE_MADE else makers
    return f"{gained}: {who} took {counted(result.tricks[result.makers], 'trick', 'tricks')}"


def own_result(result: DealResult, seat: int, maker: Person | None) -> str:
    """Return a deal's result for whoever plays alone with the house: "+1: you took four"."""
    mine, points = seat % 2, result.points
    gained = signed(points if result.side == mine else -points)
    if result.makers < 0 or maker is None:
        return "0: a hand was folded" if result.outcome == FOLDED else "0: everybody passed"
    took, ours = result.tricks[result.makers], result.makers == mine
    if took < NEEDED:
        return f"{gained}: {'you' if ours else 'they'} were euchred"
    alone = result.outcome in (LONE_MARCH, ALONE_MADE)
    who = maker.short if alone and maker.seat != seat else "you" if ours else "they"
    return f"{gained}: {who} took {_TAKEN[took]}{', alone' * alone}"


_TAKEN: Final = ("none", "one", "two", "three", "four", "all five")


def after_folding(rules: RuleSet, dealer: str) -> str:
    stays = stays_with(rules, folded())
    return f"{dealer} deals again" if stays else "The hand counts, without points"


def outcome(record: DealRecord) -> str:
    """Return a deal's outcome for the log: "euchred", "march", "three tricks"."""
    result = record.result
    if result.makers < 0:
        return result.outcome
    words = {EUCHRE: "euchred", SKUNK: "no trick", MARCH: "march", LONE_MARCH: "march"}
    taken = counted(result.tricks[result.makers], "trick", "tricks")
    return words.get(result.outcome, taken)


def game_result(sides: Sides, standing: Standing) -> str:
    """Return a game's result: "You win, 10–7", "A tie, 6–6"."""
    score = f"{max(standing.score)}–{min(standing.score)}"
    if standing.winner < 0:
        return f"A tie, {score}"
    win = sides.win[standing.winner]
    return win.format(players=sides.players[standing.winner], score=score)


_PROPOSED: Final = {
    Proposal.Kind.LEAVE: "{name} has left for good: a house player plays on",
    Proposal.Kind.RESIGN: "{name} wants to resign",
    Proposal.Kind.CLAIM: "{name} claims the rest",
    Proposal.Kind.UNDO: "{name} wants to undo their last move",
}


_WANTED_BACK: Final = "{name} wants {card} back"


class ConsentWords(NamedTuple):
    """The words of a kind of proposal: what it `means` for those who must answer, and buttons."""

    means: str
    agree: str
    decline: str
    own: str
    withdraw: str


CONSENT: Final[Mapping[str, ConsentWords]] = {
    Proposal.Kind.RESIGN: ConsentWords(
        "It counts as lost for your side.",
        "Resign", "Play on", "You want to resign", "Take it back",
    ),
    Proposal.Kind.CLAIM: ConsentWords(
        "No card can change the result.",
        "I agree", "Play on", "You claim the rest", "Take it back",
    ),
    Proposal.Kind.UNDO: ConsentWords(
        "All must agree.",
        "I agree", "Refuse", "You want to undo your last move", "Let it stand",
    ),
}  # fmt: skip


def no_resigning(*, stood_in: bool, claimed: bool, proposed: bool, spent: bool) -> str:
    """Return why a player cannot resign now, or an empty text if they can."""
    if stood_in:
        return (
            "You cannot resign just now: a house player plays for you. Take your seat back first."
        )
    if claimed:
        return "You cannot resign just now: the rest of this hand is being played out."
    if proposed:
        return "You cannot resign now: another proposal is still open at this table."
    if spent:
        return "You can no longer resign in this hand: you have already made two proposals."
    return ""


def undone(name: str) -> str:
    return f"The last move of {name} is undone"


def proposed(kind: str) -> str:
    return _PROPOSED[Proposal.Kind(kind)]


def proposal(kind: str, name: str, card: int) -> str:
    """Return the sentence about an open proposal: "Jonah wants the queen back"; card may be -1."""
    if kind == Proposal.Kind.UNDO and card >= 0:
        return _WANTED_BACK.format(name=name, card=rank_name(card))
    return proposed(kind).format(name=name)


def resigned(cast: Cast, side: int) -> str:
    return f"{together(cast, side)} {'resigns' if len(cast) == 2 else 'resign'}"


def resigned_at(cast: Cast, side: int, score: tuple[int, int]) -> str:
    """Return "Maeve and Iris resign at 3–5", their own points first."""
    return f"{resigned(cast, side)} at {score[side]}–{score[1 - side]}"


def resigned_result(sides: Sides, side: int) -> str:
    win = sides.win[1 - side].removesuffix(", {score}")
    return f"{win.format(players=sides.players[1 - side])} by resignation"


def score_in_words(cast: Cast, score: tuple[int, int]) -> str:
    """Return the score: "7–5 for Iris and Jonah", "5–5"."""
    high, low = max(score), min(score)
    if high == low:
        return f"{high}–{low}"
    return f"{high}–{low} for {together(cast, score.index(high))}"


#: How many spectators are named.
NAMED: Final = 3


def watching(names: tuple[str, ...], spectators: int) -> str | None:
    """Return the names that follow the number of spectators: ": Maeve, Ben and 3 more"."""
    if not names or not spectators:
        return None
    named = list(names[: min(NAMED, spectators)])
    more = spectators - len(named)
    if more:
        named.append(f"{more} more")
    *most, last = named
    return f": {', '.join(most)} and {last}" if most else f": {last}"
