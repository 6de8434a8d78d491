"""The statistics of a club."""

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render, resolve_url
from django.utils import timezone
from django.views.decorators.http import require_safe

from tournaments.access import ClubAccess, club_of
from tournaments.models import Membership
from tournaments.refusals import RefusedError
from tournaments.rules import outranks
from tournaments.services import activity, club_lists, club_statistics, club_table, seasons
from tournaments.views.answers import refused

A_PAGE = 25


@require_safe
def statistics(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what the games of a club's events add up to.

    In the query `season` says over which days: one of the club's seasons, a year where it has made
    none, or ``all``; `sort` by which column the table is sorted, `page` which part is shown.
    """
    access, now = club_of(request, slug), timezone.now()
    held = club_statistics.held_by(access.club)
    spans = seasons.spans(access.club, now, {event.day.year for event in held})
    sort = request.GET.get("sort", club_table.KEYS[0])
    try:
        word = club_statistics.chosen(spans, request.GET.get("season", ""))
        span = club_statistics.choices(spans)[word]
        found = club_statistics.read(access.club, span, held)
        lines = club_table.ordered(found.lines, sort)
    except RefusedError as error:
        return refused(request, error, resolve_url("club_statistics", slug))
    context = {
        "access": access,
        "club": access.club,
        "choices": club_statistics.choices(spans),
        "chosen": word,
        "season": span,
        "all_time": span == club_statistics.ALL_TIME,
        "found": found,
        "columns": club_table.COLUMNS,
        "sort": sort,
        "page": Paginator(lines, A_PAGE).get_page(request.GET.get("page")),
        "charts": activity.charts(found.weeks) if found.weeks else [],
        "least": club_lists,
        "away": club_statistics.away(access.club, now) if _moderates(access) else [],
        "away_days": club_statistics.AWAY.days,
        "kept_minutes": club_statistics.KEPT // 60,
    }
    return render(request, "tournaments/club_statistics.html", context)


def _moderates(access: ClubAccess) -> bool:
    """Whether he moderates; of a member his role tells it, and nothing has to be asked."""
    if access.membership is None:
        return access.moderates
    return outranks(access.membership.role, Membership.Role.MEMBER)
