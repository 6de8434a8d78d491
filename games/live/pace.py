"""Delays before a table acts automatically, and what it then does.

House players act, the pack is cut for players who do not cut themselves, the next hand is dealt, a
turn clock runs out, or the house takes over from an absent player.
"""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from django.conf import settings

from games.engine.actions import DECLINED, NEXT, UNDO, Action
from games.engine.observation import CUTTING
from games.live import thinking, turn_clock
from games.live.state import Live, LiveGame, LiveProposal, Sitter
from games.models import GameEvent, Table

#: Action that leaves the number of cards to the table.
CUT_FOR_ME: Final = "cut auto"
#: Factor for house players' delays when everybody wants them quick.
QUICK_FACTOR: Final = 0.3
_chance = random.SystemRandom()


def due(live: Live, since: datetime) -> datetime | None:
    """Return when the table next acts automatically; None if it waits for a person indefinitely."""
    seconds = pause(live)
    if seconds is not None:
        return since + timedelta(seconds=seconds)
    if live.turn_seconds is None and live.house_after is None:
        return None
    moments = (turn_ends(live, since), absence_ends(live))
    return min((moment for moment in moments if moment is not None), default=None)


def turn_ends(live: Live, since: datetime) -> datetime | None:
    """Return when the turn clock of the person in turn runs out, started `since` the last move."""
    person = _person_in_turn(live)
    if person is None or live.turn_seconds is None:
        return None
    if live.reserved is None and not any(one.here for one in live.seats if one is not person):
        return None  # nobody else waits
    return turn_clock.ends(live.turn_seconds, since, person.since)


def absence_ends(live: Live) -> datetime | None:
    """Return when the house takes over from the person in turn; None while that person is here."""
    person = _person_in_turn(live)
    if person is None or live.house_after is None or person.missing_since is None:
        return None
    if not any(one.here for one in live.seats):
        return None
    return person.missing_since + timedelta(seconds=live.house_after)


def pause(live: Live) -> float | None:
    """Return the seconds from the last event to the table's next automatic action, or None.

    None for closed tables, finished games, and solo tables of house players only, which
    `games.play.house_games` plays at once. A table read while its last card is being stored can
    still be ``PLAYING``, so the engine is checked too.
    """
    if live.playing is None or live.state != Table.State.PLAYING:
        return None
    engine = live.playing.engine
    if engine.standing.over or (live.solo and all(one.house for one in live.seats)):
        return None
    if engine.between_deals:
        return None if _has_one_reader(live) else float(settings.NEXT_DEAL_PAUSE)
    if live.claimed >= 0 or live.undoing is not None:
        return 0.0
    if _person_in_turn(live) is not None:
        return None
    shortest, longest = settings.HOUSE_PAUSE
    seconds: float = shortest + (longest - shortest) * _chance.random()
    if not engine.deal.plays and engine.deal.tricks:
        seconds += settings.TRICK_REST
    if thinking.takes_fixed_time(engine.rules, engine.deal.phase):
        seconds -= shortest  # the time that thinking takes here
    return seconds * QUICK_FACTOR if live.quick else seconds


def _has_one_reader(live: Live) -> bool:
    """Return True if one person, who is here, plays with the house: they ask for the next hand.

    A solo table waits for its person anyway.
    """
    seats = range(len(live.seats))
    return live.solo or any(
        live.seats[seat].here and live.is_alone_with_the_house(seat) for seat in seats
    )


def undo_of(live: Live, agreed: LiveProposal) -> Action:
    return Action(UNDO, live.since_own_last(agreed.position))


def seats_that_may_undo(live: Live) -> tuple[int, ...]:
    """Return the seats that may propose to undo their last action, while a person is in turn."""
    if _person_in_turn(live) is None:
        return ()
    return tuple(seat for seat in live.acted_lately() if live.undone_by(seat))


def _person_in_turn(live: Live) -> Sitter | None:
    if live.playing is None or live.state != Table.State.PLAYING or live.playing.engine.turn < 0:
        return None
    engine = live.playing.engine
    if live.claimed >= 0 or live.undoing is not None:
        return None
    sitter = live.seats[engine.turn]
    cut = engine.deal.phase == CUTTING and sitter.cut_for_me
    return None if sitter.automatic or cut else sitter


class AutomaticAction(NamedTuple):
    """An action of a table (`seat` -1) or for a seat; `player_id` agreed to it, or is None."""

    seat: int
    action: str
    by: str
    player_id: int | None = None


async def decide(live: Live, playing: LiveGame) -> AutomaticAction:
    """Return the automatic action that is due.

    After an accepted claim the rest of the hand is played for everybody. Players who agreed to it
    count as the actors. A stand-in declines for its person what only some rules ask.
    """
    engine = playing.engine
    if engine.between_deals:
        return AutomaticAction(-1, NEXT, GameEvent.By.CLOCK)
    agreed = live.undoing
    if agreed is not None:
        undo = str(undo_of(live, agreed))
        return AutomaticAction(agreed.position, undo, GameEvent.By.PERSON, agreed.player_id)
    seat = engine.turn
    if engine.deal.phase == CUTTING:
        return AutomaticAction(seat, CUT_FOR_ME, GameEvent.By.CLOCK)
    sitter = live.seats[seat]
    if sitter.stand_in and DECLINED in engine.legal_actions():
        return AutomaticAction(seat, str(DECLINED), GameEvent.By.HOUSE)
    seen = engine.observe(seat)
    if playing.position is not None:
        action = str(await thinking.choose_alike(playing.position(seen), seen))
    else:
        action = str(await thinking.choose(live.house_level, seen))
    if live.claimed >= 0 and not sitter.automatic:
        return AutomaticAction(seat, action, GameEvent.By.PERSON, sitter.player_id)
    return AutomaticAction(seat, action, GameEvent.By.HOUSE)
