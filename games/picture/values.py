"""A table as values: one flat dictionary shared by everybody, and a small one for each viewer.

Both always have the same keys. A value is a short text, a number, True, None, or a list of rows;
each changing element of the page names its value (``templates/games/picture``). Shared values are
made from a spectator's observation, so they hold no hidden card, and they call people by name, so
that they are the same for every viewer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from operator import attrgetter
from typing import Any, Final, NamedTuple, TypeAlias

from django.templatetags.static import static

from games.engine.actions import BEST, GIVE, SWAP
from games.engine.cards import (
    CARD_TEXTS,
    SORT_KEYS,
    SUIT_NAMES,
    TRUMP_NAMES,
    UNNAMED,
    cards_in,
)
from games.engine.observation import (
    ASKING,
    CUTTING,
    DISCARDING,
    DONE,
    FIRST_ROUND,
    FOLDING,
    GIVING,
    NAMING,
    PLAYING,
    SECOND_ROUND,
    SWAPPING,
    TAKEN,
    TURNED_DOWN,
    Observation,
)
from games.engine.rules import HAND, PICK_UP
from games.engine.seats import compass
from games.engine.tricks import winner
from games.figures import signed
from games.models import Proposal
from games.picture import endings, log, phrases, wording
from games.picture.cast import Cast, bottom_seat, initials
from games.picture.prompts import CALL, CARD, Prompt, prompt_of, status_line
from games.picture.scene import EMPTY, GUEST, HOUSE, PROGRAM, Scene, SeatRequest, SeatView, View
from games.picture.wording import Reader
from games.rule_words import brief

#: Values by key, and a row of a list; the row's ``as`` names its template.
Values: TypeAlias = dict[str, Any]
Row: TypeAlias = dict[str, Any]

#: The letters of what can be trump, in names of drawings.
LETTERS: Final = phrases.TRUMP_LETTERS
#: Targets whose score is kept with score cards, and the prefix of those drawings.
_MARKERS: Final = {5: "m5", 10: "m10"}
_PACK: Final[Row] = {"as": "pack"}
#: A button that posts a request about the table.
_PLAIN: Final[Row] = {"as": "ask_table", "class": "button plain"}


class Section(NamedTuple):
    """Some shared values, and all of the scene and the observation that they are made from.

    They are made again when one of these, or the cast, is another; without `of_seen` at each event.
    """

    values: Callable[[Scene, Observation | None, Cast], Values]
    of_scene: Callable[[Scene], object] | None = None
    of_seen: Callable[[Observation], object] | None = None

    def reads(self, scene: Scene, seen: Observation | None) -> tuple[object, ...] | None:
        if self.of_scene is None or self.of_seen is None:
            return None
        return self.of_scene(scene), self.of_seen(seen) if seen is not None else None


def shared_values(scene: Scene, seen: Observation | None, cast: Cast) -> Values:
    """Return all shared values but the stamp and the log; `seen` is a spectator's."""
    values: Values = {}
    for section in SECTIONS:
        values |= section.values(scene, seen, cast)
    return values


def _turn(scene: Scene, seen: Observation | None, cast: Cast) -> Values:
    line = status_line(scene, seen, cast)
    resigned, clock = scene.resigned >= 0, scene.clock
    turn = -1 if seen is None or resigned else seen.turn
    won = -1 if seen is None or resigned else trick_on_table(seen)[1]
    runs = turn >= 0 and clock is not None and clock.ends is not None
    return {
        "turn": turn if turn >= 0 else None,
        "won": won if won >= 0 else None,
        "ends": f"{clock.ends:.1f}" if runs and clock else None,
        "of": clock.seconds if runs and clock else None,
        "line": line.head if line.turn < 0 else line.turn,
        "line.more": line.more or None,
        "refresh": line.refresh_in if line.refresh_in > 0 else None,
    }


def _held(scene: Scene, seen: Observation | None, cast: Cast) -> Values:
    values: Values = {}
    for seat in range(len(cast)):
        values[_HELD[seat]] = (seen.held[seat] or None) if seen is not None else None
    return values


def _trick(scene: Scene, seen: Observation | None, cast: Cast) -> Values:
    values: Values = {"trick": _trick_name(seen), **dict.fromkeys(_SPOT[: len(cast)])}
    told = scene.requests or scene.consent or scene.arrival
    values["company"] = _notices(scene, seen, cast) if told else _NOBODY
    if seen is None or not in_play(seen):
        return values
    plays, won = trick_on_table(seen)
    best = winner(seen.trump, plays) if won < 0 and plays else won
    wanted = card_to_undo(scene, seen) if scene.consent is not None else -1
    for at, (seat, card) in enumerate(plays):
        spot = CARD_TEXTS[card]
        if at == 0:
            spot += " led"
        if seat == best:
            spot += " winning" if won < 0 else " won"
        values[_SPOT[seat]] = spot + " wanted" if card == wanted else spot
    return values


