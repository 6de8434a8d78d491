"""Codes of single entries: who opens them, what one press does, and what they refuse."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from games.models import Player
from tests.factories import logged_in, member
from tests.tournaments import build
from tests.tournaments.build import MINUTE
from tests.tournaments.joining.test_here import entered, opened
from tournaments.acts import log, undoing, withdrawing
from tournaments.attendance import newcomers
from tournaments.entering import check_in_codes
from tournaments.models import Act, Club, Entry, Event

pytestmark = pytest.mark.django_db


def path_of(event: Event) -> str:
    return reverse("check_in_by_code", args=[check_in_codes.code_of(event.entries.get())])


def in_room(club: Club, **fields: Any) -> Event:
    event = opened(club)
    Event.objects.filter(pk=event.pk).update(place=Event.Place.ROOM, **fields)
    event.refresh_from_db()
    return event


class TestOwnCard:
    def test_whoever_has_entered_finds_it_on_the_events_page(self, club: Club) -> None:
        event = in_room(club)
        browser = logged_in(entered(event))
        card = reverse("check_in_card", args=[event.pk])
        assert card in browser.get(reverse("event", args=[event.pk])).text
        shown = browser.get(card)
        assert shown.context["address"].endswith(path_of(event))
        assert 'aria-label="QR code of the link"' in shown.text
        event.entries.update(state=Entry.State.CHECKED_IN)
        after = browser.get(card).text
        assert "You are checked in" in after
        assert "QR code" not in after

    def test_an_event_online_does_not_offer_it(self, club: Club) -> None:
        event = opened(club)
        browser = logged_in(entered(event))
        card = reverse("check_in_card", args=[event.pk])
        assert card not in browser.get(reverse("event", args=[event.pk])).text

    def test_others_have_none(self, club: Club) -> None:
        event = in_room(club)
        card = reverse("check_in_card", args=[event.pk])
        assert Client().get(card).status_code == 403
        answer = logged_in(member("Nils")).get(card)
        assert answer.status_code == 409
        assert "Nils has not entered this event" in answer.text

    def test_walk_ins_have_it_on_their_page(self, club: Club, ada: Player) -> None:
        event = in_room(club, check_in_minutes=5)
        newcomers.enter(event, ["Xander"], ada, timezone.now())
        page = reverse("walk_in", args=[event.walk_ins.get().code])
        assert Client().get(page).context["address"].endswith(path_of(event))
        assert f'href="{path_of(event)}"' in logged_in(ada).get(page).text
        event.entries.update(state=Entry.State.CHECKED_IN)
        after = Client().get(page)
        assert "address" not in after.context
        assert "You are checked in" in after.text


class TestScanning:
    def test_one_press_after_the_name_checks_in(self, club: Club, ada: Player) -> None:
        event = in_room(club)
        entered(event)
        browser = logged_in(ada)
        shown = browser.get(path_of(event)).text
        assert "Check in Maeve" in shown
        assert event.entries.get().state == Entry.State.ENTERED, "looking changes nothing"
        assert browser.post(path_of(event)).status_code == 303
        assert event.entries.get().state == Entry.State.CHECKED_IN
        after = browser.get(path_of(event)).text
        assert "Maeve: checked in." in after
        assert reverse("undo_act", args=[event.pk, event.acts.get().pk]) in after
        (line,) = log.lines_of(event, event.acts.all())
        assert (line.what, line.on) == ("Checked in", "Maeve")
        undoing.undo(line.row, ada, timezone.now())
        assert event.entries.get().state == Entry.State.ENTERED

    def test_a_second_press_changes_nothing(self, club: Club, ada: Player) -> None:
        event = in_room(club)
        entered(event)
        browser = logged_in(ada)
        assert [browser.post(path_of(event)).status_code for _press in range(2)] == [303, 303]
        assert event.acts.filter(kind=Act.Kind.CHECK_IN).count() == 1

    def test_on_the_waiting_list_it_says_so(self, club: Club, ada: Player) -> None:
        event = in_room(club)
        entered(event)
        event.entries.update(state=Entry.State.WAITING)
        browser = logged_in(ada)
        assert "on the waiting list" in browser.get(path_of(event)).text
        browser.post(path_of(event))
        assert event.entries.get().here

    def test_both_partners_are_named_and_checked_in(self, club: Club, ada: Player) -> None:
        event = in_room(club, format="swiss")
        build.let_in(event, [member("Maeve"), member("Ben")])
        assert "Are these two in front of you?" in logged_in(ada).get(path_of(event)).text

    def test_only_directors_of_the_event_learn_whose_it_is(self, club: Club) -> None:
        event = in_room(club)
        maeve = entered(event)
        stranger = build.director(build.club("The Dog"), "Olga")
        for browser in (Client(), logged_in(maeve), logged_in(stranger)):
            for answer in (browser.get(path_of(event)), browser.post(path_of(event))):
                assert answer.status_code == 403
                assert "Only a director of this event" in answer.text
                assert '<h1 id="check-in-heading">For the directors</h1>' in answer.text
        assert "Maeve" not in Client().get(path_of(event)).text
        assert event.entries.get().state == Entry.State.ENTERED

    @pytest.mark.parametrize("change", ["{}x", "x{}", "1", "1.{}", "{}.{}"])
    def test_nobody_makes_up_a_code(self, club: Club, ada: Player, change: str) -> None:
        event = in_room(club)
        entered(event)
        code = change.replace("{}", check_in_codes.code_of(event.entries.get()))
        answer = logged_in(ada).get(reverse("check_in_by_code", args=[code]))
        assert answer.status_code == 404
        assert "Nobody has this code" in answer.text

    @pytest.mark.parametrize(
        ("fields", "words"),
        [
            ({"check_in_minutes": 5}, "Check-in for this event opens on"),
            ({"check_in_minutes": 0}, "This event has no check-in"),
            ({"state": Event.State.RUNNING, "started": timezone.now()}, "has started, so check-in"),
            ({"state": Event.State.CANCELLED, "ended": timezone.now()}, "This event is cancelled"),
            ({"state": Event.State.FINISHED, "ended": timezone.now()}, "This event is over"),
        ],
    )
    def test_a_code_of_another_event_says_which_and_why_not(
        self, club: Club, ada: Player, fields: dict[str, Any], words: str
    ) -> None:
        event = in_room(club, **fields)
        entered(event)
        shown = logged_in(ada).get(path_of(event)).text
        assert words in shown
        assert event.name in shown
        assert "Check in Maeve" not in shown
        assert logged_in(ada).post(path_of(event)).status_code == 409
        assert event.entries.get().state == Entry.State.ENTERED

    def test_whoever_has_left_is_refused(self, club: Club, ada: Player) -> None:
        event = in_room(club)
        entered(event)
        path = path_of(event)
        withdrawing.withdraw(event.entries.get(), ada, timezone.now() - MINUTE, reason="Ill.")
        shown = logged_in(ada).get(path)
        assert "Maeve cannot be checked in; the entry is withdrawn." in shown.text
        assert logged_in(ada).post(path).status_code == 409


@pytest.mark.django_db(transaction=True)
def test_two_directors_scan_at_once(club: Club, ada: Player) -> None:
    olga = build.director(club, "Olga")
    event = in_room(club)
    entered(event)
    path, browsers = path_of(event), [logged_in(ada), logged_in(olga)]

    def scan(browser: Client) -> int:
        try:
            return browser.post(path).status_code
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(scan, browsers)) == [303, 303]
    assert event.acts.count() == 1
    assert event.entries.get().state == Entry.State.CHECKED_IN
