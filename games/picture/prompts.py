"""The viewer's prompt, one question at a time, and the status line for everybody else.

A prompt is for one viewer and may say "you"; the status line is the same for everybody.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeAlias

from games.engine.actions import DECLINED, MAKE, NEXT, PASS, Action, action_text
from games.engine.cards import (
    HIGH,
    NO_SUIT,
    PIPS,
    SUIT_MASK,
    SUIT_NAMES,
    TRUMP_NAMES,
    UNNAMED,
    card_text,
    cards_in,
    is_joker,
    left_bower,
    next_suit,
    right_bower,
)
from games.engine.observation import (
    ASKING,
    CUTTING,
    DEFENDING,
    DISCARDING,
    DONE,
    FIRST_ROUND,
    FOLDING,
    GIVING,
    NAMING,
    PLAYING,
    SECOND_ROUND,
    SWAPPING,
    Observation,
)
from games.engine.rules import NO_TRUMPS
from games.engine.scoring import results
from games.engine.tricks import suit_led
from games.live.state import TableOwner
from games.picture import log, phrases
from games.picture.cast import Cast
from games.picture.scene import EMPTY, Scene, View

#: Texts, and cards as ``[code]``, as in a line of the log.
Words: TypeAlias = tuple[str | list[Any], ...]

#: What a prompt waits for; empty if it waits for nothing.
CALL: Final = "call"
CARD: Final = "card"
NEXT_HAND: Final = "next"


class Button(NamedTuple):
    """A button of a prompt.

    `value` is the action's text, the last part of the URL it posts to (`verb`), or the id of the
    element that it `opens`. `note`: what a call does.
    """

    label: str
    value: str
    plain: bool = True
    verb: bool = False
    opens: bool = False
    note: Words = ()


class SuitButton(NamedTuple):
    """A suit that may be named; ``call`` comes before its name, such as "I make it next:"."""

    call: str
    label: str
    value: str
    letter: str
    note: Words = ()


class Link(NamedTuple):
    """`reviews`: the page's script adds what the review has found."""

    label: str
    address: str
    plain: bool = True
    rest: str = ""
    reviews: bool = False


class Prompt(NamedTuple):
    """What the viewer is asked or told.

    `letter` is the suit drawn before its name in `head` or in the second line, `more`. `waits_for`
    is ``CALL``, ``CARD``, ``NEXT_HAND`` or empty. `alone` says what playing alone means where it
    can be ticked; it is empty in the old words, and None where it cannot. `cut` is the least, most
    and suggested number of cards to lift, and the size of the pack. `invite` is the path of the
    invitation link, or empty. `answers`: the buttons answer a question and are no bids.
    """

    head: str
    more: str = ""
    letter: str = ""
    waits_for: str = ""
    buttons: tuple[Button, ...] = ()
    suits: tuple[SuitButton, ...] = ()
    alone: str | None = None
    cut: tuple[int, int, int, int] | None = None
    links: tuple[Link, ...] = ()
    invite: str = ""
    answers: bool = False

    @property
    def in_words(self) -> str:
        if self.waits_for != CALL:
            return f"{self.head}." if self.waits_for else ""
        calls = [button.label for button in self.buttons]
        calls += [f"{suit.call} {suit.label}".strip() for suit in self.suits]
        alone = " Alone can be ticked." if self.alone is not None else ""
        asked = self.head if self.head.endswith("?") else f"{self.head}."
        return f"{asked} {_starting(self.more)} You may say: {'; '.join(calls)}.{alone}"


class StatusLine(NamedTuple):
    """What everybody reads.

    refresh_in: the seconds until it changes by itself, or -1. turn: whose turn it is if that is
    all that it says, or -1.
    """

    head: str
    more: str = ""
    refresh_in: int = -1
    turn: int = -1


