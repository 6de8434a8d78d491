"""A process that chooses actions for strong house players: ``python -m games.bots.worker``.

It reads pickled requests (level, observation, seed, number of worlds) from its standard input and
answers each with a line, the text of the action. It ends with its input, so it never outlives the
process that started it. It imports the engine and the house players, nothing of the site, and it
is given no keys.
"""

from __future__ import annotations

import os
import pickle
import sys
from random import Random
from typing import IO, Final

from games.bots.levels import choose

#: How far the worker stands back for the process that serves pages.
NICENESS: Final = 5


def serve(requests: IO[bytes], answers: IO[bytes]) -> None:
    while True:
        try:
            # Only the process that started this one can write here.
            level, observation, seed, worlds = pickle.load(requests)  # noqa: S301
        except EOFError:
            return
        action = choose(level, observation, Random(seed), worlds)  # noqa: S311
        answers.write(f"{action}\n".encode())
        answers.flush()


if __name__ == "__main__":
    os.nice(NICENESS)
    serve(sys.stdin.buffer, sys.stdout.buffer)
