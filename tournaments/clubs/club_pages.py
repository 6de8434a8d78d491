"""What the pages of clubs list, in few queries however long the lists are."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Q, QuerySet
from django.db.models.functions import Lower

from games.models import Player
from tournaments.calendar import listing
from tournaments.calendar.listing import EventLine
from tournaments.entering import places
from tournaments.events.states import UPCOMING
from tournaments.models import Club, Event, JoinRequest, Membership
from tournaments.standings.winners import NO_OUTCOME, names_of, ordinal, outcomes_of

State = Event.State
PUBLIC = (*UPCOMING, State.RUNNING)
MOST_EVENTS = 6
MOST_RESULTS = 5


@dataclass(frozen=True, slots=True)
class ResultLine:
    """A finished event.

    entrants: how many were placed. winners: who won. place: where who looks finished it, or None.
    """

    event: Event
    entrants: int
    winners: str
    place: int | None = None

    @property
    def finish(self) -> str:
        """Where who looks finished: "2nd", or an empty text."""
        return ordinal(self.place) if self.place else ""


@dataclass(frozen=True, slots=True)
class ClubLine:
    """A club in a list.

    members: how many. event: what comes next or runs, or None. asking: how many ask to join, for
    those who can let them in.
    """

    club: Club
    members: int
    event: Event | None
    asking: int = 0

    @property
    def full(self) -> bool:
        """Whether all places of the event are taken."""
        event: Any = self.event
        return event is not None and places.full(event, event.entered, event.waiting)


def next_events(
    club: Club, player: Player | None, now: datetime, *, drafts: bool
) -> list[EventLine]:
    """The club's running and next events as they are for a reader; with drafts for who directs."""
    states = [*PUBLIC, State.DRAFT] if drafts else PUBLIC
    events = listing.counted(club.events.filter(state__in=states)).select_related("club")
    return listing.lines_of(events.order_by("starts", "pk")[:MOST_EVENTS], player, now)


def latest_results(club: Club, player: Player | None = None) -> list[ResultLine]:
    """The events the club finished last, with their winners and a player's own places."""
    placed = Count("entries", filter=Q(entries__place__isnull=False))
    events = list(listing.past(club.events.annotate(entrants=placed))[:MOST_RESULTS])
    outcomes = outcomes_of(events)
    winners = names_of(outcomes)
    own = {
        key: outcomes.get(key, NO_OUTCOME).place_of(entry)
        for key, entry in listing.standing_of(events, player).items()
    }
    return [
        ResultLine(
            event,
            event.entrants,  # type: ignore[attr-defined]
            winners.get(event.pk, ""),
            own.get(event.pk),
        )
        for event in events
    ]


def clubs_of(player: Player | None) -> list[ClubLine]:
    """The player's clubs by name, with their next events and with who asks to join."""
    if player is None:
        return []
    memberships = Membership.objects.filter(player=player, club__closed=None).select_related("club")
    roles = {member.club: member.role for member in memberships.order_by(Lower("club__name"))}
    answering = [club.pk for club, role in roles.items() if role != Membership.Role.MEMBER]
    asking = dict(
        JoinRequest.objects.filter(club__in=answering)
        .values_list("club")
        .annotate(number=Count("pk"))
    )
    sizes = _sizes(roles)
    events = _first_events(roles)
    return [
        ClubLine(club, sizes[club.pk], events.get(club.pk), asking.get(club.pk, 0))
        for club in roles
    ]


def listed_clubs(search: str) -> QuerySet[Club]:
    """The clubs that everybody sees, by name.

    search: words of the name or the description; empty for all.
    """
    clubs = Club.objects.filter(closed=None).exclude(joining=Club.Joining.INVITATION)
    for word in search.split():
        clubs = clubs.filter(Q(name__icontains=word) | Q(about__icontains=word))
    return clubs


def lines_of(clubs: Iterable[Club]) -> list[ClubLine]:
    """Clubs with their sizes and their next events."""
    clubs = list(clubs)
    sizes, events = _sizes(clubs), _first_events(clubs)
    return [ClubLine(club, sizes.get(club.pk, 0), events.get(club.pk)) for club in clubs]


def _sizes(clubs: Iterable[Club]) -> dict[int, int]:
    """How many members each club has."""
    members = Membership.objects.filter(club__in=clubs)
    return dict(members.values_list("club").annotate(number=Count("pk")))


def _first_events(clubs: Iterable[Club]) -> dict[int, Event]:
    """The running or next event of each club that has one."""
    events = Event.objects.filter(club__in=clubs, state__in=PUBLIC).order_by("-starts", "-pk")
    events = listing.counted(events)
    return {event.club_id: event for event in events}
