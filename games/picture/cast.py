"""The players of a table, as all who watch it call them, and where they stand on a page."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from games.engine.seats import COMPASS
from games.lookalikes import skeleton_of
from games.people.names import called

#: Where a seat stands on the page, by its distance to the left of whoever sits at the bottom.
_PLACES: Final = {2: ("south", "north"), 4: ("south", "west", "north", "east")}


class Person(NamedTuple):
    """A seat and who has it; the same to everybody, so nobody is "you".

    Attributes:
        seat: its position.
        compass: its name at the table, which does not turn with the page.
        name: the player's name, or the seat's while it is empty.
        short: what they are called in a sentence.
    """

    seat: int
    compass: str
    name: str
    short: str


class Cast(tuple[Person, ...]):
    """Everybody at a table, by position.

    ``cast_of`` gives the same object again for the same people, so that two casts are alike
    only if they are one.
    """

    __slots__ = ()
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other


def initials(name: str) -> str:
    """Return the first letters of the first two words: "Quiet Heron" gives "QH"."""
    return "".join(word[0] for word in name.split()[:2]).upper()


@lru_cache(maxsize=4096)
def cast_of(names: tuple[str, ...]) -> Cast:
    """Everybody at a table.

    Args:
        names: the players' names by position, empty for an empty seat.
    """
    compass = COMPASS[len(names)]
    wholes = [name or place for name, place in zip(names, compass, strict=True)]
    known_as = [called(whole) for whole in wholes]
    # What others are called, and the first words of their names, which are read on their plates.
    heard = [
        {skeleton_of(word), skeleton_of(whole.split()[0])}
        for word, whole in zip(known_as, wholes, strict=True)
    ]

    def short(seat: int) -> str:
        """One word, or as much of the name as tells them from the others and the reader."""
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
    """The seat at the bottom of a viewer's page; a spectator (None) sees south there."""
    return viewer if viewer is not None else players // 2


def place_of(seat: int, viewer: int | None, players: int) -> str:
    """Where a seat stands on a viewer's page: south, west, north or east."""
    return _PLACES[players][(seat - bottom_seat(viewer, players)) % players]
