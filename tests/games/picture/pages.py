"""Pages of a table as a browser has them: read strictly, and kept up to date by frames.

A browser fills the cards that a frame brings as ``static/js/frames.js`` does;
``tests/browser/test_card_drawings.py`` shows that the script draws them as the server does.
"""

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from html.parser import HTMLParser
from typing import Any, NamedTuple, TypeAlias

from games.engine.cards import parse_card
from games.engine.rules import RuleSet
from games.picture import draw as drawing
from games.picture import phrases
from games.picture.scene import View
from games.picture.table_picture import OwnPicture, TablePicture

VOID = {"input", "use"}
Attributes: TypeAlias = dict[str, str | None]
#: The parts that everybody sees are all others.
OWN = (
    "question", "hand", "discarded", "asked", "shuffle", "consenting", "undo", "leaving-ways",
)  # fmt: skip


# Reading ----------------------------------------------------------------------------------


class Element(NamedTuple):
    """An element as a browser has it.

    Attributes:
        tag: its name.
        attributes: in alphabetical order.
        inside: elements and texts.
    """

    tag: str
    attributes: tuple[tuple[str, str | None], ...]
    inside: "tuple[Element | str, ...]" = ()

    def get(self, name: str) -> str | None:
        """An attribute, or None."""
        return dict(self.attributes).get(name)

    def with_attributes(self, **more: str) -> "Element":
        """The same with further attributes; an underscore stands for a hyphen."""
        known = dict(self.attributes) | {name.replace("_", "-"): more[name] for name in more}
        return self._replace(attributes=tuple(sorted(known.items())))


