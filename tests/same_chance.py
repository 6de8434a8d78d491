"""Random numbers seeded with the name of the test: deals, house players, places by lot.

Otherwise a test that fails for some deals would fail in a few runs only, and could not be repeated.
Thorough runs do not seed them, to find such deals.

``python -m tests.same_chance quickstart ...`` runs ``manage.py`` with them. The file that
``BOWER_CHANCE`` names holds the name of the test.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from random import Random
from uuid import UUID


def use(chance: Random, put: Callable[[object, str, object], None] = setattr) -> None:
    """Make this process draw its random numbers from `chance`; `put` sets an attribute."""
    from games.live import pace, thinking
    from games.quick import queue, rated_tables
    from games.shuffle import secret_box

    def draw() -> tuple[UUID, bytes]:
        return UUID(int=chance.getrandbits(128)), chance.randbytes(32)

    put(secret_box, "draw", draw)
    for module in (pace, queue, rated_tables, thinking):
        put(module, "_chance", chance)


class ChanceOfTest(Random):
    """Random numbers that are seeded again when the name of the test in a file changes."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.file = file
        self.test: str | None = None

    def random(self) -> float:
        self._begin()
        return super().random()

    def getrandbits(self, k: int, /) -> int:
        self._begin()
        return super().getrandbits(k)

    def _begin(self) -> None:
        test = self.file.read_text()
        if test != self.test:
            self.test = test
            self.seed(test)


def main() -> None:
    """Run a management command with seeded random numbers."""
    import django
    from django.core import management

    import manage

    run = management.execute_from_command_line

    def with_chance(argv: list[str] | None = None) -> None:
        django.setup()
        use(ChanceOfTest(Path(os.environ["BOWER_CHANCE"])))
        run(argv)

    management.execute_from_command_line = with_chance
    manage.main()


if __name__ == "__main__":
    main()
