"""The lists on club pages, in few queries however long they are."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, TypeAlias, TypedDict

from django.db.models import Count, Prefetch, Q, QuerySet
from django.db.models.functions import Lower

from games.models import Player
from tournaments.calendar import listing
from tournaments.calendar.listing import EventLine
from tournaments.events.states import UPCOMING
from tournaments.models import Club, Event, Membership

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

State = Event.State
PUBLIC = (*UPCOMING, State.RUNNING)
MAX_EVENTS = 6
MAX_RESULTS = 5


class Size(TypedDict):
    size: int


SizedClub: TypeAlias = "WithAnnotations[Club, Size]"


def next_events(
    club: Club, player: Player | None, now: datetime, *, drafts: bool
) -> list[EventLine]:
    states = [*PUBLIC, State.DRAFT] if drafts else PUBLIC
    events = club.events.filter(state__in=states).select_related("club")
    return listing.lines_of(events.order_by("starts", "pk")[:MAX_EVENTS], player, now)


def latest_results(club: Club, player: Player | None, now: datetime) -> list[EventLine]:
    """Return the events that the club finished last."""
    events = club.events.select_related("club")
    return listing.lines_of(listing.past(events)[:MAX_RESULTS], player, now)


def clubs_of(player: Player | None) -> list[SizedClub]:
    """Return the player's clubs by name, as `with_next_event` does.

    `asking` counts the requests to join, in clubs where the player may answer them.
    """
    if player is None:
        return []
    mine = Membership.objects.filter(player=player)
    answers = Q(pk__in=mine.exclude(role=Membership.Role.MEMBER).values("club"))
    clubs = Club.objects.filter(closed=None, pk__in=mine.values("club"))
    asking = Count("requests", filter=answers, distinct=True)
    return list(with_next_event(clubs.annotate(asking=asking).order_by(Lower("name"))))


def listed_clubs(search: str) -> QuerySet[Club]:
    """Return the clubs that everybody may see, by name; an empty `search` finds all."""
    clubs = Club.objects.filter(closed=None).exclude(joining=Club.Joining.INVITATION)
    for word in search.split():
        clubs = clubs.filter(Q(name__icontains=word) | Q(about__icontains=word))
    return clubs.order_by(Lower("name"))


def with_next_event(clubs: QuerySet[Club]) -> QuerySet[SizedClub]:
    """Annotate clubs with `size`, and prefetch `coming`: running and upcoming events in order."""
    coming = listing.counted(Event.objects.filter(state__in=PUBLIC)).order_by("starts", "pk")
    clubs = clubs.annotate(size=Count("memberships", distinct=True))
    return clubs.prefetch_related(Prefetch("events", coming, to_attr="coming"))
