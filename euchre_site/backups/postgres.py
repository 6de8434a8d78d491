"""PostgreSQL's own programs: dumps of one snapshot, what is in them, and putting one back."""

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

#: Where systems put the programs of each version, beside the path.
FOLDERS: Final = (
    "/usr/lib/postgresql/*/bin",
    "/usr/pgsql-*/bin",
    "/opt/homebrew/opt/postgresql@*/bin",
)
#: Of a connection's settings, those that the programs know too.
_PROGRAMS_KNOW: Final = re.compile(r"host|port|user|dbname|connect_timeout|tcp_user_timeout|ssl\w+")


def server_version() -> int:
    """Return the major version of the server; raise django.db.DatabaseError if it is away."""
    connection.ensure_connection()
    number: int = connection.connection.info.server_version
    return number // 10000


def program(name: str, version: int) -> str:
    """Return where a program of PostgreSQL is: of this version, else of the next newer one.

    A newer one reads and dumps an older server; an older one refuses a newer server.

    Raises BackupError: there is none.
    """
    found: dict[int, str] = {}
    for folder in (None, *_folders()):
        path = shutil.which(name, path=folder)
        if path is None:
            continue
        told = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)  # noqa: S603
        if number := re.search(r"\) (\d+)", told.stdout):
            found.setdefault(int(number[1]), path)
    if newer := [one for one in found if one >= version]:
        return found[min(newer)]
    if not found:
        raise BackupError(
            f"{name} is not found: install the client programs of PostgreSQL {version}, the "
            "server's version, or newer ones on this machine."
        )
    raise BackupError(
        f"{name} is of PostgreSQL {max(found)}, and the server is {version}: install the client "
        f"programs of version {version} or newer."
    )


def _folders() -> list[str]:
    """The folders of programs that are on this machine, of all versions."""
    root = Path("/")
    return [str(path) for folder in FOLDERS for path in sorted(root.glob(folder.lstrip("/")))]


def _target(name: str | None = None) -> str:
    """The address of the site's database, or of another beside it, without the password."""
    values = connection.get_connection_params()
    known = {key: values[key] for key in values if _PROGRAMS_KNOW.fullmatch(key)}
    return psycopg.conninfo.make_conninfo("", **(known | ({"dbname": name} if name else {})))


def _run(arguments: list[str]) -> None:
    """Run a program of PostgreSQL; raise BackupError with the first thing it complains of.

    The lines after that may tell what rows hold.
    """
    password = connection.get_connection_params().get("password")
    known = {"PGPASSWORD": str(password)} if password else {}
    done = subprocess.run(  # noqa: S603
        arguments, env=os.environ | known, capture_output=True, text=True, check=False
    )
    if done.returncode:
        name = Path(arguments[0]).name
        said = next(iter(done.stderr.strip().splitlines()), f"it ended with {done.returncode}")
        raise BackupError(f"{name} failed: {said.removeprefix(f'{name}: error: ')}")


@contextmanager
def snapshot() -> Iterator[str]:
    """Look at the database as it is at one moment while in the block; give the moment's name."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        cursor.execute("SELECT pg_export_snapshot()")
        name: str = cursor.fetchone()[0]
        yield name


def size_of_database() -> int:
    """Return how many bytes the database takes on its server."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        size: int = cursor.fetchone()[0]
        return size


def dump(to: Path, moment: str | None = None) -> None:
    """Write a dump to a new file; raise BackupError if that fails.

    moment: the name of a snapshot, or None for now.
    """
    at = [f"--snapshot={moment}"] if moment else []
    _run([
        program("pg_dump", server_version()), "--format=custom", "--no-owner", "--no-privileges",
        "--no-comments", *at, f"--file={to}", f"--dbname={_target()}",
    ])  # fmt: skip
    to.chmod(0o600)


def read_through(dump_file: Path, version: int) -> None:
    """Have `pg_restore` read all of a dump; raise BackupError if it cannot."""
    _run([program("pg_restore", version), f"--file={os.devnull}", str(dump_file)])


def may_make_databases() -> bool:
    """Return whether the site's role may make a database beside its own."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT rolcreatedb OR rolsuper FROM pg_roles WHERE rolname = current_user")
        return bool(cursor.fetchone()[0])


@contextmanager
def restored_beside(dump_file: Path) -> Iterator[str]:
    """Restore a dump into a new database, which is there while in the block; give its name.

    Raises BackupError if the dump cannot be restored.
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
    """Return how many others are connected to the database now.

    This process may have several connections: it is known by its name, if it has given one.
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
    """Return the names of all tables that are there, whosever they are."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()")
        return [name for (name,) in cursor.fetchall()]


def replace_all(dump_file: Path, work: Path) -> None:
    """Put a dump in the place of all tables, in one transaction: all of it or nothing.

    work: a folder for the statements.

    Raises BackupError, with the database as it was.
    """
    with connection.cursor() as cursor:
        names = [sql.Identifier(name) for name in tables()]
        dropping = sql.SQL("DROP TABLE {} CASCADE").format(sql.SQL(", ").join(names))
        first = dropping.as_string(cursor.cursor) if names else "SELECT 1"
    known = _settings_known()
    connection.close()
    # What stands in the way is waited for a moment only: somebody may have come back meanwhile.
    _replay(dump_file, work, _target(), known, "SET lock_timeout = '10s'", first)


def _settings_known() -> set[str]:
    """The names of the server's settings."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM pg_settings")
        return {name for (name,) in cursor.fetchall()}


def _replay(dump_file: Path, work: Path, target: str, known: set[str], *first: str) -> None:
    """Run a dump's statements on a database, in one transaction.

    Args:
        dump_file: the dump.
        work: a folder for its statements.
        target: the address of the database.
        known: the settings that its server knows.
        first: statements that come before.

    Raises BackupError, with the database as it was.
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
    """Copy statements of `pg_restore` without the settings at their head that are not `known`.

    A newer pg_restore sets some that an older server does not have.
    """
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
