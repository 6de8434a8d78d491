"""Ratings after many games, however they came: what going through all of them gives."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from random import Random
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from games.engine.rules import HEADS_UP, JOKER_33
from games.models import Game, Player
from games.records import performances
from tests.factories import people
from tests.tournaments import build
from tests.tournaments.build import NOON
from tests.volume import volume
from tournaments import rating_formula as formula
from tournaments.models import Event, Pairing, Pool, Rating, RatingChange
from tournaments.rating_formula import START, Skill
from tournaments.ratings import rating_games
from tournaments.ratings import store as rating_store
from tournaments.ratings import units as rating_units
from tournaments.ratings.replay import DAY

pytestmark = pytest.mark.django_db

Rows = list[tuple[Any, ...]]
WORKERS = 5
#: Evenings of twenty games each, and how many of them are corrected.
EVENINGS = volume(4, 4, 50)
CORRECTED = volume(10, 10, 50)


def stored() -> tuple[Rows, Rows]:
    """All changes and all ratings, without their keys."""
    changes = RatingChange.objects.order_by("pool__key", "position").values_list(
        "pool__key", "position", "pairing", "number", "player", "side", "winner", "expected",
        "weight", "mu_before", "sigma_before", "mu_after", "sigma_after", "at",
    )  # fmt: skip
    rated = Rating.objects.order_by("pool__key", "player").values_list(
        "pool__key", "player", "mu", "sigma", "games", "latest", "ranked_until"
    )
    return list(changes), list(rated)


def offline() -> tuple[Rows, Rows]:
    """What `stored` must be, worked out game by game in plain steps."""
    changes: Rows = []
    held: dict[tuple[str, int], tuple[Skill, int, datetime]] = {}
    places: dict[str, int] = {}
    for key, pairing, number, sides, winner, at in played():
        before = tuple([rested(held.get((key, one)), at) for one in side] for side in sides)
        after = formula.updated((before[0], before[1]), winner)
        chance = formula.expected((before[0], before[1]))
        for side in (0, 1):
            for player, old, new in zip(sides[side], before[side], after[side], strict=True):
                places[key] = places.get(key, 0) + 1
                games = held[key, player][1] if (key, player) in held else 0
                held[key, player] = new, games + 1, at
                mine = chance if side == 0 else 1 - chance
                changes.append(
                    (
                        key,
                        places[key],
                        pairing,
                        number,
                        player,
                        side,
                        winner,
                        mine,
                        1.0,
                        *old,
                        *new,
                        at,
                    )
                )
    changes.sort(key=lambda row: (row[0], row[1]))
    rated = [
        (key, player, *skill, games, latest, until(skill, latest))
        for (key, player), (skill, games, latest) in sorted(held.items())
    ]
    return changes, rated


def rested(mine: tuple[Skill, int, datetime] | None, at: datetime) -> Skill:
    if mine is None:
        return START
    return formula.after_rest(mine[0], (at - mine[2]).total_seconds() / DAY)


def until(skill: Skill, latest: datetime) -> datetime:
    return latest + timedelta(days=min(180, (80**2 - skill.sigma**2) / 1.7))


def played() -> Iterator[tuple[str, int, int, list[list[int]], int, datetime]]:
    """The rated games, one after another as the ORM gives them."""
    decided = Pairing.objects.filter(state=Pairing.State.DECIDED, rated=True)
    decided = decided.filter(round__event__rated=True)
    finished = decided.filter(round__event__state=Event.State.FINISHED)
    in_order = finished.order_by("round__event__ended", "round__event", "round__number", "number")
    with_all = in_order.select_related("round__event", "table")
    for pairing in with_all.prefetch_related("entries__entry__players", "table__games"):
        lines = sorted(pairing.entries.all(), key=lambda line: (line.side, line.position))
        sides = [
            [
                one.player_id
                for line in lines
                if line.side == side
                for one in line.entry.players.all()
            ]
            for side in (0, 1)
        ]
        key = rating_games.pool_key(pairing.round.event.rules, in_room=pairing.in_room)
        if pairing.in_room:
            for number, (ours, theirs) in enumerate(pairing.scores, start=1):
                assert pairing.decided
                lead = -1 if ours == theirs else int(theirs > ours)
                yield key, pairing.pk, number, sides, lead, pairing.decided
            continue
        if pairing.how == Pairing.How.DIRECTOR:
            assert pairing.decided
            yield key, pairing.pk, 0, sides, pairing.winner, pairing.decided
            continue
        assert pairing.table
        for game in sorted(pairing.table.games.all(), key=lambda game: game.number):
            lead = -1 if game.score_0 == game.score_1 else int(game.score_1 > game.score_0)
            assert game.ended
            yield key, pairing.pk, game.number, sides, lead, game.ended


def mark(pk: int) -> None:
    rating_games.queue_rating(Event.objects.get(pk=pk))


def mark_all() -> None:
    Event.objects.update(to_rate=True)


def overrule(pairing: Pairing) -> None:
    """Let a director have given a match to the other side."""
    winner = int(pairing.rating_changes.all()[0].winner == 0)
    Pairing.objects.filter(pk=pairing.pk).update(how=Pairing.How.DIRECTOR, winner=winner)
    mark(pairing.round.event_id)


@pytest.fixture
def players() -> list[Player]:
    """Forty persons."""
    return people(40)


class TestThousandGames:
    """Evenings of twenty games each."""

    @pytest.mark.django_db(transaction=True)
    def test_each_delivered_five_times_by_concurrent_workers(self, players: list[Player]) -> None:
        evenings = build.evenings(EVENINGS, players, tables=5)
        Event.objects.update(state=Event.State.RUNNING)

        def work(worker: int) -> None:
            try:
                for pk in Random(worker).sample(evenings, len(evenings)):
                    with transaction.atomic():
                        event = Event.objects.select_for_update().get(pk=pk)
                        Event.objects.filter(pk=pk).update(state=Event.State.FINISHED)
                        rating_games.queue_rating(event)
                    rating_games.catch_up()
            finally:
                connection.close()

        with ThreadPoolExecutor(WORKERS) as threads:
            list(threads.map(work, range(WORKERS)))
        rating_games.catch_up()
        assert not Event.objects.filter(to_rate=True).exists()
        assert RatingChange.objects.count() == 4 * 20 * EVENINGS
        assert stored() == offline()

    def test_late_correction_changes_the_replay(self, players: list[Player]) -> None:
        build.evenings(CORRECTED, players, tables=5)
        mark_all()
        rating_games.catch_up()
        before = {row[1]: row for row in stored()[0]}
        keys = dict(RatingChange.objects.values_list("position", "pk"))
        third = RatingChange.objects.get(position=9).pairing
        assert third is not None
        overrule(third)
        assert rating_games.catch_up() == CORRECTED
        changes, rated = stored()
        assert (changes, rated) == offline()
        changed = [row[1] for row in changes if before[row[1]] != row]
        assert changed[:4] == [9, 10, 11, 12]
        assert len(changed) > 60 * CORRECTED  # of 80 an evening
        kept = dict(RatingChange.objects.values_list("position", "pk"))
        assert [place for place in keys if keys[place] != kept[place]] == changed[:4]


def test_unchanged_replay_writes_nothing(players: list[Player]) -> None:
    evenings = build.evenings(3, players)
    mark_all()
    rating_games.catch_up()
    mark(evenings[0])
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert rating_games.catch_up() == 3
    tables = [model._meta.db_table for model in (RatingChange, Rating)]
    writing = ("INSERT INTO", "UPDATE", "DELETE FROM")
    for query in queries:
        for table in tables:
            assert (
                not query["sql"]
                .replace('"', "")
                .startswith(tuple(f"{verb} {table} " for verb in writing))
            )


def test_events_are_rated_in_order_of_their_end(players: list[Player]) -> None:
    evenings = build.evenings(8, players, tables=3)
    Event.objects.update(state=Event.State.RUNNING)
    for pk in Random(2).sample(evenings, len(evenings)):
        Event.objects.filter(pk=pk).update(state=Event.State.FINISHED)
        mark(pk)
        rating_games.catch_up()
        assert stored() == offline()


def test_pools_do_not_disturb_each_other(players: list[Player]) -> None:
    build.evenings(2, players, seed=1)
    build.evenings(2, players, seed=2, rules=JOKER_33)
    build.evenings(2, players, seed=3, rules=HEADS_UP)
    mark_all()
    assert rating_games.catch_up() == 6
    assert stored() == offline()
    assert len(rating_games.recompute()) == 3
    assert stored() == offline()


def test_batch_size_does_not_matter(players: list[Player], monkeypatch: pytest.MonkeyPatch) -> None:
    build.evenings(7, players)
    hashes = rating_games.recompute()
    assert stored() == offline()
    monkeypatch.setattr(rating_units, "CHUNK", 2 * build.GAMES_AN_EVENING)
    monkeypatch.setattr(rating_units, "COUNTED", 3)
    counted = [len(chunk) for chunk in rating_units.chunks(rating_units.events("classic online"))]
    assert counted == [2, 2, 2, 1]
    RatingChange.objects.all().delete()
    assert rating_games.recompute() == hashes
    assert stored() == offline()


@pytest.mark.parametrize("step", [50, 100_000])
def test_directors_result_makes_several_games_one(
    players: list[Player], monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    monkeypatch.setattr(rating_store, "STEP", step)
    evenings = build.evenings(4, players)
    pairing = Pairing.objects.filter(round__event=evenings[1]).order_by("round", "number")[5]
    build.match_game(pairing, (3, 10), number=2).save()
    build.match_game(pairing, (10, 6), number=3).save()
    mark_all()
    rating_games.catch_up()
    assert stored() == offline()
    assert [row[1] for row in stored()[0]] == list(range(1, 4 * (4 * 32 + 2) + 1))
    overrule(pairing)
    rating_games.catch_up()
    assert stored() == offline()


class TestWhatDoesNotCount:
    def test_player_with_forfeited_games_only_has_no_rating(self, players: list[Player]) -> None:
        evenings = build.evenings(2, players[:32])
        last = build.evenings(1, players, seed=9)
        Event.objects.filter(pk__in=last).update(ended=NOON + timedelta(days=9))
        mark_all()
        rating_games.catch_up()
        assert Rating.objects.count() > 32
        Pairing.objects.filter(round__event__in=last).update(
            how=Pairing.How.FORFEIT, rated=False, played_out=False
        )
        Game.objects.filter(table__pairing__round__event__in=last).delete()
        mark(last[0])
        rating_games.catch_up()
        assert stored() == offline()
        assert Rating.objects.count() == 32
        Event.objects.filter(pk__in=evenings).update(rated=False)
        assert rating_games.recompute() == {
            "classic online": rating_games.fingerprint(Pool.objects.get())
        }
        assert stored() == ([], [])

    def test_match_unrated_from_its_start(self, players: list[Player]) -> None:
        build.evenings(1, players[:32])
        mine = Pairing.objects.filter(entries__entry__players__player=players[0])
        Pairing.objects.filter(pk__in=list(mine.values_list("pk", flat=True))).update(rated=False)
        rating_games.recompute()
        assert RatingChange.objects.count() == 4 * (32 - 4)
        assert not RatingChange.objects.filter(player=players[0]).exists()
        assert stored() == offline()

    def test_a_game_stopped_by_time_before_its_first_hand_was_over(
        self, players: list[Player]
    ) -> None:
        build.evenings(1, players)
        game = Game.objects.all()[7]
        Game.objects.filter(pk=game.pk).update(state=Game.State.ABANDONED, winner=-1, stood_in="")
        rating_games.recompute()
        assert RatingChange.objects.count() == 4 * 31


def test_unrecorded_games_are_recorded_first(
    players: list[Player], monkeypatch: pytest.MonkeyPatch
) -> None:
    build.evenings(1, players)
    Game.objects.update(noted=False, stood_in="")
    noted: list[Game] = []

    def record(game: Game) -> None:
        noted.append(game)
        Game.objects.filter(pk=game.pk).update(noted=True, stood_in="0" * 8)

    monkeypatch.setattr(performances, "record", record)
    mark_all()
    rating_games.catch_up()
    assert len(noted) == 32
    assert RatingChange.objects.count() == 4 * 32
    assert stored() == offline()
