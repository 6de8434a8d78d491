"""Knock-outs of every size, played to their champion."""

from collections import Counter
from collections.abc import Callable, Sequence
from random import Random

import pytest

from tests.formats.results import decided, tables_of
from tests.loops import looped
from tests.volume import SIZES
from tournaments.formats.bracket import (
    BracketPart,
    BracketSpot,
    SlotSource,
    places_for,
    ranking,
    seeded,
)
from tournaments.formats.double_elimination import DoubleElimination
from tournaments.formats.draw import Draw, DrawnMatch, PlayedMatch, PlayedRound
from tournaments.formats.single_elimination import SingleElimination

SINGLE, DOUBLE = SingleElimination(), DoubleElimination()

Pair = Callable[[Sequence[int], Sequence[PlayedRound]], Draw]


def with_third_place(entrants: Sequence[int], history: Sequence[PlayedRound]) -> Draw:
    return SINGLE.pair(entrants, history, third_place=True)


def played_out(
    pair: Pair, entrants: Sequence[int], rng: Random, better: float
) -> list[PlayedRound]:
    """All rounds; in each everybody who is still in plays or sits out, once."""
    history: list[PlayedRound] = []
    lost: Counter[int] = Counter()
    allowed = 2 if pair == DOUBLE.pair else 1
    while (draw := pair(entrants, history)).pairings:
        busy = [one for pairing in draw.pairings for one in pairing.entrants] + [*draw.sit_outs]
        assert len(set(busy)) == len(busy)
        inside = {one for one in entrants if lost[one] < allowed}
        assert set(busy) >= inside
        if pair is not with_third_place:
            assert set(busy) == inside
        history.append(decided(draw, rng, better))
        lost.update(losses([history[-1]]))
    assert draw.sit_outs == ()
    return history


def losses(history: Sequence[PlayedRound]) -> Counter[int]:
    return Counter(
        match.pairing.sides[1 - match.winner][0] for past in history for match in past.matches
    )


@looped("size", SIZES)
def test_single_elimination(size: int) -> None:
    history = played_out(SINGLE.pair, range(size), Random(size), 0.6)
    assert len(history) == (size - 1).bit_length()
    lost = losses(history)
    assert sum(lost.values()) == len(lost) == size - 1
    byes = history[0].sit_outs
    assert sorted(byes) == list(range(places_for(size) - size))
    assert not any(past.sit_outs for past in history[1:])
    places = ranking(SINGLE.nodes(range(size), history))
    assert len(places[0]) == len(places[1]) == 1
    assert places[0][0] not in lost
    assert sorted(one for group in places for one in group) == list(range(size))


@looped("size", SIZES)
def test_third_place_is_played_beside_the_final(size: int) -> None:
    history = played_out(with_third_place, range(size), Random(size), 0.6)
    final, third = history[-1].matches
    assert (final.pairing.table, third.pairing.table) == (1, 2)
    semi_finals = history[-2].matches
    assert set(third.pairing.entrants) == set(losses([PlayedRound(semi_finals)]))
    places = ranking(SINGLE.nodes(range(size), history, third_place=True))
    assert [len(group) for group in places[:4]] == [1, 1, 1, 1]
    assert places[2] == third.pairing.sides[third.winner]


@looped("size", SIZES)
def test_double_elimination(size: int) -> None:
    history = played_out(DOUBLE.pair, range(size), Random(size), 0.6)
    nodes = DOUBLE.nodes(range(size), history)
    (champion,), *others = ranking(nodes)
    lost = losses(history)
    assert lost[champion] <= 1
    assert sorted(one for group in others for one in group) == sorted(set(range(size)) - {champion})
    assert all(lost[one] == 2 for group in others for one in group)
    reset = nodes[-1]
    assert reset.spot.part is BracketPart.RESET
    assert (reset.loser is not None) == (lost[champion] == 1)


@pytest.mark.parametrize("size", [8, 11, 16])
def test_all_favourites_win(size: int) -> None:
    history = played_out(SINGLE.pair, range(1, size + 1), Random(1), 1)
    assert history[-1].matches[0].pairing.sides == ((1,), (2,))
    assert {side for one in history[-2].matches for side in one.pairing.sides} == {
        (1,),
        (2,),
        (3,),
        (4,),
    }


def test_order_of_seeds() -> None:
    assert [seed + 1 for seed in seeded(8)] == [1, 8, 4, 5, 2, 7, 3, 6]
    assert [seed + 1 for seed in seeded(2)] == [1, 2]


