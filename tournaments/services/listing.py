"""The list of events: what comes next, what is being played, and what has been."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from games.models import Player
from tournaments.models import Club, Entry, EntryPlayer, Event, Membership
from tournaments.services import event_words
from tournaments.services.conditions import COMPLETE, INCOMPLETE, PLACED
from tournaments.services.states import UPCOMING

State = Event.State

CHECK_IN = "Check in"
#: The entries by which somebody is still in an event, or on the way into it.
AT_STAKE = (*COMPLETE, *INCOMPLETE)


@dataclass(frozen=True, slots=True)
class EventLine:
    """An event in a list.

    event: with its club. entered: how many have a place. facts: what it is, piece by piece.
    mine: the state of the asker's entry, or an empty text. action: what its page is for now.
    """

    event: Event
    entered: int
    facts: list[str]
    mine: str

    @property
    def full(self) -> bool:
        """Whether all places are taken."""
        return self.entered >= self.event.capacity

    @property
    def action(self) -> str:
        """What one comes to the event's page for, as a button says it."""
        if self.event.state in (State.REGISTRATION, State.CHECK_IN) and not self.mine:
            return "Join the waiting list" if self.full else "Register"
        if self.event.state == State.CHECK_IN and self.mine == Entry.State.ENTERED:
            return CHECK_IN
        return "Watch" if self.event.state == State.RUNNING and not self.mine else ""

    @property
    def checks_in(self) -> bool:
        """Whether the player who looks is awaited to check in."""
        return self.action == CHECK_IN


def visible_to(player: Player | None) -> QuerySet[Event]:
    """Return the published events that a player (None: a visitor) finds in lists.

    Those of clubs by invitation are for their members.
    """
    everybodys = ~Q(club__joining=Club.Joining.INVITATION)
    found = Event.objects.exclude(state=State.DRAFT).select_related("club")
    entered = Count("entries", filter=Q(entries__state__in=PLACED))
    return found.filter(everybodys | Q(club__in=_clubs_of(player))).annotate(entered=entered)


def of_own_clubs(events: QuerySet[Event], player: Player | None) -> QuerySet[Event]:
    """Return those of the clubs a player belongs to."""
    return events.filter(club__in=_clubs_of(player))


def _clubs_of(player: Player | None) -> QuerySet[Membership, int]:
    return Membership.objects.filter(player=player).values_list("club", flat=True)


def upcoming(events: QuerySet[Event]) -> QuerySet[Event]:
    """Return those that have not begun, the next first."""
    return events.filter(state__in=UPCOMING).order_by("starts", "pk")


def running(events: QuerySet[Event]) -> QuerySet[Event]:
    """Return those being played, the latest first."""
    return events.filter(state=State.RUNNING).order_by("-started", "pk")


def past(events: QuerySet[Event]) -> QuerySet[Event]:
    """Return those that are over and were played, the latest first."""
    return events.filter(state=State.FINISHED).order_by("-starts", "-pk")


def lines_of(events: Iterable[Event], player: Player | None) -> list[EventLine]:
    """Return events, as `visible_to` gives them, as lines: in two queries however many they are."""
    found = list(events)
    if not found:
        return []
    mine = EntryPlayer.objects.filter(event__in=found, player=player, active=True)
    states = dict(mine.values_list("event", "entry__state"))
    return [_line(event, states.get(event.pk, "")) for event in found]


def _line(event: Event, mine: str) -> EventLine:
    entered: int = event.entered  # type: ignore[attr-defined]
    return EventLine(event, entered, event_words.facts(event, entered), mine)


def next_for(player: Player) -> EventLine | None:
    """Return what a player is in next, or else what he could enter next in his clubs."""
    entry = EntryPlayer.objects.filter(event=OuterRef("pk"), player=player, active=True)
    mine = Q(mine=True, state__in=(*UPCOMING, State.RUNNING))
    enterable = Q(club__in=_clubs_of(player), state__in=UPCOMING)
    events = visible_to(player).annotate(mine=Exists(entry.filter(entry__state__in=AT_STAKE)))
    soonest = events.filter(mine | enterable).order_by("-mine", "starts", "pk")[:1]
    return next(iter(lines_of(soonest, player)), None)
