"""The statistics of a club."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render, resolve_url
from django.utils import timezone
from django.views.decorators.http import require_safe

from games.access import invitations
from games.models import Player
from games.people.identity import player_of
from games.records import reading
from games.records.reading import shows_record
from games.records.selection import selected
from games.records.sums import PlayedRow
from tournaments.access import ClubAccess, club_of, clubs_shown
from tournaments.answers import refused
from tournaments.geography import countries
from tournaments.models import Club, Membership
from tournaments.refusals import RefusedError
from tournaments.rules import outranks
from tournaments.seasons import seasons
from tournaments.statistics import activity, club_average, club_lists, club_statistics, club_table
from tournaments.statistics import player_record as record_page
from tournaments.statistics.forms import CompareForm, GamesForm, MeetingsForm, TimeForm
from tournaments.statistics.player_page import page_of

LINES_A_PAGE = 25


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
        "page": Paginator(lines, LINES_A_PAGE).get_page(request.GET.get("page")),
        "charts": activity.charts(found.weeks) if found.weeks else [],
        "least": club_lists,
        "away": club_statistics.away(access.club, now) if _moderates(access) else [],
        "away_days": club_statistics.AWAY.days,
        "kept_minutes": club_statistics.KEPT // 60,
    }
    return render(request, "tournaments/statistics/club_statistics.html", context)


def _moderates(access: ClubAccess) -> bool:
    """Whether he moderates; of a member his role tells it, and nothing has to be asked."""
    if access.membership is None:
        return access.moderates
    return outranks(access.membership.role, Membership.Role.MEMBER)


GAMES_A_PAGE: Final = 50
LATEST: Final = 8


@dataclass(frozen=True, slots=True)
class AskedPlayer:
    """Whose record is asked for and by whom.

    clubs: those the viewer may see. rows: all games of the player, none if they are not shown.
    """

    player: Player
    viewer: Player | None
    clubs: QuerySet[Club]
    rows: Sequence[PlayedRow]

    @property
    def mine(self) -> bool:
        """Whether he looks at his own."""
        return self.player == self.viewer

    @property
    def names(self) -> list[str]:
        """The rule sets he has played."""
        return sorted({row.rules for row in self.rows})


def withheld(request: HttpRequest, player: Player) -> HttpResponse | None:
    """Return the page that says why there is no record of `player` for the asker, if so."""
    if player.kind != Player.Kind.HOUSE and reading.shows_record(player, player_of(request)):
        return None
    return render(request, "tournaments/statistics/player_withheld.html", {"player": player})


@require_safe
def player_record(request: HttpRequest, player_id: int) -> HttpResponse:
    """Show all that a player's games add up to."""
    asked = _asked(request, player_id)
    if isinstance(asked, HttpResponse):
        return asked
    form = TimeForm(request.GET, asked.names)
    if not form.is_valid():
        return _senseless(request, asked, form)
    rows = selected(asked.rows, form.selection)
    context = {"record": record_page.record_of(rows, asked.viewer)}
    return _page(request, "player_record", asked, form, context)


@require_safe
def player_games(request: HttpRequest, player_id: int) -> HttpResponse:
    """List a player's games, all or those that the address asks for."""
    asked = _asked(request, player_id)
    if isinstance(asked, HttpResponse):
        return asked
    form = GamesForm(request.GET, asked.names, asked.viewer)
    if not form.is_valid():
        return _senseless(request, asked, form)
    rows = selected(asked.rows, form.selection)
    page = Paginator(rows, GAMES_A_PAGE).get_page(request.GET.get("page"))
    context = {"page": page, "lines": _lines(request, asked, list(page.object_list))}
    return _page(request, "player_games", asked, form, context)


@require_safe
def choose_other(request: HttpRequest, player_id: int) -> HttpResponse:
    """List everybody a player has met, to look at the two of them."""
    asked = _asked(request, player_id)
    if isinstance(asked, HttpResponse):
        return asked
    form = MeetingsForm(request.GET, asked.names)
    if not form.is_valid():
        return _senseless(request, asked, form)
    role = form.cleaned_data["as"]
    met = record_page.acquaintances(selected(asked.rows, form.selection), asked.viewer, role)
    page = Paginator(met, GAMES_A_PAGE).get_page(request.GET.get("page"))
    known = reading.people([one.player_id for one in page.object_list])
    lines = [(known[one.player_id], one) for one in page.object_list]
    context = {"page": page, "lines": lines, "role": role, "roles": record_page.ROLES}
    return _page(request, "choose_other", asked, form, context)


