"""Who owns a place, and with it the results, that substitutes have played in: who had it first.

While an event runs, a seat is held by whoever plays in it, since tables, calls and score cards go
by seats. At the end it goes back to its owner, so that trophies, prizes, letters, season tables and
everything else that reads finished events by their seats name the owner; who played which round
stays in `Substitution`.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from games.models import Player
from tournaments.models import EntryPlayer, Event, Substitution
from tournaments.results.match_lines import Team


class SeatKey(NamedTuple):
    """A seat of an event, by its entry and its position there."""

    entry: int
    position: int


def first_players(event: Event) -> dict[SeatKey, Player]:
    """Return who owns each seat that was taken over; empty if its present player does.

    A house player owns nothing: whoever takes its place over has it first.
    """
    found: dict[SeatKey, Player] = {}
    left = Substitution.objects.filter(entry__event=event, gave_up=False)
    left = left.exclude(player__kind=Player.Kind.HOUSE)
    for one in left.select_related("player").order_by("until", "pk"):
        found.setdefault(SeatKey(one.entry_id, one.position), one.player)
    return found


def owner_ids(event: Event) -> frozenset[int]:
    """Return the players who own a seat that was taken over."""
    return frozenset(owner.pk for owner in first_players(event).values())


def owner_after(seat: EntryPlayer) -> Player | None:
    """Return who owns a seat's place once a substitute has it; None if that one does."""
    owner = first_players(seat.event).get(SeatKey(seat.entry_id, seat.position), seat.player)
    return None if owner.kind == Player.Kind.HOUSE else owner


def teams_by_owner(event: Event, teams: Mapping[int, Team]) -> Mapping[int, Team]:
    """Return the teams as standings name them: the owners of the places, by entry."""
    if event.state == Event.State.FINISHED:  # the seats are the owners' again
        return teams
    owned = dict(teams)
    for seat, player in first_players(event).items():
        if seat.entry in owned:
            people = [*owned[seat.entry].people]
            people[seat.position] = player
            owned[seat.entry] = Team((seat.entry,), tuple(people))
    return owned


def give_back(event: Event, now: datetime) -> None:
    """Give the seats of an event that ends to their owners; the event must be locked."""
    rounds = event.played_rounds.count()
    for seat, owner in first_players(event).items():
        line = event.entered_players.get(entry=seat.entry, position=seat.position)
        if line.player_id == owner.pk:
            continue
        left = Substitution.objects.filter(entry=seat.entry, position=seat.position)
        if not left.filter(until__gte=rounds).exists():
            left.create(
                entry_id=seat.entry,
                position=seat.position,
                player=line.player,
                until=rounds,
                at=now,
            )
        line.player = owner
        line.save(update_fields=["player"])
