"""What the pages of clubs list, in few queries however long the lists are."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count, Prefetch, Q, QuerySet
from django.db.models.functions import Lower

from games import rule_words
from games.models import Player
from tournaments.models import Club, Entry, Event, JoinRequest, Membership

State = Event.State
PUBLIC = (State.ANNOUNCED, State.REGISTRATION, State.CHECK_IN, State.READY, State.RUNNING)
IN = (Entry.State.ENTERED, Entry.State.CHECKED_IN)
MOST_EVENTS = 6
MOST_RESULTS = 5

#: What one comes to an event's page for, by its state.
ACTIONS = {
    State.DRAFT: "Finish the draft",
    State.REGISTRATION: "Register",
    State.CHECK_IN: "Check in",
    State.RUNNING: "Watch",
}


@dataclass(frozen=True, slots=True)
class EventLine:
    """A coming or running event. entered: how many entries are in. rules: its game in words."""

    event: Event
    entered: int
    rules: str

    @property
    def action(self) -> str:
        """What its page is for just now."""
        return ACTIONS.get(State(self.event.state), "See the event")


@dataclass(frozen=True, slots=True)
class ResultLine:
    """A finished event. entrants: how many were placed. winners: who was first."""

    event: Event
    entrants: int
    winners: str


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


def next_events(club: Club, *, drafts: bool) -> list[EventLine]:
    """The club's running and next events, the first ones; with its drafts for who directs."""
    states = [*PUBLIC, State.DRAFT] if drafts else PUBLIC
    entered = Count("entries", filter=Q(entries__state__in=IN))
    events = club.events.filter(state__in=states).annotate(entered=entered)
    return [
        EventLine(event, event.entered, rule_words.brief(event.rules))
        for event in events.order_by("starts", "pk")[:MOST_EVENTS]
    ]


def latest_results(club: Club) -> list[ResultLine]:
    """The events the club finished last, with their winners."""
    placed_first = Entry.objects.filter(place=1).exclude(state=Entry.State.WITHDRAWN)
    first = placed_first.prefetch_related("players__player")
    events = (
        club.events.filter(state=State.FINISHED)
        .annotate(entrants=Count("entries", filter=Q(entries__place__isnull=False)))
        .prefetch_related(Prefetch("entries", first, to_attr="first"))
        .order_by("-starts", "-pk")
    )
    return [
        ResultLine(event, event.entrants, ", ".join(entry.name for entry in event.first))
        for event in events[:MOST_RESULTS]
    ]


def clubs_of(player: Player | None) -> list[ClubLine]:
    """The player's clubs by name, with their next events and with who asks to join."""
    if player is None:
        return []
    memberships = Membership.objects.filter(player=player).select_related("club")
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
    clubs = Club.objects.exclude(joining=Club.Joining.INVITATION)
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
    return {event.club_id: event for event in events}
