"""To ask for the next round changes nothing: what it needs is made when it is drawn."""

from random import Random
from typing import Any

import pytest

from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON
from tournaments.entering import leaving_running_event
from tournaments.models import Entry, Event, Letter, Notice
from tournaments.running import steps

pytestmark = pytest.mark.django_db


def rows(event: Event) -> list[Any]:
    """All that planning a round could change."""
    return [
        list(Event.objects.filter(pk=event.pk).values()),
        list(Entry.objects.order_by("pk").values()),
        list(Notice.objects.order_by("pk").values()),
        list(Letter.objects.order_by("pk").values()),
    ]


def after_a_round(rounds: int, entries: int, **fields: Any) -> Event:
    """An event in the break after its first round, which withdrawals during it have changed."""
    event = build.event(format="swiss", rounds=rounds, break_seconds=60, **fields)
    build.enter(event, entries)
    build.begin(event)
    return event


def withdraw(event: Event, count: int) -> list[Entry]:
    gone = list(event.entries.order_by("seed")[:count])
    for entry in gone:
        leaving_running_event.withdraw(entry, event.created_by, NOON)
    return gone


def test_a_house_entry_comes_with_the_round_that_needs_it() -> None:
    event = after_a_round(3, 6, sit_out=Event.SitOut.HOUSE)
    gone = withdraw(event, 1)
    build.play_round(event, NOON + MINUTE, Random(1))
    assert not event.entries.filter(house=True).exists()
    # Whoever is put back in the break has no house player in their place.
    leaving_running_event.put_back(gone[0], event.created_by, NOON)
    build.step(event, NOON + 3 * MINUTE)
    assert event.played_rounds.count() == 2
    assert not event.entries.filter(house=True).exists()
    withdraw(event, 1)
    build.play_round(event, NOON + 4 * MINUTE, Random(1))
    build.step(event, NOON + 6 * MINUTE)
    assert event.played_rounds.count() == 3
    assert event.entries.filter(house=True).count() == 1


def test_shortening_is_announced_only_when_the_round_is_drawn() -> None:
    event = after_a_round(3, 4)
    gone = withdraw(event, 2)
    build.play_round(event, NOON + MINUTE, Random(1))
    event.refresh_from_db()
    assert event.cut_to is None
    for entry in gone:
        leaving_running_event.put_back(entry, event.created_by, NOON)
    build.step(event, NOON + 3 * MINUTE)
    assert event.played_rounds.count() == 2
    assert not Letter.objects.filter(subject__contains="of 3 rounds").exists()
    assert not event.notices.filter(public=True).exists()


@pytest.mark.parametrize(
    "fields",
    [
        {"sit_out": Event.SitOut.HOUSE},
        {"second_stage": "single_elimination", "qualifiers": 2},
    ],
)
def test_planning_changes_no_row(fields: dict[str, Any]) -> None:
    event = after_a_round(2, 6, **fields)
    withdraw(event, 3)
    Entry.objects.update(qualified=None)
    before, held = rows(event), dict(vars(event))
    plan = steps.plan_round(event)
    assert plan.lacking == (1 if "sit_out" in fields else 0)
    assert plan.drawn.pairings
    assert rows(event) == before
    assert {key: vars(event)[key] for key in held} == held


def test_end_of_the_first_stage_names_the_qualified() -> None:
    event = after_a_round(1, 4, second_stage="single_elimination", qualifiers=2)
    build.play_round(event, NOON + MINUTE, Random(1))
    through = event.entries.filter(qualified__isnull=False).order_by("qualified")
    assert [entry.qualified for entry in through] == [1, 2]
    leaving_running_event.withdraw(through[0], event.created_by, NOON)
    build.step(event, NOON + 3 * MINUTE)
    drawn = build.latest(event).pairings.get()
    names = {line.entry_id for line in drawn.entries.all()}
    assert names == {entry.pk for entry in event.entries.filter(qualified__isnull=False)}
    assert len(names) == 2
