"""The page of one's programs: making one, its token, another name, and retiring it."""

from datetime import datetime, timedelta
from typing import Final

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render, resolve_url
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from games.answers import SeeOther, refused
from games.models import Player, Scope, Token
from games.models.people import NAME_LENGTH
from games.people.identity import player_of
from games.programs import programs, tokens
from games.programs.programs import ProgramError
from games.programs.tokens import TooManyTokensError

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
        return render(request, "games/programs/programs_need_account.html", status=403)
    form = ProgramForm(request.POST if request.method == "POST" else None)
    if not form.is_valid():
        return _programs_page(request, owner, form, status=422 if form.is_bound else 200)
    try:
        made, secret = programs.make(owner, form.cleaned_data["name"], timezone.now())
    except ProgramError as error:
        form.add_error("name" if error.code == "name" else None, error.message)
        return _programs_page(request, owner, form, status=STATUS.get(error.code, CONFLICT))
    return _programs_page(request, owner, ProgramForm(), made=made, secret=secret, status=201)


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
    return _programs_page(request, owner, ProgramForm(), made=program, secret=secret, status=201)


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


def _programs_page(
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
    return render(request, "games/programs/programs.html", context, status=status)


#: For how many days a token can be made; an empty text: for good.
DAYS: Final = {"30": "30 days", "90": "90 days", "365": "A year", "": "Until it is revoked"}
#: What a person's own token can allow: to play, a program has a token of its own.
OWN_SCOPES: Final = (Scope.READ, Scope.ENTER)


class TokenForm(forms.Form):
    """What a token is for, what it allows, and how long."""

    name = forms.CharField(
        label="What it is for",
        max_length=Token._meta.get_field("name").max_length,
        help_text="So that you know later which one to revoke.",
    )
    scopes = forms.MultipleChoiceField(
        label="What it allows, beyond what everybody may read",
        choices=[(scope.value, scope.label) for scope in OWN_SCOPES],
        initial=[Scope.READ],
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
    days = forms.ChoiceField(
        label="How long it works", choices=list(DAYS.items()), initial="90", required=False
    )

    def expires(self, now: datetime) -> datetime | None:
        """Return when the token stops working."""
        days: str = self.cleaned_data["days"]
        return now + timedelta(days=int(days)) if days else None


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def tokens_page(request: HttpRequest) -> HttpResponse:
    """List one's tokens; make one and show it, this once."""
    player = player_of(request)
    if player is None or player.user_id is None:
        return render(request, "games/programs/tokens_need_account.html", status=403)
    form = TokenForm(request.POST or None)
    if not form.is_valid():
        return _tokens_page(request, player, form, status=422 if form.is_bound else 200)
    now = timezone.now()
    scopes = [Scope(one) for one in form.cleaned_data["scopes"]]
    try:
        token, secret = tokens.make(
            player, form.cleaned_data["name"], scopes, form.expires(now), now
        )
    except TooManyTokensError as error:
        form.add_error(None, str(error))
        return _tokens_page(request, player, form, status=409)
    return _tokens_page(request, player, TokenForm(), made=token, secret=secret)


@require_POST
def revoke_token(request: HttpRequest, token_id: int) -> HttpResponse:
    """Let a token of one's own let nobody in any more."""
    player = player_of(request)
    if player is None:
        return redirect("you")
    tokens.revoke(player, token_id)
    messages.success(request, "The token is revoked.")
    return SeeOther(resolve_url("tokens"))


def _tokens_page(
    request: HttpRequest,
    player: Player,
    form: TokenForm,
    status: int = 200,
    *,
    made: Token | None = None,
    secret: str = "",
) -> HttpResponse:
    now = timezone.now()
    labels = dict(Scope.choices)
    context = {
        "form": form,
        "made": made,
        "secret": secret,
        "lines": [
            {
                "token": token,
                "allows": [labels.get(scope, scope) for scope in token.scopes],
                "expired": token.expired(now),
            }
            for token in tokens.tokens_of(player)
        ],
    }
    return render(request, "games/programs/tokens.html", context, status=status)
