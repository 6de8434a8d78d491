"""`manage.py doctor` reports every fault of an installation, each of which is made real."""

import json
import os
import re
import socketserver
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import redis as redis_client
from cryptography.fernet import Fernet
from django.db import DEFAULT_DB_ALIAS, connection
from django.db.migrations.recorder import MigrationRecorder
from django.db.utils import ConnectionHandler
from django.utils import timezone
from pytest_django.fixtures import Settings

from euchre_site.backups import backups
from euchre_site.health import doctor, local_checks, remote_checks
from euchre_site.health.doctor import Options
from euchre_site.health.findings import Finding, Level, fine, note, wrong
from euchre_site.startup import startup
from games.bots import levels
from games.live import thinking
from games.models import KeyMark, Shuffle
from games.review import reports
from games.sockets import heartbeats
from tests.factories import player, table
from tests.served import ROOT, copy_of, free_port
from tests.site.processes import PATIENCE, environment, manage

NOW = datetime(2026, 11, 23, 20, 0, tzinfo=UTC)
KEYS = {"SECRET_KEY": "kX9-wq2b" * 8, "DEAL_KEY": Fernet.generate_key().decode()}
GUIDE = (ROOT / "docs/running.md").read_text()
NOWHERE = Path("/proc/self")  # a folder in which nobody, root neither, can make a file


def titles(findings: Iterable[Finding], level: Level = Level.WRONG) -> list[str]:
    """Return the titles of a level; each finding must have details and a fix."""
    found = [one for one in findings if one.level is level]
    assert all(one.details and (one.fix or level is Level.FINE) for one in found)
    return [one.title for one in found]


