"""Functions for worker processes to call."""

import time


def double(number: int) -> int:
    return 2 * number


def never_done(*_arguments: object) -> None:
    while True:
        time.monotonic()
