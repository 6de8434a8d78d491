"""A moment of a review as values: the position before an action, and the verdict on it.

The values of the replay's moment (`games.records.replays`), all hands open from one player's place
at the table, and more; their spots are in `templates/games/picture/review.html`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from games.engine.actions import PLAY
from games.engine.cards import CARD_TEXTS, card_text
from games.engine.seats import COMPASS
from games.engine.tricks import Trick, winner
from games.figures import MINUS
from games.files.played import PlayedDeal, PlayedGame
from games.picture import phrases
from games.picture.cast import Cast, cast_of
from games.picture.values import Row, Values
from games.records import replays
from games.review import curves, wording
from games.review.decisions import SeatDecision, decisions_in
from games.review.judging import MARKS
from games.review.reasons import NO_RULE, ReviewCase, Words, reason
from games.review.reports import GameReport, Judged
from games.review.sums import CurvePoint, curve

#: The most marked decisions that a player's list shows, the largest.
MAX_LISTED: Final = 6
#: Values of the replay that the review has no place for.
_UNUSED: Final = ("log", "views", "marks")


class Viewing(NamedTuple):
    """Whose review is looked at (`seat`), and the viewer's own seat or None."""

    seat: int
    you: int | None

    def name(self, seat: int, cast: Cast) -> str:
        return "You" if seat == self.you else cast[seat].short

    def owner(self, seat: int, cast: Cast) -> str:
        return "your" if seat == self.you else f"{cast[seat].short}’s"


def seat_named(game: PlayedGame, name: str) -> int:
    """Return the seat of this name; raise `replays.NoMomentError` if there is none."""
    names = [one.lower() for one in COMPASS[game.rules.players]]
    if name not in names:
        raise replays.NoMomentError(f"There is no seat {name[:20]!r}: {', '.join(names)}.")
    return names.index(name)


class _Moment(NamedTuple):
    """All that the values of one moment are made from.

    `decision` is None where nobody has a choice, and `judged` where there is no verdict yet.
    """

    game: PlayedGame
    report: GameReport | None
    viewing: Viewing
    cast: Cast
    played: PlayedDeal
    step: int
    decision: SeatDecision | None
    judged: Judged | None

    def to(self, one: Judged) -> str:
        """Return the address of a decision's moment, as seen from the same place."""
        return f"?at={one.hand}.{one.step}&seat={self.cast[self.viewing.seat].compass.lower()}"

    def name(self, seat: int) -> str:
        return self.viewing.name(seat, self.cast)


def moment(
    game: PlayedGame,
    report: GameReport | None,
    at: str,
    viewing: Viewing,
    *,
    old_words: bool = False,
) -> Values:
    """Return the values of one moment; raise `replays.NoMomentError` if there is none."""
    cast = cast_of(game.players)
    view = cast[viewing.seat].compass.lower()
    values = replays.moment(game, at, view, all_open=True, old_words=old_words)
    for name in _UNUSED:
        del values[name]
    played, step = replays.place(game, at)
    decision = next((one for one in decisions_in(played) if one.step == step), None)
    judged = report.at(played.number, step) if report is not None else None
    this = _Moment(game, report, viewing, cast, played, step, decision, judged)
    values["title"] = f"Hand {played.number}, all hands open"
    _add_next(values, this)
    if decision is not None and not wording.is_of_cards(decision.taken):
        caller = "you" if decision.seat == viewing.you else cast[decision.seat].short
        what = wording.kind(decision.taken)
        values["where"] = f"{wording.where(decision.seen)}, {caller} to {what}"
    values |= _verdict(this)
    _add_worths(values, this)
    values |= _doubts(this) | _curve(this)
    _add_marks_of_hands(values, this)
    values["said"] = f"{values['where']}. {values['why.title']}. {values['why.said']}".strip()
    return values


# The board ----------------------------------------------------------------------------------


def _add_next(values: Values, this: _Moment) -> None:
    """Put the card that is played next in its place, and say which one it is."""
    deal, actions = this.played.at(this.step), this.played.deal.actions
    if this.step == len(actions) or actions[this.step].kind != PLAY:
        return
    plays = (*deal.plays, (deal.turn, actions[this.step].value))
    size = deal.rules.players - len(deal.sitting_out)
    values["where"] = f"Trick {len(deal.tricks) + 1}, card {len(plays)} of {size}"
    winning = this.cast[winner(deal.trump, deal.plays)].short if deal.plays else None
    values["won"] = f"{winning} is winning this one" if winning else None
    values["turned"] = []
    trick = Trick(plays, winner(deal.trump, plays))
    for seat in range(deal.rules.players):
        card = dict(plays).get(seat)
        marks = (" led", trick.leader == seat), (" winning", trick.winner == seat)
        kind = "card" + "".join(mark for mark, is_so in marks if is_so)
        values[f"on_table.{seat}"] = [] if card is None else [_lying(card, deal.trump, kind)]


