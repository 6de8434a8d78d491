"""Walk-ins: entered by a name, seated in the room only, and led by the code on their card."""

import json
import re
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from games.models import Player, Table
from games.people import limits
from tests.factories import logged_in, member
from tests.tournaments import build
from tests.tournaments.build import NOON, ruled
from tournaments.acts import (
    correcting,
    drawing_again,
    house_players,
    message_to_all,
    moving_table,
    seating_by_hand,
    undoing,
)
from tournaments.attendance import newcomers, walk_ins
from tournaments.models import Entry, Event, Pairing, ScoreLine, WalkIn
from tournaments.ratings import units as rating_units
from tournaments.refusals import RefusedError

pytestmark = pytest.mark.django_db


def upcoming(ada: Player, entries: int = 7, **fields: Any) -> Event:
    """An event in the room, or where it is said, that has not begun."""
    values = {"rounds": 3, "place": Event.Place.ROOM, "format": "progressive", **fields}
    event = build.event(ada.memberships.get().club, **values)
    build.enter(event, entries)
    return event


def with_xan(ada: Player, **fields: Any) -> tuple[Event, Entry]:
    """An event of eight, one of whom is Xan, a walk-in, in its first round."""
    event = upcoming(ada, **fields)
    entry = newcomers.enter(event, ["Xan"], ada, NOON)
    build.begin(event)
    entry.refresh_from_db()
    return event, entry


def table_of(entry: Entry) -> Pairing:
    """The match of an entry in the first round."""
    return entry.pairings.get().pairing


class TestEntering:
    def test_a_name_is_enough(self, ada: Player) -> None:
        event, entry = with_xan(ada)
        walk_in = event.walk_ins.get()
        assert entry.name == walk_in.player.name == "Xan"
        assert walk_in.player.guest
        assert re.fullmatch("[2-9CDFGHJKMNPQRTVWXY]{8}", walk_in.code)

    def test_a_walk_in_partners_a_member_or_comes_late(self, ada: Player) -> None:
        event = upcoming(ada, 4, format="swiss")
        mira = member("Mira")
        build.joined(event.club, mira)
        entry = newcomers.enter(event, [mira, "Xan"], ada, NOON)
        assert entry.name == "Mira and Xan"
        build.begin(event)
        late = newcomers.enter(event, ["Yul", "Zoe"], ada, NOON)
        assert (late.first_round, late.name) == (2, "Yul and Zoe")

    def test_nobody_is_called_as_somebody_else_in_the_event(self, ada: Player) -> None:
        event, _xan = with_xan(ada)
        with pytest.raises(RefusedError, match="Somebody called xan is in the event already"):
            newcomers.enter(event, ["xan"], ada, NOON)

    @pytest.mark.parametrize("name", ["", "  ", "\u200b", "x" * 31])
    def test_a_name_has_to_be_one(self, ada: Player, name: str) -> None:
        with pytest.raises(RefusedError, match="A name has"):
            newcomers.enter(upcoming(ada), [name], ada, NOON)

    def test_an_event_online_has_none(self, ada: Player) -> None:
        event = upcoming(ada, place=Event.Place.ONLINE)
        with pytest.raises(RefusedError, match="everybody needs an account and a browser"):
            newcomers.enter(event, ["Xan"], ada, NOON)

    def test_house_players_and_walk_ins_exclude_each_other(self, ada: Player) -> None:
        event = upcoming(ada, place=Event.Place.MIXED, room_from=2)
        house_players.add_house_entries(event, ada, 1, NOON)
        with pytest.raises(RefusedError, match="House players play in this event"):
            newcomers.enter(event, ["Xan"], ada, NOON)
        undoing.undo(event.acts.get(), ada, NOON)
        newcomers.enter(event, ["Xan"], ada, NOON)
        with pytest.raises(RefusedError, match="Walk-ins play in this event"):
            house_players.add_house_entries(event, ada, 1, NOON)

    def test_undoing_ends_the_code_and_keeps_the_log(self, ada: Player) -> None:
        event = upcoming(ada)
        newcomers.enter(event, ["Xan"], ada, NOON)
        code = event.walk_ins.get().code
        undoing.undo(event.acts.get(), ada, NOON)
        assert not WalkIn.objects.exists()
        assert Client().get(reverse("walk_in", args=[code])).status_code == 404
        log = logged_in(ada).get(reverse("event_acts", args=[event.pk])).text
        assert "Undid “Entered”: Xan" in log


