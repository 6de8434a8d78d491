"""Swiss events of every size from 4 to 256 teams, played to their end."""

from collections import Counter
from collections.abc import Iterator, Sequence
from math import ceil, log2
from random import Random

import pytest

from tests.formats.results import played
from tests.volume import volume
from tournaments.formats import swiss
from tournaments.formats.draw import Draw, PlayedRound
from tournaments.formats.registry import FORMATS
from tournaments.formats.standings import draw_lots, standings
from tournaments.formats.swiss_field import SwissField, teams_of

SIZES = volume(
    [*range(4, 18), 31, 64, 127],
    [*range(4, 34), 63, 64, 65, 127, 128, 255],
    range(4, 257),
)


@pytest.mark.parametrize("teams", SIZES)
def test_at_most_one_bye_each_and_no_rematches(teams: int) -> None:
    entrants = range(teams)
    rng = Random(teams)
    history: list[PlayedRound] = []
    for _ in range(ceil(log2(teams))):
        draw = swiss.pair(entrants, history, rng)
        busy = [entrant for pairing in draw.pairings for entrant in pairing.entrants]
        assert sorted([*busy, *draw.sit_outs]) == list(entrants)
        assert len(draw.sit_outs) == teams % 2
        history.append(played(draw, rng))
    matches = [one for each in history for one in each.matches if not one.forfeit]
    assert set(Counter(frozenset(one.pairing.entrants) for one in matches).values()) == {1}
    byes = Counter(entrant for each in history for entrant in each.sit_outs)
    assert all(count == 1 for count in byes.values())
    table = standings(entrants, history, FORMATS["swiss"].usual_order, draw_lots(entrants, rng))
    assert [standing.place for standing in table] == list(range(1, teams + 1))
    assert sorted(standing.entrant for standing in table) == list(entrants)


def criteria(entrants: Sequence[int], history: Sequence[PlayedRound], draw: Draw) -> list[int]:
    """The sum of what speaks against the matches of a draw, criterion by criterion."""
    field = SwissField(teams_of(entrants, history))
    ranks = {team.entrant: rank for rank, team in enumerate(field.teams)}
    matches = [sorted(map(ranks.__getitem__, pairing.entrants)) for pairing in draw.pairings]
    matches += [[ranks[entrant], field.bye] for entrant in draw.sit_outs]
    return [sum(one) for one in zip(*(field.cost(*match) for match in matches), strict=True)]


def test_a_large_field_is_paired_from_forty_candidates_as_well_as_from_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    entrants = range(swiss.DENSE + 1)
    rng = Random(1)
    history: list[PlayedRound] = []
    for _ in range(3):
        near = swiss.pair(entrants, history, rng)
        with monkeypatch.context() as patch:
            patch.setattr(swiss, "DENSE", len(entrants))
            every = swiss.pair(entrants, history, rng)
        assert criteria(entrants, history, near) == criteria(entrants, history, every)
        history.append(played(near, rng))


@pytest.mark.parametrize("offered", ["no matches", "a bye for the best only"])
def test_a_large_field_falls_back_on_all_pairings(
    monkeypatch: pytest.MonkeyPatch, offered: str
) -> None:
    def near_pairs(field: SwissField) -> Iterator[tuple[int, int]]:
        if offered != "no matches":
            yield from ((high, low) for high, low in field.all_pairs() if low != field.bye)
        yield 0, field.bye

    entrants = range(swiss.DENSE + 1)
    history = [played(swiss.pair(entrants, [], Random(1)), Random(1))]
    expected = swiss.pair(entrants, history, Random(2))
    monkeypatch.setattr(SwissField, "near_pairs", near_pairs)
    draw = swiss.pair(entrants, history, Random(2))
    assert criteria(entrants, history, draw) == criteria(entrants, history, expected)
    assert draw.sit_outs == expected.sit_outs
