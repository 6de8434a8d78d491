"""How long a table rests before it acts by itself, and what it then does.

House players act, the pack is cut for those who leave it to the table, the next hand is dealt,
and a turn clock runs out.
"""

from __future__ import annotations

import asyncio
import random
from datetime import datetime, timedelta
from typing import Final

from django.conf import settings

from games.bots.house import choose
from games.engine.actions import NEXT
from games.engine.observation import CUTTING
from games.live import turn_clock
from games.live.state import Live, Playing, Sitter
from games.models import GameEvent, Table

#: What leaves the number of cards to lift to the table.
CUT_FOR_ME: Final = "cut auto"
_chance = random.SystemRandom()


def due(live: Live, since: datetime) -> datetime | None:
    """When the table acts by itself next, or None when it waits for a person without a clock."""
    seconds = pause(live)
    return since + timedelta(seconds=seconds) if seconds is not None else turn_ends(live, since)


def turn_ends(live: Live, since: datetime) -> datetime | None:
    """When the clock of the person in turn has run out, or None when none runs.

    since: when the last thing happened in the game.
    """
    person = _person_in_turn(live)
    if person is None or live.turn_seconds is None:
        return None
    return turn_clock.ends(live.turn_seconds, since, person.since)


def pause(live: Live) -> float | None:
    """Seconds from the last event until the table acts by itself, or None.

    At a table that was closed nothing happens any more, though its last game is not over.
    """
    if live.playing is None or live.state != Table.State.PLAYING:
        return None
    engine = live.playing.engine
    if engine.between_deals:
        return float(settings.NEXT_DEAL_PAUSE)
    if _person_in_turn(live) is not None:
        return None
    shortest, longest = settings.HOUSE_PAUSE
    seconds: float = shortest + (longest - shortest) * _chance.random()
    trick_rests = not engine.deal.plays and bool(engine.deal.tricks)
    return seconds + settings.TRICK_REST if trick_rests else seconds


def _person_in_turn(live: Live) -> Sitter | None:
    """Whom the table waits for, or None when it does not."""
    if live.playing is None or live.state != Table.State.PLAYING or live.playing.engine.turn < 0:
        return None
    engine = live.playing.engine
    sitter = live.seats[engine.turn]
    cut = engine.deal.phase == CUTTING and sitter.cut_for_me
    return None if sitter.automatic or cut else sitter


async def decide(playing: Playing) -> tuple[int, str, str]:
    """The seat that acts by itself (-1: the table), what it does, and as whom."""
    engine = playing.engine
    if engine.between_deals:
        return -1, NEXT, GameEvent.By.CLOCK
    seat = engine.turn
    if engine.deal.phase == CUTTING:
        return seat, CUT_FOR_ME, GameEvent.By.CLOCK
    action = await asyncio.to_thread(choose, engine.observe(seat), _chance)
    return seat, str(action), GameEvent.By.HOUSE
