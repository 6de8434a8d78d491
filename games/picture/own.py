"""What one viewer alone is shown: their hand, what they are asked, and what only they know."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple

from markupsafe import Markup

from games.engine.cards import SUIT_NAMES, cards_in, sort_key
from games.engine.claiming import may_claim
from games.engine.observation import DISCARDING, DONE, PLAYING, Observation
from games.engine.seats import compass
from games.engine.tricks import suit_led
from games.picture import log, phrases
from games.picture.cast import Cast, bottom_seat
from games.picture.draw import macro, piece
from games.picture.prompts import prompt_of
from games.picture.scene import HOUSE, View
from games.picture.stage import wanted_back


class HandCard(NamedTuple):
    """A card of the viewer's own.

    Attributes:
        card: which.
        label: what it is called.
        bower: "right", "left" or nothing.
        why: why it may not be, where others may.
        taken: whether it is the turn-up that the dealer has just taken.
    """

    card: int
    label: str
    bower: str = ""
    why: str = ""
    taken: bool = False


class Hand(NamedTuple):
    """The cards at the bottom of the page.

    `seat` is the viewer's, None for a spectator, who is shown south's from behind. `choose`: what
    can be done with one of them now, "play" or "discard", or nothing.
    """

    seat: int | None
    label: str
    cards: tuple[HandCard, ...] = ()
    backs: int = 0
    choose: str = ""


class Question(NamedTuple):
    """What is asked of the viewer, with the table it belongs to; see ``Prompt``.

    `heard` is what is read out of it.
    """

    head: str
    more: str
    letter: str
    waits_for: str
    buttons: tuple[Any, ...]
    suits: tuple[Any, ...]
    alone: bool
    cut: tuple[int, int, int, int] | None
    links: tuple[Any, ...]
    invite: str
    heard: str
    table_id: int


class NoQuestion(NamedTuple):
    """Nothing is asked of the viewer."""

    nothing: bool = True


class Discarded(NamedTuple):
    """The card the dealer has discarded, as the dealer alone is told; -1 for nobody's."""

    card: int = -1


class Asked(NamedTuple):
    """What has become of the viewer's request for a seat, or nothing."""

    table_id: int
    seat: str
    refused: bool


class Consenting(NamedTuple):
    """What the viewer can do about what is proposed; `proposal` is -1 where nothing is.

    `words`: of its kind. `told`: what and by whom, in a sentence. `asked`: whether the viewer has
    still to agree. `mine`: whether it is the viewer's own. `may_claim`: whether the rest of the
    hand can be claimed. `game`: the number of the game. `until`: until when it can be answered, in
    seconds since 1970. `awaited`: who has still to agree.
    """

    table_id: int
    game: int
    proposal: int = -1
    words: phrases.ConsentWords | None = None
    told: str = ""
    asked: bool = False
    mine: bool = False
    may_claim: bool = False
    until: float = 0
    awaited: str = ""


class Undo(NamedTuple):
    """Whether the viewer can propose to undo the own last action, and at which version."""

    table_id: int
    stamp: str


class Leaving(NamedTuple):
    """How the viewer can leave the table; nothing without a seat that may be given up.

    `game`: its number. `playing`: whether it is played. `why_not`: why it cannot be resigned now,
    or empty. `asked`: who has else to agree, or empty.
    """

    table_id: int
    game: int
    seated: bool = False
    playing: bool = False
    why_not: str = ""
    asked: str = ""


class ThrowIn(NamedTuple):
    """What the shuffle of the next game asks of the viewer's browser; see ``scene.Shuffling``."""

    asks: str = ""
    match: str = ""
    commitment: str = ""
    seat: int = -1
    commitments: str = ""


#: How each kind of part is drawn.
DRAWN_BY: Final[Mapping[type, Callable[..., str]]] = {
    Question: macro("question"), Discarded: macro("discarded"),
    Asked: macro("asked"), ThrowIn: macro("shuffle"), Consenting: macro("consenting"),
    Leaving: macro("leaving"), Undo: macro("undo"),
}  # fmt: skip
_no_question: Final = macro("no_question")()
_draw_hand: Final = macro("hand")
_draw_card: Final = lru_cache(maxsize=2048)(piece("hand_card"))
_same_card: Final = lru_cache(piece("same_card"))


