"""The pages of standing tables, and their forms."""

from collections.abc import Callable
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render, resolve_url
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from games import rule_words
from games.access import game_for, played_in, remember_invitation
from games.answers import SeeOther, number_in, origin_of, refused, throws_in
from games.friends import standing, standing_score
from games.friends.standing import StandingError
from games.friends.standing_forms import StandingForm, StandingNameForm
from games.friends.views import NEEDS_ACCOUNT, NOBODY, TOO_MANY_INVITED, TOO_MANY_TABLES
from games.models import Game, Player, StandingTable, Table
from games.models.tables import BEGUN
from games.people import avoiding, friends, identity, limits
from games.seats.seating import SeatingError

#: The HTTP status of each error code; any other is a conflict.
STATUS: Final = {"no account": 403, "another hand": 403, "left": 403}
CONFLICT: Final = 409

#: Does something with a standing table; returns a sentence to show, or nothing.
StandingVerb = Callable[[StandingTable, Player, datetime], str]


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def new_standing(request: HttpRequest) -> HttpResponse:
    """Make a standing table with friends, or (`game`) with the people and rules of a game."""
    player, now = identity.player_of(request), timezone.now()
    if player is None or not friends.may_have_friends(player):
        return refused(request, NEEDS_ACCOUNT, 403, resolve_url("you"))
    game = _game_named(request, player)
    people = (
        _companions(player, game) if game else [one.player for one in friends.friends_of(player)]
    )
    rules = game.rules if game else None
    form = StandingForm(
        request.POST if request.method == "POST" else None,
        people,
        rules,
        initial={"people": [one.pk for one in people] if game else []},
    )
    status = 422 if form.is_bound else 200
    if form.is_valid() and not limits.may_invite(player):
        form.add_error(None, TOO_MANY_INVITED)
        status = 429
    elif form.is_valid():
        try:
            made = _make(player, form, people, game, now)
        except StandingError as error:
            form.add_error(None, error.message)
            status = STATUS.get(error.code, CONFLICT)
        else:
            messages.success(request, "Made. The others join when they say yes.")
            return SeeOther(resolve_url("standing", made.pk))
    context = {
        "form": form,
        "game": game,
        "people": people,
        "rules": rule_words.brief(rules) if rules else "",
    }
    return render(request, "games/friends/new_standing.html", context, status=status)


@require_safe
@never_cache
def standing_page(request: HttpRequest, standing_id: int) -> HttpResponse:
    """Show a standing table to its people: who is there now, and what was played."""
    player, now = identity.player_of(request), timezone.now()
    found = _own(player, standing_id)
    assert player is not None  # noqa: S101
    people, waiting = standing.people_of(found, now)
    table = standing.current(found, player, now)
    seats = list(table.seats.select_related("player")) if table else []
    context = {
        "standing": found,
        "rules": rule_words.brief(found.rules),
        "people": people,
        "waiting": waiting,
        "may_ask": standing.may_be_asked(found, player, now),
        "table": table,
        "playing": table is not None and table.state in BEGUN,
        "over": table is not None and table.state == Table.State.FINISHED,
        "there": [one.player.name for one in seats if one.player and not one.player.house],
        "seated": any(one.player_id == player.pk for one in seats),
        "full": bool(seats) and all(one.player and not one.player.house for one in seats),
        "score": standing_score.score_of(found, people),
        "name_form": StandingNameForm(initial={"name": found.name}),
    }
    return render(request, "games/friends/standing.html", context)


@require_POST
def open_standing(request: HttpRequest, standing_id: int) -> HttpResponse:
    """Sit down at its game, or begin one; `house`: yes if the house takes the free seats."""
    player, back = identity.player_of(request), resolve_url("standing", standing_id)
    found = _own(player, standing_id)
    assert player is not None  # noqa: S101
    house = request.POST.get("house", "")
    if house not in ("yes", "no"):
        why = "Say whether the house takes the free seats: yes or no."
        return refused(request, why, 400, back)
    if not limits.may_make_table(request):
        return refused(request, TOO_MANY_TABLES, 429, back)
    try:
        table = standing.open_table(
            found,
            player,
            timezone.now(),
            house=house == "yes",
            where=origin_of(request),
            throws_in=throws_in(request),
        )
    except (StandingError, SeatingError) as error:
        return refused(request, error.message, STATUS.get(error.code, CONFLICT), back)
    remember_invitation(request.session, table.pk)
    return SeeOther(resolve_url("table", table.pk))


