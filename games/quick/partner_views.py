"""Looking for a quick game with a partner of one's choice: ask a friend, or send a link."""

from typing import Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from games import rule_words
from games.access import invitations
from games.answers import SeeOther, number_in, origin_of, refused, throws_in, to_form
from games.engine.rules import RULE_SETS
from games.friends import listing
from games.models import Player
from games.people import friends, identity, limits
from games.quick import pairs, queue
from games.quick.pairs import PairError
from games.quick.queue import Wish
from games.refusals import Remedy
from games.seats import wishes
from games.seats.wishes import FOR_PARTNERS, RATED, WishError

NEEDS_ACCOUNT: Final = "You need an account to play with a partner of your choice."
RATED_NEEDS_ACCOUNT: Final = "Rated games need an account."
NOBODY: Final = "There is nobody with this number."
GONE: Final = "This request is no longer open. Ask for a new one."
TOO_MANY_ASKED: Final = "You have asked many people; try again in ten minutes."
TOO_MANY_TABLES: Final = "Many tables have been made from your address; try again in ten minutes."
#: The HTTP status of each error code; any other is a conflict.
STATUS: Final = {
    "gone": 404,
    "no account": 403,
    "same person": 403,
    "yourself": 403,
    "two-handed": 400,
}
CONFLICT: Final = 409


@require_safe
@never_cache
def partner_page(request: HttpRequest) -> HttpResponse:
    """Offer the games with partners, and the friends who may be asked."""
    player, now = identity.player_of(request), timezone.now()
    wish = wishes.for_form(request.session)
    last = wish["last_rules"] if wish["last_rules"] in FOR_PARTNERS else next(iter(FOR_PARTNERS))
    context = {
        **wish,
        "rule_sets": rule_words.choices(FOR_PARTNERS.values()),
        "last_rules": last,
        "may": player is not None and friends.may_have_friends(player),
    }
    if player is not None and context["may"]:
        context["friends"] = listing.lines_for(player, now, invitations(request.session))
    return render(request, "games/quick/partner.html", context)


@require_POST
def ask_partner(request: HttpRequest) -> HttpResponse:
    """Ask the friend in field `player`, or make a link if it is empty; fields as in "Play now"."""
    player, back, now = identity.player_of(request), resolve_url("quick_partner"), timezone.now()
    if player is None or not friends.may_have_friends(player):
        return refused(request, NEEDS_ACCOUNT, 403, back, _log_in(back))
    try:
        rules, pace, kind = wishes.chosen(request.POST, request.session, FOR_PARTNERS)
    except WishError as error:
        return refused(request, error.message, 400, back)
    to = None
    if request.POST.get("player"):
        people = Player.objects.filter(kind=Player.Kind.PERSON)
        to = people.filter(pk=number_in(request, "player") or 0).first()
        if to is None:
            return refused(request, NOBODY, 404, back)
    if not limits.may_invite(player):
        return refused(request, TOO_MANY_ASKED, 429, back)
    wishes.remember(request.session, rules.key, pace.key, kind)
    wish = Wish(rules, pace.turn_seconds, kind == RATED)
    try:
        pairs.ask(player, to, wish, origin_of(request), now, throws_in=throws_in(request))
    except PairError as error:
        return _refused(request, player, error, back)
    return SeeOther(resolve_url("quick_seat"))


@require_safe
@never_cache
def partner_link(request: HttpRequest, token: str) -> HttpResponse:
    """Show who asks whoever has the link, and the game."""
    player, pair = identity.player_of(request), pairs.of_link(token, timezone.now())
    if pair is None:
        return refused(request, GONE, 404, resolve_url("lobby"))
    if player == pair.by:
        return redirect("quick_seat")
    context = {
        "pair": pair,
        "rules": rule_words.brief(RULE_SETS[pair.rules]),
        "pace": wishes.pace_of(pair.turn_seconds).name,
        "needs_account": pair.rated and (player is None or not friends.may_have_friends(player)),
    }
    return render(request, "games/quick/partner_link.html", context)


@require_POST
def accept_partner(request: HttpRequest) -> HttpResponse:
    """Agree to the request in field `request`, the secret of its link."""
    now, token, back = timezone.now(), request.POST.get("request", ""), resolve_url("lobby")
    known = identity.player_of(request)
    if known is None:
        pair = pairs.of_link(token, now)
        if pair is None:
            return refused(request, GONE, 404, back)
        if pair.rated:
            log_in = _log_in(resolve_url("quick_partner_link", token))
            return refused(request, RATED_NEEDS_ACCOUNT, 403, back, log_in)
    if not limits.may_make_table(request):
        return refused(request, TOO_MANY_TABLES, 429, back)
    player = known or identity.make_guest(request.session)
    where = origin_of(request)
    try:
        pairs.accept(player, token, where, now, throws_in=throws_in(request))
    except PairError as error:
        return _refused(request, player, error, back)
    table = queue.look(player, where, now)
    return SeeOther(resolve_url("table", table.pk) if table else resolve_url("quick_seat"))


@require_POST
def decline_partner(request: HttpRequest) -> HttpResponse:
    """Decline the request with the number in field `pair`."""
    player, number = identity.player_of(request), number_in(request, "pair")
    if player is not None and number is not None:
        pairs.decline(player, number)
    return to_form(request, resolve_url("home"))


def _refused(request: HttpRequest, player: Player, error: PairError, back: str) -> HttpResponse:
    """Answer with the reason, and lead whoever plays a quick game back to it."""
    table = queue.seated_at(player) if error.code == "playing" else None
    remedy = Remedy("Back to your seat", resolve_url("table", table.pk)) if table else None
    return refused(request, error.message, STATUS.get(error.code, CONFLICT), back, remedy)


def _log_in(back: str) -> Remedy:
    return Remedy("Log in", f"{resolve_url('account_login')}?next={back}")
