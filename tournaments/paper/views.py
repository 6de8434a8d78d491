"""Sheets of an event for the browser to print, on A4 or Letter, or to save as PDF."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeAlias

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

P = ParamSpec("P")
#: What a sheet shows besides its event.
Values: TypeAlias = dict[str, Any]


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


def printed(
    name: str, permission: str = ""
) -> Callable[
    [Callable[Concatenate[HttpRequest, EventAccess, P], Values]], Callable[..., HttpResponse]
]:
    """Make a view of what returns the values of a sheet, or raises RefusedError if there is none.

    Why it is not to be had is said on a page of its own: sheets have no room for words.
    """

    def decorate(
        values_of: Callable[Concatenate[HttpRequest, EventAccess, P], Values],
    ) -> Callable[..., HttpResponse]:
        @require_safe
        @never_cache
        @wraps(values_of)
        def view(
            request: HttpRequest, event_id: int, *args: P.args, **kwargs: P.kwargs
        ) -> HttpResponse:
            access = event_of(request, event_id, permission)
            event = access.event
            try:
                values = values_of(request, access, *args, **kwargs)
            except RefusedError as error:
                refusal = {"message": error.message, "back": resolve_url("print_event", event_id)}
                return render(request, "refused.html", refusal, status=error.status)
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

        return view

    return decorate


@printed("score_cards", "direct")
def score_cards(request: HttpRequest, access: EventAccess) -> Values:
    """Show score cards of the round being played, or empty ones; `tables` asks for those."""
    event = access.event
    round_ = None if "tables" in request.GET else sheets.present_round(event)
    tables = _tables(request, event)
    cards = (
        sheets.round_cards(event, round_.matches) if round_ else sheets.blank_cards(event, tables)
    )
    pages = sheets.two_by_two(cards, fits=all(card.short for card in cards))
    return {"pages": pages, "round": round_, "tables": tables, "most": sheets.MOST_TABLES}


@printed("table_cards", "direct")
def table_cards(request: HttpRequest, access: EventAccess) -> Values:
    """Show a card for each table; `tables` in the query says how many."""
    tables = _tables(request, access.event)
    pages = sheets.chunks(sheets.table_cards(access.event, tables), 2)
    return {"pages": pages, "tables": tables, "most": sheets.MOST_TABLES}


@printed("walk_in_cards", "direct")
def walk_in_cards(_request: HttpRequest, access: EventAccess) -> Values:
    """Show a card for each walk-in with the code of their page."""
    cards = [
        (one, f"{settings.SITE_URL}{resolve_url('walk_in', one.code)}")
        for one in access.event.walk_ins.select_related("player")
    ]
    cards.sort(key=lambda one: by_family_name(one[0].player.name))
    place = f"{settings.SITE_URL}{resolve_url('walk_in_code')}"
    return {"pages": sheets.chunks(cards, 2), "place": place}


@printed("door", "direct")
def door(_request: HttpRequest, access: EventAccess) -> Values:
    """Show everybody by family name, with boxes to tick who is in and who has paid."""
    entries = event_rows.with_players(access.event.entries.filter(house=False))
    staying = [one for one in entries if one.state != Entry.State.WITHDRAWN]
    names = sorted(
        (one.player.name for entry in staying for one in entry.players.all()), key=by_family_name
    )
    pages = [sheets.columns(page) for page in sheets.chunks(names, sheets.NAMES)]
    return {"pages": pages or [[[]]], "words": "At the door"}


@printed("check_in", "direct")
def check_in(_request: HttpRequest, access: EventAccess) -> Values:
    """Show the hall's poster, by which whoever has entered checks in."""
    event = access.event
    if not event.check_in_minutes or not event.join_code:
        words = "This event has no check-in: everybody who has entered plays."
        raise RefusedError("no_check_in", words)
    return {"here": f"{settings.SITE_URL}{resolve_url('here_by_code', event.join_code)}"}


@printed("movement_cards", "direct")
def movement_cards(_request: HttpRequest, access: EventAccess) -> Values:
    """Show a card for each player that says where they sit in every round."""
    cards = movement.movement_cards(access.event, timezone.now())
    short = all(len(card.turns) <= sheets.MOVEMENT_HALF for card in cards)
    parts = [part for card in cards for part in card.parts(sheets.WHOLE)]
    return {"pages": sheets.two_by_two(parts, fits=short)}


@printed("pairings")
def pairings(_request: HttpRequest, access: EventAccess, number: int) -> Values:
    """Show who sits where in a round, by table and by name."""
    round_ = _round(access.event, number)
    seats = sorted(sheets.seats_of(round_), key=lambda one: by_family_name(one[0]))
    return {
        "round": round_,
        "words": f"Round {number}",
        "pages": sheets.chunks(round_.matches, sheets.TABLES),
        "by_name": [sheets.columns(page) for page in sheets.chunks(seats, sheets.NAMES)],
    }


@printed("results")
def results(_request: HttpRequest, access: EventAccess, number: int) -> Values:
    """Show the results of a round; those still sealed are left empty."""
    round_ = _round(access.event, number)
    pages = sheets.chunks(round_.matches, sheets.TABLES)
    return {"round": round_, "words": f"Results of round {number}", "pages": pages}


@printed("standings")
def standings(_request: HttpRequest, access: EventAccess) -> Values:
    """Show the standings after the last round that is over."""
    over = access.event.played_rounds.filter(over__isnull=False).count()
    if not over:
        raise RefusedError("no_standings", "Standings can be printed after round 1.")
    table = page_values.standings_after(access.event, over)
    return {
        "table": table,
        "words": f"Standings after round {over}",
        "pages": sheets.chunks(table.lines, sheets.LINES),
        "entrant": event_words.entrant(access.event),
    }


@printed("money")
def money(request: HttpRequest, access: EventAccess) -> Values:
    """Show who gets what of the entry money, when all matches are played."""
    event = money_of(request, access.event.pk).event
    table = sheet.read(event)
    if not table.decided:
        raise RefusedError("undecided", "Prizes can be printed when the last round is over.")
    provisional = [] if table.final else ["Provisional: results can still be corrected."]
    return {
        "sheet": table,
        "words": "Entry money and prizes",
        "pages": sheets.chunks(table.winners, sheets.WINNERS) or [[]],
        "entrant": event_words.entrant(event),
        "note": " ".join([*provisional, *table.rules]),
    }


@printed("bracket")
def bracket(_request: HttpRequest, access: EventAccess) -> Values:
    """Show the bracket, over several pages where its names would be too small on one."""
    page = page_values.read(access.event, timezone.now())
    if page.bracket is None:
        raise RefusedError("no_bracket", page.why_no_bracket)
    pages = sheets.bracket_pages(page.bracket)
    return {"bracket": page.bracket, "pages": pages, "words": "Bracket"}


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