def run_doctor(
    data: Path, *options: str, **variables: str
) -> tuple[int, dict[str, dict[str, str]]]:
    """Run the command as a process; return its status and its findings by title."""
    done = manage("doctor", "--json", "--data", data, *options, **variables)
    assert done.stderr == ""
    said = json.loads(done.stdout)
    found = {one["title"]: one for one in said["findings"]}
    bad = any(one["level"] == "wrong" for one in found.values())
    assert (said["fine"], done.returncode) == (not bad, int(bad))
    for value in (*variables.values(), "swordfish"):
        if value in KEYS.values() or value == "swordfish":
            assert value not in done.stdout
    return done.returncode, found


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with keys, a database and collected files."""
    data: Path = tmp_path_factory.mktemp("doctor") / "var"
    copy_of("installation", data, install)
    return data


def install(data: Path) -> None:
    for command in (["make_keys"], ["migrate", "-v0"], ["collectstatic", "-v0", "--noinput"]):
        subprocess.run(
            ["sh", "-c", 'umask 077; exec "$@"', "sh", sys.executable, "manage.py", *command],
            cwd=ROOT, env=environment() | {"BOWER_DATA": str(data)}, check=True,
            capture_output=True, timeout=PATIENCE,
        )  # fmt: skip


class TestCommand:
    def test_a_new_installation_has_no_problems(self, installation: Path) -> None:
        status, found = run_doctor(installation)
        assert status == 0
        notes = {title for title, one in found.items() if one["level"] == "note"}
        assert notes == {
            "Mails are not sent", "Schedule and workers have never run",
            "Push on this machine only", "Backup: none in the last day",
        }  # fmt: skip

    def test_text_output(self, installation: Path) -> None:
        done = manage("doctor", "--data", installation, DEBUG="true")
        assert done.returncode == 1
        assert done.stdout.startswith("WRONG  DEBUG is on\n       Error pages show")
        assert "\n       Fix: Remove DEBUG from the environment.\n" in done.stdout
        assert done.stdout.endswith("\n1 to fix.\n")

    def test_the_doctor_changes_nothing(self, installation: Path) -> None:
        def all_of_it() -> dict[str, bytes]:
            files = (path for path in installation.rglob("*") if path.is_file())
            return {str(path): path.read_bytes() for path in files}

        before = all_of_it()
        run_doctor(installation)
        assert all_of_it() == before

    def test_several_can_run_at_once(self, installation: Path) -> None:
        command = [sys.executable, "manage.py", "doctor", "--data", str(installation)]
        many = [
            subprocess.Popen(command, cwd=ROOT, env=environment(), stdout=subprocess.PIPE)
            for _ in range(2)
        ]
        assert [one.communicate(timeout=PATIENCE)[0][-19:] for one in many] == [
            b"\nNothing is wrong.\n"
        ] * 2

    def test_missing_keys(self, tmp_path: Path) -> None:
        status, found = run_doctor(tmp_path / "var")
        assert status == 1
        assert found.keys() == {f"A setting is wrong: {name}_KEY" for name in ("SECRET", "DEAL")}
        what = found["A setting is wrong: SECRET_KEY"]["what"]
        assert f"SECRET_KEY is not set and {tmp_path}/var/secrets.env does not contain it" in what
        assert not (tmp_path / "var").exists()

    def test_a_malformed_key_is_named_without_its_value(self, tmp_path: Path) -> None:
        _status, found = run_doctor(tmp_path, **KEYS | {"DEAL_KEY": "swordfish"})
        assert "DEAL_KEY is not a key" in found["A setting is wrong: DEAL_KEY"]["what"]

    def test_an_unreadable_secrets_file(self, tmp_path: Path) -> None:
        (tmp_path / "secrets.env").write_bytes(b"SITE_NAME=M\xfchle\n")
        _status, found = run_doctor(tmp_path, **KEYS)
        (mend,) = (one["mend"] for title, one in found.items() if "secrets.env" in title)
        assert "restore it from a copy" in mend

    def test_keys_of_another_database(self, installation: Path) -> None:
        with_marks = "from euchre_site.startup.startup import check_keys; check_keys()"
        done = manage("shell", "-v0", "-c", with_marks, BOWER_DATA=str(installation))
        assert done.returncode == 0, done.stderr
        _status, found = run_doctor(installation, **KEYS)
        for name in KEYS:
            assert name in found[f"The database belongs to another {name}"]["mend"]
        assert "accept_key" in found["The database belongs to another SECRET_KEY"]["mend"]

    def test_a_missing_database_is_not_created(self, tmp_path: Path) -> None:
        _status, found = run_doctor(tmp_path, **KEYS)
        assert f"no file {tmp_path}/db.sqlite3" in found["The database cannot be used"]["what"]
        assert "Static files are not collected" in found
        assert list(tmp_path.iterdir()) == []

    def test_a_file_that_is_not_a_database(self, tmp_path: Path) -> None:
        (tmp_path / "db.sqlite3").write_bytes(b"a shopping list" * 100)
        _status, found = run_doctor(tmp_path, **KEYS)
        assert "not a database" in found["The database cannot be used"]["what"]

    def test_unreachable_servers(self, installation: Path) -> None:
        _status, found = run_doctor(
            installation,
            DATABASE_URL=f"postgres://bower:swordfish@127.0.0.1:{free_port()}/bower",
            REDIS_URL=f"redis://:swordfish@127.0.0.1:{free_port()}/0",
            EMAIL_URL=f"smtp://bower:swordfish@127.0.0.1:{free_port()}",
        )
        assert "Connection refused" in found["The database cannot be used"]["what"]
        assert "Connection refused" in found["Redis cannot be used"]["what"]
        assert "Connection refused" in found["Mails cannot be sent"]["what"]


class TestVersions:
    def test_packages_match_the_requirements(self) -> None:
        assert titles(local_checks.versions()) == titles(local_checks.versions(), Level.NOTE) == []

    def test_missing_and_different_packages_are_named(self, tmp_path: Path) -> None:
        pins = tmp_path / "requirements.txt"
        pins.write_text(
            "django==4.0 \\\n    --hash=sha256:0\nbower-cards==1 \\\n"
            "elsewhere==2 ; sys_platform == 'win32' \\\n"
        )
        found = {one.title: one.details for one in local_checks.versions(pins)}
        assert found["Packages are missing"] == "Not installed: bower-cards 1."
        assert re.fullmatch(
            r"Installed: django 5\S+ instead of 4.0\.", found["Different package versions"]
        )

    @pytest.mark.parametrize("python", [(3, 10), (3, 99)])
    def test_an_untested_python(self, python: tuple[int, int]) -> None:
        said = titles(local_checks.versions(python=python), Level.NOTE)
        assert said == ["Untested Python version"]

    def test_python_versions_match_the_project(self) -> None:
        known = re.findall(r'"Programming Language :: Python :: 3\.(\d+)"',
                           (ROOT / "pyproject.toml").read_text())  # fmt: skip
        assert ((3, int(known[0])), (3, int(known[-1]))) == local_checks.PYTHONS


@pytest.mark.parametrize("key", ["short", "a" * 60])
def test_a_weak_key(settings: Settings, key: str) -> None:
    settings.SECRET_KEY = key
    (found,) = local_checks.key_strength()
    assert found.level is Level.WRONG
    assert key not in str(found)


class TestFolder:
    @pytest.fixture
    def data(self, tmp_path: Path) -> Path:
        """A data folder as a start leaves it."""
        data = tmp_path / "var"
        data.mkdir(mode=0o700)
        (data / "db.sqlite3").touch(mode=0o600)
        return data

    def test_no_problem(self, data: Path) -> None:
        assert titles(local_checks.folder(data)) == []
        assert titles(local_checks.folder(data), Level.NOTE) == []

    def test_none(self, tmp_path: Path) -> None:
        assert titles(local_checks.folder(tmp_path / "var")) == ["There is no data folder"]

    def test_open_to_others(self, data: Path) -> None:
        data.chmod(0o750)
        assert titles(local_checks.folder(data)) == ["Other users can open the data folder"]

    def test_a_file_protected_only_by_its_folder(self, data: Path) -> None:
        (data / "db.sqlite3").chmod(0o644)
        (found,) = local_checks.folder(data)
        assert (found.level, str(data / "db.sqlite3") in found.details) == (Level.NOTE, True)

    @pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
    def test_a_file_of_another_owner(self, data: Path) -> None:
        os.chown(data / "db.sqlite3", 12345, -1)
        assert titles(local_checks.folder(data)) == ["Files with another owner"]

    @pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
    def test_run_by_another_user(self, data: Path) -> None:
        for path in (data, data / "db.sqlite3"):
            os.chown(path, 12345, -1)
        assert titles(local_checks.folder(data), Level.NOTE) == ["Run as another user"]


class TestDisk:
    def test_enough_space(self, tmp_path: Path) -> None:
        assert titles(local_checks.disk(tmp_path, try_writing=True)) == []
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.skipif(not NOWHERE.is_dir(), reason="needs Linux")
    def test_a_read_only_folder(self) -> None:
        assert titles(local_checks.disk(NOWHERE, try_writing=True)) == [
            "The disk cannot be written"
        ]
        assert list(local_checks.file_clock(NOWHERE, timezone.now)) == []

    def test_full_and_nearly_full(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(local_checks, "NEARLY_FULL", 2**70)
        assert titles(local_checks.disk(tmp_path, try_writing=True), Level.NOTE) == [
            "The disk is nearly full"
        ]
        monkeypatch.setattr(local_checks, "FULL", 2**69)
        assert titles(local_checks.disk(tmp_path, try_writing=True)) == ["The disk is full"]


def test_a_slow_check_is_not_a_clock_difference() -> None:

    def compared(seconds: int) -> Finding:
        """Compare a clock read within a minute, which is so far ahead of the start of it."""
        theirs = NOW + timedelta(seconds=seconds)
        return local_checks.compare_clocks("it", NOW, theirs, NOW + timedelta(minutes=1))

    assert compared(30).level is Level.FINE
    assert "58 seconds ahead" in compared(118).details
    assert "9 seconds behind" in compared(-9).details


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_wrong_clock(tmp_path: Path, hours: int) -> None:
    assert titles(local_checks.file_clock(tmp_path, timezone.now)) == []
    (found,) = local_checks.file_clock(tmp_path, lambda: timezone.now() + timedelta(hours=hours))
    assert found.title == "Clocks differ"
    assert ("behind" if hours > 0 else "ahead of") in found.details


def test_the_settings_say_how_many_connections_the_doctor_counts(settings: Settings) -> None:
    said = " ".join((ROOT / "docs/settings.md").read_text().split())
    web = remote_checks.RESERVED_CONNECTIONS + remote_checks.SESSION_CONNECTIONS
    worker = settings.WORKER_THREADS + remote_checks.RESERVED_CONNECTIONS
    assert f"`DB_POOL` + {web} connections, {settings.PAGES_AT_ONCE + web} by default" in said
    assert f"A worker uses at most {worker}:" in said
    assert f"uses `DB_POOL` + {web + settings.WORKER_THREADS}." in said


class TestStaticFiles:
    @pytest.fixture(autouse=True)
    def _collected(self, settings: Settings, installation: Path) -> None:
        settings.STATIC_LIVE = False
        settings.STATIC_ROOT = installation / "static"

    def test_files_of_this_version(self) -> None:
        assert titles(local_checks.static_files()) == []

    def test_none(self, settings: Settings, tmp_path: Path) -> None:
        settings.STATIC_ROOT = tmp_path
        assert titles(local_checks.static_files()) == ["Static files are not collected"]

    def test_files_of_another_version(self, settings: Settings, tmp_path: Path) -> None:
        (tmp_path / "css").mkdir()
        (tmp_path / "css/new.css").write_text("a { color: red; }")
        settings.STATICFILES_DIRS = [*settings.STATICFILES_DIRS, tmp_path]
        (found,) = local_checks.static_files()
        assert found.title == "Static files are from another version"
        assert "css/new.css" in found.details

    def test_sources_are_served(self, settings: Settings) -> None:
        settings.STATIC_LIVE = True
        assert len(titles(local_checks.static_files(), Level.NOTE)) == 1


class TestAddresses:
    @pytest.fixture(autouse=True)
    def _behind_a_proxy(self, settings: Settings) -> None:
        settings.SITE_URL = "https://euchre.example.org"
        settings.HTTPS = True
        settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
        settings.ALLOWED_HOSTS = ["euchre.example.org"]
        settings.CSRF_TRUSTED_ORIGINS = ["https://euchre.example.org"]
        settings.DEBUG = False

    def test_settings_of_the_guide(self) -> None:
        assert (
            titles(local_checks.addresses()) == titles(local_checks.addresses(), Level.NOTE) == []
        )

    def test_example_values_are_reported(self, settings: Settings) -> None:
        settings.DEFAULT_FROM_EMAIL = "Bower <bower@euchre.example.org>"
        (left,) = local_checks.leftovers()
        assert left.level is Level.WRONG
        assert left.details.startswith(
            "SITE_URL, ALLOWED_HOSTS, CSRF_TRUSTED_ORIGINS, DEFAULT_FROM_EMAIL: "
        )
        settings.SITE_URL, settings.ALLOWED_HOSTS = "https://euchre.club", ["euchre.club"]
        settings.CSRF_TRUSTED_ORIGINS = ["https://notexample.org"]
        settings.DEFAULT_FROM_EMAIL = "bower@euchre.club"
        assert list(local_checks.leftovers()) == []

    @pytest.mark.parametrize(
        ("change", "title"),
        [
            ({"ALLAUTH_TRUSTED_PROXY_COUNT": 0}, "HTTPS without a trusted proxy"),
            ({"HTTPS": False, "SITE_URL": "http://euchre.example.org"}, "A proxy without HTTPS"),
            ({"SITE_URL": "http://euchre.example.org"}, "SITE_URL and HTTPS disagree"),
            ({"ALLOWED_HOSTS": ["localhost"]}, "The site does not answer under its own name"),
            ({"DEBUG": True}, "DEBUG is on"),
        ],
    )
    def test_inconsistent_addresses(
        self, settings: Settings, change: dict[str, Any], title: str
    ) -> None:
        for name, value in change.items():
            setattr(settings, name, value)
        assert titles(local_checks.addresses()) == [title]

    @pytest.mark.parametrize(
        ("change", "title"),
        [
            ({"ALLOWED_HOSTS": ["*"]}, "The site answers under any name"),
            (
                {"CSRF_TRUSTED_ORIGINS": ["https://other.example"]},
                "Another site may post here",
            ),
        ],
    )
    def test_unusual_addresses(
        self, settings: Settings, change: dict[str, Any], title: str
    ) -> None:
        for name, value in change.items():
            setattr(settings, name, value)
        assert titles(local_checks.addresses(), Level.NOTE) == [title]


class TestWorkers:
    def test_no_problem(self, settings: Settings) -> None:
        settings.HOUSE_PROCESSES = 1
        found = list(local_checks.workers())
        assert titles(found) == []
        assert titles(found, Level.FINE) == ["House players", "Reviews"]

    def test_a_process_that_does_not_start(
        self, settings: Settings, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        settings.HOUSE_PROCESSES = 1
        monkeypatch.setattr(levels.choose_by_seed, "__module__", "nowhere")
        monkeypatch.setattr(reports.judge_as_data, "__module__", "nowhere")
        house, review = local_checks.workers()
        assert titles([house, review]) == [
            "House players: their process fails", "Reviews: their process fails",
        ]  # fmt: skip
        assert "No module named 'nowhere'" in house.details
        assert "decide in the web process" in house.details
        assert "Games are not reviewed." in review.details

    def test_house_players_that_the_web_process_thinks_for(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(thinking, "slowness", thinking.Slowness())
        assert list(local_checks.house_players()) == []
        monkeypatch.setattr(thinking.pool, "why_failing", "no answer within 2 seconds")
        (found,) = local_checks.house_players()
        assert titles([found]) == ["House players: their process fails"]
        assert "Reason: no answer within 2 seconds." in found.details


@pytest.mark.django_db
class TestMigrations:
    def test_no_problem(self) -> None:
        assert remote_checks.migrations(running=False).level is Level.FINE

    def test_a_newer_database(self) -> None:
        MigrationRecorder(connection).record_applied("games", "0999_boards")
        newer = remote_checks.migrations(running=False)
        assert (newer.level, newer.title) == (
            Level.WRONG, "The database is from another version",
        )  # fmt: skip
        assert remote_checks.migrations(running=True).level is Level.NOTE

    def test_an_older_database_is_not_checked_further(self) -> None:
        MigrationRecorder(connection).record_unapplied("sessions", "0001_initial")
        assert "The database lacks migrations" in titles(doctor.database(Options(), timezone.now))


@pytest.mark.django_db
class TestKeys:
    def test_keys_of_the_database(self) -> None:
        startup.check_keys()
        assert titles(remote_checks.key_marks()) == []

    def test_no_mark_is_stored_in_a_new_database(self) -> None:
        assert titles(remote_checks.key_marks()) == []
        assert not KeyMark.objects.exists()

    @pytest.mark.parametrize("name", ["DEAL_KEY", "SECRET_KEY"])
    def test_another_key(self, settings: Settings, name: str) -> None:
        startup.check_keys()
        setattr(settings, name, Fernet.generate_key().decode())
        assert titles(remote_checks.key_marks()) == [f"The database belongs to another {name}"]

    def test_another_deal_key_without_a_mark(self, settings: Settings) -> None:
        table(player())
        assert Shuffle.objects.exists()
        settings.DEAL_KEY = Fernet.generate_key().decode()
        assert titles(remote_checks.key_marks()) == ["The database belongs to another DEAL_KEY"]


@pytest.mark.django_db
class TestServices:
    def test_running(self) -> None:
        for name in heartbeats.PARTS:
            heartbeats.beat(name, NOW)
        found = list(remote_checks.services(NOW + timedelta(seconds=5), running=False))
        assert {one.level for one in found} == {Level.FINE}
        assert list(remote_checks.service_clocks(NOW)) == []

    def test_never_started(self) -> None:
        assert titles(remote_checks.services(NOW, running=False), Level.NOTE) == [
            "Schedule and workers have never run"
        ]
        assert len(titles(remote_checks.services(NOW, running=True))) == len(heartbeats.PARTS)

    def test_stopped_and_missing_workers(self) -> None:
        heartbeats.beat("schedule", NOW)
        heartbeats.beat("ticks", NOW - timedelta(minutes=5))
        _schedule, late, never = remote_checks.services(NOW, running=False)
        assert late.title == "Short tasks: not running"
        assert "23 November 2026, 19:55 UTC" in late.details
        assert never.title == "Long tasks: not running"

    def test_a_heartbeat_in_the_future(self) -> None:
        heartbeats.beat("ticks", NOW + timedelta(hours=1))
        assert titles(remote_checks.service_clocks(NOW)) == ["Clocks differ"]


@pytest.mark.django_db
class TestBackups:
    def test_a_recent_backup(self) -> None:
        heartbeats.beat(backups.MADE, NOW - timedelta(hours=20))
        found = remote_checks.last_backup(NOW, running=False)
        assert (found.level, found.details) == (
            Level.FINE, "The last backup was made on 23 November 2026, 00:00 UTC.",
        )  # fmt: skip

    def test_a_missing_or_late_backup(self) -> None:
        never = remote_checks.last_backup(NOW, running=True)
        assert (never.level, never.title) == (Level.NOTE, "Backup: none in the last day")
        heartbeats.beat(backups.MADE, NOW - timedelta(days=2))
        assert remote_checks.last_backup(NOW, running=False).level is Level.NOTE
        assert remote_checks.last_backup(NOW, running=True).level is Level.WRONG

    def test_a_failed_backup(self) -> None:
        heartbeats.beat(backups.MADE, NOW - timedelta(hours=20))
        heartbeats.beat(backups.FAILED, NOW - timedelta(hours=1))
        assert titles([remote_checks.last_backup(NOW, running=False)]) == ["Backups fail"]


class TestSQLite:
    @contextmanager
    def database(self, tmp_path: Path, **options: str) -> Iterator[Any]:
        """A connection to a file of its own."""
        file = {"ENGINE": "django.db.backends.sqlite3", "NAME": str(tmp_path / "db"),
                "OPTIONS": options}  # fmt: skip
        using = ConnectionHandler({DEFAULT_DB_ALIAS: file})[DEFAULT_DB_ALIAS]
        with using.cursor():  # for a test without a database this one is its own
            pass
        try:
            yield using
        finally:
            using.close()

    @pytest.mark.django_db
    @pytest.mark.sqlite
    def test_no_problem(self) -> None:
        assert titles(remote_checks.sqlite(connection)) == []

    @pytest.mark.django_db
    @pytest.mark.parametrize("pragma", ["journal_mode = DELETE", "synchronous = NORMAL"])
    def test_settings_that_may_lose_data(self, tmp_path: Path, pragma: str) -> None:
        wal = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA "
        with self.database(tmp_path, init_command=wal + pragma) as using:
            found = titles(remote_checks.sqlite(using))
        assert found == ["SQLite may lose data"]

    @pytest.mark.parametrize(
        ("path", "kind"), [("/srv/club night/db", "nfs4"), ("/srv/db", "ext4"), ("/db", "")]
    )
    def test_the_file_system_is_recognised(self, tmp_path: Path, path: str, kind: str) -> None:
        mounts = tmp_path / "mounts"
        mounts.write_text("a:/x /srv/club\\040night nfs4 rw 0 0\n/dev/a /srv ext4 rw 0 0\n")
        assert remote_checks.file_system(Path(path), mounts) == kind

    @pytest.mark.django_db
    @pytest.mark.sqlite
    def test_a_network_file_system(self, tmp_path: Path) -> None:
        mounts = tmp_path / "mounts"
        mounts.write_text("server:/export / nfs rw 0 0\n")
        found = titles(remote_checks.sqlite(connection, mounts))
        assert found == ["SQLite on a network file system"]

    @pytest.mark.django_db
    @pytest.mark.sqlite
    def test_with_redis(self, settings: Settings) -> None:
        settings.REDIS_URL = "redis://127.0.0.1/0"
        assert titles(remote_checks.sqlite(), Level.NOTE) == ["SQLite with several processes"]


def ours(process: str) -> int:
    """Return the documented number of connections of a process; with a command, quickstart's."""
    row = re.search(rf"^\| {process} \|.*?(\d+)\)? \|$", GUIDE, re.MULTILINE)
    assert row is not None
    return int(row[1]) + (process == "quickstart")


