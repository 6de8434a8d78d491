"""What the pages tell about entering, the verbs by plain forms, and the list of events."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tests.factories import logged_in, member, player
from tests.tournaments import build
from tournaments.entering import entering, partners
from tournaments.models import Club, Entry, Event

pytestmark = pytest.mark.django_db

State = Event.State


def upcoming(of: Club | None = None, **fields: Any) -> Event:
    """An event with registration open that starts in a day."""
    now = timezone.now()
    times = {
        "registration_opens": now - timedelta(days=1),
        "registration_closes": now + timedelta(days=1),
        "starts": now + timedelta(days=1),
    }
    return build.event(of, **{**times, **fields})


def page(browser: Client, event: Event) -> str:
    """The part of an event's page about entering, as text with single spaces."""
    response: Any = browser.get(f"/events/{event.pk}/")
    assert response.status_code == 200
    text = " ".join(response.content.decode().split())
    return text[text.index('id="event-entry"') : text.index('class="foot"')]


def post(browser: Client, event: Event, verb: str, **fields: str) -> Any:
    """Send a form of an event's page."""
    return browser.post(f"/events/{event.pk}/{verb}", fields)


class TestAlone:
    def test_register_and_withdraw_in_a_click_each(self) -> None:
        event, browser = upcoming(), logged_in(member("Maeve"))
        assert "Register</button>" in page(browser, event)
        response = post(browser, event, "register")
        assert (response.status_code, response.url) == (303, f"/events/{event.pk}/")
        shown = page(browser, event)
        assert "You are in" in shown
        assert "Maeve" in shown
        post(browser, event, "withdraw")
        assert "Register</button>" in page(browser, event)

    def test_waiting_list_shows_the_place_in_line(self) -> None:
        event = upcoming(capacity=4)
        build.enter(event, 4)
        for name in ("Maeve", "Ben"):
            browser = logged_in(member(name))
            assert "Join the waiting list</button>" in page(browser, event)
            post(browser, event, "register")
        assert "Number <b>2</b> on the waiting list" in page(browser, event)

    def test_check_in(self) -> None:
        event = upcoming(check_in_minutes=15)
        browser = logged_in(member("Maeve"))
        post(browser, event, "register")
        assert "Check in here from" in page(browser, event)
        assert post(browser, event, "check-in").status_code == 409
        soon = timezone.now() + timedelta(minutes=10)
        Event.objects.update(starts=soon, registration_closes=soon)
        assert "Check in</button>" in page(browser, event)
        post(browser, event, "check-in")
        assert "You are checked in" in page(browser, event)

    def test_reason_against_entering_is_shown(self) -> None:
        event = upcoming(members_only=True, min_games=3)
        shown = page(logged_in(member("Maeve")), event)
        assert "Only members of The Old Mill can enter." in shown
        assert "3 finished games are required; Maeve has 0." in shown
        assert "</button>" not in shown.partition("share-panel")[0]
        assert 'href="/clubs/the-old-mill/"' in shown

    @pytest.mark.parametrize("guest", [True, False])
    def test_visitor_gets_a_link_to_sign_up(self, guest: bool) -> None:
        event = upcoming()
        browser = logged_in(player("Otto")) if guest else Client()
        assert f"/accounts/signup/?next=/events/{event.pk}/" in page(browser, event)
        response = post(browser, event, "register")
        assert response.status_code == 403
        assert f"/accounts/signup/?next=/events/{event.pk}/" in response.content.decode()

    def test_refused_action_states_the_reason(self) -> None:
        event = upcoming(registration_closes=timezone.now() - timedelta(hours=1))
        response = post(logged_in(member("Maeve")), event, "register")
        assert response.status_code == 409
        assert "Registration closed on" in response.content.decode()

    def test_entry_panel_is_gone_once_the_event_has_begun(self) -> None:
        event = upcoming(rounds=3)
        build.enter(event, 4)
        build.begin(event)
        response = logged_in(member("Maeve")).get(f"/events/{event.pk}/")
        assert 'id="event-entry"' not in response.content.decode()


