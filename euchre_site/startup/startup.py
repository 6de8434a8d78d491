"""Checks at startup that settings, keys and database fit this version.

Web servers, workers and the schedule run them before anything else, and report one line.
"""

import sys
from collections.abc import Iterable, Sequence
from typing import Final, NoReturn

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.utils.crypto import constant_time_compare, salted_hmac

from euchre_site.startup.data_folder import keep_private

#: The keys, and what is lost without each.
KEYS = {
    "DEAL_KEY": "With another one the hands of its games cannot be read.",
    "SECRET_KEY": "With another one everybody is logged out, and guests lose their seats.",
}


#: The last commit with the migrations that the initial ones of games and tournaments replace.
LAST_OF_OLD: Final = "a7faf1c8"

#: Exit status if a retry would fail too (EX_CONFIG); the systemd units do not restart after it.
REFUSED: Final = 78


class StartError(Exception):
    """Bower cannot start; the message is one line that says why and what to do."""

    status = REFUSED


class DatabaseAwayError(StartError):
    """The database cannot be reached at the moment; a retry may help."""

    status = 1


def end(error: Exception, status: int = REFUSED) -> NoReturn:
    sys.stderr.write(f"{error}\n")
    sys.exit(status)


def load_settings() -> None:
    try:
        settings.INSTALLED_APPS  # noqa: B018
    except ImproperlyConfigured as error:
        end(error)


def check() -> None:
    """Raise StartError unless the database can be reached and fits this version and these keys."""
    if settings.DATA_DIR.is_dir():
        keep_private(settings.DATA_DIR)
    try:
        refuse_other_versions()
        if missing := missing_migrations():
            raise StartError(
                f"The database lacks {len(missing)} migrations, the first is {missing[0]}: copy "
                "it, then run `manage.py migrate`."
            )
        check_keys()
    except DatabaseError as error:
        reason = str(error).strip().splitlines() or [type(error).__name__]
        raise DatabaseAwayError(f"The database cannot be used: {reason[0]}") from error
    finally:
        connection.close()


def refuse_other_versions() -> None:
    """Raise StartError if a newer version migrated the database, or one too old to update from."""
    applied = MigrationRecorder(connection).applied_migrations()
    if newer := unknown_migrations(applied):
        raise StartError(
            f"The database is from a newer version of Bower: {len(newer)} of its migrations are "
            f"unknown to this one, such as {'.'.join(min(newer))}. Run that version, or restore "
            "the copy made before."
        )
    if older := replaced_but_missing(applied):
        raise StartError(
            f"The database is from an old version of Bower: it lacks {'.'.join(max(older))}, which "
            f"this version can no longer apply. Run `manage.py migrate` of commit {LAST_OF_OLD} "
            "first."
        )


def unknown_migrations(applied: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return the applied migrations, as (app, name), that this version does not know.

    Those of apps that were removed do not count, nor squashed ones: what they replace is recorded.
    """
    loader = MigrationLoader(None)
    replaced = {one for migration in loader.replacements.values() for one in migration.replaces}
    return {
        (app, name)
        for app, name in set(applied) - set(loader.disk_migrations) - replaced
        if app in loader.migrated_apps and "_squashed_" not in name
    }


def replaced_but_missing(applied: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return the migrations that an old database lacks and that an initial one has replaced."""
    applied = set(applied)
    return {
        one
        for initial, migration in MigrationLoader(None).replacements.items()
        if initial in applied
        for one in migration.replaces
        if one not in applied
    }


def missing_migrations() -> Sequence[str]:
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return [f"{migration.app_label}.{migration.name}" for migration, _backwards in plan]


def check_keys() -> None:
    """Raise StartError if the database belongs to other keys; a new one is marked with these."""
    from games.models import KeyMark
    from games.shuffle.secret_box import opens

    marks = dict(KeyMark.objects.values_list("name", "mark"))
    former = [mark_of("SECRET_KEY", key) for key in settings.SECRET_KEY_FALLBACKS]
    for name, loss in KEYS.items():
        mark = mark_of(name)
        if name == "SECRET_KEY" and marks.get(name) in former:
            KeyMark.objects.filter(name=name).update(mark=mark)
            marks[name] = mark
        if name not in marks and (name != "DEAL_KEY" or opens()):
            marks[name] = KeyMark.objects.get_or_create(name=name, defaults={"mark": mark})[0].mark
        if not constant_time_compare(marks.get(name, ""), mark):
            raise StartError(
                f"The database belongs to another {name}. {loss} Restore the original key, in the "
                "environment or secrets.env."
            )


def mark_of(name: str, key: str | None = None) -> str:
    """Return an HMAC that identifies a key, such as the present one, without revealing it."""
    key = getattr(settings, name) if key is None else key
    return salted_hmac(f"bower.mark.{name}", "", secret=key, algorithm="sha256").hexdigest()