def _tricks(scene: Scene, seen: Observation | None, cast: Cast) -> Values:
    values: Values = {_MARKS[seat]: _marks(scene, seen, cast, seat) for seat in range(len(cast))}
    values["last"] = _last_trick(seen)
    tricks = "–"
    if seen is not None and seen.maker >= 0:
        taken = sum([trick.winner % 2 == seen.maker % 2 for trick in seen.tricks])
        tricks = f"{taken} of {len(seen.tricks)}"
    values["fact.tricks"] = tricks
    return values


def _hand(scene: Scene, seen: Observation | None, cast: Cast) -> Values:
    values = _trump(scene, seen, cast)
    values["who"] = [person.short for person in cast]
    for side in (0, 1):
        _add_points(values, scene, seen, cast, side)
    for person in cast:
        seat = person.seat
        empty = scene.seats[seat].kind == EMPTY
        values[f"name.{seat}"] = "Free seat" if empty else person.short
        values[f"initials.{seat}"] = "+" if empty else initials(person.name)
        values[f"person.{seat}"] = _true(scene.seats[seat].kind not in (EMPTY, HOUSE, PROGRAM))
        out = seen is not None and seat in _sitting_out(seen)
        values[f"out.{seat}"] = _true(out)
        values[f"slot.{seat}"] = f"{person.short} sits out" if out else person.short
        values[f"said.{seat}"] = _said(seen, seat)
    values["playing"] = _true(seen is not None and in_play(seen))
    values["kitty"] = _kitty(scene, seen, cast)
    values["fact.hand"] = str(seen.standing.deal_number) if seen is not None else "–"
    made = seen is not None and seen.maker >= 0
    values["fact.maker"] = cast[seen.maker].short if made and seen is not None else "–"
    values["practice"] = _true(scene.practice)
    values["watching"] = f"{scene.spectators} watching" if scene.spectators else None
    values["came"] = [{"text": line} for line in scene.arrivals]
    return values


def _deals(scene: Scene, seen: Observation | None, _cast: Cast) -> Values:
    """Return how far a solo table's deals are, and what each has brought."""
    if not scene.solo:
        return {"deals": [], "steps": [], "deals.at": None}
    deals, done = scene.rules.deals or 0, len(scene.gained)
    here = done if seen is None or seen.phase != DONE else -1
    rows: list[Row] = []
    for at in range(deals):
        row: Row = {"key": at + 1, "number": at + 1, "here": _true(at == here)}
        if at < done:
            row |= {"state": "done", "points": signed(scene.gained[at])}
        elif at == here:
            row["state"] = "now"
        rows.append({**row, "sealed": _true("state" not in row)})
    return {
        "deals": rows,
        "steps": [
            {"key": row["key"], "done": _true("points" in row), "here": row["here"]} for row in rows
        ],
        "deals.at": f"Deal {min(done + (here >= 0), deals)} of {deals}",
    }


_HELD: Final = tuple(f"held.{seat}" for seat in range(4))
_SPOT: Final = tuple(f"spot.{seat}" for seat in range(4))
_MARKS: Final = tuple(f"marks.{seat}" for seat in range(4))
_ENDED: Final = attrgetter(
    "phase", "standing", "trump", "maker", "sitting_out", "defender", "folded", "result"
)
#: From what every card changes to what a hand changes.
SECTIONS: Final = (
    Section(_turn),
    Section(_held, lambda _scene: None, attrgetter("held")),
    Section(
        _trick,
        attrgetter("requests", "arrival", "consent"),
        attrgetter("plays", "tricks", "trump", "phase", "maker", "turn"),
    ),
    Section(
        _tricks,
        attrgetter("seats", "state", "open", "reserved"),
        attrgetter("tricks", "dealer", "maker", "alone", "trump", "defender"),
    ),
    Section(
        endings.ending_values,
        attrgetter(
            "state", "reserved", "resigned", "records", "hand_values", "sealed", "game_id"
        ),
        lambda seen: (_ENDED(seen), seen.tricks if seen.phase == DONE else None),
    ),
    Section(_deals, attrgetter("reserved", "gained", "rules"), attrgetter("phase")),
    Section(
        _hand,
        attrgetter("seats", "arrivals", "spectators", "practice"),
        attrgetter(
            "standing", "phase", "calls", "dealer", "turn_up", "turn_up_at", "turned_suit",
            "trump", "maker", "sitting_out", "answers", "result",
        ),
    ),
)  # fmt: skip


def _sitting_out(seen: Observation) -> tuple[int, ...]:
    """Return the seats whose cards are face down: a lone maker's partner may still give one."""
    may_give = seen.rules.partners_best and seen.phase in (DISCARDING, ASKING, GIVING)
    return () if may_give else seen.sitting_out


