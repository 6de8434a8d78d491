"""A tied match: it stands as a tie, or the table plays one more hand, as the event says."""

from itertools import product
from typing import Any

import pytest
from django.urls import reverse

from games.engine.rules import CLASSIC_24, HEADS_UP, RuleSet
from games.models import Game, Player, Table
from games.shuffle import shuffling
from tests.api.asking import ask
from tests.factories import logged_in, member
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON, ruled
from tests.tournaments.results.test_possible import match, played_hands, wrong
from tests.tournaments.room_scores.cards_of import (
    NORTH,
    card_of,
    drawn,
    game,
    hand,
    match_of,
    sign,
    table_of,
)
from tests.tournaments.setting_up.test_event_checks import event as unsaved
from tournaments.acts import correcting, penalties, round_clock
from tournaments.events import event_words
from tournaments.formats.registry import FORMATS
from tournaments.models import Club, Event, Pairing
from tournaments.refusals import RefusedError
from tournaments.results import possible
from tournaments.room_scores import card_page, cards
from tournaments.standings import ranking

pytestmark = pytest.mark.django_db

M, How = Event.Match, Pairing.How
STAND, HAND = Event.Ties.STAND, Event.Ties.HAND
LATE = NOON + 21 * MINUTE


def ada_of(event: Event) -> Player:
    return build.director(event.club)


# Which results are possible ---------------------------------------------------------------------


@pytest.mark.parametrize("ties", Event.Ties.values)
@pytest.mark.parametrize("hands", [1, 2, 3, 4])
@pytest.mark.parametrize(
    ("rules", "values"), [(CLASSIC_24, {1, 2, 4}), (HEADS_UP, {1, 2})], ids=["four", "two"]
)
def test_the_possible_results_are_those_that_hands_can_end_with(
    rules: RuleSet, values: set[int], hands: int, ties: str
) -> None:
    ends = played_hands(values, hands)
    tied = {score for score in ends if score[0] == score[1]}
    if ties == HAND:
        more = {
            (score[0] + value * (side == 0), score[1] + value * (side == 1))
            for score, value, side in product(tied, values, (0, 1))
        }
        ends = (ends - tied) | more
    of = match(rules, match=M.DEALS, deals=hands, ties=ties)
    for first, second in product(range(4 * hands + 6), repeat=2):
        winner = -1 if first == second else int(second > first)
        assert (not wrong(of, winner, (first, second))) == ((first, second) in ends)
        assert wrong(of, 1 if winner == 0 else 0, (first, second))


@pytest.mark.parametrize("ties", Event.Ties.values)
def test_on_time_a_director_can_still_set_a_tie(ties: str) -> None:
    """The table could not go on; what was played out is another matter."""
    for kind in ({"match": M.GAME}, {"match": M.DEALS, "deals": 4}):
        of = match(limit=True, ties=ties, **kind)
        assert not wrong(of, -1, (3, 3), ended=How.TIME)
        assert not wrong(of, 0, (4, 3), ended=How.TIME)
    assert bool(wrong(match(match=M.DEALS, deals=4, ties=ties), -1, (3, 3))) == (ties == HAND)
    assert not wrong(match(ties=ties), -1, ended=How.FORFEIT)


# In the room --------------------------------------------------------------------------------------


