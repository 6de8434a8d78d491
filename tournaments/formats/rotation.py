"""The perfect rotation: a new partner every round, and everybody as opponent equally often.

With 4n and 4n + 1 players it is a whist tournament: within 4n - 1 or 4n + 1 rounds everybody
partners everybody once and opposes everybody twice (E. H. Moore, "Tactical memoranda", American
Journal of Mathematics 18, 1896). With 4n + 2 and 4n + 3 players nobody partners another twice or
opposes another a third time.

An event longer than its design plays a rotation that a long search found and that is stored beside
the designs, or continues the longest of these with as few repeats as possible. Where none is
stored, or its sit-outs would be unfair, the rotation is the better of two: one computed within a
fixed amount of work, or the design over and over.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.resources import files
from random import Random
from typing import Final, NamedTuple

from tournaments.formats.apart import NOBODY, Apart
from tournaments.formats.base import IndividualFormat, Stage
from tournaments.formats.computed import MANY, Rotation
from tournaments.formats.draw import Draw, DrawnMatch, PlayedMatch, PlayedRound
from tournaments.formats.meetings import meetings, played
from tournaments.formats.sitting_out import SatOut, sat_out

TABLE: Final = 4
FIXED: Final = -1


class PerfectRotation(IndividualFormat):
    key = "rotation"
    name = "Perfect rotation"
    brief = "A new partner every round, and everybody plays with and against everybody alike."
    length = "As many as there is time for; 7 are complete for 8 players, 9 for 9."
    most_entries = 400  # all rounds are computed at once
    known_ahead = True
    reports_repeats = True

    def draw(self, stage: Stage) -> Draw:
        """Return the next of the rounds drawn at the start, or redraw once players have left."""
        playing, history = stage.playing, stage.history
        if any(past.present != set(playing) for past in history):
            return draws(playing, stage.left, stage.rng(), history, stage.apart)[0]
        rounds = len(history) + stage.left
        return _whole(tuple(playing), rounds, stage.seed, stage.apart)[len(history)]


@lru_cache(maxsize=16)
def _whole(playing: tuple[int, ...], rounds: int, seed: str, apart: Apart) -> tuple[Draw, ...]:
    rng = Random(f"{seed} rotation")  # noqa: S311 - anybody may redraw it
    return draws(playing, rounds, rng, apart=apart)


class Base(NamedTuple):
    """A round of players 0 to n - 1; at a table a, b, c, d, a and b play against c and d."""

    tables: list[list[int]]
    sit_outs: list[int]


class Design(NamedTuple):
    """A rotation given by base rounds and an abelian group that moves them on.

    Attributes:
        group: the orders m0, m1 ... of its cyclic factors; element x is r0 + r1 * m0 + ...
        base: the base rounds. Player x is element x mod n of orbit x div n, where n is the size of
            the group; `FIXED` is the last player, whom no element moves.
        order: rounds in an order that keeps sit-outs within one of each other after every round.
            Shorter than the design where no longer order was found.
    """

    group: list[int]
    base: list[Base]
    order: list[int]

    @property
    def size(self) -> int:
        size = 1
        for factor in self.group:
            size *= factor
        return size

    def rounds(self) -> list[Base]:
        return [
            Base(
                [[self._move(player, by) for player in table] for table in base.tables],
                [self._move(player, by) for player in base.sit_outs],
            )
            for base in self.base
            for by in range(self.size)
        ]

    def fair_rounds(self) -> list[Base]:
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
    text = files("tournaments.formats.designs").joinpath("long.json").read_text("utf-8")
    found: dict[int, list[Base]] = {}
    for rounds, written in json.loads(text)["rotations"].get(str(players), {}).items():
        found[int(rounds)] = []
        for letters in written.split():  # the players of a round, four to a table
            seated = [ord(letter) - ord("a") for letter in letters]
            tables = [seated[at : at + TABLE] for at in range(0, len(seated), TABLE)]
            sitting = [player for player in range(players) if player not in seated]
            found[int(rounds)].append(Base(tables, sitting))
    return found


def design_for(players: int) -> Design | None:
    """Return the design for this many players, if there is one."""
    return designs("whist").get(players) or designs("near").get(players)


def draws(
    entrants: Sequence[int],
    rounds: int,
    rng: Random,
    history: Sequence[PlayedRound] = (),
    apart: Apart = NOBODY,
) -> tuple[Draw, ...]:
    """Draw all `rounds` rounds to come.

    If sit-outs were within one of each other before, they are so after every round. Pass `history`
    only when the players have changed; otherwise the rest of the original draw is better. Whom to
    keep apart decides who gets which number of the rotation; where that is not enough, a rotation
    is computed for it, which may repeat more. Raises ValueError for fewer than four entrants, one
    named twice, or too many rounds.
    """
    if len(entrants) < TABLE or len(set(entrants)) < len(entrants):
        raise ValueError(f"a rotation needs four players or more, each once: {list(entrants)}")
    if not 0 <= rounds + len(history) <= MANY // 2:
        raise ValueError(f"a rotation has 0 to {MANY // 2} rounds, not {rounds + len(history)}")
    numbered = rng.sample(entrants, len(entrants))
    bases = _computed(numbered, rounds, rng, history, apart) if history else None
    bases = bases or _kept(len(numbered), rounds, rng) or _best(numbered, rounds, rng)
    if apart.anybody and not history:
        numbered, bases = _kept_apart(numbered, bases, rng, apart)
    return tuple(_draw(base, numbered) for base in bases)


def _kept_apart(
    numbered: list[int], bases: list[Base], rng: Random, apart: Apart
) -> tuple[list[int], list[Base]]:
    """Return who has which number, and a rotation, so that few who are apart come together."""
    met = meetings(match for draw in _in_order(bases) for match in draw.pairings)
    dealt = apart.dealt(numbered, met, rng)
    left = apart.numbered(dealt).times(met)
    if left:
        computed = _computed(numbered, len(bases), rng, (), apart)
        met = meetings(match for draw in _in_order(computed) for match in draw.pairings)
        if apart.numbered(numbered).times(met) < left:
            return numbered, computed
    return dealt, bases


def _kept(players: int, rounds: int, rng: Random) -> list[Base] | None:
    """Return the rounds of a design or stored rotation that is long enough, if there is one."""
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
    """Return the repeated design or a computed rotation, whichever has fewer repeats."""
    players = len(numbered)
    design, found = design_for(players), None
    if design is not None:
        fair = design.fair_rounds()
        whole = len(fair) == design.size * len(design.base)
        # Repeat the design, unless its sit-outs would then be unfair.
        if rounds <= len(fair) or (whole and len(fair) * (players % TABLE) % players == 0):
            found = [fair[number % len(fair)] for number in range(rounds)]
    if found is not None and players % TABLE < 2:
        return found  # all meetings of a whist tournament are equal
    computed = _computed(numbered, rounds, rng, ())
    ways = [one for one in (found, computed) if one is not None]
    drawn = ([match for draw in _in_order(one) for match in draw.pairings] for one in ways)
    excess = [meetings(matches).excess() for matches in drawn]
    return ways[excess.index(min(excess))]


def _in_order(bases: Sequence[Base]) -> list[Draw]:
    """Return the rounds as draws in which each entrant is their number in the design."""
    everybody = range(len(bases[0].tables) * TABLE + len(bases[0].sit_outs)) if bases else ()
    return [_draw(base, everybody) for base in bases]


def _computed(
    numbered: Sequence[int],
    rounds: int,
    rng: Random,
    history: Sequence[PlayedRound],
    apart: Apart = NOBODY,
    *,
    mend: bool = True,
) -> list[Base]:
    number = {entrant: at for at, entrant in enumerate(numbered)}
    rotation = Rotation(len(numbered), rng)
    rotation.keep_apart(apart.numbered(numbered))
    rotation.remember(meetings(played(history)), number)
    sat = list(sat_out(numbered, history).values())
    out: list[list[int]] = []
    for round_ in range(len(history) + 1, len(history) + rounds + 1):
        # Fewest sit-outs first, then the longest ago, then by number.
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
