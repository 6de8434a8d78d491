"""What an event's page tells somebody about entering: where they stand and what they can do now."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models.functions import Lower

from games.models import Player
from tournaments.entering import conditions
from tournaments.entering.conditions import Suggestion, barred, in_words, not_a_member
from tournaments.entering.entering import entry_of
from tournaments.entering.partners import invitations_of, seekers
from tournaments.entering.places import full
from tournaments.events.timetable import check_in_opens
from tournaments.models import Entry, Event, Membership
from tournaments.models.clubs import DIRECTORS
from tournaments.models.entries import COMPLETE, INCOMPLETE, PLACED
from tournaments.rating_formula import Skill
from tournaments.ratings.chances import skills_of

#: How many members a lone director is offered as a second one; all are on the page of members.
MOST_MEMBERS: Final = 200


@dataclass(frozen=True, slots=True)
class EntryPanel:
    """What one player, or a visitor, can do about an event that has not begun.

    event: the event. now: the moment it is told for. player: who looks. entry: theirs, or None.
    partner: their partner, or whom they have asked. reasons: why they cannot enter, in sentences.
    invitations: the entries of those who ask this player to be their partner. inside, waiting,
    seeking: who has a place, who waits for one and who looks for a partner, each in order. skills:
    the ratings, where the event is rated, of those whose record everybody may see. lone_director:
    whether they play and nobody else directs the club; second_directors: the members they could
    name.
    """

    event: Event
    now: datetime
    player: Player | None
    entry: Entry | None
    partner: Player | None
    reasons: list[str]
    invitations: list[Entry]
    inside: list[Entry]
    waiting: list[Entry]
    seeking: list[Entry]
    skills: Mapping[int, Skill]
    lone_director: bool = False
    second_directors: Sequence[Membership] = ()

    @property
    def in_line(self) -> int:
        """The rank of the player's entry on the waiting list; 0 if it is not there."""
        ranks = {entry: rank for rank, entry in enumerate(self.waiting, start=1)}
        return ranks.get(self.entry, 0) if self.entry else 0

    @property
    def seekers(self) -> list[Entry]:
        """Others who look for a partner."""
        return [entry for entry in self.seeking if entry != self.entry]

    @property
    def checks_in(self) -> bool:
        """Whether the player is awaited to check in now."""
        return self.entry is not None and conditions.awaited(
            self.event, self.entry.state, self.now, here=self.entry.here
        )

    @property
    def check_in_opens(self) -> datetime | None:
        """When players can check in, if the event has a check-in."""
        return check_in_opens(self.event) if self.event.check_in_minutes else None

    @property
    def status(self) -> str:
        """Where the player stands: a state of entries, ``out`` or ``free`` to enter."""
        if self.entry is not None:
            return self.entry.state
        return "out" if self.reasons else "free"

    @property
    def joins_first(self) -> bool:
        """Whether the player can enter only once they belong to the club."""
        return self.account and not_a_member(self.event) in self.reasons

    @property
    def stamp(self) -> str:
        """What differs whenever the panel or the lists do."""
        return stamp_of(self.event, self.now)

    @property
    def conditions(self) -> list[str]:
        """Who may enter, piece by piece."""
        return in_words(self.event)

    @property
    def account(self) -> bool:
        """Whether who looks has an account."""
        return self.player is not None and self.player.user_id is not None

    @property
    def may_ask(self) -> bool:
        """Whether the player can ask somebody to be their partner."""
        lone = self.entry is None or self.entry.state in INCOMPLETE
        return self.event.team_size > 1 and lone and not self.reasons

    @property
    def full(self) -> bool:
        """Whether who enters now joins the waiting list."""
        return full(self.event, len(self.inside), len(self.waiting))

    @property
    def suggestion(self) -> Suggestion:
        """What the event suggests to the player."""
        mine, here = (self.entry.state, self.entry.here) if self.entry else ("", False)
        return conditions.suggested(self.event, mine, self.now, full=self.full, here=here)


def panel(event: Event, player: Player | None, now: datetime) -> EntryPanel:
    """Return what the page tells `player` (None: a visitor) about entering an event to come."""
    entry, pairs = entry_of(event, player), event.team_size > 1
    complete = entry is not None and entry.state in COMPLETE
    partner = None
    if entry is not None and player is not None:
        others = [line.player for line in entry.players.all() if line.player_id != player.pk]
        partner = others[0] if others else entry.invited
    arrived = event.entries.filter(state__in=COMPLETE, arrival__isnull=False)
    entries = list(arrived.order_by("arrival").prefetch_related("players__player"))
    seeking = seekers(event) if pairs else []
    players = [line.player for one in (*entries, *seeking) for line in one.players.all()]
    shown = {one.pk for one in players if not one.private}
    lone = entry is not None and player is not None and _directs_alone(event, player)
    return EntryPanel(
        event=event,
        now=now,
        player=player,
        entry=entry,
        partner=partner,
        reasons=[] if complete else barred(event, player, now),
        invitations=invitations_of(event, player) if pairs and player and not complete else [],
        inside=[one for one in entries if one.state in PLACED],
        waiting=[one for one in entries if one.state == Entry.State.WAITING],
        seeking=seeking,
        skills=skills_of(event, shown, now) if event.rated and shown else {},
        lone_director=lone,
        second_directors=_other_members(event, player) if lone else (),
    )


def _directs_alone(event: Event, player: Player) -> bool:
    directors = event.club.memberships.filter(role__in=DIRECTORS)
    return list(directors.values_list("player", flat=True)) == [player.pk]


def _other_members(event: Event, player: Player | None) -> list[Membership]:
    others = event.club.memberships.exclude(player=player).select_related("player")
    return list(others.order_by(Lower("player__name"))[:MOST_MEMBERS])


def stamp_of(event: Event, now: datetime) -> str:
    """Return what differs whenever what is told about entering may: the version, and the times."""
    passed = (event.registration_opens, event.registration_closes, check_in_opens(event))
    return f"{event.version}.{event.state}.{sum(moment <= now for moment in passed)}"
