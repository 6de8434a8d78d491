"""A table's values as a page: first load, the page without scripts, replays, lists of log lines.

The templates are Jinja2's (``templates/games/picture``). Where a spot names its value,
``static/js/spots.js`` puts later values there by the same rules as the functions below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup, escape

from games.engine.cards import JOKER, SUIT_NAMES, parse_card
from games.engine.seats import COMPASS
from games.live.state import TableOwner
from games.picture import phrases
from games.picture.cast import Cast, bottom_seat, initials, place_of
from games.picture.log import LogLine
from games.picture.scene import View
from games.picture.values import Row, Values, drawings
from games.picture.wording import Reader
from games.talk.phrases import PHRASES

TEMPLATES: Final = Path(__file__).resolve().parents[2] / "templates/games/picture"


# What stands in the page ------------------------------------------------------------------


def rows_of(value: object) -> list[Any]:
    """Return the rows of a value: nothing has none, a number n has n empty ones."""
    if value is None or value is False:
        return []
    if isinstance(value, list):
        return value
    if isinstance(value, int) and value is not True:
        return [{}] * value
    return [{"text": value}]


def _set(values: Mapping[str, Any], spec: str) -> Markup:
    """Attributes from values: ``attribute:name``, or ``attribute:name=text`` for a fixed text."""
    made = [Markup(' data-set="{}"').format(spec)]
    for one in spec.split():
        attribute, _, name = one.partition(":")
        name, _, fixed = name.partition("=")
        value = values.get(name)
        if value is not None and value is not False:
            text = fixed or ("" if value is True else value)
            made.append(Markup(' {}="{}"').format(attribute, text))
    return Markup("").join(made)


def _show(values: Mapping[str, Any], name: str) -> Markup:
    """The mark of an element that is hidden while a value is nothing (with "!": is something)."""
    shown = bool(rows_of(values.get(name.lstrip("!")))) != name.startswith("!")
    return Markup(' data-show="{}"{}').format(name, Markup("") if shown else Markup(" hidden"))


def _each(values: Mapping[str, Any], name: str, usual: str = "") -> Markup:
    return Markup("").join(_row(row, usual) for row in rows_of(values.get(name)))


def _row(row: Row | list[Any] | str, usual: str = "") -> Markup:
    if isinstance(row, str):
        return escape(row)
    if isinstance(row, list):  # a word of the log
        if isinstance(row[0], int):
            row = {"as": "person", "seat": row[0], "text": row[1]}
        elif len(row) == 1:
            row = {"as": "word", "word": row[0]}
        else:
            row = {"as": "suit", "letter": row[0], "text": row[1]}
    return _rows[row.get("as", usual)](row)


def _card_marks(row: Row, spot: str, name: str) -> Markup:
    code = row.get(name)
    marks = Markup(' data-{}="{}"').format(spot, name)
    if code is None:
        return marks
    letter = phrases.suit_letter(parse_card(code))
    return marks + Markup(' data-{}="{}" data-suit="{}"').format(name, code, letter)


def _face_of(row: Row) -> Markup:
    return _card_marks(row, "face", "card")


def _word_of(row: Row) -> Markup:
    return _card_marks(row, "word-of", "word")


def inside(row: Row) -> Markup:
    code = row.get("card")
    if code is None:
        return Markup("")
    card = parse_card(code)
    rank, letter = phrases.index(card), phrases.suit_letter(card)
    joker = card == JOKER
    pip = Markup("") if joker else Markup('<svg><use href="#suit-{}"/></svg>').format(letter)
    corner = Markup('<span class="index{}" data-corner="{}">{}</span>').format(
        " ten" if rank == "10" else "", rank, pip
    )
    face = Markup('<svg class="face" viewBox="0 0 100 140"><use href="{}#face-{}"/></svg>').format(
        drawings(), "Jo" if joker else f"{rank}{letter}"
    )
    sole = Markup('<svg class="sole"><use href="#{}"/></svg>').format(
        "star" if joker else f"suit-{letter}"
    )
    return corner + face + corner + sole


def in_words(row: Row) -> Markup:
    code = row.get("word")
    if code is None:
        return Markup("")
    card = parse_card(code)
    if card == JOKER:
        return Markup("Joker")
    use = Markup('{}<svg aria-hidden="true"><use href="#suit-{}"/></svg>')
    name = Markup('<span class="unseen"> of {}</span>').format(
        SUIT_NAMES[phrases.printed_suit(card)].title()
    )
    return use.format(phrases.index(card), phrases.suit_letter(card)) + name


def _pip_of(values: Mapping[str, Any], name: str) -> Markup:
    letter = values.get(name)
    suit = Markup(' data-suit="{}"').format(letter) if letter else Markup("")
    return Markup(' data-pip="{}"').format(name) + suit


def _drawn_pip(values: Mapping[str, Any], name: str) -> Markup:
    letter = values.get(name)
    use = Markup(' href="#suit-{}"').format(letter) if letter else Markup("")
    return Markup('<svg aria-hidden="true"><use{}/></svg>').format(use)


def _icon(name: str) -> Markup:
    return Markup('<svg aria-hidden="true"><use href="#i-{}"/></svg>').format(name)


_jinja: Final = Environment(
    loader=FileSystemLoader(TEMPLATES),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
    auto_reload=False,
    finalize=lambda value: "" if value is None else value,
)
_jinja.globals.update(
    set=_set, show=_show, each=_each, face_of=_face_of, inside=inside, word_of=_word_of,
    in_words=in_words, pip_of=_pip_of, drawn_pip=_drawn_pip, icon=_icon,
    drawings=drawings, initials=initials,
)  # fmt: skip
_stage: Final = _jinja.get_template("stage.html")
_peeks: Final = _jinja.get_template("peeks.html")
_steps: Final = _jinja.get_template("steps.html")
_replay: Final = _jinja.get_template("replay.html")
_review: Final = _jinja.get_template("review.html")
_open_cloth: Final = _jinja.get_template("open_cloth.html")


def _rows_in(template: str) -> dict[str, Callable[[Row], Markup]]:
    macros = vars(_jinja.get_template(template).module)
    return {name[4:]: macros[name] for name in sorted(macros) if name.startswith("row_")}


_TABLE_ROWS: Final = _rows_in("rows.html")
_REPLAY_ROWS: Final = _rows_in("replay_rows.html")
_REVIEW_ROWS: Final = _rows_in("review_rows.html")
_LOG_ROWS: Final = ("log_line", "person", "suit", "word")
_rows: Final = {**_TABLE_ROWS, **_REPLAY_ROWS, **_REVIEW_ROWS}


@lru_cache(maxsize=4)
def row_templates(*, replay: bool = False, review: bool = False) -> Markup:
    """Return a template element for each kind of row, from which the script makes rows."""
    names = (*_REPLAY_ROWS, *_LOG_ROWS) if replay else tuple(_TABLE_ROWS)
    if review:
        names += (*_REVIEW_ROWS, "i")
    element = Markup('<template id="row-{}">{}</template>')
    return Markup("").join(element.format(name, _row({}, name)) for name in names)


def draw_moment(values: Values, cast: Cast) -> Markup:
    moment = Markup(_replay.render(v=values, cast=cast))  # noqa: S704 - rendered with autoescape
    return moment + row_templates(replay=True)


def draw_review(values: Values, cast: Cast, **page: object) -> Markup:
    """Draw a moment of a review; `page` is what does not change from moment to moment."""
    drawn = _review.render(v=values, cast=cast, **page)
    return Markup(drawn) + row_templates(replay=True, review=True)  # noqa: S704 - autoescaped


def draw_open(values: Values, cast: Cast) -> Markup:
    """Draw a moment with open hands that never changes in place."""
    return Markup(_open_cloth.render(v=values, cast=cast))  # noqa: S704 - rendered with autoescape


# A viewer's page --------------------------------------------------------------------------


class SeatPlace(NamedTuple):
    """A seat by its place on the viewer's page: south, west, north or east; `side`: us or them."""

    name: str
    seat: int
    side: str
    role: str


