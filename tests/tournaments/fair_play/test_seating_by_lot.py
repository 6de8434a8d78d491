"""Events of individuals seat by lot: no order of entries and no rating chooses a partner."""

from collections import Counter
from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as some

from games.engine.rules import CLASSIC_24, rules_to_data
from tests.volume import volume
from tournaments.formats.apart import Apart
from tournaments.formats.draw import Draw, PlayedMatch, PlayedRound
from tournaments.formats.meetings import partners_of
from tournaments.formats.registry import FORMATS
from tournaments.models import Entry, Event
from tournaments.models.events import new_seed
from tournaments.standings import draws
from tournaments.standings.draws import EventField

#: The formats in which partners are drawn, and not entered together.
INDIVIDUAL = [key for key, one in FORMATS.items() if one.individual]


def drawn(kind: str, seed: str, entrants: Sequence[int], first: Sequence[PlayedRound] = ()) -> Draw:
    """The next round of an event of these entrants, in their seeding order."""
    event = Event(
        format=kind, seed=seed, rounds=3, capacity=64, rules_data=rules_to_data(CLASSIC_24)
    )
    entries = [Entry(pk=one, event=event, seed=at) for at, one in enumerate(entrants, start=1)]
    return draws.next_draw(EventField(event, entries, (), first, ()), Apart())


def test_individual_formats() -> None:
    assert INDIVIDUAL == ["rotation", "progressive", "duplicate"]


@pytest.mark.parametrize("kind", INDIVIDUAL)
@given(
    players=some.integers(4, 24),
    seed=some.text("0123456789abcdef", min_size=32, max_size=32),
    chance=some.randoms(use_true_random=False),
)
def test_draw_is_reproducible_and_seats_everybody_once(
    kind: str, players: int, seed: str, chance: Random
) -> None:
    entrants = chance.sample(range(1, 1000), players)
    draw = drawn(kind, seed, entrants)
    assert draw == drawn(kind, seed, entrants)
    seated = [one for pairing in draw.pairings for one in pairing.entrants]
    assert sorted([*seated, *draw.sit_outs]) == sorted(entrants)


@pytest.mark.parametrize("kind", INDIVIDUAL)
@pytest.mark.parametrize("players", [4, 5, 8, 11])
def test_each_other_is_the_first_partner_as_often(kind: str, players: int) -> None:
    """Of the first and of the last in seeding order, over many seeds of events."""
    entrants, rng, tries = list(range(1, players + 1)), Random(players), 40 * volume(25, 25, 5000)
    for who in (entrants[0], entrants[-1]):
        with_them: Counter[int] = Counter()
        out = 0
        for _event in range(tries):
            draw = drawn(kind, f"{rng.getrandbits(128):032x}", entrants)
            out += who in draw.sit_outs
            for pairing in draw.pairings:
                for both in partners_of(pairing):
                    if who in both:
                        with_them[sum(both) - who] += 1
        assert abs(out - tries * (players % 4) / players) < 5 * tries**0.5
        usual = (tries - out) / (players - 1)
        assert {*with_them} == {*entrants} - {who}
        # Five standard errors of each count, so that a fair draw never fails with these seeds.
        assert all(abs(count - usual) < 5 * usual**0.5 for count in with_them.values())


@pytest.mark.parametrize("kind", INDIVIDUAL)
def test_late_entries_are_seated_by_lot(kind: str) -> None:
    """Two who come for the second round take places that no order gives them."""
    entrants, rng = list(range(1, 9)), Random(5)
    tables: Counter[int] = Counter()
    tries = 10 * volume(25, 25, 5000)
    for _event in range(tries):
        seed = f"{rng.getrandbits(128):032x}"
        past = drawn(kind, seed, entrants)
        played = PlayedRound(tuple(PlayedMatch(one, 0, (5, 2)) for one in past.pairings))
        # A place is free at each table: of a loser who goes down, and of a winner who goes up.
        left = {past.pairings[0].entrants[2], past.pairings[1].entrants[0]}
        field = [one for one in entrants if one not in left] + [98, 99]
        draw = drawn(kind, seed, field, [played])
        tables.update(one.table for one in draw.pairings if 98 in one.entrants)
    assert all(0.4 < tables[table] / tries < 0.6 for table in (1, 2))


def test_seeds_are_unpredictable() -> None:
    assert len({new_seed() for _event in range(100)}) == 100
    assert {len(new_seed()) for _event in range(10)} == {32}
