"""Partners: one asks, the other agrees, and both sit across from each other, or not at all."""

from collections.abc import Sequence
from datetime import datetime
from random import Random
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from games.engine.rules import CLASSIC_24, HEADS_UP
from games.models import Mute, Pair, Player, Seat, SeatRequest, Seeker, Table
from games.people import avoiding, friends, traces
from games.people.traces import Origin
from games.quick import company, matching, pairs, queue
from games.quick.matching import Offer
from games.quick.pairs import PairError
from games.quick.queue import Wish
from games.seats import seat_requests, seating
from tests.factories import logged_in, member, player
from tests.games.quick.test_queue import at, between_hands, home_of, look, members, names, press

pytestmark = pytest.mark.django_db

FRIENDLY = Wish(CLASSIC_24, 45)
RATED = Wish(CLASSIC_24, 45, rated=True)


@pytest.fixture(autouse=True)
def _a_time_to_gather(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two seconds, and hands that are soon over."""
    settings.QUICK_GATHER = 2.0
    monkeypatch.setattr(company, "ACTIONS", 10)


def befriend(one: Player, other: Player) -> None:
    friends.ask(one, other, timezone.now())
    friends.accept(other, one, timezone.now())


def two(*called: str) -> list[Player]:
    """Two friends, Maeve and Ben unless they are called otherwise."""
    people = members(*(called or ("Maeve", "Ben")))
    befriend(*people)
    return people


def ask(by: Player, to: Player | None, wish: Wish = FRIENDLY, now: datetime | None = None) -> Pair:
    now = now or timezone.now()
    return pairs.ask(by, to, wish, home_of(by), now, throws_in=False)


def accept(who: Player, pair: Pair, now: datetime | None = None) -> Pair:
    return pairs.accept(who, pair.token, home_of(who), now or timezone.now())


def partners(
    people: Sequence[Player], wish: Wish = FRIENDLY, now: datetime | None = None
) -> list[Player]:
    """Let two friends look for a game together."""
    by, to = people
    accept(to, ask(by, to, wish, now), now)
    return [by, to]


def seats_of(table: Table | None) -> dict[str, int]:
    assert table is not None
    seats = Seat.objects.filter(table=table, player__kind=Player.Kind.PERSON)
    return dict(seats.values_list("player__name", "position"))


def across(table: Table | None, one: str, other: str) -> bool:
    seats = seats_of(table)
    return seats[other] == (seats[one] + 2) % 4


def table_of(people: Sequence[Player], now: datetime | None = None) -> Table:
    """Seat two partners with the house, with the page of the table open in both browsers."""
    partners(people, now=now or at(-10))
    Seeker.objects.update(seen=timezone.now())
    queue.seat_waiting(timezone.now())
    for one in people:
        look(one, timezone.now())
    table = queue.seated_at(people[0])
    assert table is not None
    return table


def arrive(table: Table) -> None:
    """Let the hand end, and those who have been asked for long enough sit down."""
    between_hands(table)
    SeatRequest.objects.update(sits_from=timezone.now())
    queue.seat_waiting(timezone.now())


class TestAlone:
    def test_they_sit_across_from_each_other_with_the_house(self) -> None:
        people = partners(two())
        queue.seat_waiting(at(2.5))
        table = queue.seated_at(people[0])
        assert across(table, "Maeve", "Ben")
        assert table is not None
        assert (table.state, table.quick, table.rated) == (Table.State.PLAYING, True, False)
        assert not Seeker.objects.exists()
        assert not Pair.objects.exists()

    def test_start_now_is_for_both(self) -> None:
        people = partners(two())
        queue.start_now(people[1], timezone.now())
        assert across(queue.seated_at(people[0]), "Maeve", "Ben")

    def test_nobody_is_seated_while_the_page_of_one_is_closed(self) -> None:
        maeve, ben = two()
        pair = ask(maeve, ben, now=at(-60))
        accept(ben, pair)
        queue.seat_waiting(at(3))
        assert not Table.objects.exists()
        assert queue.partner_away(Seeker.objects.get(player=ben), at(3)) == maeve
        assert look(maeve, at(4)) is None
        assert look(ben, at(4)) is None
        queue.seat_waiting(at(7))
        assert across(queue.seated_at(ben), "Maeve", "Ben")

    def test_a_page_that_stays_closed_ends_the_search_and_the_other_is_told(self) -> None:
        maeve, ben = partners(two())
        Seeker.objects.filter(player=ben).update(seen=at(85))
        queue.seat_waiting(at(91))
        assert not Seeker.objects.exists()
        assert pairs.told(maeve, at(91)) == ""
        assert pairs.told(ben, at(91)).startswith("Maeve has left the queue")
        assert pairs.told(ben, at(91)) == ""


class TestWithOthers:
    def test_two_pairs_get_one_table(self) -> None:
        one, other = partners(two()), partners(two("Iris", "Jonah"))
        table = look(one[0], timezone.now())
        assert table is not None
        assert table == look(other[1], timezone.now())
        assert across(table, "Maeve", "Ben")
        assert across(table, "Iris", "Jonah")

    @pytest.mark.parametrize("single_first", [True, False])
    def test_single_people_take_the_other_side(self, single_first: bool) -> None:
        singles = members("Iris", "Jonah")
        if single_first:
            for one in singles:
                press(one)
        people = partners(two())
        if not single_first:
            for one in singles:
                press(one)
        queue.seat_waiting(at(2.5))
        table = queue.seated_at(people[0])
        assert names(table) == ["Ben", "Iris", "Jonah", "Maeve"]
        assert across(table, "Maeve", "Ben")

    def test_a_pair_is_not_split_over_a_table_with_one_free_seat(self) -> None:
        for one in members("Iris", "Jonah", "Nell"):
            press(one)
        people = partners(two())
        queue.seat_waiting(at(2.5))
        assert names(queue.seated_at(people[0])) == ["Ben", "Maeve"]

    def test_one_who_is_avoided_keeps_the_whole_pair_away(self) -> None:
        (iris,) = members("Iris")
        press(iris)
        people = two()
        avoiding.avoid(iris, people[1])
        partners(people)
        queue.seat_waiting(at(2.5))
        assert names(queue.seated_at(people[0])) == ["Ben", "Maeve"]
        assert names(queue.seated_at(iris)) == ["Iris"]


class TestBetweenHands:
    @pytest.fixture
    def table(self) -> Table:
        """Maeve's and Ben's table, with the house on the other side and a hand in play."""
        return table_of(two())

    @pytest.fixture
    def newcomers(self, table: Table) -> list[Player]:
        """Iris and Jonah, who look for a game together while the hand is played."""
        people = two("Iris", "Jonah")
        partners(people)
        for one in people:
            assert look(one, timezone.now()) is None
        assert set(Seeker.objects.values_list("table", flat=True)) == {table.pk}
        return people

    def test_another_pair_takes_the_other_side(self, table: Table, newcomers: list[Player]) -> None:
        assert SeatRequest.objects.filter(table=table).count() == 2
        queue.seat_waiting(at(10))
        assert names(table) == ["Ben", "Maeve"]
        arrive(table)
        assert across(table, "Iris", "Jonah")
        assert [look(one, timezone.now()) for one in newcomers] == [table, table]
        assert not Seeker.objects.exists()
        assert not Pair.objects.exists()

    def test_single_people_come_one_by_one(self, table: Table) -> None:
        for one in members("Iris", "Jonah"):
            press(one)
            arrive(table)
            between_hands(table, yes=False)
        assert names(table) == ["Ben", "Iris", "Jonah", "Maeve"]
        assert across(table, "Maeve", "Ben")

    @pytest.mark.usefixtures("table")
    def test_the_side_is_kept_until_the_second_has_asked(self, table: Table) -> None:
        partners(people := two("Iris", "Jonah"))
        look(people[0], timezone.now())
        assert SeatRequest.objects.filter(table=table).count() == 1
        (nell,) = members("Nell")
        press(nell)
        assert not SeatRequest.objects.filter(player=nell).exists()
        arrive(table)
        assert names(table) == ["Ben", "Maeve"]  # nobody is seated alone
        look(people[1], timezone.now())
        arrive(table)
        assert across(table, "Iris", "Jonah")

    @pytest.mark.parametrize("refused", [0, 1])
    def test_a_refusal_of_one_is_one_of_both(
        self, table: Table, newcomers: list[Player], refused: int
    ) -> None:
        maeve = Player.objects.get(name="Maeve")
        request = SeatRequest.objects.get(player=newcomers[refused])
        seat_requests.answer(table, maeve, request.pk, let_in=False, now=timezone.now())
        arrive(table)
        assert names(table) == ["Ben", "Maeve"]
        look(newcomers[0], at(3))
        queue.seat_waiting(at(3))
        own = queue.seated_at(newcomers[0])
        assert own != table
        assert across(own, "Iris", "Jonah")

    def test_whoever_leaves_takes_both_requests_back(
        self, table: Table, newcomers: list[Player]
    ) -> None:
        iris, jonah = newcomers
        assert queue.leave(jonah) is None
        assert not SeatRequest.objects.exists()
        arrive(table)
        assert names(table) == ["Ben", "Maeve"]
        assert look(iris, timezone.now()) is None
        assert pairs.told(iris, timezone.now()).startswith("Jonah has left the queue")

    def test_a_seat_that_came_first_is_kept(self, table: Table, newcomers: list[Player]) -> None:
        arrive(table)
        assert queue.leave(newcomers[0]) == table
        assert across(table, "Iris", "Jonah")

    def test_one_who_may_not_sit_keeps_the_other_out(
        self, table: Table, newcomers: list[Player]
    ) -> None:
        avoiding.avoid(Player.objects.get(name="Maeve"), newcomers[1])
        arrive(table)
        assert names(table) == ["Ben", "Maeve"]
        look(newcomers[0], at(3))
        queue.seat_waiting(at(3))
        assert across(queue.seated_at(newcomers[0]), "Iris", "Jonah")

    def test_one_who_has_seen_a_hand_keeps_the_other_out(self, table: Table) -> None:
        iris, jonah = two("Iris", "Jonah")
        partners((iris, jonah))
        look(iris, timezone.now())
        ben = Player.objects.get(name="Ben")
        traces.record(table, ben, Origin(home_of(jonah).session))
        look(jonah, timezone.now())
        arrive(table)
        assert names(table) == ["Ben", "Maeve"]

    def test_no_side_is_free_beside_one_stranger(self, table: Table) -> None:
        seat = table.seats.filter(player__kind=Player.Kind.HOUSE).first()
        assert seat is not None
        Seat.objects.filter(pk=seat.pk).update(player=member("Nell"), last_seen=timezone.now())
        traces.record(table, Player.objects.get(name="Nell"), Origin("browser of Nell"))
        partners(people := two("Iris", "Jonah"))
        look(people[0], timezone.now())
        assert not SeatRequest.objects.exists()


class TestRated:
    def test_two_pairs_start_at_once(self) -> None:
        one = partners(two(), RATED)
        assert queue.others_waiting(Seeker.objects.get(player=one[0]), timezone.now()) == 0
        partners(two("Iris", "Jonah"), RATED)
        table = queue.look(one[0], home_of(one[0]), timezone.now())
        assert table is not None
        assert (table.rated, table.reserved, table.state) == (True, True, Table.State.PLAYING)
        assert across(table, "Maeve", "Ben")
        assert across(table, "Iris", "Jonah")
        assert not Pair.objects.exists()

    def test_a_pair_does_not_meet_single_people(self) -> None:
        partners(two(), RATED)
        for one in members("Iris", "Jonah", "Nell"):
            press(one, RATED)
        queue.seat_waiting(at(5))
        assert not Table.objects.exists()
        press(member("Otto"), RATED)
        assert names(Table.objects.get()) == ["Iris", "Jonah", "Nell", "Otto"]

    def test_the_house_never_comes(self) -> None:
        people = partners(two(), RATED)
        queue.start_now(people[0], timezone.now())
        queue.seat_waiting(at(5))
        assert not Table.objects.exists()

    def test_either_may_turn_to_a_friendly_game(self) -> None:
        people = partners(two(), RATED)
        queue.play_friendly(people[1], timezone.now())
        queue.seat_waiting(at(3))
        table = queue.seated_at(people[0])
        assert across(table, "Maeve", "Ben")
        assert table is not None
        assert not table.rated

    def test_nobody_plays_two_at_once(self) -> None:
        one = partners(two(), RATED)
        partners(two("Iris", "Jonah"), RATED)
        queue.seat_waiting(timezone.now())
        pair = Pair.objects.create(
            by=one[0], to=one[1], rules="classic-24", turn_seconds=45, rated=True, until=at(99)
        )
        for who in one:  # as if a press had come twice
            Seeker.objects.create(
                player=who, rules="classic-24", turn_seconds=45, rated=True, due=at(0), pair=pair
            )
        partners(two("Nell", "Otto"), RATED)
        queue.seat_waiting(timezone.now())
        assert Table.objects.count() == 1
        assert not Seeker.objects.filter(player__in=one).exists()

    def test_seats_are_drawn_and_partners_stay_across(self) -> None:
        drawn = {matching.seats_of_pairs([(1, 2), (3, 4)], Random(n)) for n in range(500)}
        assert len(drawn) == 8  # a side for each pair, and within it two orders each
        assert all({seats[0], seats[2]} in ({1, 2}, {3, 4}) for seats in drawn)


class TestAsking:
    def refused(self, by: Player, to: Player | None, code: str, wish: Wish = FRIENDLY) -> None:
        with pytest.raises(PairError) as error:
            ask(by, to, wish)
        assert error.value.code == code
        assert not Pair.objects.filter(by=by).exists()

    def test_only_friends_and_members(self) -> None:
        maeve, ben = members("Maeve", "Ben")
        self.refused(maeve, ben, "not a friend")
        self.refused(player("Guest"), None, "no account")

    def test_not_for_two_hands(self) -> None:
        maeve, ben = two()
        self.refused(maeve, ben, "two-handed", Wish(HEADS_UP, 45))

    def test_not_while_one_plays(self) -> None:
        maeve, ben = two()
        seating.play_now(maeve, CLASSIC_24, turn_seconds=45)
        self.refused(maeve, ben, "playing")
        pair = ask(ben, maeve)
        with pytest.raises(PairError, match="You are playing"):
            accept(maeve, pair)

    def test_not_if_the_one_who_asked_plays_by_now(self) -> None:
        maeve, ben = two()
        pair = ask(maeve, ben)
        seating.play_now(maeve, CLASSIC_24, turn_seconds=45)
        with pytest.raises(PairError, match="Maeve is playing at another table"):
            accept(ben, pair)
        assert not Seeker.objects.exists()

    def test_asking_leaves_the_queue_and_a_second_request_replaces_the_first(self) -> None:
        maeve, ben = two()
        iris = member("Iris")
        befriend(maeve, iris)
        press(maeve)
        first = ask(maeve, ben)
        assert not Seeker.objects.exists()
        ask(maeve, iris)
        assert Pair.objects.get().to == iris
        with pytest.raises(PairError, match="no longer open"):
            accept(ben, first)

    def test_two_who_ask_each_other_for_the_same_are_partners(self) -> None:
        maeve, ben = two()
        ask(maeve, ben)
        ask(ben, maeve)
        assert Seeker.objects.filter(pair=Pair.objects.get()).count() == 2

    def test_of_two_requests_for_different_games_either_counts(self) -> None:
        maeve, ben = two()
        first = ask(maeve, ben)
        ask(ben, maeve, RATED)
        accept(ben, first)
        assert Pair.objects.get().rated is False
        assert Seeker.objects.count() == 2

    def test_a_friend_no_longer_is_not_a_partner(self) -> None:
        maeve, ben = two()
        pair = ask(maeve, ben)
        friends.end(maeve, ben)
        with pytest.raises(PairError, match="no longer open"):
            accept(ben, pair)

    def test_nobody_else_takes_the_place(self) -> None:
        maeve, ben = two()
        pair = ask(maeve, ben)
        for who in (member("Iris"), maeve):
            with pytest.raises(PairError):
                accept(who, pair)
        assert not Seeker.objects.exists()

    def test_after_five_minutes_it_is_too_late(self) -> None:
        maeve, ben = two()
        pair = ask(maeve, ben, now=at(-301))
        with pytest.raises(PairError, match="no longer open"):
            accept(ben, pair)
        assert pairs.told(maeve, timezone.now()) == "Ben has not answered."
        assert not Pair.objects.exists()

    def test_a_no_looks_like_no_answer(self) -> None:
        maeve, ben = two()
        pair = ask(maeve, ben)
        pairs.decline(ben, pair.pk)
        assert pairs.asked_by(maeve, timezone.now()) == pair
        with pytest.raises(PairError, match="no longer open"):
            accept(ben, pair)
        assert pairs.told(maeve, at(301)) == "Ben has not answered."

    def test_saying_yes_twice_is_harmless(self) -> None:
        maeve, ben = two()
        pair = ask(maeve, ben)
        accept(ben, pair)
        accept(ben, pair)
        assert Seeker.objects.count() == 2

    def test_yes_ends_ones_own_requests_and_search(self) -> None:
        maeve, ben = two()
        iris = member("Iris")
        befriend(ben, iris)
        pair = ask(maeve, ben)
        ask(ben, iris)
        press(ben)
        accept(ben, pair)
        assert Pair.objects.get() == pair
        assert set(Seeker.objects.values_list("pair", flat=True)) == {pair.pk}

    def test_nobody_is_in_two_pairs(self) -> None:
        maeve, ben = two()
        iris = member("Iris")
        befriend(ben, iris)
        partners((maeve, ben))
        pair = ask(iris, ben)
        with pytest.raises(PairError, match="You look for a game with another partner"):
            accept(ben, pair)
        self.refused(ben, iris, "looking")

    def test_play_now_ends_the_search_with_a_partner(self) -> None:
        maeve, ben = partners(two())
        press(maeve)
        assert Seeker.objects.get().player == maeve
        assert pairs.told(ben, timezone.now()).startswith("Maeve has left the queue")

    def test_requests_that_are_over_go_after_a_while(self) -> None:
        maeve, ben = two()
        ask(maeve, ben)
        pairs.forget(at(600))
        assert Pair.objects.exists()
        pairs.forget(at(901))
        assert not Pair.objects.exists()


class TestKeptApart:
    @pytest.mark.parametrize("kind", ["mute", "avoid"])
    def test_a_request_to_somebody_who_does_not_want_it_waits_unseen(self, kind: str) -> None:
        maeve, ben = two()
        if kind == "mute":
            Mute.objects.create(by=ben, other=maeve)
            pair = ask(maeve, ben)
        else:
            pair = ask(maeve, ben)
            avoiding.avoid(ben, maeve)
        assert pairs.asked_by(maeve, timezone.now()) == pair
        assert "asks you" not in logged_in(ben).get("/you/invitations/").text
        with pytest.raises(PairError):
            accept(ben, pair)

    def test_nobody_asks_whom_they_have_muted(self) -> None:
        maeve, ben = two()
        Mute.objects.create(by=maeve, other=ben)
        with pytest.raises(PairError, match="You have muted Ben"):
            ask(maeve, ben)

    @pytest.mark.parametrize("kind", ["mute", "avoid"])
    def test_a_pair_ends_at_once(self, kind: str, django_capture_on_commit_callbacks: Any) -> None:
        maeve, ben = partners(two())
        with django_capture_on_commit_callbacks(execute=True):
            if kind == "mute":
                Mute.objects.create(by=ben, other=maeve)
            else:
                avoiding.avoid(ben, maeve)
        assert not Seeker.objects.exists()
        assert pairs.told(maeve, timezone.now()).startswith("Ben has left the queue")

    def test_a_pair_that_avoids_each_other_is_never_seated(self) -> None:
        maeve, ben = partners(two())
        avoiding.avoid(ben, maeve)  # and the process ends before the pair does
        queue.seat_waiting(at(3))
        assert not Table.objects.exists()

    def test_one_browser_or_a_guest_at_one_address_is_no_partner(self) -> None:
        maeve, ben = two()
        pair, now = ask(maeve, ben), timezone.now()
        with pytest.raises(PairError, match="another one"):
            pairs.accept(ben, pair.token, home_of(maeve), now)
        guest, link = player("Quiet Wren"), ask(maeve, None)
        near = Origin("browser of Wren", home_of(maeve).address)
        with pytest.raises(PairError, match="one address"):
            pairs.accept(guest, link.token, near, now)
        assert not Seeker.objects.exists()


class TestTakenBack:
    def test_a_row_taken_out_by_the_staff_ends_the_search(self) -> None:
        maeve, ben = partners(two())
        Seeker.objects.filter(player=maeve).delete()
        assert look(ben, timezone.now()) is None
        assert not Seeker.objects.exists()
        assert pairs.told(ben, timezone.now()).startswith("Maeve has left the queue")

    def test_an_account_that_is_deleted_leaves_nobody_alone_in_a_pair(self) -> None:
        maeve, ben = partners(two())
        Pair.objects.filter(by=maeve).delete()
        assert look(ben, timezone.now()) is None
        assert not Seeker.objects.exists()

    def test_a_table_that_fails_leaves_both_in_the_queue(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        people = partners(two())
        with monkeypatch.context() as patched:
            patched.setattr(seating, "play_now", lambda *_args, **_more: 1 / 0)
            queue.seat_waiting(at(2.5))
        assert Seeker.objects.count() == 2
        queue.seat_waiting(at(3))
        assert across(queue.seated_at(people[0]), "Maeve", "Ben")


class TestRule:
    def test_a_pair_joins_only_a_table_with_a_free_side(self) -> None:
        newcomer = matching.Player(1, 1500.0, partner=2)
        offers = [Offer(1, {9: 1500.0}, 2), Offer(2, {8: 1500.0}, 3, side=True)]
        chosen = matching.choose_table(newcomer, offers, lambda _one, _other: False)
        assert chosen is not None
        assert chosen.table == 2
        assert matching.choose_table(newcomer, offers, lambda one, other: other == 8) is None
        assert matching.choose_table(newcomer, offers, lambda one, _other: one == 2) is None

    def test_in_a_crowd_no_pair_is_split_and_no_table_is_too_full(self) -> None:
        chance = Random(8)
        for _ in range(300):
            numbers = list(range(30))
            chance.shuffle(numbers)
            seekers = []
            while numbers:
                partner = numbers.pop() if len(numbers) > 1 and chance.random() < 0.4 else None
                rating, waited = chance.gauss(1500, 90), chance.uniform(0, 4)
                seekers.append(matching.Player(numbers.pop(), rating, waited, partner=partner))
            for group in matching.gather(seekers, 4, 2.0, lambda _one, _other: False):
                assert len(group) == len(set(group)) <= 4
                for one in seekers:
                    assert len(set(one.people) & set(group)) in (0, len(one.people))

    def test_seats_of_a_group_hold_pairs_together(self) -> None:
        for pattern in ([1, 1], [1, 1, 2, 2], [0, 1, 1], [0, 1, 1, 0], [1, 2, 1, 2], [1, 0, 1]):
            for _ in range(30):
                rows = [
                    Seeker(player_id=number, pair_id=pair or None)
                    for number, pair in enumerate(pattern)
                ]
                places = queue._places(4, rows)
                assert len(set(places.values())) == len(rows)
                for pair in (1, 2):
                    both = [places[n] for n, one in enumerate(pattern) if one == pair]
                    assert not both or abs(both[0] - both[1]) == 2


class TestPages:
    """The way of two friends, and of a link, without scripts."""

    def fields(self, **more: str) -> dict[str, str]:
        return {"rules": "classic-24", "pace": "relaxed", "kind": "friendly", **more}

    def test_from_the_lobby_to_the_table(self) -> None:
        maeve, ben = two()
        hers, his = logged_in(maeve), logged_in(ben)
        assert "/play/partner/" in hers.get("/play/").text
        page = hers.get("/play/partner/").text
        assert "Ben" in page
        assert "heads-up" not in page
        answer = hers.post("/play/partner/ask", self.fields(player=str(ben.pk)))
        assert answer.headers["Location"] == "/play/seat/"
        assert "Waiting for Ben" in hers.get("/play/seat/").text
        invited = his.get("/play/").text
        assert "Maeve asks you to play as partners: Classic, 24 cards, to 5, relaxed" in invited
        token = Pair.objects.get().token
        answer = his.post("/play/partner/accept", {"request": token})
        assert answer.headers["Location"] == "/play/seat/"
        assert "With Ben" in hers.get("/play/seat/").text
        Seeker.objects.update(since=at(-3), due=at(-1))
        table = hers.get("/play/seat/").headers["Location"]
        assert his.get("/play/seat/").headers["Location"] == table
        assert across(Table.objects.get(), "Maeve", "Ben")

    def test_a_link_is_for_whoever_opens_it_first(self, client: Client) -> None:
        maeve, ben = two()
        hers = logged_in(maeve)
        hers.post("/play/partner/ask", self.fields())
        path = f"/play/partner/{Pair.objects.get().token}/"
        assert path in hers.get("/play/seat/").text
        assert hers.get(path).headers["Location"] == "/play/seat/"
        assert "Play with Maeve" in client.get(path).text
        Pair.objects.update(address="elsewhere")
        token = Pair.objects.get().token
        assert client.post("/play/partner/accept", {"request": token}).status_code == 303
        assert Seeker.objects.count() == 2
        late = logged_in(ben)
        answer = late.get(path)
        assert answer.status_code == 404
        assert "no longer open" in answer.text
        assert late.post("/play/partner/accept", {"request": token}).status_code == 404

    def test_a_rated_link_needs_an_account_and_makes_no_guest(self, client: Client) -> None:
        maeve, _ = two()
        logged_in(maeve).post("/play/partner/ask", self.fields(kind="rated"))
        token = Pair.objects.get().token
        assert "Rated games need an account" in client.get(f"/play/partner/{token}/").text
        number = Player.objects.count()
        answer = client.post("/play/partner/accept", {"request": token})
        assert (answer.status_code, Player.objects.count()) == (403, number)

    def test_whoever_leaves_and_whoever_is_told(self) -> None:
        maeve, ben = partners(two())
        assert logged_in(ben).post("/play/seat/leave").headers["Location"] == "/play/"
        browser = logged_in(maeve)
        page = browser.get("/play/seat/", follow=True).text
        assert "Ben has left the queue" in page
        assert "Ben has left the queue" not in browser.get("/play/").text

    def test_take_it_back(self) -> None:
        maeve, ben = two()
        hers = logged_in(maeve)
        hers.post("/play/partner/ask", self.fields(player=str(ben.pk)))
        hers.post("/play/seat/leave")
        assert not Pair.objects.exists()
        hers.post("/play/partner/ask", self.fields(player=str(ben.pk)))
        hers.post("/play/now/", self.fields())
        assert not Pair.objects.exists()

    def test_not_now(self) -> None:
        maeve, ben = two()
        pair = ask(maeve, ben)
        his = logged_in(ben)
        his.post("/play/partner/decline", {"pair": str(pair.pk)})
        assert "asks you" not in his.get("/you/friends/").text

    @pytest.mark.parametrize(
        ("fields", "status", "why"),
        [
            ({"rules": "heads-up"}, 400, "There is no such game here"),
            ({"pace": "slow"}, 400, "The pace is relaxed or fast."),
            ({"kind": "serious"}, 400, "The game is friendly or rated."),
            ({"player": "0"}, 404, "There is nobody with this number."),
            ({"player": "x"}, 404, "There is nobody with this number."),
        ],
    )
    def test_what_cannot_be(self, fields: dict[str, str], status: int, why: str) -> None:
        maeve, _ = two()
        answer = logged_in(maeve).post("/play/partner/ask", {**self.fields(), **fields})
        assert answer.status_code == status
        assert why in answer.text
        assert not Pair.objects.exists()

    def test_whoever_plays_is_led_back_to_the_game(self) -> None:
        maeve, ben = two()
        table = seating.play_now(maeve, CLASSIC_24, turn_seconds=45)
        answer = logged_in(maeve).post("/play/partner/ask", self.fields(player=str(ben.pk)))
        assert answer.status_code == 409
        assert "finish or leave it first" in answer.text
        assert f'href="/tables/{table.pk}/"' in answer.text

    def test_many_requests_are_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from games.people import limits

        monkeypatch.setattr(limits, "INVITATIONS_IN_TEN_MINUTES", 1)
        maeve, ben = two()
        hers = logged_in(maeve)
        assert hers.post("/play/partner/ask", self.fields(player=str(ben.pk))).status_code == 303
        assert hers.post("/play/partner/ask", self.fields(player=str(ben.pk))).status_code == 429

    def test_what_the_page_says_meanwhile(self) -> None:
        maeve, ben = partners(two(), RATED)
        assert "Another pair is needed" in logged_in(maeve).get("/play/seat/").text
        Seeker.objects.filter(player=ben).update(seen=at(-20))
        assert "Waiting for Ben" in logged_in(maeve).get("/play/seat/").text

    def test_the_page_of_those_who_are_coming(self) -> None:
        table_of(two())
        people = two("Iris", "Jonah")
        partners(people)
        for one in people:
            page = logged_in(one).get("/play/seat/").text
            assert "You sit down after this hand" in page
            assert "Maeve" in page

    def test_a_push_is_queued_for_whoever_is_asked(
        self, django_capture_on_commit_callbacks: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from games.notifying import pushes

        queued: list[tuple[Any, ...]] = []
        monkeypatch.setattr(pushes, "queue", lambda *args, **_more: queued.append(args))
        maeve, ben = two()
        with django_capture_on_commit_callbacks(execute=True):
            ask(maeve, ben)
        ((kind, _, readers, title, path),) = queued
        assert (kind.key, readers, path) == ("invite", [ben.pk], "/you/friends/")
        assert title == "Maeve asks you to play as partners"
