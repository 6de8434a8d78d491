"""Rated quick games: pools of their own, rated one by one in the order of their ends."""

from collections.abc import Sequence
from datetime import timedelta
from itertools import count
from typing import Any
from uuid import UUID

import pytest
from django.db import IntegrityError, transaction
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from games.engine.rules import CLASSIC_24, HEADS_UP, JOKER_33, RuleSet, rules_to_data
from games.models import Game, GameSeat, Player, SeenFrom, Table
from games.quick import company
from games.seats import reserved
from tests.factories import logged_in, member
from tests.games.seats.test_seating_together import together
from tests.site.factories import decide, operator, post
from tests.tournaments import build
from tests.tournaments.build import NOON
from tournaments.models import Pool, Rating, RatingChange, RatingHold
from tournaments.ratings import effects as rating_effects
from tournaments.ratings import moderation as rating_moderation
from tournaments.ratings import quick_units, rating_games
from tournaments.ratings.leaderboards import is_ranked
from tournaments.refusals import RefusedError

pytestmark = [pytest.mark.django_db, pytest.mark.db]
HANDS = "0" * 8


def quick_game(
    players: Sequence[Player],
    winner: int = 0,
    minute: float = 0,
    *,
    stood_in: str = HANDS,
    rules: RuleSet = CLASSIC_24,
    seconds: float = 600,
    over: bool = True,
    pk: int | None = None,
) -> Game:
    """A rated quick game that has ended so many minutes after noon; seats in the order given."""
    ended = NOON + timedelta(minutes=minute)
    table = Table.objects.create(
        host=players[0], reserved=True, rated=True, rating_due=1, title="Rated game", back="/play/",
        state=Table.State.CLOSED, rules_data=rules_to_data(rules), turn_seconds=45,
    )  # fmt: skip
    game = Game.objects.create(
        **({} if pk is None else {"pk": UUID(int=pk)}),
        table=table, number=1, rules_data=rules_to_data(rules), secret=b"", commitment=b"",
        mixed=b"", first_dealer=0, winner=winner, noted=True, stood_in=stood_in,
        started=ended - timedelta(seconds=seconds), ended=ended,
        state=Game.State.OVER if over else Game.State.ABANDONED,
        score_0=10 if winner == 0 else 4, score_1=10 if winner == 1 else 4,
    )  # fmt: skip
    GameSeat.objects.bulk_create(
        GameSeat(game=game, position=position, player=player)
        for position, player in enumerate(players)
    )
    return game


def people(number: int = 4) -> list[Player]:
    return [Player.objects.create(name=f"Player {one}") for one in range(number)]


def snapshot() -> list[tuple[object, ...]]:
    return list(
        RatingChange.objects.order_by("pool__key", "position").values_list(
            "pool__key", "position", "game", "player", "side", "winner", "expected", "weight",
            "mu_before", "sigma_before", "mu_after", "sigma_after", "opponents", "at",
        )
    )  # fmt: skip


def ratings() -> dict[str, float]:
    return dict(Rating.objects.values_list("player__name", "mu"))