def test_single_elimination_of_six() -> None:
    history = played_out(with_third_place, range(1, 7), Random(1), 1)
    assert [
        tables_of(Draw(tuple(m.pairing for m in past.matches), past.sit_outs)) for past in history
    ] == [
        "4 v 5, 3 v 6; 1 2 out",
        "1 v 4, 2 v 3",
        "1 v 2, 4 v 3",
    ]


def test_double_elimination_of_four_with_a_reset() -> None:
    history: list[PlayedRound] = []
    shown = []
    for winners in ((1, 2), (1, 4), (2,), (2,), (2,)):
        draw = DOUBLE.pair([1, 2, 3, 4], history)
        shown.append(tables_of(draw))
        history.append(
            PlayedRound(
                tuple(
                    PlayedMatch(pairing, pairing.entrants.index(winner))
                    for pairing, winner in zip(draw.pairings, winners, strict=True)
                ),
                draw.sit_outs,
            )
        )
    assert shown == [
        "1 v 4, 2 v 3",
        "1 v 2, 4 v 3",
        "2 v 4; 1 out",
        "1 v 2",
        "2 v 1",
    ]
    assert ranking(DOUBLE.nodes([1, 2, 3, 4], history)) == [(2,), (1,), (4,), (3,)]
    assert DOUBLE.pair([1, 2, 3, 4], history) == Draw(())


def test_no_reset_when_the_unbeaten_side_wins() -> None:
    history = played_out(DOUBLE.pair, [1, 2, 3, 4], Random(1), 1)
    assert len(history) == 4
    assert losses(history)[1] == 0


def met_again_first(spots: Sequence[BracketSpot], size: int) -> int:
    """The first losers' round in which two can meet who have met in the winners' rounds."""
    place = {seed: at for at, seed in enumerate(seeded(size))}
    #: Who can come out of a match: their place in the first round, and where they lost.
    comes: list[set[tuple[int, int]]] = []
    for spot in spots:
        sides: list[set[tuple[int, int]]] = []
        for source in spot.sources:
            if source.kind is SlotSource.SEED:
                sides.append({(place[source.number], 0)})
            elif source.kind is SlotSource.LOSER:
                lost_in = spots[source.number].round
                sides.append({(at, lost_in) for at, _lost in comes[source.number]})
            else:
                sides.append(comes[source.number])
        if spot.part is BracketPart.LOSERS and any(
            lost != other_lost and (at ^ other).bit_length() == min(lost, other_lost)
            for at, lost in sides[0]
            for other, other_lost in sides[1]
        ):
            return spot.round
        comes.append(sides[0] | sides[1])
    return 0


@pytest.mark.parametrize(("size", "first"), [(8, 3), (16, 4), (32, 5), (64, 7), (128, 8)])
def test_losers_meet_again_late(size: int, first: int) -> None:
    assert met_again_first(DOUBLE.spots(size), size) == first


def test_picture_before_anything_is_played() -> None:
    nodes = SINGLE.nodes([1, 2, 3], [])
    assert [(node.spot.part, node.sides, node.winner) for node in nodes] == [
        (BracketPart.WINNERS, (1, None), 1),
        (BracketPart.WINNERS, (2, 3), None),
        (BracketPart.FINAL, (1, None), None),
    ]
    assert [node.settled for node in nodes] == [(True, True), (True, True), (True, False)]
    assert ranking(nodes) == [(2, 3, 1)]


def test_two_entrants() -> None:
    assert tables_of(SINGLE.pair([1, 2], [])) == "1 v 2"
    history = played_out(DOUBLE.pair, [1, 2], Random(1), 1)
    assert len(history) == 2
    assert losses(history) == {2: 2}


def absent(*sides: int) -> PlayedMatch:
    """A match to which neither side came."""
    return PlayedMatch(DrawnMatch(1, ((sides[0],), (sides[1],))), -1, forfeit=True)


def won(winner: int, loser: int) -> PlayedMatch:
    return PlayedMatch(DrawnMatch(1, ((winner,), (loser,))), 0, (10, 5))


