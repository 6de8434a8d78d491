"""The director's page: who may use it, every verb by its form, and what is refused."""

import csv
import io
import re
from datetime import datetime, timedelta
from types import SimpleNamespace

import pytest
from django.test import Client
from django.urls import reverse

from games.models import Player, Seat, Table
from tests.factories import logged_in, member, player
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON, seen_in
from tests.tournaments.console.first_round import first_table, running
from tournaments.acts import checking_in, message_to_all, round_clock, withdrawing
from tournaments.acts import page as act_page
from tournaments.console import manage_page, views
from tournaments.models import Club, Entry, EntryPlayer, Event, Letter, Membership, Pairing
from tournaments.refusals import RefusedError

pytestmark = pytest.mark.django_db

SCRIPT = {"HX-Request": "true"}


class Moment:
    """The time of day for the views: it stands still until it is moved."""

    def __init__(self, now: datetime) -> None:
        self.now = now


@pytest.fixture(autouse=True)
def moment(monkeypatch: pytest.MonkeyPatch) -> Moment:
    """The views' clock, which stands at noon."""
    clock = Moment(NOON)
    fake = SimpleNamespace(now=lambda: clock.now)
    monkeypatch.setattr(views, "timezone", fake)
    monkeypatch.setattr(act_page, "timezone", fake)
    return clock


@pytest.fixture
def desk_of_ada(ada: Player) -> Client:
    """Ada's browser."""
    return logged_in(ada)


def upcoming(ada: Player, entries: int = 6, **fields: object) -> Event:
    """An event of Ada's club that has not begun."""
    event = build.event(ada.memberships.get().club, **{"rounds": 3, "capacity": 16, **fields})
    build.enter(event, entries)
    return event


def address(name: str, event: Event, *more: int) -> str:
    """The address of a page or a verb of an event."""
    return reverse(name, args=[event.pk, *more])


def post(browser: Client, name: str, event: Event, *more: int, **fields: object) -> str:
    """Send a form that is to be accepted; where it leads."""
    answer = browser.post(address(name, event, *more), fields)
    assert answer.status_code == 303, answer.text
    event.refresh_from_db()
    return str(answer["Location"])


def act(browser: Client, name: str, event: Event, *more: int, **fields: object) -> str:
    """Confirm an act that shows first what it will change; where it leads."""
    answer = build.acted_by_form(browser, address(name, event, *more), **fields)
    assert answer.status_code == 303, answer.text
    event.refresh_from_db()
    return str(answer["Location"])


def said(event: Event) -> str:
    """The latest line of the record."""
    return event.notices.latest("pk").text


# Who may -----------------------------------------------------------------------------------

VERBS = {
    "pause_event": {},
    "resume_event": {},
    "extend_round": {"minutes": "5"},
    "end_round": {},
    "next_round": {},
    "final_now": {},
    "start_event": {},
    "cancel_event": {"reason": "Rain."},
    "tell_event": {"text": "Tea."},
    "add_house_entries": {"count": "1"},
    "withdraw_entry": {"reason": "Rain."},
    "put_back_entry": {"reason": ""},
    "check_in_entry": {},
    "set_result": {"winner": "0", "points_0": "10", "points_1": "3", "reason": "Rain."},
}
ACT_PAGES = ("set_result", "withdraw_entry", "put_back_entry")
PAGES = ("manage_event", "event_record", *ACT_PAGES)
ROLES = ("visitor", "guest", "stranger", "member", "moderator", "director", "owner", "staff")
MAY = ("director", "owner", "staff")


def browser_of(role: str, club: Club) -> Client:
    """A browser of somebody with this role."""
    if role == "visitor":
        return Client()
    if role == "guest":
        return logged_in(player("Otto"))
    otto = member("Otto")
    if role == "staff":
        otto.user.is_staff = True  # type: ignore[union-attr]
        otto.user.save()  # type: ignore[union-attr]
    elif role != "stranger":
        build.joined(club, otto, Membership.Role(role))
    return logged_in(otto)


def arguments(name: str, event: Event) -> list[int]:
    """What an address needs beside the event."""
    if name == "set_result":
        return [1, 1]
    return [event.entries.all()[0].pk] if name.endswith("_entry") else []


