"""Backups of PostgreSQL: a snapshot, verified in a temporary database, restored at once."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, LiteralString

import psycopg
import pytest

from euchre_site.backups import postgres
from euchre_site.backups.errors import BackupError
from tests.site.processes import manage, refusal

#: A game in the middle of a hand.
PREPARE = """
from tests.site.factories import begun
begun()
"""
#: A site that has gone on since, and has a table that the backup does not know.
GO_ON = """
DELETE FROM games_gameevent;
CREATE TABLE games_later (event bigint REFERENCES games_gameevent (id));
"""
FITS = "from euchre_site.startup import startup; startup.check(); print('fits')"


class Kept:
    """Two databases with their own data folders: a site, and one to restore into."""

    def __init__(self, server: str, folder: Path) -> None:
        self.server, self.folder = server, folder

    def url(self, name: str) -> str:
        """Return the URL of a database, `one` or `other`."""
        return f"{self.server.rpartition('/')[0]}/bower_kept_{name}"

    def manage(self, name: str, *arguments: object, **more: str) -> Any:
        """Run a command on a site."""
        variables = {"DATABASE_URL": self.url(name), "BOWER_DATA": str(self.folder / name)}
        return manage(*arguments, **(variables | more))

    def told(self, name: str, code: str) -> str:
        """Run code on a site; return its output."""
        done = self.manage(name, "shell", "-v", "0", "-c", code)
        assert done.returncode == 0, done.stderr
        return str(done.stdout.strip())

    def change(self, name: str, statements: LiteralString) -> None:
        """Change a site's database."""
        with psycopg.connect(self.url(name)) as database:
            database.execute(statements)

    def events(self, name: str) -> int:
        """Return the number of events of games on a site."""
        with psycopg.connect(self.url(name)) as database:
            (number,) = database.execute("SELECT count(*) FROM games_gameevent").fetchone() or (0,)
            return int(number)


@pytest.fixture(scope="module")
def kept(postgres_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kept]:
    """A site with a game, and an empty database."""
    made = Kept(postgres_url, tmp_path_factory.mktemp("kept"))
    names = ("one", "other")
    dropping = [f"DROP DATABASE IF EXISTS bower_kept_{name} WITH (FORCE)" for name in names]
    with psycopg.connect(postgres_url, autocommit=True) as server:
        for name, statement in zip(names, dropping, strict=True):
            server.execute(statement)
            server.execute(f"CREATE DATABASE bower_kept_{name}")
    (made.folder / "one").mkdir()
    key = "Zm9yLXRlc3RzLW9ubHktMzItYnl0ZXMtb2Yta2V5ISE="
    (made.folder / "one/secrets.env").write_text(f"SECRET_KEY=for-tests\nDEAL_KEY={key}\n")
    done = made.manage("one", "migrate", "-v", "0")
    assert done.returncode == 0, done.stderr
    made.told("one", PREPARE)
    yield made
    with psycopg.connect(postgres_url, autocommit=True) as server:
        for statement in dropping:
            server.execute(statement)


@pytest.fixture(scope="module")
def backup(kept: Kept) -> Path:
    """A backup of the site."""
    done = kept.manage("one", "backup")
    assert done.returncode == 0, done.stderr
    assert "1 unfinished games replayed" in done.stdout
    (path,) = (kept.folder / "one/backups").glob("bower-*")
    return path


