"""The perfect rotation of individuals: a new partner every round, against everybody alike.

With 4n and 4n + 1 players it is a whist tournament: within 4n - 1 or 4n + 1 rounds everybody
partners every other once and opposes each twice (E. H. Moore, "Tactical memoranda", American
Journal of Mathematics 18, 1896). With 4n + 2 and 4n + 3 nobody partners another twice or opposes
another a third time. A rotation that is longer than its design is one found by a long search and
kept beside the designs, or goes on from the longest of these, in which everybody has met everybody,
so that every further round repeats as little as it can. Where neither is at hand, or it would not
share out the sit-outs, the rotation is computed with the fewest repeats found within a fixed work
bound, or is the design over and over if that has fewer.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from random import Random
from typing import Final, NamedTuple

from tournaments.formats.base import IndividualFormat, Stage
from tournaments.formats.computed import MANY, Rotation
from tournaments.formats.draw import Draw, DrawnMatch, PlayedMatch, PlayedRound
from tournaments.formats.meetings import meetings, played
from tournaments.formats.sitting_out import SatOut, sat_out

TABLE: Final = 4
FIXED: Final = -1


class PerfectRotation(IndividualFormat):
    """A new partner every round, and everybody against everybody alike."""

    key = "rotation"
    name = "Perfect rotation"
    brief = "A new partner every round, and everybody plays with and against everybody alike."
    length = "As many as there is time for; 7 are complete for 8 players, 9 for 9."
    most_entries = 400  # it is computed for all rounds at once
    reports_repeats = True

    def draw(self, stage: Stage) -> Draw:
        """Draw the next round: of those drawn at the start, or anew once somebody has left."""
        playing, history = stage.playing, stage.history
        if any(past.present != set(playing) for past in history):
            return draws(playing, stage.left, stage.rng(), history)[0]
        whole = Random(f"{stage.seed} rotation")  # noqa: S311 - anybody may draw it again
        return draws(playing, len(history) + stage.left, whole)[len(history)]


class Base(NamedTuple):
    """A round of players 0 to n - 1.

    Attributes:
        tables: by table a, b, c, d: a and b are partners against c and d.
        sit_outs: who does not play.
    """

    tables: list[list[int]]
    sit_outs: list[int]


class Design(NamedTuple):
    """A rotation given by base rounds and an abelian group that moves them on.

    Attributes:
        group: its cyclic factors; element x is r0 + r1 * m0 + ...
        base: the base rounds. Player x is element x mod n of orbit x div n, n being the size of
            the group; ``FIXED`` is the last player, whom no element moves.
        order: rounds in an order that keeps sit-outs within one of each other after every round.
            Shorter than the design where no longer order was found.
    """

    group: list[int]
    base: list[Base]
    order: list[int]

    @property
    def size(self) -> int:
        """How many elements the group has."""
        size = 1
        for factor in self.group:
            size *= factor
        return size

    def rounds(self) -> list[Base]:
        """All rounds in the design's own order: those of the first base round, then the next."""
        return [
            Base(
                [[self._move(player, by) for player in table] for table in base.tables],
                [self._move(player, by) for player in base.sit_outs],
            )
            for base in self.base
            for by in range(self.size)
        ]

    def fair_rounds(self) -> list[Base]:
        """The rounds of the fair order."""
        rounds = self.rounds()
        return [rounds[number] for number in self.order]

    def _move(self, player: int, by: int) -> int:
        if player == FIXED:
            return self.size
        orbit, element = divmod(player, self.size)
        moved, scale = 0, 1
        for factor in self.group:
            moved += (element + by) % factor * scale
            element, by, scale = element // factor, by // factor, scale * factor
        return orbit * self.size + moved


@cache
def designs(family: str) -> dict[int, Design]:
    """The designs of a file by number of players.

    Args:
        family: ``whist`` or ``near``.
    """
    text = files("tournaments.formats.designs").joinpath(f"{family}.json").read_text("utf-8")
    return {
        int(players): Design(
            entry["group"],
            [Base(base["tables"], base["sit"]) for base in entry["base"]],
            entry["order"],
        )
        for players, entry in json.loads(text)["designs"].items()
    }


@cache
def long_rotations(players: int) -> dict[int, list[Base]]:
    """The rotations longer than the design for so many players, by their number of rounds."""
    text = files("tournaments.formats.designs").joinpath("long.json").read_text("utf-8")
    found: dict[int, list[Base]] = {}
    for rounds, written in json.loads(text)["rotations"].get(str(players), {}).items():
        found[int(rounds)] = []
        for letters in written.split():  # of those who play, four to a table
            seated = [ord(letter) - ord("a") for letter in letters]
            tables = [seated[at : at + TABLE] for at in range(0, len(seated), TABLE)]
            sitting = [player for player in range(players) if player not in seated]
            found[int(rounds)].append(Base(tables, sitting))
    return found