class TestRoles:
    @pytest.mark.parametrize("role", ROLES)
    def test_pages(self, ada: Player, role: str) -> None:
        event = running(ada)
        browser = browser_of(role, event.club)
        for name in PAGES:
            answer = browser.get(address(name, event, *arguments(name, event)))
            assert answer.status_code == (200 if role in MAY else 403), name

    @pytest.mark.parametrize("role", [role for role in ROLES if role not in MAY])
    def test_non_directors_cannot_change_anything(self, ada: Player, role: str) -> None:
        event = running(ada)
        before, lines = Event.objects.values().get(pk=event.pk), event.notices.count()
        browser = browser_of(role, event.club)
        for name, fields in VERBS.items():
            answer = browser.post(address(name, event, *arguments(name, event)), fields)
            assert answer.status_code == 403, name
            assert Event.objects.values().get(pk=event.pk) == before, name
            assert event.notices.count() == lines, name

    @pytest.mark.parametrize("role", ["visitor", "stranger"])
    def test_event_of_a_hidden_club_is_not_found(self, ada: Player, role: str) -> None:
        event = running(ada)
        Club.objects.update(joining=Club.Joining.INVITATION)
        browser = browser_of(role, event.club)
        for name in (*PAGES, *VERBS):
            path = address(name, event, *arguments(name, event))
            answer = browser.post(path) if name in VERBS else browser.get(path)
            assert answer.status_code == 404, name

    def test_actions_refuse_get(self, desk_of_ada: Client, ada: Player) -> None:
        event = running(ada)
        for name in [name for name in VERBS if name not in ACT_PAGES]:
            path = address(name, event, *arguments(name, event))
            assert desk_of_ada.get(path).status_code == 405, name

    def test_a_director_of_another_club_directs_nothing_here(self, ada: Player) -> None:
        event = running(ada)
        other = build.director(build.club("The Quarry"), "Silas")
        assert logged_in(other).get(address("manage_event", event)).status_code == 403


# The clock ---------------------------------------------------------------------------------


class TestClock:
    def test_pause_and_go_on(self, desk_of_ada: Client, ada: Player, moment: Moment) -> None:
        event = running(ada)
        assert post(desk_of_ada, "pause_event", event) == address("manage_event", event)
        assert event.paused == NOON
        assert "Go on" in desk_of_ada.get(address("manage_event", event)).text
        moment.now = NOON + 10 * MINUTE
        post(desk_of_ada, "resume_event", event)
        assert not Event.objects.get(pk=event.pk).paused
        assert build.latest(event).ends == NOON + 30 * MINUTE

    def test_five_minutes_more(self, desk_of_ada: Client, ada: Player) -> None:
        event = running(ada)
        post(desk_of_ada, "extend_round", event, minutes=5)
        assert build.latest(event).ends == NOON + 25 * MINUTE
        post(desk_of_ada, "extend_round", event, minutes=-10)
        assert build.latest(event).ends == NOON + 15 * MINUTE

    def test_a_second_press_gives_no_time_twice(self, desk_of_ada: Client, ada: Player) -> None:
        event = running(ada)
        page = desk_of_ada.get(address("manage_event", event)).text
        pressed = re.search(r'formaction="([^"]+/extend[^"]*)"', page)
        assert pressed is not None
        desk_of_ada.post(pressed[1], {"minutes": 5})
        answer = desk_of_ada.post(pressed[1], {"minutes": 5})
        assert answer.status_code == 409
        assert "The end of the round has been moved meanwhile" in answer.text
        assert build.latest(event).ends == NOON + 25 * MINUTE

    def test_a_message_pressed_twice_is_sent_once(self, desk_of_ada: Client, ada: Player) -> None:
        event = running(ada)
        said = {"text": "Coffee is ready."}
        assert desk_of_ada.post(address("tell_event", event), said).status_code == 303
        assert desk_of_ada.post(address("tell_event", event), said).status_code == 409
        assert event.notices.filter(text="Coffee is ready.").count() == 1

    def test_a_round_without_a_limit_is_offered_no_more_time(
        self, desk_of_ada: Client, ada: Player
    ) -> None:
        unlimited = running(ada, round_minutes=None)
        assert "+ 5 min" not in desk_of_ada.get(address("manage_event", unlimited)).text
        Event.objects.filter(pk=unlimited.pk).update(state=Event.State.CANCELLED)
        assert "+ 5 min for all" in desk_of_ada.get(address("manage_event", running(ada))).text

    @pytest.mark.parametrize("minutes", ["", "five", "121", "-121", "1e3"])
    def test_invalid_minutes_are_reported(
        self, desk_of_ada: Client, ada: Player, minutes: str
    ) -> None:
        event = running(ada)
        answer = desk_of_ada.post(address("extend_round", event), {"minutes": minutes})
        assert answer.status_code == 422
        assert "Minutes:" in answer.text
        assert build.latest(event).ends == NOON + 20 * MINUTE

    def test_an_end_that_is_no_time_is_reported(self, desk_of_ada: Client, ada: Player) -> None:
        event = running(ada)
        extend = f"{address('extend_round', event)}?ends=soon"
        answer = desk_of_ada.post(extend, {"minutes": "5"})
        assert answer.status_code == 422
        assert "End of the round: Give a date and a time in ISO 8601." in answer.text

    def test_what_was_done_in_one_press_is_undone_from_its_message(
        self, desk_of_ada: Client, ada: Player
    ) -> None:
        event = running(ada)
        console = desk_of_ada.post(address("extend_round", event), {"minutes": "5"}, follow=True)
        undo = address("undo_act", event, event.acts.get().pk)
        assert f'The end of the round has been moved. <a href="{undo}">Undo</a>' in console.text
        paused = desk_of_ada.post(address("pause_event", event), follow=True)
        assert "The event is paused; games go on." in paused.text
        assert "Undo</a>" not in paused.text

    def test_time_is_called(self, desk_of_ada: Client, ada: Player, moment: Moment) -> None:
        event = running(ada, time_up=Event.TimeUp.SCORE)
        moment.now = NOON + MINUTE
        post(desk_of_ada, "end_round", event)
        build.step(event, moment.now)
        past = event.played_rounds.get(number=1)
        assert {pairing.how for pairing in past.pairings.all()} == {Pairing.How.TIME}

    def test_the_break_is_ended(self, desk_of_ada: Client, ada: Player) -> None:
        event = running(ada, break_seconds=600)
        page = desk_of_ada.get(address("manage_event", event)).text
        assert "End the round now" in page
        assert "Draw now" not in page
        for pairing in build.latest(event).pairings.all():
            build.win(pairing, 0)
        build.step(event, NOON)
        page = desk_of_ada.get(address("manage_event", event)).text
        assert "Between rounds" in page
        assert "Draw now" in page
        post(desk_of_ada, "next_round", event)
        build.step(event, NOON)
        assert build.latest(event).number == 2

    def test_refusal_states_the_reason_and_links_back(
        self, desk_of_ada: Client, ada: Player
    ) -> None:
        event = running(ada)
        answer = desk_of_ada.post(address("resume_event", event))
        assert answer.status_code == 409
        assert "The event is not paused." in answer.text
        assert f'href="{address("manage_event", event)}"' in answer.text
        script = desk_of_ada.post(address("next_round", event), headers=SCRIPT)
        assert (script.status_code, script.text) == (409, "Round 1 is still being played.")

    def test_the_clock_shows_what_is_left(
        self, desk_of_ada: Client, ada: Player, moment: Moment
    ) -> None:
        event = running(ada)
        moment.now = NOON + 13 * MINUTE + timedelta(seconds=48)
        page = desk_of_ada.get(address("manage_event", event)).text
        assert ">6:12</time>" in page
        assert "of 20:00" in page
        assert 'data-left="372"' in page

    def test_without_a_limit_there_is_no_dial(self, desk_of_ada: Client, ada: Player) -> None:
        event = running(ada, round_minutes=None)
        page = desk_of_ada.get(address("manage_event", event)).text
        assert "no time limit" in page
        assert 'id="dial"' not in page


