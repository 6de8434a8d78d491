"""A player's record: all of it, the games behind it, beside another player and beside a club."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from games.access import invitations
from games.models import Player
from games.records import Row
from games.selection import selected
from games.services import records
from games.services.identity import player_of
from tournaments.access import clubs_shown
from tournaments.forms.records import CompareForm, GamesForm, MeetingsForm, TimeForm
from tournaments.models import Club
from tournaments.services import club_average, record_page

A_PAGE: Final = 50
LATEST: Final = 8


@dataclass(frozen=True, slots=True)
class Asked:
    """Whose record is asked for and by whom.

    clubs: those the viewer may see. rows: all games of the player, none if they are not shown.
    """

    player: Player
    viewer: Player | None
    clubs: QuerySet[Club]
    rows: Sequence[Row]

    @property
    def mine(self) -> bool:
        """Whether he looks at his own."""
        return self.player == self.viewer

    @property
    def names(self) -> list[str]:
        """The rule sets he has played."""
        return sorted({row.rules for row in self.rows})


def withheld(request: HttpRequest, player: Player) -> HttpResponse | None:
    """Return the page that says why there is no record of `player` for the asker, if so."""
    if player.kind != Player.Kind.HOUSE and records.shows_record(player, player_of(request)):
        return None
    return render(request, "tournaments/player_withheld.html", {"player": player})


@require_safe
def player_record(request: HttpRequest, player_id: int) -> HttpResponse:
    """Show all that a player's games add up to."""
    asked = _asked(request, player_id)
    if isinstance(asked, HttpResponse):
        return asked
    form = TimeForm(request.GET, asked.names)
    if not form.is_valid():
        return _senseless(request, asked, form)
    rows = selected(asked.rows, form.selection)
    context = {"record": record_page.record_of(rows, asked.viewer)}
    return _page(request, "player_record", asked, form, context)


@require_safe
def player_games(request: HttpRequest, player_id: int) -> HttpResponse:
    """List a player's games, all or those that the address asks for."""
    asked = _asked(request, player_id)
    if isinstance(asked, HttpResponse):
        return asked
    form = GamesForm(request.GET, asked.names, asked.viewer)
    if not form.is_valid():
        return _senseless(request, asked, form)
    rows = selected(asked.rows, form.selection)
    page = Paginator(rows, A_PAGE).get_page(request.GET.get("page"))
    context = {"page": page, "lines": _lines(request, asked, list(page.object_list))}
    return _page(request, "player_games", asked, form, context)


@require_safe
def choose_other(request: HttpRequest, player_id: int) -> HttpResponse:
    """List everybody a player has met, to look at the two of them."""
    asked = _asked(request, player_id)
    if isinstance(asked, HttpResponse):
        return asked
    form = MeetingsForm(request.GET, asked.names)
    if not form.is_valid():
        return _senseless(request, asked, form)
    role = form.cleaned_data["as"]
    met = record_page.acquaintances(selected(asked.rows, form.selection), asked.viewer, role)
    page = Paginator(met, A_PAGE).get_page(request.GET.get("page"))
    known = records.people([one.player_id for one in page.object_list])
    lines = [(known[one.player_id], one) for one in page.object_list]
    context = {"page": page, "lines": lines, "role": role, "roles": record_page.ROLES}
    return _page(request, "choose_other", asked, form, context)


@require_safe
def head_to_head(request: HttpRequest, player_id: int, other_id: int) -> HttpResponse:
    """Show what two players have done as partners and as opponents."""
    asked = _asked(request, player_id)
    if isinstance(asked, HttpResponse):
        return asked
    other = get_object_or_404(Player.objects.exclude(pk=player_id), pk=other_id)
    if not records.shows_record(other, asked.viewer):
        return render(request, "tournaments/player_withheld.html", {"player": other})
    form = TimeForm(request.GET, asked.names)
    if not form.is_valid():
        return _senseless(request, asked, form)
    rows = selected(asked.rows, form.selection)
    both = [row for row in rows if other.pk in (row.partner_id, *row.opponents)]
    context = {
        "other": other,
        "two": record_page.head_to_head(rows, asked.player, other, timezone.now()),
        "lines": _lines(request, asked, both[:LATEST]),
    }
    return _page(request, "head_to_head", asked, form, context)


@require_safe
def compare(request: HttpRequest, player_id: int) -> HttpResponse:
    """Show a player's figures beside the average of one of his clubs."""
    asked = _asked(request, player_id)
    if isinstance(asked, HttpResponse):
        return asked
    clubs = list(asked.clubs.filter(memberships__player=asked.player))
    form = CompareForm(request.GET, asked.names, [club.slug for club in clubs])
    if not form.is_valid():
        return _senseless(request, asked, form)
    word = form.cleaned_data["club"]
    club = next((club for club in clubs if club.slug == word), clubs[0] if clubs else None)
    context: dict[str, Any] = {"clubs": clubs, "club": club}
    if club is not None:
        rows = selected(asked.rows, form.selection)
        context["average"] = club_average.compare(rows, club, form.selection)
        context["own"] = len(rows)
    return _page(request, "player_compare", asked, form, context)


def _asked(request: HttpRequest, player_id: int) -> Asked | HttpResponse:
    """Whose record is asked for, or the page that says why it is not shown."""
    player = get_object_or_404(Player, pk=player_id)
    answer = withheld(request, player)
    if answer is not None:
        return answer
    viewer = player_of(request)
    clubs = clubs_shown(viewer, request.session)
    return Asked(player, viewer, clubs, records.rows_of(player))


def _lines(request: HttpRequest, asked: Asked, rows: Sequence[Row]) -> list[records.GameLine]:
    return records.game_lines(asked.player, rows, asked.viewer, invitations(request.session))


def _page(
    request: HttpRequest, name: str, asked: Asked, form: TimeForm, context: dict[str, Any]
) -> HttpResponse:
    common = {
        "player": asked.player,
        "mine": asked.mine,
        "form": form,
        "kept": form.kept,
        "periods": record_page.periods(asked.player, asked.clubs, timezone.now()),
        "played": bool(asked.rows),
    }
    return render(request, f"tournaments/{name}.html", common | context)


def _senseless(request: HttpRequest, asked: Asked, form: TimeForm) -> HttpResponse:
    """Say what is wrong with an address, and what is allowed."""
    context = {"player": asked.player, "problems": form.problems()}
    return render(request, "tournaments/player_senseless.html", context, status=400)
