"""The close of a day: unfinished tries end, the deals open, and results are compared.

Each step is safe to run twice, late or concurrently, and a later run does what an earlier left.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from fractions import Fraction
from typing import Final

import structlog
from django.db import DatabaseError, transaction

from games.models import Player, Table
from games.notifying import pushes
from games.notifying.kinds import DAILY_RESULTS
from games.play import house_games
from games.seats import reserved
from games.shuffle import shared
from tournaments.daily import days, standings, tries
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
#: Tries read, or written, at once.
CHUNK: Final = 200


def tick(now: datetime) -> None:
    """Do everything that is due: make days, store points, play the house's part, close days."""
    days.make_ahead(now)
    while tries.store_points(tries.just_ended(CHUNK)):
        pass
    end_late_tables(now)
    unclosed = DailyDeal.objects.filter(opens__lte=now, closed=None).select_related("club", "deals")
    for daily in unclosed.filter(closes__lte=now).order_by("closes"):
        _guarded(close, daily, now)
    # The house needs some seconds of a processor, so one day a run.
    without_house = unclosed.filter(house__isnull=True, deals__opened=None).order_by("closes")
    any(_guarded(play_house, daily, now) for daily in without_house)


def _guarded(step: Callable[[DailyDeal, datetime], bool], daily: DailyDeal, now: datetime) -> bool:
    """Take a step and return what it does; a failure is logged and holds up no other day."""
    try:
        return step(daily, now)
    except DatabaseError:
        raise
    except Exception:
        log.exception("daily deal not continued", daily=daily.pk, step=step.__name__)
        return False


def end_late_tables(now: datetime) -> None:
    """End the games at solo tables whose deals have closed, also of days and clubs since deleted.

    The house's own game is left, which is played to its end.
    """
    late = Table.objects.filter(
        solo=True,
        shared_deals__opens_from__lte=now,
        shared_deals__opened=None,
        state__in=shared.STILL_TO_PLAY,
    )
    kept = DailyDeal.objects.filter(closes__gt=now - HOUSE_WITHIN).values("house_table")
    people = late.exclude(pk__in=kept.exclude(house_table=None))
    for table_id in list(people.values_list("pk", flat=True)):
        try:
            reserved.end(table_id, now)
        except DatabaseError:
            raise
        except Exception:
            log.exception("solo table not ended", table=table_id)


def play_house(daily: DailyDeal, _now: datetime) -> bool:
    """Let four house players play a day's deals; return False if they have."""
    with transaction.atomic():
        held = DailyDeal.objects.select_for_update(of=("self",)).select_related("club", "deals")
        daily = held.get(pk=daily.pk)
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
    with transaction.atomic():
        held = (
            DailyDeal.objects.select_for_update(of=("self",))
            .select_related("club")
            .get(pk=daily.pk)
        )
        if held.closed is not None:
            return False
        played = [one for one in held.tries.select_related("player") if one.points]
        held.means = _compare(played)
        _place(held, played)
        addresses = Counter(held.tries.values_list("address", flat=True))
        for one in played:
            one.same_address = bool(one.address) and addresses[one.address] > 1
        held.played, held.closed = len(played), now
        held.save(update_fields=["means", "played", "closed"])
        DailyTry.objects.bulk_update(
            played, ["percents", "percent", "place", "same_address"], batch_size=CHUNK
        )
        held.tries.update(address="")
        _tell(held, played)
    return True


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


def _tell(daily: DailyDeal, played: Sequence[DailyTry]) -> None:
    players: list[Player] = [one.player for one in played]
    title, path = f"{tries.title_of(daily.club)}: the results are in", tries.path_of(daily)
    key = f"daily {daily.pk} results"
    pushes.queue(DAILY_RESULTS, key, [one.pk for one in players], title, path)
    letters.write(key, players, title, "daily_results", kind=DAILY_RESULTS, daily=daily, path=path)
