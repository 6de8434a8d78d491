"""From what went wrong to the page of the act that mends it."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from games.models import Player
from tests.factories import logged_in
from tests.tournaments import build
from tests.tournaments.build import NOON
from tests.tournaments.console.first_round import running
from tournaments.entering import leaving_running_event
from tournaments.models import Event

pytestmark = pytest.mark.django_db


@pytest.fixture
def event(ada: Player) -> Event:
    """An event of eight players whose first round is being played."""
    return running(ada)


@pytest.fixture
def client(ada: Player) -> Client:
    return logged_in(ada)


def ask(client: Client, event: Event, **fields: Any) -> Any:
    return client.get(reverse("something_wrong", args=[event.pk]), fields)


@pytest.mark.parametrize(
    ("case", "act"),
    [("result", "set_result"), ("people", "seats_by_hand")],
)
def test_a_table_leads_to_its_act(ada: Player, client: Client, case: str, act: str) -> None:
    event = running(ada, format="progressive")
    answer = ask(client, event, case=case, round=1, table=2)
    assert (answer.status_code, answer.url) == (303, reverse(act, args=[event.pk, 1, 2]))
    assert client.get(answer.url).status_code == 200


def test_a_table_without_anybody_leads_to_a_forfeit(client: Client, event: Event) -> None:
    answer = ask(client, event, case="nobody", round=1, table=2)
    assert answer.url == reverse("set_result", args=[event.pk, 1, 2]) + "?ended=forfeit"
    shown = client.get(answer.url)
    assert shown.context["form"]["ended"].value() == "forfeit"
    assert "Show what will change" in shown.text
    sent = {"winner": "0", "ended": "forfeit", "reason": "Nobody came."}
    will = client.post(answer.url, sent)
    assert "Round 1, table 2" in will.text
    assert not event.acts.exists()
    sent["will"] = will.context["preview"].digest
    assert client.post(answer.url, sent).status_code == 303
    assert event.acts.get().reason == "Nobody came."


def test_with_shared_deals_the_page_says_how_to_correct_wrong_seats(
    ada: Player, client: Client
) -> None:
    words = "share their deals"
    event = running(ada, 12, format="duplicate")
    page = ask(client, event).text
    assert words in page
    assert "Change the seats" not in page
    assert "Set the result as played" in page
    answer = ask(client, event, case="people", round=1, table=1)
    assert answer.url == reverse("set_result", args=[event.pk, 1, 1])
    path = reverse("seats_by_hand", args=[event.pk, 1, 1])
    shown = client.get(path)
    assert words in shown.text
    assert 'name="one"' not in shown.text
    assert f'href="{answer.url}"' in shown.text
    assert client.post(path, {"reason": "So."}).status_code == 409


def test_a_round_drawn_too_soon_leads_to_taking_it_back(client: Client, event: Event) -> None:
    path = reverse("take_back_round", args=[event.pk, 1])
    assert path in ask(client, event).text
    assert client.get(path).status_code == 200


def test_who_came_late_is_found_by_name(client: Client, event: Event) -> None:
    build.joined(event.club, Player.objects.create(name="Zoë & Co"))
    answer = ask(client, event, case="late", q="Zoë & Co")
    assert client.get(answer.url).context["q"] == "Zoë & Co"


def test_who_left_is_withdrawn_or_somebody_takes_the_seat(client: Client, event: Event) -> None:
    seat = event.entered_players.order_by("pk")[0]
    leads = {then: ask(client, event, case="early", seat=seat.pk, then=then).url
             for then in ("substitute", "withdraw")}  # fmt: skip
    assert leads["withdraw"] == reverse("withdraw_entry", args=[event.pk, seat.entry_id])
    assert client.get(leads["substitute"]).context["seat"] == seat
    leaving_running_event.withdraw(seat.entry, event.created_by, NOON, reason="Ill.")
    answer = ask(client, event, case="early", seat=seat.pk, then="withdraw")
    assert answer.status_code == 422
    assert "Choose somebody who plays in this event." in answer.text


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"case": "result", "round": 1, "table": 9}, "Round 1 has tables 1 to 2."),
        ({"case": "result", "round": 7, "table": 1}, "Round 7 has not been drawn."),
        ({"case": "people", "round": "x", "table": 1}, "whole number"),
        ({"case": "late"}, "required"),
        ({"case": "?"}, "Something went wrong"),
    ],
)
def test_an_impossible_value_is_explained_beside_its_field(
    client: Client, event: Event, fields: dict[str, Any], words: str
) -> None:
    answer = ask(client, event, **fields)
    assert answer.status_code == 422
    assert words in answer.text


def test_before_the_first_round_there_is_nothing_to_mend(client: Client, ada: Player) -> None:
    answer = ask(client, build.event(ada.memberships.get().club))
    assert answer.status_code == 409
    assert "No round is being played" in answer.text
