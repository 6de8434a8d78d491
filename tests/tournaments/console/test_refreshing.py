"""An open console: it is sent what has changed, and nothing else."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from types import SimpleNamespace

import pytest
from django.test import Client
from django.urls import reverse

from games.models import Player, Seat
from tests.factories import logged_in
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON
from tests.tournaments.console.first_round import running
from tests.tournaments.room_scores import cards_of
from tournaments.acts import correcting, round_clock
from tournaments.console import manage_page, views
from tournaments.entering import leaving_running_event
from tournaments.events import director_calls
from tournaments.models import Event
from tournaments.room_scores import cards

pytestmark = pytest.mark.django_db

STAMPED = re.compile(r' id="([^"]+)"\s+data-stamp="([^"]+)"')
SENT = re.compile(
    r'<hx-partial hx-target="#([^"]+)" hx-swap="outerMorph">(.*?)</hx-partial>', re.DOTALL
)

#: How far a table is, within its line.
AT = re.compile(r'<p id="(at-\d+)".*?</p>', re.DOTALL)


class Console:
    """An open console: what it shows, and the stamps of that."""

    def __init__(self, browser: Client, event: Event) -> None:
        self.browser = browser
        self.path = reverse("manage_event", args=[event.pk])
        self.page = browser.get(self.path).text
        self.have = dict(STAMPED.findall(self.page))

    def ask(self, **more: str) -> dict[str, str]:
        """Ask what has changed; the parts by id."""
        have = ",".join(f"{key}:{stamp}" for key, stamp in self.have.items())
        answer = self.browser.get(self.path, {"have": have, **more}, headers={"HX-Request": "true"})
        assert answer.status_code == (200 if answer.content else 204)
        parts = dict(SENT.findall(answer.text))
        assert parts or not answer.content
        self.have |= dict(STAMPED.findall(answer.text))
        return parts


@pytest.fixture
def moment(monkeypatch: pytest.MonkeyPatch) -> list[datetime]:
    """The time of the views: noon until its only item is another one."""
    now = [NOON]
    monkeypatch.setattr(views, "timezone", SimpleNamespace(now=lambda: now[0]))
    return now


@pytest.fixture(params=[1, 20], ids=["a line each", "a block each"])
def many(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three tables are many, or few."""
    monkeypatch.setattr(manage_page, "MANY", request.param)


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two tables are many."""
    monkeypatch.setattr(manage_page, "MANY", 1)


def in_room(ada: Player, entries: int = 12, **fields: object) -> Event:
    return cards_of.drawn(ada.memberships.get().club, entries, **fields)


@pytest.mark.usefixtures("moment", "many")
class TestChanges:
    def test_nothing_is_sent_while_nothing_changes(self, ada: Player) -> None:
        console = Console(logged_in(ada), in_room(ada))
        assert console.ask() == {}

    def test_nothing_is_sent_while_the_clock_runs(
        self, ada: Player, moment: list[datetime]
    ) -> None:
        event = in_room(ada, round_minutes=20)
        console = Console(logged_in(ada), event)
        moment[0] = NOON + 5 * MINUTE
        assert console.ask() == {}

    def test_only_the_table_that_has_changed_is_sent(self, ada: Player) -> None:
        event = in_room(ada)
        console = Console(logged_in(ada), event)
        cards_of.hand(event, 1, 0, at=2)
        (key,) = console.ask()
        assert key in ("at-2", "table-2")
        assert console.ask() == {}

    def test_a_new_round_is_sent_whole(self, ada: Player) -> None:
        event = in_room(ada)
        console = Console(logged_in(ada), event)
        for match in build.latest(event).pairings.all():
            correcting.set_result(match, ada, build.ruled(0, (2, 1)), reason="", now=NOON)
        build.step(event, NOON)
        build.step(Event.objects.get(pk=event.pk), NOON + 5 * MINUTE)
        have = ",".join(f"{key}:{stamp}" for key, stamp in console.have.items())
        page = console.browser.get(
            console.path, {"have": have}, headers={"HX-Request": "true"}
        ).text
        assert "hx-partial" not in page
        assert "Tables of round 2" in page

    def test_what_was_sent_says_what_a_fresh_page_says(self, ada: Player) -> None:
        """Whatever happens: hands, signatures, more time, people who leave, a new name."""
        event = in_room(ada, deals=2)
        browser = logged_in(ada)
        console = Console(browser, event)
        structure = {"now": console.have["now"]}
        console.have = dict(structure)
        kept = console.ask()
        somebody = event.entries.order_by("pk")[3]
        happened: list[Callable[[], object]] = [
            lambda: cards_of.hand(event, 1, 0, at=1),
            lambda: cards_of.hand(event, 1, 1, cards.FEW, at=3),
            lambda: cards_of.hand(event, 2, 0, at=1),
            lambda: cards_of.sign(event, (2, 0), at=1),
            lambda: cards_of.dispute(event, at=1),
            lambda: cards_of.hand(event, 1, 0, cards.MARCH, at=2),
            lambda: cards_of.hand(event, 2, 0, cards.MARCH, at=2),
            lambda: cards_of.sign(event, (4, 0), at=2),
            lambda: cards_of.sign(event, (4, 0), at=2, side=1),
            lambda: Player.objects.filter(pk=somebody.players.get().player_id).update(name="Zoe"),
            lambda: leaving_running_event.withdraw(somebody, ada, NOON, reason="Ill."),
            lambda: director_calls.call(cards_of.match_of(event, 3), None, NOON),
            lambda: round_clock.pause(event, ada, NOON),
        ]
        for one in happened:
            one()
            kept |= console.ask()
            again = Console(browser, event)
            again.have = dict(structure)
            fresh = again.ask()
            for key, html in kept.items():
                if key.startswith("table-"):  # how far it is may have been sent since, alone
                    kept[key] = AT.sub(partial(_latest, kept), html)
            assert {key: kept[key] for key in fresh} == fresh


@pytest.mark.usefixtures("moment", "lines")
class TestOnline:
    def test_who_comes(self, ada: Player) -> None:
        event = build.event(ada.memberships.get().club)
        build.enter(event, 8)
        build.begin(event)
        console = Console(logged_in(ada), event)
        one = build.latest(event).pairings.get(number=1)
        Seat.objects.filter(table=one.table).update(last_seen=NOON.replace(year=2100))
        assert list(console.ask()) == ["at-1"]

    def test_a_score_and_a_result(self, ada: Player) -> None:
        event = running(ada)
        console = Console(logged_in(ada), event)
        one, two = build.latest(event).pairings.order_by("number")
        build.win(two, 0, (4, 0))
        assert "<b>4</b>" in console.ask()["at-2"]
        correcting.set_result(one, ada, build.ruled(1, (3, 5)), reason="So it was.", now=NOON)
        assert 'data-won="1"' in console.ask()["at-1"]


@pytest.mark.usefixtures("moment")
class TestOpen:
    def test_acts_are_read_for_the_open_table_alone(self, ada: Player, many: None) -> None:
        event = in_room(ada)
        page = logged_in(ada).get(reverse("manage_event", args=[event.pk]), {"open": "2"}).text
        acts = page[page.index('id="table-2"') : page.index('id="table-3"')]
        assert "Penalty" in acts
        assert page.count('class="actrow"') == 1

    def test_a_table_with_a_field_is_told_of_a_change(self, ada: Player, many: None) -> None:
        event = in_room(ada)
        console = Console(logged_in(ada), event)
        del console.have["table-2"]
        assert "Penalty" in console.ask(open="2")["table-2"]
        cards_of.hand(event, 1, 0, at=2)
        parts = console.ask(open="2", busy="2")
        assert "table-2" not in parts
        assert "Changed meanwhile: 1–0. <a" in parts["meanwhile-2"]

    def test_a_table_without_a_field_is_sent_open(self, ada: Player, many: None) -> None:
        event = in_room(ada)
        console = Console(logged_in(ada), event)
        del console.have["table-2"]
        console.ask(open="2")
        cards_of.hand(event, 1, 0, at=2)
        assert "Penalty" in console.ask(open="2")["table-2"]

    def test_opening_one_closes_the_other(self, ada: Player, many: None) -> None:
        event = in_room(ada)
        console = Console(logged_in(ada), event)
        del console.have["table-1"]
        console.ask(open="1")
        del console.have["table-1"], console.have["table-2"]
        parts = console.ask(open="2")
        assert "Penalty" not in parts["table-1"]
        assert "Penalty" in parts["table-2"]


@pytest.mark.usefixtures("moment", "many")
class TestWanted:
    def test_tables_in_trouble_are_on_top_worst_first(
        self, ada: Player, moment: list[datetime]
    ) -> None:
        event = in_room(ada)
        for at in (1, 3):
            cards_of.hand(event, 1, 0, at=at)
            cards_of.hand(event, 2, 0, at=at)
            cards_of.sign(event, (2, 0), at=at)
        cards_of.dispute(event, at=3)
        console = Console(logged_in(ada), event)
        assert _wanted(console.page) == ["Table 3: disputed"]
        moment[0] = NOON + timedelta(minutes=2)
        assert _wanted(console.ask()["console-wants"]) == [
            "Table 3: disputed",
            "Table 1: waits for E–W",
        ]


def _latest(kept: dict[str, str], part: re.Match[str]) -> str:
    return kept.get(part[1], part[0])


def _wanted(page: str) -> list[str]:
    return re.findall(r"</svg>(Table \d+: [^<]+)</a>", page)
