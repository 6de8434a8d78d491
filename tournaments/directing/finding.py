"""Finds people for a director: those in the event, and members who are not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from django.db.models import Q

from games.models import Player
from tournaments.models import Entry, Event, Membership, WalkIn
from tournaments.results.event_rows import with_players
from tournaments.search.folding import Folded
from tournaments.search.searching import words_of

#: People found of each kind; more letters find fewer.
MAX_FOUND: Final = 12


class FoundEntry(NamedTuple):
    """An entry, and those of its players who are walk-ins, with their codes."""

    entry: Entry
    walk_ins: Sequence[WalkIn]


class FoundPeople(NamedTuple):
    """Those who match, by name: entries in the event, and other members of the club."""

    entries: Sequence[FoundEntry]
    members: Sequence[Player]


def find(event: Event, text: str) -> FoundPeople | None:
    """Find people by the beginnings of their names; None if there are too few letters."""
    words = words_of(text)
    if not words:
        return None
    matching = Q()
    for word in words:
        matching &= Q(folded__contains=f" {word}")
    named = event.entered_players.annotate(folded=Folded("player__name")).filter(matching)
    entries = event.entries.filter(pk__in=named.values("entry")).order_by("pk")
    taken = event.entered_players.filter(active=True).values("player")
    members = (
        Membership.objects.filter(club=event.club, player__user__is_active=True)
        .exclude(player__in=taken)
        .annotate(folded=Folded("player__name"))
        .filter(matching)
        .select_related("player")
        .order_by("player__name", "player")
    )
    inside = list(with_players(entries)[:MAX_FOUND])
    codes = {one.player_id: one for one in event.walk_ins.select_related("player")}
    return FoundPeople(
        [
            FoundEntry(
                one,
                [codes[line.player_id] for line in one.players.all() if line.player_id in codes],
            )
            for one in inside
        ],
        [one.player for one in members[:MAX_FOUND]],
    )