def status_line(scene: Scene, seen: Observation | None, cast: Cast) -> StatusLine:
    """Return the status line; `seen` is a spectator's."""
    if scene.state == "closed" and not (scene.reserved and seen and seen.standing.over):
        return StatusLine("This match has ended" if scene.reserved else "This table is closed")
    if scene.state == "shuffling":
        return StatusLine(
            "The cards are being shuffled", "The players’ browsers contribute numbers."
        )
    if seen is None or scene.state == "gathering":
        return _waiting_for_a_hand(scene, cast)
    if scene.resigned >= 0:
        result = phrases.resigned_result(phrases.sides_of(cast), scene.resigned)
        stood = phrases.resigned_at(cast, scene.resigned, seen.standing.score)
        return StatusLine(result, f"{stood}.")
    if scene.claimed >= 0:
        return StatusLine(f"{cast[scene.claimed].short} claims the rest", "It is played out.")
    return _line_in_play(scene, seen, cast)


def _line_in_play(scene: Scene, seen: Observation, cast: Cast) -> StatusLine:
    if seen.standing.over:
        result = phrases.game_result(phrases.sides_of(cast), seen.standing)
        return StatusLine(result, _last_hand(seen, phrases.sides_of(cast, seen.maker), cast))
    if seen.phase == DONE:
        result = log.result_text(seen, cast) or "The hand is over"
        return StatusLine(
            result, f"{phrases.score_in_words(cast, seen.standing.score)}, {_end(seen)}."
        )
    if scene.wait is not None:
        return _waiting(scene, cast[seen.turn].short)
    if seen.turn < 0:
        return StatusLine("")
    who, seat = cast[seen.turn].short, scene.seats[seen.turn]
    more = f"{cast[seen.maker].short} plays alone." if seen.alone else ""
    if seat.stand_in and seat.away and scene.reserved is None:
        return StatusLine(f"{who} is away", "A house player plays until they return.")
    turn = seen.turn if seen.phase == PLAYING else -1
    return StatusLine(_DOING[seen.phase].format(name=who), more, turn=turn)


def prompt_of(view: View, cast: Cast) -> Prompt | None:
    scene, seen, seat = view.scene, view.observation, view.viewer.seat
    if scene.state == "closed" and not (scene.reserved and seen and seen.standing.over):
        return _closed(scene.reserved)
    if scene.state == "shuffling":
        return None
    if seen is None or scene.state == "gathering":
        return _before_a_game(view, cast)
    if seen.standing.over or scene.resigned >= 0:
        return _game_over(view, seen, cast)
    return _asked_in_play(view, seen, cast, seat) if scene.claimed < 0 else None


def _asked_in_play(view: View, seen: Observation, cast: Cast, seat: int | None) -> Prompt | None:
    scene = view.scene
    if seat is not None and scene.seats[seat].stand_in:
        back = Button("Take my seat back", "take-back", plain=False, verb=True)
        more = "It plays until you are back."
        return Prompt("A house player is playing for you", more, buttons=(back,))
    if seen.phase == DONE:
        return _look_back(seen, cast) if seat is None else _hand_over(scene, seen, cast, seat)
    if seat is not None and seen.my_turn:
        if seen.phase == CUTTING and scene.seats[seat].auto_cut:
            return Prompt(
                "The pack is cut for you", "To cut it yourself, change that under “At the table”."
            )
        return _ASKED[seen.phase](seen, cast)
    if seat is not None and scene.wait == 0 and scene.house_after is None:
        who = cast[seen.turn].short
        ask = Button(f"Ask a house player to play for {who}", "stand-in", verb=True)
        return Prompt(f"Waiting for {who}", _GONE, buttons=(ask,))
    return None


# Before and after a game ------------------------------------------------------------------


def _back(reserved: TableOwner) -> Link:
    if reserved.solo:
        return Link("Your result", reserved.back, plain=False)
    if reserved.rated:
        return Link("Play now", reserved.back, plain=False)
    return Link("Back to the event", reserved.back, plain=False)


def _closed(reserved: TableOwner | None) -> Prompt:
    if reserved is not None:
        ended = "These deals are closed" if reserved.solo else "This match has ended"
        return Prompt(ended, links=(_back(reserved),))
    return Prompt("This table is closed", links=(Link("Home", "/", plain=False),))


