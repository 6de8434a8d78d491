"""What `manage.py doctor` looks at elsewhere: database, Redis, mail server, schedule, workers."""

import sqlite3
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

import psycopg
from django.conf import settings
from django.core import mail
from django.db import DatabaseError, connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.utils.crypto import constant_time_compare
from redis import Redis, RedisError
from redis.backoff import NoBackoff
from redis.retry import Retry

from euchre_site.health.findings import Finding, fine, note, wrong
from euchre_site.health.local_checks import Clock, clocks
from euchre_site.startup import startup
from euchre_site.startup.startup import KEYS, StartError, mark_of

#: Kinds of file systems, as the kernel names them, on which other machines' files lie.
OF_OTHER_MACHINES: Final = frozenset(
    ("9p", "afs", "ceph", "cifs", "fuse.glusterfs", "fuse.sshfs", "nfs", "nfs4", "smb3", "smbfs")
)
MOUNTS: Final = Path("/proc/mounts")
#: The least PostgreSQL that Django 5.2 speaks to.
POSTGRESQL: Final = 14
#: Connections of a process beside those of `DB_POOL` for pages and of a worker's threads: 2 more,
#: 3 to read tables in play and 4 to store what is played. docs/settings.md says so.
BESIDE: Final = 9
#: And where sockets are: 1 to look at their sessions.
SESSIONS: Final = 1
#: Connections of the schedule, and of somebody who runs a command.
OF_ONE_EACH: Final = 2
#: Seconds for which Redis is waited.
PATIENCE: Final = 2.0
#: Tasks in a queue; each expires after seconds, so that more of them mean that nobody takes them.
MANY_TASKS: Final = 100
#: The share of its memory that Redis may have used.
NEARLY: Final = 0.9
#: By how much a sign of life may lie in the future.
AHEAD: Final = timedelta(seconds=5)


