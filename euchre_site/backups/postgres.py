"""Dumps of a PostgreSQL snapshot, and restoring them, with PostgreSQL's own programs."""

import os
import re
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import psycopg
from django.db import connection, transaction
from psycopg import sql

from euchre_site.backups.errors import BackupError

#: Folders of the programs by version, searched after PATH.
FOLDERS: Final = (
    "/usr/lib/postgresql/*/bin",
    "/usr/pgsql-*/bin",
    "/opt/homebrew/opt/postgresql@*/bin",
)
#: The connection parameters that are passed to the programs.
_PROGRAMS_KNOW: Final = re.compile(r"host|port|user|dbname|connect_timeout|tcp_user_timeout|ssl\w+")


def server_version() -> int:
    """Return the major version of the server; raise DatabaseError if it cannot be reached."""
    connection.ensure_connection()
    number: int = connection.connection.info.server_version
    return number // 10000


def program(name: str, version: int) -> str:
    """Return the path of a PostgreSQL program of this version, or else of the next newer one.

    Programs work with older servers but not with newer ones. Raises BackupError if there is none.
    """
    found: dict[int, str] = {}
    for folder in (None, *_folders()):
        path = shutil.which(name, path=folder)
        if path is None:
            continue
        done = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)  # noqa: S603
        if number := re.search(r"\) (\d+)", done.stdout):
            found.setdefault(int(number[1]), path)
    if newer := [one for one in found if one >= version]:
        return found[min(newer)]
    if not found:
        raise BackupError(
            f"{name} is not installed: install the client programs of PostgreSQL {version}, the "
            "server's version, or newer on this machine."
        )
    raise BackupError(
        f"{name} is of version {max(found)}, and the server is {version}: install the client "
        f"programs of version {version} or newer."
    )


def _folders() -> list[str]:
    root = Path("/")
    return [str(path) for folder in FOLDERS for path in sorted(root.glob(folder.lstrip("/")))]


def _target(name: str | None = None) -> str:
    values = connection.get_connection_params()
    known = {key: values[key] for key in values if _PROGRAMS_KNOW.fullmatch(key)}
    return psycopg.conninfo.make_conninfo("", **(known | ({"dbname": name} if name else {})))


def _run(arguments: list[str]) -> None:
    """Run a program; raise BackupError with its first error line, as others may contain rows."""
    password = connection.get_connection_params().get("password")
    known = {"PGPASSWORD": str(password)} if password else {}
    done = subprocess.run(  # noqa: S603
        arguments, env=os.environ | known, capture_output=True, text=True, check=False
    )
    if done.returncode:
        name = Path(arguments[0]).name
        reason = next(iter(done.stderr.strip().splitlines()), f"exit status {done.returncode}")
        raise BackupError(f"{name} failed: {reason.removeprefix(f'{name}: error: ')}")


@contextmanager
def snapshot() -> Iterator[str]:
    """Read from one snapshot of the database within the block; yield the snapshot's name."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        cursor.execute("SELECT pg_export_snapshot()")
        name: str = cursor.fetchone()[0]
        yield name


def size_of_database() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        size: int = cursor.fetchone()[0]
        return size


def dump(to: Path, moment: str | None = None) -> None:
    """Write a dump of a snapshot, or of the current state; raise BackupError if that fails."""
    at = [f"--snapshot={moment}"] if moment else []
    _run([
        program("pg_dump", server_version()), "--format=custom", "--no-owner", "--no-privileges",
        "--no-comments", *at, f"--file={to}", f"--dbname={_target()}",
    ])  # fmt: skip
    to.chmod(0o600)


def read_through(dump_file: Path, version: int) -> None:
    """Let `pg_restore` read a whole dump; raise BackupError if it cannot."""
    _run([program("pg_restore", version), f"--file={os.devnull}", str(dump_file)])


def may_create_databases() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT rolcreatedb OR rolsuper FROM pg_roles WHERE rolname = current_user")
        return bool(cursor.fetchone()[0])


@contextmanager
def restored_copy(dump_file: Path) -> Iterator[str]:
    """Restore a dump to a temporary database for the block; yield its name.

    Raises BackupError if it cannot be restored.
    """
    name = f"bower_check_{secrets.token_hex(6)}"
    made = sql.Identifier(name)
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL("CREATE DATABASE {} TEMPLATE template0").format(made))
    try:
        with tempfile.TemporaryDirectory(dir=dump_file.parent) as work:
            _replay(dump_file, Path(work), _target(name), _settings_known())
        yield name
    finally:
        with connection.cursor() as cursor:
            cursor.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(made))


def others_connected() -> int:
    """Return the number of connections to the database from other processes.

    The application name identifies those of this process.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND "
            "pid <> pg_backend_pid() AND backend_type = 'client backend' AND "
            "(application_name = '' OR application_name <> current_setting('application_name'))"
        )
        number: int = cursor.fetchone()[0]
        return number


def tables() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()")
        return [name for (name,) in cursor.fetchall()]


def replace_all(dump_file: Path, work: Path) -> None:
    """Replace all tables by those of a dump, in one transaction; work: a scratch folder.

    Raises BackupError; the database is then unchanged.
    """
    with connection.cursor() as cursor:
        names = [sql.Identifier(name) for name in tables()]
        dropping = sql.SQL("DROP TABLE {} CASCADE").format(sql.SQL(", ").join(names))
        first = dropping.as_string(cursor.cursor) if names else "SELECT 1"
    known = _settings_known()
    connection.close()
    # Do not wait long for locks: another process may have connected since the check.
    _replay(dump_file, work, _target(), known, "SET lock_timeout = '10s'", first)


def _settings_known() -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM pg_settings")
        return {name for (name,) in cursor.fetchall()}


def _replay(dump_file: Path, work: Path, target: str, known: set[str], *first: str) -> None:
    """Run statements and then those of a dump on a database, in one transaction.

    target: a connection string. known: the settings that its server supports.

    Raises BackupError; the database is then unchanged.
    """
    version, draft, statements = server_version(), work / "draft.sql", work / "statements.sql"
    connection.close()
    _run([
        program("pg_restore", version), "--no-owner", "--no-privileges", f"--file={draft}",
        str(dump_file),
    ])  # fmt: skip
    leave_out_settings(draft, statements, known)
    draft.unlink()
    _run([
        program("psql", version), "--no-psqlrc", "--quiet", "--single-transaction",
        "--set=ON_ERROR_STOP=1", "--output", os.devnull,
        *(f"--command={one}" for one in first), f"--file={statements}", f"--dbname={target}",
    ])  # fmt: skip


def leave_out_settings(draft: Path, to: Path, known: set[str]) -> None:
    """Copy a dump's statements without leading SETs that an older server does not know."""
    at_head = True
    with draft.open("rb") as source, to.open("wb") as target:
        for line in source:
            setting = re.match(rb"SET (\w+) = ", line) if at_head else None
            at_head = at_head and (
                setting is not None
                or not line.strip()
                or line.startswith((b"--", b"SELECT pg_", b"\\"))
            )
            if setting is None or setting[1].decode() in known:
                target.write(line)
