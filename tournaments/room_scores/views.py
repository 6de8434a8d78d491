"""The page of a table in the room, opened by its code without an account."""

from __future__ import annotations

import hashlib
import json
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from games.answers import TOO_HASTY, by_script, page_or_part
from games.people import limits, traces, whereabouts
from games.people.addresses import client_address
from games.people.identity import player_of
from tournaments.answers import SeeOther, refused
from tournaments.events import director_calls
from tournaments.models import Event, RoomTable
from tournaments.refusals import RefusedError
from tournaments.room_scores import card_page, codes, writing
from tournaments.room_scores.forms import LineForm, SideForm
from tournaments.room_scores.writing import Writer

TOO_MANY_CALLS: Final = (
    "This table has called often in the last ten minutes. Go to the director’s desk, or wait."
)
#: In the session: the sides that the phone has chosen, as [match, side], the latest last.
SIDES_KEY = "room_sides"
MOST_SIDES = 20
#: What a table's page needs besides itself, kept by the service worker.
WORKER_FILES = (
    *(f"css/{name}.css" for name in ("tokens", "base", "cards", "pages", "score")),
    *("cards/sprite.svg", "js/score.js", "js/times.js", "logo.svg"),
)


def writer_of(request: HttpRequest, table: RoomTable) -> Writer:
    """Return who asks at a table; gives a new browser its id."""
    traces.know_browser(request.session)
    browser = f"{table.event_id} {traces.browser_of(request.session)}"
    phone = salted_hmac("tournaments.room_scores", browser, algorithm="sha256").hexdigest()
    address = whereabouts.digest(client_address(request))
    elsewhere = codes.been_elsewhere(request.session, table)
    return Writer(phone, player_of(request), address, elsewhere)


@require_safe
@never_cache
def room_table(request: HttpRequest, table_code: str) -> HttpResponse:
    """Show the score card of a table.

    In the query, `hand` is the number of the hand or game to change; `by=game` asks for the final
    score only. A script that names the version it `have`s is answered 204 while that is the same.
    """
    table: RoomTable | None = None
    try:
        table = codes.table_by_code(request, table_code)
        if table.code != table_code:
            return redirect("room_table", table.code)
        if "have" in request.GET and by_script(request):
            match = writing.present_match(table.event, table.number)
            now = timezone.now()
            if request.GET["have"] == card_page.version_of(table.event, match, now):
                return HttpResponse(status=204)
        return _page(request, table)
    except RefusedError as error:
        return _closed(request, error, table.event if table else None)


@require_safe
@never_cache
def score_worker(request: HttpRequest) -> HttpResponse:
    """Return the service worker of the tables' pages; another one after each upgrade."""
    files = [static(name) for name in WORKER_FILES]
    version = hashlib.sha256(json.dumps(files).encode()).hexdigest()[:12]
    context = {"name": json.dumps(f"score {version}"), "files": json.dumps(files)}
    script = render_to_string("tournaments/room_scores/worker.js", context)
    return HttpResponse(script, content_type="text/javascript; charset=utf-8")


@require_POST
def choose_side(request: HttpRequest, table_code: str) -> HttpResponse:
    """Remember which side this phone writes for; fields `round` and `side`."""
    try:
        table = codes.table_by_code(request, table_code)
        match = writing.present_match(table.event, table.number)
    except RefusedError as error:
        return _closed(request, error)
    form = SideForm(request.POST)
    if not form.is_valid():
        words = " ".join(str(one) for errors in form.errors.values() for one in errors)
        return _refused(request, RefusedError("side", words, 422), table)
    others = [one for one in request.session.get(SIDES_KEY, ()) if one[0] != match.pk]
    chosen = [match.pk, form.cleaned_data["side"]]
    request.session[SIDES_KEY] = [*others, chosen][-MOST_SIDES:]
    return SeeOther(resolve_url("room_table", table.code))


@require_POST
def write_score(request: HttpRequest, table_code: str) -> HttpResponse:
    """Write a line on the card; fields as in `LineForm`. A script is answered with the card."""
    try:
        table = codes.table_by_code(request, table_code)
    except RefusedError as error:
        return _closed(request, error)
    try:
        if not limits.may_act(request, at=f"-table-{table.pk}"):
            raise RefusedError("hasty", TOO_HASTY, 429)
        form = LineForm(request.POST)
        if not form.is_valid():
            raise RefusedError("fields", form.words, 422)
        writing.write(table, form.line, writer_of(request, table), timezone.now())
    except RefusedError as error:
        return _refused(request, error, table)
    if by_script(request):
        return _page(request, table)
    return SeeOther(resolve_url("room_table", table.code))


@require_POST
def call_director(request: HttpRequest, table_code: str) -> HttpResponse:
    """Call a director to the table, or take the call back; field `call`, "director" or "back"."""
    try:
        table = codes.table_by_code(request, table_code)
        match = writing.present_match(table.event, table.number)
    except RefusedError as error:
        return _closed(request, error)
    player = writer_of(request, table).player
    try:
        if writing.plays_elsewhere(match, player):
            raise RefusedError("elsewhere", "You play at another table in this round.", 403)
        caller = player if writing.side_of(match, player) is not None else None
        if request.POST.get("call") == "back":
            director_calls.take_back(match, caller)
        elif limits.may_call(f"table-{table.pk}", caller):
            director_calls.call(match, caller, timezone.now())
        else:
            raise RefusedError("hasty", TOO_MANY_CALLS, 429)
    except RefusedError as error:
        return _refused(request, error, table)
    return SeeOther(resolve_url("room_table", table.code))


def _page(request: HttpRequest, table: RoomTable) -> HttpResponse:
    now, asked = timezone.now(), request.GET.get("hand", "")
    page = card_page.read(
        table,
        writer_of(request, table),
        dict(map(tuple, request.session.get(SIDES_KEY, ()))),
        now,
        number=int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 4 else None,
        by_game=request.GET.get("by") == "game",
    )
    context = {"page": page, "event": table.event}
    templates = "tournaments/room_scores/table.html", "tournaments/room_scores/_card.html"
    return page_or_part(request, *templates, context)


def _refused(request: HttpRequest, error: RefusedError, table: RoomTable) -> HttpResponse:
    response = refused(request, error, resolve_url("room_table", table.code))
    if error.status == 429:
        response["Retry-After"] = str(limits.A_WHILE)
    return response


def _closed(request: HttpRequest, error: RefusedError, event: Event | None = None) -> HttpResponse:
    """Answer that a code opens no card now, on a page of its own, which leads to the event."""
    if by_script(request):
        return HttpResponse(error.message, status=error.status, content_type="text/plain")
    context = {"message": error.message, "event": event, "remedy": error.remedy}
    return render(request, "tournaments/room_scores/closed.html", context, status=error.status)