def _assembling(scene: Scene, cast: Cast) -> StatusLine:
    missing = [cast[n].short for n, seat in enumerate(scene.seats) if seat.awaited]
    if not missing:
        return StatusLine("Everybody is here", "The game begins in a moment.")
    names = [", ".join(missing[:-1]), missing[-1]] if len(missing) > 1 else missing
    return StatusLine(
        f"Waiting for {' and '.join(names)}", "The game begins when everybody is here."
    )


def _gathering(scene: Scene) -> StatusLine:
    free = sum(seat.kind == EMPTY for seat in scene.seats)
    seats = f"{phrases.counted(free, 'seat is', 'seats are').capitalize()} free."
    return StatusLine("Choose a seat" if free else "Every seat is taken", seats if free else "")


def _waiting_for_a_hand(scene: Scene, cast: Cast) -> StatusLine:
    if scene.delayed:
        return _LATER
    return _assembling(scene, cast) if scene.reserved is not None else _gathering(scene)


_LATER: Final = StatusLine(
    "Shown two hands later", "The first hand appears when the third is dealt."
)


def _before_a_game(view: View, cast: Cast) -> Prompt | None:
    scene = view.scene
    if scene.reserved is not None:
        line = _waiting_for_a_hand(scene, cast)
        return Prompt(line.head, line.more, links=(_back(scene.reserved)._replace(plain=True),))
    if view.viewer.seat is None:
        return None
    line = _gathering(scene)
    start = "Fill with house players and start" if line.more else "Start"
    buttons = (
        Button(start, "start", plain=False, verb=True),
        Button("Stand up", "stand", verb=True),
    )
    invite = ""
    if view.viewer.invite_token:
        invite = f"/tables/{scene.table_id}/join/{view.viewer.invite_token}/"
    return Prompt("Waiting for players", line.more, buttons=buttons, invite=invite)


_SEALED: Final = (
    "Other tables still play these deals: score sheet, replay and check of the shuffle open when"
    " the last table has finished."
)


def _game_over(view: View, seen: Observation, cast: Cast) -> Prompt | None:
    if view.scene.veiled and view.viewer.seat is not None and view.scene.resigned < 0:
        return _own_deal_over(view.scene, seen, cast, view.viewer.seat)
    seat, reserved = view.viewer.seat, view.scene.reserved
    sides = _sides(cast, seat, seen.maker)
    again = (Button("Play again", "again", plain=False, verb=True),)
    page = f"/games/{view.scene.game_id}/"
    links: tuple[Link, ...] = (
        Link("Review", f"{page}review/", reviews=True),
        Link("Score sheet", page),
        Link("Replay", f"{page}replay/"),
    )
    played = len(view.scene.records)
    hands = f"{phrases.counted(played, 'hand', 'hands').capitalize()}." if played else ""
    head, more = phrases.game_result(sides, seen.standing), _last_hand(seen, sides, cast)
    gave_up = view.scene.resigned
    if gave_up >= 0:
        head = phrases.resigned_result(sides, gave_up)
        more = f"{phrases.resigned_at(cast, gave_up, seen.standing.score)}."
    if view.scene.sealed:
        links, more = (), f"{more} {_SEALED}"
    return Prompt(
        head,
        f"{hands} {more}".strip(),
        buttons=again if seat is not None and reserved is None else (),
        links=(_back(reserved), *links) if reserved else (*links, Link("Leave", "/")),
    )


def _sides(cast: Cast, seat: int | None, maker: int) -> phrases.Sides:

    return phrases.sides_of(cast, maker) if seat is None else phrases.sides_for(cast, seat, maker)


def _last_hand(seen: Observation, sides: phrases.Sides, cast: Cast) -> str:
    return f"Last hand: {log.result_text(seen, cast, sides)}." if seen.result else ""


_SEE: Final = Button("See all hands", "all-hands", opens=True)


def _look_back(seen: Observation, cast: Cast) -> Prompt | None:
    if not seen.tricks or seen.result is None:
        return None
    result = log.result_text(seen, cast)
    score = phrases.score_in_words(cast, seen.standing.score)
    return Prompt(result, f"{score}, {_end(seen)}.", buttons=(_SEE,))


