"""Entrants who are kept apart: together as rarely as a format can do, all else as ever."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournaments.formats import fixed_movement, progressive, rotation, swiss
from tournaments.formats.apart import NOBODY, Apart
from tournaments.formats.base import Format, Stage
from tournaments.formats.draw import Draw, PlayedMatch, PlayedRound
from tournaments.formats.meetings import as_pair, meetings
from tournaments.formats.progressive import Movement
from tournaments.formats.registry import FORMATS

ROUNDS = 6


class Chosen(NamedTuple):
    """The settings of an event."""

    rounds: int | None = ROUNDS
    cycles: int = 1
    movement: str = Movement.UP.value


MOVEMENTS = [("rotation", Chosen())] + [
    ("progressive", Chosen(movement=one.value)) for one in Movement
]


def evening(
    form: Format, chosen: Chosen, entrants: Sequence[int], apart: Apart, seed: int = 1
) -> Iterator[Draw]:
    """All rounds, whose matches are won by chance."""
    rng, history = Random(seed), list[PlayedRound]()
    for left in range(chosen.rounds or ROUNDS, 0, -1):
        stage = Stage(chosen, f"seed {seed}", entrants, entrants, history, left, apart=apart)
        drawn = form.draw(stage)
        yield drawn
        won = tuple(PlayedMatch(match, rng.randrange(2), (5, 3)) for match in drawn.pairings)
        history.append(PlayedRound(won, drawn.sit_outs))


def times(drawn: Sequence[Draw], apart: Apart) -> int:
    return apart.times(meetings(match for one in drawn for match in one.pairings))


@st.composite
def couples(draw: st.DrawFn) -> tuple[int, Apart]:
    """A number of players, and couples among them: nobody is in two."""
    players = draw(st.integers(min_value=12, max_value=30))
    order = draw(st.permutations(range(players)))
    count = draw(st.integers(min_value=1, max_value=4))
    pairs = [as_pair(order[2 * at], order[2 * at + 1]) for at in range(count)]
    return players, Apart(partners=frozenset(pairs))


@pytest.mark.parametrize(("name", "chosen"), MOVEMENTS)
@given(couples(), st.integers(min_value=0, max_value=99))
def test_couples_are_never_partners(
    name: str, chosen: Chosen, who: tuple[int, Apart], seed: int
) -> None:
    players, apart = who
    drawn = list(evening(FORMATS[name], chosen, range(players), apart, seed))
    assert times(drawn, apart) == 0
    for one in drawn:  # everybody has one place in every round
        seated = [entrant for match in one.pairings for entrant in match.entrants]
        assert sorted([*seated, *one.sit_outs]) == list(range(players))
        assert len(one.sit_outs) == players % 4


@pytest.mark.parametrize(("name", "chosen"), MOVEMENTS)
@pytest.mark.parametrize("players", [20, 23])
def test_two_families_never_meet(name: str, chosen: Chosen, players: int) -> None:
    apart = Apart(tables=frozenset({(0, 1), (2, 3), (2, 4)}))
    drawn = list(evening(FORMATS[name], chosen, range(players), apart))
    if name == "progressive" and chosen.movement != Movement.FIXED.value:
        assert times(drawn, apart) == 0
    else:  # a design brings nearly everybody together; exchanges avoid most of it
        without = times(list(evening(FORMATS[name], chosen, range(players), NOBODY)), apart)
        assert times(drawn, apart) <= min(without, 1)


@pytest.mark.parametrize("over", range(4))
def test_sit_outs_are_as_fair_as_ever(over: int) -> None:
    apart = Apart(partners=frozenset({(0, 1), (2, 3)}))
    for name, chosen in MOVEMENTS:
        drawn = list(evening(FORMATS[name], chosen, range(12 + over), apart))
        out = [sum(one in past.sit_outs for past in drawn) for one in range(12 + over)]
        assert max(out) - min(out) <= 1, (name, chosen)


@given(st.integers(min_value=3, max_value=8), st.integers(min_value=0, max_value=99))
def test_opponents_in_swiss_are_apart_as_long_as_there_are_others(half: int, seed: int) -> None:
    apart = Apart(tables=frozenset({(0, 1), (2, 3)}))
    chosen = Chosen(rounds=min(4, 2 * half - 3))
    drawn = list(evening(FORMATS["swiss"], chosen, range(2 * half), apart, seed))
    met = [match.entrants for one in drawn for match in one.pairings]
    assert len({as_pair(*both) for both in met}) == len(met), "no rematch"
    if half > 3:
        assert times(drawn, apart) == 0


def test_what_cannot_be_is_done_as_rarely_as_possible() -> None:
    """Four players partner each other in turn: three rounds make everybody a partner once."""
    apart = Apart(partners=frozenset({(0, 1)}))
    drawn = list(evening(FORMATS["rotation"], Chosen(rounds=3), range(4), apart))
    assert times(drawn, apart) <= 1
    everybody = Apart(partners=frozenset({(0, 1), (0, 2), (1, 2)}))
    drawn = list(evening(FORMATS["progressive"], Chosen(rounds=3), range(4), everybody))
    assert times(drawn, everybody) == 3, "one of the three splits is taken in each round"


@given(st.integers(min_value=4, max_value=24), st.integers(min_value=0, max_value=99))
def test_without_pairs_nothing_changes(players: int, seed: int) -> None:
    entrants, rng = range(players), Random
    assert rotation.draws(entrants, 4, rng(seed)) == rotation.draws(
        entrants, 4, rng(seed), apart=Apart(partners=frozenset({(98, 99)}))
    )
    assert fixed_movement.draws(entrants, 4, rng(seed)) == fixed_movement.draws(
        entrants, 4, rng(seed), apart=Apart(tables=frozenset({(98, 99)}))
    )
    absent = Apart(tables=frozenset({(98, 99)}))
    assert progressive.pair(entrants, [], rng(seed)) == progressive.pair(
        entrants, [], rng(seed), apart=absent
    )
    assert swiss.pair(entrants, [], rng(seed)) == swiss.pair(
        entrants, [], rng(seed), apart=absent.tables
    )


def test_formats_say_how_they_keep_apart() -> None:
    found = {key: one.keeps_apart for key, one in FORMATS.items() if one.keeps_apart}
    assert found == {
        "rotation": ("partners", "tables"),
        "progressive": ("partners", "tables"),
        "duplicate": ("partners", "tables"),
        "swiss": ("tables",),
    }
