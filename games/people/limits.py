"""How often something may be asked for in a stretch of time, counted in the cache.

Counters are the cache's own, which several processes raise without losing one. Libraries keep a
list of moments instead: django-ninja's loses requests that come at the same time and tells no
quota, allauth's, where the list is held for a second by others, refuses who has asked for little.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.core.cache import cache
from django.http import HttpRequest
from django.utils import timezone

from games.models import Player
from games.people.addresses import asker
from games.people.identity import PLAYER_KEY

#: Seconds in which acts at tables are counted.
A_WHILE: Final = 20
#: Seconds in which requests are counted together.
MINUTE: Final = 60
HOUR: Final = 3600
#: Seconds in which is counted what costs the server rows that are kept.
TEN_MINUTES: Final = 600
#: How much one member may report to the site's staff in that time.
REPORTS_IN_TEN_MINUTES: Final = 5


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


def may_act(request: HttpRequest) -> bool:
    """Count one more act at a table by whoever asks; False when there have been too many.

    As many count in a while as a socket may send messages.
    """
    most: int = settings.SOCKET_BURST + A_WHILE * settings.SOCKET_RATE
    session = request.session
    account, guest = session.get(SESSION_KEY), session.get(PLAYER_KEY)
    who = f"account-{account}" if account else f"guest-{guest}" if guest else asker(request)
    return _counted(f"acts:{who}", A_WHILE) <= most


def may_report(reporter: Player) -> bool:
    """Count one more report by a member; False when there have been too many."""
    return _counted(f"reports-made:{reporter.pk}", TEN_MINUTES) <= REPORTS_IN_TEN_MINUTES


# Whom it has been refused --------------------------------------------------------------------

#: After how many refusals in an hour an address is listed, and how many are listed at most: the
#: latest of each hour.
REFUSED_MUCH: Final = 20
MOST_LISTED: Final = 50


def note_refusal(address: str) -> None:
    """Count that an address has been refused for asking too often; for at most two hours.

    An address that is refused much is listed once an hour, in a slot of its own, so that several
    processes never overwrite each other's.
    """
    hour = int(timezone.now().timestamp()) // HOUR
    if _counted(_refusals(hour, address), 2 * HOUR) == REFUSED_MUCH:
        listed = _counted(f"refused-listed:{hour}", 2 * HOUR)
        cache.set(_slot(hour, listed % MOST_LISTED), address, 2 * HOUR)


def refused_much() -> list[tuple[str, int]]:
    """Return the addresses refused much in this hour or the last, with how often in the later one.

    Without Redis each process knows of its own.
    """
    known: dict[str, int] = {}
    this_hour = int(timezone.now().timestamp()) // HOUR
    for hour in (this_hour, this_hour - 1):
        listed = cache.get_many([_slot(hour, at) for at in range(MOST_LISTED)]).values()
        counters = {_refusals(hour, address): address for address in listed}
        times = cache.get_many(list(counters))
        known = {counters[key]: count for key, count in times.items()} | known
    return sorted(known.items(), key=lambda one: one[1], reverse=True)[:MOST_LISTED]


def _refusals(hour: int, address: str) -> str:
    return f"refused:{hour}:{address}"


def _slot(hour: int, at: int) -> str:
    return f"refused-much:{hour}:{at}"


def _within(what: str, request: HttpRequest, most: int) -> bool:
    address = asker(request)
    if _counted(f"{what}:{address}", TEN_MINUTES) <= most:
        return True
    note_refusal(address)
    return False


def _counted(key: str, seconds: int) -> int:
    """Count one more under a key that is forgotten so long after the first; return how many."""
    cache.add(key, 0, seconds)
    try:
        return int(cache.incr(key))
    except ValueError:  # it was forgotten in between
        return 1
