"""What everybody is shown of a table, drawn once for all who watch it.

It is drawn from what a spectator may know, so no card is in it that anybody has not seen, and it
names people, so that it is the same bytes to every viewer; a page marks its own reader itself.
Each part is told from a few plain values, and only parts whose values have changed are drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple

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
from games.engine.rules import PICK_UP
from games.engine.seats import compass
from games.engine.tricks import Trick, winner
from games.models import Proposal
from games.people.names import called
from games.picture import endings, log, phrases
from games.picture.cast import Cast, Person, initials
from games.picture.draw import macro
from games.picture.prompts import Line, line_of
from games.picture.rule_words import brief
from games.picture.scene import EMPTY, GUEST, HOUSE, PROGRAM, Scene, SeatView

#: What is added to the name of a card that somebody wants back.
WANTED: Final = ", asked back"
#: Targets whose score is kept with cards, and the name of those drawings.
_MARKERS: Final = {5: "m5", 10: "m10"}


class Turn(NamedTuple):
    """Where it is the turn, and where a complete trick goes; -1 for nowhere.

    `left` of `seconds` are left to whoever is in turn; -1 where no clock runs.
    """

    seat: int = -1
    won: int = -1
    left: float = -1
    seconds: int = 0


class Trump(NamedTuple):
    """Trump and who made it, or how far the bidding is; `letter` is empty before it is made."""

    letter: str
    title: str
    detail: str


class Points(NamedTuple):
    """One side's points; `gained`: in the hand that has just ended."""

    side: int
    points: int
    spoken: str
    marker: str
    gained: int


class Plate(NamedTuple):
    """Who sits in a seat; `clocked`: with the ring of a turn clock.

    `by_last`: where there is no room for the whole name, its last word stands for it.
    """

    seat: int
    name: str
    initials: str
    out: bool
    clocked: bool
    by_last: bool = False


class Backs(NamedTuple):
    """The cards a seat holds, from behind."""

    seat: int
    held: int
    label: str
    out: bool


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
    same_address: bool
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
    letter: str = ""
    text: str = ""
    bower: str = ""


class Spot(NamedTuple):
    """A seat's place in the trick, empty or with its card; `wanted`: somebody wants it back."""

    seat: int
    hidden: bool
    slot: str = ""
    out: bool = False
    card: int = -1
    led: bool = False
    winning: bool = False
    label: str = ""
    bower: str = ""
    wanted: bool = False


class TrickName(NamedTuple):
    """The trick in words."""

    text: str


class Shown(NamedTuple):
    """A card of the last trick."""

    card: int
    label: str
    caption: str
    won: bool
    bower: str


class LastTrick(NamedTuple):
    """The last complete trick of the deal, in the order played."""

    title: str
    cards: tuple[Shown, ...] = ()


class Facts(NamedTuple):
    """Names with their values."""

    facts: tuple[tuple[str, str], ...]


class Asker(NamedTuple):
    """Somebody who asks for a seat, as those who may let them in see it."""

    request: int
    name: str
    guest: bool
    compass: str


class Company(NamedTuple):
    """Who comes, leaves and asks for a seat, and what is proposed; `passing`: news for seconds."""

    table_id: int
    told: str
    spoken: str
    askers: tuple[Asker, ...]
    passing: bool = True


class Came(NamedTuple):
    """Who came and left last, for the log."""

    told: tuple[str, ...] = ()


#: How each kind of part is drawn.
DRAWN_BY: Final[Mapping[type, Callable[..., str]]] = {
    Turn: lru_cache(maxsize=256)(macro("turn")), Backs: lru_cache(macro("backs")),
    Trump: macro("trump"), Points: macro("points"), Plate: macro("plate"), Marks: macro("marks"),
    Said: macro("said"), Kitty: macro("kitty"), Spot: macro("spot"),
    TrickName: macro("trick_name"), Line: macro("line"), LastTrick: macro("last"),
    Facts: macro("facts"), Company: macro("company"), Came: macro("came"),
    endings.Tally: macro("tally"), endings.Recap: macro("recap"),
    endings.AllHands: macro("all_hands"), endings.Story: macro("story"),
}  # fmt: skip


Part = tuple[str, tuple[Any, ...]]


def moving_parts(scene: Scene, seen: Observation | None, cast: Cast) -> Iterator[Part]:
    """The parts that change with nearly every event, by id, as plain values.

    Args:
        scene: the table.
        seen: what a spectator may know of the cards; None before the first game.
        cast: everybody at the table.
    """
    yield "turn", _turn(scene, seen)
    for person in cast:
        yield f"backs-{person.seat}", _backs(seen, person.seat)
    yield "trick-name", TrickName(_trick_name(seen, cast))
    yield from _spots(scene, seen, cast)
    yield "line", line_of(scene, seen, cast)


