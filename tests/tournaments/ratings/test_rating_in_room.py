"""Ratings of games with real cards: a pool of their own that follows from the scores alone."""

from datetime import timedelta
from random import Random
from typing import Any

import pytest
from django.test import Client

from games.models import Game, Player
from tests.factories import member, people
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON, ruled
from tests.tournaments.ratings.test_rating_replay import offline, stored
from tests.tournaments.room_scores.cards_of import drawn, hand
from tests.volume import volume
from tournaments.acts import correcting, starting_and_ending, undoing
from tournaments.attendance import substitutes
from tournaments.entering import leaving_running_event
from tournaments.models import Act, Club, Event, Pairing, Pool, Rating, RatingChange, RatingHold
from tournaments.models.events import clear_unused_settings
from tournaments.ratings import claims as rating_claims
from tournaments.ratings import effects as rating_effects
from tournaments.ratings import rating_games

pytestmark = pytest.mark.django_db

ONLINE, IN_ROOM = "classic online", "classic in the room"
How = Pairing.How


@pytest.fixture
def club() -> Club:
    return build.club(recognised=True)


def begun(club: Club, players: list[Player], days: int = 0, **fields: Any) -> Event:
    """An event in the room whose first round is drawn."""
    starts = NOON + timedelta(days=days)
    event = build.event(club, **{"place": "room", "rounds": 1, "starts": starts, **fields})
    build.let_in(event, players)
    build.begin(event, starts)
    return event


def enter(match: Pairing, by: Player, winner: int, *scores: tuple[int, int], **more: Any) -> None:
    now = match.round.event.starts + MINUTE
    reason = "Misread." if match.state == Pairing.State.DECIDED else ""
    correcting.set_result(match, by, ruled(winner, *scores, **more), reason=reason, now=now)


def finish(event: Event, by: Player, seed: int = 1) -> None:
    """Play an event to its end, online and in the room, by chance."""
    rng = Random(seed)
    while event.state == Event.State.RUNNING:
        build.play_round(event, event.starts + MINUTE, rng)
        for match in build.latest(event).pairings.filter(in_room=True, state="playing"):
            won, lost = rng.randrange(2), rng.randrange(5)
            enter(match, by, won, (5, lost) if won == 0 else (lost, 5))
        build.step(event, event.starts + 2 * MINUTE)
    noted = Game.objects.filter(table__pairing__round__event=event)
    noted.update(noted=True, stood_in="0" * 8)


def only_match(event: Event) -> Pairing:
    return Pairing.objects.select_related("round__event").get(round__event=event)


def rated_anew() -> tuple[list[Any], list[Any]]:
    """What is stored after everything that was rated is thrown away."""
    Pool.objects.all().delete()
    rating_games.recompute()
    return stored()


class TestPools:
    def test_the_room_has_a_pool_of_its_own(self, club: Club, ada: Player) -> None:
        event = begun(club, people(8))
        finish(event, ada)
        assert rating_games.catch_up() == 1
        assert {one.pool.key for one in Rating.objects.all()} == {IN_ROOM}
        assert Rating.objects.count() == 8
        assert stored() == offline()
        event.refresh_from_db()
        assert not event.to_rate

    def test_a_mixed_event_rates_each_match_where_it_was_played(
        self, club: Club, ada: Player
    ) -> None:
        event = begun(club, people(12), rounds=3, place="mixed", room_from=2)
        finish(event, ada)
        rating_games.catch_up()
        found = RatingChange.objects.values_list("pool__key", "pairing__in_room").distinct()
        assert set(found) == {(ONLINE, False), (IN_ROOM, True)}
        assert RatingChange.objects.filter(pool__key=ONLINE).count() == 3 * 4
        assert RatingChange.objects.filter(pool__key=IN_ROOM).count() == 3 * 8
        assert stored() == offline()
        assert rating_games.inconsistent_pools() == []

    def test_an_online_event_makes_no_pool_in_the_room(self) -> None:
        build.rated(*people(4))
        assert list(Pool.objects.values_list("key", flat=True)) == [ONLINE]

    def test_both_pools_are_rated_or_neither_is_marked(self, club: Club, ada: Player) -> None:
        """Another worker has one of them: the event waits, and is rated in both afterwards."""
        players = people(12)
        finish(begun(club, players), ada)
        rating_games.catch_up()
        event = begun(club, players, 1, place="mixed", room_from=2)
        finish(event, ada)
        for taken in (IN_ROOM, ONLINE):
            with rating_claims.claimed(taken) as claim:
                assert claim
                assert rating_games.catch_up() == 0
                event.refresh_from_db()
                assert event.to_rate
        assert rating_games.catch_up() == 1
        assert stored() == offline()

    def test_unrated_events_stay_unrated(self, club: Club, ada: Player) -> None:
        finish(begun(club, people(4), rated=False), ada)
        assert rating_games.catch_up() == 0
        assert not Pairing.objects.filter(rated=True).exists()

    def test_an_event_in_the_room_can_be_set_up_as_rated(self, club: Club) -> None:
        event = build.event(club, place="room")
        clear_unused_settings(event)
        assert event.rated


