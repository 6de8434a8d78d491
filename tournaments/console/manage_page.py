"""The values that the director's page shows, read in a constant number of queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db.models import Count, Max, Q, QuerySet

from games.models import Player
from games.seats import reserved
from tournaments.acts import correcting, log, table_time
from tournaments.acts.base import Offer, RoundAct, TableAct
from tournaments.acts.log import ActLine
from tournaments.acts.registry import ACTS
from tournaments.console import changed_tables
from tournaments.console.changed_tables import Table, digest
from tournaments.events import director_calls, ending, event_words
from tournaments.events.event_words import Tag
from tournaments.events.states import UPCOMING
from tournaments.events.timetable import checking_in, missed_start
from tournaments.models import Entry, Event, Pairing, Round, SitOut
from tournaments.models.entries import COMPLETE, PLACED
from tournaments.results import event_rows
from tournaments.results.match_lines import MatchLine, Team, matches_of, teams_drawn, teams_of
from tournaments.results.round_steps import RoundClock, clock_of
from tournaments.room_scores import card_page
from tournaments.room_scores.card_page import CardState
from tournaments.room_scores.cards import Signature
from tournaments.room_scores.writing import side_words
from tournaments.running.round_tables import no_show_at
from tournaments.standings import conflicts_of_interest, filling_tables

#: How many acts the page lists.
MAX_ACTS = 8
#: More tables than this have a line each, and only those that have changed are read again.
MANY = 20

#: The rank of a table that is late, among those that want a director; worse ones have more.
LATE = 2
#: After this time a table whose second side has not signed wants a director, too.
SIGNING = timedelta(minutes=2)

PAUSED = Tag("Paused", "warn", "pause")


@dataclass(frozen=True, slots=True)
class DirectedTable:
    """A table of the round shown; `own` says whether the director plays there.

    `timed`: whether it can be given more time in one press. `acts`: what else can be done, read if
    it is `opened`. `card`: how far its score card is, of an undecided table in the room. `stamp`
    changes with its line, `state` with how far it is, if there are many; else they are empty.
    """

    match: MatchLine
    missing: tuple[str, ...]
    late: bool
    own: bool
    correctable: bool
    timed: bool = False
    acts: tuple[Offer, ...] = ()
    card: CardState | None = None
    opened: bool = False
    stamp: str = ""
    state: str = ""

    @property
    def key(self) -> str:
        return f"table-{self.match.pairing.number}"

    @property
    def many(self) -> bool:
        """Whether it has only a line, among many tables."""
        return bool(self.stamp)

    @property
    def at(self) -> str:
        """The id of how far it is, which is sent alone if nothing else of its line has changed."""
        return f"at-{self.match.pairing.number}"

    @property
    def at_attributes(self) -> str:
        rank, _words = self.trouble
        tone = "done" if self.match.decided else "bad" if rank > LATE else "warn" if rank else ""
        winner = next((n for n, side in enumerate(self.match.sides) if side.won), "")
        return f' class="at {tone}" data-won="{winner}"'

    @property
    def attributes(self) -> str:
        """The attributes of its element in the list."""
        kind = "tab" if self.many else "alarm" if self.late else ""
        shown = f' class="{kind}"' if kind else ""
        return f"{shown} data-open" if self.opened else shown

    @property
    def trouble(self) -> tuple[int, str]:
        """How much it wants a director, and why in a few words; (0, "") if it does not."""
        if self.card is not None and self.card.card.disputed is not None:
            return 4, "disputed"
        if self.late:
            nobody = len(self.missing) == sum(len(one.team.people) for one in self.match.sides)
            return (3, "nobody came") if nobody else (LATE, "late")
        if self.card is not None and self.card.card.signer is not None:
            return 1, f"waits for {self.card.waits_for}"
        return 0, ""

    @property
    def signed(self) -> tuple[str, Signature | None, str]:
        """Of a disputed table: the side that signed its score, its signature, and the other."""
        card = self.card.card if self.card else None
        side = 1 - card.disputed.side if card and card.disputed else 0
        names = [side_words(self.match.pairing.round.event, one).capitalize() for one in (0, 1)]
        return names[side], card.signed.get(side) if card else None, names[1 - side]

    @property
    def without(self) -> str:
        """The score without the disputed hand; empty if none was named, or in several games."""
        card = self.card.card if self.card else None
        hand = card.hands.get(card.disputed.hand) if card and card.disputed else None
        if card is None or hand is None or len(card.scores) > 1:
            return ""
        took = [hand.points if hand.scored == side else 0 for side in (0, 1)]
        return "–".join(str(points - off) for points, off in zip(card.points, took, strict=True))

    @property
    def status(self) -> str:
        """How far it is, in a word or two."""
        if self.match.decided:
            return "Done" if self.match.pairing.how == Pairing.How.PLAYED else self.match.words
        _rank, words = self.trouble
        words = words or (self.card.brief if self.card else self.match.words)
        return f"{words[:1].upper()}{words[1:]}"

    @property
    def points(self) -> tuple[str, str]:
        """What each side has: of a table in the room that goes on, by its score card."""
        first, second = (side.count for side in self.match.sides)
        if self.card is None or not self.card.card.written:
            return first, second
        disputed = self.card.card.disputed is not None
        return ("?", "?") if disputed else tuple(str(one) for one in self.card.card.shown)  # type: ignore[return-value]

    @property
    def waits(self) -> str:
        if not self.missing:
            return ""
        *most, last = self.missing
        names = f"{', '.join(most)} and {last}" if most else last
        return f"Waits for {names}"


@dataclass(frozen=True, slots=True)
class ManagePage:
    """An event as its director sees it.

    `tables` and `sit_outs` are of the round `shown`. `placed`: before the start, the entries with a
    place; `due`: how many have or had one; `here`: how many have checked in. `acts` are the latest
    of `acted`, `acts_stamp` changes with them. `round_acts`: what can be done with that round.
    `no_time`, `no_end` and `no_result` are reasons why a director who plays leaves these decisions
    to others; else empty.
    `lone`: whether nobody else directs, `enters`: and they have entered, before it starts.
    `states`: of all tables of the round shown. `structure`: changes when other parts than those on
    an open page are needed. `partly`: only the tables that have changed, or want a director, were
    read. `busy`: as for `read`.
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
    placed: Sequence[Entry]
    due: int
    here: int
    acts: Sequence[ActLine]
    acted: int
    acts_stamp: str
    free: int
    no_time: str
    no_end: str
    no_result: str
    lone: bool
    enters: bool
    round_acts: tuple[Offer, ...] = ()
    states: Mapping[int, Table] = field(default_factory=dict)
    structure: str = ""
    partly: bool = False
    busy: int | None = None

    @property
    def meanwhile(self) -> str:
        return f"meanwhile-{self.busy}"

    @property
    def many(self) -> bool:
        return len(self.states) > MANY

    @property
    def wanting(self) -> list[DirectedTable]:
        """The tables that want a director, worst first."""
        if not self.running or self.looking_back:
            return []
        long_ago = self.now - SIGNING
        wanting = [
            line
            for line in self.tables
            if line.trouble[0] >= LATE
            or (line.card and line.card.card.signer and line.card.card.signer.at <= long_ago)
        ]
        return sorted(wanting, key=lambda line: -line.trouble[0])

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
        return filling_tables.in_words(self.event, self.placed)

    @property
    def checking_in(self) -> bool:
        return self.upcoming and checking_in(self.event, self.now)

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
        return sum(one.decided for one in self.states.values())

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


