"""Lists do not cost more with every event of the past."""

from datetime import timedelta

import pytest
from django.core.cache import caches
from django.db.models import F

from tests.database_steps import steps
from tests.factories import logged_in, member, people
from tests.tournaments import build
from tournaments.models import Entry, Event

pytestmark = pytest.mark.django_db

#: More events than any of the lists shows.
MANY = 55
#: Steps that a past event may cost a list it is not shown in: a row of an index, not its entries.
A_PAST_EVENT = 60
#: Not in the season whose standings a club's page has.
TIMES = ("registration_opens", "registration_closes", "starts", "ended")
LONG_AGO = timedelta(days=900)


PATHS = ("/", "/events/", "/api/events", "/clubs/mill/", "/clubs/mill/results.atom")


def test_past_events_cost_a_list_next_to_nothing() -> None:
    maeve, club = member("Maeve"), build.club("Mill")
    field, browser = [maeve, *people(31)], logged_in(maeve)

    def costs_after(more: int, seed: int) -> list[int]:
        build.evenings(more, field, seed=seed)
        then = {name: F(name) - LONG_AGO for name in TIMES}
        Event.objects.filter(starts__gte=build.NOON).update(club=club, **then)
        Entry.objects.update(place=1)
        return [cost(path) for path in PATHS]

    def cost(path: str) -> int:
        browser.get(path)  # what is read once in a process has been read
        caches["pages"].clear()
        with steps() as counted:
            assert browser.get(path).status_code == 200
        return counted.taken

    before, after = costs_after(MANY, seed=1), costs_after(MANY, seed=2)
    added = {path: now - then for path, then, now in zip(PATHS, before, after, strict=True)}
    assert max(added.values()) < MANY * A_PAST_EVENT, added
