"""How much one person may say, and how much may be said at one table.

Counted in windows of fixed length in the cache, whose counters are atomic in every process. A
player's own limit is counted first, so that somebody who is refused does not use up the table's.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from django.core.cache import cache

#: Seconds for which all phrases rest after one.
PHRASE_REST: Final = 4


#: What one player may say, at all tables together: at most so many lines in so many seconds.
OF_PLAYER: Final = ((10, 5), (60, 15), (3600, 200))
#: What may be said in one channel of a table.
OF_TABLE: Final = ((10, 20), (60, 60))


def may_say(player_id: int, table_id: int, channel: str, now: datetime) -> bool:
    """Count a line, and return False if it is one too many."""
    seconds = int(now.timestamp())
    return _within(f"talk-of:{player_id}", OF_PLAYER, seconds) and _within(
        f"talk-at:{table_id}:{channel}", OF_TABLE, seconds
    )


def may_say_phrase(player_id: int, now: datetime) -> bool:
    """Return False within `PHRASE_REST` seconds of the player's last phrase."""
    last = cache.get(f"talk-phrase:{player_id}", 0.0)
    if 0 <= now.timestamp() - last < PHRASE_REST:
        return False
    cache.set(f"talk-phrase:{player_id}", now.timestamp(), PHRASE_REST + 1)
    return True


def _within(key: str, windows: Sequence[tuple[int, int]], seconds: int) -> bool:
    """Count one more in each window; return False if one of them has too many."""
    counts = []
    for length, most in windows:
        name = f"{key}:{length}:{seconds // length}"
        cache.add(name, 0, 2 * length)
        try:
            counts.append(int(cache.incr(name)) <= most)
        except ValueError:  # it expired in between
            continue
    return all(counts)