class TestRating:
    def test_winners_rise_in_a_pool_of_quick_games(self) -> None:
        game = quick_game(people(), winner=1)
        assert rating_games.catch_up() == 1
        assert [pool.key for pool in Pool.objects.all()] == ["classic quick"]
        changes = RatingChange.objects.filter(game=game, pairing=None)
        assert {one.player.name for one in changes if one.mu_after > one.mu_before} == {
            "Player 1", "Player 3",
        }  # fmt: skip
        assert all(one.weight == 1 for one in changes)
        assert all(one.only_club is None for one in Rating.objects.all())
        game.table.refresh_from_db()
        assert game.table.rating_due == 0

    def test_rating_twice_changes_nothing(self) -> None:
        quick_game(people())
        rating_games.catch_up()
        before = snapshot()
        assert rating_games.catch_up() == 0
        assert snapshot() == before
        assert rating_games.inconsistent_pools() == []

    def test_each_kind_of_game_has_its_pool(self) -> None:
        four = people()
        quick_game(four)
        quick_game(four, rules=JOKER_33)
        quick_game(four[:2], rules=HEADS_UP)
        rating_games.catch_up()
        assert {pool.key for pool in Pool.objects.all()} == {
            "classic quick", "joker quick", "heads-up quick",
        }  # fmt: skip

    def test_events_and_quick_games_do_not_move_each_other(self) -> None:
        two = [member("Maeve"), member("Ben")]
        build.played_match(build.club("The New Mill"), two, 0, 600)
        rating_games.catch_up()
        before = list(Rating.objects.filter(pool__key__endswith="online").values("mu", "games"))
        assert before
        quick_game(two, rules=HEADS_UP)
        rating_games.catch_up()
        online = Rating.objects.filter(pool__key__endswith="online")
        assert list(online.values("mu", "games")) == before
        assert Rating.objects.filter(pool__key="heads-up quick").count() == 2
        assert rating_games.inconsistent_pools() == []

    def test_a_game_that_was_not_played_to_its_end_rates_nobody(self) -> None:
        game = quick_game(people(), over=False)
        assert rating_games.catch_up() == 0
        assert not RatingChange.objects.exists()
        game.table.refresh_from_db()
        assert game.table.rating_due == 0

    def test_closing_a_table_by_staff_rates_nobody(self) -> None:
        game = quick_game(people())
        Game.objects.filter(pk=game.pk).update(state=Game.State.PLAYING, ended=None, winner=-1)
        Table.objects.update(state=Table.State.PLAYING)
        reserved.end(game.table_id, NOON)
        assert rating_games.catch_up() == 0

    def test_whoever_leaves_loses_in_full_and_wins_by_the_hands_played(self) -> None:
        four = people()
        quick_game(four, winner=1, stood_in="00001111")  # seat 0 has left after four hands
        rating_games.catch_up()
        weights = dict(RatingChange.objects.values_list("player__name", "weight"))
        # The partner, drawn by lot, is spared the hands played alone; the winners gain in full.
        assert weights == {"Player 0": 1.0, "Player 1": 1.0, "Player 2": 0.5, "Player 3": 1.0}
        RatingChange.objects.all().delete()
        Game.objects.update(winner=0)
        rating_games.recompute()
        weights = dict(RatingChange.objects.values_list("player__name", "weight"))
        assert weights == {"Player 0": 0.5, "Player 1": 0.5, "Player 2": 1.0, "Player 3": 0.5}

    def test_a_late_game_is_rated_in_its_place(self) -> None:
        four = people()
        quick_game(four, winner=0, minute=20)
        rating_games.catch_up()
        quick_game(four, winner=1, minute=10)
        rating_games.catch_up()
        late = snapshot()
        assert [row[1] for row in late] == list(range(1, 9))
        RatingChange.objects.all().delete()
        Rating.objects.all().delete()
        rating_games.recompute()
        assert snapshot() == late

    def test_games_of_another_model_are_rated_again(self) -> None:
        quick_game(people())
        rating_games.catch_up()
        right = snapshot()
        Pool.objects.update(model=0)
        RatingChange.objects.update(mu_after=1.0)
        rating_games.catch_up()
        assert snapshot() == right

    def test_a_request_meanwhile_is_not_lost(self) -> None:
        game = quick_game(people())
        (read,) = quick_units.waiting()["classic quick"]
        quick_units.request_rating([game.table_id])
        quick_units.done([read])
        game.table.refresh_from_db()
        assert game.table.rating_due == 2

    def test_a_change_is_of_a_match_or_of_a_quick_game(self) -> None:
        quick_game(people())
        rating_games.catch_up()
        with pytest.raises(IntegrityError), transaction.atomic():
            RatingChange.objects.update(game=None)

    def test_a_late_game_reads_few_rows(self, django_assert_max_num_queries: Any) -> None:
        four = people()
        for minute in range(5):
            quick_game(four, minute=minute)
        rating_games.catch_up()
        quick_game(four, minute=9)
        with django_assert_max_num_queries(60):
            rating_games.catch_up()

    def test_ranked_without_a_club(self, settings: Any) -> None:
        settings.RANKED_OPPONENTS = 2
        four = people()
        quick_game(four)
        rating_games.catch_up()
        one = Rating.objects.all()[0]
        assert not is_ranked(one, NOON)
        one.ranked_until = NOON + timedelta(days=1)
        assert is_ranked(one, NOON)

    def test_the_queue_prefers_the_rating_of_quick_games(self) -> None:
        four = people()
        event_pool = Pool.objects.create(key="classic online")
        for one in four:
            Rating.objects.create(
                pool=event_pool, player=one, mu=1700, sigma=60, games=9, latest=NOON
            )
        assert company.ratings_of([four[0].pk], CLASSIC_24) == {four[0].pk: 1700}
        quick_game(four)
        rating_games.catch_up()
        assert company.ratings_of([four[0].pk], CLASSIC_24)[four[0].pk] != 1700