def seats_of(view: View) -> list[SeatPlace]:
    viewer, compass = view.viewer.seat, COMPASS[len(view.scene.seats)]
    near = bottom_seat(viewer, len(compass)) % 2
    seats = {place_of(seat, viewer, len(compass)): seat for seat in range(len(compass))}
    return [
        SeatPlace(
            at,
            seats[at],
            "us" if seats[at] % 2 == near else "them",
            f"Partner · {compass[seats[at]]}"
            if viewer is not None and at == "north" and len(compass) > 2
            else compass[seats[at]],
        )
        for at in ("north", "west", "east", "south")
        if at in seats
    ]


class SidePlace(NamedTuple):
    """One side's score on the plaque, and what the viewer calls the side; empty: by its players."""

    name: str
    side: int
    label: str


def sides_of(view: View) -> list[SidePlace]:
    players, viewer = len(view.scene.seats), view.viewer.seat
    near = bottom_seat(viewer, players) % 2
    if viewer is not None:
        labels = ("Us", "Them") if players > 2 else ("You", "")
    elif players > 2:
        labels = ("N–S", "E–W") if near == 0 else ("E–W", "N–S")
    else:
        compass = COMPASS[players]
        labels = (compass[near], compass[1 - near])
    return [
        SidePlace(name, side, label)
        for name, side, label in zip(("us", "them"), (near, 1 - near), labels, strict=True)
    ]


