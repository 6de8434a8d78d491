"""The formats that events can have, in the order in which forms and pages list them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tournaments.formats.base import Format, KnockOut
from tournaments.formats.double_elimination import DoubleElimination
from tournaments.formats.duplicate_individual import DuplicateIndividual
from tournaments.formats.duplicate_pairs import DuplicatePairs
from tournaments.formats.progressive import Progressive
from tournaments.formats.rotation import PerfectRotation
from tournaments.formats.round_robin import RoundRobin
from tournaments.formats.single_elimination import SingleElimination
from tournaments.formats.swiss import Swiss

FORMATS: Final[Mapping[str, Format]] = {
    one.key: one
    for one in (
        PerfectRotation(),
        Progressive(),
        DuplicateIndividual(),
        Swiss(),
        RoundRobin(),
        DuplicatePairs(),
        SingleElimination(),
        DoubleElimination(),
    )
}
#: Those that can follow another format as a second stage.
KNOCK_OUTS: Final[Mapping[str, KnockOut]] = {
    key: one for key, one in FORMATS.items() if isinstance(one, KnockOut)
}
