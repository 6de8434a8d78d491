"""The staff pages; everybody else gets a 404."""

from collections.abc import Callable
from datetime import datetime
from functools import wraps
from typing import Any, Concatenate, Final, NamedTuple, ParamSpec, cast

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db import IntegrityError, transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render, resolve_url
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from euchre_site.office import (
    account_actions,
    actions,
    club_actions,
    overview,
    search,
)
from euchre_site.office.actions import Subject, What
from euchre_site.office.forms import (
    BanForm,
    CloseForm,
    DeleteForm,
    HandOverForm,
    LiftForm,
    NewNameForm,
    OfficeForm,
    PlayerNameForm,
)
from games.models import About, Ban, OperatorAct, Player, Report, TaskFailure, User
from games.people import two_steps
from tournaments.answers import SeeOther
from tournaments.models import Club
from tournaments.refusals import RefusedError

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]
ACTIONS_PER_PAGE = 50


def staff_only(view: View[P]) -> View[P]:
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
@staff_only
def office(request: HttpRequest) -> HttpResponse:
    context = {"site": overview.overview(timezone.now()), "here": "office"}
    return render(request, "site/office/overview.html", context)


@require_POST
@staff_only
@transaction.atomic
def clear_failures(request: HttpRequest) -> HttpResponse:
    number = sum(TaskFailure.objects.values_list("count", flat=True))
    TaskFailure.objects.all().delete()
    if number:
        about = Subject(About.TASK, 0, "Failed tasks")
        actions.record(operator_of(request), What.CLEAR_FAILURES, about, failures=number)
    messages.success(request, "The list is cleared. New failures will appear here.")
    return SeeOther(resolve_url("office"))


# Accounts -----------------------------------------------------------------------------------


@require_safe
@staff_only
def accounts(request: HttpRequest) -> HttpResponse:
    """Search accounts and clubs by `q`: a name, an e-mail address or a page's URL."""
    words = request.GET.get("q", "").replace("\0", "").strip()
    context: dict[str, Any] = {"words": words, "here": "accounts", "most": search.MAX_FOUND}
    if words:
        context["found"] = search.find(words)
    closed = Ban.objects.filter(lifted=None).select_related("user__player")
    context["closed"] = closed[: search.MAX_FOUND]
    context["closed_clubs"] = Club.objects.exclude(closed=None)[: search.MAX_FOUND]
    return render(request, "site/office/accounts.html", context)


@require_safe
@staff_only
def player_account(request: HttpRequest, player_id: int) -> HttpResponse:
    return _account_page(request, _player(player_id), None)


@require_safe
@staff_only
def user_account(request: HttpRequest, user_id: int) -> HttpResponse:
    user = get_object_or_404(User, pk=user_id)
    player = Player.objects.filter(user=user).first()
    return redirect("office_player", player.pk) if player else _account_page(request, None, user)


class OfficeAct(NamedTuple):
    """An act on an account or club: its form, the form's name on the page, and what is said.

    verb: called with the operator, the account or club, the valid form and the present time.
    """

    form: type[OfficeForm]
    name: str
    done: str
    verb: Callable[[User, Any, Any, datetime], object]


def _lift(operator: User, user: User, form: LiftForm, now: datetime) -> OperatorAct:
    made = Ban.objects.filter(user=user, lifted=None).first()
    if made is None:
        raise RefusedError("lifted", "This account has been reopened already.")
    reason = account_actions.checked_reason(form.cleaned_data["reason"])
    return account_actions.lift(operator, made, reason, now)


#: The acts on accounts, by the last word of their addresses.
ON_ACCOUNTS: Final = {
    "ban": OfficeAct(
        BanForm, "ban_form", "The account is closed.",
        lambda by, user, form, now: account_actions.ban(
            by, user, form.cleaned_data["reason"], form.until(now), now
        ),
    ),
    "delete": OfficeAct(
        DeleteForm, "delete_form", "The account is deleted.",
        lambda by, user, form, now: account_actions.delete(
            by, user, form.cleaned_data["reason"], now
        ),
    ),
    "lift": OfficeAct(LiftForm, "lift_form", "The account is open again.", _lift),
    "rename": OfficeAct(
        PlayerNameForm, "name_form", "The name is changed.",
        lambda by, player, form, _now: account_actions.rename(by, player, **form.cleaned_data),
    ),
}  # fmt: skip


@require_POST
@staff_only
def act_on_account(
    request: HttpRequest, what: str, user_id: int | None = None, player_id: int | None = None
) -> HttpResponse:
    """Act on an account, or show its page with the form's errors; what: of `ON_ACCOUNTS`."""
    act = ON_ACCOUNTS[what]
    form = act.form(request.POST)
    user = get_object_or_404(User, pk=user_id) if user_id is not None else None
    player = (
        _player(player_id) if player_id is not None else Player.objects.filter(user=user).first()
    )
    status = _submit(form, lambda now: act.verb(operator_of(request), user or player, form, now))
    if status:
        fresh = _player(player.pk) if player else None
        return _account_page(request, fresh, user, status, **{act.name: form})
    messages.success(request, act.done)
    if what == "delete":
        return SeeOther(resolve_url("office_accounts"))
    where = ("office_player", player.pk) if player else ("office_user", user_id)
    return SeeOther(resolve_url(*where))