class TestWhatCounts:
    def test_every_game_of_a_match(self, club: Club, ada: Player) -> None:
        event = begun(club, people(4), match=Event.Match.BEST_OF_3)
        enter(only_match(event), ada, 0, (5, 4), (2, 5), (5, 3))
        finish(event, ada)
        rating_games.catch_up()
        found = RatingChange.objects.order_by("number").values_list("number", "winner").distinct()
        assert list(found) == [(1, 0), (2, 1), (3, 0)]

    def test_a_tie_counts_half(self, club: Club, ada: Player) -> None:
        event = begun(club, people(4), match=Event.Match.DEALS, deals=8)
        enter(only_match(event), ada, -1, (5, 5))
        finish(event, ada)
        rating_games.catch_up()
        assert set(RatingChange.objects.values_list("winner", flat=True)) == {-1}

    def test_a_forfeit_rates_nobody_until_it_is_corrected(self, club: Club, ada: Player) -> None:
        event = begun(club, people(4))
        enter(only_match(event), ada, 1, ended=How.FORFEIT)
        finish(event, ada)
        rating_games.catch_up()
        assert not RatingChange.objects.exists()
        enter(only_match(event), ada, 0, (5, 3))
        rating_games.catch_up()
        assert set(RatingChange.objects.values_list("number", "winner")) == {(1, 0)}
        assert stored() == offline()
        enter(only_match(event), ada, -1, ended=How.FORFEIT)
        rating_games.catch_up()
        assert not RatingChange.objects.exists()
        assert not Rating.objects.exists()

    def test_a_called_off_event_keeps_the_scores_that_are_in(self, club: Club, ada: Player) -> None:
        event = begun(club, people(8))
        enter(build.latest(event).pairings.get(number=2), ada, 0, (5, 3))
        starting_and_ending.cancel(event, ada, "The hall closes.", NOON + 2 * MINUTE)
        rating_games.catch_up()
        assert set(RatingChange.objects.values_list("pairing__number", flat=True)) == {2}

    def test_a_match_that_somebody_left_alone_is_not_rated(self, club: Club, ada: Player) -> None:
        """Somebody sat in, and nobody notes for which hands."""
        event = begun(club, people(4))
        match = only_match(event)
        leaving_running_event.withdraw(match.entries.first().entry, ada, NOON)  # type: ignore[union-attr]
        enter(match, ada, 0, (5, 3))
        assert not only_match(event).rated

    @pytest.mark.parametrize("begun", ["", "waited for in vain", "score begun"])
    def test_nobody_is_rated_for_a_match_that_others_have_begun(
        self, club: Club, ada: Player, begun: str
    ) -> None:
        """A seat given away at 0–9, or to a friend at 9–0."""
        event, rosa = drawn(club, rounds=1, deals=8), member("Rosa")
        build.joined(club, rosa)
        minutes = 20 if begun == "waited for in vain" else 4
        if begun == "score begun":
            hand(event, 1, 0)
        seat, now = event.entered_players.all()[0], NOON + minutes * MINUTE
        substitutes.substitute(seat, rosa, ada, now, reason="Called away.")
        enter(only_match(event), ada, 0, (5, 3))
        assert only_match(event).rated is not bool(begun)

    def test_partners_who_had_played_before_they_left_are_rated(
        self, club: Club, ada: Player
    ) -> None:
        event = begun(club, people(4), format="swiss")
        match = only_match(event)
        leaving_running_event.withdraw(match.entries.get(side=1).entry, ada, NOON)
        enter(only_match(event), ada, 1, (4, 5))
        assert only_match(event).rated

    def test_a_match_that_is_too_short_is_not_rated(
        self, club: Club, ada: Player, settings: Any
    ) -> None:
        settings.RATING_LEAST_HANDS = 9
        event = begun(club, people(4), match=Event.Match.DEALS, deals=8)
        enter(only_match(event), ada, 0, (6, 4))
        assert not only_match(event).rated


