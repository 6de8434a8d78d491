"""Pages of a table as a browser has them: read strictly, and kept up to date by frames.

``tests/browser/test_values.py`` shows that the script puts values in their places as the server
does; here a browser is the two dictionaries, and a page is drawn from them.
"""

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from html import escape
from html.parser import HTMLParser
from typing import Any, NamedTuple, TypeAlias

from games.picture import page as drawing
from games.picture.frames import OwnPicture, TablePicture
from games.picture.scene import View
from games.picture.values import Values
from games.picture.wording import Play

VOID = {"input", "use", "circle", "rect", "path"}
Attributes: TypeAlias = dict[str, str | None]


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

    @property
    def html(self) -> str:
        """The element as it is written."""
        inside = "".join(
            escape(one, quote=False) if isinstance(one, str) else one.html for one in self.inside
        )
        attributes = "".join(
            f" {name}" if value is None else f' {name}="{escape(value)}"'
            for name, value in self.attributes
        )
        return f"<{self.tag}{attributes}>{inside}" + f"</{self.tag}>" * (self.tag not in VOID)


class _Reader(HTMLParser):
    """Reads strictly: each tag is closed in its turn, and no attribute stands twice."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[tuple[str, Attributes, list[Element | str]]] = [("", {}, [])]
        self.feed(str(html))  # a plain text
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
        named = tuple(sorted(attributes.items(), key=lambda one: one[0]))
        self.open[-1][2].append(Element(tag, named, tuple(inside)))

    def handle_data(self, data: str) -> None:
        inside = self.open[-1][2]
        if inside and isinstance(inside[-1], str):
            data = str(inside.pop()) + data
        if data.strip("\n"):
            inside.append(data)


@lru_cache(maxsize=20_000)
def read(html: str) -> tuple[Element | str, ...]:
    """The elements and texts of some HTML, read strictly."""
    return tuple(_Reader(html).open[0][2])


class Page:
    """Some HTML, read strictly; what is hidden is left out.

    Attributes:
        elements: (tag, attributes) in order.
        text: all that is written.
        heard: the same without what is hidden from a screen reader.
    """

    def __init__(self, html: str) -> None:
        self.elements: list[tuple[str, Attributes]] = []
        self.text = self.heard = ""
        for one in read(html):
            self._walk(one, aloud=True)

    def _walk(self, one: Element | str, *, aloud: bool) -> None:
        if isinstance(one, str):
            self.text += one
            self.heard += one if aloud else ""
            return
        if "hidden" in dict(one.attributes) and self.elements:
            return
        self.elements.append((one.tag, dict(one.attributes)))
        if "hidden" in dict(one.attributes):
            return
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
    picture = table.of(shown.viewer)
    picture.show(shown)
    return picture


@lru_cache(maxsize=20_000)
def parts_of(html: str) -> Mapping[str, str]:
    """The elements of some HTML that have an id, by it."""
    found: dict[str, str] = {}

    def walk(one: Element | str) -> None:
        if isinstance(one, Element):
            name = one.get("id")
            if name:
                found[name] = one.html
            for inner in one.inside:
                walk(inner)

    for one in read(html):
        walk(one)
    return found


def drawn_from(shown: View, shared: Values, own: Values) -> str:
    """The page that is drawn from some values."""
    page = drawing.draw(shown, shared, own)
    return page.stage + page.peeks


def draw(shown: View, table: TablePicture | None = None) -> Mapping[str, str]:
    """The elements of a view's page by id, drawn afresh or by a table's picture."""
    picture = shown_at(table or TablePicture(), shown)
    return parts_of(drawn_from(shown, picture.table.values, picture.own))


def whole_page(shown: View) -> Page:
    """All that a view's page shows of the table."""
    picture = shown_at(TablePicture(), shown)
    return Page(drawn_from(shown, picture.table.values, picture.own))


def page(shown: View, *names: str) -> Page:
    """Some elements of a view's page, by id, or all of it."""
    return page_of(draw(shown), *names) if names else whole_page(shown)


def page_of(parts: Mapping[str, str], *names: str) -> Page:
    """Some of the elements drawn."""
    return Page("".join(parts[name] for name in names))


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

    Attributes:
        values: all of its values.
        said: the sentences read out since.
    """

    def __init__(self, picture: OwnPicture) -> None:
        self.table, self.number = picture.table.name, picture.table.number
        self.values: Values = {**picture.table.values, **picture.own}
        self.said: list[str | Play] = []

    @property
    def have(self) -> str:
        """What it says that it shows."""
        return f"{self.table}.{self.number}"

    def take(self, text: str, *, again: bool = False) -> None:
        """Do what a frame says; it must follow what the page shows.

        again: whether it may have come already: then only the viewer's own values may be new.
        """
        frame: dict[str, Any] = json.loads(text)
        if again and frame.get("from") and frame["to"] <= self.number:
            if frame["to"] < self.number or "own" not in frame:
                return
            frame = {name: frame[name] for name in ("version", "own")}
        assert set(frame) <= {
            "version", "from", "to", "table", "say", "back", "set", "add", "own", "done",
        }  # fmt: skip
        if "to" in frame:
            assert frame["from"] in (0, self.number), f"{self.have} does not lead to {text[:200]}"
            assert ("table" in frame) == (frame["from"] == 0)
            self.table, self.number = frame.get("table", self.table), frame["to"]
        changed = {"stamp": frame["version"], **frame.get("set", {}), **frame.get("own", {})}
        changed |= {name: self.values[name] + rows for name, rows in frame.get("add", {}).items()}
        assert set(changed) <= set(self.values)
        self.values |= changed
        if "say" in frame:
            self.said.append(frame["say"])


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
        self.own: Mapping[str, Any] = {}

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
        frames = [text.decode() for text in picture.frames(self.at, self.own)]
        self.at, self.own = picture.table.number, picture.own
        self.frames += frames
        for text in frames:
            self.browser.take(text, again=again)
        return frames


def without_own(frame: str) -> str:
    """A frame without what its viewer alone is sent."""
    fields = json.loads(frame)
    shared = {name: value for name, value in fields.items() if name not in ("own", "done")}
    return json.dumps(shared, ensure_ascii=False)


def frames_without_own(frames: list[str]) -> Iterator[str]:
    """What everybody is sent of some frames; those that hold one viewer's values alone left out."""
    for frame in frames:
        if '"to":' in frame:
            yield without_own(frame)


def shared_start(frame: str) -> str:
    """The same to the letter: a frame up to where its viewer's own values begin."""
    start, *own = re.split(r',"(?:done|own)":', frame, maxsplit=1)
    return start if own else start.removesuffix("}")
