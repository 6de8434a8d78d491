"""A game that has ended as it is replayed: what one viewer is shown at one moment of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from django.utils.safestring import SafeString, mark_safe

from games.engine.actions import CUT, PLAY
from games.engine.cards import JOKER, NO_TRUMP, SUIT_NAMES, cards_in, sort_key
from games.engine.deal import Deal
from games.engine.observation import (
    DISCARDING,
    DONE,
    ON_PACK,
    PLAYING,
    TAKEN,
    TURNED_DOWN,
    Observation,
)
from games.engine.tricks import Trick, winner
from games.files.played import PlayedDeal, PlayedGame
from games.picture import log, phrases
from games.picture.cast import Cast, Person, cast_of, place_of
from games.picture.page import log_list

ALL: Final = "all"
PUBLIC: Final = "public"

#: What a deal waits for after its bidding and before its first card.
_BEFORE_THE_LEAD: Final = {
    DISCARDING: "Before the discard",
    PLAYING: "Before the first lead",
    DONE: "Thrown in",
}
_AT: Final = re.compile(r"([0-9]{1,4})\.([0-9]{1,3})")


class NoMomentError(Exception):
    """An address names no moment or no view of a game; the message says what there is."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A link of the page. at, seat: where it leads. label, note: what it says."""

    at: str
    seat: str
    label: str
    note: str = ""
    here: bool = False


@dataclass(frozen=True, slots=True)
class Moment:
    """All that the replay shows.

    at, seat: the moment and the view, as they stand in the address. step, steps: where in the
    deal. marks: the steps at which the deal, the bidding and each trick end. ways: name of a step
    to where it leads, or nothing. said: the moment in a sentence.
    """

    at: str
    seat: str
    headline: str
    facts: tuple[str, ...]
    notes: tuple[str, ...]
    view: str
    seats: tuple[ReplaySeat, ...]
    turn_up: Card | None
    turn_up_note: str
    suit: str
    trump: str
    made: str
    tricks: str
    won: str
    number: int
    step: int
    steps: int
    marks: tuple[int, ...]
    where: str
    said: str
    ways: dict[str, str]
    deals: tuple[Choice, ...]
    views: tuple[Choice, ...]
    lines: SafeString


def moment(game: PlayedGame, at: str, seat: str) -> Moment:
    """Return what is shown of a game.

    Args:
        game: the game.
        at: ``<hand>.<step>``, both counted by actions: ``1.0`` is the first hand as it was dealt.
        seat: ``all`` for all hands open, ``public`` for what everybody saw, or a seat's name in
            small letters.

    Raises:
        NoMomentError: there is no such moment or view.
    """
    cast, hands = cast_of(game.players), len(game.deals)
    names = [person.compass.lower() for person in cast]
    if seat not in (ALL, PUBLIC, *names):
        raise NoMomentError(f"There is no view {seat[:20]!r}: {ALL}, {PUBLIC}, {', '.join(names)}.")
    viewer = names.index(seat) if seat in names else None
    played, step = _place(game, at)
    deal = played.at(step)
    standing = played.after if deal.result is not None else played.before
    seen = deal.observe(viewer, standing)
    up = turn_up_of(deal)
    said = log.news(seen, cast)
    us, them = game.standing.score
    headline = f"Not played to its end, at {us}–{them}"
    if game.resigned >= 0:
        headline = phrases.resigned_at(cast, game.resigned, game.standing.score)
    elif game.standing.over:
        headline = phrases.game_result(phrases.sides_of(cast), game.standing)
    view = "What everybody saw" if viewer is None else f"As {cast[viewer].name} saw it"
    here = f"{played.number}.{step}"
    return Moment(
        at=here,
        seat=seat,
        headline=headline,
        facts=(game.rules.name, f"{hands} hand{'s' * (hands != 1)}", *filter(None, (game.title,))),
        notes=game.notes,
        view="All hands open" if seat == ALL else view,
        seats=tuple(seat_of(person, played, deal, seen, all_open=seat == ALL) for person in cast),
        turn_up=up[0],
        turn_up_note=up[1],
        suit=phrases.SUIT_LETTERS[deal.trump] if deal.trump != NO_TRUMP else "",
        trump=f"{SUIT_NAMES[deal.trump]} trump" if deal.trump != NO_TRUMP else "No trump yet",
        made=_made(deal, cast),
        tricks=f"Tricks {_near_first(deal.won, viewer)}",
        won=f"{cast[deal.tricks[-1].winner].short} wins this one"
        if deal.tricks and not deal.plays
        else "",
        number=played.number,
        step=step,
        steps=played.steps,
        marks=tuple(_marks(played)),
        where=_where(deal, played, step),
        said=said,
        ways=_ways(game, played, step),
        deals=tuple(
            Choice(
                f"{one.number}.0",
                seat,
                str(one.number),
                _near_first(one.after.score, viewer),
                here=one.number == played.number,
            )
            for one in game.deals
        ),
        views=(
            Choice(here, ALL, "All hands", here=seat == ALL),
            *(
                Choice(here, name, person.short, person.compass, here=seat == name)
                for name, person in zip(names, cast, strict=True)
            ),
            Choice(here, PUBLIC, "What all saw", here=seat == PUBLIC),
        ),
        lines=_lines(seen, cast, played),
    )


