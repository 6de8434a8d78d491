"""Pages on which a director gives a walk-in another code, or another name or none."""

from __future__ import annotations

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, resolve_url
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from games.models import Player
from tournaments.attendance import walk_ins
from tournaments.directing import act_page
from tournaments.directing.act_page import ActPage
from tournaments.directing.views import directed
from tournaments.models import Event, WalkIn


class NameForm(forms.Form):
    """The name that a walk-in is to have; without one, a number takes its place."""

    name = forms.CharField(
        label="Name", max_length=60, required=False, help_text="Leave it empty to remove the name."
    )


def _walk_in(request: HttpRequest, event_id: int, walk_in_id: int) -> tuple[Event, Player, WalkIn]:
    event, by = directed(request, event_id)
    rows = event.walk_ins.select_related("event", "player")
    return event, by, get_object_or_404(rows, pk=walk_in_id)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def new_code(request: HttpRequest, event_id: int, walk_in_id: int) -> HttpResponse:
    """Give a walk-in another code; fields `reason`, `seen`."""
    event, by, walk_in = _walk_in(request, event_id, walk_in_id)

    def verb(reason: str) -> None:
        walk_ins.renew_code(walk_in, by, reason=reason, now=timezone.now())

    page = ActPage(
        title=f"A new code for {walk_in}",
        explains=(
            "For a card that was lost or photographed. Nobody can open their page, or claim their"
            " results, by the old one."
        ),
        deed="Make a new code",
        done=f"{walk_in} has a new code: print the card again.",
        until="Cannot be undone: the old code no longer works.",
        verb=verb,
        back=resolve_url("find_people", event.pk),
        stop=True,
    )
    return act_page.answer(request, event, page)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def change_name(request: HttpRequest, event_id: int, walk_in_id: int) -> HttpResponse:
    """Give a walk-in another name or none; fields `name`, `reason`, `seen`."""
    event, by, walk_in = _walk_in(request, event_id, walk_in_id)
    sent = request.POST if request.method == "POST" else request.GET
    form = NameForm(sent if "name" in sent else None, initial={"name": walk_in.player.name})

    def verb(reason: str) -> None:
        name = form.cleaned_data["name"]
        walk_ins.rename(walk_in, name, by, reason=reason, now=timezone.now())

    page = ActPage(
        title=f"The name of {walk_in}",
        explains=(
            "The new name appears on all pages of the event and in its record, for past rounds "
            "too. The old one is not kept."
        ),
        deed="Change the name",
        done="The name has been changed.",
        until="Cannot be undone, as the old name is not kept. Change it again instead.",
        verb=verb,
        back=resolve_url("find_people", event.pk),
        choice=form,
    )
    return act_page.answer(request, event, page)
