"""The pages of a club's seasons."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render, resolve_url
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from tournaments.access import ClubAccess, club_of
from tournaments.answers import SeeOther, refused_at
from tournaments.charts import by_night
from tournaments.models import Club, Event, Season, SeasonChange
from tournaments.refusals import RefusedError
from tournaments.seasons import divisions, season_table, seasons, teams
from tournaments.seasons import past_results as past
from tournaments.seasons.export import as_csv
from tournaments.seasons.forms import RuleForm, SeasonForm
from tournaments.seasons.hall_of_fame import hall_of_fame as hall_of_fame_of
from tournaments.seasons.rule import differences, from_data, rule_of


@require_safe
def present_season(request: HttpRequest, slug: str) -> HttpResponse:
    access = club_of(request, slug)
    return _table_page(request, access, seasons.seasons_of(access.club, timezone.now())[0])


@require_safe
def season_page(request: HttpRequest, slug: str, season_id: int) -> HttpResponse:
    access = club_of(request, slug)
    season = get_object_or_404(access.club.seasons, pk=season_id)
    return _table_page(request, access, season)


@require_safe
def year_page(request: HttpRequest, slug: str, year: int) -> HttpResponse:
    access = club_of(request, slug)
    if year not in seasons.YEARS:
        raise Http404
    return _table_page(request, access, seasons.year(year))


@require_safe
def hall_of_fame(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the winners of all seasons, and who won and played most evenings."""
    access = club_of(request, slug)
    club = access.club
    context = {
        "access": access,
        "club": club,
        "hall": hall_of_fame_of(club, timezone.now()),
        "past": past.winners(club),
    }
    return render(request, "tournaments/seasons/hall_of_fame.html", context)


@require_safe
def past_results(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the results from before the club came to the site."""
    access = club_of(request, slug)
    page = Paginator(past.events_of(access.club), past.EVENTS_A_PAGE).get_page(
        request.GET.get("page")
    )
    context = {
        "access": access,
        "club": access.club,
        "page": page,
        "events": past.with_results(access.club, list(page.object_list)),
    }
    return render(request, "tournaments/seasons/past_results.html", context)


@require_safe
def past_results_csv(request: HttpRequest, slug: str) -> HttpResponse:
    club = club_of(request, slug).club
    response = HttpResponse(past.as_csv(club), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{club.slug}-past-results.csv"'
    return response


@require_safe
def season_csv(request: HttpRequest, slug: str, season_id: int) -> HttpResponse:
    access = club_of(request, slug)
    return _csv(access.club, get_object_or_404(access.club.seasons, pk=season_id))


@require_safe
def year_csv(request: HttpRequest, slug: str, year: int) -> HttpResponse:
    access = club_of(request, slug)
    if year not in seasons.YEARS:
        raise Http404
    return _csv(access.club, seasons.year(year))


@require_http_methods(["GET", "HEAD", "POST"])
@refused_at("club_seasons", "slug")
def season_rule(request: HttpRequest, slug: str, season_id: int) -> HttpResponse:
    """Show and change how a season counts."""
    access = club_of(request, slug, "direct")
    season = get_object_or_404(access.club.seasons, pk=season_id)
    form = RuleForm(request.POST) if request.method == "POST" else RuleForm.of(rule_of(season))
    if form.is_valid():
        seasons.set_rule(season, form.rule, access.player)
        messages.success(request, "The rule has been saved, and the table counted again.")
        return SeeOther(resolve_url("club_season", slug, season.pk))
    context = {"club": access.club, "season": season, "form": form}
    status = 422 if form.is_bound else 200
    return render(request, "tournaments/seasons/rule_form.html", context, status=status)


@require_POST
@refused_at("club_seasons", "slug")
def put_back_rule(request: HttpRequest, slug: str, season_id: int, change_id: int) -> HttpResponse:
    """Restore a season's rule as it was before a change."""
    access = club_of(request, slug, "direct")
    season = get_object_or_404(access.club.seasons, pk=season_id)
    seasons.put_back(get_object_or_404(season.changes, pk=change_id), access.player)
    messages.success(request, "The earlier rule is back, and the table counted again.")
    return SeeOther(resolve_url("club_season", slug, season.pk))


@require_http_methods(["GET", "HEAD", "POST"])
def new_season(request: HttpRequest, slug: str) -> HttpResponse:
    club = club_of(request, slug, "direct").club
    return _edit(request, club, None)


@require_http_methods(["GET", "HEAD", "POST"])
def edit_season(request: HttpRequest, slug: str, season_id: int) -> HttpResponse:
    club = club_of(request, slug, "direct").club
    return _edit(request, club, get_object_or_404(club.seasons, pk=season_id))


@require_POST
def delete_season(request: HttpRequest, slug: str, season_id: int) -> HttpResponse:
    club = club_of(request, slug, "direct").club
    season = get_object_or_404(club.seasons, pk=season_id)
    seasons.delete(season)
    messages.success(request, f"{season.name} has been deleted. Its events and results remain.")
    return SeeOther(resolve_url("club_seasons", slug))


def _table_page(request: HttpRequest, access: ClubAccess, season: Season) -> HttpResponse:
    now = timezone.now()
    listed = seasons.seasons_of(access.club, now)
    changes = season.changes.select_related("by") if season.pk else SeasonChange.objects.none()
    results = season_table.SeasonResults.of(access.club, season)
    tables = divisions.tables(season, results)
    evenings = [held.head for held in results.events]
    coming = seasons.coming(access.club, season, now)
    context = {
        "access": access,
        "club": access.club,
        "season": season,
        "evenings": evenings,
        "attendance": by_night([one.players for one in evenings], len(coming)),
        "teams": teams.table(season, results),
        "play_offs": season.play_offs.exclude(state=Event.State.CANCELLED) if season.pk else (),
        "coming": coming,
        "sheet": divisions.without_division(tables, results),
        "tables": tables,
        "rule": rule_of(season),
        "log": [
            (change, differences(from_data(change.before), from_data(change.after)))
            for change in changes
        ],
        "latest": next((change.pk for change in changes if not change.words), None),
        "others": [one for one in listed if (one.pk, one.name) != (season.pk, season.name)],
    }
    return render(request, "tournaments/seasons/club_season.html", context)


def _csv(club: Club, season: Season) -> HttpResponse:
    results = season_table.SeasonResults.of(club, season)
    text = as_csv(results, divisions.tables(season, results))
    answer = HttpResponse(text, content_type="text/csv; charset=utf-8")
    name = f"season-{season.pk}" if season.pk else f"season-{season.name}"
    answer["Content-Disposition"] = f'attachment; filename="{club.slug}-{name}.csv"'
    return answer


def _edit(request: HttpRequest, club: Club, season: Season | None) -> HttpResponse:
    if request.method == "POST":
        form = SeasonForm(request.POST)
    else:
        form = SeasonForm.of(season) if season else SeasonForm()
    if form.is_valid():
        try:
            if season is None:
                kept = seasons.make(club, **form.cleaned_data)
            else:
                kept = seasons.change(season, **form.cleaned_data)
        except RefusedError as error:
            form.add_error("name" if error.code == "name taken" else None, error.message)
        else:
            messages.success(request, f"{kept.name} has been saved.")
            return SeeOther(resolve_url("club_season", club.slug, kept.pk))
    context = {"club": club, "season": season, "form": form}
    status = 422 if form.is_bound else 200
    return render(request, "tournaments/seasons/form.html", context, status=status)
