"""Withdrawing, putting back and moving a table: shown before they are done, and undone after."""

from types import SimpleNamespace
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from games.models import Player, Table
from tests.factories import logged_in
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON, acted_by_form, seen_in
from tests.tournaments.room_scores.cards_of import hand
from tournaments.acts import log, moving_table, page, previews, undoing
from tournaments.entering import leaving_running_event
from tournaments.models import Act, Entry, Event, Letter, Pairing
from tournaments.room_scores import cards

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _noon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "timezone", SimpleNamespace(now=lambda: NOON))


@pytest.fixture
def browser(ada: Player) -> Client:
    """Ada's browser."""
    return logged_in(ada)


def drawn(ada: Player, players: int = 8, **fields: Any) -> Event:
    """An event of Ada's club whose first round is drawn."""
    event = build.event(ada.memberships.get().club, **{"rounds": 3, **fields})
    build.enter(event, players)
    build.begin(event)
    return event


def path(name: str, event: Event, *more: int) -> str:
    return reverse(name, args=[event.pk, *more])


def rows(event: Event) -> list[Any]:
    """Everything that these acts change."""
    return [
        *event.entries.order_by("pk").values(),
        *Pairing.objects.filter(round__event=event).order_by("pk").values(),
        *Table.objects.order_by("pk").values("pk", "state"),
        *event.acts.order_by("pk").values("pk", "kind"),
        *event.notices.order_by("pk").values("pk", "text"),
        Letter.objects.count(),
    ]


def shown(browser: Client, address: str) -> list[tuple[str, str, str, bool]]:
    """What a page says that an act will change."""
    return [tuple(one) for one in browser.get(address).context["preview"].changes]


class TestWithdraw:
    def test_it_shows_the_match_that_is_lost_and_changes_nothing(
        self, ada: Player, browser: Client
    ) -> None:
        event = drawn(ada, 8, format="swiss", place=Event.Place.ROOM)
        entry = event.entries.order_by("pk")[0]
        number = entry.pairings.get().pairing.number
        before, out = rows(event), path("withdraw_entry", event, entry.pk)
        changes = shown(browser, out)
        assert ("1 & 2", "plays", "withdrawn", False) in changes
        assert f"Round 1, table {number}" in [thing for thing, *_ in changes]
        assert rows(event) == before
        assert acted_by_form(browser, out, reason="Ill.").status_code == 303
        entry.refresh_from_db()
        match = entry.pairings.get().pairing
        assert (entry.state, match.how) == (Entry.State.WITHDRAWN, Pairing.How.FORFEIT)

    def test_before_the_start_it_shows_who_gets_the_place(
        self, ada: Player, browser: Client
    ) -> None:
        event = build.event(ada.memberships.get().club, capacity=5)
        first, *_, last = build.enter(event, 6)
        event.entries.filter(pk=last.pk).update(state=Entry.State.WAITING)
        out = path("withdraw_entry", event, first.pk)
        assert shown(browser, out) == [
            (first.name, "entered", "withdrawn", False),
            (last.name, "on the waiting list", "entered", False),
        ]
        assert not Letter.objects.exists()

    def test_another_director_was_faster(self, ada: Player, browser: Client) -> None:
        event = drawn(ada, place=Event.Place.ROOM)
        entry = event.entries.order_by("pk")[0]
        out = path("withdraw_entry", event, entry.pk)
        seen = seen_in(browser.get(out).text)
        leaving_running_event.withdraw(entry, ada, NOON, reason="Ill.")
        before = rows(event)
        answer = browser.post(out, {"reason": "Ill.", "seen": seen})
        assert (answer.status_code, rows(event)) == (409, before)
        assert "Not now: This entry is not playing in the event." in browser.get(out).text

    def test_what_was_not_shown_is_not_done(self, ada: Player, browser: Client) -> None:
        event = drawn(ada, place=Event.Place.ROOM)
        entry = event.entries.order_by("pk")[0]
        out, before = path("withdraw_entry", event, entry.pk), rows(event)
        for seen in ({}, {"seen": "0" * 16}):
            answer = browser.post(out, {"reason": "Ill.", **seen})
            assert (answer.status_code, rows(event)) == (409, before)

    def test_a_director_who_plays_reads_why_not(self, ada: Player, browser: Client) -> None:
        event = build.event(ada.memberships.get().club, rounds=3, place=Event.Place.ROOM)
        first, *_ = build.enter(event, 4)
        first.players.update(player=ada)
        build.begin(event)
        other = event.entries.exclude(pk=first.pk)[0]
        out = path("withdraw_entry", event, other.pk)
        asked = browser.get(out)
        assert "Not now: " in asked.text
        assert "preview" not in asked.context
        assert browser.post(out, {"reason": "Ill.", "seen": "0"}).status_code == 403


