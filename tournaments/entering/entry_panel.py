"""The panel about entering on an event's page: the player's state and possible actions."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models.functions import Lower

from games.models import Player
from tournaments.entering import check_in_codes, conditions
from tournaments.entering.conditions import (
    Suggestion,
    in_words,
    not_a_member,
    reasons_before_entering,
)
from tournaments.entering.entering import entry_of
from tournaments.entering.partners import invitations_of, seekers
from tournaments.entering.places_and_waiting_list import full
from tournaments.events import event_words
from tournaments.events.timetable import check_in_opens
from tournaments.models import Entry, Event, Membership, Rating
from tournaments.models.clubs import DIRECTORS
from tournaments.models.entries import COMPLETE, INCOMPLETE, PLACED
from tournaments.rating_formula import Skill
from tournaments.ratings import words
from tournaments.ratings.rating_games import pool_key
from tournaments.standings import filling_tables

#: Members offered to a lone director as a second one; all are on the members' page.
MAX_MEMBERS: Final = 200


@dataclass(frozen=True, slots=True)
class EntryPanel:
    """What a reader can do about an event that has not started.

    `partner` may be a player who is only invited. `skills` are the ratings of players whose record
    is public. `second_directors` are set if the reader plays and is the club's only director.
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
        ranks = {entry: rank for rank, entry in enumerate(self.waiting, start=1)}
        return ranks.get(self.entry, 0) if self.entry else 0

    @property
    def seekers(self) -> list[Entry]:
        return [entry for entry in self.seeking if entry != self.entry]

    @property
    def checks_in(self) -> bool:
        return self.entry is not None and conditions.awaited(
            self.event, self.entry.state, self.now, here=self.entry.here
        )

    @property
    def has_code(self) -> bool:
        """Whether a director in the hall can check the player in by a code."""
        in_hall = self.event.place != Event.Place.ONLINE
        return in_hall and check_in_codes.is_awaited(self.event, self.entry)

    @property
    def check_in_opens(self) -> datetime | None:
        return check_in_opens(self.event) if self.event.check_in_minutes else None

    @property
    def status(self) -> str:
        """The state of the player's entry, or ``out``, or ``free`` to enter."""
        if self.entry is not None:
            return self.entry.state
        return "out" if self.reasons else "free"

    @property
    def joins_first(self) -> bool:
        """Whether the player must join the club before entering."""
        return self.account and not_a_member(self.event) in self.reasons

    @property
    def tables(self) -> str:
        """How those who are in fill the tables."""
        return filling_tables.in_words(self.event, self.inside)

    @property
    def stamp(self) -> str:
        return stamp_of(self.event, self.now)

    @property
    def conditions(self) -> list[str]:
        return in_words(self.event)

    @property
    def rules(self) -> list[str]:
        """What applies once it runs, in sentences."""
        rules = (event_words.ties_rule(self.event), event_words.late_rule(self.event))
        return [*filter(None, rules), event_words.SUBSTITUTES]

    @property
    def account(self) -> bool:
        return self.player is not None and self.player.user_id is not None

    @property
    def may_ask(self) -> bool:
        lone = self.entry is None or self.entry.state in INCOMPLETE
        return self.event.team_size > 1 and lone and not self.reasons

    @property
    def full(self) -> bool:
        return full(self.event, len(self.inside), len(self.waiting))

    @property
    def suggestion(self) -> Suggestion:
        mine, here = (self.entry.state, self.entry.here) if self.entry else ("", False)
        return conditions.suggested(self.event, mine, self.now, full=self.full, here=here)


def panel(event: Event, player: Player | None, now: datetime) -> EntryPanel:
    """Return the panel of an event that has not started, for `player` (None: a visitor)."""
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
        reasons=[] if complete else reasons_before_entering(event, player, now),
        invitations=invitations_of(event, player) if pairs and player and not complete else [],
        inside=[one for one in entries if one.state in PLACED],
        waiting=[one for one in entries if one.state == Entry.State.WAITING],
        seeking=seeking,
        skills=_skills(event, shown, now),
        lone_director=lone,
        second_directors=_other_members(event, player) if lone else (),
    )


def _skills(event: Event, shown: Collection[int], now: datetime) -> dict[int, Skill]:
    """Return the ratings to show: those in the room if all of the event is played there."""
    if not event.rated or not shown:
        return {}
    key = pool_key(event.rules, in_room=event.place == Event.Place.ROOM)
    rows = Rating.objects.filter(pool__key=key, player__in=shown)
    return {row.player_id: words.present(row, now) for row in rows}


def _directs_alone(event: Event, player: Player) -> bool:
    directors = event.club.memberships.filter(role__in=DIRECTORS)
    return list(directors.values_list("player", flat=True)) == [player.pk]


def _other_members(event: Event, player: Player | None) -> list[Membership]:
    others = event.club.memberships.exclude(player=player).select_related("player")
    return list(others.order_by(Lower("player__name"))[:MAX_MEMBERS])


def stamp_of(event: Event, now: datetime) -> str:
    """Return a value that changes whenever the panel may: the version and the times passed."""
    passed = (event.registration_opens, event.registration_closes, check_in_opens(event))
    return f"{event.version}.{event.state}.{sum(moment <= now for moment in passed)}"