class TestStartAndEnd:
    def test_an_event_is_started_by_hand(self, desk_of_ada: Client, ada: Player) -> None:
        event = upcoming(ada, starts=NOON + 60 * MINUTE)
        page = desk_of_ada.get(address("manage_event", event)).text
        assert "Start the event" in page
        assert "of 16 places" in page
        post(desk_of_ada, "start_event", event)
        assert (event.state, event.started) == (Event.State.RUNNING, NOON)

    def test_start_page_lists_who_will_play(self, desk_of_ada: Client, ada: Player) -> None:
        late = upcoming(ada, starts=NOON + 20 * MINUTE)
        page = desk_of_ada.get(address("manage_event", late)).text
        assert "all 6 who are in will play" in page
        event = upcoming(
            ada, check_in_minutes=30, starts=NOON + 20 * MINUTE, state=Event.State.CHECK_IN
        )
        checking_in.check_in(event.entries.all()[0], ada, NOON)
        page = desk_of_ada.get(address("manage_event", event)).text
        assert "Everybody who has checked in plays (1 so far)" in page

    def test_event_with_too_few_entries_is_not_started(
        self, desk_of_ada: Client, ada: Player
    ) -> None:
        event = upcoming(ada, 3)
        answer = desk_of_ada.post(address("start_event", event))
        assert answer.status_code == 409
        assert "At least 4 entries are needed" in answer.text
        event.refresh_from_db()
        assert event.state == Event.State.REGISTRATION

    def test_event_is_cancelled_with_a_reason(self, desk_of_ada: Client, ada: Player) -> None:
        event = running(ada)
        post(desk_of_ada, "cancel_event", event, reason="The power is out.")
        assert event.state == Event.State.CANCELLED
        page = desk_of_ada.get(address("manage_event", event)).text
        assert "The power is out." in page
        assert "hx-ws:connect" not in page
        assert "Cancel the event" not in page
        assert "End the round" not in page

    @pytest.mark.parametrize("reason", ["", "   ", "x" * 201])
    def test_cancelling_without_a_reason_is_refused(
        self, desk_of_ada: Client, ada: Player, reason: str
    ) -> None:
        event = running(ada)
        answer = desk_of_ada.post(address("cancel_event", event), {"reason": reason})
        assert answer.status_code == 422
        assert 'class="wrong"' in answer.text
        event.refresh_from_db()
        assert event.state == Event.State.RUNNING

    def test_a_draft_says_what_to_do_next(self, desk_of_ada: Client, ada: Player) -> None:
        event = upcoming(ada, 0, state=Event.State.DRAFT)
        page = desk_of_ada.get(address("manage_event", event)).text
        assert "Not published yet" in page
        assert "Nobody has entered yet" in page

    def test_a_finished_event_can_still_be_corrected(
        self, desk_of_ada: Client, ada: Player
    ) -> None:
        event = upcoming(ada, 4, rounds=1)
        build.play_to_end(event)
        page = desk_of_ada.get(address("manage_event", event)).text
        assert "Finished" in page
        assert address("set_result", event, 1, 1) in page


