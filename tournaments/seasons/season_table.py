"""The table of a season: points, places and ties, computed from the results on every read."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import pairwise, zip_longest
from types import MappingProxyType
from typing import Final, NamedTuple

from django.db.models import (
    BooleanField,
    Case,
    Count,
    Exists,
    ExpressionWrapper,
    F,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Sum,
    When,
    prefetch_related_objects,
)
from django.utils.timezone import localtime

from games.models import Player
from games.records import game_lists
from tournaments.models import (
    Club,
    Entry,
    EntryPlayer,
    Event,
    Pairing,
    PairingEntry,
    Season,
    SitOut,
)
from tournaments.models.entries import OUT
from tournaments.seasons.rule import TIE_WORDS, Evening, Rule, SeasonTie, rule_of
from tournaments.seasons.seasons import events_of
from tournaments.standings.winners import Placed, outcome

LAST: Final = 10**6  # behind every place


class HeldEvening(NamedTuple):
    """A column of a season table: a finished event, its local day and how many people played.

    `number` counts the evenings of the season from 1.
    """

    number: int
    event: int
    name: str
    day: date
    players: int


class EveningPoints(NamedTuple):
    """A player's points of an evening; `counts`: whether it is one of the best that count."""

    points: int
    place: int
    counts: bool


@dataclass(frozen=True, slots=True)
class SeasonRow:
    """A line of a season table; the place is shared by those whom no tie-break separates.

    `evenings` are by event. House entries are not counted where they win no prizes: `best` and
    `average` are places among those who can win; 0 if the player has not played.
    """

    place: int
    player: Player
    events: int
    wins: int
    points: int
    best: int
    average: float
    matches: int
    scored: int
    evenings: Mapping[int, EveningPoints]
    partner: Player | None = None

    @property
    def people(self) -> tuple[Player, ...]:
        return (self.player, self.partner) if self.partner else (self.player,)

    @property
    def name(self) -> str:
        return " & ".join(one.name for one in self.people)


@dataclass(frozen=True, slots=True)
class SeasonSheet:
    """A season table with the points of each evening; `ties` says how each tie was broken."""

    evenings: Sequence[HeldEvening]
    lines: Sequence[SeasonRow]
    ties: Sequence[str]


@dataclass(slots=True)
class Held:
    """An event as read for season tables: entries with a place, and the listed people of each.

    `all_places` are those of all its entries.
    """

    head: HeldEvening
    house_prizes: bool
    entries: dict[Placed, list[int]]
    all_places: list[int]


class EntryMatches(NamedTuple):
    """An entry's matches won, points scored in its matches, and rounds sat out."""

    matches: int
    scored: int
    sat_out: int


def table(club: Club, season: Season) -> list[SeasonRow]:
    """Return the season table, from the finished events of `events_of`, in at most five queries."""
    return [*sheet(club, season).lines]


def sheet(club: Club, season: Season) -> SeasonSheet:
    """Return the season table with each evening's points."""
    return SeasonResults.of(club, season).sheet()


@dataclass(frozen=True, slots=True)
class SeasonResults:
    """What a season's tables are added up from; `played`: matches by entry, where needed.

    `pairs`: where pairs have the lines, the partner of the player who stands for both.
    """

    rule: Rule
    events: Sequence[Held]
    played: Mapping[int, EntryMatches]
    pairs: Mapping[int, Player] = field(default_factory=dict)

    @classmethod
    def of(cls, club: Club, season: Season) -> "SeasonResults":
        """Read the results of a season, in at most four queries."""
        events = events_of(club, season)
        rule = rule_of(season)
        matches = played(events) if rule.needs_matches else {}
        return cls(rule, read_events(club, events), matches, pairs_of(season))

    @property
    def players(self) -> set[int]:
        """Everybody who has a line in the table of all."""
        return {who for held in self.events for people in held.entries.values() for who in people}

    def sheet(self) -> SeasonSheet:
        """Return the table of all who played, in one query."""
        everybody = game_lists.people(self.players | {*self.pairs})
        return add_up(self.rule, self.events, self.played, everybody, self.pairs)

    def among(self, players: Mapping[int, Player]) -> SeasonSheet:
        """Return the table of these players, as if nobody else had played.

        They have a line even if they have not played; evenings without any of them are left out.
        The partner of each of them belongs to them. Takes a query where one of a pair is missing.
        """
        partners = {one.pk: one for who, one in self.pairs.items() if who in players}
        alone = {who for who, one in self.pairs.items() if one.pk in players} - players.keys()
        players = {**players, **partners, **(game_lists.people(alone) if alone else {})}
        events = []
        for held in self.events:
            entries = {
                placed: [who for who in people if who in players]
                for placed, people in held.entries.items()
            }
            theirs = {placed: people for placed, people in entries.items() if people}
            if theirs:
                events.append(replace(held, entries=theirs))
        return add_up(self.rule, events, self.played, players, self.pairs)


