"""Performs actions at live tables: check, store, answer and show."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple
from uuid import UUID

import structlog
from django.db import OperationalError
from django.utils import timezone

from games.engine.actions import CUT, NEXT, UNDO, Action, action_text, parse_action
from games.engine.errors import (
    EngineError,
    IllegalActionError,
    OutOfTurnError,
    StaleError,
)
from games.engine.game import Game
from games.live import absence, pace, remote_events, stamps, turn_clock
from games.live import state as tables
from games.live.journal import ENDED, LOST, REPEATED, GameHead, JournalEntry, append
from games.live.state import Live, LiveGame
from games.models import Game as GameRow
from games.models import GameEvent, Proposal, Table
from games.models.tables import LONG_AGO
from games.picture import viewing
from games.picture.frames import OwnPicture
from games.picture.scene import View
from games.play import outages
from games.sockets import hub, loop, metrics, news, sessions
from games.sockets.hub import StoredEvent
from games.sockets.sessions import SessionEndedError
from games.sockets.watching import SocketSession
from games.talk.speaking import FREEDOM, TALK

log = structlog.get_logger(__name__)

#: Kinds of answers to an action.
DONE: Final = "done"
STALE: Final = "stale"
ILLEGAL: Final = "illegal"
MALFORMED: Final = "malformed"
OUT_OF_TURN: Final = "out of turn"
NOT_SEATED: Final = "not seated"
FAILED: Final = "failed"

#: Seconds after which a table retries an automatic action that could not be stored.
AGAIN: Final = 2.0
#: Maximum length of a client key.
KEY_LENGTH: Final = 36
#: Seconds after which a table retries to end an expired turn.
TRY_AGAIN: Final = 1.0
#: Extra time for absent players while messages from other processes, where they may be, are
#: missing.
LATE_NEWS_GRACE: Final = timedelta(seconds=20)


_AGREED: Final = "All have agreed to undo what was done last; the table does so now."
_NOT_AGREED: Final = "Nothing is undone without the others: propose it, and the table does so."


class ActAnswer(NamedTuple):
    """Answer to an action; of the kinds above, ``done`` means it is durable.

    `stamp` is the game number and version now (or, for ``done``, after the action); `stored` means
    just now, rather than answered again.
    """

    kind: str
    stamp: str
    message: str = ""
    stored: bool = False


class Actor(NamedTuple):
    """Who acts, from the session and never the message; `seat` is -1 for the table itself."""

    seat: int
    player_id: int | None
    by: str
    session: SocketSession | None = None


class Decision(NamedTuple):
    """A requested action and the `stamp` it was decided on.

    key: idempotency key from the browser; sent again, it gets the first answer again.
    """

    text: str
    stamp: str
    key: str | None = None


async def act(
    table_id: int,
    player_id: int | None,
    decision: Decision,
    session: SocketSession | None = None,
) -> ActAnswer:
    """Perform the action of a player, or of a visitor (None), at a table.

    session: of the socket that sent it; None for a request, whose session has just been checked.
    Raises SessionEndedError if it is no longer valid; nothing is done.
    """
    began = time.perf_counter()
    answer = await _act(table_id, player_id, decision, session)
    if session is not None and not answer.stored:  # else the journal has checked it
        await sessions.check(session)
    if answer.kind == DONE:
        metrics.action_seconds.observe(time.perf_counter() - began)
    else:
        metrics.actions_refused.labels(answer.kind).inc()
    return answer


async def _act(
    table_id: int, player_id: int | None, decision: Decision, session: SocketSession | None
) -> ActAnswer:
    if not _is_key(decision.key):
        why = f"A key has 1 to {KEY_LENGTH} plain letters, figures and signs."
        return ActAnswer(MALFORMED, decision.stamp, why)
    try:
        live = await tables.get(table_id)
    except Table.DoesNotExist:
        return ActAnswer(NOT_SEATED, decision.stamp, "There is no such table.")
    seat = live.seat_of(player_id)
    if seat is None or live.playing is None:
        return ActAnswer(NOT_SEATED, live.stamp, "You do not have a seat in a game at this table.")
    if live.seats[seat].stand_in and live.reserved is None:  # the player is back
        if session is not None:
            await sessions.check(session)
        await loop.in_database(absence.record_present, table_id, player_id, timezone.now())
        await tables.look_again(table_id)
    if live.seats[seat].stand_in:
        return ActAnswer(
            NOT_SEATED, live.stamp,
            "A house player is playing for you: take your seat back first.",
        )  # fmt: skip
    actor = Actor(seat, player_id, GameEvent.By.PERSON, session)
    return await perform(live, actor, decision)


def _is_key(key: str | None) -> bool:
    plain = key is None or (key.isascii() and key.isprintable())
    return plain and (key is None or 1 <= len(key) <= KEY_LENGTH)


async def perform(live: Live, actor: Actor, decision: Decision) -> ActAnswer:
    done = asyncio.get_running_loop().create_future()
    _acting.add(done)
    try:
        return await _perform(live, actor, decision)
    finally:
        _acting.discard(done)
        done.set_result(None)


async def to_its_end(acting: Coroutine[Any, Any, ActAnswer]) -> ActAnswer:
    """Finish an action even if the caller is cancelled, as a request is when its client goes."""
    task = asyncio.create_task(acting)
    _acting.add(task)
    task.add_done_callback(_acting.discard)
    return await asyncio.shield(task)


async def finish(seconds: float) -> None:
    loop_now = asyncio.get_running_loop()
    acting = [one for one in _acting if one.get_loop() is loop_now]
    if acting:
        await asyncio.wait(acting, timeout=seconds)


_acting: Final[set[asyncio.Future[Any]]] = set()


async def _perform(live: Live, actor: Actor, decision: Decision) -> ActAnswer:
    if decision.stamp != live.stamp and stamps.is_ahead(decision.stamp, live.stamp):
        # Seen in another process, by a reload or a new socket, before this one heard of it.
        await remote_events.arrive(live, decision.stamp)
    async with live.lock:
        if decision.text == NEXT and any(one.sits_from for one in live.requests):
            await loop.in_database(_Between.seat, live.table_id)
            await tables.refresh(live)
        moved = decision.stamp != live.stamp and stamps.is_ahead(decision.stamp, live.stamp)
        if live.unread or moved:
            await tables.refresh(live)
            show(live)
        playing = live.playing
        if playing is None:
            return ActAnswer(NOT_SEATED, live.stamp, "There is no game at this table.")
        first = playing.keys.get(decision.key) if decision.key is not None else None
        if first is not None and first[0] == actor.seat:
            return ActAnswer(DONE, f"{playing.number}.{first[1]}")
        if not _may_act(live, actor):
            return ActAnswer(STALE, live.stamp, "This seat has changed hands meanwhile.")
        answer = await _store(live, playing, actor, decision)
        if answer.kind == STALE:
            answer = await _first_answer(live, playing.number, actor, decision) or answer
    if answer.kind == DONE:
        try:
            show(live)
        except Exception:  # stored, so answer even if it cannot be shown
            log.exception("table not rendered", table=live.table_id)
    return answer


class _Between:
    seat: Callable[[int], object]


def before_next_hand(seat: Callable[[int], object]) -> None:
    """Set what seats newcomers at a table, by id, before its next hand is dealt."""
    _Between.seat = seat


def _may_act(live: Live, actor: Actor) -> bool:
    """Return whether the seat is still the actor's: it may have been taken back meanwhile."""
    if actor.by == GameEvent.By.PERSON:
        return live.seat_of(actor.player_id) == actor.seat and not live.seats[actor.seat].stand_in
    return pace.pause(live) is not None


