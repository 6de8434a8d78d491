"""What an event's page tells somebody about entering: where he stands and what he can do now."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from games.models import Player
from tournaments.entering import places, suggesting
from tournaments.entering.conditions import barred, in_words, not_a_member
from tournaments.entering.entering import entry_of
from tournaments.entering.partners import invitations_of, seekers
from tournaments.entering.places import Taken, taken, waiting_list
from tournaments.entering.suggesting import Suggestion
from tournaments.events.states import UPCOMING
from tournaments.events.timetable import check_in_opens
from tournaments.models import Entry, Event
from tournaments.models.entries import COMPLETE, INCOMPLETE, PLACED
from tournaments.ratings.chances import skills_of
from tournaments.skill import Skill

State = Entry.State


@dataclass(frozen=True, slots=True)
class EntryPanel:
    """What one player, or a visitor, can do about an event that has not begun.

    event: the event. now: the moment it is told for. player: who looks. entry: his, or None.
    partner: his partner, or whom he has asked. in_line: his rank on the waiting list, or 0.
    reasons: why he cannot enter, in sentences. invitations: the entries of those who ask him to be
    their partner. seekers: others who look for a partner. filled: how many places are taken.
    checks_in: whether he can check in now. check_in_opens: when that is possible.
    """

    event: Event
    now: datetime
    player: Player | None
    entry: Entry | None
    partner: Player | None
    in_line: int
    reasons: list[str]
    invitations: list[Entry]
    seekers: list[Entry]
    filled: Taken
    checks_in: bool
    check_in_opens: datetime | None

    @property
    def upcoming(self) -> bool:
        """Whether the event is published and has not begun."""
        return self.event.state in UPCOMING

    @property
    def status(self) -> str:
        """Where the player stands: a state of entries, ``out`` or ``free`` to enter."""
        if self.entry is not None:
            return self.entry.state
        return "out" if self.reasons else "free"

    @property
    def joins_first(self) -> bool:
        """Whether the player can enter only once he belongs to the club."""
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
        """Whether the player can ask somebody to be his partner."""
        lone = self.entry is None or self.entry.state in INCOMPLETE
        return self.event.team_size > 1 and lone and not self.reasons

    @property
    def full(self) -> bool:
        """Whether who enters now joins the waiting list."""
        return places.full(self.event, self.filled.places, self.filled.waiting)

    @property
    def suggestion(self) -> Suggestion:
        """What the event suggests to the player."""
        mine, here = (self.entry.state, self.entry.here) if self.entry else ("", False)
        return suggesting.suggested(self.event, mine, self.now, full=self.full, here=here)


def panel(event: Event, player: Player | None, now: datetime) -> EntryPanel:
    """Return what the page tells `player` (None: a visitor) about entering the event."""
    entry, upcoming = entry_of(event, player), event.state in UPCOMING
    complete = entry is not None and entry.state in COMPLETE
    asked = upcoming and player is not None and event.team_size > 1 and not complete
    looking = seekers(event) if upcoming and event.team_size > 1 else []
    return EntryPanel(
        event=event,
        now=now,
        player=player,
        entry=entry,
        partner=_partner(entry, player),
        in_line=_in_line(event, entry),
        reasons=[] if complete else barred(event, player, now),
        invitations=invitations_of(event, player) if asked and player else [],
        seekers=[one for one in looking if entry is None or one.pk != entry.pk],
        filled=taken(event),
        checks_in=entry is not None
        and suggesting.awaited(event, entry.state, now, here=entry.here),
        check_in_opens=check_in_opens(event) if event.check_in_minutes else None,
    )


def stamp_of(event: Event, now: datetime) -> str:
    """Return what differs whenever what is told about entering may: the version, and the times."""
    passed = (event.registration_opens, event.registration_closes, check_in_opens(event))
    return f"{event.version}.{event.state}.{sum(moment <= now for moment in passed)}"


def _partner(entry: Entry | None, player: Player | None) -> Player | None:
    if entry is None or player is None:
        return None
    others = [line.player for line in entry.players.all() if line.player_id != player.pk]
    return others[0] if others else entry.invited


def _in_line(event: Event, entry: Entry | None) -> int:
    if entry is None or entry.state != State.WAITING:
        return 0
    return waiting_list(event).filter(arrival__lte=entry.arrival).count()


@dataclass(frozen=True, slots=True)
class EntryLists:
    """Who is in an event, who waits and who looks for a partner, each in order.

    skills: the ratings, where the event is rated, of those whose record everybody may see.
    """

    inside: list[Entry]
    waiting: list[Entry]
    seeking: list[Entry]
    skills: Mapping[int, Skill]


def entry_lists(event: Event, now: datetime) -> EntryLists:
    """Return the entries of an event that has not begun, with their players and their ratings."""
    complete = event.entries.filter(state__in=COMPLETE, arrival__isnull=False)
    entries = list(complete.order_by("arrival").prefetch_related("players__player"))
    seeking = seekers(event) if event.team_size > 1 else []
    players = [line.player for entry in (*entries, *seeking) for line in entry.players.all()]
    shown = {player.pk for player in players if not player.private}
    return EntryLists(
        [entry for entry in entries if entry.state in PLACED],
        [entry for entry in entries if entry.state == State.WAITING],
        seeking,
        skills_of(event, shown, now) if event.rated and shown else {},
    )
