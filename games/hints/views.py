"""The answer to "Hint"."""

from __future__ import annotations

from asgiref.sync import sync_to_async
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render, resolve_url
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from games.access import atable_for, invitations
from games.answers import at_a_pace, by_script, refused
from games.hints import asking
from games.hints.advice import advice_of
from games.live import thinking
from games.people import limits
from games.people.identity import aplayer_of
from games.people.old_words import wants_old_words
from games.picture import page, phrases
from games.seats.seating import SeatingError

NONE = "No hint this time."
TOO_OFTEN = "Too many hints; wait a minute for the next one."
NOT_SEATED = "You have no seat at this table."


@require_POST
@never_cache
@at_a_pace
async def hint(request: HttpRequest, table_id: int) -> HttpResponse:
    """Say what the house would do at `version`, such as 1.17; to a script as JSON.

    A script whose table has moved on meanwhile gets 204: its page is about to show the new state.
    """
    back = resolve_url("table", table_id)
    player = await aplayer_of(request)
    access = await atable_for(player, table_id, invited=invitations(request.session))
    refuse = sync_to_async(refused)
    if player is None:
        return await refuse(request, NOT_SEATED, 403, back)
    if not await sync_to_async(limits.may_have_hint)(player):
        return await refuse(request, TOO_OFTEN, 429, back)
    try:
        stamp = request.POST.get("version", "")[:40]
        asked = await sync_to_async(asking.ask)(access.table, player, stamp)
    except SeatingError as error:
        return await sync_to_async(_no_hint)(request, error, back)
    action = await thinking.advise(asked.level, asked.seen)
    if action is None:
        return await refuse(request, NONE, 503, back)
    old_words = wants_old_words(await request.auser(), request.COOKIES)
    advice = advice_of(phrases.worded(asked.seen, old=old_words), action, asked.cast)
    if by_script(request):
        reasons = [{"words": one.words, "against": one.against} for one in advice.reasons]
        return JsonResponse({"action": advice.action, "head": advice.head, "reasons": reasons})
    context = {
        "head": advice.head,
        "reasons": [page.words(one.words) for one in advice.reasons],
        "back": back,
    }
    return await sync_to_async(render)(request, "games/hints/hint.html", context)


def _no_hint(request: HttpRequest, error: SeatingError, back: str) -> HttpResponse:
    if error.code == "moved on" and by_script(request):
        return HttpResponse(status=204)
    return refused(request, error.message, error.status, back)