# Words, house players, entries -------------------------------------------------------------


class TestWords:
    def test_announcements_are_public(self, desk_of_ada: Client, ada: Player) -> None:
        event = running(ada)
        post(desk_of_ada, "tell_event", event, text="Tea after <this> round.")
        line = event.notices.get(public=True)
        assert (line.by, line.text) == (ada, "Tea after <this> round.")
        page = desk_of_ada.get(address("manage_event", event)).text
        assert "Tea after &lt;this&gt; round." in page
        assert "to all" in page

    def test_a_line_ends_with_one_character(self, desk_of_ada: Client, ada: Player) -> None:
        event = running(ada)
        typed = "\n".join(["x" * 59] * 5) + "!"
        assert len(typed) == 300
        post(desk_of_ada, "tell_event", event, text=typed.replace("\n", "\r\n"))
        assert event.notices.get(public=True).text == typed

    @pytest.mark.parametrize("text", ["", " ", "x" * 301])
    def test_invalid_announcement_keeps_the_form(
        self, desk_of_ada: Client, ada: Player, text: str
    ) -> None:
        event = running(ada)
        answer = desk_of_ada.post(address("tell_event", event), {"text": text})
        assert answer.status_code == 422
        assert (f">\n{text}</textarea>" in answer.text) or not text.strip()
        assert not event.notices.filter(public=True).exists()


class TestHousePlayers:
    def test_house_players_take_free_places(self, desk_of_ada: Client, ada: Player) -> None:
        event = upcoming(ada, 6)
        page = desk_of_ada.get(address("manage_event", event)).text
        assert "10 free places" in page
        post(desk_of_ada, "add_house_entries", event, count=2)
        assert event.entries.filter(house=True).count() == 2
        assert "2 entries of house players." in said(event)

    @pytest.mark.parametrize("count", ["", "0", "-1", "many", "257"])
    def test_invalid_number_of_house_players_is_reported(
        self, desk_of_ada: Client, ada: Player, count: str
    ) -> None:
        event = upcoming(ada)
        answer = desk_of_ada.post(address("add_house_entries", event), {"count": count})
        assert answer.status_code == 422
        assert 'class="wrong"' in answer.text

    def test_house_players_are_limited_to_free_places(
        self, desk_of_ada: Client, ada: Player
    ) -> None:
        event = upcoming(ada)
        answer = desk_of_ada.post(address("add_house_entries", event), {"count": 11})
        assert answer.status_code == 422
        assert "10 free places, not 11" in answer.text

    def test_house_players_are_not_offered_once_the_event_runs(
        self, desk_of_ada: Client, ada: Player
    ) -> None:
        page = desk_of_ada.get(address("manage_event", running(ada))).text
        assert "House players" not in page


