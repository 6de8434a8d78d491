"""What the review of a game adds up to, for its page."""

from __future__ import annotations

from typing import NamedTuple

from games.files.played import PlayedGame
from games.picture.cast import cast_of, initials
from games.review import wording
from games.review.judging import MARKS
from games.review.reports import Report
from games.review.showing import Viewing
from games.review.sums import Balance, balance, sum_of

#: Points that fill half of a bar.
FULL: float = 8.0
#: Points from which play or luck is worth a word.
WORTH_A_WORD: float = 0.5


class MarkHead(NamedTuple):
    letter: str
    pips: range
    name: str


class SeatRow(NamedTuple):
    name: str
    role: str
    initials: str
    colour: str
    view: str
    here: bool
    decisions: int
    marks: tuple[int, ...]
    lost: str
    error: str


class BarLine(NamedTuple):
    """A term of the sum, and its bar in a drawing 200 wide with zero at 100."""

    name: str
    value: str
    kind: str
    x: float
    width: float


class Summary(NamedTuple):
    title: str
    counted: str
    marks: list[MarkHead]
    rows: list[SeatRow]
    lines: list[BarLine]
    result: str
    total: str
    error: str
    sentence: str


def summary(game: PlayedGame, report: Report, viewing: Viewing) -> Summary:
    rules = game.rules
    decisions, hands = len(report.decisions), len(game.deals)
    found = balance(game, report, rules.side_of(viewing.seat))
    yours = viewing.you is not None and rules.side_of(viewing.you) == rules.side_of(viewing.seat)
    own, other, won = _names(game, viewing, yours=yours)
    return Summary(
        title="All four players" if rules.players == 4 else "Both players",
        counted=f"{decisions} decisions in {hands} hand{'s' * (hands != 1)}",
        marks=[
            MarkHead(wording.MARK_LETTERS[mark], range(number), wording.MARK_PLURALS[mark])
            for number, mark in enumerate(MARKS, start=1)
        ],
        rows=_rows(game, report, viewing),
        lines=[
            _line(own, found.ours),
            _line(other, found.theirs),
            _line("Luck of the cards", found.luck, "luckbar"),
        ],
        result=won if found.total >= 0 else won.replace("won", "lost"),
        total=str(abs(found.total)),
        error=f"{found.error:.1f}",
        sentence=_sentence(found, "you" if yours else own.removesuffix("’s play").strip()),
    )


def _names(game: PlayedGame, viewing: Viewing, *, yours: bool) -> tuple[str, str, str]:
    """Return what the play of both sides is called, and the head of the result."""
    if yours:
        return (
            ("Your side’s play" if game.rules.players == 4 else "Your play"),
            "Their play",
            ("You won by"),
        )
    cast = cast_of(game.players)
    side = game.rules.side_of(viewing.seat)
    sides = [
        " and ".join(person.short for person in cast if person.seat % 2 == one)
        for one in (side, 1 - side)
    ]
    return f"{sides[0]}’s play", f"{sides[1]}’s play", f"{sides[0]} won by"


def _rows(game: PlayedGame, report: Report, viewing: Viewing) -> list[SeatRow]:
    rows = []
    for person in cast_of(game.players):
        found = sum_of(report, person.seat)
        partner = game.rules.partner_of(person.seat)
        is_partner = partner is not None and partner == viewing.you
        role = "You" if person.seat == viewing.you else "Your partner" if is_partner else ""
        rows.append(
            SeatRow(
                name=person.name,
                role=role or person.compass,
                initials=initials(person.name),
                colour=("", "b", "c", "d")[person.seat],
                view=person.compass.lower(),
                here=person.seat == viewing.seat,
                decisions=found.decisions,
                marks=found.marks,
                lost=wording.points(-found.lost),
                error=f"{found.error:.2f}" if found.lost else "",
            )
        )
    return rows


def _line(name: str, value: float, kind: str = "") -> BarLine:
    width = round(min(abs(value) / FULL, 1) * 100, 1)
    x = 100 if value >= 0 else 100 - width
    sign = wording.MINUS if value < 0 else "+"
    return BarLine(
        name, f"{sign}{abs(value):.1f}", kind or ("pos" if value >= 0 else "neg"), x, width
    )


def _sentence(found: Balance, whom: str) -> str:
    """Return one or two short sentences on what made the difference."""
    amount = "a little" if abs(found.luck) < 2 * WORTH_A_WORD else "much"
    did = "helped" if found.luck > 0 else "hurt"
    luck = f"The cards {did} {whom} {amount}." if abs(found.luck) >= WORTH_A_WORD else ""
    play = found.ours + found.theirs
    if abs(play) < WORTH_A_WORD:
        return luck or "Neither side gave much away, and the cards were even."
    gave = "The other side gave away more." if play > 0 else "The other side gave away less."
    return f"{luck} {gave}".strip()
