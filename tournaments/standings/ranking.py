"""The standings of an event, computed each time from all its results."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from tournaments.formats import bracket, comparison
from tournaments.formats.draw import PlayedRound, turns_of
from tournaments.formats.standings import OWN_AVERAGE, EntrantStanding, Missed, standings
from tournaments.formats.tie_breaks import Edition, TieBreak
from tournaments.models import Entry, Event
from tournaments.results import event_rows, presence
from tournaments.standings import draws
from tournaments.standings.draws import EventField
from tournaments.standings.winners import Placed, PrizeOutcome, outcome

#: What is added up for each entry, match by match.
COUNTED: Final = ("won", "lost", "tied", "sat_out", "points_for", "points_against")


class StandingRow(NamedTuple):
    """An entry's line of the standings.

    Attributes:
        place: from 1, withdrawn entries behind all others. In a knock-out those who went out in the
            same round share a place, withdrawn or not, but no withdrawn entry is first. Entries
            that never came to a table share the last place.
        values: the values of the event's tie-breaks in their order, the lot last. None for entries
            who were tied with nobody when its turn came; empty in a knock-out.
        prize_place: the place among those who can win prizes, else None; see `winners`.
        credit: what sit-outs in the first stage, and rounds missed by coming late, are worth
            together, in wins; None in a knock-out.
        late_credit: the part of it for rounds missed.
        credited: the part of other values that sit-outs are credited with, by the own average.
        finals_won, finals_lost: how many of these rounds were in the second stage.
        finals_sat_out: byes in the second stage, which are worth nothing.
        score_error: the standard error of the score in a duplicate event, else None.
        absent: whether the entry never came to a table; see `presence`.
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
    score_error: float | None = None
    late_credit: Fraction = Fraction()
    credited: Mapping[TieBreak, Fraction] = MappingProxyType({})
    absent: bool = False

    @property
    def withdrawn(self) -> bool:
        return self.entry.state == Entry.State.WITHDRAWN


class Ranking(NamedTuple):
    """The standings after some rounds; `order` is without the lot, and empty in a knock-out."""

    order: tuple[TieBreak, ...]
    lines: list[StandingRow]
    rounds: int
    outcome: PrizeOutcome


def field_of(event: Event, *, unfinished: bool = False) -> EventField:
    """Read an event's entries and results; `unfinished` includes the round being played."""
    first = event_rows.rounds_of(event, stage=1, unfinished=unfinished)
    second: list[PlayedRound] = []
    if event.is_knock_out:
        first, second = [], first
    elif event.second_stage:
        second = event_rows.rounds_of(event, stage=2, unfinished=unfinished)
    entries, fillers = event_rows.entries_of(event), event_rows.fillers_of(event)
    return EventField(event, entries, fillers, first, second)


def order_of(event: Event) -> tuple[TieBreak, ...]:
    stated = tuple(TieBreak(name) for name in event.tie_breaks)
    return stated or event.first_stage.usual_order


def credit_of(event: Event) -> Fraction | None:
    """Return what a sit-out is worth in wins; None for the player's own average."""
    if event.first_stage.sit_out_worth is not None:
        return event.first_stage.sit_out_worth
    if event.sit_out == Event.SitOut.FIXED:
        return Fraction(event.credit_half_wins, 2)
    return OWN_AVERAGE


def standings_of(event: Event, after: int | None = None) -> Ranking:
    """Return the standings after all rounds that are over, or after the first `after` of them."""
    return ranking_of(field_of(event), after)


