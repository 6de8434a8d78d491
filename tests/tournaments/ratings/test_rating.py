"""Finished events rated: once, in order, and anew after a correction."""

from datetime import timedelta
from io import StringIO
from random import Random
from typing import Any

import pytest
from django.core.management import call_command

from games.engine.rules import CLASSIC_24, HEADS_UP, JOKER_33
from games.models import Game, Player
from tests.factories import member
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON
from tournaments import tasks
from tournaments.acts import correcting, starting_and_ending
from tournaments.models import (
    Entry,
    EntryPlayer,
    Event,
    Pairing,
    Pool,
    Rating,
    RatingChange,
    RatingHold,
)
from tournaments.ratings import effects as rating_effects
from tournaments.ratings import moderation as rating_moderation
from tournaments.ratings import rating_games
from tournaments.refusals import RefusedError

pytestmark = [pytest.mark.django_db, pytest.mark.db]


def acted(event: Event) -> None:
    """Let persons have played every hand of an event's games themselves."""
    games = Game.objects.filter(table__pairing__round__event=event)
    games.update(noted=True, stood_in="0" * 8)


def finished(players: list[Player], days: int = 0, seed: int = 1, **fields: Any) -> Event:
    """A rated event of these players that has been played."""
    club = build.club(f"Club {Event.objects.count()}")
    event = build.event(club, **{"rounds": 2, "starts": NOON + timedelta(days=days), **fields})
    for arrival, player in enumerate(players, start=1):
        entry = Entry.objects.create(event=event, state=Entry.State.ENTERED, arrival=arrival)
        EntryPlayer.objects.create(event=event, entry=entry, player=player)
    build.play_to_end(event, NOON + timedelta(days=days), seed)
    acted(event)
    return event


@pytest.fixture
def players() -> list[Player]:
    """Eight persons."""
    return [Player.objects.create(name=f"Player {number}") for number in range(8)]


def snapshot() -> list[tuple[object, ...]]:
    return list(
        Rating.objects.order_by("pool", "player").values_list("player", "mu", "sigma", "games")
    )


def test_winners_rise_and_every_game_is_kept(players: list[Player]) -> None:
    event = finished(players, rounds=1)
    assert rating_games.catch_up() == 1
    assert Rating.objects.count() == 8
    for pairing in Pairing.objects.all():
        changes = pairing.rating_changes.order_by("position")
        assert [change.position for change in RatingChange.objects.all()] == list(range(1, 9))
        for change in changes:
            assert (change.mu_after > change.mu_before) is (change.side == pairing.winner)
            assert change.expected == pytest.approx(0.5)
    event.refresh_from_db()
    assert not event.to_rate


def test_rating_twice_changes_nothing(players: list[Player]) -> None:
    finished(players)
    rating_games.catch_up()
    before = snapshot()
    assert rating_games.catch_up() == 0
    assert snapshot() == before
    assert RatingChange.objects.count() == 2 * 8


def test_incremental_rating_equals_full_rating(players: list[Player]) -> None:
    for day in (0, 7, 14):
        finished(players, day, seed=day)
        rating_games.catch_up()
    step_by_step = snapshot()
    hashes = rating_games.recompute()
    assert snapshot() == step_by_step
    assert hashes == {"classic online": rating_games.fingerprint(Pool.objects.get())}


def test_an_event_that_ended_earlier_but_is_rated_later_takes_its_place(
    players: list[Player],
) -> None:
    finished(players, 0, seed=1)
    late = finished(players, 7, seed=2)
    Event.objects.filter(pk=late.pk).update(to_rate=False)
    finished(players, 14, seed=3)
    rating_games.catch_up()
    Event.objects.filter(pk=late.pk).update(to_rate=True)
    rating_games.catch_up()
    assert rating_games.inconsistent_pools() == []


