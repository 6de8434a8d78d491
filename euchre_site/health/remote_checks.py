"""Checks of what Bower depends on: database, Redis, mail server, services, backups."""

import sqlite3
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

import psycopg
from django.conf import settings
from django.core import mail
from django.core.cache import cache
from django.db import DatabaseError, connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.loader import MigrationLoader
from django.db.models import Count, Min
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from redis import Redis, RedisError
from redis.backoff import NoBackoff
from redis.retry import Retry

from euchre_site.backups import backups
from euchre_site.backups.backups import BackupHealth
from euchre_site.health.findings import Finding, Level, fine, first_line, note, wrong
from euchre_site.health.local_checks import Clock, compare_clocks
from euchre_site.startup import startup
from euchre_site.startup.startup import KEYS, StartError, mark_of
from games.models import Game, Heartbeat, KeyMark
from games.shuffle.secret_box import opens
from games.sockets import heartbeats
from games.sockets.heartbeats import PARTS, Health
from tournaments.outbox.pushes import refused_lately

#: File systems, by the kernel's names, whose files are on another machine.
NETWORK_FILE_SYSTEMS: Final = frozenset(
    ("9p", "afs", "ceph", "cifs", "fuse.glusterfs", "fuse.sshfs", "nfs", "nfs4", "smb3", "smbfs")
)
MOUNTS: Final = Path("/proc/mounts")
#: The oldest PostgreSQL that Django 5.2 supports.
POSTGRESQL: Final = 14
#: Connections that a process keeps outside the pool for pages (`DB_POOL`) or its worker threads:
#: 2 spare, 3 for reading tables in play, 4 for storing actions; see docs/settings.md.
RESERVED_CONNECTIONS: Final = 9
#: One more in a web process, for checking the sessions of open sockets.
SESSION_CONNECTIONS: Final = 1
#: Connections of the schedule and of one management command.
OTHER_CONNECTIONS: Final = 2
#: Timeout for Redis, in seconds.
REDIS_TIMEOUT: Final = 2.0
#: Seconds for which the office shows what the mail server has answered.
MAILS_KEPT: Final = 60
REDIS_AWAY: Final = "Redis cannot be used"
#: Tasks expire within seconds, so a queue longer than this has no worker.
MANY_TASKS: Final = 100
#: Share of Redis's memory above which it is reported as full.
NEARLY_FULL: Final = 0.9
#: How far ahead of this machine's clock a heartbeat may be.
AHEAD: Final = timedelta(seconds=5)

#: The title of each background service, and what to do if it is not running.
SERVICES: Final = {
    "schedule": (
        "Schedule",
        "Start the schedule (`celery -A euchre_site beat`); exactly one must run.",
    ),
    "ticks": (
        "Short tasks",
        "Start a worker that takes the queue “ticks”, and check that it can reach the database.",
    ),
    "work": (
        "Long tasks",
        "Start a worker that takes the queue “work”. An unreachable mail server does not stop it.",
    ),
}


def date_text(at: datetime) -> str:
    return f"{timezone.localtime(at):%-d %B %Y, %H:%M %Z}"


# Database -----------------------------------------------------------------------------------


def cannot_connect() -> Finding | None:
    """Return why the database cannot be used; None if it can."""
    try:
        if connection.vendor == "postgresql":
            # Not through the pool, which only reports a timeout.
            known = connection.get_connection_params()
            ours = {"context", "cursor_factory", "prepare_threshold"}
            psycopg.connect(**{name: known[name] for name in known.keys() - ours}).close()
        elif not connection.is_in_memory_db():  # type: ignore[attr-defined]
            file = Path(connection.settings_dict["NAME"])
            if not file.exists():  # connecting would create it
                raise FileNotFoundError(f"There is no file {file}")
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except (DatabaseError, psycopg.Error, OSError) as error:
        return wrong(
            "The database cannot be used",
            f"{first_line(error)}.",
            "Start the database server or correct DATABASE_URL. With SQLite, check that BOWER_DATA "
            "names the right folder and who owns the file.",
        )
    return None


def migrations(*, running: bool) -> Finding:
    """Check that the database has exactly this version's migrations.

    running: the site is up, so newer migrations mean that an update is under way.
    """
    try:
        startup.refuse_other_versions()
    except StartError as error:
        title = "The database is from another version"
        if running:
            return note(title, str(error), "Restart this process once the update is complete.")
        return wrong(title, str(error), "Do as it says.")
    if missing := startup.missing_migrations():
        return wrong(
            "The database lacks migrations",
            f"{len(missing)} missing, the first is {missing[0]}.",
            "Stop Bower, copy the database, run `manage.py migrate` and start it again.",
        )
    latest = [
        f"{app} {name.partition('_')[0]}"
        for app, name in sorted(MigrationLoader(None).graph.leaf_nodes())
        if app in ("games", "tournaments")
    ]
    return fine("Migrations", f"Up to date: {', '.join(latest)}")


