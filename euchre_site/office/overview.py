"""The state of the site, and what to do where something is wrong."""

import platform
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

import django
from django.db import connection
from django.db.models import Count, Max, Min, Q
from django.urls import reverse
from django.utils import timezone

from euchre_site import __version__
from euchre_site.backups.files import size_text
from euchre_site.health import doctor
from euchre_site.health.findings import Finding, Level, fine, note, worst_first, wrong
from euchre_site.health.remote_checks import date_text
from games.models import Analysis, Player, Report, Seat, Table, TalkReport, TaskFailure
from games.models.tables import PATIENCE
from games.people import limits
from tournaments.importing import invitations
from tournaments.models import Delivery, Event, Letter, Pairing, RatingHold
from tournaments.outbox import letters

#: A letter that has waited longer than this is reported.
LETTER_LATE: Final = timedelta(hours=1)
#: A position of the analysis board that has waited longer than this.
ANALYSIS_LATE: Final = timedelta(minutes=2)
#: A report of talk that has waited longer than this.
TALK_LATE: Final = timedelta(days=1)
#: Invitations by lists in a week from which on a person is listed; one in so many is accepted.
INVITES_MANY: Final = 20
#: An event that has been paused longer than this is reported.
LONG_PAUSE: Final = timedelta(minutes=30)
#: An event whose next step is overdue by this much has stopped.
STOPPED_AFTER: Final = timedelta(minutes=2)
#: A table of a round at which nobody has been for this long is reported.
EMPTY_AFTER: Final = timedelta(minutes=10)
#: Number of failures, addresses and events listed on the page.
LISTED: Final = 20


@dataclass(frozen=True)
class Overview:
    work: list[Finding]
    waiting: list[Finding]
    machine: list[Finding]
    events: list[Finding]
    failures: list[TaskFailure]
    addresses: list[tuple[str, int]]

    @property
    def wrong(self) -> list[Finding]:
        """The findings that need attention, the worst first."""
        every = [*self.work, *self.waiting, *self.machine, *self.events]
        return [one for one in worst_first(every) if one.level is not Level.FINE]


def overview(now: datetime) -> Overview:
    return Overview(
        work=[*doctor.dependencies(doctor.Options(), lambda: now, running=True)],
        waiting=[
            *_cases(now),
            *_inviters(now),
            *_letters(now),
            *_deliveries(now),
            _analyses(now),
        ],
        machine=[
            *_people(now),
            _database(),
            _version(),
            *doctor.installation(timezone.now, running=True),
        ],
        events=_events(now),
        failures=list(TaskFailure.objects.order_by("-last")[:LISTED]),
        addresses=limits.refused_much()[:LISTED],
    )


# Waiting ------------------------------------------------------------------------------------


def _cases(now: datetime) -> list[Finding]:
    """Return what waits for the site's moderators; words are kept for a while only."""
    held = RatingHold.objects.filter(state=RatingHold.State.WAITING)
    found, link = [], reverse("cases")
    for title, rows in (
        ("Reports of members", Report.objects.filter(decided=None)),
        ("Reports of talk", TalkReport.objects.filter(decided=None)),
        ("Games held back from rating", held),
    ):
        first, number = rows.aggregate(first=Min("made"))["first"], rows.count()
        if first is None:
            found.append(fine(title, "None waiting.", link))
            continue
        late = rows.model is TalkReport and now - first > TALK_LATE
        what = f"{number} waiting, the oldest since {date_text(first)}."
        found.append((wrong if late else note)(title, what, "Read and decide them.", link))
    return found


def _inviters(now: datetime) -> list[Finding]:
    """Return who sends many invitations to addresses; a note where few are accepted."""
    found = []
    for one in invitations.most_inviting(now, days=7, least=INVITES_MANY)[:LISTED]:
        said_yes = one.accepted * INVITES_MANY >= one.sent
        title = f"Invitations by {one.player.name}"
        what = f"{_count(one.sent, 'letter')} in seven days. {one.accepted} accepted so far."
        link = reverse("office_user", args=[one.player.user_id]) if one.player.user_id else ""
        if said_yes:
            found.append(fine(title, what, link))
        else:
            found.append(note(title, what, "Are they a club’s members, or strangers?", link))
    return found


def _letters(now: datetime) -> list[Finding]:
    unsent = Letter.objects.filter(letters.to_be_sent(now), sent=None)
    waiting = unsent.filter(due__isnull=False).aggregate(number=Count("pk"), first=Min("made"))
    title, number, first = "Letters waiting", waiting["number"], waiting["first"]
    what = f"{_count(number, 'letter')}, the oldest since {date_text(first)}." if first else "None."
    fix = "The mail server does not take them: is EMAIL_URL correct, and the server running?"
    late = first and now - first > LETTER_LATE
    found = [wrong(title, what, fix) if late else fine(title, what)]
    if lost := unsent.filter(due=None, made__gt=now - timedelta(days=30)).count():
        fix = "Six attempts in fifteen hours failed, and there are no more. Is EMAIL_URL correct?"
        found.append(note("Letters given up", f"{_count(lost, 'letter')} in 30 days.", fix))
    return found


