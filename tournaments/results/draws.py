"""What an event draws next: its format, given what has been played and the event's seed.

Everything here can be computed again from the rows and gives the same; nothing is written.

House players among people fill up, and step aside where they are one too many. No person sits out
of a round in which two house entries play each other:

- where tables are filled, as many house entries step aside as people would sit out for;
- of a single elimination, also as a second stage, the last house entries step aside until its
  first round has no match of two of them beside a person's bye; later rounds have no byes;
- of a double elimination, also as a second stage, all but one: who waits there for whom, and who
  meets whom, follows from the results, and nothing less makes it impossible.

Among house players alone nothing of this holds: they play an event of their own.
"""

from collections.abc import Sequence
from math import ceil, log2
from random import Random
from typing import NamedTuple

from tournaments.formats import (
    bracket,
    double_elimination,
    progressive,
    rotation,
    round_robin,
    single_elimination,
    stages,
    swiss,
)
from tournaments.formats.bracket import BracketPart, Node, places_for
from tournaments.formats.draw import Draw, PlayedRound
from tournaments.models import Entry, Event
from tournaments.results.event_rows import still_in

TABLE = 4


class EventField(NamedTuple):
    """An event's entries and what they have played.

    Attributes:
        event: the event.
        entries: all who started, in seeding order.
        fillers: entries of house players, as many as there are, that fill tables.
        first: the rounds of the first stage.
        second: the rounds of the knock-out after it, or of the only stage if that is a knock-out.
    """

    event: Event
    entries: Sequence[Entry]
    fillers: Sequence[Entry]
    first: Sequence[PlayedRound]
    second: Sequence[PlayedRound]

    @property
    def starters(self) -> list[int]:
        """Everybody who started, by number."""
        return [entry.pk for entry in self.entries]


def round_count(event: Event, entries: int) -> int | None:
    """Return how many rounds the first stage has with so many entries; None for a knock-out.

    They are as many as were set, or fewer where those who are left cannot play so many.
    """
    wanted = wanted_rounds(event, entries)
    if wanted is None:
        return None
    possible = wanted if event.cut_to is None else event.cut_to
    if event.format == Event.Format.SWISS:
        possible = min(possible, entries - 1 + entries % 2)
    return min(wanted, possible)


def wanted_rounds(event: Event, entries: int) -> int | None:
    """Return how many rounds the first stage is to have if nobody leaves; None for a knock-out."""
    even = entries + entries % 2
    match event.format:
        case Event.Format.SINGLE | Event.Format.DOUBLE:
            return None
        case Event.Format.ROUND_ROBIN:
            return (even - 1) * event.cycles
        case Event.Format.SWISS:
            return event.rounds or min(ceil(log2(max(entries, 2))) + 1, even - 1)
        case _:
            return event.rounds or min(8, entries - 1)


def knock_out(event: Event) -> str:
    """Return the format of the event's knock-out stage, or an empty text if it has none."""
    return event.format if event.is_knock_out else event.second_stage


def fillers_needed(event: Event, entries: Sequence[Entry]) -> int:
    """Return how many entries of house players fill the tables of the next round.

    The rounds of a round robin are drawn for all who started, whoever leaves.
    """
    if event.sit_out != Event.SitOut.HOUSE or event.is_knock_out:
        return 0
    by_all = event.format == Event.Format.ROUND_ROBIN
    playing = entries if by_all else in_the_draw(event, still_in(entries))
    return -len(playing) % (TABLE if event.individual else 2)


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


def next_draw(field: EventField) -> Draw:
    """Return the next round's draw; one without matches says that the stage is over.

    The first stage is over after its last round.
    """
    event, history = field.event, field.first
    if event.is_knock_out or first_stage_over(field):
        return bracket.draw(nodes(field)) if event.is_knock_out else Draw(())
    number, playing = len(history), _playing(field)
    left = (round_count(event, len(field.entries)) or 0) - number
    rng = Random(f"{event.seed} round {number + 1}")  # noqa: S311 - to be drawn again by anybody
    match event.format:
        case Event.Format.ROUND_ROBIN:
            everybody = [*field.starters, *(entry.pk for entry in field.fillers)]
            return round_robin.draws(everybody, event.cycles)[number]
        case Event.Format.ROTATION:
            # All rounds are drawn at the start, and anew once somebody has left.
            if all(past.present == set(playing) for past in history):
                whole = Random(f"{event.seed} rotation")  # noqa: S311
                return rotation.draws(playing, number + left, whole)[number]
            return rotation.draws(playing, left, rng, history)[0]
        case Event.Format.PROGRESSIVE:
            return progressive.pair(playing, history, rng, progressive.Movement(event.movement))
    return swiss.pair(playing, history, rng, left - 1)


def first_stage_over(field: EventField) -> bool:
    """Return whether the first stage has had its last round; a knock-out alone has none."""
    total = round_count(field.event, len(field.entries)) or 0
    return bool(field.second) or len(field.first) >= total


def rounds_possible(field: EventField) -> int:
    """Return after how many rounds the first stage ends, as those can play on who are left."""
    event, number = field.event, len(field.first)
    total = wanted_rounds(event, len(field.entries)) or 0
    playing = _playing(field)
    if event.format == Event.Format.SWISS:
        return number + swiss.rounds_left(playing, field.first, max(0, total - number))
    if event.individual and len(playing) < TABLE:
        return number
    return total


def cut_to_possible(field: EventField) -> int | None:
    """Return after how many rounds the first stage has to end; None: after all that were set."""
    wanted = wanted_rounds(field.event, len(field.entries))
    if wanted is None:
        return None
    possible = rounds_possible(field)
    return possible if possible < wanted else None


def _playing(field: EventField) -> list[int]:
    """Who is drawn in the next round of a first stage, by number: the seeds, then the fillers."""
    playing = [entry.pk for entry in in_the_draw(field.event, still_in(field.entries))]
    fillers = field.fillers[: fillers_needed(field.event, field.entries)]
    return playing + [entry.pk for entry in fillers]


def second_draw(field: EventField, best: Sequence[int]) -> Draw:
    """Return the next round of the knock-out after a first stage.

    best: the qualified entries, the best first.
    """
    drawn = bracket.draw(nodes(field, best))
    return stages.for_sides(drawn, sides_of(field.event, best))


def sides_of(event: Event, best: Sequence[int]) -> dict[int, tuple[int, ...]]:
    """Return the sides of the knock-out after a first stage, by the entry that stands for each."""
    individuals = event.individual and event.rules.players == TABLE
    return stages.sides_of(best, individuals=individuals)


def nodes(field: EventField, best: Sequence[int] = ()) -> list[Node]:
    """Return the bracket of the event's knock-out as far as it is played; empty if there is none.

    best: the qualified entries, the best first, where a first stage was played.
    """
    event = field.event
    seeds = field.starters if event.is_knock_out else list(best)
    if best and not event.is_knock_out:
        seeds = list(sides_of(event, best))
    which = knock_out(event)
    if not which or len(seeds) < 2:
        return []
    if which == Event.Format.DOUBLE:
        return double_elimination.nodes(seeds, field.second)
    return single_elimination.nodes(seeds, field.second, third_place=event.third_place)


def finals(nodes: Sequence[Node]) -> set[tuple[int | None, int | None]]:
    """Return the sides of the matches that decide the event."""
    return {
        node.sides for node in nodes if node.spot.part in (BracketPart.FINAL, BracketPart.RESET)
    }
