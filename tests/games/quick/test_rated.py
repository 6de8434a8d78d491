"""Rated quick games: they start when people take all seats, without the house."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from random import Random
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from euchre_site.own_data import withdrawal
from games.engine.rules import CLASSIC_24, HEADS_UP
from games.models import Game, Player, Proposal, Seat, Seeker, Table
from games.people import avoiding
from games.people.traces import Origin
from games.quick import company, queue, rated_tables
from games.quick.matching import QuickPlayer, balanced_seats, full_groups
from games.quick.queue import QuickWish
from games.seats import consent, lobby, seating
from games.seats.seating import SeatingError
from tests.factories import logged_in, member
from tests.factories import table as seated_table

RATED = QuickWish(CLASSIC_24, 45, rated=True)
NAMES = ("Maeve", "Ben", "Iris", "Jonah", "Nell")


def members(count: int) -> list[Player]:
    return [member(name) for name in NAMES[:count]]


def home_of(player: Player) -> Origin:
    return Origin(f"browser {player.pk}", f"10.0.0.{player.pk}")


def press(player: Player, wish: QuickWish = RATED, now: datetime | None = None) -> Table | None:
    now = now or timezone.now()
    return queue.join(player, wish, home_of(player), now) or queue.look(
        player, home_of(player), now
    )


def together(people: Sequence[Player], wish: QuickWish = RATED) -> Table:
    """Seat people at a rated table by their presses."""
    for one in people:
        press(one, wish)
    table = queue.seated_at(people[0], wish)
    assert table is not None
    return table


def game_at(table: Table) -> Game:
    return table.games.get()


def end(table: Table) -> None:
    """Bring the game at a table to its end."""
    table.games.update(state=Game.State.OVER, winner=0, ended=timezone.now(), turn=-1)
    Table.objects.filter(pk=table.pk).update(state=Table.State.FINISHED)


class TestBalance:
    @given(st.lists(st.floats(1000, 2000), min_size=4, max_size=4), st.integers())
    def test_no_other_partnerships_are_more_equal(self, ratings: list[float], seed: int) -> None:
        seats = balanced_seats(dict(enumerate(ratings)), Random(seed))
        assert sorted(seats) == [0, 1, 2, 3]

        def difference(partner: int, *others: int) -> float:
            return abs(ratings[0] + ratings[partner] - sum(ratings[one] for one in others))

        partner = seats[(seats.index(0) + 2) % 4]
        mine = difference(partner, *({1, 2, 3} - {partner}))
        best = min(difference(1, 2, 3), difference(2, 1, 3), difference(3, 1, 2))
        assert mine == pytest.approx(best)

    def test_equal_players_sit_by_lot(self) -> None:
        drawn = {balanced_seats(dict.fromkeys(range(4), 1500.0), Random(n)) for n in range(2000)}
        assert len(drawn) == 24

    def test_two_players_sit_by_lot(self) -> None:
        drawn = {balanced_seats({1: 1900.0, 2: 1100.0}, Random(seed)) for seed in range(50)}
        assert drawn == {(1, 2), (2, 1)}


class TestGroups:
    def test_only_full_groups_start(self) -> None:
        seekers = [QuickPlayer(one, 1500.0, waited=1000.0 - one) for one in range(7)]
        assert full_groups(seekers, 4, lambda _one, _other: False) == [(0, 1, 2, 3)]

    def test_the_nearest_in_rating_sit_with_whoever_has_waited_longest(self) -> None:
        ratings = [1500, 1900, 1510, 1490, 1800, 1505]
        seekers = [QuickPlayer(one, of, waited=10.0 - one) for one, of in enumerate(ratings)]
        (group,) = full_groups(seekers, 4, lambda _one, _other: False)
        assert set(group) == {0, 2, 3, 5}

    def test_whoever_avoids_many_holds_up_nobody(self) -> None:
        seekers = [QuickPlayer(one, 1500.0 + one, waited=10.0 - one) for one in range(5)]
        (group,) = full_groups(seekers, 4, lambda one, other: {one, other} in ({1, 2}, {1, 3}))
        assert set(group) == {0, 2, 3, 4}


@pytest.mark.django_db
class TestOneAddress:
    """Two accounts of one person could play each other for ratings."""

    @pytest.fixture(autouse=True)
    def _usual_bound(self, settings: Any) -> None:
        settings.RATING_ADDRESS_MATCHES = 5

    def press_at(self, player: Player, address: str, wish: QuickWish) -> Table | None:
        where, now = Origin(f"browser {player.pk}", address), timezone.now()
        return queue.join(player, wish, where, now) or queue.look(player, where, now)

    def test_two_accounts_there_get_no_rated_game_for_two(self) -> None:
        wish = QuickWish(HEADS_UP, 12, rated=True)
        maeve, ben, iris = members(3)
        for one in (maeve, ben):
            assert self.press_at(one, "192.0.2.7", wish) is None
        mine = Seeker.objects.get(player=maeve)
        assert queue.near_waiting(mine, timezone.now())
        assert "Somebody at your address looks for a rated game, too" in (
            logged_in(maeve).get("/play/seat/").text
        )
        assert self.press_at(iris, "192.0.2.8", wish) is not None, "somebody from elsewhere"
        assert Seeker.objects.count() == 1

    def test_a_household_of_two_meets_others_at_a_table_of_four(self) -> None:
        four = members(4)
        for player, address in zip(four, ("home", "home", "far", "farther"), strict=True):
            self.press_at(player, address, RATED)
        assert queue.seated_at(four[0], RATED) is not None

    def test_an_operator_can_allow_it(self, settings: Any) -> None:
        settings.RATING_ADDRESS_MATCHES = 0
        two, wish = members(2), QuickWish(HEADS_UP, 12, rated=True)
        for one in two:
            self.press_at(one, "192.0.2.7", wish)
        assert queue.seated_at(two[0], wish) is not None


@pytest.mark.django_db
class TestQueue:
    def test_four_people_get_one_reserved_table_and_play_at_once(self) -> None:
        people = members(4)
        table = together(people)
        assert {queue.seated_at(one, RATED) for one in people} == {table}
        assert (table.rated, table.reserved, table.quick) == (True, True, False)
        assert (table.title, table.back, table.turn_seconds) == ("Rated game", "/play/", 45)
        assert table.rating_due == 1
        assert table.state == Table.State.PLAYING
        assert set(table.seats.values_list("player", flat=True)) == {one.pk for one in people}
        assert not Seeker.objects.exists()

    def test_two_people_are_enough_for_rules_for_two(self) -> None:
        assert together(members(2), QuickWish(HEADS_UP, 12, rated=True)).turn_seconds == 12

    def test_three_people_wait_and_the_house_never_comes(self) -> None:
        for one in members(3):
            press(one)
        later = timezone.now() + timedelta(seconds=8)
        for _ in range(3):
            queue.seat_waiting(later)
        queue.start_now(Player.objects.get(name="Ben"), later)
        assert not Table.objects.exists()
        assert Seeker.objects.count() == 3

    def test_friendly_and_rated_wishes_do_not_meet(self) -> None:
        maeve, ben, iris, jonah, nell = members(5)
        for one in (maeve, ben, iris):
            press(one)
        press(jonah, QuickWish(CLASSIC_24, 45))
        press(nell, QuickWish(CLASSIC_24, 12, rated=True))
        queue.seat_waiting(timezone.now() + timedelta(seconds=5))
        assert Table.objects.get().seats.filter(player=jonah).exists()

    def test_a_rated_wish_takes_no_seat_of_the_house(self) -> None:
        maeve, ben = members(2)
        press(maeve, QuickWish(CLASSIC_24, 45))
        queue.seat_waiting(timezone.now() + timedelta(seconds=5))
        press(ben)
        assert Seeker.objects.get(player=ben).table is None

    def test_one_browser_never_gets_two_hands(self) -> None:
        people = members(4)
        for one in people[:3]:
            press(one)
        queue.join(people[3], RATED, home_of(people[0]), timezone.now())
        queue.seat_waiting(timezone.now())
        assert not Table.objects.exists()

    def test_who_avoids_another_is_never_seated_with_them(self) -> None:
        people = members(5)
        avoiding.avoid(people[2], people[0])
        for one in people[:4]:
            press(one)
        assert not Table.objects.exists()
        press(people[4])
        table = Table.objects.get()
        assert not table.seats.filter(player=people[2]).exists()

    def test_whoever_has_closed_the_page_is_not_seated_but_keeps_the_place_for_a_while(
        self,
    ) -> None:
        people, now = members(4), timezone.now()
        for one in people[:3]:
            press(one, now=now - timedelta(seconds=30))
        press(people[3], now=now)
        queue.seat_waiting(now)
        assert Seeker.objects.count() == 4
        for one in people[:3]:
            queue.look(one, home_of(one), now)
        assert Table.objects.count() == 1

    def test_after_a_minute_and_a_half_the_place_is_gone(self) -> None:
        press(members(1)[0])
        queue.seat_waiting(timezone.now() + timedelta(seconds=91))
        assert not Seeker.objects.exists()

    def test_a_closed_account_gets_no_seat(self) -> None:
        people = members(4)
        for one in people[:3]:
            press(one)
        assert people[0].user
        people[0].user.is_active = False
        people[0].user.save()
        press(people[3])
        assert not Table.objects.exists()

    def test_a_wish_becomes_friendly(self) -> None:
        (maeve,) = members(1)
        press(maeve)
        queue.play_friendly(maeve, timezone.now())
        queue.seat_waiting(timezone.now() + timedelta(seconds=3))
        assert Table.objects.get().quick

    def test_partners_are_drawn_by_ratings(self, monkeypatch: pytest.MonkeyPatch) -> None:
        people = members(4)
        ratings = dict(zip([one.pk for one in people], [1800, 1700, 1400, 1300], strict=True))
        monkeypatch.setattr(company, "ratings_of", lambda players, _rules: ratings)
        table = together(people)
        seats = {one.player_id: one.position for one in table.seats.all()}
        assert (seats[people[0].pk] + 2) % 4 == seats[people[3].pk]

    def test_nobody_plays_two_rated_games_at_once(self) -> None:
        people = members(2)
        table = together(people, QuickWish(HEADS_UP, 12, rated=True))
        assert press(people[0]) == table

    def test_a_press_that_came_twice_gets_no_second_seat(self) -> None:
        people = members(5)
        table = together(people[:4])
        Seeker.objects.create(player=people[0], rules="classic-24", turn_seconds=45, rated=True,
                              due=timezone.now())  # fmt: skip
        for one in people[4:]:
            press(one)
        for name in ("Nora", "Otto"):
            press(member(name))
        assert Table.objects.get() == table
        assert not Seeker.objects.filter(player=people[0]).exists()
        assert queue.look(people[0], home_of(people[0]), timezone.now()) == table

    def test_waiting_costs_few_queries(self, django_assert_max_num_queries: Any) -> None:
        (maeve,) = members(1)
        press(maeve)
        with django_assert_max_num_queries(7):
            queue.look(maeve, home_of(maeve), timezone.now() + timedelta(seconds=5))


@pytest.mark.django_db
class TestTable:
    def test_it_is_closed_once_its_game_is_over_however_often(self) -> None:
        table = together(members(4))
        queue.seat_waiting(timezone.now())
        table.refresh_from_db()
        assert table.state == Table.State.PLAYING
        end(table)
        for _ in range(2):
            rated_tables.close_over(timezone.now())
        table.refresh_from_db()
        assert table.state == Table.State.CLOSED
        assert game_at(table).state == Game.State.OVER

    def test_nothing_is_resigned_undone_or_changed_hands(self) -> None:
        people = members(5)
        table = together(people[:4])
        now = timezone.now()
        with pytest.raises(SeatingError):
            consent.propose(table, people[0], Proposal.Kind.RESIGN, 1, now)
        with pytest.raises(SeatingError):
            consent.undo(table, people[0], 1, game_at(table).version, now)
        with pytest.raises(SeatingError):
            seating.sit(table, people[4], 0)

    def test_after_leaving_the_house_plays_until_the_seat_is_taken_back(self) -> None:
        people = members(4)
        table, now = together(people), timezone.now()
        for _ in range(2):
            consent.leave(table, people[0], 1, now)
        seat = Seat.objects.get(table=table, player=people[0])
        assert seat.stand_in
        seating.take_back(table, people[0])
        seat.refresh_from_db()
        assert not seat.stand_in

    def test_a_deleted_account_is_played_for_to_the_end(self) -> None:
        people = members(4)
        table = together(people)
        withdrawal.leave_tables(people[0], timezone.now())
        assert Seat.objects.get(table=table, player=people[0]).stand_in
        end(table)
        withdrawal.leave_tables(people[1], timezone.now())
        rated_tables.close_over(timezone.now())
        assert table.seats.filter(player__isnull=False).count() == 4

    def test_lists_show_it_as_rated_and_offer_no_seat(self) -> None:
        people = members(4)
        table = together(people)
        (line,) = lobby.running_tables(None)
        assert (line.title, line.free) == ("Rated game", ())
        assert [one.table_id for one in lobby.your_tables(people[0])] == [table.pk]
        end(table)
        assert not lobby.your_tables(people[0])

    def test_it_is_the_first_of_ones_own_tables_and_marked(self) -> None:
        people = members(4)
        rated = together(people)
        others = [seated_table(people[0], house_seats=(1, 2, 3)) for _ in range(lobby.MAX_OWN)]
        Game.objects.filter(table__in=others).update(turn=0)
        rated.games.update(turn=rated.seats.get(player=people[1]).position)
        lines = lobby.your_tables(people[0])
        assert (len(lines), lines[0].table_id) == (lobby.MAX_OWN, rated.pk)
        assert [line.my_turn for line in lines[:2]] == [False, True]
        browser = logged_in(people[0])
        for path in ("/", "/play/"):
            page = browser.get(path).text.partition("<main")[2]
            assert page.count(">Rated</span>") == 1
            assert page.index(f"/tables/{rated.pk}/") < page.index(f"/tables/{others[-1].pk}/")
        assert ">Rated<" not in logged_in(member("Otto")).get("/").text


@pytest.mark.django_db
class TestPages:
    def press(self, browser: Client, **fields: str) -> Any:
        fields = {"rules": "classic-24", "pace": "fast", "kind": "rated", **fields}
        return browser.post("/play/now/", fields)

    def test_a_guest_is_told_to_log_in_and_keeps_the_choice(self, client: Client) -> None:
        answer = self.press(client)
        assert answer.status_code == 403
        assert "Rated games need an account" in answer.text
        assert "/account/login/?next=/play/" in answer.text.replace("accounts/", "account/")
        assert not Seeker.objects.exists()
        page = client.get("/play/").text
        assert '<input type="radio" name="kind" value="rated" checked>' in page
        assert '<input type="radio" name="pace" value="fast" checked>' in page

    def test_the_page_says_how_many_are_missing(self) -> None:
        browsers = [logged_in(one) for one in members(3)]
        self.press(browsers[0])
        assert "3 more players are needed." in browsers[0].get("/play/seat/").text
        self.press(browsers[1])
        self.press(browsers[2])
        page = browsers[0].get("/play/seat/").text
        assert "1 more player is needed." in page
        assert "Play a friendly game meanwhile" in page
        assert "Start now" not in page
        browsers[0].post("/play/seat/friendly")
        assert not Seeker.objects.filter(player__name=NAMES[0], rated=True).exists()

    def test_an_unknown_kind_is_refused(self, client: Client) -> None:
        assert self.press(client, kind="serious").status_code == 400

    def test_the_table_says_that_it_is_rated_and_what_leaving_costs(self) -> None:
        people = members(4)
        table = together(people)
        page = logged_in(people[0]).get(f"/tables/{table.pk}/").text
        assert "This game is rated" in page
        assert "A loss then counts in full" in page

    def test_leaving_goes_home_and_lets_the_house_play(self) -> None:
        people = members(4)
        table = together(people)
        answer = logged_in(people[0]).post(f"/tables/{table.pk}/leave", {"game": "1"})
        assert answer.status_code == 303
        assert Seat.objects.get(table=table, player=people[0]).stand_in

    def test_the_page_of_the_game_leads_to_the_next_one(self) -> None:
        people = members(4)
        table = together(people)
        end(table)
        browser = logged_in(people[0])
        page = browser.get(f"/games/{game_at(table).pk}/").text
        assert '<input type="hidden" name="kind" value="rated">' in page
        assert "Back to the event" not in page
