"""Penalties: what they add to a score, who may give them, and what takes them back."""

from types import SimpleNamespace
from typing import Any

import pytest
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from games.models import Player
from tests.factories import logged_in
from tests.tournaments import build
from tests.tournaments.build import NOON, ruled, seen_in
from tests.tournaments.console.first_round import end_round, first_table, running
from tests.tournaments.room_scores.cards_of import (
    card_of,
    drawn,
    game,
    hand,
    match_of,
    player_at,
    send,
    sign,
)
from tournaments.acts import correcting, page, penalties, playing_again, undoing
from tournaments.acts.penalties import Penalty
from tournaments.models import Act, Event, Pairing
from tournaments.refusals import RefusedError
from tournaments.results import penalties as rules
from tournaments.results.penalties import LONE_RENEGE, OTHER, RENEGE, TABLE_TALK, WARNING
from tournaments.standings import ranking

pytestmark = pytest.mark.django_db


def room(ada: Player, **fields: Any) -> Event:
    return drawn(ada.memberships.get().club, **fields)


def give(event: Event, by: Player, side: int, offence: str = RENEGE, points: int = 0) -> Act:
    match = match_of(event)
    penalty = Penalty(side, offence, points)
    penalties.give(match, penalty, by, reason="Followed no suit.", now=NOON)
    return event.acts.latest("pk")


class TestScoreCard:
    @pytest.mark.parametrize(
        ("offence", "points", "score"),
        [
            (RENEGE, 0, (1, 2)),
            (LONE_RENEGE, 0, (1, 4)),
            (TABLE_TALK, 0, (1, 1)),
            (OTHER, 3, (1, 3)),
            (OTHER, -1, (0, 0)),
        ],
    )
    def test_points_go_to_the_other_side_or_off_their_own(
        self, ada: Player, offence: str, points: int, score: tuple[int, int]
    ) -> None:
        event = room(ada)
        hand(event, 1, 0)
        give(event, ada, 0, offence, points)
        assert card_of(event).points == score

    def test_both_sides_sign_the_score_with_it(self, ada: Player) -> None:
        event = room(ada)
        hand(event, 1, 0)
        hand(event, 2, 1)
        sign(event, (1, 1))
        give(event, ada, 0, LONE_RENEGE)
        assert card_of(event).signed == {}, "a signature is for one score only"
        with pytest.raises(RefusedError, match="The score is 1–5 now"):
            sign(event, (1, 1), side=1)
        sign(event, (1, 5))
        sign(event, (1, 5), side=1)
        match = match_of(event)
        assert (match.points, match.winner, match.penalties) == ((1, 5), 1, (0, 4))
        build.step(event, NOON)
        line = next(one for one in ranking.standings_of(event).lines if one.won)
        assert line.points_for == 5

    def test_a_penalty_can_end_a_game(self, ada: Player) -> None:
        event = room(ada, match=Event.Match.GAME)
        hand(event, 1, 0, "march")
        hand(event, 2, 0, "march")
        assert not card_of(event).complete
        give(event, ada, 1)
        assert (card_of(event).scores, card_of(event).complete) == (((6, 0),), True)
        sign(event, (6, 0))
        sign(event, (6, 0), side=1)
        assert match_of(event).winner == 0

    def test_between_two_games_it_counts_for_the_next(self, ada: Player) -> None:
        event = room(ada, match=Event.Match.BEST_OF_3)
        for number in (1, 2, 3):
            hand(event, number, 0, "march")
        give(event, ada, 0)
        assert card_of(event).scores == ((6, 0), (0, 2))
        hand(event, 4, 1, "march")
        assert card_of(event).scores == ((6, 0), (0, 4))

    def test_a_final_score_written_later_includes_it(self, ada: Player) -> None:
        event = room(ada, match=Event.Match.GAME)
        give(event, ada, 1)
        game(event, 1, 6, 3)
        assert card_of(event).points == (6, 3)

    def test_a_game_that_is_won_stays_won(self, ada: Player) -> None:
        event = room(ada, match=Event.Match.GAME)
        game(event, 1, 6, 3)
        give(event, ada, 0)
        assert card_of(event).points == (6, 4)
        with pytest.raises(RefusedError, match="would change nothing"):
            give(event, ada, 0)

    def test_undo_lifts_it_with_the_signatures(self, ada: Player) -> None:
        event = room(ada)
        key = hand(event, 1, 0)
        act = give(event, ada, 0)
        send(event, "take_back", {}, number=1, seen=key)
        hand(event, 1, 1)
        assert card_of(event).points == (0, 3)
        undoing.undo(act, ada, NOON)
        assert (card_of(event).points, match_of(event).penalties) == ((0, 1), (0, 0))

    def test_undo_is_refused_once_the_score_is_signed_with_it(self, ada: Player) -> None:
        event = room(ada)
        hand(event, 1, 0)
        hand(event, 2, 0)
        act = give(event, ada, 0)
        sign(event, (2, 2))
        sign(event, (2, 2), side=1)
        with pytest.raises(RefusedError, match="has a result with it since"):
            undoing.undo(act, ada, NOON)

    def test_it_stays_on_the_card_of_a_match_that_is_played_again(self, ada: Player) -> None:
        event = room(ada)
        correcting.set_result(match_of(event), ada, ruled(0, (2, 0)), reason="", now=NOON)
        give(event, ada, 0)
        playing_again.reopen(match_of(event), ada, reason="Misdealt.", now=NOON)
        hand(event, 1, 0)
        hand(event, 2, 0)
        assert card_of(event).points == (2, 2)
        sign(event, (2, 2))
        sign(event, (2, 2), side=1)
        assert match_of(event).points == (2, 2)

    def test_the_card_and_its_history_say_so(self, ada: Player) -> None:
        event = room(ada)
        hand(event, 1, 0)
        give(event, ada, 0)
        words = "enege by north–south, 2 points to east–west"
        code = event.room_tables.get(number=1).code
        assert words in logged_in(player_at(event, 0)).get(f"/t/{code}/").text
        path = reverse("set_result", args=[event.pk, 1, 1])
        shown = logged_in(ada).get(path).text
        assert words in shown
        assert "The director (Ada)" in shown