def _hand_over(scene: Scene, seen: Observation, cast: Cast, seat: int) -> Prompt | None:
    if seen.result is None or not any(action.kind == NEXT for action in seen.legal):
        return None
    if scene.solo:
        return _own_deal_over(scene, seen, cast, seat)
    ours, theirs = seen.standing.score[seat % 2], seen.standing.score[1 - seat % 2]
    up = "" if ours == theirs else " up" if ours > theirs else " down"
    score = f"You are {ours}–{theirs}{up}" if up else f"{ours}–{theirs}"
    then = "" if scene.alone == seat else " The next hand follows by itself."
    return Prompt(
        log.result_text(seen, cast, _sides(cast, seat, seen.maker)),
        f"{score}, {_end(seen)}.{then}",
        waits_for=NEXT_HAND,
        buttons=(Button("Next hand", "next", plain=False), *((_SEE,) if seen.tricks else ())),
    )


def _own_deal_over(scene: Scene, seen: Observation, cast: Cast, seat: int) -> Prompt | None:
    """Return what a solo table says after a deal, which is gone: what it brought, and what next."""
    owner, standing = scene.reserved, seen.standing
    if seen.result is None or owner is None:
        return None
    head = phrases.own_result(seen.result, seat, cast[seen.maker] if seen.maker >= 0 else None)
    score = f"{standing.score[seat % 2]}–{standing.score[1 - seat % 2]}"
    if standing.over:
        return Prompt(head, f"All deals are played: {score}.", links=(_back(owner),))
    done = standing.deals_counted
    return Prompt(
        head,
        f"{score} after {done} of {scene.rules.deals} deals.",
        waits_for=NEXT_HAND,
        buttons=(Button(f"Deal {done + 1}", "next", plain=False),),
    )


def _end(seen: Observation) -> str:
    """Return the game's goal: "to 10", "after 3 of 8 hands"."""
    rules = seen.rules
    if rules.target is not None:
        return f"to {rules.target}"
    return f"after {seen.standing.deals_counted} of {rules.deals} hands"


# Somebody else's turn ---------------------------------------------------------------------

_DOING: Final = {
    CUTTING: "{name} cuts the pack.",
    NAMING: "{name} names the joker’s suit.",
    FIRST_ROUND: "{name} is deciding.",
    SECOND_ROUND: "{name} is deciding.",
    DISCARDING: "{name} is discarding.",
    SWAPPING: "{name} may swap a farmer’s hand.",
    FOLDING: "{name} may fold.",
    ASKING: "{name} may ask for their partner’s best card.",
    GIVING: "{name} is choosing a card to give.",
    DEFENDING: "{name} may defend alone.",
    PLAYING: "{name}’s turn.",
}
_GONE: Final = "Nobody is in that seat now."


def _waiting(scene: Scene, who: str) -> StatusLine:
    head, wait = f"Waiting for {who}", scene.wait or 0
    if wait > 0 and scene.house_after is not None:
        soon = phrases.counted(wait, "second", "seconds")
        return StatusLine(
            head, f"{who} is away; a house player plays in {soon}, until they return.", wait
        )
    if wait > 0 and scene.clock is not None:
        return StatusLine(head, f"{_GONE} A house player takes over when the time is up.")
    if wait > 0:
        return StatusLine(
            head, f"{_GONE} The players can ask for a house player in {wait} seconds.", wait
        )
    return StatusLine(head, _GONE)


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
        SuitButton("", SUIT_NAMES[action.value].capitalize(), str(action), _letter(action.value))
        for action in seen.legal
    )
    more = "You have not seen your cards."
    return Prompt("Name the joker’s suit", more, waits_for=CALL, suits=suits)


