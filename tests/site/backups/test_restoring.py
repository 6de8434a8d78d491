"""`manage.py restore`: a backup is restored completely, or nothing is changed."""

import shutil
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.utils import timezone
from filelock import FileLock

from euchre_site.backups import backups
from games.models import Heartbeat
from tests.served import ROOT
from tests.site.factories import begun, contents
from tests.site.processes import PATIENCE, environment, manage, refusal

pytestmark = [pytest.mark.sqlite, pytest.mark.django_db(transaction=True)]

#: What a start looks at: versions, keys and secrets.
FITS = "from euchre_site.startup import startup; startup.check(); print('fits')"
#: A restore that fails when the keys are in place already and the database is not.
FAILING = """
import sys
from pathlib import Path
Path.replace = (lambda replace: lambda path, to: (_ for _ in ()).throw(
    OSError(28, "No space left on device")) if str(to).endswith("db.sqlite3")
    else replace(path, to))(Path.replace)
sys.argv[:] = ["manage.py", "restore", *sys.argv[1:]]
import manage
manage.main()
"""


@pytest.fixture
def backup(site: Any) -> Path:
    """A backup of a site with an unfinished game."""
    begun()
    return backups.back_up(site.BACKUP_FOLDER).path


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """The data folder of another machine, still empty."""
    return tmp_path / "other"


def events_in(data: Path) -> int:
    with closing(sqlite3.connect(data / "db.sqlite3")) as database:
        number: int = database.execute("SELECT count(*) FROM games_gameevent").fetchone()[0]
        return number


def truncate_log(data: Path) -> None:
    """Delete the last events of a site, and leave its database with a WAL as after a crash."""
    with closing(sqlite3.connect(data / "db.sqlite3")) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("DELETE FROM games_gameevent WHERE seq > 5")
        database.commit()
        for end in ("", "-wal", "-shm"):
            shutil.copy(data / f"db.sqlite3{end}", data / f"kept{end}")
    for end in ("", "-wal", "-shm"):
        (data / f"kept{end}").rename(data / f"db.sqlite3{end}")


def test_restoring_on_another_machine(backup: Path, site: Any, other: Path) -> None:
    done = manage("restore", backup, "--data", other)
    assert done.returncode == 0, done.stderr
    assert f"Restored in {other}" in done.stdout
    assert contents(other).keys() == {"db.sqlite3", "secrets.env"}
    assert events_in(other) == 12
    assert (other / "secrets.env").read_text() == (site.DATA_DIR / "secrets.env").read_text()
    for path in (other, *other.rglob("*")):
        assert not stat.S_IMODE(path.stat().st_mode) & 0o077, path
    assert manage("shell", "-v", "0", "-c", FITS, BOWER_DATA=str(other)).stdout.strip() == "fits"


def test_an_encrypted_backup_needs_its_key(site: Any, key_file: Path, other: Path) -> None:
    begun()
    path = backups.back_up(site.BACKUP_FOLDER).path
    line = refusal(manage("restore", path, "--data", other))
    assert line == (
        f"{path} cannot be used: it is encrypted, and --key does not name the file of its secret "
        "key."
    )
    line = refusal(manage("restore", path, "--data", other, "--key", path))
    assert line.startswith(f"{path} is not a file with a secret key of age")
    assert contents(other) == {}
    done = manage("restore", path, "--data", other, "--key", key_file)
    assert done.returncode == 0, done.stderr
    assert events_in(other) == 12
    assert key_file.read_bytes() not in contents(other).values()


def test_a_backup_of_an_earlier_version_is_refused_in_one_line(backup: Path, other: Path) -> None:
    backup.write_bytes(b"bower sealed 1\n" + bytes(100))
    assert refusal(manage("restore", backup, "--data", other)) == (
        f"{backup} cannot be used: it is no backup, or one from before November 28, 2026, which "
        "only the version that made it can restore."
    )
    assert contents(other) == {}


def test_a_database_is_replaced_only_on_request_and_kept_aside(
    backup: Path, other: Path, tmp_path: Path
) -> None:
    manage("restore", backup, "--data", other)
    truncate_log(other)
    before = contents(other)
    line = refusal(manage("restore", backup, "--data", other))
    assert "There is a database already" in line
    assert "--replace" in line
    assert events_in(other) == 5
    assert not (other / "copies").exists()

    done = manage("restore", backup, "--data", other, "--replace")
    assert done.returncode == 0, done.stderr
    assert events_in(other) == 12
    (aside,) = (other / "copies").iterdir()
    assert f"The previous database and keys are kept in {aside}" in done.stdout
    assert events_in(aside) == 5
    assert (aside / "secrets.env").read_bytes() == before["secrets.env"]
    assert not (other / "db.sqlite3-wal").exists()
    # and it may be taken back by hand
    (tmp_path / "again").mkdir()
    shutil.copy(aside / "db.sqlite3", tmp_path / "again")
    shutil.copy(aside / "secrets.env", tmp_path / "again")
    again = {"BOWER_DATA": str(tmp_path / "again")}
    assert manage("shell", "-v", "0", "-c", FITS, **again).stdout.strip() == "fits"


