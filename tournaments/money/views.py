"""The page of an event's entry money and prizes."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from tournaments.events import event_words
from tournaments.money import sheet
from tournaments.money.access import money_of


@require_safe
@never_cache
def event_money(request: HttpRequest, event_id: int) -> HttpResponse:
    """Show what comes in, where it goes and who wins it."""
    access = money_of(request, event_id)
    context = {
        "event": access.event,
        "access": access,
        "sheet": sheet.read(access.event),
        "entrant": event_words.entrant(access.event),
    }
    return render(request, "tournaments/money/event_money.html", context)
