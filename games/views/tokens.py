"""The page of personal tokens: making one, which is shown once, and revoking it."""

from datetime import datetime, timedelta
from typing import Final

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from games.models import Player, Scope, Token
from games.services import tokens
from games.services.identity import player_of
from games.services.tokens import TooManyTokensError
from games.views.answers import SeeOther

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
        return render(request, "games/tokens_need_account.html", status=403)
    form = TokenForm(request.POST or None)
    if not form.is_valid():
        return _page(request, player, form, status=422 if form.is_bound else 200)
    now = timezone.now()
    scopes = [Scope(one) for one in form.cleaned_data["scopes"]]
    try:
        token, secret = tokens.make(
            player, form.cleaned_data["name"], scopes, form.expires(now), now
        )
    except TooManyTokensError as error:
        form.add_error(None, str(error))
        return _page(request, player, form, status=409)
    return _page(request, player, TokenForm(), made=token, secret=secret)


@require_POST
def revoke_token(request: HttpRequest, token_id: int) -> HttpResponse:
    """Let a token of one's own let nobody in any more."""
    player = player_of(request)
    if player is None:
        return redirect("you")
    tokens.revoke(player, token_id)
    messages.success(request, "The token is revoked.")
    return SeeOther(resolve_url("tokens"))


def _page(
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
    return render(request, "games/tokens.html", context, status=status)
