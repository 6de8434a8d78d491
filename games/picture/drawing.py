"""Plain values into HTML, by templates; and what was drawn before, to be used again."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from games.engine.cards import CARDS, JOKER, SUIT_NAMES, card_text, suit_of
from games.picture import wording, words
from games.picture.logbook import CardWord, Lines, SuitWord

TEMPLATES: Final = Path(__file__).resolve().parents[2] / "templates/games/picture"
#: How many of the parts are kept that several tables or viewers share.
SHARED: Final = 2048

_Made = TypeVar("_Made")


@lru_cache(maxsize=SHARED, typed=True)
def _escaped(value: object) -> str:
    """A value as it goes into a template; what has been drawn already goes in as it is.

    Every expression passes through here, as Jinja2's own autoescape has it pass through
    ``escape``. Most are names and numbers that come again and again, so each is escaped once;
    ``typed`` keeps a text apart from markup of the same letters.
    """
    return value if isinstance(value, Markup) else str(escape(value))


_jinja: Final = Environment(
    loader=FileSystemLoader(TEMPLATES),
    autoescape=False,  # noqa: S701 - finalize escapes every expression
    finalize=_escaped,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    auto_reload=False,
)


class Face(NamedTuple):
    """The inside of a card."""

    corner: str
    letter: str
    joker: bool


class Word(NamedTuple):
    """A card or a suit inside a line of the log."""

    corner: str
    letter: str
    suit: str
    unseen: str


class Log(NamedTuple):
    """Some lines of the log: the attributes of each, and its text."""

    id: str
    lines: tuple[tuple[Markup, Markup], ...]


def _part(template: str) -> Callable[[Any], str]:
    """The macro of a template; calling it costs a quarter of rendering the whole."""
    module: Any = _jinja.get_template(template).module
    return lambda piece: str(module.part(piece)).strip()


def drawn(html: str) -> Markup:
    """What has come out of a template, to be put into another as it is."""
    return Markup(html)  # noqa: S704 - every expression in it was escaped


def _face(card: int) -> Markup:
    letter = words.suit_letter(card)
    return drawn(_part("card.html")(Face(words.index(card), letter, card == JOKER)))


def _card_word(card: int) -> Markup:
    if card == JOKER:
        return drawn(_part("words.html")(Word("Joker", "", "", "")))
    word = Word(words.index(card), words.suit_letter(card), "", SUIT_NAMES[suit_of(card)].title())
    return drawn(_part("words.html")(word))


def _suit_word(suit: int) -> Markup:
    word = Word("", words.SUIT_LETTERS[suit], SUIT_NAMES[suit], "")
    return drawn(_part("words.html")(word))


_CARD_WORDS: Final = tuple(_card_word(card) for card in range(CARDS))
_SUIT_WORDS: Final = tuple(_suit_word(suit) for suit in range(4))
_jinja.globals.update(
    codes=tuple(card_text(card) for card in range(CARDS)),
    letters=tuple(words.suit_letter(card) for card in range(CARDS)),
    faces=tuple(_face(card) for card in range(CARDS)),
)
_PARTS: Final = {
    template: _part(template) for template in _jinja.list_templates(extensions=["html"])
}


def text_part(template: str) -> Callable[[str], str]:
    """The template of a part that is one text, rendered but for that text."""
    before, after = _PARTS[template](drawn("\0")).split("\0")
    return lambda text: f"{before}{_escaped(text)}{after}"


def fresh(template: str, piece: tuple[Any, ...]) -> str:
    """A piece in a template, that hardly comes a second time."""
    return _PARTS[template](piece)


@lru_cache(maxsize=SHARED)
def html(template: str, piece: tuple[Any, ...]) -> str:
    """A piece in a template, drawn once and kept."""
    return _PARTS[template](piece)


def log(name: str, lines: Lines) -> str:
    """Lines of the log as a list, with their cards and suits drawn."""
    told = [
        (drawn(wording.in_both(_class, kind)), drawn("".join([_word(one) for one in pieces])))
        for pieces, kind in lines
    ]
    return _PARTS["log.html"](Log(name, tuple(told)))


def _class(kind: str) -> str:
    return f' class="{kind}"' if kind else ""


def _word(piece: str | CardWord | SuitWord) -> str:
    if isinstance(piece, CardWord):
        return _CARD_WORDS[piece.card]
    return _SUIT_WORDS[piece.suit] if isinstance(piece, SuitWord) else _escaped(piece)


class Kept:
    """What was last drawn of a table, piece by piece.

    Whatever is told from the same values as the last time is not drawn again. A table's pieces
    are kept with it, so that a thousand tables do not push out each other's.
    """

    __slots__ = ("_made",)

    def __init__(self) -> None:
        self._made: dict[str, tuple[tuple[Any, ...], Any]] = {}

    def drawn(self, name: str, make: Callable[..., _Made], *values: Any) -> _Made:
        """What ``make`` makes of some values: what it made of them the last time, if it did."""
        last = self._made.get(name)
        if last is not None and last[0] == values:
            made: _Made = last[1]
            return made
        made = make(*values)
        self._made[name] = (values, made)
        return made


def forget() -> None:
    """Forget all that has been drawn for several tables, as a benchmark does."""
    _escaped.cache_clear()
    html.cache_clear()