def key_marks() -> Iterator[Finding]:
    """Check that the database belongs to these keys; unlike a start this stores no mark."""
    marks = dict(KeyMark.objects.values_list("name", "mark"))
    wrong_keys = [
        name
        for name in KEYS
        if (
            not constant_time_compare(marks[name], mark_of(name))
            if name in marks
            else name == "DEAL_KEY" and not opens()
        )
    ]
    for name in wrong_keys:
        changed = (
            ", or run `manage.py accept_key SECRET_KEY` if it was changed on purpose"
            if name == "SECRET_KEY"
            else ""
        )
        yield wrong(
            f"The database belongs to another {name}",
            f"{KEYS[name]} No process starts with it.",
            f"Restore the original {name}, in the environment or secrets.env{changed}.",
        )
    if not wrong_keys:
        yield fine("Keys and database", "they belong together")


def sqlite(using: BaseDatabaseWrapper = connection, mounts: Path = MOUNTS) -> Iterator[Finding]:
    known = {name: _query(using, f"PRAGMA {name}") for name in ("journal_mode", "synchronous")}
    if known["journal_mode"] != "wal" or known["synchronous"] < 2:
        yield wrong(
            "SQLite may lose data",
            f"journal_mode is {known['journal_mode']} instead of wal, synchronous "
            f"{known['synchronous']} instead of 2.",
            "Put the data folder on a local disk.",
        )
    file = Path(using.settings_dict["NAME"])
    kind = file_system(file, mounts)
    if kind in NETWORK_FILE_SYSTEMS:
        yield wrong(
            "SQLite on a network file system",
            f"{file} is on {kind}, where SQLite's journal and locks are not reliable.",
            "Put the data folder on a local disk, or use PostgreSQL.",
        )
    if settings.REDIS_URL:
        yield note(
            "SQLite with several processes",
            "REDIS_URL is set, so several processes may run; SQLite lets only one of them write at "
            "a time, and all must be on this machine.",
            "Use PostgreSQL for several web processes, or quickstart without REDIS_URL.",
        )
    yield fine("Database", f"SQLite {sqlite3.sqlite_version}, {file}")


def file_system(path: Path, mounts: Path = MOUNTS) -> str:
    """Return the type of the file system that holds a path; empty if the kernel does not say."""
    if not mounts.exists():
        return ""
    lines = [line.split(" ") for line in mounts.read_text().splitlines()]
    places = {point.replace("\\040", " "): kind for _device, point, kind, *_more in lines}
    above = [str(one) for one in (path.resolve(), *path.resolve().parents)]
    return next((places[one] for one in above if one in places), "")


def postgresql(web: int, workers: int, clock: Clock) -> Iterator[Finding]:
    number = int(_query(connection, "SHOW server_version_num"))
    if number < POSTGRESQL * 10_000:
        yield wrong(
            "PostgreSQL is too old",
            f"It is version {number // 10_000}; {POSTGRESQL} or newer is needed.",
            "Upgrade it, after a dump.",
        )
    off = [
        name
        for name in ("fsync", "full_page_writes", "synchronous_commit")
        if _query(connection, f"SHOW {name}") == "off"
    ]
    if off:
        yield wrong(
            "PostgreSQL may lose data",
            f"{', '.join(off)} off: recent play may be lost if its machine crashes.",
            "Set them to on in postgresql.conf and reload it.",
        )
    yield _connections(web, workers)
    before: datetime = clock()
    theirs: datetime = _query(connection, "SELECT clock_timestamp()")
    yield compare_clocks("PostgreSQL", before, theirs, clock())
    if not settings.REDIS_URL:
        yield note(
            "PostgreSQL without Redis",
            "REDIS_URL is not set: only quickstart can run, and no other process.",
            "Set REDIS_URL for several processes.",
        )
    yield fine("Database", f"PostgreSQL {number // 10_000}.{number % 10_000}")


