"""Whether an event's settings go together: what is wrong, by field, and what is allowed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from tournaments.formats.tie_breaks import TieBreak

if TYPE_CHECKING:
    from tournaments.models.events import Event

Problem = tuple[str, str]

ROTATION, PROGRESSIVE, SWISS = "rotation", "progressive", "swiss"
ROUND_ROBIN, SINGLE, DOUBLE = "round_robin", "single_elimination", "double_elimination"
INDIVIDUAL: Final = (ROTATION, PROGRESSIVE)
KNOCK_OUTS: Final = (SINGLE, DOUBLE)
DEALS: Final = "deals"

TWO_PLAY: Final = "These rules are for two; choose another format, or rules for four."

#: How many entries a format can take. A rotation is computed for all rounds at once; a round
#: robin has a round for nearly every entry.
LARGEST: Final[Mapping[str, int]] = {ROTATION: 400, ROUND_ROBIN: 64}
LARGEST_OTHERWISE: Final = 1000
MOST_ROUNDS: Final = 50
MOST_CYCLES: Final = 4
MOST_HANDS: Final = 100
LONGEST_ROUND: Final = 600  # minutes
LONGEST_BREAK: Final = 3600  # seconds
LONGEST_WAIT: Final = 60  # minutes
TURN: Final = (10, 300)  # seconds
HIGHEST_RATING: Final = 4000


def least_entries(event: Event) -> int:
    """Return how many entries an event needs to be played at all."""
    return 4 if event.format in INDIVIDUAL else 2


def most_rounds(event: Event) -> int:
    """Return how many rounds an event may be given.

    In a Swiss nobody meets another twice, and where the number is odd everybody sits out once.
    """
    places = event.capacity
    if event.format != SWISS or places is None:
        return MOST_ROUNDS
    return max(1, min(MOST_ROUNDS, places - 1 + places % 2))


def has_knock_out(event: Event) -> bool:
    """Whether an event ends with a knock-out."""
    return event.format in KNOCK_OUTS or bool(event.second_stage)


def leave_out_what_is_not_played(event: Event) -> None:
    """Empty the settings that mean nothing in the event's format."""
    if event.format in KNOCK_OUTS:
        event.second_stage, event.tie_breaks = "", []
    if event.format not in (ROTATION, PROGRESSIVE, SWISS):
        event.rounds = None
    if event.format != ROUND_ROBIN:
        event.cycles = 1
    if not event.second_stage:
        event.qualifiers = None
    if SINGLE not in (event.format, event.second_stage):
        event.third_place = False
    if not has_knock_out(event):
        event.final_match = ""
    if event.match != DEALS:
        event.deals = None
    if event.final_match != DEALS:
        event.final_deals = None


def problems(event: Event) -> Iterator[Problem]:
    """Say what is wrong, as field and sentence.

    event: one whose fields are each of their kind; one that has no value yet is not looked at.
    """
    yield from _format(event)
    yield from _match(event)
    yield from _tie_breaks(event)
    yield from _entries(event)
    yield from _conditions(event)
    yield from _times(event)
    yield from _pace(event)


def _format(event: Event) -> Iterator[Problem]:
    if event.format in INDIVIDUAL and event.rules_data and event.rules.players != 4:
        yield "format", f"Partners change every round: it needs four players. {TWO_PLAY}"
    if event.second_stage and event.second_stage not in KNOCK_OUTS:
        yield "second_stage", "The last stage is single or double elimination."
    if event.started is None:
        most = most_rounds(event)
        why = "" if most == MOST_ROUNDS else f": with {event.capacity} places all have met then"
        yield from _within("rounds", event.rounds, 1, most, f"rounds{why}")
    yield from _within("cycles", event.cycles, 1, MOST_CYCLES, "times")
    if event.second_stage:
        yield from _qualifiers(event)


def _qualifiers(event: Event) -> Iterator[Problem]:
    count = event.qualifiers
    partners = event.format in INDIVIDUAL
    if count is None:
        yield "qualifiers", "Say how many go on to the knock-out."
    elif partners and (count < 4 or count % 2):
        yield "qualifiers", "Two and two become partners: an even number, 4 or more."
    elif count < 2:
        yield "qualifiers", "A knock-out needs 2 or more."
    elif count > _given(event, "capacity", count):
        yield "qualifiers", f"No more than have places: 2 to {event.capacity}."


def _match(event: Event) -> Iterator[Problem]:
    for kind, hands in (("match", "deals"), ("final_match", "final_deals")):
        if getattr(event, kind) == DEALS and getattr(event, hands) is None:
            yield hands, f"Say how many hands a match has: 1 to {MOST_HANDS}."
        yield from _within(hands, getattr(event, hands), 1, MOST_HANDS, "hands")


def _tie_breaks(event: Event) -> Iterator[Problem]:
    if event.format in KNOCK_OUTS:
        return
    usable = [str(one) for one in TieBreak if one is not TieBreak.LOT]
    stated = event.tie_breaks
    if any(one not in usable for one in stated):
        yield "tie_breaks", f"Each is one of: {', '.join(usable)}."
    elif len(set(stated)) < len(stated):
        yield "tie_breaks", "Name each only once."


def _entries(event: Event) -> Iterator[Problem]:
    most, least = LARGEST.get(event.format, LARGEST_OTHERWISE), least_entries(event)
    yield from _within("capacity", event.capacity, least, most, "entries in this format")
    minimum = _given(event, "minimum", least)
    places = _given(event, "capacity", minimum)
    if least <= places and not least <= minimum <= places:
        yield "minimum", f"{least} to {event.capacity}: no more than there are places."


def _conditions(event: Event) -> Iterator[Problem]:
    low, high = event.min_rating, event.max_rating
    yield from _within("min_rating", low, 0, HIGHEST_RATING, "")
    yield from _within("max_rating", high, 0, HIGHEST_RATING, "")
    if low is not None and high is not None and low > high:
        yield "max_rating", f"It cannot be below the lowest, {low}."
    yield from _within("min_games", event.min_games, 0, 1000, "games")


def _times(event: Event) -> Iterator[Problem]:
    opens, closes = _given(event, "registration_opens"), _given(event, "registration_closes")
    starts = _given(event, "starts")
    if closes and starts and closes > starts:
        yield "registration_closes", "Registration closes when the event starts, or before."
    if opens and closes and opens >= closes:
        yield "registration_opens", "Registration opens before it closes."


def _pace(event: Event) -> Iterator[Problem]:
    yield from _within("check_in_minutes", event.check_in_minutes, 0, 120, "minutes")
    yield from _within("round_minutes", event.round_minutes, 1, LONGEST_ROUND, "minutes")
    yield from _within("break_seconds", event.break_seconds, 0, LONGEST_BREAK, "seconds")
    yield from _within("turn_seconds", event.turn_seconds, *TURN, "seconds")
    yield from _within("no_show_minutes", event.no_show_minutes, 1, LONGEST_WAIT, "minutes")


def _given(event: Event, field: str, otherwise: Any = None) -> Any:
    """The value of a field that every stored event has, if this one has it yet."""
    value = getattr(event, field)
    return otherwise if value is None else value


def _within(field: str, value: int | None, least: int, most: int, what: str) -> Iterator[Problem]:
    if value is not None and not least <= value <= most:
        yield field, f"{least} to {most} {what}".strip() + "."
