"""Draws what one viewer is shown of a table, one way for the page and for the socket.

``draw`` gives the parts of the page by their ids. Nothing here depends on anything but the
view: equal views give equal bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from games import logbook, moving, still, words
from games.engine.cards import CARDS, JOKER, card_text, suit_of
from games.engine.observation import Observation
from games.engine.rules import HAND
from games.engine.scoring import DealRecord, DealResult
from games.engine.tricks import Trick
from games.logbook import Bidding, CardWord, Lines, SuitWord, TrickStory
from games.moving import Hand, Held, Spotwork, Trickwork
from games.prompts import Prompt, prompt_of
from games.scene import SeatView, View
from games.still import Same, Still, still_of
from games.words import Cast

TEMPLATES: Final = Path(__file__).resolve().parent.parent / "templates" / "live"
#: How many of the parts are kept that several viewers of a moment share.
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


class Text(NamedTuple):
    """A part that is one text."""

    text: str


class Turn(NamedTuple):
    """Whose eyes the page is turned for, where it is the turn, where a complete trick goes.

    `left` of `seconds` are left to whoever is in turn; -1 where no clock runs.
    """

    seat: int | None
    at: str
    won: str
    left: float = -1
    seconds: int = 0


class DrawnHand(NamedTuple):
    """A hand with its cards drawn."""

    hand: Hand
    cards: tuple[Markup, ...]


class Facts(NamedTuple):
    """Names with their values."""

    facts: tuple[tuple[str, str], ...]


class Log(NamedTuple):
    """Some lines of the log."""

    id: str
    lines: tuple[tuple[str, Markup], ...]


class Calm(NamedTuple):
    """A prompt that asks nothing."""

    head: str
    more: str


class Asked(NamedTuple):
    """A prompt and the table it belongs to."""

    prompt: Prompt
    table_id: int


# What is drawn once for all ---------------------------------------------------------------


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


def _part(template: str) -> Callable[[Any], str]:
    """The macro of a template; calling it costs a quarter of rendering the whole."""
    module: Any = _jinja.get_template(template).module
    return lambda piece: str(module.part(piece)).strip()


def _drawn(html: str) -> Markup:
    """What has come out of a template, to be put into another as it is."""
    return Markup(html)  # noqa: S704 - every expression in it was escaped


def _face(card: int) -> Markup:
    letter = words.suit_letter(card)
    return _drawn(_part("card.html")(Face(words.index(card), letter, card == JOKER)))


def _card_word(card: int) -> Markup:
    if card == JOKER:
        return _drawn(_part("words.html")(Word("Joker", "", "", "")))
    word = Word(words.index(card), words.suit_letter(card), "", words.SUITS[suit_of(card)].title())
    return _drawn(_part("words.html")(word))


def _suit_word(suit: int) -> Markup:
    word = Word("", words.SUIT_LETTERS[suit], words.SUITS[suit], "")
    return _drawn(_part("words.html")(word))


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


@lru_cache(maxsize=SHARED)
def _html(template: str, piece: tuple[Any, ...]) -> str:
    """A piece in a template, drawn once and kept."""
    return _PARTS[template](piece)


def _lines(lines: Lines) -> tuple[tuple[str, Markup], ...]:
    """Lines of the log with their cards and suits drawn: kind and text."""
    return tuple([(kind, _drawn("".join([_word(one) for one in told]))) for told, kind in lines])


def _word(piece: str | CardWord | SuitWord) -> str:
    if isinstance(piece, CardWord):
        return _CARD_WORDS[piece.card]
    return _SUIT_WORDS[piece.suit] if isinstance(piece, SuitWord) else _escaped(piece)


def _log(name: str, lines: Lines) -> str:
    return _PARTS["log.html"](Log(name, _lines(lines)))


# A whole picture --------------------------------------------------------------------------


class Kept:
    """What one viewer was last shown of a table, piece by piece.

    Whatever is told from the same values as the last time is not drawn again. A viewer's pieces
    are kept with his table, so that a thousand tables do not push out each other's.
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