def resting_parts(scene: Scene, seen: Observation | None, cast: Cast) -> Iterator[Part]:
    """The other parts, which stay as they are while ``rests_on`` does; see ``moving_parts``."""
    yield "trump", _trump(scene, seen, cast)
    for side in (0, 1):
        yield f"points-{side}", _points(scene, seen, cast, side)
    for person in cast:
        seat = person.seat
        yield f"plate-{seat}", _plate(scene, seen, person)
        yield f"marks-{seat}", _marks(scene, seen, person)
        yield f"said-{seat}", _said(seen, seat)
    yield "kitty", _kitty(scene, seen, cast)
    yield "last-cards", _last_trick(seen, cast)
    yield from endings.ending_parts(scene, seen, cast)
    yield "facts", _facts(scene, seen, cast)
    yield "company", _company(scene, seen, cast)
    yield "log-came", Came(scene.came)


def rests_on(scene: Scene, seen: Observation | None) -> tuple[object, ...]:
    """All that the resting parts are told from, for a game's scene of one rule set."""
    at_table = (
        scene.state, scene.open, scene.reserved, scene.seats, scene.asking, scene.coming,
        scene.came, scene.clock is not None, scene.game_number, scene.told, scene.consent,
        scene.worths, scene.resigned,
    )  # fmt: skip
    if seen is None:
        return at_table
    return (
        *at_table, seen.standing, seen.phase, seen.calls, seen.turn_up, seen.turned_suit,
        seen.trump, seen.maker, seen.sitting_out, seen.tricks, seen.result,
    )  # fmt: skip


# Plaque, clock and facts ------------------------------------------------------------------


def _turn(scene: Scene, seen: Observation | None) -> Turn:
    if seen is None or scene.resigned >= 0:
        return Turn()
    clock = scene.clock
    if clock is None or clock.left is None:
        return Turn(seen.turn, trick_shown(seen)[1])
    return Turn(seen.turn, trick_shown(seen)[1], clock.left, clock.seconds)


def _trump(scene: Scene, seen: Observation | None, cast: Cast) -> Trump:
    if seen is None:
        return Trump("", "Before the game", scene.rules.name)
    if seen.trump != NO_TRUMP:
        call = log.call_at(seen, len(seen.calls) - 1) if seen.calls else phrases.JOKER_NAMED
        told = call.past.format(name=cast[seen.maker].short)
        return Trump(SUITS[seen.trump].lower(), SUIT_NAMES[seen.trump].capitalize(), told)
    if seen.phase == CUTTING:
        return Trump("", "The cut", f"Hand {seen.standing.deal_number}")
    if seen.phase == DONE:
        return Trump("", "Thrown in", "Everybody passed")
    if seen.phase == SECOND_ROUND:
        turned = SUIT_NAMES[seen.turned_suit].capitalize()
        return Trump("", "Second round", f"{turned} are turned down")
    up = f"{phrases.plain_name(seen.turn_up).capitalize()} is up" if seen.turn_up >= 0 else ""
    return Trump("", "First round", up)


def _points(scene: Scene, seen: Observation | None, cast: Cast, side: int) -> Points:
    target, points = scene.rules.target, seen.standing.score[side] if seen is not None else 0
    of_target = f" of {target}" if target else ""
    shown = min(points, target or 0)
    kind = _MARKERS.get(target or 0, "")
    drawn = kind == "m10" or (kind and shown < 5)  # at five the number stands alone
    result = seen.result if seen is not None else None
    gained = result.points if result is not None and result.side == side else 0
    spoken = f"{phrases.together(cast, side)}: {points}{of_target} points"
    return Points(side, points, spoken, f"{kind}-{shown}" if drawn else "", gained)


def _facts(scene: Scene, seen: Observation | None, cast: Cast) -> Facts:
    """The four facts over the log."""
    rules = scene.rules
    end = ("To", str(rules.target)) if rules.target is not None else ("Hands", str(rules.deals))
    maker, tricks = "–", "–"
    if seen is not None and seen.maker >= 0:
        maker = cast[seen.maker].short
        taken = sum(trick.winner % 2 == seen.maker % 2 for trick in seen.tricks)
        tricks = f"{taken} of {len(seen.tricks)}"
    hand = str(seen.standing.deal_number) if seen is not None else "–"
    return Facts((("Hand", hand), end, ("Maker", maker), ("Took", tricks)))


# Seats ------------------------------------------------------------------------------------


