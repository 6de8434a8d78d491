"""Make each viewer's view and picture from a live table.

Which cards a viewer sees is decided by `games.engine.observation`.
"""

from __future__ import annotations

import math
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID
from weakref import WeakKeyDictionary

from django.utils import timezone

from games.engine.actions import PLAY, Action
from games.engine.observation import DONE, Observation
from games.engine.seats import compass
from games.live import pace
from games.live import state as tables
from games.live.state import Live, LiveGame, LiveProposal, LiveSeatRequest, Sitter
from games.models import Game as GameRow
from games.models import Proposal
from games.models.seat_requests import OPEN_FOR
from games.models.tables import BACK, CAME, LEFT, PATIENCE
from games.picture import delay, phrases
from games.picture.frames import OwnPicture, TablePicture
from games.picture.scene import (
    EMPTY,
    GUEST,
    HOUSE,
    PERSON,
    PROGRAM,
    Clock,
    Consent,
    ProposalEntry,
    Scene,
    SeatRequest,
    SeatView,
    Talk,
    View,
    Viewer,
)
from games.sockets import audience, hub
from games.talk import speaking

#: Seconds after a player's last socket closed until they are shown as away.
AWAY_AFTER = 7
#: The same when no closing was seen, as after a process was killed. What another process has noted
#: is a heartbeat old when it is read, and is read again a heartbeat later, or more under load.
UNSEEN_FOR = 45
#: Seconds after which the spectators of other processes are counted again, who may be gone.
LOOK_AGAIN = 15
#: Seconds for which someone's arrival or departure is shown.
ARRIVAL_SHOWN_FOR = 10


#: A table's pictures by whether they are for those who see the game later, and by their words.
_pictures: WeakKeyDictionary[Live, defaultdict[tuple[bool, bool], TablePicture]] = (
    WeakKeyDictionary()
)


def pictures(
    live: Live, player_ids: Iterable[int | None], *, old_words: bool = False
) -> dict[int | None, OwnPicture]:
    """Return pictures by player; `old_words`: calls are in their old words."""
    everybody, later = set(player_ids), set[int | None]()
    if live.delayed and delay.is_delayed(live):
        later = {one for one in everybody if _sees_later(live, one)}
    of_table = _pictures.setdefault(live, defaultdict(TablePicture))
    scene = scene_of(live)
    shown = _shown(of_table[False, old_words], live, scene, everybody - later, old_words)
    if later:
        then = delay.earlier(live)
        kept = of_table[True, old_words]
        shown |= _shown(kept, then, _earlier_scene(then), later, old_words)
    return shown


def _shown(
    table: TablePicture,
    live: Live,
    scene: Scene,
    player_ids: Iterable[int | None],
    old_words: bool,
) -> dict[int | None, OwnPicture]:
    seen = None
    if live.playing is not None:
        seen = _observed(live, live.playing, None, old_words)
    table.show(scene, seen, live.last_key)
    return {one: _own(table, live, scene, one, old_words) for one in player_ids}


def _own(
    table: TablePicture, live: Live, scene: Scene, player_id: int | None, old_words: bool
) -> OwnPicture:
    """Bring a viewer's own values up to date.

    At a quiet table where nothing was just said only the cards change, and most viewers wait: they
    need neither an observation nor values.
    """
    picture, quiet, playing = table.of(player_id), _quiet.get(live), live.playing
    spoken = live.room is not None and live.room.settles >= time.time()
    if quiet is None or playing is None or spoken:
        picture.place = None
        picture.show(_view(live, player_id, scene, old_words))
        return picture
    place = (quiet, live.room, live.host_id, live.talk)
    if picture.view is None or picture.place != place:
        view = _view(live, player_id, scene, old_words)
    else:
        view, engine = picture.view, playing.engine
        seat = view.viewer.seat
        if picture.waits is not None and picture.waits == engine.waiting(seat):
            picture.show_undo(scene, seat)
            return picture
        seen = _observed(live, playing, seat, old_words)
        view = view._replace(scene=scene, observation=seen)
    picture.show(view)
    picture.place, picture.view = place, view
    picture.waits = playing.engine.waiting(view.viewer.seat)
    return picture


