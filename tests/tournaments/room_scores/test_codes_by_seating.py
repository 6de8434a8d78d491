"""A table's code is for the people who sit there: others who sit down get another one."""

from __future__ import annotations

import re
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from games.models import Player, User
from tests.factories import logged_in, member
from tests.tournaments import build
from tests.tournaments.build import NOON, ruled
from tests.tournaments.room_scores.cards_of import drawn, match_of, player_at, table_of
from tournaments.acts import correcting, drawing_again, moving_table, seating_by_hand, undoing
from tournaments.attendance import claiming, newcomers, substitutes
from tournaments.models import Club, Event, RetiredCode, RoomTable
from tournaments.room_scores import codes

pytestmark = pytest.mark.django_db


def next_round(event: Event, by: Player) -> None:
    for match in build.latest(event).pairings.all():
        correcting.set_result(match, by, ruled(0, (2, 0)), reason="", now=NOON)
    build.step(event, NOON)


def known(event: Event) -> dict[int, str]:
    return dict(event.room_tables.values_list("number", "code"))


def seated(event: Event) -> dict[int, set[int]]:
    lines = build.latest(event).pairings.values_list("number", "entries__entry__players__player")
    found: dict[int, set[int]] = {}
    for number, player in lines:
        found.setdefault(number, set()).add(player)
    return found


