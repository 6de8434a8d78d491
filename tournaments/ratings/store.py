"""Stores the results of a replay: only the differences, in one transaction.

A replay writes its changes to a temporary table of its connection, which needs little memory and
blocks nobody. The database compares them with the stored ones and applies the differences.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import lru_cache
from hashlib import sha256
from typing import Any, Final, TypeVar
from uuid import UUID

from django.db import connection
from django.db.models import QuerySet

from games.models import Game
from tournaments import rating_formula as formula
from tournaments.models import Pool, Rating, RatingChange
from tournaments.rating_formula import Skill
from tournaments.ratings.replay import Replay, SkillChange

T = TypeVar("T")

#: Days after the latest rated game during which a player is ranked.
ACTIVE = 180.0
#: Ratings read or written in one query.
BATCH = 1000
#: Changes replaced by one statement: SQLite keeps a list of them in memory.
STEP = 100_000

_STORED: Final = RatingChange._meta.db_table
_GAME: Final = Game._meta.pk
_NEW: Final = "rating_change_new"
_COLUMNS: Final = ", ".join(SkillChange._fields)
_VALUES: Final = ("side", "winner", "expected", *SkillChange._fields[8:])
#: What null is compared as, by column: a row of SQL values with a null equals none.
_NULLS: Final = {"pairing_id": "0", "game_id": f"'{UUID(int=0)}'"}


def _row(table: str, columns: Sequence[str]) -> str:
    values = (
        f"COALESCE({table}.{column}, {_NULLS[column]})" if column in _NULLS else f"{table}.{column}"
        for column in columns
    )
    return f"({', '.join(values)})"


_KEY: Final = ("pairing_id", "game_id", "number", "player_id")
_HERE: Final = "stored.pool_id = %s AND stored.position = new.position"
_MOVED: Final = f"{_NEW} new CROSS JOIN {_STORED} stored WHERE {_HERE}"  # in this order
_OTHER: Final = f"{_row('stored', _KEY)} <> {_row('new', _KEY)}"
# Only names of tables and columns are interpolated here.
_FORGET_EQUAL: Final = f"""DELETE FROM {_NEW} WHERE position BETWEEN %s AND %s
    AND EXISTS (SELECT 1 FROM {_STORED} stored
    WHERE stored.pool_id = %s AND stored.position = {_NEW}.position
    AND {_row("stored", SkillChange._fields)} = {_row(_NEW, SkillChange._fields)})"""  # noqa: S608
_REPLACED: Final = f"SELECT {{}} FROM {_MOVED} AND {_OTHER}"  # noqa: S608
_DELETE_REPLACED: Final = f"""DELETE FROM {_STORED} WHERE pool_id = %s
    AND position IN ({_REPLACED.format("new.position")})"""  # noqa: S608
_UPDATE: Final = f"""UPDATE {_STORED} SET ({", ".join(_VALUES)}) = (SELECT {", ".join(_VALUES)}
    FROM {_NEW} new WHERE new.position = {_STORED}.position)
    WHERE pool_id = %s
    AND position IN (SELECT position FROM {_NEW} WHERE position BETWEEN %s AND %s)"""  # noqa: S608
_INSERT: Final = f"""INSERT INTO {_STORED} (pool_id, {_COLUMNS}) SELECT %s, {_COLUMNS}
    FROM {_NEW} new WHERE NOT EXISTS (SELECT 1 FROM {_STORED} stored WHERE {_HERE})
    ORDER BY position"""  # noqa: S608


class Difference:
    """The differences between a pool's stored changes and ratings and a replay's."""

    def __init__(self, replay: Replay) -> None:
        self.pool = replay.pool
        self.replay = replay
        self.ratings: list[Rating] = []
        self.unrated: list[int] = []

    def add(self, changes: Sequence[SkillChange]) -> None:
        if not changes:
            return
        rows = [
            (*change[:2], _game(change.game_id), *change[3:-1], _moment(change.at))
            for change in changes
        ]
        with connection.cursor() as cursor:
            if connection.vendor == "postgresql":
                with cursor.copy(f"COPY {_NEW} ({_COLUMNS}) FROM STDIN") as copy:
                    for row in rows:
                        copy.write_row(row)
            else:
                marks = ", ".join(["%s"] * len(SkillChange._fields))
                cursor.execute(
                    "SAVEPOINT new_changes"
                )  # otherwise each row would be committed separately
                try:
                    cursor.executemany(f"INSERT INTO {_NEW} VALUES ({marks})", rows)  # noqa: S608
                finally:
                    cursor.execute("RELEASE new_changes")
            first, last = changes[0].position, changes[-1].position
            cursor.execute(_FORGET_EQUAL, [first, last, self.pool.pk])

    def find(self) -> bool:
        """Compare with the stored rows after the replay; return whether anything differs.

        After a replay from the first game this also finds ratings without games.
        """
        with connection.cursor() as cursor:
            if connection.vendor == "postgresql":
                cursor.execute(f"ANALYZE {_NEW}")
            cursor.execute(f"SELECT EXISTS (SELECT 1 FROM {_NEW})")  # noqa: S608
            (differs,) = cursor.fetchone()
            cursor.execute(_REPLACED.format("DISTINCT stored.player_id"), [self.pool.pk])
            players = {player for (player,) in cursor.fetchall()}
        left_over = self._left_over().values_list("player", flat=True).distinct()
        players.update(left_over)
        if self.replay.first == 1:
            players.update(self.pool.ratings.values_list("player", flat=True))
        self.replay.meet(players)
        self._compare_ratings()
        return bool(differs or left_over or self.ratings or self.unrated)

    def store(self) -> None:
        """Apply the differences; call it in a transaction, after `find`."""
        pool = self.pool.pk
        self._left_over().delete()
        with connection.cursor() as cursor:
            cursor.execute(_DELETE_REPLACED, [pool, pool])
            for at in range(self.replay.first, self.replay.position + 1, STEP):
                cursor.execute(_UPDATE, [pool, at, at + STEP - 1])
            cursor.execute(_INSERT, [pool, pool])
        for some in batches(self.unrated):
            self.pool.ratings.filter(player__in=some).delete()
        Rating.objects.bulk_create(
            self.ratings,
            batch_size=BATCH,
            update_conflicts=True,
            unique_fields=["pool", "player"],
            update_fields=[
                "mu",
                "sigma",
                "games",
                "latest",
                "ranked_until",
                "opponents",
                "only_club",
            ],
        )

    def _left_over(self) -> QuerySet[RatingChange]:
        """Return the stored changes after the last one of the replay."""
        return self.pool.changes.filter(position__gt=self.replay.position)

    def _compare_ratings(self) -> None:
        for some in batches(list(self.replay.held)):
            stored = {
                rating.player_id: rating for rating in self.pool.ratings.filter(player__in=some)
            }
            for player in some:
                held = self.replay.held[player]
                if held.latest is None:
                    self.unrated += [player] if player in stored else []
                    continue
                right = Rating(
                    pool=self.pool,
                    player_id=player,
                    mu=held.skill.mu,
                    sigma=held.skill.sigma,
                    games=held.games,
                    latest=held.latest,
                    ranked_until=ranked_until(held.skill, held.latest),
                    opponents=held.opponents,
                    only_club_id=held.club,
                )
                if player not in stored or _values(right) != _values(stored[player]):
                    self.ratings.append(right)


@contextmanager
def difference(replay: Replay) -> Iterator[Difference]:
    """Create the temporary table for a replay, and drop it at the end."""
    fields = {field.column: field for field in RatingChange._meta.concrete_fields}
    columns = [f"{name} {fields[name].db_type(connection)}" for name in SkillChange._fields]
    columns[0] = "position integer PRIMARY KEY"
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE TEMPORARY TABLE {_NEW} ({', '.join(columns)})")
    try:
        yield Difference(replay)
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f"DROP TABLE {_NEW}")


def ranked_until(skill: Skill, latest: datetime) -> datetime:
    """Return when a rating stops being ranked: unsettled by then, or its player inactive."""
    days = min(formula.settled_for(skill), ACTIVE)
    return latest + timedelta(days=days)


def fingerprint(pool: Pool) -> str:
    """Return a hash of a pool's ratings, equal only for bitwise equal ratings.

    It is the SHA-256 of lines "player mu sigma games" in order of players, with floats written by
    `float.hex`.
    """
    digest = sha256()
    rows = pool.ratings.order_by("player").values_list("player", "mu", "sigma", "games")
    for player, mu, sigma, games in rows.iterator():
        digest.update(f"{player} {mu.hex()} {sigma.hex()} {games}\n".encode())
    return digest.hexdigest()


def batches(of: Sequence[T]) -> Iterator[Sequence[T]]:
    """Split values for queries with a limited number of parameters."""
    return (of[at : at + BATCH] for at in range(0, len(of), BATCH))


def _values(rating: Rating) -> tuple[object, ...]:
    return (
        rating.mu, rating.sigma, rating.games, rating.latest, rating.ranked_until,
        rating.opponents, rating.only_club_id,
    )  # fmt: skip


def _game(key: UUID | None) -> Any:
    """Return a game's key in the form the database's driver expects."""
    return None if key is None else _GAME.get_db_prep_value(key, connection)


@lru_cache(1000)
def _moment(at: datetime) -> Any:
    """Return a time in the form the database's driver expects."""
    return connection.ops.adapt_datetimefield_value(at)
