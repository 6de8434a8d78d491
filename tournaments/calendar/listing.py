"""Lists of events: upcoming, running and past.

Entries are counted for the events that a list shows, not for those it was cut from.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final, TypeAlias, TypedDict, cast

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from games.models import Player
from tournaments.entering import conditions, places_and_waiting_list
from tournaments.entering.conditions import Suggestion
from tournaments.events import event_words
from tournaments.events.states import UPCOMING
from tournaments.models import Club, Entry, EntryPlayer, Event, Membership
from tournaments.models.entries import COMPLETE, INCOMPLETE
from tournaments.standings.winners import NO_OUTCOME, names_of, ordinal, outcomes_of

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

State = Event.State


class Counts(TypedDict):
    """Numbers of entries: with a place, on the waiting list, at the start, in the second stage,
    with a final place.
    """

    entered: int
    waiting: int
    starters: int
    qualified: int
    entrants: int


COUNTS: Final = {
    "entered": Count("entries", filter=places_and_waiting_list.placed("entries__")),
    "waiting": Count("entries", filter=Q(entries__state=Entry.State.WAITING)),
    "starters": Count("entries", filter=Q(entries__seed__isnull=False)),
    "qualified": Count("entries", filter=Q(entries__qualified__isnull=False)),
    "entrants": Count("entries", filter=Q(entries__place__isnull=False)),
}

CountedEvent: TypeAlias = "WithAnnotations[Event, Counts]"

#: Entries that have not been withdrawn, with those that still lack a partner.
AT_STAKE = (*COMPLETE, *INCOMPLETE)


@dataclass(frozen=True, slots=True)
class EventLine:
    """An event in a list, as one reader sees it.

    `mine` is the state of the reader's entry, or empty; `place` is their final place among those
    who can win, or None.
    """

    event: CountedEvent
    facts: list[str]
    mine: str
    suggestion: Suggestion
    winners: str = ""
    unwon: str = ""
    place: int | None = None

    @property
    def finish(self) -> str:
        return ordinal(self.place) if self.place else ""

    @property
    def full(self) -> bool:
        return places_and_waiting_list.full(self.event, self.event.entered, self.event.waiting)

    @property
    def action(self) -> str:
        return self.suggestion.label

    @property
    def acts(self) -> bool:
        """Whether there is more to do than to look at the event."""
        return self.suggestion is not Suggestion.SEE

    @property
    def checks_in(self) -> bool:
        """Whether the reader may check in now."""
        return self.suggestion is Suggestion.CHECK_IN

    @property
    def rules(self) -> str:
        """The rules of the event's games in a few words."""
        return event_words.game_in_words(self.event)


def visible_to(player: Player | None) -> QuerySet[Event]:
    """Return the published events that a player (None: a visitor) may see in lists.

    Events of invitation-only clubs are listed for their members alone.
    """
    everybodys = ~Q(club__joining=Club.Joining.INVITATION)
    found = Event.objects.filter(club__closed=None).exclude(state=State.DRAFT)
    return found.select_related("club").filter(everybodys | Q(club__in=_clubs_of(player)))


def counted(events: QuerySet[Event]) -> QuerySet[CountedEvent]:
    return cast("QuerySet[CountedEvent]", events.annotate(**COUNTS))


def of_own_clubs(events: QuerySet[Event], player: Player | None) -> QuerySet[Event]:
    return events.filter(club__in=_clubs_of(player))


def _clubs_of(player: Player | None) -> QuerySet[Membership, int]:
    return Membership.objects.filter(player=player).values_list("club", flat=True)


def upcoming(events: QuerySet[Event]) -> QuerySet[Event]:
    """Return the events that have not started, the next first."""
    return events.filter(state__in=UPCOMING).order_by("starts", "pk")


def running(events: QuerySet[Event]) -> QuerySet[Event]:
    """Return the events being played, the latest first."""
    return events.filter(state=State.RUNNING).order_by("-started", "pk")


def past(events: QuerySet[Event]) -> QuerySet[Event]:
    """Return the finished events, the latest first."""
    return events.filter(state=State.FINISHED).order_by("-starts", "-pk")


def with_counts(events: Iterable[Event]) -> list[CountedEvent]:
    """Return events with the numbers of their entries, in one query for these events alone."""
    found = {event.pk: event for event in events}
    if not found:
        return []
    rows = Event.objects.filter(pk__in=found).order_by().values("pk").annotate(**COUNTS)
    numbers = {key: counts for key, *counts in rows.values_list("pk", *COUNTS)}
    for key, counts in numbers.items():
        for name, count in zip(COUNTS, counts, strict=True):
            setattr(found[key], name, count)
    return cast("list[CountedEvent]", [one for key, one in found.items() if key in numbers])


def suggestion_for(event: CountedEvent, entry: Entry | None, now: datetime) -> Suggestion:
    """Return what a player whose entry it is, or who has none, can do at an event."""
    mine, here = (entry.state, entry.here) if entry else ("", False)
    full = places_and_waiting_list.full(event, event.entered, event.waiting)
    return conditions.suggested(event, mine, now, full=full, here=here)


def lines_of(events: Iterable[Event], player: Player | None, now: datetime) -> list[EventLine]:
    """Return events as lines for a player (None: a visitor), in a fixed number of queries."""
    found = with_counts(events)
    if not found:
        return []
    standing = standing_of(found, player)
    outcomes = outcomes_of(found)
    winners = names_of(outcomes)
    lines = []
    for event in found:
        entry, outcome = standing.get(event.pk), outcomes.get(event.pk, NO_OUTCOME)
        over = event.state == State.FINISHED
        lines.append(
            EventLine(
                event=event,
                # After the start the size is that of the starting field, as on the event's page.
                facts=event_words.facts(
                    event,
                    event.entered if event.started is None else event.starters,
                    event.qualified,
                ),
                mine=entry.state if entry else "",
                suggestion=suggestion_for(event, entry, now),
                winners=winners.get(event.pk, ""),
                unwon=outcome.unwon,
                place=outcome.place_of(entry) if entry and over else None,
            )
        )
    return lines


def standing_of(events: Iterable[Event], player: Player | None) -> dict[int, Entry]:
    """Return a player's entries, by the event's key; none for a visitor (None)."""
    if player is None:
        return {}
    mine = EntryPlayer.objects.filter(event__in=list(events), player=player, active=True)
    return {line.event_id: line.entry for line in mine.select_related("entry")}


def next_for(player: Player, now: datetime) -> EventLine | None:
    """Return the player's next event, or else the next one of their clubs that they can enter."""
    entry = EntryPlayer.objects.filter(event=OuterRef("pk"), player=player, active=True)
    mine = Q(mine=True, state__in=(*UPCOMING, State.RUNNING))
    enterable = Q(club__in=_clubs_of(player), state__in=UPCOMING)
    events = visible_to(player).annotate(mine=Exists(entry.filter(entry__state__in=AT_STAKE)))
    soonest = events.filter(mine | enterable).order_by("-mine", "starts", "pk")[:1]
    return next(iter(lines_of(soonest, player, now)), None)
