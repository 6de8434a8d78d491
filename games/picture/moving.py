"""The parts of a table's page that move with every card, as plain values."""

from __future__ import annotations

from typing import NamedTuple

from games.engine.actions import PLAY, Action
from games.engine.cards import SUIT_NAMES, card_text, cards_in, sort_key
from games.engine.observation import DISCARDING, PLAYING, Observation
from games.engine.tricks import suit_led, winner
from games.picture import words
from games.picture.cast import Cast, Person
from games.picture.scene import View
from games.picture.still import play_begun

Plays = tuple[tuple[int, int], ...]


class Backs(NamedTuple):
    """The cards a seat holds, from behind."""

    seat: int
    held: int
    label: str
    out: bool


class Spot(NamedTuple):
    """A seat's place in the trick, empty or with its card."""

    seat: int
    hidden: bool
    slot: str = ""
    out: bool = False
    card: int = -1
    led: bool = False
    winning: bool = False
    label: str = ""


class HandCard(NamedTuple):
    """A card of the viewer's own."""

    card: int
    label: str
    bower: str = ""
    value: str = ""
    why: str = ""
    taken: bool = False


class Hand(NamedTuple):
    """The viewer's cards; to choose one from when it is his turn."""

    label: str
    cards: tuple[HandCard, ...] = ()
    backs: int = 0
    choose: bool = False
    joined: bool = False


class Held(NamedTuple):
    """What a hand is told from.

    Attributes:
        cards: the set of cards, seen by the viewer.
        backs: how many lie face down instead.
        label: what the whole is called.
        trump: the trump suit.
        turn_up: the card the dealer has taken up, while he discards; else -1.
        plays: the trick so far, while the viewer is to play.
        legal: what he may do with his cards now; empty when he may not.
    """

    cards: int
    backs: int
    label: str
    trump: int = 4
    turn_up: int = -1
    plays: Plays = ()
    legal: tuple[Action, ...] = ()


class Trickwork(NamedTuple):
    """What the places of the trick are told from.

    Attributes:
        plays: what lies on the table.
        won: who has taken it, or -1.
        trump: the trump suit.
        leads: who is to lead to an empty trick, or -1.
        sitting_out: the seat that is skipped, or -1.
        number: how many tricks there were before it.
        begun: whether there are tricks yet at all.
    """

    plays: Plays = ()
    won: int = -1
    trump: int = 4
    leads: int = -1
    sitting_out: int = -1
    number: int = 0
    begun: bool = False


class Spotwork(NamedTuple):
    """What one place of the trick is told from.

    Attributes:
        person: whose place it is.
        card: what he has played, or -1.
        trump: the trump suit.
        begun: whether there are tricks yet at all.
        out: whether he is skipped.
        leads: whether he is to lead.
        led: whether he has led.
        best: whether his card is winning, or has won.
        complete: whether the trick is.
    """

    person: Person
    card: int
    trump: int
    begun: bool
    out: bool
    leads: bool
    led: bool
    best: bool
    complete: bool


# The trick --------------------------------------------------------------------------------


def trick_shown(seen: Observation) -> tuple[Plays, int]:
    """The plays that lie on the table, and the trick's winner once it is complete.

    A complete trick stays until its winner leads.
    """
    if seen.plays or not seen.tricks:
        return seen.plays, -1
    return seen.tricks[-1].plays, seen.tricks[-1].winner


def trickwork_of(seen: Observation | None) -> Trickwork:
    """The trick in a view."""
    if seen is None or not play_begun(seen):
        return Trickwork()
    plays, won = trick_shown(seen)
    number = len(seen.tricks) - (won >= 0)
    leads = seen.turn if not seen.plays else -1
    return Trickwork(plays, won, seen.trump, leads, seen.sitting_out, number, begun=True)


def spotwork_of(trick: Trickwork, cast: Cast) -> list[tuple[int, Spotwork]]:
    """What each place of the trick is told from, by seat."""
    best = trick.won
    if best < 0 and trick.plays:
        best = winner(trick.trump, trick.plays)
    cards = dict(trick.plays)
    leader = trick.plays[0][0] if trick.plays else -1
    works = []
    for person in cast:
        seat = person.seat
        card = cards.get(seat, -1)
        leads, out = trick.leads == seat, trick.sitting_out == seat
        state = (trick.begun, out, leads, leader == seat, best == seat, trick.won >= 0)
        works.append((seat, Spotwork(person, card, trick.trump, *state)))
    return works


