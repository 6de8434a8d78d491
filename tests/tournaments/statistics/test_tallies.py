"""What the games of a club add up to, from one pass over them."""

from math import sqrt
from random import Random

import pytest

from games.records.sums import GamesScore
from tournaments.statistics.tallies import Luck, Sums, TalliedGame, sums_of

MAEVE, BEN, IRIS, JONAH, OTTO = range(1, 6)
ALL = range(1, 6)


def row(
    game: int, player: int, partner: int | None, result: int | None, **done: float
) -> TalliedGame:
    """What a player did in a game of event 1, or of another that is named."""
    fields = dict.fromkeys(TalliedGame._fields, 0)
    fields |= {"game": f"{game}", "event": 1, "round": game, "table": 1, "deals": 8}  # type: ignore[dict-item]
    fields |= {"player": player, "partner": partner, "result": result}  # type: ignore[dict-item]
    return TalliedGame(**{**fields, **done})  # type: ignore[arg-type]


def game(
    number: int, won: tuple[int, int], lost: tuple[int, int], **done: float
) -> list[TalliedGame]:
    """A game that two have won by 10 to 5 against two others."""
    first, second = won
    third, fourth = lost
    return [
        row(number, first, second, 1, points=10, **done),
        row(number, second, first, 1, points=10, **done),
        row(number, third, fourth, -1, points=5, **done),
        row(number, fourth, third, -1, points=5, **done),
    ]


def results(score: GamesScore) -> tuple[int, int, int]:
    """The games with a result, and how many of them were won and tied."""
    return score.decided, score.won, score.tied


def sums(*games: list[TalliedGame], shown: range | set[int] = ALL) -> Sums:
    return sums_of([one for each in games for one in each], shown)


class TestPlayers:
    def test_games_points_and_calls_are_added_up(self) -> None:
        found = sums(
            game(1, (MAEVE, BEN), (IRIS, JONAH), called=2, made=1, euchres=3),
            game(2, (IRIS, BEN), (MAEVE, JONAH), called=1, made=1, alone=1),
        )
        maeve = found.tallies[MAEVE]
        assert results(maeve.score) == (2, 1, 0)
        assert (maeve.score.points, maeve.totals.deals) == (15, 16)
        assert (maeve.totals.called, maeve.totals.made) == (3, 2)
        assert (maeve.totals.alone, maeve.totals.euchres) == (1, 3)
        assert found.tallies[BEN].score.share == 1

    def test_a_tie_is_half_a_win(self) -> None:
        found = sums([row(1, MAEVE, BEN, 0), row(2, MAEVE, BEN, -1)])
        assert found.tallies[MAEVE].score.share == 0.25

    def test_a_game_given_up_has_hands_but_no_result(self) -> None:
        found = sums([row(1, MAEVE, BEN, None, points=7, called=1)])
        assert results(found.tallies[MAEVE].score) == (0, 0, 0)
        assert found.tallies[MAEVE].score.share is None
        assert found.tallies[MAEVE].score.points == 0
        assert found.tallies[MAEVE].totals.called == 1

    def test_hidden_player_is_counted_without_figures(self) -> None:
        found = sums(game(1, (MAEVE, BEN), (IRIS, JONAH), worth=2.0), shown={MAEVE, IRIS, JONAH})
        assert set(found.tallies) == {MAEVE, IRIS, JONAH}
        assert set(found.pairs) == {(IRIS, JONAH)}
        assert found.records["points"].players == (MAEVE,)
        assert found.turnouts[1].players == {MAEVE, BEN, IRIS, JONAH}
        assert found.turnouts[1].games == 1
        assert found.field.games == 4


class TestPairs:
    def test_pair_is_counted_once_a_game_in_any_seats(self) -> None:
        found = sums(
            game(1, (BEN, MAEVE), (IRIS, JONAH)),
            game(2, (MAEVE, BEN), (IRIS, OTTO)),
            game(3, (IRIS, JONAH), (BEN, MAEVE)),
        )
        assert results(found.pairs[MAEVE, BEN]) == (3, 2, 0)
        assert results(found.pairs[IRIS, JONAH]) == (2, 1, 0)
        assert results(found.pairs[IRIS, OTTO]) == (1, 0, 0)

    def test_heads_up_game_counts_no_pair(self) -> None:
        assert not sums([row(1, MAEVE, None, 1), row(1, BEN, None, -1)]).pairs


class TestRecords:
    def test_the_longest_streak_ends_at_a_game_that_was_not_won(self) -> None:
        found = sums(
            [row(n, MAEVE, BEN, result) for n, result in enumerate([1, 1, 0, 1, 1, 1, -1, 1])]
        )
        best = found.records["streak"]
        assert (best.value, best.players) == (3, (MAEVE,))
        assert best.played is not None
        assert best.played.game == "5"

    def test_a_game_given_up_does_not_end_a_streak(self) -> None:
        found = sums([row(n, MAEVE, BEN, result) for n, result in enumerate([1, None, 1])])
        assert found.records["streak"].value == 2

    def test_earliest_of_equal_records_is_kept(self) -> None:
        found = sums(
            [row(1, MAEVE, BEN, 1, marched=2), row(2, IRIS, BEN, 1, marched=2)],
        )
        assert found.records["marched"].players == (MAEVE,)

    def test_points_in_a_game_are_both_partners(self) -> None:
        found = sums(game(1, (MAEVE, BEN), (IRIS, JONAH)))
        assert (found.records["points"].value, found.records["points"].players) == (
            10,
            (MAEVE, BEN),
        )

    def test_event_points_record_is_the_highest(self) -> None:
        found = sums(
            game(1, (MAEVE, BEN), (IRIS, JONAH)),
            game(2, (MAEVE, IRIS), (BEN, JONAH)),
            game(3, (OTTO, BEN), (IRIS, JONAH), event=2),
        )
        best = found.records["event points"]
        assert (best.value, best.players, best.event, best.played) == (20, (MAEVE,), 1, None)

    def test_zero_is_no_record(self) -> None:
        assert not sums([row(1, MAEVE, BEN, -1)]).records


class TestLuck:
    def test_luck_is_the_advantage_in_dealt_worth(self) -> None:
        found = sums([row(1, MAEVE, BEN, 1, worth=20.0, worth_against=16.0)])
        assert found.tallies[MAEVE].luck.rate == pytest.approx(0.5)
        assert found.tallies[MAEVE].luck.error is None

    def test_luck_error_equals_that_of_the_mean_for_equal_games(self) -> None:
        values = [1.0, -2.0, 0.5, 3.0, -1.5]
        luck = Luck()
        for value in values:
            luck.add(1, value)
        mean = sum(values) / 5
        variance = sum((value - mean) ** 2 for value in values) / 4
        assert luck.rate == pytest.approx(mean)
        assert luck.error == pytest.approx(sqrt(variance / 5))

    def test_luck_error_has_its_stated_coverage(self) -> None:
        rng = Random(7)
        inside = 0
        for _player in range(400):
            luck = Luck()
            for _game in range(60):
                deals = rng.randint(6, 14)
                luck.add(deals, sum(rng.gauss(0.1, 1.2) for _deal in range(deals)))
            assert luck.error is not None
            inside += abs(luck.rate - 0.1) <= luck.error
        assert 0.62 < inside / 400 < 0.75
