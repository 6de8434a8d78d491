"""What is refused at the start, in one line: settings, keys or a database that do not fit.

Web servers, workers and the schedule ask before they do anything, each in its own way.
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

#: What is lost without each key.
KEYS = {
    "DEAL_KEY": "With a new one the hands of its games cannot be read.",
    "SECRET_KEY": "With a new one everybody is logged out, and guests lose their seats.",
}


#: Exit status where another try would be refused too (EX_CONFIG); the units of systemd do not
#: start what ended with it again.
REFUSED: Final = 78


class StartError(Exception):
    """Bower cannot start; the message is one line that says why, and what to do.

    Attributes:
        status: the exit status.
    """

    status = REFUSED


class DatabaseAwayError(StartError):
    """The database cannot be used now; another try may find it back."""

    status = 1


def end(error: Exception, status: int = REFUSED) -> NoReturn:
    """End the process with an error's message."""
    sys.stderr.write(f"{error}\n")
    sys.exit(status)


def load_settings() -> None:
    """Load the settings; end the process with a line for each wrong one."""
    try:
        settings.INSTALLED_APPS  # noqa: B018
    except ImproperlyConfigured as error:
        end(error)


def check() -> None:
    """Raise StartError unless the database can be reached and fits this code and these keys."""
    if settings.DATA_DIR.is_dir():
        keep_private(settings.DATA_DIR)
    try:
        refuse_newer_database()
        if missing := missing_migrations():
            raise StartError(
                f"The database lacks {len(missing)} changes that this version needs, the first is "
                f"{missing[0]}: copy the database, then run `manage.py migrate`."
            )
        check_keys()
    except DatabaseError as error:
        reason = str(error).strip().splitlines() or [type(error).__name__]
        raise DatabaseAwayError(f"The database cannot be used: {reason[0]}") from error
    finally:
        connection.close()


def refuse_newer_database() -> None:
    """Raise StartError if a newer version of Bower has changed the database."""
    if newer := unknown_migrations(MigrationRecorder(connection).applied_migrations()):
        raise StartError(
            f"The database is of a newer version of Bower, which has made {len(newer)} changes "
            f"that this one does not know, such as {'.'.join(min(newer))}: run that version, or "
            "put back the copy made before."
        )


def unknown_migrations(applied: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return which changes of a database this version does not know: a newer one has made them.

    applied: each by app and name. Those of apps that are not there any more do not count.
    """
    loader = MigrationLoader(None)
    return {one for one in applied if one[0] in loader.migrated_apps} - set(loader.disk_migrations)


def missing_migrations() -> Sequence[str]:
    """Return the names of the changes that the database still lacks, in their order."""
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return [f"{migration.app_label}.{migration.name}" for migration, _backwards in plan]


def check_keys() -> None:
    """Raise StartError if the database belongs to other keys; a new one takes those of now."""
    from games.models import KeyMark
    from games.shuffle.secret_box import opens

    marks = dict(KeyMark.objects.values_list("name", "mark"))
    for name, loss in KEYS.items():
        mark = mark_of(name)
        if name == "SECRET_KEY" and marks.get(name) in _former_marks():
            KeyMark.objects.filter(name=name).update(mark=mark)
            marks[name] = mark
        if name not in marks and (name != "DEAL_KEY" or opens()):
            marks[name] = KeyMark.objects.get_or_create(name=name, defaults={"mark": mark})[0].mark
        if not constant_time_compare(marks.get(name, ""), mark):
            raise StartError(
                f"The database belongs to another {name}. {loss} Put back the key that it had, "
                "from the environment or secrets.env."
            )


def _former_marks() -> list[str]:
    """The marks of former keys that still count, so that a new one is no other."""
    return [mark_of("SECRET_KEY", key) for key in settings.SECRET_KEY_FALLBACKS]


def mark_of(name: str, key: str | None = None) -> str:
    """Return what tells a key from any other, and from which it cannot be found.

    key: the one of the settings if None.
    """
    key = getattr(settings, name) if key is None else key
    return salted_hmac(f"bower.mark.{name}", "", secret=key, algorithm="sha256").hexdigest()