def spot_of(work: Spotwork) -> Spot:
    """One place of the trick."""
    person = work.person
    if not work.begun:
        return Spot(person.seat, hidden=True)
    if work.out:
        slot = person.does("sit out", "sits out")
    else:
        slot = person.does("lead", "leads") if work.leads else person.subject
    if work.card < 0:
        return Spot(person.seat, hidden=False, slot=slot, out=work.out)
    by = f"{'led' if work.led else 'played'} by {person.lower}"
    end = "" if not work.best else ", won the trick" if work.complete else ", winning so far"
    label = f"{words.card_name(work.card, work.trump)}, {by}{end}"
    return Spot(person.seat, False, slot, work.out, work.card, work.led, work.best, label)


def trick_title(trick: Trickwork, cast: Cast) -> str:
    """The trick in words: "Second trick, Iris led"."""
    if not trick.begun:
        return ""
    name = words.trick_name(trick.number)
    if trick.won >= 0:
        return f"{name}, {cast[trick.won].lower} won it"
    if trick.plays:
        return f"{name}, {cast[trick.plays[0][0]].lower} led"
    leader = cast[trick.leads]
    return f"{name}, {leader.told('you lead', f'{leader.short} leads')}"


# Hands ------------------------------------------------------------------------------------


def backs_of(seat: int, held: int, *, out: bool) -> Backs:
    """A seat's cards from behind."""
    label = f"{words.counted(held, 'card', 'cards')}{', face down' if out else ''}"
    return Backs(seat, held, label, out)


def held_of(view: View) -> Held:
    """The cards at the bottom of the page: the viewer's, or south's for a spectator."""
    seen = view.observation
    if seen is None:
        return Held(0, 0, "No cards yet")
    if seen.seat is None:
        return Held(0, seen.held[seen.rules.players // 2], "Cards, face down")
    return _own(seen, seen.seat, may_act=not view.scene.seats[seen.seat].stand_in)


def _own(seen: Observation, seat: int, *, may_act: bool) -> Held:
    if seat == seen.sitting_out:
        return Held(0, seen.held[seat], "Your cards, face down: you sit out")
    if not seen.hand:
        held = seen.held[seat]
        return Held(0, held, "Your cards, face down" if held else "No cards")
    choosing = seen.my_turn and may_act
    if choosing and seen.phase == PLAYING:
        return Held(seen.hand, 0, "Your hand", seen.trump, -1, seen.plays, seen.legal)
    if choosing and seen.phase == DISCARDING:
        label = "Your hand: choose one card to discard"
        return Held(seen.hand, 0, label, seen.trump, seen.turn_up, (), seen.legal)
    return Held(seen.hand, 0, "Your hand", seen.trump)


def hand_of(held: Held) -> Hand:
    """A hand, sorted with trump known."""
    trump = held.trump
    cards = sorted(cards_in(held.cards), key=lambda card: sort_key(trump, card))
    if not held.legal:
        return Hand(held.label, tuple([_card(card, trump) for card in cards]), held.backs)
    verb = held.legal[0].kind
    legal = {action.value for action in held.legal}
    why = _must_follow(held) if verb == PLAY and held.plays else ""
    chosen = tuple([
        _choice(_card(card, trump), verb, "" if card in legal else why,
                taken=card == held.turn_up)
        for card in cards
    ])  # fmt: skip
    return Hand(held.label, chosen, choose=True, joined=held.turn_up >= 0)


def _must_follow(held: Held) -> str:
    return f"You must follow {SUIT_NAMES[suit_led(held.trump, held.plays)]}."


def _card(card: int, trump: int) -> HandCard:
    short = words.bower(card, trump).removesuffix(" bower")
    return HandCard(card, words.card_name(card, trump), short)


def _choice(card: HandCard, verb: str, why: str, *, taken: bool) -> HandCard:
    value = f"{verb} {card_text(card.card)}"
    label = f"{card.label}. {why}" if why else card.label
    return card._replace(value=value, why=why, taken=taken, label=label)
