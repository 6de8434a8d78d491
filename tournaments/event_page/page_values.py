"""The values that an event's page shows, read in a constant number of queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import groupby
from operator import attrgetter

from games.models import Player
from tournaments.entering import places_and_waiting_list
from tournaments.event_page.bracket_lines import Bracket, bracket_of
from tournaments.event_page.story import story_of
from tournaments.events import director_messages, ending, event_words
from tournaments.events.event_words import Tag
from tournaments.events.states import UPCOMING
from tournaments.events.timetable import missed_start
from tournaments.formats.meetings import Repeats, meetings, played
from tournaments.models import Act, Entry, Event, Notice, Pairing, Round, SitOut
from tournaments.results import place_owners
from tournaments.results.corrections import CorrectionLine, history_of
from tournaments.results.match_lines import (
    MatchLine,
    Team,
    matches_of,
    past_seats,
    teams_at,
    teams_drawn,
    teams_of,
    together,
)
from tournaments.results.round_steps import RoundClock, RoundStep, clock_of, clock_words, steps_of
from tournaments.standings import draws, ranking
from tournaments.standings.draws import EventField
from tournaments.standings.standing_lines import StandingTable, table_of
from tournaments.standings.winners import NO_OUTCOME, PrizeOutcome, ordinal

#: How many of the director's latest messages the page shows.
MAX_NOTICES = 8


@dataclass(frozen=True, slots=True)
class RoundTables:
    """A round with its matches by table and its sit-outs. bye: whether sit-outs are called byes."""

    number: int
    over: bool
    matches: tuple[MatchLine, ...]
    sit_outs: tuple[Team, ...]
    bye: bool

    @property
    def idle(self) -> str:
        """The word before the sit-outs."""
        if self.bye:
            return "Bye"
        return "Sits out" if len(self.sit_outs) == 1 else "Sit out"


@dataclass(frozen=True, slots=True)
class Prize:
    place: int
    teams: tuple[tuple[Player, ...], ...]
    entrants: str

    @property
    def words(self) -> str:
        return f"{ordinal(self.place)} of {self.entrants}"


@dataclass(frozen=True, slots=True)
class EventPage:
    """An event as its page shows it.

    `rounds` has the present round, or all of a finished event. `clock` is also that of the break
    after a round. `standings` are those after the last round that is over. `repeats` are the
    players whom a rotation has brought together again. Notices and corrections begin with the
    latest. `codes` are those of tables in the room, for the players who sit there.
    """

    event: Event
    now: datetime
    tag: Tag
    facts: tuple[str, ...]
    teams: Mapping[int, Team]
    entries: Mapping[int, Entry]
    rounds: tuple[RoundTables, ...] = ()
    total: int | None = None
    steps: tuple[RoundStep, ...] = ()
    clock: RoundClock | None = None
    standings: StandingTable | None = None
    bracket: Bracket | None = None
    notices: tuple[Notice, ...] = ()
    prizes: tuple[Prize, ...] = ()
    repeats: Repeats | None = None
    corrections: tuple[CorrectionLine, ...] = ()
    outcome: PrizeOutcome = NO_OUTCOME
    codes: Mapping[int, str] = field(default_factory=dict)
    table_messages: Mapping[int, Act] = field(default_factory=dict)
    story: tuple[str, ...] = ()
    objection: str = ""
    objections_until: datetime | None = None

    @property
    def phase(self) -> str:
        """The kind of page: "coming" before the start, else the event's state."""
        return "coming" if self.event.state in UPCOMING else self.event.state

    @property
    def past_midnight(self) -> bool:
        """Whether it ended on another day than it began, in the club's time zone."""
        began, ended, zone = self.event.started, self.event.ended, self.event.club.zone
        if began is None or ended is None:
            return False
        return began.astimezone(zone).date() != ended.astimezone(zone).date()

    @property
    def running(self) -> bool:
        return self.event.state == Event.State.RUNNING

    @property
    def finished(self) -> bool:
        return self.event.state == Event.State.FINISHED

    @property
    def present(self) -> RoundTables | None:
        """The present round, or the last one."""
        return self.rounds[-1] if self.rounds else None

    @property
    def liveliest(self) -> MatchLine | None:
        """The table of the present round with the most play so far."""
        tables = self.present.matches if self.present else ()
        playing = [match for match in tables if not match.decided and match.games]
        return max(
            playing, key=lambda match: (len(match.games), match.games[-1].hand), default=None
        )

    @property
    def missed(self) -> bool:
        return missed_start(self.event, self.now)

    @property
    def all_played(self) -> str:
        if self.event.paused is not None:
            return "The event is paused. Results can still be corrected."
        return f"{self.tag.words}. Until then a director can correct results."

    @property
    def leader(self) -> str:
        """Who is first while results can be corrected, or why nobody is."""
        names = " and ".join(self.teams[entry].name for entry in self.outcome.first)
        if not names:
            return self.outcome.unwon
        if len(self.outcome.first) > 1:
            return f"{names} share the first place"
        pair = len(self.teams[self.outcome.first[0]].people) > 1
        return f"{names} {'are' if pair else 'is'} first of {self.outcome.entrants_in_words}"

    @property
    def until_start(self) -> str:
        """The time until it starts: "3 days", "1:05:00"."""
        left = max(timedelta(), self.event.starts - self.now)
        return f"{left.days} days" if left.days > 1 else clock_words(int(left.total_seconds()))

    @property
    def why_no_bracket(self) -> str:
        if self.event.knock_out is None:
            return "This event has no knock-out, and so no bracket."
        if self.event.is_knock_out:
            return "The bracket is drawn when the event starts."
        return "The bracket is drawn when the first stage is over."

    @property
    def again(self) -> list[str]:
        """Whom a rotation has brought together again, in sentences."""
        met = self.repeats or Repeats((), ())
        return [
            f"{self.teams[one].name} and {self.teams[other].name} were {what} {times} times."
            for what, pairs in (("partners", met.partners), ("opponents", met.opponents))
            for (one, other), times in pairs
        ]

    @property
    def entrant(self) -> str:
        """ "Player" or "Partnership"."""
        return event_words.entrant(self.event)