class TestPairs:
    @pytest.fixture
    def event(self) -> Event:
        """A Swiss event of the club, for members."""
        return upcoming(format="swiss", minimum=2, members_only=True)

    def test_asking_and_accepting(self, event: Event) -> None:
        maeve, ben = (logged_in(who) for who in build.members(event.club, "Maeve", "Ben"))
        assert post(maeve, event, "partner", partner="Ben").status_code == 303
        assert "Ben is asked" in page(maeve, event)
        entry = Entry.objects.get()
        assert "<b>Maeve</b> asks you to be their partner" in page(ben, event)
        assert post(ben, event, f"partner/{entry.pk}/accept").status_code == 303
        assert "You play with <b>Maeve</b>" in page(ben, event)
        assert "You play with <b>Ben</b>" in page(maeve, event)
        assert "Withdraw both of you" in page(maeve, event)

    def test_declining(self, event: Event) -> None:
        maeve, ben = (logged_in(who) for who in build.members(event.club, "Maeve", "Ben"))
        post(maeve, event, "partner", partner="ben@example.com")
        entry = Entry.objects.get()
        post(ben, event, f"partner/{entry.pk}/decline")
        assert "You are looking for a partner" in page(maeve, event)
        assert post(ben, event, f"partner/{entry.pk}/accept").status_code == 409

    def test_list_of_partner_seekers(self, event: Event) -> None:
        maeve, ben = build.members(event.club, "Maeve", "Ben")
        post(logged_in(maeve), event, "partner/seek")
        shown = page(logged_in(ben), event)
        assert "Looking for a partner" in shown
        assert f"/partner/ask/{maeve.pk}" in shown
        post(logged_in(ben), event, f"partner/ask/{maeve.pk}")
        assert "<b>Ben</b> asks you to be their partner" in page(logged_in(maeve), event)
        post(logged_in(ben), event, "withdraw")
        gone = post(logged_in(maeve), event, f"partner/ask/{ben.pk}")
        assert gone.status_code == 409
        assert "is no longer looking for a partner" in gone.content.decode()

    @pytest.mark.parametrize(
        ("words", "said"), [("", "Enter your partner"), ("Nobody", "is called “Nobody”")]
    )
    def test_unknown_partner_name(self, event: Event, words: str, said: str) -> None:
        (maeve,) = build.members(event.club, "Maeve")
        response = post(logged_in(maeve), event, "partner", partner=words)
        assert response.status_code == 422
        assert said in response.content.decode()

    def test_a_name_is_shown_as_text(self, event: Event) -> None:
        maeve, _ben = build.members(event.club, "Maeve", "Ben")
        response = post(logged_in(maeve), event, "partner", partner="<script>x</script>")
        assert b"<script>x" not in response.content


class TestTheOpenPage:
    def ask(self, browser: Client, event: Event, seen: str) -> Any:
        return browser.get(
            f"/events/{event.pk}/entering/", {"seen": seen}, headers={"HX-Request": "true"}
        )

    def seen(self, response: Any) -> str:
        return str(response.context["panel"].stamp)

    def test_entry_panel_poll_answers_only_changes(self) -> None:
        event, browser = upcoming(), logged_in(member("Maeve"))
        first = self.ask(browser, event, "")
        assert first.status_code == 200
        assert self.ask(browser, event, self.seen(first)).status_code == 204
        entering.register(event, member("Ben"), timezone.now())
        again = self.ask(browser, event, self.seen(first))
        assert "Ben" in again.content.decode()
        assert self.ask(browser, event, self.seen(again)).status_code == 204

    def test_entry_panel_poll_notices_a_time_passing(self) -> None:
        event, browser = upcoming(check_in_minutes=15), logged_in(member("Maeve"))
        first = self.ask(browser, event, "")
        soon = timezone.now() + timedelta(minutes=10)
        Event.objects.update(starts=soon, registration_closes=soon)
        assert self.ask(browser, event, self.seen(first)).status_code == 200

    def test_entry_panel_without_scripts_is_the_event_page(self) -> None:
        event = upcoming()
        response: Any = Client().get(f"/events/{event.pk}/entering/")
        assert (response.status_code, response.url) == (302, f"/events/{event.pk}/")

    def test_queries_do_not_grow_with_entries(self) -> None:
        event, browser = upcoming(), logged_in(member("Maeve"))

        def queries() -> int:
            with CaptureQueriesContext(connection) as seen:
                assert self.ask(browser, event, "").status_code == 200
            return len(seen)

        entering.register(event, member("Ben"), timezone.now())
        queries()
        few = queries()
        for name in ("Iris", "Jonah", "Otto", "Clara"):
            entering.register(event, member(name), timezone.now())
        assert queries() == few


