"""What each viewer of a table is shown, from its present state."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from uuid import UUID
from weakref import WeakKeyDictionary

from django.utils import timezone

from games.engine.actions import PLAY, Action
from games.engine.observation import Observation
from games.engine.seats import compass
from games.live import pace
from games.live import state as tables
from games.live.state import Live, LiveProposal, LiveSeatRequest, Sitter
from games.models import Game as GameRow
from games.models import Proposal
from games.models.seat_requests import OPEN_FOR
from games.models.tables import BACK, CAME, LEFT, PATIENCE
from games.picture.frames import OwnPicture, TablePicture
from games.picture.scene import (
    EMPTY,
    GUEST,
    HOUSE,
    PERSON,
    PROGRAM,
    Asks,
    Clock,
    Consent,
    Scene,
    SeatView,
    Told,
    View,
    Viewer,
)
from games.sockets import hub

#: Seconds after which a person whose last socket has closed is shown as away.
AWAY_AFTER = 7
#: And one not seen without that, as after a process was killed; two heartbeats long.
UNSEEN_FOR = 30
#: Seconds for which it is told who came or left.
TOLD_FOR = 10

#: What is shown of each table that is kept.
_pictures: WeakKeyDictionary[Live, TablePicture] = WeakKeyDictionary()


def shown(live: Live, player_ids: Iterable[int | None]) -> dict[int | None, OwnPicture]:
    """A table as it stands, drawn for some players (None: for visitors)."""
    scene = scene_of(live)
    seen = live.playing.engine.observe() if live.playing else None
    table = _pictures.get(live)
    if table is None:
        table = _pictures[live] = TablePicture()
    table.show(scene, seen, live.last_key)
    return {player_id: table.of(view_of(live, player_id, scene)) for player_id in set(player_ids)}


def scene_of(live: Live) -> Scene:
    """The table as everybody sees it now."""
    now = timezone.now()
    here = hub.connected(live.table_id)
    away = [_is_away(sitter, here, now) for sitter in live.seats]
    playing = live.playing
    engine = playing.engine if playing else None
    turn = engine.turn if engine else -1
    undone = engine.undone if engine else {}
    return Scene(
        table_id=live.table_id,
        rules=live.rules,
        state=live.state,
        open=live.open,
        seats=tuple(
            _seat_view(live, sitter, gone) for sitter, gone in zip(live.seats, away, strict=True)
        ),
        game_id=str(playing.id) if playing else "",
        game_number=playing.number if playing else 0,
        version=engine.version if engine else 0,
        records=engine.records if engine else (),
        wait=_wait(live, live.seats[turn], now) if turn >= 0 and away[turn] else None,
        reserved=live.reserved,
        clock=_clock(live),
        house_after=live.house_after,
        shuffling=live.shuffling,
        asking=tuple(
            Asks(one.request_id, one.name, one.guest, one.position) for one in _asking(live, now)
        ),
        coming=_coming(live, now),
        came=_came(live),
        consent=_consent(live, now),
        told=_told(live.proposals, undone, _waiting(live, now)),
        claimed=live.claimed,
        resigned=live.resigned,
        undo=pace.undoers(live),
        undone_at=max(undone, default=-1),
        spent=tuple(seat for seat in range(len(live.seats)) if live.has_proposed(seat)),
        worths=playing.dealt if playing is not None else None,
    )


def _asking(live: Live, now: datetime) -> list[LiveSeatRequest]:
    """Who can be let in or refused now."""
    return [one for one in live.requests if not one.refused and now - one.asked < OPEN_FOR]


def _coming(live: Live, now: datetime) -> str:
    """Who came or left last, as long as that is news."""
    if not live.seat_changes or now.timestamp() - live.seat_changes[-1].at > TOLD_FOR:
        return ""
    return _came(live)[-1]


def _came(live: Live) -> tuple[str, ...]:
    """Who came or left last, in sentences; of who sits there also from whose address."""
    told = {CAME: "{} sits down: {}.", BACK: "{} plays again: {}.", LEFT: "{} has left: {}."}
    lines = []
    for one in live.seat_changes:
        sitter = live.seats[one.position]
        near = one.what == CAME and sitter.same_address and sitter.name == one.name
        line = told[one.what].format(one.name, compass(live.rules.players, one.position))
        lines.append(line + " Same address as another player." * near)
    return tuple(lines)


def _consent(live: Live, now: datetime) -> Consent | None:
    one = live.proposal(now)
    if one is None:
        return None
    return Consent(
        one.proposal_id,
        one.kind,
        one.position,
        live.awaited(one),
        one.until.timestamp(),
    )


def _waiting(live: Live, now: datetime) -> LiveProposal | None:
    """What can still be answered, or is about to be undone."""
    return live.proposal(now) or live.undoing


def _told(
    proposals: Iterable[LiveProposal],
    undone: Mapping[int, tuple[Action, ...]],
    waiting: LiveProposal | None = None,
) -> tuple[Told, ...]:
    """What was proposed in a game, and what came of it.

    What nobody can answer any more has lapsed, and so has an undo that all have agreed to, if a
    card was stored before it. What was said before a card was taken back was said before whatever
    is played instead.

    Args:
        proposals: in order.
        undone: see ``Game.undone``.
        waiting: of which nobody knows yet what will come.
    """
    told: list[Told] = []
    for one in proposals:
        actions = undone.get(one.version, ()) if one.kind == Proposal.Kind.UNDO else ()
        done = one.state == Proposal.State.AGREED and (
            one.kind != Proposal.Kind.UNDO or bool(actions)
        )
        pending = one.state in (Proposal.State.OPEN, Proposal.State.AGREED) and not done
        state = Proposal.State.LAPSED if pending and one is not waiting else one.state
        card = actions[0].value if actions and actions[0].kind == PLAY else -1
        played = sum(action.kind == PLAY for action in actions)
        told.append(
            Told(
                one.deal_number, one.cards - played, one.version, one.kind, state, one.name,
                one.answered_by, card, played > (card >= 0),
            )
        )  # fmt: skip
    for at in range(len(told) - 2, -1, -1):
        before, after = told[at], told[at + 1]
        if before.deal_number == after.deal_number and before.cards > after.cards:
            told[at] = before._replace(cards=after.cards)
    return tuple(told)


def history(game_id: UUID) -> tuple[list[Observation], tuple[Told, ...]]:
    """A game that has ended: every deal as a spectator saw it at its end, and what was proposed."""
    deals, undone = tables.played_again(GameRow.objects.get(pk=game_id))
    return deals, _told(tables.proposals_in(game_id), undone)


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
    """The viewer with what has become of their request for a seat."""
    mine = next((one for one in live.requests if one.player_id == player_id), None)
    if mine is not None and mine.refused:
        return viewer._replace(refused=True)
    if mine is not None and mine in _asking(live, timezone.now()):
        return viewer._replace(asked=mine.position)
    return viewer


def away_seats(live: Live) -> tuple[bool, ...]:
    """Which seats' persons are away now."""
    return tuple(seat.away for seat in scene_of(live).seats)