@require_safe
def head_to_head(request: HttpRequest, player_id: int, other_id: int) -> HttpResponse:
    """Show what two players have done as partners and as opponents."""
    asked = _asked(request, player_id)
    if isinstance(asked, HttpResponse):
        return asked
    other = get_object_or_404(Player.objects.exclude(pk=player_id), pk=other_id)
    if not reading.shows_record(other, asked.viewer):
        return render(request, "tournaments/statistics/player_withheld.html", {"player": other})
    form = TimeForm(request.GET, asked.names)
    if not form.is_valid():
        return _senseless(request, asked, form)
    rows = selected(asked.rows, form.selection)
    both = [row for row in rows if other.pk in (row.partner_id, *row.opponents)]
    context = {
        "other": other,
        "two": record_page.head_to_head(rows, asked.player, other, timezone.now()),
        "lines": _lines(request, asked, both[:LATEST]),
    }
    return _page(request, "head_to_head", asked, form, context)


@require_safe
def compare(request: HttpRequest, player_id: int) -> HttpResponse:
    """Show a player's figures beside the average of one of his clubs."""
    asked = _asked(request, player_id)
    if isinstance(asked, HttpResponse):
        return asked
    clubs = list(asked.clubs.filter(memberships__player=asked.player))
    form = CompareForm(request.GET, asked.names, [club.slug for club in clubs])
    if not form.is_valid():
        return _senseless(request, asked, form)
    word = form.cleaned_data["club"]
    club = next((club for club in clubs if club.slug == word), clubs[0] if clubs else None)
    context: dict[str, Any] = {"clubs": clubs, "club": club}
    if club is not None:
        rows = selected(asked.rows, form.selection)
        context["average"] = club_average.compare(rows, club, form.selection)
        context["own"] = len(rows)
    return _page(request, "player_compare", asked, form, context)


def _asked(request: HttpRequest, player_id: int) -> AskedPlayer | HttpResponse:
    """Whose record is asked for, or the page that says why it is not shown."""
    player = get_object_or_404(Player, pk=player_id)
    answer = withheld(request, player)
    if answer is not None:
        return answer
    viewer = player_of(request)
    clubs = clubs_shown(viewer, request.session)
    return AskedPlayer(player, viewer, clubs, reading.rows_of(player))


def _lines(
    request: HttpRequest, asked: AskedPlayer, rows: Sequence[PlayedRow]
) -> list[reading.PlayerGameLine]:
    return reading.game_lines(asked.player, rows, asked.viewer, invitations(request.session))


def _page(
    request: HttpRequest, name: str, asked: AskedPlayer, form: TimeForm, context: dict[str, Any]
) -> HttpResponse:
    common = {
        "player": asked.player,
        "mine": asked.mine,
        "form": form,
        "kept": form.kept,
        "periods": record_page.periods(asked.player, asked.clubs, timezone.now()),
        "played": bool(asked.rows),
    }
    return render(request, f"tournaments/statistics/{name}.html", common | context)


def _senseless(request: HttpRequest, asked: AskedPlayer, form: TimeForm) -> HttpResponse:
    """Say what is wrong with an address, and what is allowed."""
    context = {"player": asked.player, "problems": form.problems()}
    return render(request, "tournaments/statistics/player_senseless.html", context, status=400)


@require_safe
def player_page(request: HttpRequest, player_id: int) -> HttpResponse:
    """Show who a player is and what he has played, as far as the visitor may see it."""
    player = get_object_or_404(Player, pk=player_id)
    viewer = player_of(request)
    if not shows_record(player, viewer):
        return render(request, "tournaments/statistics/player_withheld.html", {"player": player})
    clubs = clubs_shown(viewer, request.session)
    page = page_of(player, viewer, clubs, invitations(request.session), timezone.now())
    context = {
        "player": player,
        "page": page,
        "mine": viewer == player,
        "country": countries().get(player.country, ""),
        "kept": {},
    }
    return render(request, "tournaments/statistics/player.html", context)
