"""The pages for checking a shuffle, which the browser does itself, and for the public log."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_safe

from games.access import game_for, invitations
from games.answers import unless_known
from games.fairness import proofs
from games.files.record import OVER, RESIGNED
from games.models import Game, LogLine
from games.numbers import MAX_BIGINT, parse_number
from games.people import identity
from games.picture.phrases import counted
from games.shuffle import public_log


@require_safe
def verify(request: HttpRequest, game_id: UUID) -> HttpResponse:
    player = identity.player_of(request)
    _, game = game_for(player, game_id, invited=invitations(request.session))
    return render(request, "games/fairness/verify.html", {"proof": proofs.proof_of(game, player)})


@require_safe
def verify_file(request: HttpRequest) -> HttpResponse:
    """Show the page that checks a local record; the file does not leave the browser."""
    return render(request, "games/fairness/verify_file.html", {"steps": proofs.STEPS})


SCRIPT: Final = Path(settings.BASE_DIR, "static", "bower_verify.py")


@require_safe
def verify_script(request: HttpRequest) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{SCRIPT.name}"'}
    return HttpResponse(
        SCRIPT.read_bytes(), content_type="text/x-python; charset=utf-8", headers=headers
    )


#: Lines on one page, and in one file.
PAGE: Final = 25
MAX_LINES: Final = 5_000
YEAR: Final = 60 * 60 * 24 * 365  # seconds


class PlaceError(ValueError):
    pass


@require_safe
def log_page(request: HttpRequest) -> HttpResponse:
    """Show the latest lines in words, the lines up to place `to`, or those of `match`."""
    head = public_log.head()
    context = {"head": head, "hash": head.hash.hex(), "most": MAX_LINES}
    asked = request.GET.get("match", "").strip()
    if asked:
        return _of_match(request, asked, context)
    try:
        last = _place(request, "to", head.place)
    except PlaceError as error:
        context |= {"problem": str(error)}
        return render(request, "games/fairness/fairness_log.html", context, status=400)
    last = min(last, head.place)
    context |= {
        "lines": _in_words(_published(place__lte=last, place__gt=last - PAGE).reverse()),
        "older": last - PAGE if last > PAGE else None,
        "newer": min(last + PAGE, head.place) if last < head.place else None,
    }
    return render(request, "games/fairness/fairness_log.html", context)


@require_safe
def log_lines(request: HttpRequest) -> HttpResponse:
    """Send the lines from place `from` to place `to` as NDJSON, at most `MAX_LINES` of them.

    Without `to`, send as many as that allows, and the URL of the next ones in the Link header.
    """
    try:
        first = _place(request, "from", 1)
        last = _place(request, "to", min(first + MAX_LINES - 1, MAX_BIGINT))
        if first > last:
            raise PlaceError(f"“from” is place {first}, which comes after “to”, place {last}.")
        if last - first >= MAX_LINES:
            raise PlaceError(
                f"From place {first} to place {last} are {last - first + 1} lines: "
                f"ask for at most {MAX_LINES} at a time."
            )
    except PlaceError as error:
        return HttpResponse(f"{error}\n", status=400, content_type="text/plain; charset=utf-8")
    lines = list(_published(place__range=(first, last)).only("text", "hash"))
    response = _file(request, lines, f"bower-log-{first}.ndjson")
    if len(lines) == last - first + 1:
        patch_cache_control(response, public=True, max_age=YEAR, immutable=True)
        if "to" not in request.GET:
            response["Link"] = f'<{reverse("log_lines")}?from={last + 1}>; rel="next"'
    else:
        patch_cache_control(response, no_cache=True)
    return response


@require_safe
def match_log(request: HttpRequest, match: UUID) -> HttpResponse:
    lines = list(_of(match).only("text", "hash"))
    if not lines:
        message = f"The log has no line of match {match}. New lines appear within a second.\n"
        return HttpResponse(message, status=404, content_type="text/plain; charset=utf-8")
    response = _file(request, lines, f"bower-log-{match}.ndjson")
    patch_cache_control(response, no_cache=True)
    return response


def _of_match(request: HttpRequest, asked: str, context: dict[str, object]) -> HttpResponse:
    context |= {"asked": asked}
    status = 200
    try:
        match = UUID(asked)
    except ValueError:
        context |= {"problem": "This is not the id of a match: it has 32 digits from 0 to f."}
        status = 400
    else:
        lines = _in_words(_of(match))
        context |= {"match": match, "lines": lines, "readable": True}
        try:
            game_for(identity.player_of(request), match, invited=invitations(request.session))
        except Http404:  # there is no game of this id that the visitor may see
            context["readable"] = False
        if not lines:
            context |= {"problem": "The log has no line of this match."}
            status = 404
    return render(request, "games/fairness/fairness_log.html", context, status=status)


def _place(request: HttpRequest, field: str, usual: int) -> int:
    text = request.GET.get(field)
    if text is None:
        return usual
    place = parse_number(text)
    if not place:
        raise PlaceError(
            f"“{field}” is the place of a line, a whole number from 1: not {text!r:.60}."
        )
    return place


def _published(**which: Any) -> QuerySet[LogLine]:
    return LogLine.objects.filter(place__isnull=False, **which).order_by("place")


def _of(match: UUID) -> QuerySet[LogLine]:
    """Return the lines of a match, and of the deals that its table shares with others."""
    shared = Game.objects.filter(pk=match).values("table__shared_deals")
    return _published().filter(Q(match=match) | Q(match__in=shared))


def _in_words(lines: Iterable[LogLine]) -> list[tuple[LogLine, str, str]]:
    return [
        (line, words_of(line.kind, json.loads(line.text)), bytes(line.hash or b"").hex())
        for line in lines
    ]


def words_of(kind: str, data: Mapping[str, Any]) -> str:
    if kind == LogLine.Kind.CREATED:
        return "Bower committed itself to the shuffle of a coming game."
    if kind == LogLine.Kind.STARTED:
        flags = data["flags"]  # see `written_flags`
        flagged = int(flags, 16) if isinstance(flags, str) else int(flags)
        seats = len(data["contributions"]) - flagged.bit_count()
        threw = f"{counted(seats, 'seat', 'seats')} contributed"
        began = f"A game began; {threw} {'a number' if seats < 2 else 'numbers'}."
        # Deals that are made ahead have this line only when they are opened.
        return began if seats else "The shuffle of a game was fixed; nobody contributed a number."
    if kind == LogLine.Kind.OPENED:
        if not data["games"]:
            return "Deals that nobody has played were opened; their secret was published."
        tables = counted(data.get("tables", len(data["games"])), "table", "tables")
        return f"Deals that were shared by {tables} have been played; their secret was published."
    if kind == LogLine.Kind.ABORTED:
        return "A game was called off before it began; its secret number was published."
    ended = {OVER: "was played to its end", RESIGNED: "was resigned by a side"}
    how = ended.get(data["state"], "was given up")
    return f"A game {how}; its secret number was published."


def _file(request: HttpRequest, lines: list[LogLine], name: str) -> HttpResponse:
    content = "".join(f"{line.text}\n" for line in lines)
    response = HttpResponse(content, content_type="application/x-ndjson; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    last = bytes(lines[-1].hash or b"").hex() if lines else ""
    return unless_known(request, response, f"{len(lines)}-{last[:32]}")