def _true(value: bool) -> bool | None:
    return value or None


@lru_cache(maxsize=1)
def drawings() -> str:
    return static("cards/sprite.svg")


# Plaque and facts -------------------------------------------------------------------------


def _trump(scene: Scene, seen: Observation | None, cast: Cast) -> Values:
    letter, title, detail = "", "First round", ""
    if seen is None:
        title, detail = "Not dealt yet", scene.rules.name
    elif seen.trump != UNNAMED:
        call = log.call_at(seen, len(seen.calls) - 1) if seen.calls else phrases.JOKER_NAMED
        letter, title = LETTERS[seen.trump], TRUMP_NAMES[seen.trump].capitalize()
        detail = call.past.format(name=cast[seen.maker].short)
    elif seen.phase == CUTTING:
        title, detail = "The cut", f"Hand {seen.standing.deal_number}"
    elif seen.folded:
        title, detail = "Folded", f"By {cast[seen.answers[-1][0]].short}"
    elif seen.phase == DONE:
        title, detail = "Thrown in", "Everybody passed"
    elif seen.phase == SECOND_ROUND:
        turned = SUIT_NAMES[seen.turned_suit].capitalize()
        title, detail = "Second round", f"{turned} are turned down"
    elif seen.turn_up >= 0:
        title = _BEFORE_THE_BIDDING.get(seen.phase, title)
        detail = f"{phrases.plain_name(seen.turn_up).capitalize()} is up"
    return {"trump": letter or None, "trump.title": title, "trump.detail": detail}


_BEFORE_THE_BIDDING: Final = {SWAPPING: "Farmer’s hand", FOLDING: "Fold or play"}


def _add_points(
    values: Values, scene: Scene, seen: Observation | None, cast: Cast, side: int
) -> None:
    target, points = scene.rules.target, seen.standing.score[side] if seen is not None else 0
    of_target = f" of {target}" if target else ""
    shown = min(points, target or 0)
    kind = _MARKERS.get(target or 0, "")
    drawn = kind == "m10" or (kind and shown < 5)  # no drawing exists for five of five
    marker = f"{drawings()}#{kind}-{shown}"
    result = seen.result if seen is not None else None
    gained = result.points if result is not None and result.side == side else 0
    players = phrases.together(cast, side)
    values[f"side.{side}"] = players
    values[f"points.{side}"] = points
    values[f"score.{side}"] = f"{players}: {points}{of_target} points"
    values[f"us.{side}"] = f"{marker}h" if drawn else None
    values[f"them.{side}"] = f"{marker}s" if drawn else None
    values[f"gained.{side}"] = f"+{gained}" if gained else None


# Seats ------------------------------------------------------------------------------------


def _marks(scene: Scene, seen: Observation | None, cast: Cast, at: int) -> list[Row]:
    seat, short = scene.seats[at], cast[at].short
    # What stays comes first, so that what comes and goes moves nothing.
    rows = list(_presence(scene, seat, short))
    if seen is not None and seen.dealer == at:
        rows.append({"as": "dealer"})
    if seen is not None and seen.maker == at:
        rows.append(
            {
                "as": "maker",
                "class": "mark maker alone" if seen.alone else "mark maker",
                "word": "Alone" if seen.alone else "Maker",
                "letter": LETTERS[seen.trump],
                "suit": TRUMP_NAMES[seen.trump],
            }
        )
    if seen is not None and seen.defender == at:
        rows.append({"as": "came", "class": "mark maker alone", "text": "Alone"})
    took = sum(trick.winner == at for trick in seen.tricks) if seen is not None else 0
    if took:
        word = " trick" if took == 1 else " tricks"
        parts = [*[{"as": "i"}] * took, str(took), {"as": "long", "text": word}]
        rows.append({"as": "took", "parts": parts})
    offer = _offer(scene, seat)
    if offer:
        verb = "ask" if _must_ask(scene) else "sit"
        to = f"/tables/{scene.table_id}/{verb}"
        rows.append({"as": "offer", "to": to, "seat": at, "text": offer, "who": f": {short}"})
    return rows


def _presence(scene: Scene, seat: SeatView, short: str) -> Iterator[Row]:
    away = seat.away and not seat.awaited and not (seat.stand_in and scene.reserved)
    if seat.stand_in and away:
        yield {"as": "played_for", "text": f", a house player plays for {short}"}
    elif seat.kind == HOUSE or seat.stand_in:
        yield {"as": "house", "more": f" player for {short}" if seat.stand_in else None}
    if seat.kind == PROGRAM:
        owner = f" of {seat.program_of}" if seat.program_of else ""
        yield {"as": "program", "text": f"Program{owner}"}
    if seat.kind == GUEST:
        yield {"as": "same_address" if seat.same_address else "guest"}
    came = _came(scene, seat)
    if came:
        kind = "away" if came == "Awaited" else "here"
        yield {"as": "came", "class": f"mark {kind}", "text": came}
    if away and not seat.stand_in:
        yield {"as": "away"}