class TestInTheRoom:
    def test_a_number_of_hands_goes_on_until_one_side_is_ahead(self, club: Club) -> None:
        event = drawn(club, ties=HAND)
        hand(event, 1, 0)
        hand(event, 2, 1)
        assert (card_of(event).complete, card_of(event).tied) == (False, True)
        with pytest.raises(RefusedError, match=r"It is tied at 1–1\. Play one more hand"):
            sign(event, (1, 1))
        hand(event, 3, cards.NOBODY, cards.PASSED)
        assert card_of(event).tied
        hand(event, 4, 1)
        sign(event, (1, 2))
        sign(event, (1, 2), side=1)
        assert (match_of(event).how, match_of(event).winner) == (How.PLAYED, 1)

    def test_a_hand_too_many_is_one_too_many(self, club: Club) -> None:
        event = drawn(club, ties=HAND)
        hand(event, 1, 0)
        hand(event, 2, 0)
        with pytest.raises(RefusedError, match="one too many"):
            hand(event, 3, 1)

    def test_a_tied_final_score_is_not_accepted(self, club: Club) -> None:
        event = drawn(club, ties=HAND)
        with pytest.raises(RefusedError, match="Play one more hand"):
            game(event, 1, 2, 2)
        game(event, 1, 2, 4)
        sign(event, (2, 4))
        sign(event, (2, 4), side=1)
        assert match_of(event).winner == 1

    @pytest.mark.parametrize(
        "fields", [{"match": M.GAME}, {"match": M.DEALS, "deals": 8}, {"match": M.BEST_OF_3}]
    )
    def test_when_time_is_up_another_hand_decides(self, club: Club, fields: Any) -> None:
        event = drawn(club, ties=HAND, round_minutes=20, **fields)
        hand(event, 1, 0)
        hand(event, 2, 1)
        with pytest.raises(RefusedError, match="Play one more hand"):
            sign(event, (1, 1), now=LATE)
        hand(event, 3, 1, now=LATE)
        sign(event, (1, 2), now=LATE)
        sign(event, (1, 2), side=1, now=LATE)
        assert (match_of(event).how, match_of(event).winner) == (How.TIME, 1)

    def test_by_default_a_tie_is_half_a_win_for_each(self, club: Club) -> None:
        event = drawn(club, round_minutes=20, match=M.GAME, rounds=1)
        hand(event, 1, 0)
        hand(event, 2, 1)
        sign(event, (1, 1), now=LATE)
        sign(event, (1, 1), side=1, now=LATE)
        build.step(event, LATE)
        lines = ranking.standings_of(event).lines
        assert {(line.won, line.lost, line.tied) for line in lines} == {(0, 0, 1)}

    def test_the_card_says_so_and_goes_on(self, club: Club) -> None:
        event = drawn(club, ties=HAND)
        hand(event, 1, 0)
        hand(event, 2, 1)
        browser = logged_in(member("Rosa"))
        page = browser.get(reverse("room_table", args=[table_of(event).code])).text
        assert "It is tied at 1–1. Play one more hand." in page

    @pytest.mark.parametrize(
        "fields", [{}, {"match": M.GAME, "round_minutes": 20}, {"match": M.BEST_OF_3}]
    )
    def test_one_more_hand_changes_the_final_score(self, club: Club, fields: Any) -> None:
        """A penalty has tied the score that was written, and the card asks for another hand."""
        event = drawn(club, ties=HAND, **{"round_minutes": 20, **fields})
        several = fields.get("match") == M.BEST_OF_3
        for number, score in enumerate([(5, 2), (3, 6)] if several else [], start=1):
            game(event, number, *score, now=LATE)
        last = 3 if several else 1
        key = game(event, last, 4, 2, now=LATE)
        wish = penalties.Penalty(0, "renege", 2)
        penalties.give(match_of(event), wish, ada_of(event), reason="So.", now=LATE)
        page = card_page.read(table_of(event), NORTH, {match_of(event).pk: 0}, LATE)
        assert (page.tied, page.number) == (True, last)
        assert page.present is not None
        assert page.present.key == key
        game(event, page.number, 5, 2, seen=key, now=LATE)
        assert card_of(event).scores[-1] == (5, 4)
        sign(event, *card_of(event).scores, now=LATE)

    def test_a_score_with_a_penalty_has_a_limit(self, club: Club) -> None:
        event = drawn(club, ties=HAND)
        hand(event, 1, 0)
        ada = ada_of(event)
        penalties.give(
            match_of(event), penalties.Penalty(0, "renege", 2), ada, reason="So.", now=NOON
        )
        with pytest.raises(RefusedError, match="bring at most 22 points together, not 42"):
            correcting.set_result(match_of(event), ada, ruled(0, (40, 2)), reason="", now=NOON)
        correcting.set_result(match_of(event), ada, ruled(0, (4, 2)), reason="", now=NOON)

    def test_in_a_second_stage_the_lot_decides_when_time_is_up(self, club: Club) -> None:
        event = drawn(
            club, format="single_elimination", rounds=None, minimum=2, ties=STAND, round_minutes=20
        )
        hand(event, 1, 0)
        hand(event, 2, 1)
        sign(event, (1, 1), now=LATE)
        sign(event, (1, 1), side=1, now=LATE)
        assert match_of(event).winner in (0, 1)

    def test_a_director_is_refused_too_and_told_what_is_possible(self, club: Club) -> None:
        event = drawn(club, ties=HAND)
        ada, tie = ada_of(event), ruled(-1, (2, 2))
        with pytest.raises(RefusedError, match="If it cannot, end the round’s time, then choose"):
            correcting.set_result(match_of(event), ada, tie, reason="", now=NOON)
        round_clock.end_round_now(event, ada, NOON)
        with pytest.raises(RefusedError, match="If it cannot, choose “On time”"):
            correcting.set_result(match_of(event), ada, tie, reason="", now=NOON)
        on_time = tie._replace(ended=possible.TIME)
        correcting.set_result(match_of(event), ada, on_time, reason="", now=NOON)
        assert match_of(event).winner == -1

    def test_a_penalty_after_the_end_can_tie_a_match(self, club: Club) -> None:
        event = drawn(club, ties=HAND)
        ada = ada_of(event)
        correcting.set_result(match_of(event), ada, ruled(0, (2, 0)), reason="", now=NOON)
        wish = penalties.Penalty(0, "renege", 2)
        penalties.give(
            Pairing.objects.get(pk=match_of(event).pk), wish, ada, reason="So.", now=NOON
        )
        decided = Pairing.objects.get(round__event=event, round__number=1)
        assert (decided.points, decided.winner) == ((2, 2), -1)
        assert not dict(possible.errors(event, decided, ruled(-1, (2, 2))))


