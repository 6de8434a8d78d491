"""The initial migrations: from nothing, and on databases of the migrations that they replace."""

import gzip
import re
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.db.migrations import AddIndex
from django.db.models import Index

from games.migrations._creation import Creation
from tests.site.processes import manage

#: A new database as commit a7faf1c8 made it, with all the migrations of that time.
OLD = Path(__file__).with_name("before_initial_migrations.sql.gz")

KEYS = {"SECRET_KEY": "a" * 60, "DEAL_KEY": "YWFh" * 10 + "YWE="}


def migrate(data: Path) -> subprocess.CompletedProcess[str]:
    return manage("migrate", "-v0", **KEYS, BOWER_DATA=str(data))


def old_database(data: Path, *, without: str = "") -> Path:
    """Write the old database to a data folder, as if a migration had not been applied yet."""
    with closing(sqlite3.connect(data / "db.sqlite3")) as database:
        database.executescript(gzip.decompress(OLD.read_bytes()).decode())
        database.execute("DELETE FROM django_migrations WHERE name = ?", [without])
        database.commit()
    return data


def schema(database: sqlite3.Connection) -> dict[str, Any]:
    """Return the tables and indexes of a database, without the order of columns."""
    found: dict[str, Any] = {}
    for kind, name, table, sql in database.execute(
        "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'"
    ):
        if kind == "table":
            columns = database.execute(f'PRAGMA table_info("{name}")').fetchall()
            keys = database.execute(f'PRAGMA foreign_key_list("{name}")').fetchall()
            found[name] = (
                sorted(column[1:] for column in columns),
                sorted(key[2:] for key in keys),
                sorted(re.findall(r'CONSTRAINT "\w+" (?:CHECK|UNIQUE)', sql)),
            )
        else:
            found[name] = (table, sql)
    return found


def schema_of(data: Path) -> dict[str, Any]:
    with closing(sqlite3.connect(data / "db.sqlite3")) as database:
        return schema(database)


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the schema of a database migrated from nothing."""
    data = tmp_path_factory.mktemp("fresh")
    assert migrate(data).returncode == 0
    return schema_of(data)


@pytest.mark.xdist_group("initial migrations")
class TestMigrating:
    @pytest.mark.sqlite
    @pytest.mark.django_db
    def test_from_nothing_gives_the_tables_of_the_models(self, fresh: dict[str, Any]) -> None:
        connection.ensure_connection()
        of_models = schema(connection.connection)
        assert fresh == of_models

    def test_an_old_database_that_is_complete_gets_the_same_tables(
        self, fresh: dict[str, Any], tmp_path: Path
    ) -> None:
        done = migrate(old_database(tmp_path))
        assert (done.returncode, done.stderr) == (0, "")
        assert schema_of(tmp_path) == fresh

    @pytest.mark.parametrize(
        "last", ["games.0047_solved_steps", "tournaments.0062_ties", "games.0012_demonstration"]
    )
    def test_an_older_database_is_refused_with_what_to_do(self, tmp_path: Path, last: str) -> None:
        data = old_database(tmp_path, without=last.partition(".")[2])
        before = schema_of(data)
        done = migrate(data)
        assert done.returncode == 1
        assert done.stderr == (
            f"CommandError: The database is from an old version of Bower: it lacks {last}, which "
            "this version can no longer apply. Run `manage.py migrate` of commit a7faf1c8 first.\n"
        )
        assert schema_of(data) == before


def test_models_are_rendered_once_only_where_nothing_but_models_is_made() -> None:
    class Mixed(Creation):
        operations = (AddIndex("game", Index(fields=["ended"], name="games_ended")),)

    with pytest.raises(TypeError, match="Only CreateModel"):
        Mixed("0001_initial", "games").apply(None, None)  # type: ignore[arg-type]
