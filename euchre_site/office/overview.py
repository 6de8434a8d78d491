"""How the site is, in words, and what to do where something is wrong."""

import platform
import shutil
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Final

import django
from django.conf import settings
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Max, Min, Q
from django.urls import reverse
from django.utils import timezone

from euchre_site import __version__
from euchre_site.backups import backups
from euchre_site.backups.backups import BackupHealth
from euchre_site.office import reports
from games.models import Player, Seat, Table, TaskFailure
from games.models.tables import PATIENCE
from games.people import limits
from games.sockets import heartbeats
from games.sockets.heartbeats import Health
from tournaments.models import Delivery, Event, Letter, Pairing, RatingHold
from tournaments.outbox import letters

#: Less than this of the disk, or of bytes, is little.
LITTLE_SHARE: Final = 0.10
LITTLE_BYTES: Final = 2 * 1024**3
#: A letter or message that has waited for so long, or a pause so long, wants looking at.
WAITED: Final = timedelta(hours=1)
PAUSED: Final = timedelta(minutes=30)
#: An event whose clock has not looked at it for so long after it should have stands still.
STANDS: Final = timedelta(minutes=2)
#: Nobody has been at a table of a round for so long.
EMPTY: Final = timedelta(minutes=10)
#: How many failures, addresses and events the page lists.
LISTED: Final = 20


class Mood(StrEnum):
    """How something is: fine, worth a look, or bad."""

    FINE = "fine"
    LOOK = "look"
    BAD = "bad"


@dataclass(frozen=True)
class Finding:
    """One thing about the site.

    what: its name. says: how it is. mood: whether that is well. todo: what to do about it, or
    empty. link: the path of a page about it, or empty.
    """

    what: str
    says: str
    mood: Mood = Mood.FINE
    todo: str = ""
    link: str = ""


@dataclass(frozen=True)
class Overview:
    """All of it, in the order of the page."""

    work: list[Finding]
    waiting: list[Finding]
    machine: list[Finding]
    events: list[Finding]
    failures: list[TaskFailure]
    addresses: list[tuple[str, int]]

    @property
    def wrong(self) -> list[Finding]:
        """What wants looking at, the worst first."""
        every = [*self.work, *self.waiting, *self.machine, *self.events]
        found = [one for one in every if one.mood is not Mood.FINE]
        return sorted(found, key=lambda one: one.mood is not Mood.BAD)


def overview(now: datetime) -> Overview:
    """Return how the site is at this moment."""
    return Overview(
        work=[*_parts(now), _backup(now)],
        waiting=[_reports(), _holds(), *_letters(now), *_deliveries(now)],
        machine=[*_people(now), _database(), _disk(), *_versions()],
        events=_events(now),
        failures=list(TaskFailure.objects.order_by("-last")[:LISTED]),
        addresses=limits.refused_much()[:LISTED],
    )


# At work ------------------------------------------------------------------------------------

_RESTART: Final = {
    "schedule": "Is the schedule running (`celery -A euchre_site beat`)? Exactly one must be.",
    "ticks": "Is a worker running that takes the queue “ticks”, and does it reach the database?",
    "work": "Is a worker running that takes the queue “work”? A mail server that does not answer "
    "does not stop it.",
}


def _parts(now: datetime) -> list[Finding]:
    """The signs of life of what works by itself."""
    names = {"schedule": "Schedule", "ticks": "Short tasks", "work": "Long tasks"}
    found = []
    for part, health in heartbeats.health(now).items():
        what = names.get(part, part)
        if health is Health.FINE:
            found.append(Finding(what, f"At work: {heartbeats.PARTS[part]}."))
            continue
        at = heartbeats.last(part)
        says = f"No sign of life since {_moment(at)}." if at else "Never seen at work."
        todo = _RESTART.get(part, "Look whether its process is running.")
        found.append(Finding(what, says, Mood.BAD, todo))
    return found