def _plate(scene: Scene, seen: Observation | None, person: Person) -> Plate:
    if scene.seats[person.seat].kind == EMPTY:
        return Plate(person.seat, "Free seat", "+", out=False, clocked=False)
    out = seen is not None and seen.sitting_out == person.seat
    name = person.name
    by_last = called(name) != name.split()[0]
    return Plate(person.seat, name, initials(name), out, scene.clock is not None, by_last)


def _backs(seen: Observation | None, seat: int) -> Backs:
    if seen is None:
        return Backs(seat, 0, "", out=False)
    held, out = seen.held[seat], seen.sitting_out == seat
    label = f"{phrases.counted(held, 'card', 'cards')}{', face down' if out else ''}"
    return Backs(seat, held, label, out)


def _marks(scene: Scene, seen: Observation | None, person: Person) -> Marks:
    """A seat's marks, in their order, and what a spectator is offered."""
    at = person.seat
    seat = scene.seats[at]
    maker = seen is not None and seen.maker == at
    return Marks(
        seat=at,
        short=person.short,
        dealer=seen is not None and seen.dealer == at,
        made=SUITS[seen.trump].lower() if seen is not None and maker else "",
        suit=SUIT_NAMES[seen.trump] if seen is not None and maker else "",
        alone=seen is not None and maker and seen.alone,
        house=seat.kind == HOUSE or seat.stand_in,
        program=seat.kind == PROGRAM,
        program_of=seat.program_of,
        guest=seat.kind == GUEST,
        same_address=seat.same_address,
        stand_in=seat.stand_in,
        away=seat.away and not seat.awaited and not (seat.stand_in and scene.reserved),
        came=_came(scene, seat),
        took=sum(trick.winner == at for trick in seen.tricks) if seen is not None else 0,
        offer=_offer(scene, seat),
        verb="ask" if _must_ask(scene) else "sit",
        table_id=scene.table_id,
    )


def _came(scene: Scene, seat: SeatView) -> str:
    """Whether somebody has come to a reserved table, while it waits for its players."""
    if scene.reserved is None or scene.state != "gathering" or seat.kind in (EMPTY, HOUSE):
        return ""
    return "Awaited" if seat.awaited else "" if seat.away else "Here"


def _offer(scene: Scene, seat: SeatView) -> str:
    """What somebody without a seat is offered."""
    if scene.reserved is not None or scene.state not in ("gathering", "playing"):
        return ""
    if _must_ask(scene):
        return "Ask for this seat" if seat.kind in (EMPTY, HOUSE) else ""
    return {EMPTY: "Sit here", HOUSE: "Take this seat"}.get(seat.kind, "")


def _must_ask(scene: Scene) -> bool:
    """Whether those who play give the seats; who watches a table that is not open has its link."""
    return scene.open and scene.state == "playing"


def _said(seen: Observation | None, seat: int) -> Said:
    """What a seat said last, for the others to see until the play begins."""
    if seen is not None and seen.phase in (FIRST_ROUND, SECOND_ROUND, DISCARDING):
        for number in range(len(seen.calls) - 1, -1, -1):
            if seen.calls[number][0] == seat:
                return Said(seat, phrases.said(log.call_at(seen, number), seen.calls[number][1]))
    return Said(seat, "")


def _company(scene: Scene, seen: Observation | None, cast: Cast) -> Company:
    askers = tuple(
        Asker(one.request, one.name, one.guest, compass(scene.rules.players, one.position))
        for one in scene.asking
    )
    spoken = [f"{one.name} asks for a seat: {one.compass}." for one in askers]
    proposed, asked = _proposed(scene, seen, cast)
    told = " ".join(filter(None, (scene.coming, proposed, asked, *spoken)))
    return Company(scene.table_id, proposed or scene.coming, told, askers, not proposed)


def _proposed(scene: Scene, seen: Observation | None, cast: Cast) -> tuple[str, str]:
    """What is proposed now, and who has still to agree; both may be empty."""
    consent = scene.consent
    if consent is None or seen is None:
        return "", ""
    what = phrases.wanted(consent.kind, cast[consent.position].short, wanted_back(scene, seen))
    asked = ", ".join(cast[seat].short for seat in consent.awaited)
    return f"{what}.", f"Asked: {asked}."


# The middle -------------------------------------------------------------------------------


def play_begun(seen: Observation) -> bool:
    """Whether the middle shows the trick and no longer the kitty."""
    return seen.phase == PLAYING or (seen.phase == DONE and seen.maker >= 0)


