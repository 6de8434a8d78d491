"""Sheets of an event for the browser to print, on A4 or Letter, or to save as PDF."""

from __future__ import annotations

import re

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render, resolve_url
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from tournaments.access import EventAccess, event_of
from tournaments.event_page import page_values
from tournaments.events import event_words
from tournaments.family_names import by_family_name
from tournaments.joining.joining import address_of
from tournaments.models import Entry, Event
from tournaments.money import sheet
from tournaments.money.access import money_of, sees_money
from tournaments.paper import movement, sheets
from tournaments.refusals import RefusedError
from tournaments.results import event_rows


@require_safe
@never_cache
def index(request: HttpRequest, event_id: int) -> HttpResponse:
    """List the sheets that can be printed now."""
    access = event_of(request, event_id)
    event, rounds = access.event, list(access.event.played_rounds.order_by("number"))
    context = {
        "event": event,
        "access": access,
        "rounds": rounds,
        "over": any(one.over is not None for one in rounds),
        "bracket": event.is_knock_out or any(one.stage == 2 for one in rounds),
        "unknown": movement.why_unknown(event),
        "money": event.entry_money and sees_money(access) and sheet.is_decided(event),
    }
    return render(request, "tournaments/paper/index.html", context)


@require_safe
@never_cache
def score_cards(request: HttpRequest, event_id: int) -> HttpResponse:
    """Show score cards of the round being played, or empty ones; `tables` asks for those."""
    access = event_of(request, event_id, "direct")
    event = access.event
    round_ = None if "tables" in request.GET else sheets.present_round(event)
    try:
        tables = _tables(request, event)
    except RefusedError as error:
        return _refused(request, event_id, error)
    cards = (
        sheets.round_cards(event, round_.matches) if round_ else sheets.blank_cards(event, tables)
    )
    return _sheet(
        request,
        access,
        "score_cards",
        pages=sheets.two_by_two(cards, fits=all(card.short for card in cards)),
        round=round_,
        tables=tables,
        most=sheets.MOST_TABLES,
    )


@require_safe
@never_cache
def table_cards(request: HttpRequest, event_id: int) -> HttpResponse:
    """Show a card for each table; `tables` in the query says how many."""
    access = event_of(request, event_id, "direct")
    try:
        tables = _tables(request, access.event)
    except RefusedError as error:
        return _refused(request, event_id, error)
    return _sheet(
        request,
        access,
        "table_cards",
        pages=sheets.chunks(sheets.table_cards(access.event, tables), 2),
        tables=tables,
        most=sheets.MOST_TABLES,
    )


@require_safe
@never_cache
def walk_in_cards(request: HttpRequest, event_id: int) -> HttpResponse:
    """Show a card for each walk-in with the code of their page."""
    access = event_of(request, event_id, "direct")
    cards = [
        (one, f"{settings.SITE_URL}{resolve_url('walk_in', one.code)}")
        for one in access.event.walk_ins.select_related("player")
    ]
    cards.sort(key=lambda one: by_family_name(one[0].player.name))
    return _sheet(
        request,
        access,
        "walk_in_cards",
        pages=sheets.chunks(cards, 2),
        place=f"{settings.SITE_URL}{resolve_url('walk_in_code')}",
    )


@require_safe
@never_cache
def door(request: HttpRequest, event_id: int) -> HttpResponse:
    """Show everybody by family name, with boxes to tick who is in and who has paid."""
    access = event_of(request, event_id, "direct")
    entries = event_rows.with_players(access.event.entries.filter(house=False))
    staying = [one for one in entries if one.state != Entry.State.WITHDRAWN]
    names = sorted(
        (one.player.name for entry in staying for one in entry.players.all()), key=by_family_name
    )
    pages = [sheets.columns(page) for page in sheets.chunks(names, sheets.NAMES)]
    return _sheet(request, access, "door", pages=pages or [[[]]], words="At the door")


@require_safe
@never_cache
def check_in(request: HttpRequest, event_id: int) -> HttpResponse:
    """Show the hall's poster, by which whoever has entered checks in."""
    access = event_of(request, event_id, "direct")
    event = access.event
    if not event.check_in_minutes or not event.join_code:
        words = "This event has no check-in: everybody who has entered plays."
        return _refused(request, event_id, RefusedError("no_check_in", words))
    here = f"{settings.SITE_URL}{resolve_url('here_by_code', event.join_code)}"
    return _sheet(request, access, "check_in", here=here)


@require_safe
@never_cache
def movement_cards(request: HttpRequest, event_id: int) -> HttpResponse:
    """Show a card for each player that says where they sit in every round."""
    access = event_of(request, event_id, "direct")
    try:
        cards = movement.movement_cards(access.event, timezone.now())
    except RefusedError as error:
        return _refused(request, event_id, error)
    short = all(len(card.turns) <= sheets.MOVEMENT_HALF for card in cards)
    parts = [part for card in cards for part in card.parts(sheets.WHOLE)]
    return _sheet(request, access, "movement_cards", pages=sheets.two_by_two(parts, fits=short))


