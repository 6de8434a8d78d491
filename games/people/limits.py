"""Rate limits, counted in the cache.

Uses the cache's atomic counters. The libraries at hand keep lists of timestamps instead:
django-ninja's loses concurrent requests and reports no quota, and allauth's rejects callers below
the limit while another process holds its lock.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.core.cache import cache
from django.http import HttpRequest
from django.utils import timezone

from games.models import Player
from games.people.addresses import client_address
from games.people.identity import PLAYER_KEY
from games.people.traces import browser_of

#: Window of acts at tables, in seconds.
A_WHILE: Final = 20
#: Window of API requests, in seconds.
MINUTE: Final = 60
HOUR: Final = 3600
#: Window of requests that create rows, in seconds.
TEN_MINUTES: Final = 600
#: Reports to the site's staff by one member in that window.
REPORTS_IN_TEN_MINUTES: Final = 5
#: Invitations to tables by one player in that window.
INVITATIONS_IN_TEN_MINUTES: Final = 30
#: Calls for a director from one table in that window.
CALLS_IN_TEN_MINUTES: Final = 6
#: Hints that one player may ask for in a minute.
HINTS_IN_A_MINUTE: Final = 20
#: Positions of the analysis board that one caller may have valued in an hour.
ANALYSES_IN_AN_HOUR: Final = 40
#: Different hands that one caller may open on the board in that window. Its refusals tell of cards
#: in play, so that who could try all hands would know which ones another player holds.
HANDS_IN_TEN_MINUTES: Final = 80
#: The same for all who have no account at one address, where a new guest costs nothing.
HANDS_BY_ADDRESS: Final = 240
#: Presses on the board in a minute that the house answers, for one caller.
PLAYED_ON_IN_A_MINUTE: Final = 40
#: Wrong codes from one account, browser or address in that window: see `count_wrong_code`.
WRONG_CODES_IN_TEN_MINUTES: Final = 60


#: Pictures of links drawn in that window, for one address and for all.
PICTURES_IN_TEN_MINUTES: Final = 60
ALL_PICTURES_IN_TEN_MINUTES: Final = 600


@dataclass(frozen=True, slots=True)
class Quota:
    """A caller's quota: requests per minute, how many are left, and seconds until it resets."""

    limit: int
    left: int
    resets: int
    exceeded: bool


def count(caller: str, limit: int, now: datetime) -> Quota:
    minute, past = divmod(int(now.timestamp()), MINUTE)
    made = _counted(f"quota:{caller}:{minute}", 2 * MINUTE)
    return Quota(limit, max(0, limit - made), MINUTE - past, made > limit)


def may_make_table(request: HttpRequest) -> bool:
    return _within("tables-made", request, settings.TABLES_IN_TEN_MINUTES)


def may_make_guest(request: HttpRequest) -> bool:
    return _within("guests-made", request, settings.GUESTS_IN_TEN_MINUTES)


def may_ask(request: HttpRequest) -> bool:
    return _within("seats-asked", request, settings.SEAT_REQUESTS_IN_TEN_MINUTES)


def may_review(request: HttpRequest, account: int | None) -> bool:
    """Count a review to be made, by the account if there is one and otherwise by the address."""
    most: int = settings.REVIEWS_IN_TEN_MINUTES
    if account is None:
        return _within("reviews-asked", request, most)
    return _counted(f"reviews-asked:account-{account}", TEN_MINUTES) <= most


def may_draw(request: HttpRequest) -> bool:
    """Count a picture of a link to be drawn, which takes a fortieth of a second of a processor."""
    return (
        _within("pictures-drawn", request, PICTURES_IN_TEN_MINUTES)
        and _counted("pictures-drawn", TEN_MINUTES) <= ALL_PICTURES_IN_TEN_MINUTES
    )


def may_have_hint(player: Player) -> bool:
    return _counted(f"hints:{player.pk}", MINUTE) <= HINTS_IN_A_MINUTE


def may_act(request: HttpRequest, at: str = "") -> bool:
    """Count an act of the account, guest or address; the limit is that of messages on a socket.

    at: where acts of a browser without an account are counted apart, as all phones in a hall may
    share one address.
    """
    most: int = settings.SOCKET_BURST + A_WHILE * settings.SOCKET_RATE
    return _counted(f"acts:{caller(request, at)}", A_WHILE) <= most


def caller(request: HttpRequest, at: str = "") -> str:
    """Return the account, guest or address that is counted; `at` as in `may_act`."""
    session = request.session
    account, guest = session.get(SESSION_KEY), session.get(PLAYER_KEY)
    if account:
        return f"account-{account}"
    if guest:
        return f"guest-{guest}"
    browser = browser_of(session) if at else ""
    return f"{browser or client_address(request)}{at}"


