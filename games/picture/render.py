"""Draws what one viewer is shown of a table, one way for the page and for the socket.

A picture is a sheet, drawn once for everybody, and a few parts of the viewer's own. Nothing in it
depends on anything but the view: equal views give equal bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from markupsafe import Markup

from games.engine.observation import Observation
from games.engine.seats import compass
from games.picture import drawing, logbook, moving, wording
from games.picture.cast import Cast, cast_of
from games.picture.drawing import Kept, fresh, html, log, text_part
from games.picture.logbook import After
from games.picture.moving import Hand, Held
from games.picture.prompts import Prompt, prompt_of
from games.picture.scene import Scene, View, Viewer
from games.picture.sheet import Sheet, draw_sheet
from games.sockets import frames
from games.sockets.watching import Picture

_live_part: Final = text_part("live.html")


class Turn(NamedTuple):
    """Whose eyes the page is turned for, where it is the turn, where a complete trick goes.

    `left` of `seconds` are left to whoever is in turn; -1 where no clock runs.
    """

    seat: int | None
    at: str
    won: str
    left: float = -1
    seconds: int = 0


class ThrowIn(NamedTuple):
    """What the shuffle of the next game asks of the viewer's browser; see ``scene.Shuffling``."""

    asks: str = ""
    match: str = ""
    commitment: str = ""
    seat: int = -1
    commitments: str = ""


class Asker(NamedTuple):
    """Somebody who asks for a seat, as those who may let him in see it."""

    request: int
    name: str
    guest: bool
    compass: str


class Company(NamedTuple):
    """Who comes, leaves and asks for a seat; what the viewer can answer, or has asked himself."""

    table_id: int
    told: str
    spoken: str
    askers: tuple[Asker, ...]
    asked: str
    refused: bool


class DrawnHand(NamedTuple):
    """A hand with its cards drawn."""

    hand: Hand
    cards: tuple[Markup, ...]


class Calm(NamedTuple):
    """A prompt that asks nothing."""

    head: str
    more: str


class Asked(NamedTuple):
    """A prompt and the table it belongs to."""

    prompt: Prompt
    table_id: int


class TablePicture(Picture):
    """A table as one viewer sees it.

    Attributes:
        sheet: what everybody is shown.
        viewer: his bit.
        own: part id to HTML, of the parts that are his alone.
    """

    __slots__ = ("own", "sheet", "viewer")

    def __init__(self, stamp: str, sheet: Sheet, viewer: int, own: Mapping[str, str]) -> None:
        self.stamp = stamp
        self.sheet = sheet
        self.viewer = viewer
        self.own = own

    @property
    def parts(self) -> Mapping[str, str]:
        """Part id to HTML, as he reads them."""
        read = {part: wording.read(html, self.viewer) for part, html in self.sheet.parts.items()}
        return read | dict(self.own)

    def changes(self, before: Picture | None) -> str:
        """The parts that differ from those of an earlier picture, as they stand in a frame."""
        if not isinstance(before, TablePicture) or before.viewer != self.viewer:
            return self.sheet.changes(None).read(self.viewer) + frames.swaps(self.own)
        sheet = self.sheet.changes(before.sheet).read(self.viewer)
        return sheet + frames.swaps(frames.changed(before.own, self.own))


class Drawings:
    """What was last drawn of a table for everybody and for each of its viewers."""

    __slots__ = ("_own", "_sheet")

    def __init__(self) -> None:
        self._sheet = Kept()
        self._own: dict[Viewer, Kept] = {}

    def sheet(self, scene: Scene, seen: Observation | None) -> Sheet:
        """What everybody is shown now.

        Args:
            scene: the table.
            seen: what anybody may know of the cards; None before the first game.
        """
        return draw_sheet(scene, seen.public if seen is not None else None, self._sheet)

    def picture(self, view: View, sheet: Sheet | None = None) -> TablePicture:
        """What one viewer is shown now.

        Args:
            view: all that he is shown.
            sheet: what everybody is, if it is drawn already.
        """
        sheet = sheet or self.sheet(view.scene, view.observation)
        kept = self._own.setdefault(view.viewer, Kept())
        viewer = wording.viewer_bit(view.viewer.seat)
        cast = sheet.company.cast(view.viewer.seat)
        own = _own(view, cast, sheet.news.read(viewer), kept)
        return TablePicture(view.scene.stamp, sheet, viewer, own)


