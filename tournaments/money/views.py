"""The page of an event's entry money and prizes."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render, resolve_url
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from tournaments.access import event_of
from tournaments.answers import SeeOther
from tournaments.events import event_words
from tournaments.money import paying, sheet
from tournaments.money.access import money_of


@require_safe
@never_cache
def event_money(request: HttpRequest, event_id: int) -> HttpResponse:
    """Show what comes in, where it goes and who wins it."""
    access = money_of(request, event_id)
    table = sheet.read(access.event)
    context = {
        "event": access.event,
        "access": access,
        "sheet": table,
        "payers": sheet.payers_of(table) if access.directs else None,
        "entrant": event_words.entrant(access.event),
    }
    return render(request, "tournaments/money/event_money.html", context)


@require_POST
def tick_paid(request: HttpRequest, event_id: int, entry_id: int) -> HttpResponse:
    """Store that an entry has paid, or with `back` in the form that it has not."""
    access = event_of(request, event_id, "direct")
    if access.player is None:
        raise PermissionDenied
    entries = access.event.entries.select_related("event").prefetch_related("players__player")
    entry, paid = get_object_or_404(entries, pk=entry_id), "back" not in request.POST
    paying.tick(entry, access.player, timezone.now(), paid=paid)
    messages.success(request, f"{entry.name}: {'paid' if paid else 'not paid'}.")
    return SeeOther(f"{resolve_url('event_money', event_id)}#payers-heading")