def test_correction_replays_all_later_events(players: list[Player]) -> None:
    first = finished(players, 0, seed=1)
    finished(players, 7, seed=2)
    rating_games.catch_up()
    before = snapshot()
    pairing = Pairing.objects.filter(round__event=first).order_by("pk")[0]
    points = (0, 5) if pairing.winner == 0 else (5, 0)
    ada = member("Ada")
    winner = 1 - pairing.winner
    ruling = build.ruled(winner, points)
    correcting.set_result(pairing, ada, ruling, reason="Misread.", now=NOON + MINUTE)
    assert rating_games.catch_up() == 2
    assert snapshot() != before
    corrected = pairing.rating_changes.values_list("number", "winner").distinct().get()
    assert corrected == (0, winner)
    assert rating_games.inconsistent_pools() == []


def test_pool_of_an_earlier_model_is_rated_again(players: list[Player]) -> None:
    finished(players, 0, seed=1)
    finished(players, 7, seed=2)
    rating_games.catch_up()
    right = snapshot()
    RatingChange.objects.update(sigma_after=99.0)
    Rating.objects.update(mu=1600.0)
    Pool.objects.update(model=0)
    assert rating_games.inconsistent_pools() == []  # it is known already
    assert rating_games.catch_up() == 2
    assert snapshot() == right
    assert rating_games.inconsistent_pools() == []
    assert rating_games.catch_up() == 0


def test_rest_increases_the_deviation(players: list[Player]) -> None:
    finished(players, 0, rounds=1)
    finished(players, 100, rounds=1)
    rating_games.catch_up()
    mine = RatingChange.objects.filter(player=players[0]).order_by("position")
    assert mine[1].sigma_before > mine[0].sigma_after


def test_pools_are_apart(players: list[Player]) -> None:
    finished(players, 0, rounds=1, rules=CLASSIC_24)
    finished(players, 1, rounds=1, rules=JOKER_33)
    finished(players[:2], 2, rules=HEADS_UP, format="single_elimination")
    rating_games.catch_up()
    assert set(Pool.objects.values_list("key", flat=True)) == {
        "classic online",
        "joker online",
        "heads-up online",
    }
    assert not players[7].ratings.filter(pool__key="heads-up online").exists()


class TestUnrated:
    def test_unrated_event_is_not_rated(self, players: list[Player]) -> None:
        finished(players, rated=False)
        assert rating_games.catch_up() == 0

    def test_game_with_a_house_player_is_not_rated(self, players: list[Player]) -> None:
        Player.objects.filter(pk=players[0].pk).update(kind=Player.Kind.HOUSE)
        finished(players, rounds=1)
        rating_games.catch_up()
        assert Rating.objects.count() == 4


def test_double_forfeit_of_a_finished_game_keeps_the_losses(
    players: list[Player],
) -> None:
    finished(players, rounds=1)
    rating_games.catch_up()
    before = snapshot()
    nobody, ada = build.ruled(-1, ended=Pairing.How.FORFEIT), member("Ada")
    for match in Pairing.objects.all():
        correcting.set_result(match, ada, nobody, reason="Table talk.", now=NOON)
    rating_games.catch_up()
    assert snapshot() == before


