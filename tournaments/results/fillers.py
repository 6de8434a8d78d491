"""House players among people: they fill up, and step aside where they are one too many.

Among house players alone nothing of this holds: they play an event of their own.
"""

from collections.abc import Sequence

from tournaments.formats.bracket import places_for
from tournaments.models import Entry, Event

TABLE = 4


def surplus_at_start(event: Event, entries: Sequence[Entry]) -> list[Entry]:
    """Return the house entries that step aside before the first draw, so that nobody sits out.

    In a knock-out that is all above half a bracket if the people fill no more than this half:
    only then could two house entries meet while somebody has a bye.
    """
    house = [entry for entry in entries if entry.house]
    people = len(entries) - len(house)
    if not people:
        return []
    if event.format in (Event.Format.SINGLE, Event.Format.DOUBLE):
        half = places_for(len(entries)) // 2
        aside = len(entries) - half if people < half < len(entries) < 2 * half else 0
    else:
        aside = min(len(house), len(entries) % (TABLE if event.individual else 2))
    return house[len(house) - aside :]


def in_the_draw(event: Event, entries: Sequence[Entry]) -> list[Entry]:
    """Return who is drawn of those who play on; the last house entries are left out first.

    The rounds of a round robin are drawn for all who started.
    """
    if event.format == Event.Format.ROUND_ROBIN:
        return list(entries)
    aside = {entry.pk for entry in surplus_at_start(event, entries)}
    return [entry for entry in entries if entry.pk not in aside]
