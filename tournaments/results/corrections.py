"""The results that directors set or changed: what games count for then, and all of it in words.

Places follow the match, records its games: both are told here from one result. A game of which the
table's log says something else counts as it was set; one that was not begun is noted without a log;
one beyond the result counts for nobody.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Prefetch, QuerySet

from games.models import Player
from games.records import outcomes, performances
from games.records.outcomes import Outcome
from games.seats import reserved
from tournaments.models import Correction, Event, Pairing, PairingEntry
from tournaments.results import matches, possible
from tournaments.results.match_lines import Team, together
from tournaments.results.matches import Played
from tournaments.results.possible import Ruling

HOW: Final = {"time": "on time", "forfeit": "by forfeit"}


@dataclass(frozen=True, slots=True)
class CorrectionLine:
    """A result that was set or changed.

    row: with its maker, match and round. before, after: the results in words; `before` is empty
    where there was none. winners: who won before and after, by name; empty for a tie or nobody.
    """

    row: Correction
    sides: str
    before: str
    after: str
    winners: tuple[str, str]


def told(values: Mapping[str, Any]) -> str:
    """Return a result as corrections keep it: "10–7", "2–1 (10–6, 7–10, 10–9)", "forfeit"."""
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
    """Return all corrections of an event, the latest first; in two queries.

    teams: all entries drawn, by number.
    """
    lines = PairingEntry.objects.order_by("side", "position")
    rows = rows_of(event).prefetch_related(Prefetch("pairing__entries", lines))
    found = []
    for row in rows:
        drawn = [row.pairing.drawn_on(side) for side in (0, 1)]
        sides = [together(teams[entry] for entry in both).name for both in drawn]
        names = dict(enumerate(sides))
        found.append(
            CorrectionLine(
                row=row,
                sides=" – ".join(sides),
                before=told(row.before) if row.before["how"] else "",
                after=told(row.after),
                winners=(names.get(row.before["winner"], ""), names.get(row.after["winner"], "")),
            )
        )
    return tuple(found)


def rows_of(event: Event) -> QuerySet[Correction]:
    """Return the corrections of an event with their makers and matches, the latest first."""
    rows = Correction.objects.filter(pairing__round__event=event)
    return rows.select_related("by", "pairing__round").order_by("-at", "-pk")


def _score(pair: tuple[int, int]) -> str:
    return f"{pair[0]}–{pair[1]}"


def count(event: Event, match: Pairing, ruling: Ruling) -> None:
    """Let the games of a match that is over count as its result says; the event's row is held."""
    forfeit = ruling.ended == possible.FORFEIT
    wanted: dict[int, Outcome] = {}
    for number, score in enumerate(() if forfeit else ruling.scores, start=1):
        side = ruling.winner if len(ruling.scores) == 1 else matches.leader(*score)
        wanted[number] = Outcome(outcomes.results_of(side), score, outcomes.DIRECTOR, score)
    begun: set[int] = set()

    def decide(played: Played) -> Mapping[int, Outcome]:
        begun.update(game.number for game, _stands in played)
        if forfeit:
            game, stands = played[-1]
            return {game.number: matches.forfeited(ruling.winner, stands)}
        # Where the games of a match that counts hands say its result together, each counts as it
        # was played; so a correction that is taken back leaves nothing.
        first, second = (sum(stands.log[side] for _game, stands in played) for side in (0, 1))
        if ruling.scores == ((first, second),) and matches.leader(first, second) == ruling.winner:
            return {}
        decided = {}
        for game, stands in played:
            counts = stands._replace(results=(None, None), score=stands.log, how=outcomes.VOID)
            if game.number in wanted:
                counts = wanted[game.number]._replace(log=stands.log)
            # What counts as the log says is not noted.
            if (counts.results, counts.score) != (stands.results, stands.score):
                decided[game.number] = counts
        return decided

    if match.table_id is not None:
        reserved.rule(match.table_id, lambda played: decide(played) if played else {})
    unplayed = {number: one for number, one in wanted.items() if number not in begun}
    # Who was to play, by position.
    lines = PairingEntry.objects.filter(pairing=match).order_by("side", "position")
    sides: tuple[list[Player], list[Player]] = ([], [])
    for line in lines.prefetch_related("entry__players__player"):
        sides[line.side].extend(one.player for one in line.entry.players.all())
    seats = [player for both in zip(*sides, strict=True) for player in both]
    decided_at = match.decided or event.starts
    performances.note_unplayed(match.pk, seats, event.rules, unplayed, decided_at)
