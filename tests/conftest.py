"""What every test may ask for: servers and a browser, where this machine has them."""

import gc
import os
import shutil
import tempfile
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from asgiref.sync import SyncToAsync
from django.conf import settings as django_settings
from django.contrib.auth.management import create_permissions
from django.contrib.contenttypes.management import create_contenttypes
from django.contrib.contenttypes.models import ContentType
from django.core.cache import cache
from django.db import connection, connections, transaction
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.db.models.signals import post_migrate
from django.template import Context, Template
from filelock import FileLock
from hypothesis import HealthCheck, settings
from pytest_django.plugin import DjangoDbBlocker

from games.engine.rules import CLASSIC_24, RULE_SETS
from games.live import state
from games.sockets import hub
from tests import same_chance
from tests.volume import IN_CI, THOROUGH, volume

# Property tests repeat exactly, and a busy machine fails none of them.
settings.register_profile(
    "bower",
    max_examples=volume(20, 100, 4000),
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("bower")

#: Bytes of a table whose rows are deleted one by one; a larger one is truncated.
SMALL_TABLE = 256 * 1024
#: Tests that start servers: they come one after another, in one worker.
SERVERS = ("postgres", "redis", "servers")
#: Groups to begin with, each in a worker: nothing takes longer.
LONGEST = ("browser", "another browser", "database", "servers")
#: Rooms in which several write the same rows, or which have SQL of their own for each database.
ROOMS_THAT_LOCK = (
    "tests/games/live/", "tests/games/play/", "tests/games/quick/", "tests/games/sockets/",
    "tests/tournaments/running/",
)  # fmt: skip
#: Their tests of what is only read, counted or sent on: one database is enough.
WITHOUT_LOCKS = (
    "tests/games/play/test_metrics.py", "tests/games/play/test_solo_pages.py",
    "tests/games/play/test_spectators.py", "tests/games/sockets/test_remote_events.py",
    "tests/games/sockets/test_sessions.py",
)  # fmt: skip
#: Tests that a run may leave out, and what brings them.
LEFT_OUT = {"slow": (IN_CI, "CI=true"), "thorough": (THOROUGH, "BOWER_THOROUGH=1")}


def pytest_xdist_auto_num_workers() -> int:
    """More workers than cores: in CI four of them mostly wait for browsers and servers."""
    return (os.cpu_count() or 1) + (4 if IN_CI else 1)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection() -> Generator[None, object, object]:
    """Let one worker import everything first, and so write the bytecode that the others read.

    In a clean clone each of them would rewrite the assertions of all tests by itself: two thirds of
    what collecting takes.
    """
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID")
    if not (IN_CI and run):
        return (yield)
    done = Path(tempfile.gettempdir()) / f"bower-collected-{run}"
    with FileLock(f"{done}.lock"):
        if not done.exists():
            try:
                return (yield)
            finally:
                done.touch()
    return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Generator[None, None, None]:
    """Group the tests that start servers, mark those to leave out, and begin with the longest.

    Tests of a module that prepares something for all of them make a group too: it is prepared once,
    not by every worker.

    Before the others' hooks, since xdist takes the groups down; and after them, since
    pytest-django puts the tests that need a database first. xdist keeps this order
    (`pyproject.toml`); its own, by size, left a run of ten minutes waiting behind a browser.
    """
    for item in items:
        alone = item.get_closest_marker("xdist_group")
        if alone is None and any(item.get_closest_marker(one) for one in SERVERS):
            item.add_marker(pytest.mark.xdist_group("servers"))
        elif alone is None and _is_prepared_by_module(item):
            item.add_marker(pytest.mark.xdist_group(item.nodeid.partition("::")[0]))
        if _differs_between_databases(item):
            item.add_marker("db")
        if _is_repeated_with_other_rules(item):
            item.add_marker("sqlite")
        for marker, (here, what) in LEFT_OUT.items():
            if item.get_closest_marker(marker) and not here:
                item.add_marker(pytest.mark.skip(reason=f"{what} brings it"))
    yield
    items.sort(key=_turn)


def _differs_between_databases(item: pytest.Item) -> bool:
    """Whether CI also runs it on PostgreSQL, besides what is marked ``db``.

    Real transactions differ: a test that asks for them itself does so for its locks or races. Where
    all tests of a module have them, since sockets ask on threads of their own, that is the subject
    in some rooms only.
    """
    for node, mark in item.iter_markers_with_node("django_db"):
        if mark.kwargs.get("transaction"):
            alone = not isinstance(node, pytest.Module)
            locks = item.nodeid.startswith(ROOMS_THAT_LOCK)
            return alone or (locks and not item.nodeid.startswith(WITHOUT_LOCKS))
    return False


def _is_repeated_with_other_rules(item: pytest.Item) -> bool:
    """Whether one database is enough: rows do not differ by the rules, and another case has them.

    CI asks PostgreSQL for the first published rule set, and for those of clubs.
    """
    case = getattr(item, "callspec", None)
    rules = case.params.get("rules") if case else None
    return not THOROUGH and rules != CLASSIC_24 and rules in RULE_SETS.values()


def _is_prepared_by_module(item: pytest.Item) -> bool:
    known = item._fixtureinfo.name2fixturedefs if isinstance(item, pytest.Function) else {}
    return any(fixture.scope == "module" for every in known.values() for fixture in every)


def _turn(item: pytest.Item) -> int:
    alone = item.get_closest_marker("xdist_group")
    return LONGEST.index(alone.args[0]) if alone and alone.args[0] in LONGEST else len(LONGEST)


def pytest_collection_finish() -> None:
    """Exclude the collected tests from garbage collection, which took 15 % of the time."""
    gc.collect()
    gc.freeze()


def needed(found: str | None, what: str) -> str:
    """Return `found`; without it skip the test, or fail it on a machine that must have it (CI)."""
    if found:
        return found
    if os.environ.get("CI") == "true":
        pytest.fail(f"CI must have {what}", pytrace=False)
    pytest.skip(f"needs {what}")


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """As pytest-django's, but no connection is left that would keep the database from going.

    The tables are made from the models (``--no-migrations``), and all migrations then recorded as
    applied, as on a site. A test with real transactions ends by emptying all tables. Content types
    and permissions, which Django would then write again, are not used by any test and took most
    of that time.
    """
    assert post_migrate.disconnect(
        dispatch_uid=f"{create_permissions.__module__}.{create_permissions.__name__}"
    )
    assert post_migrate.disconnect(create_contenttypes)
    with django_db_blocker.unblock():
        record_migrations()
    if connection.vendor == "postgresql":
        delete_rows_in_place_of_truncating()
    yield
    close_connection_of_loops()


def record_migrations() -> None:
    django_settings.MIGRATION_MODULES = {}  # pytest-django has hidden them
    recorder = MigrationRecorder(connection)
    recorder.ensure_schema()
    known = MigrationLoader(None).disk_migrations
    replaced = (one for migration in known.values() for one in migration.replaces)
    recorder.migration_qs.bulk_create(
        recorder.Migration(app=app, name=name) for app, name in {*known, *replaced}
    )


def delete_rows_in_place_of_truncating() -> None:
    """Let a test with real transactions end by deleting its rows, while tables are small.

    To truncate all hundred tables makes hundreds of files anew and leaves as many dead rows in the
    catalogue, which nothing clears away: 70 ms and more each time, deleting takes 20. Transactions
    that are still writing are waited for, as truncating waits for them.
    """
    truncate = type(connection.ops).sql_flush

    def sql_flush(ops: Any, style: Any, tables: Sequence[str], **options: Any) -> list[str]:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT relname, pg_relation_size(oid) FROM pg_class WHERE relname = ANY(%s)",
                [list(tables)],
            )
            sizes = dict(cursor.fetchall())
        used = [ops.quote_name(table) for table in tables if sizes.get(table)]
        if not used:
            return []
        if max(sizes.values()) > SMALL_TABLE:
            flush: list[str] = truncate(ops, style, tables, **options)
            return flush
        lock = f"LOCK TABLE {', '.join(used)} IN SHARE ROW EXCLUSIVE MODE"
        return [lock, *(f"DELETE FROM {table}" for table in used)]  # noqa: S608

    type(connection.ops).sql_flush = sql_flush  # type: ignore[method-assign, assignment]