GAMES = st.lists(
    st.tuples(
        st.permutations(range(6)), st.integers(0, 1), st.integers(0, 5), st.sampled_from("012f")
    ),
    min_size=1,
    max_size=6,
)


class TestOrder(TestCase):
    @settings(max_examples=15)
    @given(GAMES, st.data())
    def test_ratings_follow_from_the_games_in_order_whenever_they_were_rated(
        self, drawn: list[tuple[list[int], int, int, str]], data: st.DataObject
    ) -> None:
        six, keys = people(6), count(1)
        for seats, winner, minute, away in drawn:
            quick_game(
                [six[at] for at in seats[:4]], winner, minute, stood_in=f"000{away}0{away}",
                pk=next(keys),
            )  # fmt: skip
            if data.draw(st.booleans()):
                rating_games.catch_up()
        rating_games.catch_up()
        step_by_step, held = snapshot(), ratings()
        assert rating_games.inconsistent_pools() == []
        RatingChange.objects.all().delete()
        Rating.objects.all().delete()
        rating_games.recompute()
        assert snapshot() == step_by_step
        assert ratings() == held


@pytest.mark.django_db(transaction=True)
def test_two_workers_at_one_moment_rate_each_game_once() -> None:
    four = people()
    for minute in range(3):
        quick_game(four, minute % 2, minute)
    together(*[rating_games.catch_up] * 3)
    rating_games.catch_up()
    assert RatingChange.objects.count() == 3 * 4
    assert not Table.objects.filter(rating_due__gt=0).exists()
    assert rating_games.inconsistent_pools() == []