def reason(error: Exception) -> str:
    """The first line of what an error says."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__).rstrip(".")


def cannot_reach() -> Finding | None:
    """What keeps the database from being used; None if nothing does."""
    try:
        if connection.vendor == "postgresql":
            # Not by the pool, which says no more than that it has waited in vain.
            known = connection.get_connection_params()
            ours = {"context", "cursor_factory", "prepare_threshold"}
            psycopg.connect(**{name: known[name] for name in known.keys() - ours}).close()
        else:
            _make_none()
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except (DatabaseError, psycopg.Error, OSError) as error:
        return wrong(
            "The database cannot be used",
            f"{reason(error)}.",
            "Start its server, or put the right DATABASE_URL into the environment; of SQLite look "
            "whether BOWER_DATA names the right folder, and whose the file is.",
        )
    return None


def _make_none() -> None:
    """Raise OSError where there is no file of SQLite yet: opening it would make one."""
    if not connection.is_in_memory_db() and not Path(connection.settings_dict["NAME"]).exists():  # type: ignore[attr-defined]
        raise FileNotFoundError(f"There is no file {connection.settings_dict['NAME']}")


def versions_of_tables() -> Iterator[Finding]:
    """Whether the database is what this version of Bower needs."""
    try:
        startup.refuse_newer_database()
    except StartError as error:
        yield wrong("The database is of a newer version", str(error), "Do one of the two.")
        return
    if missing := startup.missing_migrations():
        yield wrong(
            "The database lacks changes",
            f"This version needs {len(missing)} more, the first is {missing[0]}.",
            "Stop Bower, copy the database, run `manage.py migrate`, start it again.",
        )
    else:
        yield fine("Tables", "the database is what this version needs")


def key_marks() -> Iterator[Finding]:
    """Whether the database belongs to these keys; unlike a start it leaves no mark."""
    from games.models import KeyMark
    from games.shuffle.secret_box import opens

    marks = dict(KeyMark.objects.values_list("name", "mark"))
    strange = [
        name
        for name in KEYS
        if (
            not constant_time_compare(marks[name], mark_of(name))
            if name in marks
            else name == "DEAL_KEY" and not opens()
        )
    ]
    for name in strange:
        changed = (
            ", or run `manage.py accept_key SECRET_KEY` if it was changed on purpose"
            if name == "SECRET_KEY"
            else ""
        )
        yield wrong(
            f"The database belongs to another {name}",
            f"{KEYS[name]} No process starts with it.",
            f"Put back the {name} that it had, from the environment or secrets.env{changed}.",
        )
    if not strange:
        yield fine("Keys and database", "they belong together")


def sqlite(using: BaseDatabaseWrapper = connection, mounts: Path = MOUNTS) -> Iterator[Finding]:
    """How SQLite keeps what is stored, and where."""
    known = {name: _ask(using, f"PRAGMA {name}") for name in ("journal_mode", "synchronous")}
    if known["journal_mode"] != "wal" or known["synchronous"] < 2:
        yield wrong(
            "SQLite does not keep what is stored as it should",
            f"journal_mode is {known['journal_mode']} in place of wal, synchronous "
            f"{known['synchronous']} in place of 2.",
            "Put the data folder on a disk of this machine.",
        )
    file = Path(using.settings_dict["NAME"])
    kind = file_system(file, mounts)
    if kind in OF_OTHER_MACHINES:
        yield wrong(
            "SQLite on another machine's disk",
            f"{file} lies on {kind}, where SQLite's journal and locks cannot be relied on.",
            "Put the data folder on a disk of this machine, or use PostgreSQL.",
        )
    if settings.REDIS_URL:
        yield note(
            "SQLite with several processes",
            "REDIS_URL is set, so several processes may run; SQLite lets one of them write at a "
            "time, and all must be on this machine.",
            "Use PostgreSQL for several web processes, or quickstart without REDIS_URL.",
        )
    yield fine("Database", f"SQLite {sqlite3.sqlite_version}, {file}")


def file_system(path: Path, mounts: Path = MOUNTS) -> str:
    """The kind of file system that a path is on; empty where the kernel does not tell."""
    if not mounts.exists():
        return ""
    lines = [line.split(" ") for line in mounts.read_text().splitlines()]
    places = {point.replace("\\040", " "): kind for _device, point, kind, *_more in lines}
    above = [str(one) for one in (path.resolve(), *path.resolve().parents)]
    return next((places[one] for one in above if one in places), "")


def postgresql(web: int, workers: int, clock: Clock) -> Iterator[Finding]:
    """How PostgreSQL keeps what is stored, its clock, and whether it has room for all.

    web, workers: how many of these processes there are; clock: this machine's.
    """
    number = int(_ask(connection, "SHOW server_version_num"))
    if number < POSTGRESQL * 10_000:
        yield wrong(
            "PostgreSQL is too old",
            f"It is {number // 10_000}, and {POSTGRESQL} is the oldest that can be used.",
            "Update it, with a dump before.",
        )
    off = [
        name
        for name in ("fsync", "full_page_writes", "synchronous_commit")
        if _ask(connection, f"SHOW {name}") == "off"
    ]
    if off:
        yield wrong(
            "PostgreSQL does not keep what is stored as it should",
            f"{', '.join(off)} off: what was played may be lost when its machine stops.",
            "Set them to on in postgresql.conf, and reload it.",
        )
    yield from _connections(web, workers)
    before: datetime = clock()
    theirs: datetime = _ask(connection, "SELECT clock_timestamp()")
    yield clocks("PostgreSQL", before, theirs, clock())
    if not settings.REDIS_URL:
        yield note(
            "PostgreSQL without Redis",
            "REDIS_URL is not set: only quickstart may run, and no second process beside it.",
            "Set REDIS_URL for several processes.",
        )
    yield fine("Database", f"PostgreSQL {number // 10_000}.{number % 10_000}")


def _connections(web: int, workers: int) -> Iterator[Finding]:
    of_web = settings.PAGES_AT_ONCE + BESIDE + SESSIONS
    of_worker = settings.WORKER_THREADS + BESIDE
    if settings.REDIS_URL:
        need = web * of_web + workers * of_worker + OF_ONE_EACH
        whose = f"{web} web processes with {of_web}, {workers} workers with {of_worker}, and others"
    else:
        need = of_web + settings.WORKER_THREADS + OF_ONE_EACH
        whose = "quickstart"
    most = int(_ask(connection, "SHOW max_connections"))
    kept = int(_ask(connection, "SHOW superuser_reserved_connections"))
    used = _ask(connection, "SELECT count(*) FROM pg_stat_activity WHERE datname IS NOT NULL")
    about = f"up to {need} may be taken ({whose}), {most - kept} may be had, {used} are taken now"
    if need > most - kept:
        yield wrong(
            "PostgreSQL has too few connections",
            f"Of its connections {about}.",
            f"Set max_connections to {need + kept} or more in postgresql.conf and start it again, "
            "or lower DB_POOL; tell this command how many processes there are by --web, --workers.",
        )
    else:
        yield fine("Connections", about)


def _ask(using: BaseDatabaseWrapper, question: str) -> Any:
    with using.cursor() as cursor:
        cursor.execute(question)
        return cursor.fetchone()[0]


def redis() -> Iterator[Finding]:
    """Whether Redis can be reached and written to, and what it throws away when it is full."""
    if not settings.REDIS_URL:
        yield fine("Redis", "not used: everything is in one process")
        return
    try:
        with Redis.from_url(
            settings.REDIS_URL,
            socket_timeout=PATIENCE,
            socket_connect_timeout=PATIENCE,
            retry=Retry(NoBackoff(), 0),
        ) as server:
            server.set("bower.doctor", "is it kept?", ex=5)
            yield from _redis_memory(server.info())
            yield from _redis_queues({name: server.llen(name) for name in ("ticks", "work")})
    except (RedisError, OSError, ValueError) as error:
        yield wrong(
            "Redis cannot be used",
            f"{reason(error)}. Pages of one process show late what another does, limits are "
            "counted by each process for itself, and no task is sent to workers: house players "
            "stand still, and events too.",
            "Start Redis, make room in its memory and on its disk, or put the right REDIS_URL into "
            "the environment.",
        )


def _redis_memory(about: Any) -> Iterator[Finding]:
    policy, most, used = about["maxmemory_policy"], about["maxmemory"], about["used_memory"]
    if most and policy.startswith("allkeys"):
        yield wrong(
            "Redis throws away what the task queue needs",
            f"Its maxmemory-policy is {policy}: when it is full, queues go too, and no task is "
            "sent any more until workers start again.",
            "Set maxmemory-policy to volatile-lru: limits and kept pages go first.",
        )
    elif most and used > NEARLY * most:
        yield wrong(
            "Redis is full",
            f"It uses {used:,} of {most:,} bytes.",
            "Give it more maxmemory; Bower itself needs little, so look what else is in it.",
        )
    else:
        size = f"{used / 2**20:.0f} MiB used"
        yield fine("Redis", f"version {about['redis_version']}, {size}, maxmemory-policy {policy}")


def _redis_queues(lengths: Any) -> Iterator[Finding]:
    told = ", ".join(f"{name} {length}" for name, length in lengths.items())
    if max(lengths.values()) > MANY_TASKS:
        yield wrong(
            "Nobody takes the tasks",
            f"Tasks that wait in the queues: {told}.",
            "Start a worker that takes both queues, or one for each (-Q ticks, -Q work); if they "
            "run, start one more.",
        )
    else:
        yield fine("Queues", f"tasks that wait: {told}")


def mails(to: str) -> Iterator[Finding]:
    """Whether the mail server lets us in; to: an address that is sent one, or nobody."""
    smtp = settings.EMAIL_BACKEND.endswith("smtp.EmailBackend")
    try:
        if smtp or to:
            with mail.get_connection(fail_silently=False) as sender:
                if to:
                    subject, body = f"{settings.SITE_NAME}: a test", "This mail has arrived."
                    letter = mail.EmailMessage(subject, body, settings.DEFAULT_FROM_EMAIL, [to])
                    sender.send_messages([letter])
    except (OSError, ValueError) as error:  # errors of SMTP are OSErrors
        yield wrong(
            "Mails cannot be sent",
            f"{settings.EMAIL_HOST if smtp else 'In files'}: {reason(error)}.",
            "Look at EMAIL_URL: its scheme (smtp+tls, smtp+ssl), name, password, host and port.",
        )
        return
    if not smtp:
        yield note(
            "Mails are not sent",
            "EMAIL_URL names no server: nobody gets a link for a new password.",
            "Set EMAIL_URL, such as smtp+tls://name:password@host:587.",
        )
    elif settings.DEFAULT_FROM_EMAIL == "bower@localhost":
        yield note(
            "Mails come from nowhere",
            "DEFAULT_FROM_EMAIL is bower@localhost; most servers take such a mail for spam.",
            "Set it to an address of the site's own domain.",
        )
    else:
        yield fine("Mail", f"{settings.EMAIL_HOST} lets us in{', and took a mail' if to else ''}")


def parts(clock: Clock) -> Iterator[Finding]:
    """Whether schedule and workers are at work, by the signs of life; clock: this machine's."""
    from games.models import Heartbeat
    from games.sockets import heartbeats
    from games.sockets.heartbeats import PARTS, Health

    now = clock()
    found = heartbeats.health(now)
    if set(found.values()) == {Health.NEVER}:
        yield note(
            "Schedule and workers were never at work",
            "No part has left a sign of life in this database yet.",
            "Start them; if they run, they use another database: compare DATABASE_URL.",
        )
        return
    for name, health in found.items():
        if health is Health.FINE:
            continue
        at = heartbeats.last(name)
        since = f"left its last sign of life at {at:%Y-%m-%d %H:%M:%S} UTC" if at else "left none"
        yield wrong(
            f"Not at work: {PARTS[name].partition(',')[0].partition(':')[0]}",
            f"{PARTS[name].capitalize()}: it {since}. Where Bower is stopped, that is as it "
            "should be.",
            "Start it, and read in its log why it ended.",
        )
    for beat in Heartbeat.objects.filter(name__in=PARTS):
        if beat.at - now > AHEAD:
            yield clocks(f"the machine of “{beat.name}”", now, beat.at, now)
    if set(found.values()) == {Health.FINE}:
        yield fine(
            "Schedule and workers",
            "all at work. Whether there is more than one schedule cannot be seen from here: a "
            "second one would send each task twice, which is work for nothing and breaks nothing",
        )


def backups(clock: Clock) -> Iterator[Finding]:
    """Whether there are backups, and the last one was made within a day."""
    from euchre_site.backups import backups
    from euchre_site.backups.backups import BackupHealth

    last, failed = backups.last_good(), backups.last_failed()
    health = backups.health(clock())
    told = f"the last was made at {last:%Y-%m-%d %H:%M} UTC" if last else "none was ever made"
    if health is BackupHealth.FAILED:
        yield wrong(
            "Backups fail",
            f"One failed at {failed:%Y-%m-%d %H:%M} UTC; {told}.",
            "Run `manage.py backup`: it says what prevents it.",
        )
    elif health is not BackupHealth.FINE:
        mend = (
            "Run `manage.py backup`, and have it run every day: see “Keeping” in docs/running.md."
        )
        yield note("No backup of the last day", f"{told.capitalize()}.", mend)
    else:
        yield fine("Backups", told)
