"""Renders the parts of an event's page, the same for the page and for the socket; also calls.

Each part is an element with an id, so that an open page can replace the parts that have changed. A
part with nothing to show is empty and hidden. `page_values.read` reads everything beforehand, so
rendering runs no queries.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Final, NamedTuple

from django.core.cache import caches
from django.db.models import Count, Sum
from django.template.loader import render_to_string
from django.utils import timezone

from games.models import Game, Player
from tournaments.changes.live import Drawers, Drawing, Parts
from tournaments.event_page import own_status, page_values, table_end
from tournaments.event_page.calls import PlayerCall, calls_by_player, turns_by_player
from tournaments.event_page.page_values import EventPage
from tournaments.models import Event

#: Ids and templates of the parts, in the order of the page.
PARTS: Mapping[str, str] = {
    "event-head": "head",
    "event-mine": "watch",
    "event-clock": "clock",
    "event-rounds": "rounds",
    "event-prizes": "prizes",
    "event-end": "end",
    "event-bracket": "bracket",
    "event-pairings": "pairings",
    "event-notices": "notices",
    "event-standings": "standings",
    "event-corrections": "corrections",
    "event-results": "results",
}
MINE = "event-mine"
#: What the key of a table's end begins with among a player's calls.
END: Final = "end "
#: The key of a player's turn among them.
TURN: Final = "turn"
#: Seconds for which a page is kept that has not changed: names and the clock may.
KEPT: Final = 5
#: Line breaks and indents of templates, a third of their output; non-breaking spaces are not
#: matched.
SPACES = re.compile(r"[ \t\r\n\f]+")


def draw(page: EventPage) -> dict[str, str]:
    """Render what everybody sees, by part id."""
    return {part: _drawn(part, template, page) for part, template in PARTS.items()}


class KeptPage(NamedTuple):
    """A page and what everybody sees of it; shared, so nothing of a reader may get into it."""

    page: EventPage
    parts: Mapping[str, str]


def page_for(event: Event, player: Player | None) -> KeptPage:
    """Return an event's page, drawn once for all players who read it until it changes.

    Before the start there is little to draw, and readers change it by entering. What visitors are
    shown is kept whole (`shared_with_visitors`).
    """
    if player is None or event.started is None:
        return _drawn_anew(event)
    pages, key, pulse = caches["pages"], f"event-{event.pk}", pulses([event.pk])[event.pk]
    known: tuple[object, KeptPage] | None = pages.get(key)
    if known is None or known[0] != pulse:
        # read again: it may have changed since the request began, and would be kept as the present
        present = Event.objects.select_related("club").get(pk=event.pk)
        known = pulse, _drawn_anew(present)
        pages.set(key, known, KEPT)
    return known[1]


def _drawn_anew(event: Event) -> KeptPage:
    page = page_values.read(event, timezone.now())
    return KeptPage(page, draw(page))


def draw_for(kept: KeptPage, player: Player, own: int | None) -> dict[str, str]:
    """Return the parts as a player sees them: with their own, and the rows of the entry `own`."""
    parts = {**kept.parts, **draw_mine(kept.page, player)}
    if own is None:
        return parts
    row = re.compile(rf'<tr data-entries="(?:\d+ )*{own}(?: \d+)* ?"')
    return {part: row.sub(r'\g<0> class="mine"', html) for part, html in parts.items()}


def draw_mine(page: EventPage, player: Player) -> dict[str, str]:
    """Render the parts that a player sees instead; nothing if they did not start."""
    mine = own_status.status_of(page, player.pk)
    if mine is None:
        return {}
    return {MINE: _drawn(MINE, "mine", page, mine=mine)}


def _drawn(part: str, template: str, page: EventPage, **more: object) -> str:
    context = {"part": part, "page": page, **more}
    html = render_to_string(f"tournaments/event_page/parts/{template}.html", context)
    return SPACES.sub(" ", html).strip()


def draw_event(event_id: int, player_ids: Collection[int]) -> Drawing | None:
    """Render an event's page and its watchers' own parts; None if there is no such event."""
    pulse = pulses([event_id]).get(event_id)
    event = Event.objects.select_related("club").filter(pk=event_id).first()
    if event is None:
        return None
    page = page_values.read(event, timezone.now())
    watching = Player.objects.filter(pk__in=player_ids)
    mine = {player.pk: draw_mine(page, player) for player in watching}
    return Drawing(str(event.version), draw(page), mine, pulse)


def pulses(event_ids: Collection[int]) -> Mapping[int, object]:
    """Return, by event, a value that changes with its page: version and scores at its tables."""
    versions = dict(Event.objects.filter(pk__in=event_ids).values_list("pk", "version"))
    games = (
        Game.objects.filter(
            table__pairing__round__event__in=event_ids, table__pairing__round__over=None
        )
        .values_list("table__pairing__round__event")
        .annotate(Count("pk"), Sum("deal_number"), Sum("score_0"), Sum("score_1"))
    )
    at_tables = {event: counts for event, *counts in games}
    return {event: (version, at_tables.get(event)) for event, version in versions.items()}


def draw_calls(player_ids: Collection[int]) -> Mapping[int, Parts]:
    """Render players' calls: by player, HTML by the path of each call, the oldest first.

    The ends of their tables are under the paths of these, with `END` before them. `TURN` has the
    table at which it is their turn, and its game's version: "12 57".
    """
    now = timezone.now()
    ends = table_end.ends_by_player(player_ids)
    turns = {one: "{} {}".format(*turn) for one, turn in turns_by_player(player_ids, now).items()}
    return {
        player_id: {call.url: call_html(call) for call in calls}
        | {f"{END}{path}": words for path, words in ends.get(player_id, {}).items()}
        | ({TURN: turns[player_id]} if player_id in turns else {})
        for player_id, calls in calls_by_player(player_ids, now).items()
    }


def call_html(call: PlayerCall) -> str:
    return render_to_string("tournaments/event_page/_call.html", {"call": call})


DRAWERS: Final = Drawers(draw_event, pulses, draw_calls)
