"""What the matching rule knows of people and tables."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from games.engine.rules import CLASSIC_24, HEADS_UP
from games.models import Game, GameEvent, SeatRequest
from games.quick import arrivals, company
from tests.factories import cast, play_out, table
from tests.games.quick.test_queue import look, members, press
from tests.tournaments import build
from tournaments.models import Pool
from tournaments.rating_formula import MODEL, pool_key

pytestmark = pytest.mark.django_db


def test_ratings_of_events_are_used_and_others_are_usual() -> None:
    maeve, ben, *_ = cast()
    pool = Pool.objects.create(key=pool_key(CLASSIC_24), model=MODEL)
    build.rating(maeve, 1610.0, pool=pool)
    people = [maeve.pk, ben.pk]
    assert company.ratings_of(people, CLASSIC_24) == {maeve.pk: 1610.0, ben.pk: company.USUAL}
    assert company.ratings_of([maeve.pk], HEADS_UP) == {maeve.pk: company.USUAL}


def test_people_met_are_those_of_the_last_hour() -> None:
    maeve, ben, iris, jonah = cast()
    play_out(table(maeve, ben, house_seats=(2, 3)))
    old = play_out(table(maeve, iris, house_seats=(2, 3)))
    Game.objects.filter(pk=old.pk).update(started=timezone.now() - timedelta(hours=2))
    met = company.met([maeve.pk, ben.pk, iris.pk, jonah.pk], timezone.now())
    assert met == {maeve.pk: {ben.pk: 1}, ben.pk: {maeve.pk: 1}, iris.pk: {}, jonah.pk: {}}


def test_when_a_hand_ends(settings: Any) -> None:
    settings.NEXT_DEAL_PAUSE = 6
    at, now = table(*cast()), timezone.now()
    game = Game.objects.filter(table=at)
    whole = company.ends_in([at.pk], now)[at.pk]
    GameEvent.objects.create(game=game.get(), seq=31, seat=-1, by="clock", action="next", at=now)
    game.update(version=51)
    assert company.ends_in([at.pk], now)[at.pk] == whole - 20 * company.SECONDS
    game.update(version=52, turn=arrivals.NOBODY, moved=now - timedelta(seconds=2))
    assert company.ends_in([at.pk], now)[at.pk] == pytest.approx(4.0)
    game.update(moved=now - timedelta(seconds=5))
    assert company.ends_in([at.pk], now)[at.pk] == pytest.approx(whole + 1)


def test_the_table_whose_hand_ends_first_is_asked(settings: Any) -> None:
    settings.QUICK_GATHER, settings.NEXT_DEAL_PAUSE = 2.0, 6
    maeve, ben, iris = members("Maeve", "Ben", "Iris")
    tables = []
    for one in (maeve, ben):
        Game.objects.update(state=Game.State.ABANDONED)  # so that nobody is asked meanwhile
        press(one)
        tables.append(look(one, timezone.now() + timedelta(seconds=3)))
    Game.objects.update(state=Game.State.PLAYING)
    assert tables[1]
    Game.objects.filter(table=tables[1]).update(version=20)
    press(iris)
    assert SeatRequest.objects.get().table == tables[1]
