"""The pages of statistics: of clubs, of players, and of two players compared."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, wraps
from typing import Any, Final, TypeAlias

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from games.access import invitations
from games.models import Player
from games.people.identity import player_of
from games.records import game_lists
from games.records.game_lists import shows_record
from games.records.selection import selected
from games.records.sums import PlayedRow
from tournaments.access import club_of, clubs_shown
from tournaments.answers import refused_at
from tournaments.geography import countries, flag_of
from tournaments.models import Club, Membership
from tournaments.rules import outranks
from tournaments.seasons import seasons
from tournaments.statistics import activity, club_average, club_statistics
from tournaments.statistics import player_record as record_page
from tournaments.statistics.forms import CompareForm, GamesForm, MeetingsForm, TimeForm

LINES_A_PAGE = 25


@require_safe
@refused_at("club_statistics", "slug")
def statistics(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a club's statistics.

    Query: `season`, the key of a season, a year if the club has none, or ``all``; `sort`, a column
    of the table; `page`.
    """
    access, now = club_of(request, slug), timezone.now()
    held = club_statistics.held_by(access.club)
    listed = seasons.seasons_of(access.club, now, {event.day.year for event in held})
    sort = request.GET.get("sort", club_statistics.KEYS[0])
    word = club_statistics.chosen(listed, request.GET.get("season", ""))
    season = club_statistics.choices(listed)[word]
    found = club_statistics.read(access.club, season, held)
    lines = club_statistics.ordered(found.lines, sort)
    # A member's role answers this without a query.
    own = access.membership
    ranked = outranks(own.role, Membership.Role.MEMBER) if own else access.moderates
    moderates = ranked and not access.held_back
    context = {
        "access": access,
        "club": access.club,
        "choices": club_statistics.choices(listed),
        "chosen": word,
        "season": season,
        "all_time": season is club_statistics.ALL_TIME,
        "found": found,
        "columns": club_statistics.COLUMNS,
        "sort": sort,
        "page": Paginator(lines, LINES_A_PAGE).get_page(request.GET.get("page")),
        "charts": activity.charts(found.weeks) if found.weeks else [],
        "least": club_statistics,
        "away": club_statistics.inactive_members(access.club, now) if moderates else [],
        "away_days": club_statistics.INACTIVE_AFTER.days,
        "kept_minutes": club_statistics.KEPT // 60,
    }
    return render(request, "tournaments/statistics/club_statistics.html", context)


GAMES_A_PAGE: Final = 50
LATEST: Final = 8


@dataclass(frozen=True)
class RequestedPlayer:
    """The player whose record is requested, the viewer, and the clubs that the viewer may see."""

    player: Player
    other: Player | None
    viewer: Player | None
    clubs: QuerySet[Club]
    rows: Sequence[PlayedRow]

    @cached_property
    def own_clubs(self) -> dict[str, Club]:
        return {club.slug: club for club in self.clubs.filter(memberships__player=self.player)}

    @property
    def names(self) -> list[str]:
        return sorted({row.rules for row in self.rows})


#: Makes the form of a query string; makes the context from a valid one.
FormOf: TypeAlias = Callable[[Mapping[str, Any], RequestedPlayer], TimeForm]
Shown: TypeAlias = Callable[[HttpRequest, RequestedPlayer, Any], dict[str, Any]]


def page_of_record(name: str, form_of: FormOf) -> Callable[[Shown], Callable[..., HttpResponse]]:
    """Return a decorator that makes a view of a player's record from a function for its context.

    The view answers private records and invalid query strings by itself.
    """

    def decorated(show: Shown) -> Callable[..., HttpResponse]:
        @require_safe
        @wraps(show)
        def page(request: HttpRequest, player_id: int, other_id: int | None = None) -> HttpResponse:
            player, viewer = get_object_or_404(Player, pk=player_id), player_of(request)
            if player.kind == Player.Kind.HOUSE or not shows_record(player, viewer):
                return _withheld(request, player)
            other = None
            if other_id is not None:
                other = get_object_or_404(Player.objects.exclude(pk=player_id), pk=other_id)
                if not shows_record(other, viewer):
                    return _withheld(request, other)
            clubs = clubs_shown(viewer, request.session)
            asked = RequestedPlayer(player, other, viewer, clubs, game_lists.rows_of(player))
            form = form_of(request.GET, asked)
            if not form.is_valid():
                context = {"player": player, "problems": form.problems()}
                senseless = "tournaments/statistics/player_senseless.html"
                return render(request, senseless, context, status=400)
            context = {
                "player": player,
                "other": other,
                "mine": player == viewer,
                "form": form,
                "kept": form.kept,
                "periods": record_page.periods(player, clubs, timezone.now()),
                "played": bool(asked.rows),
                **show(request, asked, form),
            }
            return render(request, f"tournaments/statistics/{name}.html", context)

        return page

    return decorated


