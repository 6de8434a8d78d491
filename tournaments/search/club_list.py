"""People on a club's list whom a director can enter in an event, by their names."""

from collections.abc import Sequence
from typing import Any, Final

from django.db.models import Count, Max, Q, QuerySet
from django.db.models.functions import Lower

from tournaments.attendance import on_paper
from tournaments.models import Club, Event, ListedName
from tournaments.search.folding import Folded, fold

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
    return list(_free(event, matching)[:MAX_FOUND])


def called(event: Event, name: str) -> list[Any]:
    """Return the members and the people on the club's list of this name, not in the event."""
    same = Q(folded=fold(name))
    members = event.club.memberships.filter(player__user__is_active=True)
    free = members.exclude(player__in=event.entered_players.filter(active=True).values("player"))
    named = free.annotate(folded=Folded("player__name")).filter(same).select_related("player")
    return [*(one.player for one in named.order_by("player")), *_free(event, same)]


def _free(event: Event, matching: Q) -> QuerySet[ListedName]:
    """Return those of whom a line matches by its `folded` name, and who are not in the event."""
    rows = event.club.listed_names.annotate(folded=Folded("name")).filter(matching)
    found = {on_paper.person_of(row).pk for row in rows.select_related("joined_to")}
    there = event.entered_players.filter(active=True).values("player")
    free = people(event.club).filter(pk__in=found)
    if event.place == Event.Place.ONLINE:  # where nobody plays on paper
        free = free.exclude(player=None)
    return free.exclude(Q(plays_as__in=there) | Q(player__in=there))
