"""Who sits out next where tables are not full: whoever has done so least, and longest ago.

The rotations and the progressive formats ask here. A bye of a Swiss event is given in
`swiss_field`, that of a bracket follows from its seeds (`bracket`), and where house
players step aside for people `tournaments.standings.draws` decides.
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
    """How often each entrant sat out, and when last; in that order they sit out next.

    Who was away in a round, not in yet or having left, counts after it as having sat out as often
    as the least of those who were there. Or such an entrant would sit out until level with them.
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