def _deliveries(now: datetime) -> list[Finding]:
    open_ones = Delivery.objects.filter(arrived=None)
    number = open_ones.filter(due__isnull=False, webhook__paused=False).count()
    found = [
        fine("Webhooks waiting", f"{_count(number, 'message')} queued." if number else "None.")
    ]
    if lost := open_ones.filter(due=None, created__gt=now - timedelta(days=7)).count():
        fix = "The receivers did not answer. Their clubs can see why, and send them again."
        found.append(note("Webhooks given up", f"{_count(lost, 'message')} in seven days.", fix))
    return found


def _analyses(now: datetime) -> Finding:
    """Return how long positions of the analysis board have waited for a worker."""
    due = Analysis.objects.filter(due__lte=now).aggregate(number=Count("pk"), first=Min("due"))
    title, number, first = "Positions to be worked out", due["number"], due["first"]
    if first is None or now - first < ANALYSIS_LATE:
        return fine(title, f"{_count(number, 'position')} waiting." if number else "None waiting.")
    what = (
        f"{_count(number, 'position')} of the analysis board, the oldest since {date_text(first)}."
    )
    return wrong(title, what, "Is a worker running that takes the queue “work”?")


# The machine --------------------------------------------------------------------------------


def _people(now: datetime) -> list[Finding]:
    playing = Table.objects.filter(state=Table.State.PLAYING).count()
    here = Seat.objects.filter(last_seen__gte=now - PATIENCE, missing_since=None)
    people = here.filter(player__kind=Player.Kind.PERSON).values("player").distinct().count()
    return [
        fine("Tables in play", f"{playing}"),
        fine("People online", f"{_count(people, 'person', plural='people')} at tables"),
    ]


def _database() -> Finding:
    if connection.vendor == "sqlite":
        name = Path(str(connection.settings_dict["NAME"]))
        files = [name, name.with_name(f"{name.name}-wal")]
        size = sum(one.stat().st_size for one in files if one.exists())
        return fine("Size of the database", f"{size_text(size)}, in one file")
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        size = int(cursor.fetchone()[0])
    return fine("Size of the database", size_text(size))


def _version() -> Finding:
    python = platform.python_version()
    return fine("Release", f"Bower {__version__}, Django {django.get_version()}, Python {python}")


# Events -------------------------------------------------------------------------------------


def _events(now: datetime) -> list[Finding]:
    """Return the events that have stopped, are paused for long, or whose last step failed."""
    live = Event.objects.exclude(state__in=(Event.State.FINISHED, Event.State.CANCELLED))
    live = live.select_related("club")
    failed = live.exclude(trouble="")
    overdue = live.filter(due__lt=now - STOPPED_AFTER, paused=None, trouble="")
    paused = live.filter(paused__lt=now - LONG_PAUSE)
    return [
        *(
            _event(
                wrong, event, f"A step failed {event.tries or 'some'} times: {event.trouble}",
                "It is tried again automatically; the directors' page says what can be done.",
            )
            for event in failed[:LISTED]
        ),
        *(
            _event(
                wrong, event, f"It has stopped: a step was due on {date_text(event.due)}.",
                "Check above that the schedule and a worker for short tasks are running.",
            )
            for event in overdue[:LISTED]
            if event.due
        ),
        *(
            _event(
                note, event, f"Paused since {date_text(event.paused)}.",
                "Its directors can resume it, and so can you, on the directors' page.",
            )
            for event in paused[:LISTED]
            if event.paused
        ),
        *_empty_tables(now),
    ]  # fmt: skip


def _empty_tables(now: datetime) -> list[Finding]:
    people = Q(table__seats__player__kind=Player.Kind.PERSON)
    pairings = (
        Pairing.objects.filter(
            round__event__state=Event.State.RUNNING,
            round__event__paused=None,
            round__over=None,
            round__called__lt=now - EMPTY_AFTER,
            table__isnull=False,
        )
        .exclude(state=Pairing.State.DECIDED)
        .annotate(seen=Max("table__seats__last_seen", filter=people))
        .filter(seen__lt=now - EMPTY_AFTER)
        .select_related("round__event__club")
        .order_by("round__event", "number")
    )
    by_event: dict[Event, list[str]] = {}
    for pairing in pairings[: 10 * LISTED]:
        by_event.setdefault(pairing.round.event, []).append(str(pairing.number))
    return [
        _event(
            note, event, f"Nobody has been at table {', '.join(numbers)} for ten minutes.",
            "The round's clock will end it. A director can enter a result or withdraw the players.",
        )
        for event, numbers in by_event.items()
    ]  # fmt: skip


def _event(level: Callable[..., Finding], event: Event, what: str, fix: str) -> Finding:
    link = reverse("manage_event", args=[event.pk])
    return level(f"{event.name}, {event.club.name}", what, fix, link)


def _count(number: int, what: str, ending: str = "s", plural: str = "") -> str:
    return f"{number} {what if number == 1 else plural or what + ending}"
