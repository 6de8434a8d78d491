"""The lobby, making a table, and a game at once."""

import hashlib

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render, resolve_url
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from games import rule_words
from games.engine.rules import RULE_SETS
from games.forms import FREE, HOUSE, ME, NewTableForm
from games.models import Player
from games.services import identity, limits, lobby, seating
from games.views.answers import SeeOther, by_script, page_or_part, refused, throws_in

#: What the links "Friends" and "Practise" fill in.
PURPOSES = {
    "friends": {"open": "no", "north": FREE, "east": FREE, "south": ME, "west": FREE},
    "practice": {"open": "no", "north": HOUSE, "east": HOUSE, "south": ME, "west": HOUSE},
}
TOO_MANY = "Many tables have been made from your address; try again in ten minutes."


@require_safe
def lobby_page(request: HttpRequest) -> HttpResponse:
    """List the tables; asked again with what was seen, answer 204 while nothing has changed."""
    lists = lobby.lobby_for(identity.player_of(request))
    seen = hashlib.sha256(repr(lists).encode()).hexdigest()[:16]
    if by_script(request) and request.GET.get("seen") == seen:
        return HttpResponse(status=204)
    context = {
        "lists": lists,
        "seen": seen,
        "rule_sets": [(key, rule_words.brief(rules)) for key, rules in RULE_SETS.items()],
    }
    return page_or_part(request, "games/lobby.html", "games/_tables.html", context)


@require_POST
def play_now(request: HttpRequest) -> HttpResponse:
    """Seat the visitor at a table of his own against house players; field `rules`: a key."""
    rules = RULE_SETS.get(request.POST.get("rules", ""))
    if rules is None:
        words = "There is no such game here; choose one of the list."
        return refused(request, words, 400, resolve_url("lobby"))
    if not limits.may_make_table(request):
        return refused(request, TOO_MANY, 429, resolve_url("lobby"))
    table = seating.play_now(_player(request), rules, throws_in=throws_in(request))
    return SeeOther(resolve_url("table", table.pk))


@require_http_methods(["GET", "HEAD", "POST"])
def new_table(request: HttpRequest) -> HttpResponse:
    """Make a table; `for` in the query fills the form for "friends" or for "practice"."""
    if request.method != "POST":
        initial = PURPOSES.get(request.GET.get("for", ""), {})
        return render(request, "games/new_table.html", {"form": NewTableForm(initial=initial)})
    form = NewTableForm(request.POST)
    if not form.is_valid():
        return render(request, "games/new_table.html", {"form": form}, status=422)
    if not limits.may_make_table(request):
        form.add_error(None, TOO_MANY)
        return render(request, "games/new_table.html", {"form": form}, status=429)
    table = seating.make_table(
        _player(request),
        form.chosen_rules,
        open=form.cleaned_data["open"],
        house_seats=form.house_seats,
        seat=form.my_seat,
        throws_in=throws_in(request),
    )
    return SeeOther(resolve_url("table", table.pk))


def _player(request: HttpRequest) -> Player:
    return identity.player_of(request) or identity.make_guest(request.session)