# Online -------------------------------------------------------------------------------------------


class TestOnline:
    def playing(self, **fields: Any) -> tuple[Event, Pairing]:
        event = build.event(**{"rounds": 1, "ties": HAND, **fields})
        build.enter(event, 4)
        build.begin(event)
        build.arrive(event)
        build.step(event, NOON)
        return event, build.latest(event).pairings.get()

    def score(self, first: int, second: int, deal: int) -> None:
        Game.objects.filter(state=Game.State.PLAYING).update(
            score_0=first, score_1=second, deal_number=deal
        )

    @pytest.mark.parametrize("time_up", Event.TimeUp.values)
    def test_a_tie_on_time_goes_on_until_a_hand_decides(self, time_up: str) -> None:
        event, pairing = self.playing(round_minutes=20, time_up=time_up)
        self.score(3, 3, 4)
        build.step(event, NOON + 20 * MINUTE)
        self.score(3, 3, 5)  # thrown in
        build.step(event, NOON + 21 * MINUTE)
        pairing.refresh_from_db()
        assert pairing.state == Pairing.State.PLAYING
        self.score(3, 5, 5)
        build.step(event, NOON + 22 * MINUTE)
        pairing.refresh_from_db()
        assert (pairing.how, pairing.winner) == (How.TIME, 1)

    def test_it_stands_once_nobody_plays_on(self) -> None:
        event, pairing = self.playing(round_minutes=20)
        self.score(3, 3, 4)
        build.step(event, NOON + 25 * MINUTE)
        pairing.refresh_from_db()
        assert (pairing.state, pairing.winner) == (Pairing.State.DECIDED, -1)
        assert event.state == Event.State.FINISHED

    @pytest.mark.parametrize("ties", Event.Ties.values)
    def test_a_number_of_hands_is_followed_by_one_more(self, ties: str) -> None:
        event, pairing = self.playing(match=M.DEALS, deals=8, ties=ties)
        Game.objects.filter(state=Game.State.PLAYING).update(
            state=Game.State.OVER, ended=NOON, winner=-1, score_0=6, score_1=6, due=None, turn=-1
        )
        Table.objects.filter(pairing=pairing).update(state=Table.State.FINISHED)
        build.step(event, NOON + MINUTE)
        pairing.refresh_from_db()
        if ties == STAND:
            assert (pairing.how, pairing.winner) == (How.PLAYED, -1)
            return
        assert pairing.state == Pairing.State.PLAYING
        shuffling.advance(pairing.table_id or 0, NOON + MINUTE)
        assert Game.objects.get(number=2).rules.deals == 1
        build.win(pairing, 1, (0, 2), NOON + 2 * MINUTE)
        build.step(event, NOON + 3 * MINUTE)
        pairing.refresh_from_db()
        assert (pairing.how, pairing.winner, pairing.points) == (How.PLAYED, 1, (6, 8))


# Setting it up ------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMATS)
def test_it_is_no_setting_of_knock_outs_and_duplicate(form: str) -> None:
    one = FORMATS[form]
    least = max(4, one.least_entries)
    made = unsaved(format=form, ties=HAND, capacity=least, minimum=least)
    made.clean()
    assert made.ties == (STAND if one.knock_out or one.duplicate else HAND)


def test_the_event_says_it_in_a_sentence(club: Club) -> None:
    event = build.event(club, ties=HAND, round_minutes=20, rounds=1)
    rule = "A tied table plays one more hand, until one side is ahead."
    path = reverse("event", args=[event.pk])
    assert rule in logged_in(member("Rosa")).get(path).text
    assert ask(f"/events/{event.pk}").json()["ties"] == "hand"
    event.round_minutes = None
    assert event_words.ties_rule(event) == "", "no match can be tied"
    event.match, event.ties = M.DEALS, STAND
    assert event_words.ties_rule(event) == "A tied match is half a win for each side."


def test_the_sentence_says_when_a_tie_stands_after_all(club: Club) -> None:
    event = build.event(club, ties=HAND, round_minutes=20, rounds=1)
    stands = "Online a tie stands five minutes after the round’s time."
    assert stands in event_words.ties_rule(event)
    event.place = Event.Place.ROOM
    assert stands not in event_words.ties_rule(event)
    event.second_stage = "single_elimination"
    for event.ties in Event.Ties.values:
        assert event_words.ties_rule(event).startswith("Before the knock-out a tied ")


def test_a_round_that_a_director_limits_can_end_in_a_tie(club: Club) -> None:
    event = drawn(club, ties=HAND, match=M.GAME)
    assert event_words.ties_rule(event) == ""
    round_clock.extend_round(event, ada_of(event), 20, NOON)
    rule = "A tied table plays one more hand, until one side is ahead."
    assert event_words.ties_rule(event) == rule
