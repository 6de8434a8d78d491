"""Entering events and withdrawing by the API: by the verbs of the pages."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from games.models import Player, Scope
from tests.api.asking import ask, token_of
from tests.factories import member
from tests.tournaments import build
from tournaments.models import Entry, Event

pytestmark = pytest.mark.django_db


def coming(**fields: Any) -> Event:
    """An event that can be entered now."""
    now = timezone.now()
    times = {
        "registration_opens": now - build.MINUTE,
        "registration_closes": now + timedelta(hours=1),
        "starts": now + timedelta(hours=1),
    }
    return build.event(**times | fields)


def enter(event: Event, who: Player, **wish: str) -> Any:
    token = token_of(who, Scope.ENTER)
    return ask(f"/events/{event.pk}/entry", token, method="PUT", body=wish)


def withdraw(event: Event, who: Player) -> Any:
    return ask(f"/events/{event.pk}/entry", token_of(who, Scope.ENTER), method="DELETE")


def test_entering_and_withdrawing() -> None:
    event, maeve = coming(), member("Maeve")
    answer = enter(event, maeve)
    assert (answer.status_code, answer.json()["state"]) == (200, "entered")
    assert answer.json()["players"] == [{"id": maeve.pk, "name": "Maeve", "kind": "person"}]
    assert withdraw(event, maeve).status_code == 204
    assert event.entries.get().state == Entry.State.WITHDRAWN


def test_entering_twice_changes_nothing() -> None:
    event, maeve = coming(), member("Maeve")
    assert enter(event, maeve).json() == enter(event, maeve).json()
    assert event.entries.count() == 1


def test_entry_to_a_full_event_joins_the_waiting_list() -> None:
    event = coming(capacity=4)
    build.enter(event, 4)
    assert enter(event, member("Maeve")).json()["state"] == "waiting"


def test_asking_back_forms_the_pair() -> None:
    event = coming(format="swiss")
    maeve, ben = member("Maeve"), member("Ben")
    for who in (maeve, ben):
        build.joined(event.club, who)
    assert enter(event, maeve, partner="Ben").json()["state"] == "inviting"
    told = enter(event, ben, partner="maeve@example.com").json()
    assert told["state"] == "entered"
    assert {one["name"] for one in told["players"]} == {"Maeve", "Ben"}


@pytest.mark.parametrize(
    ("fields", "wish", "status", "code"),
    [
        ({"format": "swiss"}, {}, 409, "partner"),
        ({"format": "swiss"}, {"partner": "Nobody"}, 422, "unknown"),
        ({}, {"partner": "Ben"}, 409, "alone"),
        ({"members_only": True}, {}, 409, "conditions"),
        ({"state": Event.State.FINISHED}, {}, 409, "conditions"),
        ({}, {"partner": "x" * 300}, 422, "invalid"),
        ({}, {"partner": "Ben\u0000"}, 422, "invalid"),
    ],
)
def test_refused_entry_states_the_reason(
    fields: dict[str, Any], wish: dict[str, str], status: int, code: str
) -> None:
    event = coming(**fields)
    answer = enter(event, member("Maeve"), **wish)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert not event.entries.exists()


@pytest.mark.parametrize("body", ['["Ben"]', "[]", '"Ben"', "5", "null", "{"])
def test_non_object_body_enters_nothing(body: str) -> None:
    event = coming()
    token = token_of(member("Maeve"), Scope.ENTER)
    answer = ask(f"/events/{event.pk}/entry", token, method="PUT", body=body)
    assert (answer.status_code, answer.json()["code"]) == (400, "bad request")
    assert "must be a JSON object" in answer.json()["detail"]
    assert not event.entries.exists()


def test_invalid_body_value_is_echoed_in_the_error() -> None:
    answer = enter(coming(), member("Maeve"), partner="x" * 300)
    (error,) = answer.json()["errors"]
    assert error["where"] == "body.partner"
    assert answer.json()["detail"].startswith("body.partner: ")


def test_withdrawing_without_an_entry_is_refused() -> None:
    answer = withdraw(coming(), member("Maeve"))
    assert (answer.status_code, answer.json()["code"]) == (409, "not entered")


def test_members_only_event_accepts_members() -> None:
    event, maeve = coming(members_only=True), member("Maeve")
    build.joined(event.club, maeve)
    assert enter(event, maeve).status_code == 200
