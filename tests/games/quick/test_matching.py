"""The matching rule: who joins which table, and who opens one together."""

from hypothesis import given
from hypothesis import strategies as st

from games.quick.matching import WEIGHTS, QuickOffer, QuickPlayer, choose_table, gather

people = st.lists(st.integers(1, 40), unique=True, max_size=24)
pairs = st.frozensets(st.tuples(st.integers(1, 40), st.integers(1, 40)), max_size=60)


def nobody(_one: int, _other: int) -> bool:
    return False


def somebody(player: int, waited: float = 0.0, rating: float = 1500.0) -> QuickPlayer:
    return QuickPlayer(player, rating, waited)


def offer(table: int, *people: int, rating: float = 1500.0, ends_in: float = 10.0) -> QuickOffer:
    """A table of four with some people."""
    return QuickOffer(table, dict.fromkeys(people, rating), 4 - len(people), ends_in)


def test_the_table_with_the_fewest_free_seats_comes_first() -> None:
    offers = [offer(1, 1), offer(2, 2, 3, 4), offer(3, 5, 6)]
    assert choose_table(somebody(9), offers, nobody) == offers[1]


def test_a_full_table_and_one_without_people_are_not_chosen() -> None:
    assert choose_table(somebody(9), [offer(1, 1, 2, 3, 4), offer(2)], nobody) is None


def test_a_hand_that_ends_soon_is_worth_a_free_seat() -> None:
    offers = [offer(1, 1, 2, ends_in=40.0), offer(2, 3, ends_in=6.0)]
    assert choose_table(somebody(9), offers, nobody) == offers[1]


def test_a_hand_that_lasts_too_long_is_not_waited_for() -> None:
    assert choose_table(somebody(9), [offer(1, 1, ends_in=WEIGHTS.most + 1)], nobody) is None


def test_ratings_decide_softly() -> None:
    offers = [offer(1, 1, 2, rating=1800.0), offer(2, 3, 4, rating=1510.0)]
    assert choose_table(somebody(9), offers, nobody) == offers[1]
    assert choose_table(somebody(9), offers[:1], nobody) == offers[0]


def test_people_met_lately_come_after_others() -> None:
    offers = [offer(1, 1, 2), offer(2, 3, 4)]
    newcomer = QuickPlayer(9, 1500.0, met={1: 1, 7: 3})
    assert choose_table(newcomer, offers, nobody) == offers[1]
    assert choose_table(newcomer, offers[:1], nobody) == offers[0]


def test_eight_people_get_two_tables_at_once() -> None:
    groups = gather([somebody(player, 0.1) for player in range(8)], 4, 2.0, nobody)
    assert sorted(map(len, groups)) == [4, 4]


def test_of_eight_those_of_like_rating_sit_together() -> None:
    ratings = (1300.0, 1700.0) * 4
    seekers = [somebody(number, 0.1, rating) for number, rating in enumerate(ratings)]
    groups = gather(seekers, 4, 2.0, nobody)
    assert [sorted(group) for group in groups] == [[0, 2, 4, 6], [1, 3, 5, 7]]


def test_one_alone_sits_down_when_the_time_is_over() -> None:
    assert gather([somebody(1, 1.9)], 4, 2.0, nobody) == []
    assert gather([somebody(1, 2.0)], 4, 2.0, nobody) == [(1,)]


def test_those_who_come_later_sit_down_with_the_first() -> None:
    assert gather([somebody(2, 0.3), somebody(1, 2.0)], 4, 2.0, nobody) == [(1, 2)]


@given(people, pairs, st.integers(2, 4))
def test_everybody_has_one_place_and_nobody_sits_with_whom_they_must_not(
    players: list[int], kept_apart: frozenset[tuple[int, int]], seats: int
) -> None:
    def apart(one: int, other: int) -> bool:
        return (one, other) in kept_apart or (other, one) in kept_apart

    groups = gather([somebody(player, 5.0) for player in players], seats, 2.0, apart)
    seated = [player for group in groups for player in group]
    assert sorted(seated) == sorted(players)
    assert all(1 <= len(group) <= seats for group in groups)
    assert not any(apart(a, b) for group in groups for a in group for b in group if a != b)


@given(people, pairs, st.integers(1, 40))
def test_a_table_with_somebody_they_must_not_meet_is_never_chosen(
    players: list[int], kept_apart: frozenset[tuple[int, int]], newcomer: int
) -> None:
    offers = [offer(at, *players[at : at + 3]) for at in range(0, len(players), 3)]

    def apart(one: int, other: int) -> bool:
        return (one, other) in kept_apart

    chosen = choose_table(somebody(newcomer), offers, apart)
    if chosen is not None:
        assert chosen.free > 0
        assert not any(apart(newcomer, other) for other in chosen.people)
    else:
        assert all(any(apart(newcomer, other) for other in offer.people) for offer in offers)
