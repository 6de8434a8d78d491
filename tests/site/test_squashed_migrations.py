"""Squashed migrations make the same database as their predecessors."""

import re
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.served import ROOT
from tests.site.processes import environment

#: Squashed migrations that earlier versions had.
FORMER = {
    "games": "0001_squashed_0022_dealing_order",
    "tournaments": "0001_squashed_0018_tie_break_edition",
}
#: `manage.py migrate` with its arguments; after "old" without the squashed migrations.
BEFORE = """
import os, sys
os.environ["DJANGO_SETTINGS_MODULE"] = "euchre_site.settings"
import django
from django.core.management import call_command
from django.db.migrations.loader import MigrationLoader

load_all = MigrationLoader.load_disk

def load(self):
    load_all(self)
    for key in [key for key in self.disk_migrations if "_squashed_" in key[1]]:
        del self.disk_migrations[key]

if sys.argv[1] == "old":
    MigrationLoader.load_disk = load
django.setup()
call_command("migrate", *sys.argv[2:], verbosity=0)
"""


def migrate(data: Path, *arguments: str, chain: str = "new") -> None:
    data.mkdir(exist_ok=True)
    keys = {"SECRET_KEY": "a" * 60, "DEAL_KEY": "YWFh" * 10 + "YWE="}
    subprocess.run(
        [sys.executable, "-c", BEFORE, chain, *arguments],
        cwd=ROOT, env=environment() | keys | {"BOWER_DATA": str(data)}, check=True, timeout=300,
    )  # fmt: skip


def schema(data: Path) -> dict[str, Any]:
    """Return the tables and indexes of a database, without the order of columns."""
    with sqlite3.connect(data / "db.sqlite3") as database:
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


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the schema of a new database."""
    data = tmp_path_factory.mktemp("fresh")
    migrate(data)
    return schema(data)


@pytest.mark.slow
@pytest.mark.xdist_group("squashed migrations")
@pytest.mark.parametrize(
    "steps",
    [
        [[]],
        pytest.param([["games", "0010"], ["tournaments", "0009"]], marks=pytest.mark.thorough),
        [["games"], ["tournaments", "0012"]],
        pytest.param([["games", "0022"], ["tournaments", "0018"]], marks=pytest.mark.thorough),
    ],
    ids=["whole chain", "part of both", "one whole", "what others replaced"],
)
def test_an_old_database_gets_the_same_schema(
    fresh: dict[str, Any], tmp_path: Path, steps: list[list[str]]
) -> None:
    for step in steps:
        migrate(tmp_path, *step, chain="old")
    with sqlite3.connect(tmp_path / "db.sqlite3") as database:  # as if made by an earlier version
        database.executemany(
            "INSERT INTO django_migrations (app, name, applied) VALUES (?, ?, '2026-11-25')",
            FORMER.items(),
        )
    migrate(tmp_path)
    assert schema(tmp_path) == fresh
