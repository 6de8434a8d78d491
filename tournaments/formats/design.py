"""Reads the tables of perfect rotations and turns their base rounds into all rounds."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Final, NamedTuple

FIXED: Final = -1


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
        return [self._moved(base, by) for base in self.base for by in range(self.size)]

    def fair_rounds(self) -> list[Base]:
        """The rounds of the fair order."""
        rounds = self.rounds()
        return [rounds[number] for number in self.order]

    def _moved(self, base: Base, by: int) -> Base:
        return Base(
            [[self._move(player, by) for player in table] for table in base.tables],
            [self._move(player, by) for player in base.sit_outs],
        )

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
    found = json.loads(text)["rotations"].get(str(players), {})
    return {
        int(rounds): [_written(seats, players) for seats in written.split()]
        for rounds, written in found.items()
    }


def _written(seats: str, players: int) -> Base:
    """A round from the letters of those who play, four to a table."""
    seated = [ord(letter) - ord("a") for letter in seats]
    tables = [seated[at : at + 4] for at in range(0, len(seated), 4)]
    return Base(tables, [player for player in range(players) if player not in seated])


def design_for(players: int) -> Design | None:
    """The design for so many players, if there is one."""
    return designs("whist").get(players) or designs("near").get(players)