@pytest.fixture(scope="module")
def lasting_database(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """A transaction around the tests of a module, so that what all of them need is stored once.

    What a test itself stores goes with it as ever. Not for tests that need real transactions.
    """
    with django_db_blocker.unblock(), transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.fixture(scope="session", autouse=True)
def _only_pages_are_noted(django_test_environment: None) -> Iterator[None]:
    """Let clients keep the context of a page, not also a copy for each template that it includes.

    Some pages have hundreds of those: copies took a twelfth of the time.
    """
    noted = Template._render  # type: ignore[attr-defined]

    def render(template: Template, context: Context) -> Any:
        if context.template is template:
            return noted(template, context)
        return template.nodelist.render(context)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Template, "_render", render)
        yield


@pytest.fixture(autouse=True)
def _the_same_chance_each_time(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seed deals, house players and places by lot with the test's name."""
    if not THOROUGH:
        same_chance.use(Random(request.node.nodeid), monkeypatch.setattr)


@pytest.fixture(autouse=True)
def _nothing_kept_of_another_test() -> None:
    """What a process remembers by a number is forgotten: numbers come again with each test."""
    cache.clear()
    ContentType.objects.clear_cache()
    state.forget_all()
    hub.forget_all()


@pytest.fixture(autouse=True)
def _nothing_asked_after_its_test() -> Iterator[None]:
    """What a loop that has ended still asks the database comes to its end with the test.

    pytest-django refuses connections between tests; one that is refused while it is being made
    would be in no transaction for Django, and in one for SQLite.
    """
    yield
    close_connection_of_loops()


def close_connection_of_loops() -> None:
    """Close the connection of the thread on which `sync_to_async` asks the database, once free."""
    SyncToAsync.single_thread_executor.submit(connections.close_all).result()


@pytest.fixture(scope="session")
def chromium_path() -> str:
    """Return where Chromium is."""
    named = (
        os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    )
    return needed(named, "Chromium: on the path, or named by CHROMIUM")


@pytest.fixture(scope="session")
def axe_path() -> str:
    """Return where axe-core's script is; it comes from npm, which few machines for Python have."""
    return os.environ.get("AXE") or pytest.skip("needs axe-core: its axe.min.js, named by AXE")


@pytest.fixture(scope="session")
def postgres_url() -> str:
    """Return the address of a PostgreSQL server on which databases may be made."""
    return needed(os.environ.get("TEST_POSTGRES_URL"), "PostgreSQL: TEST_POSTGRES_URL")


@pytest.fixture(scope="session")
def redis_url() -> str:
    """Return the address of a Redis database that may be emptied."""
    return needed(os.environ.get("TEST_REDIS_URL"), "Redis: TEST_REDIS_URL")
