"""The pages of a season's divisions: their players, and the next season."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render, resolve_url
from django.utils import timezone
from django.utils.timezone import localtime
from django.views.decorators.http import require_http_methods

from tournaments.access import club_of
from tournaments.answers import SeeOther, refused, refused_at
from tournaments.refusals import RefusedError
from tournaments.seasons import divisions
from tournaments.seasons.forms import NextSeasonForm, PlacesForm
from tournaments.seasons.season_table import SeasonResults


@require_http_methods(["GET", "HEAD", "POST"])
@refused_at("place_players", "slug", "season_id")
def place_players(request: HttpRequest, slug: str, season_id: int) -> HttpResponse:
    """Show and change who plays in which division."""
    access = club_of(request, slug, "direct")
    season = get_object_or_404(access.club.seasons, pk=season_id)
    results = SeasonResults.of(access.club, season)
    players = divisions.choices(access.club, season, results)
    present = list(season.divisions.all())
    form = PlacesForm(present, players, request.POST if request.method == "POST" else None)
    if present and form.is_valid():
        changed = divisions.place(season, form.chosen, access.player)
        moved = f"{changed} player{'' if changed == 1 else 's'}"
        messages.success(request, f"{moved} changed division." if changed else "Nothing changed.")
        return SeeOther(resolve_url("club_season", slug, season.pk))
    context = {"club": access.club, "season": season, "form": form, "divisions": present}
    status = 422 if form.is_bound else 200
    return render(request, "tournaments/seasons/place_players.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
def next_season(request: HttpRequest, slug: str, season_id: int) -> HttpResponse:
    """Show who goes up and down, and make the next season from this one."""
    access = club_of(request, slug, "direct")
    season = get_object_or_404(access.club.seasons, pk=season_id)
    tables = divisions.tables(season, SeasonResults.of(access.club, season))
    moves = divisions.moves(tables)
    present = [one.division for one in tables]
    first, last = divisions.following_days(season)
    form = NextSeasonForm(
        present,
        moves,
        request.POST if request.method == "POST" else None,
        initial={"first_day": first, "last_day": last},
    )
    if form.is_valid():
        try:
            made = divisions.next_season(season, form.chosen, access.player, **form.season_fields)
        except RefusedError as error:
            if error.status == 404:
                return refused(request, error, resolve_url("club_seasons", slug))
            form.add_error("name" if error.code == "name taken" else None, error.message)
        else:
            messages.success(request, f"{made.name} has been made.")
            return SeeOther(resolve_url("club_season", slug, made.pk))
    context = {
        "club": access.club,
        "season": season,
        "form": form,
        "tables": tables,
        # Whether results to come can still change the season's table.
        "runs": localtime(timezone.now(), season.club.zone).date() <= season.last_day,
    }
    status = 422 if form.is_bound else 200
    return render(request, "tournaments/seasons/next_season.html", context, status=status)
