"""The queue: one press seats a person, with others if there are any, and later between hands."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from games.engine.rules import CLASSIC_24, HEADS_UP, STICK_THE_DEALER
from games.models import Game, GameEvent, Player, Seat, SeatRequest, Seeker, Table
from games.people import avoiding, traces
from games.people.traces import Origin
from games.quick import arrivals, company, queue
from games.quick.queue import QuickWish
from games.seats import consent, seat_requests, seating
from games.seats.seating import SeatingError
from tests.factories import member

pytestmark = pytest.mark.django_db

RELAXED = QuickWish(CLASSIC_24, 45)


@pytest.fixture(autouse=True)
def _a_time_to_gather(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two seconds, and hands that are soon over."""
    settings.QUICK_GATHER = 2.0
    monkeypatch.setattr(company, "ACTIONS", 10)


def at(seconds: float) -> datetime:
    """A moment so many seconds from now."""
    return timezone.now() + timedelta(seconds=seconds)


def home_of(player: Player) -> Origin:
    """Each from a browser and an address of their own."""
    return Origin(f"browser {player.pk}", f"10.0.0.{player.pk}")


def press(player: Player, wish: QuickWish = RELAXED, now: datetime | None = None) -> Table | None:
    """Press "Play now" and return the table at which they sit at once, if any."""
    now = now or timezone.now()
    return queue.join(player, wish, home_of(player), now) or look(player, now)


def look(player: Player, now: datetime) -> Table | None:
    """Do the next step of a player's page, which leads to the page of their table, if any."""
    table = queue.look(player, home_of(player), now)
    if table is not None:
        traces.record(table, player, home_of(player))
    return table


def names(table: Table | None) -> list[str]:
    """The people at a table, sorted."""
    assert table is not None
    people = Player.objects.filter(seats__table=table, kind=Player.Kind.PERSON)
    return sorted(people.values_list("name", flat=True))


def members(*called: str) -> list[Player]:
    return [member(name) for name in called]


def between_hands(table: Table, *, yes: bool = True) -> None:
    """Bring a game between two hands."""
    Game.objects.filter(table=table).update(turn=arrivals.NOBODY if yes else 0)


class TestNobodyElse:
    def test_one_alone_plays_with_the_house_within_three_seconds(self) -> None:
        (maeve,) = members("Maeve")
        assert press(maeve) is None
        table = look(maeve, at(2.5))
        assert names(table) == ["Maeve"]
        assert table is not None
        assert table.state == Table.State.PLAYING
        assert (table.quick, table.turn_seconds) == (True, 45)
        assert not Seeker.objects.exists()

    def test_the_tick_seats_them_without_their_page(self) -> None:
        (maeve,) = members("Maeve")
        press(maeve)
        queue.seat_waiting(at(2.5))
        assert names(queue.seated_at(maeve)) == ["Maeve"]

    def test_start_now_waits_no_longer(self) -> None:
        (maeve,) = members("Maeve")
        press(maeve)
        queue.start_now(maeve, timezone.now())
        assert names(queue.seated_at(maeve)) == ["Maeve"]

    def test_a_second_press_leads_to_the_same_game(self) -> None:
        (maeve,) = members("Maeve")
        press(maeve)
        table = look(maeve, at(2.5))
        assert press(maeve, now=at(60)) == table
        assert Table.objects.count() == 1

    def test_the_next_search_frees_the_seat_at_a_game_that_is_over(self) -> None:
        (maeve,) = members("Maeve")
        press(maeve)
        first = look(maeve, at(2.5))
        Table.objects.update(state=Table.State.FINISHED)
        press(maeve)
        assert first is not None
        assert names(first) == []

    def test_waiting_costs_few_queries(self, django_assert_max_num_queries: Any) -> None:
        (maeve,), now = members("Maeve"), timezone.now()
        press(maeve, now=now)
        with django_assert_max_num_queries(7):
            assert look(maeve, now + timedelta(seconds=1.8)) is None

    def test_another_wish_replaces_the_first(self) -> None:
        (maeve,) = members("Maeve")
        press(maeve)
        press(maeve, QuickWish(HEADS_UP, 12))
        assert [(one.rules, one.turn_seconds) for one in Seeker.objects.all()] == [("heads-up", 12)]