def _player(player_id: int) -> Player:
    people = Player.objects.select_related("user", "owner").exclude(kind=Player.Kind.HOUSE)
    return get_object_or_404(people, pk=player_id)


def _account_page(
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
        actions.check_may(operator, user)
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
@staff_only
def club_page(request: HttpRequest, slug: str) -> HttpResponse:
    return _club_page(request, get_object_or_404(Club, slug=slug))


def _hand_over(operator: User, club: Club, form: HandOverForm, now: datetime) -> OperatorAct:
    heir = get_object_or_404(Player, pk=form.cleaned_data["heir"])
    return club_actions.hand_over(operator, club, heir, form.cleaned_data["reason"], now)


#: The acts on clubs, by the last word of their addresses.
ON_CLUBS: Final = {
    "close": OfficeAct(
        CloseForm, "close_form", "The club is closed.",
        lambda by, club, form, now: club_actions.close(by, club, now=now, **form.cleaned_data),
    ),
    "open": OfficeAct(
        LiftForm, "open_form", "The club is open again.",
        lambda by, club, form, _now: club_actions.reopen(by, club, form.cleaned_data["reason"]),
    ),
    "rename": OfficeAct(
        NewNameForm, "name_form", "The name is changed.",
        lambda by, club, form, _now: club_actions.rename(by, club, **form.cleaned_data),
    ),
    "own": OfficeAct(HandOverForm, "own_form", "The club has a new owner.", _hand_over),
}  # fmt: skip


@require_POST
@staff_only
def act_on_club(request: HttpRequest, what: str, slug: str) -> HttpResponse:
    club, act = get_object_or_404(Club, slug=slug), ON_CLUBS[what]
    form = act.form(request.POST, club=club)
    status = _submit(form, lambda now: act.verb(operator_of(request), club, form, now))
    if status:
        return _club_page(request, Club.objects.get(pk=club.pk), status, **{act.name: form})
    messages.success(request, act.done)
    return SeeOther(resolve_url("office_club", club.slug))


def _club_page(request: HttpRequest, club: Club, status: int = 200, **refused: Any) -> HttpResponse:
    context = {
        "club": club,
        "owners": club_actions.owners(club),
        "size": club.memberships.count(),
        "held": club.events.count(),
        "open_events": club_actions.unfinished_events(club),
        "actions": actions.actions_about(actions.subject_of(club))[: search.MAX_FOUND],
        "reports": Report.objects.filter(about=About.CLUB, about_id=club.pk).order_by("-made"),
        "close_form": CloseForm(),
        "open_form": LiftForm(),
        "name_form": NewNameForm(),
        "own_form": HandOverForm(club=club),
        "here": "accounts",
    }
    return render(request, "site/office/club.html", context | refused, status=status)


# Actions ------------------------------------------------------------------------------------


@require_safe
@staff_only
def action_list(request: HttpRequest) -> HttpResponse:
    done = OperatorAct.objects.select_related("undone_by")
    page = Paginator(done, ACTIONS_PER_PAGE).get_page(request.GET.get("page"))
    return render(request, "site/office/actions.html", {"page": page, "here": "actions"})


@require_POST
@staff_only
def undo(request: HttpRequest, act_id: int) -> HttpResponse:
    act = get_object_or_404(OperatorAct, pk=act_id)
    form = LiftForm(request.POST)
    status = _submit(form, lambda _now: _undo(operator_of(request), act, form))
    if status:
        wrong = [str(error) for errors in form.errors.values() for error in errors]
        messages.error(request, " ".join(wrong))
    else:
        messages.success(request, "Undone.")
    return SeeOther(resolve_url("office_acts"))


def _undo(operator: User, act: OperatorAct, form: forms.Form) -> OperatorAct:
    reason = form.cleaned_data["reason"]
    if "case" in act.detail:
        raise RefusedError("undone", "This is taken back on the page of cases.")
    if not actions.reversible(act):
        raise RefusedError("undone", "This has been undone already, or cannot be undone.")
    try:
        if act.what == What.BAN:
            return account_actions.undo_ban(operator, act, reason)
        if act.what == What.RENAME and act.about == About.PLAYER:
            return account_actions.undo_rename(operator, act, reason)
        return club_actions.undo(operator, act, reason)
    except IntegrityError as error:  # undone twice at the same moment
        raise RefusedError("undone", "This has been undone already.") from error


def _submit(form: forms.Form, action: Callable[[Any], Any]) -> int:
    """Carry out a form's action; return 0, or the status of the error added to the form."""
    if not form.is_valid():
        return 422
    try:
        action(timezone.now())
    except RefusedError as error:
        field = error.code if error.code in form.fields else None
        form.add_error(field, error.message)
        return error.status
    return 0
