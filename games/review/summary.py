"""What the review of a game adds up to, for its page."""

from __future__ import annotations

from typing import Any

from games.files.played import PlayedGame
from games.picture.cast import cast_of, initials
from games.review import wording
from games.review.judging import MARKS, MIN_ERRORS
from games.review.reports import GameReport
from games.review.showing import Viewing
from games.review.sums import Balance, balance, sum_of

#: Points that fill half of a bar.
FULL: float = 8.0
#: Points from which play or luck is worth a word, and from which luck is much.
WORTH_A_WORD: float = 0.5
MUCH: float = 1.0


def summary(game: PlayedGame, report: GameReport, viewing: Viewing) -> dict[str, Any]:
    rules = game.rules
    decisions, hands = len(report.decisions), len(game.deals)
    found = balance(game, report, rules.side_of(viewing.seat))
    yours = viewing.you is not None and rules.side_of(viewing.you) == rules.side_of(viewing.seat)
    own, other = _names(game, viewing, yours=yours)
    return {
        "title": "All four players" if rules.players == 4 else "Both players",
        "counted": f"{decisions} decisions in {hands} hand{'s' * (hands != 1)}",
        "marks": [
            (wording.MARK_LETTERS[mark], range(number), wording.MARK_PLURALS[mark])
            for number, mark in enumerate(MARKS, start=1)
        ],
        "rows": _rows(game, report, viewing),
        "lines": [
            _line("Your play" if own == "You" else f"{own}’s play", found.ours),
            _line("Their play" if yours else f"{other}’s play", found.theirs),
            _line("Luck of the cards", found.luck, "luckbar"),
        ],
        "result": _result(game, "You" if yours else own, found.total),
        "total": wording.points(found.total),
        "error": f"{found.error:.1f}" if round(found.error, 1) else "",
        "sentence": sentence(found, "you" if yours else own, other),
    }


def _names(game: PlayedGame, viewing: Viewing, *, yours: bool) -> tuple[str, str]:
    """Return what both sides are called at the start of a sentence."""
    if yours:
        return "Your side" if game.rules.players == 4 else "You", "The other side"
    cast = cast_of(game.players)
    side = game.rules.side_of(viewing.seat)
    sides = [
        " and ".join(person.short for person in cast if game.rules.side_of(person.seat) == one)
        for one in (side, 1 - side)
    ]
    return sides[0], sides[1]


def _result(game: PlayedGame, own: str, total: int) -> str:
    """Return the head of the difference of the scores, which decides only a game played out."""
    if total == 0:
        return "The scores were level"
    if game.standing.over:
        return f"{own} {'won' if total > 0 else 'lost'} by {abs(total)}"
    was = "were" if own == "You" or " and " in own else "was"
    return f"{own} {was} {'ahead' if total > 0 else 'behind'} by {abs(total)}"


def _rows(game: PlayedGame, report: GameReport, viewing: Viewing) -> list[dict[str, Any]]:
    rows = []
    for person in cast_of(game.players):
        decisions, marks, lost, error = sum_of(report, person.seat)
        partner = game.rules.partner_of(person.seat)
        is_partner = partner is not None and partner == viewing.you
        role = "You" if person.seat == viewing.you else "Your partner" if is_partner else ""
        rows.append(
            {
                "name": person.name,
                "role": role or person.compass,
                "initials": initials(person.name),
                "colour": ("", "b", "c", "d")[person.seat],
                "view": person.compass.lower(),
                "here": person.seat == viewing.seat,
                "decisions": decisions,
                "marks": marks,
                "lost": wording.points(-lost),
                "error": f"{error:.2f}" if lost else "",
            }
        )
    return rows


def _line(name: str, value: float, kind: str = "") -> tuple[str, str, str, float, float]:
    """Return a term of the sum, and its bar in a drawing 200 wide with zero at 100."""
    width = round(min(abs(value) / FULL, 1) * 100, 1)
    x = 100 if value >= 0 else 100 - width
    return name, wording.points(value), kind or ("pos" if value >= 0 else "neg"), x, width


def sentence(found: Balance, whom: str, others: str) -> str:
    """Return two short sentences on what made the difference.

    A side is named only if the difference is worth a word and as sure as a mark. `whom` is the side
    of the balance in the middle of a sentence, `others` the other side at the start of one.
    """
    clear = max(WORTH_A_WORD, MIN_ERRORS * found.error)
    luck = "Luck made no clear difference."
    if abs(found.luck) >= clear:
        amount = "a lot" if abs(found.luck) >= MUCH else "a little"
        luck = f"Luck {'helped' if found.luck > 0 else 'hurt'} {whom} {amount}."
    play = found.ours + found.theirs
    if abs(play) >= clear:
        return f"{luck} {others} gave away {'more' if play > 0 else 'less'}."
    if max(-found.ours, found.theirs) < WORTH_A_WORD:
        return f"{luck} Neither side’s mistakes cost much."
    return f"{luck} Neither side clearly gave away more."
