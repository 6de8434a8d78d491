"""How often something may be asked for in a stretch of time, counted in the cache.

Counters are the cache's own, which several processes raise without losing one. Libraries keep a
list of moments instead: django-ninja's loses requests that come at the same time and tells no
quota, allauth's, where the list is held for a second by others, refuses who has asked for little.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest

from games.people.addresses import asker

#: Seconds in which requests are counted together.
MINUTE: Final = 60
#: Seconds in which is counted what costs the server rows that are kept.
TEN_MINUTES: Final = 600


@dataclass(frozen=True, slots=True)
class Quota:
    """How far a caller's quota is used up.

    limit: requests in a minute. left: how many more may come in this one. resets: seconds until
    the next. exceeded: whether the request just counted was one too many.
    """

    limit: int
    left: int
    resets: int
    exceeded: bool


def count(caller: str, limit: int, now: datetime) -> Quota:
    """Count one more request in this minute of the clock.

    Args:
        caller: a word that tells callers apart.
        limit: requests a minute.
        now: the present moment.
    """
    minute, past = divmod(int(now.timestamp()), MINUTE)
    made = _counted(f"quota:{caller}:{minute}", 2 * MINUTE)
    return Quota(limit, max(0, limit - made), MINUTE - past, made > limit)


def may_make_table(request: HttpRequest) -> bool:
    """Count one more table made from the asker's address; False when there have been too many."""
    return _within("tables-made", request, settings.TABLES_IN_TEN_MINUTES)


def may_make_guest(request: HttpRequest) -> bool:
    """Count a visitor who takes a seat as a guest; False when too many came from their address."""
    return _within("guests-made", request, settings.GUESTS_IN_TEN_MINUTES)


def may_ask(request: HttpRequest) -> bool:
    """Count one more request for a seat from the asker's address; False when there are too many."""
    return _within("seats-asked", request, settings.SEAT_REQUESTS_IN_TEN_MINUTES)


def _within(what: str, request: HttpRequest, most: int) -> bool:
    return _counted(f"{what}:{asker(request)}", TEN_MINUTES) <= most


def _counted(key: str, seconds: int) -> int:
    """Count one more under a key that is forgotten so long after the first; return how many."""
    cache.add(key, 0, seconds)
    try:
        return int(cache.incr(key))
    except ValueError:  # it was forgotten in between
        return 1
