"""Browsers that have opened a code of an event, so that others' wrong codes do not lock them out.

All phones in a hall may share one address. Whoever types wrong codes there uses up the address's
attempts, and would stop everybody's scores.
"""

from typing import Final

from django.contrib.sessions.backends.base import SessionBase

from tournaments.models import Event

#: In the session: the events of which the browser has opened a code, the latest last.
OPENED_KEY: Final = "opened_events"
MOST_OPENED: Final = 20


def has_opened(session: SessionBase, event: Event) -> bool:
    return event.pk in session.get(OPENED_KEY, ())


def remember(session: SessionBase, event: Event) -> None:
    if not has_opened(session, event):
        session[OPENED_KEY] = [*session.get(OPENED_KEY, ()), event.pk][-MOST_OPENED:]