def test_a_damaged_database_is_kept_aside_too(backup: Path, other: Path) -> None:
    other.mkdir()
    (other / "db.sqlite3").write_bytes(b"no database" * 1000)
    (other / "db.sqlite3-wal").write_bytes(b"of another")
    assert "There is a database already" in refusal(manage("restore", backup, "--data", other))
    done = manage("restore", backup, "--data", other, "--replace")
    assert done.returncode == 0, done.stderr
    assert events_in(other) == 12
    (aside,) = (other / "copies").iterdir()
    assert (aside / "db.sqlite3").read_bytes() == b"no database" * 1000


def test_a_running_site_is_refused(backup: Path, other: Path) -> None:
    other.mkdir()
    with FileLock(other / "lock"):
        line = refusal(manage("restore", backup, "--data", other))
    assert line == f"Bower is running in {other}: stop it first."
    assert contents(other) == {}


def test_a_database_in_use_is_refused_without_a_lock(site: Any, other: Path) -> None:
    begun()
    ahead = timezone.now() + timedelta(hours=1)  # by the clock of another machine
    Heartbeat.objects.create(name="web", at=ahead)
    backup = backups.back_up(site.BACKUP_FOLDER).path
    manage("restore", backup, "--data", other)
    line = refusal(manage("restore", backup, "--data", other, "--replace"))
    assert "site used this database 0 seconds ago" in line
    assert "wait 30 seconds and try again" in line
    assert not (other / "copies").exists()


class TestRefused:
    def test_a_backup_of_a_newer_version(
        self, site: Any, other: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        begun()
        monkeypatch.setattr(backups, "migrations", lambda _alias: ["games.0999_boards"])
        path = backups.back_up(site.BACKUP_FOLDER).path
        line = refusal(manage("restore", path, "--data", other))
        assert "it is from a newer version of Bower" in line
        assert "such as games.0999_boards" in line
        assert contents(other) == {}

    def test_missing_keys(self, site: Any, other: Path) -> None:
        begun()
        (site.DATA_DIR / "secrets.env").unlink()
        path = backups.back_up(site.BACKUP_FOLDER).path
        line = refusal(manage("restore", path, "--data", other))
        assert line == (
            f"{path} cannot be used: it does not contain DEAL_KEY: "
            "set the DEAL_KEY that the site had."
        )
        right = {"DEAL_KEY": site.DEAL_KEY, "SECRET_KEY": site.SECRET_KEY}
        wrong = right | {"DEAL_KEY": Fernet.generate_key().decode()}
        line = refusal(manage("restore", path, "--data", other, **wrong))
        assert "it belongs to another DEAL_KEY than the one set now" in line
        assert contents(other) == {}
        assert manage("restore", path, "--data", other, **right).returncode == 0

    def test_keys_that_the_environment_would_override(self, backup: Path, other: Path) -> None:
        keys = {"DEAL_KEY": Fernet.generate_key().decode(), "SECRET_KEY": "another"}
        line = refusal(manage("restore", backup, "--data", other, **keys))
        assert "the environment sets another DEAL_KEY than it belongs to: remove that" in line
        assert contents(other) == {}

    def test_a_truncated_backup(self, backup: Path, other: Path) -> None:
        backup.write_bytes(backup.read_bytes()[:-1000])
        line = refusal(manage("restore", backup, "--data", other))
        assert line == f"{backup} cannot be used: it is damaged or truncated."
        assert contents(other) == {}

    def test_a_missing_backup(self, other: Path) -> None:
        line = refusal(manage("restore", other / "none.tar.gz", "--data", other))
        assert line == f"{other / 'none.tar.gz'} cannot be used: No such file or directory."


def test_a_failed_restore_changes_nothing(backup: Path, other: Path) -> None:
    manage("restore", backup, "--data", other)
    truncate_log(other)
    (other / "secrets.env").write_text("SITE_NAME=Before\n" + (other / "secrets.env").read_text())
    before = contents(other)
    done = subprocess.run(
        [sys.executable, "-c", FAILING, str(backup), "--replace", "--data", str(other)],
        cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert refusal(done) == "Nothing was restored: [Errno 28] No space left on device"
    after = contents(other)
    assert after["secrets.env"] == before["secrets.env"]
    assert after.keys() - {"db.sqlite3-wal", "db.sqlite3-shm"} == {"db.sqlite3", "secrets.env"}
    assert events_in(other) == 5


def test_help_works_without_a_site(tmp_path: Path) -> None:
    for command in ("backup", "restore"):
        assert "usage:" in manage(command, "--help", BOWER_DATA=str(tmp_path)).stdout
    made = manage("backup", "--new-key", BOWER_DATA=str(tmp_path), BACKUP_KEY="malformed")
    assert made.stdout.splitlines()[-1].startswith("AGE-SECRET-KEY-1")