def _lying(card: int, trump: int, kind: str) -> Row:
    label = phrases.card_name(card, trump)
    return {"as": "lying_card", "card": CARD_TEXTS[card], "label": label, "class": kind}


def _add_worths(values: Values, this: _Moment) -> None:
    """Write under each card that may be played or discarded what it is worth."""
    decision, judged = this.decision, this.judged
    if decision is None or judged is None or not wording.is_of_cards(decision.taken):
        return
    verdict, fan = judged.judgement, f"fan.{decision.seat}"
    worths = {CARD_TEXTS[option.action.value]: option.value for option in verdict.options}
    taken = CARD_TEXTS[decision.taken.value]
    best = CARD_TEXTS[verdict.best.value] if verdict.mark else None
    values[fan] = [
        _with_worth(row, worths[row["card"]], best, taken) if row.get("card") in worths else row
        for row in values[fan]
    ]
    if decision.taken.kind == PLAY and verdict.mark:
        (lying,) = values[f"on_table.{decision.seat}"]
        doubted = lying | {"class": f"{lying['class']} doubt"}
        values[f"on_table.{decision.seat}"] = [doubted, {"as": "tip", "text": verdict.mark}]


def _with_worth(row: Row, value: float, best: str | None, taken: str) -> Row:
    worth = wording.points(value)
    word = "best" if row["card"] == best else "played" if row["card"] == taken else None
    label = f"{row['label']}, worth {worth}{f', {word}' if word else ''}"
    return row | {
        "as": "worth_card",
        "label": label,
        "worth": worth,
        "word": word,
        "best": (word == "best") or None,
        "played": (word == "played") or None,
    }


# The verdict --------------------------------------------------------------------------------


def _verdict(this: _Moment) -> Values:
    decision, judged = this.decision, this.judged
    hand = f"Hand {this.played.number}"
    if decision is None or judged is None:
        said = _no_verdict(this) if this.report is not None else ""
        return {
            "why.title": hand, "verdict": [], "why.words": [said] if said else [], "why.said": said,
            "worths": [], "why.note": None,
        }  # fmt: skip
    seen, verdict, what = decision.seen, judged.judgement, wording.kind(decision.taken)
    whose = this.viewing.owner(decision.seat, this.cast)
    place = "" if what == "discard" else f", {wording.where(seen).lower()}"
    words: Words = ["Nothing else was clearly better."]
    rows: list[Row] = []
    if verdict.mark:
        rows = [_mark(verdict.mark) | {"loss": f"{wording.points(-judged.lost)} points"}]
        case = ReviewCase(seen, decision.taken, verdict.best, verdict.loss, this.cast)
        words = reason(case) or [
            "Discard " if what == "discard" else "Play ",
            [card_text(verdict.best.value)],
            f". {NO_RULE}",
        ]
    said = wording.plain(words)
    saw = "you" if decision.seat == this.viewing.you else this.cast[decision.seat].short
    note = f"Judged by what {saw} could see at the time, not by the open cards."
    if judged.stood_in:
        note = f"Somebody else acted for {saw} here. {note}"
    return {
        "why.title": f"{hand}{place}: {whose} {what}",
        "verdict": rows,
        "why.words": wording.joined(words),
        "why.said": f"{rows[0]['text']}. {said}" if rows else said,
        "worths": _options(this, decision, judged),
        "why.note": note,
    }


def _no_verdict(this: _Moment) -> str:
    if this.step < this.played.steps:
        forced = len(this.played.at(this.step).legal_actions()) == 1
        return (
            "Nothing to decide here."
            if forced
            else "Nothing to judge: nobody had seen their cards yet."
        )
    return "The hand is over." if this.played.deal.result else "The hand was not played to its end."


def _mark(mark: str) -> Row:
    return {
        "as": "verdict",
        "mark": wording.MARK_LETTERS[mark],
        "pips": MARKS.index(mark) + 1,
        "text": wording.MARK_WORDS[mark],
    }


def _options(this: _Moment, decision: SeatDecision, judged: Judged) -> list[Row]:
    """Return the options with their points: of calls all, of cards the best and the one played."""
    verdict, rows = judged.judgement, list[Row]()
    for option in verdict.options:
        is_best = bool(verdict.mark) and option.action == verdict.best
        is_taken = option.action == judged.taken
        words = wording.option(decision.seen, option.action)
        if is_taken:
            words = wording.did(decision.seen, option.action, this.name(decision.seat))
        elif is_best:
            words = ["Best: ", *words]
        elif wording.is_of_cards(decision.taken):
            continue
        else:
            words = wording.starting(words)
        value = wording.points(option.value)
        rows.append(
            {"as": "worth", "best": is_best or None, "words": wording.joined(words), "value": value}
        )
    return rows


