"""Events, entries and matches as the API tells them."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from ninja import Field, Schema

from games.api.games import RulesRef
from games.api.people import PlayerRef, one_of
from games.records.outcomes import RULED
from games.seats.reserved import TableResult
from tournaments.calendar.listing import EventLine
from tournaments.entering.api import players_of
from tournaments.entering.suggesting import Suggestion
from tournaments.models import Event, Pairing
from tournaments.results.event_rows import Matches
from tournaments.results.event_words import game_in_words


class EventOut(Schema):
    """An event."""

    id: int
    name: str
    about: str
    club: str = Field(description="The club’s word in addresses.")
    state: Annotated[str, one_of(Event.State.values)]
    format: Annotated[str, one_of(Event.Format.values)]
    second_stage: str = Field(description="The format of the second stage, or empty.")
    rules: RulesRef
    rounds: int | None = Field(description="How many; null where the format says it.")
    rated: bool
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


class Match(Schema):
    """A match of a round."""

    round: int
    table: int = Field(description="Table 1 is the head table.")
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


def event_out(line: EventLine) -> EventOut:
    """Return an event as its lines of lists tell it as data."""
    event = line.event
    rules = event.rules
    return EventOut(
        id=event.pk,
        name=event.name,
        about=event.about,
        club=event.club.slug,
        state=event.state,
        format=event.format,
        second_stage=event.second_stage,
        rules=RulesRef(
            key=rules.key, name=rules.name, words=game_in_words(event), players=rules.players
        ),
        rounds=event.rounds,
        rated=event.rated,
        team_size=event.team_size,
        capacity=event.capacity,
        entered=line.entered,
        waiting=line.waiting,
        suggestion=line.suggestion,
        members_only=event.members_only,
        registration_opens=event.registration_opens,
        registration_closes=event.registration_closes,
        check_in_minutes=event.check_in_minutes,
        starts=event.starts,
        started=event.started,
        final_at=event.final_at,
        ended=event.ended,
        version=event.version,
    )


def matches_out(matches: Matches) -> list[Match]:
    """Return matches as data."""
    return [
        Match(
            round=row.round.number,
            table=row.number,
            state=row.state,
            how=row.how,
            winner=row.winner if row.winner >= 0 else None,
            sides=[_side(row, 0, matches), _side(row, 1, matches)],
            games=[_game(game) for game in matches.games.get(row.table_id or 0, ())],
            decided=row.decided,
        )
        for row in matches.rows
    ]


def _side(row: Pairing, side: int, matches: Matches) -> Side:
    numbers = row.drawn_on(side)
    return Side(
        entries=numbers,
        players=players_of(matches.entries[number] for number in numbers),
        points=row.points[side],
        games_won=row.games_won[side],
        lone_hands=row.lone_hands[side],
    )


def _game(game: TableResult) -> MatchGame:
    outcome = game.outcome
    return MatchGame(
        id=game.game_id,
        score=list(game.counted),
        running=game.running,
        winner=game.leading if game.leading >= 0 else None,
        ruled=outcome.how if outcome and outcome.ruled else "",
        log_score=list(game.score),
    )
