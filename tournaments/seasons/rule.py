"""The rule by which a season's points are counted: pure values, and their words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from typing import Any, Final

from tournaments.models import Season

MOST_POINTS: Final = 1000  # for one thing
MOST_PLACES: Final = 64  # in the table of points by place
MOST_EVENINGS: Final = 400


class SeasonTie(StrEnum):
    """What orders players with equal points."""

    WINS = "wins"
    EVENINGS = "evenings"
    PLACE = "place"
    MATCHES = "matches"
    SCORED = "scored"
    ATTENDED = "attended"


#: How tie-breaks are named on pages.
TIE_WORDS: Final[Mapping[SeasonTie, str]] = {
    SeasonTie.WINS: "nights won",
    SeasonTie.EVENINGS: "the better single night, then the next best",
    SeasonTie.PLACE: "the best place",
    SeasonTie.MATCHES: "matches won",
    SeasonTie.SCORED: "points scored at the tables",
    SeasonTie.ATTENDED: "nights played",
}

#: The parts of a rule as pages name them.
LABELS: Final[Mapping[str, str]] = {
    "attendance": "For being there",
    "below": "For every entry placed below",
    "match_won": "For each match won",
    "scored": "For each point scored",
    "sat_out": "For each round sat out",
    "places": "By place",
    "best": "Nights that count",
    "ties": "Ties",
}


@dataclass(frozen=True, slots=True)
class Evening:
    """What a player's entry achieved in one event; `place` and `below` are among those counted.

    `won`: whether it won the event. `matches`, `scored` and `sat_out` are the matches won, the
    points scored in them, and the rounds without a match.
    """

    event: int
    place: int
    below: int
    won: bool
    matches: int = 0
    scored: int = 0
    sat_out: int = 0


@dataclass(frozen=True, slots=True)
class Rule:
    """Points for each thing, how many evenings count (None: all), and the order of tie-breaks.

    `places` are the points of the first place, the second and so on; entries that share a place
    get the points of that place each.
    """

    attendance: int = 1
    below: int = 1
    match_won: int = 0
    scored: int = 0
    sat_out: int = 0
    places: tuple[int, ...] = ()
    best: int | None = None
    ties: tuple[SeasonTie, ...] = (SeasonTie.WINS, SeasonTie.PLACE)

    def points(self, evening: Evening) -> int:
        by_place = self.places[evening.place - 1] if evening.place <= len(self.places) else 0
        return (
            self.attendance
            + self.below * evening.below
            + self.match_won * evening.matches
            + self.scored * evening.scored
            + self.sat_out * evening.sat_out
            + by_place
        )

    def counted(self, points: Sequence[int]) -> frozenset[int]:
        """Return the positions of the evenings that count; of equal ones the earlier."""
        order = sorted(range(len(points)), key=lambda at: -points[at])
        return frozenset(order[: self.best])

    @property
    def gives_points(self) -> bool:
        return bool(
            self.attendance
            or self.below
            or self.match_won
            or self.scored
            or self.sat_out
            or any(self.places)
        )

    @property
    def needs_matches(self) -> bool:
        """Whether the matches of the evenings have to be read."""
        return bool(
            self.match_won
            or self.scored
            or self.sat_out
            or {SeasonTie.MATCHES, SeasonTie.SCORED} & {*self.ties}
        )

    @property
    def data(self) -> dict[str, Any]:
        """The rule as it is stored."""
        return asdict(self) | {"places": [*self.places], "ties": [str(tie) for tie in self.ties]}

    @property
    def parts(self) -> list[tuple[str, str]]:
        """What is counted: how much, and for what."""
        each = (
            (self.attendance, "for each night you play"),
            (self.below, "for every entry placed below yours"),
            (self.match_won, "for each match you win"),
            (self.scored, "for each point you score at the tables"),
            (self.sat_out, "for each round you sit out"),
        )
        parts = [(f"+{worth}", what) for worth, what in each if worth]
        if any(self.places):
            listed = _listed([str(points) for points in self.places])
            places = (
                f"for the first {len(self.places)} places" if self.places[1:] else "for 1st place"
            )
            parts.append((listed, places))
        return parts

    @property
    def count_words(self) -> str:
        if self.best is None:
            return "All nights count."
        if self.best == 1:
            return "Only the best night counts; the others are struck out."
        return f"The best {self.best} nights count; the others are struck out."

    @property
    def tie_words(self) -> str:
        words = ", then ".join(TIE_WORDS[tie] for tie in self.ties)
        return f"Ties: {words}; still equal, the place is shared." if words else SHARED

    @property
    def point_words(self) -> str:
        points = [
            f"{worth.removeprefix('+')} point{'s' * (worth != '+1')} {what}"
            for worth, what in self.parts
        ]
        return f"You get {_listed(points)}. Both partners get them."

    @property
    def sentence(self) -> str:
        """The whole rule in plain sentences."""
        return f"{self.point_words} {self.count_words} {self.tie_words}"


SHARED: Final = "Ties: the place is shared."
#: Of seasons without a rule of their own.
USUAL: Final = Rule()
#: What a director can choose in one press; `places` is the usual one.
PRESETS: Final[Mapping[str, tuple[str, str, Rule]]] = {
    "places": ("By places", "1 point for everybody you finish above, 1 for being there", USUAL),
    "games": ("By games", "1 point for each match won, 1 for being there",
              Rule(below=0, match_won=1)),
    "points": ("By points", "what you score at the tables", Rule(0, 0, scored=1)),
}  # fmt: skip
#: The orders of tie-breaks that are offered.
TIE_ORDERS: Final = (
    (SeasonTie.WINS, SeasonTie.PLACE),
    (SeasonTie.EVENINGS,),
    (SeasonTie.MATCHES, SeasonTie.SCORED),
    (),
)


def tie_choice(ties: Sequence[SeasonTie]) -> tuple[str, str]:
    """Return an order of tie-breaks as a form sends it, and its words."""
    words = ", then ".join(TIE_WORDS[tie] for tie in ties) or "the place is shared"
    return ",".join(ties), f"{words[0].upper()}{words[1:]}"


def rule_of(season: Season) -> Rule:
    return from_data(season.rule_data)


def from_data(data: Mapping[str, Any]) -> Rule:
    """Return a stored rule; parts that are not stored are the usual ones."""
    kept = {field.name: data[field.name] for field in fields(Rule) if field.name in data}
    if "places" in kept:
        kept["places"] = tuple(kept["places"])
    if "ties" in kept:
        kept["ties"] = tuple(SeasonTie(tie) for tie in kept["ties"])
    return Rule(**kept)


def differences(before: Rule, after: Rule) -> list[tuple[str, str, str]]:
    """Return the parts that differ: label, value before and after."""
    return [
        (label, _value(name, before), _value(name, after))
        for name, label in LABELS.items()
        if getattr(before, name) != getattr(after, name)
    ]


def _value(name: str, rule: Rule) -> str:
    value = getattr(rule, name)
    if name == "best":
        return "all" if value is None else f"the best {value}"
    if name == "places":
        return ", ".join(map(str, value)) or "nothing"
    if name == "ties":
        return ", then ".join(TIE_WORDS[tie] for tie in value) or "shared"
    return str(value)


def _listed(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if words[1:] else words)