KINDS: Final[dict[type[EngineError], str]] = {
    StaleError: STALE, IllegalActionError: ILLEGAL, OutOfTurnError: OUT_OF_TURN,
}  # fmt: skip


async def _store(live: Live, playing: LiveGame, actor: Actor, decision: Decision) -> ActAnswer:
    engine = playing.engine
    try:
        if decision.stamp != live.stamp:
            raise StaleError(stamps.numbers(decision.stamp)[1], engine.version)
        action = _parse(playing, decision.text)
        _check_agreed(live, actor, action)
        after = engine.copy()  # others must only see what is stored
        after.push(action, actor.seat if actor.seat >= 0 else None)
    except EngineError as error:
        return ActAnswer(KINDS.get(type(error), MALFORMED), live.stamp, str(error))
    now, text = timezone.now(), action_text(action)
    entry = JournalEntry(
        playing.id, engine.version, actor.seat, actor.player_id, actor.by, text, decision.key, now,
        _head(live, playing, after, now), actor.session,
    )  # fmt: skip
    try:
        outcome = await append(entry)
    except Exception:
        log.exception("action not stored", table=live.table_id)
        return ActAnswer(FAILED, live.stamp, "It was not saved. Nothing has changed at the table.")
    if outcome.status == ENDED:
        raise SessionEndedError
    if outcome.status in (LOST, REPEATED):
        return await _overtaken(live, playing, actor.seat, decision.key, outcome.seq)
    playing.engine = after
    metrics.actions.by[actor.by] += 1
    playing.record(action, actor.player_id, now)
    if decision.key is not None:
        playing.keys[decision.key] = (actor.seat, after.version)
    live.remote.moved.set()
    live.state = Table.State.FINISHED if after.standing.over else live.state
    if not live.alone:
        event = StoredEvent(
            decision.stamp, text, actor.seat, decision.key, now.timestamp(), actor.player_id
        )
        await hub.tell(live.table_id, event)
    return ActAnswer(DONE, live.stamp, stored=True)


