"""Planning a night: which earlier event to copy, and the club's next free days."""

from collections import Counter
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from itertools import chain, islice, takewhile
from typing import Any, Final, NamedTuple

from django import forms
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q, QuerySet

from games.models import Player
from tournaments.changes.row_locks import locked_club
from tournaments.events import repeating
from tournaments.events.repeating import PUBLISHED
from tournaments.events.states import UPCOMING
from tournaments.models import Club, Event
from tournaments.refusals import RefusedError
from tournaments.setting_up import setting_up
from tournaments.setting_up.forms import YEARS_AHEAD

#: How many events to copy are offered, unless more are kept as templates.
USUAL_TEMPLATES: Final = 3
DAYS: Final = 4


class DayForm(forms.Form):
    """The day and the hour of a planned night, where they are not those offered."""

    day = forms.DateField(
        label="Another day",
        required=False,
        widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d"),
        error_messages={"invalid": "Give the day, such as 2026-12-04."},
    )
    at = forms.TimeField(
        label="Begins",
        required=False,
        widget=forms.TimeInput({"type": "time"}, format="%H:%M"),
        error_messages={"invalid": "Give the time, such as 19:30."},
    )

    def __init__(self, today: date, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.today = today

    def clean_day(self) -> date | None:
        """Refuse a day in the past or many years ahead."""
        day: date | None = self.cleaned_data["day"]
        last = self.today + timedelta(days=365 * YEARS_AHEAD)
        if day and not self.today <= day <= last:
            raise forms.ValidationError(f"Choose a day from today on, at most {YEARS_AHEAD} years.")
        return day


class Offer(NamedTuple):
    """An event to begin a night with: how often it was held, the last time, and when it is next."""

    event: Event
    times: int
    last: datetime | None
    coming: datetime | None


def templates(club: Club, now: datetime) -> list[Offer]:
    """Return the events to begin a night with, the most used first.

    Events of one name are one: the latest of them. Those kept as templates are always offered.
    """
    people = Q(started=None) | Q(entries__house=False)
    held = club.events.filter(PUBLISHED, people, play_offs_of=None).distinct()
    times: Counter[str] = Counter()
    latest: dict[str, Event] = {}
    last: dict[str, datetime] = {}
    coming: dict[str, datetime] = {}
    by_start = [*held.order_by("-starts", "-pk")]
    for event in by_start:
        if event.state not in UPCOMING:
            times[event.name] += 1
            last.setdefault(event.name, event.starts)
        elif event.starts > now:
            coming[event.name] = event.starts
    for event in chain(club.events.filter(template=True), by_start):
        latest.setdefault(event.name, event)
    by_use = sorted(latest.values(), key=lambda one: (times[one.name], one.starts), reverse=True)
    usual = by_use[:USUAL_TEMPLATES]
    return [
        Offer(one, times[one.name], last.get(one.name), coming.get(one.name))
        for one in by_use
        if one.template or one in usual
    ]


def series(club: Club, now: datetime) -> QuerySet[Event]:
    """Return the coming events of a club that will each make the next one of their series."""
    return club.events.filter(PUBLISHED, starts__gte=now, repeats=None).exclude(recurrence="")


def days(event: Event, now: datetime) -> Iterator[tuple[date, str]]:
    """Yield the next days for a copy of an event, and why each is not free, or an empty string.

    The dates on which a series will go on are taken.
    """
    zone, club = event.club.zone, event.club
    coming = club.events.filter(PUBLISHED, starts__gte=now)
    offered = list(islice(repeating.same_weekdays(event, now), DAYS))
    taken = {one.starts.astimezone(zone).date(): one.name for one in coming}
    for one in series(club, now):
        for day in takewhile(offered[-1].__ge__, repeating.following_dates(one)):
            taken.setdefault(day, one.name)
    closed = {day for free in club.events.values_list("no_event_on", flat=True) for day in free}
    for day in offered:
        yield day, "the club is closed" if day.isoformat() in closed else taken.get(day, "")


def copied(model: Event, form: DayForm, now: datetime) -> Event:
    """Return an unsaved copy of an event on the day of a form, or else on its next free day."""
    given = form.cleaned_data if form.is_valid() else {}
    day = given.get("day")
    if day is None:
        offered = list(days(model, now))
        day = next((day for day, why in offered if not why), offered[-1][0])
    return setting_up.copy(model, day, now, given.get("at"))


@transaction.atomic
def plan(event: Event, by: Player, now: datetime, *, publish: bool) -> Event:
    """Save a copied event, and publish it.

    Raises RefusedError ``settings`` if its settings no longer go together, ``past`` if its hour has
    passed, ``there`` if it is planned already, also as a draft, as by a second press.
    """
    club = locked_club(event.club)
    # A series holds the lock of its latest event while it makes the next one: wait for that.
    list(club.events.filter(repeats=None).exclude(recurrence="").select_for_update(of=("self",)))
    if event.starts <= now:
        raise RefusedError("past", "That hour has passed. Choose a later one.", 422)
    try:
        event.clean()
    except ValidationError as error:
        raise RefusedError("settings", " ".join(error.messages), 422) from error
    same = club.events.filter(name=event.name, starts=event.starts)
    if there := same.exclude(state=Event.State.CANCELLED).first():
        words = f"{event.name} is planned for that day and hour already"
        draft = ", as a draft" if there.state == Event.State.DRAFT else ""
        raise RefusedError("there", f"{words}{draft}.")
    made = setting_up.create(event, by, now)
    return setting_up.publish(made, by, now) if publish else made