def _came(scene: Scene, seat: SeatView) -> str:
    if scene.reserved is None or scene.state != "gathering" or seat.kind in (EMPTY, HOUSE):
        return ""
    return "Awaited" if seat.awaited else "" if seat.away else "Here"


def _offer(scene: Scene, seat: SeatView) -> str:
    if scene.reserved is not None or scene.state not in ("gathering", "playing"):
        return ""
    if _must_ask(scene):
        return "Ask for this seat" if seat.kind in (EMPTY, HOUSE) else ""
    return {EMPTY: "Sit here", HOUSE: "Take this seat"}.get(seat.kind, "")


def _must_ask(scene: Scene) -> bool:
    """Return True if newcomers must ask; spectators of a private table have its invitation link."""
    return scene.open and scene.state == "playing"


def _said(seen: Observation | None, seat: int) -> str | None:
    if seen is None:
        return None
    if seen.phase in (FIRST_ROUND, SECOND_ROUND, DISCARDING):
        for number in range(len(seen.calls) - 1, -1, -1):
            if seen.calls[number][0] == seat:
                call = log.call_at(seen, number)
                return f"“{call.bubble or phrases.said(call, seen.calls[number][1])}”"
    for phase, one, action in log.answered(seen) if seen.answers else ():
        if one == seat and (phase == seen.phase or (phase, seen.phase) == (ASKING, GIVING)):
            words = phrases.ANSWERS[phase, action.kind]
            return f"“{words.bubble or words.said}”"
    return None


def _asks(request: SeatRequest) -> str:
    return "sits down after this hand" if request.comes else "asks for a seat"


def _notices(scene: Scene, seen: Observation | None, cast: Cast) -> list[Row]:
    places = [compass(scene.rules.players, one.position) for one in scene.requests]
    asking = [
        f"{one.name} {_asks(one)}: {place}."
        for one, place in zip(scene.requests, places, strict=True)
    ]
    proposed = asked = ""
    if scene.consent is not None and seen is not None:
        who = cast[scene.consent.position].short
        proposed = f"{phrases.proposal(scene.consent.kind, who, card_to_undo(scene, seen))}."
        asked = f"Asked: {', '.join(cast[seat].short for seat in scene.consent.awaited)}."
    spoken = " ".join(filter(None, (scene.arrival, proposed, asked, *asking)))
    rows: list[Row] = [{"as": "spoken", "key": "spoken", "text": spoken}]
    if proposed or scene.arrival:
        kind = "note" if proposed else "note passing"
        rows.append({"as": "news", "class": kind, "text": proposed or scene.arrival})
    rows += [
        {
            "as": "asks",
            "label": f"{one.name} {_asks(one)}",
            "name": one.name,
            "where": f"{' (guest)' if one.guest else ''} {_asks(one)}: {place}",
            "to": f"/tables/{scene.table_id}/answer",
            "request": one.request,
            "let_in": f" {one.name}",
            "refuse": f", {one.name}",
        }
        for one, place in zip(scene.requests, places, strict=True)
    ]
    return rows


_NOBODY: Final[list[Row]] = [{"as": "spoken", "key": "spoken", "text": ""}]


# The middle -------------------------------------------------------------------------------


def in_play(seen: Observation) -> bool:
    """Return True once the middle of the table shows tricks instead of the kitty."""
    return seen.phase == PLAYING or (seen.phase == DONE and seen.maker >= 0)


def trick_on_table(seen: Observation) -> tuple[tuple[tuple[int, int], ...], int]:
    """Return the trick on the table, which stays until its winner leads, and the winner or -1."""
    if seen.plays or not seen.tricks:
        return seen.plays, -1
    return seen.tricks[-1].plays, seen.tricks[-1].winner


def _kitty(scene: Scene, seen: Observation | None, cast: Cast) -> list[Row]:
    if seen is None:
        return [_PACK, _PACK, {"as": "kitty_text", "text": brief(scene.rules)}]
    if in_play(seen):
        return []
    dealer = cast[seen.dealer].short
    if seen.phase == CUTTING:
        text = f"{cast[seen.dealer - 1].short} cuts, {dealer} will deal"
    elif seen.phase == DISCARDING:
        text = f"{dealer} {'discard' if dealer == 'You' else 'discards'}, face down"
    elif seen.turn_up_at == TAKEN:
        text = f"{dealer} took up {phrases.rank_name(seen.turn_up)} and discarded"
    else:
        return _turned_up(seen, dealer)
    return [_PACK, _PACK, {"as": "kitty_text", "text": text}]


