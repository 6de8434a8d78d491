"""What is asked of a viewer: one question at a time, in the words of the table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from games.engine.actions import MAKE, NEXT, ORDER, PASS, Action, action_text
from games.engine.cards import NO_SUIT, SUIT_NAMES, SUITS, next_suit
from games.engine.observation import (
    CUTTING,
    DISCARDING,
    DONE,
    FIRST_ROUND,
    NAMING,
    PLAYING,
    SECOND_ROUND,
    Observation,
)
from games.engine.tricks import suit_led
from games.live.state import Reserved
from games.picture import words
from games.picture.cast import Cast
from games.picture.scene import EMPTY, Scene, SeatView, View

#: What a prompt waits for from its viewer; empty when it waits for nobody or for another.
CALL: Final = "call"
CARD: Final = "card"
NEXT_HAND: Final = "next"


class Button(NamedTuple):
    """One thing that can be chosen.

    Attributes:
        label: its words.
        value: the action's text, or the verb asked of the table.
        plain: not the one filled button.
        verb: whether it is asked of the table and not of the game.
    """

    label: str
    value: str
    plain: bool = True
    verb: bool = False


class SuitButton(NamedTuple):
    """A suit that may be named."""

    label: str
    value: str
    letter: str


class Link(NamedTuple):
    """A way to another page."""

    label: str
    address: str
    plain: bool = True


class Prompt(NamedTuple):
    """The one place where something is asked, or said when nothing is.

    Attributes:
        head: the heading.
        more: a second line.
        letter: the suit drawn before the second line, or nothing.
        waits_for: what the viewer is to do: ``CALL``, ``CARD``, ``NEXT_HAND`` or nothing.
        buttons: what can be chosen.
        suits: the suits that can be named.
        alone: whether "alone" can be added to a suit.
        cut: least, most and present number of cards to lift, and the pack's size.
        links: ways to other pages.
        invite: the address that lets others in.
        refresh_in: seconds after which this reads differently, or -1.
    """

    head: str
    more: str = ""
    letter: str = ""
    waits_for: str = ""
    buttons: tuple[Button, ...] = ()
    suits: tuple[SuitButton, ...] = ()
    alone: bool = False
    cut: tuple[int, int, int, int] | None = None
    links: tuple[Link, ...] = ()
    invite: str = ""
    refresh_in: int = -1

    @property
    def calm(self) -> bool:
        """Whether it only says something."""
        return not (self.waits_for or self.buttons or self.links)


def prompt_of(view: View, cast: Cast) -> Prompt:
    """What a viewer is asked now.

    Args:
        view: all that he is shown.
        cast: everybody at the table as he sees them.
    """
    scene, seen = view.scene, view.observation
    if scene.state == "closed" and not (scene.reserved and seen and seen.standing.over):
        return _closed(scene)
    if scene.state == "shuffling":
        return Prompt("The cards are being shuffled", "The players’ browsers throw in numbers.")
    if seen is None or scene.state == "gathering":
        return _gathering(view, cast)
    if seen.standing.over:
        return _game_over(view, seen, cast)
    return _in_play(view, seen, cast)


def _in_play(view: View, seen: Observation, cast: Cast) -> Prompt:
    scene, seat = view.scene, view.viewer.seat
    if seat is not None and scene.seats[seat].stand_in:
        back = Button("Take my seat back", "take-back", plain=False, verb=True)
        more = "It plays until you are back."
        return Prompt("A house player is playing for you", more, buttons=(back,))
    if seen.phase == DONE:
        return _hand_over(seen, cast)
    if seen.my_turn:
        if seat is not None and seen.phase == CUTTING and scene.seats[seat].cut_for_him:
            return Prompt("The pack is cut for you", "To cut it yourself, say so on your page.")
        return _ASKED[seen.phase](seen, cast)
    if scene.wait is not None:
        return _waiting(scene, seen, cast)
    return Prompt(_turn_words(seen, cast), _bystander(seen, cast))


# Before and after a game ------------------------------------------------------------------


def _closed(scene: Scene) -> Prompt:
    if scene.reserved is not None:
        return Prompt("This match has ended", links=(_back(scene.reserved),))
    return Prompt("This table is closed", links=(Link("Home", "/", plain=False),))


def _back(reserved: Reserved) -> Link:
    return Link("Back to the event", reserved.back, plain=False)


def _assembling(seats: tuple[SeatView, ...], reserved: Reserved, cast: Cast) -> Prompt:
    """Before a game whose players have been called to their table."""
    missing = [cast[n].short for n, seat in enumerate(seats) if seat.awaited and not cast[n].you]
    head, more = "Everybody is here", "The game begins in a moment."
    if missing:
        names = [", ".join(missing[:-1]), missing[-1]] if len(missing) > 1 else missing
        head, more = f"Waiting for {' and '.join(names)}", "The game begins when everybody is here."
    return Prompt(head, more, links=(_back(reserved)._replace(plain=True),))


def _gathering(view: View, cast: Cast) -> Prompt:
    scene, seat = view.scene, view.viewer.seat
    if scene.reserved is not None:
        return _assembling(scene.seats, scene.reserved, cast)
    free = sum(seat.kind == EMPTY for seat in scene.seats)
    seats = f"{words.counted(free, 'seat is', 'seats are').capitalize()} free."
    if seat is None:
        return Prompt("Choose a seat" if free else "Every seat is taken", seats if free else "")
    start = "Fill with house players and start" if free else "Start"
    buttons = (
        Button(start, "start", plain=False, verb=True),
        Button("Stand up", "stand", verb=True),
    )
    invite = ""
    if view.viewer.invite_token and not scene.open:
        invite = f"/tables/{scene.table_id}/join/{view.viewer.invite_token}/"
    return Prompt("Waiting for players", seats, buttons=buttons, invite=invite)


def _game_over(view: View, seen: Observation, cast: Cast) -> Prompt:
    seat, reserved = view.viewer.seat, view.scene.reserved
    again = (Button("Play again", "again", verb=True),)
    page = f"/games/{view.scene.game_id}/"
    verify = Link("Verify this match", f"{page}verify/", plain=False)
    sheet = Link("Score sheet", page)
    return Prompt(
        words.game_result(cast, seen.standing),
        _last_hand(seen, cast),
        buttons=again if seat is not None and reserved is None else (),
        links=(_back(reserved), verify._replace(plain=True), sheet)
        if reserved
        else (verify, sheet, Link("Leave", "/")),
    )


def _last_hand(seen: Observation, cast: Cast) -> str:
    if seen.result is None:
        return ""
    return f"Last hand: {words.deal_result(cast, seen.result, seen.maker)}."


def _hand_over(seen: Observation, cast: Cast) -> Prompt:
    if seen.result is None:
        return Prompt("The hand is over")
    may_go_on = any(action.kind == NEXT for action in seen.legal)
    return Prompt(
        words.deal_result(cast, seen.result, seen.maker),
        f"{_score_words(seen, cast)} The next hand follows by itself.",
        waits_for=NEXT_HAND if may_go_on else "",
        buttons=(Button("Next hand", "next", plain=False),) if may_go_on else (),
    )


def _score_words(seen: Observation, cast: Cast) -> str:
    """How the score stands: "You are 9–5 up, to 10."."""
    rules, near = seen.rules, words.near_side(cast)
    ours, theirs = seen.standing.score[near], seen.standing.score[1 - near]
    end = (
        f"to {rules.target}"
        if rules.target is not None
        else f"after {seen.standing.deals_counted} of {rules.deals} hands"
    )
    if seen.seat is None or ours == theirs:
        return f"{ours}–{theirs}, {end}."
    return f"You are {ours}–{theirs} {'up' if ours > theirs else 'down'}, {end}."


# Somebody else's turn ---------------------------------------------------------------------

_DOING: Final = {
    CUTTING: "cuts the pack",
    NAMING: "names the joker’s suit",
    FIRST_ROUND: "is deciding",
    SECOND_ROUND: "is deciding",
    DISCARDING: "is discarding",
}


def _turn_words(seen: Observation, cast: Cast) -> str:
    if seen.turn < 0:
        return ""
    who, doing = cast[seen.turn].short, _DOING.get(seen.phase)
    return f"{who} {doing}." if doing else f"{who}’s turn."


def _bystander(seen: Observation, cast: Cast) -> str:
    if seen.seat is None:
        return "You are watching."
    if seen.seat == seen.sitting_out:
        return f"{cast[seen.maker].short} plays alone: you sit out."
    return ""


def _waiting(scene: Scene, seen: Observation, cast: Cast) -> Prompt:
    person = cast[seen.turn]
    head, wait = f"Waiting for {person.short}", scene.wait or 0
    if wait > 0 and scene.clock is not None:
        more = "Nobody is in that seat now. A house player takes over when the time is up."
        return Prompt(head, more)
    if wait > 0:
        more = f"Nobody is in that seat now. A house player may be asked in {wait} seconds."
        return Prompt(head, more, refresh_in=wait)
    more = "Nobody is in that seat now."
    if seen.seat is None:
        return Prompt(head, more)
    ask = Button(f"Ask a house player to play for {person.short}", "stand-in", verb=True)
    return Prompt(head, more, buttons=(ask,))


# The viewer's turn ------------------------------------------------------------------------


def _cut(seen: Observation, cast: Cast) -> Prompt:
    lifts = [action.value for action in seen.legal]
    buttons = (Button("Cut here", "cut", plain=False), Button("Cut for me", "cut auto"))
    least, most = lifts[0], lifts[-1]
    return Prompt(
        "Cut the pack",
        "Leave at least four cards in each part.",
        waits_for=CALL,
        buttons=buttons,
        cut=(least, most, (least + most) // 2, seen.rules.pack),
    )


def _name_joker(seen: Observation, cast: Cast) -> Prompt:
    suits = tuple(
        SuitButton(SUIT_NAMES[action.value].capitalize(), str(action), _letter(action.value))
        for action in seen.legal
    )
    more = "You have not seen your cards."
    return Prompt("Name the joker’s suit", more, waits_for=CALL, suits=suits)


def _first_round(seen: Observation, cast: Cast) -> Prompt:
    dealer = cast[seen.dealer]
    deals = f"{dealer.does('deal', 'deals')}."
    more = deals if dealer.you else f"{SUIT_NAMES[seen.turned_suit]} would be trump. {deals}"
    buttons = tuple(
        Button(
            "Pass" if action.kind == PASS and not dealer.you else _said(seen, action),
            action_text(action),
            plain=action.kind != ORDER or action.alone,
        )
        for action in seen.legal
    )
    return Prompt(
        "Your call",
        more,
        letter="" if dealer.you else _letter(seen.turned_suit),
        waits_for=CALL,
        buttons=buttons,
    )


def _second_round(seen: Observation, cast: Cast) -> Prompt:
    may_pass = any(action.kind == PASS for action in seen.legal)
    head = "Your call" if may_pass else "You must name a suit"
    plain = [action for action in seen.legal if action.kind == MAKE and not action.alone]
    plain.sort(key=lambda action: action.value != next_suit(seen.turned_suit))
    suits = tuple(
        SuitButton(_said(seen, action), action_text(action), _letter(action.value))
        for action in plain
    )
    return Prompt(
        head,
        _if_you_pass(seen, cast) if may_pass else "Stick the dealer: the dealer may not pass.",
        waits_for=CALL,
        buttons=(Button("Pass", "pass"),) if may_pass else (),
        suits=suits,
        alone=any(action.alone for action in seen.legal),
    )


def _if_you_pass(seen: Observation, cast: Cast) -> str:
    dealer = cast[seen.dealer]
    if dealer.you:
        return "If you pass, the hand is thrown in."
    following = cast[seen.rules.after(cast[seen.turn].seat)]
    if following == dealer and seen.rules.stick_the_dealer:
        return f"If you pass, {dealer.short} must name a suit."
    return f"If you pass, {following.short} is next."


def _said(seen: Observation, action: Action) -> str:
    return words.call_of(
        action,
        seat=seen.turn,
        dealer=seen.dealer,
        players=seen.rules.players,
        first_round=seen.phase == FIRST_ROUND,
        turned=seen.turned_suit,
    ).said


def _discard(seen: Observation, cast: Cast) -> Prompt:
    took = words.rank_name(seen.turn_up)
    more = f"You took up {took}. You may discard that one too."
    return Prompt("Discard one card", more, waits_for=CARD)


def _play(seen: Observation, cast: Cast) -> Prompt:
    led = suit_led(seen.trump, seen.plays)
    if led == NO_SUIT:
        return Prompt("Your turn: lead any card", _why_lead(seen), waits_for=CARD)
    leader, card = seen.plays[0]
    story = f"{cast[leader].short} led {words.rank_name(card)}."
    suit = SUIT_NAMES[led]
    if not follows(seen):
        head = "Your turn: play any card"
        return Prompt(head, f"{story} You have no {suit}.", waits_for=CARD)
    if len(seen.legal) == 1 and seen.hand.bit_count() > 1:
        only = words.plain_name(seen.legal[0].value).lower()
        story += f" Only your {only} can be played."
    return Prompt(f"Your turn: follow {suit}", story, waits_for=CARD)


def _why_lead(seen: Observation) -> str:
    if not seen.tricks:
        return "You lead to the first trick."
    return f"You won the {words.trick_name(len(seen.tricks) - 1).lower()}."


def follows(seen: Observation) -> bool:
    """Whether the viewer, in turn, holds the suit led and so must follow it."""
    led = suit_led(seen.trump, seen.plays)
    cards = [action.value for action in seen.legal]
    return led != NO_SUIT and all(suit_led(seen.trump, [(0, card)]) == led for card in cards)


def _letter(suit: int) -> str:
    return SUITS[suit].lower()


_ASKED: Final[dict[str, Callable[[Observation, Cast], Prompt]]] = {
    CUTTING: _cut,
    NAMING: _name_joker,
    FIRST_ROUND: _first_round,
    SECOND_ROUND: _second_round,
    DISCARDING: _discard,
    PLAYING: _play,
}
