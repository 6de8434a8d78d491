"""The staff pages; everybody else gets a 404."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, cast

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db import IntegrityError, transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render, resolve_url
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from euchre_site.office import account_acts, acts, club_acts, overview, reports, search
from euchre_site.office.acts import Subject, What
from euchre_site.office.forms import (
    BanForm,
    CloseForm,
    DecisionForm,
    DeleteForm,
    HandOverForm,
    LiftForm,
    NewNameForm,
    PlayerNameForm,
)
from games.models import About, Ban, OperatorAct, Player, Report, TaskFailure, User
from games.people import two_steps
from tournaments.answers import SeeOther
from tournaments.models import Club
from tournaments.refusals import RefusedError

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]
ACTS_A_PAGE = 50


def for_staff(view: View[P]) -> View[P]:
    """Restrict a view to the site's staff; everybody else gets a 404."""

    @wraps(view)
    def page(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        if not request.user.is_staff:
            raise Http404
        if two_steps.lacks(request.user):
            raise PermissionDenied
        return view(request, *args, **kwargs)

    return cast("View[P]", never_cache(page))


def operator_of(request: HttpRequest) -> User:
    return cast("User", request.user)


# Overview -----------------------------------------------------------------------------------


@require_safe
@for_staff
def office(request: HttpRequest) -> HttpResponse:
    context = {"site": overview.overview(timezone.now()), "here": "office"}
    return render(request, "site/office/overview.html", context)


@require_POST
@for_staff
@transaction.atomic
def clear_failures(request: HttpRequest) -> HttpResponse:
    number = sum(TaskFailure.objects.values_list("count", flat=True))
    TaskFailure.objects.all().delete()
    if number:
        about = Subject(About.TASK, 0, "Failed tasks")
        acts.note(operator_of(request), What.CLEAR_FAILURES, about, failures=number)
    messages.success(request, "The list is cleared. New failures will appear here.")
    return SeeOther(resolve_url("office"))


# Accounts -----------------------------------------------------------------------------------


@require_safe
@for_staff
def accounts(request: HttpRequest) -> HttpResponse:
    """Search accounts and clubs; field `q`: a name, an e-mail address or a page's URL."""
    words = request.GET.get("q", "").replace("\0", "").strip()
    context: dict[str, Any] = {"words": words, "here": "accounts", "most": search.MAX_FOUND}
    if words:
        context["found"] = search.find(words)
    closed = Ban.objects.filter(lifted=None).select_related("user__player")
    context["closed"] = closed[: search.MAX_FOUND]
    context["closed_clubs"] = Club.objects.exclude(closed=None)[: search.MAX_FOUND]
    return render(request, "site/office/accounts.html", context)


@require_safe
@for_staff
def player_account(request: HttpRequest, player_id: int) -> HttpResponse:
    return _account(request, _player(player_id), None)


@require_safe
@for_staff
def user_account(request: HttpRequest, user_id: int) -> HttpResponse:
    user = get_object_or_404(User, pk=user_id)
    player = Player.objects.filter(user=user).first()
    return redirect("office_player", player.pk) if player else _account(request, None, user)


@require_POST
@for_staff
def ban(request: HttpRequest, user_id: int) -> HttpResponse:
    user, form = get_object_or_404(User, pk=user_id), BanForm(request.POST)
    return _on_account(
        request,
        user,
        "ban_form",
        form,
        verb=lambda now: account_acts.ban(
            operator_of(request), user, form.cleaned_data["reason"], form.until(now), now
        ),
        said="The account is closed.",
    )


@require_POST
@for_staff
def delete(request: HttpRequest, user_id: int) -> HttpResponse:
    user, form = get_object_or_404(User, pk=user_id), DeleteForm(request.POST)
    status = _done(
        form,
        lambda now: account_acts.delete(
            operator_of(request), user, form.cleaned_data["reason"], now
        ),
    )
    if status:
        player = Player.objects.filter(user=user).first()
        return _account(request, player, user, status, delete_form=form)
    messages.success(request, "The account is deleted.")
    return SeeOther(resolve_url("office_accounts"))


@require_POST
@for_staff
def lift(request: HttpRequest, user_id: int) -> HttpResponse:
    user, form = get_object_or_404(User, pk=user_id), LiftForm(request.POST)

    def opened(now: Any) -> OperatorAct:
        made = Ban.objects.filter(user=user, lifted=None).first()
        if made is None:
            raise RefusedError("lifted", "This account has been reopened already.")
        reason = account_acts.checked_reason(form.cleaned_data["reason"])
        return account_acts.lift(operator_of(request), made, reason, now)

    return _on_account(
        request, user, "lift_form", form, verb=opened, said="The account is open again."
    )


@require_POST
@for_staff
def rename_player(request: HttpRequest, player_id: int) -> HttpResponse:
    player, form = _player(player_id), PlayerNameForm(request.POST)
    return _on_account(
        request,
        player,
        "name_form",
        form,
        verb=lambda _now: account_acts.rename(operator_of(request), player, **form.cleaned_data),
        said="The name is changed.",
    )


def _player(player_id: int) -> Player:
    people = Player.objects.select_related("user", "owner").exclude(kind=Player.Kind.HOUSE)
    return get_object_or_404(people, pk=player_id)


def _on_account(
    request: HttpRequest,
    one: User | Player,
    name: str,
    form: forms.Form,
    *,
    verb: Callable[[Any], OperatorAct],
    said: str,
) -> HttpResponse:
    """Act on an account, or show its page with the form's errors.

    name: the form's variable in the template. verb: called with the present time.
    """
    player = one if isinstance(one, Player) else Player.objects.filter(user=one).first()
    user = one if isinstance(one, User) else None
    status = _done(form, verb)
    if status:
        fresh = _player(player.pk) if player else None
        return _account(request, fresh, user, status, **{name: form})
    messages.success(request, said)
    where = ("office_player", player.pk) if player else ("office_user", one.pk)
    return SeeOther(resolve_url(*where))


def _account(
    request: HttpRequest,
    player: Player | None,
    user: User | None,
    status: int = 200,
    **refused: forms.Form,
) -> HttpResponse:
    user = player.user if player else user
    operator = operator_of(request)
    why = ""
    try:
        acts.check_may(operator, user)
    except RefusedError as error:
        why = error.message
    context = {
        "account": search.account_page(player, user),
        "ban_form": BanForm(),
        "lift_form": LiftForm(),
        "delete_form": DeleteForm(),
        "name_form": PlayerNameForm(),
        "why_not": why,
        "here": "accounts",
    }
    return render(request, "site/office/account.html", context | refused, status=status)


# Clubs --------------------------------------------------------------------------------------


@require_safe
@for_staff
def club(request: HttpRequest, slug: str) -> HttpResponse:
    return _club(request, get_object_or_404(Club, slug=slug))


@require_POST
@for_staff
def close_club(request: HttpRequest, slug: str) -> HttpResponse:
    one, form = get_object_or_404(Club, slug=slug), CloseForm(request.POST)
    return _on_club(
        request, one, "close_form", form,
        verb=lambda now: club_acts.close(operator_of(request), one, now=now, **form.cleaned_data),
        said="The club is closed.",
    )  # fmt: skip


@require_POST
@for_staff
def reopen_club(request: HttpRequest, slug: str) -> HttpResponse:
    one, form = get_object_or_404(Club, slug=slug), LiftForm(request.POST)
    return _on_club(
        request, one, "open_form", form,
        verb=lambda _now: club_acts.reopen(operator_of(request), one, form.cleaned_data["reason"]),
        said="The club is open again.",
    )  # fmt: skip


@require_POST
@for_staff
def rename_club(request: HttpRequest, slug: str) -> HttpResponse:
    one, form = get_object_or_404(Club, slug=slug), NewNameForm(request.POST)
    return _on_club(
        request, one, "name_form", form,
        verb=lambda _now: club_acts.rename(operator_of(request), one, **form.cleaned_data),
        said="The name is changed.",
    )  # fmt: skip


@require_POST
@for_staff
def hand_over_club(request: HttpRequest, slug: str) -> HttpResponse:
    one = get_object_or_404(Club, slug=slug)
    form = HandOverForm(request.POST, club=one)
    return _on_club(
        request, one, "own_form", form,
        verb=lambda now: club_acts.hand_over(
            operator_of(request), one,
            get_object_or_404(Player, pk=form.cleaned_data["heir"]),
            form.cleaned_data["reason"], now,
        ),
        said="The club has a new owner.",
    )  # fmt: skip


def _on_club(
    request: HttpRequest,
    one: Club,
    name: str,
    form: forms.Form,
    *,
    verb: Callable[[Any], OperatorAct],
    said: str,
) -> HttpResponse:
    status = _done(form, verb)
    if status:
        return _club(request, Club.objects.get(pk=one.pk), status, **{name: form})
    messages.success(request, said)
    return SeeOther(resolve_url("office_club", one.slug))


def _club(request: HttpRequest, one: Club, status: int = 200, **refused: Any) -> HttpResponse:
    context = {
        "club": one,
        "owners": club_acts.owners(one),
        "size": one.memberships.count(),
        "held": one.events.count(),
        "open_events": club_acts.to_call_off(one),
        "acts": acts.acts_about(acts.subject_of(one))[: search.MAX_FOUND],
        "reports": Report.objects.filter(about=About.CLUB, about_id=one.pk).order_by("-made"),
        "close_form": CloseForm(),
        "open_form": LiftForm(),
        "name_form": NewNameForm(),
        "own_form": HandOverForm(club=one),
        "here": "accounts",
    }
    return render(request, "site/office/club.html", context | refused, status=status)


# Reports ------------------------------------------------------------------------------------


@require_safe
@for_staff
def report_list(request: HttpRequest) -> HttpResponse:
    """List the open reports, then the decided ones."""
    decided = Report.objects.exclude(decided=None).order_by("-decided", "-pk")
    page = Paginator(decided, ACTS_A_PAGE).get_page(request.GET.get("page"))
    context = {"cases": reports.cases(), "page": page, "here": "reports"}
    return render(request, "site/office/reports.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@for_staff
def report_case(request: HttpRequest, report_id: int) -> HttpResponse:
    report = get_object_or_404(Report.objects.select_related("reporter"), pk=report_id)
    one = reports.subject(report)
    form = DecisionForm(
        request.POST if request.method == "POST" else None,
        decisions=reports.decisions_for(one),
        one=one,
    )
    status = 200
    if form.is_bound:
        fields = form.cleaned_data if form.is_valid() else {}
        given = {key: fields.get(key, "") for key in ("reason", "private", "name")}
        status = _done(
            form,
            lambda now: reports.decide(
                operator_of(request), report, fields["decision"], now, until=form.until(), **given
            ),
        )
        if not status:
            messages.success(request, "Decided. The reporters are notified that you looked at it.")
            return SeeOther(resolve_url("office_reports"))
    context = {
        "report": report,
        "one": one,
        "reports": reports.case_of(report),
        "form": form,
        "here": "reports",
    }
    return render(request, "site/office/report_case.html", context, status=status)


# Acts ---------------------------------------------------------------------------------------


@require_safe
@for_staff
def act_list(request: HttpRequest) -> HttpResponse:
    done = OperatorAct.objects.select_related("undone_by")
    page = Paginator(done, ACTS_A_PAGE).get_page(request.GET.get("page"))
    return render(request, "site/office/acts.html", {"page": page, "here": "acts"})


@require_POST
@for_staff
def undo(request: HttpRequest, act_id: int) -> HttpResponse:
    act = get_object_or_404(OperatorAct, pk=act_id)
    form = LiftForm(request.POST)
    status = _done(form, lambda _now: _undo(operator_of(request), act, form))
    if status:
        wrong = [str(error) for errors in form.errors.values() for error in errors]
        messages.error(request, " ".join(wrong))
    else:
        messages.success(request, "Undone.")
    return SeeOther(resolve_url("office_acts"))


def _undo(operator: User, act: OperatorAct, form: forms.Form) -> OperatorAct:
    reason = form.cleaned_data["reason"]
    if not acts.reversible(act):
        raise RefusedError("undone", "This has been undone already, or cannot be undone.")
    try:
        if act.what == What.BAN:
            return account_acts.undo_ban(operator, act, reason)
        if act.what == What.RENAME and act.about == About.PLAYER:
            return account_acts.undo_rename(operator, act, reason)
        return club_acts.undo(operator, act, reason)
    except IntegrityError as error:  # undone twice at the same moment
        raise RefusedError("undone", "This has been undone already.") from error


def _done(form: forms.Form, verb: Callable[[Any], Any]) -> int:
    """Carry out a form's action; return 0, or the status of the error added to the form."""
    if not form.is_valid():
        return 422
    try:
        verb(timezone.now())
    except RefusedError as error:
        field = error.code if error.code in form.fields else None
        form.add_error(field, error.message)
        return error.status
    return 0
