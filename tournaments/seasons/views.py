"""The pages of a club's seasons."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.db import transaction
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
from tournaments.seasons.forms import LeagueForm
from tournaments.seasons.hall_of_fame import hall_of_fame as hall_of_fame_of
from tournaments.seasons.rule import PRESETS, USUAL, differences, from_data, rule_of

#: The fields at which what is refused is said.
FIELDS = {"name taken": "name", "division taken": "names", "has players": "tables"}


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
    return _edit(request, club_of(request, slug, "direct"), None)


@require_http_methods(["GET", "HEAD", "POST"])
@refused_at("club_seasons", "slug")
def edit_season(request: HttpRequest, slug: str, season_id: int) -> HttpResponse:
    access = club_of(request, slug, "direct")
    return _edit(request, access, get_object_or_404(access.club.seasons, pk=season_id))


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


def _edit(request: HttpRequest, access: ClubAccess, season: Season | None) -> HttpResponse:
    """Show the form of a league, say it in words, or keep it; fields: those of the form, `look`."""
    club = access.club
    kept_rule = rule_of(season) if season else USUAL
    last = None if season else club.seasons.first()
    if request.method == "POST":
        form = LeagueForm(request.POST, rule=kept_rule)
    else:
        form = LeagueForm.filled(season, last)
    looks = "look" in request.POST
    if form.is_valid() and not looks:
        try:
            made = _keep(access, season, form)
        except RefusedError as error:
            if error.code == "gone":
                raise
            form.add_error(FIELDS.get(error.code), error.message)
        else:
            messages.success(request, f"{made.name} has been saved.")
            to = "club_season"
            if made.line != Season.Line.PERSON and not made.teams.exists():
                to = "season_teams"
            elif made.divisions.exists() and not made.division_players.exists():
                to = "place_players"
            return SeeOther(resolve_url(to, club.slug, made.pk))
    context = {
        "club": club,
        "season": season,
        "last": last,
        "form": form,
        "said": form if form.is_bound else LeagueForm.bound(form, kept_rule),
        "choices": [(key, name, brief) for key, (name, brief, _rule) in PRESETS.items()],
        "ours": [form[name] for name in form.POINTS],
    }
    status = 422 if form.is_bound and form.errors and not looks else 200
    return render(request, "tournaments/seasons/form.html", context, status=status)


@transaction.atomic
def _keep(access: ClubAccess, season: Season | None, form: LeagueForm) -> Season:
    if season is None:
        season = seasons.make(access.club, **form.season_fields)
    else:
        season = seasons.change(season, **form.season_fields)
    seasons.set_rule(season, form.rule, access.player)
    movers = form.cleaned_data["movers"] or 0
    return divisions.set_up(season, form.division_names, movers, access.player)
