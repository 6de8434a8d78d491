"""Other pages lead to the running game, and say when it is the player's turn at it."""

import json
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from games.models import NotificationChoice, Player, Table
from tests import factories
from tests.factories import logged_in, member, play_out
from tests.tournaments.event_page.live.tabs import Pace, listen
from tournaments.changes import live
from tournaments.event_page.calls import listening, turns_by_player

pytestmark = pytest.mark.django_db(transaction=True)

CAST = ("Maeve", "Ben", "Iris", "Jonah")


@pytest.fixture
def people() -> list[Player]:
    return [member(name) for name in CAST]


@pytest.fixture
def at(people: list[Player]) -> Table:
    """A table at which Ben is in turn, and has been away for a minute."""
    made = factories.table(*people)
    made.games.update(turn=1)
    made.seats.filter(position=1).update(missing_since=timezone.now() - timedelta(minutes=1))
    return made


def turns(*people: Player) -> dict[int, int]:
    """Whose turn it is, at which table."""
    found = turns_by_player([one.pk for one in people], timezone.now())
    return {player: table for player, (table, _version) in found.items()}


# Who is told ----------------------------------------------------------------------------------


def test_only_who_is_in_turn_and_away_is_told(people: list[Player], at: Table) -> None:
    at.seats.update(missing_since=timezone.now() - timedelta(minutes=1))
    assert turns(*people) == {people[1].pk: at.pk}


@pytest.mark.parametrize(
    "change",
    [{"missing_since": None}, {"stand_in": True}],
    ids=["they are back", "a house player stands in"],
)
def test_it_ends(people: list[Player], at: Table, change: dict[str, Any]) -> None:
    at.seats.filter(position=1).update(**change)
    assert turns(people[1]) == {}


def test_whoever_has_just_left_the_page_is_not_told_yet(people: list[Player], at: Table) -> None:
    at.seats.update(missing_since=timezone.now())
    assert turns(people[1]) == {}


def test_a_finished_game_has_no_turn(people: list[Player], at: Table) -> None:
    play_out(at)
    at.seats.update(missing_since=timezone.now() - timedelta(minutes=1))
    assert turns(*people) == {}


def test_whoever_does_not_wish_it_is_not_told(people: list[Player], at: Table) -> None:
    NotificationChoice.objects.create(player=people[1], kind="turn", way="page", on=False)
    assert turns(people[1]) == {}


def test_of_two_tables_the_one_that_has_waited_longer(people: list[Player], at: Table) -> None:
    later = factories.table(*people)
    gone = timezone.now() - timedelta(minutes=1)
    later.games.update(turn=1)
    later.seats.update(missing_since=gone)
    at.games.update(moved=gone)
    assert turns(people[1]) == {people[1].pk: at.pk}
    later.games.update(moved=gone - timedelta(minutes=1))
    assert turns(people[1]) == {people[1].pk: later.pk}


def test_many_take_one_query(
    people: list[Player], at: Table, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(1):
        turns(*people)
    with django_assert_num_queries(1):
        listening(people[1], timezone.now())


def test_of_two_games_the_link_leads_to_the_rated_one(people: list[Player], at: Table) -> None:
    later = factories.table(*people)
    assert listening(people[1], timezone.now()).table == later.pk
    Table.objects.filter(pk=at.pk).update(rated=True)
    assert listening(people[1], timezone.now()).table == at.pk


# On pages -------------------------------------------------------------------------------------


def test_a_page_has_the_link_and_listens(people: list[Player], at: Table) -> None:
    page = logged_in(people[1]).get("/rules/").text
    assert f'id="your-turn" class="your-turn" href="{reverse("table", args=[at.pk])}"' in page
    assert 'data-in="0"' in page
    assert page.index('id="turn-said"') < page.index('id="calls"')


@pytest.mark.parametrize("seat", [0, 1])
def test_the_page_of_a_table_has_no_link_and_no_socket(
    people: list[Player], at: Table, seat: int
) -> None:
    other = factories.table(member("Otto"), *people[1:])
    for table in (at, other):
        page = logged_in(people[seat]).get(reverse("table", args=[table.pk])).text
        assert 'id="your-turn"' not in page
        assert 'id="calls"' not in page


def test_without_a_running_game_there_is_no_link(people: list[Player], at: Table) -> None:
    assert 'id="your-turn"' not in logged_in(member("Otto")).get("/rules/").text
    play_out(at)
    page = logged_in(people[1]).get("/rules/").text
    assert 'id="your-turn"' not in page
    assert 'id="calls"' not in page


# By socket ------------------------------------------------------------------------------------


async def test_a_tab_hears_of_the_turn_and_of_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    pace = Pace(monkeypatch)
    people = [await sync_to_async(member)(name) for name in CAST]
    at = await sync_to_async(factories.table)(*people)
    await at.games.aupdate(turn=1, version=57)
    tab = await listen(people[1], "/rules/")
    assert json.loads(tab.frames[-1])["turn"] is None
    gone = timezone.now() - timedelta(minutes=1)
    await at.seats.aupdate(missing_since=gone)
    await live.beat()
    assert (await pace.frame(tab))["turn"] == f"{at.pk} 57"
    await at.seats.filter(position=1).aupdate(missing_since=None)
    await live.beat()
    assert (await pace.frame(tab))["turn"] is None
