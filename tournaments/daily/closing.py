"""The close of a day: unfinished tries end, the deals open, and results are compared.

Each step is safe to run twice, late or concurrently, and a later run does what an earlier left.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from fractions import Fraction
from typing import Final

import structlog
from django.db import transaction

from games.exclusive_tasks import failing_alone
from games.models import Player, Table
from games.notifying import pushes
from games.notifying.kinds import DAILY_RESULTS
from games.play import house_games
from games.seats import reserved
from games.shuffle import shared
from tournaments.daily import days, standings, tries, worths
from tournaments.formats import comparison
from tournaments.formats.comparison import Scoring
from tournaments.models import DailyDeal, DailyTry, Membership
from tournaments.models.daily import DEALS
from tournaments.outbox import letters

log = structlog.get_logger(__name__)

#: The size of a field in which matchpoints count as they are.
FULL_FIELD: Final = 8
#: How long after the close the results wait for the house's play, if no worker had time for it.
HOUSE_WITHIN: Final = timedelta(minutes=30)
#: Tries read, or written, at once; late tables ended in one run.
CHUNK: Final = 200
LATE_AT_ONCE: Final = 500
#: How long after it ended a day may wait for the worths of the house's choices.
VALUED_WITHIN: Final = timedelta(days=1)


def tick(now: datetime) -> None:
    """Do everything that is due: make days, store points, play the house's part, close days."""
    days.make_ahead(now)
    while tries.store_points(tries.just_ended(CHUNK)):
        pass
    end_late_tables(now)
    begun = DailyDeal.objects.filter(opens__lte=now).select_related("club", "deals")
    unclosed = begun.filter(closed=None).order_by("closes")
    for daily in unclosed.filter(closes__lte=now):
        _guarded(close, daily, now)
    # These need some seconds of a processor, so one day a run: any, lest one that fails come first.
    without_house = unclosed.filter(house__isnull=True, deals__opened=None)
    for daily in without_house.order_by("?")[:1]:
        _guarded(play_house, daily, now)
    recent = begun.filter(closes__gt=now - VALUED_WITHIN, closed__isnull=False)
    unvalued = recent.filter(played__gt=0, house__isnull=False, valued__lt=DEALS)
    for daily in unvalued.order_by("?")[:1]:
        _guarded(worths.value_deal, daily, now)


def _guarded(step: Callable[[DailyDeal, datetime], bool], daily: DailyDeal, now: datetime) -> bool:
    """Take a step and return what it does; a failure is logged and holds up no other day."""
    with failing_alone(log, "daily deal not continued", daily=daily.pk, step=step.__name__):
        return step(daily, now)
    return False  # type: ignore[unreachable] # after a failure


def end_late_tables(now: datetime) -> None:
    """End games at solo tables whose deals have closed, also of days and clubs since deleted.

    The house's own game is left, which is played to its end. At most `LATE_AT_ONCE` end, each in a
    transaction of its own; the next run goes on.
    """
    late = Table.objects.filter(
        solo=True,
        shared_deals__opens_from__lte=now,
        shared_deals__opened=None,
        state__in=shared.STILL_TO_PLAY,
    )
    kept = DailyDeal.objects.filter(closes__gt=now - HOUSE_WITHIN).values("house_table")
    people = late.exclude(pk__in=kept.exclude(house_table=None)).order_by("pk")
    for table_id in list(people.values_list("pk", flat=True)[:LATE_AT_ONCE]):
        with failing_alone(log, "solo table not ended", table=table_id):
            reserved.end(table_id, now)