def pairs_of(season: Season) -> dict[int, Player]:
    """Return the pairs of a season in which pairs have the lines, by the first player."""
    if not season.pk or season.line != Season.Line.PAIR:
        return {}
    prefetch_related_objects([season], "teams__players__player")
    teams = ([one.player for one in team.players.all()] for team in season.teams.all())
    return {people[0].pk: people[1] for people in teams if people[1:]}


def read_events(club: Club, events: QuerySet[Event]) -> list[Held]:
    """Read what season tables count, in order of start, in one query.

    House players are listed only if they are members, and nobody who never came to a table.
    """
    house = Q(player__kind=Player.Kind.HOUSE)
    listed = ~house | Exists(club.memberships.filter(player=OuterRef("player")))
    rows = (
        EntryPlayer.objects.filter(event__in=events, entry__place__isnull=False)
        .annotate(listed=ExpressionWrapper(listed, output_field=BooleanField()))
        .order_by("event__starts", "event", "entry", "position")
        .values_list(
            *("event", "event__name", "event__starts", "event__house_prizes", "entry"),
            *("entry__place", "entry__house", "entry__state", "listed", "player"),
            "player__kind",
        )
    )
    found: dict[int, Held] = {}
    for event, name, starts, prizes, entry, place, filled, state, has_line, player, kind in rows:
        if event not in found:
            day = localtime(starts, club.zone).date()
            head = HeldEvening(len(found) + 1, event, name, day, 0)
            found[event] = Held(head, prizes, {}, [])
        held = found[event]
        placed = Placed(entry, place or 0, filled, state if state in OUT else "")
        if placed not in held.entries:
            held.all_places.append(placed.place)
        shown = held.entries.setdefault(placed, [])
        if state == Entry.State.NO_SHOW:
            continue
        if has_line:
            shown.append(player)
        if kind != Player.Kind.HOUSE:
            held.head = held.head._replace(players=held.head.players + 1)
    return [*found.values()]


def add_up(
    rule: Rule,
    events: Sequence[Held],
    played: Mapping[int, EntryMatches],
    players: Mapping[int, Player],
    pairs: Mapping[int, Player] = MappingProxyType({}),
) -> SeasonSheet:
    """Return the season table of these events, with a line for each of the players.

    played: the matches by entry, where needed. pairs: as in `SeasonResults`; one of the two is
    enough for the line to have the evening, so that a substitute keeps its points, and where both
    played apart the better one counts.
    """
    first = {other.pk: who for who, other in pairs.items() if who in players}
    results: dict[int, list[Evening]] = {who: [] for who in players if who not in first}
    for held in events:
        ended = outcome(held.entries, house_prizes=held.house_prizes, all_places=held.all_places)
        places = sorted(placed.place for placed in held.entries if placed.entry in ended.counted)
        for placed, people in held.entries.items():
            prize = ended.places.get(placed.entry)
            evening = Evening(
                held.head.event,
                prize or placed.place,
                len(places) - bisect_right(places, placed.place),
                prize == 1,
                *played.get(placed.entry, ()),
            )
            for one in dict.fromkeys(first.get(one, one) for one in people):
                apart = [had for had in results[one][-1:] if had.event == evening.event]
                if not apart or rule.points(apart[0]) < rule.points(evening):
                    results[one][len(results[one]) - len(apart) :] = [evening]
    lines = [_line(rule, players[who], mine, pairs.get(who)) for who, mine in results.items()]
    lines.sort(key=lambda line: line.name.casefold())
    lines.sort(key=lambda line: _order(rule, line), reverse=True)
    # Equal lines share a place.
    shared = {_order(rule, line): number for number, line in reversed([*enumerate(lines, 1)])}
    ranked = [replace(line, place=shared[_order(rule, line)]) for line in lines]
    # How each two neighbours with equal points are ordered.
    ties = [
        _tie(rule, one, next_) for one, next_ in pairwise(ranked) if one.points == next_.points > 0
    ]
    return SeasonSheet([held.head for held in events], ranked, ties)