def more_analyses_from(who: str, now: datetime) -> datetime | None:
    """Count a position to be valued for a caller; return from when on more may be, if not now."""
    key = f"analyses:{who}"
    cache.add(f"{key}:until", now + timedelta(seconds=HOUR), HOUR)
    if _counted(key, HOUR) <= ANALYSES_IN_AN_HOUR:
        return None
    until: datetime = cache.get(f"{key}:until", now)
    return until


def may_open_hands(request: HttpRequest, hands: Iterable[str]) -> bool:
    """Count those hands of a position that a caller has not opened in the last ten minutes.

    Without an account they count for the address, too.
    """
    who = caller(request)
    keys = {f"hand-opened:{who}:{hand}" for hand in hands}
    new = keys - cache.get_many(keys).keys()
    opened = [_counted(f"hands-opened:{who}", TEN_MINUTES) for _ in new]
    if opened and opened[-1] > HANDS_IN_TEN_MINUTES:
        return False
    if SESSION_KEY not in request.session:
        within = [_within("hands-opened", request, HANDS_BY_ADDRESS) for _ in new]
        if not all(within):
            return False
    cache.set_many(dict.fromkeys(new, True), TEN_MINUTES)
    return True


def may_play_on(who: str) -> bool:
    """Count a press on the analysis board that the house answers."""
    return _counted(f"played-on:{who}", MINUTE) <= PLAYED_ON_IN_A_MINUTE


def may_try_code(request: HttpRequest, *, short: bool) -> bool:
    """Return False after too many wrong codes; right ones are not counted."""
    return int(cache.get(_wrong_codes(request, short=short), 0)) < WRONG_CODES_IN_TEN_MINUTES


def count_wrong_code(request: HttpRequest, *, short: bool) -> None:
    """Count a wrong code of the account, the browser or the address.

    short: a join code, which can be guessed, so that browsers without an account are counted by
    address. Nobody guesses a longer one: there the address counts for those without a session only.
    """
    if _counted(_wrong_codes(request, short=short), TEN_MINUTES) >= WRONG_CODES_IN_TEN_MINUTES:
        record_refusal(client_address(request))


def _wrong_codes(request: HttpRequest, *, short: bool) -> str:
    who = client_address(request)
    if account := request.session.get(SESSION_KEY):
        who = f"account-{account}"
    elif not short:
        who = f"long-{browser_of(request.session) or who}"
    return f"wrong-codes:{who}"


def may_call(place: str, by: Player | None) -> bool:
    """Count a call for a director from a place, such as a table; those of its players apart."""
    who = place if by is None else f"{place}:player-{by.pk}"
    return _counted(f"director-calls:{who}", TEN_MINUTES) <= CALLS_IN_TEN_MINUTES


def may_report(reporter: Player) -> bool:
    return _counted(f"reports-made:{reporter.pk}", TEN_MINUTES) <= REPORTS_IN_TEN_MINUTES


def may_invite(player: Player) -> bool:
    return _counted(f"invitations:{player.pk}", TEN_MINUTES) <= INVITATIONS_IN_TEN_MINUTES


# Refused addresses ---------------------------------------------------------------------------

#: Refusals in an hour after which an address is listed, and how many are listed per hour.
REFUSED_MUCH: Final = 20
MAX_LISTED: Final = 50


def record_refusal(address: str) -> None:
    """Count a rate-limited request of an address, for at most two hours.

    Addresses over the threshold are listed in one cache slot each, so that processes never
    overwrite each other.
    """
    hour = int(timezone.now().timestamp()) // HOUR
    if _counted(_refusals(hour, address), 2 * HOUR) == REFUSED_MUCH:
        listed = _counted(f"refused-listed:{hour}", 2 * HOUR)
        cache.set(_slot(hour, listed % MAX_LISTED), address, 2 * HOUR)


def refused_much() -> list[tuple[str, int]]:
    """Return addresses refused often in this hour or the last, with their latest hourly count.

    Without Redis each process knows only its own.
    """
    known: dict[str, int] = {}
    this_hour = int(timezone.now().timestamp()) // HOUR
    for hour in (this_hour, this_hour - 1):
        listed = cache.get_many([_slot(hour, at) for at in range(MAX_LISTED)]).values()
        counters = {_refusals(hour, address): address for address in listed}
        times = cache.get_many(list(counters))
        known = {counters[key]: count for key, count in times.items()} | known
    return sorted(known.items(), key=lambda one: one[1], reverse=True)[:MAX_LISTED]


def _refusals(hour: int, address: str) -> str:
    return f"refused:{hour}:{address}"


def _slot(hour: int, at: int) -> str:
    return f"refused-much:{hour}:{at}"


def _within(what: str, request: HttpRequest, most: int) -> bool:
    address = client_address(request)
    if _counted(f"{what}:{address}", TEN_MINUTES) <= most:
        return True
    record_refusal(address)
    return False


def _counted(key: str, seconds: int) -> int:
    """Increment a counter that expires `seconds` after its first use; return its value."""
    cache.add(key, 0, seconds)
    try:
        return int(cache.incr(key))
    except ValueError:  # it expired in between
        return 1
