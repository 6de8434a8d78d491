"""The forms of talk at a table."""

from __future__ import annotations

from typing import Final

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from games.access import Access, invitations, table_for
from games.answers import at_a_pace, by_script, done, number_in, refused_at
from games.models import Player, TalkReport
from games.people import avoiding, friends
from games.people.identity import player_of
from games.talk import muting, reporting, speaking
from games.talk.speaking import TalkError

NEEDS_ACCOUNT: Final = "You need an account to have friends."
NOT_SEATED: Final = "That person has left the table."


@require_POST
@never_cache
@at_a_pace
@refused_at("table", "table_id")
def say(request: HttpRequest, table_id: int) -> HttpResponse:
    """Say the phrase in field `phrase`, a number, or the words in field `words`."""
    phrase = request.POST.get("phrase")
    player, access = _here(request, table_id)
    if phrase is None:
        speaking.say(access, player, request.POST.get("words", ""), timezone.now())
    else:
        number = number_in(request, "phrase")
        speaking.say_phrase(access, player, -1 if number is None else number, timezone.now())
    return done(request, table_id)


@require_safe
@never_cache
@refused_at("table", "table_id")
def person_menu(request: HttpRequest, table_id: int, seat: int) -> HttpResponse:
    """Show what a player can do about the person in a seat: the menu of its plate."""
    player, access = _here(request, table_id)
    other = _seated(access, position=seat)
    both = friends.may_have_friends(player) and friends.may_have_friends(other)
    context = {
        "person": other,
        "may_be_friends": both,
        "between": friends.between(player, [other.pk], timezone.now())[other.pk],
        "muted": player.mutes.filter(other=other).exists(),
    }
    return render(request, "games/play/person_menu.html", context)


@require_POST
@never_cache
@at_a_pace
@refused_at("table", "table_id")
def mute(request: HttpRequest, table_id: int) -> HttpResponse:
    """Hear nothing more of whoever `_chosen` returns."""
    player, access = _here(request, table_id)
    muting.mute(player, _chosen(request, player, access), table_id)
    return done(request, table_id)


@require_POST
@never_cache
@at_a_pace
@refused_at("table", "table_id")
def unmute(request: HttpRequest, table_id: int) -> HttpResponse:
    """Take `mute` back, for the player in field `player`."""
    player, _access = _here(request, table_id)
    muting.unmute(player, number_in(request, "player") or 0, table_id)
    return done(request, table_id)


@require_POST
@never_cache
@at_a_pace
@refused_at("table", "table_id")
def avoid(request: HttpRequest, table_id: int) -> HttpResponse:
    """Never be seated with whoever `_chosen` returns; see `games.people.avoiding`."""
    player, access = _here(request, table_id)
    other = _chosen(request, player, access)
    if other == player:
        raise TalkError("yourself", muting.YOURSELF)
    avoiding.avoid(player, other)
    return _told(request, table_id, f"“Play now” never seats you with {other.name} again.")


@require_POST
@never_cache
@at_a_pace
@refused_at("table", "table_id")
def befriend(request: HttpRequest, table_id: int) -> HttpResponse:
    """Ask whoever `_chosen` returns to be friends."""
    player, access = _here(request, table_id)
    if not friends.may_have_friends(player):
        raise TalkError("not here", NEEDS_ACCOUNT)
    other = _chosen(request, player, access)
    try:
        between = friends.ask(player, other, timezone.now())
    except friends.FriendsError as error:
        raise TalkError(error.code, error.message) from error
    if between == friends.Between.FRIENDS:
        return _told(request, table_id, f"You and {other.name} are friends.")
    return _told(request, table_id, f"Asked. You are friends when {other.name} says yes.")


@require_POST
@never_cache
@at_a_pace
@refused_at("table", "table_id")
def report(request: HttpRequest, table_id: int, reason: str) -> HttpResponse:
    """Report the line in field `line` to the moderators."""
    if reason not in TalkReport.Reason.values:
        raise Http404
    player, access = _here(request, table_id)
    reporting.report(access, player, number_in(request, "line") or 0, reason, timezone.now())
    return _told(request, table_id, reporting.THANKS)


def _here(request: HttpRequest, table_id: int) -> tuple[Player, Access]:
    """Return the player and their access to the table; raise TalkError for nobody yet."""
    player = player_of(request)
    access = table_for(player, table_id, invited=invitations(request.session))
    if player is None:
        raise TalkError("not here", speaking.WATCHERS_LOG_IN)
    return player, access


def _chosen(request: HttpRequest, player: Player, access: Access) -> Player:
    """Return who sits at the table by field `player`, or has said the line in field `line`.

    Raises TalkError: ``gone``.
    """
    number = number_in(request, "player")
    if number is not None:
        return _seated(access, player=number)
    return reporting.heard_line(access, player, number_in(request, "line") or 0).player


def _seated(access: Access, **seat: int) -> Player:
    """Return the person in a seat of the table; raise TalkError ``gone`` if there is none."""
    people = access.table.seats.filter(player__kind=Player.Kind.PERSON, **seat)
    found = people.select_related("player__user").first()
    if found is None or found.player is None:
        raise TalkError("gone", NOT_SEATED)
    return found.player


def _told(request: HttpRequest, table_id: int, words: str) -> HttpResponse:
    """Say to a script that something was done; a page without scripts shows the table again."""
    if by_script(request):
        return HttpResponse(words, content_type="text/plain")
    return done(request, table_id)
