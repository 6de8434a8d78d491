"""Codes of single entries: who opens them, what one press does, and what they refuse."""

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from games.models import Player
from tests.factories import logged_in, member
from tests.tournaments import build
from tests.tournaments.joining.test_here import entered, opened
from tournaments.attendance import newcomers
from tournaments.entering import check_in_codes
from tournaments.models import Club, Entry, Event

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
    def test_it_leads_to_the_row_where_one_press_checks_in(self, club: Club, ada: Player) -> None:
        event = in_room(club)
        entered(event)
        entry, browser = event.entries.get(), logged_in(ada)
        answer = browser.get(path_of(event), follow=True)
        (where, _status), *_ = answer.redirect_chain
        assert where == f"{reverse('door', args=[event.pk])}?at={entry.pk}#guest-{entry.pk}"
        assert re.search(rf'id="guest-{entry.pk}" aria-current="true"', answer.text)
        assert 'Check in<span class="unseen">: Maeve' in answer.text
        entry.refresh_from_db()
        assert entry.state == Entry.State.ENTERED, "looking changes nothing"

    def test_only_directors_of_the_event_learn_whose_it_is(self, club: Club) -> None:
        event = in_room(club)
        maeve = entered(event)
        stranger = build.director(build.club("The Dog"), "Olga")
        for browser in (Client(), logged_in(maeve), logged_in(stranger)):
            answer = browser.get(path_of(event))
            assert answer.status_code == 403
            assert "Only a director of this event" in answer.text
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
