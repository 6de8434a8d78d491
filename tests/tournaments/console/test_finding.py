"""Find somebody: by a name, a table's number or a card's code, and back after what was done."""

from types import SimpleNamespace
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from games.models import Player
from tests.factories import logged_in, member
from tests.tournaments import build
from tests.tournaments.build import NOON, acted_by_form
from tournaments.acts import page
from tournaments.attendance import claiming, newcomers, walk_ins
from tournaments.console import finding, people_views, views
from tournaments.models import Entry, Event
from tournaments.templatetags.acts import marked

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _noon(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (page, people_views, views):
        monkeypatch.setattr(module, "timezone", SimpleNamespace(now=lambda: NOON))


@pytest.fixture
def browser(ada: Player) -> Client:
    """Ada's browser."""
    return logged_in(ada)


def evening(ada: Player, **fields: Any) -> Event:
    """An event in the room with seven players and Xan, a walk-in, in its first round."""
    values = {"rounds": 3, "place": Event.Place.ROOM, "format": "progressive", **fields}
    event = build.event(ada.memberships.get().club, **values)
    build.enter(event, 7)
    newcomers.enter(event, ["Xan"], ada, NOON)
    build.begin(event)
    return event


def find(event: Event, text: str) -> finding.Found:
    found = finding.find(event, text)
    assert found is not None
    return found


def page_of(event: Event) -> str:
    return reverse("find_people", args=[event.pk])


class TestWhoIsFound:
    def test_those_of_the_event_come_first_and_by_name(self, ada: Player, browser: Client) -> None:
        club = ada.memberships.get().club
        event = build.event(club, place=Event.Place.ROOM)
        people = [member(name) for name in ("Anton", "Ämilia", "Andor", "Antje")]
        for one in people:
            build.joined(club, one)
        build.let_in(event, people[:3])
        found = find(event, "an")
        assert [one.name for one in found.entries] == ["Andor", "Anton"]
        assert [one.name for one in found.members] == ["Antje"]
        text = browser.get(page_of(event), {"q": "an"}).text.replace("<mark>An</mark>", "An")
        places = [text.index(f"<b>{name}</b>") for name in ("Andor", "Anton", "Antje", "A walk-in")]
        assert places == sorted(places)

    def test_a_house_player_who_fills_a_table_is_found(self, ada: Player, browser: Client) -> None:
        event = build.event(
            ada.memberships.get().club, format="rotation", capacity=5, sit_out=Event.SitOut.HOUSE
        )
        build.enter(event, 5)
        build.begin(event)
        filler = event.entries.filter(house=True, arrival=None)[0]
        text = browser.get(page_of(event), {"q": filler.name}).text
        assert reverse("withdraw_entry", args=[event.pk, filler.pk]) in text

    @pytest.mark.parametrize("typed", ["2", " 2", "table 2", "Table 2", "02"])
    def test_a_number_is_a_table_of_the_latest_round(self, ada: Player, typed: str) -> None:
        found = find(evening(ada), typed)
        assert found.table is not None
        assert found.table.number == 2
        assert [*found.entries, *found.members] == []

    def test_the_table_is_opened_on_the_console(self, ada: Player, browser: Client) -> None:
        event = evening(ada, round_minutes=20)
        text = browser.get(page_of(event), {"q": "2"}).text
        assert f'href="{reverse("manage_event", args=[event.pk])}?open=2#table-2"' in text
        assert "as a walk-in" not in text

    def test_a_number_that_no_table_has_is_said(self, ada: Player, browser: Client) -> None:
        event = evening(ada)
        text = browser.get(page_of(event), {"q": "9"}).text
        assert "Round 1 has no table 9." in text
        assert "as a walk-in" not in text
        Event.objects.update(state=Event.State.CANCELLED)
        upcoming = build.event(ada.memberships.get().club)
        assert "No round has been drawn yet" in browser.get(page_of(upcoming), {"q": "1"}).text

    def test_the_code_of_a_card_leads_to_the_walk_in(self, ada: Player, browser: Client) -> None:
        event = evening(ada)
        walk_in = event.walk_ins.get()
        for typed in (walk_in.code, walk_in.code.lower(), walk_in.spaced_code):
            (found,) = find(event, typed).entries
            assert found.name == "Xan"
        text = browser.get(page_of(event), {"q": walk_in.spaced_code}).text
        assert "<b>Xan</b>" in text
        assert walk_in.spaced_code in text
        assert "as a walk-in" not in text

    def test_once_claimed_it_leads_to_who_has_the_results(self, ada: Player) -> None:
        event, otto = evening(ada), member("Otto")
        walk_in = event.walk_ins.get()
        claiming.claim(walk_in, otto, NOON)
        assert [one.name for one in find(event, walk_in.code).entries] == ["Otto"]

    def test_the_code_of_a_tables_card_leads_to_the_table(self, ada: Player) -> None:
        event = evening(ada)
        found = find(event, event.room_tables.get(number=2).code)
        assert found.table is not None
        assert found.table.number == 2

    def test_codes_of_other_events_and_old_ones_find_nobody(
        self, ada: Player, browser: Client
    ) -> None:
        event = evening(ada)
        old = event.walk_ins.get().code
        walk_ins.renew_code(event.walk_ins.get(), ada, reason="Lost.", now=NOON)
        other = build.event(ada.memberships.get().club, name="Friday", place=Event.Place.ROOM)
        table = event.room_tables.get(number=1).code
        for night, code in ((event, old), (other, event.walk_ins.get().code), (other, table)):
            assert find(night, code).nothing
            assert "Nobody is called" in browser.get(page_of(night), {"q": code}).text

    def test_a_substitute_is_sought_by_name_only(self, ada: Player, browser: Client) -> None:
        event = evening(ada)
        seat = event.entered_players.order_by("pk")[0]
        text = browser.get(page_of(event), {"q": "2", "seat": str(seat.pk)}).text
        assert "?open=2" not in text


class TestBackToWhoWasFound:
    def test_what_was_done_is_said_there_with_its_undo(self, ada: Player, browser: Client) -> None:
        event = evening(ada)
        entry = event.entries.get(players__player__name="Xan")
        out = reverse("withdraw_entry", args=[event.pk, entry.pk])
        assert f'href="{out}?found=xan"' in browser.get(page_of(event), {"q": "xan"}).text
        answer = acted_by_form(browser, f"{out}?found=xan", reason="Ill.")
        seat = entry.players.get()
        assert answer["Location"] == f"{page_of(event)}?seat={seat.pk}", (
            "who sits in is asked first"
        )
        leads = f"{page_of(event)}?q=xan"
        back = f"{reverse('put_back_entry', args=[event.pk, entry.pk])}?found=xan"
        assert acted_by_form(browser, back)["Location"] == leads
        undo = reverse("undo_act", args=[event.pk, event.acts.latest("pk").pk])
        page = browser.get(leads).text
        assert f'Xan: back in the event. <a href="{undo}?found=xan">Undo</a>' in page
        asked = browser.get(f"{undo}?found=xan")
        answer = browser.post(f"{undo}?found=xan", {"seen": asked.context["preview"].digest})
        assert answer["Location"] == leads
        entry.refresh_from_db()
        assert entry.state == Entry.State.WITHDRAWN

    def test_who_is_entered_is_found_in_the_event(self, ada: Player, browser: Client) -> None:
        event = evening(ada)
        path = reverse("enter_people", args=[event.pk])
        fields = {"name": "Yan & <Co>", "found": "Yan & <Co>"}
        shown = browser.get(path, fields)
        seen = shown.context["preview"].digest
        answer = browser.post(path, {**fields, "seen": seen})
        assert answer["Location"] == f"{page_of(event)}?q=Yan+%26+%3CCo%3E"
        text = browser.get(answer["Location"]).text
        assert "Yan &amp; &lt;Co&gt;: in the event. <a" in text
        assert "<Co>" not in text

    def test_without_a_search_it_leads_to_the_console(self, ada: Player, browser: Client) -> None:
        event = evening(ada, round_minutes=20)
        five = reverse("five_minutes", args=[event.pk, 1, 2])
        console = f"{reverse('manage_event', args=[event.pk])}?round=1"
        assert browser.post(five, {"had": "0"})["Location"] == console
        assert ">Undo</a>" in browser.get(console).text


@pytest.mark.parametrize(
    ("name", "searched", "shown"),
    [
        ("Ana Mann", "an", "<mark>An</mark>a Mann"),
        ("Ana Mann", "mann an", "<mark>An</mark>a <mark>Mann</mark>"),
        ("Zoë Strauß", "zoe strauss", "<mark>Zoë</mark> <mark>Strauß</mark>"),
        ("Ærø", "ae", "<mark>Æ</mark>rø"),
        ("Émile & <b>", "em", "<mark>Ém</mark>ile &amp; &lt;b&gt;"),
        ("O’Hara", "ha", "O’Hara"),
        ("Xan", "a", "Xan"),
    ],
)
def test_names_are_marked_as_they_are_found(name: str, searched: str, shown: str) -> None:
    assert marked(name, searched) == shown
