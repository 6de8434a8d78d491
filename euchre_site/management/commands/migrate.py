"""`manage.py migrate`: Django's, with a copy of a SQLite database made before."""

from datetime import UTC, datetime
from pathlib import Path
from sqlite3 import Connection, connect
from sqlite3 import Error as SQLiteError
from typing import Any, Final

from django.conf import settings
from django.core.management import CommandError
from django.core.management.commands import migrate
from django.db import connections
from django.db.migrations.recorder import MigrationRecorder

from euchre_site.run.starting import StartError, missing_migrations, refuse_newer_database

#: How many copies are kept.
COPIES: Final = 3


class Command(migrate.Command):
    """Changes the database to what this version needs; see Django's command for the options."""

    def handle(self, *args: Any, **options: Any) -> None:
        """Migrate; raise CommandError with one line if the database is of a newer version."""
        if options["database"] == "default" and not (options["plan"] or options["check_unapplied"]):
            try:
                refuse_newer_database()
            except StartError as error:
                raise CommandError(str(error)) from error
            if options["app_label"] or missing_migrations():
                self._copy()
        super().handle(*args, **options)

    def _copy(self) -> None:
        """Copy the database, if it is a file of SQLite that holds something, and say where to."""
        connection = connections["default"]
        if connection.vendor != "sqlite" or connection.is_in_memory_db():  # type: ignore[attr-defined]
            return
        if not MigrationRecorder(connection).applied_migrations():
            return
        connection.ensure_connection()
        copy = settings.DATA_DIR / "copies" / f"db-{datetime.now(UTC):%Y%m%d-%H%M%S-%f}.sqlite3"
        try:
            copy_database(connection.connection, copy)
        except (OSError, SQLiteError) as error:
            raise CommandError(
                f"The database was not changed, since it could not be copied to {copy} before: "
                f"{error}"
            ) from error
        self.stdout.write(f"Before the database is changed, a copy is kept in {copy}")


def copy_database(database: Connection, to: Path) -> None:
    """Copy a database in use, whole or not at all, and keep the latest `COPIES`.

    Raises OSError or sqlite3.Error.
    """
    to.parent.mkdir(mode=0o700, exist_ok=True)
    draft = to.with_suffix(".draft")
    try:
        draft.touch(mode=0o600)
        with connect(draft) as target:
            database.backup(target)
        target.close()
        draft.rename(to)
    finally:
        draft.unlink(missing_ok=True)
    for old in sorted(to.parent.glob("db-*.sqlite3"))[:-COPIES]:
        old.unlink()