def _head(live: Live, playing: LiveGame, after: Game, now: datetime) -> GameHead:
    """Return the state of the game after an action that is about to be stored."""
    engine, playing.engine = playing.engine, after
    try:
        due = pace.due(live, now)
    finally:
        playing.engine = engine
    standing = after.standing
    return GameHead(
        state=GameRow.State.OVER if standing.over else GameRow.State.PLAYING,
        turn=after.turn,
        deal_number=standing.deal_number,
        score=standing.score,
        winner=standing.winner,
        due=due,
        ended=now if standing.over else None,
    )


def _check_agreed(live: Live, actor: Actor, action: Action) -> None:
    """Raise IllegalActionError for an undo without consent, and anything else while one is due."""
    agreed = live.undoing
    if agreed is None:
        if action.kind == UNDO:
            raise IllegalActionError(_NOT_AGREED)
    elif (actor.seat, action) != (agreed.position, pace.undo_of(live, agreed)):
        raise IllegalActionError(_AGREED)


async def _overtaken(
    live: Live, playing: LiveGame, seat: int, key: str | None, seq: int
) -> ActAnswer:
    """Answer that another process was faster, once its event is known here; or again as first."""
    decided_on = playing.engine.version
    if not await remote_events.arrive(
        live, f"{playing.number}.{seq or decided_on + 1}", holding=True
    ):
        await tables.refresh(live)
    show(live)
    if seq and playing.keys.get(key or "", (seat, seq)) == (seat, seq):
        return ActAnswer(DONE, f"{playing.number}.{seq}")
    if seq:
        return ActAnswer(MALFORMED, live.stamp, "That key belongs to another seat's action.")
    now_at = live.playing.engine.version if live.playing else 0
    if now_at == decided_on:  # no action: the game was ended otherwise
        return ActAnswer(STALE, live.stamp, "This game is over.")
    return ActAnswer(STALE, live.stamp, str(StaleError(decided_on, now_at)))


async def _first_answer(live: Live, now: int, actor: Actor, decision: Decision) -> ActAnswer | None:
    number = int(decision.stamp.partition(".")[0][:9])
    if decision.key is None or number >= now:
        return None
    place = (live.table_id, number, actor.player_id, decision.key)
    seq = await loop.in_database(tables.stored_before, *place)
    return ActAnswer(DONE, f"{number}.{seq}") if seq is not None else None


def _parse(playing: LiveGame, text: str) -> Action:
    if text == pace.CUT_FOR_ME:
        return Action(CUT, playing.auto_cut(playing.engine.standing.deal_number - 1))
    return parse_action(text)


# Acting by itself -----------------------------------------------------------------------------