def _turned_up(seen: Observation, dealer: str) -> list[Row]:
    code, name = CARD_TEXTS[seen.turn_up], phrases.plain_name(seen.turn_up)
    if seen.turn_up_at == TURNED_DOWN:
        card = {"as": "card", "card": code, "class": "card down", "label": f"{name}, turned down"}
        letter = LETTERS[seen.turned_suit]
        text = f" {SUIT_NAMES[seen.turned_suit]} may not be named"
        return [card, _PACK, _PACK, {"as": "kitty_text", "pip": letter, "text": text}]
    text = f"If it is ordered up, {dealer} takes it"
    if seen.rules.old_words and seen.rules.calls == PICK_UP:
        text = f"{dealer} may be told to pick it up"
    if seen.phase == NAMING:
        text = "A joker is turned up"
    elif seen.phase in _OF_THE_TURN_UP:
        text = _OF_THE_TURN_UP[seen.phase]
    elif seen.folded:
        text = phrases.after_folding(seen.rules, dealer)
    elif seen.maker >= 0:
        text = "Nobody takes it"
    card = {"as": "card", "card": code, "class": "card up", "label": f"{name}, turned up"}
    return [_PACK, _PACK, card, {"as": "kitty_text", "text": text}]


_OF_THE_TURN_UP: Final = {
    SWAPPING: "The three cards under it may be swapped for",
    FOLDING: "A poor hand may be folded",
}


def card_to_undo(scene: Scene, seen: Observation) -> int:
    """Return the card in the trick that an open undo proposal would take back, or -1."""
    consent = scene.consent
    if consent is None or consent.kind != Proposal.Kind.UNDO or not in_play(seen):
        return -1
    return dict(trick_on_table(seen)[0]).get(consent.position, -1)


def _trick_name(seen: Observation | None) -> list[int | str] | None:
    """Return what is said of the current trick: its number, and who leads, led or won it."""
    if seen is None or not in_play(seen) or (seen.phase == DONE and not seen.tricks):
        return None
    plays, won = trick_on_table(seen)
    number = len(seen.tricks) - (won >= 0)
    if won >= 0:
        return [number, "won", won]
    return [number, "led", plays[0][0]] if plays else [number, "leads", seen.turn]


def _last_trick(seen: Observation | None) -> list[Any]:
    if seen is None or not seen.tricks:
        return []
    trick = seen.tricks[-1]
    plays = [[seat, CARD_TEXTS[card]] for seat, card in trick.plays]
    return [len(seen.tricks) - 1, trick.winner, *plays]


# One viewer's own -------------------------------------------------------------------------


def own_values(view: View, cast: Cast) -> Values:
    undo = undo_values(view.scene, view.viewer.seat)
    return asked_values(view, cast) | waiting_values(view, cast) | undo


def asked_values(view: View, cast: Cast) -> Values:
    """Return what a viewer holds and is asked; made again when ``asked_reads`` differs."""
    values = _question(view, cast)
    _add_hand(values, view)
    _add_consent(values, view, cast)
    values["hint"] = _true(view.may_hint)
    values |= _NO_HINT  # the script fills them
    values["hint.first"] = _true(view.may_hint and not view.scene.practice)
    return values


_NO_HINT: Final[Values] = {"hint.head": None, "hint.reason": [], "hint.reasons": []}


_ASKED: Final = attrgetter(
    "viewer", "scene.wait", "scene.seats", "scene.reserved", "scene.consent", "scene.spent",
    "scene.claimed", "scene.game_number", "scene.practice", "scene.house_after", "observation.hand",
    "observation.trump", "observation.phase", "observation.sitting_out",
)  # fmt: skip


def asked_reads(view: View) -> tuple[object, ...] | None:
    """Return all that ``asked_values`` depends on while others play; None at any other time."""
    scene, seen = view.scene, view.observation
    if scene.state != "playing" or seen is None or seen.turn in (seen.seat, -1):
        return None
    if scene.resigned >= 0:
        return None
    held = seen.held if seen.seat is None else None
    turn = seen.turn if scene.wait is not None else None
    wanted = card_to_undo(scene, seen) if scene.consent is not None else -1
    return (_ASKED(view), held, turn, wanted)


def waiting_values(view: View, cast: Cast) -> Values:
    """Return what a viewer has at hand while cards are played; changes with ``waiting_reads``."""
    scene, viewer = view.scene, view.viewer
    values: Values = {"asked": [], "discarded": _known_moves(view.observation)}
    if viewer.asked >= 0:
        place = compass(scene.rules.players, viewer.asked)
        text = f"You have asked for a seat: {place}. The players decide."
        to = f"/tables/{scene.table_id}/ask-no-more"
        values["asked"] = [{"as": "seat_asked", "text": text, "to": to}]
    elif viewer.refused:
        values["asked"] = [{"as": "seat_refused"}]
    _add_shuffle(values, view)
    values["leaving"] = _leaving(view, cast)
    _add_talk(values, view)
    values["watching.names"] = phrases.watching(view.watching, scene.spectators)
    values["hints"] = _true(scene.alone >= 0 and scene.alone == viewer.seat)
    return values


