"""The time between the last result of an event and its end, and corrections after that."""

from datetime import timedelta
from typing import Any

import pytest
from pytest_django import Settings

from games.models import Player
from games.play.outages import Outage
from tests.factories import logged_in, member
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON, ruled
from tournaments.acts import correcting, house_players, round_clock, starting_and_ending
from tournaments.console import manage_page
from tournaments.entering import entering, leaving_running_event
from tournaments.models import EntryPlayer, Event, Letter, Pairing, Trophy
from tournaments.ratings import rating_games
from tournaments.refusals import RefusedError
from tournaments.running import outages

pytestmark = pytest.mark.django_db

GRACE = 10 * MINUTE


@pytest.fixture(autouse=True)
def ten_minutes(settings: Settings) -> None:
    """As it is set by default."""
    settings.RESULT_GRACE = 10


def played(ada: Player, entries: int = 4, **fields: Any) -> Event:
    """An event of which all is played at noon, with players who have accounts."""
    made = {"rounds": 1, "format": "swiss", **fields}
    event = build.event(ada.memberships.get().club, **made)
    build.enter(event, entries)
    for line in EntryPlayer.objects.filter(event=event):
        EntryPlayer.objects.filter(pk=line.pk).update(player=member(f"M{line.pk}"))
    build.begin(event)
    while event.state == Event.State.RUNNING and event.final_at is None:
        build.arrive(event)
        build.step(event, NOON)
        for pairing in build.latest(event).pairings.filter(state=Pairing.State.PLAYING):
            build.win(pairing, 0, (5, 3))
        build.step(event, NOON)
    return event


def a_match(event: Event) -> Pairing:
    """The first match of the latest round."""
    return build.latest(event).pairings.order_by("number")[0]


