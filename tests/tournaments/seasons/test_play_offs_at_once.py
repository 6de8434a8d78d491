"""Directors who make the same play-offs at once: one event, and the others are told of it."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection
from django.utils import timezone

from tests.factories import people
from tests.tournaments.build import club, director
from tests.tournaments.seasons.test_play_offs import NEXT_YEAR
from tests.tournaments.seasons.test_rules import evening, spring
from tournaments.models import Event
from tournaments.refusals import RefusedError
from tournaments.setting_up import play_offs
from tournaments.setting_up.play_offs import PlayOffTeam


@pytest.mark.django_db(transaction=True)
def test_concurrent_directors_make_one_event() -> None:
    mill = club()
    season, by, players = spring(mill), director(mill), people(6)
    evening(mill, 5, players)
    teams = [PlayOffTeam(1, (players[0], players[3])), PlayOffTeam(2, (players[1], players[2]))]
    now = timezone.now()
    number, made, refusals = 6, [], []
    barrier = Barrier(number)

    def press(name: str) -> None:
        barrier.wait(30)
        try:
            made.append(
                play_offs.make(
                    season, teams, by, now,
                    name=name, starts=now.replace(year=NEXT_YEAR, day=4),
                    place="room", match="best_of_3",
                )
            )  # fmt: skip
        except RefusedError as error:
            refusals.append(error.code)
        finally:
            connection.close()

    with ThreadPoolExecutor(number) as threads:
        list(threads.map(press, [f"Finals {at}" for at in range(number)]))
    assert refusals == ["made"] * (number - 1)
    assert [*season.play_offs.all()] == made
    assert made[0].entries.count() == 2

    Event.objects.filter(pk=made[0].pk).update(state=Event.State.CANCELLED)
    press_again = play_offs.make(
        season, teams, by, now,
        name="Finals", starts=now.replace(year=NEXT_YEAR, day=4), place="room", match="best_of_3",
    )  # fmt: skip
    assert press_again.entries.count() == 2