def _connections(web: int, workers: int) -> Finding:
    per_web = settings.PAGES_AT_ONCE + RESERVED_CONNECTIONS + SESSION_CONNECTIONS
    per_worker = settings.WORKER_THREADS + RESERVED_CONNECTIONS
    if settings.REDIS_URL:
        need = web * per_web + workers * per_worker + OTHER_CONNECTIONS
        by = f"{web} web processes with {per_web}, {workers} workers with {per_worker}, and others"
    else:
        need = per_web + settings.WORKER_THREADS + OTHER_CONNECTIONS
        by = "quickstart"
    most = int(_query(connection, "SHOW max_connections"))
    kept = int(_query(connection, "SHOW superuser_reserved_connections"))
    used = _query(connection, "SELECT count(*) FROM pg_stat_activity WHERE datname IS NOT NULL")
    what = f"up to {need} needed ({by}), {most - kept} available, {used} in use now"
    if need <= most - kept:
        return fine("Connections", what)
    return wrong(
        "PostgreSQL has too few connections",
        f"Connections: {what}.",
        f"Set max_connections to {need + kept} or more in postgresql.conf and restart it, or lower "
        "DB_POOL. Pass the numbers of processes to this command as --web and --workers.",
    )


def _query(using: BaseDatabaseWrapper, sql: str) -> Any:
    with using.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchone()[0]


# Redis and mail -----------------------------------------------------------------------------


def connect_redis(timeout: float) -> Redis:
    """Return a connection to Redis that does not retry; timeout: in seconds."""
    return Redis.from_url(
        settings.REDIS_URL,
        socket_timeout=timeout,
        socket_connect_timeout=timeout,
        retry=Retry(NoBackoff(), 0),
    )


def redis() -> Iterator[Finding]:
    """Check that Redis can be written to, what it evicts when full, and the queues' lengths."""
    if not settings.REDIS_URL:
        yield fine("Redis", "not used: everything runs in one process")
        return
    try:
        with connect_redis(REDIS_TIMEOUT) as server:
            server.set("bower.doctor", "is it stored?", ex=5)
            yield _redis_memory(server.info())
            yield _redis_queues({name: server.llen(name) for name in ("ticks", "work")})
    except (RedisError, OSError, ValueError) as error:
        yield wrong(
            REDIS_AWAY,
            f"{first_line(error)}. Each process shows what others do late and counts limits for "
            "itself, and no task reaches a worker: house players and events stop.",
            "Start Redis, free memory and disk space for it, or correct REDIS_URL.",
        )


def _redis_memory(about: Any) -> Finding:
    policy, most, used = about["maxmemory_policy"], about["maxmemory"], about["used_memory"]
    if most and policy.startswith("allkeys"):
        return wrong(
            "Redis may evict the task queues",
            f"Its maxmemory-policy is {policy}: when it is full it drops queues too, and no task "
            "is sent until the workers are restarted.",
            "Set maxmemory-policy to volatile-lru, which drops limits and cached pages first.",
        )
    if most and used > NEARLY_FULL * most:
        return wrong(
            "Redis is full",
            f"It uses {used:,} of {most:,} bytes.",
            "Raise its maxmemory. Bower needs little, so check what else is stored in it.",
        )
    size = f"{used / 2**20:.0f} MiB used"
    return fine("Redis", f"version {about['redis_version']}, {size}, maxmemory-policy {policy}")


def _redis_queues(lengths: Any) -> Finding:
    waiting = ", ".join(f"{name} {length}" for name, length in lengths.items())
    if max(lengths.values()) <= MANY_TASKS:
        return fine("Queues", f"tasks waiting: {waiting}")
    return wrong(
        "No worker takes the tasks",
        f"Tasks waiting in the queues: {waiting}.",
        "Start a worker for both queues, or one for each (-Q ticks, -Q work); if they are running, "
        "start one more.",
    )


def mails(to: str) -> Iterator[Finding]:
    """Check that the mail server accepts our login; to: the recipient of a test mail, if any."""
    smtp = settings.EMAIL_BACKEND.endswith("smtp.EmailBackend")
    try:
        if smtp or to:
            with mail.get_connection(fail_silently=False) as sender:
                if to:
                    subject, body = f"{settings.SITE_NAME}: a test", "This mail has arrived."
                    letter = mail.EmailMessage(subject, body, settings.DEFAULT_FROM_EMAIL, [to])
                    sender.send_messages([letter])
    except (OSError, ValueError) as error:  # SMTP errors are OSErrors
        yield wrong(
            "Mails cannot be sent",
            f"{settings.EMAIL_HOST if smtp else 'In files'}: {first_line(error)}.",
            "Check EMAIL_URL: scheme (smtp+tls, smtp+ssl), name, password, host and port.",
        )
        return
    if not smtp:
        yield note(
            "Mails are not sent",
            "EMAIL_URL names no server: nobody can get a link for a new password.",
            "Set EMAIL_URL, such as smtp+tls://name:password@host:587.",
        )
    elif settings.DEFAULT_FROM_EMAIL == "bower@localhost":
        yield note(
            "Mails have no real sender",
            "DEFAULT_FROM_EMAIL is bower@localhost; most servers treat such mails as spam.",
            "Set it to an address in the site's own domain.",
        )
    else:
        done = "accepts our login" + (" and took a test mail" if to else "")
        yield fine("Mail", f"{settings.EMAIL_HOST} {done}")


