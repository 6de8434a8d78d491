"""The players of a table as its viewers see them: who is "you", who stands where."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from games.engine.seats import COMPASS
from games.picture import wording

#: Where a seat stands on the page, by its distance to the viewer's left.
_PLACES: Final = {2: ("south", "north"), 4: ("south", "west", "north", "east")}


class Person(NamedTuple):
    """A seat as one viewer sees it.

    Attributes:
        seat: its position.
        at: where it stands on his page: south, west, north or east.
        compass: its name at the table, which does not turn with the page.
        name: the player's name, or the seat's while it is empty.
        short: what he is called in a sentence.
        you: whether it is the viewer.
        ours: whether it plays for the viewer's side; north and south do for a spectator.
        partner: whether it is the viewer's partner.
    """

    seat: int
    at: str
    compass: str
    name: str
    short: str
    you: bool
    ours: bool
    partner: bool

    def told(self, yours: str, theirs: str) -> str:
        """What its player reads, or what all others read of it."""
        return yours if self.you else theirs

    def for_us(self, us: str, them: str) -> str:
        """What those read for whom it plays, or what the others read."""
        return us if self.ours else them

    @property
    def subject(self) -> str:
        """Who does something: "You" or "Iris"."""
        return self.told("You", self.short)

    @property
    def lower(self) -> str:
        """The same inside a sentence: "you" or "Iris"."""
        return self.told("you", self.short)

    @property
    def own(self) -> str:
        """Whose: "your" or "Iris’s"."""
        return self.told("your", f"{self.short}’s")

    def does(self, yours: str, theirs: str) -> str:
        """A sentence's beginning, with the verb as it is used of you and of others."""
        return self.told(f"You {yours}", f"{self.short} {theirs}")


class Anybody(Person):
    """A seat for all viewers at once: what is said of it holds both wordings.

    Of the attributes only ``seat``, ``compass``, ``name`` and ``short`` are the same to everybody.
    """

    __slots__ = ()

    def told(self, yours: str, theirs: str) -> str:
        """What its player reads, and what all others read of it."""
        return wording.either(1 << self.seat, yours, theirs)

    def for_us(self, us: str, them: str) -> str:
        """What those read for whom it plays, and what the others read."""
        side = 0b0101 << self.seat % 2
        return wording.either(side | wording.WATCHING if self.ours else side, us, them)


class Cast(tuple[Person, ...]):
    """Everybody at a table as one viewer sees them, by position.

    ``cast_of`` gives the same object again for the same people, so that two casts are alike
    only if they are one; what is kept for a cast is then found at once.
    """

    __slots__ = ()
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other


class Company(NamedTuple):
    """Everybody at a table as all its viewers see them.

    Attributes:
        told: by position, with both wordings in what is said of each.
        casts: as the viewer in each seat sees them, in order, and then as a spectator does.
    """

    told: Cast
    casts: tuple[Cast, ...]

    def cast(self, seat: int | None) -> Cast:
        """Everybody as one viewer sees them; None for a spectator."""
        return self.casts[-1 if seat is None else seat]


def initials(name: str) -> str:
    """Return the first letters of the first two words: "Quiet Heron" gives "QH"."""
    return "".join(word[0] for word in name.split()[:2]).upper()


@lru_cache(maxsize=4096)
def cast_of(names: tuple[str, ...], viewer: int | None) -> Cast:
    """Everybody at a table as one viewer sees them.

    Args:
        names: the players' names by position, empty for an empty seat.
        viewer: his position; None for a spectator, who sees south at the bottom.
    """
    count = len(names)
    bottom = viewer if viewer is not None else count // 2
    compass = COMPASS[count]
    names = tuple([wording.plain(name) for name in names])
    shorts = _short_names(names, compass)
    return Cast(
        Person(
            seat=seat,
            at=_PLACES[count][(seat - bottom) % count],
            compass=compass[seat],
            name=names[seat] or compass[seat],
            short=shorts[seat],
            you=seat == viewer,
            ours=seat % 2 == bottom % 2,
            partner=viewer is not None and seat != viewer and seat % 2 == viewer % 2,
        )
        for seat in range(count)
    )


@lru_cache(maxsize=4096)
def company_of(names: tuple[str, ...]) -> Company:
    """Everybody at a table as all its viewers see them.

    Args:
        names: the players' names by position, empty for an empty seat.
    """
    casts = tuple([cast_of(names, seat) for seat in (*range(len(names)), None)])
    return Company(Cast(Anybody(*person) for person in casts[-1]), casts)


def _short_names(names: tuple[str, ...], compass: tuple[str, ...]) -> list[str]:
    """First words; whole names where two are alike, with the seat where even those are."""
    wholes = [name or place for name, place in zip(names, compass, strict=True)]
    firsts = [whole.split()[0] for whole in wholes]
    shorts = []
    for first, whole, place in zip(firsts, wholes, compass, strict=True):
        if wholes.count(whole) > 1 or first.lower() == "you":
            shorts.append(f"{whole} ({place})")
        else:
            shorts.append(first if firsts.count(first) == 1 else whole)
    return shorts
