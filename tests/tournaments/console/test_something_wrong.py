"""From what went wrong to where the acts are that mend it."""

import pytest
from django.test import Client
from django.urls import reverse

from games.models import Player
from tests.factories import logged_in
from tests.tournaments import build
from tests.tournaments.console.first_round import running
from tournaments.models import Event

pytestmark = pytest.mark.django_db


@pytest.fixture
def event(ada: Player) -> Event:
    """An event of eight players whose first round is being played."""
    return running(ada)


@pytest.fixture
def client(ada: Player) -> Client:
    return logged_in(ada)


def page_of(client: Client, event: Event) -> str:
    return client.get(reverse("something_wrong", args=[event.pk])).text


def test_a_table_is_opened_with_its_acts(ada: Player, client: Client) -> None:
    event = running(ada, place=Event.Place.ROOM)
    console = reverse("manage_event", args=[event.pk])
    assert page_of(client, event).count(f'action="{console}"') == 3
    opened = client.get(console, {"round": 1, "open": 2}).text
    for act in ("set_result", "seats_by_hand"):
        assert reverse(act, args=[event.pk, 1, 2]) in opened


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"round": 1, "open": 9}, "Round 1 has no table 9."),
        ({"round": 4, "open": 1}, "Round 4 has not been drawn."),
    ],
)
def test_a_table_that_is_not_there_is_named(
    client: Client, event: Event, asked: dict[str, int], words: str
) -> None:
    console = reverse("manage_event", args=[event.pk])
    assert words in client.get(console, asked).text
    assert words not in client.get(console).text


def test_a_round_drawn_too_soon_leads_to_taking_it_back(client: Client, event: Event) -> None:
    path = reverse("take_back_round", args=[event.pk, 1])
    assert path in page_of(client, event)
    assert client.get(path).status_code == 200


def test_who_came_late_or_left_is_found_by_name(client: Client, event: Event) -> None:
    find = reverse("find_people", args=[event.pk])
    assert page_of(client, event).count(f'action="{find}"') == 2
    seat = event.entered_players.order_by("pk")[0]
    Player.objects.filter(pk=seat.player_id).update(name="Quentin")
    found = client.get(find, {"q": "quen"}).text
    assert f"?seat={seat.pk}" in found
    assert reverse("withdraw_entry", args=[event.pk, seat.entry_id]) in found


def test_before_the_first_round_there_is_nothing_to_mend(client: Client, ada: Player) -> None:
    event = build.event(ada.memberships.get().club)
    answer = client.get(reverse("something_wrong", args=[event.pk]))
    assert answer.status_code == 409
    assert "No round is being played" in answer.text
