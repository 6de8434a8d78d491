"""The players of a table: what they are called, and where their seats are on the page."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from games.engine.seats import COMPASS
from games.lookalikes import skeleton_of
from games.people.names import called

#: Places on the page by a seat's distance to the left of the viewer's.
_PLACES: Final = {2: ("south", "north"), 4: ("south", "west", "north", "east")}


class Person(NamedTuple):
    """A seat and its player, the same for every viewer, so nobody is "you".

    `compass` is the seat's name at the table; `name` is the player's, or the seat's while it is
    empty; `short` is for sentences.
    """

    seat: int
    compass: str
    name: str
    short: str


class Cast(tuple[Person, ...]):
    """The players of a table, by position.

    ``cast_of`` returns the same object for the same names, so casts are compared by identity.
    """

    __slots__ = ()
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other


def initials(name: str) -> str:
    return "".join(word[0] for word in name.split()[:2]).upper()


@lru_cache(maxsize=4096)
def cast_of(names: tuple[str, ...]) -> Cast:
    compass = COMPASS[len(names)]
    wholes = [name or place for name, place in zip(names, compass, strict=True)]
    known_as = [called(whole) for whole in wholes]
    # What each may be mistaken for: the name used in sentences, and the first word on the plate.
    heard = [
        {skeleton_of(word), skeleton_of(whole.split()[0])}
        for word, whole in zip(known_as, wholes, strict=True)
    ]

    def short(seat: int) -> str:
        """Return one word, or as much of the name as nobody can mistake for another player."""
        whole, word = wholes[seat], known_as[seat]
        if wholes.count(whole) > 1 or word.lower() == "you":
            return f"{whole} ({compass[seat]})"
        if not any(skeleton_of(word) in heard[at] for at in range(len(names)) if at != seat):
            return word
        return f"{whole} ({compass[seat]})" if whole == word else whole

    return Cast(
        Person(seat, compass[seat], wholes[seat], short(seat)) for seat in range(len(names))
    )


def bottom_seat(viewer: int | None, players: int) -> int:
    """Return the seat at the bottom of a viewer's page; South for a spectator (None)."""
    return viewer if viewer is not None else players // 2


def place_of(seat: int, viewer: int | None, players: int) -> str:
    return _PLACES[players][(seat - bottom_seat(viewer, players)) % players]