def draw(view: View, drawings: Drawings | None = None) -> Mapping[str, str]:
    """All parts of the page that one viewer sees.

    Args:
        view: all that he is shown.
        drawings: what was last drawn of this table, if anything was.

    Returns:
        Part id to HTML, the root element of which has that id.
    """
    return (drawings or Drawings()).picture(view).parts


# The viewer's own parts -------------------------------------------------------------------


def _own(view: View, cast: Cast, news: str, kept: Kept) -> dict[str, str]:
    scene, seen = view.scene, view.observation
    prompt = prompt_of(view, cast)
    after = logbook.after_of(seen) if seen is not None else After()
    turn = _turn(view, cast)
    return {
        "turn": (html if turn.left < 0 else fresh)("turn.html", turn),
        "shuffle": html("shuffle.html", _throw_in(view)),
        "prompt": kept.drawn("prompt", _prompt, prompt, scene.table_id),
        "hand": kept.drawn("hand", _hand, moving.held_of(view)),
        "log-after": kept.drawn("log-after", _after_log, after, cast),
        "company": html("company.html", _company(view)),
        "live": _live_part(_live(seen, prompt, news)),
    }


def _company(view: View) -> Company:
    scene, viewer = view.scene, view.viewer
    askers = tuple(
        Asker(one.request, one.name, one.guest, compass(scene.rules.players, one.position))
        for one in scene.asking
    )
    asked = compass(scene.rules.players, viewer.asked) if viewer.asked >= 0 else ""
    spoken = [f"{one.name} asks for a seat: {one.compass}." for one in askers]
    return Company(
        scene.table_id,
        scene.coming,
        " ".join(filter(None, (scene.coming, *spoken))),
        askers if viewer.seat is not None else (),
        asked,
        viewer.refused,
    )


def _after_log(after: After, cast: Cast) -> str:
    return log("log-after", logbook.after_lines(after, cast))


def _hand(held: Held) -> str:
    hand = moving.hand_of(held)
    cards = tuple([drawing.drawn(html("hand-card.html", card)) for card in hand.cards])
    return fresh("hand.html", DrawnHand(hand, cards))


def _prompt(prompt: Prompt, table_id: int) -> str:
    if prompt.calm and prompt.refresh_in < 0:
        return html("calm.html", Calm(prompt.head, prompt.more))
    return fresh("prompt.html", Asked(prompt, table_id))


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


def _throw_in(view: View) -> ThrowIn:
    shuffling, seat = view.scene.shuffling, view.viewer.seat
    if shuffling is None or seat is None or view.scene.seats[seat].stand_in:
        return ThrowIn()
    commitments = " ".join(one or "-" for one in shuffling.commitments) if shuffling.frozen else ""
    return ThrowIn(shuffling.asks(seat), shuffling.match, shuffling.commitment, seat, commitments)


def _live(seen: Observation | None, prompt: Prompt, news: str) -> str:
    if seen is None:
        return f"{prompt.head}. {prompt.more}".strip()
    if prompt.waits_for and seen.result is None:
        return f"{news} {prompt.head}."
    return news


def deal_log(observation: Observation, names: tuple[str, ...]) -> str:
    """The log of one deal as a list, for the page of a finished game.

    Args:
        observation: the deal at its end, as a spectator saw it.
        names: the players' names by position.
    """
    cast = cast_of(names, None)
    number = observation.standing.deal_number
    lines = logbook.deal_lines(observation, cast)
    return log(f"deal-{number}", lines)