def _place(game: PlayedGame, at: str) -> tuple[PlayedDeal, int]:
    found = _AT.fullmatch(at)
    number, step = (int(found[1]), int(found[2])) if found else (0, 0)
    if not 1 <= number <= len(game.deals):
        raise NoMomentError(
            f"There is no moment {at[:20]!r}: a hand from 1 to {len(game.deals)} and a step, "
            "such as 1.0."
        )
    played = game.deals[number - 1]
    if step > played.steps:
        raise NoMomentError(f"Hand {number} has the steps 0 to {played.steps}, not {step}.")
    return played, step


def _made(deal: Deal, cast: Cast) -> str:
    if deal.maker < 0:
        return f"{cast[deal.dealer].short} deals"
    if not deal.calls:
        return f"{cast[deal.dealer].short} named it"
    call = log.call_words(
        deal.calls,
        len(deal.calls) - 1,
        rules=deal.rules,
        dealer=deal.dealer,
        turned=deal.turned_suit,
    )
    return call.past.format(name=cast[deal.maker].short)


# Where one is and where one can go --------------------------------------------------------


def _where(deal: Deal, played: PlayedDeal, step: int) -> str:
    if deal.phase == DONE and deal.tricks:
        return f"Trick {len(deal.tricks)}, the hand is over"
    if deal.plays:
        size = deal.rules.players - (deal.sitting_out >= 0)
        return f"Trick {len(deal.tricks) + 1}, card {len(deal.plays)} of {size}"
    if deal.tricks:
        return f"Trick {len(deal.tricks)}, complete"
    if step == 0 or (step == 1 and played.deal.actions[0].kind == CUT):
        return "Before the deal" if deal.turn_up < 0 else "The cards are dealt"
    return _BEFORE_THE_LEAD.get(deal.phase, "Bidding")


def _marks(played: PlayedDeal) -> list[int]:
    """The steps at which something ends: the deal, the bidding, each trick."""
    deal, marks = played.at(0), [0]
    for step, action in enumerate(played.deal.actions, start=1):
        tricks = len(deal.tricks)
        opens = action.kind == PLAY and not tricks and not deal.plays
        deal.push(action)
        if opens and step - 1 not in marks:
            marks.append(step - 1)
        if len(deal.tricks) > tricks:
            marks.append(step)
    return marks if marks[-1] == played.steps else [*marks, played.steps]


def _ways(game: PlayedGame, played: PlayedDeal, step: int) -> dict[str, str]:
    """Where a step by card, trick or deal leads; nothing where there is no further."""
    number, marks = played.number, _marks(played)
    before = game.deals[number - 2] if number > 1 else None
    last = f"{number - 1}.{before.steps}" if before else ""
    following = f"{number + 1}.0" if number < len(game.deals) else ""
    return {
        "card_back": f"{number}.{step - 1}" if step else last,
        "card_on": f"{number}.{step + 1}" if step < played.steps else following,
        "trick_back": f"{number}.{max(mark for mark in marks if mark < step)}" if step else last,
        "trick_on": f"{number}.{min(mark for mark in marks if mark > step)}"
        if step < played.steps
        else following,
        "deal_back": f"{number}.0" if step else (f"{number - 1}.0" if before else ""),
        "deal_on": following or (f"{number}.{played.steps}" if step < played.steps else ""),
    }


def _near_first(two: tuple[int, int], viewer: int | None) -> str:
    """What both sides have, that of whoever sits at the bottom of the page first: "3–2"."""
    near = (viewer or 0) % 2
    return f"{two[near]}–{two[1 - near]}"


def _lines(seen: Observation, cast: Cast, played: PlayedDeal) -> SafeString:
    """The log of the deal so far."""
    lines = [*log.deal_lines(seen, cast)]
    if seen.discard >= 0 and log.has_discarded(seen):
        lines.append(log.line("Discarded: {card}", card=seen.discard))
    return mark_safe(log_list(f"hand-{played.number}", lines))  # noqa: S308 - names are escaped


