"""The entries of an event as its director sees them: where each stands, what can be done."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from tournaments.events.states import UPCOMING
from tournaments.events.timetable import check_in_opens, checking_in
from tournaments.models import Entry, Event
from tournaments.models.entries import COMPLETE, INCOMPLETE, PLACED
from tournaments.results import history
from tournaments.results.match_lines import MatchLine, Team

#: The order in which the desk lists entries before the start.
ORDER = (
    Entry.State.ENTERED,
    Entry.State.CHECKED_IN,
    Entry.State.WAITING,
    Entry.State.INVITING,
    Entry.State.SEEKING,
    Entry.State.NO_SHOW,
    Entry.State.WITHDRAWN,
)
TONES = {Entry.State.CHECKED_IN: "good", Entry.State.NO_SHOW: "bad", Entry.State.WITHDRAWN: "bad"}


@dataclass(frozen=True, slots=True)
class DirectedEntry:
    """An entry at the desk.

    Attributes:
        entry_id: which.
        team: its players.
        state: where it stands, in words; tone: the class of their colours.
        where: its table in the round being played, if one is.
        here, out, back: whether it can be checked in, taken out, or put back now.
        kept: why this director may not take it out, and another may; or empty.
    """

    entry_id: int
    team: Team
    state: str
    tone: str
    where: str
    here: bool
    out: bool
    back: bool
    kept: str = ""


@dataclass(frozen=True, slots=True)
class Desk:
    """All entries, those first about which something is to be done.

    Attributes:
        lines: the entries.
        checking_in: whether they check in now; opens: when they will, if they have to.
        here, due: how many have, of how many.
    """

    lines: tuple[DirectedEntry, ...]
    checking_in: bool
    opens: datetime | None
    here: int
    due: int


def entries_at(event: Event) -> list[Entry]:
    """Return all who started; before the start all entries, as the desk lists them."""
    if event.started is not None:
        entries = history.entries_of(event)
        return sorted(entries, key=lambda entry: entry.state == Entry.State.WITHDRAWN)
    every = event.entries.prefetch_related("players__player").order_by("arrival", "pk")
    return sorted(every, key=lambda entry: ORDER.index(Entry.State(entry.state)))


def desk_of(
    event: Event,
    entries: Sequence[Entry],
    teams: Mapping[int, Team],
    matches: Iterable[MatchLine],
    now: datetime,
    *,
    kept: Mapping[int, str],
) -> Desk:
    """Return the desk of an event.

    Args:
        event: with its club.
        entries: as of `entries_at`.
        teams: all entries, by number.
        matches: of the round being played.
        now: the moment.
        kept: whom the director who asks may not take out, and why.
    """
    upcoming = event.state in UPCOMING
    here = upcoming and checking_in(event, now)
    opens = check_in_opens(event) if upcoming and event.check_in_minutes and not here else None
    tables = {entry: f"Table {match.number}" for match in matches for entry in match.entries}
    idle = "Does not play in this round" if tables else ""
    where = {entry.pk: tables.get(entry.pk, idle) for entry in entries}
    placed = [entry for entry in entries if entry.state in PLACED]
    return Desk(
        tuple(_line(event, entry, teams[entry.pk], where, kept, here=here) for entry in entries),
        here,
        opens,
        sum(entry.state == Entry.State.CHECKED_IN for entry in placed),
        len(placed),
    )


def _line(
    event: Event,
    entry: Entry,
    team: Team,
    where: Mapping[int, str],
    kept: Mapping[int, str],
    *,
    here: bool,
) -> DirectedEntry:
    state = Entry.State(entry.state)
    running = event.state == Event.State.RUNNING
    gone = state == Entry.State.WITHDRAWN
    able = COMPLETE + INCOMPLETE if event.state in UPCOMING else PLACED if running else ()
    there = entry.here or state == Entry.State.CHECKED_IN
    return DirectedEntry(
        entry_id=entry.pk,
        team=team,
        state="" if event.started and not gone else state.label,
        tone=TONES.get(state, ""),
        where="" if gone else where[entry.pk],
        here=here and state in COMPLETE and not there,
        out=state in able and entry.pk not in kept,
        back=running and gone,
        kept=kept.get(entry.pk, "") if state in able else "",
    )