def trick_shown(seen: Observation) -> tuple[tuple[tuple[int, int], ...], int]:
    """The plays that lie on the table, and the trick's winner once it is complete.

    A complete trick stays until its winner leads.
    """
    if seen.plays or not seen.tricks:
        return seen.plays, -1
    return seen.tricks[-1].plays, seen.tricks[-1].winner


def _kitty(scene: Scene, seen: Observation | None, cast: Cast) -> Kitty:
    """The kitty and the turn-up, with what they mean."""
    if seen is None:
        return Kitty(hidden=False, text=brief(scene.rules))
    if play_begun(seen):
        return Kitty(hidden=True)
    dealer = cast[seen.dealer].short
    if seen.phase == CUTTING:
        return Kitty(False, text=f"{cast[seen.dealer - 1].short} cuts, {dealer} will deal")
    if seen.phase == DISCARDING:
        return Kitty(False, text=f"{dealer} discards, face down")
    label = phrases.plain_name(seen.turn_up)
    if seen.turn_up_at == TURNED_DOWN:
        text = f"{SUIT_NAMES[seen.turned_suit]} may not be named"
        letter = SUITS[seen.turned_suit].lower()
        return Kitty(False, seen.turn_up, f"{label}, turned down", True, letter, text)
    taken = f"If it is ordered up, {dealer} takes it"
    if seen.rules.calls == PICK_UP:
        taken = f"{dealer} may be told to pick it up"
    text = "A joker is turned up" if seen.phase == NAMING else taken
    return Kitty(False, seen.turn_up, f"{label}, turned up", text=text)


def wanted_back(scene: Scene, seen: Observation) -> int:
    """The card in the trick that somebody wants back, or -1."""
    consent = scene.consent
    if consent is None or consent.kind != Proposal.Kind.UNDO or not play_begun(seen):
        return -1
    return dict(trick_shown(seen)[0]).get(consent.position, -1)


def _spots(scene: Scene, seen: Observation | None, cast: Cast) -> Iterator[tuple[str, Spot]]:
    """The places of the trick, by seat."""
    if seen is None or not play_begun(seen):
        for seat in range(len(cast)):
            yield f"spot-{seat}", Spot(seat, hidden=True)
        return
    plays, won = trick_shown(seen)
    trump, cards = seen.trump, dict(plays)
    leader = plays[0][0] if plays else -1
    best = winner(trump, plays) if won < 0 and plays else won
    wanted = wanted_back(scene, seen)
    for person in cast:
        seat, who = person.seat, person.short
        card = cards.get(seat, -1)
        if card < 0:
            out = seen.sitting_out == seat
            yield f"spot-{seat}", Spot(seat, False, f"{who} sits out" if out else who, out)
            continue
        by = f"led by {who}" if leader == seat else f"played by {who}"
        end = "" if best != seat else ", won the trick" if won >= 0 else ", winning so far"
        label = f"{phrases.card_name(card, trump)}, {by}{end}{WANTED * (card == wanted)}"
        bower = phrases.bower(card, trump).removesuffix(" bower")
        yield (
            f"spot-{seat}",
            Spot(
                seat, False, "", False, card, leader == seat, best == seat, label, bower,
                card == wanted,
            ),
        )  # fmt: skip


def _trick_name(seen: Observation | None, cast: Cast) -> str:
    """The trick in words: "Second trick, Iris led"."""
    if seen is None or not play_begun(seen):
        return ""
    plays, won = trick_shown(seen)
    name = phrases.trick_name(len(seen.tricks) - (won >= 0))
    if won >= 0:
        return f"{name}, {cast[won].short} won it"
    if plays:
        return f"{name}, {cast[plays[0][0]].short} led"
    return f"{name}, {cast[seen.turn].short} leads"


def _last_trick(seen: Observation | None, cast: Cast) -> LastTrick:
    """What the look back at the last trick shows."""
    if seen is None or not seen.tricks:
        return LastTrick("No trick yet in this hand")
    trick: Trick = seen.tricks[-1]
    captions = {
        (True, True): "{name} led, won it", (True, False): "{name} led",
        (False, True): "{name} won it", (False, False): "{name}",
    }  # fmt: skip
    shown = tuple([
        Shown(
            card,
            phrases.card_name(card, seen.trump),
            captions[number == 0, seat == trick.winner].format(name=cast[seat].short),
            seat == trick.winner,
            phrases.bower(card, seen.trump).removesuffix(" bower"),
        )
        for number, (seat, card) in enumerate(trick.plays)
    ])  # fmt: skip
    name = phrases.trick_name(len(seen.tricks) - 1)
    return LastTrick(f"{name}: {cast[trick.winner].short} won it", shown)
