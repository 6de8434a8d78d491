"""People on a club's list: the same person every night, by whichever way they are entered."""

from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse

from games.models import Player
from tests.factories import logged_in, member
from tests.tournaments import build
from tests.tournaments.build import NOON
from tournaments.attendance import newcomers, substitutes
from tournaments.importing import entry_list
from tournaments.importing.sheets import read
from tournaments.models import Club, Event, ListedName
from tournaments.refusals import RefusedError
from tournaments.search import club_list

pytestmark = pytest.mark.django_db


def night(ada: Player, entries: int = 7, **fields: Any) -> Event:
    """A night in the room that has not begun."""
    values = {"rounds": 1, "place": Event.Place.ROOM, "format": "progressive", **fields}
    event = build.event(club_of(ada), **values)
    build.enter(event, entries)
    return event


def club_of(ada: Player) -> Club:
    return ada.memberships.get().club


def players_called(name: str) -> set[int]:
    return set(Player.objects.filter(name=name).values_list("pk", flat=True))


def test_a_name_typed_again_is_the_same_person(ada: Player) -> None:
    for name in ("Wim Tarrant", " wim  tarrant"):
        newcomers.enter(night(ada), [name], ada, NOON)
    row = ListedName.objects.get()
    assert players_called("Wim Tarrant") == {row.plays_as_id}
    assert row.plays_as is not None
    assert row.plays_as.walk_ins.count() == row.nights.count() == 2


def test_a_name_of_the_list_and_a_person_chosen_there_are_the_same(ada: Player) -> None:
    row = club_of(ada).listed_names.create(name="Wim")
    newcomers.enter(night(ada), [row], ada, NOON)
    late = night(ada, rounds=3)
    build.begin(late)
    newcomers.enter(late, ["Wim"], ada, NOON)
    seat = build_started(ada).entered_players.first()
    assert seat is not None
    substitutes.substitute(seat, row, ada, NOON, reason="So.")
    assert len(players_called("Wim")) == 1
    assert ListedName.objects.count() == 1


def build_started(ada: Player) -> Event:
    event = night(ada, 8, rounds=3)
    build.begin(event)
    return event


def test_who_withdrew_is_entered_again_with_the_same_code(ada: Player) -> None:
    event = night(ada)
    entry = newcomers.enter(event, ["Wim"], ada, NOON)
    code = event.walk_ins.get().code
    entry.players.update(active=False)
    entry.state = "withdrawn"
    entry.save()
    newcomers.enter(event, ["Wim"], ada, NOON)
    assert event.walk_ins.get().code == code
    with pytest.raises(RefusedError, match="Somebody called Wim is in the event already"):
        newcomers.enter(event, ["Wim"], ada, NOON)
    with pytest.raises(RefusedError, match="Wim is in the event already"):
        newcomers.enter(event, [ListedName.objects.get()], ada, NOON)


def test_other_clubs_have_their_own_people(ada: Player) -> None:
    newcomers.enter(night(ada), ["Wim"], ada, NOON)
    other = build.club("Lakeside")
    event = build.event(other, place=Event.Place.ROOM)
    newcomers.enter(event, ["Wim"], ada, NOON)
    assert len(players_called("Wim")) == 2


def test_two_of_one_name_are_asked_for(ada: Player) -> None:
    for address in ("a@example.org", "b@example.org"):
        club_of(ada).listed_names.create(name="Wim", email=address)
    event = night(ada)
    with pytest.raises(RefusedError, match="Several people on the club’s list are called Wim"):
        newcomers.enter(event, ["Wim"], ada, NOON)
    newcomers.enter(event, [ListedName.objects.latest("pk")], ada, NOON)


def test_a_director_does_not_let_themselves_in_by_the_list(ada: Player) -> None:
    row = club_of(ada).listed_names.create(name="A.", email="a@example.org", player=ada)
    with pytest.raises(RefusedError, match="cannot let themselves in"):
        newcomers.enter(build_started(ada), [row], ada, NOON)


def test_who_is_on_paper_is_found_with_their_nights(ada: Player) -> None:
    newcomers.enter(night(ada), ["Wim Tarrant"], ada, NOON)
    event = night(ada)
    (row,) = club_list.to_enter(event, ["tarr"])
    assert row.name == "Wim Tarrant"
    browser, path = logged_in(ada), reverse("find_people", args=[event.pk])
    text = browser.get(path, {"q": "wim tarrant"}).text
    assert "On paper, 1 night, last on 7 March 2026" in text
    assert "as a walk-in" not in text, "the person of this name is offered, not another one"
    assert f"?listed={row.pk}&amp;found=wim" in text
    build.acted_by_form(browser, f"{reverse('enter_people', args=[event.pk])}?listed={row.pk}",
                        listed=row.pk)  # fmt: skip
    assert event.walk_ins.get().player == row.plays_as
    assert club_list.to_enter(event, ["tarr"]) == []
    assert browser.get(reverse("enter_people", args=[event.pk]), {"listed": 99}).status_code == 422


def test_an_entry_list_has_people_on_paper(ada: Player) -> None:
    club = club_of(ada)
    newcomers.enter(night(ada), ["Wim"], ada, NOON)
    club.listed_names.create(name="Ida")
    kit = member("Kit")
    club.listed_names.create(name="Kitty", email="kit@example.org", player=kit)
    event, now = night(ada, 0), NOON - timedelta(hours=1)
    sheet = read(b"players_name\nWim\nida\nKitty\n", entry_list.COLUMNS)
    for expected in (["is entered"] * 3, ["stays"] * 3):
        plan = entry_list.plan(event, sheet, now)
        assert [step.what for step in plan.steps] == expected
        entry_list.carry_out(event, sheet, plan.digest, ada, now)
    assert set(event.entered_players.values_list("player__name", flat=True)) == {
        "Wim", "Ida", "Kit",
    }  # fmt: skip
    assert len(players_called("Wim")) == 1
    twice = read(b"players_name\nWim\nWIM\n", entry_list.COLUMNS)
    assert "in line 2 already" in str(entry_list.plan(night(ada, 0), twice, now).problems)


def problems(event: Event, names: str) -> str:
    sheet = read(f"players_name\n{names}\n".encode(), entry_list.COLUMNS)
    plan = entry_list.plan(event, sheet, NOON - timedelta(hours=1))
    return " ".join(one.words for one in plan.problems)


def test_an_entry_list_shows_beforehand_who_cannot_play_on_paper(ada: Player) -> None:
    club = club_of(ada)
    club.listed_names.create(name="Bartholomew Featherstonehaugh-Smythe")
    club.listed_names.create(name="Wim")
    club.listed_names.create(name="Ida")
    event = night(ada, 0)
    Player.objects.filter(pk=build.enter(event, 1)[0].players.get().player_id).update(name="IDA")
    assert problems(event, "Wim") == ""
    assert "1 to 30 characters" in problems(event, "Bartholomew Featherstonehaugh-Smythe")
    assert "Somebody called Ida is in the event already" in problems(event, "Ida")
    event.sit_out = Event.SitOut.HOUSE
    event.save(update_fields=["sit_out"])
    assert "House players play in this event" in problems(event, "Wim")
