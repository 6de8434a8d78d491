"""Draws the parts of an event's page, one way for the page and for the socket.

Each part is an element that bears its id, so that an open page can be given those that have
changed; one that has nothing to show is empty and hidden. What a page shows is read beforehand by
`page_values.read`, so that drawing asks the database nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from django.template.loader import render_to_string

from games.models import Player
from tournaments.event_page import my_place
from tournaments.event_page.page_values import EventPage

#: The parts' ids and their templates, in the order of the page.
PARTS: Mapping[str, str] = {
    "event-head": "head",
    "event-mine": "watch",
    "event-clock": "clock",
    "event-rounds": "rounds",
    "event-prizes": "prizes",
    "event-bracket": "bracket",
    "event-pairings": "pairings",
    "event-notices": "notices",
    "event-standings": "standings",
    "event-corrections": "corrections",
    "event-results": "results",
}
MINE = "event-mine"
#: The lines and indents of templates, a third of what they draw; not the spaces that hold words
#: together.
SPACES = re.compile(r"[ \t\r\n\f]+")


def draw(page: EventPage, own: int | None = None) -> dict[str, str]:
    """Draw what everybody sees: part id to HTML; `own` is an entry whose rows are marked."""
    return {part: _drawn(part, template, page, own=own) for part, template in PARTS.items()}


def draw_mine(page: EventPage, player: Player) -> dict[str, str]:
    """Draw what a player sees instead of some of these; nothing if he did not start."""
    mine = my_place.mine_of(page, player.pk)
    if mine is None:
        return {}
    return {MINE: _drawn(MINE, "mine", page, mine=mine)}


def _drawn(part: str, template: str, page: EventPage, **more: object) -> str:
    context = {"part": part, "page": page, **more}
    html = render_to_string(f"tournaments/event_page/parts/{template}.html", context)
    return SPACES.sub(" ", html).strip()