def draw_own(part: tuple[Any, ...]) -> str:
    """One of a viewer's own parts as HTML."""
    if isinstance(part, NoQuestion):
        return _no_question
    if isinstance(part, Hand):
        return _draw_hand(part, Markup("").join([_draw_card(card) for card in part.cards]))
    return DRAWN_BY[type(part)](part)


def draw_hand_after(hand: Hand, before: Hand) -> str:
    """A hand for a page that shows an earlier one: what a card was and is, is not told again."""
    cards = [
        _same_card(card.card) if card in before.cards else _draw_card(card) for card in hand.cards
    ]
    return _draw_hand(hand, Markup("").join(cards))


def own_parts(view: View, cast: Cast) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """A viewer's own parts of the page but one, by id, as plain values; see ``undo_part``.

    Args:
        view: all that the viewer is shown.
        cast: everybody at the table.
    """
    scene, viewer, seen = view.scene, view.viewer, view.observation
    prompt = prompt_of(view, cast)
    yield (
        "question",
        NoQuestion() if prompt is None else Question(*prompt, prompt.in_words, scene.table_id),
    )
    yield "hand", _hand(view)
    known = seen is not None and seen.discard >= 0 and log.has_discarded(seen)
    yield "discarded", Discarded(seen.discard) if seen is not None and known else Discarded()
    asked = compass(scene.rules.players, viewer.asked) if viewer.asked >= 0 else ""
    yield "asked", Asked(scene.table_id, asked, viewer.refused)
    yield "shuffle", _throw_in(view)
    yield "consenting", _consenting(view, cast)
    yield "leaving-ways", _leaving(view, cast)


def undo_part(view: View) -> tuple[str, Undo]:
    """The own part that changes at other moments than the others: it names the last action."""
    stamp = view.scene.stamp if may_propose_undo(view) else ""
    return "undo", Undo(view.scene.table_id, stamp)


def rests_on(view: View) -> tuple[object, ...] | None:
    """All that ``own_parts`` tells somebody from while others play; None at other times."""
    scene, seen = view.scene, view.observation
    if scene.state != "playing" or seen is None or seen.turn in (seen.seat, -1):
        return None
    return (
        seen.hand, seen.trump, seen.phase, seen.sitting_out, seen.discard,
        seen.held[bottom_seat(seen.seat, len(seen.held))], scene.wait, scene.seats,
        scene.wait is not None and seen.turn, scene.consent, scene.spent,
        scene.claimed, scene.resigned, scene.game_number,
    )  # fmt: skip


def _consenting(view: View, cast: Cast) -> Consenting:
    scene, seat, seen = view.scene, view.viewer.seat, view.observation
    if scene.state != "playing" or seat is None or seen is None or scene.claimed >= 0:
        return Consenting(scene.table_id, scene.game_number)
    consent = scene.consent
    if consent is not None:
        mine, asked = consent.position == seat, seat in consent.awaited
        if not (mine or asked):
            return Consenting(scene.table_id, scene.game_number)
        name = cast[consent.position].short
        told = phrases.wanted(consent.kind, name, wanted_back(scene, seen))
        return Consenting(
            scene.table_id,
            scene.game_number,
            consent.proposal,
            phrases.CONSENT[consent.kind],
            told,
            asked,
            mine,
            until=consent.until,
            awaited=", ".join(cast[one].short for one in consent.awaited),
        )
    return Consenting(scene.table_id, scene.game_number, may_claim=may_propose_claim(view))


def may_propose_claim(view: View) -> bool:
    """Whether the viewer can claim the rest of the hand now; it rests on their view alone."""
    scene, seat, seen = view.scene, view.viewer.seat, view.observation
    if scene.state != "playing" or seat is None or seen is None:
        return False
    free = scene.consent is None and scene.claimed < 0 and seat not in scene.spent
    return free and not scene.seats[seat].stand_in and may_claim(seen)


def may_propose_undo(view: View) -> bool:
    """Whether the viewer can propose to undo the own last action now."""
    scene, seat = view.scene, view.viewer.seat
    if seat is None or scene.reserved is not None or scene.seats[seat].stand_in:
        return False
    return seat in scene.undo and scene.consent is None and seat not in scene.spent