def _backup(now: datetime) -> Finding:
    at, failed, health = backups.last_good(), backups.last_failed(), backups.health(now)
    last = f"The last is of {_moment(at)}." if at else "None was ever made."
    if health is BackupHealth.FAILED and failed is not None:
        todo = "Run `manage.py backup`: it says what prevents it."
        return Finding("Backup", f"One failed at {_moment(failed)}. {last}", Mood.BAD, todo)
    if health is BackupHealth.NEVER:
        todo = "Make one, and have it made every day; see “docs/running.md”."
        return Finding("Backup", last, Mood.LOOK, todo)
    if health is BackupHealth.LATE:
        todo = "Is what makes it every day at work? Its log says; see “docs/running.md”."
        return Finding("Backup", last, Mood.BAD, todo)
    return Finding("Backup", last)


# Waiting ------------------------------------------------------------------------------------


def _reports() -> Finding:
    number, link = len(reports.cases()), reverse("office_reports")
    if not number:
        return Finding("Reports", "None waits.", link=link)
    todo = "Read and decide them."
    return Finding("Reports", f"{_count(number, 'case')} waiting.", Mood.LOOK, todo, link)


def _holds() -> Finding:
    number = RatingHold.objects.filter(state=RatingHold.State.WAITING).count()
    link = reverse("ratings_waiting")
    if not number:
        return Finding("Ratings held back", "None.", link=link)
    says, todo = f"{_count(number, 'match', 'es')} not rated yet.", "Let them through, or do not."
    return Finding("Ratings held back", says, Mood.LOOK, todo, link)


def _letters(now: datetime) -> list[Finding]:
    unsent = Letter.objects.filter(letters.to_be_sent(), sent=None)
    waiting = unsent.filter(due__isnull=False).aggregate(first=Min("made"), last=Max("pk"))
    number = unsent.filter(due__isnull=False).count() if waiting["first"] else 0
    late = number and now - waiting["first"] > WAITED
    found = [
        Finding(
            "Letters waiting",
            f"{_count(number, 'letter')}, the oldest since {_moment(waiting['first'])}."
            if number
            else "None.",
            Mood.BAD if late else Mood.FINE,
            "The mail server does not take them: is EMAIL_URL right, and the server up?"
            if late
            else "",
        )
    ]
    lost = unsent.filter(due=None, made__gt=now - timedelta(days=30)).count()
    if lost:
        todo = "Tried six times in fifteen hours. Is EMAIL_URL right? They are not sent again."
        says = f"{_count(lost, 'letter')} in 30 days."
        found.append(Finding("Letters given up", says, Mood.LOOK, todo))
    return found


def _deliveries(now: datetime) -> list[Finding]:
    open_ones = Delivery.objects.filter(arrived=None)
    number = open_ones.filter(due__isnull=False, webhook__paused=False).count()
    says = f"{_count(number, 'message')} on the way." if number else "None."
    found = [Finding("Webhooks waiting", says)]
    lost = open_ones.filter(due=None, created__gt=now - timedelta(days=7)).count()
    if lost:
        todo = "The receivers did not answer: their clubs see why, and can send them again."
        says = f"{_count(lost, 'message')} in seven days."
        found.append(Finding("Webhooks given up", says, Mood.LOOK, todo))
    return found


# The machine --------------------------------------------------------------------------------


def _people(now: datetime) -> list[Finding]:
    playing = Table.objects.filter(state=Table.State.PLAYING).count()
    here = Seat.objects.filter(last_seen__gte=now - PATIENCE, missing_since=None)
    people = here.filter(player__kind=Player.Kind.PERSON).values("player").distinct().count()
    return [
        Finding("Tables in play", f"{playing}"),
        Finding("People online", f"{_count(people, 'person', plural='people')} at tables"),
    ]


def _database() -> Finding:
    if connection.vendor == "sqlite":
        name = Path(str(connection.settings_dict["NAME"]))
        files = [name, name.with_name(f"{name.name}-wal")]
        size = sum(one.stat().st_size for one in files if one.exists())
        return Finding("Database", f"SQLite, {_size(size)}, in one file")
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        size = int(cursor.fetchone()[0])
        cursor.execute("SHOW server_version")
        version = str(cursor.fetchone()[0])
    return Finding("Database", f"PostgreSQL {version}, {_size(size)}")


def _disk() -> Finding:
    disk = shutil.disk_usage(settings.DATA_DIR if settings.DATA_DIR.exists() else "/")
    says = f"{_size(disk.free)} of {_size(disk.total)} free, where the data folder is"
    if disk.free < LITTLE_BYTES or disk.free < LITTLE_SHARE * disk.total:
        todo = "Make room soon: a full disk stops every game. Old copies and logs go first."
        return Finding("Disk", says, Mood.BAD if disk.free < LITTLE_BYTES else Mood.LOOK, todo)
    return Finding("Disk", says)