def _swap(seen: Observation, cast: Cast) -> Prompt:
    """Ask for a farmer's hand; who holds none is asked too, so that the question tells nothing."""
    if len(seen.legal) == 1:
        return _decline_only(seen, "No farmer’s hand", "You do not hold three nines and tens.")
    swaps = [
        Button(
            _answer_words(seen, one).said,
            str(one),
            note=tuple(log.cards_in_words(cards_in(one.value)))[1:],
        )
        for one in seen.legal
        if one != DECLINED
    ]
    return Prompt(
        "Swap a farmer’s hand?",
        "Three nines and tens go, face down, for the three cards under the turn-up.",
        waits_for=CALL,
        buttons=(_declining(seen), *swaps),
    )


def _fold(seen: Observation, cast: Cast) -> Prompt:
    if len(seen.legal) == 1:
        held = "a card above a ten" if seen.hand & ~PIPS else "a card of the suit turned up"
        return _decline_only(seen, "This hand may not be folded", f"You hold {held}.")
    fold = seen.legal[-1]
    again = phrases.after_folding(seen.rules, cast[seen.dealer].short)
    more = f"Everybody sees your cards. {again}."
    buttons = (_declining(seen), Button(_answer_words(seen, fold).said, str(fold)))
    return Prompt("Fold this hand?", more, waits_for=CALL, buttons=buttons, answers=True)


def _decline_only(seen: Observation, head: str, more: str) -> Prompt:
    button = _declining(seen)._replace(plain=False)
    return Prompt(head, more, waits_for=CALL, buttons=(button,), answers=True)


def _declining(seen: Observation) -> Button:
    return Button(_answer_words(seen, DECLINED).said, str(DECLINED))


def _answer_words(seen: Observation, action: Action) -> phrases.CallWords:
    return phrases.ANSWERS[seen.phase, action.kind]


def _ask_for_best(seen: Observation, cast: Cast) -> Prompt:
    partner = cast[seen.sitting_out[0]].short
    return Prompt(
        f"Ask for {partner}’s best card?",
        f"Press the card you give away for it, face down. {partner} chooses, only you see it.",
        waits_for=CALL,
        buttons=(_declining(seen),),
        answers=True,
    )


def _give_best(seen: Observation, cast: Cast) -> Prompt:
    return Prompt("Give one card", "You do not see what was given.", waits_for=CARD)


def _defend(seen: Observation, cast: Cast) -> Prompt:
    """Ask whether to defend alone, with what a euchre is worth alone and together."""
    makers = seen.rules.side_of(seen.maker)
    alone, together = (
        results(seen.rules, makers, alone=True, defended=defended)[2].points
        for defended in (True, False)
    )
    defend = seen.legal[-1]
    return Prompt(
        "Defend alone?",
        f"{cast[seen.maker].short} plays {TRUMP_NAMES[seen.trump]} alone. "
        f"Euchred by you alone: us +{alone}. Together: us +{together}.",
        _letter(seen.trump),
        waits_for=CALL,
        buttons=(
            _declining(seen),
            Button(_answer_words(seen, defend).said, str(defend), plain=False),
        ),
        answers=True,
    )


def _first_round(seen: Observation, cast: Cast) -> Prompt:
    dealing, letter = seen.dealer == seen.seat, _letter(seen.turned_suit)
    suit, dealer = SUIT_NAMES[seen.turned_suit], cast[seen.dealer].short
    if seen.rules.old_words:
        head, more = (
            "Your call",
            "You deal." if dealing else f"{suit} would be trump. {dealer} deals.",
        )
    else:
        decides = (
            f"{dealer} dealt{' and decides after you' * (_next_to_call(seen) == seen.dealer)}."
        )
        head = f"Should {suit} be trump?"
        more = f"{_passed(seen, cast)} {'You dealt.' if dealing else decides}".strip()
    if seen.rules.dealers_partner_alone and seen.dealer == seen.rules.partner_of(seen.turn):
        more += " You may accept it only alone."
    if len(seen.legal) == 1:
        more = f"{_why_no_call(seen)}: you may only pass."
    buttons = tuple(
        Button(
            "Pass" if action.kind == PASS and not dealing else call_words(seen, action),
            action_text(action),
            note=() if seen.rules.old_words else _first_note(seen, action, cast),
        )
        for action in seen.legal
    )
    return Prompt(head, more, letter, waits_for=CALL, buttons=buttons)


