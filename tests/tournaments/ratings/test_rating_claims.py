"""Ratings by several workers: who may rate a pool, and what becomes of work that is cut short."""

from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from games.models import Player
from tests.factories import people
from tests.tournaments import build
from tests.tournaments.build import NOON
from tests.tournaments.ratings.test_rating_replay import mark, mark_all, offline, overrule, stored
from tournaments import rating_formula as formula
from tournaments.management.commands import recompute_ratings
from tournaments.models import Event, Pairing, Pool, Rating, RatingChange
from tournaments.rating_formula import Skill
from tournaments.ratings import rating_games
from tournaments.ratings import replay as rating_replay
from tournaments.ratings import units as rating_units
from tournaments.ratings.claims import LASTS, claimed
from tournaments.ratings.store import Difference, ranked_until

pytestmark = pytest.mark.django_db

KEY = "classic online"


@pytest.fixture
def evenings() -> list[int]:
    """Three evenings, the first of which has been rated."""
    written = build.evenings(3, people(40), tables=4)
    mark(written[0])
    Event.objects.exclude(pk=written[0]).update(state=Event.State.RUNNING)
    rating_games.catch_up()
    Event.objects.update(state=Event.State.FINISHED)
    for pk in written[1:]:
        mark(pk)
    return written


def busy() -> bool:
    return Pool.objects.get(key=KEY).busy_until is not None


