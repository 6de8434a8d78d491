"""The page that makes play-offs out of a season's table."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render, resolve_url
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from games.form_fields import WholeNumber
from tournaments.access import club_of
from tournaments.answers import SeeOther
from tournaments.form_fields import NameField
from tournaments.models import Event, Season
from tournaments.refusals import RefusedError
from tournaments.seasons import divisions
from tournaments.seasons.season_table import SeasonResults, SeasonRow
from tournaments.setting_up import play_offs
from tournaments.setting_up.forms import LocalTime
from tournaments.setting_up.play_offs import PlayOffTeam
from tournaments.setting_up.setting_up import EVENING
from tournaments.times import zone_name

#: The value of the table of a season without divisions.
ALL: Final = 0
MATCHES: Final = (Event.Match.GAME, Event.Match.BEST_OF_3, Event.Match.BEST_OF_5)
PLACES: Final = (Event.Place.ONLINE, Event.Place.ROOM)
CHOOSE: Final = {"invalid_choice": "Choose one of those listed."}


class PlayOffsForm(forms.Form):
    """Who plays: the first so many of a table; and when, where and how.

    `seen` are the players that the page has shown, so that a result that came in since is noticed.
    """

    table = forms.TypedChoiceField(label="From the table of", coerce=int, error_messages=CHOOSE)
    count = WholeNumber(least=2, most=play_offs.MOST_PLAYERS, label="How many players")
    name = NameField(label="Name", max_length=80)
    starts = LocalTime(label="Starts")
    place = forms.ChoiceField(
        label="Where they are played",
        choices=[(place.value, place.label) for place in PLACES],
        error_messages=CHOOSE,
    )
    match = forms.ChoiceField(
        label="A match is",
        choices=[(match.value, match.label) for match in MATCHES],
        error_messages=CHOOSE,
    )
    seen = forms.CharField(widget=forms.HiddenInput, required=False)

    def __init__(
        self,
        tables: Sequence[tuple[int, str]],
        season: Season,
        now: datetime,
        data: Mapping[str, Any] | None,
    ) -> None:
        """Prepare the fields; the club's time zone must be active."""
        day = max(season.last_day, now.astimezone(season.club.zone).date()) + timedelta(days=7)
        initial = {
            "table": tables[0][0],
            "count": play_offs.USUAL_PLAYERS,
            "name": f"Play-offs of {season.name}",
            "starts": datetime.combine(day, EVENING, season.club.zone),
            "match": Event.Match.BEST_OF_3,
        }
        super().__init__(data, initial=initial)
        self.fields["table"].choices = tables  # type: ignore[attr-defined]
        starts = self.fields["starts"]
        starts.now = now  # type: ignore[attr-defined]
        starts.help_text = f"{zone_name(season.club.zone)}, the club’s time zone."

    def chosen(self, name: str) -> int:
        """Return the table or the count that is asked for, else the usual one."""
        if not self.is_bound:
            return int(self.initial[name])
        try:
            return int(self.fields[name].clean(self.data.get(name)))
        except forms.ValidationError:
            return int(self.initial[name])


@require_http_methods(["GET", "HEAD", "POST"])
def make_play_offs(request: HttpRequest, slug: str, season_id: int) -> HttpResponse:
    """Show who would play by the table as it is, for `table` and `count`; or make the event."""
    access, now = club_of(request, slug, "direct"), timezone.now()
    if access.player is None:
        raise PermissionDenied
    season = get_object_or_404(access.club.seasons.select_related("club"), pk=season_id)
    results = SeasonResults.of(access.club, season)
    tables = _tables(season, results)
    with timezone.override(access.club.zone):
        named = [(key, name) for key, (name, _rows) in tables.items()]
        asked = "count" in request.GET or "table" in request.GET
        data = request.POST if request.method == "POST" else request.GET if asked else None
        form = PlayOffsForm(named, season, now, data)
        teams: Sequence[PlayOffTeam] = ()
        refusal = ""
        try:
            rows = tables[form.chosen("table")][1]
            size = play_offs.team_size(season)
            teams = play_offs.teams(rows, form.chosen("count"), results, size)
        except RefusedError as error:
            refusal = error.message
        players = " ".join(str(player.pk) for team in teams for player in team.players)
        if request.method == "POST" and form.is_valid() and not refusal:
            fields = form.cleaned_data
            try:
                if fields["seen"] != players:
                    words = "The table has changed since: look at who plays now."
                    raise RefusedError("changed", words)
                made = play_offs.make(
                    season, teams, access.player, now,
                    **{name: fields[name] for name in ("name", "starts", "place", "match")},
                )  # fmt: skip
            except RefusedError as error:
                form.add_error(None, error.message)
            else:
                messages.success(request, f"{made.name}: the players have been entered.")
                return SeeOther(resolve_url("event", made.pk))
        context = {
            "club": access.club,
            "season": season,
            "form": form,
            "teams": teams,
            "refusal": refusal,
            "players": players,
            "posted": request.method == "POST",
        }
        status = 422 if request.method == "POST" else 200
        return render(request, "tournaments/setting_up/play_offs.html", context, status=status)


def _tables(season: Season, results: SeasonResults) -> dict[int, tuple[str, Sequence[SeasonRow]]]:
    """Return the names and rows of a season's tables by division, or of the one for all."""
    found = divisions.tables(season, results)
    if not found:
        return {ALL: (season.name, results.sheet().lines)}
    return {one.division.pk: (one.division.name, one.rows) for one in found}