def ranking_of(field: EventField, after: int | None = None) -> Ranking:
    """Return the standings of an event that has been read; `after` as for `standings_of`."""
    if after is not None and after < len(field.first) + len(field.second):
        first = field.first[:after]
        there = [entry for entry in field.entries if entry.first_round <= after + 1]
        second = field.second[: max(0, after - len(first))]
        field = field._replace(entries=there, first=first, second=second)
    lines = {} if field.event.is_knock_out else {one.entrant: one for one in _first_stage(field)}
    absent = presence.never_came(field.event).intersection(field.starters)
    groups = [(one,) for one in lines] if lines else [tuple(field.starters)]
    if field.second or field.event.is_knock_out:
        groups = _with_knock_out(field, groups, absent)
    tallies = _tallies([*field.first, *field.second])
    finals = _tallies([] if field.event.is_knock_out else field.second)
    entries = {entry.pk: entry for entry in field.entries}
    gone = {entry.pk for entry in field.entries if entry.state == Entry.State.WITHDRAWN}
    errors: dict[int, float | None] = {}
    if field.event.first_stage.duplicate:
        for one, turns in turns_of(field.first).items():
            scores = [score for turn in turns for score in turn.scores]
            errors[one] = comparison.standard_error(scores)
    placed: list[Placed] = []
    vacant = 0
    for group in groups:
        place = len(placed) + 1 + vacant
        came = [one for one in group if one not in absent]
        placed += [
            Placed(one, place, entries[one].house, Entry.State.WITHDRAWN if one in gone else "")
            for one in came
        ]
        vacant = 0 if group else vacant + 1
    last = [one for group in groups for one in group if one in absent]
    placed += [Placed(one, len(entries), house=False, out=Entry.State.NO_SHOW) for one in last]
    ended = outcome(placed, house_prizes=field.event.house_prizes)
    missed, credited = _missed(field), _credited(field, lines)
    rows = [
        StandingRow(
            place=place,
            entry=entries[one],
            values=lines[one].values if lines else {},
            **{name: tallies[one][name] for name in COUNTED},
            prize_place=ended.places.get(one),
            credit=lines[one].credit + _worth(missed.get(one)) if lines else None,
            late_credit=_worth(missed.get(one)),
            credited=credited.get(one, {}),
            finals_won=finals[one]["won"],
            finals_lost=finals[one]["lost"],
            finals_sat_out=finals[one]["sat_out"],
            score_error=errors.get(one),
            absent=one in absent,
        )
        for one, place, _house, _out in placed
    ]
    return Ranking(order_of(field.event), rows, len(field.first) + len(field.second), ended)


def _credited(
    field: EventField, lines: Mapping[int, EntrantStanding]
) -> dict[int, dict[TieBreak, Fraction]]:
    """Return what averages add to the values of entries, besides wins."""
    if not lines or credit_of(field.event) is not OWN_AVERAGE:
        return {}
    found = {}
    for one, turns in turns_of(field.first).items():
        own = {
            TieBreak.POINT_DIFFERENCE: sum(turn.difference for turn in turns),
            TieBreak.LONE_HANDS: sum(turn.lone_hands for turn in turns),
        }
        values = lines[one].values if one in lines else {}
        found[one] = {
            which: value - own[which]
            for which, value in values.items()
            if which in own and value is not None
        }
    return found


def _missed(field: EventField) -> dict[int, Missed]:
    """Return the rounds that late entries have missed so far."""
    worth = Fraction(field.event.late_half_wins, 2)
    return {
        entry.pk: Missed(min(entry.first_round - 1, len(field.first)), worth)
        for entry in field.entries
        if entry.first_round > 1
    }


def _worth(missed: Missed | None) -> Fraction:
    return missed.rounds * missed.worth if missed else Fraction()


def qualifying(field: EventField) -> tuple[list[int], int]:
    """Return who qualifies for the second stage as of now; nobody if too few are left.

    When house entries step aside, the next in the standings qualify instead.

    Returns:
        The entries, the best first, and the number of house entries that step aside.
    """
    event, playing = field.event, _playing(field)
    house = {entry.pk for entry in field.entries if entry.house}
    order = [line.entrant for line in _first_stage(field) if line.entrant in playing]
    aside = 0
    while True:
        count = min(event.qualifiers or len(order), len(order))
        best = order[: count - count % 2 if event.individual else count]
        if len(best) < event.first_stage.least_entries:
            return [], aside
        sides = draws.sides_of(event, best).values()
        by_house = [house.issuperset(side) for side in sides]
        if event.knock_out is None or not event.knock_out.may_idle_a_person(by_house):
            return best, aside
        order.remove(next(one for one in reversed(best) if one in house))
        aside += 1


