"""What each viewer of a table is shown, from its present state."""

from __future__ import annotations

import math
from datetime import datetime
from uuid import UUID
from weakref import WeakKeyDictionary

from django.utils import timezone

from games.engine.observation import Observation
from games.engine.seats import compass
from games.live import pace
from games.live import state as tables
from games.live.state import Asking, Live, Sitter
from games.models import Game as GameRow
from games.models.asking import OPEN_FOR
from games.models.tables import BACK, BEGUN, CAME, PATIENCE
from games.picture.render import Drawings
from games.picture.scene import (
    EMPTY,
    GUEST,
    HOUSE,
    PERSON,
    PROGRAM,
    Asks,
    Clock,
    Scene,
    SeatView,
    View,
    Viewer,
)
from games.sockets import hub

#: Seconds after which a person not seen is shown as away; two heartbeats long.
AWAY_AFTER = 30
#: Seconds for which it is told who came or left.
TOLD_FOR = 120

#: What was last drawn of each table that is kept.
_drawings: WeakKeyDictionary[Live, Drawings] = WeakKeyDictionary()


def drawings_of(live: Live) -> Drawings:
    """What was last drawn of a table."""
    return _drawings.setdefault(live, Drawings())


def scene_of(live: Live) -> Scene:
    """The table as everybody sees it now."""
    now = timezone.now()
    here = hub.connected(live.table_id)
    unseen = [_unseen(sitter, here, now) for sitter in live.seats]
    playing = live.playing
    engine = playing.engine if playing else None
    turn = engine.turn if engine else -1
    return Scene(
        table_id=live.table_id,
        rules=live.rules,
        state=live.state,
        open=live.open,
        seats=tuple(
            _seat_view(live, sitter, away) for sitter, away in zip(live.seats, unseen, strict=True)
        ),
        game_id=str(playing.id) if playing else "",
        game_number=playing.number if playing else 0,
        version=engine.version if engine else 0,
        records=engine.records if engine else (),
        wait=_wait(live.seats[turn], unseen[turn]) if turn >= 0 else None,
        reserved=live.reserved,
        clock=_clock(live, now),
        shuffling=live.shuffling,
        asking=tuple(
            Asks(one.request_id, one.name, one.guest, one.position) for one in _asking(live, now)
        ),
        coming=_coming(live, now),
    )


def _asking(live: Live, now: datetime) -> list[Asking]:
    """Who can be let in or refused now."""
    if live.state not in BEGUN:
        return []
    return [one for one in live.requests if not one.refused and now - one.asked < OPEN_FOR]


def _coming(live: Live, now: datetime) -> str:
    """Who came or left last, as long as that is news."""
    if not live.comings or now.timestamp() - live.comings[-1].at > TOLD_FOR:
        return ""
    last = live.comings[-1]
    seat = compass(live.rules.players, last.position)
    told = {CAME: f"{last.name} sits down: {seat}.", BACK: f"{last.name} plays again: {seat}."}
    return told.get(last.what, f"{last.name} has left: {seat}.")


def view_of(live: Live, player_id: int | None, scene: Scene | None = None) -> View:
    """All that one player (None: a visitor) is shown of a table now.

    Args:
        live: the table.
        player_id: who looks.
        scene: the table's scene, if it is known already.
    """
    seat = live.seat_of(player_id)
    host = player_id is not None and player_id == live.host_id
    viewer = Viewer(
        seat=seat, host=host, invite_token=live.invite_token if seat is not None or host else ""
    )
    if seat is None and player_id is not None and live.requests:
        viewer = _with_request(viewer, live, player_id)
    observation = live.playing.engine.observe(seat) if live.playing else None
    return View(scene or scene_of(live), viewer, observation)


def _with_request(viewer: Viewer, live: Live, player_id: int) -> Viewer:
    """The viewer with what has become of his request for a seat."""
    mine = next((one for one in live.requests if one.player_id == player_id), None)
    if mine is not None and mine.refused:
        return viewer._replace(refused=True)
    if mine is not None and mine in _asking(live, timezone.now()):
        return viewer._replace(asked=mine.position)
    return viewer


def seen_by_all(live: Live) -> Observation | None:
    """What a spectator may know of the cards now; None before the first game."""
    return live.playing.engine.observe() if live.playing else None


def away_seats(live: Live) -> tuple[bool, ...]:
    """Which seats' persons are away now."""
    return tuple(seat.away for seat in scene_of(live).seats)


def was_away(sitter: Sitter) -> bool:
    """Whether a seat's person, who may be here again, was last noted long enough ago."""
    return (timezone.now() - sitter.last_seen).total_seconds() > AWAY_AFTER


def _unseen(sitter: Sitter, here: set[int], now: datetime) -> float:
    """Seconds since a seat's person was last here; 0 for one who is, and for a house player."""
    if sitter.player_id is None or sitter.house or sitter.player_id in here:
        return 0
    return max(0.0, (now - sitter.last_seen).total_seconds())


def _seat_view(live: Live, sitter: Sitter, unseen: float) -> SeatView:
    if sitter.player_id is None:
        return SeatView("", EMPTY)
    awaited = unseen > 0 and live.called is not None and sitter.last_seen < live.called
    away = unseen > AWAY_AFTER
    return SeatView(
        sitter.name,
        _kind(sitter),
        sitter.stand_in,
        away,
        awaited,
        sitter.program_of,
        sitter.cut_for_me,
    )


def _kind(sitter: Sitter) -> str:
    if sitter.program:
        return PROGRAM
    return HOUSE if sitter.house else GUEST if sitter.guest else PERSON


def _clock(live: Live, now: datetime) -> Clock | None:
    """The turn clock, in tenths of a second, so that viewers of a moment are told the same."""
    if live.turn_seconds is None:
        return None
    ends = pace.turn_ends(live, live.playing.moved) if live.playing is not None else None
    left = round(max(0.0, (ends - now).total_seconds()), 1) if ends is not None else None
    return Clock(live.turn_seconds, left)


def _wait(sitter: Sitter, unseen: float) -> int | None:
    if sitter.stand_in or unseen <= AWAY_AFTER:
        return None
    return max(0, math.ceil(PATIENCE.total_seconds() - unseen))


def deal_views(game_id: UUID) -> list[Observation]:
    """Every finished deal of a game as a spectator saw it at its end, in order."""
    return tables.deal_ends(GameRow.objects.get(pk=game_id))
