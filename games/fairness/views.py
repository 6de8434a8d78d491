"""The pages on which anybody checks the shuffle of a match; the checking is done by the browser."""

from pathlib import Path
from typing import Final
from uuid import UUID

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import get_conditional_response, patch_cache_control
from django.views.decorators.http import require_safe

from games.access import game_for, invitations
from games.fairness import log_pages, proofs
from games.fairness.log_pages import MOST, File
from games.people import identity
from games.shuffle import public_log


@require_safe
def verify(request: HttpRequest, game_id: UUID) -> HttpResponse:
    """Show what is published of a game's shuffle, to be worked out again in the browser."""
    player = identity.player_of(request)
    _, game = game_for(player, game_id, invited=invitations(request.session))
    return render(request, "games/fairness/verify.html", {"proof": proofs.proof_of(game, player)})


@require_safe
def verify_file(request: HttpRequest) -> HttpResponse:
    """Offer to check a record that the visitor has; the file does not leave his browser."""
    return render(request, "games/fairness/verify_file.html", {"steps": proofs.STEPS})


SCRIPT: Final = Path(settings.BASE_DIR, "static", "bower_verify.py")


@require_safe
def verify_script(request: HttpRequest) -> HttpResponse:
    """Send the script as a file to keep."""
    headers = {"Content-Disposition": f'attachment; filename="{SCRIPT.name}"'}
    return HttpResponse(
        SCRIPT.read_bytes(), content_type="text/x-python; charset=utf-8", headers=headers
    )


#: No place is higher than the database can hold.
HIGHEST: Final = 2**63 - 1
YEAR: Final = 60 * 60 * 24 * 365  # seconds


class PlaceError(ValueError):
    """A field of the address is not a place of the log; it says what was allowed."""


@require_safe
def log_page(request: HttpRequest) -> HttpResponse:
    """Show the latest lines in words, those up to place `to`, or those of `match`."""
    head = public_log.head()
    context = {"head": head, "hash": head.hash.hex(), "most": MOST}
    asked = request.GET.get("match", "").strip()
    if asked:
        return _of_match(request, asked, context)
    try:
        last = _place(request, "to", head.place)
    except PlaceError as error:
        context |= {"problem": str(error)}
        return render(request, "games/fairness/fairness_log.html", context, status=400)
    page = log_pages.page_to(min(last, head.place), head.place)
    return render(request, "games/fairness/fairness_log.html", context | {"page": page})


@require_safe
def log_lines(request: HttpRequest) -> HttpResponse:
    """Send the lines from place `from` to place `to` as NDJSON, at most `MOST` of them.

    Without `to` they go as far as that, and the Link header names the address that goes on.
    """
    try:
        first = _place(request, "from", 1)
        last = _place(request, "to", min(first + MOST - 1, HIGHEST))
        if first > last:
            raise PlaceError(f"“from” is place {first}, which comes after “to”, place {last}.")
        if last - first >= MOST:
            raise PlaceError(
                f"From place {first} to place {last} are {last - first + 1} lines: "
                f"ask for at most {MOST} at a time."
            )
    except PlaceError as error:
        return HttpResponse(f"{error}\n", status=400, content_type="text/plain; charset=utf-8")
    lines = log_pages.file_of_range(first, last)
    response = _file(request, lines, f"bower-log-{first}.ndjson")
    if lines.count == last - first + 1:
        patch_cache_control(response, public=True, max_age=YEAR, immutable=True)
        if "to" not in request.GET:
            response["Link"] = f'<{reverse("log_lines")}?from={last + 1}>; rel="next"'
    else:
        patch_cache_control(response, no_cache=True)
    return response


@require_safe
def match_log(request: HttpRequest, match: UUID) -> HttpResponse:
    """Send the lines of one match as NDJSON; 404 where the log does not know it."""
    lines = log_pages.file_of_match(match)
    if not lines.count:
        message = f"The log has no line of match {match}. What is new stands there in a second.\n"
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
        lines = log_pages.of_match(match)
        context |= {"match": match, "lines": lines, "readable": _readable(request, match)}
        if not lines:
            context |= {"problem": "The log has no line of this match."}
            status = 404
    return render(request, "games/fairness/fairness_log.html", context, status=status)


def _readable(request: HttpRequest, match: UUID) -> bool:
    """Whether there is a game of this id that the visitor may see."""
    try:
        game_for(identity.player_of(request), match, invited=invitations(request.session))
    except Http404:
        return False
    return True


def _place(request: HttpRequest, field: str, usual: int) -> int:
    text = request.GET.get(field)
    if text is None:
        return usual
    short = text.isascii() and text.isdecimal() and len(text) <= len(str(HIGHEST))
    if not short or not 1 <= int(text) <= HIGHEST:
        raise PlaceError(
            f"“{field}” is the place of a line, a whole number from 1: not {text!r:.60}."
        )
    return int(text)


def _file(request: HttpRequest, lines: File, name: str) -> HttpResponse:
    response = HttpResponse(lines.content, content_type="application/x-ndjson; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["ETag"] = etag = f'"{lines.count}-{lines.last[:32]}"'
    return get_conditional_response(request, etag=etag, response=response) or response
