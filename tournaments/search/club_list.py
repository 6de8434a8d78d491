"""People on a club's list whom a director can enter in an event, by their names."""

from collections.abc import Sequence
from typing import Final

from django.db.models import Count, Max, Q, QuerySet
from django.db.models.functions import Lower

from tournaments.attendance import on_paper
from tournaments.models import Club, Event, ListedName
from tournaments.search.folding import Folded

MAX_FOUND: Final = 12


def people(club: Club) -> QuerySet[ListedName]:
    """Return the people on a club's list who are no members, by name, once each.

    `night_count` and `last_night`: the events in which they were entered on paper.
    """
    mine = club.listed_names.filter(joined_to=None)
    others = mine.exclude(player__in=club.memberships.values("player"))
    counted = others.annotate(
        night_count=Count("plays_as__walk_ins"), last_night=Max("plays_as__walk_ins__event__starts")
    )
    return counted.order_by(Lower("name"), "pk")


def to_enter(event: Event, words: Sequence[str]) -> list[ListedName]:
    """Return the people on the club's list with such names who are not in the event.

    They are found by the names of lines that were joined to theirs, too.
    """
    matching = Q()
    for word in words:
        matching &= Q(folded__contains=f" {word}")
    rows = event.club.listed_names.annotate(folded=Folded("name")).filter(matching)
    found = {on_paper.person_of(row).pk for row in rows.select_related("joined_to")}
    if not found:
        return []
    there = event.entered_players.filter(active=True).values("player")
    free = people(event.club).filter(pk__in=found)
    if event.place == Event.Place.ONLINE:  # where nobody plays on paper
        free = free.exclude(player=None)
    return list(free.exclude(Q(plays_as__in=there) | Q(player__in=there))[:MAX_FOUND])