_WAITING: Final = attrgetter(
    "viewer", "talk", "watching", "scene.state", "scene.seats", "scene.reserved", "scene.consent",
    "scene.claimed", "scene.spent", "scene.shuffling", "scene.alone", "scene.game_number",
    "scene.spectators",
)  # fmt: skip


def waiting_reads(view: View) -> tuple[object, ...]:
    return _WAITING(view), _known_moves(view.observation)


def _known_moves(seen: Observation | None) -> list[Any]:
    """Return which cards the viewer has discarded, swapped, given away or got, in words."""
    words: list[Any] = []
    if seen is None:
        return words
    if seen.discard >= 0 and log.has_discarded(seen):
        words = ["You discarded ", [CARD_TEXTS[seen.discard]]]
    for seat, action in seen.answers:
        if action.kind == SWAP and seat == seen.seat:
            words += ["You swapped ", *log.cards_in_words(cards_in(action.value), ", ")[1:]]
        elif action.kind in (GIVE, BEST) and action.value >= 0:
            did = "You gave " if seat == seen.seat else "You got "
            words += [". "] * bool(words) + [did, [CARD_TEXTS[action.value]]]
    return words


def undo_values(scene: Scene, seat: int | None) -> Values:
    may = scene.may_undo(seat)
    first = may and scene.house_replied and not scene.practice
    return {"undo": _true(may), "undo.first": _true(first)}


def _add_talk(values: Values, view: View) -> None:
    talk = view.talk
    values["talk"] = list(talk.rows)
    values["talk.phrases"], values["talk.free"] = _true(talk.phrases), _true(talk.free)
    values["talk.why"] = talk.why or None
    for seat in range(len(view.scene.seats)):
        values[f"spoke.{seat}"] = talk.spoken[seat] or None


_OF_QUESTION: Final = ("question.class", "question.waits", "question.heard")


def _question(view: View, cast: Cast) -> Values:
    prompt = prompt_of(view, cast)
    if prompt is None:
        return {"question": [], **dict.fromkeys(_OF_QUESTION)}
    more = [{"as": "more", "text": prompt.more}] if prompt.more else []
    rows: list[Row] = [{"as": "ask_card", "head": prompt.head}, *more]
    bids = _bids(prompt)
    if prompt.waits_for != CARD:
        rows = _asking(prompt, view.scene.table_id)
    return {
        "question": [*rows, {"as": "why"}],
        "question.class": "line" if prompt.waits_for == CARD else f"asking{' bidding' * bids}",
        "question.waits": prompt.waits_for or None,
        "question.heard": (prompt.in_words if prompt.waits_for != CARD else None) or None,
    }


def _bids(prompt: Prompt) -> bool:
    return prompt.waits_for == CALL and prompt.cut is None and not prompt.answers


def _asking(prompt: Prompt, table_id: int) -> list[Row]:
    bids = _bids(prompt)
    buttons = [
        {
            "as": "opens" if one.opens else "verb" if one.verb else "bid" if bids else "act",
            "class": "button plain" if one.plain else "button",
            "value": f"/tables/{table_id}/{one.value}" if one.verb else one.value,
            "text": one.label,
        }
        | ({"note": list(one.note) or None} if bids else {})
        for one in prompt.buttons
    ]
    links = [
        {
            "as": "review" if one.reviews else "link",
            "class": "button plain" if one.plain else "button",
            "value": one.address,
            "text": one.label,
            "rest": one.rest or None,
        }
        for one in prompt.links
    ]
    head: Row = {
        "as": "ask_head",
        "head": _with_pip(prompt.head, prompt.letter),
        "more": _with_pip(prompt.more, prompt.letter) or None,
    }
    rows: list[Row] = [{"as": "ask", "parts": [head]}]
    if prompt.cut:
        least, most, at, pack = prompt.cut
        rows.append({"as": "cut", "least": least, "most": most, "at": at, "pack": pack})
    if prompt.invite:
        rows.append({"as": "share", "link": prompt.invite})
    if prompt.suits:
        suits = [
            {
                "value": suit.value,
                "letter": suit.letter,
                "call": suit.call or None,
                "text": f" {suit.label}" if suit.call else suit.label,
                "alone": _true(prompt.alone is not None),
                "note": list(suit.note) or None,
            }
            for suit in prompt.suits
        ]
        four = " four" if len(suits) == 4 else ""
        rows.append({"as": "suits", "class": f"suits{four}", "suits": suits})
        if prompt.alone is not None:
            buttons.append({"as": "aloneness", "note": prompt.alone or None})
        if buttons:
            rows.append({"as": "calls", "class": "calls beside-suits", "buttons": buttons})
    elif buttons or links:
        first = [one for one, link in zip(links, prompt.links, strict=True) if not link.plain]
        others = [one for one, link in zip(links, prompt.links, strict=True) if link.plain]
        kind = "calls bids" if bids else "calls"
        rows.append({"as": "calls", "class": kind, "buttons": [*first, *buttons, *others]})
    return rows


