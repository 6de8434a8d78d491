"""Base classes for formats: everything a format must define.

A format is one subclass, in a file of its own, and one line in `registry`. Everything in which
formats differ is an attribute or a method here, so that the rest of the code asks the event's
format and never compares its name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from random import Random
from typing import ClassVar, NamedTuple, Protocol

from tournaments.formats import bracket
from tournaments.formats.apart import NOBODY, Apart
from tournaments.formats.bracket import BracketSpot, Node, Swap
from tournaments.formats.draw import Draw, PlayedRound
from tournaments.formats.tie_breaks import TieBreak

#: Rounds that are played where nothing is set, if there are enough entrants.
USUAL_ROUNDS = 8


class Settings(Protocol):
    """The settings of an event that draws depend on; `tournaments.models.Event` has them all."""

    @property
    def rounds(self) -> int | None: ...
    @property
    def cycles(self) -> int: ...
    @property
    def movement(self) -> str: ...


class Stage(NamedTuple):
    """A stage as its next round is drawn.

    `starters` are in seeding order, and include the house players who fill tables; `playing` are
    those to be drawn. `left` includes the next round. `head_starts` is the credit of late entrants
    for the rounds they missed, in half wins. `apart` are those whom a format with `keeps_apart`
    brings together as rarely as it can.
    """

    settings: Settings
    seed: str
    starters: Sequence[int]
    playing: Sequence[int]
    history: Sequence[PlayedRound]
    left: int
    head_starts: Mapping[int, int] = {}
    apart: Apart = NOBODY

    def rng(self) -> Random:
        number = len(self.history) + 1
        return Random(f"{self.seed} round {number}")  # noqa: S311 - reproducible on purpose


class Format:
    """A format of rounds with standings; unless a subclass says otherwise, entries stay together.

    Attributes:
        key: how the database, the API and addresses name it.
        individual: whether players enter alone and change partners every round.
        duplicate: whether all tables of a round play the same deals, and results are compared
            (`comparison`).
        fixed_pairings: whether the pairings are fixed when it starts, for everybody who starts:
            entries that withdraw forfeit their matches, and a forfeit counts like a played match.
        known_ahead: whether all its rounds are known when it starts, unless somebody leaves;
            where that depends on the settings, `rounds_known` says it.
        keeps_apart: how it keeps entrants apart: as "partners" and at "tables"; where partners
            enter together, "tables" are opponents.
        reports_repeats: whether the event's page says who was drawn together more often than the
            format promises.
        settings: the settings of an event that it uses, out of `rounds`, `movement`, `cycles`,
            `third_place`, `second_stage`, `tie_breaks`, `sit_out`, `scoring` and `late_half_wins`.
        usual_order: the tie-breaks of its standings unless the director says otherwise, without
            the lot, which is always the last.
        sit_out_worth: what a sit-out or a bye is worth in wins; None: what the event says.
        sit_out_words: the same in a sentence for the standings, if it needs to be said.
        no_late_entry: why nobody can be let in once it has begun; empty if they can, and then
            `late_half_wins` is among the settings.
        house_words: a sentence for the director who adds house players, if there is one.
    """

    key: ClassVar[str] = ""
    name: ClassVar[str] = ""
    brief: ClassVar[str] = ""
    who_enters: ClassVar[str] = "Partnerships, or single players in a game for two"
    length: ClassVar[str] = ""
    individual: ClassVar[bool] = False
    knock_out: ClassVar[bool] = False
    duplicate: ClassVar[bool] = False
    fixed_pairings: ClassVar[bool] = False
    known_ahead: ClassVar[bool] = False
    keeps_apart: ClassVar[tuple[str, ...]] = ()
    reports_repeats: ClassVar[bool] = False
    least_entries: ClassVar[int] = 2
    most_entries: ClassVar[int] = 1000
    settings: ClassVar[frozenset[str]] = frozenset({"second_stage", "tie_breaks", "sit_out"})
    usual_order: ClassVar[tuple[TieBreak, ...]] = ()
    sit_out_worth: ClassVar[Fraction | None] = None
    sit_out_words: ClassVar[str] = ""
    no_late_entry: ClassVar[str] = ""
    house_words: ClassVar[str] = ""

    @property
    def how_many(self) -> str:
        entries = "players" if self.individual else "partnerships"
        return f"{self.least_entries} to {self.most_entries:,} {entries}"

    @property
    def table_size(self) -> int:
        return 4 if self.individual else 2

    def wanted_rounds(self, settings: Settings, entries: int) -> int | None:
        """Return how many rounds it has if nobody leaves; None for a knock-out."""
        return settings.rounds or min(USUAL_ROUNDS, entries - 1)

    def most_rounds(self, entries: int) -> int | None:
        """Return the maximum number of rounds for `entries` entries; None if unlimited."""
        return None

    def playable_rounds(self, stage: Stage) -> int:
        """Return after how many rounds a stage ends, given who is still playing."""
        return len(stage.history) + stage.left

    def why_shortened(self, left: int) -> str:
        """Return why those who are left play fewer rounds: the end of a sentence about them."""
        raise NotImplementedError

    def rounds_known(self, settings: Settings) -> bool:
        """Return whether all rounds are known at the start, unless somebody leaves."""
        return self.known_ahead

    def draw(self, stage: Stage) -> Draw:
        raise NotImplementedError


class IndividualFormat(Format):
    individual = True
    keeps_apart = ("partners", "tables")
    who_enters = "Each player alone"
    least_entries = 4
    settings = Format.settings | {"rounds", "late_half_wins"}
    # Everybody meets nearly everybody, so that the opponents' scores say little.
    usual_order: ClassVar[tuple[TieBreak, ...]] = (
        TieBreak.WINS, TieBreak.POINT_DIFFERENCE, TieBreak.LONE_HANDS,
    )  # fmt: skip

    def playable_rounds(self, stage: Stage) -> int:
        enough = len(stage.playing) >= self.table_size
        return len(stage.history) + (stage.left if enough else 0)

    def why_shortened(self, left: int) -> str:
        return f"cannot fill a table of {self.table_size}"


class KnockOut(Format):
    """A format that eliminates entrants after `losses` losses; it can also be a second stage."""

    knock_out = True
    no_late_entry = "The bracket is fixed when the event starts."
    settings = frozenset()
    losses: ClassVar[int] = 1

    def wanted_rounds(self, settings: Settings, entries: int) -> None:
        """Return None: its rounds follow from the results."""

    def rounds(self, sides: int) -> int:
        """Return the number of rounds for `sides` sides, not counting a second final."""
        raise NotImplementedError

    def spots(self, entrants: int, *, third_place: bool = False) -> tuple[BracketSpot, ...]:
        """Return the matches of its bracket, each after those that its sides come from.

        Places that are left over are byes of the best seeds.
        """
        raise NotImplementedError

    def nodes(
        self,
        entrants: Sequence[int],
        history: Sequence[PlayedRound],
        *,
        third_place: bool = False,
        by_hand: Sequence[Swap] = (),
    ) -> list[Node]:
        """Return the bracket as far as it is played; entries that left lost by forfeit.

        Raises ValueError if an entrant is named twice, a match was not due, or it has no winner.
        """
        spots = self.spots(len(entrants), third_place=third_place)
        return bracket.resolve(spots, entrants, history, by_hand)

    def pair(
        self, entrants: Sequence[int], history: Sequence[PlayedRound], *, third_place: bool = False
    ) -> Draw:
        return bracket.draw(self.nodes(entrants, history, third_place=third_place))

    def may_idle_a_person(self, house: Sequence[bool]) -> bool:
        """Return whether a person could have a bye, or wait, while two house sides meet.

        house: for each side, in seeding order, whether only house players are on it. Among house
        players alone it is False.
        """
        raise NotImplementedError
