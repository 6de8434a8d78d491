"""Plain values into HTML, by the macros of one template file.

What is drawn for a frame leaves out the inside of cards, which every page has once; a whole page
is filled here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from django.templatetags.static import static
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from games.engine.cards import CARDS, JOKER, SUIT_NAMES, card_text, suit_of
from games.picture import phrases
from games.picture.cast import Person
from games.picture.log import LogLine

TEMPLATES: Final = Path(__file__).resolve().parents[2] / "templates/games/picture"


@lru_cache(maxsize=2048, typed=True)
def _escaped(value: object) -> str:
    """A value as it goes into a template; what has been drawn already goes in as it is.

    Every expression passes through here, as Jinja2's own autoescape has it pass through
    ``escape``. Most are names and numbers that come again and again, so each is escaped once;
    ``typed`` keeps a text apart from markup of the same letters.
    """
    return value if isinstance(value, Markup) else str(escape(value))


@lru_cache(maxsize=1)
def drawings() -> str:
    """Return the URL of the file with the faces of the cards and the score cards."""
    return static("cards/sprite.svg")


_jinja: Final = Environment(
    loader=FileSystemLoader(TEMPLATES),
    autoescape=False,  # noqa: S701 - finalize escapes every expression
    finalize=_escaped,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    auto_reload=False,
)
_jinja.globals.update(
    drawings=drawings,
    codes=tuple(card_text(card) for card in range(CARDS)),
    letters=tuple(phrases.suit_letter(card) for card in range(CARDS)),
)
_parts: Final[Any] = _jinja.get_template("parts.html").module


def macro(name: str) -> Callable[..., str]:
    """What draws one kind of part: a macro of the template, told by its name."""
    draw = getattr(_parts, name)
    return lambda *values: draw(*values).replace("\n", "")


def piece(name: str) -> Callable[..., Markup]:
    """The same for what stands inside a part; every expression in it was escaped."""
    draw = macro(name)
    return lambda *values: Markup(draw(*values))  # noqa: S704


# The inside of cards ----------------------------------------------------------------------

_BY_CODE: Final = {card_text(card): card for card in range(CARDS)}
_CHOOSE: Final = re.compile(r' data-choose="(\w+)"')
_MARKED: Final = re.compile(r'<\w+\b[^>]* data-(card|word)="(\w+)"[^>]*>')
_face, _word = macro("face"), macro("word")


@lru_cache(maxsize=2 * CARDS)
def inside(kind: str, code: str) -> str:
    """What stands inside an element that is marked as a card, or as a card's name in the log.

    Args:
        kind: ``card`` or ``word``.
        code: the card as text, such as ``KH``.
    """
    card = _BY_CODE[code]
    index, letter = phrases.index(card), phrases.suit_letter(card)
    if kind == "card":
        return _face(index, letter)
    return _word(index, letter, "" if card == JOKER else SUIT_NAMES[suit_of(card)].title())


def filled(html: str) -> str:
    """Some drawn parts with all that marks and fills their cards, as they stand on a page.

    A card in the hand is a button: of the form of actions if one can be chosen, else of none.
    """
    choose = _CHOOSE.search(html)

    def dressed(found: re.Match[str]) -> str:
        tag, kind, code = found[0][:-1], found[1], found[2]
        tag += f' data-suit="{phrases.suit_letter(_BY_CODE[code])}"'
        if kind == "word":
            tag += ' class="suit"'
        elif not tag.startswith("<button"):
            tag += ' role="img"'
        else:
            value = f"{choose[1]} {code}" if choose is not None else ""
            tag += f' form="act" name="action" value="{value}"' if value else ' type="button"'
        return f"{tag}>{inside(kind, code)}"

    return _MARKED.sub(dressed, html)


# The log ----------------------------------------------------------------------------------

_list = macro("log_list")
_card_word = lru_cache(macro("card_word"))
_suit_word = lru_cache(macro("suit_word"))
_person = lru_cache(maxsize=4096)(macro("person"))


def log_line(line: LogLine) -> Markup:
    """One line of the log."""
    name, card, suit = line.name, line.card, line.suit
    text = line.phrase.format(
        name=_person(name.seat, name.short) if isinstance(name, Person) else _escaped(name),
        card=_card_word(card.card) if card is not None else "",
        suit=_suit_word(phrases.SUIT_LETTERS[suit.suit], SUIT_NAMES[suit.suit])
        if suit is not None
        else "",
    )
    kind = f' class="{line.kind}"' if line.kind else ""
    side = f' data-side="{line.side}"' if line.side >= 0 else ""
    return Markup(f"<li{kind}{side}>{text}</li>")  # noqa: S704 - what people wrote is escaped


def log_list(name: str, lines: tuple[Markup, ...]) -> str:
    """Some drawn lines as a list with an id."""
    return _list(name, lines)


def discarded(card: int) -> Markup:
    """The line that tells the dealer alone which card they discarded."""
    return Markup(f"<li>Discarded: {_card_word(card)}</li>")  # noqa: S704 - a card's code
