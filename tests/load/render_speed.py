"""How long a table's pictures take: ``python -m tests.load.render_speed``.

Plays random games in every rule set and draws each moment for every seat and a spectator. For
each rule set it prints, per event:

* ``draw``: what everybody sees, and the own values of all seats;
* ``+ watch``: the same with a spectator, and the frames to all of them;
* ``uncached``: the same as ``draw`` with nothing kept from before, on a sample of the events;
* ``bytes``: the size of a frame to one browser, median and largest.

Each game has players with names of their own, so that nothing is kept from another table's game
but what every table shares.
"""

from __future__ import annotations

import os
import random
import statistics
from collections.abc import Iterator, Mapping
from time import process_time
from typing import Final, NamedTuple

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

from games.engine.game import Game
from games.engine.observation import Observation
from games.engine.rules import RULE_SETS, RuleSet
from games.engine.shuffle import shuffled
from games.picture import cast, log
from games.picture.frames import OwnPicture, TablePicture
from games.picture.scene import PERSON, Scene, SeatView, View, Viewer

GAMES: Final = 25
SAMPLE_EVERY: Final = 40
CAST: Final = {4: ("Ben", "Jonah", "Maeve", "Iris"), 2: ("Ben", "Maeve")}


class Figures(NamedTuple):
    """Microseconds per event, and the bytes of each frame."""

    draw: list[float]
    frames: list[float]
    uncached: list[float]
    sizes: list[int]


def moments(rules: RuleSet, seed: int) -> Iterator[Game]:
    """Every moment of a random game."""
    chance = random.Random(seed)
    mixed = seed.to_bytes(32, "big")
    game = Game(rules, 0, lambda deal: shuffled(rules, bytes(32), mixed, deal)[0])
    yield game
    while not game.standing.over:
        game.push(chance.choice(game.legal_actions()))
        yield game


def views(game: Game, table_id: int) -> list[View]:
    """What each seat and a spectator are shown."""
    players = game.rules.players
    seats = tuple(SeatView(f"{name} of table {table_id}", PERSON) for name in CAST[players])
    state = "finished" if game.standing.over else "playing"
    scene = Scene(table_id, game.rules, state, True, seats, "0" * 36, 1, game.version, game.records)
    viewers: list[int | None] = [*range(players), None]
    return [View(scene, Viewer(seat), game.observe(seat)) for seat in viewers]


def measure(rules: RuleSet) -> Figures:
    """Draws every moment of some games."""
    figures = Figures([], [], [], [])
    for number in range(GAMES):
        table, owned = TablePicture(), list[Mapping[str, object]]()
        for moment, game in enumerate(moments(rules, number)):
            shown = views(game, number + 1)
            if moment % SAMPLE_EVERY == SAMPLE_EVERY - 1:
                figures.uncached.append(_time_uncached(shown[:-1]))
            owned = _draw(figures, shown, table, owned)
    return figures


def _draw(
    figures: Figures, shown: list[View], table: TablePicture, owned: list[Mapping[str, object]]
) -> list[Mapping[str, object]]:
    """One event: finds the values of all and each viewer's own values, and makes their frames."""
    start, at = process_time(), table.number
    table.show(shown[0].scene, _public(shown[0]))
    pictures: list[OwnPicture] = [_shown(table, view) for view in shown[:-1]]
    drawn = process_time()
    pictures.append(_shown(table, shown[-1]))
    if owned:
        sent = [
            text
            for picture, had in zip(pictures, owned, strict=True)
            for text in picture.frames(at, had)
        ]
        figures.frames.append((process_time() - start) * 1e6)
        figures.draw.append((drawn - start) * 1e6)
        figures.sizes.extend(len(text) for text in sent)
    return [picture.own for picture in pictures]


def _time_uncached(shown: list[View]) -> float:
    for kept in (cast.cast_of, log.line, log._trick_lines):
        kept.cache_clear()
    table = TablePicture()
    start = process_time()
    table.show(shown[0].scene, _public(shown[0]))
    for view in shown:
        _shown(table, view)
    return (process_time() - start) * 1e6


def _shown(table: TablePicture, view: View) -> OwnPicture:
    picture = table.of(view.viewer)
    picture.show(view)
    return picture


def _public(view: View) -> Observation | None:
    return view.observation.public if view.observation is not None else None


def main() -> None:
    """Prints the table of figures."""
    print(f"{'rule set':18}{'events':>8}{'draw':>10}{'+ watch':>10}{'p99':>8}", end="")
    print(f"{'uncached':>10}{'bytes':>8}{'largest':>9}")
    for rules in RULE_SETS.values():
        one = measure(rules)
        middle = statistics.median
        print(
            f"{rules.key:18}{len(one.draw):8}{middle(one.draw):7.0f} µs{middle(one.frames):7.0f} µs"
            f"{statistics.quantiles(one.frames, n=100)[98]:8.0f}"
            f"{middle(one.uncached):7.0f} µs{middle(one.sizes):8.0f}{max(one.sizes):9}"
        )


if __name__ == "__main__":
    main()