class TestEntries:
    def test_entry_is_withdrawn_and_put_back(self, desk_of_ada: Client, ada: Player) -> None:
        event = running(ada)
        entry = event.entries.all()[0]
        page = desk_of_ada.get(address("door", event)).text
        assert address("withdraw_entry", event, entry.pk) in page
        asked = desk_of_ada.get(address("withdraw_entry", event, entry.pk)).text
        assert f"Withdraw {entry.players.get().player}?" in asked
        assert "A house player plays on" in asked
        act(desk_of_ada, "withdraw_entry", event, entry.pk, reason="Ill.")
        entry.refresh_from_db()
        assert entry.state == Entry.State.WITHDRAWN
        page = desk_of_ada.get(address("door", event)).text
        assert address("put_back_entry", event, entry.pk) in page
        act(desk_of_ada, "put_back_entry", event, entry.pk)
        entry.refresh_from_db()
        assert entry.state == Entry.State.CHECKED_IN

    def test_second_withdrawal_is_refused_with_the_reason(
        self, desk_of_ada: Client, ada: Player
    ) -> None:
        event = running(ada)
        entry = event.entries.all()[0]
        act(desk_of_ada, "withdraw_entry", event, entry.pk, reason="Ill.")
        answer = desk_of_ada.post(address("withdraw_entry", event, entry.pk), {"reason": "Ill."})
        assert answer.status_code == 409
        assert "is not playing in the event" in answer.text

    @pytest.mark.parametrize("name", ["withdraw_entry", "put_back_entry"])
    def test_entry_of_another_event_is_not_found(
        self, desk_of_ada: Client, ada: Player, name: str
    ) -> None:
        event, other = running(ada), build.event(build.club("The Quarry"))
        (entry,) = build.enter(other, 1)
        path = address(name, event, entry.pk)
        assert desk_of_ada.get(path).status_code == 404
        assert desk_of_ada.post(path, {"reason": "Ill."}).status_code == 404

    def test_place_freed_before_the_start_goes_to_the_waiting_list(
        self, desk_of_ada: Client, ada: Player
    ) -> None:
        event = upcoming(ada, 6, capacity=5, starts=NOON + 60 * MINUTE)
        first, *_, last = event.entries.order_by("arrival")
        event.entries.filter(pk=last.pk).update(state=Entry.State.WAITING)
        maeve = member("Maeve")
        first.players.update(player=maeve)
        asked = desk_of_ada.get(address("withdraw_entry", event, first.pk)).text
        assert "first on the waiting list" in asked
        act(desk_of_ada, "withdraw_entry", event, first.pk, reason="Ill.")
        first.refresh_from_db()
        last.refresh_from_db()
        assert (first.state, last.state) == (Entry.State.WITHDRAWN, Entry.State.ENTERED)
        assert not first.players.get().active
        letter = Letter.objects.get(user=maeve.user).text
        assert "Ada" in letter
        assert "The reason given: Ill." in letter
        assert event.notices.filter(by=ada, text="Maeve: taken out before the start.").exists()

    def test_removed_entry_is_put_back(self, desk_of_ada: Client, ada: Player) -> None:
        event = upcoming(ada)
        first = event.entries.order_by("arrival")[0]
        maeve = member("Maeve")
        first.players.update(player=maeve)
        act(desk_of_ada, "withdraw_entry", event, first.pk, reason="Ill.")
        assert (
            address("put_back_entry", event, first.pk)
            in desk_of_ada.get(address("door", event)).text
        )
        act(desk_of_ada, "put_back_entry", event, first.pk)
        first.refresh_from_db()
        assert first.state == Entry.State.ENTERED
        assert first.players.get().active
        assert "has put you back in." in Letter.objects.filter(user=maeve.user).latest("pk").text
        with pytest.raises(RefusedError, match="cannot be put back; the entry is entered"):
            withdrawing.reinstate(first, ada, NOON)

    def test_entry_put_back_may_find_its_place_taken(self, ada: Player) -> None:
        event = upcoming(ada, capacity=6)
        first = event.entries.order_by("arrival")[0]
        withdrawing.withdraw(first, ada, NOON)
        late = member("Maeve")
        build_late = Entry.objects.create(event=event, state=Entry.State.ENTERED, arrival=99)
        EntryPlayer.objects.create(event=event, entry=build_late, player=late)
        withdrawing.reinstate(first, ada, NOON)
        first.refresh_from_db()
        assert first.state == Entry.State.WAITING

    def test_entry_made_again_is_not_put_back(self, ada: Player) -> None:
        event = upcoming(ada)
        first = event.entries.order_by("arrival")[0]
        withdrawing.withdraw(first, ada, NOON)
        again = Entry.objects.create(event=event, state=Entry.State.ENTERED, arrival=99)
        EntryPlayer.objects.create(event=event, entry=again, player=first.players.get().player)
        with pytest.raises(RefusedError, match="has entered again in the meantime"):
            withdrawing.reinstate(first, ada, NOON)

    def test_entry_cannot_be_removed_twice(self, ada: Player) -> None:
        event = upcoming(ada)
        entry = event.entries.all()[0]
        withdrawing.withdraw(entry, ada, NOON)
        with pytest.raises(RefusedError, match="withdrawn already"):
            withdrawing.withdraw(entry, ada, NOON)

    def test_desk_checks_an_entry_in(self, desk_of_ada: Client, ada: Player) -> None:
        event = upcoming(
            ada, check_in_minutes=30, starts=NOON + 20 * MINUTE, state=Event.State.CHECK_IN
        )
        entry = event.entries.all()[0]
        page = desk_of_ada.get(address("manage_event", event)).text
        assert "0 of 6" in page
        assert address("door", event) in page
        post(desk_of_ada, "check_in_entry", event, entry.pk)
        post(desk_of_ada, "check_in_entry", event, entry.pk)
        entry.refresh_from_db()
        assert entry.state == Entry.State.CHECKED_IN
        assert event.notices.filter(by=ada).count() == 1
        page = desk_of_ada.get(address("manage_event", event)).text
        assert "1 of 6" in page

    def test_desk_lists_the_waiting_list(self, ada: Player) -> None:
        event = upcoming(
            ada, check_in_minutes=30, starts=NOON + 20 * MINUTE, state=Event.State.CHECK_IN
        )
        entry = event.entries.all()[0]
        event.entries.filter(pk=entry.pk).update(state=Entry.State.WAITING)
        checking_in.check_in(entry, ada, NOON)
        entry.refresh_from_db()
        assert (entry.state, entry.here) == (Entry.State.WAITING, True)

    @pytest.mark.parametrize("minutes", [0, 30])
    def test_check_in_before_it_opens_is_refused(self, ada: Player, minutes: int) -> None:
        event = upcoming(ada, check_in_minutes=minutes, starts=NOON + 60 * MINUTE)
        with pytest.raises(RefusedError, match="Check-in is not open"):
            checking_in.check_in(event.entries.all()[0], ada, NOON)

    def test_check_in_of_a_withdrawn_entry_is_refused(self, ada: Player) -> None:
        event = upcoming(
            ada, check_in_minutes=30, starts=NOON + 20 * MINUTE, state=Event.State.CHECK_IN
        )
        entry = event.entries.all()[0]
        withdrawing.withdraw(entry, ada, NOON)
        with pytest.raises(RefusedError, match="cannot be checked in; the entry is withdrawn"):
            checking_in.check_in(entry, ada, NOON)

    @pytest.mark.parametrize("verb", [checking_in.check_in, withdrawing.withdraw])
    def test_the_desk_is_closed_once_it_runs(self, ada: Player, verb: object) -> None:
        event = running(ada)
        with pytest.raises(RefusedError, match="the event is running"):
            verb(event.entries.all()[0], ada, NOON)  # type: ignore[operator]


