"""What an event suggests to a reader: the one thing to do there now, for every page, mail and API.

It goes by the event's times, as players' verbs do, and not by the state that the clock brings up to
date. Whether this reader meets the event's conditions is told on the event's own page.
"""

from datetime import datetime
from enum import StrEnum

from tournaments.entering.conditions import closed
from tournaments.events.states import UPCOMING
from tournaments.events.timetable import checking_in
from tournaments.models import Entry, Event
from tournaments.models.entries import PLACED

State = Event.State


class Suggestion(StrEnum):
    """What one comes to an event's page for; its label is what a button says.

    On a page the button leads to the event's page; in the API the value is told.
    """

    FINISH = "finish"
    REGISTER = "register"
    WAIT = "wait"
    CHECK_IN = "check_in"
    WATCH = "watch"
    SEE = "see"

    @property
    def label(self) -> str:
        """The words of the button."""
        return LABELS[self]


LABELS = {
    Suggestion.FINISH: "Finish the draft",
    Suggestion.REGISTER: "Register",
    Suggestion.WAIT: "Join the waiting list",
    Suggestion.CHECK_IN: "Check in",
    Suggestion.WATCH: "Watch",
    Suggestion.SEE: "See the event",
}


def suggested(event: Event, mine: str, now: datetime, *, full: bool, here: bool) -> Suggestion:
    """Return what an event suggests to a reader.

    Args:
        event: the event, with its club.
        mine: the state of the reader's entry, or an empty text.
        now: the present moment.
        full: whether who enters now joins the waiting list, as `places.full` tells.
        here: whether the reader's entry has checked in on the waiting list.
    """
    if event.state == State.DRAFT:
        return Suggestion.FINISH
    if event.state == State.RUNNING:
        return Suggestion.SEE if mine in PLACED else Suggestion.WATCH
    if event.state not in UPCOMING:
        return Suggestion.SEE
    if awaited(event, mine, now, here=here):
        return Suggestion.CHECK_IN
    if mine or closed(event, now):
        return Suggestion.SEE
    return Suggestion.WAIT if full else Suggestion.REGISTER


def awaited(event: Event, mine: str, now: datetime, *, here: bool) -> bool:
    """Whether an entry is awaited to check in now; arguments as of `suggested`."""
    if event.state not in UPCOMING or now >= event.starts or not checking_in(event, now):
        return False
    return mine == Entry.State.ENTERED or (mine == Entry.State.WAITING and not here)