class TestCalledOff:
    """Calling an event off takes back no game that was over by then."""

    def called_off(self, players: list[Player], **fields: Any) -> tuple[Event, list[Pairing]]:
        """A knock-out of heads-up that is called off once a game of two has been played."""
        event = build.event(rules=HEADS_UP, format="single_elimination", minimum=2, **fields)
        for arrival, player in enumerate(players[:4], start=1):
            entry = Entry.objects.create(event=event, state=Entry.State.ENTERED, arrival=arrival)
            EntryPlayer.objects.create(event=event, entry=entry, player=player)
        build.begin(event)
        build.arrive(event)
        build.step(event, NOON)
        first, second = build.latest(event).pairings.order_by("number")
        build.win(first, 0, at=NOON)
        build.step(event, NOON)
        acted(event)
        starting_and_ending.cancel(event, member("Ada"), "It rains.", NOON + MINUTE)
        return event, [first, second]

    def test_cancelled_event_keeps_losses(self, players: list[Player]) -> None:
        event, (first, second) = self.called_off(players)
        assert rating_games.catch_up() == 1
        assert first.rating_changes.count() == 2
        assert not second.rating_changes.exists()  # it was being played
        event.refresh_from_db()
        assert not event.to_rate
        before = snapshot()
        rating_games.recompute()
        assert snapshot() == before
        assert rating_games.inconsistent_pools() == []

    def test_cancelled_event_keeps_a_lost_first_game(self, players: list[Player]) -> None:
        _event, (first, second) = self.called_off(players, match=Event.Match.BEST_OF_3)
        first.refresh_from_db()
        assert first.state != Pairing.State.DECIDED
        rating_games.catch_up()
        assert set(first.rating_changes.values_list("number", flat=True)) == {1}
        assert not second.rating_changes.exists()

    def test_match_of_a_cancelled_event_can_be_held(
        self, players: list[Player], settings: Any
    ) -> None:
        settings.RATING_HAND_SECONDS = 5
        _event, (first, _second) = self.called_off(players, match=Event.Match.BEST_OF_3)
        Game.objects.filter(table=first.table).update(started=NOON, ended=NOON + MINUTE / 6)
        rating_games.catch_up()
        assert first.rating_hold.reason == RatingHold.Reason.FAST
        assert not Rating.objects.exists()
        rating_moderation.decide([first.rating_hold.pk], member("Mo"), "", NOON, let_through=True)
        rating_games.catch_up()
        assert first.rating_changes.count() == 2

    def test_cancelled_event_results_can_be_corrected_but_not_added(
        self, players: list[Player]
    ) -> None:
        _event, (first, second) = self.called_off(players)
        rating_games.catch_up()
        bea = member("Bea")
        other = build.ruled(1, (4, 10))
        correcting.set_result(first, bea, other, reason="Misread.", now=NOON + 2 * MINUTE)
        rating_games.catch_up()
        assert first.rating_changes.values_list("number", "winner").distinct().get() == (0, 1)
        with pytest.raises(
            RefusedError, match="No result can be set in an event that is “Cancelled”"
        ):
            correcting.set_result(second, bea, other, reason="So it was.", now=NOON + 2 * MINUTE)

    def test_event_cancelled_before_it_began_rates_nothing(self, players: list[Player]) -> None:
        event = build.event()
        build.enter(event, 4)
        starting_and_ending.cancel(event, member("Ada"), "It rains.", NOON - MINUTE)
        rating_games.catch_up()
        event.refresh_from_db()
        assert not event.to_rate
        assert rating_effects.why_waiting(event) == rating_effects.CANCELLED


def test_the_command_prints_a_hash_of_each_pool(players: list[Player]) -> None:
    out = StringIO()
    call_command("recompute_ratings", stdout=out)
    assert out.getvalue() == "No rated event has been finished.\n"
    finished(players)
    out = StringIO()
    call_command("recompute_ratings", stdout=out)
    assert out.getvalue() == f"classic online: {rating_games.fingerprint(Pool.objects.get())}\n"


class TestTasks:
    """They are of the queue for long work, so that a long replay keeps no clock waiting."""

    def test_a_rating_changed_by_hand_is_noticed(
        self, players: list[Player], caplog: pytest.LogCaptureFixture
    ) -> None:
        finished(players)
        tasks.rate()
        assert Rating.objects.count() == 8
        tasks.check_ratings()
        assert "ratings differ" not in caplog.text
        Rating.objects.filter(player=players[0]).update(mu=1700)
        tasks.check_ratings()
        assert rating_games.inconsistent_pools() == ["classic online"]
        assert "ratings differ" in caplog.text

    def test_rating_tasks_are_scheduled(self, settings: Any) -> None:
        scheduled = {each["task"] for each in settings.CELERY_BEAT_SCHEDULE.values()}
        assert {tasks.rate.name, tasks.check_ratings.name} <= scheduled


def test_the_best_rated_are_seeded_first(players: list[Player]) -> None:
    finished(players, rounds=3, seed=4)
    rating_games.catch_up()
    event = build.event(build.club("Next"), rounds=1)
    for arrival, player in enumerate(Random(1).sample(players, 8), start=1):
        entry = Entry.objects.create(event=event, state=Entry.State.ENTERED, arrival=arrival)
        EntryPlayer.objects.create(event=event, entry=entry, player=player)
    build.begin(event)
    seeded = event.entries.order_by("seed")
    rated = [Rating.objects.get(player=entry.players.get().player).mu for entry in seeded]
    assert rated == sorted(rated, reverse=True)