class TestTogether:
    def test_eight_people_get_two_tables(self) -> None:
        people = members("Ana", "Ben", "Clara", "Dev", "Eve", "Finn", "Gus", "Hal")
        for one in people:
            press(one)
        tables = [queue.seated_at(one) for one in people]
        assert names(tables[0]) == ["Ana", "Ben", "Clara", "Dev"]
        assert names(tables[7]) == ["Eve", "Finn", "Gus", "Hal"]

    def test_other_rules_or_another_pace_is_another_table(self) -> None:
        maeve, ben, iris = members("Maeve", "Ben", "Iris")
        press(maeve)
        press(ben, QuickWish(CLASSIC_24, 12))
        press(iris, QuickWish(STICK_THE_DEALER, 45))
        queue.seat_waiting(at(2.5))
        assert [names(queue.seated_at(one)) for one in (maeve, ben, iris)] == [
            ["Maeve"], ["Ben"], ["Iris"],
        ]  # fmt: skip

    def test_one_browser_never_gets_two_hands(self) -> None:
        maeve, ben = members("Maeve", "Ben")
        for one in (maeve, ben):
            queue.join(one, RELAXED, home_of(maeve), timezone.now())
        queue.seat_waiting(at(2.5))
        assert names(queue.seated_at(maeve)) == ["Maeve"]
        assert names(queue.seated_at(ben)) == ["Ben"]

    def test_guests_at_one_address_may_be_one_person(self) -> None:
        guests = [Player.objects.create(name=name) for name in ("Quiet Wren", "Merry Jay")]
        for number, one in enumerate(guests):
            queue.join(one, RELAXED, Origin(f"browser {number}", "10.0.0.1"), timezone.now())
        queue.seat_waiting(at(2.5))
        assert names(queue.seated_at(guests[0])) == ["Quiet Wren"]


