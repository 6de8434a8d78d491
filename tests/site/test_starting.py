"""Refusals at startup: databases of other versions or keys."""

import asyncio
import atexit
import os
import sqlite3
import stat
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from cryptography.fernet import Fernet
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection
from django.db.migrations.recorder import MigrationRecorder

from euchre_site.backups.sqlite import COPIES, keep_copy
from euchre_site.run.lifespan import lifespan, take_over
from euchre_site.startup import startup
from euchre_site.startup.data_folder import keep_private
from euchre_site.startup.startup import StartError
from games.engine.rules import HEADS_UP
from games.live import state
from games.models import KeyMark, Shuffle
from games.sockets import loop
from tests.factories import player, table
from tests.served import ROOT
from tests.site.processes import PATIENCE, environment


@pytest.fixture(autouse=True)
def _same_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the check from closing the test's connection and changing files."""
    monkeypatch.setattr(connection, "close", lambda: None)
    monkeypatch.setattr(startup, "keep_private", lambda _folder: None)


@pytest.mark.django_db
class TestVersions:
    def test_a_database_of_this_version_is_accepted(self) -> None:
        startup.check()
        assert startup.missing_migrations() == []

    def test_a_newer_database_is_refused(self) -> None:
        MigrationRecorder(connection).record_applied("games", "0999_boards")
        with pytest.raises(StartError, match=r"newer version.*1 of its.*games\.0999_boards"):
            startup.check()

    def test_migrations_of_removed_apps_do_not_count(self) -> None:
        MigrationRecorder(connection).record_applied("admin", "0999_whatever")
        startup.check()

    def test_an_older_database_is_refused_with_a_fix(self) -> None:
        MigrationRecorder(connection).record_unapplied("sessions", "0001_initial")
        with pytest.raises(
            StartError, match=r"lacks 1 migrations.*sessions\.0001_initial: copy.*run"
        ):
            startup.check()

    def test_an_unreachable_database_is_reported_in_one_line(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def away() -> None:
            raise DatabaseError("connection refused\n\tIs the server running?")

        monkeypatch.setattr(startup, "refuse_other_versions", away)
        with pytest.raises(StartError) as refusal:
            startup.check()
        assert str(refusal.value) == "The database cannot be used: connection refused"


@pytest.mark.django_db
class TestKeys:
    def test_the_keys_of_the_first_start_are_accepted(self) -> None:
        startup.check_keys()
        assert set(KeyMark.objects.values_list("name", flat=True)) == {"DEAL_KEY", "SECRET_KEY"}
        startup.check_keys()

    @pytest.mark.parametrize("name", ["DEAL_KEY", "SECRET_KEY"])
    def test_other_keys_are_refused(self, settings: Any, name: str) -> None:
        startup.check_keys()
        right = getattr(settings, name)
        setattr(settings, name, Fernet.generate_key().decode())
        for _time in range(2):
            with pytest.raises(StartError, match=f"belongs to another {name}"):
                startup.check_keys()
        setattr(settings, name, right)
        startup.check_keys()

    def test_accept_key_accepts_a_new_secret_key(self, settings: Any) -> None:
        startup.check_keys()
        settings.SECRET_KEY = "a new one, since the old one was published"
        call_command("accept_key", "SECRET_KEY", stdout=StringIO())
        startup.check_keys()
        with pytest.raises(CommandError, match="choose from"):
            call_command("accept_key", "DEAL_KEY")

    def test_a_new_secret_key_with_its_predecessor_as_fallback(self, settings: Any) -> None:
        startup.check_keys()
        former, settings.SECRET_KEY = settings.SECRET_KEY, "a new one, as every year"
        settings.SECRET_KEY_FALLBACKS = ["another", former]
        startup.check_keys()
        settings.SECRET_KEY_FALLBACKS = []
        startup.check_keys()
        settings.SECRET_KEY = former
        with pytest.raises(StartError, match="belongs to another SECRET_KEY"):
            startup.check_keys()

    def test_a_database_without_marks_is_checked_by_its_secrets(self, settings: Any) -> None:
        table(player())  # with the secret of its first shuffle
        assert Shuffle.objects.exists()
        right, settings.DEAL_KEY = settings.DEAL_KEY, Fernet.generate_key().decode()
        for _time in range(2):
            with pytest.raises(StartError, match="belongs to another DEAL_KEY"):
                startup.check_keys()
        settings.DEAL_KEY = right
        startup.check_keys()

    def test_marks_identify_keys_without_revealing_them(self, settings: Any) -> None:
        settings.SECRET_KEY = settings.DEAL_KEY
        first, second = startup.mark_of("SECRET_KEY"), startup.mark_of("DEAL_KEY")
        assert first != second
        assert len(first) == 64
        assert settings.DEAL_KEY not in first + second


@pytest.mark.django_db(transaction=True)
async def test_a_web_server_refuses_another_database(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refused() -> None:
        raise StartError("The database is of a newer version of Bower.")

    ends: list[object] = []
    monkeypatch.setattr(startup, "check", refused)
    monkeypatch.setattr(atexit, "register", lambda *how: ends.append(how))
    sent: list[Any] = []

    async def receive() -> dict[str, str]:
        return {"type": "lifespan.startup"}

    async def send(message: Any) -> None:
        sent.append(message)

    await lifespan({}, receive, send)
    message = "The database is of a newer version of Bower."
    assert sent == [{"type": "lifespan.startup.failed", "message": message}]
    assert ends == [(os._exit, startup.REFUSED)]


@pytest.mark.django_db
def test_a_server_reloads_tables_that_a_command_loaded() -> None:
    at = table(player("Ada"), rules=HEADS_UP, house_seats=[1])
    async_to_sync(state.get)(at.pk)
    try:
        asyncio.run(take_over())
        assert state.kept(at.pk) is None
    finally:
        loop.set_web_loop(None)


WEB = ("-m", "uvicorn", "euchre_site.asgi:application", "--port", "0", "--log-level", "warning")
BEAT = ("-m", "celery", "--quiet", "-A", "euchre_site", "beat")


@pytest.mark.parametrize("command", [WEB, BEAT], ids=["web", "schedule"])
@pytest.mark.parametrize(
    ("database", "status", "said"),
    [
        ("", startup.REFUSED, "lacks "),
        ("postgres://bower@127.0.0.1:1/bower", 1, "The database cannot be used: "),
    ],
    ids=["refused", "away"],
)
def test_only_permanent_errors_exit_with_the_config_status(
    tmp_path: Path, command: tuple[str, ...], database: str, status: int, said: str
) -> None:
    keys = {"SECRET_KEY": "a" * 60, "DEAL_KEY": "b" * 43 + "="}
    variables = environment() | keys | {"BOWER_DATA": str(tmp_path), "DATABASE_URL": database}
    done = subprocess.run(
        [sys.executable, *command],
        cwd=ROOT, env=variables, capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode == status
    units = [path.read_text() for path in (ROOT / "deploy/systemd").glob("bower*.service")]
    kept = [text for text in units if "Restart=always" in text]
    assert len(kept) == 4
    assert all(f"RestartPreventExitStatus={startup.REFUSED}\n" in text for text in kept)


class TestCopies:
    @pytest.fixture
    def database(self, tmp_path: Path) -> sqlite3.Connection:
        made = sqlite3.connect(tmp_path / "db.sqlite3")
        made.execute("PRAGMA journal_mode = WAL")
        made.execute("CREATE TABLE game (id)")
        made.execute("INSERT INTO game VALUES (7)")
        made.commit()
        return made

    def test_a_copy_contains_everything(self, database: sqlite3.Connection, tmp_path: Path) -> None:
        copy = tmp_path / "copies/db-1.sqlite3"
        keep_copy(database, copy)
        with sqlite3.connect(copy) as copied:
            assert copied.execute("SELECT id FROM game").fetchall() == [(7,)]
        assert stat.S_IMODE(copy.stat().st_mode) == 0o600
        assert stat.S_IMODE(copy.parent.stat().st_mode) == 0o700

    def test_the_latest_copies_are_kept(self, database: sqlite3.Connection, tmp_path: Path) -> None:
        names = [f"db-{number}.sqlite3" for number in range(COPIES + 2)]
        for name in names:
            keep_copy(database, tmp_path / "copies" / name)
        assert sorted(path.name for path in (tmp_path / "copies").iterdir()) == names[2:]

    def test_a_failed_copy_leaves_nothing(self, tmp_path: Path) -> None:
        (tmp_path / "db.sqlite3").write_bytes(b"no database" * 100)
        broken = sqlite3.connect(tmp_path / "db.sqlite3")
        with pytest.raises(sqlite3.Error):
            keep_copy(broken, tmp_path / "copies/db-1.sqlite3")
        assert list((tmp_path / "copies").iterdir()) == []


def test_the_data_folder_is_private(tmp_path: Path) -> None:
    folder = tmp_path / "var"
    (folder / "mail").mkdir(parents=True)
    (folder / "mail/1.log").write_text("a letter")
    (folder / "db.sqlite3").touch()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.touch()
    (folder / "link").symlink_to(elsewhere)
    for path in (folder, folder / "mail"):
        path.chmod(0o755)
    for path in (folder / "mail/1.log", folder / "db.sqlite3", elsewhere):
        path.chmod(0o644)
    keep_private(folder)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.rglob("*")}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert modes == {"mail": 0o700, "1.log": 0o600, "db.sqlite3": 0o600, "link": 0o644}
    (folder / "later").touch()
    assert stat.S_IMODE((folder / "later").stat().st_mode) == 0o600
