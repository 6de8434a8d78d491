"""The values that the director's page shows, read in a constant number of queries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import groupby

from games.models import Player
from games.seats import reserved
from tournaments.acts import correcting, table_time
from tournaments.acts.base import Offer, RoundAct, TableAct
from tournaments.acts.registry import ACTS
from tournaments.events import director_calls, ending, event_words
from tournaments.events.event_words import Tag
from tournaments.events.states import UPCOMING
from tournaments.events.timetable import checking_in, missed_start
from tournaments.models import Entry, Event, Notice, Pairing, Round, SitOut
from tournaments.models.entries import COMPLETE, INCOMPLETE, PLACED
from tournaments.results import event_rows
from tournaments.results.match_lines import MatchLine, Team, matches_of, teams_drawn, teams_of
from tournaments.results.round_steps import RoundClock, clock_of
from tournaments.room_scores import card_page
from tournaments.room_scores.card_page import CardState
from tournaments.running.round_tables import no_show_at
from tournaments.standings import conflicts_of_interest, filling_tables
from tournaments.times import zone_name

#: How many lines of the record the page shows.
MAX_LINES = 60

#: The order of entries before the start.
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

PAUSED = Tag("Paused", "warn", "pause")


@dataclass(frozen=True, slots=True)
class DirectedTable:
    """A table of the round shown; `own` says whether the director plays there.

    `timed`: whether it can be given more time in one press. `acts`: what else can be done. `card`:
    how far its score card is, of an undecided table in the room.
    """

    match: MatchLine
    missing: tuple[str, ...]
    late: bool
    own: bool
    correctable: bool
    timed: bool = False
    acts: tuple[Offer, ...] = ()
    card: CardState | None = None

    @property
    def waits(self) -> str:
        if not self.missing:
            return ""
        *most, last = self.missing
        names = f"{', '.join(most)} and {last}" if most else last
        return f"Waits for {names}"


@dataclass(frozen=True, slots=True)
class DirectedEntry:
    """An entry at the desk.

    `tone` is the CSS class of its colour. `out` and `back` say whether it can be withdrawn, or put
    back now. `kept` is why this director may not withdraw it; else empty.
    """

    entry: Entry
    team: Team
    state: str
    tone: str
    where: str
    out: bool
    back: bool
    kept: str = ""


@dataclass(frozen=True, slots=True)
class Desk:
    """All entries, those that need attention first; `here` of the `due` ones have checked in."""

    lines: tuple[DirectedEntry, ...]
    checking_in: bool
    here: int
    due: int


@dataclass(frozen=True, slots=True)
class ManagePage:
    """An event as its director sees it.

    `tables` and `sit_outs` are of the round `shown`. `earlier` counts the lines of the record
    before those in `record`. `round_acts`: what can be done with that round. `no_time`, `no_end`
    and `no_result` are reasons why a director who plays leaves these decisions to others; else
    empty. `lone`: whether nobody else directs, `enters`: and they have entered, before it starts.
    """

    event: Event
    now: datetime
    tag: Tag
    calls: tuple[Pairing, ...]
    facts: tuple[str, ...]
    clock: RoundClock | None
    rounds: tuple[int, ...]
    shown: int | None
    tables: tuple[DirectedTable, ...]
    sit_outs: tuple[Team, ...]
    desk: Desk
    record: tuple[tuple[date, tuple[Notice, ...]], ...]
    earlier: int
    free: int
    no_time: str
    no_end: str
    no_result: str
    lone: bool
    enters: bool
    round_acts: tuple[Offer, ...] = ()

    @property
    def zone(self) -> str:
        return zone_name(self.event.club.zone)

    @property
    def final_from(self) -> datetime | None:
        """When a played event can first be made final, if that time is still to come."""
        when = ending.earliest(self.event)
        return when if when and when > self.now else None

    @property
    def running(self) -> bool:
        return self.event.state == Event.State.RUNNING

    @property
    def upcoming(self) -> bool:
        """Whether it is published and has not begun."""
        return self.event.state in UPCOMING

    @property
    def filling(self) -> str:
        """How those who are in fill the tables, before the start."""
        inside = [line.entry for line in self.desk.lines if line.entry.state in PLACED]
        return filling_tables.in_words(self.event, inside)

    @property
    def missed(self) -> bool:
        """Whether it has missed its start and waits for a director."""
        return missed_start(self.event, self.now)

    @property
    def ended(self) -> bool:
        return self.event.ended is not None

    @property
    def resting(self) -> bool:
        return self.running and (self.clock is None or self.clock.tables == self.clock.finished)

    @property
    def finished(self) -> int:
        return sum(line.match.decided for line in self.tables)

    @property
    def waits(self) -> str:
        """How many tables the present round waits for: "Waits for 3 tables of 7."."""
        if self.clock is None or self.resting:
            return ""
        left = self.clock.tables - self.clock.finished
        return f"Waits for {event_words.plural(left, 'table')} of {self.clock.tables}."

    @property
    def looking_back(self) -> bool:
        """Whether an earlier round is shown, which a new round does not replace."""
        return bool(self.rounds) and self.shown != self.rounds[-1]


def read(event: Event, by: Player, now: datetime, number: int | None = None) -> ManagePage:
    """Read the values of the director's page; shows the latest round if `number` is not drawn."""
    rounds = list(event.played_rounds.order_by("number"))
    latest = rounds[-1] if rounds else None
    shown = next((one for one in rounds if one.number == number), latest)
    entries = entries_at(event)
    teams = teams_of([*entries, *event_rows.fillers_of(event)])
    present = _tables(event, latest, teams, by, now)
    playing = [line.match for line in present] if latest and latest.over is None else []
    inside = sum(entry.state in PLACED for entry in entries)
    counted = len(entries) if event.started else inside
    qualified = sum(entry.qualified is not None for entry in entries)
    own = conflicts_of_interest.current_match(event, by)
    lone = conflicts_of_interest.is_only_director(event, by)
    sitting_out = SitOut.objects.filter(round=shown).order_by("entry") if shown else ()
    latest_notices = event.notices.select_related("by")[:MAX_LINES]
    days = groupby(latest_notices, key=lambda line: line.at.astimezone(event.club.zone).date())
    if event.paused is not None:
        tag = PAUSED
    elif event.final_at is not None:
        tag = event_words.provisional(event)
    elif missed_start(event, now):
        tag = event_words.MISSED
    else:
        tag = event_words.TAGS[Event.State(event.state)]
    return ManagePage(
        event=event,
        now=now,
        tag=tag,
        calls=tuple(director_calls.calling(event)) if event.state == Event.State.RUNNING else (),
        facts=tuple(event_words.facts(event, counted, qualified)),
        clock=clock_of(event, rounds, [line.match for line in present], now),
        rounds=tuple(one.number for one in rounds),
        shown=shown.number if shown else None,
        tables=present if shown == latest else _tables(event, shown, teams, by, now),
        sit_outs=tuple(teams[line.entry_id] for line in sitting_out),
        desk=desk_of(
            event, entries, teams, playing, now, kept=conflicts_of_interest.why_not_out(event, by)
        ),
        record=tuple((day, tuple(lines)) for day, lines in days),
        earlier=max(0, event.notices.count() - MAX_LINES),
        free=0 if event.started or event.ended else max(0, event.capacity - inside),
        no_time=conflicts_of_interest.why_no_time(event, by, own) if own else "",
        no_end=conflicts_of_interest.why_no_end(event, by) or ending.too_early(event, now)
        if event.final_at
        else "",
        no_result=_no_result(event, shown, by),
        lone=lone,
        enters=lone
        and event.started is None
        and conflicts_of_interest.own_entries(event, by).filter(state__in=COMPLETE).exists(),
        round_acts=tuple(
            act.offer(event, latest) for act in ACTS.values() if isinstance(act, RoundAct)
        )
        if latest and shown == latest and event.state == Event.State.RUNNING
        else (),
    )


