"""The short code of an event: who it leads where, and who may guess."""

import pytest
from django.db import IntegrityError, transaction
from django.test import Client

from games.people.limits import WRONG_CODES_IN_TEN_MINUTES
from tests.factories import logged_in, member
from tests.tournaments import build
from tests.tournaments.build import NOON
from tournaments.events import repeating
from tournaments.models import Club, Event
from tournaments.models.events import JOIN_LENGTH, JOIN_LETTERS

pytestmark = pytest.mark.django_db


def test_every_event_has_a_code_without_look_alikes() -> None:
    club = build.club()
    codes = [build.event(club).join_code for _ in range(20)]
    assert len({*codes}) == 20
    assert {len(code) for code in codes} == {JOIN_LENGTH}
    assert {letter for code in codes for letter in code} <= {*JOIN_LETTERS}
    assert not {*JOIN_LETTERS} & {*"01ABEILOSUZ"}
    assert len({*JOIN_LETTERS}) == len(JOIN_LETTERS)


@pytest.mark.parametrize("how", ["/join/{}/", "/join/?code={}"])
def test_code_leads_to_the_event_however_it_is_typed(how: str) -> None:
    event = build.event()
    code = event.join_code
    for typed in (code, code.lower(), f"{code[:2]} {code[2:]}", f"{code[:3]}-{code[3:]}"):
        response = Client().get(how.format(typed))
        assert (response.status_code, response["Location"]) == (302, f"/events/{event.pk}/")


def test_wrong_code_is_answered_with_what_is_right() -> None:
    response = Client().get("/join/?code=<b>KILN42")
    assert response.status_code == 404
    assert "No event that you may see has the code BKILN42" in response.text
    assert "never 0, 1, A, B, E, I, L, O, S, U or Z" in response.text
    assert "<b>KILN" not in response.text
    empty = Client().get("/join/?code=!!")
    assert (empty.status_code, "that was typed" in empty.text) == (404, True)


def test_empty_code_of_an_old_event_is_nobodys() -> None:
    Event.objects.filter(pk=build.event().pk).update(join_code="")
    assert Client().get("/join/?code=-").status_code == 404


def test_code_gives_no_rights() -> None:
    """Strangers learn nothing of a club by invitation, not even that there is such an event."""
    club = build.club(joining=Club.Joining.INVITATION)
    event = build.event(club)
    draft = build.event(club, state=Event.State.DRAFT)
    known, unknown = (Client().get(f"/join/{code}/") for code in (event.join_code, "22222"))
    assert known.status_code == unknown.status_code == 404
    assert known.text.replace(event.join_code, "22222") == unknown.text
    inside = member("Ina")
    build.joined(club, inside)
    assert logged_in(inside).get(f"/join/{event.join_code}/").status_code == 302
    assert logged_in(inside).get(f"/join/{draft.join_code}/").status_code == 404
    ada = build.director(club)
    assert logged_in(ada).get(f"/join/{draft.join_code}/").status_code == 302


def test_guesses_are_limited_and_right_codes_are_not() -> None:
    event = build.event()
    visitor = Client()
    for _phone in range(2 * WRONG_CODES_IN_TEN_MINUTES):  # a room behind one address
        assert visitor.get(f"/join/{event.join_code}/").status_code == 302
    for _guess in range(WRONG_CODES_IN_TEN_MINUTES):
        assert visitor.get("/join/22222/").status_code == 404
    refused = visitor.get(f"/join/{event.join_code}/")
    assert refused.status_code == 429
    assert "Too many wrong codes from your network" in refused.text
    other = Client(REMOTE_ADDR="192.0.2.9")
    assert other.get(f"/join/{event.join_code}/").status_code == 302


def test_two_open_events_never_share_a_code() -> None:
    club = build.club()
    first, second = build.event(club), build.event(club)
    with pytest.raises(IntegrityError), transaction.atomic():
        Event.objects.filter(pk=second.pk).update(join_code=first.join_code)
    Event.objects.filter(pk=first.pk).update(ended=NOON)
    Event.objects.filter(pk=second.pk).update(join_code=first.join_code)
    path = Client().get(f"/join/{first.join_code}/")["Location"]
    assert path == f"/events/{second.pk}/"


def test_code_of_an_event_that_is_over_leads_to_its_results() -> None:
    event = build.event()
    Event.objects.filter(pk=event.pk).update(ended=NOON, state=Event.State.FINISHED, started=NOON)
    assert Client().get(f"/join/{event.join_code}/").status_code == 302


def test_next_weeks_event_has_a_code_of_its_own() -> None:
    event = build.event(recurrence="weekly")
    later = repeating.make_next(event, NOON)
    assert later is not None
    assert later.join_code
    assert later.join_code != event.join_code