class TestReplacingTheHouse:
    @pytest.fixture
    def table(self) -> Table:
        """Maeve's table, with three house players and a hand in play."""
        (maeve,) = members("Maeve")
        press(maeve, now=at(-10))
        table = look(maeve, timezone.now())
        assert table is not None
        return table

    def test_a_newcomer_sits_down_after_the_hand(self, table: Table) -> None:
        (ben,) = members("Ben")
        assert press(ben) is None
        assert SeatRequest.objects.get(player=ben).table == table
        queue.seat_waiting(at(10))
        assert names(table) == ["Maeve"]  # never within a hand
        between_hands(table)
        SeatRequest.objects.update(sits_from=timezone.now())
        queue.seat_waiting(timezone.now())
        assert names(table) == ["Ben", "Maeve"]
        assert look(ben, timezone.now()) == table
        assert not Seeker.objects.exists()

    def test_they_become_partners(self, table: Table) -> None:
        (ben,) = members("Ben")
        press(ben)
        south = table.seats.get(player__name="Maeve").position
        assert SeatRequest.objects.get(player=ben).position == (south + 2) % 4

    def test_they_are_asked_for_some_seconds(self, table: Table) -> None:
        (ben,) = members("Ben")
        press(ben)
        between_hands(table)
        queue.seat_waiting(timezone.now())
        assert names(table) == ["Maeve"]

    def test_being_let_in_is_quicker_and_still_waits_for_the_hand(self, table: Table) -> None:
        (ben,) = members("Ben")
        press(ben)
        maeve = Player.objects.get(name="Maeve")
        request = SeatRequest.objects.get(player=ben)
        seat_requests.answer(table, maeve, request.pk, let_in=True, now=timezone.now())
        assert names(table) == ["Maeve"]
        between_hands(table)
        queue.seat_waiting(timezone.now())
        assert names(table) == ["Ben", "Maeve"]

    def test_a_refusal_means_the_house_and_nobody_is_asked_twice(self, table: Table) -> None:
        (ben,) = members("Ben")
        press(ben)
        maeve = Player.objects.get(name="Maeve")
        request = SeatRequest.objects.get(player=ben)
        seat_requests.answer(table, maeve, request.pk, let_in=False, now=timezone.now())
        own = look(ben, at(3))
        assert names(own) == ["Ben"]
        assert own != table

    def test_a_hand_that_does_not_end_is_not_waited_for(self, table: Table) -> None:
        (ben,) = members("Ben")
        press(ben)
        own = look(ben, at(61))
        assert own != table
        assert names(own) == ["Ben"]
        assert not SeatRequest.objects.exists()

    def test_two_newcomers_get_two_seats_and_a_fourth_the_last(self, table: Table) -> None:
        people = members("Ben", "Iris", "Jonah", "Nell")
        for one in people:
            press(one)
        assert SeatRequest.objects.filter(table=table).count() == 3
        assert len(set(SeatRequest.objects.values_list("position", flat=True))) == 3
        assert Seeker.objects.get(player=people[3]).table is None

    def test_one_leaves_and_is_replaced(self, table: Table) -> None:
        ben, iris = members("Ben", "Iris")
        press(ben)
        between_hands(table)
        SeatRequest.objects.update(sits_from=timezone.now())
        queue.seat_waiting(timezone.now())
        between_hands(table, yes=False)
        Seat.objects.filter(player=ben).update(missing_since=at(-121))
        arrivals.release_left(timezone.now())
        assert names(table) == ["Maeve"]
        press(iris)
        between_hands(table)
        SeatRequest.objects.update(sits_from=timezone.now())
        queue.seat_waiting(timezone.now())
        assert names(table) == ["Iris", "Maeve"]

    def test_whoever_is_back_keeps_the_seat(
        self, table: Table, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (ben,) = members("Ben")
        sits = table.seats.get(player__kind=Player.Kind.HOUSE, position=0)
        Seat.objects.filter(pk=sits.pk).update(player=ben, missing_since=at(-121))
        whole = seating.held_table

        def comes_back(held: Table) -> Any:
            Seat.objects.filter(player=ben).update(missing_since=None)
            return whole(held)

        monkeypatch.setattr(seating, "held_table", comes_back)
        arrivals.release_left(timezone.now())
        assert names(table) == ["Ben", "Maeve"]

    def test_a_seat_for_which_nobody_waits_is_kept_and_costs_nothing(
        self, table: Table, django_assert_num_queries: Any
    ) -> None:
        Seat.objects.filter(player__kind=Player.Kind.PERSON).update(missing_since=at(-7200))
        with django_assert_num_queries(1):
            arrivals.release_left(timezone.now())
        assert names(table) == ["Maeve"]

    def test_a_seat_that_fails_holds_up_no_other(
        self, table: Table, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        ben, iris = members("Ben", "Iris")
        for position, one in enumerate((ben, iris)):
            table.seats.filter(position=position).update(player=one, missing_since=at(-130))
        whole = consent.leave

        def fails(table: Table, player: Player, *args: Any) -> None:
            if player == ben:
                raise ValueError
            whole(table, player, *args)

        monkeypatch.setattr(consent, "leave", fails)
        arrivals.release_left(timezone.now())
        assert names(table) == ["Ben", "Maeve"]

    def test_nobody_is_sent_to_somebody_who_has_not_opened_the_page(self) -> None:
        maeve, ben = members("Maeve", "Ben")
        press(maeve, now=at(-10))
        queue.open_tables(timezone.now())
        press(ben)
        assert not SeatRequest.objects.exists()

    def test_the_seat_request_of_one_who_opened_no_page_is_not_let_in(self, table: Table) -> None:
        (ben,) = members("Ben")
        table.traces.all().delete()
        with seating.held_table(table) as held, pytest.raises(SeatingError, match="Every seat"):
            arrivals.ask(held, ben, home_of(ben).at(held), timezone.now())

    def test_a_practice_game_is_not_joined(self, table: Table) -> None:
        (ben,) = members("Ben")
        game = table.games.get()
        for number, (by, action) in enumerate([("house", "play QS"), ("player", "undo 1")]):
            GameEvent.objects.create(
                game=game, seq=1000 + number, seat=0, by=by, action=action, at=timezone.now()
            )
        assert game.practice
        press(ben)
        assert not SeatRequest.objects.exists()

    @pytest.mark.parametrize("way", ["start", "cancel", "another wish"])
    def test_a_seat_that_came_first_is_kept(self, table: Table, way: str) -> None:
        (ben,) = members("Ben")
        press(ben)
        between_hands(table)
        SeatRequest.objects.update(sits_from=timezone.now())
        arrivals.seat_all(timezone.now())
        if way == "start":
            queue.start_now(ben, timezone.now())
        elif way == "cancel":
            assert queue.leave(ben) == table
        else:
            assert press(ben, QuickWish(HEADS_UP, 12)) == table
        assert queue.seated_at(ben) == table
        assert Table.objects.count() == 1
        assert not Seeker.objects.exists()

    def test_whoever_left_for_good_is_not_sent_back(self, table: Table) -> None:
        maeve = Player.objects.get(name="Maeve")
        (ben,) = members("Ben")
        press(ben)
        between_hands(table)
        SeatRequest.objects.update(sits_from=timezone.now())
        queue.seat_waiting(timezone.now())
        between_hands(table, yes=False)
        consent.leave(table, ben, 1, timezone.now())
        press(ben)
        assert names(look(ben, at(3))) == ["Ben"]
        assert names(table) == [maeve.name]

    def test_a_table_whose_people_have_gone_is_not_joined(self, table: Table) -> None:
        Seat.objects.filter(table=table).update(missing_since=timezone.now())
        (ben,) = members("Ben")
        press(ben)
        assert not SeatRequest.objects.exists()


class TestTakenBack:
    def test_cancel_withdraws_the_request(self) -> None:
        maeve, ben = members("Maeve", "Ben")
        press(maeve, now=at(-10))
        look(maeve, timezone.now())
        press(ben)
        queue.leave(ben)
        assert not Seeker.objects.exists()
        assert not SeatRequest.objects.exists()
        queue.leave(ben)

    def test_a_closed_page_leaves_the_queue(self) -> None:
        maeve, ben = members("Maeve", "Ben")
        press(maeve, now=at(-10))
        look(maeve, timezone.now())
        press(ben)
        queue.seat_waiting(at(16))
        assert not Seeker.objects.exists()
        assert not SeatRequest.objects.exists()

    def test_the_house_takes_the_clock_of_nobody_who_plays_alone(self) -> None:
        from games.live import turn_clock

        (maeve,) = members("Maeve")
        press(maeve, now=at(-10))
        table = look(maeve, timezone.now())
        assert table is not None
        south = table.seats.get(player=maeve).position
        Game.objects.filter(table=table).update(turn=south)
        game = table.games.get()
        assert not turn_clock.run_out(game.pk, game.version, at(600))
        ben = member("Ben")
        seating.sit(table, ben, (south + 2) % 4, by_link=True)
        assert turn_clock.run_out(game.pk, game.version, at(600))


def test_others_must_still_ask_at_a_quick_table() -> None:
    maeve, ben = members("Maeve", "Ben")
    press(maeve, now=at(-10))
    table = look(maeve, timezone.now())
    assert table is not None
    with pytest.raises(SeatingError, match="ask those who play"):
        seating.sit(table, ben, 0)


def test_a_block_looks_like_a_full_table_to_those_who_ask() -> None:
    maeve, ben = members("Maeve", "Ben")
    press(maeve, now=at(-10))
    table = look(maeve, timezone.now())
    assert table is not None
    avoiding.avoid(maeve, ben)
    with pytest.raises(SeatingError, match=r"^Every seat is taken\.$"):
        seat_requests.ask(table, ben, None, home_of(ben), timezone.now())


def test_a_group_gets_a_new_table_though_its_first_has_just_started_one() -> None:
    maeve, ben = members("Maeve", "Ben")
    press(maeve)
    first = look(maeve, at(2.5))
    assert first is not None
    consent.leave(first, maeve, 1, timezone.now())
    first.seats.filter(position=0).update(player=maeve)  # as if it were still the same
    Seeker.objects.all().delete()
    for one in (maeve, ben):
        Seeker.objects.create(player=one, rules="classic-24", turn_seconds=45, due=timezone.now())
    queue.open_tables(at(3))
    assert names(queue.seated_at(ben)) == ["Ben", "Maeve"]


def test_a_table_that_fails_holds_up_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    maeve, ben = members("Maeve", "Ben")
    press(maeve)
    press(ben, QuickWish(HEADS_UP, 45))
    whole = seating.play_now

    def fails(player: Player, *args: Any, **more: Any) -> Table:
        if player == maeve:
            raise ValueError
        return whole(player, *args, **more)

    monkeypatch.setattr(seating, "play_now", fails)
    queue.seat_waiting(at(2.5))
    assert names(queue.seated_at(ben)) == ["Ben"]
    assert Seeker.objects.get().player == maeve
