"""Whom a rotation brought together more often than a perfect one does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tournaments.formats.meetings import Meeting, meetings, played
from tournaments.results.draws import EventField
from tournaments.results.match_lines import Team


@dataclass(frozen=True, slots=True)
class Again:
    """Two players and how often they met."""

    names: str
    times: int


@dataclass(frozen=True, slots=True)
class RepeatLines:
    """Who were partners more than once, and who were opponents more than twice."""

    partners: tuple[Again, ...]
    opponents: tuple[Again, ...]

    @property
    def perfect(self) -> bool:
        """Whether nobody was."""
        return not self.partners and not self.opponents


def repeats_of(field: EventField, teams: Mapping[int, Team]) -> RepeatLines:
    """Return the repeats of the first stage of a rotation; teams: all entries drawn, by number."""
    met = meetings(played(field.first)).repeats()
    return RepeatLines(_named(met.partners, teams), _named(met.opponents, teams))


def _named(met: Iterable[Meeting], teams: Mapping[int, Team]) -> tuple[Again, ...]:
    return tuple(
        Again(" and ".join(teams[entry].name for entry in one.pair), one.times) for one in met
    )
