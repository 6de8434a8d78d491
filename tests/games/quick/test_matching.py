"""The matching rule: who joins which table, and who opens one together."""

from hypothesis import given
from hypothesis import strategies as st

from games.quick.matching import Offer, Waiting, choose_table, gather

people = st.lists(st.integers(1, 40), unique=True, max_size=24)
pairs = st.frozensets(st.tuples(st.integers(1, 40), st.integers(1, 40)), max_size=60)


def nobody(_one: int, _other: int) -> bool:
    return False


def test_the_table_with_the_fewest_free_seats_comes_first() -> None:
    offers = [Offer(1, (1,), 3), Offer(2, (2, 3, 4), 1), Offer(3, (5, 6), 2)]
    assert choose_table(9, offers, nobody) == offers[1]


def test_a_full_table_and_one_without_people_are_not_chosen() -> None:
    assert choose_table(9, [Offer(1, (1, 2, 3, 4), 0), Offer(2, (), 4)], nobody) is None


def test_eight_people_get_two_tables_at_once() -> None:
    groups = gather([Waiting(player, 0.1) for player in range(8)], 4, 2.0, nobody)
    assert sorted(map(len, groups)) == [4, 4]


def test_one_alone_sits_down_when_the_time_is_over() -> None:
    assert gather([Waiting(1, 1.9)], 4, 2.0, nobody) == []
    assert gather([Waiting(1, 2.0)], 4, 2.0, nobody) == [(1,)]


def test_those_who_come_later_sit_down_with_the_first() -> None:
    assert gather([Waiting(2, 0.3), Waiting(1, 2.0)], 4, 2.0, nobody) == [(1, 2)]


@given(people, pairs, st.integers(2, 4))
def test_everybody_has_one_place_and_nobody_sits_with_whom_they_must_not(
    players: list[int], kept_apart: frozenset[tuple[int, int]], seats: int
) -> None:
    def apart(one: int, other: int) -> bool:
        return (one, other) in kept_apart or (other, one) in kept_apart

    groups = gather([Waiting(player, 5.0) for player in players], seats, 2.0, apart)
    seated = [player for group in groups for player in group]
    assert sorted(seated) == sorted(players)
    assert all(1 <= len(group) <= seats for group in groups)
    assert not any(apart(a, b) for group in groups for a in group for b in group if a != b)


@given(people, pairs, st.integers(1, 40))
def test_a_table_with_somebody_they_must_not_meet_is_never_chosen(
    players: list[int], kept_apart: frozenset[tuple[int, int]], newcomer: int
) -> None:
    offers = [
        Offer(at, tuple(players[at : at + 3]), 4 - len(players[at : at + 3]))
        for at in range(0, len(players), 3)
    ]

    def apart(one: int, other: int) -> bool:
        return (one, other) in kept_apart

    chosen = choose_table(newcomer, offers, apart)
    if chosen is not None:
        assert chosen.free > 0
        assert not any(apart(newcomer, other) for other in chosen.people)
    else:
        assert all(any(apart(newcomer, other) for other in offer.people) for offer in offers)
