"""The analysis board as a page: the table with open hands, the values, the lines.

The table is the replay's (`games.records.replays`), and choices are worded as in a review.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from markupsafe import Markup

from games.analysis.lines import Board, letter, parting
from games.analysis.open_line import OpenLine
from games.analysis.positions import BoardPosition
from games.analysis.valuing import Worth
from games.engine.actions import Action, action_text
from games.engine.cards import card_text, cards_in
from games.engine.deal import Deal
from games.engine.observation import DISCARDING, PLAYING, Observation, Standing
from games.figures import signed
from games.files.played import PlayedDeal, PlayedGame
from games.picture import page, phrases
from games.picture.cast import Cast, cast_of
from games.records import replays
from games.review import wording
from games.review.reasons import Words

#: What a template shows of one thing, by name.
Row = dict[str, Any]

#: The bars' drawing is so wide and high.
_WIDE: Final = 200.0
_EDGE: Final = 2.0
#: What a bar stands for at least, so that values near zero have short ones.
_LEAST_SPAN: Final = 0.5


def _markup(words: Words) -> Markup:
    return page.words(wording.joined(words))


# The table ----------------------------------------------------------------------------------


def cast(board: Board) -> Cast:
    return cast_of(("",) * board.root.rules.players)


def _played(position: BoardPosition) -> PlayedGame:
    whole = position.completed()
    before = Standing(position.score)
    result = whole.deal.result
    after = before if result is None else before.after(position.rules, result)
    unknown = frozenset(cards_in(whole.unknown))
    played = PlayedDeal(whole.deal, before, after, unknown)
    return PlayedGame(position.rules, ("",) * position.rules.players, (played,))


def table(board: Board, *, old_words: bool) -> tuple[Markup, str]:
    """Return the drawing of the table at this step, and where in the hand that is."""
    game, players = _played(board.here), cast(board)
    view = players[board.seat].compass.lower()
    steps = game.deals[0].steps
    values = replays.moment(game, f"1.{steps}", view, all_open=True, old_words=old_words)
    for person in players:  # nobody has a name here but that of the seat
        _, _, role = values[f"role.{person.seat}"].partition(", ")
        values[f"role.{person.seat}"] = role
        values[f"label.{person.seat}"] = f"{person.name}, {role}" if role else person.name
    values["title"] = f"All hands as far as they are known. {values['where']}"
    return page.draw_open(values, players), str(values["where"])


def headline(board: Board) -> str:
    """Return what is asked at this step: "South to play"."""
    deal = board.here.completed().deal
    if deal.result is not None:
        return "the hand is over"
    what = {PLAYING: "play", DISCARDING: "discard"}.get(deal.phase, "call")
    return f"{cast(board)[deal.turn].short} to {what}"


def steps(board: Board) -> list[Row]:
    """Return the ways to other steps; those at an end have no query."""
    first = board.at(board.line, 0) if board.step else None
    last = board.at(board.line, board.step + len(board.ahead)) if board.ahead else None
    ways = (
        ("trick_back", "To the position", "first", first),
        ("card_back", "Back one step", "back", board.back),
        ("card_on", "On one step", "next", board.on),
        ("trick_on", "To the end of the line", "last", last),
    )
    return [
        {"name": name, "label": label, "icon": icon, "query": to.query if to else ""}
        for name, label, icon, to in ways
    ]


# The values ---------------------------------------------------------------------------------


def shown_worth(seen: Observation, found: Worth, *, at_the_end: bool) -> Row:
    """Return the choices with bars from zero, each with a whisker of one standard error."""
    low = min(0.0, *(one.value - one.error for one in found.choices))
    high = max(0.0, *(one.value + one.error for one in found.choices))
    high = max(high, low + _LEAST_SPAN)
    scale = (_WIDE - 2 * _EDGE) / (high - low)

    def at(points: float) -> float:
        return round(_EDGE + (points - low) * scale, 1)

    ticks = [low, 0.0, high] if low < 0 < high else [low, (low + high) / 2, high]
    verdict: Words = ["Too close to say." if at_the_end else "Too close to say yet."]
    if found.sure:
        best = wording.option(seen, found.choices[0].action)
        verdict = [*wording.starting(best), " is best."]
    return {
        "choices": [
            {
                **_choice(seen, one.action),
                "value": wording.points(one.value),
                "error": f"± {one.error:.2f}",
                "best": found.sure and one == found.choices[0],
                "bar_from": at(min(one.value, 0.0)),
                "bar_wide": round(abs(at(one.value) - at(0.0)), 1),
                "low": at(one.value - one.error),
                "high": at(one.value + one.error),
            }
            for one in found.choices
        ],
        "zero": at(0.0),
        "ticks": [signed(tick, 1) if round(tick, 1) else "0" for tick in ticks],
        "verdict": _markup(verdict),
        "worlds": found.worlds,
    }


def unvalued(seen: Observation) -> list[Row]:
    """Return the choices in the order of the rules, before anything is known of them."""
    return [_choice(seen, action) for action in seen.legal]


def _choice(seen: Observation, action: Action) -> Row:
    words = wording.starting(wording.option(seen, action))
    return {"action": action_text(action), "words": _markup(words)}


# The lines ----------------------------------------------------------------------------------


def lines(board: Board, *, old_words: bool) -> list[Row]:
    return [
        {
            "letter": letter(number),
            "words": _label(board, number, old_words=old_words),
            "end": ending(board, number),
            "query": (board if number == board.line else board.opened(number)).query,
            "here": number == board.line,
            "compare": f"{board.query}&with={number}" if number != board.line else "",
        }
        for number in range(len(board.lines))
    ]


def _label(board: Board, number: int, *, old_words: bool) -> Markup:
    """Return what a line does first that the first line does not."""
    actions = board.lines[number].actions
    step = parting(board.lines[0].actions, actions) if number else 0
    words = _did(board, number, min(step, len(actions) - 1), old_words=old_words)
    if number == 0 and board.as_played:
        words = ["As played: ", *words]
    return _markup(words)


def _did(board: Board, number: int, step: int, *, old_words: bool) -> Words:
    deal = board.position(number, step).completed().deal
    seen = phrases.worded(deal.observe(deal.turn, Standing(board.root.score)), old=old_words)
    who = cast(board)[deal.turn].short
    return wording.did(seen, board.lines[number].actions[step], who)


def ending(board: Board, number: int) -> str:
    """Return what a line comes to, for the side whose board it is: "Four tricks, +1"."""
    game = _played(board.end(number))
    result = game.deals[0].deal.result
    if result is None:
        return str(replays.moment(game, f"1.{game.deals[0].steps}", replays.PUBLIC)["where"])
    if result.makers < 0:
        return "Thrown in"
    side = board.root.rules.side_of(board.seat)
    points = result.points if result.side == side else -result.points
    return f"{_tricks(result.tricks[side])}, {signed(points)}"


def over(board: Board) -> str:
    """Return how the hand ended at this step, or an empty text."""
    return result_of(board.here.completed().deal, cast(board))


def result_of(deal: Deal, players: Cast) -> str:
    """Return in words how a deal ended; empty if it has not."""
    if deal.result is None:
        return ""
    by = players[deal.defender].short if deal.defender >= 0 else ""
    maker = players[deal.maker] if deal.maker >= 0 else None
    sides = phrases.sides_of(players, deal.maker)
    return phrases.deal_result(sides, maker, deal.trump, deal.result, by)


def tricks(deal: Deal, players: Cast) -> list[Row]:
    """Return the tricks of a deal as rows, the last perhaps incomplete."""
    found = [*((one.plays, one.winner) for one in deal.tricks)]
    if deal.plays:
        found.append((deal.plays, -1))
    return [
        {
            "number": number,
            "leads": f"{players[plays[0][0]].short} leads",
            "cards": [
                {"card": page.words([[card_text(card)]]), "won": seat == won}
                for seat, card in plays
            ],
        }
        for number, (plays, won) in enumerate(found, start=1)
    ]


def parted(board: Board, other: int, values: Mapping[Action, str], *, old_words: bool) -> list[Row]:
    """Return the open line and another, with the values of what they do as they part."""
    step = parting(board.lines[board.line].actions, board.lines[other].actions)
    compared = []
    for number in sorted((board.line, other)):
        words, value = ["Stops here"], ""
        actions = board.lines[number].actions
        if step < len(actions):
            words = _did(board, number, step, old_words=old_words)
            value = values.get(actions[step], "")
        compared.append(
            {
                "letter": letter(number),
                "words": _markup(words),
                "value": value,
                "end": ending(board, number),
                "tricks": tricks(board.end(number).completed().deal, cast(board)),
            }
        )
    return compared


# With all hands open ------------------------------------------------------------------------


def open_sums(line: OpenLine) -> Markup:
    """Return in words what the best line and the other cards come to: "Four tricks: +1. …"."""
    best = max(line.tricks.values())
    good = [card for card, taken in line.tricks.items() if taken == best]
    said: Words = [f"{_tricks(best)}: {signed(line.points[good[0]])}."]
    for taken in sorted({*line.tricks.values()} - {best}, reverse=True):
        others = [card for card, number in line.tricks.items() if number == taken]
        said += [" ", *_listed(others), f" {'make' if len(others) > 1 else 'makes'} "]
        said.append(f"{_tricks(taken).lower()}: {signed(line.points[others[0]])}.")
    if len(good) > 1:
        said += [" As good: ", *_listed(good), "."]
    return _markup(said)


def _tricks(number: int) -> str:
    return phrases.counted(number, "trick", "tricks").capitalize()


def _listed(cards: Sequence[int]) -> Words:
    words: Words = []
    for number, card in enumerate(cards):
        if number:
            words.append(" and " if number == len(cards) - 1 else ", ")
        words.append([card_text(card)])
    return words
