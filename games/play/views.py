"""Page of a table, and the plain form for actions without a socket."""

from __future__ import annotations

import secrets
import time
from typing import Final

from asgiref.sync import sync_to_async
from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import add_never_cache_headers, patch_cache_control
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from games.access import atable_for, invitations
from games.answers import at_a_pace, origin_of, refusal_at, say_no_secret, throws_in
from games.live import state
from games.models import Player, Table
from games.people import traces, whereabouts
from games.people.addresses import client_address
from games.people.identity import aplayer_of
from games.people.old_words import wants_old_words
from games.picture import page
from games.picture.scene import View
from games.picture.values import spoken
from games.picture.wording import WORDING
from games.play import play, presence
from games.play.play import ActAnswer, Decision

#: HTTP status of each kind of answer.
STATUS: Final = {
    play.DONE: 200,
    play.STALE: 409,
    play.OUT_OF_TURN: 409,
    play.ILLEGAL: 422,
    play.MALFORMED: 400,
    play.NOT_SEATED: 403,
    play.FAILED: 503,
}


@require_safe
async def table_page(request: HttpRequest, table_id: int) -> HttpResponse:
    player = await _player_at(request, table_id)
    await state.look_again(table_id)
    return await _page(request, table_id, player)


@require_POST
@never_cache
@at_a_pace
async def act(request: HttpRequest, table_id: int) -> HttpResponse:
    """Perform an action: fields ``action``, ``version``, and an optional ``key`` for retries.

    Returns JSON where accepted; otherwise redirects to the table, or shows it with the reason.
    """
    player = await _player_at(request, table_id)
    fields = request.POST
    key = fields.get("key") or secrets.token_hex(16)
    decision = Decision(_action_text(request)[:40], fields.get("version", "")[:40], key[:36])
    acting = play.act(table_id, player.pk if player else None, decision)
    answer = await play.to_its_end(acting)
    if request.accepts("text/html"):
        if answer.kind == play.DONE:
            return redirect("table", table_id=table_id)
        return await _page(request, table_id, player, answer)
    return JsonResponse(
        {"kind": answer.kind, "version": answer.stamp, "message": answer.message},
        status=STATUS[answer.kind],
    )


def _action_text(request: HttpRequest) -> str:
    """Return the action of a form: a button's value, with the number or word beside it."""
    text = request.POST.get("action", "")
    if text == "cut":
        return f"cut {request.POST.get('lift', '')}"
    return f"{text} alone" if text.startswith("make ") and request.POST.get("alone") else text


async def _player_at(request: HttpRequest, table_id: int) -> Player | None:
    """Return the player and record the visit; raise Http404 unless they may see the table."""
    player = await aplayer_of(request)
    access = await atable_for(player, table_id, invited=invitations(request.session))
    if player is not None and not access.spectator:
        await sync_to_async(_record_visit)(request, access.table, player)
        await sync_to_async(whereabouts.record)(table_id, player.pk, client_address(request))
        await play.came_back(table_id, player.pk)
    elif player is not None and player.user_id is not None:
        await sync_to_async(traces.record)(access.table, player, origin_of(request))
    return player


def _record_visit(request: HttpRequest, table: Table, player: Player) -> None:
    presence.record_visit(table.pk, player.pk, throws_in=throws_in(request))
    traces.know_browser(request.session)
    traces.record(table, player, origin_of(request))


def _link(request: HttpRequest, view: View) -> str:
    """Return the absolute invitation URL, for those who may pass it on before the game."""
    scene, token = view.scene, view.viewer.invite_token
    if not token or scene.reserved or scene.state != "gathering":
        return ""
    return request.build_absolute_uri(reverse("join", args=[scene.table_id, token]))


async def _page(
    request: HttpRequest, table_id: int, player: Player | None, answer: ActAnswer | None = None
) -> HttpResponse:
    old_words = wants_old_words(await request.auser(), request.COOKIES)
    view, picture = await play.view_for(
        table_id, player.pk if player else None, old_words=old_words
    )
    refusal = refusal_at(request)
    why = answer.message if answer else refusal.message if refusal else ""
    context = {
        "view": view,
        "page": page.draw(view, picture.table.values, picture.own, why),
        "values": {**picture.table.values, **picture.own},
        "wording": WORDING,
        "have": picture.table.at,
        "now": time.time(),
        "spoken": spoken(view, picture.own, picture.table.cast),
        "table_id": table_id,
        "deals_at": picture.table.values["deals.at"],
        "closes": page.closing_of(view.scene.reserved),
        "ws_path": f"/ws/tables/{table_id}/",
        "can_act": view.viewer.seat is not None,
        "link": _link(request, view),
        "quick": player is not None and player.quick,
        "guard": round(1000 * settings.PRESS_GUARD),
    }
    status = STATUS[answer.kind] if answer else 200
    response = await sync_to_async(render)(request, "games/play/table.html", context, status=status)
    if view.viewer.seat is not None or view.viewer.invite_token:
        add_never_cache_headers(response)  # also keeps cards from being compressed
    else:
        patch_cache_control(response, no_cache=True, private=True)
        say_no_secret(response)
    return response