def draw(view: View, kept: Kept | None = None) -> dict[str, str]:
    """All parts of the page that one viewer sees.

    Args:
        view: all that he is shown.
        kept: what was kept of his last picture of this table; None for somebody's first.

    Returns:
        Part id to HTML, the root element of which has that id.
    """
    kept = kept or Kept()
    scene, seen = view.scene, view.observation
    names = tuple([seat.name for seat in scene.seats])
    cast = kept.drawn("cast", words.cast_of, names, view.viewer.seat)
    prompt = prompt_of(view, cast)
    parts = kept.drawn("resting", partial(_resting, kept, cast), still_of(view)).copy()
    parts.update(kept.drawn("trick", _trick, moving.trickwork_of(seen), cast))
    if seen is not None:
        bottom = words.bottom_seat(cast)
        parts.update(kept.drawn("backs", _backs, seen.held, seen.sitting_out, bottom))
        if seen.plays:
            number = len(seen.tricks)
            story = logbook.trick_story(number, Trick(seen.plays), cast)
            parts[f"log-trick-{number + 1}"] = _trick_log(story)
    parts["stamp"] = _html("stamp.html", Text(scene.stamp))
    parts["turn"] = _html("turn.html", _turn(view, cast))
    parts["prompt"] = kept.drawn("prompt", _prompt, prompt, scene.table_id)
    parts["hand"] = kept.drawn("hand", _hand, moving.held_of(view))
    parts["live"] = _html("live.html", Text(_live(seen, prompt, cast)))
    return parts


def _resting(kept: Kept, cast: Cast, rest: Still) -> dict[str, str]:
    """All parts that rest while a trick is played."""
    drawn, bid = kept.drawn, rest.bidding
    parts = {
        "plaque": drawn("plaque", _html, "plaque.html", still.plaque_of(rest, cast)),
        "facts": drawn("facts", _html, "facts.html", Facts(still.facts_of(rest, cast))),
        "kitty": drawn("kitty", _html, "kitty.html", still.kitty_of(rest, cast)),
        "last-cards": drawn("last-cards", _last_trick, rest.tricks, rest.trump, cast),
        "log-past": drawn("log-past", _past_log, rest.records, rest.result is not None, cast),
        "log-bidding": drawn("log-bidding", _bidding_log, bid, cast),
        "log-result": drawn("result", _result_log, rest.result, rest.maker, rest.score, cast),
    }
    for person in cast:
        name = f"marks-{person.seat}"
        parts[name] = drawn(name, _html, "marks.html", still.marks_of(rest, person))
    parts.update(drawn("plates", _plates, rest.seats, rest.sitting_out, rest.clocked, cast))
    parts.update(drawn("said", _said, bid, cast))
    parts.update(_backs((0,) * len(cast), -1, -1))
    parts.update(drawn("tricks", _tricks_log, rest.tricks, cast))
    return parts


def _plates(
    seats: tuple[SeatView, ...],
    sitting_out: int,
    clocked: bool,
    cast: Cast,
) -> dict[str, str]:
    plates = [
        still.plate_of(seats[one.seat], one, out=one.seat == sitting_out, clocked=clocked)
        for one in cast
    ]
    return {f"plate-{plate.seat}": _html("plate.html", plate) for plate in plates}


def _said(bid: Bidding | None, cast: Cast) -> dict[str, str]:
    said = [still.said_of(bid, person) for person in cast]
    return {f"said-{one.seat}": _html("said.html", one) for one in said}


def _last_trick(tricks: Same[tuple[Trick, ...]], trump: int, cast: Cast) -> str:
    return _html("last.html", still.last_trick_of(tricks.value, trump, cast))


def _past_log(records: Same[tuple[DealRecord, ...]], over: bool, cast: Cast) -> str:
    """The deals before the present one, which is the last record once it is over."""
    past = records.value[:-1] if over else records.value
    return _log("log-past", logbook.past_lines(past, cast))