def _with_pip(text: str, letter: str) -> list[Any]:
    """Return a sentence as words, with its suit drawn before the suit's name."""
    name = TRUMP_NAMES[LETTERS.index(letter)] if letter else ""
    before, found, after = text.partition(name) if name else (text, "", "")
    suit = [[letter, f" {name}"]] if found else []
    return [word for word in (before, *suit, after) if word]


def _add_hand(values: Values, view: View) -> None:
    """Add the cards at the bottom: the viewer's hand, or South's card backs for a spectator.

    ``hand.choose`` is the action a card can be chosen for, ``barred`` lists the cards that may not
    be chosen and ``why`` says why.
    """
    seen, seat = view.observation, view.viewer.seat
    values |= {
        "hand": [], "hand.label": "No cards", "hand.seat": seat, "hand.choose": None,
        "hand.taken": None, "barred": None, "why": None,
    }  # fmt: skip
    if seen is None or seen.folded or view.scene.resigned >= 0:
        values["hand.label"] = "No cards yet" if seen is None else "No cards"
        return
    swept = seen.phase == DONE and bool(seen.tricks or seen.plays)
    at = seat if seat is not None else bottom_seat(None, seen.rules.players)
    out = seat in _sitting_out(seen)
    if seat is None or out or not seen.hand:
        held = 0 if swept and (out or seat is None) else seen.held[at]
        values["hand"] = [{"as": "back"}] * held
        if held:
            mine = "Your cards, face down" + ": you sit out" * out
            values["hand.label"] = "Cards, face down" if seat is None else mine
        return
    hand = sorted(cards_in(seen.hand), key=SORT_KEYS[seen.trump].__getitem__)
    values["hand"], values["hand.label"] = [CARD_TEXTS[card] for card in hand], "Your hand"
    if seat == seen.maker and len(hand) == HAND:
        values["hand.taken"] = _from_partner(seen)
    choosing = seen.my_turn and not view.scene.seats[seat].stand_in and view.scene.claimed < 0
    if choosing and seen.phase in _CHOOSING:
        _add_choice(values, seen, hand)


def _add_choice(values: Values, seen: Observation, hand: list[int]) -> None:
    values["hand.choose"] = seen.legal[-1].kind
    if seen.phase != PLAYING:
        values["hand.label"] = f"Your hand: choose one card to {_CHOOSING[seen.phase]}"
        if seen.phase == DISCARDING:
            values["hand.taken"] = CARD_TEXTS[seen.turn_up]
        return
    if len(seen.legal) == seen.hand.bit_count():
        return
    legal = {action.value for action in seen.legal}
    barred = [CARD_TEXTS[card] for card in hand if card not in legal]
    if barred:
        values["barred"] = " ".join(barred)
        values["why"] = phrases.must_follow(seen.trump, seen.plays[0][1], seen.hand)


#: Where a card of the hand is chosen, and what for.
_CHOOSING: Final = {PLAYING: "play", DISCARDING: "discard", ASKING: "give away", GIVING: "give"}


def _from_partner(seen: Observation) -> str | None:
    """Return the best card of a lone maker's partner and who gave it, such as "JS 2"."""
    for seat, action in seen.answers:
        if action.kind == BEST:
            return f"{CARD_TEXTS[action.value]} {seat}"
    return None


def _add_shuffle(values: Values, view: View) -> None:
    shuffling, seat = view.scene.shuffling, view.viewer.seat
    values |= dict.fromkeys(_SHUFFLE)
    if shuffling is None or seat is None or view.scene.seats[seat].stand_in:
        return
    asks = shuffling.asks(seat)
    if asks:
        frozen = " ".join(one or "-" for one in shuffling.commitments)
        given = frozen if shuffling.frozen else None
        place = shuffling.first + seat
        named = (asks, shuffling.match, shuffling.commitment, place, given)
        values |= zip(_SHUFFLE, named, strict=True)


_SHUFFLE: Final = (
    "shuffle", "shuffle.match", "shuffle.commitment", "shuffle.seat", "shuffle.commitments",
)  # fmt: skip


