"""The moderators' queue of reports of talk."""

from typing import Final

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render, resolve_url
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from euchre_site.office import talk_reports
from euchre_site.office.forms import VerdictForm
from euchre_site.office.talk_reports import Case
from euchre_site.office.views import operator_of, staff_only
from games.models import TalkReport
from tournaments.answers import SeeOther
from tournaments.refusals import RefusedError

#: Acts on a page of the record.
ACTS: Final = 20


@require_safe
@staff_only
def queue(request: HttpRequest) -> HttpResponse:
    return render(request, "site/office/talk.html", _context(request))


@require_http_methods(["GET", "HEAD", "POST"])
@staff_only
def case(request: HttpRequest, report_id: int) -> HttpResponse:
    """Show a case to the moderator who has opened it, and take the decision."""
    report, moderator, now = _report(report_id), operator_of(request), timezone.now()
    try:
        found = talk_reports.case_of(moderator, report, now)
    except RefusedError as error:
        messages.error(request, error.message)
        return SeeOther(resolve_url("office_talk"))
    form = VerdictForm(request.POST if request.method == "POST" else None)
    status = 200
    if form.is_bound:
        status = 422
        if form.is_valid():
            try:
                talk_reports.decide(moderator, report, **form.cleaned_data, now=now)
            except RefusedError as error:
                field = error.code if error.code in form.fields else None
                form.add_error(field, error.message)
                status = error.status
            else:
                messages.success(request, "Decided. You can take it back at any time.")
                return SeeOther(resolve_url("office_talk"))
    context = _context(request, found, form)
    return render(request, "site/office/talk.html", context, status=status)


@require_POST
@staff_only
def claim(request: HttpRequest, report_id: int) -> HttpResponse:
    try:
        talk_reports.claim(operator_of(request), _report(report_id), timezone.now())
    except RefusedError as error:
        messages.error(request, error.message)
        return SeeOther(resolve_url("office_talk"))
    return SeeOther(resolve_url("office_talk_case", report_id))


@require_POST
@staff_only
def release(request: HttpRequest, report_id: int) -> HttpResponse:
    talk_reports.release(operator_of(request), _report(report_id))
    return SeeOther(resolve_url("office_talk"))


def _report(report_id: int) -> TalkReport:
    return get_object_or_404(TalkReport, pk=report_id)


def _context(
    request: HttpRequest, shown: Case | None = None, form: VerdictForm | None = None
) -> dict[str, object]:
    now = timezone.now()
    page = Paginator(talk_reports.acts(), ACTS).get_page(request.GET.get("page"))
    context: dict[str, object] = {
        "cases": talk_reports.cases(operator_of(request), now),
        "page": page,
        "here": "talk",
        "case": shown,
        "form": form,
    }
    if shown is not None and shown.mine and not shown.involved:
        player = shown.first.player
        context["lines"] = talk_reports.transcript(shown)
        context["decisions"] = talk_reports.decisions_for(shown)
        context["suggested"] = talk_reports.suggestion_for(shown)
        context["about"] = talk_reports.about(player, now) if player is not None else None
    return context
