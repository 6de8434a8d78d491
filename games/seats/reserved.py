"""Tables whose seats are given, such as those of an event: who gives them begins and ends games.

Nobody else sits down there or begins a game; see `games.seats.seating`. Every verb may be
repeated: what is done already is left as it is.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple
from uuid import UUID

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from games.engine.rules import RuleSet, rules_to_data
from games.engine.scoring import LONE_MARCH
from games.models import Game, Player, Seat, Table
from games.models.tables import LONG_AGO
from games.picture import viewing
from games.records import performances
from games.records.outcomes import Outcome, by_log, outcome_of, ruling
from games.shuffle import shuffling
from games.sockets import hub


class ReservedTable(NamedTuple):
    """A table to be opened.

    Attributes:
        players: who sits there, by position.
        title: its name.
        back: the path of the page it belongs to.
        rules: what its first game plays; None: what all play.
    """

    players: Sequence[Player]
    title: str
    back: str
    rules: RuleSet | None = None


class TableResult(NamedTuple):
    """A game of a table as it stands.

    Attributes:
        game_id: the game.
        running: whether it is being played.
        winner: the side that won by the log, or -1.
        score: points of both sides by the log.
        deal_number: the deal being played, from 1.
        ended: when it ended.
        outcome: how it ended, and what counts; None while it is played.
    """

    game_id: UUID
    running: bool
    winner: int
    score: tuple[int, int]
    deal_number: int
    ended: datetime | None
    outcome: Outcome | None = None

    @property
    def counted(self) -> tuple[int, int]:
        """The points that count; while it is played, those by the log."""
        return self.outcome.score if self.outcome else self.score

    @property
    def leading(self) -> int:
        """The side that has won as it counts, or -1."""
        return self.outcome.winner if self.outcome else self.winner


def open_tables(
    places: Sequence[ReservedTable],
    rules: RuleSet,
    host: Player,
    *,
    open: bool = True,  # noqa: A002
    turn_seconds: int | None = None,
) -> list[Table]:
    """Open tables at which games can begin once the players have come.

    Args:
        places: the tables.
        rules: what is played where a place says nothing else.
        host: who may always see them.
        open: whether everybody may watch.
        turn_seconds: how long somebody may take to act, or None.
    """
    with transaction.atomic():
        tables = Table.objects.bulk_create(
            Table(
                host=host,
                open=open,
                rules_data=rules_to_data(place.rules or rules),
                reserved=True,
                title=place.title,
                back=place.back,
                turn_seconds=turn_seconds,
            )
            for place in places
        )
        Seat.objects.bulk_create(
            Seat(table=table, position=position, player=player, last_seen=LONG_AGO)
            for table, place in zip(tables, places, strict=True)
            for position, player in enumerate(place.players)
        )
        shuffling.prepare(tables)
    return tables


def awaited(tables: Iterable[int]) -> dict[int, set[int]]:
    """Return who plays in person and has not been at their table since it was opened, by table."""
    missing: dict[int, set[int]] = {table: set() for table in tables}
    seats = Seat.objects.filter(
        table__in=missing,
        player__kind=Player.Kind.PERSON,
        stand_in=False,
        last_seen__lt=F("table__created"),
    )
    for table, player in seats.values_list("table", "player"):
        missing[table].add(player)
    return missing


def begin(table_id: int, number: int, rules: RuleSet, absent: Collection[int] = ()) -> None:
    """Begin the game of this number at a table, unless it has begun or the table is closed.

    Args:
        table_id: the table.
        number: of the game, from 1.
        rules: what is played now.
        absent: players for whom a house player plays until they come.
    """
    with transaction.atomic():
        table = Table.objects.select_for_update().get(pk=table_id)
        begun = (Table.State.SHUFFLING, Table.State.PLAYING, Table.State.CLOSED)
        if table.state in begun or table.games.count() != number - 1:
            return
        table.rules_data = rules_to_data(rules)
        table.save(update_fields=["rules_data"])
        table.seats.filter(player__in=absent).update(stand_in=True)
        shuffling.begin(table, timezone.now())
        transaction.on_commit(lambda: hub.announce(table_id))


def complete(table_id: int) -> bool:
    """Return whether in every seat of a table a person plays, and no house player instead."""
    played = Q(player__kind=Player.Kind.PERSON, stand_in=False)
    return not Seat.objects.filter(~played, table=table_id).exists()


def stand_in_for(table_id: int, player_ids: Collection[int]) -> None:
    """Let house players play for some of a table's players from now on."""
    with transaction.atomic():
        Table.objects.select_for_update().get(pk=table_id)
        Seat.objects.filter(table=table_id, player__in=player_ids).update(stand_in=True)
        transaction.on_commit(lambda: hub.announce(table_id))


def end(table_id: int, now: datetime, *, counts: bool = False) -> None:
    """Close a table; a game being played there is given up.

    counts: whether it counts as it stands, in what its players have done.
    """
    with transaction.atomic():
        table = Table.objects.select_for_update().get(pk=table_id)
        if table.state == Table.State.CLOSED:
            return
        Game.objects.filter(table=table, state=Game.State.PLAYING).update(
            state=Game.State.ABANDONED, ended=now, due=None, turn=-1, counts=counts
        )
        table.state = Table.State.CLOSED
        table.save(update_fields=["state"])
        shuffling.abort([table_id])
        transaction.on_commit(lambda: hub.announce(table_id))


def results(tables: Iterable[int]) -> dict[int, list[TableResult]]:
    """Return the games of each table in order."""
    found: dict[int, list[TableResult]] = {table: [] for table in tables}
    games = Game.objects.filter(table__in=found).order_by("table", "number")
    for game in games.select_related("table").defer("rules_data", "secret", "commitment", "mixed"):
        running = game.state == Game.State.PLAYING
        score = (game.score_0, game.score_1)
        outcome = None if running else outcome_of(game)
        found[game.table_id].append(
            TableResult(game.pk, running, game.winner, score, game.deal_number, game.ended, outcome)
        )
    return found


def rule(
    table_id: int, decide: Callable[[Sequence[tuple[Game, Outcome]]], Mapping[int, Outcome]]
) -> None:
    """Set what the games of a table count for, which all have ended.

    decide: is given the games in order, each with its outcome by the log, and returns the outcome
    that counts of those, by number, where it is another.
    """
    with transaction.atomic():
        games = list(
            Game.objects.select_for_update(of=("self",))
            .select_related("table")
            .filter(table=table_id)
            .order_by("number")
        )
        ruled = decide([(game, by_log(game)) for game in games])
        for game in games:
            outcome = ruled.get(game.number)
            data = ruling(outcome.results, outcome.score, outcome.how) if outcome else None
            if data != game.ruling:
                game.ruling = data
                game.save(update_fields=["ruling"])
                performances.settle(game)


@lru_cache(maxsize=2048)
def lone_marches(game_id: UUID) -> tuple[int, int]:
    """Return how many deals each side of a game that has ended took all tricks alone in.

    It replays the game once: call it first outside a transaction that others wait for.
    """
    lone = [0, 0]
    for deal in viewing.deal_views(game_id):
        if deal.result is not None and deal.result.outcome == LONE_MARCH:
            lone[deal.result.side] += 1
    return lone[0], lone[1]