def _versions() -> list[Finding]:
    says = f"Bower {__version__}, Django {django.get_version()}, Python {platform.python_version()}"
    executor = MigrationExecutor(connection)
    latest = [
        f"{app} {name.partition('_')[0]}"
        for app, name in sorted(executor.loader.graph.leaf_nodes())
        if app in ("games", "tournaments")
    ]
    missing = len(executor.migration_plan(executor.loader.graph.leaf_nodes()))
    if missing:
        todo = "Copy the database and run `manage.py migrate`."
        lacks = f"{_count(missing, 'change')} of the tables not made yet."
        return [Finding("Versions", says), Finding("Migrations", lacks, Mood.BAD, todo)]
    return [Finding("Versions", says), Finding("Migrations", f"Up to date: {', '.join(latest)}")]


# Events -------------------------------------------------------------------------------------


def _events(now: datetime) -> list[Finding]:
    """Events that stand still, wait for nobody, or whose last step failed."""
    live = Event.objects.exclude(state__in=(Event.State.FINISHED, Event.State.CANCELLED))
    stuck = live.exclude(trouble="")
    late = live.filter(due__lt=now - STANDS, paused=None, trouble="")
    paused = live.filter(paused__lt=now - PAUSED)
    found = [
        _event(event, f"A step failed {event.tries or 'some'} times: {event.trouble}", Mood.BAD,
               "It is tried again by itself; its page for directors says what can be done.")
        for event in stuck.select_related("club")[:LISTED]
    ]  # fmt: skip
    found += [
        _event(event, f"Its clock stands: something was due at {_moment(event.due)}.", Mood.BAD,
               "See whether the schedule and a worker for short tasks are at work, above.")
        for event in late.select_related("club")[:LISTED]
    ]  # fmt: skip
    found += [
        _event(event, f"Paused since {_moment(event.paused)}.", Mood.LOOK,
               "Its directors let it go on; you may too, on its page for directors.")
        for event in paused.select_related("club")[:LISTED]
    ]  # fmt: skip
    return found + _empty_tables(now)


def _empty_tables(now: datetime) -> list[Finding]:
    """Tables of rounds being played at which nobody has been for long."""
    people = Q(table__seats__player__kind=Player.Kind.PERSON)
    pairings = (
        Pairing.objects.filter(
            round__event__state=Event.State.RUNNING,
            round__event__paused=None,
            round__over=None,
            round__called__lt=now - EMPTY,
            table__isnull=False,
        )
        .exclude(state=Pairing.State.DECIDED)
        .annotate(seen=Max("table__seats__last_seen", filter=people))
        .filter(seen__lt=now - EMPTY)
        .select_related("round__event__club")
        .order_by("round__event", "number")
    )
    by_event: dict[Event, list[str]] = {}
    for pairing in pairings[: 10 * LISTED]:
        by_event.setdefault(pairing.round.event, []).append(str(pairing.number))
    return [
        _event(event, f"Nobody has been at table {', '.join(numbers)} for ten minutes.", Mood.LOOK,
               "The clock of the round ends it; a director can set the result or take them out.")
        for event, numbers in by_event.items()
    ]  # fmt: skip


def _event(event: Event, says: str, mood: Mood, todo: str) -> Finding:
    link = reverse("manage_event", args=[event.pk])
    return Finding(f"{event.name}, {event.club.name}", says, mood, todo, link)


# Words --------------------------------------------------------------------------------------


def _moment(at: datetime | None) -> str:
    return f"{timezone.localtime(at):%-d %B, %H:%M}" if at else "never"


def _count(number: int, what: str, ending: str = "s", plural: str = "") -> str:
    return f"{number} {what if number == 1 else plural or what + ending}"


def _size(count: float) -> str:
    for unit in ("bytes", "KB", "MB", "GB"):
        if count < 1024:
            return f"{count:.0f} {unit}" if unit in ("bytes", "KB") else f"{count:.1f} {unit}"
        count /= 1024
    return f"{count:.1f} TB"
