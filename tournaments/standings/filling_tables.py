"""How the entries so far fill the tables, and who sits out: computed before the start."""

from collections.abc import Sequence

from tournaments.events.event_words import counted, plural
from tournaments.formats.bracket import places_for
from tournaments.models import Entry, Event
from tournaments.standings.draws import surplus_at_start
from tournaments.standings.standing_lines import sit_out_rule

TIMES = ("never", "once", "twice")


def in_words(event: Event, entered: Sequence[Entry]) -> str:
    """Return what happens if these entries play to the end; empty if they are too few.

    Sit-outs are within one of each other in every format of rounds.
    """
    entries = len(entered) - len(surplus_at_start(event, entered))
    if entries < event.first_stage.least_entries:
        return ""
    who = counted(event, entries)
    if event.is_knock_out:
        byes = places_for(entries) - entries
        have = f"{byes} {'has' if byes == 1 else 'have'} a bye" if byes else "nobody has a bye"
        return f"With {who} {have} in round 1."
    size = event.first_stage.table_size
    tables, over = divmod(entries, size)
    if not over:
        return f"{who} fill {plural(tables, 'table')}."
    if event.sit_out == Event.SitOut.HOUSE:
        house = plural(size - over, "house player" if event.individual else "house partnership")
        return f"{who} and {house} fill {plural(tables + 1, 'table')}."
    sits = "sits" if over == 1 else "sit"
    said = f"{who}: {plural(tables, 'table')}, and {over} {sits} out in each round."
    said += f" {_in_all(event, entries, over)} {sit_out_rule(event)}"
    return f"{said} With {size - over} more nobody sits out.".replace("  ", " ")


def _in_all(event: Event, entries: int, over: int) -> str:
    """Return how often everybody sits out in all rounds."""
    rounds = event.round_count(entries) or 0
    times, more = divmod(over * rounds, entries)
    within = f"In {plural(rounds, 'round')}"
    if not times:
        return f"{within} {more} of the {entries} sit out once, the others never."
    often, oftener = (
        TIMES[number] if number < len(TIMES) else f"{number} times" for number in (times, times + 1)
    )
    return f"{within} everybody sits out {often}{f', {more} of them {oftener}' if more else ''}."
