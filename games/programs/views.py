"""The pages of a player's programs and tokens."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render, resolve_url
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from games.answers import SeeOther, refused_at
from games.models import Player, Scope, Token
from games.models.people import NAME_LENGTH
from games.people.identity import player_of
from games.programs import programs, tokens
from games.refusals import VerbError


@dataclass(frozen=True, slots=True)
class KeysPage:
    """A page that lists a player's programs or tokens and creates another.

    `name` is its template; with "_need_account", that for visitors. `make` creates an object from
    the form's data and returns it with its secret.
    """

    name: str
    form: type[forms.Form]
    make: Callable[[Player, dict[str, Any], datetime], tuple[Any, str]]
    context: Callable[[Player], dict[str, Any]]
    made: int

    def answer(self, request: HttpRequest) -> HttpResponse:
        owner = player_of(request)
        if owner is None or owner.user_id is None:
            return render(request, f"games/programs/{self.name}_need_account.html", status=403)
        form = self.form(request.POST if request.method == "POST" else None)
        if not form.is_valid():
            return self.shown(request, owner, 422 if form.is_bound else 200, form=form)
        try:
            made, secret = self.make(owner, form.cleaned_data, timezone.now())
        except VerbError as error:
            form.add_error("name" if error.code == "name" else None, error.message)
            return self.shown(request, owner, error.status, form=form)
        return self.shown(request, owner, self.made, made=made, secret=secret)

    def shown(self, request: HttpRequest, owner: Player, status: int, **more: Any) -> HttpResponse:
        context = {"form": more.get("form") or self.form(), **self.context(owner), **more}
        return render(request, f"games/programs/{self.name}.html", context, status=status)


class ProgramForm(forms.Form):
    name = forms.CharField(
        label="Its name",
        max_length=NAME_LENGTH,
        help_text="Shown at the table, with the word “Program” and your name.",
    )


PROGRAMS: Final = KeysPage(
    "programs",
    ProgramForm,
    lambda owner, asked, now: programs.make(owner, asked["name"], now),
    lambda owner: {"lines": programs.programs_of(owner), "most": programs.MAX_PROGRAMS},
    201,
)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def programs_page(request: HttpRequest) -> HttpResponse:
    return PROGRAMS.answer(request)


@require_POST
@never_cache
@refused_at("programs")
def renew_program(request: HttpRequest, player_id: int) -> HttpResponse:
    program = _program(request, player_id)
    secret = programs.renew(program, timezone.now())
    owner = program.owner or program
    return PROGRAMS.shown(request, owner, 201, made=program, secret=secret)


@require_POST
@refused_at("programs")
def rename_program(request: HttpRequest, player_id: int) -> HttpResponse:
    program = _program(request, player_id)
    programs.rename(program, request.POST.get("name", ""))
    messages.success(request, f"Its name is {program.name} now.")
    return SeeOther(resolve_url("programs"))


@require_POST
def retire_program(request: HttpRequest, player_id: int) -> HttpResponse:
    program = _program(request, player_id)
    programs.retire(program)
    messages.success(request, f"{program.name} is retired.")
    return SeeOther(resolve_url("programs"))


def _program(request: HttpRequest, player_id: int) -> Player:
    owner = player_of(request)
    if owner is None or owner.user_id is None:
        raise PermissionDenied
    return get_object_or_404(owner.programs.select_related("owner"), pk=player_id)


#: The lifetimes of a token in days; empty means no expiry.
DAYS: Final = {"30": "30 days", "90": "90 days", "365": "A year", "": "Until it is revoked"}
#: Scopes of a person's token; playing needs a program's token.
OWN_SCOPES: Final = (Scope.READ, Scope.ENTER)


class TokenForm(forms.Form):
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


def _make_token(owner: Player, asked: dict[str, Any], now: datetime) -> tuple[Token, str]:
    days: str = asked["days"]
    scopes = [Scope(one) for one in asked["scopes"]]
    expires = now + timedelta(days=int(days)) if days else None
    return tokens.make(owner, asked["name"], scopes, expires, now)


def _tokens_context(owner: Player) -> dict[str, Any]:
    now, labels = timezone.now(), dict(Scope.choices)
    return {
        "lines": [
            {
                "token": token,
                "allows": [labels.get(scope, scope) for scope in token.scopes],
                "expired": token.expired(now),
            }
            for token in tokens.tokens_of(owner)
        ]
    }


TOKENS: Final = KeysPage("tokens", TokenForm, _make_token, _tokens_context, 200)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def tokens_page(request: HttpRequest) -> HttpResponse:
    return TOKENS.answer(request)


@require_POST
def revoke_token(request: HttpRequest, token_id: int) -> HttpResponse:
    player = player_of(request)
    if player is None:
        return redirect("you")
    tokens.revoke(player, token_id)
    messages.success(request, "The token is revoked.")
    return SeeOther(resolve_url("tokens"))
