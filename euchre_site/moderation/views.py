"""The queue of cases and each case, and the pages on which members report something."""

from __future__ import annotations

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render, resolve_url
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from euchre_site.moderation import cases, member_reports
from euchre_site.moderation.forms import DecisionForm, ReportForm
from euchre_site.moderation.registry import SOURCES
from euchre_site.moderation.sources import ModerationCase, Moderator
from euchre_site.office.forms import LiftForm
from games.models import OperatorAct, Player, User
from games.people import two_steps
from games.people.identity import player_of, player_of_user
from tournaments.access import club_of, event_of
from tournaments.answers import SeeOther, account_needed
from tournaments.models import Club, Event, Membership
from tournaments.refusals import RefusedError

METHODS = ["GET", "HEAD", "POST"]
#: Latest decisions on the page.
LATEST = 20
STEPS = {"take": cases.take, "leave": cases.leave}


def moderator_of(request: HttpRequest) -> Moderator:
    """Return who asks; PermissionDenied for all but the site's staff and moderators of clubs."""
    user = request.user
    if not isinstance(user, User) or two_steps.lacks(user):
        raise PermissionDenied
    moderator = Moderator(user, player_of_user(user))
    ranked = moderator.player.memberships.exclude(role=Membership.Role.MEMBER)
    if not user.is_staff and not ranked.filter(club__closed=None).exists():
        raise PermissionDenied
    return moderator


@require_safe
@never_cache
def queue(request: HttpRequest) -> HttpResponse:
    return _page(request, moderator_of(request))


@require_http_methods(METHODS)
@never_cache
def case(request: HttpRequest, source: str, evidence: int) -> HttpResponse:
    """Show a case to the moderator who has taken it, and take the decision.

    The field `step` says instead that the moderator takes or leaves the case.
    """
    moderator, now = moderator_of(request), timezone.now()
    of_site = source != "signs" and not moderator.user.is_staff
    if source not in SOURCES or of_site:
        raise Http404
    found = SOURCES[source].case(moderator, evidence)
    step = STEPS.get(request.POST.get("step", ""))
    back = resolve_url("cases") + request.get_full_path().removeprefix(request.path)
    try:
        if found is None:
            raise RefusedError("decided", "Someone else has already decided this.")
        if step is not None:
            step(moderator, found, now)
    except RefusedError as error:
        messages.error(request, error.message)
        return SeeOther(back)
    if step is not None:
        here = f"{request.get_full_path()}#report"
        return SeeOther(here if step is cases.take else back)
    form = DecisionForm(
        request.POST if request.method == "POST" else None,
        offered=found.source.decisions(found, moderator),
        reason_length=found.source.reason_length,
    )
    status = 422 if form.is_bound else 200
    if form.is_valid():
        try:
            messages.success(request, cases.decide(moderator, found, form.cleaned_data, now))
            return SeeOther(back)
        except RefusedError as error:
            field = "reason" if error.code == "words" else error.code
            form.add_error(field if field in form.fields else None, error.message)
            status = error.status
    return _page(request, moderator, found, form, status)


def _page(
    request: HttpRequest,
    moderator: Moderator,
    shown: ModerationCase | None = None,
    form: DecisionForm | None = None,
    status: int = 200,
) -> HttpResponse:
    now, queue = timezone.now(), cases.Queue(moderator, request.GET.get("page"))
    context: dict[str, object] = {
        "queue": queue,
        "cases": [(one, why_not, cases.taken(one)) for one, why_not in queue.cases()],
        "page": queue.page,
        "at_page": f"?page={queue.page.number}" if queue.page.number > 1 else "",
        "acts": cases.acts()[:LATEST],
        "now": now,
        "here": "cases",
        "case": shown,
        "form": form,
    }
    if shown is not None:
        taken = cases.taken(shown)
        why_not = shown.source.why_not(shown.rows, moderator)
        by = taken.by_id if taken and taken.until and taken.until > now else None
        mine = by == moderator.user.pk and not why_not
        context |= {"taken": taken, "why_not": why_not, "mine": mine, "held": by and not mine}
        if mine:
            context["offered"] = shown.source.decisions(shown, moderator)
            context |= shown.source.context(shown, moderator, now)
    return render(request, "site/moderation/queue.html", context, status=status)


@require_POST
def take_back(request: HttpRequest, act_id: int) -> HttpResponse:
    moderator = moderator_of(request)
    if not moderator.user.is_staff:
        raise Http404
    act, form = get_object_or_404(OperatorAct, pk=act_id), LiftForm(request.POST)
    try:
        if not form.is_valid():
            raise RefusedError("reason", "Give a reason.", 422)
        cases.take_back(moderator, act, form.cleaned_data["reason"], timezone.now())
    except RefusedError as error:
        messages.error(request, error.message)
    else:
        messages.success(request, "Taken back.")
    return SeeOther(resolve_url("cases"))


# Reports of members ---------------------------------------------------------------------------


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
            member_reports.make(reporter, target, **form.cleaned_data, now=timezone.now())
        except RefusedError as error:
            form.add_error(None, error.message)
            status = error.status
        else:
            messages.success(
                request, "The staff of the site will look at it and write to you afterwards."
            )
            return SeeOther(back)
    context = {"form": form, "target": target, "back": back}
    return render(request, "site/moderation/report.html", context, status=status)
