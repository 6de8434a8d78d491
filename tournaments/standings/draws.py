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
from typing import NamedTuple

from tournaments.formats import bracket, stages
from tournaments.formats.base import Stage
from tournaments.formats.bracket import BracketPart, Node
from tournaments.formats.draw import Draw, PlayedRound
from tournaments.models import Entry, Event
from tournaments.results.event_rows import still_in


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


def fillers_needed(event: Event, entries: Sequence[Entry]) -> int:
    """Return how many entries of house players fill the tables of the next round.

    The rounds of a round robin are drawn for all who started, whoever leaves.
    """
    if event.sit_out != Event.SitOut.HOUSE or event.is_knock_out:
        return 0
    fixed = event.first_stage.fixed_pairings
    playing = entries if fixed else in_the_draw(event, still_in(entries))
    return -len(playing) % event.first_stage.table_size


def surplus_at_start(event: Event, entries: Sequence[Entry]) -> list[Entry]:
    """Return the house entries that step aside before the first draw, so that nobody sits out.

    In a knock-out house entries are seeded last.
    """
    house = [entry for entry in entries if entry.house]
    people = len(entries) - len(house)
    if not people:
        return []
    if event.is_knock_out and event.knock_out is not None:
        stay = len(house)
        while event.knock_out.idles_a_person([False] * people + [True] * stay):
            stay -= 1
        return house[stay:]
    aside = min(len(house), len(entries) % event.first_stage.table_size)
    return house[len(house) - aside :]


def in_the_draw(event: Event, entries: Sequence[Entry]) -> list[Entry]:
    """Return who is drawn of those who play on; the last house entries are left out first.

    The rounds of a round robin are drawn for all who started.
    """
    if event.first_stage.fixed_pairings:
        return list(entries)
    aside = {entry.pk for entry in surplus_at_start(event, entries)}
    return [entry for entry in entries if entry.pk not in aside]


def next_draw(field: EventField) -> Draw:
    """Return the next round's draw; one without matches says that the stage is over.

    The first stage is over after its last round.
    """
    event = field.event
    if event.is_knock_out or first_stage_over(field):
        return bracket.draw(nodes(field)) if event.is_knock_out else Draw(())
    total = event.round_count(len(field.entries)) or 0
    return event.first_stage.draw(_stage(field, total))


def first_stage_over(field: EventField) -> bool:
    """Return whether the first stage has had its last round; a knock-out alone has none."""
    total = field.event.round_count(len(field.entries)) or 0
    return bool(field.second) or len(field.first) >= total


def cut_to_possible(field: EventField) -> int | None:
    """Return after how many rounds the first stage has to end; None: after all that were set."""
    event = field.event
    wanted = event.first_stage.wanted_rounds(event, len(field.entries))
    if wanted is None:
        return None
    possible = event.first_stage.playable_rounds(_stage(field, wanted))
    return possible if possible < wanted else None


def _stage(field: EventField, rounds: int) -> Stage:
    """Return the first stage as its format draws it, to have so many rounds in all."""
    event = field.event
    playing = in_the_draw(event, still_in(field.entries))
    fillers = field.fillers[: fillers_needed(event, field.entries)]
    return Stage(
        settings=event,
        seed=event.seed,
        starters=[*field.starters, *(entry.pk for entry in field.fillers)],
        playing=[entry.pk for entry in (*playing, *fillers)],
        history=field.first,
        left=rounds - len(field.first),
    )


def second_draw(field: EventField, best: Sequence[int]) -> Draw:
    """Return the next round of the knock-out after a first stage.

    best: the qualified entries, the best first.
    """
    drawn = bracket.draw(nodes(field, best))
    return stages.for_sides(drawn, sides_of(field.event, best))


def sides_of(event: Event, best: Sequence[int]) -> dict[int, tuple[int, ...]]:
    """Return the sides of the knock-out after a first stage, by the entry that stands for each."""
    individuals = event.individual and event.rules.players == event.first_stage.table_size
    return stages.sides_of(best, individuals=individuals)


def nodes(field: EventField, best: Sequence[int] = ()) -> list[Node]:
    """Return the bracket of the event's knock-out as far as it is played; empty if there is none.

    best: the qualified entries, the best first, where a first stage was played.
    """
    event = field.event
    seeds = field.starters if event.is_knock_out else list(best)
    if best and not event.is_knock_out:
        seeds = list(sides_of(event, best))
    if event.knock_out is None or len(seeds) < 2:
        return []
    return event.knock_out.nodes(seeds, field.second, third_place=event.third_place)


def finals(nodes: Sequence[Node]) -> set[tuple[int | None, int | None]]:
    """Return the sides of the matches that decide the event."""
    return {
        node.sides for node in nodes if node.spot.part in (BracketPart.FINAL, BracketPart.RESET)
    }