class TablePage(NamedTuple):
    """A table's page; `steps`: of a solo table, how far its deals are."""

    stage: Markup
    peeks: Markup
    templates: Markup
    steps: Markup = Markup("")


def draw(view: View, shared: Values, own: Values, why: str = "") -> TablePage:
    values = Reader(shared).read({**shared, **own})
    values["cards"] = hand_cards(values)
    seats = seats_of(view)
    order = ("west", "north", "east", "south")
    rules, owner = view.scene.rules, view.scene.reserved
    end = ("Hands", str(rules.deals)) if rules.target is None else ("To", str(rules.target))
    context = {
        "v": values,
        "seat": view.viewer.seat,
        "is_player": view.viewer.seat is not None or view.viewer.listener > 0,
        "table_id": view.scene.table_id,
        "clock": view.scene.clock,
        "seats": seats,
        "spots": sorted(seats, key=lambda at: order.index(at.name)),
        "sides": sides_of(view),
        "end": end,
        "when_gone": _when_gone(view),
        "why": why,
        "phrases": PHRASES,
        "solo": owner if owner is not None and owner.solo else None,
        "closes": closing_of(owner),
    }
    return TablePage(
        Markup(_stage.render(context)),  # noqa: S704 - rendered with autoescape
        Markup(_peeks.render(context)),  # noqa: S704
        row_templates(),
        Markup(_steps.render(context)) if view.scene.solo else Markup(""),  # noqa: S704
    )


def closing_of(owner: TableOwner | None) -> tuple[str, str]:
    """Return when a solo table's deals open, for a script and in UTC: "2026-11-26T…", "00:00 UTC".

    The page's script puts it in the reader's own time.
    """
    if owner is None or owner.closes is None:
        return "", ""
    moment = datetime.fromtimestamp(owner.closes, tz=UTC)
    return moment.isoformat(), f"{moment:%H:%M} UTC"


def hand_cards(own: Values) -> list[Row]:
    """Return the rows of a hand, each with what pressing it does."""
    barred, choose = (own["barred"] or "").split(), own["hand.choose"]
    return [
        row
        if "card" not in row
        else {
            **row,
            "action": f"{choose} {row['card']}" if choose else None,
            "idle": choose is None,
            "why": own["why"] if row["card"] in barred else None,
            "label": f"{row['label']}. {own['why']}" if row["card"] in barred else row["label"],
        }
        for row in own["hand"]
    ]


def _when_gone(view: View) -> str:
    if view.scene.reserved is not None:
        return ""
    after = view.scene.house_after
    when = f"after {after} seconds, until they return" if after else "only when asked to"
    return f"If a player leaves, a house player plays {when}."


def words(words: Iterable[Any]) -> Markup:
    """Draw a sentence whose words are as in a line of the log."""
    return Markup("").join(_row(word) for word in words)


def log_list(name: str, lines: Iterable[LogLine]) -> Markup:
    rows = Markup("").join(_row(line, "log_line") for line in lines)
    return Markup('<ol id="{}"{}>{}</ol>').format(name, "" if rows else Markup(" hidden"), rows)