class TestOthers:
    def test_who_sits_down_first_has_the_code_that_was_printed(self, club: Club) -> None:
        event = build.event(club, place=Event.Place.ROOM, format="progressive", rounds=2)
        printed = codes.codes_of(event, [1, 2])
        build.enter(event, 8)
        build.begin(event)
        assert known(event) == printed

    def test_with_each_draw_a_table_with_other_people_has_another(
        self, club: Club, ada: Player
    ) -> None:
        event = drawn(club, 16, rounds=3)
        for _round in range(2):
            before, sat = known(event), seated(event)
            next_round(event, ada)
            after, sit = known(event), seated(event)
            assert any(sat[number] != sit[number] for number in sat)
            for number, code in before.items():
                assert (after[number] == code) is (sat[number] == sit[number])
                if after[number] != code:
                    assert Client().get(f"/t/{code}/").status_code == 410
                    assert Client().post(f"/t/{code}/write").status_code == 410
                    assert Client().post(f"/t/{code}/director").status_code == 410

    def test_the_same_people_keep_theirs(self, club: Club, ada: Player) -> None:
        event = drawn(club, 4, format="progressive", rounds=2)
        before = known(event)
        next_round(event, ada)
        assert known(event) == before

    def test_who_is_seated_by_hand(self, club: Club, ada: Player) -> None:
        event = drawn(club, 8, format="progressive")
        before = known(event)
        lines = match_of(event, 1).entries.order_by("side", "position")
        comes = match_of(event, 2).entries.all()[0].entry_id
        wanted = [comes, *lines.values_list("entry", flat=True)[1:]]
        seating_by_hand.seat(match_of(event), ada, wanted, reason="So.", now=NOON)
        assert not set(before.values()) & set(known(event).values())

    def test_a_substitute_and_back(self, club: Club, ada: Player) -> None:
        event, rosa = drawn(club, 8, format="progressive"), member("Rosa")
        build.joined(club, rosa)
        before = known(event)
        seat = match_of(event, 1).entries.all()[0].entry.players.get()
        substitutes.substitute(seat, rosa, ada, NOON, reason="Ill.")
        during = known(event)
        assert during[1] != before[1]
        assert during[2] == before[2]
        undoing.undo(event.acts.latest("pk"), ada, NOON)
        assert known(event)[1] not in (before[1], during[1]), "Rosa knows that one"

    def test_a_round_that_is_drawn_again_or_put_back(self, club: Club, ada: Player) -> None:
        event = drawn(club, 12, format="progressive")
        before, sat = known(event), seated(event)
        drawing_again.take_back(event, ada, 1, reason="So.", override=False, now=NOON)
        event.refresh_from_db()
        undoing.undo(event.acts.latest("pk"), ada, NOON)
        assert (known(event), seated(event)) == (before, sat), "the same people"
        RoomTable.objects.filter(event=event, number=1).update(seated="others meanwhile")
        drawing_again.take_back(event, ada, 1, reason="So.", override=False, now=NOON)
        undoing.undo(event.acts.latest("pk"), ada, NOON)
        assert known(event)[1] != before[1]
        assert known(event)[2] == before[2]

    def test_a_table_that_comes_to_the_room_later(self, club: Club, ada: Player) -> None:
        event = drawn(club, 8, place=Event.Place.ONLINE, format="progressive", rounds=3)
        moving_table.move_table(event, ada, 1, 1, NOON, in_room=True)
        first = table_of(event).code
        Event.objects.filter(pk=event.pk).update(place=Event.Place.ROOM)
        moving_table.move_table(event, ada, 1, 2, NOON, in_room=True)
        next_round(event, ada)
        assert known(event)[1] != first

    def test_a_claim_changes_nobody(self, club: Club, ada: Player) -> None:
        event = build.event(club, place=Event.Place.ROOM, format="progressive", rounds=2)
        build.enter(event, 3)
        newcomers.enter(event, ["Xan"], ada, NOON)
        build.begin(event)
        before = known(event)
        claiming.claim(event.walk_ins.get(), member("Otto"), NOON)
        assert codes.codes_of(event, [1]) == before

    def test_cards_that_are_printed_while_a_round_is_drawn_renew_no_code(
        self, club: Club, ada: Player, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        event = drawn(club, 16, rounds=3)
        drawn_codes: dict[int, str] = {}
        seated_before = codes._seated

        def slowly(of: Event, numbers: Collection[int]) -> dict[int, str]:
            """Return who sits there, and let the next round be drawn before that is used."""
            people = seated_before(of, numbers)
            monkeypatch.undo()
            next_round(event, ada)
            drawn_codes.update(known(event))
            return people

        monkeypatch.setattr(codes, "_seated", slowly)
        assert codes.codes_of(event, [1, 2, 3, 4]) == drawn_codes
        assert known(event) == drawn_codes

    @pytest.mark.django_db(transaction=True)
    @pytest.mark.db
    def test_sixty_who_ask_at_once_are_given_the_same_new_code(self) -> None:
        event = drawn(build.club(), 4)
        before = table_of(event).code
        event.room_tables.update(seated="others")

        def ask(_time: int) -> str:
            try:
                return codes.codes_of(event, [1])[1]
            finally:
                connection.close()

        with ThreadPoolExecutor(8) as threads:
            found = set(threads.map(ask, range(60)))
        assert len(found) == 1
        assert found != {before}
        assert RetiredCode.objects.get().code == before


class TestTheWay:
    """Whoever sits at a table finds its card, and can let the others in."""

    def test_an_old_code_leads_a_player_to_their_table(self, club: Club, ada: Player) -> None:
        event = drawn(club, 16)
        old = table_of(event, 1).code
        next_round(event, ada)
        for number in (1, 2):
            mine = logged_in(player_at(event, 0, number)).get(f"/t/{old}/")
            assert f'href="/t/{table_of(event, number).code}/"' in mine.text
            assert f"The card of your table, {number}" in mine.text
        other = Client().get(f"/t/{old}/").text
        assert reverse("event", args=[event.pk]) in other
        assert "/t/" not in re.sub(r"/t/worker.js", "", other.split("<main")[1])

    def test_the_event_page_leads_there_and_the_card_shows_its_code(
        self, club: Club, ada: Player
    ) -> None:
        event = drawn(club, 16)
        next_round(event, ada)
        code = table_of(event, 1).code
        page = logged_in(player_at(event, 1)).get(reverse("event", args=[event.pk])).text
        assert f"/t/{code}/" in page
        card = Client().get(f"/t/{code}/").text
        assert codes.in_groups(code) in card
        assert "<svg" in card[card.index("Show the code to the others") :]

    def test_score_cards_of_the_round_bear_it(self, club: Club, ada: Player) -> None:
        event = drawn(club, 16)
        next_round(event, ada)
        sheet = logged_in(ada).get(reverse("print_score_cards", args=[event.pk])).text
        for code in known(event).values():
            assert codes.in_groups(code) in sheet

    def test_two_browsers_that_know_an_earlier_code_decide_nothing(
        self, club: Club, ada: Player
    ) -> None:
        event = drawn(club, 16, deals=1, rounds=2)
        old = table_of(event).code
        next_round(event, ada)
        for side, kind, more in (
            (0, "hand", {"number": 1, "caller": 0, "took": "made"}),
            (0, "sign", {"scores": "1-0"}),
            (1, "sign", {"scores": "1-0"}),
        ):
            line = {"key": f"key-of-{side}-{kind}", "kind": kind, "round": 2, "side": side, **more}
            assert Client().post(f"/t/{old}/write", line).status_code == 410
        assert match_of(event).state == "playing"

    def test_phones_that_were_at_other_tables_do_not_sign_for_both(self, club: Club) -> None:
        event = drawn(club, 8, deals=1)
        player = player_at(event, 0)
        player.user = User.objects.create_user("maeve@example.org")
        player.save()
        phones = Client(), Client()
        for phone in phones:
            assert phone.get(f"/t/{table_of(event, 2).code}/").status_code == 200
        path, line = f"/t/{table_of(event, 1).code}/", {"round": 1}

        def write(phone: Client, **fields: Any) -> int:
            return phone.post(f"{path}write", {**line, **fields}).status_code

        made = {"number": 1, "caller": 0, "took": "made"}
        signed = {"kind": "sign", "scores": "1-0"}
        assert write(phones[0], kind="hand", side=0, key="k" * 8, **made) == 303
        assert write(phones[0], side=0, key="s" * 8, **signed) == 303
        assert write(phones[1], side=1, key="t" * 8, **signed) == 403
        assert write(Client(), side=1, key="u" * 8, **signed) == 303, "it is at this table only"


def test_a_phone_writes_only_what_phones_write(club: Club) -> None:
    event = drawn(club)
    path = f"/t/{table_of(event).code}/write"
    for kind in ("penalty", "lift", "steal"):
        answer = Client().post(path, {"key": "k" * 8, "kind": kind, "round": 1, "side": 0})
        assert answer.status_code == 422
        assert "Kinds are hand, game, take_back, sign, dispute, clear." in answer.text
