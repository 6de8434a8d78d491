"""A table at which nobody plays, drawn as one person sees it: a puzzle's or a lesson's."""

from __future__ import annotations

from typing import Final

from games.engine.observation import Observation
from games.picture import page
from games.picture.cast import Cast
from games.picture.page import TablePage
from games.picture.scene import PERSON, Scene, SeatView, View, Viewer
from games.picture.values import Row, Values, own_values, shared_values

#: Values that ask the viewer for something, or offer it; set so where nothing is asked.
NOT_ASKING: Final[Row] = {
    "question": [], "question.class": None, "question.waits": None, "question.heard": None,
    "hand.choose": None, "barred": None, "why": None,
}  # fmt: skip


def values_of(seen: Observation, cast: Cast) -> tuple[View, Values, Values]:
    """Return a viewer's view with its shared and own values, for `page.draw`."""
    seats = tuple(SeatView(person.name, PERSON) for person in cast)
    spent = tuple(range(len(cast)))  # nobody claims or proposes anything here
    scene = Scene(0, seen.rules, "playing", open=True, seats=seats, game_number=1, spent=spent)
    view = View(scene, Viewer(seen.seat), seen)
    shared = shared_values(scene, seen.public, cast)
    own = own_values(view, cast)
    shared["stamp"] = own["stamp"] = None
    shared |= {f"person.{seat}": None for seat in spent}  # there is nobody to befriend or mute
    return view, shared, own


def draw(seen: Observation, cast: Cast, changed: Row, why: str = "") -> TablePage:
    """Return the table with some values changed; `why` is shown as a notice."""
    view, shared, own = values_of(seen, cast)
    return page.draw(view, shared | changed, own | changed, why)