class TestResult:
    def decided(self, ada: Player, **fields: Any) -> Event:
        event = running(ada, break_seconds=600, **fields)
        end_round(event)
        return event

    def test_a_result_online_changes_and_comes_back(self, ada: Player) -> None:
        event = self.decided(ada)
        before = Pairing.objects.filter(round__event=event).values().get(number=1)
        penalties.give(first_table(event), Penalty(0, RENEGE), ada, reason="So.", now=NOON)
        match = first_table(event)
        assert (before["points_0"], before["points_1"]) == (5, 2)
        assert (match.points, match.winner) == ((5, 4), 0)
        undoing.undo(event.acts.latest("pk"), ada, NOON)
        assert Pairing.objects.filter(round__event=event).values().get(number=1) == before

    def test_a_match_of_hands_can_be_won_by_it(self, ada: Player) -> None:
        event = room(ada)
        correcting.set_result(match_of(event), ada, ruled(0, (2, 1)), reason="", now=NOON)
        give(event, ada, 0)
        assert (match_of(event).points, match_of(event).winner) == ((2, 3), 1)
        give(event, ada, 1, OTHER, -1)
        assert (match_of(event).points, match_of(event).winner) == ((2, 2), -1)

    def test_a_director_can_correct_a_result_that_has_one(self, ada: Player) -> None:
        event = room(ada)
        correcting.set_result(match_of(event), ada, ruled(0, (2, 0)), reason="", now=NOON)
        give(event, ada, 0, LONE_RENEGE)
        correcting.set_result(match_of(event), ada, ruled(1, (1, 5)), reason="So.", now=NOON)
        with pytest.raises(RefusedError, match="and the penalties bring at most"):
            correcting.set_result(match_of(event), ada, ruled(1, (1, 15)), reason="So.", now=NOON)

    def test_what_forbids_it(self, ada: Player) -> None:
        event = running(ada)
        with pytest.raises(RefusedError, match="plays online"):
            give(event, ada, 0)
        with pytest.raises(RefusedError, match="Give or take 1 to 20"):
            give(event, ada, 0, OTHER, 21)
        wish = ruled(0, ended=Pairing.How.FORFEIT)
        correcting.set_result(match_of(event), ada, wish, reason="So.", now=NOON)
        with pytest.raises(RefusedError, match="was forfeited"):
            give(event, ada, 0)
        player = player_at(event, 0)
        build.joined(event.club, player, "director")
        with pytest.raises(RefusedError, match="somebody else has to set its result"):
            give(event, player, 1)

    def test_a_warning_changes_no_score(self, ada: Player) -> None:
        event = running(ada)
        act = give(event, ada, 1, WARNING)
        assert (act.before, act.after) == ({}, {"words": "warning for east–west"})
        undoing.undo(act, ada, NOON)


