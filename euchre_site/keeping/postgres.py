"""PostgreSQL's own programs: dumps of one snapshot, what is in them, and putting one back."""

import os
import re
import secrets
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import psycopg
from django.db import connection, transaction
from psycopg import sql

from euchre_site.keeping.refusals import KeepingError

#: Where systems put the programs of each version, beside the path.
FOLDERS: Final = (
    "/usr/lib/postgresql/{}/bin",
    "/usr/pgsql-{}/bin",
    "/opt/homebrew/opt/postgresql@{}/bin",
)
#: Of a connection's settings, those that the programs know too.
_PROGRAMS_KNOW: Final = re.compile(r"host|port|user|dbname|connect_timeout|tcp_user_timeout|ssl\w+")


def server_version() -> int:
    """Return the major version of the server; raise django.db.DatabaseError if it is away."""
    connection.ensure_connection()
    number: int = connection.connection.info.server_version
    return number // 10000


def program(name: str, version: int) -> str:
    """Return where a program of PostgreSQL is; raise KeepingError unless it is of this version."""
    other = None
    for folder in (None, *(place.format(version) for place in FOLDERS)):
        path = shutil.which(name, path=folder)
        if path is None:
            continue
        told = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)  # noqa: S603
        found = re.search(r"\) (\d+)", told.stdout)
        if found and int(found[1]) == version:
            return path
        other = other or (found[1] if found else None)
    if other is None:
        raise KeepingError(
            f"{name} is not found: install the client programs of PostgreSQL {version}, the "
            "server's version, on this machine."
        )
    raise KeepingError(
        f"{name} is of PostgreSQL {other}, and the server is {version}: install the client "
        f"programs of version {version}."
    )


def _target(name: str | None = None) -> str:
    """The address of the site's database, or of another beside it, without the password."""
    values = connection.get_connection_params()
    known = {key: values[key] for key in values if _PROGRAMS_KNOW.fullmatch(key)}
    return psycopg.conninfo.make_conninfo("", **(known | ({"dbname": name} if name else {})))


def _run(arguments: list[str]) -> None:
    """Run a program of PostgreSQL; raise KeepingError with the first thing it complains of.

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
        raise KeepingError(f"{name} failed: {said.removeprefix(f'{name}: error: ')}")


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
    """Write a dump to a new file; raise KeepingError if that fails.

    moment: the name of a snapshot, or None for now.
    """
    at = [f"--snapshot={moment}"] if moment else []
    _run([
        program("pg_dump", server_version()), "--format=custom", "--no-owner", "--no-privileges",
        "--no-comments", *at, f"--file={to}", f"--dbname={_target()}",
    ])  # fmt: skip
    to.chmod(0o600)


def read_through(dump_file: Path, version: int) -> None:
    """Have `pg_restore` read all of a dump; raise KeepingError if it cannot."""
    _run([program("pg_restore", version), f"--file={os.devnull}", str(dump_file)])


def may_make_databases() -> bool:
    """Return whether the site's role may make a database beside its own."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT rolcreatedb OR rolsuper FROM pg_roles WHERE rolname = current_user")
        return bool(cursor.fetchone()[0])


@contextmanager
def restored_beside(dump_file: Path) -> Iterator[str]:
    """Restore a dump into a new database, which is there while in the block; give its name.

    Raises KeepingError if the dump cannot be restored.
    """
    name = f"bower_check_{secrets.token_hex(6)}"
    made = sql.Identifier(name)
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL("CREATE DATABASE {} TEMPLATE template0").format(made))
    try:
        _run([
            program("pg_restore", server_version()), "--exit-on-error", "--no-owner",
            "--no-privileges", f"--dbname={_target(name)}", str(dump_file),
        ])  # fmt: skip
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

    Raises KeepingError, with the database as it was.
    """
    version = server_version()
    with connection.cursor() as cursor:
        names = [sql.Identifier(name) for name in tables()]
        dropping = sql.SQL("DROP TABLE {} CASCADE").format(sql.SQL(", ").join(names))
        first = dropping.as_string(cursor.cursor) if names else "SELECT 1"
    connection.close()
    statements = work / "statements.sql"
    _run([
        program("pg_restore", version), "--no-owner", "--no-privileges", f"--file={statements}",
        str(dump_file),
    ])  # fmt: skip
    # What stands in the way is waited for a moment only: somebody may have come back meanwhile.
    _run([
        program("psql", version), "--no-psqlrc", "--quiet", "--single-transaction",
        "--set=ON_ERROR_STOP=1", "--output", os.devnull, "--command=SET lock_timeout = '10s'",
        f"--command={first}", f"--file={statements}", f"--dbname={_target()}",
    ])  # fmt: skip