def next_look(live: Live) -> datetime | None:
    """When the table reads differently though nothing has happened there; None: it does not.

    Somebody who has gone is to be shown as away then, or what is proposed lapses.
    """
    now, here = timezone.now(), hub.connected(live.table_id)
    moments = [
        _away_from(sitter)
        for sitter in live.seats
        if sitter.missing_since is not None and sitter.player_id not in here
    ]
    proposed = live.proposal(now)
    if proposed is not None:
        moments.append(proposed.until)
    return min((moment for moment in moments if moment > now), default=None)


def was_away(sitter: Sitter) -> bool:
    """Whether a seat's person, who may be here again, was last noted long enough ago."""
    return _away_from(sitter) <= timezone.now()


def _away_from(sitter: Sitter) -> datetime:
    """From when on a seat's person is away, if none of that person's sockets opens until then."""
    seconds = UNSEEN_FOR if sitter.missing_since is None else AWAY_AFTER
    return sitter.last_seen + timedelta(seconds=seconds)


def _is_away(sitter: Sitter, here: set[int], now: datetime) -> bool:
    if sitter.player_id is None or sitter.house or sitter.player_id in here:
        return False
    return _away_from(sitter) <= now


def _seat_view(live: Live, sitter: Sitter, away: bool) -> SeatView:
    if sitter.player_id is None:
        return SeatView("", EMPTY)
    awaited = away and live.called is not None and sitter.last_seen < live.called
    return SeatView(
        sitter.name,
        _kind(sitter),
        sitter.stand_in,
        away,
        awaited,
        sitter.program_of,
        sitter.cut_for_me,
        sitter.same_address,
    )


def _kind(sitter: Sitter) -> str:
    if sitter.program:
        return PROGRAM
    return HOUSE if sitter.house else GUEST if sitter.guest else PERSON


def _clock(live: Live) -> Clock | None:
    if live.turn_seconds is None:
        return None
    ends = pace.turn_ends(live, live.playing.moved) if live.playing is not None else None
    return Clock(live.turn_seconds, round(ends.timestamp(), 1) if ends is not None else None)


def _wait(live: Live, absent: Sitter, now: datetime) -> int | None:
    """Seconds until a house player plays for the absent person in turn, or may be asked to."""
    if absent.stand_in:
        return None
    ends = absent.last_seen + PATIENCE
    if live.house_after is not None and absent.missing_since is not None:
        ends = pace.absence_ends(live) or now  # of nobody's waiting nothing comes
    elif live.house_after is not None:  # after that minute somebody unheard counts as gone
        ends += timedelta(seconds=live.house_after)
    return max(0, math.ceil((ends - now).total_seconds()))


def deal_views(game_id: UUID) -> list[Observation]:
    """Every finished deal of a game as a spectator saw it at its end, in order."""
    return tables.played_again(GameRow.objects.get(pk=game_id))[0]
