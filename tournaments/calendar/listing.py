"""The list of events: what comes next, what is being played, and what has been."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from games.models import Player
from tournaments.entering import conditions, places
from tournaments.entering.conditions import Suggestion
from tournaments.events import event_words
from tournaments.events.states import UPCOMING
from tournaments.models import Club, Entry, EntryPlayer, Event, Membership
from tournaments.models.entries import COMPLETE, INCOMPLETE
from tournaments.standings.winners import NO_OUTCOME, names_of, ordinal, outcomes_of

State = Event.State

#: The entries by which somebody is still in an event, or on the way into it.
AT_STAKE = (*COMPLETE, *INCOMPLETE)


@dataclass(frozen=True, slots=True)
class EventLine:
    """An event in a list.

    event: with its club. entered: how many have a place. waiting: how many wait for one.
    facts: what it is, piece by piece. mine: the state of the asker's entry, or an empty text.
    suggestion: what its page is for now. winners: who won it, once it is finished. place: where the
    asker finished it, among those who can win, or None.
    """

    event: Event
    entered: int
    waiting: int
    facts: list[str]
    mine: str
    suggestion: Suggestion
    winners: str = ""
    place: int | None = None

    @property
    def finish(self) -> str:
        """Where the asker finished: "2nd", or an empty text."""
        return ordinal(self.place) if self.place else ""

    @property
    def full(self) -> bool:
        """Whether who enters now joins the waiting list."""
        return places.full(self.event, self.entered, self.waiting)

    @property
    def action(self) -> str:
        """What one comes to the event's page for, as a button says it."""
        return self.suggestion.label

    @property
    def acts(self) -> bool:
        """Whether there is more to do than to look at the event."""
        return self.suggestion is not Suggestion.SEE

    @property
    def checks_in(self) -> bool:
        """Whether the player who looks is awaited to check in."""
        return self.suggestion is Suggestion.CHECK_IN

    @property
    def rules(self) -> str:
        """The game in words."""
        return event_words.game_in_words(self.event)


def visible_to(player: Player | None) -> QuerySet[Event]:
    """Return the published events that a player (None: a visitor) finds in lists.

    Those of clubs by invitation are for their members.
    """
    everybodys = ~Q(club__joining=Club.Joining.INVITATION)
    found = Event.objects.filter(club__closed=None).exclude(state=State.DRAFT)
    found = found.select_related("club")
    return counted(found.filter(everybodys | Q(club__in=_clubs_of(player))))


def counted(events: QuerySet[Event]) -> QuerySet[Event]:
    """Return events with how many entries have a place, wait, have started and gone on."""
    return events.annotate(
        entered=Count("entries", filter=places.placed("entries__")),
        waiting=Count("entries", filter=Q(entries__state=Entry.State.WAITING)),
        starters=Count("entries", filter=Q(entries__seed__isnull=False)),
        qualified=Count("entries", filter=Q(entries__qualified__isnull=False)),
    )


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


def lines_of(events: Iterable[Event], player: Player | None, now: datetime) -> list[EventLine]:
    """Return events, as `counted` gives them, as lines, in few queries however many they are."""
    found = list(events)
    if not found:
        return []
    standing = standing_of(found, player)
    outcomes = outcomes_of(found)
    winners = names_of(outcomes)
    lines = []
    for event in found:
        entry, outcome = standing.get(event.pk), outcomes.get(event.pk, NO_OUTCOME)
        mine, here = (entry.state, entry.here) if entry else ("", False)
        entered: int = event.entered  # type: ignore[attr-defined]
        waiting: int = event.waiting  # type: ignore[attr-defined]
        starters: int = event.starters  # type: ignore[attr-defined]
        qualified: int = event.qualified  # type: ignore[attr-defined]
        full = places.full(event, entered, waiting)
        over = event.state == State.FINISHED
        lines.append(
            EventLine(
                event=event,
                entered=entered,
                waiting=waiting,
                # A begun event is that of all who started, as on its page, whoever has left since.
                facts=event_words.facts(
                    event, entered if event.started is None else starters, qualified
                ),
                mine=mine,
                suggestion=conditions.suggested(event, mine, now, full=full, here=here),
                winners=winners.get(event.pk, ""),
                place=outcome.place_of(entry) if entry and over else None,
            )
        )
    return lines


def standing_of(events: Iterable[Event], player: Player | None) -> dict[int, Entry]:
    """Return a player's entries in events by their numbers; a visitor (None) has none."""
    if player is None:
        return {}
    mine = EntryPlayer.objects.filter(event__in=list(events), player=player, active=True)
    return {line.event_id: line.entry for line in mine.select_related("entry")}


def next_for(player: Player, now: datetime) -> EventLine | None:
    """Return what a player is in next, or else what they could enter next in their clubs."""
    entry = EntryPlayer.objects.filter(event=OuterRef("pk"), player=player, active=True)
    mine = Q(mine=True, state__in=(*UPCOMING, State.RUNNING))
    enterable = Q(club__in=_clubs_of(player), state__in=UPCOMING)
    events = visible_to(player).annotate(mine=Exists(entry.filter(entry__state__in=AT_STAKE)))
    soonest = events.filter(mine | enterable).order_by("-mine", "starts", "pk")[:1]
    return next(iter(lines_of(soonest, player, now)), None)