class TestList:
    def listed(self, browser: Client, query: str = "") -> dict[str, list[str]]:
        """The names of the events by section."""
        response = browser.get(f"/events/{query}")
        assert response.status_code == 200
        return {
            name: [line.event.name for line in response.context[name]]
            for name in ("running", "next", "past")
        }

    def test_list_has_running_upcoming_and_past_events(self) -> None:
        club = build.club()
        now = timezone.now()
        for name, state, days in (
            ("Draft", State.DRAFT, 1), ("Later", State.ANNOUNCED, 9), ("Soon", State.CHECK_IN, 1),
            ("Now", State.RUNNING, 0), ("Won", State.FINISHED, -9), ("Last", State.FINISHED, -2),
            ("Off", State.CANCELLED, 2),
        ):  # fmt: skip
            starts = now + timedelta(days=days)
            upcoming(
                club, name=name, state=state, starts=starts, registration_closes=starts,
                registration_opens=starts - timedelta(days=9),
            )  # fmt: skip
        assert self.listed(Client()) == {
            "running": ["Now"], "next": ["Soon", "Later"], "past": ["Last", "Won"],
        }  # fmt: skip

    def test_closed_clubs_events_are_listed_for_members_only(self) -> None:
        club = build.club(joining=Club.Joining.INVITATION)
        upcoming(club, name="Among us")
        maeve, otto = member("Maeve"), member("Otto")
        build.joined(club, maeve)
        assert self.listed(logged_in(maeve))["next"] == ["Among us"]
        assert self.listed(logged_in(otto))["next"] == []
        assert self.listed(Client())["next"] == []

    def test_list_can_be_limited_to_own_clubs(self) -> None:
        mine, other = build.club(), build.club("Another")
        upcoming(mine, name="Ours")
        upcoming(other, name="Theirs")
        maeve = member("Maeve")
        build.joined(mine, maeve)
        assert self.listed(logged_in(maeve))["next"] == ["Ours", "Theirs"]
        assert self.listed(logged_in(maeve), "?clubs=yours")["next"] == ["Ours"]
        assert self.listed(Client(), "?clubs=yours")["next"] == []

    def test_list_offers_an_action_for_each_event(self) -> None:
        club = build.club()
        maeve = member("Maeve")
        open_, full = upcoming(club, name="Open"), upcoming(club, name="Full", capacity=4)
        build.enter(full, 4)
        soon = timezone.now() + timedelta(minutes=10)
        mine = upcoming(
            club, name="Mine", state=State.CHECK_IN, starts=soon, registration_closes=soon,
            check_in_minutes=15,
        )  # fmt: skip
        entering.register(mine, maeve, timezone.now() - timedelta(hours=1))
        response = logged_in(maeve).get("/events/")
        actions = {line.event: (line.action, line.mine) for line in response.context["next"]}
        assert actions == {
            open_: ("Register", ""),
            full: ("Join the waiting list", ""),
            mine: ("Check in", "entered"),
        }
        text = response.content.decode()
        assert f'href="/events/{open_.pk}/">Register<' in text

    def test_empty_list_explains_where_events_come_from(self) -> None:
        text = Client().get("/events/").content.decode()
        assert "No events are coming up." in text
        assert 'href="/clubs/"' in text

    def test_queries_do_not_grow_with_events(self) -> None:
        club, browser = build.club(), logged_in(member("Maeve"))

        def queries() -> int:
            with CaptureQueriesContext(connection) as seen:
                browser.get("/events/")
            return len(seen)

        upcoming(club)
        queries()
        one = queries()
        for n in range(10):
            event = upcoming(club, name=f"Event {n}")
            build.enter(event, 2)
        assert queries() == one

    def test_past_events_have_pages(self) -> None:
        club = build.club()
        for n in range(21):
            upcoming(club, name=f"Event {n}", state=State.FINISHED)
        first, second = self.listed(Client()), self.listed(Client(), "?page=2")
        assert (len(first["past"]), len(second["past"])) == (20, 1)


def test_event_page_of_a_player_seeking_a_partner() -> None:
    event = upcoming(format="swiss", members_only=False)
    maeve = member("Maeve")
    partners.seek(event, maeve, timezone.now())
    shown = page(logged_in(maeve), event)
    assert "Leave the list" in shown
    assert "Find me a partner" not in shown


class TestHome:
    def home(self, browser: Client) -> str:
        return " ".join(browser.get("/").content.decode().split())

    def test_home_shows_the_next_entered_event(self) -> None:
        club, maeve = build.club(), member("Maeve")
        upcoming(club, name="Sooner", starts=timezone.now() + timedelta(days=2))
        mine = upcoming(club, name="Later", starts=timezone.now() + timedelta(days=3))
        entering.register(mine, maeve, timezone.now())
        shown = self.home(logged_in(maeve))
        assert "Your next event" in shown
        assert f'href="/events/{mine.pk}/">See the event<' in shown
        assert shown.index("Later") < shown.index("Sooner")
        assert shown.count(f'href="/events/{mine.pk}/"') == 1

    def test_home_shows_the_next_event_of_own_clubs(self) -> None:
        club, maeve = build.club(), member("Maeve")
        build.joined(club, maeve)
        upcoming(build.club("Another"), name="Theirs", starts=timezone.now() + timedelta(days=2))
        ours = upcoming(club, name="Ours", starts=timezone.now() + timedelta(days=3))
        shown = self.home(logged_in(maeve))
        assert "Next in The Old Mill" in shown
        assert f'href="/events/{ours.pk}/">Register<' in shown
        assert shown.index("Ours") < shown.index("Theirs")

    def test_home_offers_check_in(self) -> None:
        soon, maeve = timezone.now() + timedelta(minutes=10), member("Maeve")
        event = upcoming(
            state=State.CHECK_IN, check_in_minutes=15, starts=soon, registration_closes=soon
        )
        entering.register(event, maeve, timezone.now() - timedelta(hours=1))
        assert f'action="/events/{event.pk}/check-in"' in self.home(logged_in(maeve))

    @pytest.mark.parametrize("state", ["draft", "finished", "cancelled"])
    def test_home_leaves_out_drafts_and_finished_events(self, state: str) -> None:
        club, maeve = build.club(), member("Maeve")
        build.joined(club, maeve)
        upcoming(club, state=state)
        shown = self.home(logged_in(maeve))
        assert "Nothing is waiting for you" in shown
        assert "No events are coming up" in shown