@require_POST
def ask_to_standing(request: HttpRequest, standing_id: int) -> HttpResponse:
    """Ask the friend in field `player` to belong to it."""

    def verb(found: StandingTable, player: Player, now: datetime) -> str:
        other = _other(request)
        if not limits.may_invite(player):
            raise StandingError("too many", TOO_MANY_INVITED)
        standing.ask(found, player, other, now)
        return f"Asked. {other.name} joins when they say yes."

    return _done(request, standing_id, verb)


@require_POST
def take_back_standing(request: HttpRequest, standing_id: int) -> HttpResponse:
    def verb(found: StandingTable, player: Player, _now: datetime) -> str:
        standing.take_back(found, player, _other(request))
        return ""

    return _done(request, standing_id, verb)


@require_POST
def rename_standing(request: HttpRequest, standing_id: int) -> HttpResponse:
    """Give it the name in field `name`."""

    def verb(found: StandingTable, player: Player, _now: datetime) -> str:
        form = StandingNameForm(request.POST)
        if not form.is_valid():
            raise StandingError("name", str(form.errors["name"][0]))
        standing.rename(found, player, form.cleaned_data["name"])
        return f"Its name is now {form.cleaned_data['name']}."

    return _done(request, standing_id, verb)


@require_POST
def leave_standing(request: HttpRequest, standing_id: int) -> HttpResponse:
    def verb(found: StandingTable, player: Player, _now: datetime) -> str:
        standing.leave(found, player)
        return f"You have left {found}."

    return _done(request, standing_id, verb, resolve_url("friends"))


@require_POST
def accept_standing(request: HttpRequest, standing_id: int) -> HttpResponse:
    """Agree to belong to a standing table to which one is asked."""
    player, back = identity.player_of(request), resolve_url("friends")
    if player is None:
        raise PermissionDenied
    found = _asked(player, standing_id)
    try:
        standing.accept(found, player, timezone.now())
    except StandingError as error:
        return refused(request, error.message, STATUS.get(error.code, CONFLICT), back)
    return SeeOther(resolve_url("standing", found.pk))


@require_POST
def decline_standing(request: HttpRequest, standing_id: int) -> HttpResponse:
    player = identity.player_of(request)
    if player is None:
        raise PermissionDenied
    standing.decline(_asked(player, standing_id), player)
    return SeeOther(resolve_url("friends"))


def _own(player: Player | None, standing_id: int) -> StandingTable:
    """Return a standing table to which a player belongs; raise Http404 to all others."""
    if player is None:
        raise Http404
    places = standing.places_of(player)
    return get_object_or_404(places, standing=standing_id).standing


def _asked(player: Player, standing_id: int) -> StandingTable:
    return get_object_or_404(StandingTable, pk=standing_id, places__player=player)


def _other(request: HttpRequest) -> Player:
    other = Player.objects.filter(pk=number_in(request, "player") or 0).first()
    if other is None:
        raise StandingError("nobody", NOBODY)
    return other


def _done(request: HttpRequest, standing_id: int, verb: StandingVerb, to: str = "") -> HttpResponse:
    player, page = identity.player_of(request), resolve_url("standing", standing_id)
    found = _own(player, standing_id)
    assert player is not None  # noqa: S101
    try:
        words = verb(found, player, timezone.now())
    except StandingError as error:
        status = {"too many": 429, "nobody": 404, "name": 422}.get(error.code, CONFLICT)
        return refused(request, error.message, status, page)
    if words:
        messages.success(request, words)
    return SeeOther(to or page)


def _game_named(request: HttpRequest, player: Player) -> Game | None:
    """Return the finished game in the query or form, which the player has played."""
    text = (request.POST if request.method == "POST" else request.GET).get("game", "")
    if not text:
        return None
    try:
        _access, game = game_for(player, UUID(text))
    except ValueError:
        raise Http404 from None
    if game.ended is None or game.table.reserved or not played_in(player, game):
        raise Http404
    return game


def _companions(player: Player, game: Game) -> list[Player]:
    """Return the other people of a game who have accounts and are not avoided by the player."""
    seats = game.seats.exclude(player=player).select_related("player__user").order_by("position")
    people = [one.player for one in seats if friends.may_have_friends(one.player)]
    apart = avoiding.avoided_by(player, [one.pk for one in people])
    return [one for one in people if one.pk not in apart]


def _make(
    player: Player, form: StandingForm, people: list[Player], game: Game | None, now: datetime
) -> StandingTable:
    chosen = set(form.cleaned_data["people"])
    others = [one for one in people if one.pk in chosen]
    given: dict[str, Any] = {}
    if game is not None:
        given = {
            "seats": dict(game.seats.values_list("player", "position")),
            "turn_seconds": game.table.turn_seconds,
            "house_after": game.table.house_after,
            "house_level": game.table.house_level,
        }
    return standing.make(player, form.cleaned_data["name"], form.chosen_rules, others, now, **given)