async def act_by_itself(table_id: int, stamp: str | None = None) -> None:
    """Perform a table's automatic action if it is still due, at `stamp` if given."""
    try:
        live = await tables.get(table_id)
    except Table.DoesNotExist:
        return
    playing, decided_on = live.playing, stamp or live.stamp
    if playing is None or decided_on != live.stamp or (table_id, decided_on) in _deciding:
        return
    if pace.pause(live) is None:
        # End an expired turn; otherwise it was too early for this table.
        if not await loop.in_database(_run_out, playing.id, playing.engine.version):
            await catch_up(live.table_id)
        return
    _deciding.add((table_id, decided_on))
    try:
        seat, text, by, player_id = await pace.decide(live, playing)
    finally:
        _deciding.discard((table_id, decided_on))
    answer = await perform(live, Actor(seat, player_id, by), Decision(text, decided_on))
    if answer.kind not in (DONE, STALE):
        log.error(
            "automatic action failed", table=table_id, answer=answer.kind, reason=answer.message
        )
    if answer.kind == FAILED:  # the database is unavailable or the disk full
        asyncio.get_running_loop().call_later(AGAIN, on_timer, table_id, decided_on)


#: Automatic actions that are being chosen, by table and stamp: a busy site may take its time.
_deciding: Final[set[tuple[int, str]]] = set()


def _run_out(game_id: UUID, version: int) -> bool:
    grace = LATE_NEWS_GRACE if news.connection_generation() is None else timedelta()
    return turn_clock.run_out(game_id, version, outages.present(), grace)


def schedule_timer(live: Live) -> None:
    for timer in (live.timer, live.look):
        if timer is not None:
            timer.cancel()
    live.timer = live.look = None
    look = viewing.next_change(live)
    if look is not None:
        delay = max(0.0, (look - timezone.now()).total_seconds())
        live.look = asyncio.get_running_loop().call_later(delay, show, live)
    due = pace.due(live, live.playing.moved) if live.playing is not None else None
    if live.playing is not None and due is not None:
        since = max(timezone.now(), live.playing.moved)  # the clock may have been set back
        delay = max(0.0, (due - since).total_seconds())
        if delay == 0 and pace.pause(live) is None:  # an expired turn that could not be ended
            delay = TRY_AGAIN
        running = asyncio.get_running_loop()
        live.timer = running.call_later(delay, on_timer, live.table_id, live.stamp)


def on_timer(table_id: int, stamp: str) -> None:
    task = asyncio.ensure_future(_act_in_time(table_id, stamp))
    _ringing.add(task)
    task.add_done_callback(_ringing.discard)


_ringing: set[asyncio.Future[None]] = set()


async def _act_in_time(table_id: int, stamp: str) -> None:
    try:
        await act_by_itself(table_id, stamp)
    except OperationalError:  # the table could not be read, as requests and heartbeats tell
        asyncio.get_running_loop().call_later(AGAIN, on_timer, table_id, stamp)


# Showing --------------------------------------------------------------------------------------


def show(live: Live) -> None:
    """Send the table to every socket that watches it here, and set its timers.

    One that has to be read first is sent when it has been (`catch_up`).
    """
    schedule_timer(live)
    watchers = hub.watchers(live.table_id)
    if not watchers or live.unread:
        return
    for old_words in (False, True):
        some = [watcher for watcher in watchers if watcher.old_words == old_words]
        if some:
            players = [watcher.player_id for watcher in some]
            pictures = viewing.pictures(live, players, old_words=old_words)
            for watcher in some:
                watcher.put(pictures[watcher.player_id])


async def seen(table_id: int, player_id: int | None, *, old_words: bool = False) -> View:
    live = await tables.get(table_id)
    await tables.listen(live, [player_id])
    if live.timer is None:
        schedule_timer(live)
    return viewing.view_of(live, player_id, old_words=old_words)


async def view_for(
    table_id: int, player_id: int | None, *, old_words: bool = False
) -> tuple[View, OwnPicture]:
    view = await seen(table_id, player_id, old_words=old_words)
    live = await tables.get(table_id)
    return view, viewing.pictures(live, [player_id], old_words=old_words)[player_id]


async def picture_for(
    table_id: int, player_id: int | None, *, old_words: bool = False
) -> OwnPicture:
    return (await view_for(table_id, player_id, old_words=old_words))[1]


async def came_back(table_id: int, player_id: int) -> None:
    """Show that a player, already marked as present, has returned, if they were missing."""
    live = await tables.get(table_id)
    seat = live.seat_of(player_id)
    if seat is not None:
        sitter = live.seats[seat]
        was_away = viewing.was_away(sitter)
        sitter.last_seen, sitter.missing_since = timezone.now(), None
        if sitter.stand_in and live.reserved is None:
            await catch_up(table_id)
        elif was_away:
            show(live)