class TestHolds:
    def test_a_ring_of_four_accounts_is_held(self, settings: Any) -> None:
        settings.RATING_SAME_MATCHES, settings.RATING_SAME_PLAYERS = 5, 4
        four = people()
        for number in range(8):
            quick_game(four, minute=60 * number)
            rating_games.catch_up()
        held = RatingHold.objects.all()
        assert {one.reason for one in held} == {RatingHold.Reason.FEW}
        assert held.count() == 3
        assert RatingChange.objects.count() == 4 * 5
        assert rating_games.inconsistent_pools() == []

    def test_fast_games_are_held(self, settings: Any) -> None:
        settings.RATING_HAND_SECONDS = 5
        quick_game(people(), seconds=10)
        rating_games.catch_up()
        assert RatingHold.objects.get().found == "8 hands in 10 seconds"
        assert not RatingChange.objects.exists()

    def test_many_games_from_one_address_are_held(self, settings: Any) -> None:
        settings.RATING_ADDRESS_MATCHES = 2
        four = people()
        for number in range(4):
            game = quick_game(four, minute=60 * number)
            for one in four[:2]:
                SeenFrom.objects.create(table=game.table, player=one, digest="same")
        rating_games.catch_up()
        assert {one.reason for one in RatingHold.objects.all()} == {RatingHold.Reason.ADDRESS}
        assert RatingHold.objects.count() == 2

    @pytest.mark.parametrize(("near", "held"), [(4, 1), (3, 0)])
    def test_a_game_with_everybody_at_one_address_is_held_at_once(
        self, settings: Any, near: int, held: int
    ) -> None:
        settings.RATING_ADDRESS_MATCHES = 5
        four = people()
        game = quick_game(four)
        for at, one in enumerate(four):
            digest = "same" if at < near else "elsewhere"
            SeenFrom.objects.create(table=game.table, player=one, digest=digest)
        rating_games.catch_up()
        assert [one.found for one in RatingHold.objects.all()] == (
            ["all 4 players from one address"] * held
        )

    @pytest.fixture
    def held(self, settings: Any) -> Game:
        """A game on hold, with rated ones before and after it."""
        settings.RATING_HAND_SECONDS = 5
        four = people()
        quick_game(four, minute=0)
        game = quick_game(four, 1, minute=60, seconds=10)
        quick_game(four, minute=120)
        rating_games.catch_up()
        assert RatingHold.objects.get().game == game
        return game

    def decide(self, *, let_through: bool, by: Player | None = None) -> None:
        holds = list(RatingHold.objects.values_list("pk", flat=True))
        rating_moderation.decide(holds, by or member("Ada"), "Seen.", NOON, let_through=let_through)
        rating_games.catch_up()

    def test_let_through_it_is_rated_in_its_place(self, held: Game) -> None:
        self.decide(let_through=True)
        assert list(
            RatingChange.objects.filter(game=held).order_by("position").values_list(
                "position", flat=True
            )
        ) == [5, 6, 7, 8]  # fmt: skip
        assert rating_games.inconsistent_pools() == []

    def test_refused_it_is_never_rated_and_says_why(self, held: Game) -> None:
        self.decide(let_through=False)
        assert not RatingChange.objects.filter(game=held).exists()
        assert "refused to rate it. Seen." in rating_effects.of_game(held, None).words

    def test_whoever_played_does_not_decide(self, held: Game) -> None:
        playing = held.seats.get(position=0).player
        with pytest.raises(RefusedError):
            self.decide(let_through=True, by=playing)

    def test_the_moderators_page_lists_it(self, held: Game) -> None:
        ada, hold = operator("Ada"), RatingHold.objects.get()
        assert "1 quick game" in logged_in(ada).get("/moderation/").text
        post(ada, "case", "ratings", hold.pk, step="take")
        page = logged_in(ada).get(f"/moderation/ratings/{hold.pk}/").text
        assert f"/games/{held.pk}/" in page
        decide(ada, "ratings", hold.pk, decision="refuse", reason="No.")
        assert "Quick games" in logged_in(ada).get("/moderation/").text


class TestPages:
    @pytest.fixture
    def game(self) -> Game:
        game = quick_game([member(name) for name in ("Maeve", "Ben", "Iris", "Jonah")])
        rating_games.catch_up()
        return game

    def test_the_page_of_the_game_shows_the_changes(self, game: Game) -> None:
        maeve = Player.objects.get(name="Maeve")
        shown = logged_in(maeve).get(f"/games/{game.pk}/ratings/").text
        assert "You gained" in shown
        assert "Ben and Jonah were expected to win 50" in shown.replace("\xa0", " ")

    def test_before_it_is_rated_it_says_so(self) -> None:
        game = quick_game(people())
        assert rating_effects.of_game(game, None).words == rating_effects.QUICK_SOON
        Game.objects.update(state=Game.State.ABANDONED)
        game.refresh_from_db()
        assert rating_effects.of_game(game, None).words == rating_effects.STOPPED

    def test_history_leaderboards_and_profile(self, game: Game) -> None:
        maeve = Player.objects.get(name="Maeve")
        browser = logged_in(maeve)
        history = browser.get(f"/players/{maeve.pk}/ratings/classic-quick/").text
        assert "Quick game" in history
        assert f"/games/{game.pk}/" in history
        assert "private club" not in history
        assert "Quick games: Euchre" in browser.get("/ratings/").text
        assert "Maeve" in browser.get("/ratings/classic-quick/").text
        assert "Quick games: Euchre" in browser.get(f"/players/{maeve.pk}/").text

    def test_history_costs_few_queries(
        self, game: Game, django_assert_max_num_queries: Any
    ) -> None:
        maeve = Player.objects.get(name="Maeve")
        four = [seat.player for seat in game.seats.order_by("position")]
        for minute in range(1, 6):
            quick_game(four, minute=minute)
        rating_games.catch_up()
        changes = rating_effects.changes_of(maeve)
        clubs = build.club("The New Mill").__class__.objects.none()
        with django_assert_max_num_queries(4):
            assert len(rating_effects.lines(changes, maeve, None, clubs)) == 6
