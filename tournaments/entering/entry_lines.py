"""Entries of a player as his pages list them, in few queries however many there are."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from games.models import Player
from tournaments.models import Entry, EntryPlayer, Event
from tournaments.models.entries import OUT
from tournaments.results.winners import NO_OUTCOME, PrizeOutcome, names_of, ordinal, outcomes_of


@dataclass(frozen=True, slots=True)
class EntryLine:
    """An entry of a player.

    event: with its club. entry: the entry. partner: his partner's name, or empty. ahead: how many
    stand before it on the waiting list. entrants: how many were placed at the end.
    winners: who won the event, once it is finished. outcome: who stands where there.
    """

    event: Event
    entry: Entry
    partner: str
    ahead: int
    entrants: int
    winners: str = ""
    outcome: PrizeOutcome = NO_OUTCOME

    @property
    def position(self) -> str:
        """Where it stands on the waiting list: "2nd"."""
        return ordinal(self.ahead + 1)

    @property
    def ending(self) -> str:
        """How it ended for him: "3rd of 14", "1st of 3 among people", "Cancelled"."""
        if self.event.state == Event.State.CANCELLED:
            return "Cancelled"
        if self.entry.place is None:
            return self.entry.get_state_display() if self.entry.state in OUT else "–"
        return self.outcome.finish(self.entry.pk, self.entry.place, self.entrants)


def entries_of(player: Player) -> QuerySet[Entry]:
    """Return the entries `player` is in, drafts left out, the soonest first."""
    return whole(Entry.objects.filter(players__player=player, players__active=True), player)


def whole(entries: QuerySet[Entry], player: Player) -> QuerySet[Entry]:
    """Return entries with all that a line tells `player`, drafts left out, the soonest first."""
    others = EntryPlayer.objects.filter(entry=OuterRef("pk")).exclude(player=player)
    same = Entry.objects.filter(event=OuterRef("event")).order_by().values("event")
    waiting = same.filter(state=Entry.State.WAITING, arrival__lt=OuterRef("arrival"))
    placed = same.filter(place__isnull=False)
    return (
        entries.exclude(event__state=Event.State.DRAFT)
        .select_related("event__club", "invited")
        .annotate(
            partner=Coalesce(Subquery(others.values("player__name")[:1]), Value("")),
            ahead=_count(waiting),
            entrants=_count(placed),
        )
        .order_by("event__starts", "event")
    )


def lines(entries: Iterable[Entry]) -> tuple[EntryLine, ...]:
    """Return entries made by `whole` as lines."""
    found = list(entries)
    outcomes = outcomes_of(entry.event for entry in found)
    winners = names_of(outcomes)
    return tuple(
        EntryLine(
            event=entry.event,
            entry=entry,
            partner=entry.partner,  # type: ignore[attr-defined]
            ahead=entry.ahead,  # type: ignore[attr-defined]
            entrants=entry.entrants,  # type: ignore[attr-defined]
            winners=winners.get(entry.event_id, ""),
            outcome=outcomes.get(entry.event_id, NO_OUTCOME),
        )
        for entry in found
    )


def _count(entries: QuerySet[Entry, Any]) -> Coalesce:
    return Coalesce(Subquery(entries.annotate(count=Count("pk")).values("count")), 0)