def _line(rule: Rule, player: Player, mine: Sequence[Evening], partner: Player | None) -> SeasonRow:
    points = [rule.points(evening) for evening in mine]
    counted = rule.counted(points)
    return SeasonRow(
        place=0,
        player=player,
        events=len(mine),
        wins=sum(evening.won for evening in mine),
        points=sum(points[at] for at in counted),
        best=min((evening.place for evening in mine), default=0),
        average=sum(evening.place for evening in mine) / max(1, len(mine)),
        matches=sum(evening.matches for evening in mine),
        scored=sum(evening.scored for evening in mine),
        evenings={
            evening.event: EveningPoints(points[at], evening.place, at in counted)
            for at, evening in enumerate(mine)
        },
        partner=partner,
    )


def _tie_values(tie: SeasonTie, line: SeasonRow) -> tuple[int, ...]:
    """Return what a tie-break compares, the most important first; more is better."""
    match tie:
        case SeasonTie.WINS:
            return (line.wins,)
        case SeasonTie.EVENINGS:
            best = sorted((evening.points for evening in line.evenings.values()), reverse=True)
            return tuple(points for points in best if points)
        case SeasonTie.PLACE:
            return (-(line.best or LAST),)
        case SeasonTie.MATCHES:
            return (line.matches,)
        case SeasonTie.SCORED:
            return (line.scored,)
        case SeasonTie.ATTENDED:
            return (line.events,)


def _order(rule: Rule, line: SeasonRow) -> tuple[tuple[int, ...], ...]:
    return ((line.points,), *(_tie_values(tie, line) for tie in rule.ties))


def _tie(rule: Rule, first: SeasonRow, second: SeasonRow) -> str:
    names = f"{first.name} and {second.name}"
    for tie in rule.ties:
        values = zip_longest(_tie_values(tie, first), _tie_values(tie, second), fillvalue=0)
        for more, less in values:
            if more != less:
                what = "the best nights" if tie == SeasonTie.EVENINGS else TIE_WORDS[tie]
                return (
                    f"{names} have {first.points} each: {first.name} is ahead by {what}, "
                    f"{abs(more)} to {abs(less)}."
                )
    return f"{names} have {first.points} each and share place {first.place}."


def played(events: QuerySet[Event]) -> dict[int, EntryMatches]:
    """Return the matches of these events by entry, in two queries; the points are as played."""
    own = Case(
        When(side=0, then=F("pairing__points_0")),
        default=F("pairing__points_1"),
        output_field=IntegerField(),
    )
    as_played = Q(pairing__how=Pairing.How.FORFEIT) | Q(
        pairing__handicap_0=0, pairing__handicap_1=0
    )
    ahead = Q(
        side=0,
        pairing__points_0__gt=F("pairing__points_1")
        + F("pairing__handicap_1")
        - F("pairing__handicap_0"),
    ) | Q(
        side=1,
        pairing__points_1__gt=F("pairing__points_0")
        + F("pairing__handicap_0")
        - F("pairing__handicap_1"),
    )
    drawn = PairingEntry.objects.filter(
        entry__event__in=events, pairing__state=Pairing.State.DECIDED
    )
    sums = drawn.order_by().values("entry")
    won = sums.annotate(
        won=Count("pk", filter=(as_played & Q(pairing__winner=F("side"))) | (~as_played & ahead)),
        scored=Sum(own),
    )
    idle = SitOut.objects.filter(entry__event__in=events).order_by().values("entry")
    sat_out = dict(idle.annotate(rounds=Count("pk")).values_list("entry", "rounds"))
    found = {
        entry: EntryMatches(matches, scored, 0)
        for entry, matches, scored in won.values_list("entry", "won", "scored")
    }
    for entry, rounds in sat_out.items():
        found[entry] = found.get(entry, EntryMatches(0, 0, 0))._replace(sat_out=rounds)
    return found