class TestGrace:
    def test_places_are_provisional_during_the_grace_period(self, ada: Player) -> None:
        event = played(ada)
        assert (event.state, event.final_at) == (Event.State.RUNNING, NOON + GRACE)
        assert event.due == NOON + GRACE
        assert not Trophy.objects.exists()
        assert not Letter.objects.exists()
        assert not event.to_rate
        build.step(event, NOON + GRACE - timedelta(seconds=1))
        assert event.state == Event.State.RUNNING
        build.step(event, NOON + GRACE)
        assert (event.state, event.final_at, event.ended) == ("finished", None, NOON + GRACE)
        assert Trophy.objects.exists()
        assert Letter.objects.count() == 8
        assert event.to_rate

    def test_page_states_the_end_of_the_grace_period(self, ada: Player) -> None:
        event = played(ada)
        html = logged_in(ada).get(f"/events/{event.pk}/").content.decode()
        assert "Provisional until 12:10" in html
        one = EntryPlayer.objects.filter(event=event)[0].player
        own = logged_in(one).get(f"/events/{event.pk}/").content.decode()
        assert "Provisional until 12:10 UTC. Until then a director can correct results." in own
        for page in (html, own):
            assert "next round will be drawn" not in page
        assert "All rounds have been played" in html
        told = logged_in(ada).get(f"/api/events/{event.pk}").json()
        assert told["final_at"].startswith("2026-03-07T12:10")

    def test_last_sit_out_is_not_promised_another_table(self, ada: Player) -> None:
        event = played(ada, 5)
        out = EntryPlayer.objects.get(entry__sit_outs__round=build.latest(event), position=0)
        own = logged_in(out.player).get(f"/events/{event.pk}/").content.decode()
        assert "All rounds have been played" in own
        assert "next table will be announced" not in own

    def test_event_without_people_has_no_grace_period(self, ada: Player) -> None:
        event = build.event(ada.memberships.get().club, rounds=1, format="swiss")
        house_players.add_house_entries(event, ada, 4, NOON)
        build.begin(event)
        build.step(event, NOON)
        for pairing in build.latest(event).pairings.all():
            build.win(pairing, 0)
        build.step(event, NOON)
        assert event.state == Event.State.FINISHED

    def test_grace_period_can_be_zero(self, ada: Player, settings: Settings) -> None:
        settings.RESULT_GRACE = 0
        assert played(ada).state == Event.State.FINISHED

    def test_non_playing_director_ends_the_grace_period(self, ada: Player) -> None:
        event = played(ada)
        one = EntryPlayer.objects.filter(event=event)[0].player
        build.joined(event.club, one, "director")
        with pytest.raises(RefusedError, match=r"has played in this event.* Ada can"):
            starting_and_ending.final_now(event, one, NOON)
        with pytest.raises(RefusedError, match="has played in this event"):
            starting_and_ending.cancel(event, one, "I lost.", NOON)
        starting_and_ending.final_now(event, ada, NOON + 5 * MINUTE)
        event.refresh_from_db()
        assert (event.state, event.ended) == (Event.State.FINISHED, NOON + 5 * MINUTE)
        with pytest.raises(RefusedError, match="only when everything has been played"):
            starting_and_ending.final_now(event, ada, NOON + 5 * MINUTE)

    @pytest.mark.parametrize("minutes", [0, 1, 4, 5, 6, 9])
    @pytest.mark.parametrize("rated", [True, False])
    def test_final_now_is_offered_only_when_it_works(
        self,
        ada: Player,
        minutes: int,
        rated: bool,
    ) -> None:
        event = played(ada)
        Event.objects.update(rated=rated)
        event.refresh_from_db()
        now = NOON + minutes * MINUTE
        shown = manage_page.read(event, ada, now)
        offered = not shown.no_end
        if offered:
            starting_and_ending.final_now(event, ada, now)
            return
        assert "until Saturday 7 March, 12:05" in shown.no_end
        with pytest.raises(RefusedError, match="until Saturday"):
            starting_and_ending.final_now(event, ada, now)

    def test_grace_period_cannot_be_ended_during_play(self, ada: Player) -> None:
        event = build.event(ada.memberships.get().club, rounds=1, format="swiss")
        build.enter(event, 4)
        build.begin(event)
        with pytest.raises(RefusedError, match="only when everything has been played"):
            starting_and_ending.final_now(event, ada, NOON)

    def test_pause_extends_the_grace_period(self, ada: Player) -> None:
        event = played(ada)
        round_clock.pause(event, ada, NOON + 5 * MINUTE)
        event.refresh_from_db()
        build.step(event, NOON + 60 * MINUTE)
        assert event.state == Event.State.RUNNING
        round_clock.resume(event, ada, NOON + 60 * MINUTE)
        event.refresh_from_db()
        assert event.final_at == NOON + 65 * MINUTE

    def test_outage_extends_the_grace_period(self, ada: Player) -> None:
        event = played(ada)
        outages.move_events(Outage(NOON + MINUTE, NOON + 31 * MINUTE))
        event.refresh_from_db()
        assert event.final_at is not None
        assert event.final_at >= NOON + GRACE + 30 * MINUTE

    def test_only_results_change_during_the_grace_period(self, ada: Player) -> None:
        event = played(ada)
        line = EntryPlayer.objects.filter(event=event)[0]
        with pytest.raises(RefusedError, match="All matches have been played"):
            leaving_running_event.withdraw(line.entry, ada, NOON)
        with pytest.raises(RefusedError, match="All matches have been played"):
            entering.withdraw(event, line.player, NOON)
        with pytest.raises(RefusedError, match="All matches have been played"):
            round_clock.next_round_now(event, ada, NOON)

    def test_correction_restarts_the_grace_period_without_letters(self, ada: Player) -> None:
        event = played(ada)
        match = a_match(event)
        later = NOON + 9 * MINUTE
        correcting.set_result(match, ada, ruled(1, (3, 5)), reason="Misread.", now=later)
        event.refresh_from_db()
        assert event.final_at == later + GRACE
        assert not Letter.objects.exists()
        build.step(event, later + GRACE)
        assert event.state == Event.State.FINISHED
        assert event.entries.get(place=1) != match.entries.get(side=0).entry

    def test_correction_that_needs_another_match_resumes_the_event(self, ada: Player) -> None:
        event = build.event(ada.memberships.get().club, format="double_elimination")
        build.enter(event, 2)
        build.begin(event)
        build.arrive(event)
        build.step(event, NOON)
        build.win(a_match(event), 0, (5, 3))
        build.step(event, NOON)
        build.arrive(event)
        build.step(event, NOON)
        final = a_match(event)
        first = event.played_rounds.get(number=1).pairings.get()
        unbeaten = first.entries.get(side=0).entry
        side = final.entries.get(entry=unbeaten).side
        build.win(final, side, (5, 3) if side == 0 else (3, 5))
        build.step(event, NOON)
        assert event.final_at is not None
        other = ruled(1 - side, (5, 3) if side else (3, 5))
        correcting.set_result(final, ada, other, reason="Misread.", now=NOON)
        build.step(event, NOON)
        assert event.played_rounds.count() == 3
        assert Event.objects.filter(pk=event.pk, final_at=None).exists()


