"""What directors did: a row for every act, and the page that members read."""

import re
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils.html import escape

from games.models import Player
from tests.factories import logged_in, member
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON, ruled
from tests.tournaments.console.first_round import running
from tournaments.acts import (
    checking_in,
    correcting,
    house_players,
    log,
    message_to_all,
    round_clock,
    starting_and_ending,
    withdrawing,
)
from tournaments.console import views
from tournaments.entering import leaving_running_event
from tournaments.models import Act, Club, Entry, Event, Pairing
from tournaments.refusals import RefusedError
from tournaments.results.match_lines import team_of
from tournaments.standings import ranking

pytestmark = pytest.mark.django_db

Kind = Act.Kind


@pytest.fixture(autouse=True)
def _noon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "timezone", SimpleNamespace(now=lambda: NOON))


def page(event: Event, reader: Player) -> str:
    """The page of an event's acts as somebody reads it."""
    answer = logged_in(reader).get(reverse("event_acts", args=[event.pk]))
    assert answer.status_code == 200
    return answer.text


def test_every_act_is_one_row(ada: Player) -> None:
    event = running(ada, break_seconds=600)
    round_clock.pause(event, ada, NOON)
    round_clock.resume(event, ada, NOON + MINUTE)
    round_clock.extend_round(event, ada, 5, NOON)
    message_to_all.post_message(event, ada, "Tea.", NOON)
    correcting.set_result(
        build.latest(event).pairings.get(number=1), ada, ruled(0, (5, 3)), reason="So.", now=NOON
    )
    round_clock.end_round_now(event, ada, NOON)
    entry = event.entries.order_by("pk")[0]
    leaving_running_event.withdraw(entry, ada, NOON, reason="Ill.")
    leaving_running_event.put_back(entry, ada, NOON)
    build.step(event, NOON + 6 * MINUTE)
    build.step(event, NOON + 12 * MINUTE)
    round_clock.next_round_now(event, ada, NOON + 13 * MINUTE)
    starting_and_ending.cancel(event, ada, "Storm.", NOON + 14 * MINUTE)
    assert [act.kind for act in event.acts.order_by("pk")] == [
        Kind.PAUSE, Kind.RESUME, Kind.TIME, Kind.MESSAGE, Kind.RESULT, Kind.TIME_UP,
        Kind.WITHDRAW, Kind.PUT_BACK, Kind.NEXT_ROUND, Kind.CANCEL,
    ]  # fmt: skip
    assert {act.by for act in event.acts.all()} == {ada}


def test_acts_before_the_start_are_rows_too(ada: Player) -> None:
    event = build.event(
        ada.memberships.get().club, rounds=3, check_in_minutes=30, state=Event.State.CHECK_IN
    )
    build.enter(event, 5)
    first, second, *_ = event.entries.order_by("arrival")
    checking_in.check_in(first, ada, NOON - MINUTE)
    withdrawing.withdraw(second, ada, NOON - MINUTE, reason="Moved away.")
    withdrawing.reinstate(second, ada, NOON - MINUTE)
    house_players.add_house_entries(event, ada, 3, NOON - MINUTE)
    event.entries.update(state=Entry.State.CHECKED_IN)
    starting_and_ending.start_now(event, ada, NOON - MINUTE)
    assert [act.kind for act in event.acts.order_by("pk")] == [
        Kind.CHECK_IN, Kind.WITHDRAW, Kind.PUT_BACK, Kind.HOUSE, Kind.START,
    ]  # fmt: skip
    withdrawn = event.acts.get(kind=Kind.WITHDRAW)
    assert (withdrawn.entry, withdrawn.reason) == (second, "Moved away.")
    assert withdrawn.before == {"state": "entered", "here": False}
    assert withdrawn.after == {"state": "withdrawn"}


def test_a_refused_act_leaves_no_row(ada: Player) -> None:
    event = running(ada)
    with pytest.raises(RefusedError):
        round_clock.resume(event, ada, NOON)
    with pytest.raises(RefusedError):
        starting_and_ending.final_now(event, ada, NOON)
    assert not event.acts.exists()


def test_what_players_do_themselves_is_not_in_the_directors_log(ada: Player) -> None:
    event = running(ada)
    entry = event.entries.order_by("pk")[0]
    leaving_running_event.withdraw(entry, entry.players.get().player, NOON)
    assert not event.acts.exists()


