"""The parts of a table's page that rest while a trick is being played, as plain values.

All they are told from is one ``Still``; as long as that is the same, so are they.
"""

from __future__ import annotations

from typing import Final, Generic, NamedTuple, TypeVar

from games.engine.actions import Action
from games.engine.cards import NO_TRUMP, SUIT_NAMES, SUITS
from games.engine.observation import (
    CUTTING,
    DISCARDING,
    DONE,
    FIRST_ROUND,
    NAMING,
    PLAYING,
    SECOND_ROUND,
    TURNED_DOWN,
    Observation,
)
from games.engine.rules import RuleSet
from games.engine.scoring import DealRecord, DealResult
from games.engine.tricks import Trick
from games.picture import wording, words
from games.picture.cast import Cast, Person, initials
from games.picture.logbook import Bidding, call_of_bid
from games.picture.rule_words import brief
from games.picture.scene import EMPTY, GUEST, HOUSE, PROGRAM, Scene, SeatView

#: Targets whose score is kept with cards, and the name of those drawings.
_MARKERS: Final = {5: "m5", 10: "m10"}

_Value = TypeVar("_Value")


class Same(Generic[_Value]):
    """A value that never changes, compared by what it is and not by all that is in it.

    Long tuples stay the same objects from one event to the next, so that this is enough.
    """

    __slots__ = ("value",)

    def __init__(self, value: _Value) -> None:
        self.value = value

    def __hash__(self) -> int:
        return id(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self.value is other.value


class Still(NamedTuple):
    """What the resting parts are told from; see ``Scene`` and ``Observation`` for the fields.

    Before the first game ``dealt`` is false and the fields of the deal are empty.
    """

    table_id: int
    rules: Same[RuleSet]
    state: str
    reserved: bool
    open: bool
    clocked: bool
    seats: tuple[SeatView, ...]
    records: Same[tuple[DealRecord, ...]]
    dealt: bool
    number: int = 1
    score: tuple[int, int] = (0, 0)
    dealer: int = -1
    phase: str = ""
    turn_up: int = -1
    turn_up_at: str = ""
    turned_suit: int = -1
    calls: tuple[tuple[int, Action], ...] = ()
    trump: int = NO_TRUMP
    maker: int = -1
    alone: bool = False
    sitting_out: int = -1
    tricks: Same[tuple[Trick, ...]] = Same(())
    result: DealResult | None = None

    @property
    def bidding(self) -> Bidding | None:
        """What the log tells of the bidding."""
        if not self.dealt:
            return None
        rules = self.rules.value
        phase = self.phase if self.phase != DONE else PLAYING
        return Bidding(
            self.number, len(self.seats), self.dealer, rules.packets, rules.cut, phase,
            self.turn_up, self.turned_suit, self.calls,
        )  # fmt: skip


def still_of(scene: Scene, seen: Observation | None) -> Still:
    """What rests of a table.

    Args:
        scene: the table.
        seen: what everybody may know of the cards; None before the first game.
    """
    rules, records = Same(scene.rules), Same(scene.records)
    kind = (scene.state, scene.reserved is not None, scene.open, scene.clock is not None)
    head = (scene.table_id, rules, *kind, scene.seats, records)
    if seen is None:
        return Still(*head, dealt=False)
    standing = seen.standing
    return Still(
        *head, True, standing.deal_number, standing.score, seen.dealer, seen.phase, seen.turn_up,
        seen.turn_up_at, seen.turned_suit, seen.calls, seen.trump, seen.maker, seen.alone,
        seen.sitting_out, Same(seen.tricks), seen.result,
    )  # fmt: skip


def last_call(bid: Bidding, seat: int | None = None) -> words.CallWords | None:
    """The last call of the deal, or of one seat in it."""
    for number in range(len(bid.calls) - 1, -1, -1):
        if seat is None or bid.calls[number][0] == seat:
            return call_of_bid(bid, number)
    return None


class SideScore(NamedTuple):
    """One side's points on the plaque."""

    side: str
    label: str
    points: int
    spoken: str
    marker: str
    letter: str


class Plaque(NamedTuple):
    """Trump, who made it, and both scores."""

    letter: str
    title: str
    detail: str
    sides: tuple[SideScore, ...]


class Plate(NamedTuple):
    """Who sits in a seat."""

    seat: int
    name: str
    role: str
    initials: str
    tone: str
    out: bool
    clocked: bool = False


class Marks(NamedTuple):
    """What is to be known of a seat, each in a word; and the offer to take it."""

    seat: int
    short: str
    dealer: bool
    made: str
    suit: str
    alone: bool
    house: bool
    program: bool
    program_of: str
    guest: bool
    stand_in: bool
    away: bool
    came: str
    took: int
    offer: str
    verb: str
    table_id: int


class Said(NamedTuple):
    """The last call of a seat."""

    seat: int
    words: str


class Kitty(NamedTuple):
    """The undealt cards in the middle, and the turn-up."""

    hidden: bool
    card: int = -1
    label: str = ""
    down: bool = False
    discard: str = ""
    letter: str = ""
    text: str = ""


class Shown(NamedTuple):
    """A card of the last trick."""

    card: int
    label: str
    caption: str
    won: bool


class LastTrick(NamedTuple):
    """The last complete trick of the deal, in the order played."""

    title: str
    cards: tuple[Shown, ...] = ()


# Plaque and facts -------------------------------------------------------------------------


def plaque_of(still: Still, cast: Cast) -> Plaque:
    """What stands on the plaque."""
    near = words.near_side(cast)
    target = still.rules.value.target
    sides = (
        _side_score("us", "h", words.side_name(cast, near), still.score[near], target),
        _side_score("them", "s", words.side_name(cast, 1 - near), still.score[1 - near], target),
    )
    return Plaque(*_title(still, cast), sides)


def _side_score(side: str, letter: str, name: str, points: int, target: int | None) -> SideScore:
    spoken = f"{name}: {points}{f' of {target}' if target else ''} points"
    kind = _MARKERS.get(target or 0, "")
    shown = min(points, target or 0)
    drawn = kind and (kind == "m10" or shown < 5)  # at five the number stands alone
    marker = f"{kind}-{shown}{letter}" if drawn else ""
    label = {"North–South": "N–S", "East–West": "E–W"}.get(name, name)
    return SideScore(side, label, points, spoken, marker, letter)


def _title(still: Still, cast: Cast) -> tuple[str, str, str]:
    """The letter of trump, the large word and the small one."""
    if not still.dealt:
        return "", "Before the game", still.rules.value.name
    if still.trump != NO_TRUMP:
        suit = SUIT_NAMES[still.trump].capitalize()
        return SUITS[still.trump].lower(), suit, _made_by(still, cast)
    turned = SUIT_NAMES[still.turned_suit].capitalize()
    small = {
        CUTTING: ("The cut", f"Hand {still.number}"),
        DONE: ("Thrown in", "Everybody passed"),
        SECOND_ROUND: ("Second round", f"{turned} are turned down"),
    }
    return "", *small.get(still.phase, ("First round", _up(still)))


def _up(still: Still) -> str:
    if still.turn_up < 0:
        return ""
    return f"{words.plain_name(still.turn_up).capitalize()} is up"


def _made_by(still: Still, cast: Cast) -> str:
    call = (last_call(still.bidding) if still.bidding else None) or words.JOKER_NAMED
    return f"{cast[still.maker].subject} {call.past}{call.alone}"


def facts_of(still: Still, cast: Cast) -> tuple[tuple[str, str], ...]:
    """The four facts over the log."""
    rules = still.rules.value
    end = ("To", str(rules.target)) if rules.target is not None else ("Hands", str(rules.deals))
    makers, tricks, hand = "–", "–", str(still.number) if still.dealt else "–"
    if still.maker >= 0:
        makers = words.side_name(cast, rules.side_of(still.maker))
        makers += ", alone" if still.alone else ""
        won = sum(trick.winner % 2 == 0 for trick in still.tricks.value)
        tricks = words.points(cast, (won, len(still.tricks.value) - won))
    return (
        ("Hand", hand),
        end,
        ("Makers" if len(cast) == 4 else "Maker", makers),
        ("Tricks", tricks),
    )


# Seats ------------------------------------------------------------------------------------


def plate_of(seat: SeatView, person: Person, *, out: bool, clocked: bool = False) -> Plate:
    """A seat's plate; `clocked`: with the ring of a turn clock."""
    role = f"Partner · {person.compass}" if person.partner else person.compass
    tone = "" if person.ours else "b"
    if seat.kind == EMPTY:
        return Plate(person.seat, "Free seat", role, "+", tone, out=False)
    return Plate(
        person.seat,
        "You" if person.you else person.name,
        "Sitting out" if out else role,
        initials(person.name),
        tone,
        out,
        clocked,
    )


def marks_of(still: Still, person: Person) -> Marks:
    """A seat's marks, in their order, and what a spectator is offered."""
    seat = still.seats[person.seat]
    maker = still.maker == person.seat
    return Marks(
        seat=person.seat,
        short=person.short,
        dealer=still.dealer == person.seat,
        made=SUITS[still.trump].lower() if maker else "",
        suit=SUIT_NAMES[still.trump] if maker else "",
        alone=maker and still.alone,
        house=seat.kind == HOUSE or seat.stand_in,
        program=seat.kind == PROGRAM,
        program_of=wording.plain(seat.program_of),
        guest=seat.kind == GUEST,
        stand_in=seat.stand_in,
        away=seat.away and not seat.stand_in and not seat.awaited,
        came=_came(still, seat),
        took=sum(trick.winner == person.seat for trick in still.tricks.value),
        offer=_offer(still, person.seat),
        verb="ask" if _must_ask(still) else "sit",
        table_id=still.table_id,
    )


def _came(still: Still, seat: SeatView) -> str:
    """Whether somebody has come to a reserved table, while it waits for its players."""
    if not still.reserved or still.state != "gathering" or seat.kind in (EMPTY, HOUSE):
        return ""
    return "Awaited" if seat.awaited else "" if seat.away else "Here"


def _offer(still: Still, position: int) -> str:
    """What somebody without a seat is offered."""
    if still.reserved or still.state not in ("gathering", "playing"):
        return ""
    kind = still.seats[position].kind
    if _must_ask(still):
        return "Ask for this seat" if kind in (EMPTY, HOUSE) else ""
    return {EMPTY: "Sit here", HOUSE: "Take this seat"}.get(kind, "")


def _must_ask(still: Still) -> bool:
    """Whether those who play give the seats; who watches a table that is not open has its link."""
    return still.open and still.state == "playing"


def said_of(bid: Bidding | None, person: Person) -> Said:
    """What a seat said last, for the others to see until the play begins."""
    call = None
    if bid and bid.phase in (FIRST_ROUND, SECOND_ROUND, DISCARDING):
        call = last_call(bid, person.seat)
    return Said(person.seat, call.said if call else "")


# The kitty and the last trick -------------------------------------------------------------


def play_begun(seen: Observation | Still) -> bool:
    """Whether the middle shows the trick and no longer the kitty."""
    return seen.phase == PLAYING or (seen.phase == DONE and seen.maker >= 0)


def kitty_of(still: Still, cast: Cast) -> Kitty:
    """The kitty and the turn-up, with what they mean to the viewer."""
    if not still.dealt:
        return Kitty(hidden=False, text=brief(still.rules.value))
    if play_begun(still):
        return Kitty(hidden=True)
    dealer = cast[still.dealer]
    if still.phase == CUTTING:
        cuts = cast[still.dealer - 1].does("cut", "cuts")
        return Kitty(hidden=False, text=f"{cuts}, {dealer.lower} will deal")
    if still.phase == DISCARDING:
        discard = "Your discard" if dealer.you else f"{dealer.own} discard"
        text = "Face down: only you will know it" if dealer.you else "Face down"
        return Kitty(hidden=False, discard=discard, text=text)
    label = words.plain_name(still.turn_up)
    if still.turn_up_at == TURNED_DOWN:
        text = f"{SUIT_NAMES[still.turned_suit]} may not be named"
        letter = SUITS[still.turned_suit].lower()
        return Kitty(False, still.turn_up, f"{label}, turned down", True, "", letter, text)
    return Kitty(False, still.turn_up, f"{label}, turned up", text=_if_taken(still, cast))


def _if_taken(still: Still, cast: Cast) -> str:
    dealer = cast[still.dealer]
    if still.phase == NAMING:
        return "A joker is turned up"
    takes = "you take it" if dealer.you else f"{dealer.short} takes it"
    if dealer.you or not words.seated(cast):
        return f"If it is ordered up, {takes}"
    return f"If you {'assist' if dealer.partner else 'order it up'}, {takes}"


def last_trick_of(tricks: tuple[Trick, ...], trump: int, cast: Cast) -> LastTrick:
    """What the look back at the last trick shows."""
    if not tricks:
        return LastTrick("No trick yet in this hand")
    shown = []
    for number, (seat, card) in enumerate(tricks[-1].plays):
        did = (["led"] if number == 0 else []) + (["won it"] if seat == tricks[-1].winner else [])
        caption = " ".join([cast[seat].subject, ", ".join(did)]).strip()
        label = words.card_name(card, trump)
        shown.append(Shown(card, label, caption, seat == tricks[-1].winner))
    name = words.trick_name(len(tricks) - 1)
    return LastTrick(f"{name}: {cast[tricks[-1].winner].lower} won it", tuple(shown))