def read(event: Event, now: datetime) -> EventPage:
    if event.started is None:
        missed = missed_start(event, now)
        return EventPage(
            event=event,
            now=now,
            tag=event_words.MISSED if missed else event_words.TAGS[Event.State(event.state)],
            facts=tuple(
                event_words.facts(event, places_and_waiting_list.place_counts(event).places)
            ),
            teams={},
            entries={},
            notices=_notices(event),
        )
    field = ranking.field_of(event, unfinished=True)
    teams = teams_of([*field.entries, *field.fillers])
    rounds = list(event.played_rounds.order_by("number"))
    finished = event.state == Event.State.FINISHED
    pairings = Pairing.objects.filter(round__event=event)
    if not (finished or event.is_knock_out):
        # Only the knock-out and the present round are shown.
        needed = [one for one in rounds if one.stage == 2] or rounds[-1:]
        pairings = pairings.filter(round__in=needed)
    lines = matches_of(event, pairings, teams)
    tables = _tables(event, rounds if finished else rounds[-1:], lines, teams)
    entries, qualified = len(field.entries), len(ranking.best_of(field))
    total = event_words.total_rounds(event, entries, qualified)
    over = sum(one.over is not None for one in rounds)
    ranked, owning = ranking.ranking_of(field, over), place_owners.teams_by_owner(event, teams)
    return EventPage(
        event=event,
        now=now,
        tag=_tag(event, rounds, total),
        facts=tuple(event_words.facts(event, entries, qualified)),
        teams=teams,
        entries={entry.pk: entry for entry in field.entries},
        rounds=tables,
        total=total,
        steps=steps_of(event, rounds, total, now),
        clock=clock_of(
            event, rounds, [one.decided for one in tables[-1].matches] if tables else (), now
        ),
        standings=table_of(event, ranked, owning),
        bracket=_bracket(field, teams, lines),
        notices=_notices(event),
        prizes=_prizes(event, ranked.outcome) if finished else (),
        repeats=meetings(played(field.first)).repeats()
        if event.first_stage.reports_repeats
        else None,
        corrections=history_of(event, teams),
        outcome=ranked.outcome,
        story=story_of(event, ranked, owning),
        objection=ending.objection(event) if event.final_at else "",
        objections_until=ending.earliest(event) if event.final_at else None,
        table_messages=director_messages.at_tables([one.pairing for one in tables[-1].matches])
        if tables and event.state == Event.State.RUNNING
        else {},
        codes=dict(event.room_tables.values_list("number", "code"))
        if any(match.pairing.in_room for match in lines)
        else {},
    )


