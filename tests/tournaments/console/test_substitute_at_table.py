"""A substitute put in where the table stands: who can leave, who is meant, and taking it back."""

from types import SimpleNamespace
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from games.models import Player
from tests.factories import logged_in, member
from tests.tournaments import build
from tests.tournaments.build import NOON, acted_by_form, ruled, seen_in
from tournaments.acts import correcting, page, undoing
from tournaments.models import Act, Entry, EntryPlayer, Event, Pairing

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _noon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "timezone", SimpleNamespace(now=lambda: NOON))


@pytest.fixture
def browser(ada: Player) -> Client:
    """Ada's browser."""
    return logged_in(ada)


@pytest.fixture
def rosa(ada: Player) -> Player:
    """A member of Ada's club who is not in the event."""
    player = member("Rosa")
    build.joined(ada.memberships.get().club, player)
    return player


def evening(ada: Player, **fields: Any) -> Event:
    """Eight players in the room, in the first of three rounds."""
    values = {"rounds": 3, "place": Event.Place.ROOM, "format": "progressive", **fields}
    event = build.event(ada.memberships.get().club, **values)
    build.enter(event, 8)
    build.begin(event)
    return event


def match(event: Event, number: int = 1) -> Pairing:
    return build.latest(event).pairings.get(number=number)


def seats(event: Event, number: int = 1) -> list[EntryPlayer]:
    at_table = event.entered_players.filter(entry__pairings__pairing=match(event, number))
    return list(at_table.order_by("pk"))


def address(event: Event, table: int = 1, round_: int = 1) -> str:
    return reverse("substitute_at_table", args=[event.pk, round_, table])


def asking(event: Event, name: str, seat: EntryPlayer | None = None) -> str:
    seat = seat or seats(event)[0]
    return f"{address(event, 1)}?seat={seat.pk}&name={name}"


def put_in(browser: Client, event: Event, name: str, seat: EntryPlayer | None = None) -> Any:
    seat = seat or seats(event)[0]
    fields = {"seat": seat.pk, "name": name, "reason": "Called away."}
    return acted_by_form(browser, asking(event, name, seat), **fields)


def listed(event: Event, name: str) -> None:
    event.club.listed_names.create(name=name)


def test_the_open_table_offers_it_and_asks_who(ada: Player, browser: Client) -> None:
    event = evening(ada)
    console = browser.get(reverse("manage_event", args=[event.pk]), {"open": "1"}).text
    assert f'hx-get="{address(event)}"' in console
    asked = browser.get(address(event))
    assert asked.status_code == 200
    choices = dict(asked.context["page"].choice.fields["seat"].choices)
    assert choices.keys() == {"", *(one.pk for one in seats(event))}


def test_a_member_is_put_in_and_it_is_undone(ada: Player, browser: Client, rosa: Player) -> None:
    event = evening(ada)
    seat = seats(event)[0]
    was = seat.player
    shown = browser.get(asking(event, " rosa ")).text
    assert "What will change" in shown
    assert f"Put Rosa in for {was}" in shown
    assert "this is somebody new" not in shown
    answer = put_in(browser, event, "Rosa")
    assert answer.status_code == 303
    assert answer["Location"] == reverse("manage_event", args=[event.pk])
    seat.refresh_from_db()
    assert seat.player == rosa
    act = event.acts.get(kind=Act.Kind.SUBSTITUTE)
    assert (act.by, act.reason, act.pairing) == (ada, "Called away.", match(event))
    undoing.undo(act, ada, NOON)
    seat.refresh_from_db()
    assert seat.player == was


def test_by_script_it_is_done_in_place(ada: Player, browser: Client, rosa: Player) -> None:
    event = evening(ada)
    seat = seats(event)[0]
    script = {"HX-Request": "true"}
    shown = browser.get(asking(event, "Rosa"), headers=script).text
    assert "<html" not in shown
    sent = {"seat": seat.pk, "name": "Rosa", "reason": "So.", "seen": seen_in(shown)}
    done = browser.post(address(event), sent, headers=script)
    assert done.status_code == 200
    assert f"Rosa plays for {seat.player}." in done.text
    seat.refresh_from_db()
    assert seat.player == rosa


def test_somebody_of_the_clubs_list_keeps_their_nights(ada: Player, browser: Client) -> None:
    event = evening(ada)
    listed(event, "Xan")
    assert "this is somebody new" not in browser.get(asking(event, "xan")).text
    assert put_in(browser, event, "xan").status_code == 303
    assert event.club.listed_names.get().plays_as == seats(event)[0].player


def test_somebody_new_is_said_to_be_new(ada: Player, browser: Client) -> None:
    event = evening(ada)
    words = "Nobody else of The Old Mill is called Zoe: this is somebody new."
    assert words in browser.get(asking(event, "Zoe")).text
    assert put_in(browser, event, "Zoe").status_code == 303
    assert seats(event)[0].player.name == "Zoe"
    assert event.club.listed_names.get().name == "Zoe"


