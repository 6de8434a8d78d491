"""Results that directors have set or changed: what their games count for, and the history in words.

Places follow from matches and players' records from games; both follow from the same ruling. A
game counts as it was set even if the table's log says otherwise. A game that was set but not begun
is noted without a log, and a game beyond the result counts for nobody.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Prefetch, QuerySet

from games.models.shared_deals import sealed
from games.records import outcomes, performances
from games.records.outcomes import Outcome
from games.seats import reserved
from tournaments.models import Correction, Event, Pairing, PairingEntry
from tournaments.results import matches, possible
from tournaments.results.match_lines import Team, past_seats, teams_at, together
from tournaments.results.matches import Played
from tournaments.results.possible import Ruling

HOW: Final = {"time": "on time", "forfeit": "by forfeit"}


@dataclass(frozen=True, slots=True)
class CorrectionLine:
    """A result that was set or changed, in words; `before` is empty if there was none."""

    row: Correction
    sides: str
    before: str
    after: str
    winners: tuple[str, str]


def result_of(event: Event, match: Pairing) -> dict[str, Any]:
    """Return the present result of a match in the format that corrections store."""
    ended: str = match.how
    if match.how == Pairing.How.DIRECTOR:
        latest = match.corrections.order_by("pk").last()
        after = latest.after if latest else {}
        ended = after.get("ended", possible.PLAYED.value)
        scores = after.get("scores", [list(match.points)])
    elif match.in_room:
        scores = match.scores
    elif match.how == Pairing.How.FORFEIT or match.table_id is None:
        scores = []
    elif possible.most_games(event, match) == 1:
        scores = [list(match.points)]
    else:
        games = reserved.results([match.table_id])[match.table_id]
        scores = [list(game.score) for game in games]
    result = {
        "winner": match.winner,
        "points": list(match.points),
        "games": list(match.games_won),
        "how": match.how,
        "ended": ended,
        "scores": scores,
    }
    return {**result, "lone": list(match.lone_hands)} if match.in_room else result


def ruling_of(values: Mapping[str, Any]) -> Ruling:
    """Return a stored result as a ruling; one of a director has how it `ended`."""
    lone = values.get("lone")
    return Ruling(
        values["winner"],
        values["ended"],
        tuple((one[0], one[1]) for one in values["scores"]),
        (lone[0], lone[1]) if lone else None,
    )


def in_words(values: Mapping[str, Any]) -> str:
    """Return a stored result in words: "10–7", "2–1 (10–6, 7–10, 10–9)", "a forfeit by both"."""
    ended = values.get("ended", values["how"])
    winner = {0: "for north–south", 1: "for east–west"}.get(values["winner"], "by both")
    if ended == "forfeit":
        return f"a forfeit {winner}"
    scores = values.get("scores", [])
    words = _score(values["points"])
    if len(scores) > 1:
        words = f"{_score(values['games'])} ({', '.join(_score(one) for one in scores)})"
    words += f" {HOW[ended]}" if ended in HOW else ""
    tied = values["points"][0] == values["points"][1]
    return f"{words} {winner}" if tied and values["winner"] >= 0 else words


def history_of(event: Event, teams: Mapping[int, Team]) -> tuple[CorrectionLine, ...]:
    """Return all corrections of an event, the latest first, in three queries."""
    lines = PairingEntry.objects.order_by("side", "position")
    rows = list(rows_of(event).prefetch_related(Prefetch("pairing__entries", lines)))
    past = past_seats(event) if rows else ()
    found = []
    for row in rows:
        there = teams_at(row.pairing, teams, past)
        drawn = [row.pairing.entries_of_side(side) for side in (0, 1)]
        sides = [together(there[entry] for entry in both).name for both in drawn]
        names = dict(enumerate(sides))
        found.append(
            CorrectionLine(
                row=row,
                sides=" – ".join(sides),
                before=in_words(row.before) if row.before["how"] else "",
                after=in_words(row.after),
                winners=(names.get(row.before["winner"], ""), names.get(row.after["winner"], "")),
            )
        )
    return tuple(found)


def rows_of(event: Event) -> QuerySet[Correction]:
    """Return the corrections of an event with their makers and matches, the latest first.

    Those of matches whose deals other tables still play are left out.
    """
    rows = Correction.objects.filter(~sealed("pairing__table"), pairing__round__event=event)
    return rows.select_related("by", "pairing__round").order_by("-at", "-pk")


def _score(pair: tuple[int, int]) -> str:
    return f"{pair[0]}–{pair[1]}"


def count(event: Event, match: Pairing, ruling: Ruling) -> None:
    """Make the games of a finished match count as the ruling says; its event must be locked."""
    forfeit = ruling.ended == possible.FORFEIT
    wanted: dict[int, Outcome] = {}
    for number, score in enumerate(() if forfeit else ruling.scores, start=1):
        side = ruling.winner if len(ruling.scores) == 1 else matches.leader(*score)
        wanted[number] = Outcome(outcomes.results_of(side), score, outcomes.DIRECTOR, score)
    begun: set[int] = set()

    def decide(played: Played) -> Mapping[int, Outcome]:
        begun.update(game.number for game, _stands in played)
        if forfeit:
            game, outcome = played[-1]
            return {game.number: matches.forfeited(ruling.winner, outcome)}
        # If the games of a match of hands add up to the ruling, each counts as it was played, so
        # that taking a correction back leaves no trace.
        first, second = (sum(outcome.log[side] for _game, outcome in played) for side in (0, 1))
        if ruling.scores == ((first, second),) and matches.leader(first, second) == ruling.winner:
            return {}
        decided = {}
        for game, outcome in played:
            counts = outcome._replace(results=(None, None), score=outcome.log, how=outcomes.VOID)
            if game.number in wanted:
                counts = wanted[game.number]._replace(log=outcome.log)
            # Note only what differs from the log.
            if (counts.results, counts.score) != (outcome.results, outcome.score):
                decided[game.number] = counts
        return decided

    if match.table_id is not None:
        reserved.set_rulings(match.table_id, lambda played: decide(played) if played else {})
    unplayed = {number: one for number, one in wanted.items() if number not in begun}
    _count_unplayed(event, match, unplayed)


def count_nothing(event: Event, match: Pairing) -> None:
    """Let no game of a match count, which is to be played again; its event must be locked."""

    def void(played: Played) -> Mapping[int, Outcome]:
        return {
            game.number: outcome._replace(
                results=(None, None), score=outcome.log, how=outcomes.VOID
            )
            for game, outcome in played
        }

    if match.table_id is not None:
        reserved.set_rulings(match.table_id, void)
    _count_unplayed(event, match, {})


def _count_unplayed(event: Event, match: Pairing, unplayed: Mapping[int, Outcome]) -> None:
    """Replace the games of a match that have a result without having been begun, by number."""
    decided_at = match.decided or event.starts
    seats = matches.seated_then(match)
    performances.record_unplayed(match.pk, seats, event.rules, unplayed, decided_at)
