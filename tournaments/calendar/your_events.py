"""A player's entries as their pages list them, in few queries, and the calendar's address."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Count, OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from games.models import Player
from tournaments.events.states import OVER, UPCOMING
from tournaments.models import Entry, EntryPlayer, Event, FeedKey, Membership
from tournaments.models.clubs import new_token
from tournaments.models.entries import INCOMPLETE, OUT, PLACED
from tournaments.standings.winners import NO_OUTCOME, PrizeOutcome, names_of, ordinal, outcomes_of

MOST_PAST: Final = 30
UNSURE: Final = (Entry.State.WAITING, *INCOMPLETE)


@dataclass(frozen=True, slots=True)
class EntryLine:
    """An entry of a player.

    event: with its club. entry: the entry. partner: the partner's name, or empty. ahead: how many
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
        """How it ended for the player: "3rd of 14", "1st of 3 among people", "Cancelled"."""
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
        entries.filter(event__club__closed=None)
        .exclude(event__state=Event.State.DRAFT)
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


@dataclass(frozen=True, slots=True)
class YourEvents:
    """All lists of the page.

    invitations: of partners who await an answer. next: what the player is in, the soonest first.
    unsure: where they wait for a place or a partner. past: the newest first. memberships: with
    their clubs. feed: the word of the calendar's address, or empty.
    """

    invitations: tuple[EntryLine, ...]
    next: tuple[EntryLine, ...]
    unsure: tuple[EntryLine, ...]
    past: tuple[EntryLine, ...]
    memberships: tuple[Membership, ...]
    feed: str


def your_events(player: Player) -> YourEvents:
    """Return what `player` has entered, is asked for, and belongs to."""
    mine = entries_of(player)
    ahead = mine.exclude(event__state__in=OVER)
    past = mine.filter(event__state__in=OVER).order_by("-event__starts")
    memberships = player.memberships.filter(club__closed=None)
    return YourEvents(
        invitations=invitations_to(player),
        next=lines(ahead.filter(state__in=PLACED)),
        unsure=lines(ahead.filter(state__in=UNSURE)),
        past=lines(past[:MOST_PAST]),
        memberships=tuple(memberships.select_related("club").order_by("club__name")),
        feed=FeedKey.objects.filter(player=player).values_list("token", flat=True).first() or "",
    )


def invitations_to(player: Player) -> tuple[EntryLine, ...]:
    """Return the invitations of partners that await the player's answer, the soonest first."""
    asked = Entry.objects.filter(
        invited=player, state=Entry.State.INVITING, event__state__in=UPCOMING
    )
    return lines(whole(asked, player))


def renew_feed(player: Player) -> str:
    """Give the player's calendar a new address, and return its word; the old one ends."""
    key, _ = FeedKey.objects.update_or_create(player=player, defaults={"token": new_token()})
    return key.token
