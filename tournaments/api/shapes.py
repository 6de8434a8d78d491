"""Events, entries and matches as the API tells them."""

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated
from uuid import UUID

from ninja import Field, Schema

from games import rule_words
from games.api.games import RulesRef
from games.api.people import PlayerRef, one_of, ref_of
from games.services.reserved import Result
from tournaments.models import Entry, Event, Pairing
from tournaments.services.event_rows import Matches


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
    members_only: bool
    registration_opens: datetime
    registration_closes: datetime
    check_in_minutes: int = Field(description="How long before the start; 0: no check-in.")
    starts: datetime
    started: datetime | None
    ended: datetime | None
    version: int = Field(description="Advanced by every change that its page shows.")


class EntryOut(Schema):
    """An entry: a player, or two partners."""

    entry: int = Field(description="Its number, the same everywhere.")
    players: list[PlayerRef]
    state: Annotated[str, one_of(Entry.State.values)]
    house: bool = Field(description="Whether house players fill it.")
    seed: int | None = Field(description="1 is the best; given at the start.")
    lot: int | None = Field(description="The last tie-break: 1 goes before 2.")
    qualified: int | None = Field(description="The place from which it went on.")
    place: int | None = Field(description="At the end.")


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
    score: list[int] = Field(description="Of both sides.")
    running: bool
    winner: int | None = Field(description="The side, 0 or 1; null for nobody.")


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


def event_out(event: Event, entered: int) -> EventOut:
    """Return an event, with its club, as data; entered: how many entries have a place."""
    return EventOut(
        id=event.pk,
        name=event.name,
        about=event.about,
        club=event.club.slug,
        state=event.state,
        format=event.format,
        second_stage=event.second_stage,
        rules=_rules(event),
        rounds=event.rounds,
        rated=event.rated,
        team_size=event.team_size,
        capacity=event.capacity,
        entered=entered,
        members_only=event.members_only,
        registration_opens=event.registration_opens,
        registration_closes=event.registration_closes,
        check_in_minutes=event.check_in_minutes,
        starts=event.starts,
        started=event.started,
        ended=event.ended,
        version=event.version,
    )


def entry_out(entry: Entry) -> EntryOut:
    """Return an entry, with its players, as data."""
    return EntryOut(
        entry=entry.pk,
        players=players_of([entry]),
        state=entry.state,
        house=entry.house,
        seed=entry.seed,
        lot=entry.lot,
        qualified=entry.qualified,
        place=entry.place,
    )


def players_of(entries: Iterable[Entry]) -> list[PlayerRef]:
    """Return the players of some entries in their order."""
    return [ref_of(line.player) for entry in entries for line in entry.players.all()]


def matches_out(matches: Matches) -> list[Match]:
    """Return matches as data."""
    return [_match(row, matches) for row in matches.rows]


def _match(row: Pairing, matches: Matches) -> Match:
    return Match(
        round=row.round.number,
        table=row.number,
        state=row.state,
        how=row.how,
        winner=row.winner if row.winner >= 0 else None,
        sides=[_side(row, 0, matches), _side(row, 1, matches)],
        games=[_game(game) for game in matches.games.get(row.table_id or 0, ())],
        decided=row.decided,
    )


def _side(row: Pairing, side: int, matches: Matches) -> Side:
    numbers = [line.entry_id for line in row.entries.all() if line.side == side]
    return Side(
        entries=numbers,
        players=players_of(matches.entries[number] for number in numbers),
        points=(row.points_0, row.points_1)[side],
        games_won=(row.games_0, row.games_1)[side],
        lone_hands=(row.lone_0, row.lone_1)[side],
    )


def _game(game: Result) -> MatchGame:
    return MatchGame(
        id=game.game_id,
        score=list(game.score),
        running=game.running,
        winner=game.winner if game.winner >= 0 else None,
    )


def _rules(event: Event) -> RulesRef:
    rules = event.rules
    return RulesRef(
        key=rules.key, name=rules.name, words=rule_words.brief(rules), players=rules.players
    )