def standings_after(event: Event, after: int) -> StandingTable:
    field = ranking.field_of(event)
    teams = place_owners.teams_by_owner(event, teams_of(field.entries))
    return table_of(event, ranking.ranking_of(field, after), teams)


def round_of(event: Event, number: int) -> RoundTables | None:
    rounds = list(event.played_rounds.filter(number=number))
    teams = teams_drawn(event)
    lines = matches_of(event, Pairing.objects.filter(round__in=rounds), teams)
    return next(iter(_tables(event, rounds, lines, teams)), None)


def _tables(
    event: Event,
    rounds: Sequence[Round],
    lines: Sequence[MatchLine],
    teams: Mapping[int, Team],
) -> tuple[RoundTables, ...]:
    sit_outs: dict[int, list[Team]] = {}
    idle = list(SitOut.objects.filter(round__in=rounds).select_related("round").order_by("entry"))
    past = past_seats(event) if idle else ()
    for line in idle:
        there = teams_at(line, teams, past)
        sit_outs.setdefault(line.round_id, []).append(there[line.entry_id])
    return tuple(
        RoundTables(
            one.number,
            one.over is not None,
            tuple(match for match in lines if match.pairing.round_id == one.pk),
            tuple(sit_outs.get(one.pk, ())),
            bye=not event.individual or one.stage == 2,
        )
        for one in rounds
    )


def _bracket(
    field: EventField, teams: Mapping[int, Team], lines: Sequence[MatchLine]
) -> Bracket | None:
    event = field.event
    best = ranking.best_of(field)
    nodes = draws.nodes(field, best)
    if not nodes:
        return None
    alone = {entry: (entry,) for entry in field.starters}
    sides = alone if event.is_knock_out else draws.sides_of(event, best)
    return bracket_of(
        nodes,
        {captain: together(teams[one] for one in both) for captain, both in sides.items()},
        list(sides),
        [match for match in lines if match.pairing.round.stage == 2 or event.is_knock_out],
    )


def _tag(event: Event, rounds: Sequence[Round], total: int | None) -> Tag:
    if event.state != Event.State.RUNNING:
        return event_words.TAGS[Event.State(event.state)]
    if event.paused is not None:
        return Tag("Paused", "warn", "pause")
    if event.final_at is not None:
        return event_words.provisional(event)
    number = rounds[-1].number if rounds else 1
    known = total is not None and number <= total
    return Tag(f"Round {number} of {total}" if known else f"Round {number}", "good", "dot")


def _notices(event: Event) -> tuple[Notice, ...]:
    return tuple(event.notices.filter(public=True).select_related("by")[:MAX_NOTICES])


def _prizes(event: Event, outcome: PrizeOutcome) -> tuple[Prize, ...]:
    trophies = event.trophies.select_related("player").order_by("place", "pk")
    entry_of = dict(event.entered_players.values_list("player", "entry"))
    prizes = []
    for place, same in groupby(trophies, attrgetter("place")):
        shared = list(same)
        teams: dict[int, list[Player]] = {}
        for one in shared:
            teams.setdefault(entry_of.get(one.player_id, -one.player_id), []).append(one.player)
        prizes.append(Prize(place, tuple(map(tuple, teams.values())), outcome.entrants_in_words))
    return tuple(prizes)
