"""When the results of an event whose matches are all played can become final."""

from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.db.models import F

from tournaments.events.director_calls import calling
from tournaments.models import Correction, Event, Pairing
from tournaments.times import local_time_in_words

#: Minimum time to object to the results of a rated event.
MIN_GRACE: Final = timedelta(minutes=5)
#: How long an objection that nobody answers holds up the end.
MAX_OBJECTION: Final = timedelta(hours=12)


def grace(event: Event) -> timedelta:
    """Return the time between the last result and final places; none if only house players play."""
    people = event.entries.filter(seed__isnull=False, house=False)
    return timedelta(minutes=settings.RESULT_GRACE if people.exists() else 0)


def earliest(event: Event) -> datetime | None:
    """Return the earliest time at which a rated event's results can become final, or None.

    Players have at least that long to object to the last result, or to the latest correction.
    """
    last = event.played_rounds.order_by("-number").first()
    if not event.rated or last is None or last.over is None:
        return None
    corrected = Correction.objects.filter(pairing__round__event=event).order_by("at").last()
    settled = max(last.over, corrected.at) if corrected else last.over
    return settled + min(MIN_GRACE, grace(event))


def objection(event: Event) -> str:
    """Return that tables of the last round object to a result, or an empty string.

    A table objects by calling the director once its match is decided: a call before that was about
    something else. The director's answer, or its own, ends it. It may object again, but then a
    director can end the event all the same: nobody keeps an event open by calling.
    """
    first, again = _objecting(event)
    words = []
    if first:
        words.append(f"{_who(first)} to a result. “Final” waits until a director has answered.")
    if again:
        words.append(
            f"{_who(again)} again, after a director’s answer. The results do not become final by"
            " themselves before another answer, but a director can make them final."
        )
    return " ".join(words)


def _objecting(event: Event) -> tuple[list[Pairing], list[Pairing]]:
    """Return the matches of the last round that object, and those that do so again."""
    if event.final_at is None:
        return [], []
    last = event.played_rounds.order_by("-number").first()
    calls = list(calling(event).filter(round=last, director_called__gte=F("decided")))
    return [one for one in calls if not one.objects_again], [
        one for one in calls if one.objects_again
    ]


def _who(matches: list[Pairing]) -> str:
    tables = [str(one.number) for one in matches]
    return (
        f"Table {tables[0]} objects" if len(tables) == 1 else f"Tables {', '.join(tables)} object"
    )


def by_itself(event: Event) -> datetime | None:
    """Return when a fully played event becomes final if nobody does anything; None during play."""
    if event.final_at is None or not objection(event):
        return event.final_at
    return event.final_at + MAX_OBJECTION


def too_early(event: Event, now: datetime) -> str:
    """Return why a played event's results cannot become final yet, or an empty string."""
    when = earliest(event)
    if when is None or now >= when:
        return objection(event) if _objecting(event)[0] else ""
    return (
        "This event is rated, so everybody has until"
        f" {local_time_in_words(when, event.club.zone)} to object to a result. It can be ended"
        " after that."
    )