class TestPage:
    def test_it_names_what_on_whom_why_before_and_after(self, ada: Player) -> None:
        event = running(ada)
        match = build.latest(event).pairings.get(number=1)
        correcting.set_result(match, ada, ruled(0, (5, 3)), reason="They left.", now=NOON)
        correcting.set_result(match, ada, ruled(1, (3, 5)), reason="Wrong side.", now=NOON)
        round_clock.extend_round(event, ada, 5, NOON)
        gone = event.entries.order_by("pk")[0]
        leaving_running_event.withdraw(gone, ada, NOON, reason="Ill.")
        corrected, *_ = [
            line for line in log.lines_of(event, event.acts.all()) if line.before == "5–3"
        ]
        assert corrected.what == "Corrected a result"
        text = page(event, ada)
        for words in (
            f"Corrected a result: {escape(corrected.on)}",
            "<s>5–3</s> → 3–5",
            "<s>none</s> → 5–3",
            "<q>Wrong side.</q>",
            "Moved the end of the round: round 1",
            "<s>12:20</s> → 12:25",
            f"Withdrew: {gone.players.get().player}",
            "<s>Entered</s> → Withdrawn",
            "<q>Ill.</q>",
        ):
            assert words in text, words
        assert corrected.on.startswith("round 1, table 1: ")
        assert " – " in corrected.on

    def test_members_and_players_read_it_and_nobody_else(self, ada: Player) -> None:
        event = running(ada)
        player, reader = member("Maeve"), member("Ben")
        event.entries.order_by("pk")[0].players.update(player=player)
        build.joined(event.club, reader)
        for who in (player, reader, ada):
            assert "Nothing yet." in page(event, who)
        path = reverse("event_acts", args=[event.pk])
        assert Client().get(path).status_code == 403
        assert logged_in(member("Otto")).get(path).status_code == 403
        Club.objects.update(joining=Club.Joining.INVITATION)
        assert Client().get(path).status_code == 404

    def test_the_event_page_leads_there_those_who_may_read_it(self, ada: Player) -> None:
        event = running(ada)
        here, path = reverse("event", args=[event.pk]), reverse("event_acts", args=[event.pk])
        assert path in logged_in(ada).get(here).text
        assert path not in logged_in(member("Otto")).get(here).text

    def test_a_result_that_is_still_sealed_is_left_out(self, ada: Player) -> None:
        event = build.event(
            ada.memberships.get().club, format="duplicate", match="deals", deals=4, rounds=3
        )
        build.finish_first_of_shared_deals(event)
        match = Pairing.objects.get(round__event=event, number=2)
        correcting.set_result(match, ada, ruled(0, (6, 2)), reason="Secret.", now=NOON)
        assert "Secret." not in page(event, ada)

    def test_the_number_of_queries_for_members_does_not_grow_with_the_acts(
        self, ada: Player
    ) -> None:
        event = running(ada, 16)
        reader = member("Rowena")
        build.joined(event.club, reader)
        browser, path = logged_in(reader), reverse("event_acts", args=[event.pk])

        def queries() -> int:
            with CaptureQueriesContext(
                connection,
            ) as made:
                browser.get(path)
            return len(made)

        first, *others = build.latest(event).pairings.order_by("number")
        correcting.set_result(first, ada, ruled(0, (5, 3)), reason="So.", now=NOON)
        entry, *more = event.entries.order_by("pk")
        leaving_running_event.withdraw(entry, ada, NOON, reason="Ill.")
        before = queries()
        for match in others:
            correcting.set_result(match, ada, ruled(0, (5, 3)), reason="So.", now=NOON)
        for one in more[:4]:
            leaving_running_event.withdraw(one, ada, NOON, reason="Ill.")
        assert queries() == before

    def test_long_logs_have_pages(self, ada: Player) -> None:
        event = running(ada)
        for number in range(60):
            message_to_all.post_message(
                event, ada, f"Word {number}.", NOON + timedelta(seconds=number)
            )
        text = page(event, ada)
        assert "Word 59." in text
        assert "Word 9." not in text
        path = reverse("event_acts", args=[event.pk])
        assert "Word 9." in logged_in(ada).get(path, {"page": 2}).text


def test_withdrawing_somebody_needs_a_reason(ada: Player) -> None:
    event = running(ada)
    entry = event.entries.order_by("pk")[0]
    for reason in ("", " ", "x" * 201):
        answer = logged_in(ada).post(
            reverse("withdraw_entry", args=[event.pk, entry.pk]), {"reason": reason}
        )
        assert answer.status_code == 422
        assert 'class="wrong"' in answer.text
    entry.refresh_from_db()
    assert entry.state != Entry.State.WITHDRAWN
    assert not event.acts.exists()


class TestUndoInTheLog:
    """ "Undo" beside an act is a link only if it works; otherwise its reason is there."""

    def undo(self, act: Act) -> str:
        return f'href="{reverse("undo_act", args=[act.event_id, act.pk])}"'

    def test_an_act_that_something_depends_on_cannot_be_pressed(self, ada: Player) -> None:
        event = running(ada)
        round_clock.extend_round(event, ada, 5, NOON)
        round_clock.extend_round(event, ada, 10, NOON)
        later, first = event.acts.order_by("-pk")
        shown = page(event, ada)
        assert self.undo(later) in shown
        assert self.undo(first) not in shown
        assert shown.count('aria-disabled="true"') == 1
        assert "Cannot be undone now: A later act depends on it" in shown
        assert [act.pk for act in event.acts.order_by("-pk")] == [later.pk, first.pk]

    def test_when_the_event_is_over_each_says_why(self, ada: Player) -> None:
        event = running(ada)
        round_clock.extend_round(event, ada, 5, NOON)
        gone = event.entries.order_by("pk")[0]
        leaving_running_event.withdraw(gone, ada, NOON, reason="Ill.")
        Event.objects.filter(pk=event.pk).update(state=Event.State.FINISHED)
        build.latest(event).__class__.objects.update(over=NOON)
        shown = page(event, ada)
        assert "Cannot be undone now: The round is over." in shown
        assert "Cannot be undone now: The event is over." in shown
        assert not any(self.undo(act) in shown for act in event.acts.all())

    def test_members_read_no_reasons(self, ada: Player) -> None:
        event = running(ada)
        round_clock.extend_round(event, ada, 5, NOON)
        reader = member("Rowena")
        build.joined(event.club, reader)
        assert "undone now" not in page(event, reader)


def test_whoever_leaves_in_the_last_round_reads_that_they_will_be_last(ada: Player) -> None:
    event = running(ada, format="swiss", rounds=1)
    lines = ranking.standings_of(event).lines
    path = reverse("withdraw_entry", args=[event.pk, lines[1].entry.pk])
    shown = logged_in(ada).get(path).text
    words = " ".join(re.sub(r"<[^>]*>", " ", shown).split())
    assert escape(f"Place of {team_of(lines[1].entry).name}") in words
    assert "from 2nd to last" in words
