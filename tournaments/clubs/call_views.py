"""Calls of a club to a member's table: making one, joining, ending it."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render, resolve_url
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from games.answers import origin_of, throws_in
from games.models import Player
from games.people import limits
from games.people.identity import player_of
from games.seats.seating import SeatingError
from tournaments.access import ClubAccess, club_of
from tournaments.answers import SeeOther, account_needed, refused_at
from tournaments.clubs import calls
from tournaments.models import Club, ClubCall
from tournaments.refusals import RefusedError

TOO_MANY = "You have invited many people; try again in ten minutes."
#: The HTTP status of a refusal by a table; any other is a conflict.
FORBIDDEN = ("another hand", "left", "same person")


@require_safe
@never_cache
def call_clubs(request: HttpRequest) -> HttpResponse:
    """Show the player's clubs, each with the button that calls it to their table."""
    player = player_of(request)
    if player is None or player.user_id is None:
        return account_needed(request, "Calling a club", resolve_url("call_clubs"))
    clubs = Club.objects.filter(memberships__player=player, closed=None)
    context = {"clubs": clubs, "table": calls.own_table(player)}
    return render(request, "tournaments/clubs/call.html", context)


@require_POST
@refused_at("club", "slug")
def call_club(request: HttpRequest, slug: str) -> HttpResponse:
    """Call the club to the table that the member has made and sits at."""
    access, player = _member(request, slug)
    club = access.club
    table = calls.own_table(player)
    if table is None:
        raise RefusedError("no table", calls.NO_TABLE)
    if not limits.may_invite(player):
        raise RefusedError("too many", TOO_MANY, 429)
    calls.call(club, player, table, timezone.now())
    messages.success(request, f"The members of {club} who are online have been called.")
    return SeeOther(resolve_url("club", slug))


@require_POST
@refused_at("club", "slug")
def join_call(request: HttpRequest, slug: str, call_id: int) -> HttpResponse:
    """Take a seat at the table of a call."""
    access, player = _member(request, slug)
    call = _call(access, call_id)
    try:
        table = calls.join(
            call, player, origin_of(request), timezone.now(), throws_in=throws_in(request)
        )
    except SeatingError as error:
        status = 403 if error.code in FORBIDDEN else 409
        raise RefusedError(error.code, error.message, status) from error
    return SeeOther(resolve_url("table", table.pk))


@require_POST
def end_call(request: HttpRequest, slug: str, call_id: int) -> HttpResponse:
    """End a call; for the caller and the club's moderators."""
    access = club_of(request, slug)
    call = _call(access, call_id)
    if not (access.moderates or call.by == access.player):
        raise PermissionDenied
    calls.end(call, timezone.now())
    messages.success(request, "The call is over.")
    return SeeOther(resolve_url("club", slug))


def _member(request: HttpRequest, slug: str) -> tuple[ClubAccess, Player]:
    access = club_of(request, slug)
    if access.player is None or access.membership is None:
        raise PermissionDenied
    return access, access.player


def _call(access: ClubAccess, call_id: int) -> ClubCall:
    """Return a call of the club; raise Http404 to others than its members and moderators."""
    if access.membership is None and not access.moderates:
        raise Http404
    calls_of = access.club.table_calls.select_related("by", "table", "club")
    return get_object_or_404(calls_of, pk=call_id)