def _first_stage(field: EventField) -> list[EntrantStanding]:
    lots = {entry.pk: entry.lot or 0 for entry in field.entries}
    order, credit = order_of(field.event), credit_of(field.event)
    lines = standings(
        field.starters,
        field.first,
        order,
        lots,
        credit,
        round_robin=field.event.first_stage.fixed_pairings,
        edition=Edition(field.event.tie_break_edition),
        missed=_missed(field),
    )
    playing = _playing(field)
    return sorted(lines, key=lambda line: line.entrant not in playing)


def _playing(field: EventField) -> set[int]:
    return {entry.pk for entry in event_rows.still_in(field.entries)}


def best_of(field: EventField) -> list[int]:
    """Return the entries that qualified for the second stage, the best first."""
    through = [entry for entry in field.entries if entry.qualified is not None]
    return [entry.pk for entry in sorted(through, key=lambda entry: entry.qualified or 0)]


def _with_knock_out(
    field: EventField, groups: Sequence[tuple[int, ...]], absent: Collection[int]
) -> list[tuple[int, ...]]:
    """Return the places of the knock-out, followed by those of the first stage.

    The best of those who came and have not withdrawn is first, unless nobody has won the final:
    then each empty group is a place that nobody has.
    """
    best, playing = best_of(field), _playing(field).difference(absent)
    ranked = bracket.ranking(draws.nodes(field, best))
    if best:
        sides = draws.sides_of(field.event, best)
        captains, ranked = ranked, []
        for group in captains:
            people = tuple(one for captain in group for one in sides[captain])
            ranked += [people] * (1 if group else len(sides[best[0]]))
    at = next((at for at, group in enumerate(ranked) if not playing.isdisjoint(group)), None)
    if at is not None:
        stayed = tuple(one for one in ranked[at] if one in playing)
        left = tuple(one for one in ranked[at] if one not in playing)
        gone = [group for group in ranked[:at] if group]
        unwon = [] if gone else ranked[:at]
        ranked = [*unwon, stayed, *gone, *([left] if left else []), *ranked[at + 1 :]]
    placed = {one for group in ranked for one in group}
    rest = (tuple(one for one in group if one not in placed) for group in groups)
    return [*ranked, *filter(None, rest)]


def _tallies(rounds: Iterable[PlayedRound]) -> defaultdict[int, Counter[str]]:
    """Add up for each entry what `COUNTED` names."""
    tallies: defaultdict[int, Counter[str]] = defaultdict(Counter)
    for past in rounds:
        for match in past.matches:
            tied = match.winner == -1 and not match.forfeit
            for side in (0, 1):
                won = match.winner == side
                for one in match.pairing.sides[side]:
                    tallies[one].update(
                        won=int(won),
                        lost=int(not won and not tied),
                        tied=int(tied),
                        points_for=match.points[side],
                        points_against=match.points[1 - side],
                    )
        for one in past.sit_outs:
            tallies[one]["sat_out"] += 1
    return tallies


def standing_values(
    line: StandingRow, players: Any, number: Callable[[Fraction | None], float | None]
) -> dict[str, Any]:
    """Return a line of the standings as a dict without its tie-breaks, for exports and the API."""
    return {
        "place": line.place,
        "prize_place": line.prize_place,
        "entry": line.entry.pk,
        "players": players,
        "house": line.entry.house,
        "withdrawn": line.withdrawn,
        "won": line.won,
        "lost": line.lost,
        "tied": line.tied,
        "sat_out": line.sat_out,
        "credit": number(line.credit),
        "finals_won": line.finals_won,
        "finals_lost": line.finals_lost,
        "points_for": line.points_for,
        "points_against": line.points_against,
        "score_error": None if line.score_error is None else round(line.score_error, 4),
    }