def _no_result(event: Event, shown: Round | None, by: Player) -> str:
    mine = Pairing.objects.filter(round=shown, entries__entry__players__player=by)
    match = mine.select_related("round").first() if shown else None
    if match is None or not correcting.can_be_set(event, decided=match.decided is not None):
        return ""
    return conflicts_of_interest.why_no_result(event, by, match)


def match_at(event: Event, number: int, table: int) -> tuple[Pairing, MatchLine] | None:
    """Return a match by round and table, and as pages show it; None if there is none."""
    pairings = Pairing.objects.filter(round__event=event, round__number=number, number=table)
    pairing = pairings.select_related("round__event").first()
    if pairing is None:
        return None
    teams = teams_drawn(event)
    (match,) = matches_of(event, pairings, teams)
    return pairing, match


# The tables --------------------------------------------------------------------------------


def table_at(event: Event, number: int, by: Player, now: datetime) -> DirectedTable | None:
    """Return a table of the latest round as the page shows it; None if there is none."""
    latest = event.played_rounds.order_by("-number").first()
    found = _tables(event, latest, teams_drawn(event), by, now, number=number)
    return found[0] if found else None


def _tables(
    event: Event,
    shown: Round | None,
    teams: Mapping[int, Team],
    by: Player,
    now: datetime,
    *,
    number: int | None = None,
) -> tuple[DirectedTable, ...]:
    """Return the tables of a round, or the one with a number."""
    if shown is None:
        return ()
    rows = Pairing.objects.filter(round=shown)
    matches = matches_of(event, rows if number is None else rows.filter(number=number), teams)
    called = [
        one.pairing.table_id
        for one in matches
        if one.pairing.state == Pairing.State.CALLED and one.pairing.table_id
    ]
    running = event.state == Event.State.RUNNING
    awaited = reserved.awaited(called) if running else {}
    late = now >= no_show_at(event, shown)
    states = card_page.states_of(event, [one.pairing for one in matches]) if running else {}
    tables = []
    for match in matches:
        people = [person for side in match.sides for person in side.team.people]
        awaits = awaited.get(match.pairing.table_id or 0, set())
        missing = tuple(person.name for person in people if person.pk in awaits)
        own = any(person.pk == by.pk for person in people)
        correctable = correcting.can_be_set(event, decided=match.decided)
        movable = running and not (own or match.decided) and _movable(event, match)
        card = states.get(match.pairing.pk)
        disputed = card is not None and card.card.disputed is not None
        alarm = (late and bool(missing)) or disputed
        acts = _acts(event, match, card, movable=movable) if running and not own else ()
        timed = running and not own and not table_time.why_not(match.pairing)
        tables.append(DirectedTable(match, missing, alarm, own, correctable, timed, acts, card))
    return tuple(tables)