def read(
    event: Event,
    by: Player,
    now: datetime,
    number: int | None = None,
    *,
    opened: int | None = None,
    known: Mapping[str, str] | None = None,
    busy: int | None = None,
) -> ManagePage:
    """Read the values of the director's page; shows the latest round if `number` is not drawn.

    opened: the table whose acts are read. known: the stamps of the parts that an open page has; of
    many tables only those with others are read, unless its structure has changed. busy: the table
    at which a form is being filled in on that page, so that it is only told of a change.
    """
    rounds = list(event.played_rounds.order_by("number"))
    latest = rounds[-1] if rounds else None
    shown = next((one for one in rounds if one.number == number), latest)
    numbers = Pairing.objects.filter(round=shown).values_list("number", "state")
    states = {at: Table("", "", state == Pairing.State.DECIDED, False) for at, state in numbers}
    if shown and len(states) > MANY:
        states = changed_tables.tables_of(event, shown, now)
    sitting_out = list(SitOut.objects.filter(round=shown).order_by("entry")) if shown else []
    many = len(states) > MANY
    drawn = [one.pk for one in rounds]
    structure = digest(
        event.state, event.ended, shown and shown.pk, drawn, many, len(states), len(sitting_out)
    )
    partly = many and known is not None and known.get("now") == structure
    wanted = [
        at
        for at, table in states.items()
        if not (partly and known) or table.wants or table.differs(at, known, opened=at == opened)
    ]
    pairings = Pairing.objects.filter(round=shown, number__in=wanted)
    seated = Q(pairings__pairing__in=pairings) | Q(sit_outs__round=shown)
    teams = teams_of(event_rows.with_players(event.entries.filter(seated).distinct()))
    tables = _tables(event, shown, pairings, teams, by=by, now=now, opened=opened, states=states)
    decided = [one.decided for one in states.values()]
    if shown != latest:
        at_present = Pairing.objects.filter(round=latest).values_list("state", flat=True)
        decided = [state == Pairing.State.DECIDED for state in at_present]
    started = event.entries.filter(seed__isnull=False)
    counts = started.aggregate(entries=Count("pk"), qualified=Count("qualified"))
    waiting = event.entries.filter(state__in=PLACED).order_by("arrival")
    placed = [] if event.started else list(event_rows.with_players(waiting))
    counted = counts["entries"] if event.started else len(placed)
    own = conflicts_of_interest.current_match(event, by)
    lone = conflicts_of_interest.is_only_director(event, by)
    made = log.rows_of(event).aggregate(count=Count("pk"), last=Max("pk"))
    acts_stamp = _stamp(event, made, sum(decided), structure)
    acts = [] if known and known.get("console-log") == acts_stamp else log.rows_of(event)[:MAX_ACTS]
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
        facts=tuple(event_words.facts(event, counted, counts["qualified"])),
        clock=clock_of(event, rounds, decided, now),
        rounds=tuple(one.number for one in rounds),
        shown=shown.number if shown else None,
        tables=tables,
        sit_outs=tuple(teams[line.entry_id] for line in sitting_out),
        placed=placed,
        due=counted,
        here=sum(entry.state == Entry.State.CHECKED_IN for entry in placed),
        acts=log.lines_of(event, acts, by, now) if acts else (),
        acted=made["count"],
        acts_stamp=acts_stamp,
        free=0 if event.started or event.ended else max(0, event.capacity - counted),
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
        states=states,
        structure=structure,
        partly=partly,
        busy=busy,
    )


