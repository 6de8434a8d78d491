"""The page of one's programs: making one, its token, another name, and retiring it."""

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render, resolve_url
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from games.models import Player
from games.models.people import NAME_LENGTH
from games.services import programs
from games.services.identity import player_of
from games.services.programs import ProgramError
from games.views.answers import SeeOther, refused

#: How each refusal reads as a status; any other is a conflict with what there is.
STATUS = {"account": 403, "name": 422}
CONFLICT = 409


class ProgramForm(forms.Form):
    """A program's name."""

    name = forms.CharField(
        label="Its name",
        max_length=NAME_LENGTH,
        help_text="Shown at the table, with the word “Program” and your name.",
    )


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def programs_page(request: HttpRequest) -> HttpResponse:
    """List one's programs; make one and show its token, this once."""
    owner = player_of(request)
    if owner is None or owner.user_id is None:
        return render(request, "games/programs_need_account.html", status=403)
    form = ProgramForm(request.POST if request.method == "POST" else None)
    if not form.is_valid():
        return _page(request, owner, form, status=422 if form.is_bound else 200)
    try:
        made, secret = programs.make(owner, form.cleaned_data["name"], timezone.now())
    except ProgramError as error:
        form.add_error("name" if error.code == "name" else None, error.message)
        return _page(request, owner, form, status=STATUS.get(error.code, CONFLICT))
    return _page(request, owner, ProgramForm(), made=made, secret=secret, status=201)


@require_POST
@never_cache
def renew_program(request: HttpRequest, player_id: int) -> HttpResponse:
    """Make another token for a program and show it, this once."""
    program = _program(request, player_id)
    try:
        secret = programs.renew(program, timezone.now())
    except ProgramError as error:
        status = STATUS.get(error.code, CONFLICT)
        return refused(request, error.message, status, resolve_url("programs"))
    owner = program.owner or program
    return _page(request, owner, ProgramForm(), made=program, secret=secret, status=201)


@require_POST
def rename_program(request: HttpRequest, player_id: int) -> HttpResponse:
    """Give a program another name; field `name`."""
    program = _program(request, player_id)
    try:
        programs.rename(program, request.POST.get("name", ""))
    except ProgramError as error:
        status = STATUS.get(error.code, CONFLICT)
        return refused(request, error.message, status, resolve_url("programs"))
    messages.success(request, f"Its name is {program.name} now.")
    return SeeOther(resolve_url("programs"))


@require_POST
def retire_program(request: HttpRequest, player_id: int) -> HttpResponse:
    """End a program's token and let it leave its tables."""
    program = _program(request, player_id)
    programs.retire(program)
    messages.success(request, f"{program.name} is retired.")
    return SeeOther(resolve_url("programs"))


def _program(request: HttpRequest, player_id: int) -> Player:
    """One of the asker's own programs; 404 for any other."""
    owner = player_of(request)
    if owner is None or owner.user_id is None:
        raise PermissionDenied
    return get_object_or_404(owner.programs.select_related("owner"), pk=player_id)


def _page(
    request: HttpRequest,
    owner: Player,
    form: ProgramForm,
    *,
    status: int = 200,
    made: Player | None = None,
    secret: str = "",
) -> HttpResponse:
    context = {
        "form": form,
        "lines": programs.programs_of(owner),
        "made": made,
        "secret": secret,
        "most": programs.MOST,
    }
    return render(request, "games/programs.html", context, status=status)
