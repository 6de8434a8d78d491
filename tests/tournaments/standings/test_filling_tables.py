"""What one, two or three too many do, said before the start and kept by the draws."""

from random import Random
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from tests.factories import logged_in
from tests.tournaments import build
from tests.tournaments.build import NOON
from tournaments.models import Event, SitOut
from tournaments.results import room_results
from tournaments.standings import filling_tables

pytestmark = pytest.mark.django_db


def said(number: int, **fields: Any) -> str:
    event = build.event(**fields)
    build.enter(event, number)
    return filling_tables.in_words(event, list(event.entries.order_by("arrival")))


@pytest.mark.parametrize(
    ("number", "fields", "words"),
    [
        (3, {}, ""),
        (12, {}, "12 players fill 3 tables."),
        (
            22,
            {"rounds": 8},
            (
                "22 players: 5 tables, and 2 sit out in each round. In 8 rounds 16 of the 22 sit"
                " out once, the others never. Players who sit out are credited with their own"
                " average. With 2 more nobody sits out."
            ),
        ),
        (
            9,
            {"rounds": 12, "sit_out": "fixed", "credit_half_wins": 1},
            (
                "9 players: 2 tables, and 1 sits out in each round. In 12 rounds everybody sits out"
                " once, 3 of them twice. A sit-out counts as ½ win. With 3 more nobody sits out."
            ),
        ),
        (14, {"sit_out": "house"}, "14 players and 2 house players fill 4 tables."),
        (
            5,
            {"format": "round_robin", "cycles": 3},
            (
                "5 partnerships: 2 tables, and 1 sits out in each round. In 15 rounds everybody"
                " sits out 3 times. With 1 more nobody sits out."
            ),
        ),
        (
            7,
            {"format": "swiss", "rounds": 4},
            (
                "7 partnerships: 3 tables, and 1 sits out in each round. In 4 rounds 4 of the 7 sit"
                " out once, the others never. A bye counts as a win. With 1 more nobody sits out."
            ),
        ),
        (6, {"format": "single_elimination"}, "With 6 partnerships 2 have a bye in round 1."),
        (8, {"format": "double_elimination"}, "With 8 partnerships nobody has a bye in round 1."),
    ],
)
def test_in_words(number: int, fields: Any, words: str) -> None:
    assert said(number, **fields) == words


@pytest.mark.parametrize("number", [9, 10, 11])
@pytest.mark.parametrize("movement", ["up", "fixed", ""])
def test_the_draws_keep_what_was_said(number: int, movement: str) -> None:
    """Everybody sits out as often as it was said, whoever wins."""
    how: Any = {"format": "progressive", "movement": movement} if movement else {}
    event = build.event(rounds=5, place="room", rated=False, **how)
    build.enter(event, number)
    words = filling_tables.in_words(event, list(event.entries.order_by("arrival")))
    build.begin(event)
    rng = Random(number)
    while event.state == Event.State.RUNNING and event.final_at is None:
        for match in build.latest(event).pairings.all():
            won = rng.randrange(2)
            ruling = build.ruled(won, (5, 2) if won == 0 else (2, 5))
            room_results.decide(event, match, ruling, NOON)
        build.step(event, NOON)
    out = [SitOut.objects.filter(entry=entry).count() for entry in event.entries.all()]
    times, more = min(out), sum(one > min(out) for one in out)
    assert max(out) - min(out) <= 1
    if times == 0:
        assert f"In 5 rounds {more} of the {number} sit out once" in words
    else:
        assert f"everybody sits out once{f', {more} of them twice' * bool(more)}." in words


def test_everybody_reads_it_before_the_start() -> None:
    club = build.club()
    event = build.event(club)
    build.enter(event, 13)
    sentence = "13 players: 3 tables, and 1 sits out in each round."
    assert sentence in Client().get(reverse("event", args=[event.pk])).text
    desk = logged_in(build.director(club))
    assert sentence in desk.get(reverse("manage_event", args=[event.pk])).text