@pytest.mark.postgres
@pytest.mark.slow
class TestPostgres:
    def test_a_backup_is_verified_in_a_temporary_database(self, kept: Kept, backup: Path) -> None:
        told = kept.manage("one", "backup", "--verify", backup).stdout
        assert "it was restored to a temporary database, 1 unfinished games replayed" in told
        with psycopg.connect(kept.server) as server:
            left = server.execute(
                "SELECT count(*) FROM pg_database WHERE datname LIKE 'bower_check_%'"
            )
            assert left.fetchone() == (0,)

    def test_a_role_without_createdb_only_reads_the_dump(self, kept: Kept, backup: Path) -> None:
        with psycopg.connect(kept.server, autocommit=True) as server:
            server.execute("DROP ROLE IF EXISTS bower_plain")
            server.execute("CREATE ROLE bower_plain LOGIN")
        url = kept.url("one").replace("//bower@", "//bower_plain@")
        told = kept.manage("one", "backup", "--verify", backup, DATABASE_URL=url).stdout
        assert "it was not restored, since the role may not create databases" in told
        assert "unfinished games not replayed" in told

    def test_restoring_into_an_empty_and_an_existing_database(
        self, kept: Kept, backup: Path
    ) -> None:
        done = kept.manage("other", "restore", backup)
        assert done.returncode == 0, done.stderr
        assert kept.told("other", FITS) == "fits"
        assert kept.events("other") == 12
        kept.change("other", GO_ON)
        assert "There is a database already" in refusal(kept.manage("other", "restore", backup))

        with psycopg.connect(kept.url("other")):
            line = refusal(kept.manage("other", "restore", backup, "--replace"))
        assert "1 other connections to the PostgreSQL database" in line
        assert kept.events("other") == 0

        done = kept.manage("other", "restore", backup, "--replace")
        assert done.returncode == 0, done.stderr
        assert kept.told("other", FITS) == "fits"
        assert kept.events("other") == 12
        (aside,) = (kept.folder / "other/copies").iterdir()
        assert {path.name for path in aside.iterdir()} == {"db.dump", "secrets.env"}

    def test_a_game_that_cannot_be_replayed_makes_no_backup(self, kept: Kept, backup: Path) -> None:
        kept.change("other", "UPDATE games_game SET score_0 = 9")
        line = refusal(kept.manage("other", "backup"))
        assert "does not match its events" in line
        assert not list((kept.folder / "other/backups").glob("bower-*"))

    def test_a_sqlite_backup_is_refused(self, kept: Kept, backup: Path, tmp_path: Path) -> None:
        line = refusal(manage("restore", backup, "--data", tmp_path / "var"))
        assert "it is from postgresql, and this site uses sqlite" in line


class TestPrograms:
    def which(self, monkeypatch: pytest.MonkeyPatch, found: dict[str | None, str]) -> None:
        """Let programs of these versions be found in some folders (None: the PATH)."""
        monkeypatch.setattr(
            shutil,
            "which",
            lambda name, path=None: f"{path}/{name}" if path in found else None,
        )
        monkeypatch.setattr(postgres, "_folders", lambda: [one for one in found if one])

        def run(command: list[str], **_options: object) -> SimpleNamespace:
            folder = command[0].rpartition("/")[0]
            version = found[None if folder == "None" else folder]
            return SimpleNamespace(stdout=f"pg_dump (PostgreSQL) {version}")

        monkeypatch.setattr(subprocess, "run", run)

    def test_the_program_of_the_servers_version_is_used(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.which(monkeypatch, {None: "17.2", "/usr/lib/postgresql/15/bin": "15.9 (Debian)"})
        assert postgres.program("pg_dump", 15) == "/usr/lib/postgresql/15/bin/pg_dump"
        assert postgres.program("pg_dump", 17) == "None/pg_dump"

    def test_otherwise_the_next_newer_one_is_used(self, monkeypatch: pytest.MonkeyPatch) -> None:
        places = {None: "14.3", "/usr/lib/postgresql/18/bin": "18.1", "/usr/pgsql-17/bin": "17.2"}
        self.which(monkeypatch, {**places})
        assert postgres.program("pg_dump", 16) == "/usr/pgsql-17/bin/pg_dump"

    def test_an_older_program_is_reported(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.which(monkeypatch, {None: "14.3"})
        with pytest.raises(
            BackupError, match=r"pg_dump is of version 14, and the server is 15.* or newer"
        ):
            postgres.program("pg_dump", 15)

    def test_a_missing_program_is_reported(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.which(monkeypatch, {})
        with pytest.raises(BackupError, match=r"pg_dump is not installed: .* PostgreSQL 15"):
            postgres.program("pg_dump", 15)


def test_settings_unknown_to_an_older_server_are_left_out(tmp_path: Path) -> None:
    head = (
        "--\n-- PostgreSQL database dump\n--\n\nSET lock_timeout = 0;\n{}SELECT pg_catalog.x();\n"
    )
    rest = (
        "CREATE TABLE a (b text);\nCOPY a (b) FROM stdin;\nSET what = 'a line of a letter'\n\\.\n"
    )
    (tmp_path / "draft").write_text(head.format("SET transaction_timeout = 0;\n") + rest)
    postgres.leave_out_settings(tmp_path / "draft", tmp_path / "statements", {"lock_timeout"})
    assert (tmp_path / "statements").read_text() == head.format("") + rest