def test_two_of_a_name_are_told_apart_and_found(ada: Player, browser: Client, rosa: Player) -> None:
    event = evening(ada)
    listed(event, "Rosa")
    seat = seats(event)[0]
    answer = browser.get(asking(event, "Rosa"))
    assert answer.status_code == 422
    words = "2 people are called Rosa: Rosa, a member; Rosa, on the club’s list, 0 nights."
    assert words in answer.text
    assert "What will change" not in answer.text
    find = f"{reverse('find_people', args=[event.pk])}?seat={seat.pk}&q=Rosa"
    assert f'href="{find.replace("&", "&amp;")}"' in answer.text
    found = browser.get(find).text
    path = reverse("substitute", args=[event.pk, seat.pk])
    assert f'href="{path}?player={rosa.pk}"' in found
    assert f'href="{path}?listed={event.club.listed_names.get().pk}"' in found
    sent = {"seat": seat.pk, "name": "Rosa", "reason": "So."}
    assert browser.post(address(event), sent).status_code == 422
    assert not event.acts.filter(kind=Act.Kind.SUBSTITUTE).exists()


def test_of_two_the_one_who_plays_already_is_not_meant(
    ada: Player, browser: Client, rosa: Player
) -> None:
    event = evening(ada)
    listed(event, "Rosa")
    seats(event, 2)[0].entry.players.update(player=rosa)
    shown = browser.get(asking(event, "Rosa")).text
    assert "2 people are called Rosa" not in shown
    assert "Somebody called Rosa is in the event already: add a letter" in shown


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("", "Write who takes the seat."),
        ("x" * 31, "A name has 1 to 30 characters."),
        ("7", "in the event already"),
    ],
)
def test_a_wrong_name_is_named(ada: Player, browser: Client, name: str, words: str) -> None:
    event = evening(ada)
    sent = {"seat": seats(event)[0].pk, "name": name, "reason": "So."}
    answer = browser.post(address(event), sent)
    assert answer.status_code in (409, 422)
    assert words in answer.text
    assert not event.acts.filter(kind=Act.Kind.SUBSTITUTE).exists()


def test_a_seat_of_another_table_is_not_taken(ada: Player, browser: Client, rosa: Player) -> None:
    event = evening(ada)
    sent = {"seat": seats(event, 2)[0].pk, "name": "Rosa", "reason": "So."}
    assert browser.post(address(event), sent).status_code == 422
    assert browser.post(address(event), {"name": "Rosa", "reason": "So."}).status_code == 422


def test_a_name_on_a_site_without_walk_ins_has_to_be_known(ada: Player, browser: Client) -> None:
    event = evening(ada, place=Event.Place.ONLINE)
    assert "needs an account and a browser" in browser.get(asking(event, "Zoe")).text


def refused_at(browser: Client, event: Event, words: str, table: int = 1) -> None:
    console = browser.get(reverse("manage_event", args=[event.pk]), {"open": str(table)}).text
    assert f"Substitute. Not now: {words}" in console
    assert f'hx-get="{address(event, table)}"' not in console
    shown = browser.get(address(event, table)).text
    assert words in shown
    assert 'name="seat"' not in shown
    assert browser.post(address(event, table), {"name": "Zoe", "reason": "So."}).status_code == 409


def test_it_is_grey_while_the_match_is_played_online(ada: Player, browser: Client) -> None:
    event = evening(ada, place=Event.Place.ONLINE)
    build.arrive(event)
    build.step(event, NOON)
    refused_at(browser, event, "The match has begun online: the substitute can play")


def test_it_is_grey_where_partnerships_have_left(ada: Player, browser: Client) -> None:
    event = evening(ada, format="swiss", rounds=2)
    Entry.objects.filter(pairings__pairing=match(event)).update(state=Entry.State.WITHDRAWN)
    refused_at(browser, event, "Nobody here can be replaced")


def test_at_a_table_of_an_earlier_round_it_leads_to_the_latest(
    ada: Player, browser: Client
) -> None:
    event = evening(ada)
    for one in build.latest(event).pairings.all():
        correcting.set_result(one, ada, ruled(0, (5, 3)), reason="", now=NOON)
    assert "Not now" not in browser.get(address(event)).text, "they play from the next round"
    build.step(event, NOON)
    assert event.played_rounds.count() == 2
    console = browser.get(reverse("manage_event", args=[event.pk]), {"open": "1", "round": "1"})
    assert "Substitute. Not now: Round 2 has been drawn" in console.text
    assert "Round 2 has been drawn" in browser.get(address(event)).text


def test_a_director_leaves_their_own_table_to_others(ada: Player, browser: Client) -> None:
    event = evening(ada)
    own, other = seats(event)[:2]
    own.player = ada
    own.save()
    assert (
        "another director rules on it"
        in browser.get(reverse("manage_event", args=[event.pk]), {"open": "1"}).text
    )
    sent = {"seat": other.pk, "name": "Zoe", "reason": "So."}
    answer = browser.post(address(event), sent)
    assert answer.status_code == 403
    assert "Ada plays at the same table." in answer.text
    assert not event.acts.filter(kind=Act.Kind.SUBSTITUTE).exists()


def test_a_director_of_another_club_may_not(ada: Player) -> None:
    event = evening(ada)
    elsewhere = build.director(build.club("The Forge"), "Otto")
    sent = {"seat": seats(event)[0].pk, "name": "Zoe", "reason": "So."}
    for answer in (
        logged_in(elsewhere).get(address(event)),
        logged_in(elsewhere).post(address(event), sent),
    ):
        assert answer.status_code == 403
    assert not event.acts.exists()
