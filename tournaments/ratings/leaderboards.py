"""Leaderboards: a pool's ranked ratings, the best first, then the unranked ones.

Players with a private record are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final, TypeAlias, TypedDict

from django.conf import settings
from django.db.models import (
    Case,
    Count,
    Exists,
    F,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    When,
    Window,
)
from django.db.models.functions import RowNumber
from django.http import Http404
from django.utils.formats import date_format
from django.utils.timezone import localtime

from games.models import Player
from tournaments.models import Club, EntryPlayer, Membership, Pool, Rating, Season
from tournaments.rating_formula import IN_ROOM, Skill, kind_and_place
from tournaments.ratings import words
from tournaments.ratings.store import ACTIVE
from tournaments.seasons import seasons

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

A_PAGE: Final = 50
#: Players of each pool in the list of pools.
LEADERS: Final = 5


@dataclass(frozen=True, slots=True)
class BoardFilter:
    """The filters of a leaderboard: a club's members, or the players of its events in a season."""

    club: Club | None = None
    season: Season | None = None
    country: str = ""


@dataclass(frozen=True, slots=True)
class BoardRow:
    """A rating, as of now, on a leaderboard; `why` is the reason for having no place, or empty."""

    place: int | None
    rating: Rating
    skill: Skill
    why: str


@dataclass(frozen=True, slots=True)
class OwnLine:
    """The reader's own line, and whether it is on the board."""

    line: BoardRow
    listed: bool
    page: int


@dataclass(frozen=True, slots=True)
class BoardPage:
    """A page of a leaderboard; `ranked` and `total` count the players on all pages."""

    lines: tuple[BoardRow, ...]
    ranked: int
    total: int
    page: int
    pages: int
    own: OwnLine | None

    @property
    def first_unranked(self) -> BoardRow | None:
        return next((line for line in self.lines if line.place is None), None)