# Doubts -------------------------------------------------------------------------------------


def _doubts(this: _Moment) -> Values:
    """Return a player's largest marks, and the way to the next one after this moment."""
    report, here = this.report, (this.played.number, this.step)
    marked = [one for one in report.of(this.viewing.seat) if one.mark] if report else []
    largest = sorted(marked, key=lambda one: -one.judgement.loss)[:MAX_LISTED]
    decisions = {
        (one.hand, one.step): one
        for hand in {one.hand for one in largest}
        for one in decisions_in(this.game.deals[hand - 1])
    }
    listed = sorted(largest, key=lambda one: (one.hand, one.step))
    later = [one for one in marked if (one.hand, one.step) > here]
    return {
        "doubts": [
            _doubt(this, one, decisions[one.hand, one.step])
            | {"here": (one.hand, one.step) == here or None}
            for one in listed
        ],
        "way.doubt": this.to(later[0]) if later else None,
        "next.doubt": f"Next: hand {later[0].hand}" if later else None,
    }


def _doubt(this: _Moment, one: Judged, decision: SeatDecision) -> Row:
    seen = decision.seen
    words = wording.did(seen, one.taken, this.name(one.seat))
    return _mark(one.mark) | {
        "as": "doubt",
        "key": f"doubt-{one.hand}-{one.step}",
        "to": this.to(one),
        "hand": f"Hand {one.hand}",
        "place": f" · {wording.where(seen)}",
        "words": wording.joined(
            [*words, ". Best: ", *wording.option(seen, one.judgement.best), "."]
        ),
        "loss": wording.points(-one.lost),
    }


def _add_marks_of_hands(values: Values, this: _Moment) -> None:
    """Show at each hand the gravest mark of the player in it."""
    gravest: dict[int, int] = {}
    for one in this.report.of(this.viewing.seat) if this.report else ():
        if one.mark:
            gravest[one.hand] = max(gravest.get(one.hand, 0), MARKS.index(one.mark) + 1)
    for row in values["hands"]:
        pips = gravest.get(row["number"], 0)
        mark = MARKS[pips - 1] if pips else ""
        row |= {
            "as": "marked_hand",
            "pips": pips or None,
            "mark": wording.MARK_LETTERS.get(mark),
            "mark.word": f", {mark}" if mark else None,
        }


# The curve ----------------------------------------------------------------------------------


def _curve(this: _Moment) -> Values:
    played, judged = this.played, this.judged
    points = curve(played, this.report, this.viewing.seat) if this.report else []
    most = curves.span(points)
    loss = judged.lost if judged and judged.seat == this.viewing.seat else 0.0
    here = this.step + 1 if loss else this.step  # where the line falls by the loss
    value = _value_at(points, here)
    values: Values = {
        "curve.top": f"+{most}", "curve.half": f"+{most // 2}",
        "curve.low": f"{MINUS}{most // 2}", "curve.bottom": f"{MINUS}{most}",
        "curve.lost": wording.points(-loss) if loss else None,
        "curve.label": _label(this, points),
    }  # fmt: skip
    for name, frame in (("wide", curves.WIDE), ("phone", curves.PHONE)):
        places = curves.across(frame, played)
        x, y = places[here], curves.up(frame, value, most)
        values |= {
            f"curve.{name}.line": curves.line(frame, points, places, most) or None,
            f"curve.{name}.area": curves.area(frame, points, places, most) or None,
            f"curve.{name}.steps": " ".join(map(str, places)),
            f"curve.{name}.here": f"M{x} {frame.top - 5}V{frame.bottom + 5}",
            f"curve.{name}.x": f"{x:g}",
            f"curve.{name}.y": f"{y:g}",
            f"curve.{name}.text": f"{min(x + 12, frame.right - 60):g}",
            f"curve.{name}.above": f"{max(y - 14, frame.top):g}",
        }
    return values


def _value_at(points: Sequence[CurvePoint], step: int) -> float:
    before = 0.0
    for point in points:
        if point.step > step:
            break
        before = point.value
    return before


def _label(this: _Moment, points: Sequence[CurvePoint]) -> str:
    seat = this.viewing.seat
    who = "you" if seat == this.viewing.you else this.cast[seat].short
    head = f"Points {who} could expect, hand {this.played.number}"
    if not points:
        return head
    first, last = wording.points(points[0].value), wording.points(points[-1].value)
    return f"{head}: {first} at first, {last} at last"
