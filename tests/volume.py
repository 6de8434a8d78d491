"""How much is tried: plainly, in CI and thoroughly. Every number of tries in the tests asks here.

A plain run is for whoever works on the code and waits for it: a little of everything. CI, which may
take twelve minutes on two cores, plays hundreds of games, tries each way of breaking a running site
once, and brings the tests marked ``slow``. ``BOWER_THOROUGH=1`` is for a night: everything in full,
and the tests marked ``thorough`` too.
"""

import os
from typing import Final, TypeVar

T = TypeVar("T")

THOROUGH: Final = bool(os.environ.get("BOWER_THOROUGH"))
#: Whether this run is not a plain one.
IN_CI: Final = THOROUGH or os.environ.get("CI") == "true"


def volume(plain: T, ci: T, thorough: T | None = None) -> T:
    """What this run tries of the three; thoroughly as in CI unless it is said."""
    if THOROUGH and thorough is not None:
        return thorough
    return ci if IN_CI else plain


def scaled(number: int) -> int:
    """So many tries in CI, a tenth plainly and twenty times as many thoroughly."""
    return volume(max(1, number // 10), number, 20 * number)


#: Sizes of fields: all small ones and those about the powers of two; thoroughly all.
SIZES: Final = volume(
    (*range(4, 18), 31, 32, 33, 64, 127, 256),
    (*range(4, 42), 63, 64, 65, 66, 127, 128, 129, 254, 255, 256),
    range(4, 257),
)
