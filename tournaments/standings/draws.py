"""The next draw of an event, from its format, the results so far and the event's seed.

The same rows always give the same draw, and nothing is written.

House players who play among people fill up tables, and step aside where they are too many. No
person sits out of a round in which two house entries play each other:

- where tables are filled, as many house entries step aside as would make people sit out;
- in a single elimination, also as a second stage, the last house entries step aside until its first
  round has no match of two of them while a person has a bye; later rounds have no byes;
- in a double elimination, also as a second stage, all but one step aside: who waits for whom
  depends on the results, so nothing less rules it out.

If only house players take part, none of this applies.
"""

from collections.abc import Sequence
from typing import NamedTuple

from tournaments.formats import bracket, stages
from tournaments.formats.apart import Apart, Pair
from tournaments.formats.base import Stage
from tournaments.formats.bracket import BracketPart, Node, Swap
from tournaments.formats.draw import Draw, PlayedMatch, PlayedRound
from tournaments.models import Entry, Event, KeptApart
from tournaments.results.event_rows import still_in


class EventField(NamedTuple):
    """The entries of an event, in seeding order, and the rounds played.

    `second` are the rounds of the knock-out after the first stage, or of the only stage if that is
    one.
    """

    event: Event
    entries: Sequence[Entry]
    fillers: Sequence[Entry]
    first: Sequence[PlayedRound]
    second: Sequence[PlayedRound]

    @property
    def starters(self) -> list[int]:
        return [entry.pk for entry in self.entries]


def fillers_needed(event: Event, entries: Sequence[Entry]) -> int:
    """Return how many house entries have to fill tables in the next round."""
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
        while event.knock_out.may_idle_a_person([False] * people + [True] * stay):
            stay -= 1
        return house[stay:]
    aside = min(len(house), len(entries) % event.first_stage.table_size)
    return house[len(house) - aside :]


def in_the_draw(event: Event, entries: Sequence[Entry]) -> list[Entry]:
    """Return the entries to be drawn, without house entries that step aside."""
    if event.first_stage.fixed_pairings:
        return list(entries)
    aside = {entry.pk for entry in surplus_at_start(event, entries)}
    return [entry for entry in entries if entry.pk not in aside]


def next_draw(field: EventField, apart: Apart) -> Draw:
    """Return the draw of the next round; one without matches means that the stage is over.

    apart: the entries to keep apart, `apart_in` the event.
    """
    event = field.event
    if event.is_knock_out or first_stage_over(field):
        return bracket.draw(nodes(field)) if event.is_knock_out else Draw(())
    total = event.round_count(len(field.entries)) or 0
    return event.first_stage.draw(_stage(field, total)._replace(apart=apart))


def apart_in(event: Event) -> Apart:
    """Return the entries that the draws of an event keep apart."""
    if not event.first_stage.keeps_apart:
        return Apart()
    pairs: dict[str, list[Pair]] = {kind: [] for kind in KeptApart.Kind.values}
    for one, other, kind in event.kept_apart.values_list("one", "other", "kind"):
        pairs[kind].append((one, other))
    return Apart(frozenset(pairs[KeptApart.Kind.PARTNERS]), frozenset(pairs[KeptApart.Kind.TABLES]))


def rounds_to_come(field: EventField, drawn: Draw) -> list[Draw]:
    """Return the draws after a round of the first stage, if they are known and nobody leaves."""
    format_, past, found = field.event.first_stage, list(field.first), list[Draw]()
    total = field.event.round_count(len(field.entries)) or 0
    while format_.rounds_known(field.event) and len(past) + 1 < total:
        past.append(
            PlayedRound(tuple(PlayedMatch(one, 0) for one in drawn.pairings), drawn.sit_outs)
        )
        drawn = format_.draw(_stage(field._replace(first=past), total))
        found.append(drawn)
    return found


def first_stage_over(field: EventField) -> bool:
    """Return whether the first stage has had its last round; a knock-out alone has none."""
    total = field.event.round_count(len(field.entries)) or 0
    return bool(field.second) or len(field.first) >= total


def cut_to_possible(field: EventField) -> int | None:
    """Return after how many rounds the first stage has to end early, or None."""
    event = field.event
    wanted = event.first_stage.wanted_rounds(event, len(field.entries))
    if wanted is None:
        return None
    possible = event.first_stage.playable_rounds(_stage(field, wanted))
    return possible if possible < wanted else None


def _stage(field: EventField, rounds: int) -> Stage:
    """Return the first stage as its format draws it, with this many rounds in total."""
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
        head_starts={
            entry.pk: event.late_half_wins * min(entry.first_round - 1, len(field.first))
            for entry in playing
        },
    )


def second_draw(field: EventField, best: Sequence[int]) -> Draw:
    """Return the next round of the second stage; `best` are the qualified entries in order."""
    drawn = bracket.draw(nodes(field, best))
    return stages.for_sides(drawn, sides_of(field.event, best))


def sides_of(event: Event, best: Sequence[int]) -> dict[int, tuple[int, ...]]:
    individuals = event.individual and event.rules.players == event.first_stage.table_size
    return stages.sides_of(best, individuals=individuals)


def nodes(field: EventField, best: Sequence[int] = ()) -> list[Node]:
    """Return the knock-out's bracket as far as it is played; empty if there is none."""
    event = field.event
    seeds = field.starters if event.is_knock_out else list(best)
    if best and not event.is_knock_out:
        seeds = list(sides_of(event, best))
    if event.knock_out is None or len(seeds) < 2:
        return []
    by_hand = [
        Swap(turn, {int(one): other for one, other in instead.items()})
        for _round, turn, instead in event.bracket_by_hand
    ]
    return event.knock_out.nodes(
        seeds, field.second, third_place=event.third_place, by_hand=by_hand
    )


def finals(nodes: Sequence[Node]) -> set[tuple[int | None, int | None]]:
    return {
        node.sides for node in nodes if node.spot.part in (BracketPart.FINAL, BracketPart.RESET)
    }