class TestSeating:
    @pytest.mark.parametrize("room_from", [1, 2, 3])
    def test_a_table_with_a_walk_in_is_in_the_room(self, ada: Player, room_from: int) -> None:
        event, xan = with_xan(ada, place=Event.Place.MIXED, room_from=room_from)
        for match in Pairing.objects.filter(round__event=event):
            expected = match == table_of(xan) or match.number >= room_from
            assert match.in_room == expected
            assert (match.table is None) == expected

    def test_it_is_not_moved_online(self, ada: Player) -> None:
        event, xan = with_xan(ada, place=Event.Place.MIXED, room_from=1)
        table = table_of(xan).number
        with pytest.raises(RefusedError, match="Xan has no account, so Xan plays at tables in"):
            moving_table.move_table(event, ada, 1, table, NOON, in_room=False)
        moving_table.move_table(event, ada, 1, 3 - table, NOON, in_room=False)
        assert Table.objects.count() == 1

    def test_nobody_seats_a_walk_in_online_by_hand(self, ada: Player) -> None:
        event, xan = with_xan(ada, place=Event.Place.MIXED, room_from=3)
        online = Pairing.objects.get(round__event=event, in_room=False)
        there = [line.entry_id for line in online.entries.order_by("side", "position")]
        with pytest.raises(RefusedError, match="Xan has no account"):
            seating_by_hand.seat(online, ada, [xan.pk, *there[1:]], reason="So.", now=NOON)


def test_matches_with_a_walk_in_are_not_rated(ada: Player) -> None:
    event, xan = with_xan(ada, match=Event.Match.DEALS, deals=10)
    for match in Pairing.objects.filter(round__event=event):
        correcting.set_result(match, ada, ruled(0, (10, 5)), reason="", now=NOON)
    event.refresh_from_db()
    rated = {unit.pairing_id for unit in rating_units.units([_as_rated(event)], in_room=True)}
    assert rated == {match.pk for match in event.played_rounds.get(number=1).pairings.all()} - {
        table_of(xan).pk
    }


def _as_rated(event: Event) -> rating_units.RatedEvent:
    return rating_units.RatedEvent(event.pk, NOON, event.starts, event.version, event.club_id)


class TestPages:
    def test_the_director_adds_a_walk_in_and_reads_the_code(self, ada: Player) -> None:
        event, browser = upcoming(ada), logged_in(ada)
        found = browser.get(reverse("find_people", args=[event.pk]), {"q": "xan"}).text
        path = reverse("enter_people", args=[event.pk])
        assert "Nobody is called “xan”" in found
        assert f'href="{path}?name=xan&amp;found=xan"' in found
        seen = browser.get(path, {"name": "Xan"}).context["preview"].digest
        browser.post(path, {"name": "Xan", "seen": seen})
        code = event.walk_ins.get().spaced_code
        assert f"Code of Xan: {code}" in browser.get(reverse("manage_event", args=[event.pk])).text
        assert code in browser.get(reverse("find_people", args=[event.pk]), {"q": "xan"}).text
        assert code in browser.get(reverse("print_walk_in_cards", args=[event.pk])).text

    def test_the_code_says_where_to_go(self, ada: Player) -> None:
        event = upcoming(ada, 8)
        newcomers.enter(event, ["Xan"], ada, NOON)
        path = reverse("walk_in", args=[event.walk_ins.get().code])
        assert "You are in" in Client().get(path).text
        build.begin(event)
        entry = Entry.objects.get(players__player__name="Xan")
        for number in range(2):
            text = Client().get(path).text
            line = entry.pairings.filter(round__over=None).first()
            assert (f"Table {line.pairing.number}" if line else "You sit out") in text
            for match in build.latest(event).pairings.all():
                correcting.set_result(match, ada, ruled(0, (5, 3)), reason="", now=NOON)
            build.step(event, NOON)
            assert event.played_rounds.count() == number + 2

    def test_it_leads_to_the_score_card_and_shows_results_and_messages(self, ada: Player) -> None:
        event, xan = with_xan(ada, place=Event.Place.MIXED, room_from=3)
        path, phone = reverse("walk_in", args=[event.walk_ins.get().code]), Client()
        match = table_of(xan)
        card = reverse("room_table", args=[event.room_tables.get(number=match.number).code])
        text = phone.get(path).text
        assert f'href="{card}"' in text
        assert f'href="{card}#director"' in text
        assert 'id="director"' in phone.get(card).text
        assert "Your results so far" not in text
        message_to_all.post_message(event, ada, "Coffee is ready.", NOON)
        side = xan.pairings.get().side
        score = (3, 5) if side else (5, 3)
        correcting.set_result(match, ada, ruled(side, score), reason="", now=NOON)
        text = phone.get(path).text
        assert "Coffee is ready." in text
        assert "Your results so far" in text
        assert f"Round 1, table {match.number}, with" in text
        assert "<b>You won 5–3</b>" in text
        assert f'href="{card}"' not in text, "its score stands"

    def test_it_is_typed_as_people_type(self, ada: Player) -> None:
        event, _xan = with_xan(ada)
        code = event.walk_ins.get().spaced_code.lower()
        answer = Client().get(reverse("walk_in_code"), {"code": f" {code} "})
        assert "Xan · Thursday euchre" in answer.text
        assert Client().get(reverse("walk_in_code")).status_code == 200

    def test_guesses_are_limited(self, ada: Player) -> None:
        cache.clear()
        event, _xan = with_xan(ada)
        path = reverse("walk_in_code")
        for _try in range(limits.WRONG_CODES_IN_TEN_MINUTES):
            assert Client().get(path, {"code": "22222222"}).status_code == 404
        assert Client().get(path, {"code": "22222222"}).status_code == 429
        code = event.walk_ins.get().code
        assert Client().get(path, {"code": code}).status_code == 200, "nobody guesses a right one"

    def test_the_page_asks_as_often_for_many_as_for_few(
        self, ada: Player, django_assert_max_num_queries: object
    ) -> None:
        event = upcoming(ada, 31)
        newcomers.enter(event, ["Xan"], ada, NOON)
        build.begin(event)
        path = reverse("walk_in", args=[event.walk_ins.get().code])
        with django_assert_max_num_queries(26):  # type: ignore[operator]
            assert Client().get(path).status_code == 200


