"""API for entering events and withdrawing from them."""

from collections.abc import Iterable, Mapping
from typing import Annotated

from django.utils import timezone
from ninja import Field, Router, Schema
from ninja.responses import Status

from games.api.callers import ApiRequest, scope_needed
from games.api.problems import ApiProblem
from games.api.values import NO_CONTROLS, PlayerRef, one_of, ref_of
from games.models import Player, Scope
from tournaments.access import requested_event
from tournaments.entering import entering, partners
from tournaments.models import Entry
from tournaments.models.entries import COMPLETE
from tournaments.results import event_rows
from tournaments.results.event_rows import entry_values
from tournaments.standings import winners

router = Router(tags=["Entering"], auth=scope_needed(Scope.ENTER))


class EntryOut(Schema):
    """An entry: a player, or two partners."""

    entry: int = Field(description="Its number, the same everywhere.")
    players: list[PlayerRef]
    state: Annotated[str, one_of(Entry.State.values)]
    house: bool = Field(description="Whether house players fill it.")
    seed: int | None = Field(description="1 is the best; given at the start.")
    lot: int | None = Field(description="The last tie-break: 1 goes before 2.")
    first_round: int = Field(
        description="The first in which it can be drawn; later for who came late."
    )
    qualified: int | None = Field(description="The place from which it went on.")
    place: int | None = Field(description="At the end, among all.")
    prize_place: int | None = Field(
        description="Among those who can win, so 1 has won; null for who cannot: who has "
        "withdrawn or never came to a table, and house players unless the event says otherwise or "
        "nobody else plays."
    )


class Wish(Schema):
    """How somebody wants to enter."""

    partner: str = Field(
        "",
        max_length=254,
        pattern=NO_CONTROLS,
        description="Where two enter together: the name or e-mail address of a member of the club.",
    )


@router.put("{num:event_id}/entry", response=EntryOut)
def enter(request: ApiRequest, event_id: int, wish: Wish) -> EntryOut:
    """Enter an event.

    In the state `waiting` the entry is on the waiting list; in `inviting` the partner has been
    asked and has not answered. Players who have already entered are left unchanged.
    """
    event, player = requested_event(request, event_id).event, _person(request)
    entry = entering.entry_of(event, player)
    if entry is None or entry.state not in COMPLETE:
        partner = wish.partner.strip()
        if partner:
            entry = partners.ask(event, player, partner, timezone.now())
        else:
            entry = entering.register(event, player, timezone.now())
    return entry_out(event_rows.entry(entry.pk), winners.prize_places(event))


@router.delete("{num:event_id}/entry", response={204: None})
def withdraw(request: ApiRequest, event_id: int) -> Status[None]:
    """Withdraw from an event, with the partner if there is one."""
    event = requested_event(request, event_id).event
    entering.withdraw(event, _person(request), timezone.now())
    return Status(204, None)


def _person(request: ApiRequest) -> Player:
    player = request.auth.acting
    if player.user_id is None:
        raise ApiProblem(
            403, "account", "Only people enter events; this is the token of a program."
        )
    return player


def entry_out(entry: Entry, prizes: Mapping[int, int]) -> EntryOut:
    """Return an entry with its players; prizes: places for prizes, by entry."""
    return EntryOut(**entry_values(entry, players_of([entry]), prizes))


def players_of(entries: Iterable[Entry]) -> list[PlayerRef]:
    """Return the players of some entries, in order."""
    return [ref_of(line.player) for entry in entries for line in entry.players.all()]
