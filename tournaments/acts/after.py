"""What answers an act: where it leads back to, and what was done with its undo in place.

An act that was chosen for somebody found returns to them. Its page has what was searched for in
field `found`, of the query or of its form. One that was chosen at the door returns there, to the
entry in field `door`.
"""

from __future__ import annotations

from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html

from games.numbers import parse_number
from tournaments.models import Act, Event
from tournaments.search.searching import MAX_LENGTH


def found_in(request: HttpRequest) -> str:
    """Return what was searched for before the act was chosen; empty if it was chosen elsewhere."""
    found: str = request.POST.get("found", request.GET.get("found", ""))
    return found.replace("\0", "").strip()[:MAX_LENGTH]


def returning(path: str, found: str) -> str:
    """Return the path of an act that is to lead back to the people found by these words."""
    return f"{path}{'&' if '?' in path else '?'}{urlencode({'found': found})}" if found else path


def back_to(request: HttpRequest, event: Event, otherwise: str = "") -> str:
    """Return the path that an act leads back to; the console's unless `otherwise` is given."""
    if found := found_in(request):
        return f"{reverse('find_people', args=[event.pk])}?{urlencode({'q': found})}"
    if (entry := parse_number(request.GET.get("door", ""))) is not None:
        return f"{reverse('door', args=[event.pk])}?at={entry}#guest-{entry}"
    return otherwise or reverse("manage_event", args=[event.pk])


def say_done(request: HttpRequest, event: Event, words: str, act: Act | None) -> None:
    """Say on the next page what an act has done; act: its row, to link to undoing it."""
    if act is None:
        messages.success(request, words)
        return
    path = returning(reverse("undo_act", args=[event.pk, act.pk]), found_in(request))
    link = format_html('{} <a href="{}">Undo</a>', words, path)
    messages.success(request, link)