class TestNeitherSideCame:
    def test_the_next_opponent_has_a_bye(self) -> None:
        history = [PlayedRound((absent(1, 4), won(2, 3)))]
        assert SINGLE.pair([1, 2, 3, 4], history) == Draw(())
        assert ranking(SINGLE.nodes([1, 2, 3, 4], history)) == [(2,), (1, 4, 3)]

    def test_a_bye_before_the_final_is_sat_out(self) -> None:
        first = (won(1, 8), absent(4, 5), won(2, 7), won(3, 6))
        draw = SINGLE.pair([*range(1, 9)], [PlayedRound(first)])
        assert tables_of(draw) == "2 v 3; 1 out"

    def test_the_loser_of_the_other_semi_final_is_third_without_a_match(self) -> None:
        history = [PlayedRound((absent(1, 4), won(2, 3)))]
        nodes = SINGLE.nodes([1, 2, 3, 4], history, third_place=True)
        assert ranking(nodes) == [(2,), (3,), (1, 4)]

    def test_nobody_is_third_if_neither_comes_to_that_match(self) -> None:
        history = [PlayedRound((won(1, 4), won(2, 3))), PlayedRound((won(1, 2), absent(4, 3)))]
        nodes = SINGLE.nodes([1, 2, 3, 4], history, third_place=True)
        assert ranking(nodes) == [(1,), (2,), (), (4, 3)]

    def test_nobody_wins_if_neither_comes_to_the_final(self) -> None:
        history = [PlayedRound((won(1, 4), won(2, 3))), PlayedRound((absent(1, 2),))]
        assert ranking(SINGLE.nodes([1, 2, 3, 4], history)) == [(), (1, 2), (4, 3)]

    def test_nobody_wins_if_nobody_comes_to_the_semi_finals(self) -> None:
        history = [PlayedRound((absent(1, 4), absent(2, 3)))]
        nodes = SINGLE.nodes([1, 2, 3, 4], history)
        assert ranking(nodes) == [(), (), (1, 4, 2, 3)]
        assert SINGLE.pair([1, 2, 3, 4], history) == Draw(())

    def test_in_a_double_elimination_both_are_out_at_once(self) -> None:
        history = [PlayedRound((absent(1, 4), won(2, 3)))]
        assert tables_of(DOUBLE.pair([1, 2, 3, 4], history)) == "2 v 3"
        history.append(PlayedRound((won(2, 3),)))
        assert DOUBLE.pair([1, 2, 3, 4], history) == Draw(())
        assert ranking(DOUBLE.nodes([1, 2, 3, 4], history)) == [(2,), (3,), (1, 4)]

    def test_those_out_of_the_winners_final_are_before_who_lost_earlier(self) -> None:
        history = [PlayedRound((won(1, 4), won(2, 3))), PlayedRound((absent(1, 2), won(4, 3)))]
        assert DOUBLE.pair([1, 2, 3, 4], history) == Draw(())
        assert ranking(DOUBLE.nodes([1, 2, 3, 4], history)) == [(4,), (1, 2), (3,)]

    @looped("pair", [SINGLE.pair, DOUBLE.pair, with_third_place])
    @looped("size", SIZES)
    def test_the_rest_plays_on_at_every_size(self, size: int, pair: Pair) -> None:
        rng, history = Random(size), list[PlayedRound]()
        out: set[int] = set()
        while (draw := pair(range(size), history)).pairings:
            assert out.isdisjoint([*(one for each in draw.pairings for one in each.entrants)])
            matches = [
                absent(*match.pairing.entrants) if rng.random() < 0.3 else match
                for match in decided(draw, rng).matches
            ]
            history.append(PlayedRound(tuple(matches), draw.sit_outs))
            out.update(one for match in matches if match.forfeit for one in match.pairing.entrants)
        third = pair is with_third_place
        nodes = (DOUBLE if pair == DOUBLE.pair else SINGLE).nodes(
            range(size), history, third_place=third
        )
        assert all(node.over for node in nodes)
        groups = ranking(nodes)
        assert sorted(one for group in groups for one in group) == [*range(size)]
        assert not groups[0] or len(groups[0]) == 1
        assert out.isdisjoint(groups[0])


@pytest.mark.parametrize(
    ("entrants", "match", "message"),
    [
        ([1], None, "two entrants or more"),
        ([1, 1], None, "each once"),
        ([1, 2, 3, 4], PlayedMatch(DrawnMatch(1, ((1,), (2,))), 0), "1 against 2 was not due"),
        ([1, 2, 3, 4], PlayedMatch(DrawnMatch(1, ((1,), (4,))), -1), "1 against 4 has no winner"),
    ],
)
def test_invalid_fields_are_refused(
    entrants: list[int], match: PlayedMatch | None, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        SINGLE.pair(entrants, [PlayedRound((match,))] if match else [])
