"""`manage.py migrate`: Django's command, which first copies a SQLite database."""

from datetime import UTC, datetime
from sqlite3 import Error as SQLiteError
from typing import Any

from django.conf import settings
from django.core.management import CommandError
from django.core.management.commands import migrate
from django.db import connections
from django.db.migrations.recorder import MigrationRecorder

from euchre_site.backups.sqlite import driver_connection, keep_copy
from euchre_site.startup.startup import StartError, missing_migrations, refuse_other_versions


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        if options["database"] == "default" and not (options["plan"] or options["check_unapplied"]):
            try:
                refuse_other_versions()
            except StartError as error:
                raise CommandError(str(error)) from error
            if options["app_label"] or missing_migrations():
                self._copy()
        super().handle(*args, **options)

    def _copy(self) -> None:
        connection = connections["default"]
        if connection.vendor != "sqlite" or connection.is_in_memory_db():  # type: ignore[attr-defined]
            return
        if not MigrationRecorder(connection).applied_migrations():
            return
        copy = settings.DATA_DIR / "copies" / f"db-{datetime.now(UTC):%Y%m%d-%H%M%S-%f}.sqlite3"
        try:
            keep_copy(driver_connection(), copy)
        except (OSError, SQLiteError) as error:
            raise CommandError(
                f"The database was not migrated, since copying it to {copy} failed: {error}"
            ) from error
        self.stdout.write(f"Before migrating, the database was copied to {copy}")
