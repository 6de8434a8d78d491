"""A player's entries, for the lists on their pages, and their calendar feed URL."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypedDict

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from games.models import Player
from tournaments.events.states import OVER, UPCOMING
from tournaments.models import Entry, EntryPlayer, Event, FeedKey, Substitution
from tournaments.models.clubs import new_token
from tournaments.models.entries import INCOMPLETE, OUT, PLACED
from tournaments.standings.winners import NO_OUTCOME, PrizeOutcome, names_of, outcomes_of

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

MAX_PAST: Final = 30
UNSURE: Final = (Entry.State.WAITING, *INCOMPLETE)


class EntryPlace(TypedDict):
    """Annotations added by `annotated`: partner's name or "", entries ahead in line, and placed."""

    partner: str
    ahead: int
    entrants: int


ListedEntry: TypeAlias = "WithAnnotations[Entry, EntryPlace]"


@dataclass(frozen=True, slots=True)
class FinishedEntry:
    """An entry of an event that is over. winners: their names, if it was finished.

    left: the last round that the player played before a substitute took the seat; 0 if nobody did.
    """

    entry: ListedEntry
    winners: str
    outcome: PrizeOutcome
    left: int = 0

    @property
    def partner(self) -> str:
        """The partner's name; empty for whoever left, as the seats are others' now."""
        return "" if self.left else self.entry.partner

    @property
    def ending(self) -> str:
        """The player's result: "3rd of 14", "1st of 38 people", "Cancelled"."""
        entry = self.entry
        if self.left:
            return f"Played until round {self.left}"
        if entry.event.state == Event.State.CANCELLED:
            return "Cancelled"
        if entry.place is None:
            return entry.get_state_display() if entry.state in OUT else "–"
        return self.outcome.finish(entry.pk, entry.place, entry.entrants)


def entries_of(player: Player) -> QuerySet[ListedEntry]:
    return annotated(Entry.objects.filter(players__player=player, players__active=True), player)


def annotated(entries: QuerySet[Entry], player: Player) -> QuerySet[ListedEntry]:
    """Annotate entries for a list shown to `player`, the soonest first, without those of drafts."""
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


def finished(
    entries: Iterable[ListedEntry], left: Mapping[int, int] | None = None
) -> tuple[FinishedEntry, ...]:
    """Return entries of events that are over with their results, in two queries.

    left: the last round that the player played, by entry, where a substitute took the seat.
    """
    found = list(entries)
    outcomes = outcomes_of(entry.event for entry in found)
    winners = names_of(outcomes)
    return tuple(
        FinishedEntry(
            entry,
            winners.get(entry.event_id, ""),
            outcomes.get(entry.event_id, NO_OUTCOME),
            (left or {}).get(entry.pk, 0),
        )
        for entry in found
    )


def _count(entries: QuerySet[Entry, Any]) -> Coalesce:
    return Coalesce(Subquery(entries.annotate(count=Count("pk")).values("count")), 0)


def your_events(player: Player) -> dict[str, Any]:
    """Return the lists of the page "Your events".

    `unsure` are entries without a place or a partner yet; `feed` is the token in the calendar's
    address, or empty.
    """
    mine = entries_of(player)
    ahead = mine.exclude(event__state__in=OVER)
    # The last rounds that they played in seats that substitutes took, by entry.
    seats = Substitution.objects.filter(player=player, until__gte=1)
    rows = seats.exclude(entry__players__player=player).order_by("until")
    left = dict(rows.values_list("entry", "until"))
    played = Entry.objects.filter(
        Q(pk__in=left) | Q(pk__in=mine.values("pk")), event__state__in=OVER
    )
    past = annotated(played, player).order_by("-event__starts")
    memberships = player.memberships.filter(club__closed=None)
    return {
        "invitations": invitations_to(player),
        "next": tuple(ahead.filter(state__in=PLACED)),
        "unsure": tuple(ahead.filter(state__in=UNSURE)),
        "past": finished(past[:MAX_PAST], left),
        "memberships": tuple(memberships.select_related("club").order_by("club__name")),
        "feed": FeedKey.objects.filter(player=player).values_list("token", flat=True).first() or "",
    }


def invitations_to(player: Player) -> tuple[ListedEntry, ...]:
    asked = Entry.objects.filter(
        invited=player, state=Entry.State.INVITING, event__state__in=UPCOMING
    )
    return tuple(annotated(asked, player))


def renew_feed(player: Player) -> str:
    """Give the player's calendar a new address and return its token; the old one stops working."""
    key, _ = FeedKey.objects.update_or_create(player=player, defaults={"token": new_token()})
    return key.token