def _leaving(view: View, cast: Cast) -> Leaving:
    scene, seat = view.scene, view.viewer.seat
    if seat is None or scene.reserved is not None or scene.state in ("shuffling", "closed"):
        return Leaving(scene.table_id, scene.game_number)
    partner = scene.rules.partner_of(seat)
    asked = partner is not None and scene.seats[partner].kind != HOUSE
    return Leaving(
        scene.table_id,
        scene.game_number,
        seated=True,
        playing=scene.state == "playing",
        why_not=phrases.no_resigning(
            stood_in=scene.seats[seat].stand_in,
            claimed=scene.claimed >= 0,
            proposed=scene.consent is not None,
            spent=seat in scene.spent,
        ),
        asked=cast[partner].short if asked and partner is not None else "",
    )


def _throw_in(view: View) -> ThrowIn:
    shuffling, seat = view.scene.shuffling, view.viewer.seat
    if shuffling is None or seat is None or view.scene.seats[seat].stand_in:
        return ThrowIn()
    commitments = " ".join(one or "-" for one in shuffling.commitments) if shuffling.frozen else ""
    return ThrowIn(shuffling.asks(seat), shuffling.match, shuffling.commitment, seat, commitments)


def _hand(view: View) -> Hand:
    """The cards at the bottom of the page: the viewer's, or south's for a spectator."""
    seen = view.observation
    if seen is None or view.scene.resigned >= 0:
        return Hand(view.viewer.seat, "No cards yet" if seen is None else "No cards")
    seat = seen.seat
    swept = seen.phase == DONE and bool(seen.tricks)
    if seat is None:
        held = 0 if swept else seen.held[bottom_seat(None, seen.rules.players)]
        return Hand(None, "Cards, face down" if held else "No cards", backs=held)
    out = seat == seen.sitting_out
    if out or not seen.hand:
        held = 0 if out and swept else seen.held[seat]
        label = "Your cards, face down" + ": you sit out" * out
        return Hand(seat, label if held else "No cards", backs=held)
    choosing = seen.my_turn and not view.scene.seats[seat].stand_in and view.scene.claimed < 0
    if not choosing or seen.phase not in (PLAYING, DISCARDING):
        return _resting(seat, seen.hand, seen.trump)
    cards = _sorted(seen.hand, seen.trump)
    discarding = seen.phase == DISCARDING
    label = "Your hand: choose one card to discard" if discarding else "Your hand"
    chosen = tuple([_choice(card, seen) for card in cards])
    return Hand(seat, label, chosen, choose=seen.legal[0].kind)


@lru_cache(maxsize=4096)
def _sorted(hand: int, trump: int) -> tuple[int, ...]:
    return tuple(sorted(cards_in(hand), key=lambda card: sort_key(trump, card)))


@lru_cache(maxsize=4096)
def _resting(seat: int, hand: int, trump: int) -> Hand:
    """A hand of which nothing can be chosen now."""
    return Hand(seat, "Your hand", tuple([_card(card, trump) for card in _sorted(hand, trump)]))


@lru_cache(maxsize=256)
def _card(card: int, trump: int) -> HandCard:
    short = phrases.bower(card, trump).removesuffix(" bower")
    return HandCard(card, phrases.card_name(card, trump), short)


def _choice(card: int, seen: Observation) -> HandCard:
    legal = any(action.value == card for action in seen.legal)
    drawn = _card(card, seen.trump)
    why = ""
    if not legal and seen.phase == PLAYING:
        why = f"You must follow {SUIT_NAMES[suit_led(seen.trump, seen.plays)]}."
    label = f"{drawn.label}. {why}" if why else drawn.label
    taken = seen.phase == DISCARDING and card == seen.turn_up
    if taken:
        label += ", turn-up"
    return HandCard(card, label, drawn.bower, why, taken)


def spoken(view: View, cast: Cast) -> str:
    """What is read out to a viewer when the page is loaded: the news, the hand, what is asked."""
    seen = view.observation
    prompt = prompt_of(view, cast)
    if seen is None:
        return f"{prompt.head}. {prompt.more}".strip() if prompt is not None else ""
    told = [log.latest(view.scene, seen.public, cast)]
    hand = _hand(view)
    if hand.cards and not (seen.plays or seen.tricks):
        told.append(f"{hand.label}: {'. '.join(card.label for card in hand.cards)}.")
    if prompt is not None and prompt.waits_for and seen.phase != DONE:
        told.append(prompt.in_words)
    return " ".join(told)
