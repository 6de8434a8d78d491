"""House players among people: they fill up, and step aside where they are one too many.

No person sits out of a round in which two house entries play each other:

- where tables are filled, as many house entries step aside as people would sit out for;
- of a single elimination, also as a second stage, the last house entries step aside until its
  first round has no match of two of them beside a person's bye; later rounds have no byes;
- of a double elimination, also as a second stage, all but one: who waits there for whom, and who
  meets whom, follows from the results, and nothing less makes it impossible.

Among house players alone nothing of this holds: they play an event of their own.
"""

from collections.abc import Sequence

from tournaments.formats.bracket import places_for
from tournaments.models import Entry, Event

TABLE = 4


def surplus_at_start(event: Event, entries: Sequence[Entry]) -> list[Entry]:
    """Return the house entries that step aside before the first draw, so that nobody sits out.

    In a knock-out house entries are seeded last.
    """
    house = [entry for entry in entries if entry.house]
    people = len(entries) - len(house)
    if not people:
        return []
    if event.is_knock_out:
        stay = len(house)
        while a_bye_too_many(event.format, [False] * people + [True] * stay):
            stay -= 1
        return house[stay:]
    aside = min(len(house), len(entries) % (TABLE if event.individual else 2))
    return house[len(house) - aside :]


def a_bye_too_many(knock_out: str, sides: Sequence[bool]) -> bool:
    """Return whether a person could have a bye, or wait, while two sides of house players meet.

    Args:
        knock_out: its format.
        sides: for each side in seeding order whether only house players are on it.
    """
    if all(sides):
        return False
    if knock_out == Event.Format.DOUBLE:
        return sum(sides) > 1
    byes = places_for(len(sides)) - len(sides)
    first_round = sides[byes:]
    # The best of them meets the last, the second the last but one, and so on.
    meet = any(one and other for one, other in zip(first_round, reversed(first_round), strict=True))
    return meet and not all(sides[:byes])


def in_the_draw(event: Event, entries: Sequence[Entry]) -> list[Entry]:
    """Return who is drawn of those who play on; the last house entries are left out first.

    The rounds of a round robin are drawn for all who started.
    """
    if event.format == Event.Format.ROUND_ROBIN:
        return list(entries)
    aside = {entry.pk for entry in surplus_at_start(event, entries)}
    return [entry for entry in entries if entry.pk not in aside]