def _earlier_scene(then: Live) -> Scene:
    return _whole_scene(then)._replace(delayed=True, wait=None)


def _sees_later(live: Live, player_id: int | None) -> bool:
    if not delay.is_delayed(live) or live.seat_of(player_id) is not None:
        return False
    return player_id is None or player_id != live.host_id


@dataclass(frozen=True, slots=True, eq=False)
class _QuietScene:
    """A scene in which only the cards change, as long as all else that it is made from is equal.

    until: the Unix time at which somebody may count as away.
    """

    reads: tuple[object, ...]
    until: float
    scene: Scene


_quiet: WeakKeyDictionary[Live, _QuietScene] = WeakKeyDictionary()


def scene_of(live: Live) -> Scene:
    """Return a table's scene; that of a quiet table is kept, and only follows the cards."""
    quiet, reads, playing, now = _quiet.get(live), _reads(live), live.playing, time.time()
    if quiet is None or quiet.reads != reads or playing is None or now >= quiet.until:
        scene, until = _whole_scene(live), _quiet_until(live, now)
        if until > now:
            _quiet[live] = _QuietScene(reads, until, scene)
        else:
            _quiet.pop(live, None)
        return scene
    scene, engine = quiet.scene, playing.engine
    return scene._replace(
        version=engine.version,
        records=() if live.veiled else engine.records,
        gained=_gained(live),
        clock=_clock(live) if live.turn_seconds is not None else None,
        undo=pace.seats_that_may_undo(live),
        undone_at=max(engine.undone, default=-1),
        house_replied=scene.alone >= 0 and live.undone_by(scene.alone) > 1,
        hand_values=playing.dealt if not live.sealed else None,
    )


def _reads(live: Live) -> tuple[object, ...]:
    """Return all that a scene is made from, besides the cards and the time."""
    return (
        live.seats, [one.last_seen for one in live.seats], live.state, live.requests,
        live.proposals, live.seat_changes, live.shuffling, live.open, live.rules, live.reserved,
        live.resigned, live.house_after, live.house_level, live.called, live.sealed,
        live.for_practice, live.playing and live.playing.id,
        hub.sockets.visited(live.table_id), audience.changes.get(live.table_id),
    )  # fmt: skip


def _quiet_until(live: Live, now: float) -> float:
    """Return until when time changes nothing; 0 if somebody asks, proposes, just came or is gone.

    Players with their sockets in other processes count as away at a known time. The spectators that
    other processes count are forgotten after a while.
    """
    if live.requests or live.proposals:
        return 0.0
    if live.seat_changes and now - live.seat_changes[-1].at <= ARRIVAL_SHOWN_FOR:
        return 0.0
    here = hub.connected(live.table_id)
    elsewhere = [one for one in live.seats if not one.house and one.player_id not in here]
    if any(one.player_id is None or one.missing_since is not None for one in elsewhere):
        return 0.0
    until = [_away_from(one).timestamp() for one in elsewhere]
    if audience.elsewhere(live.table_id):
        until.append(now + LOOK_AGAIN)
    return min(until, default=math.inf)


def _whole_scene(live: Live) -> Scene:
    now = timezone.now()
    here = hub.connected(live.table_id)
    away = [_is_away(sitter, here, now) for sitter in live.seats]
    playing = live.playing
    engine = playing.engine if playing else None
    turn = engine.turn if engine else -1
    undone = engine.undone if engine else {}
    alone = next(filter(live.is_alone_with_the_house, range(len(live.seats))), -1)
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
        records=engine.records if engine and not live.veiled else (),
        gained=_gained(live),
        wait=_wait(live, live.seats[turn], now) if turn >= 0 and away[turn] else None,
        reserved=live.reserved,
        clock=_clock(live),
        house_after=live.house_after,
        house_level=live.house_level,
        shuffling=live.shuffling,
        requests=tuple(
            SeatRequest(
                one.request_id, one.name, one.guest, one.position, one.sits_from is not None
            )
            for one in _open_requests(live, now)
        ),
        arrival=_arrival(live, now),
        arrivals=_arrivals(live),
        consent=_consent(live, now),
        proposals=_entries(live.proposals, undone, live.proposal(now) or live.undoing),
        claimed=live.claimed,
        resigned=live.resigned,
        undo=pace.seats_that_may_undo(live),
        undone_at=max(undone, default=-1),
        spent=tuple(seat for seat in range(len(live.seats)) if live.has_proposed(seat)),
        hand_values=playing.dealt if playing is not None and not live.sealed else None,
        sealed=live.sealed,
        practice=live.practice,
        alone=alone,
        house_replied=alone >= 0 and live.undone_by(alone) > 1,
        spectators=spectators_here(live) + audience.elsewhere(live.table_id),
    )


