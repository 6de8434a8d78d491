"""How long a table rests before it acts by itself, and what it then does.

House players act, the pack is cut for those who leave it to the table, the next hand is dealt,
a turn clock runs out, and the house takes over from somebody who has gone.
"""

from __future__ import annotations

import asyncio
import random
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from django.conf import settings

from games.bots.house import choose
from games.engine.actions import NEXT, UNDO, Action
from games.engine.observation import CUTTING
from games.live import turn_clock
from games.live.state import Live, Playing, Proposed, Sitter
from games.models import GameEvent, Table

#: What leaves the number of cards to lift to the table.
CUT_FOR_ME: Final = "cut auto"
#: How much of its time a house player takes where everybody wants it quick.
QUICK: Final = 0.3
_chance = random.SystemRandom()


def due(live: Live, since: datetime) -> datetime | None:
    """When the table acts by itself next, or None when it waits for a person without a clock."""
    seconds = pause(live)
    if seconds is not None:
        return since + timedelta(seconds=seconds)
    moments = (turn_ends(live, since), absence_ends(live))
    return min((moment for moment in moments if moment is not None), default=None)


def turn_ends(live: Live, since: datetime) -> datetime | None:
    """When the clock of the person in turn has run out, or None when none runs.

    since: when the last thing happened in the game.
    """
    person = _person_in_turn(live)
    if person is None or live.turn_seconds is None:
        return None
    return turn_clock.ends(live.turn_seconds, since, person.since)


def absence_ends(live: Live) -> datetime | None:
    """When the house takes over from the person in turn, or None while that person is here.

    As the rows say it (`games.live.absence.ends`): only where somebody else is, who waits.
    """
    person = _person_in_turn(live)
    if person is None or live.house_after is None or person.missing_since is None:
        return None
    if not any(one.here for one in live.seats):
        return None
    return person.missing_since + timedelta(seconds=live.house_after)


def pause(live: Live) -> float | None:
    """Seconds from the last event until the table acts by itself, or None.

    Neither a closed table nor a finished game acts. A table read while its last card is being
    stored can still say ``PLAYING``, so the engine is asked too.
    """
    if live.playing is None or live.state != Table.State.PLAYING:
        return None
    engine = live.playing.engine
    if engine.standing.over:
        return None
    if engine.between_deals:
        return float(settings.NEXT_DEAL_PAUSE)
    if live.claimed >= 0 or live.undoing is not None:
        return 0.0
    if _person_in_turn(live) is not None:
        return None
    shortest, longest = settings.HOUSE_PAUSE
    seconds: float = shortest + (longest - shortest) * _chance.random()
    if not engine.deal.plays and engine.deal.tricks:
        seconds += settings.TRICK_REST
    return seconds * QUICK if live.quick else seconds


def undo_of(live: Live, agreed: Proposed) -> Action:
    """What a table does that has agreed to undo something."""
    return Action(UNDO, live.since_own_last(agreed.position))


def undoers(live: Live) -> tuple[int, ...]:
    """The seats whose persons may propose to undo what they did last, while a person is asked."""
    if _person_in_turn(live) is None:
        return ()
    return tuple(seat for seat in range(len(live.seats)) if live.undone_by(seat))


def _person_in_turn(live: Live) -> Sitter | None:
    """Whom the table waits for, or None when it does not."""
    if live.playing is None or live.state != Table.State.PLAYING or live.playing.engine.turn < 0:
        return None
    engine = live.playing.engine
    if live.claimed >= 0 or live.undoing is not None:
        return None
    sitter = live.seats[engine.turn]
    cut = engine.deal.phase == CUTTING and sitter.cut_for_me
    return None if sitter.automatic or cut else sitter


class Due(NamedTuple):
    """What a table does by itself.

    Attributes:
        seat: whose action it is; -1: the table's.
        action: as text.
        by: a ``GameEvent.By``.
        player_id: the person who has agreed to it, or None.
    """

    seat: int
    action: str
    by: str
    player_id: int | None = None


async def decide(live: Live, playing: Playing) -> Due:
    """What a table does by itself now.

    The rest of a hand that was claimed is played for everybody. Who sits there has agreed to it, so
    that it is their own play.
    """
    engine = playing.engine
    if engine.between_deals:
        return Due(-1, NEXT, GameEvent.By.CLOCK)
    agreed = live.undoing
    if agreed is not None:
        undo = str(undo_of(live, agreed))
        return Due(agreed.position, undo, GameEvent.By.PERSON, agreed.player_id)
    seat = engine.turn
    if engine.deal.phase == CUTTING:
        return Due(seat, CUT_FOR_ME, GameEvent.By.CLOCK)
    sitter = live.seats[seat]
    action = str(await asyncio.to_thread(choose, engine.observe(seat), _chance))
    if live.claimed >= 0 and not sitter.automatic:
        return Due(seat, action, GameEvent.By.PERSON, sitter.player_id)
    return Due(seat, action, GameEvent.By.HOUSE)
