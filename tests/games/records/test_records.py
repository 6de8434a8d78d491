"""What somebody's games add up to, and which of them are asked for: without a database."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from games.records import LOST, TIED, WON
from games.records.selection import CALLS, RESULTS, Selection, selected
from games.records.sums import (
    FEW,
    DealTotals,
    GamesScore,
    Mean,
    PlayedRow,
    ShareOfGames,
    by_rules,
    current_streak,
    grouped,
    longest_streak,
    meetings_of,
    score_of,
    totals_of,
)

BEN, IRIS, JONAH, OTTO = 2, 3, 4, 5
NOON = datetime(2026, 3, 7, 12, tzinfo=UTC)
NOTHING = PlayedRow(
    UUID(int=0),
    BEN,
    IRIS,
    JONAH,
    "Classic, 24 cards",
    NOON,
    WON,
    *[0] * (len(PlayedRow._fields) - 7),
)


def row(number: int = 0, **done: Any) -> PlayedRow:
    """A game Maeve won with Ben against Iris and Jonah, unless it is said; numbers go back."""
    at = NOON - timedelta(days=number)
    values: dict[str, Any] = {"game_id": UUID(int=number), "id": number, "ended": at, **done}
    return NOTHING._replace(**values)


def games(*results: int | None) -> list[PlayedRow]:
    """Games with these results, the newest first."""
    return [row(number, result=result) for number, result in enumerate(results)]


def test_results_add_up_and_games_given_up_count_for_nothing_else() -> None:
    rows = [
        row(points=10, against=7),
        row(points=5, against=5, result=TIED),
        row(points=2, against=10, result=LOST),
        row(points=4, against=3, result=None),
    ]
    score = score_of(rows)
    assert score == GamesScore(games=4, won=1, tied=1, lost=1, points=17, against=22)
    assert (score.decided, score.given_up, score.wins) == (3, 1, ShareOfGames(1, 3))
    assert score.points_a_game.value == pytest.approx(17 / 3)
    assert score.against_a_game.value == pytest.approx(22 / 3)


def test_nothing_is_divided_by_nothing() -> None:
    assert score_of([]) == GamesScore()
    totals = totals_of([])
    assert totals == DealTotals()
    shares = (totals.calls, totals.successes, totals.marches, totals.failures, totals.loners)
    assert {share.percent for share in (*shares, totals.lone_marches, totals.defences)} == {None}
    assert {mean.value for mean in (totals.trumps, totals.luck, totals.dealt)} == {None}
    assert score_of([]).points_a_game.value is None
    assert [trumps.value for _place, _share, trumps in totals.places] == [None] * 4


def test_shares_and_means_of_few_say_so() -> None:
    assert ShareOfGames(1, 4).percent == 25
    assert ShareOfGames(0, FEW - 1).few
    assert not ShareOfGames(0, FEW).few
    assert Mean(3.0, FEW - 1).few
    assert not Mean(3.0, FEW).few


def test_what_was_done_in_deals_adds_up() -> None:
    rows = [
        row(deals=8, called=3, made=2, marched=1, euchred=1, alone=1, alone_marched=1, euchres=2,
            called_1=2, trumps_1=7, called_4=1, trumps_4=3, worth=16.0, worth_against=12.0),
        row(deals=12, called=1, made=1, called_4=1, trumps_4=2, worth=20.0, worth_against=21.0),
    ]  # fmt: skip
    totals = totals_of(rows)
    assert totals.calls == ShareOfGames(4, 20)
    assert (totals.successes, totals.marches, totals.failures) == (
        ShareOfGames(3, 4), ShareOfGames(1, 4), ShareOfGames(1, 4),
    )  # fmt: skip
    assert (totals.loners, totals.lone_marches, totals.defences) == (
        ShareOfGames(1, 4), ShareOfGames(1, 1), ShareOfGames(2, 20),
    )  # fmt: skip
    assert totals.trumps == Mean(12, 4)
    assert totals.places == [
        (1, ShareOfGames(2, 4), Mean(7, 2)),
        (2, ShareOfGames(0, 4), Mean(0, 0)),
        (3, ShareOfGames(0, 4), Mean(0, 0)),
        (4, ShareOfGames(2, 4), Mean(5, 2)),
    ]
    assert totals.dealt.value == pytest.approx(1.8)
    assert totals.dealt_against.value == pytest.approx(33 / 20)
    assert totals.luck.value == pytest.approx(3 / 20)


def test_rule_sets_come_by_their_number_of_games() -> None:
    rows = [row(rules="Joker"), row(rules="Heads-up"), row(rules="Joker", result=LOST)]
    assert [(name, score.games, score.won) for name, score in by_rules(rows)] == [
        ("Joker", 2, 1),
        ("Heads-up", 1, 1),
    ]


def test_everybody_met_is_counted_as_partner_and_as_opponent() -> None:
    rows = [
        row(),
        row(result=LOST),
        row(partner_id=IRIS, left_id=BEN, right_id=OTTO),
        row(partner_id=None, left_id=OTTO, right_id=None),
        row(partner_id=None, left_id=None, right_id=None),
    ]
    met = {
        one.player_id: (one.together.games, one.together.won, one.opposed.games)
        for one in meetings_of(rows)
    }
    assert met == {BEN: (2, 1, 1), IRIS: (1, 1, 2), JONAH: (0, 0, 2), OTTO: (0, 0, 2)}
    assert [one.player_id for one in meetings_of(rows)] == [BEN, IRIS, JONAH, OTTO]


def test_groups_keep_the_order_of_the_games() -> None:
    rows = [row(0), row(1), row(2, rules="Joker"), row(3)]
    days = grouped(rows, lambda one: one.rules)
    assert list(days) == ["Classic, 24 cards", "Joker"]
    assert [one.id for one in days["Classic, 24 cards"]] == [0, 1, 3]


def test_the_present_streak_is_of_the_latest_games() -> None:
    streak = current_streak(games(LOST, LOST, None, LOST, WON, LOST))
    assert (streak.result, streak.length) == (LOST, 3)
    assert [one.id for one in streak.games] == [0, 1, 3]
    assert current_streak(games(TIED, WON)).result == TIED
    assert current_streak(games(None)).length == 0


def test_of_equally_long_streaks_the_latest_counts() -> None:
    played = games(LOST, WON, WON, TIED, WON, WON, LOST, WON)
    streak = longest_streak(played, WON)
    assert [one.id for one in streak.games] == [1, 2]
    assert longest_streak(played, LOST).length == 1
    assert longest_streak(games(WON), LOST).length == 0


@pytest.mark.parametrize("result", RESULTS)
def test_games_are_selected_by_their_result(result: str) -> None:
    played = games(*RESULTS.values())
    found = selected(played, Selection(result=result))
    assert [one.result for one in found] == [RESULTS[result]]


@pytest.mark.parametrize("call", CALLS)
def test_games_are_selected_by_what_was_done(call: str) -> None:
    done = [row(number, **{one.column: 1}) for number, one in enumerate(CALLS.values())]
    found = selected([*done, row()], Selection(call=call))
    assert [one.id for one in found] == [list(CALLS).index(call)]


def test_games_are_selected_by_time() -> None:
    played = games(WON, WON, WON)
    asked = Selection(since=NOON - timedelta(days=1), until=NOON)
    assert [one.id for one in selected(played, asked)] == [1]
    assert len(selected(played, Selection(since=NOON - timedelta(days=1)))) == 2


def test_games_are_selected_by_players_rules_and_place() -> None:
    played = [
        row(0),
        row(1, partner_id=IRIS, left_id=OTTO, right_id=BEN),
        row(2, rules="Joker", called_4=2),
    ]

    def found(**asked: Any) -> list[int]:
        return [one.id for one in selected(played, Selection(**asked))]

    assert found(partner=BEN) == [0, 2]
    assert found(opponent=BEN) == [1]
    assert found(opponent=JONAH) == [0, 2]
    assert found(rules="Joker") == [2]
    assert found(place=4) == [2]
    assert found(place=1) == []
    assert found(partner=BEN, rules="Joker") == [2]
    assert found() == [0, 1, 2]


def test_a_streak_is_of_the_games_that_the_rest_leaves() -> None:
    played = [
        row(0, result=LOST, rules="Joker"),
        row(1, result=WON),
        row(2, result=WON),
        row(3, result=LOST),
        row(4, result=LOST),
        row(5, result=LOST),
    ]

    def found(**asked: Any) -> list[int]:
        return [one.id for one in selected(played, Selection(**asked))]

    assert found(streak="present") == [0]
    assert found(streak="present", rules=NOTHING.rules) == [1, 2]
    assert found(streak="won") == [1, 2]
    assert found(streak="lost") == [3, 4, 5]
    assert found(streak="lost", rules="Joker") == [0]
