"""What a player's own page of events lists, and the address of his calendar."""

from dataclasses import dataclass
from typing import Final

from games.models import Player
from tournaments.entering.entry_lines import EntryLine, entries_of, lines, whole
from tournaments.events.states import OVER, UPCOMING
from tournaments.models import Entry, FeedKey, Membership
from tournaments.models.clubs import new_token
from tournaments.models.entries import INCOMPLETE, PLACED

MOST_PAST: Final = 30
UNSURE: Final = (Entry.State.WAITING, *INCOMPLETE)


@dataclass(frozen=True, slots=True)
class YourEvents:
    """All lists of the page.

    invitations: of partners who await his answer. next: what he is in, the soonest first.
    unsure: where he waits for a place or a partner. past: the newest first. memberships: with
    their clubs. feed: the word of his calendar's address, or empty.
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
    memberships = player.memberships.select_related("club").order_by("club__name")
    return YourEvents(
        invitations=invitations_to(player),
        next=lines(ahead.filter(state__in=PLACED)),
        unsure=lines(ahead.filter(state__in=UNSURE)),
        past=lines(past[:MOST_PAST]),
        memberships=tuple(memberships),
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
