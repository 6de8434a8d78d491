"""A ring of accounts in a club of its own is not ranked; an honest small club is rated as ever."""

from dataclasses import replace
from datetime import timedelta
from itertools import combinations
from random import Random
from typing import Any

import pytest
from django.core.exceptions import ValidationError

from games.engine.rules import CLASSIC_24, HEADS_UP
from games.models import Game, Player
from tests.factories import member, people
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON
from tournaments.acts import starting_and_ending
from tournaments.events import ending
from tournaments.models import Club, Event, Pairing, Rating, RatingChange, RatingHold
from tournaments.ratings import leaderboards, rating_games
from tournaments.ratings.leaderboards import BoardFilter
from tournaments.refusals import RefusedError

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)


@pytest.fixture(autouse=True)
def _usual_bounds(settings: Any) -> None:
    """As a site has them that sets nothing."""
    settings.RANKED_OPPONENTS, settings.RATING_LEAST_HANDS = 6, 4
    settings.RATING_SAME_MATCHES, settings.RATING_SAME_PLAYERS = 20, 4
    settings.RATING_MATCHES_AN_HOUR, settings.RATING_HAND_SECONDS = 20, 5
    settings.RATING_ADDRESS_MATCHES, settings.RESULT_GRACE = 5, 10


@pytest.fixture
def seven() -> list[Player]:
    return list(people(7))


def ranked() -> list[str]:
    return [
        line.rating.player.name
        for _pool, leaders, _own in leaderboards.pools(None, NOON + DAY)
        for line in leaders
    ]


class TestTheRing:
    def test_one_hand_matches_are_not_rated(self, seven: list[Player]) -> None:
        event = build.event(
            rules=HEADS_UP, format="round_robin", minimum=2, match=Event.Match.DEALS, deals=1
        )
        build.let_in(event, seven[:3])
        build.play_to_end(event)
        build.step(event, NOON + DAY)
        rating_games.catch_up()
        assert Pairing.objects.filter(state=Pairing.State.DECIDED).count() == 3
        assert not Pairing.objects.filter(rated=True).exists()
        assert not Rating.objects.exists()

    def test_ring_in_its_own_club_is_not_ranked(self, seven: list[Player]) -> None:
        club = build.club("A Ring")
        for number in range(3):
            build.all_have_met(club, seven, NOON + number * 60 * MINUTE, hands=4, seconds=25)
        rating_games.catch_up()
        assert RatingChange.objects.count() == 2 * 63
        assert ranked() == []
        row = Rating.objects.select_related("only_club").get(player=seven[0])
        assert row.opponents == 6
        assert row.ranked_until > NOON + DAY
        assert not leaderboards.is_ranked(row, NOON + DAY)
        page = leaderboards.board_of(row.pool, BoardFilter(), None, 1, NOON + DAY)
        line = next(line for line in page.lines if line.rating.player == seven[0])
        assert (line.place, line.why) == (None, "Has played only in A Ring")
        Club.objects.update(recognised=True)
        assert seven[0].name in ranked()

    def test_second_club_of_a_ring_ranks_it_until_detected(self, seven: list[Player]) -> None:
        clubs = build.club("A Ring"), build.club("Another Ring")
        events = [
            build.all_have_met(
                clubs[number % 2], seven, NOON + number * 2 * 60 * MINUTE, hands=4, seconds=25
            )
            for number in range(7)
        ]
        rating_games.catch_up()
        held = RatingHold.objects.filter(reason=RatingHold.Reason.FEW)
        assert [held.filter(pairing__round__event=event).count() for event in events[:5]] == [0] * 5
        assert held.filter(pairing__round__event=events[5]).exists()
        last = held.filter(pairing__round__event=events[6])
        assert last.count() == 21
        assert "in a circle of 7 players in 30 days" in last[0].found

    def test_outside_opponents_do_not_hide_a_ring(self, seven: list[Player]) -> None:
        club = build.club("A Ring")
        for number in range(6):
            build.all_have_met(club, seven, NOON + number * DAY, hands=4, seconds=25)
        for number, other in enumerate(people(12)):
            build.all_have_met(
                club, [seven[0], other], NOON + 6 * DAY + number * 60 * MINUTE, hands=4, seconds=25
            )
        last = build.all_have_met(club, seven, NOON + 8 * DAY, hands=4, seconds=25)
        rating_games.catch_up()
        assert RatingHold.objects.filter(pairing__round__event=last).count() == 21

    def test_resigning_after_a_hand_is_detected(self, seven: list[Player]) -> None:
        club = build.club("A Ring")
        build.all_have_met(club, seven, NOON, hands=4, seconds=25)
        second = build.all_have_met(club, seven, NOON + DAY, hands=4, seconds=25)
        Game.objects.update(stood_in="0")
        rating_games.catch_up()
        of_second = RatingHold.objects.filter(pairing__round__event=second)
        assert of_second.count() == 21
        assert "of one player had fewer than 4 hands" in of_second[0].found


