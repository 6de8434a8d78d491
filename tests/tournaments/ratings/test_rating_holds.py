"""Ratings made with accounts of one's own: results without a game, and what has to wait."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from games.models import Game, Player, SeenFrom, Table
from games.people import whereabouts
from tests.factories import cast, logged_in, member, people, player
from tests.tournaments import build
from tests.tournaments.build import HANDS, MINUTE, NOON, drawn_match, played_match, pool, rating
from tests.volume import volume
from tournaments.acts import correcting
from tournaments.models import (
    Club,
    Event,
    Membership,
    Pairing,
    Rating,
    RatingChange,
    RatingHold,
    Substitution,
)
from tournaments.ratings import effects as rating_effects
from tournaments.ratings import holds as rating_holds
from tournaments.ratings import leaderboards, rating_games
from tournaments.ratings.leaderboards import BoardFilter
from tournaments.results import possible
from tournaments.results.possible import Ruling

pytestmark = pytest.mark.django_db

Reason, State = RatingHold.Reason, RatingHold.State
#: More than anybody plays in an evening.
MANY = volume(10, 10, 20)


@pytest.fixture
def two() -> list[Player]:
    """The owner of a new club and a second account."""
    return [member("Maeve"), member("Ben")]


@pytest.fixture
def club(two: list[Player]) -> Club:
    made = build.club("The New Mill")
    build.joined(made, two[0], Membership.Role.OWNER)
    return made


class TestWithoutACard:
    def test_results_set_by_hand_are_not_rated(self, club: Club, two: list[Player]) -> None:
        third = member("Ada")
        for at in range(MANY):
            event = drawn_match(club, two, at)
            if at % 2:  # begun, and not played
                build.arrive(event)
                build.step(event, NOON + at * MINUTE)
            pairing = Pairing.objects.get(round__event=event)
            now = NOON + at * MINUTE
            ruling = Ruling(0, possible.PLAYED, ((10, 0),))
            correcting.set_result(pairing, third, ruling, reason="So.", now=now)
            build.step(event, now)
            assert event.state == Event.State.FINISHED
        rating_games.catch_up()
        assert not RatingChange.objects.exists()
        assert not Rating.objects.exists()

    def test_game_stopped_before_a_finished_hand_is_not_rated(
        self, club: Club, two: list[Player]
    ) -> None:
        event = played_match(club, two)
        Game.objects.update(state=Game.State.ABANDONED, winner=-1, stood_in="")
        rating_games.queue_rating(event)
        rating_games.catch_up()
        assert not Rating.objects.exists()

    def test_a_corrected_match_that_was_played_counts_as_corrected(
        self, club: Club, two: list[Player]
    ) -> None:
        played_match(club, two)
        pairing = Pairing.objects.get()
        ruling = Ruling(1, possible.PLAYED, ((5, 10),))
        correcting.set_result(pairing, member("Ada"), ruling, reason="Turned round.", now=NOON)
        rating_games.catch_up()
        assert {(one.number, one.winner) for one in pairing.rating_changes.all()} == {(0, 1)}

    def test_undone_correction_leaves_no_trace(self, club: Club, two: list[Player]) -> None:
        played_match(club, two)
        rating_games.catch_up()
        pairing, ada = Pairing.objects.get(), member("Ada")
        before = list(Rating.objects.order_by("player").values_list("mu", "sigma"))
        for score in ((10, 6), (10, 5)):
            ruling = Ruling(0, possible.PLAYED, (score,))
            correcting.set_result(pairing, ada, ruling, reason="A slip.", now=NOON)
            rating_games.catch_up()
        assert Game.objects.get().ruling is None
        assert {one.number for one in pairing.rating_changes.all()} == {1}
        assert list(Rating.objects.order_by("player").values_list("mu", "sigma")) == before

    def test_history_states_what_counts_after_a_forfeit(
        self, club: Club, two: list[Player]
    ) -> None:
        played_match(club, two)
        ruling = Ruling(1, possible.FORFEIT, ())
        pairing = Pairing.objects.get()
        correcting.set_result(pairing, member("Ada"), ruling, reason="Cheated.", now=NOON)
        rating_games.catch_up()
        page = logged_in(two[0]).get(f"/players/{two[0].pk}/ratings/heads-up-online/").text
        assert "0–0" in page
        assert "by forfeit; the table’s log says 10–5" in page
        assert page.count("10–5") == 1


class TestFast:
    @pytest.fixture(autouse=True)
    def _bounds(self, settings: Any) -> None:
        settings.RATING_HAND_SECONDS = 5

    def test_many_games_in_a_minute_are_held(self, club: Club, two: list[Player]) -> None:
        for at in range(MANY):
            played_match(club, two, at, seconds=1)
        assert rating_games.catch_up() == MANY
        assert not Rating.objects.exists()
        holds = RatingHold.objects.filter(reason=Reason.FAST, state=State.WAITING)
        assert holds.count() == MANY
        assert holds[0].found == "8 hands in 1 seconds"
        game = Game.objects.all()[0]
        words = rating_effects.of_game(game, None).words
        assert words.startswith("Waiting for a moderator of this site before it is rated: ")
        event = Event.objects.all()[0]
        assert rating_effects.of_event(event, None).words == rating_effects.WAITING

    def test_recomputing_holds_suspicious_matches_first(
        self, club: Club, two: list[Player]
    ) -> None:
        for at in range(3):
            played_match(club, two, at, seconds=1)
        rating_games.recompute()
        assert RatingHold.objects.filter(reason=Reason.FAST).count() == 3
        assert not Rating.objects.exists()

    def test_normal_pace_is_not_held(self, club: Club, two: list[Player]) -> None:
        played_match(club, two, seconds=5 * HANDS)
        rating_games.catch_up()
        assert not RatingHold.objects.exists()
        assert Rating.objects.count() == 2

    def test_too_many_games_in_an_hour_are_held(
        self, club: Club, two: list[Player], settings: Any
    ) -> None:
        settings.RATING_MATCHES_AN_HOUR = 3
        for at in range(5):
            played_match(club, two, at, seconds=60)
        rating_games.catch_up()
        assert [hold.found for hold in RatingHold.objects.all()] == [
            "4 matches of one player in an hour",
            "5 matches of one player in an hour",
        ]


class TestTheSameFew:
    @pytest.fixture(autouse=True)
    def _bounds(self, settings: Any) -> None:
        settings.RATING_SAME_MATCHES, settings.RATING_SAME_PLAYERS = 3, 2

    def test_many_matches_among_few_wait_and_the_others_go_on(
        self, club: Club, two: list[Player]
    ) -> None:
        for at in range(5):
            played_match(club, two, 60 * at)
        others = [player("Iris"), player("Jonah")]
        played_match(club, others, 300)
        rating_games.catch_up()
        assert RatingHold.objects.count() == 2
        assert RatingHold.objects.all()[0].found == "4 matches with and against 1 other in 30 days"
        assert RatingChange.objects.count() == 2 * 4
        assert rating_games.inconsistent_pools() == []

    def test_a_substitute_is_counted_for_the_matches_they_played(
        self, club: Club, two: list[Player]
    ) -> None:
        maeve = two[0]
        for at, owner in enumerate(people(5)):
            event = played_match(club, two, 60 * at)
            seat = event.entered_players.get(player=maeve)
            Substitution.objects.create(entry=seat.entry, position=0, player=maeve, until=1)
            event.entered_players.filter(pk=seat.pk).update(player=owner)
        rating_games.catch_up()
        assert RatingHold.objects.count() == 2
        assert RatingHold.objects.all()[0].found == "4 matches with and against 1 other in 30 days"

    def test_player_with_many_opponents_is_not_held(self, club: Club) -> None:
        maeve, *others = people(7)
        for at, other in enumerate(others):
            played_match(club, [maeve, other], 60 * at)
        rating_games.catch_up()
        assert not RatingHold.objects.exists()
        assert Rating.objects.get(player=maeve).games == 6

    def test_approved_matches_are_not_counted_again(self, club: Club, two: list[Player]) -> None:
        for at in range(4):
            played_match(club, two, 60 * at)
        rating_games.catch_up()
        RatingHold.objects.update(state=State.PASSED, decided=NOON + timedelta(hours=3.5))
        for at in range(4, 8):
            played_match(club, two, 60 * at)
        rating_games.catch_up()
        assert RatingHold.objects.filter(state=State.WAITING).count() == 1

    def test_second_check_holds_nothing_new(self, club: Club, two: list[Player]) -> None:
        events = [played_match(club, two, 60 * at) for at in range(4)]
        assert [rating_holds.hold_suspicious(event.pk) for event in events] == [0, 0, 0, 1]
        assert rating_holds.hold_suspicious(events[3].pk) == 0


class TestOneAddress:
    @pytest.fixture(autouse=True)
    def _bounds(self, settings: Any) -> None:
        settings.RATING_ADDRESS_MATCHES = 2

    def seen(self, addresses: list[str]) -> None:
        for table in Table.objects.filter(reserved=True):
            for seat, address in zip(table.seats.order_by("position"), addresses, strict=True):
                assert seat.player_id is not None
                whereabouts.record(table.pk, seat.player_id, address)

    @pytest.mark.parametrize(
        ("addresses", "recognised", "held"),
        [
            (["192.0.2.7", "192.0.2.7"], False, 2),
            (["192.0.2.7", "192.0.2.8"], False, 0),
            (["192.0.2.7", "192.0.2.7"], True, 0),
        ],
    )
    def test_pair_from_one_address_is_held_unless_the_club_is_known(
        self, club: Club, two: list[Player], addresses: list[str], recognised: bool, held: int
    ) -> None:
        Club.objects.update(recognised=recognised)
        for at in range(4):
            played_match(club, two, 60 * at)
        self.seen(addresses)
        rating_games.catch_up()
        assert RatingHold.objects.filter(reason=Reason.ADDRESS).count() == held

    def test_many_at_one_address_are_counted_together(
        self, club: Club, two: list[Player], settings: Any
    ) -> None:
        """What ranking asks for, six opponents, does not thin out what is looked for."""
        six = [two[1], *(member(f"Puppet {name}") for name in "abcde")]
        for at in range(12):
            played_match(club, [two[0], six[at % 6]], 60 * at)
        for table in Table.objects.filter(reserved=True):
            for seat in table.seats.all():
                assert seat.player_id is not None
                whereabouts.record(table.pk, seat.player_id, "192.0.2.7")
        rating_games.catch_up()
        held = RatingHold.objects.filter(reason=Reason.ADDRESS)
        assert held.count() == 12 - settings.RATING_ADDRESS_MATCHES

    def test_addresses_are_hashed_and_deleted_after_thirty_days(
        self, club: Club, two: list[Player]
    ) -> None:
        played_match(club, two)
        self.seen(["192.0.2.7", "192.0.2.7"])
        self.seen(["192.0.2.7", "192.0.2.7"])
        assert SeenFrom.objects.count() == 2
        assert not SeenFrom.objects.filter(digest__contains="192").exists()
        whereabouts.forget(timezone.now() + whereabouts.KEPT)
        assert not SeenFrom.objects.exists()

    def test_addresses_of_seated_players_are_recorded(self, club: Club, two: list[Player]) -> None:
        drawn_match(club, two)
        table = Table.objects.get(reserved=True)
        logged_in(two[0]).get(f"/tables/{table.pk}/")
        Client().get(f"/tables/{table.pk}/")
        assert [one.player for one in SeenFrom.objects.all()] == [two[0]]


class TestOpponents:
    def test_opponents_are_counted_once_in_every_way_of_rating(self, club: Club) -> None:
        people = cast()
        events = [
            played_match(club, [people[0], people[other]], 60 * at)
            for at, other in enumerate((1, 1, 2, 3, 2))
        ]
        rating_games.catch_up()
        mine = Rating.objects.get(player=people[0])
        assert mine.opponents == 3
        counts = RatingChange.objects.filter(player=people[0]).order_by("position")
        assert [one.opponents for one in counts] == [1, 1, 2, 3, 3]
        rating_games.queue_rating(events[3])
        rating_games.catch_up()
        assert rating_games.inconsistent_pools() == []
        assert Rating.objects.get(player=people[0]).opponents == 3

    def test_player_with_too_few_opponents_is_unranked_with_the_reason(self, settings: Any) -> None:
        settings.RANKED_OPPONENTS = 6
        rating(player("Maeve"), 1700, opponents=5)
        rating(player("Ben"), 1500, opponents=6)
        shown = leaderboards.board_of(pool(), BoardFilter(), None, 1, NOON)
        assert [(line.place, line.rating.player.name, line.why) for line in shown.lines] == [
            (1, "Ben", ""),
            (None, "Maeve", "5 of 6 different opponents"),
        ]
        ((listed, leaders, _own),) = leaderboards.pools(None, NOON)
        assert (listed.ranked, [one.rating.player.name for one in leaders]) == (1, ["Ben"])


def test_how_page_states_the_limits(settings: Any) -> None:
    settings.RANKED_OPPONENTS, settings.RATING_SAME_MATCHES = 6, 20
    settings.RATING_ADDRESS_MATCHES = 5
    words = " ".join(Client().get("/ratings/how/").content.decode().split())
    assert "at least 6 different opponents" in words
    assert "more than 20 matches in 30 days" in words
    assert "more than 5 matches in 30 days of two players from one address" in words
    assert "seconds a hand" not in words