class TestCodeAndName:
    def test_another_code_ends_the_old_one(self, ada: Player) -> None:
        event, _entry = with_xan(ada)
        walk_in = event.walk_ins.get()
        walk_ins.renew_code(walk_in, ada, reason="Lost.", now=NOON)
        assert Client().get(f"/claim/{walk_in.code}/").status_code == 404
        new = event.walk_ins.get().code
        assert Client().get(f"/claim/{new}/").status_code == 200
        log = logged_in(ada).get(reverse("event_acts", args=[event.pk])).text
        assert "Gave a walk-in a new code: Xan" in log
        assert new not in log

    def test_a_name_is_removed_everywhere(self, ada: Player) -> None:
        event, entry = with_xan(ada)
        message_to_all.post_message(event, ada, "Xan and Xantippe: table 2.", NOON)
        walk_ins.rename(event.walk_ins.get(), "", ada, reason="Xan asked for it.", now=NOON)
        entry = Entry.objects.get(pk=entry.pk)
        assert entry.name == "Walk-in 1"
        assert event.acts.get(kind="message").reason == "Walk-in 1 and Xantippe: table 2."
        for name in ("event", "event_acts", "manage_event", "event_record"):
            text = logged_in(ada).get(reverse(name, args=[event.pk])).text
            assert not re.search(r"\bXan\b", text), name

    def test_the_rows_of_a_round_that_was_taken_back_keep_no_name(self, ada: Player) -> None:
        event, entry = with_xan(ada)
        match = table_of(entry)
        correcting.set_result(match, ada, ruled(0, (5, 3)), reason="", now=NOON)
        correcting.set_result(match, ada, ruled(1, (3, 5)), reason="Xan said so.", now=NOON)
        ScoreLine.objects.create(pairing=match, key="k" * 8, kind="dispute", side=1, said="Xan!")
        drawing_again.take_back(event, ada, 1, reason="So.", override=True, now=NOON)
        taken_back = event.acts.latest("pk")
        walk_ins.renew_code(event.walk_ins.get(), ada, reason="Lost.", now=NOON)
        walk_ins.rename(event.walk_ins.get(), "", ada, reason="Asked.", now=NOON)
        taken_back.refresh_from_db()
        assert "Xan" not in json.dumps(taken_back.kept)
        undoing.undo(taken_back, ada, NOON)
        assert match.corrections.get().reason == "Walk-in 1 said so."
        assert match.score_lines.get().said == "Walk-in 1!"

    @pytest.mark.parametrize("late", [False, True])
    def test_neither_keeps_an_entry_from_being_undone(self, ada: Player, late: bool) -> None:
        event = upcoming(ada)
        if late:
            build.begin(event)
        newcomers.enter(event, ["Xan"], ada, NOON, reason="So.")
        entered = event.acts.latest("pk")
        walk_ins.renew_code(event.walk_ins.get(), ada, reason="Lost.", now=NOON)
        walk_ins.rename(event.walk_ins.get(), "Yul", ada, reason="Misheard.", now=NOON)
        undoing.undo(entered, ada, NOON)
        assert not event.walk_ins.exists()

    def test_a_new_name_must_be_free(self, ada: Player) -> None:
        event, _entry = with_xan(ada)
        walk_in = event.walk_ins.get()
        with pytest.raises(RefusedError, match="is in the event already"):
            walk_ins.rename(walk_in, "1", ada, reason="So.", now=NOON)
        walk_ins.rename(walk_in, "xan", ada, reason="So.", now=NOON)
        assert event.walk_ins.get().player.name == "xan"

    def test_pages(self, ada: Player) -> None:
        event, _entry = with_xan(ada)
        browser, pk = logged_in(ada), event.walk_ins.get().pk
        found = browser.get(reverse("find_people", args=[event.pk]), {"q": "xan"}).text
        for name in ("new_walk_in_code", "change_walk_in_name"):
            assert reverse(name, args=[event.pk, pk]) in found
        path = reverse("change_walk_in_name", args=[event.pk, pk])
        assert 'value="Xan"' in browser.get(path).text
        shown = browser.get(path, {"name": "Xan Po"}).text
        assert "Xan Po" in shown
        said = {"name": "Xan Po", "reason": "So.", "seen": build.seen_in(shown)}
        assert browser.post(path, said).status_code == 303
        assert event.walk_ins.get().player.name == "Xan Po"
        other = build.event(event.club, place=Event.Place.ROOM)
        assert browser.get(reverse("new_walk_in_code", args=[other.pk, pk])).status_code == 404