async def has_left(table_id: int, player_id: int) -> None:
    live = tables.kept(table_id)
    seat = live.seat_of(player_id) if live is not None else None
    if live is not None and seat is not None and viewing.was_away(live.seats[seat]):
        show(live)


async def hear(table_id: int, event: StoredEvent | None) -> None:
    """Handle a message about a table: an event stored by another process, or any change."""
    live = tables.kept(table_id)
    if event is None:
        await catch_up(table_id)
        return
    if live is None:  # being read for the first time
        hub.report_soon(table_id)
        return
    remote_events.take(live, event)
    if not live.lock.locked() and remote_events.play_on(live):
        show(live)
    following = _following.get(live)
    if live.remote.pending and (
        following is None or following.get_loop() is not asyncio.get_running_loop()
    ):
        following = _following[live] = asyncio.ensure_future(_follow(live))
        following.add_done_callback(lambda _task: _following.pop(live, None))


_following: Final[dict[Live, asyncio.Future[None]]] = {}


async def _follow(live: Live) -> None:
    """Play on events that came while the table was busy, or too early; read it if they do not fit.

    It is read, too, if it has changed in another way. Events between are waited for a moment, since
    messages of two processes may overtake each other.
    """
    try:
        while live.remote.pending and tables.kept(live.table_id) is live:
            if not await _play_on(live):
                await catch_up(live.table_id)
    except Exception:
        log.exception("table not shown as changed elsewhere", table=live.table_id)


async def _play_on(live: Live) -> bool:
    try:
        async with asyncio.timeout(remote_events.PATIENCE):
            while not (live.remote.misfit or live.unread):
                async with live.lock:
                    moved = remote_events.play_on(live)
                if moved:
                    show(live)
                if not live.remote.early:
                    return not live.remote.misfit
                live.remote.moved.clear()
                await live.remote.moved.wait()
    except TimeoutError:
        pass
    return False


async def catch_up(table_id: int) -> None:
    """Refresh and show a table; players with a socket open here count as present."""
    live = tables.kept(table_id)
    try:
        if live is None:
            live = await tables.get(table_id)
    except Table.DoesNotExist:
        return
    await hub.joined(table_id)
    async with live.lock:
        await tables.refresh(live)
        now = timezone.now()
        asked = live.proposal(now)
        if asked and asked.kind in Proposal.AT_ONCE and not live.awaited(asked):
            await loop.in_database(absence.agree, table_id, asked.proposal_id, now)
            await tables.refresh(live)
        # Store the next automatic action's time, which a change of seats may have moved.
        playing = live.playing
        if playing is not None and not playing.engine.standing.over:
            game = GameRow.objects.filter(pk=playing.id, version=playing.engine.version)
            due = pace.due(live, playing.moved)
            await loop.in_database(lambda: game.update(due=due))
    here = hub.connected(table_id)
    await tables.listen(live, here)
    for sitter in live.seats:
        if sitter.missing_since is None or sitter.player_id not in here:
            continue
        if sitter.last_seen > LONG_AGO:  # whoever said goodbye is about to close it
            now = timezone.now()
            await loop.in_database(absence.record_present, table_id, sitter.player_id, now)
    show(live)


async def hear_talk(changed: dict[str, Any]) -> None:
    """Show that something was said at a table, to the people who are there in this process."""
    table_id = changed["table"]
    if table_id in hub.sockets:
        live = await tables.get(table_id)
        await tables.listen(live, hub.connected(table_id), again=True)
        show(live)
    elif (kept := tables.kept(table_id)) is not None:
        kept.forget_room()


async def hear_freedom(changed: dict[str, Any]) -> None:
    """Show a player in this process, at every table where they are, what they may say now."""
    for table_id in tables.heard_by(changed["player"]):
        await hear_talk({"table": table_id})


async def _hear_all_talk() -> None:
    for table_id in hub.tables():
        await hear_talk({"table": table_id})


hub.on_news(hear, tables.keeps, tables.note_change)
news.subscribe(TALK, hear_talk, missed=_hear_all_talk)
news.subscribe(FREEDOM, hear_freedom)
