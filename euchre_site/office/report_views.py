"""Views for reporting a player, a club or an event to the staff."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render, resolve_url
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from euchre_site.office import reports
from euchre_site.office.forms import ReportForm
from games.models import Player
from games.people.identity import player_of
from tournaments.access import club_of, event_of
from tournaments.answers import SeeOther, account_needed
from tournaments.models import Club, Event
from tournaments.refusals import RefusedError

METHODS = ["GET", "HEAD", "POST"]


@require_http_methods(METHODS)
def report_player(request: HttpRequest, player_id: int) -> HttpResponse:
    player = get_object_or_404(Player, pk=player_id)
    return _report(request, player, resolve_url("player", player.pk))


@require_http_methods(METHODS)
def report_club(request: HttpRequest, slug: str) -> HttpResponse:
    club = club_of(request, slug).club
    return _report(request, club, resolve_url("club", slug))


@require_http_methods(METHODS)
def report_event(request: HttpRequest, event_id: int) -> HttpResponse:
    event = event_of(request, event_id).event
    return _report(request, event, resolve_url("event", event_id))


def _report(request: HttpRequest, target: Player | Club | Event, back: str) -> HttpResponse:
    reporter = player_of(request)
    if reporter is None or reporter.user_id is None:
        return account_needed(request, "Reporting something", request.path)
    form = ReportForm(request.POST if request.method == "POST" else None)
    status = 422 if form.is_bound else 200
    if form.is_valid():
        try:
            reports.make(reporter, target, **form.cleaned_data, now=timezone.now())
        except RefusedError as error:
            form.add_error(None, error.message)
            status = error.status
        else:
            messages.success(
                request, "The staff of the site will look at it and write to you afterwards."
            )
            return SeeOther(back)
    context = {"form": form, "target": target, "back": back}
    return render(request, "site/office/report.html", context, status=status)
