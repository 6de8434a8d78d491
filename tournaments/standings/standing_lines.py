"""Standings as pages show them: places, names, and values in words."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from games.figures import MINUS
from tournaments.events import event_words
from tournaments.formats.tie_breaks import CURRENT, TieBreak
from tournaments.models import Event
from tournaments.results.match_lines import Team, team_of
from tournaments.standings.ranking import Ranking, StandingRow
from tournaments.standings.winners import ordinal

UNUSED: Final = "–"
VULGAR: Final = {
    Fraction(1, 2): "½",
    Fraction(1, 3): "⅓",
    Fraction(2, 3): "⅔",
    Fraction(1, 4): "¼",
    Fraction(3, 4): "¾",
    Fraction(1, 5): "⅕",
    Fraction(2, 5): "⅖",
    Fraction(3, 5): "⅗",
    Fraction(4, 5): "⅘",
    Fraction(1, 6): "⅙",
    Fraction(5, 6): "⅚",
    Fraction(1, 8): "⅛",
    Fraction(3, 8): "⅜",
    Fraction(5, 8): "⅝",
    Fraction(7, 8): "⅞",
}


@dataclass(frozen=True, slots=True)
class StandingLine:
    """An entry's line.

    place: from 1, or "3–4" if shared; empty for those still in a knock-out, a dash for those who
    never came to a table (`absent`). record: matches won and lost, "3–1", or with ties "3–1–1".
    cells: the value of each column. prize: the place for prizes if it is another, "1st among
    people". more: what else adds to the wins, "1 bye" or "from round 3 (+1)", and matches that do
    not, "2–0 in the knock-out".
    """

    place: str
    entry: int
    team: Team
    record: str
    points: str
    cells: tuple[str, ...]
    withdrawn: bool
    absent: bool
    prize: str = ""
    more: str = ""


@dataclass(frozen=True, slots=True)
class StandingTable:
    """The standings after some rounds.

    record, record_label: heading of the column of records, in short and in full. explanation: how
    places are decided, in sentences.
    """

    rounds: int
    columns: tuple[TieBreak, ...]
    lines: tuple[StandingLine, ...]
    record: str
    record_label: str
    explanation: str

    @property
    def knock_out(self) -> bool:
        return not self.columns


def table_of(event: Event, ranking: Ranking, teams: Mapping[int, Team]) -> StandingTable:
    """Return a ranking in words; `teams` are all entries by primary key."""
    columns = (*ranking.order, TieBreak.LOT) if ranking.order else ()
    ties = any(line.tied for line in ranking.lines)
    placed = sorted(line.place for line in ranking.lines if not line.absent)
    qualified = sum(line.entry.qualified is not None for line in ranking.lines)
    return StandingTable(
        rounds=ranking.rounds,
        columns=columns,
        lines=tuple(
            _line(event, ranking, line, teams[line.entry.pk], placed, ties=ties)
            for line in ranking.lines
        ),
        record="W–L–T" if ties else "W–L",
        record_label=f"Matches won{', lost and tied' if ties else ' and lost'}",
        explanation=explanation(
            event,
            ranking.order,
            withdrawn=any(line.withdrawn for line in ranking.lines),
            absent=any(line.absent for line in ranking.lines),
            late=any(line.entry.first_round > 1 for line in ranking.lines),
            apart=ranking.outcome.apart,
            without=event_words.dropped(event, qualified),
            replaced=any(teams[line.entry.pk] != team_of(line.entry) for line in ranking.lines),
        ),
    )


def _line(
    event: Event,
    ranking: Ranking,
    line: StandingRow,
    team: Team,
    placed: Sequence[int],
    *,
    ties: bool,
) -> StandingLine:
    place = str(line.place)
    last = bisect_right(placed, line.place)
    if line.absent:
        place = UNUSED
    elif last > line.place:
        place = f"{line.place}–{last}"
        if event.state != Event.State.FINISHED and line.place == 1:
            place = ""
    prize = ""
    if line.prize_place not in (None, line.place) and place:
        among = "among people" if ranking.outcome.apart else "of those who stayed"
        prize = f"{ordinal(line.prize_place or 0)} {among}"
    # Only matches that count for the wins; of two stages those of the first.
    record = f"{line.won - line.finals_won}–{line.lost - line.finals_lost}"
    record = f"{record}–{line.tied}" if ties else record
    by_the_house = line.absent and (line.points_for or line.points_against)
    more = []
    idle = line.sat_out - line.finals_sat_out
    if idle and line.credit is not None and event.first_stage.sit_out_worth != 0:
        what = "sit-out" if event.individual else "bye"
        credit = line.credit - line.late_credit
        worth = "" if credit == idle else f" (+{number_in_words(credit)})"
        more.append(f"{idle} {what}{'s' * (idle > 1)}{worth}")
    if line.entry.first_round > 1:
        worth = f" (+{number_in_words(line.late_credit)})" if line.late_credit else ""
        more.append(f"from round {line.entry.first_round}{worth}")
    if line.finals_won or line.finals_lost:
        more.append(f"{line.finals_won}–{line.finals_lost} in the knock-out")
    return StandingLine(
        place=place,
        entry=line.entry.pk,
        team=team,
        record=UNUSED if by_the_house else record,
        points=UNUSED if by_the_house else f"{line.points_for}–{line.points_against}",
        cells=tuple(_credited_in_words(which, value, line) for which, value in line.values.items()),
        withdrawn=line.withdrawn,
        absent=line.absent,
        prize=prize,
        more=" · ".join(more),
    )


def _credited_in_words(which: TieBreak, value: Fraction | None, line: StandingRow) -> str:
    """Return a value with what sit-outs are credited with beside it: "2 (+0.29)"."""
    credit = line.credited.get(which)
    if value is None or not credit:
        return value_in_words(which, value, line.score_error)
    return f"{value_in_words(which, value - credit)} ({_signed(credit)})"


def value_in_words(which: TieBreak, value: Fraction | None, error: float | None = None) -> str:
    """Return the value of a tie-break; `error` is the standard error of a duplicate score."""
    if value is None:
        return UNUSED
    if which is TieBreak.DUPLICATE:
        known = "" if error is None else f" ± {error:.2f}"
        return f"{signed_in_words(float(value))}{known}"
    if which is not TieBreak.POINT_DIFFERENCE:
        return number_in_words(value)
    return _signed(value)


def _signed(value: Fraction) -> str:
    sign = "+" if value > 0 else MINUS if value < 0 else ""
    return sign + number_in_words(abs(value))


def signed_in_words(value: float, decimals: int = 2) -> str:
    """Format a score with its sign: "+1.33", "0.00"."""
    shown = round(value, decimals)
    sign = "+" if shown > 0 else MINUS if shown < 0 else ""
    return f"{sign}{abs(value):.{decimals}f}"


def number_in_words(value: Fraction) -> str:
    """Format a number with common fractions, "2⅓"; others have two decimals."""
    whole, part = divmod(abs(value), 1)
    sign = MINUS if value < 0 else ""
    if not part:
        return f"{sign}{whole}"
    if part not in VULGAR:
        return f"{sign}{float(abs(value)):.2f}"
    return f"{sign}{whole or ''}{VULGAR[part]}"


#: Tie-breaks for which an unplayed round counts as a match against oneself.
OF_OPPONENTS: Final = frozenset(
    {TieBreak.BUCHHOLZ, TieBreak.BUCHHOLZ_CUT_1, TieBreak.SONNEBORN_BERGER}
)


def explanation(
    event: Event,
    order: tuple[TieBreak, ...],
    *,
    withdrawn: bool = False,
    absent: bool = False,
    late: bool = False,
    apart: bool = False,
    without: bool = False,
    replaced: bool = False,
) -> str:
    """Return how places are decided, in sentences.

    withdrawn, absent, late: whether somebody has withdrawn, never came to a table, or came late.
    apart: whether house players play among people and win no prizes. without: whether the second
    stage was not played. replaced: whether a substitute plays for whoever has a place.
    """
    prizes = ["House players win no prizes: the best person wins."] if apart else []
    if replaced:
        prizes.append(event_words.SUBSTITUTES)
    if absent:
        prizes.insert(0, "Whoever never came to a table is last and wins nothing.")
    if event.is_knock_out:
        return " ".join(["Those who go out in the same round share a place.", *prizes])
    first, *others = (which.meaning for which in order)
    tied = event_words.ties_rule(event) if event.ties == Event.Ties.HAND else ""
    sentences = [f"Places are decided by {first}.", *filter(None, [tied])]
    chain = ", then by ".join(others)
    by_lot = "by a lot drawn at the start"
    sentences.append(
        f"Ties are broken by {chain}, and last {by_lot}." if chain else f"Ties are broken {by_lot}."
    )
    if event.first_stage.duplicate:
        sentences.append(
            "± is the standard error of a score: a smaller difference may well be luck, and only"
            " one of three times as much is hardly ever."
        )
    if withdrawn:
        sentences.append("Those who have withdrawn are placed behind the others.")
    if late:
        sentences.append(event_words.late_rule(event))
    if event.second_stage and not without:
        sentences.append("Those in the knock-out are placed before all others.")
    sentences += prizes
    if rule := sit_out_rule(event):
        sentences.append(rule)
    if OF_OPPONENTS.intersection(order) and event.tie_break_edition != CURRENT:
        sentences.append(
            "Rounds not played count for Buchholz and Sonneborn–Berger by FIDE’s regulations of "
            f"{event.tie_break_edition}, which were in force when it was played."
        )
    return " ".join(sentences)


def sit_out_rule(event: Event) -> str:
    """Return what a sit-out is worth, in a sentence; empty if it is worth nothing."""
    if event.first_stage.sit_out_words or event.first_stage.sit_out_worth is not None:
        return event.first_stage.sit_out_words
    credit = Fraction(event.credit_half_wins, 2)
    wins = f"{number_in_words(credit)} win{'s' * (credit > 1)}"
    words = {
        Event.SitOut.AVERAGE: "Players who sit out are credited with their own average.",
        Event.SitOut.FIXED: f"A sit-out counts as {wins}.",
        Event.SitOut.HOUSE: "House players fill incomplete tables; they get no place.",
    }
    return words[Event.SitOut(event.sit_out)]