# Tables and results ------------------------------------------------------------------------

RESULT = {
    "winner": "1",
    "ended": "played",
    "points_0": "4",
    "points_1": "7",
    "reason": "The net failed.",
}


class TestResults:
    def test_a_result_is_entered(self, desk_of_ada: Client, ada: Player) -> None:
        event = running(ada)
        asked = desk_of_ada.get(address("set_result", event, 1, 1)).text
        assert "setting its result ends it" in asked
        assert "a tie" in asked
        path = address("set_result", event, 1, 1)
        back = build.ruled_by_form(desk_of_ada, path, RESULT)["Location"]
        assert back == f"{address('manage_event', event)}?round=1"
        pairing = build.latest(event).pairings.get(number=1)
        assert (pairing.how, pairing.winner) == (Pairing.How.DIRECTOR, 1)
        assert (pairing.points_0, pairing.points_1) == (4, 7)

    def test_corrected_result_keeps_its_history(self, desk_of_ada: Client, ada: Player) -> None:
        event = running(ada)
        path = address("set_result", event, 1, 1)
        assert build.ruled_by_form(desk_of_ada, path, RESULT).status_code == 303
        asked = desk_of_ada.get(path).text
        assert 'value="4"' in asked
        assert "Correct table 1" in asked
        tie = {"winner": "-1", "ended": "time", "points_0": 3, "points_1": 3}
        tie |= {"reason": "Both agree.", "seen": seen_in(asked)}
        assert build.ruled_by_form(desk_of_ada, path, tie).status_code == 303
        asked = desk_of_ada.get(path).text
        assert "4–7 became 3–3 on time" in asked
        assert "Both agree." in asked

    @pytest.mark.parametrize(
        "wrong",
        [
            {"winner": ""},
            {"winner": "2"},
            {"points_0": "-1"},
            {"points_1": "1000"},
            {"points_1": "ten"},
            {"reason": ""},
            {"reason": "x" * 201},
        ],
    )
    def test_invalid_result_is_reported_and_changes_nothing(
        self, desk_of_ada: Client, ada: Player, wrong: dict[str, str]
    ) -> None:
        event = running(ada)
        answer = desk_of_ada.post(address("set_result", event, 1, 1), RESULT | wrong)
        assert answer.status_code == 422
        assert 'class="wrong"' in answer.text
        assert build.latest(event).pairings.get(number=1).state == Pairing.State.PLAYING

    def test_a_knock_out_offers_no_tie(self, desk_of_ada: Client, ada: Player) -> None:
        event = running(ada, 4, format="single_elimination")
        assert "a tie" not in desk_of_ada.get(address("set_result", event, 1, 1)).text
        answer = desk_of_ada.post(address("set_result", event, 1, 1), RESULT | {"winner": "-1"})
        assert answer.status_code == 422

    def test_a_winner_already_drawn_is_refused_in_the_form(
        self, desk_of_ada: Client, ada: Player
    ) -> None:
        event = running(ada, 4, format="single_elimination")
        for pairing in build.latest(event).pairings.all():
            build.win(pairing, 0)
        build.step(event, NOON)
        path = address("set_result", event, 1, 1)
        seen = seen_in(desk_of_ada.get(path).text)
        answer = desk_of_ada.post(path, RESULT | {"seen": seen})
        assert answer.status_code == 409
        assert "next round has been drawn" in answer.text
        assert 'value="7"' in answer.text

    def test_a_result_entered_meanwhile_is_not_overwritten(
        self, desk_of_ada: Client, ada: Player
    ) -> None:
        event = running(ada, place=Event.Place.ROOM)
        path = address("set_result", event, 1, 1)
        first, second = (seen_in(desk_of_ada.get(path).text) for _director in range(2))
        said = {"winner": "0", "ended": "played", "points_0": "5", "points_1": "3"}
        assert desk_of_ada.post(path, said | {"seen": first}).status_code == 303
        other = said | {"winner": "1", "points_0": "2", "points_1": "5", "reason": "So."}
        answer = desk_of_ada.post(path, other | {"seen": second})
        assert answer.status_code == 409
        assert "it is 5–3 now" in answer.text
        assert desk_of_ada.post(path, other).status_code == 409
        assert build.latest(event).pairings.get(number=1).points == (5, 3)
        other |= {"seen": seen_in(answer.text)}
        assert build.ruled_by_form(desk_of_ada, path, other).status_code == 303
        assert build.latest(event).pairings.get(number=1).points == (2, 5)

    def test_a_correction_shows_first_what_it_will_change(
        self, desk_of_ada: Client, ada: Player
    ) -> None:
        event = running(ada, place=Event.Place.ROOM)
        path = address("set_result", event, 1, 1)
        said = {"winner": "0", "ended": "played", "points_0": "5", "points_1": "3"}
        assert desk_of_ada.post(path, said).status_code == 303  # as its score comes in
        seen = seen_in(desk_of_ada.get(path).text)
        other = said | {
            "winner": "1",
            "points_0": "2",
            "points_1": "5",
            "reason": "So.",
            "seen": seen,
        }
        shown = desk_of_ada.post(path, other)
        assert shown.status_code == 200
        assert "<s>5–3</s>" in shown.text
        assert "<b>2–5</b>" in shown.text
        assert "drawn since" not in shown.text
        assert build.latest(event).pairings.get(number=1).points == (5, 3)
        will = {"will": shown.context["preview"].digest}
        again = desk_of_ada.post(path, other | will | {"edit": "1"})
        assert (again.status_code, again.context["form"]["points_0"].value()) == (200, "2")
        assert desk_of_ada.post(path, other | will | {"points_0": "1"}).status_code == 409
        assert build.latest(event).pairings.get(number=1).points == (5, 3)
        assert desk_of_ada.post(path, other | will).status_code == 303
        assert build.latest(event).pairings.get(number=1).points == (2, 5)

    def test_a_correction_says_which_rounds_stay_as_they_were_drawn(
        self, desk_of_ada: Client, ada: Player
    ) -> None:
        event = running(ada, break_seconds=0)
        for match in build.latest(event).pairings.all():
            build.win(match, 0)
        build.step(event, NOON)
        assert event.played_rounds.count() == 2
        path = address("set_result", event, 1, 1)
        fields = RESULT | {"seen": seen_in(desk_of_ada.get(path).text)}
        shown = desk_of_ada.post(path, fields).text
        assert "Rounds up to round 2 have been drawn since" in shown
        assert "Place of " in shown

    def test_a_forfeit_in_the_room_shows_first_what_it_will_change(
        self, desk_of_ada: Client, ada: Player
    ) -> None:
        event = running(ada, place=Event.Place.ROOM)
        path = address("set_result", event, 1, 1)
        shown = desk_of_ada.post(path, {"winner": "0", "ended": "forfeit"})
        assert "What will change" in shown.text
        assert build.latest(event).pairings.get(number=1).state == Pairing.State.PLAYING
        said = {"winner": "0", "ended": "forfeit", "will": shown.context["preview"].digest}
        assert desk_of_ada.post(path, said).status_code == 303
        assert build.latest(event).pairings.get(number=1).how == Pairing.How.FORFEIT

    @pytest.mark.parametrize("where", [(2, 1), (1, 9), (0, 0)])
    def test_unknown_table_is_not_found(
        self, desk_of_ada: Client, ada: Player, where: tuple[int, int]
    ) -> None:
        event = running(ada)
        assert desk_of_ada.get(address("set_result", event, *where)).status_code == 404


