"""Who sits out next in the individual formats: who has sat out least often, then least recently.

Byes of a Swiss event are assigned in `swiss_field`, those of a bracket follow from the seeds
(`bracket`), and `tournaments.standings.draws` decides when house players step aside for people.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import NamedTuple

from tournaments.formats.draw import PlayedRound


class SatOut(NamedTuple):
    """How often an entrant has sat out, and in which round last; 0 for never."""

    times: int
    last: int


def sat_out(entrants: Iterable[int], history: Iterable[PlayedRound]) -> dict[int, SatOut]:
    """Return how often each entrant has sat out, and when last; the smallest value sits out next.

    Players who were absent from a round, because they came late or had left, then count as having
    sat out at least as often as the present player with the fewest sit-outs. Otherwise they would
    sit out until they had caught up.
    """
    asked = list(entrants)
    rounds = [(past.present, past.sit_outs) for past in history]
    times = dict.fromkeys(chain(asked, *(there for there, _sitting in rounds)), 0)
    last = dict.fromkeys(times, 0)
    for number, (there, sitting) in enumerate(rounds, start=1):
        for one in sitting:
            times[one] += 1
            last[one] = number
        least = min((times[one] for one in there), default=0)
        for one in times.keys() - there:
            times[one] = max(times[one], least)
    return {one: SatOut(times[one], last[one]) for one in asked}