def design_for(players: int) -> Design | None:
    """The design for so many players, if there is one."""
    return designs("whist").get(players) or designs("near").get(players)


def draws(
    entrants: Sequence[int], rounds: int, rng: Random, history: Sequence[PlayedRound] = ()
) -> tuple[Draw, ...]:
    """Draws all rounds to come.

    After each of them nobody has sat out more than once oftener than another, if it was so
    before. What could not be avoided is told by ``meetings(...).repeats()``.

    Args:
        entrants: who plays, at least four.
        rounds: how many rounds to draw, those played not counted.
        rng: the event's chance: who gets which number.
        history: the rounds played. Give them when somebody has left or come; without a change
            the rest of what was drawn at first is better.

    Raises:
        ValueError: fewer than four entrants, one named twice, or too many rounds.
    """
    if len(entrants) < TABLE or len(set(entrants)) < len(entrants):
        raise ValueError(f"a rotation needs four players or more, each once: {list(entrants)}")
    if not 0 <= rounds + len(history) <= MANY // 2:
        raise ValueError(f"a rotation has 0 to {MANY // 2} rounds, not {rounds + len(history)}")
    numbered = rng.sample(entrants, len(entrants))
    bases = _computed(numbered, rounds, rng, history) if history else None
    bases = bases or _kept(len(numbered), rounds, rng) or _best(numbered, rounds, rng)
    return tuple(_draw(base, numbered) for base in bases)


def _kept(players: int, rounds: int, rng: Random) -> list[Base] | None:
    """The rounds of a design that has so many, or a rotation that was found by a long search."""
    design, longer = design_for(players), long_rotations(players)
    if design is not None and rounds <= len(design.order):
        return design.fair_rounds()[:rounds]
    if not longer or rounds <= max(longer):
        return longer.get(rounds)
    bases = longer[max(longer)]
    so_far = [
        PlayedRound(tuple(PlayedMatch(p, 0) for p in d.pairings), d.sit_outs)
        for d in _in_order(bases)
    ]
    return bases + _computed(range(players), rounds - len(bases), rng, so_far, mend=False)


def _best(numbered: Sequence[int], rounds: int, rng: Random) -> list[Base]:
    """The design over and over, or the rotation computed, whichever has fewer repeats."""
    players = len(numbered)
    design, found = design_for(players), None
    if design is not None:
        fair = design.fair_rounds()
        whole = len(fair) == design.size * len(design.base)
        # Over and over, unless that would not share out the sit-outs.
        if rounds <= len(fair) or (whole and len(fair) * (players % TABLE) % players == 0):
            found = [fair[number % len(fair)] for number in range(rounds)]
    if found is not None and players % TABLE < 2:
        return found  # of a whist tournament all is equal
    computed = _computed(numbered, rounds, rng, ())
    ways = [one for one in (found, computed) if one is not None]
    drawn = ([match for draw in _in_order(one) for match in draw.pairings] for one in ways)
    excess = [meetings(matches).excess() for matches in drawn]
    return ways[excess.index(min(excess))]


def _in_order(bases: Sequence[Base]) -> list[Draw]:
    """Rounds with everybody under the number from the design."""
    everybody = range(len(bases[0].tables) * TABLE + len(bases[0].sit_outs)) if bases else ()
    return [_draw(base, everybody) for base in bases]


def _computed(
    numbered: Sequence[int],
    rounds: int,
    rng: Random,
    history: Sequence[PlayedRound],
    *,
    mend: bool = True,
) -> list[Base]:
    number = {entrant: at for at, entrant in enumerate(numbered)}
    rotation = Rotation(len(numbered), rng)
    rotation.remember(meetings(played(history)), number)
    sat = list(sat_out(numbered, history).values())
    out: list[list[int]] = []
    for round_ in range(len(history) + 1, len(history) + rounds + 1):
        # Whoever sat out least, and of equals the longest ago, in the order of the numbers.
        order = sorted(range(len(sat)), key=lambda player: (sat[player], player))
        out.append(sorted(order[: len(sat) % TABLE]))
        for player in out[-1]:
            sat[player] = SatOut(sat[player].times + 1, round_)
        rotation.add(player for player in range(len(numbered)) if player not in out[-1])
    if mend:
        rotation.mend()
    return [
        Base([seats[at : at + TABLE] for at in range(0, len(seats), TABLE)], sitting)
        for seats, sitting in zip(rotation.rounds, out, strict=True)
    ]


def _draw(base: Base, numbered: Sequence[int]) -> Draw:
    return Draw(
        tuple(
            DrawnMatch(at, ((numbered[a], numbered[b]), (numbered[c], numbered[d])))
            for at, (a, b, c, d) in enumerate(base.tables, start=1)
        ),
        tuple(numbered[player] for player in base.sit_outs),
    )