class TestCutShort:
    """What fails in the middle leaves everything as it was, and the next run does it all."""

    @pytest.mark.django_db(transaction=True)
    @pytest.mark.parametrize("where", ["rating", "storing"])
    def test_failed_rating_changes_nothing(
        self, evenings: list[int], monkeypatch: pytest.MonkeyPatch, where: str
    ) -> None:
        overrule(Pairing.objects.filter(round__event=evenings[0])[2])
        before = stored()
        with monkeypatch.context() as patch:
            if where == "rating":
                patch.setattr(formula, "updated", failing(formula.updated, after=21))
            else:
                patch.setattr(Difference, "store", failing_late(Difference.store))
            with pytest.raises(RuntimeError, match="power"):
                rating_games.catch_up()
        assert stored() == before
        assert Event.objects.filter(to_rate=True).count() == 3
        assert not busy()
        assert rating_games.catch_up() == 3
        assert stored() == offline()

    @pytest.mark.django_db(transaction=True)
    def test_failed_recomputation_changes_nothing(
        self, evenings: list[int], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        before = stored()
        with monkeypatch.context() as patch:
            patch.setattr(Difference, "store", failing_late(Difference.store))
            with pytest.raises(RuntimeError, match="power"):
                rating_games.recompute()
        assert stored() == before
        rating_games.recompute()
        assert stored() == offline()


def failing(function: Callable[..., Any], after: int) -> Callable[..., Any]:
    """A function that fails when it has been called so many times."""
    calls = iter(range(after))

    def called(*arguments: Any) -> Any:
        if next(calls, None) is None:
            raise RuntimeError("no power")
        return function(*arguments)

    return called


def failing_late(store: Callable[..., None]) -> Callable[..., None]:
    """Storing that fails when everything is written and nothing is committed."""

    def called(*arguments: Any) -> None:
        store(*arguments)
        raise RuntimeError("no power")

    return called


class TestClaims:
    def test_pool_claimed_by_another_worker_is_skipped(self, evenings: list[int]) -> None:
        before = stored()
        with claimed(KEY) as claim:
            assert claim
            assert rating_games.catch_up() == 0
            assert rating_games.inconsistent_pools() == []
            with pytest.raises(rating_games.PoolBusyError, match="classic online"):
                rating_games.recompute()
            with pytest.raises(CommandError, match="Try again"):
                call_command("recompute_ratings")
        assert stored() == before
        assert rating_games.catch_up() == 2

    def test_claim_of_a_dead_worker_expires(self, evenings: list[int]) -> None:
        now = timezone.now()
        Pool.objects.update(busy_until=now + LASTS)
        with claimed(KEY, now + LASTS / 2) as claim:
            assert claim is None
        with claimed(KEY, now + LASTS) as claim:
            assert claim

    def test_overtaken_worker_stores_nothing(
        self, evenings: list[int], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        read = rating_units.units

        def overtaken(of: Any, **place: Any) -> Iterator[rating_units.Unit]:
            Pool.objects.update(revision=99, busy_until=NOON)
            return read(of, **place)

        before = stored()
        monkeypatch.setattr(rating_units, "units", overtaken)
        assert rating_games.catch_up() == 0
        assert stored() == before
        assert Event.objects.filter(to_rate=True).count() == 2
        assert Pool.objects.get().busy_until == NOON
        with pytest.raises(CommandError, match="Try again"):
            call_command("recompute_ratings")

    def test_claim_is_renewed_in_time(self) -> None:
        now = timezone.now()
        with claimed(KEY, now) as claim:
            assert claim
            claim.renew(now + LASTS / 3)
            assert Pool.objects.get().busy_until == now + LASTS
            claim.renew(now + 2 * LASTS / 3)
            assert Pool.objects.get().busy_until == now + 5 * LASTS / 3
        assert not busy()


def test_an_event_corrected_while_it_is_rated_is_rated_again(
    evenings: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    read = rating_units.units
    third = Pairing.objects.filter(round__event=evenings[1])[2]
    runs: list[int] = []

    def corrected_meanwhile(of: Any, **place: Any) -> Iterable[rating_units.Unit]:
        units = list(read(of, **place))
        if not runs:
            Pairing.objects.filter(pk=third.pk).update(how=Pairing.How.DIRECTOR, winner=-1)
            mark(evenings[1])
        runs.append(len(units))
        return units

    monkeypatch.setattr(rating_units, "units", corrected_meanwhile)
    rating_games.catch_up()
    assert runs == [32, 32]
    assert not Event.objects.filter(to_rate=True).exists()
    assert stored() == offline()


class TestCost:
    def test_cost_of_the_last_event_does_not_grow(self) -> None:
        def queries(event: int) -> int:
            mark(event)
            with CaptureQueriesContext(connection) as captured:
                assert rating_games.catch_up() == 1
            return len(captured)

        players = people(40)
        few = queries(build.evenings(1, players, tables=2)[0])
        second = build.evenings(21, players, seed=2, tables=8)
        Event.objects.filter(pk__in=second).update(starts=NOON + timedelta(days=30))
        mark_all()
        Event.objects.filter(pk=second[-1]).update(state=Event.State.RUNNING)
        rating_games.catch_up()
        last = Event.objects.filter(pk=second[-1])
        last.update(state=Event.State.FINISHED, ended=NOON + timedelta(days=31))
        assert queries(second[-1]) <= few + 2  # and the ratings before it, and who has met whom

    def test_rating_reads_its_own_players_only(self, monkeypatch: pytest.MonkeyPatch) -> None:
        players = people(60)
        build.evenings(4, players)
        mark_all()
        rating_games.catch_up()
        read = rating_replay.ratings_before
        asked: list[set[int]] = []

        def noting(pool: Pool, some: Any, position: int) -> Any:
            asked.append(set(some))
            return read(pool, some, position)

        monkeypatch.setattr(rating_replay, "ratings_before", noting)
        (late,) = build.evenings(1, players[:9], seed=7, tables=2, rounds=1)
        Event.objects.filter(pk=late).update(ended=NOON + timedelta(days=9))
        mark(late)
        rating_games.catch_up()
        assert asked == [
            {line.player_id for line in Event.objects.get(pk=late).entered_players.all()}
        ]
        assert stored() == offline()


class TestRankedUntil:
    def test_ranked_while_settled_and_active(self) -> None:
        assert ranked_until(Skill(1500, 60), NOON) == NOON + timedelta(days=180)
        wears_off = ranked_until(Skill(1500, 79), NOON)
        assert wears_off - NOON == timedelta(days=(80**2 - 79**2) / 1.7)
        assert ranked_until(Skill(1500, 80), NOON) == NOON
        assert ranked_until(Skill(1500, 100), NOON) < NOON

    def test_ranked_until_follows_a_correction(self, evenings: list[int]) -> None:
        rating_games.catch_up()
        overrule(Pairing.objects.filter(round__event=evenings[0])[0])
        rating_games.catch_up()
        for one in Rating.objects.all():
            assert one.ranked_until == ranked_until(Skill(one.mu, one.sigma), one.latest)


def test_command_reports_progress(evenings: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recompute_ratings, "PAUSE", 0.0)
    out, progress = StringIO(), StringIO()
    call_command("recompute_ratings", stdout=out, stderr=progress)
    assert out.getvalue() == f"{KEY}: {rating_games.fingerprint(Pool.objects.get())}\n"
    assert progress.getvalue().startswith(f"{KEY}: 48 games, ")
    assert " games/s, " in progress.getvalue()


def test_altered_change_is_noticed_and_repaired(evenings: list[int]) -> None:
    rating_games.catch_up()
    right = stored()
    RatingChange.objects.filter(position=17).update(expected=0.123)
    assert rating_games.inconsistent_pools() == [KEY]
    RatingChange.objects.filter(position__gt=150).delete()
    Rating.objects.all()[3].delete()
    assert rating_games.inconsistent_pools() == [KEY]
    rating_games.recompute()
    assert stored() == right
    stray = Player.objects.create(name="Clara")
    Rating.objects.create(
        pool=Pool.objects.get(), player=stray, mu=1900, sigma=50, games=9, latest=NOON
    )
    assert rating_games.inconsistent_pools() == [KEY]
    rating_games.recompute()
    assert stored() == right
