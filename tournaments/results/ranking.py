"""The standings of an event, computed from all its results each time."""

from collections.abc import Container, Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from tournaments.formats import bracket
from tournaments.formats.draw import PlayedMatch, PlayedRound
from tournaments.formats.standings import FULL_WIN, OWN_AVERAGE, USUAL_ORDERS, credits_of, standings
from tournaments.formats.tie_breaks import TieBreak
from tournaments.models import Entry, Event
from tournaments.models.events import least_entries
from tournaments.results import draws, fillers, history
from tournaments.results.draws import EventField
from tournaments.results.winners import Placed, PrizeOutcome, outcome


class StandingRow(NamedTuple):
    """An entry's line of the standings.

    Attributes:
        place: from 1, the withdrawn behind all others; in a knock-out those who went out in the
            same round share it, the withdrawn too, but none of them is first.
        entry: whose it is.
        values: the tie-breaks of the event's order with their values, the lot last; None where
            nobody was tied with him when its turn came. Empty in a knock-out.
        won, lost, tied, sat_out: how many rounds.
        points_for, points_against: in the matches played.
        credit: what the sit-outs of the first stage are worth, in wins; None in a knock-out.
        finals_won, finals_lost: how many of the rounds were of the knock-out of a second stage.
        finals_sat_out: byes in it, which are worth nothing.
        prize_place: the place among those who can win, None for who cannot; see `winners`.
    """

    place: int
    entry: Entry
    values: dict[TieBreak, Fraction | None]
    won: int
    lost: int
    tied: int
    sat_out: int
    points_for: int
    points_against: int
    prize_place: int | None = None
    credit: Fraction | None = None
    finals_won: int = 0
    finals_lost: int = 0
    finals_sat_out: int = 0

    @property
    def withdrawn(self) -> bool:
        """Whether he has left the event."""
        return self.entry.state == Entry.State.WITHDRAWN


class Ranking(NamedTuple):
    """The standings after some rounds.

    Attributes:
        order: the tie-breaks as the event states them, without the lot; empty in a knock-out.
        lines: everybody by place.
        rounds: how many rounds are counted.
        outcome: who stands where in the contest for prizes.
    """

    order: tuple[TieBreak, ...]
    lines: list[StandingRow]
    rounds: int
    outcome: PrizeOutcome


class GoingOn(NamedTuple):
    """Who plays in the knock-out of a second stage.

    Attributes:
        best: the entries, the best first.
        aside: how many entries of house players would, and step aside.
    """

    best: list[int]
    aside: int


def field_of(event: Event, *, unfinished: bool = False) -> EventField:
    """Read an event's entries and results; with `unfinished` also the round being played."""
    first = [] if event.is_knock_out else _rounds(event, 1, unfinished=unfinished)
    last_stage = 1 if event.is_knock_out else 2
    knock_out = last_stage == 1 or bool(event.second_stage)
    second = _rounds(event, last_stage, unfinished=unfinished) if knock_out else []
    return EventField(event, history.entries_of(event), history.fillers_of(event), first, second)


def _rounds(event: Event, stage: int, *, unfinished: bool) -> list[PlayedRound]:
    return history.rounds_of(event, stage=stage, unfinished=unfinished)


def order_of(event: Event) -> tuple[TieBreak, ...]:
    """Return the tie-breaks of the event's first stage in its order; none for a knock-out."""
    if event.is_knock_out:
        return ()
    stated = tuple(TieBreak(name) for name in event.tie_breaks)
    return stated or USUAL_ORDERS[event.format]


def credit_of(event: Event) -> Fraction | None:
    """Return what a sit-out is worth in wins; None: the player's own average.

    A bye of the Swiss system is a full win; in a round robin everybody has as many.
    """
    if event.format == Event.Format.SWISS:
        return FULL_WIN
    if event.format == Event.Format.ROUND_ROBIN:
        return Fraction(0)
    if event.sit_out == Event.SitOut.FIXED:
        return Fraction(event.credit_half_wins, 2)
    return OWN_AVERAGE


def standings_of(event: Event, after: int | None = None) -> Ranking:
    """Return the standings after the rounds that are over.

    after: only the first so many rounds; None for all.
    """
    return ranking_of(field_of(event), after)


def ranking_of(field: EventField, after: int | None = None) -> Ranking:
    """Do as `standings_of` for an event that has been read."""
    if after is not None:
        first = field.first[:after]
        field = field._replace(first=first, second=field.second[: max(0, after - len(first))])
    groups, values = _first_stage(field)
    if field.second or field.event.is_knock_out:
        groups = _with_knock_out(field, groups)
    tallies = _tallies([*field.first, *field.second])
    finals = {} if field.event.is_knock_out else _tallies(field.second)
    # What everybody's sit-outs of the first stage are worth, in wins.
    credited = (
        {}
        if field.event.is_knock_out
        else credits_of(field.starters, field.first, credit_of(field.event))
    )
    entries = {entry.pk: entry for entry in field.entries}
    lines: list[StandingRow] = []
    for group in groups:
        place = len(lines) + 1
        lines += [
            StandingRow(place, entries[one], values.get(one, {}), *tallies.get(one, _Tally())[:6])
            for one in group
        ]
    placed = [Placed(one.entry.pk, one.place, one.entry.house, one.withdrawn) for one in lines]
    ended = outcome(placed, house_prizes=field.event.house_prizes)
    lines = [
        one._replace(
            prize_place=ended.places.get(one.entry.pk),
            credit=credited.get(one.entry.pk),
            finals_won=finals.get(one.entry.pk, _Tally()).won,
            finals_lost=finals.get(one.entry.pk, _Tally()).lost,
            finals_sat_out=finals.get(one.entry.pk, _Tally()).sat_out,
        )
        for one in lines
    ]
    return Ranking(order_of(field.event), lines, len(field.first) + len(field.second), ended)