class TestAfterTheEnd:
    def final(self, ada: Player) -> Event:
        event = played(ada)
        build.step(event, NOON + GRACE)
        Letter.objects.all().delete()
        return event

    def test_players_whose_place_changes_are_mailed(self, ada: Player) -> None:
        event = self.final(ada)
        match, later = a_match(event), NOON + 60 * MINUTE
        before = dict(event.entries.values_list("pk", "place"))
        correcting.set_result(match, ada, ruled(1, (3, 5)), reason="Misread.", now=later)
        after = dict(event.entries.values_list("pk", "place"))
        moved = {pk for pk, place in after.items() if place != before[pk]}
        assert moved
        players = EntryPlayer.objects.filter(entry__in=moved)
        users = set(players.values_list("player__user", flat=True))
        assert set(Letter.objects.values_list("user", flat=True)) == users
        for line in players.select_related("player"):
            letter = Letter.objects.get(user=line.player.user_id)
            assert "Misread." in letter.text
            assert "3–5 instead of 5–3" in letter.text
            places = {1: "1st", 2: "2nd", 3: "3rd", 4: "4th"}
            was, now = places[before[line.entry_id] or 0], places[after[line.entry_id] or 0]
            assert letter.subject.endswith(f"your place is {now} now, not {was}")

    def test_correction_without_a_change_of_place_mails_none(self, ada: Player) -> None:
        event = self.final(ada)
        match = a_match(event)
        before = dict(event.entries.values_list("pk", "place"))
        correcting.set_result(match, ada, ruled(0, (8, 0)), reason="Misread.", now=NOON)
        after = dict(event.entries.values_list("pk", "place"))
        assert (after == before) == (not Letter.objects.exists())
        assert after[match.entries.get(side=0).entry_id] == 1

    def test_the_same_result_is_refused_and_taking_it_back_is_a_correction(
        self, ada: Player
    ) -> None:
        event = self.final(ada)
        match = a_match(event)
        with pytest.raises(RefusedError, match="already the result") as refusal:
            correcting.set_result(match, ada, ruled(0, (5, 3)), reason="Again.", now=NOON)
        assert refusal.value.code == "same"
        correcting.set_result(match, ada, ruled(1, (3, 5)), reason="Misread.", now=NOON)
        with pytest.raises(RefusedError, match="already the result"):
            correcting.set_result(match, ada, ruled(1, (3, 5)), reason="Again.", now=NOON)
        correcting.set_result(match, ada, ruled(0, (5, 3)), reason="It was right.", now=NOON)
        assert match.corrections.count() == 2

    def test_correction_is_public_with_author_and_reason(self, ada: Player) -> None:
        event = self.final(ada)
        match = a_match(event)
        correcting.set_result(match, ada, ruled(1, (3, 5)), reason="Misread.", now=NOON)
        correcting.set_result(
            match, ada, ruled(0, ended=Pairing.How.FORFEIT), reason="They left.", now=NOON + MINUTE
        )
        line = EntryPlayer.objects.filter(event=event)[0]
        browser = logged_in(line.player)
        html = " ".join(browser.get(f"/events/{event.pk}/").content.decode().split())
        assert "Results set by hand" in html
        assert f"Round 1, table {match.number}: 5–3 became 3–5" in html
        assert "3–5 became a forfeit for north–south" in html
        assert html.index("They left.") < html.index("Misread.")
        told = browser.get(f"/api/events/{event.pk}/corrections").json()
        assert [one["reason"] for one in told] == ["They left.", "Misread."]
        assert told[1]["by"]["name"] == "Ada"
        assert told[1]["before"]["points"] == [5, 3]
        assert told[1]["after"]["winner"] == 1
        assert told[0]["after"]["ended"] == "forfeit"

    def test_corrected_event_is_rated_again(self, ada: Player) -> None:
        event = self.final(ada)
        rating_games.catch_up()
        match = a_match(event)
        correcting.set_result(match, ada, ruled(1, (3, 5)), reason="Misread.", now=NOON)
        event.refresh_from_db()
        assert event.to_rate


