"""The pictures that a room's screen shows by turns, each on a page of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Final, TypeAlias

from tournaments.event_page import page_values
from tournaments.event_page.bracket_lines import BracketMatch
from tournaments.event_page.page_values import EventPage, RoundTables
from tournaments.events.states import OVER
from tournaments.models import Event, Notice
from tournaments.paper.sheets import chunks
from tournaments.results.match_lines import MatchLine
from tournaments.standings.standing_lines import StandingLine

#: Tables on a page: each takes two lines of names.
TABLES: Final = 6
#: Lines of standings in a column; players fill two columns, partnerships one.
LINES: Final = 11
#: Matches above each other in the bracket.
MATCHES: Final = 4
#: The director's latest messages that are shown, each as long as it may be.
MESSAGES: Final = 2


#: A heading and matches below each other.
Column: TypeAlias = tuple[str, Sequence[BracketMatch]]


@dataclass(frozen=True, slots=True)
class Slide:
    """A picture; `key` is its id, and only what its `kind` needs is filled."""

    key: str
    kind: str
    title: str
    small: str = ""
    matches: tuple[MatchLine, ...] = ()
    columns: tuple[tuple[StandingLine, ...], ...] = ()
    bracket: Sequence[Column] = ()
    notice: Notice | None = None


@dataclass(frozen=True, slots=True)
class Screen:
    """What the screen shows. `idle`: who sits out. `time_up` replaces the clock at its end."""

    page: EventPage
    slides: tuple[Slide, ...]
    idle: str
    time_up: str

    @property
    def live(self) -> bool:
        return self.page.event.state not in OVER

    @property
    def value(self) -> str:
        """The heading of what places are decided by."""
        table = self.page.standings
        return table.columns[0].short if table and table.columns else "Points"


def read(event: Event, now: datetime) -> Screen:
    page = page_values.read(event, now)
    present = page.present
    playing = page.running and present is not None and not present.over
    by_hand = event.time_up == Event.TimeUp.HAND
    time_up = ("Finish the hand" if by_hand else "Time is up") if playing else ""
    idle = ""
    if playing and present is not None and present.sit_outs:
        idle = f"{present.idle}: {', '.join(team.name for team in present.sit_outs)}"
    return Screen(page, tuple(_slides(page)), idle, time_up)


def _slides(page: EventPage) -> Iterator[Slide]:
    if page.present is None:
        title = "Cancelled" if page.event.state == Event.State.CANCELLED else "Welcome"
        yield Slide("screen-start", "start", title)
    elif not page.finished:
        yield from _tables(page, page.present)
    yield from _standings(page)
    yield from _bracket(page)
    for at, notice in enumerate(page.notices[:MESSAGES], start=1):
        yield Slide(f"screen-message-{at}", "messages", "From the director", notice=notice)


def _tables(page: EventPage, present: RoundTables) -> Iterator[Slide]:
    pages = chunks(present.matches, TABLES)
    total = f" of {page.total}" if page.total and present.number <= page.total else ""
    for at, matches in enumerate(pages, start=1):
        small = f"tables {matches[0].pairing.number}–{matches[-1].pairing.number}"
        yield Slide(
            f"screen-tables-{at}",
            "tables",
            f"Round {present.number}",
            f"{total} · {small}" if len(pages) > 1 else total,
            matches=tuple(matches),
        )


def _standings(page: EventPage) -> Iterator[Slide]:
    table = page.standings
    if table is None or not table.rounds:
        return
    columns = 2 if page.event.team_size == 1 else 1
    pages = chunks(table.lines, columns * LINES)
    last = "" if page.finished else f"after round {table.rounds}"
    for at, lines in enumerate(pages, start=1):
        small = f"{last}, {at} of {len(pages)}" if len(pages) > 1 else last
        yield Slide(
            f"screen-standings-{at}",
            "standings",
            "Result" if page.finished else "Standings",
            small.removeprefix(", "),
            columns=tuple(map(tuple, chunks(lines, LINES))),
        )


def _bracket(page: EventPage) -> Iterator[Slide]:
    """Yield the parts of the bracket in which somebody still plays, and the one with the final."""
    bracket = page.bracket
    if bracket is None:
        return
    titles = {match.box.node: title for title, matches in bracket.rounds for match in matches}
    drawn = [part.matches for part in bracket.sheets] or [bracket.matches]
    open_ = [
        part
        for part in drawn[:-1]
        if not all(match.maybe or any(side.won for side in match.sides) for match in part)
    ]
    for number, part in enumerate([*open_, drawn[-1]], start=1):
        columns = [(titles[same[0].box.node], same) for same in _by_column(part)]
        # A screen takes three columns, with `MATCHES` matches at most.
        short = [(title, some) for title, column in columns for some in chunks(column, MATCHES)]
        for at, columns_here in enumerate(chunks(short, 3), start=1):
            key = f"screen-bracket-{number}-{at}"
            yield Slide(key, "bracket", "Bracket", bracket=columns_here)


def _by_column(part: Sequence[BracketMatch]) -> Iterator[list[BracketMatch]]:
    """Yield the matches of each column of a drawing, from the left and from the top."""
    ordered = sorted(part, key=lambda match: (match.box.left, match.box.top))
    for _left, same in groupby(ordered, key=lambda match: match.box.left):
        yield list(same)