@pytest.mark.postgres
class TestPostgreSQL:
    def test_all_checks(self, installation: Path, postgres_url: str) -> None:
        """The tests' server runs without durability, and without Bower's tables."""
        _status, found = run_doctor(installation, DATABASE_URL=postgres_url)
        assert found["Database"]["what"].startswith("PostgreSQL ")
        assert "fsync off" in found["PostgreSQL may lose data"]["what"]
        assert found["Connections"]["level"] == "fine"
        assert f"up to {ours('quickstart')} needed (quickstart)" in found["Connections"]["what"]
        assert "PostgreSQL without Redis" in found
        assert "The database lacks migrations" in found

    def test_too_few_connections(self, installation: Path, postgres_url: str) -> None:
        redis = f"redis://127.0.0.1:{free_port()}/0"
        _status, found = run_doctor(
            installation, "--web", "5", "--workers", "2", DATABASE_URL=postgres_url, REDIS_URL=redis
        )
        said = found["PostgreSQL has too few connections"]
        assert f"up to {5 * ours('web') + 2 * ours('worker') + 2} needed" in said["what"]
        assert "max_connections" in said["mend"]

    def test_a_wrong_clock(self, installation: Path, postgres_url: str) -> None:
        late = (
            "from datetime import timedelta\nfrom django.utils import timezone\n"
            "from euchre_site.health import remote_checks\n"
            "clock = lambda: timezone.now() - timedelta(hours=1)\n"
            "print([str(one) for one in remote_checks.postgresql(1, 1, clock)])"
        )
        here = {"BOWER_DATA": str(installation), "DATABASE_URL": postgres_url}
        done = manage("shell", "-v0", "-c", late, **here)
        assert "The clock of PostgreSQL is 3600 seconds ahead" in done.stdout

    def test_a_missing_database(self, installation: Path, postgres_url: str) -> None:
        elsewhere = f"{postgres_url.rpartition('/')[0]}/nowhere"
        _status, found = run_doctor(installation, DATABASE_URL=elsewhere)
        assert 'database "nowhere" does not exist' in found["The database cannot be used"]["what"]


