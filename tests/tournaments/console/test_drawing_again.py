"""A round taken back or drawn again: what falls, what is restored, and who cannot do it."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from django.urls import reverse

from games.models import Game, Player, Table
from tests.factories import logged_in
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON, ruled, seen_in
from tests.tournaments.console.first_round import end_round, first_table, running, set_result
from tests.tournaments.room_scores import cards_of
from tournaments.acts import correcting, drawing_again, page, previews, round_clock, undoing
from tournaments.entering import leaving_running_event
from tournaments.models import (
    Act,
    Correction,
    Entry,
    Event,
    Pairing,
    PairingEntry,
    Round,
    ScoreLine,
    SitOut,
)
from tournaments.refusals import RefusedError
from tournaments.standings import ranking

pytestmark = pytest.mark.django_db


def take_back(event: Event, by: Player, number: int, **more: Any) -> Act:
    said = {"reason": "Too soon.", "override": False, "now": NOON, **more}
    drawing_again.take_back(event, by, number, **said)
    event.refresh_from_db()
    return event.acts.latest("pk")


def draw_again(event: Event, by: Player, number: int, **more: Any) -> Act:
    said = {"reason": "Somebody left.", "override": False, "now": NOON, **more}
    drawing_again.draw_again(event, by, number, **said)
    event.refresh_from_db()
    return event.acts.latest("pk")


def rows(event: Event, *, tables: bool = True) -> list[Any]:
    """Every row of the rounds of an event."""
    left_out = () if tables else ("table_id", "state")
    pairings = Pairing.objects.filter(round__event=event).order_by("pk").values()
    return [
        [{k: v for k, v in row.items() if k not in left_out} for row in pairings],
        list(PairingEntry.objects.filter(round__event=event).order_by("pk").values()),
        list(SitOut.objects.filter(round__event=event).order_by("pk").values()),
        list(Correction.objects.filter(pairing__round__event=event).order_by("pk").values()),
        list(event.entries.order_by("pk").values()),
        list(event.acts.exclude(kind__in=("take_back", "redraw", "undo")).values("pk", "pairing")),
        list(Round.objects.filter(event=event).values("pk", "number", "over")),
    ]


def second_round(ada: Player, **fields: Any) -> Event:
    """An event whose second round has been called; the first side has won everywhere."""
    event = running(ada, **{"format": "progressive", **fields})
    end_round(event)
    return event


class TestTakeBack:
    def test_the_round_is_gone_and_the_event_paused_until_it_goes_on(self, ada: Player) -> None:
        event = second_round(ada)
        tables = set(Table.objects.filter(pairing__round__number=2).values_list("pk", flat=True))
        before = rows(event, tables=False)
        take_back(event, ada, 2)
        assert event.paused == NOON
        assert list(event.played_rounds.values_list("number", flat=True)) == [1]
        states = Table.objects.filter(pk__in=tables).values_list("state", flat=True)
        assert set(states) == {"closed"}
        build.step(event, NOON + MINUTE)
        assert event.played_rounds.count() == 1
        round_clock.resume(event, ada, NOON + MINUTE)
        build.step(event, NOON + MINUTE)
        assert event.played_rounds.count() == 2
        drawn = [line["entry_id"] for line in before[1]]
        assert [line["entry_id"] for line in rows(event)[1]] == drawn

    def test_a_corrected_result_changes_the_draw(self, ada: Player) -> None:
        event = second_round(ada)
        take_back(event, ada, 2)
        match = first_table(event)
        correcting.set_result(match, ada, ruled(1, (3, 5)), reason="Misread.", now=NOON)
        winners = set(match.entries.filter(side=1).values_list("entry", flat=True))
        round_clock.resume(event, ada, NOON)
        build.step(event, NOON)
        there = first_table(event).entries.values_list("entry", flat=True)
        assert winners <= set(there)

    def test_undo_restores_every_row(self, ada: Player) -> None:
        event = second_round(ada)
        before = rows(event, tables=False)
        undoing.undo(take_back(event, ada, 2), ada, NOON)
        event.refresh_from_db()
        assert rows(event, tables=False) == before
        assert event.paused is None
        build.arrive(event)
        build.step(event, NOON)
        end_round(event)
        assert event.played_rounds.count() == 3

    def test_what_stood_falls_only_if_it_is_said_and_comes_back_with_undo(
        self, ada: Player
    ) -> None:
        event = running(ada, 12, place=Event.Place.ROOM, format="progressive")
        one, other = build.latest(event).pairings.order_by("number")[:2]
        correcting.set_result(one, ada, ruled(0, (5, 3)), reason="", now=NOON)
        correcting.set_result(other, ada, ruled(1, (2, 5)), reason="", now=NOON)
        correcting.set_result(other, ada, ruled(1, (3, 5)), reason="Misread.", now=NOON)
        before = rows(event)
        with pytest.raises(RefusedError, match="entered at tables 1 and 2"):
            take_back(event, ada, 1)
        assert rows(event) == before
        act = take_back(event, ada, 1, override=True)
        assert not event.played_rounds.exists()
        path = reverse("event_acts", args=[event.pk])
        assert "5–3 at table 1, 3–5 at table 2" in logged_in(ada).get(path).text
        undoing.undo(act, ada, NOON)
        assert rows(event) == before

    def test_a_score_card_that_was_begun_stands_and_comes_back_with_undo(self, ada: Player) -> None:
        event = running(ada, 8, place=Event.Place.ROOM, format="progressive")
        cards_of.hand(event, 1, caller=0)
        lines = list(ScoreLine.objects.values())
        with pytest.raises(RefusedError, match="entered at table 1"):
            take_back(event, ada, 1)
        undoing.undo(take_back(event, ada, 1, override=True), ada, NOON)
        assert list(ScoreLine.objects.values()) == lines != []

    def test_games_that_counted_count_again(self, ada: Player) -> None:
        event = running(ada, format="progressive")
        match = first_table(event)
        set_result(event, ada, 1)
        ruling = Game.objects.get(table=match.table).ruling
        act = take_back(event, ada, 1, override=True)
        ruled_void = Game.objects.get(table=match.table).ruling or {}
        assert ruled_void["how"] == "void"
        undoing.undo(act, ada, NOON)
        assert Game.objects.get(table=match.table).ruling == ruling

    def test_an_event_that_is_over_keeps_its_rounds(self, ada: Player) -> None:
        event = second_round(ada, rounds=1)
        assert event.state == Event.State.FINISHED
        with pytest.raises(RefusedError, match="only while the event is running"):
            take_back(event, ada, 1)

    @pytest.mark.parametrize("form", ["rotation", "swiss", "round_robin", "single_elimination"])
    def test_every_format_draws_the_round_as_before(self, ada: Player, form: str) -> None:
        rounds = {"rounds": None} if form not in ("rotation", "swiss") else {}
        event = second_round(ada, players=8 if form == "rotation" else 4, format=form, **rounds)
        before = rows(event, tables=False)[1]
        take_back(event, ada, 2)
        round_clock.resume(event, ada, NOON)
        build.step(event, NOON)
        seats = ("entry_id", "side", "position")
        after = rows(event)[1]
        assert [[one[k] for k in seats] for one in after] == [
            [one[k] for k in seats] for one in before
        ]


class TestDrawAgain:
    def test_the_same_would_be_drawn_if_nothing_has_changed(self, ada: Player) -> None:
        event = second_round(ada)
        before = rows(event)
        with pytest.raises(RefusedError, match="would be drawn the same"):
            draw_again(event, ada, 2)
        assert rows(event) == before

    def test_without_somebody_who_has_left(self, ada: Player) -> None:
        event = second_round(ada, players=9)
        before = rows(event, tables=False)
        gone = first_table(event).entries.order_by("pk")[0].entry
        leaving_running_event.withdraw(gone, ada, NOON, reason="Ill.")
        left = rows(event, tables=False)
        act = draw_again(event, ada, 2)
        drawn = PairingEntry.objects.filter(round=build.latest(event))
        assert gone.pk not in drawn.values_list("entry", flat=True)
        assert drawn.count() == 8
        undoing.undo(act, ada, NOON)
        assert rows(event, tables=False) == left
        assert left[1] == before[1]

    def test_from_a_corrected_result(self, ada: Player) -> None:
        event = second_round(ada)
        match = event.played_rounds.get(number=1).pairings.get(number=1)
        correcting.set_result(match, ada, ruled(1, (3, 5)), reason="Misread.", now=NOON)
        draw_again(event, ada, 2)
        winners = set(match.entries.filter(side=1).values_list("entry", flat=True))
        assert winners <= set(first_table(event).entries.values_list("entry", flat=True))
        build.arrive(event)
        build.step(event, NOON)
        end_round(event)
        assert event.played_rounds.count() == 3
        assert ranking.standings_of(event).rounds == 2


class TestRefusals:
    def test_only_the_latest_round(self, ada: Player) -> None:
        event = second_round(ada)
        for verb in (take_back, draw_again):
            with pytest.raises(RefusedError, match="Take that back first") as refused:
                verb(event, ada, 1)
            assert refused.value.remedy is not None
            with pytest.raises(RefusedError, match="has not been drawn"):
                verb(event, ada, 3)
            with pytest.raises(RefusedError, match="Give a reason"):
                verb(event, ada, 2, reason=" ")

    def test_deals_that_tables_share_stay(self, ada: Player) -> None:
        event = running(ada, 12, format="duplicate")
        with pytest.raises(RefusedError, match="share their deals"):
            take_back(event, ada, 1, override=True)

    def test_a_director_who_plays_in_it_leaves_it_to_others(self, ada: Player) -> None:
        event = second_round(ada)
        plays = event.entered_players.all()[0].player
        build.joined(event.club, plays, "director")
        with pytest.raises(RefusedError, match="somebody else has to change"):
            take_back(event, plays, 2)
        act = take_back(event, ada, 2)
        with pytest.raises(RefusedError, match="somebody else has to change"):
            undoing.undo(act, plays, NOON)

    def test_who_withdrew_in_a_round_that_was_taken_back_is_put_back(self, ada: Player) -> None:
        event = second_round(ada)
        entry = event.entries.order_by("pk")[0]
        leaving_running_event.withdraw(entry, ada, NOON, reason="Called away.")
        take_back(event, ada, 2, override=True)
        undoing.undo(event.acts.get(kind=Act.Kind.WITHDRAW), ada, NOON)
        entry.refresh_from_db()
        assert entry.state == Entry.State.ENTERED

    def test_an_act_on_a_round_that_was_taken_back_is_not_undone(self, ada: Player) -> None:
        event = running(ada, format="progressive")
        act = set_result(event, ada)
        take_back(event, ada, 1, override=True)
        with pytest.raises(RefusedError, match="taken back, or drawn again"):
            undoing.undo(act, ada, NOON)

    def test_undo_is_refused_once_something_has_changed(self, ada: Player) -> None:
        event = second_round(ada, players=9)
        act = take_back(event, ada, 2)
        match = first_table(event)
        correcting.set_result(match, ada, ruled(1, (3, 5)), reason="Misread.", now=NOON)
        correction = event.acts.latest("pk")
        with pytest.raises(RefusedError, match="Set a result"):
            undoing.undo(act, ada, NOON)
        undoing.undo(correction, ada, NOON)
        gone = match.entries.order_by("pk")[0].entry
        Entry.objects.filter(pk=gone.pk).update(state=Entry.State.WITHDRAWN)
        with pytest.raises(RefusedError, match="not in the event as they were"):
            undoing.undo(act, ada, NOON)
        Entry.objects.filter(pk=gone.pk).update(state=gone.state)
        round_clock.resume(event, ada, NOON)
        build.step(event, NOON)
        with pytest.raises(RefusedError, match="Round 2 has been drawn since"):
            undoing.undo(act, ada, NOON)

    def test_a_redraw_is_not_undone_once_something_stands(self, ada: Player) -> None:
        event = second_round(ada, players=9)
        gone = first_table(event).entries.order_by("pk")[0].entry
        leaving_running_event.withdraw(gone, ada, NOON, reason="Ill.")
        act = draw_again(event, ada, 2)
        build.arrive(event)
        build.step(event, NOON)
        with pytest.raises(RefusedError, match="A score has been entered at tables 1 and 2"):
            undoing.undo(act, ada, NOON)


class TestPages:
    @pytest.fixture(autouse=True)
    def _noon(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(page, "timezone", SimpleNamespace(now=lambda: NOON))

    def test_what_falls_is_named_and_has_to_be_allowed(self, ada: Player) -> None:
        event, browser = running(ada, format="progressive"), logged_in(ada)
        set_result(event, ada)
        path = reverse("take_back_round", args=[event.pk, 1])
        assert path in browser.get(reverse("manage_event", args=[event.pk])).text
        asked = browser.get(path).text
        assert "What was entered at tables 1 and 2 may be lost" in asked
        assert 'name="seen"' not in asked
        shown = browser.get(path, {"fall": "on"}).text
        assert '<span class="falls">Round 1, table 1</span>' in shown
        said = {"fall": "on", "reason": "Too soon.", "seen": seen_in(shown)}
        assert browser.post(path, said | {"fall": ""}).status_code == 422
        assert event.played_rounds.exists()
        assert browser.post(path, said).status_code == 303
        assert not event.played_rounds.exists()
        desk = browser.get(reverse("manage_event", args=[event.pk]))
        assert desk.status_code == 200
        assert "<q>Too soon.</q>" in desk.text

    def test_tables_that_go_and_come_are_named_so(self, ada: Player) -> None:
        event = running(ada, format="progressive", place=Event.Place.ROOM)

        def changes(verb: Callable[[], object]) -> dict[str, tuple[str, str, bool]]:
            shown = previews.preview(event, verb).changes
            return {one.thing: (one.before, one.after, one.falls) for one in shown}

        gone = changes(lambda: take_back(event, ada, 1))
        assert gone["Round 1, table 2"] == ("", "is removed", False)
        act = take_back(event, ada, 1)
        back = changes(lambda: undoing.undo(act, ada, NOON))
        assert back["Round 1, table 2"] == ("", "is added", False)
        assert back["Round 1, table 2, seats"][0] == ""

    def test_the_same_draw_is_refused_on_the_page(self, ada: Player) -> None:
        event, browser = second_round(ada), logged_in(ada)
        path = reverse("draw_again", args=[event.pk, 2])
        assert "Not now: Nothing that the draw follows from" in browser.get(path).text
        assert browser.get(reverse("draw_again", args=[event.pk, 5])).status_code == 404

    def test_the_second_of_two_directors_does_nothing(self, ada: Player) -> None:
        event, browser = second_round(ada), logged_in(ada)
        path = reverse("take_back_round", args=[event.pk, 2])
        said = {"reason": "Too soon.", "seen": seen_in(browser.get(path).text)}
        assert browser.post(path, said).status_code == 303
        again = browser.post(path, said)
        assert again.status_code == 404
        assert event.acts.count() == 1