def _observed(live: Live, playing: LiveGame, seat: int | None, old_words: bool) -> Observation:
    """Return what a seat or a spectator sees; of a veiled deal that is over only its last trick."""
    seen = phrases.worded(playing.engine.observe(seat), old=old_words)
    if not live.veiled or seen.phase != DONE or not seen.tricks:
        return seen
    return seen._replace(tricks=(), plays=seen.tricks[-1].plays, hand=0, discard=-1, answers=())


def _gained(live: Live) -> tuple[int, ...]:
    if not live.solo or live.playing is None:
        return ()
    side = next((seat for seat, sitter in enumerate(live.seats) if not sitter.house), 0) % 2
    results = [one.result for one in live.playing.engine.records]
    counted = [one for one in results if one.makers >= 0 or live.rules.thrown_in_counts]
    return tuple([one.points if one.side == side else -one.points for one in counted])


def spectators_here(live: Live) -> int:
    """Return how many people without a seat have sockets at a table in this process."""
    seated = {one.player_id for one in live.seats}
    watching = (one for one in hub.watchers(live.table_id) if one.player_id not in seated)
    return len({one.player_id or one.opener for one in watching})


def _open_requests(live: Live, now: datetime) -> list[LiveSeatRequest]:
    return [one for one in live.requests if not one.refused and now - one.asked < OPEN_FOR]


def _arrival(live: Live, now: datetime) -> str:
    if not live.seat_changes or now.timestamp() - live.seat_changes[-1].at > ARRIVAL_SHOWN_FOR:
        return ""
    return _arrivals(live)[-1]


def _arrivals(live: Live) -> tuple[str, ...]:
    sentences = {CAME: "{} sits down: {}.", BACK: "{} plays again: {}.", LEFT: "{} has left: {}."}
    lines = []
    for one in live.seat_changes:
        sitter = live.seats[one.position]
        near = one.what == CAME and sitter.same_address and sitter.name == one.name
        line = sentences[one.what].format(one.name, compass(live.rules.players, one.position))
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


def _entries(
    proposals: Iterable[LiveProposal],
    undone: Mapping[int, tuple[Action, ...]],
    waiting: LiveProposal | None = None,
) -> tuple[ProposalEntry, ...]:
    """Return a game's proposals with their outcomes, for its log; `waiting` is the undecided one.

    A proposal that can no longer be answered has lapsed, and so has an agreed undo if a card was
    stored before it. Proposals made before a card that was taken back are moved before whatever
    was played instead.
    """
    entries: list[ProposalEntry] = []
    for one in proposals:
        actions = undone.get(one.version, ()) if one.kind == Proposal.Kind.UNDO else ()
        done = one.state == Proposal.State.AGREED and (
            one.kind != Proposal.Kind.UNDO or bool(actions)
        )
        pending = one.state in (Proposal.State.OPEN, Proposal.State.AGREED) and not done
        state = Proposal.State.LAPSED if pending and one is not waiting else one.state
        card = actions[0].value if actions and actions[0].kind == PLAY else -1
        played = sum(action.kind == PLAY for action in actions)
        entries.append(
            ProposalEntry(
                one.deal_number, one.cards - played, one.version, one.kind, state, one.name,
                one.answered_by, card, played > (card >= 0),
            )
        )  # fmt: skip
    for at in range(len(entries) - 2, -1, -1):
        before, after = entries[at], entries[at + 1]
        if before.deal_number == after.deal_number and before.cards > after.cards:
            entries[at] = before._replace(cards=after.cards)
    return tuple(entries)