class TestRedis:
    @pytest.fixture
    def server(self, redis_url: str, settings: Settings) -> Iterator[redis_client.Redis]:
        """A Redis that may be emptied, restored at the end of the test."""
        settings.REDIS_URL = redis_url
        with redis_client.Redis.from_url(redis_url) as server:
            server.flushdb()
            yield server
            server.flushdb()
            server.config_set("maxmemory", 0)
            server.config_set("maxmemory-policy", "noeviction")

    def test_none(self, settings: Settings) -> None:
        settings.REDIS_URL = ""
        assert titles(remote_checks.redis()) == []

    @pytest.mark.parametrize("url", ["redis://127.0.0.1:{}/0", "http://127.0.0.1:{}/"])
    def test_away(self, settings: Settings, url: str) -> None:
        settings.REDIS_URL = url.format(free_port())
        assert titles(remote_checks.redis()) == ["Redis cannot be used"]

    @pytest.mark.redis
    @pytest.mark.usefixtures("server")
    def test_no_problem(self) -> None:
        assert titles(remote_checks.redis()) == []

    @pytest.mark.redis
    def test_an_eviction_policy_that_drops_queues(self, server: redis_client.Redis) -> None:
        server.config_set("maxmemory", 2**40)
        server.config_set("maxmemory-policy", "allkeys-lru")
        assert titles(remote_checks.redis()) == ["Redis may evict the task queues"]

    @pytest.mark.redis
    def test_nearly_full(self, server: redis_client.Redis, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(remote_checks, "NEARLY_FULL", 0.0)
        server.config_set("maxmemory", 2**40)
        assert titles(remote_checks.redis()) == ["Redis is full"]

    @pytest.mark.redis
    def test_a_full_server(self, server: redis_client.Redis) -> None:
        server.config_set("maxmemory", 1)
        assert titles(remote_checks.redis()) == ["Redis cannot be used"]

    @pytest.mark.redis
    def test_too_many_waiting_tasks(self, server: redis_client.Redis) -> None:
        server.rpush("ticks", *range(remote_checks.MANY_TASKS + 1))
        assert titles(remote_checks.redis()) == ["No worker takes the tasks"]


class Letters(socketserver.StreamRequestHandler):
    """A minimal mail server for one letter."""

    taken: list[str]

    def handle(self) -> None:
        self.wfile.write(b"220 here\r\n")
        in_letter = False
        for line in map(bytes.decode, self.rfile):
            self.taken.append(line)
            if in_letter:
                in_letter = line != ".\r\n"
                answer = b"" if in_letter else b"250 taken\r\n"
            elif line.upper().startswith("QUIT"):
                self.wfile.write(b"221 bye\r\n")
                return
            else:
                in_letter = line.upper().startswith("DATA")
                answer = b"354 go on\r\n" if in_letter else b"250 yes\r\n"
            self.wfile.write(answer)


@pytest.mark.django_db
class TestMail:
    @pytest.fixture
    def taken(self, settings: Settings) -> Iterator[list[str]]:
        """What a mail server receives."""
        taken: list[str] = []
        handler = type("Handler", (Letters,), {"taken": taken})
        with socketserver.TCPServer(("127.0.0.1", 0), handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
            settings.EMAIL_HOST, settings.EMAIL_PORT = server.server_address[:2]
            settings.EMAIL_HOST_USER = settings.EMAIL_HOST_PASSWORD = ""
            settings.DEFAULT_FROM_EMAIL = "bower@euchre.example.org"
            yield taken
            server.shutdown()

    def test_login_is_checked_without_sending(self, taken: list[str]) -> None:
        assert titles(remote_checks.mails("")) == titles(remote_checks.mails(""), Level.NOTE) == []
        assert taken
        assert not any("DATA" in line for line in taken)

    def test_a_running_site_asks_the_mail_server_once_a_minute(self, taken: list[str]) -> None:
        looks = [titles(doctor.dependencies(Options(), timezone.now, running=True), Level.FINE)]
        greeted = len(taken)
        assert greeted
        looks.append(titles(doctor.dependencies(Options(), timezone.now, running=True), Level.FINE))
        assert all("Mail" in look for look in looks)
        assert len(taken) == greeted

    def test_a_test_mail_is_sent_on_request(self, taken: list[str]) -> None:
        assert titles(remote_checks.mails("maeve@example.org")) == []
        assert "rcpt TO:<maeve@example.org>\r\n" in taken

    @pytest.mark.usefixtures("taken")
    def test_no_real_sender_address(self, settings: Settings) -> None:
        settings.DEFAULT_FROM_EMAIL = "bower@localhost"
        assert titles(remote_checks.mails(""), Level.NOTE) == ["Mails have no real sender"]

    @pytest.mark.usefixtures("taken")
    def test_a_wrong_password(self, settings: Settings) -> None:
        settings.EMAIL_HOST_USER, settings.EMAIL_HOST_PASSWORD = "bower", "swordfish"
        (found,) = remote_checks.mails("")
        assert found.level is Level.WRONG
        assert "swordfish" not in str(found)

    def test_none(self, settings: Settings) -> None:
        settings.EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
        assert titles(remote_checks.mails(""), Level.NOTE) == ["Mails are not sent"]


def test_a_failing_check_is_reported_and_the_others_run() -> None:
    def breaks() -> Iterator[Finding]:
        yield fine("Half", "seen")
        raise RuntimeError("no idea\nline two")

    first, second = doctor.guarded(breaks)
    assert first.title == "Half"
    assert second.details == "RuntimeError: no idea"
    assert second.level is Level.WRONG


def test_the_worst_findings_come_first() -> None:
    said = doctor.report([fine("A", "a"), note("B", "b"), wrong("C", "c", "mend c")], as_json=False)
    assert re.findall(r"\b[ABC]\b", said) == ["C", "B", "A"]
    assert doctor.report([fine("A", "a")], as_json=False).endswith("\nNothing is wrong.\n")


def test_make_keys_keeps_existing_keys(installation: Path) -> None:
    before = (installation / "secrets.env").read_text()
    for _time in range(2):
        done = manage("make_keys", "--data", installation)
        assert f"The keys are in {installation}/secrets.env" in done.stdout
    assert (installation / "secrets.env").read_text() == before
    assert not any(key.split("=", 1)[1] in done.stdout for key in before.splitlines())