def _stamp(event: Event, *parts: object) -> str:
    """Return what changes with the acts and, by results and entries, with what can be undone."""
    by_state = event.entries.order_by("state").values_list("state")
    return digest(list(by_state.annotate(Count("pk"), Count("paid"))), *parts)


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


def _tables(
    event: Event,
    shown: Round | None,
    rows: QuerySet[Pairing],
    teams: Mapping[int, Team],
    *,
    by: Player,
    now: datetime,
    opened: int | None,
    states: Mapping[int, Table],
) -> tuple[DirectedTable, ...]:
    """Return these tables of a round; opened: the one whose acts are read."""
    if shown is None:
        return ()
    matches = matches_of(event, rows, teams)
    called = [
        one.pairing.table_id
        for one in matches
        if one.pairing.state == Pairing.State.CALLED and one.pairing.table_id
    ]
    running = event.state == Event.State.RUNNING
    awaited = reserved.awaited(called) if running else {}
    late = now >= no_show_at(event, shown)
    cards = card_page.states_of(event, [one.pairing for one in matches]) if running else {}
    many = len(states) > MANY
    tables = []
    for match in matches:
        people = [person for side in match.sides for person in side.team.people]
        awaits = awaited.get(match.pairing.table_id or 0, set())
        missing = tuple(person.name for person in people if person.pk in awaits)
        own = any(person.pk == by.pk for person in people)
        number = match.pairing.number
        open_now = number == opened
        correctable = correcting.can_be_set(event, decided=match.decided)
        card = cards.get(match.pairing.pk)
        disputed = card is not None and card.card.disputed is not None
        acts: tuple[Offer, ...] = ()
        if open_now and running and not own:
            acts = _acts(event, match, card, movable=not match.decided and _movable(event, match))
        tables.append(
            DirectedTable(
                match,
                missing,
                (late and bool(missing)) or disputed,
                own,
                correctable,
                running and not own and not table_time.why_not(match.pairing),
                acts,
                card,
                open_now,
                states[number].stamp_of(opened=open_now) if many else "",
                states[number].state if many else "",
            )
        )
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