def _why_no_call(seen: Observation) -> str:
    """Return why whoever is asked in the first round may not have the turn-up as trump."""
    rules = seen.rules
    if rules.own_trump and not seen.hand & SUIT_MASK[UNNAMED][seen.turned_suit]:
        return f"You hold no {SUIT_NAMES[seen.turned_suit]}"
    points = seen.standing.score[rules.side_of(seen.turn)]
    alone = f"nobody plays alone with {phrases.counted(points, 'point', 'points')}"
    return f"You could accept it only alone, and {alone}"


def _first_note(seen: Observation, action: Action, cast: Cast) -> Words:
    """Return what a call of the first round does."""
    dealing = seen.dealer == seen.seat
    if action.kind == PASS:
        if dealing:
            return ("Another suit may be named",)
        return (f"{cast[_next_to_call(seen)].short} decides",)
    if action.alone and seen.dealer == seen.rules.partner_of(seen.turn):
        return _about_turn_up(seen, f"{_starting(_without_partner(seen, cast))}; nobody takes ")
    if action.alone:
        return (f"The same, {_without_partner(seen, cast)} tricks",)
    trump = f"{SUIT_NAMES[seen.turned_suit].capitalize()} are trump; "
    if dealing:
        return _about_turn_up(seen, f"{trump}you take ", " and discard")
    return _about_turn_up(seen, f"{trump}{cast[seen.dealer].short} takes ")


def _about_turn_up(seen: Observation, before: str, after: str = "") -> Words:
    if is_joker(seen.turn_up):
        return (f"{before}{phrases.rank_name(seen.turn_up)}{after}",)
    return (before, [card_text(seen.turn_up)], *([after] if after else []))


def _without_partner(seen: Observation, cast: Cast) -> str:
    partner = seen.rules.partner_of(seen.turn)
    who = cast[partner].short if partner is not None else ""
    return f"without {who}; {seen.rules.alone_march} points for all five"


def _next_to_call(seen: Observation) -> int:
    return seen.rules.after(seen.turn)


