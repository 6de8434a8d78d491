"""API of events: lists, entries, rounds, results and standings."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from fractions import Fraction
from typing import Annotated, Any, Literal
from uuid import UUID

from django.shortcuts import get_object_or_404
from django.utils import timezone
from ninja import Field, Query, Router, Schema

from games.api.callers import ApiRequest
from games.api.games import GameOut, RulesRef, game_out
from games.api.values import (
    NO_CONTROLS,
    Moment,
    Page,
    PageQuery,
    PlayerRef,
    one_of,
    page_of,
    ref_of,
)
from games.models import Game, Player
from games.models.shared_deals import sealed
from games.records.outcomes import RULED
from games.seats import reserved
from tournaments.access import requested_event
from tournaments.calendar import catalogue, listing
from tournaments.calendar.listing import CountedEvent
from tournaments.entering.api import EntryOut, entry_out
from tournaments.entering.conditions import Suggestion
from tournaments.events.event_words import game_in_words
from tournaments.formats.registry import FORMATS
from tournaments.formats.tie_breaks import TieBreak
from tournaments.models import Entry, Event, Pairing
from tournaments.results import corrections, event_rows, place_owners
from tournaments.results.match_lines import (
    Team,
    past_seats,
    teams_at,
    teams_drawn,
    teams_of,
)
from tournaments.standings import ranking, winners
from tournaments.standings.ranking import standing_values

router = Router(tags=["Events"])


class EventOut(Schema):
    """An event."""

    id: int
    name: str
    about: str
    club: str = Field(description="The club’s word in addresses.")
    state: Annotated[str, one_of(Event.State.values)]
    format: Annotated[str, one_of(list(FORMATS))]
    second_stage: str = Field(description="The format of the second stage, or empty.")
    rules: RulesRef
    rounds: int | None = Field(description="How many; null where the format says it.")
    place: Annotated[str, one_of(Event.Place.values)] = Field(
        description="Where its tables are; `room` is with real cards."
    )
    venue: str = Field(description="The name of the room, or empty.")
    address: str = Field(description="Its address, or empty.")
    rated: bool
    ties: Annotated[str, one_of(Event.Ties.values)] = Field(
        description="What follows a tie outside a knock-out: it stands, or another hand decides."
    )
    team_size: int = Field(description="How many players make an entry.")
    capacity: int = Field(description="How many entries have a place.")
    entered: int = Field(description="How many entries have one now.")
    waiting: int = Field(description="How many entries wait for one.")
    suggestion: Annotated[str, one_of([one.value for one in Suggestion])] = Field(
        description="The one thing there is to do for you: `wait` is to join the waiting list."
    )
    members_only: bool
    registration_opens: datetime
    registration_closes: datetime
    check_in_minutes: int = Field(description="How long before the start; 0: no check-in.")
    starts: datetime
    started: datetime | None
    final_at: datetime | None = Field(
        description="When results become final, while all is played and they can be corrected."
    )
    ended: datetime | None
    version: int = Field(description="Advanced by every change that its page shows.")


class Side(Schema):
    """Those who play together in a match."""

    entries: list[int]
    players: list[PlayerRef]
    points: int = Field(description="Of all games together, once the match is decided.")
    games_won: int
    lone_hands: int = Field(description="Hands played alone that took all tricks.")


class MatchGame(Schema):
    """A game of a match."""

    id: UUID
    score: list[int] = Field(description="Of both sides: the points that count.")
    running: bool
    winner: int | None = Field(description="The side, 0 or 1; null for nobody.")
    ruled: Annotated[str, one_of((*RULED, ""))] = Field(
        description="How the result came about where it is not that of the table’s log; or empty."
    )
    log_score: list[int] = Field(description="The score by the table’s log.")


class MatchOut(Schema):
    """A match of a round."""

    round: int
    table: int = Field(description="Table 1 is the head table.")
    in_room: bool = Field(description="Whether it is played with real cards; it has no games then.")
    state: Annotated[str, one_of(Pairing.State.values)]
    how: Annotated[str, one_of((*Pairing.How.values, ""))] = Field(
        description="How the result came about; empty while there is none."
    )
    winner: int | None = Field(
        description="The side, 0 or 1; null for a tie or while it is not decided."
    )
    sides: list[Side] = Field(description="North and south, then east and west.")
    games: list[MatchGame]
    decided: datetime | None


class EventQuery(Schema):
    """Which events are asked for."""

    club: str = Field("", max_length=60, pattern=NO_CONTROLS, description="Only of this club.")
    state: (
        Literal[
            "announced", "registration", "check_in", "ready", "running", "finished", "cancelled"
        ]
        | None
    ) = Field(None, description="Only in this state.")
    after: Moment | None = Field(None, description="Only those that start then or later.")
    before: Moment | None = Field(None, description="Only those that start earlier.")


class RoundOut(Schema):
    """A round as drawn."""

    number: int
    stage: int = Field(description="1, or 2 for the knock-out after a first stage.")
    called: datetime = Field(description="When the players were called to their tables.")
    ends: datetime | None = Field(description="When its time is up; null: no limit.")
    over: datetime | None = Field(description="When its last result came.")


class IdleEntry(Schema):
    """An entry that does not play in a round."""

    entry: int
    players: list[PlayerRef]


class RoundDraw(Schema):
    """A round with its matches."""

    round: RoundOut
    matches: list[MatchOut]
    idle: list[IdleEntry] = Field(description="Who sits out, or has a bye.")


class ResultOut(Schema):
    """A result at the time of a correction."""

    how: Annotated[str, one_of((*Pairing.How.values, ""))]
    ended: str = Field(description="Played to its end, on time, or by forfeit; empty: not yet.")
    winner: int | None = Field(description="The side, 0 or 1; null for a tie or nobody.")
    points: list[int] = Field(description="Of both sides in all games.")
    games_won: list[int]
    scores: list[list[int]] = Field(description="Of each game.")


class CorrectionOut(Schema):
    """A result that a director set or changed."""

    at: datetime
    by: PlayerRef
    round: int
    table: int
    before: ResultOut | None = Field(description="Null where there was none.")
    after: ResultOut
    reason: str


class StandingOut(Schema):
    """An entry’s line of the standings."""

    place: int = Field(
        description="Among all; shared by those who went out in the same round of a knock-out."
    )
    prize_place: int | None = Field(
        description="Among those who can win, so 1 has won; null for who cannot: who has "
        "withdrawn or never came to a table, and house players unless the event says otherwise or "
        "nobody else plays."
    )
    entry: int
    players: list[PlayerRef]
    house: bool = Field(description="Whether house players fill it.")
    withdrawn: bool
    won: int
    lost: int
    tied: int
    sat_out: int
    credit: float | None = Field(
        description="What sit-outs, byes and rounds missed by coming late are worth, in wins; null "
        "in a knock-out. The wins are `won` less `finals_won`, half of `tied`, and this."
    )
    finals_won: int = Field(description="Of `won`, those in the knock-out of a second stage.")
    finals_lost: int = Field(description="Of `lost`, those in the knock-out of a second stage.")
    points_for: int
    points_against: int
    score_error: float | None = Field(
        description="The standard error of the tie-break `duplicate`, the score of a duplicate "
        "event; null elsewhere, and after fewer than two deals."
    )
    tie_breaks: dict[str, float | None] = Field(
        description="The tie-breaks with their values; null where nobody was tied with the entry."
    )


class Standings(Schema):
    """The standings after some rounds."""

    rounds: int = Field(description="How many are counted.")
    order: list[str] = Field(description="The tie-breaks in their order; empty in a knock-out.")
    lines: list[StandingOut] = Field(description="By place; empty before the start.")


@router.get("", response=Page[EventOut])
def events(
    request: ApiRequest, page: Query[PageQuery], wanted: Query[EventQuery]
) -> Page[EventOut]:
    """The events you may see.

    The latest start first. Those of clubs by invitation are for their members.
    """
    caller = request.auth
    filters = wanted.model_dump(exclude_none=True)
    found = catalogue.events(caller.player, caller.session, **filters)
    return page_of(request, found, page, lambda part: _events(part, caller.player))


@router.get("{num:event_id}", response=EventOut)
def event(request: ApiRequest, event_id: int) -> EventOut:
    """An event."""
    return _events([requested_event(request, event_id).event], request.auth.player)[0]


@router.get("{num:event_id}/entries", response=Page[EntryOut])
def entries(request: ApiRequest, event_id: int, page: Query[PageQuery]) -> Page[EntryOut]:
    """The entries of an event.

    In order of arrival; those on the waiting list and those withdrawn too.
    """
    event = requested_event(request, event_id).event
    prizes = winners.prize_places(event)

    def lines(found: Iterable[Entry]) -> list[EntryOut]:
        return [entry_out(entry, prizes) for entry in found]

    return page_of(request, event_rows.entries(event), page, lines)


@router.get("{num:event_id}/rounds", response=list[RoundOut])
def rounds(request: ApiRequest, event_id: int) -> list[RoundOut]:
    """The rounds of an event that are drawn."""
    found = requested_event(request, event_id).event.played_rounds.order_by("number")
    return [RoundOut.from_orm(one) for one in found]


@router.get("{num:event_id}/rounds/{num:number}", response=RoundDraw)
def round_draw(request: ApiRequest, event_id: int, number: int) -> RoundDraw:
    """A round: who plays whom, who sits out, and how it stands."""
    event = requested_event(request, event_id).event
    one = get_object_or_404(event.played_rounds, number=number)
    rows = list(event_rows.pairings(event, round_number=number))
    teams = teams_drawn(event)
    sitting = list(one.sit_outs.select_related("round").order_by("entry"))
    past = past_seats(event) if sitting else ()
    idle = [
        IdleEntry(entry=row.entry_id, players=_players(teams_at(row, teams, past)[row.entry_id]))
        for row in sitting
    ]
    hidden = event_rows.sealed_tables(rows) if event.first_stage.duplicate else set()
    matches = _matches(event, rows, teams, hidden)
    return RoundDraw(round=RoundOut.from_orm(one), matches=matches, idle=idle)


@router.get("{num:event_id}/results", response=Page[MatchOut])
def results(request: ApiRequest, event_id: int, page: Query[PageQuery]) -> Page[MatchOut]:
    """The results of an event.

    All matches that are decided, by round and table.
    """
    event = requested_event(request, event_id).event
    decided = event_rows.pairings(event).filter(~sealed(), state=Pairing.State.DECIDED)

    def lines(rows: Iterable[Pairing]) -> list[MatchOut]:
        return _matches(event, list(rows), teams_drawn(event), set())

    return page_of(request, decided, page, lines)


@router.get("{num:event_id}/corrections", response=list[CorrectionOut])
def event_corrections(request: ApiRequest, event_id: int) -> list[CorrectionOut]:
    """The results of an event that directors set or changed.

    The latest first, with what they were.
    """
    event = requested_event(request, event_id).event
    return [
        CorrectionOut(
            at=row.at,
            by=ref_of(row.by),
            round=row.pairing.round.number,
            table=row.pairing.number,
            before=_result(row.before) if row.before["how"] else None,
            after=_result(row.after),
            reason=row.reason,
        )
        for row in corrections.rows_of(event)
    ]


@router.get("{num:event_id}/standings", response=Standings)
def standings(
    request: ApiRequest,
    event_id: int,
    after: Annotated[int | None, Query(ge=0, le=10_000)] = None,
) -> Standings:
    """The standings of an event.

    After the last round that is over, or after round number `after`.
    """
    event = requested_event(request, event_id).event
    if event.started is None:
        return Standings(rounds=0, order=[], lines=[])
    ranked = ranking.standings_of(event, after)
    order = [*ranked.order, TieBreak.LOT] if ranked.order else []
    teams = place_owners.teams_by_owner(event, teams_of(line.entry for line in ranked.lines))
    return Standings(
        rounds=ranked.rounds,
        order=[which.value for which in order],
        lines=[
            StandingOut(
                **standing_values(line, _players(teams[line.entry.pk]), _number),
                tie_breaks={which.value: _number(line.values.get(which)) for which in order},
            )
            for line in ranked.lines
        ],
    )


@router.get("{num:event_id}/games/{uuid:game_id}", response=GameOut)
def event_game(request: ApiRequest, event_id: int, game_id: UUID) -> GameOut:
    """A game of an event.

    As at its own address; also in a club joined by invitation, for anyone who may see the event.
    """
    event = requested_event(request, event_id).event
    games = Game.objects.filter(~sealed(), table__pairing__round__event=event)
    return game_out(get_object_or_404(games, pk=game_id))


def _events(found: Iterable[Event], player: Player | None) -> list[EventOut]:
    events, now = listing.with_counts(found), timezone.now()
    standing = listing.standing_of(events, player)
    return [
        _event(event, listing.suggestion_for(event, standing.get(event.pk), now))
        for event in events
    ]


def _result(values: dict[str, Any]) -> ResultOut:
    return ResultOut(
        how=values["how"],
        ended=values.get("ended", values["how"]),
        winner=values["winner"] if values["winner"] >= 0 else None,
        points=values["points"],
        games_won=values["games"],
        scores=values.get("scores", [values["points"]]),
    )


def _players(team: Team) -> list[PlayerRef]:
    return [ref_of(person) for person in team.people]


def _number(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


def _event(event: CountedEvent, suggestion: Suggestion) -> EventOut:
    rules = event.rules
    values: dict[str, Any] = {
        "id": event.pk,
        "club": event.club.slug,
        "rules": RulesRef(
            key=rules.key, name=rules.name, words=game_in_words(event), players=rules.players
        ),
        "suggestion": suggestion,
    }
    plain = EventOut.model_fields.keys() - values.keys()
    return EventOut(**values, **{name: getattr(event, name) for name in plain})


def _matches(
    event: Event, rows: Sequence[Pairing], teams: Mapping[int, Team], hidden: set[int]
) -> list[MatchOut]:
    """Return matches with who played them; rows: with `entries`; teams: of all entries, by key.

    Of the tables `hidden`, whose deals others still play, there is only the state.
    """
    shown = (row.table_id for row in rows if row.table_id not in hidden)
    games = reserved.results(table for table in shown if table is not None)
    for row in rows:
        if row.table_id in hidden:
            row.hide_result()
    past = past_seats(event)
    return [
        MatchOut(
            round=row.round.number,
            table=row.number,
            in_room=row.in_room,
            state=row.state,
            how=row.how,
            winner=row.winner if row.winner >= 0 else None,
            sides=[_side(row, side, teams_at(row, teams, past)) for side in (0, 1)],
            games=[
                MatchGame(
                    id=game.game_id,
                    score=list(game.counted),
                    running=game.running,
                    winner=game.leading if game.leading >= 0 else None,
                    ruled=game.outcome.how if game.outcome and game.outcome.ruled else "",
                    log_score=list(game.score),
                )
                for game in games.get(row.table_id or 0, ())
            ],
            decided=row.decided,
        )
        for row in rows
    ]


def _side(row: Pairing, side: int, teams: Mapping[int, Team]) -> Side:
    numbers = row.entries_of_side(side)
    return Side(
        entries=numbers,
        players=[one for number in numbers for one in _players(teams[number])],
        points=row.points[side],
        games_won=row.games_won[side],
        lone_hands=row.lone_hands[side],
    )
