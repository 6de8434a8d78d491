"""A running game as those see it who may see it only two hands later.

Whoever has no seat could otherwise tell a player what the others cannot notice: how the hands
before were played, card by card, at once. A finished game is shown as it is.
"""

from dataclasses import replace
from typing import Final

from games.live.state import Live
from games.models import Table

#: How many hands later.
HANDS: Final = 2


def is_delayed(live: Live) -> bool:
    return live.delayed and live.state == Table.State.PLAYING


def earlier(live: Live) -> Live:
    """Return a table of a running game as it was, with its seats as they are now.

    Nothing that belongs to the present hand is kept: neither the clock nor proposals.
    """
    playing = live.playing
    engine = playing.engine.earlier(HANDS) if playing is not None else None
    then = None
    if playing is not None and engine is not None:
        then = replace(playing, engine=engine, keys={}, actors=playing.actors[: engine.version])
    number = engine.standing.deal_number if engine is not None else 0
    return replace(
        live,
        playing=then,
        turn_seconds=None,
        requests=(),
        proposals=tuple(one for one in live.proposals if one.deal_number < number),
        resigned=-1,
        timer=None,
        look=None,
    )