class TestTables:
    def test_page_shows_missing_players_and_when_they_are_overdue(
        self, desk_of_ada: Client, ada: Player, moment: Moment
    ) -> None:
        event = upcoming(ada, 4, no_show_minutes=5, break_seconds=60)
        build.begin(event)
        table = Table.objects.get(pairing__round__event=event)
        here = table.seats.order_by("position")[0]
        Seat.objects.filter(pk=here.pk).update(last_seen=table.created)
        names = [seat.player.name for seat in table.seats.all() if seat.player]
        page = desk_of_ada.get(address("manage_event", event)).text
        assert f"Waits for {names[2]}, {names[1]} and {names[3]}" in page
        assert 'class="alarm"' not in page
        moment.now = NOON + 5 * MINUTE
        assert 'class="alarm"' in desk_of_ada.get(address("manage_event", event)).text

    def test_an_earlier_round_can_be_looked_at(self, desk_of_ada: Client, ada: Player) -> None:
        event = running(ada)
        for pairing in build.latest(event).pairings.all():
            build.win(pairing, 0)
        build.step(event, NOON)
        page = desk_of_ada.get(address("manage_event", event)).text
        assert "Tables of round 2" in page
        page = desk_of_ada.get(address("manage_event", event), {"round": "1"}).text
        assert "Tables of round 1" in page
        assert "2 of 2 finished" in page
        assert f'hx-get="{address("manage_event", event)}?round=1"' in page

    def test_the_latest_round_gives_way_to_the_next(self, desk_of_ada: Client, ada: Player) -> None:
        event = running(ada)
        page = desk_of_ada.get(address("manage_event", event), {"round": "1"}).text
        assert f'hx-get="{address("manage_event", event)}"' in page

    @pytest.mark.parametrize("number", ["", "0", "99", "x", "1" * 9, "²"])
    def test_unknown_round_shows_the_latest(
        self, desk_of_ada: Client, ada: Player, number: str
    ) -> None:
        event = running(ada)
        answer = desk_of_ada.get(address("manage_event", event), {"round": number})
        assert answer.status_code == 200
        assert "Tables of round 1" in answer.text

    def test_sit_outs_are_named(self, desk_of_ada: Client, ada: Player) -> None:
        event = running(ada, 5)
        page = desk_of_ada.get(address("manage_event", event)).text
        assert "<h3>Not playing</h3>" in page