def play_house(daily: DailyDeal, _now: datetime) -> bool:
    """Let four house players play a day's deals; return False if they have."""
    with transaction.atomic():
        # No key: whoever begins a try has locked the deals, and then refers to this row.
        held = DailyDeal.objects.select_for_update(of=("self",), no_key=True)
        daily = held.select_related("club", "deals").get(pk=daily.pk)
        if daily.house is not None:
            return False
        if daily.house_table is None:
            daily.house_table = tries.open_house_table(daily)
            daily.save(update_fields=["house_table"])
    house_games.play_out(daily.house_table.pk)
    made = tries.points_of(daily.house_table.pk)
    if made is None or not made[1]:  # it was ended before its time
        return False
    return bool(DailyDeal.objects.filter(pk=daily.pk, house__isnull=True).update(house=made[0]))


def close(daily: DailyDeal, now: datetime) -> bool:
    """Open a day's deals and store its results; return False if it is too early or was done.

    An unfinished try counts for its finished deals only and has no place.
    """
    shared.open_deals(daily.deals_id)
    daily.deals.refresh_from_db(fields=["opened"])
    if daily.deals.opened is None:
        return False  # a game is still being ended, or the house plays
    tries.store_points(daily.tries.filter(points__isnull=True))
    everybody = list(daily.tries.select_related("player").order_by("pk"))
    # Asked after reading the addresses, which whoever closes a day removes with it.
    unclosed = DailyDeal.objects.filter(pk=daily.pk, closed=None)
    if not unclosed.exists():
        return False
    played = [one for one in everybody if one.points]
    means = _compare(played)
    _place(daily, played)
    addresses = Counter(one.address for one in everybody)
    for one in played:
        one.same_address = bool(one.address) and addresses[one.address] > 1
    portions = [played[first : first + CHUNK] for first in range(0, len(played), CHUNK)]
    for portion in portions:
        DailyTry.objects.bulk_update(portion, ["percents", "percent", "place", "same_address"])
    for portion in portions:
        _tell(daily, portion)
    with transaction.atomic():
        if not unclosed.update(means=means, played=len(played), closed=now):
            return False
        daily.tries.update(address="")
    return True


def _tell(daily: DailyDeal, played: Sequence[DailyTry]) -> None:
    """Notify the players of some tries; repeating it changes nothing."""
    players: list[Player] = [one.player for one in played]
    title, path = f"{tries.title_of(daily.club)}: the results are in", tries.path_of(daily)
    key = f"daily {daily.pk} results"
    with transaction.atomic():
        pushes.queue(DAILY_RESULTS, key, [one.pk for one in players], title, path)
        letters.write(
            key, players, title, "daily_results", kind=DAILY_RESULTS, daily=daily, path=path
        )


def _compare(played: Sequence[DailyTry]) -> list[float]:
    """Set the percentages of tries, deal by deal; return the means of the points."""
    means = []
    points_of: list[list[int]] = [one.points or [] for one in played]
    shares: list[list[Fraction]] = [[] for _ in played]
    for deal in range(DEALS):
        points = [made[deal] if deal < len(made) else None for made in points_of]
        scores = comparison.deal_scores(points, Scoring.MATCHPOINTS)
        known = [made for made in points if made is not None]
        means.append(sum(known) / len(known) if known else 0.0)
        for share, score in zip(shares, scores, strict=True):
            if score is not None:
                drawn = comparison.neuberg(score, len(known), FULL_FIELD)
                share.append(100 * (drawn + Fraction(1, 2)))
    for one, share in zip(played, shares, strict=True):
        one.percents = [round(float(part), 2) for part in share]
        one.percent = float(sum(share) / DEALS) if one.ended else None
    return means


def _place(daily: DailyDeal, played: Sequence[DailyTry]) -> None:
    """Give places to the members who have finished; equal percentages share one."""
    for one in played:
        one.place = None  # an earlier run may have stored one
    listed = [one for one in played if one.percent is not None and one.player.user_id is not None]
    if daily.club_id is not None:
        members = set(
            Membership.objects.filter(club=daily.club_id).values_list("player", flat=True)
        )
        listed = [one for one in listed if one.player_id in members]
    listed.sort(key=lambda one: -(one.percent or 0))
    places = standings.numbered([one.percent for one in listed])
    for one, place in zip(listed, places, strict=True):
        one.place = place