@require_safe
@never_cache
def pairings(request: HttpRequest, event_id: int, number: int) -> HttpResponse:
    """Show who sits where in a round, by table and by name."""
    access = event_of(request, event_id)
    round_ = _round(access.event, number)
    seats = sorted(sheets.seats_of(round_), key=lambda one: by_family_name(one[0]))
    return _sheet(
        request,
        access,
        "pairings",
        round=round_,
        words=f"Round {number}",
        pages=sheets.chunks(round_.matches, sheets.TABLES),
        by_name=[sheets.columns(page) for page in sheets.chunks(seats, sheets.NAMES)],
    )


@require_safe
@never_cache
def results(request: HttpRequest, event_id: int, number: int) -> HttpResponse:
    """Show the results of a round; those still sealed are left empty."""
    access = event_of(request, event_id)
    round_ = _round(access.event, number)
    return _sheet(
        request,
        access,
        "results",
        round=round_,
        words=f"Results of round {number}",
        pages=sheets.chunks(round_.matches, sheets.TABLES),
    )


@require_safe
@never_cache
def standings(request: HttpRequest, event_id: int) -> HttpResponse:
    """Show the standings after the last round that is over."""
    access = event_of(request, event_id)
    over = access.event.played_rounds.filter(over__isnull=False).count()
    if not over:
        error = RefusedError("no_standings", "Standings can be printed after round 1.")
        return _refused(request, event_id, error)
    table = page_values.standings_after(access.event, over)
    return _sheet(
        request,
        access,
        "standings",
        table=table,
        words=f"Standings after round {over}",
        pages=sheets.chunks(table.lines, sheets.LINES),
        entrant=event_words.entrant(access.event),
    )


@require_safe
@never_cache
def money(request: HttpRequest, event_id: int) -> HttpResponse:
    """Show who gets what of the entry money, when all matches are played."""
    access = money_of(request, event_id)
    event, table = access.event, sheet.read(access.event)
    if not table.decided:
        error = RefusedError("undecided", "Prizes can be printed when the last round is over.")
        return _refused(request, event_id, error)
    provisional = [] if table.final else ["Provisional: results can still be corrected."]
    return _sheet(
        request,
        access,
        "money",
        sheet=table,
        words="Entry money and prizes",
        pages=sheets.chunks(table.winners, sheets.WINNERS) or [[]],
        entrant=event_words.entrant(event),
        note=" ".join([*provisional, *table.rules]),
    )


@require_safe
@never_cache
def bracket(request: HttpRequest, event_id: int) -> HttpResponse:
    """Show the bracket, over several pages where its names would be too small on one."""
    access = event_of(request, event_id)
    page = page_values.read(access.event, timezone.now())
    if page.bracket is None:
        error = RefusedError("no_bracket", page.why_no_bracket)
        return _refused(request, event_id, error)
    pages = sheets.bracket_pages(page.bracket)
    return _sheet(request, access, "bracket", bracket=page.bracket, pages=pages, words="Bracket")


def _refused(request: HttpRequest, event_id: int, error: RefusedError) -> HttpResponse:
    """Answer why a sheet is not to be had, on a page of its own: sheets have no room for words."""
    context = {"message": error.message, "back": resolve_url("print_event", event_id)}
    return render(request, "refused.html", context, status=error.status)


def _round(event: Event, number: int) -> page_values.RoundTables:
    round_ = page_values.round_of(event, number)
    if round_ is None:
        raise Http404
    return round_


def _tables(request: HttpRequest, event: Event) -> int:
    """Return the number of tables asked for; raise RefusedError if it is out of bounds."""
    asked = request.GET.get("tables")
    if asked is None:
        return min(sheets.tables_of(event), sheets.MOST_TABLES)
    if not re.fullmatch(r"[0-9]{1,4}", asked) or not 1 <= int(asked) <= sheets.MOST_TABLES:
        words = f"Cards can be printed for 1 to {sheets.MOST_TABLES} tables at once."
        raise RefusedError("tables", words, status=422)
    return int(asked)


def _sheet(request: HttpRequest, access: EventAccess, name: str, **values: object) -> HttpResponse:
    event = access.event
    context = {
        "event": event,
        "club": event.club,
        "day": event.started or event.starts,
        "now": timezone.now(),
        "link": address_of(event),
        "join": f"{settings.SITE_URL}{resolve_url('join_event')}",
        "layout": sheets.layout_of(event.rules),
        **values,
    }
    return render(request, f"tournaments/paper/{name}.html", context)