class _Reader(HTMLParser):
    """Reads strictly: each tag is closed in its turn, and no attribute stands twice."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[tuple[str, Attributes, list[Element | str]]] = [("", {}, [])]
        self.feed(html)
        self.close()
        assert len(self.open) == 1, f"not closed: {self.open[1:]} in {html}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs), f"an attribute twice: {tag} {attrs}"
        self.open.append((tag, dict(attrs), []))
        if tag in VOID:
            self.handle_endtag(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        begun, attributes, inside = self.open.pop()
        assert begun == tag, f"{begun} is closed by {tag}"
        self.open[-1][2].append(Element(tag, tuple(sorted(attributes.items())), tuple(inside)))

    def handle_data(self, data: str) -> None:
        inside = self.open[-1][2]
        if inside and isinstance(inside[-1], str):
            data = str(inside.pop()) + data
        inside.append(data)


@lru_cache(maxsize=20_000)
def read(html: str) -> tuple[Element | str, ...]:
    """The elements and texts of some HTML, read strictly."""
    return tuple(_Reader(html).open[0][2])


class Page:
    """Some HTML, read strictly.

    Attributes:
        elements: (tag, attributes) in order.
        text: all that is written.
        heard: the same without what is hidden from a screen reader.
        roots: how many elements stand in no other.
    """

    def __init__(self, html: str) -> None:
        inside = read(html)
        self.elements: list[tuple[str, Attributes]] = []
        self.text = self.heard = ""
        self.roots = sum(isinstance(one, Element) for one in inside)
        for one in inside:
            self._walk(one, aloud=True)

    def _walk(self, one: Element | str, *, aloud: bool) -> None:
        if isinstance(one, str):
            self.text += one
            self.heard += one if aloud else ""
            return
        self.elements.append((one.tag, dict(one.attributes)))
        aloud = aloud and one.get("aria-hidden") != "true"
        for inner in one.inside:
            self._walk(inner, aloud=aloud)

    def all(self, tag: str) -> list[Attributes]:
        """The attributes of every element of a kind."""
        return [attributes for name, attributes in self.elements if name == tag]


# Drawing ----------------------------------------------------------------------------------


def shown_at(table: TablePicture, shown: View) -> OwnPicture:
    """A view's picture, from a table's picture that is brought up to date."""
    seen = shown.observation
    table.show(shown.scene, seen.public if seen is not None else None)
    return table.of(shown)


def draw(shown: View, table: TablePicture | None = None) -> Mapping[str, str]:
    """The parts of a view's page, drawn afresh or by a table's picture."""
    return shown_at(table or TablePicture(), shown).parts


def page(shown: View, *names: str) -> Page:
    """Some parts of a view, or all of them."""
    return page_of(draw(shown), *names)


def page_of(parts: Mapping[str, str], *names: str) -> Page:
    """Some of the parts drawn, or all of them."""
    return Page("".join(parts[name] for name in names or parts))


def enabled(parts: Mapping[str, str]) -> set[str]:
    """The actions that can be sent from a page, as text."""
    return {
        str(button["value"])
        for button in page_of(parts, "question", "hand").all("button")
        if button.get("form") == "act" and "aria-disabled" not in button
    }


# A browser --------------------------------------------------------------------------------


class Browser:
    """One page of a table, as it was first drawn and as its frames have made it since.

    Args:
        picture: what it shows when it is loaded.
        rules: of the table.

    Attributes:
        parts: its parts by id.
        said: the sentences read out since.
    """

    def __init__(self, picture: OwnPicture, rules: RuleSet) -> None:
        self.pack = frozenset(rules.pack_in_order())
        self.table, self.number = picture.table.name, picture.table.number
        self.parts: dict[str, Element] = {}
        self.said: list[str] = []
        for name, html in picture.parts.items():
            (part,) = read(html)
            assert isinstance(part, Element)
            self.parts[name] = part

    @property
    def have(self) -> str:
        """What it says that it shows."""
        return f"{self.table}.{self.number}"

    def take(self, text: str, *, again: bool = False) -> None:
        """Do what a frame says; it must follow what the page shows.

        again: whether it may have come already: then only the viewer's own parts may be new.
        """
        frame: dict[str, Any] = json.loads(text)
        if again and frame.get("from") and frame["to"] <= self.number:
            if frame["to"] < self.number or "own" not in frame:
                return
            frame = {name: frame[name] for name in ("version", "own")}
        assert set(frame) <= {
            "version",
            "from",
            "to",
            "table",
            "say",
            "back",
            "parts",
            "log",
            "own",
        }
        if "to" in frame:
            assert frame["from"] in (0, self.number), f"{self.have} does not lead to {text[:200]}"
            assert ("table" in frame) == (frame["from"] == 0)
            self.table, self.number = frame.get("table", self.table), frame["to"]
        self.parts["stamp"] = self.parts["stamp"].with_attributes(value=frame["version"])
        self._place(frame.get("parts", ""))
        if "log" in frame:
            log = self.parts["log-deal"]
            self.parts["log-deal"] = log._replace(inside=log.inside + self._drawn(frame["log"]))
        self._place(frame.get("own", ""))
        if "say" in frame:
            self.said.append(frame["say"])

    def _place(self, html: str) -> None:
        for part in self._drawn(html):
            assert isinstance(part, Element)
            assert part.get("id") in self.parts
            name = str(part.get("id"))
            self.parts[name] = self._hand(part) if name == "hand" else part

    def _hand(self, hand: Element) -> Element:
        """The hand, with those cards from before of which nothing new is told."""
        before = {
            one.get("data-card"): one
            for one in self.parts["hand"].inside
            if isinstance(one, Element)
        }
        inside = [
            before[one.get("data-same")]
            if isinstance(one, Element) and one.get("data-same")
            else one
            for one in hand.inside
        ]
        return hand._replace(inside=tuple(self._ready(one, hand) for one in inside))

    def _ready(self, card: Element | str, hand: Element) -> Element | str:
        """A card of the hand as a button: of the form of actions, or of none."""
        if isinstance(card, str) or card.tag != "button":
            return card
        attributes = {
            name: value
            for name, value in card.attributes
            if name not in ("form", "name", "value", "type")
        }
        choose = hand.get("data-choose")
        if choose:
            value = f"{choose} {card.get('data-card')}"
            attributes |= {"form": "act", "name": "action", "value": value}
        else:
            attributes["type"] = "button"
        return card._replace(attributes=tuple(sorted(attributes.items())))

    def _drawn(self, html: str) -> tuple[Element | str, ...]:
        return tuple(self._filled(one) for one in read(html))

    def _filled(self, one: Element | str) -> Element | str:
        if isinstance(one, str):
            return one
        one = one._replace(inside=tuple(self._filled(inner) for inner in one.inside))
        card, word = one.get("data-card"), one.get("data-word")
        if card is None and word is None:
            return one
        code = str(card if card is not None else word)
        assert parse_card(code) in self.pack
        inside = read(drawing.inside("word" if card is None else "card", code))
        one = one.with_attributes(data_suit=phrases.suit_letter(parse_card(code)))
        one = one._replace(inside=inside + one.inside)
        if word is not None:
            return one.with_attributes(**{"class": "suit"})
        return one if one.tag == "button" else one.with_attributes(role="img")


class Line:
    """A socket of a page to the picture of a table: what is sent over it, as a consumer does.

    Attributes:
        browser: the page.
        frames: all that was sent, in order.
    """

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.frames: list[str] = []
        self.at: int | None = None
        self.own: Mapping[str, str] = {}
        self.table = ""

    def opened(self, picture: OwnPicture) -> list[str]:
        """A new socket: the page says what it has, and is sent what it lacks."""
        name, _, number = self.browser.have.partition(".")
        self.at = int(number) if name == picture.table.name else 0
        self.own = {}
        return self.shown(picture)

    def said(self, number: int) -> None:
        """The page has said which frame it had last, while those that follow were under way."""
        self.at, self.own = number, {}

    def shown(self, picture: OwnPicture, *, again: bool = False) -> list[str]:
        """What the page is sent to show a picture; `again`: it may have some of that already."""
        assert self.at is not None
        frames = picture.frames(self.at, self.own)
        self.at, self.own = picture.table.number, picture.own
        self.frames += frames
        for text in frames:
            self.browser.take(text, again=again)
        return frames


def shared(frame: str) -> str:
    """A frame without what its viewer alone is sent, to the letter."""
    return re.sub(r',"own":"(?:[^"\\]|\\.)*"', "", frame)


def frames_without_own(frames: list[str]) -> Iterator[str]:
    """What everybody is sent of some frames; those that hold one viewer's parts alone left out."""
    for frame in frames:
        if '"to":' in frame:
            yield shared(frame)