def test_the_page_shows_the_score_first(ada: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "timezone", SimpleNamespace(now=lambda: NOON))
    event, browser = room(ada), logged_in(ada)
    hand(event, 1, 0)
    path = reverse("penalty", args=[event.pk, 1, 1])
    assert path in browser.get(reverse("manage_event", args=[event.pk]), {"open": "1"}).text
    assert browser.get(path, {"side": "0", "what": "give"}).status_code == 422
    said = {"side": "0", "what": RENEGE}
    shown = browser.get(path, said).text
    assert 'value="None"' not in shown
    assert "Round 1, table 1, score so far" in shown
    assert "<s>1–0</s>" in shown
    answer = browser.post(path, {**said, "reason": "Hand 1.", "seen": seen_in(shown)})
    assert answer.status_code == 303
    assert card_of(event).points == (1, 2)
    log = browser.get(reverse("event_acts", args=[event.pk])).text
    assert "Gave a penalty, renege by north–south, 2 points to east–west: round 1, table 1" in log
    assert "<s>1–0</s> → 1–2" in log


@given(st.tuples(*[st.integers(0, 20)] * 2), st.tuples(*[st.integers(-20, 20)] * 2))
def test_a_won_game_keeps_its_winner(score: tuple[int, int], points: tuple[int, int]) -> None:
    new = rules.applied(score, points, 10)
    assert min(new) >= 0
    if max(score) >= 10 > min(score):
        assert (new[0] > new[1]) == (score[0] > score[1])
        assert max(new) >= 10 > min(new)


class TestFromAPersonFound:
    def find(self, event: Event, by: Player, name: str) -> str:
        page = reverse("find_people", args=[event.pk])
        return logged_in(by).get(page, {"q": name}).text

    def test_it_leads_to_their_match_and_side(self, ada: Player) -> None:
        event = running(ada)
        match = match_of(event, 2)
        player = player_at(event, 1, 2)
        Player.objects.filter(pk=player.pk).update(name="Quentin")
        path = f"{reverse('penalty', args=[event.pk, 1, 2])}?side=1"
        assert f'href="{path}&amp;found=quen"' in self.find(event, ada, "quen")
        page = logged_in(ada).get(path)
        assert page.status_code == 200
        assert page.context["page"].choice["side"].value() == "1"
        assert not page.context["page"].choice.errors
        path, chosen = path.partition("?")[0], {"side": "1", "what": WARNING}
        seen = logged_in(ada).get(path, chosen).context["preview"].digest
        fields = {**chosen, "reason": "Led twice.", "seen": seen}
        assert logged_in(ada).post(path, fields).status_code == 303
        assert event.acts.get(kind=Act.Kind.PENALTY).pairing == match

    def test_without_a_match_in_the_round_it_says_so(self, ada: Player) -> None:
        event = running(ada, players=9)
        out = build.latest(event).sit_outs.get().entry.players.get().player
        Player.objects.filter(pk=out.pk).update(name="Quentin")
        found = self.find(event, ada, "quen")
        assert "No penalty: no match in round 1." in found
        assert "Penalty<" not in found

    def test_before_the_start_there_is_none(self, ada: Player) -> None:
        event = build.event(ada.memberships.get().club)
        build.let_in(event, [Player.objects.create(name="Quentin")])
        assert "enalty" not in self.find(event, ada, "quen")

    def test_a_director_who_plays_there_is_refused_in_words(self, ada: Player) -> None:
        event = running(ada)
        line = match_of(event).entries.get(side=0, position=0)
        line.entry.players.update(player=ada)
        path = reverse("penalty", args=[event.pk, 1, 1])
        answer = logged_in(ada).get(path, {"side": "1", "what": RENEGE})
        assert "so somebody else has to set its result" in answer.text