def going_on(field: EventField) -> GoingOn:
    """Return who goes on to the second stage as the standings are now; nobody if too few are left.

    Where house entries step aside, the next in the standings go on in their stead.
    """
    event, playing = field.event, _playing(field)
    house = {entry.pk for entry in field.entries if entry.house}
    groups, _values = _first_stage(field)
    order = [one for group in groups for one in group if one in playing]
    aside = 0
    while True:
        count = min(event.qualifiers or len(order), len(order))
        best = order[: count - count % 2 if event.individual else count]
        if len(best) < least_entries(event):
            return GoingOn([], aside)
        sides = draws.sides_of(event, best).values()
        by_house = [house.issuperset(side) for side in sides]
        if not fillers.a_bye_too_many(event.second_stage, by_house):
            return GoingOn(best, aside)
        order.remove(next(one for one in reversed(best) if one in house))
        aside += 1


def _first_stage(
    field: EventField,
) -> tuple[list[tuple[int, ...]], dict[int, dict[TieBreak, Fraction | None]]]:
    """Who shares which place, the first first, and everybody's tie-breaks."""
    if field.event.is_knock_out:
        return [tuple(field.starters)], {}
    lots = {entry.pk: entry.lot or 0 for entry in field.entries}
    order, credit = order_of(field.event), credit_of(field.event)
    lines = standings(
        field.starters,
        field.first,
        order,
        lots,
        credit,
        round_robin=field.event.format == Event.Format.ROUND_ROBIN,
    )
    playing = _playing(field)
    in_order = sorted(lines, key=lambda line: line.entrant not in playing)
    return [(line.entrant,) for line in in_order], {line.entrant: line.values for line in lines}


def _playing(field: EventField) -> set[int]:
    return {entry.pk for entry in history.still_in(field.entries)}


def best_of(field: EventField) -> list[int]:
    """Return the entries that qualified for the second stage, the best first."""
    through = [entry for entry in field.entries if entry.qualified is not None]
    return [entry.pk for entry in sorted(through, key=lambda entry: entry.qualified or 0)]


def _with_knock_out(field: EventField, groups: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """The places of the knock-out before those of the first stage."""
    best = best_of(field)
    ranked = bracket.ranking(draws.nodes(field, best))
    if best:
        sides = draws.sides_of(field.event, best)
        ranked = [tuple(one for captain in group for one in sides[captain]) for group in ranked]
    ranked = _won_by_who_stayed(ranked, _playing(field))
    placed = {one for group in ranked for one in group}
    rest = (tuple(one for one in group if one not in placed) for group in groups)
    return [*ranked, *(group for group in rest if group)]


def _won_by_who_stayed(
    ranked: Sequence[tuple[int, ...]], playing: Container[int]
) -> list[tuple[int, ...]]:
    """The places of a knock-out, with the best of those who have not withdrawn at the first."""
    for at, group in enumerate(ranked):
        stayed = tuple(one for one in group if one in playing)
        if stayed:
            left = tuple(one for one in group if one not in playing)
            return [one for one in (stayed, *ranked[:at], left, *ranked[at + 1 :]) if one]
    return list(ranked)


class _Tally(NamedTuple):
    won: int = 0
    lost: int = 0
    tied: int = 0
    sat_out: int = 0
    points_for: int = 0
    points_against: int = 0

    def plus(self, other: "_Tally") -> "_Tally":
        return _Tally(*(mine + more for mine, more in zip(self, other, strict=True)))


def _tallies(rounds: Iterable[PlayedRound]) -> dict[int, _Tally]:
    tallies: dict[int, _Tally] = {}
    for past in rounds:
        for match in past.matches:
            for side in (0, 1):
                result = _result(match, side)
                for one in match.pairing.sides[side]:
                    tallies[one] = tallies.get(one, _Tally()).plus(result)
        for one in past.sit_outs:
            tallies[one] = tallies.get(one, _Tally()).plus(_Tally(sat_out=1))
    return tallies


def _result(match: PlayedMatch, side: int) -> _Tally:
    won = match.winner == side
    tied = match.winner == -1 and not match.forfeit
    ours, theirs = match.points[side], match.points[1 - side]
    return _Tally(int(won), int(not won and not tied), int(tied), 0, ours, theirs)