def _passed(seen: Observation, cast: Cast) -> str:
    """Return who has passed in this round: "Ben and Jonah passed."."""
    players = seen.rules.players
    names = [cast[seat].short for seat, _ in seen.calls[len(seen.calls) // players * players :]]
    if not names:
        return ""
    if len(names) == players - 1 > 1:
        return "Everybody passed."
    return f"{' and '.join(names)} passed."


def _second_round(seen: Observation, cast: Cast) -> Prompt:
    may_pass, old = any(action.kind == PASS for action in seen.legal), seen.rules.old_words
    makes = [action for action in seen.legal if action.kind == MAKE and not action.alone]
    makes.sort(key=lambda action: action.value != next_suit(seen.turned_suit))
    suits = tuple(
        SuitButton(
            call_words(seen, action).removesuffix(f" {TRUMP_NAMES[action.value]}") if old else "",
            TRUMP_NAMES[action.value] if old else call_words(seen, action),
            action_text(action),
            _letter(action.value),
            () if old else _best_cards(seen, action.value),
        )
        for action in makes
    )
    turned = f"{SUIT_NAMES[seen.turned_suit]} were turned down."
    head = ("Your call" if old else "Which suit should be trump?") if may_pass else _MUST_NAME
    if not may_pass:
        more = "Stick the dealer: the dealer may not pass." if old else _passed(seen, cast)
    else:
        told = _passed(seen, cast) if makes else _NO_OTHER_SUIT
        more = (_if_you_pass(seen, cast) if makes else told) if old else f"{turned} {told}".strip()
    may_be_alone = any(action.alone for action in seen.legal)
    return Prompt(
        head,
        more,
        "" if old or not may_pass else _letter(seen.turned_suit),
        waits_for=CALL,
        buttons=(Button("Pass", "pass", note=() if old else _passing(seen, cast)),)
        if may_pass
        else (),
        suits=suits,
        alone=("" if old else _starting(_without_partner(seen, cast))) if may_be_alone else None,
    )


_MUST_NAME: Final = "You must name a suit"
_NO_OTHER_SUIT: Final = "You hold no card of another suit: you may only pass."


def _best_cards(seen: Observation, suit: int) -> Words:
    """Return the best trumps of a suit: "Best: J♦ J♥"; or what counts without trumps."""
    if suit > UNNAMED:
        return ("No bowers, aces are best" if suit == HIGH else "No bowers, the lowest are best",)
    jokers: Words = ()
    if seen.rules.joker:
        jokers = ([card_text(seen.rules.pack_in_order()[-1])], " ")
    bowers = [card_text(right_bower(suit))], " ", [card_text(left_bower(suit))]
    return ("Best: ", *jokers, *bowers)


def _passing(seen: Observation, cast: Cast) -> Words:
    """Return what a pass leads to: "Iris must name a suit"."""
    then = _if_you_pass(seen, cast).removeprefix("If you pass, ").removesuffix(".")
    return (_starting(then.replace("is next", "decides")),)


def _starting(text: str) -> str:
    return text[:1].upper() + text[1:]


def _if_you_pass(seen: Observation, cast: Cast) -> str:
    if seen.dealer == seen.seat:
        return "If you pass, the hand is thrown in."
    following = seen.rules.after(seen.turn)
    if following == seen.dealer and seen.rules.stick_the_dealer:
        may_have_none = seen.rules.own_trump and not NO_TRUMPS[seen.rules.no_trump]
        if_any = " if they can" * may_have_none
        return f"If you pass, {cast[following].short} must name a suit{if_any}."
    return f"If you pass, {cast[following].short} is next."


def call_words(seen: Observation, action: Action) -> str:
    """Return how the player in turn says a call: "I order it up"."""
    call = phrases.call_of(
        action,
        rules=seen.rules,
        seat=seen.turn,
        dealer=seen.dealer,
        first_round=seen.phase == FIRST_ROUND,
        turned=seen.turned_suit,
    )
    return phrases.said(call, action)


def _discard(seen: Observation, cast: Cast) -> Prompt:
    took = phrases.rank_name(seen.turn_up)
    more = f"You took up {took}. You may discard that one too."
    return Prompt("Discard one card", more, waits_for=CARD)


def _play(seen: Observation, cast: Cast) -> Prompt:
    led = suit_led(seen.trump, seen.plays)
    if led == NO_SUIT:
        return Prompt("Your turn: lead any card", _why_lead(seen), waits_for=CARD)
    leader, card = seen.plays[0]
    story = f"{cast[leader].short} led {phrases.rank_name(card)}."
    suit = SUIT_NAMES[led]
    if not follows(seen):
        head = "Your turn: play any card"
        return Prompt(head, f"{story} You have no {suit}.", waits_for=CARD)
    if len(seen.legal) == 1 and seen.hand.bit_count() > 1:
        only = phrases.plain_name(seen.legal[0].value).lower()
        story += f" Only your {only} can be played."
    return Prompt(f"Your turn: follow {suit}", story, waits_for=CARD)


def _why_lead(seen: Observation) -> str:
    if not seen.tricks:
        return "You lead to the first trick."
    return f"You won the {phrases.trick_name(len(seen.tricks) - 1).lower()}."


def follows(seen: Observation) -> bool:
    """Return True if the viewer is in turn and must follow the suit led."""
    led = suit_led(seen.trump, seen.plays)
    cards = [action.value for action in seen.legal]
    return led != NO_SUIT and all(suit_led(seen.trump, [(0, card)]) == led for card in cards)


def _letter(suit: int) -> str:
    return phrases.TRUMP_LETTERS[suit]


_ASKED: Final[dict[str, Callable[[Observation, Cast], Prompt]]] = {
    CUTTING: _cut,
    NAMING: _name_joker,
    FIRST_ROUND: _first_round,
    SECOND_ROUND: _second_round,
    DISCARDING: _discard,
    SWAPPING: _swap,
    FOLDING: _fold,
    ASKING: _ask_for_best,
    GIVING: _give_best,
    DEFENDING: _defend,
    PLAYING: _play,
}