@page_of_record("player_record", lambda data, asked: TimeForm(data, asked.names))
def player_record(_request: HttpRequest, asked: RequestedPlayer, form: TimeForm) -> dict[str, Any]:
    return {"record": record_page.record_of(selected(asked.rows, form.selection), asked.viewer)}


@page_of_record("player_games", lambda data, asked: GamesForm(data, asked.names, asked.viewer))
def player_games(request: HttpRequest, asked: RequestedPlayer, form: TimeForm) -> dict[str, Any]:
    rows = selected(asked.rows, form.selection)
    page = Paginator(rows, GAMES_A_PAGE).get_page(request.GET.get("page"))
    return {"page": page, "lines": _lines(request, asked, list(page.object_list))}


@page_of_record("choose_other", lambda data, asked: MeetingsForm(data, asked.names))
def choose_other(request: HttpRequest, asked: RequestedPlayer, form: TimeForm) -> dict[str, Any]:
    role = form.cleaned_data["as"]
    met = record_page.acquaintances(selected(asked.rows, form.selection), asked.viewer, role)
    page = Paginator(met, GAMES_A_PAGE).get_page(request.GET.get("page"))
    known = game_lists.people([one.player_id for one in page.object_list])
    lines = [(known[one.player_id], one) for one in page.object_list]
    return {"page": page, "lines": lines, "role": role, "roles": record_page.ROLES}


@page_of_record("head_to_head", lambda data, asked: TimeForm(data, asked.names))
def head_to_head(request: HttpRequest, asked: RequestedPlayer, form: TimeForm) -> dict[str, Any]:
    other, rows = asked.other, selected(asked.rows, form.selection)
    if other is None:
        raise Http404
    both = [row for row in rows if other.pk in (row.partner_id, *row.opponents)]
    return {
        "two": record_page.head_to_head(rows, asked.player, other, timezone.now()),
        "lines": _lines(request, asked, both[:LATEST]),
    }


@page_of_record(
    "player_compare", lambda data, asked: CompareForm(data, asked.names, [*asked.own_clubs])
)
def compare(_request: HttpRequest, asked: RequestedPlayer, form: TimeForm) -> dict[str, Any]:
    clubs = asked.own_clubs
    club = clubs.get(form.cleaned_data["club"]) or next(iter(clubs.values()), None)
    context: dict[str, Any] = {"clubs": list(clubs.values()), "club": club}
    if club is not None:
        rows = selected(asked.rows, form.selection)
        context["average"] = club_average.compare(rows, club, form.selection)
        context["own"] = len(rows)
    return context


def _lines(
    request: HttpRequest, asked: RequestedPlayer, rows: Sequence[PlayedRow]
) -> list[game_lists.PlayerGameLine]:
    return game_lists.game_lines(asked.player, rows, asked.viewer, invitations(request.session))


def _withheld(request: HttpRequest, player: Player) -> HttpResponse:
    """Show why the viewer may not see the record."""
    return render(request, "tournaments/statistics/player_withheld.html", {"player": player})


@require_safe
def player_page(request: HttpRequest, player_id: int) -> HttpResponse:
    player = get_object_or_404(Player, pk=player_id)
    viewer = player_of(request)
    if not shows_record(player, viewer):
        return _withheld(request, player)
    clubs = clubs_shown(viewer, request.session)
    page = record_page.page_of(player, viewer, clubs, invitations(request.session), timezone.now())
    context = {
        "player": player,
        "page": page,
        "mine": viewer == player,
        "country": countries().get(player.country, ""),
        "flag": flag_of(player.country),
        "kept": {},
    }
    return render(request, "tournaments/statistics/player.html", context)
