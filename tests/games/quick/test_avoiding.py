"""“Don’t seat me with this person”: private, one press, kept; nobody meets whom they avoid."""

import random
from collections import defaultdict
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from games.models import Avoidance, Player, Seat, SeatRequest
from games.people import avoiding
from games.quick import arrivals, company, matching, queue
from games.quick.matching import QuickOffer
from games.seats import seating
from games.seats.seating import SeatingError
from tests.factories import logged_in, member, play_out, table
from tests.games.quick.test_queue import at, between_hands, look, members, names, press

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _a_time_to_gather(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two seconds, and hands that are soon over."""
    settings.QUICK_GATHER = 2.0
    monkeypatch.setattr(company, "ACTIONS", 10)


class TestNobodyMeetsThem:
    @pytest.fixture
    def two(self) -> tuple[Player, Player]:
        """Maeve and Ben, whom Maeve avoids."""
        maeve, ben = members("Maeve", "Ben")
        avoiding.avoid(maeve, ben)
        return maeve, ben

    @pytest.mark.parametrize("first", [0, 1])
    def test_at_a_new_table(self, two: tuple[Player, Player], first: int) -> None:
        for one in (two[first], two[1 - first]):
            press(one)
        queue.seat_waiting(at(2.5))
        assert [names(queue.seated_at(one)) for one in two] == [["Maeve"], ["Ben"]]

    @pytest.mark.parametrize("first", [0, 1])
    def test_in_place_of_the_house(self, two: tuple[Player, Player], first: int) -> None:
        press(two[first], now=at(-10))
        look(two[first], timezone.now())
        press(two[1 - first])
        assert not SeatRequest.objects.exists()
        look(two[1 - first], at(2.5))
        assert [names(queue.seated_at(one)) for one in two] == [["Maeve"], ["Ben"]]

    def test_at_a_table_to_which_both_are_coming(self, two: tuple[Player, Player]) -> None:
        (iris,) = members("Iris")
        press(iris, now=at(-10))
        look(iris, timezone.now())
        for one in two:
            press(one)
        assert [one.player for one in SeatRequest.objects.all()] == [two[0]]

    def test_chosen_while_the_other_is_coming(self) -> None:
        maeve, ben = members("Maeve", "Ben")
        press(maeve, now=at(-10))
        at_hers = look(maeve, timezone.now())
        assert at_hers is not None
        press(ben)
        avoiding.avoid(maeve, ben)
        between_hands(at_hers)
        SeatRequest.objects.update(sits_from=timezone.now())
        arrivals.seat_all(timezone.now())
        assert names(at_hers) == ["Maeve"]

    def test_by_the_link_of_a_friend(self, two: tuple[Player, Player]) -> None:
        maeve, ben = two
        press(maeve, now=at(-10))
        at_hers = look(maeve, timezone.now())
        assert at_hers is not None
        with pytest.raises(SeatingError, match=r"^Every seat is taken\.$"):
            seating.sit(at_hers, ben, 0, by_link=True)

    def test_only_in_quick_games(self, two: tuple[Player, Player]) -> None:
        maeve, ben = two
        assert names(table(maeve, ben)) == ["Ben", "Maeve"]


def test_10_000_pairings_never_seat_two_who_avoid_each_other() -> None:
    chance = random.Random(25)
    pairs = {frozenset(chance.sample(range(300), 2)) for _ in range(4_000)}

    def apart(one: int, other: int) -> bool:
        return frozenset((one, other)) in pairs

    def somebody(player: int) -> matching.QuickPlayer:
        return matching.QuickPlayer(player, chance.gauss(1500, 90), chance.uniform(0, 4))

    paired, tables = 0, list[tuple[int, ...]]()
    while paired < 10_000:
        crowd = chance.sample(range(300), 12)
        seekers = [somebody(one) for one in crowd[:8]]
        tables = [*matching.gather(seekers, 4, 2.0, apart), *tables[:20]]
        for newcomer in crowd[8:]:
            free = [one for one in tables if newcomer not in one]
            offers = [
                QuickOffer(number, dict.fromkeys(one, 1500.0), 4 - len(one))
                for number, one in enumerate(free)
            ]
            chosen = matching.choose_table(somebody(newcomer), offers, apart)
            if chosen is not None:
                tables.remove(free[chosen.table])
                tables.append((*free[chosen.table], newcomer))
        for people in tables:
            assert not any(apart(a, b) for a in people for b in people)
            paired += len(people) * (len(people) - 1) // 2


def test_10_000_rated_pairings_keep_them_apart() -> None:
    chance = random.Random(26)
    pairs = {frozenset(chance.sample(range(300), 2)) for _ in range(4_000)}

    def apart(one: int, other: int) -> bool:
        return frozenset((one, other)) in pairs

    paired = 0
    while paired < 10_000:
        seekers = [
            matching.QuickPlayer(one, chance.gauss(1500, 90), chance.uniform(0, 60))
            for one in chance.sample(range(300), 16)
        ]
        for group in matching.full_groups(seekers, 4, apart):
            assert not any(apart(a, b) for a in group for b in group)
            paired += 6


def test_a_full_queue_of_people_who_avoid_each_other_is_seated_apart() -> None:
    chance = random.Random(27)
    people = members(*(f"Player {number}" for number in range(40)))
    pairs = {tuple(chance.sample(range(40), 2)) for _ in range(150)}
    Avoidance.objects.bulk_create(
        Avoidance(by=people[one], other=people[other]) for one, other in pairs
    )
    for one in people:
        press(one, now=at(-10))
    queue.seat_waiting(timezone.now())
    seated = defaultdict[int, set[int]](set)
    number = {player.pk: at for at, player in enumerate(people)}
    for seat in Seat.objects.filter(player__in=people):
        seated[seat.table_id].add(number[seat.player_id or 0])
    assert sum(map(len, seated.values())) == len(people)
    assert any(len(one) == 4 for one in seated.values())
    assert not any({*pair} <= company for pair in pairs for company in seated.values())


class TestPressing:
    def test_one_press_on_the_page_of_the_game_and_one_to_take_it_back(self) -> None:
        maeve, ben = members("Maeve", "Ben")
        game = play_out(table(maeve, ben, house_seats=(2, 3)), by="person")
        browser = logged_in(maeve)
        page = f"/games/{game.pk}/"
        assert "Don’t seat me with this person" in browser.get(page).text
        back = {"Referer": f"http://testserver{page}"}
        answer = browser.post("/play/avoid", {"player": ben.pk}, headers=back)
        assert (answer.status_code, answer.headers["Location"]) == (303, page)
        assert Avoidance.objects.get().other == ben
        assert "Sit together again" in browser.get(page).text
        assert "Ben" in browser.get("/you/apart/").text
        browser.post("/play/avoid", {"player": ben.pk})
        browser.post("/play/meet-again", {"player": ben.pk})
        assert not Avoidance.objects.exists()

    def test_the_other_is_told_nothing(self) -> None:
        maeve, ben = members("Maeve", "Ben")
        game = play_out(table(maeve, ben, house_seats=(2, 3)), by="person")
        avoiding.avoid(maeve, ben)
        for path in (f"/games/{game.pk}/", "/you/apart/", "/you/"):
            assert "Sit together again" not in logged_in(ben).get(path).text

    def test_only_those_who_played_choose(self, client: Client) -> None:
        maeve, ben, iris = members("Maeve", "Ben", "Iris")
        game = play_out(table(maeve, ben, house_seats=(2, 3)), by="person")
        for browser in (client, logged_in(iris)):
            assert "Don’t seat me with this person" not in browser.get(f"/games/{game.pk}/").text
        answer = logged_in(iris).post("/play/avoid", {"player": ben.pk})
        assert answer.status_code == 404
        assert "You have not played with this person." in answer.text

    def test_as_many_as_there_may_be(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(avoiding, "MOST", 1)
        maeve, ben, iris = members("Maeve", "Ben", "Iris")
        play_out(table(maeve, ben, iris, house_seats=(3,)), by="person")
        browser = logged_in(maeve)
        assert browser.post("/play/avoid", {"player": ben.pk}).status_code == 303
        answer = browser.post("/play/avoid", {"player": iris.pk})
        assert answer.status_code == 409
        assert "that is the most" in answer.text

    def test_the_way_back_leads_nowhere_else(self) -> None:
        browser = logged_in(member("Maeve"))
        elsewhere = {"Referer": "http://testserver//example.org/"}
        answer = browser.post("/play/meet-again", {"player": "1"}, headers=elsewhere)
        assert answer.headers["Location"] == "/you/apart/"