def board_of(
    pool: Pool, board_filter: BoardFilter, reader: Player | None, page: int, now: datetime
) -> BoardPage:
    """Return a page of a pool's leaderboard, or the last one, in at most three queries.

    The caller checks that the reader may see the club.
    """
    listed = _listed(pool, board_filter)
    ranked = _ranked(now)
    counted = {"total": Count("pk"), "ranked": Count("pk", filter=ranked)}
    inside = Exists(listed.filter(pk=OuterRef("pk")))
    own = Rating.objects.filter(pool=pool, player=reader).select_related(
        "pool", "player", "only_club"
    )
    mine = own.annotate(listed=inside).first() if reader else None
    if mine is not None:
        better = Q(mu__gt=mine.mu) | Q(mu=mine.mu, pk__lt=mine.pk)
        ahead = ranked & better if is_ranked(mine, now) else ranked | better
        counted["ahead"] = Count("pk", filter=ahead)
    sizes = listed.aggregate(**counted)
    pages = max(1, -(-sizes["total"] // A_PAGE))
    page = min(page, pages)
    first = (page - 1) * A_PAGE
    rows = listed.select_related("pool", "player", "only_club").order_by(
        Case(When(ranked, then=0), default=1, output_field=IntegerField()), "-mu", "pk"
    )
    lines = (
        _line(row, now, at) for at, row in enumerate(rows[first : first + A_PAGE], start=first + 1)
    )
    place = sizes.get("ahead", 0) + 1
    return BoardPage(
        lines=tuple(lines),
        ranked=sizes["ranked"],
        total=sizes["total"],
        page=page,
        pages=pages,
        own=OwnLine(_line(mine, now, place), mine.listed, (place - 1) // A_PAGE + 1)
        if mine
        else None,
    )


def _listed(pool: Pool, board_filter: BoardFilter) -> QuerySet[Rating]:
    listed = Rating.objects.filter(pool=pool, player__private=False)
    if board_filter.country:
        listed = listed.filter(player__country=board_filter.country)
    if board_filter.club is not None and board_filter.season is not None:
        events = seasons.events_of(board_filter.club, board_filter.season)
        took_part = EntryPlayer.objects.filter(
            player=OuterRef("player"), event__in=events, entry__place__isnull=False
        )
        return listed.filter(Exists(took_part))
    if board_filter.club is not None:
        members = Membership.objects.filter(club=board_filter.club, player=OuterRef("player"))
        return listed.filter(Exists(members))
    return listed


def _ranked(now: datetime, prefix: str = "") -> Q:
    """Return the condition of `is_ranked`. prefix: the path to ratings, such as ``ratings__``."""
    sure = Q(
        **{f"{prefix}ranked_until__gt": now, f"{prefix}opponents__gte": settings.RANKED_OPPONENTS}
    )
    several = Q(**{f"{prefix}only_club__isnull": True})
    online = ~Q(**{f"{prefix}pool__key__endswith": IN_ROOM})
    several &= online | Q(**{f"{prefix}vouched": True})
    return sure & (several | Q(**{f"{prefix}only_club__recognised": True}))


def is_ranked(rating: Rating, now: datetime) -> bool:
    """Return whether a rating is settled, and its player active and with enough opponents.

    They must be of more than one club, or of one that the site's staff recognise, so that nobody
    gets onto a leaderboard with a club of their own accounts; in the room, where scores are only
    somebody's word, several clubs must vouch for them.
    """
    met = rating.opponents >= settings.RANKED_OPPONENTS
    if rating.only_club is None:
        several = rating.vouched or not kind_and_place(rating.pool.key)[1]
    else:
        several = rating.only_club.recognised
    return rating.ranked_until > now and met and several


def _line(row: Rating, now: datetime, place: int) -> BoardRow:
    ranked, why = is_ranked(row, now), ""
    if not ranked:
        day = date_format(localtime(row.latest), "j F Y")
        if not Skill(row.mu, row.sigma).settled:
            why = "Still uncertain"
        elif row.ranked_until > now and row.opponents >= settings.RANKED_OPPONENTS:
            why = "Too few games or people outside clubs of one owner or the same people"
            if row.only_club is not None:
                why = f"Has played only in {row.only_club}"
        elif row.ranked_until > now:
            why = f"{row.opponents} of {settings.RANKED_OPPONENTS} different opponents"
        elif now - row.latest > timedelta(days=ACTIVE):
            why = f"Not played since {day}"
        else:
            why = f"Uncertain again, not played since {day}"
    return BoardRow(
        place=place if ranked else None,
        rating=row,
        skill=words.present(row, now),
        why=why,
    )


def pool_of(slug: str) -> Pool:
    """Return the pool with a slug; raise Http404 if there is none."""
    for pool in Pool.objects.all():
        if words.pool_slug(pool.key) == slug:
            return pool
    raise Http404


def pools_of(club: Club) -> list[Pool]:
    """Return the pools with a leaderboard that lists members of a club."""
    members = club.memberships.filter(player__private=False).values("player")
    rated = Rating.objects.filter(pool=OuterRef("pk"), player__in=members)
    return list(Pool.objects.filter(Exists(rated)))


def countries_of(pool: Pool) -> list[str]:
    listed = Rating.objects.filter(pool=pool, player__private=False)
    codes = listed.order_by().values_list("player__country", flat=True).distinct()
    return [code for code in codes if code]


# All pools ----------------------------------------------------------------------------------


class PoolCounts(TypedDict):
    total: int
    ranked: int


CountedPool: TypeAlias = "WithAnnotations[Pool, PoolCounts]"


def pools(
    reader: Player | None, now: datetime
) -> list[tuple[CountedPool, list[BoardRow], Skill | None]]:
    """Return all pools with listed players, the largest first, in three queries.

    Each comes with its best players and the reader's rating.
    """
    everybodys = Q(ratings__player__private=False)
    ranked = _ranked(now, "ratings__")
    found = Pool.objects.annotate(
        total=Count("ratings", filter=everybodys),
        ranked=Count("ratings", filter=everybodys & ranked),
    )
    place = Window(RowNumber(), partition_by=F("pool"), order_by=[F("mu").desc(), F("pk").asc()])
    best = Rating.objects.filter(_ranked(now), player__private=False).annotate(place=place)
    leaders: dict[int, list[BoardRow]] = {}
    for row in (
        best.filter(place__lte=LEADERS)
        .select_related("pool", "player", "only_club")
        .order_by("pool", "place")
    ):
        leaders.setdefault(row.pool_id, []).append(_line(row, now, row.place))
    mine = Rating.objects.none() if reader is None else Rating.objects.filter(player=reader)
    own = {row.pool_id: words.present(row, now) for row in mine}
    return [
        (pool, leaders.get(pool.pk, []), own.get(pool.pk))
        for pool in found.filter(total__gt=0).order_by("-total", "key")
    ]