def _bidding_log(bid: Bidding | None, cast: Cast) -> str:
    return _log("log-bidding", logbook.bidding_lines(bid, cast) if bid else ())


def _result_log(result: DealResult | None, maker: int, score: tuple[int, int], cast: Cast) -> str:
    return _log("log-result", logbook.result_lines(result, maker, score, cast))


def _tricks_log(tricks: Same[tuple[Trick, ...]], cast: Cast) -> dict[str, str]:
    """A list for each complete trick, and empty ones for those to come."""
    done = [logbook.trick_story(n, trick, cast) for n, trick in enumerate(tricks.value)]
    to_come = [TrickStory(number) for number in range(len(done), HAND)]
    return {f"log-trick-{story.number + 1}": _trick_log(story) for story in done + to_come}


@lru_cache(maxsize=SHARED)
def _trick_log(story: TrickStory) -> str:
    return _log(f"log-trick-{story.number + 1}", logbook.trick_lines(story))


def _trick(trick: Trickwork, cast: Cast) -> dict[str, str]:
    """The places of the trick, and what it is called."""
    parts = {f"spot-{seat}": _spot(work) for seat, work in moving.spotwork_of(trick, cast)}
    parts["trick-name"] = _html("trick-name.html", Text(moving.trick_title(trick, cast)))
    return parts


@lru_cache(maxsize=SHARED)
def _spot(work: Spotwork) -> str:
    return _PARTS["spot.html"](moving.spot_of(work))


@lru_cache(maxsize=SHARED)
def _backs(held: tuple[int, ...], sitting_out: int, bottom: int) -> dict[str, str]:
    """Everybody's cards from behind, but for the hand that lies at the bottom."""
    return {
        f"backs-{seat}": _html("backs.html", moving.backs_of(seat, cards, out=seat == sitting_out))
        for seat, cards in enumerate(held)
        if seat != bottom
    }


def _hand(held: Held) -> str:
    hand = moving.hand_of(held)
    cards = tuple([_drawn(_html("hand-card.html", card)) for card in hand.cards])
    return _PARTS["hand.html"](DrawnHand(hand, cards))


def _prompt(prompt: Prompt, table_id: int) -> str:
    if prompt.calm and prompt.refresh_in < 0:
        return _html("calm.html", Calm(prompt.head, prompt.more))
    return _html("prompt.html", Asked(prompt, table_id))


def _turn(view: View, cast: Cast) -> Turn:
    seen, seat = view.observation, view.viewer.seat
    if seen is None:
        return Turn(seat, "", "")
    _, won = moving.trick_shown(seen)
    turn = cast[seen.turn].at if seen.turn >= 0 else ""
    shown = Turn(seat, turn, cast[won].at if won >= 0 else "")
    clock = view.scene.clock
    if clock is None or clock.left is None:
        return shown
    return shown._replace(left=clock.left, seconds=clock.seconds)


def _live(seen: Observation | None, prompt: Prompt, cast: Cast) -> str:
    if seen is None:
        return f"{prompt.head}. {prompt.more}".strip()
    told = logbook.news(seen, cast)
    if prompt.waits_for and seen.result is None:
        return f"{told} {prompt.head}."
    return told


def deal_log(observation: Observation, names: tuple[str, ...]) -> str:
    """The log of one deal as a list, for the page of a finished game.

    Args:
        observation: the deal at its end, as a spectator saw it.
        names: the players' names by position.
    """
    cast = words.cast_of(names, None)
    number = observation.standing.deal_number
    lines = logbook.deal_lines(observation, cast)
    return _log(f"deal-{number}", lines)


def forget() -> None:
    """Forget all that has been drawn, as a benchmark does."""
    for kept in _KEPT:
        kept.cache_clear()


_KEPT: Final = (_escaped, _html, _trick_log, _spot, _backs)
