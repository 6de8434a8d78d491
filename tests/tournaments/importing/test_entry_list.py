"""Entries from a list: members only, in order, whole or not at all."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from games.models import Player
from tests.factories import logged_in, member
from tests.tournaments import build
from tests.tournaments.build import club, director
from tests.volume import scaled
from tournaments.entering import entering
from tournaments.event_page import exports
from tournaments.importing import entry_list
from tournaments.importing.sheets import Sheet, read
from tournaments.models import Entry, Event, Letter
from tournaments.refusals import RefusedError

pytestmark = [pytest.mark.django_db, pytest.mark.db]
NOW = build.NOON - timedelta(hours=2)


def sheet(text: str) -> Sheet:
    return read(text.encode(), entry_list.COLUMNS)


def imported(into: Event, text: str, by: Player) -> list[str]:
    shown = entry_list.plan(into, sheet(text), NOW)
    assert not shown.problems
    done = entry_list.carry_out(into, sheet(text), shown.digest, by, NOW)
    return [step.what for step in done.steps]


def entered(event: Event) -> list[tuple[str, str]]:
    entries = event.entries.order_by("arrival").prefetch_related("players__player")
    return [(entry.name, entry.state) for entry in entries]


def test_a_longer_list_takes_no_more_queries() -> None:
    mill = club()
    ada = director(mill)
    asked = []
    for number, size in enumerate((2, 30)):
        names = [f"Player{number}x{at}" for at in range(size)]
        build.members(mill, *names)
        event = build.event(mill, name=f"Evening {number}", capacity=size, minimum=2)
        text = "\n".join(["players_name", *names])
        digest = entry_list.plan(event, sheet(text), NOW).digest
        with CaptureQueriesContext(connection) as queries:
            entry_list.carry_out(event, sheet(text), digest, ada, NOW)
        asked.append(len(queries))
        assert Letter.objects.filter(subject__contains=event.name).count() == size
    assert asked[0] == asked[1]


def test_members_are_entered_in_order_and_written_to() -> None:
    mill = club()
    ada = director(mill)
    build.members(mill, "Maeve", "Ben", "Iris")
    event = build.event(mill, capacity=2, minimum=2)
    text = "players_name\nben\nIris\nMaeve\n"
    assert imported(event, text, ada) == ["is entered", "is entered", "waits for a place"]
    there = [("Ben", "entered"), ("Iris", "entered"), ("Maeve", "waiting")]
    assert entered(event) == there
    letter = Letter.objects.get(user__email="maeve@example.com")
    assert "on its waiting list" in letter.text
    assert "withdraw on its page" in letter.text
    assert event.notices.get().text == "3 entries from a list."
    assert imported(event, text, ada) == ["stays", "stays", "stays"]
    assert entered(event) == there
    assert Letter.objects.count() == 3


def test_every_problem_is_named_and_nobody_is_entered() -> None:
    mill = club()
    director(mill)
    _maeve, ben, _iris, otto = build.members(mill, "Maeve", "Ben", "Iris", "Otto")
    member("Kit")
    event = build.event(mill, format="swiss")
    Entry.objects.all().delete()
    seeking = Entry.objects.create(event=event, state=Entry.State.SEEKING)
    seeking.players.create(event=event, player=otto)
    text = (
        "players_id,players_name\n"
        ",Maeve; Kit\n"
        ",Maeve\n"
        f"{ben.pk}; {ben.pk},\n"
        f"{ben.pk}; 999999,\n"
        ",Ben; Iris\n"
        ",Ben; Maeve\n"
        ",Otto; Maeve\n"
    )
    found = entry_list.plan(event, sheet(text), NOW).problems
    assert [(one.number, one.column) for one in found] == [
        (2, "players_name"),
        (3, "players_name"),
        (4, "players_id"),
        (5, "players_id"),
        (7, "players_name"),
        (8, "players_name"),
        (8, "players_name"),
    ]
    words = " ".join(one.words for one in found)
    for part in (
        "Nobody of The Old Mill is called “Kit”. Only members, and people on",
        "An entry is two different players, such as “Maeve; Ben”; here are 1.",
        "No member of The Old Mill has the number “999999”",
        "Ben is in line 6 already",
        "Otto looks for a partner: they withdraw first",
    ):
        assert part in words
    assert event.entries.count() == 1


def test_the_conditions_hold_for_a_list_too() -> None:
    mill = club()
    director(mill)
    build.members(mill, "Maeve")
    event = build.event(mill, min_games=3)
    ((_line, _column, words),) = entry_list.plan(event, sheet("players_name\nMaeve"), NOW).problems
    assert "3 finished games are required; Maeve has 0" in words


@pytest.mark.parametrize("state", [Event.State.DRAFT, Event.State.RUNNING, Event.State.CANCELLED])
def test_only_between_publishing_and_the_start(state: str) -> None:
    event = build.event(state=state)
    with pytest.raises(RefusedError, match="between publishing and the start"):
        entry_list.plan(event, sheet("players_name\nMaeve"), NOW)
    event = build.event(club("Lakeside"))
    with pytest.raises(RefusedError, match="between publishing and the start"):
        entry_list.plan(event, sheet("players_name\nMaeve"), event.starts)


def test_who_withdrew_and_house_players_are_left_out() -> None:
    mill = club()
    ada = director(mill)
    maeve, ben = build.members(mill, "Maeve", "Ben")
    event = build.event(mill)
    for player in (maeve, ben):
        entering.register(event, player, NOW)
    entering.withdraw(event, ben, NOW)
    text = exports.as_csv(event, "entries") + "7,1,Maple,entered,true,,,,,\n"
    assert imported(event, text, ada) == ["stays", "left out", "left out"]
    assert entered(event) == [("Maeve", "entered"), ("Ben", "withdrawn")]


def test_the_pages() -> None:
    mill = club()
    browser = logged_in(director(mill))
    build.members(mill, "Maeve")
    event = build.event(mill, starts=timezone.now() + timedelta(days=1))
    path = f"/events/{event.pk}/manage/import/"
    assert f'href="{path}"' in browser.get(f"/events/{event.pk}/manage/").text
    assert browser.get(path).status_code == 200
    page = browser.post(path, {"text": "players_name\nMaeve\n"})
    assert page.status_code == 200
    form = {"text": page.context["sheet"].text(), "plan": page.context["plan"].digest}
    assert entered(event) == []
    assert browser.post(path, form)["Location"] == path
    assert entered(event) == [("Maeve", "entered")]
    assert browser.post(path, {"text": "players_name\nNobody\n"}).status_code == 422
    event.state = Event.State.CANCELLED
    event.save()
    assert browser.post(path, form).status_code == 409


class TestExported(TestCase):
    """What is exported is imported as it was."""

    @settings(max_examples=scaled(40))
    @given(st.permutations(range(8)), st.integers(1, 5), st.sets(st.integers(0, 7)), st.booleans())
    def test_exported_entries_are_the_same_elsewhere(
        self, order: list[int], capacity: int, leaving: set[int], pairs: bool
    ) -> None:
        mill = club()
        ada = director(mill)
        people = build.members(mill, *(f"Player {n}" for n in range(8)))
        size = 2 if pairs else 1
        form = "swiss" if pairs else "rotation"
        one, other = (
            build.event(mill, capacity=capacity, minimum=1, format=form) for _ in range(2)
        )
        chosen = [people[n] for n in order if n not in leaving]
        lines = [chosen[at : at + size] for at in range(0, len(chosen) - size + 1, size)]
        text = "players_id\n" + "".join(
            "; ".join(str(player.pk) for player in team) + "\n" for team in lines
        )
        imported(one, text, ada)
        for player in chosen[:1]:
            if lines:
                entering.withdraw(one, player, NOW)
        exported = exports.as_csv(one, "entries")
        before = entered(one)
        assert set(imported(one, exported, ada)) <= {"stays", "left out"}
        assert entered(one) == before
        imported(other, exported, ada)
        assert entered(other) == [line for line in before if line[1] != "withdrawn"]