class TestAnHonestClub:
    def test_weekly_group_of_eight_is_rated(self) -> None:
        club, players = build.club("The Old Mill"), list(people(8))
        for week in range(5):
            build.all_have_met(club, players, NOON + week * 7 * DAY, hands=8, seconds=600)
        rating_games.catch_up()
        assert not RatingHold.objects.exists()
        assert RatingChange.objects.count() == 5 * 2 * len(list(combinations(players, 2)))

    def test_weekly_group_is_ranked_after_playing_elsewhere(self) -> None:
        mill, forge = build.club("The Old Mill"), build.club("The Forge")
        players = list(people(8))
        for week in range(4):
            build.all_have_met(mill, players, NOON + week * 7 * DAY, hands=8, seconds=600)
        build.all_have_met(
            forge, [players[0], member("Zoe")], NOON + 22 * DAY, hands=8, seconds=600
        )
        rating_games.catch_up()
        assert ranked() == [players[0].name]
        before = list(Rating.objects.order_by("player").values_list("player", "only_club"))
        rating_games.recompute()
        assert list(Rating.objects.order_by("player").values_list("player", "only_club")) == before
        assert rating_games.inconsistent_pools() == []


class TestTheSettings:
    @pytest.mark.parametrize(
        ("fields", "right"),
        [
            ({"match": Event.Match.DEALS, "deals": 3}, False),
            ({"match": Event.Match.DEALS, "deals": 4}, True),
            ({"match": Event.Match.DEALS, "deals": 1, "rated": False}, True),
            ({"final_match": Event.Match.DEALS, "final_deals": 1,
              "format": "single_elimination"}, False),
            ({"rules": replace(CLASSIC_24, march=10, alone_march=10, target=10)}, False),
            ({"rules": replace(CLASSIC_24, euchre=10, skunk=10, target=10)}, False),
            ({"rules": replace(CLASSIC_24, alone=False, alone_march=10)}, True),
            ({"rules": replace(HEADS_UP, skunk=4, target=5), "format": "single_elimination"}, True),
        ],
    )  # fmt: skip
    def test_a_rated_event_has_matches_long_enough(
        self, fields: dict[str, Any], right: bool
    ) -> None:
        event = build.event(**fields)
        if right:
            event.clean()
            return
        with pytest.raises(ValidationError, match="at least 4 hands"):
            event.clean()

    def test_grace_period_of_a_rated_event_cannot_be_skipped(self, seven: list[Player]) -> None:
        event = build.event(rules=HEADS_UP, format="single_elimination", minimum=2, starts=NOON)
        ada = build.director(event.club)
        build.let_in(event, seven[:2])
        build.begin(event)
        build.play_round(event, NOON, Random(1))
        assert event.final_at is not None
        for seconds in (0, 299):
            now = NOON + timedelta(seconds=seconds)
            assert "has until" in ending.too_early(event, now)
            with pytest.raises(RefusedError, match="object to a result"):
                starting_and_ending.final_now(event, ada, now)
            with pytest.raises(RefusedError, match="object to a result"):
                starting_and_ending.cancel(event, ada, "Over.", now)
        starting_and_ending.final_now(event, ada, NOON + ending.MIN_GRACE)
        event.refresh_from_db()
        assert event.state == Event.State.FINISHED

    def test_grace_period_of_an_unrated_event_can_be_skipped(self, seven: list[Player]) -> None:
        event = build.event(
            rules=HEADS_UP, format="single_elimination", minimum=2, starts=NOON, rated=False
        )
        ada = build.director(event.club)
        build.let_in(event, seven[:2])
        build.begin(event)
        build.play_round(event, NOON, Random(1))
        starting_and_ending.final_now(event, ada, NOON)
        event.refresh_from_db()
        assert event.state == Event.State.FINISHED