class TestPutBack:
    def test_it_is_shown_said_and_undone(self, ada: Player, browser: Client) -> None:
        event = drawn(ada, place=Event.Place.ROOM)
        entry = event.entries.order_by("pk")[0]
        leaving_running_event.withdraw(entry, ada, NOON, reason="Ill.")
        back, before = path("put_back_entry", event, entry.pk), rows(event)
        assert shown(browser, back)[0] == (entry.name, "withdrawn", "plays", False)
        assert rows(event) == before
        answer = acted_by_form(browser, back, reason="It was a headache.")
        assert answer["Location"] == path("manage_event", event)
        act = event.acts.latest("pk")
        assert (act.kind, act.reason) == (Act.Kind.PUT_BACK, "It was a headache.")
        page = browser.get(answer["Location"]).text
        assert f'<a href="{path("undo_act", event, act.pk)}">Undo</a>' in page
        undoing.undo(act, ada, NOON)
        entry.refresh_from_db()
        assert entry.state == Entry.State.WITHDRAWN

    def test_pressed_twice_it_is_done_once(self, ada: Player, browser: Client) -> None:
        event = drawn(ada, place=Event.Place.ROOM)
        entry = event.entries.order_by("pk")[0]
        leaving_running_event.withdraw(entry, ada, NOON, reason="Ill.")
        back = path("put_back_entry", event, entry.pk)
        fields = {"reason": "", "seen": seen_in(browser.get(back).text)}
        assert [browser.post(back, fields).status_code for _press in range(2)] == [303, 409]
        assert event.acts.filter(kind=Act.Kind.PUT_BACK).count() == 1


class TestMove:
    @pytest.mark.parametrize("place", [Event.Place.ONLINE, Event.Place.MIXED])
    def test_the_place_is_shown_first(self, ada: Player, browser: Client, place: str) -> None:
        event = drawn(ada, place=place, room_from=9)
        move, before = f"{path('move_table', event, 1, 1)}?to=room", rows(event)
        moved = ("Place of table 1 in round 1", "online", "in the room", False)
        assert shown(browser, move) == [moved]
        assert rows(event) == before
        assert acted_by_form(browser, move, reason="Their tablet broke.").status_code == 303
        act = event.acts.latest("pk")
        assert act.reason == "Their tablet broke."
        (line,) = log.lines_of(event, [act])
        assert (line.before, line.after) == ("online", "in the room")
        assert event.notices.latest("pk").text == (
            "Round 1: table 1 moved to the room. Their tablet broke."
        )

    def test_a_table_whose_score_is_begun_stays(self, ada: Player, browser: Client) -> None:
        event = drawn(ada, place=Event.Place.ROOM, match=Event.Match.DEALS, deals=2)
        hand(event, 1, 0, cards.MADE)
        page = browser.get(path("move_table", event, 1, 1)).text
        assert "Not now: The score of table 1 has been begun in the room." in page

    def test_two_who_press_at_once_move_it_once(self, ada: Player, browser: Client) -> None:
        event = drawn(ada, place=Event.Place.MIXED, room_from=9)
        move = path("move_table", event, 1, 1)
        seen = seen_in(browser.get(move).text)
        moving_table.move_table(event, ada, 1, 1, NOON, in_room=True)
        assert browser.post(move, {"seen": seen}).status_code == 409
        assert build.latest(event).pairings.get(number=1).in_room
        assert browser.post(f"{move}?to=room", {"seen": seen}).status_code == 409

    def test_what_forbids_it_is_said_on_the_page(self, ada: Player, browser: Client) -> None:
        event = drawn(ada)
        build.arrive(event)
        build.step(event, NOON)
        page = browser.get(path("move_table", event, 1, 1)).text
        assert "Not now: The match at table 1 has begun online." in page


def test_the_place_of_tables_that_come_or_go_is_said_in_a_mixed_event_only(
    ada: Player, browser: Client
) -> None:
    for place, said in ((Event.Place.ROOM, False), (Event.Place.MIXED, True)):
        event = drawn(ada, place=place, room_from=9, format="progressive")
        changes = shown(browser, path("take_back_round", event, 1))
        assert any(thing.startswith("Place of table") for thing, *_ in changes) == said
        Event.objects.filter(pk=event.pk).update(state=Event.State.CANCELLED)


def test_an_act_that_waited_has_the_time_of_its_turn(
    ada: Player, browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = drawn(ada)
    out = path("withdraw_entry", event, event.entries.order_by("pk")[0].pk)
    seen = seen_in(browser.get(out).text)
    carry_out = previews.carry_out

    def waiting(*args: Any) -> Act | None:
        monkeypatch.setattr(page, "timezone", SimpleNamespace(now=lambda: NOON + MINUTE))
        return carry_out(*args)

    monkeypatch.setattr(previews, "carry_out", waiting)
    assert browser.post(out, {"reason": "Ill.", "seen": seen}).status_code == 303
    assert event.acts.get().at == NOON + MINUTE