# The page ----------------------------------------------------------------------------------


class TestPage:
    def test_live_update_has_no_form_but_the_one_it_leaves_alone(
        self, desk_of_ada: Client, ada: Player
    ) -> None:
        event = running(ada)
        part = desk_of_ada.get(address("manage_event", event), headers=SCRIPT).text
        assert part.lstrip().startswith('<div id="now"')
        skipped = r'(<section[^>]* id="find" hx-morph-skip.*?</section>)'
        before, kept, after = re.split(skipped, part, flags=re.DOTALL)
        assert 'id="find-people"' in kept
        for text in (before, after):
            assert "<input" not in text
            assert "<textarea" not in text

    def test_page_listens_until_the_event_has_ended(self, desk_of_ada: Client, ada: Player) -> None:
        event = running(ada)
        page = desk_of_ada.get(address("manage_event", event)).text
        assert f'hx-ws:connect="/ws/events/{event.pk}/?news"' in page

    def test_trouble_is_shown_with_advice(self, desk_of_ada: Client, ada: Player) -> None:
        event = running(ada)
        assert "The last step failed" not in desk_of_ada.get(address("manage_event", event)).text
        Event.objects.filter(pk=event.pk).update(
            trouble="DatabaseError: disk full", tries=3, due=NOON + timedelta(seconds=8)
        )
        page = " ".join(desk_of_ada.get(address("manage_event", event)).text.split())
        assert "The last step failed and was undone." in page
        assert "It has been tried 3 times; the next try is at" in page
        assert "DatabaseError: disk full" in page

    def test_the_latest_acts_are_listed_each_with_its_undo(
        self, desk_of_ada: Client, ada: Player
    ) -> None:
        event = running(ada)
        for minutes in range(1, manage_page.MAX_ACTS + 2):
            round_clock.extend_round(event, ada, minutes, NOON)
        page = desk_of_ada.get(address("manage_event", event)).text
        assert page.count("Moved the end of the round") >= manage_page.MAX_ACTS
        assert f"All {manage_page.MAX_ACTS + 1} acts" in page
        assert address("undo_act", event, event.acts.latest("pk").pk) in page

    def test_an_act_that_cannot_be_undone_now_is_grey_with_its_reason(
        self, desk_of_ada: Client, ada: Player
    ) -> None:
        event = running(ada)
        round_clock.extend_round(event, ada, 5, NOON)
        round_clock.extend_round(event, ada, 10, NOON)
        first, second = event.acts.order_by("pk")
        page = desk_of_ada.get(address("manage_event", event)).text
        assert address("undo_act", event, second.pk) in page
        assert address("undo_act", event, first.pk) not in page
        assert "Cannot be undone now: A later act depends on it" in page

    def test_the_record_is_exported_whole(self, desk_of_ada: Client, ada: Player) -> None:
        event = running(ada)
        message_to_all.post_message(event, ada, "=1+1", NOON)
        answer = desk_of_ada.get(address("event_record", event))
        assert answer["Content-Type"].startswith("text/csv")
        assert "attachment" in answer["Content-Disposition"]
        lines = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))
        assert len(lines) == event.notices.count()
        assert (lines[0]["by"], lines[0]["public"], lines[0]["text"]) == ("Ada", "true", "'=1+1")
        assert lines[-1]["by"] == ""
        assert datetime.fromisoformat(lines[0]["at"]).tzinfo is not None

    def test_the_log_is_sent_again_when_a_result_or_an_entry_changes(self, ada: Player) -> None:
        """They decide what can be undone, without an act."""
        event = running(ada)
        stamps = [manage_page.read(event, ada, NOON).acts_stamp for _again in range(2)]
        Pairing.objects.filter(pk=first_table(event).pk).update(state=Pairing.State.DECIDED)
        stamps.append(manage_page.read(event, ada, NOON).acts_stamp)
        event.entries.filter(arrival=8).update(state=Entry.State.WITHDRAWN)
        stamps.append(manage_page.read(event, ada, NOON).acts_stamp)
        assert stamps[0] == stamps[1]
        assert len(set(stamps)) == 3

    def test_the_number_of_queries_does_not_grow_with_the_event(
        self, desk_of_ada: Client, ada: Player, django_assert_max_num_queries: object
    ) -> None:
        counts = []
        for players in (8, 40):
            event = running(ada, players, name=f"With {players}")
            with django_assert_max_num_queries(60) as asked:  # type: ignore[operator]
                event = Event.objects.select_related("club").get(pk=event.pk)
                manage_page.read(event, ada, NOON)
            counts.append(len(asked))
        assert counts[0] == counts[1]
        assert counts[1] <= 20