def history(game_id: UUID) -> tuple[list[Observation], tuple[ProposalEntry, ...]]:
    """Return a finished game's deals as spectators saw them at their ends, and its proposals."""
    deals, undone = tables.played_again(GameRow.objects.get(pk=game_id))
    return deals, _entries(tables.proposals_in(game_id), undone)


def view_of(live: Live, player_id: int | None, *, old_words: bool = False) -> View:
    """Return everything a player (None: a spectator) may see of a table now."""
    if not _sees_later(live, player_id):
        return _view(live, player_id, scene_of(live), old_words)
    then = delay.earlier(live)
    return _view(then, player_id, _earlier_scene(then), old_words)


def _view(live: Live, player_id: int | None, scene: Scene, old_words: bool) -> View:
    seat = live.seat_of(player_id)
    host = player_id is not None and player_id == live.host_id
    viewer = Viewer(
        seat=seat,
        host=host,
        invite_token=live.invite_token if seat is not None or host else "",
        listener=player_id if seat is None and player_id is not None else 0,
    )
    if seat is None and player_id is not None and live.requests:
        viewer = _with_request(viewer, live, player_id)
    observation = None
    if live.playing is not None:
        observation = _observed(live, live.playing, seat, old_words)
    return View(
        scene,
        viewer,
        observation,
        _talk(live, player_id, seat, scene),
        audience.names_for(live.table_id, player_id),
    )


def _talk(live: Live, player_id: int | None, seat: int | None, scene: Scene) -> Talk:
    room = live.room
    if room is None:
        return Talk()
    players = [one.player_id for one in live.seats]
    heard = room.heard(player_id, players, later=scene.delayed)
    if seat is not None:
        freedom = speaking.freedom_of_players(
            live.talk, live.state, sealed=live.sealed, solo=live.solo
        )
    else:
        freedom = speaking.freedom_of_watchers(
            live.talk,
            watching=player_id in room.watching,
            account=player_id in room.accounts,
        )
    freedom = speaking.sanctioned(freedom, room.sanction_of(player_id, timezone.now()))
    return Talk(heard.rows, heard.spoken, freedom.phrases, freedom.free, freedom.why)


def _with_request(viewer: Viewer, live: Live, player_id: int) -> Viewer:
    mine = next((one for one in live.requests if one.player_id == player_id), None)
    if mine is not None and mine.refused:
        return viewer._replace(refused=True)
    if mine is not None and mine in _open_requests(live, timezone.now()):
        return viewer._replace(asked=mine.position)
    return viewer


def away_seats(live: Live) -> tuple[bool, ...]:
    return tuple(seat.away for seat in scene_of(live).seats)


def next_change(live: Live) -> datetime | None:
    """Return when the page next changes by time, as when a player counts as away."""
    now, moments = timezone.now(), list[datetime | None]()
    gone = [sitter for sitter in live.seats if sitter.missing_since is not None]
    if gone:
        here = hub.connected(live.table_id)
        moments += [_away_from(sitter) for sitter in gone if sitter.player_id not in here]
    if live.proposals and (proposed := live.proposal(now)) is not None:
        moments.append(proposed.until)
    if live.room is not None and live.room.settles > now.timestamp():
        moments.append(live.room.next_change(now))
    return min((moment for moment in moments if moment and moment > now), default=None)


def was_away(sitter: Sitter) -> bool:
    """Return True if a seat's player, who may be back by now, was shown as away."""
    return _away_from(sitter) <= timezone.now()


def _away_from(sitter: Sitter) -> datetime:
    """Return when a seat's player counts as away unless one of their sockets opens before."""
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
    """Return the seconds until a house player steps in, or may be asked to; None if one plays."""
    if absent.stand_in:
        return None
    ends = absent.last_seen + PATIENCE
    if live.house_after is not None and absent.missing_since is not None:
        ends = pace.absence_ends(live) or now
    elif live.house_after is not None:  # the wait starts once they count as away
        ends += timedelta(seconds=live.house_after)
    return max(0, math.ceil((ends - now).total_seconds()))


def deal_views(game_id: UUID) -> list[Observation]:
    return tables.played_again(GameRow.objects.get(pk=game_id))[0]
