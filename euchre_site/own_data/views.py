"""The pages "Your data" and "Delete your account", for accounts and guests."""

from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.internal.flows.reauthentication import raise_if_reauthentication_required
from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render, resolve_url
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from euchre_site.own_data import deletion, exports, withdrawal
from games.models import Deletion, Player, User
from games.people import identity, traces
from games.people.names import HELD_FOR
from games.sockets import hub
from tournaments.answers import SeeOther, refused_at
from tournaments.refusals import RefusedError


class DeletionForm(forms.Form):
    sure = forms.BooleanField(
        label="I have read what is deleted and what stays",
        error_messages={"required": "Tick the box to continue."},
    )


@require_safe
@never_cache
def show(request: HttpRequest) -> HttpResponse:
    player = identity.player_of(request)
    latest = exports.latest_of(player, timezone.now()) if player else None
    context = {
        "takeaway": latest,
        "files": latest.files.defer("data") if latest and latest.made else (),
        "given_up": latest is not None and latest.made is None and latest.due is None,
        "until": latest.asked + exports.KEPT if latest else None,
        "most": exports.MAX_PER_DAY,
    }
    return render(request, "site/own_data/data.html", context)


@require_POST
@refused_at("own_data")
def take(request: HttpRequest) -> HttpResponse:
    player = identity.player_of(request)
    if player is None:
        return SeeOther(resolve_url("own_data"))
    _confirm(request)
    exports.request(player, timezone.now())
    return SeeOther(resolve_url("own_data"))


@require_safe
@never_cache
def file(request: HttpRequest, number: int) -> HttpResponse:
    player = identity.player_of(request)
    if player is None:
        raise Http404
    _confirm(request)
    found = exports.file_of(player, number, timezone.now())
    if found is None:
        raise Http404
    name = "your-data.zip" if number == 1 else f"your-data-{number}.zip"
    return HttpResponse(
        bytes(found.data),
        content_type="application/zip",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


@require_safe
@never_cache
def deletion_page(request: HttpRequest) -> HttpResponse:
    return _deletion_page(request, DeletionForm())


@require_POST
@refused_at("deletion")
def ask_deletion(request: HttpRequest) -> HttpResponse:
    player, now = identity.player_of(request), timezone.now()
    if player is None:
        return SeeOther(resolve_url("deletion"))
    form = DeletionForm(request.POST)
    if not form.is_valid():
        return _deletion_page(request, form, status=422)
    user = request.user
    if not isinstance(user, User):
        deletion.forget_guest(player, now)
        _end_guest(request)
        messages.success(request, "Your data here is deleted.")
        return SeeOther(resolve_url("home"))
    why = withdrawal.obstacle(player)
    if why:
        raise RefusedError("last owner", why)
    _confirm(request)
    if deletion.schedule(user, now) is None:
        get_adapter().logout(request)
        messages.success(request, "Your account is deleted.")
        return SeeOther(resolve_url("home"))
    return SeeOther(resolve_url("deletion"))


@require_POST
def keep_account(request: HttpRequest) -> HttpResponse:
    if isinstance(request.user, User) and deletion.cancel(request.user):
        messages.success(request, "Your account is kept.")
    return SeeOther(resolve_url("you"))


def _confirm(request: HttpRequest) -> None:
    """Require an account's owner to authenticate again; guests cannot."""
    if request.user.is_authenticated:
        raise_if_reauthentication_required(request, app="own_data")


def _deletion_page(request: HttpRequest, form: DeletionForm, status: int = 200) -> HttpResponse:
    player = identity.player_of(request)
    context: dict[str, Any] = {
        "form": form,
        "days": settings.DELETION_DAYS,
        "held_days": HELD_FOR.days,
        **_pending(request, player),
    }
    return render(request, "site/own_data/deletion.html", context, status=status)


def _pending(request: HttpRequest, player: Player | None) -> dict[str, Any]:
    user = request.user
    if not isinstance(user, User) or player is None:
        return {}
    return {
        "asked": Deletion.objects.filter(user=user).first(),
        "obstacle": withdrawal.obstacle(player),
    }


def _end_guest(request: HttpRequest) -> None:
    """End a guest's session, but remember which players' cards this browser has shown."""
    old, browser = request.session.session_key, request.session.get(traces.BROWSER)
    request.session.flush()
    if browser is not None:
        request.session[traces.BROWSER] = browser
    if old is not None:
        hub.close_session(old)