#: What tells the seats' colours apart in style sheets, by seat.
TONES: Final = ("", "b", "c", "d")
_TURN_UP_NOTES: Final = {
    ON_PACK: "turned up",
    TURNED_DOWN: "turned down",
    TAKEN: "taken up by the dealer",
}


@dataclass(frozen=True, slots=True)
class Card:
    """A card as it is drawn.

    corner: "10", "Q" or "★". letter: of "cdhso". face, pip, sole: names of drawings; the joker has
    no pip. label: read out.
    note: the trick it was played in, or what became of it. spent: it is not in the hand any more.
    """

    corner: str
    letter: str
    face: str
    label: str
    note: str = ""
    spent: bool = False
    led: bool = False
    winning: bool = False

    @property
    def pip(self) -> str:
        """The drawing beside its corner."""
        return "" if self.letter == "o" else f"suit-{self.letter}"

    @property
    def sole(self) -> str:
        """The only drawing of a small card."""
        return self.pip or "star"


@dataclass(frozen=True, slots=True)
class ReplaySeat:
    """A player and their cards. at: south, west, north or east. backs: cards not shown."""

    at: str
    name: str
    tone: str
    role: str
    cards: tuple[Card, ...]
    backs: int
    backs_label: str
    played: Card | None

    @property
    def hidden(self) -> range:
        """As many as there are cards not shown."""
        return range(self.backs)


def seat_of(
    person: Person, played: PlayedDeal, deal: Deal, seen: Observation, *, all_open: bool
) -> ReplaySeat:
    """Return one player with those of their cards that the viewer may see.

    Args:
        person: the player.
        played: the deal as it was played.
        deal: the same as it stands at the moment shown.
        seen: what the viewer sees of it.
        all_open: whether all hands are shown.
    """
    # The trick on the table: the present one, or the last while nobody has led to the next.
    shown = deal.tricks[-1] if deal.tricks else Trick(())
    if deal.plays:
        shown = Trick(deal.plays, winner(deal.trump, deal.plays))
    open_hand = all_open or seen.seat == person.seat
    in_trick = {
        card: number
        for number, trick in enumerate((*deal.tricks, Trick(deal.plays)), start=1)
        for seat, card in trick.plays
        if seat == person.seat
    }
    held = set(cards_in(deal.hands[person.seat]))
    gone = {deal.discarded} if person.seat == deal.dealer and deal.discarded >= 0 else set()
    cards = set(in_trick)
    if open_hand:
        cards |= (held | gone) - played.unknown
    if not all_open and seen.hand == 0 and not in_trick:
        cards = set()  # a dealer who names a joker's suit has not seen their cards
    ordered = sorted(cards, key=lambda card: sort_key(deal.trump, card))
    backs = len((held | (gone if open_hand else set())) - cards)
    on_table = dict(shown.plays).get(person.seat, -1)
    return ReplaySeat(
        at=place_of(person.seat, seen.seat, deal.rules.players),
        name=person.name,
        tone=TONES[person.seat],
        role=", ".join(_roles(person, deal)),
        cards=tuple(_in_fan(card, deal, in_trick, held) for card in ordered),
        backs=backs,
        backs_label=f"{phrases.counted(backs, 'card', 'cards')} face down",
        played=replace(
            _face(on_table, deal.trump),
            led=shown.leader == person.seat,
            winning=shown.winner == person.seat,
        )
        if on_table >= 0
        else None,
    )


def turn_up_of(deal: Deal) -> tuple[Card | None, str]:
    """Return the card turned up, until the first card is led, and what became of it."""
    if deal.turn_up < 0 or deal.plays or deal.tricks:
        return None, ""
    note = _TURN_UP_NOTES[deal.observe().turn_up_at]
    return _face(deal.turn_up, deal.trump, f", {note}"), note


def _face(card: int, trump: int, told: str = "") -> Card:
    """A card; `told` is added to what is read out."""
    corner, letter = phrases.index(card), phrases.suit_letter(card)
    face = "face-Jo" if card == JOKER else f"face-{corner}{letter}"
    return Card(corner, letter, face, f"{phrases.card_name(card, trump)}{told}")


def _in_fan(card: int, deal: Deal, in_trick: dict[int, int], held: set[int]) -> Card:
    if card in in_trick:
        note, told = str(in_trick[card]), f", played in trick {in_trick[card]}"
    elif card in held:
        note, told = "", ", still in hand"
    else:
        note, told = "out", ", discarded"
    return replace(_face(card, deal.trump, told), note=note, spent=card not in held)


def _roles(person: Person, deal: Deal) -> Iterator[str]:
    yield person.compass
    if person.seat == deal.dealer:
        yield "dealer"
    if person.seat == deal.maker:
        yield "alone" if deal.alone else "maker"
    if person.seat == deal.sitting_out:
        yield "sits out"
