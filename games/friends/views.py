"""The page "Friends", and its forms."""

from collections.abc import Callable
from datetime import datetime
from functools import wraps
from typing import Final, TypeAlias
from uuid import UUID

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from games.access import game_for, invitations
from games.answers import SeeOther, number_in, refused, refused_at, throws_in, to_form
from games.engine.rules import RULE_SETS
from games.engine.seats import compass
from games.friends import inviting, listing, met
from games.friends.inviting import InvitingError
from games.models import Player
from games.people import friends, identity, limits, online
from games.people.friends import Between
from games.review import views as review
from games.seats import wishes
from games.seats.seating import SeatingError

NEEDS_ACCOUNT: Final = "You need an account to have friends."
SEEN_BY: Final = {
    Player.SeenBy.FRIENDS.value: "My friends",
    Player.SeenBy.EVERYBODY.value: "Everybody",
    Player.SeenBy.NOBODY.value: "Nobody",
}
TOO_MANY_INVITED: Final = "You have invited many people; try again in ten minutes."
TOO_MANY_TABLES: Final = "Many tables have been made from your address; try again in ten minutes."
NOBODY: Final = "There is nobody with this number."
CONFLICT: Final = 409

#: Does something between the player who asks and another; returns a sentence to show, or nothing.
FriendVerb: TypeAlias = Callable[[Player, Player, datetime], str]


@require_safe
@never_cache
def friends_page(request: HttpRequest) -> HttpResponse:
    player, now = identity.player_of(request), timezone.now()
    if player is None:
        return redirect("you")
    context: dict[str, object] = {"may": friends.may_have_friends(player)}
    if context["may"]:
        context |= {
            "friends": listing.lines_for(player, now, invitations(request.session)),
            "choices": SEEN_BY,
            "asking": friends.asking(player, now),
            "asked": friends.asked_by(player, now),
            "met": met.met_lately(player, now),
        }
    return render(request, "games/friends/friends.html", context)


@require_POST
def choose_seen_by(request: HttpRequest) -> HttpResponse:
    """Set to whom the player shows that they are online, by field `seen_by`."""
    player, back = identity.player_of(request), resolve_url("friends")
    if player is None or not friends.may_have_friends(player):
        return refused(request, NEEDS_ACCOUNT, 403, resolve_url("you"))
    chosen = request.POST.get("seen_by", "")
    if chosen not in SEEN_BY:
        return refused(request, "Choose one of the three.", 400, back)
    online.choose_seen_by(player, chosen)
    messages.success(request, "Saved.")
    return to_form(request, back)


def of_two(verb: FriendVerb) -> Callable[[HttpRequest], HttpResponse]:
    """Make a view that does `verb` with the player in field `player`, and returns to the form."""

    @require_POST
    @refused_at("friends")
    @wraps(verb)
    def view(request: HttpRequest) -> HttpResponse:
        player, back = identity.player_of(request), resolve_url("friends")
        if player is None or not friends.may_have_friends(player):
            return refused(request, NEEDS_ACCOUNT, 403, resolve_url("you"))
        people = Player.objects.filter(kind=Player.Kind.PERSON)
        other = people.filter(pk=number_in(request, "player") or 0).first()
        if other is None:
            return refused(request, NOBODY, 404, back)
        if words := verb(player, other, timezone.now()):
            messages.success(request, words)
        return to_form(request, back)

    return view


@of_two
def ask(player: Player, other: Player, now: datetime) -> str:
    if friends.ask(player, other, now) == Between.FRIENDS:
        return f"You and {other.name} are friends."
    return f"Asked. You are friends when {other.name} says yes."


@of_two
def accept(player: Player, other: Player, now: datetime) -> str:
    friends.accept(player, other, now)
    return f"You and {other.name} are friends."


@of_two
def decline(player: Player, other: Player, _now: datetime) -> str:
    friends.decline(player, other)
    return ""


@of_two
def withdraw(player: Player, other: Player, _now: datetime) -> str:
    friends.withdraw(player, other)
    return ""


@of_two
def end(player: Player, other: Player, _now: datetime) -> str:
    friends.end(player, other)
    return f"You and {other.name} are friends no longer."


@require_POST
@refused_at("friends")
def invite(request: HttpRequest) -> HttpResponse:
    """Invite the friend in field `player` to the table at which one sits, or to a new one."""
    player, back, now = identity.player_of(request), resolve_url("friends"), timezone.now()
    if player is None or not friends.may_have_friends(player):
        return refused(request, NEEDS_ACCOUNT, 403, resolve_url("you"))
    other = Player.objects.filter(pk=number_in(request, "player") or 0).first()
    if other is None:
        return refused(request, NOBODY, 404, back)
    if not limits.may_invite(player):
        return refused(request, TOO_MANY_INVITED, 429, back)
    rules = RULE_SETS[wishes.for_form(request.session)["last_rules"]]
    with transaction.atomic():
        table = inviting.table_to_share(player, rules, now)
        inviting.invite(player, other, table, now)
    return SeeOther(resolve_url("table", table.pk))


@require_safe
@never_cache
def invitations_part(request: HttpRequest) -> HttpResponse:
    """Show the player's open invitations, for a page that asks now and then."""
    player = identity.player_of(request)
    found = inviting.waiting_for(player, timezone.now()) if player is not None else []
    return render(request, "games/friends/_invitations.html", {"invitations": found})


@require_safe
@never_cache
def online_part(request: HttpRequest) -> HttpResponse:
    """Show which of the player's friends are online, for a page that asks now and then."""
    return render(request, "games/friends/online_part.html")


@require_POST
def decline_invitation(request: HttpRequest) -> HttpResponse:
    """Decline the invitation in field `invitation`."""
    player, number = identity.player_of(request), number_in(request, "invitation")
    if player is not None and number is not None:
        inviting.decline(player, number)
    return to_form(request, resolve_url("home"))


@require_safe
@never_cache
def company(request: HttpRequest, game_id: UUID) -> HttpResponse:
    """Show a player of a finished game, for its table, whom they met and where to go from here."""
    player = identity.player_of(request)
    game = game_for(player, game_id, invited=invitations(request.session))[1]
    seats = list(game.seats.select_related("player").order_by("position"))
    mine = next((one for one in seats if player is not None and one.player_id == player.pk), None)
    if player is None or mine is None or game.ended is None:
        raise Http404("That game was not played by you, or is still being played.")
    found = review.in_brief(request, player, game, mine.position)
    others = [one for one in seats if one is not mine and one.player.kind == Player.Kind.PERSON]
    partner, players = game.rules.partner_of(mine.position), game.rules.players
    people = [
        (
            one.player,
            "Your partner" if one.position == partner else compass(players, one.position),
        )
        for one in others
    ]
    context = {"game": game, "review": found, "people": people}
    return render(request, "games/friends/company.html", context)


@require_POST
def again_with(request: HttpRequest, game_id: UUID) -> HttpResponse:
    """Sit down again with the people of a finished game."""
    player, back = identity.player_of(request), resolve_url("game", game_id)
    _access, game = game_for(player, game_id, invited=invitations(request.session))
    if player is None:
        return refused(request, "You have not played this game.", 403, back)
    if game.ended is None:
        return refused(request, "This game is still being played.", CONFLICT, back)
    if not limits.may_make_table(request):
        return refused(request, TOO_MANY_TABLES, 429, back)
    try:
        table = inviting.again(player, game, timezone.now(), throws_in=throws_in(request))
    except (InvitingError, SeatingError) as error:
        status = 403 if error.code == "not played" else CONFLICT
        return refused(request, error.message, status, back)
    return SeeOther(resolve_url("table", table.pk))
