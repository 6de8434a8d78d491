"""Making days ahead, beginning a try, and the close."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from functools import partial

import pytest
from django.db import connection, transaction
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from games.engine.actions import Action
from games.engine.observation import Observation
from games.live import pace, state, thinking
from games.models import Game, LogLine, Player, SharedDeals, Table
from games.play import house_games
from games.seats import reserved
from games.shuffle import public_log, shared
from tests.factories import confirmed, member, people
from tests.tournaments import build
from tests.tournaments.daily.days_for_tests import (
    begun,
    closed,
    pass_by,
    play,
    played,
    played_by,
    table_of,
    today,
)
from tournaments.clubs import clubs
from tournaments.daily import closing, days, panel, standings, tries
from tournaments.formats import comparison
from tournaments.formats.comparison import Scoring
from tournaments.models import Club, DailyDeal, DailyHour, DailyTry, Letter
from tournaments.models.daily import SEAT
from tournaments.refusals import RefusedError

pytestmark = pytest.mark.django_db


class TestMaking:
    def test_the_next_day_is_promised_before_it_opens(self) -> None:
        now = timezone.now()
        assert days.make_ahead(now) == 2
        assert days.make_ahead(now) == 0
        tomorrow, current = DailyDeal.objects.all()
        assert current.opens <= now < current.closes == tomorrow.opens
        assert (current.opens.hour, current.opens.tzinfo) == (0, UTC)
        public_log.chain()
        for daily in (current, tomorrow):
            assert LogLine.objects.filter(match=daily.deals_id, kind="created").exists()

    def test_days_are_different_deals(self) -> None:
        days.make_ahead(timezone.now())
        assert len({bytes(one.commitment) for one in SharedDeals.objects.all()}) == 2

    def test_a_club_has_its_own_at_its_own_hour(self) -> None:
        club = build.club(time_zone="America/New_York")
        days.choose_hour(club, 19, timezone.now())
        days.make_ahead(timezone.now())
        for daily in DailyDeal.objects.filter(club=club):
            assert daily.opens.astimezone(club.zone).hour == 19
            assert daily.opens.astimezone(club.zone).date() == daily.day
            assert not SharedDeals.objects.filter(pk=daily.deals_id, opened__isnull=False).exists()
        assert days.open_day(club, timezone.now()) is not None

    def test_a_changed_hour_neither_overlaps_nor_touches_the_open_day(self) -> None:
        club = build.club()
        now = datetime(2026, 3, 4, 12, tzinfo=UTC)
        days.choose_hour(club, 6, now)
        days.make_ahead(now)
        days.choose_hour(club, 3, now)
        days.make_ahead(now)
        later, first = DailyDeal.objects.filter(club=club)
        assert (first.opens.hour, first.closes.hour) == (6, 6)
        assert (later.opens, later.closes.hour) == (first.closes, 3)

    def test_a_day_without_a_worker_is_not_made_up(self) -> None:
        now = timezone.now()
        days.make_ahead(now - timedelta(days=5))
        days.make_ahead(now)
        assert DailyDeal.objects.count() == 4
        assert days.open_day(None, now) is not None

    def test_the_same_hour_again_keeps_what_is_promised(self) -> None:
        club = build.club()
        days.choose_hour(club, 5, timezone.now())
        days.make_ahead(timezone.now())
        promised = list(days.days_of(club).values_list("deals", flat=True))
        days.choose_hour(club, 5, timezone.now())
        days.make_ahead(timezone.now())
        assert list(days.days_of(club).values_list("deals", flat=True)) == promised

    def test_without_an_hour_a_club_has_none(self) -> None:
        club = build.club()
        days.choose_hour(club, 5, timezone.now())
        days.make_ahead(timezone.now())
        days.choose_hour(club, None, timezone.now())
        days.make_ahead(timezone.now())
        assert DailyDeal.objects.filter(club=club).count() == 1  # the open one goes on


class TestBeginning:
    def test_a_try_is_one_person_at_a_table_of_the_house(self) -> None:
        daily, maeve = today(), member()
        mine = begun(daily, maeve)
        table = mine.table
        assert table is not None
        assert table.state == Table.State.PLAYING
        assert table.solo
        assert table.back == f"/daily/{daily.day}/"
        seats = list(table.seats.select_related("player").order_by("position"))
        assert [seat.player == maeve for seat in seats] == [False, False, True, False]
        game = table.games.get()
        assert (game.rules.deals, game.rules.target) == (4, None)
        assert ADDRESS_HIDDEN not in mine.address

    def test_there_is_one_try_each(self) -> None:
        daily, maeve = today(), member()
        first = begun(daily, maeve)
        assert begun(daily, maeve) == first
        played(daily, member("Ben"))
        assert Table.objects.filter(solo=True).count() == 2

    def test_none_begins_before_the_day_opens_or_after_it_closed(self) -> None:
        daily, maeve = today(), member()
        tomorrow = days.days_of(None).get(opens=daily.closes)
        with pytest.raises(RefusedError, match="not opened yet"):
            tries.begin(tomorrow, maeve, "", timezone.now())
        pass_by(daily)
        with pytest.raises(RefusedError, match="have closed"):
            tries.begin(days.days_of(None).get(pk=daily.pk), maeve, "", timezone.now())
        assert not Table.objects.filter(solo=True).exists()

    @pytest.mark.django_db(transaction=True)
    def test_sixty_begin_at_once(self) -> None:
        daily, everybody = today(), people(60)
        at_once([lambda one=one: begun(daily, one) for one in everybody])  # type: ignore[misc]
        assert daily.tries.count() == 60
        tables = Table.objects.filter(solo=True, state=Table.State.PLAYING)
        assert tables.count() == 60
        assert len({bytes(game.mixed) for game in Game.objects.all()}) == 1

    @pytest.mark.django_db(transaction=True)
    def test_one_who_presses_twice_at_once_has_one_table(self) -> None:
        daily, maeve = today(), member()
        at_once([lambda: begun(daily, maeve)] * 4)
        assert Table.objects.filter(solo=True).count() == 1


ADDRESS_HIDDEN = "192.0.2"


def at_once(steps: list[Callable[[], object]]) -> None:
    """Take steps in as many threads as a web server has."""

    def run(step: Callable[[], object]) -> None:
        try:
            step()
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as threads:
        for done in [threads.submit(run, step) for step in steps]:
            done.result()


class TestAlike:
    @pytest.mark.parametrize("seed", range(4))
    def test_who_does_the_same_makes_the_same(self, seed: int) -> None:
        daily = today()
        one, other = (played(daily, person, seed) for person in people(2))
        assert one.points == other.points
        assert one.ended
        closed(daily)
        one.refresh_from_db()
        other.refresh_from_db()
        assert one.percents == other.percents == [50.0] * 4


class TestClosing:
    def test_results_are_matchpoints_of_everybody_and_places_of_members(self) -> None:
        daily = today()
        everybody = [*(member(f"Member{n}") for n in range(8)), *people(2)]
        for seed, player in enumerate(everybody):
            played(daily, player, seed)
        daily = closed(daily)
        assert daily.played == 10
        rows = list(daily.tries.select_related("player"))
        for deal in range(4):
            points = [(row.points or [])[deal] for row in rows]
            assert daily.means[deal] == pytest.approx(sum(points) / 10)
            for row, made in zip(rows, points, strict=True):
                others = [*points]
                others.remove(made)
                better = sum((one < made) + (one == made) / 2 for one in others) / 9
                assert row.percents[deal] == pytest.approx(100 * better, abs=0.01)
        placed = [row for row in rows if row.place is not None]
        assert {row.player.name for row in placed} == {f"Member{n}" for n in range(8)}
        best = list(standings.places(daily))
        assert [row.place for row in best] == sorted(row.place or 0 for row in best)
        assert [row.percent for row in best] == sorted(
            (row.percent or 0 for row in best), reverse=True
        )
        assert (best[0].place, best[0].percent) == (1, max(row.percent or 0 for row in placed))

    def test_an_unfinished_try_counts_for_its_finished_deals_and_has_no_place(self) -> None:
        daily, maeve = today(), member()
        played(daily, maeve, 3, deals=2)
        played(daily, member("Ben"), 4)
        daily = closed(daily)
        mine = daily.tries.get(player=maeve)
        assert len(mine.points or ()) == len(mine.percents) == 2
        assert (mine.percent, mine.place, mine.ended) == (None, None, False)
        assert daily.tries.get(player__name="Ben").place == 1
        assert table_of(mine).state == Table.State.CLOSED

    def test_nothing_opens_before_the_close_even_if_all_have_finished(self) -> None:
        daily = today()
        played(daily, member())
        assert shared.open_played() == 0
        assert closing.close(days.days_of(None).get(pk=daily.pk), timezone.now()) is False
        assert SharedDeals.objects.get(pk=daily.deals_id).opened is None

    def test_closing_twice_or_late_changes_nothing(self) -> None:
        daily = today()
        played(daily, member())
        first = closed(daily)
        before = list(daily.tries.values())
        assert closing.close(first, timezone.now() + timedelta(hours=9)) is False
        assert list(daily.tries.values()) == before
        assert days.days_of(None).get(pk=daily.pk).closed == first.closed

    @pytest.mark.django_db(transaction=True)
    def test_closing_in_several_workers_happens_once(self) -> None:
        daily = today()
        for seed, player in enumerate(people(3)):
            played(daily, player, seed)
        begun(daily, member())
        pass_by(daily)
        found = days.days_of(None).get(pk=daily.pk)

        def close() -> None:
            closing.end_late_tables(timezone.now())
            closing.close(found, timezone.now())

        at_once([close] * 4)
        found.refresh_from_db()
        assert found.closed is not None
        assert found.played == 3

    def test_late_tables_end_in_portions(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(closing, "LATE_AT_ONCE", 2)
        daily = today()
        for player in people(5):
            begun(daily, player)
        pass_by(daily)
        found = days.days_of(None).get(pk=daily.pk)
        playing = Table.objects.filter(state=Table.State.PLAYING)
        for left in (3, 1, 0):
            assert closing.close(found, timezone.now()) is False
            closing.end_late_tables(timezone.now())
            assert playing.count() == left
        assert closing.close(found, timezone.now()) is True

    def test_a_worker_killed_while_closing_is_followed_by_another(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(closing, "CHUNK", 2)
        daily, everybody = today(), [member(f"Member{n}") for n in range(5)]
        for seed, player in enumerate(everybody):
            confirmed(player)
            player.notification_choices.create(kind="daily_results", way="mail", on=True)
            played(daily, player, seed)
        pass_by(daily)
        found, tell = days.days_of(None).get(pk=daily.pk), closing._tell
        told: list[Sequence[DailyTry]] = []

        def tell_first(daily: DailyDeal, played: Sequence[DailyTry]) -> None:
            if told:
                raise KeyboardInterrupt
            told.append(played)
            tell(daily, played)

        monkeypatch.setattr(closing, "_tell", tell_first)
        with pytest.raises(KeyboardInterrupt):
            closing.close(found, timezone.now())
        assert Letter.objects.count() == 2
        assert standings.month(None, found.day.replace(day=1)) == []
        monkeypatch.setattr(closing, "_tell", tell)
        Player.objects.filter(pk=everybody[0].pk).update(user=None)  # leaves meanwhile
        assert closing.close(found, timezone.now()) is True
        assert daily.tries.filter(same_address=True, address="").count() == 5
        assert daily.tries.filter(place__isnull=False).count() == 4
        assert Letter.objects.count() == 5

    def test_after_a_day_without_workers_the_tick_does_all_of_it(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(house_games, "play_out", lambda _table: False)
        daily, maeve = today(), member()
        played(daily, maeve, deals=1)
        pass_by(daily, timedelta(hours=30))
        closing.tick(timezone.now())
        daily.refresh_from_db()
        assert daily.closed is not None
        assert daily.tries.get().points is not None
        assert days.open_day(None, timezone.now()) is not None

    def test_a_failure_of_one_day_holds_up_no_other(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(house_games, "play_out", lambda _table: False)
        club = build.club()
        days.choose_hour(club, 0, timezone.now())
        of_club, of_site = today(club), today()
        for daily in (of_club, of_site):
            played(daily, member(f"Member{daily.pk}"))
            pass_by(daily)
        compare = closing._compare
        monkeypatch.setattr(
            closing,
            "_compare",
            lambda rows: 1 / 0 if rows[0].daily_id == of_club.pk else compare(rows),
        )
        closing.tick(timezone.now())
        of_club.refresh_from_db()
        of_site.refresh_from_db()
        assert of_club.closed is None
        assert of_site.closed is not None

    def test_a_game_that_cannot_be_read_or_ended_holds_up_no_other(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(closing, "play_house", lambda _daily, _now: False)
        daily, (ann, ben, cy) = today(), (member("Ann"), member("Ben"), member("Cy"))
        broken, whole = begun(daily, ann), begun(daily, ben)
        play(broken, 1)
        play(whole, 2)
        stuck, late = begun(daily, cy), begun(daily, member("Di"))
        read, end = tries.points_of, reserved.end

        def end_others(table_id: int, now: datetime) -> None:
            assert table_id != stuck.table_id
            end(table_id, now)

        monkeypatch.setattr(
            tries, "points_of", lambda pk: 1 / 0 if pk == broken.table_id else read(pk)
        )
        monkeypatch.setattr(reserved, "end", end_others)
        assert panel.own_try(daily, ann) == broken
        pass_by(daily)
        closing.tick(timezone.now())
        assert table_of(late).state == Table.State.CLOSED
        monkeypatch.setattr(reserved, "end", end)
        closing.tick(timezone.now())
        daily.refresh_from_db()
        assert daily.closed is not None
        assert [one.player for one in standings.places(daily)] == [ben]

    def test_a_club_deleted_with_an_open_day_leaves_no_game_running(self) -> None:
        club = build.club()
        days.choose_hour(club, 0, timezone.now())
        daily = today(club)
        mine = begun(daily, member())
        deals = daily.deals_id
        clubs.delete(club)
        assert not DailyDeal.objects.filter(club_id=club.pk).exists()
        assert not DailyTry.objects.exists()
        assert not DailyHour.objects.exists()
        SharedDeals.objects.filter(pk=deals).update(opens_from=timezone.now())
        closing.end_late_tables(timezone.now())
        assert table_of(mine).state == Table.State.CLOSED
        assert shared.open_played() == 1
        assert not Club.objects.exists()

    def test_two_tries_from_one_address_are_marked_and_the_address_is_forgotten(self) -> None:
        daily, (guest,) = today(), people(1)
        begun(daily, guest, "192.0.2.3")  # and saw no more than the first hand
        homes = {"Ann": "192.0.2.1", "Ben": "192.0.2.1", "Cy": "192.0.2.2", "Di": "192.0.2.3"}
        for name, address in homes.items():
            played(daily, member(name), address=address)
        closed(daily)
        listed = daily.tries.filter(place__isnull=False)
        marks = dict(listed.values_list("player__name", "same_address"))
        assert marks == {"Ann": True, "Ben": True, "Cy": False, "Di": True}
        assert set(daily.tries.values_list("address", flat=True)) == {""}


class TestHouse:
    def test_the_house_plays_a_day_once_by_the_choices_that_all_meet(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        asked: list[bytes] = []

        async def choose_alike(position: bytes, seen: Observation) -> Action:
            asked.append(position)
            return seen.legal[position[0] % len(seen.legal)]

        monkeypatch.setattr(thinking, "choose_alike", choose_alike)
        daily = today()
        assert closing.play_house(daily, timezone.now())
        assert closing.play_house(daily, timezone.now()) is False
        daily.refresh_from_db()
        table = daily.house_table
        assert table is not None
        assert table.sealed
        game = table.games.get()
        assert (game.state, game.version, len(daily.house or [])) == (
            "over",
            game.events.count(),
            4,
        )
        assert len(set(asked)) == len(asked)
        # Whoever does in that seat what the house did makes what it made.
        mine = played_by(daily, member(), choose_alike)
        assert mine.points == daily.house
        again = mine.table
        assert again is not None
        assert [one.action for one in again.games.get().events.all()] == [
            one.action for one in game.events.all()
        ]

    @pytest.mark.django_db(transaction=True)
    def test_people_begin_while_the_house_does(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(house_games, "play_out", lambda _table: False)
        daily, now = today(), timezone.now()
        presses = [partial(begun, daily, one) for one in people(7)]
        at_once([*presses, lambda: closing.play_house(daily, now)])
        assert Table.objects.filter(solo=True).count() == 8

    def test_no_timer_plays_the_house_s_game(self) -> None:
        """It would be stored beside, wait between two deals for a person, and hold up the close."""
        daily, now = today(), timezone.now()
        live = state.read(tries.open_house_table(daily).pk)
        assert pace.due(live, now) is None
        mine = state.read(table_of(begun(daily, member())).pk)
        assert mine.playing is not None
        assert (pace.due(mine, now) is None) == (mine.playing.engine.turn == SEAT)

    def test_a_day_that_the_house_cannot_play_holds_up_no_other(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        club = build.club()
        days.choose_hour(club, 12, timezone.now())
        first, second = sorted((today(club), today()), key=lambda one: one.closes)
        asked: list[int] = []

        def play_house(daily: DailyDeal, _now: datetime) -> bool:
            asked.append(daily.pk)
            return 1 / 0 > 0 if daily.pk == first.pk else True

        monkeypatch.setattr(closing, "play_house", play_house)
        for tick in range(1, 100):
            closing.tick(timezone.now())
            assert len(asked) == tick, "one that fails may take its time, so one a run"
            if len(set(asked)) == 2:
                break
        assert set(asked) == {first.pk, second.pk}, "either may be asked next"

    def test_a_game_of_the_house_that_was_ended_is_no_result(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(house_games, "play_out", lambda _table: False)
        daily = today()
        assert closing.play_house(daily, timezone.now()) is False
        daily.refresh_from_db()
        assert daily.house_table is not None
        reserved.end(daily.house_table.pk, timezone.now())
        assert closing.play_house(daily, timezone.now()) is False
        daily.refresh_from_db()
        assert daily.house is None

    def test_the_house_has_its_time_after_the_close(self) -> None:
        daily = today()
        with transaction.atomic():
            daily.house_table = tries.open_house_table(daily)
            daily.save()
        pass_by(daily)
        found = days.days_of(None).get(pk=daily.pk)
        closing.end_late_tables(timezone.now())
        assert closing.close(found, timezone.now()) is False
        closing.end_late_tables(timezone.now() + closing.HOUSE_WITHIN)
        assert closing.close(found, timezone.now()) is True


class TestStandings:
    def test_a_month_counts_the_best_fifteen_days(self) -> None:
        first, (ann, ben) = timezone.now().date().replace(day=1), (member("Ann"), member("Ben"))
        for number in range(20):
            daily = made_day(first + timedelta(days=number))
            made_try(daily, ann, 40.0 + number)
            if number < 14:
                made_try(daily, ben, 90.0)
        table = standings.month(None, first)
        assert [(one.name, one.days, one.whole) for one in table] == [
            ("Ann", 20, True),
            ("Ben", 14, False),
        ]
        assert table[0].percent == pytest.approx(sum(range(45, 60)) / 15)

    def test_days_in_a_row_go_on_while_today_is_open(self) -> None:
        maeve, now = member(), timezone.now().date()
        for ago in (1, 2, 3, 5, 6, 7, 8):
            made_try(made_day(now - timedelta(days=ago)), maeve, 50.0)
        streak = standings.streak(maeve, None, now)
        assert (streak.now, streak.longest) == (3, 4)
        assert [one.played for one in streak.week] == [True, True, False, True, True, True, False]
        assert streak.week[-1].open
        assert standings.streak(maeve, None, now + timedelta(days=2)).now == 0


def made_day(day: date) -> DailyDeal:
    now = timezone.now()
    deals = shared.make_for_solo_tables(now)
    return DailyDeal.objects.create(
        day=day, opens=now - timedelta(days=1), closes=now, closed=now, deals=deals
    )


def made_try(daily: DailyDeal, player: Player, percent: float) -> None:
    DailyTry.objects.create(
        daily=daily, player=player, points=[1] * 4, ended=True, percent=percent, place=1
    )


class TestNeuberg:
    @given(st.lists(st.integers(-4, 4), min_size=1, max_size=12))
    def test_scores_are_drawn_towards_the_average_and_keep_their_order(
        self, nets: list[int]
    ) -> None:
        scores = comparison.deal_scores(nets, Scoring.MATCHPOINTS)
        drawn = [comparison.neuberg(one, len(nets), 8) for one in scores if one is not None]
        assert sum(drawn) == 0
        for score, one in zip(scores, drawn, strict=True):
            assert score is not None
            assert abs(one) <= abs(score)
            assert (one > 0) == (score > 0)
            # m of 2 (n - 1) matchpoints become (m + 1) * 8 / n - 1 of 14
            if len(nets) < 8:
                won = 2 * (len(nets) - 1) * (score + Fraction(1, 2))
                whole = (won + 1) * Fraction(8, len(nets)) - 1
                assert one == whole / 14 - Fraction(1, 2)
            else:
                assert one == score