def mails_lately() -> list[Finding]:
    """Return what `mails` finds, asking once a minute: a server that hangs holds up one look."""
    found: list[Finding] | None = cache.get("health.mails")
    if found is None:
        found = list(mails(""))
        cache.set("health.mails", found, MAILS_KEPT)
    return found


# Services and backups -----------------------------------------------------------------------


def services(now: datetime, *, running: bool, redis_away: bool = False) -> Iterator[Finding]:
    """Check the heartbeats of schedule and workers.

    running: the site is up. Otherwise services that have never run are those of a new site.
    redis_away: no task reaches a worker, whether it runs or not.
    """
    health = heartbeats.health(now)
    if not running and set(health.values()) == {Health.NEVER}:
        yield note(
            "Schedule and workers have never run",
            "There is no heartbeat in this database yet.",
            "Start them. If they are running they use another database: compare DATABASE_URL.",
        )
        return
    for name, state in health.items():
        title, start = SERVICES[name]
        if state is Health.FINE:
            yield fine(title, f"Running: {PARTS[name]}.")
            continue
        at = heartbeats.last(name)
        since = f"No heartbeat since {date_text(at)}" if at else "There has never been a heartbeat"
        stopped = "" if running else ", which is normal if Bower is stopped"
        if redis_away:
            fix = "Tasks come by way of Redis: start that first, and see whether this goes on."
            yield wrong(f"{title}: waits for Redis", f"{since}{stopped}.", fix)
            continue
        log = "If it ended by itself, its log says why."
        yield wrong(f"{title}: not running", f"{since}{stopped}.", f"{start} {log}")


def pushes(now: datetime) -> Iterator[Finding]:
    """Report the push services that took none of the last hour's messages."""
    refused = refused_lately(now)
    if refused:
        told = ", ".join(f"{host} ({number})" for host, number in sorted(refused.items()))
        yield note(
            "Push messages are not taken",
            f"In the last hour no message reached its service: {told}.",
            "The log says of each “push not sent” why. 401 or 403: these devices were added with "
            "another PUSH_KEY. No answer: can this machine reach the service by https?",
        )


def archives() -> Iterator[Finding]:
    """Report finished games that could not be archived."""
    failed = Game.objects.filter(archived=False, archive_after__isnull=False)
    found = failed.filter(ended__isnull=False).aggregate(number=Count("pk"), first=Min("ended"))
    if found["number"]:
        games = "1 game" if found["number"] == 1 else f"{found['number']} games"
        yield wrong(
            "Finished games cannot be archived",
            f"{games}, the oldest from {date_text(found['first'])}. They can be read as before, "
            "but each takes five times the space.",
            "The log says of each “game not archived” why. They are tried again every day, or at "
            "once by `manage.py archive_games`.",
        )


def service_clocks(now: datetime) -> Iterator[Finding]:
    """Report the services whose heartbeats are in the future."""
    for beat in Heartbeat.objects.filter(name__in=PARTS):
        if beat.at - now > AHEAD:
            yield compare_clocks(f"the machine of “{beat.name}”", now, beat.at, now)


def last_backup(now: datetime, *, running: bool) -> Finding:
    """Check that the last backup succeeded and is at most a day old.

    running: the site is up. After a longer stop a late backup is normal.
    """
    last, failed = backups.last_good(), backups.last_failed()
    made = f"The last backup was made on {date_text(last)}." if last else "None was ever made."
    health = backups.health(now)
    if health is BackupHealth.FAILED and failed is not None:
        what = f"A backup failed on {date_text(failed)}. {made}"
        return wrong("Backups fail", what, "Run `manage.py backup`: it says why.")
    if health is BackupHealth.FINE:
        return fine("Backup", made)
    level = Level.WRONG if health is BackupHealth.LATE and running else Level.NOTE
    fix = (
        "A worker makes one every day, unless BACKUPS is false: its log says why there is none. "
        "See docs/running.md."
    )
    return Finding(level, "Backup: none in the last day", made, fix)