class TestForm:
    def address(self, event: Event) -> str:
        return f"/events/{event.pk}/manage/rounds/1/tables/{a_match(event).number}/"

    @pytest.mark.parametrize(
        ("fields", "words"),
        [
            ({"winner": "0", "points_0": "3", "points_1": "999"}, "is won with 5 to 8 points"),
            ({"winner": "-1", "points_0": "5", "points_1": "3"}, "the first side won"),
            ({"winner": "0", "points_0": "", "points_1": "3"}, "Enter the points of both sides"),
            ({"winner": "0", "points_0": "4", "points_1": "3"}, "is won with 5 to 8 points"),
            ({"winner": "0", "ended": "time", "points_0": "4", "points_1": "3"}, "those listed."),
            ({"winner": "0", "ended": "forfeit", "points_0": "4"}, "A forfeit has no points"),
        ],
    )
    def test_impossible_result_is_reported_by_field_with_the_input(
        self, ada: Player, fields: dict[str, str], words: str
    ) -> None:
        event = played(ada)
        sent = {"ended": "played", "reason": "So it was.", **fields}
        answer = logged_in(ada).post(self.address(event), sent)
        html = answer.content.decode()
        assert answer.status_code == 422
        assert words in html
        assert 'class="wrong"' in html
        assert "So it was." in html
        for name, value in fields.items():
            assert f'value="{value}"' in html or name == "ended" or not value, name
        assert a_match(event).corrections.count() == 0

    def test_a_forfeit_is_set_without_points(self, ada: Player) -> None:
        event = played(ada)
        sent = {"winner": "1", "ended": "forfeit", "reason": "They left."}
        sent["seen"] = correcting.digest(event, a_match(event))
        assert build.ruled_by_form(logged_in(ada), self.address(event), sent).status_code == 303
        match = a_match(event)
        assert (match.how, match.winner, match.points_0, match.games_1) == ("forfeit", 1, 0, 0)

    def test_a_match_of_several_games_is_set_game_by_game(self, ada: Player) -> None:
        event = build.event(
            ada.memberships.get().club, rounds=1, format="swiss", match=Event.Match.BEST_OF_3
        )
        build.enter(event, 4)
        build.begin(event)
        sent = {"winner": "1", "ended": "played", "reason": "On paper."}
        games = {"game_1_0": 5, "game_1_1": 3, "game_2_0": 2, "game_2_1": 6}
        answer = logged_in(ada).post(self.address(event), {**sent, **games})
        assert answer.status_code == 422
        assert "It takes 2 games to win; 1–1 is not the end" in answer.content.decode()
        games |= {"game_3_0": 4, "game_3_1": 5}
        answer = build.ruled_by_form(logged_in(ada), self.address(event), {**sent, **games})
        assert answer.status_code == 303
        match = a_match(event)
        assert (match.games_0, match.games_1, match.points_0, match.points_1) == (1, 2, 11, 14)
        html = logged_in(ada).get(self.address(event)).content.decode()
        assert 'name="game_3_1" value="5"' in html