class TestCorrections:
    def test_a_correction_rates_everything_after_it_again(self, club: Club, ada: Player) -> None:
        players = people(8)
        events = [begun(club, players, days, rounds=2) for days in range(3)]
        for seed, event in enumerate(events):
            finish(event, ada, seed)
        rating_games.catch_up()
        match = Pairing.objects.filter(round__event=events[0]).order_by("pk")[0]
        other = 1 - match.winner
        enter(match, ada, other, (8, 4) if other == 0 else (4, 8))
        assert rating_games.catch_up() == 3
        assert stored() == offline()
        undoing.undo(Act.objects.latest("pk"), ada, NOON + timedelta(days=4))
        assert rating_games.catch_up() == 3
        assert stored() == offline()

    def test_a_result_that_was_taken_back_is_rated_as_it_is_entered_again(
        self, club: Club, ada: Player
    ) -> None:
        event = begun(club, people(8), rounds=2)
        match = build.latest(event).pairings.get(number=1)
        enter(match, ada, 1, ended=How.FORFEIT)
        match.refresh_from_db()
        enter(match, ada, 0, (5, 2))
        undoing.undo(Act.objects.latest("pk"), ada, NOON + MINUTE)
        match.refresh_from_db()
        assert match.how == How.FORFEIT
        enter(match, ada, 1, (3, 5))
        finish(event, ada)
        rating_games.catch_up()
        assert set(match.rating_changes.values_list("number", "winner")) == {(1, 1)}
        assert stored() == offline()

    def test_matches_that_are_deleted_leave_no_trace(self, club: Club, ada: Player) -> None:
        players = people(8)
        events = [begun(club, players, days, rounds=2) for days in range(3)]
        for seed, event in enumerate(events):
            finish(event, ada, seed)
        rating_games.catch_up()
        Pairing.objects.filter(round__event=events[0]).delete()
        rating_games.queue_rating(events[0])
        rating_games.catch_up()
        assert stored() == offline()

    @pytest.mark.parametrize("seed", range(volume(1, 1, 60)))
    def test_any_order_of_evenings_and_corrections(
        self, club: Club, ada: Player, seed: int
    ) -> None:
        """Rated step by step, rated from scratch, and worked out in plain steps: the same."""
        rng, players = Random(seed), people(12)
        for days in rng.sample(range(30), 4):
            where = rng.choice(({"place": "room"}, {"place": "mixed", "room_from": 2}))
            event = begun(club, rng.sample(players, rng.choice((8, 12))), days, rounds=2, **where)
            finish(event, ada, rng.randrange(100))
            if rng.random() < 0.7:
                rating_games.catch_up()
            match = rng.choice(Pairing.objects.filter(in_room=True).order_by("pk"))
            if rng.random() < 0.3:
                nobody = match.how == How.FORFEIT
                enter(match, ada, 0, *[(5, 1)] * nobody, ended="played" if nobody else "forfeit")
            elif match.points != (3, 6):
                enter(match, ada, 1, (3, 6))
        rating_games.catch_up()
        step_by_step = stored()
        assert step_by_step == offline()
        assert step_by_step == rated_anew()
        assert rating_games.inconsistent_pools() == []


