"""The pages of a season's teams and of each of them."""

from typing import Any, Final

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render, resolve_url
from django.views.decorators.http import require_http_methods, require_safe

from games.form_fields import MultilineField, WholeNumber
from tournaments.access import club_of
from tournaments.answers import SeeOther, refused_at
from tournaments.models import Season
from tournaments.refusals import RefusedError
from tournaments.seasons import teams
from tournaments.seasons.season_table import SeasonResults
from tournaments.seasons.teams import MOST_PLAYERS, WantedTeam

PAIRS: Final = "One a line: two members of the club, with a semicolon between them."


class TeamsForm(forms.Form):
    teams = MultilineField(
        label="Teams",
        required=False,
        max_length=20_000,
        widget=forms.Textarea({"rows": 10, "placeholder": "Mill Wheel: Maeve; Ben; Iris / Jonah"}),
        help_text=(
            "One a line: its name, a colon, its players between semicolons; after a slash its"
            " substitutes. All are members of the club."
        ),
    )
    best = WholeNumber(
        least=1,
        most=MOST_PLAYERS,
        label="Scores that count each night",
        help_text="The best ones of each team.",
    )

    def __init__(self, season: Season, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.season = season
        if season.line == Season.Line.PAIR:
            del self.fields["best"]
            pairs = self.fields["teams"]
            pairs.label, pairs.help_text = "Pairs", PAIRS
            pairs.widget.attrs["placeholder"] = "Maeve; Ben"

    def clean_teams(self) -> list[WantedTeam]:
        """Return the teams; raise ValidationError that names the line and what is wrong."""
        try:
            pairs = self.season.line == Season.Line.PAIR
            return teams.read(self.season.club, self.cleaned_data["teams"], pairs=pairs)
        except RefusedError as error:
            raise forms.ValidationError(error.message) from error


@require_http_methods(["GET", "HEAD", "POST"])
@refused_at("club_seasons", "slug")
def season_teams(request: HttpRequest, slug: str, season_id: int) -> HttpResponse:
    """Show and change a season's teams."""
    access = club_of(request, slug, "direct")
    season = get_object_or_404(access.club.seasons.select_related("club"), pk=season_id)
    if request.method == "POST":
        form = TeamsForm(season, request.POST)
    else:
        initial = {"teams": teams.in_words(season), "best": season.team_best}
        form = TeamsForm(season, initial=initial)
    if form.is_valid():
        given = form.cleaned_data
        best = given.get("best", season.team_best)
        teams.set_up(season, given["teams"], best, access.player)
        messages.success(request, f"The {form['teams'].label.lower()} have been saved.")
        return SeeOther(resolve_url("club_season", slug, season.pk))
    context = {"club": access.club, "season": season, "form": form}
    status = 422 if form.is_bound else 200
    return render(request, "tournaments/seasons/teams.html", context, status=status)


@require_safe
def season_team(request: HttpRequest, slug: str, season_id: int, team_id: int) -> HttpResponse:
    """Show a team: its people, and whose scores counted each evening."""
    club = club_of(request, slug).club
    season = get_object_or_404(club.seasons.select_related("club"), pk=season_id)
    results = SeasonResults.of(club, season)
    row = next((one for one in teams.table(season, results) if one.team.pk == team_id), None)
    if row is None:
        raise Http404
    context = {
        "club": club,
        "season": season,
        "row": row,
        "nights": teams.nights(season, results, row),
    }
    return render(request, "tournaments/seasons/team.html", context)
