"""Reserved tables, such as those of an event, whose owner assigns seats and starts and ends games.

Players cannot sit down or start games there; see `games.seats.seating`. All functions here are
idempotent.
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
from games.models import Game, Player, Seat, SharedDeals, Table
from games.models.tables import LONG_AGO
from games.picture import viewing
from games.records import performances
from games.records.outcomes import Outcome, by_log, outcome_of, ruling
from games.shuffle import shared, shuffling
from games.sockets import hub


class ReservedTable(NamedTuple):
    """A table to open, optionally with its own rules; `back` is the path of its page.

    `number` is that among tables that share their deals.
    """

    players: Sequence[Player]
    title: str
    back: str
    rules: RuleSet | None = None
    number: int = 1


class TableResult(NamedTuple):
    """The state or result of a table's game by its log; `outcome` is None while it is running.

    version: the number of events in the log.
    """

    game_id: UUID
    version: int
    running: bool
    winner: int
    score: tuple[int, int]
    deal_number: int
    ended: datetime | None
    outcome: Outcome | None = None

    @property
    def counted(self) -> tuple[int, int]:
        return self.outcome.score if self.outcome else self.score

    @property
    def leading(self) -> int:
        return self.outcome.winner if self.outcome else self.winner


def open_tables(
    places: Sequence[ReservedTable],
    rules: RuleSet,
    host: Player,
    *,
    open: bool = True,  # noqa: A002
    turn_seconds: int | None = None,
    delayed: bool = False,
    same_deals: int = 0,
    talk: str = Table.Talk.AFTER,
    solo_deals: SharedDeals | None = None,
) -> list[Table]:
    """Open reserved tables without starting their games; the host may always see them.

    delayed: whoever has no seat sees the games two hands later.
    same_deals: for how many tables deals are shuffled that these share; 0: each has its own. Until
    the last of them has finished, only those who sit at a table may see it. talk: the rule of
    `Table.talk`; nothing but phrases while a game is played unless it says otherwise. solo_deals:
    deals made by `shared.make_for_solo_tables`, which each table's person plays alone with strong
    house players.
    """
    solo = solo_deals is not None
    with transaction.atomic():
        deals = shared.commit_to(same_deals) if same_deals and places else solo_deals
        tables = Table.objects.bulk_create(
            Table(
                host=host,
                open=open,
                rules_data=rules_to_data(place.rules or rules),
                reserved=True,
                title=place.title,
                back=place.back,
                turn_seconds=turn_seconds,
                delayed=delayed,
                talk=talk,
                shared_deals=deals,
                number_in_deals=place.number,
                solo=solo,
                house_level=Table.HouseLevel.STRONG if solo else Table.HouseLevel.STEADY,
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
    """Return, by table, the people who have not been at their table since it was opened."""
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
    """Start a game unless it has started or the table is closed; house players replace `absent`."""
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


def has_only_people(table_id: int) -> bool:
    """Return True if a person plays in each seat, without a stand-in."""
    played = Q(player__kind=Player.Kind.PERSON, stand_in=False)
    return not Seat.objects.filter(~played, table=table_id).exists()


def stand_in_for(table_id: int, player_ids: Collection[int], *, stand_in: bool = True) -> None:
    """Let house players take the seats of these players, or give the seats back to them."""
    with transaction.atomic():
        Table.objects.select_for_update().get(pk=table_id)
        Seat.objects.filter(table=table_id, player__in=player_ids).update(stand_in=stand_in)
        transaction.on_commit(lambda: hub.announce(table_id))


def end(table_id: int, now: datetime, *, counts: bool = False) -> None:
    """Close a table and abandon its running game, which `counts` or not in players' statistics."""
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


def open_deals(tables: Collection[int]) -> None:
    """Open the deals that these tables share, if all tables have finished."""
    shares = SharedDeals.objects.filter(tables__in=tables, opened=None).distinct()
    for match in list(shares.values_list("pk", flat=True)):
        shared.open_deals(match)


def results(tables: Iterable[int]) -> dict[int, list[TableResult]]:
    found: dict[int, list[TableResult]] = {table: [] for table in tables}
    games = Game.objects.filter(table__in=found).order_by("table", "number")
    for game in games.select_related("table").defer("rules_data", "secret", "commitment", "mixed"):
        running = game.state == Game.State.PLAYING
        score = (game.score_0, game.score_1)
        outcome = None if running else outcome_of(game)
        found[game.table_id].append(
            TableResult(
                game.pk,
                game.version,
                running,
                game.winner,
                score,
                game.deal_number,
                game.ended,
                outcome,
            )
        )
    return found


def set_rulings(
    table_id: int, decide: Callable[[Sequence[tuple[Game, Outcome]]], Mapping[int, Outcome]]
) -> None:
    """Set or clear the rulings of a table's games, which must all have ended.

    decide: gets the games in order, with outcomes by the log; returns those that count instead.
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
def lone_marches(game_id: UUID, version: int) -> tuple[int, int]:
    """Return the number of lone marches of each side in a game that ended with this version.

    A game is read once for each version, since the end of a closed table may be rolled back and the
    game go on. The first call replays the game: make it outside of a transaction that others wait
    for.
    """
    lone = [0, 0]
    for deal in viewing.deal_views(game_id):
        if deal.result is not None and deal.result.outcome == LONE_MARCH:
            lone[deal.result.side] += 1
    return lone[0], lone[1]
