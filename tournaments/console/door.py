"""Everybody of an event at the door: who is in, who has paid, who sits out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import Count, Max

from games.models import Player
from tournaments.acts import undoing
from tournaments.acts.withdrawing import upcoming_entry
from tournaments.changes import row_locks
from tournaments.entering import check_in_codes
from tournaments.events.notices import note
from tournaments.events.states import UPCOMING
from tournaments.events.timetable import checking_in
from tournaments.family_names import by_family_name, split_name
from tournaments.models import Act, Entry, EntryPlayer, Event, SitOut, WalkIn
from tournaments.models.entries import COMPLETE, INCOMPLETE, OUT, PLACED
from tournaments.refusals import RefusedError
from tournaments.results import event_rows, place_owners
from tournaments.results.match_lines import teams_of
from tournaments.standings import conflicts_of_interest

#: What the list can be narrowed to.
FILTERS: Final[Mapping[str, str]] = {
    "": "All",
    "not-in": "Not in",
    "in": "In",
    "not-paid": "Not paid",
    "sits-out": "Sits out",
}
#: People from whom on the list stands in two columns.
TWO_HALVES: Final = 12


@dataclass(frozen=True, slots=True)
class Guest:
    """An entry at the door; `since` is when it was let in, `walk_ins` those of it on paper.

    `nights`: how many of theirs this is, in words. `owner`: whose place it is where a substitute
    plays. `kept`: why this director may not withdraw it. The last two are empty otherwise.
    """

    event: Event
    entry: Entry
    walk_ins: Sequence[WalkIn]
    kind: str
    checks_in: bool
    since: datetime | None
    sits_out: bool
    nights: str
    owner: str
    kept: str

    @property
    def people(self) -> list[Player]:
        return [line.player for line in self.entry.players.all()]

    @property
    def left(self) -> bool:
        return self.entry.state == Entry.State.WITHDRAWN

    @property
    def here(self) -> bool:
        """Whether it plays, or would if the event started now."""
        if self.event.started is not None:
            return self.entry.seed is not None and self.entry.state not in OUT
        if self.event.check_in_minutes and not self.entry.house:
            return not self.left and check_in_codes.is_here(self.entry)
        return self.entry.state in PLACED

    @property
    def running(self) -> bool:
        return self.event.state == Event.State.RUNNING and self.event.final_at is None

    @property
    def can_check_in(self) -> bool:
        return self.checks_in and not self.entry.house and self.entry.state in COMPLETE

    @property
    def can_come_late(self) -> bool:
        late = self.entry.state in (Entry.State.NO_SHOW, Entry.State.WAITING)
        return self.running and late and self.entry.seed is None

    @property
    def pays(self) -> bool:
        """Whether entry money is due: of all who started, before that of those with a place."""
        playing = self.entry.seed is not None or self.event.started is None
        due = playing and (self.entry.seed is not None or self.entry.state in PLACED)
        asked = self.event.entry_money and not self.entry.house
        return bool(asked) and due and self.event.state != Event.State.CANCELLED

    @property
    def can_leave(self) -> bool:
        upcoming = self.event.state in UPCOMING
        able = (*COMPLETE, *INCOMPLETE) if upcoming else PLACED if self.running else ()
        return self.entry.state in able

    @property
    def can_return(self) -> bool:
        return self.left and (self.running or self.event.state in UPCOMING)

    @property
    def gets_back(self) -> bool:
        return bool(self.event.entry_money) and self.entry.paid is not None and not self.pays

    def fits(self, show: str) -> bool:
        """Return whether a filter of `FILTERS` leaves it on the list."""
        return {
            "not-in": not (self.here or self.left),
            "in": self.here,
            "not-paid": self.pays and self.entry.paid is None,
            "sits-out": self.sits_out,
        }.get(show, True)


def guests_of(
    event: Event, by: Player, now: datetime, entries: Sequence[Entry] | None = None
) -> list[Guest]:
    """Return these entries of an event by family name, partners by that of the first.

    entries: with their players; all but house players who fill tables if None.
    """
    if entries is None:
        entries = list(event_rows.with_players(event.entries.exclude(house=True, arrival=None)))
    paper = event.walk_ins.select_related("player").annotate(nights=Count("player__walk_ins"))
    walk_ins = {one.player_id: one for one in paper}
    members = set(event.club.memberships.values_list("player", flat=True))
    let_in = (Act.Kind.CHECK_IN, Act.Kind.ENTER, Act.Kind.LATE)
    acts = event.acts.filter(kind__in=let_in, undone_by=None, entry__isnull=False).order_by("pk")
    since = dict(acts.values_list("entry", "at"))
    latest = event.played_rounds.order_by("-number").first()
    out = set(SitOut.objects.filter(round=latest).values_list("entry", flat=True)) if latest else ()
    open_now = event.state in UPCOMING and checking_in(event, now)
    owners = place_owners.teams_by_owner(event, teams_of(entries))
    kept = conflicts_of_interest.why_not_out(event, by)
    guests = []
    for entry in entries:
        people = [line.player_id for line in entry.players.all()]
        there = [walk_ins[one] for one in people if one in walk_ins]
        kind = "Member" if members.issuperset(people) else "House" if entry.house else "Guest"
        nights = ""
        if there:
            kind, count = "On paper", there[0].nights
            nights = f"{count} nights" if count > 1 else "first night"
        started = since.get(entry.pk)
        team, sits_out, why = owners[entry.pk], entry.pk in out, kept.get(entry.pk, "")
        owner = "" if [one.pk for one in team.people] == people else team.name
        guests.append(
            Guest(event, entry, there, kind, open_now, started, sits_out, nights, owner, why)
        )
    return sorted(guests, key=lambda one: (by_family_name(one.people[0].name), one.entry.pk))


def halves(guests: Sequence[Guest]) -> list[tuple[str, Sequence[Guest]]]:
    """Return the list in its columns, each with its letters: "A to La", "Lo to W"."""
    if len(guests) < TWO_HALVES:
        return [("By family name", guests)]
    names = [split_name(one.people[0].name)[0] for one in guests]
    middle = -(-len(guests) // 2)
    return [
        (f"{names[0][:1]} to {names[middle - 1][:2]}", guests[:middle]),
        (f"{names[middle][:2]} to {names[-1][:1]}", guests[middle:]),
    ]


def nights_of(event: Event, people: Iterable[Player]) -> dict[int, tuple[int, datetime]]:
    """Return by player how many events of the club they played in before, and the latest start."""
    played = EntryPlayer.objects.filter(
        player__in=people, event__club=event.club, entry__seed__isnull=False
    ).exclude(event=event)
    rows = played.values_list("player").annotate(
        Count("event", distinct=True), Max("event__starts")
    )
    return {player: (nights, last) for player, nights, last in rows}


def take_back_check_in(entry: Entry, by: Player, now: datetime) -> None:
    """Take a check-in back at once, also one that the player made; do nothing without one."""
    done = entry.event.acts.filter(entry=entry, kind=Act.Kind.CHECK_IN, undone_by=None)
    act = done.select_related("event").order_by("-pk").first()
    if act is not None and check_in_codes.is_here(entry):
        try:
            undoing.undo(act, by, now)
        except RefusedError:  # such as of somebody who has got a place since
            pass
        else:
            return
    with row_locks.changing(entry.event) as event:
        mine = upcoming_entry(event, entry)
        if mine.state == Entry.State.CHECKED_IN:
            mine.state = Entry.State.ENTERED
        elif not mine.here:
            return
        mine.here = False
        mine.save(update_fields=["state", "here"])
        note(event, f"{mine.name}: not checked in after all.", by)