class TestHolds:
    def test_the_same_few_wait_for_a_moderator(
        self, club: Club, ada: Player, settings: Any
    ) -> None:
        settings.RATING_SAME_MATCHES, settings.RATING_SAME_PLAYERS = 2, 3
        players = people(4)
        for days in range(3):
            finish(begun(club, players, days), ada, days)
            rating_games.catch_up()
        hold = RatingHold.objects.get()
        assert hold.pairing is not None
        assert (hold.reason, hold.pairing.in_room) == ("few", True)
        assert RatingChange.objects.count() == 2 * 4

    def test_nothing_is_made_of_hands_that_nobody_has_counted(
        self, club: Club, ada: Player, settings: Any
    ) -> None:
        settings.RATING_SAME_MATCHES = 0
        players = people(4)
        for days in range(6):
            finish(begun(club, players, days), ada, days)
        rating_games.catch_up()
        assert not RatingHold.objects.exists()


class TestBefore:
    """What is known of players before an event in the room."""

    def test_their_rating_there_or_else_the_one_online(self, club: Club) -> None:
        first, second, third = people(3)
        build.rating(first, 1600)
        build.rating(first, 1400, pool=build.pool(IN_ROOM))
        build.rating(second, 1550)
        build.rating(third, 1450, pool=build.pool(IN_ROOM))
        room, online = build.event(club, place="room"), build.event(club)
        everybody = [one.pk for one in (first, second, third)]
        in_room = [
            round(one.mu) for _pk, one in sorted(rating_games.skills_for(room, everybody).items())
        ]
        assert in_room == [1400, 1550, 1450]
        found = [
            round(one.mu) for _pk, one in sorted(rating_games.skills_for(online, everybody).items())
        ]
        assert found == [1600, 1550, 1450]


class TestPages:
    @pytest.fixture
    def mixed(self, club: Club, ada: Player) -> Event:
        """A mixed event of three rounds; everybody has played in the room and online."""
        event = begun(club, people(8), rounds=4, place="mixed", room_from=2)
        finish(event, ada)
        rating_games.catch_up()
        event.refresh_from_db()
        return event

    def test_an_event_shows_each_pool(self, mixed: Event) -> None:
        page = Client().get(f"/events/{mixed.pk}/ratings/").text
        assert page.count("<table") == 2
        assert ">Euchre in the room</h2>" in page
        assert ">Euchre</h2>" in page
        player = RatingChange.objects.filter(pool__key=IN_ROOM)[0].player
        own = [one.sentence for one in rating_effects.own_in(mixed, player).mine]
        assert sum(" in the room" in one for one in own) == 1

    def test_the_pool_is_listed_with_its_leaderboard_and_in_the_api(self, mixed: Event) -> None:
        browser = Client()
        assert "Euchre in the room" in browser.get("/ratings/").text
        assert browser.get("/ratings/classic-in-the-room/").status_code == 200
        pools = {one["pool"]: one["name"] for one in browser.get("/api/ratings").json()}
        assert pools == {
            "classic-online": "Euchre",
            "classic-in-the-room": "Euchre in the room",
        }
        assert browser.get("/api/ratings/classic-in-the-room").json()["lines"]

    def test_a_history_has_the_score_of_each_game_and_leads_to_the_round(
        self, mixed: Event, ada: Player
    ) -> None:
        change = RatingChange.objects.filter(pool__key=IN_ROOM, pairing__round__number=1)[0]
        match, player = change.pairing, change.player
        assert match is not None
        path = f"/players/{player.pk}/ratings/classic-in-the-room/"
        page = Client().get(path).text
        side = change.side
        score = f"{match.points[side]}–{match.points[1 - side]}"
        where = f"/events/{mixed.pk}/rounds/1/#round-1-table-2"
        assert f'<a href="{where}">{score}<span' in page
        enter(match, ada, 0, (5, 4) if match.points != (5, 4) else (5, 3))
        assert "set by a director" in Client().get(path).text
        enter(match, ada, 1, ended=How.FORFEIT)
        assert "by forfeit" in Client().get(path).text, "it is not rated again yet"