def _acts(
    event: Event, match: MatchLine, card: CardState | None, *, movable: bool
) -> tuple[Offer, ...]:
    written = card is not None and card.card.lines > 0
    offers = (
        act.offer(event, match.pairing, written=written, movable=movable)
        for act in ACTS.values()
        if isinstance(act, TableAct)
    )
    return tuple(filter(None, offers))


def _movable(event: Event, match: MatchLine) -> bool:
    """Return whether an undecided match can be moved to the room, or out of it."""
    if match.pairing.in_room:
        return True
    people = (person for side in match.sides for person in side.team.people)
    begun = match.pairing.state != Pairing.State.CALLED
    return not (begun or event.first_stage.duplicate or any(person.house for person in people))


# The entries -------------------------------------------------------------------------------


def entries_at(event: Event) -> list[Entry]:
    """Return all who started; before the start, all entries as the desk lists them."""
    if event.started is not None:
        entries = event_rows.entries_of(event)
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
    """Return the desk; `entries` as for `entries_at`, `matches` of the round being played."""
    tables = {
        entry: f"Table {match.pairing.number}" for match in matches for entry in match.entries
    }
    idle = "Does not play in this round" if tables else ""
    where = {entry.pk: tables.get(entry.pk, idle) for entry in entries}
    placed = [entry for entry in entries if entry.state in PLACED]
    return Desk(
        tuple(_line(event, entry, teams[entry.pk], where, kept) for entry in entries),
        event.state in UPCOMING and checking_in(event, now),
        sum(entry.state == Entry.State.CHECKED_IN for entry in placed),
        len(placed),
    )


def _line(
    event: Event,
    entry: Entry,
    team: Team,
    where: Mapping[int, str],
    kept: Mapping[int, str],
) -> DirectedEntry:
    state = Entry.State(entry.state)
    running = event.state == Event.State.RUNNING
    gone = state == Entry.State.WITHDRAWN
    able = COMPLETE + INCOMPLETE if event.state in UPCOMING else PLACED if running else ()
    return DirectedEntry(
        entry=entry,
        team=team,
        state="" if event.started and not gone else state.label,
        tone=TONES.get(state, ""),
        where="" if gone else where[entry.pk],
        out=state in able and entry.pk not in kept,
        back=gone and (running or event.state in UPCOMING),
        kept=kept.get(entry.pk, "") if state in able else "",
    )