def _add_consent(values: Values, view: View, cast: Cast) -> None:
    scene, seat, seen = view.scene, view.viewer.seat, view.observation
    values |= {"consent": [], "consent.class": None, "consent.label": None}
    if scene.state != "playing" or seat is None or seen is None or scene.claimed >= 0:
        return
    consent, to = scene.consent, f"/tables/{scene.table_id}/"
    if consent is None:
        if view.may_claim:
            claim = {"to": f"{to}claim", "name": "game", "value": scene.game_number}
            values["consent.class"] = "beside"
            values["consent"] = [{**_PLAIN, **claim, "text": "Claim the rest"}]
        return
    words = phrases.CONSENT[consent.kind]
    if consent.position == seat:
        awaited = ", ".join(cast[one].short for one in consent.awaited)
        head, text = words.own, f" Asked: {awaited}"
        back = {"to": f"{to}withdraw", "name": "game", "value": scene.game_number}
        buttons = [{**_PLAIN, **back, "text": words.withdraw}]
    elif seat in consent.awaited:
        name = cast[consent.position].short
        head = phrases.proposal(consent.kind, name, card_to_undo(scene, seen))
        text, asked = f" {words.means}", {"to": f"{to}consent", "value": consent.proposal}
        buttons = [
            {**_PLAIN, **asked, "name": "decline", "text": words.decline},
            {**_PLAIN, **asked, "class": "button", "name": "agree", "text": words.agree},
        ]
        values["consent.label"] = head
    else:
        return
    until = {"as": "until", "until": f"{consent.until:.1f}"}
    values["consent.class"] = "over"
    values["consent"] = [
        {"as": "consent", "head": head, "words": [until, text]},
        {"as": "buttons", "buttons": buttons},
    ]


_LEAVE: Final = (
    "Leave for good: a house player plays your cards to the end. The result still counts for you, "
    "and you cannot come back to this game."
)
_LEAVE_RATED: Final = (
    "This game is rated. If you leave, the house plays for you until you take your seat back. A "
    "loss then counts in full, and a win only by the share of the hands that you played yourself."
)


def _leaving(view: View, cast: Cast) -> list[Row]:
    scene, seat = view.scene, view.viewer.seat
    if seat is not None and view.rated and scene.state == "playing":
        return _leave_rated(scene.table_id, scene.game_number)
    if seat is None or scene.reserved is not None or scene.state in ("shuffling", "closed"):
        return []
    if scene.state != "playing":
        return _stand_up(scene.table_id)
    partner = scene.rules.partner_of(seat)
    asked = partner is not None and scene.seats[partner].kind != HOUSE
    why_not = phrases.no_resigning(
        stood_in=scene.seats[seat].stand_in,
        claimed=scene.claimed >= 0,
        proposed=scene.consent is not None,
        spent=seat in scene.spent,
    )
    who = cast[partner].short if asked and partner is not None else ""
    return _leave_or_resign(scene.table_id, scene.game_number, who, why_not)


@lru_cache(maxsize=1024)
def _leave_rated(table_id: int, game_number: int) -> list[Row]:
    to = f"/tables/{table_id}/leave"
    return [
        {"as": "h2", "text": "Leave this rated game"},
        {"as": "p", "text": _LEAVE_RATED},
        {**_PLAIN, "name": "game", "value": game_number, "to": to, "text": "Let the house play"},
    ]


@lru_cache(maxsize=1024)
def _stand_up(table_id: int) -> list[Row]:
    return [
        {"as": "h2", "text": "Leave the table"},
        {"as": "p", "text": "No cards are being played. Your seat becomes free for others."},
        {**_PLAIN, "to": f"/tables/{table_id}/stand", "text": "Leave the table"},
    ]


@lru_cache(maxsize=4096)
def _leave_or_resign(table_id: int, game_number: int, who: str, why_not: str) -> list[Row]:
    to, game = f"/tables/{table_id}/", {**_PLAIN, "name": "game", "value": game_number}
    means = (
        f"Resign, and the game ends as lost for your side{f', if {who} agrees' if who else ''}. "
        "Everybody keeps their seats and can play again."
    )
    resign = f"Ask {who} to resign" if who else "Resign the game"
    return [
        {"as": "h2", "text": "Leave or resign"},
        {"as": "p", "text": _LEAVE},
        {**game, "to": f"{to}leave", "text": "Leave for good"},
        {"as": "p", "text": means},
        {"as": "p", "class": "muted", "text": why_not}
        if why_not
        else {**game, "to": f"{to}resign", "text": resign},
    ]


def spoken(view: View, own: Values, cast: Cast) -> str:
    """Return what a screen reader announces on page load: last event, hand and question."""
    seen, prompt = view.observation, prompt_of(view, cast)
    if seen is None:
        return f"{prompt.head}. {prompt.more}".strip() if prompt is not None else ""
    reader = Reader(wording.names(cast, seen.trump))
    sentences = [reader.news(log.latest(view.scene, seen.public, cast))]
    cards = [reader.card(row) for row in own["hand"] if isinstance(row, str)]
    if cards and not (seen.plays or seen.tricks):
        sentences.append(f"{own['hand.label']}: {'. '.join(cards)}.")
    if prompt is not None and prompt.waits_for and seen.phase != DONE:
        sentences.append(prompt.in_words)
    return " ".join(sentences)
