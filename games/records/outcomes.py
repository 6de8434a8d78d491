"""The outcome of a game, for pages, records, API and exports alike.

The table's log says what was played. At a reserved table a director may set another result
(`Game.ruling`), which then counts and is shown together with the log's. A side that resigns has
lost, whatever the score. A game in which a hint was asked for, or house players have taken back
cards that they had shown, is practice and has no result, even if it was resigned.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from games.models import Game
from games.models.log import RESIGNED
from games.records import LOST, TIED, WON

PLAYED, TIME, GIVEN_UP = "played", "time", "given up"
#: The sources of a result other than the log's.
DIRECTOR, FORFEIT, LOT, VOID = "director", "forfeit", "lot", "void"
PRACTICE = "practice"
RULED: Final = {
    DIRECTOR: "set by a director",
    FORFEIT: "by forfeit",
    LOT: "by lot",
    VOID: "not counted by a director",
    RESIGNED: "by resignation",
    PRACTICE: "practice: with hints, or the house took cards back",
}

Results = tuple[int | None, int | None]


class Outcome(NamedTuple):
    """The outcome of a game.

    `results` of both sides are 1 for won, 0 for tied, -1 for lost, None if nothing counts. `score`
    counts, `log` is the score by the table's log, and `how` is one of the constants above.
    """

    results: Results
    score: tuple[int, int]
    how: str
    log: tuple[int, int]

    @property
    def winner(self) -> int:
        return self.results.index(WON) if WON in self.results else -1

    @property
    def counts(self) -> bool:
        return self.results != (None, None)

    @property
    def ruled(self) -> str:
        return RULED.get(self.how, "")

    @property
    def differs(self) -> str:
        if not self.ruled or self.log == self.score:
            return ""
        return f"the table’s log says {self.log[0]}–{self.log[1]}"

    @property
    def said(self) -> str:
        """Return `ruled` and `differs`: "set by a director; the table’s log says 4–10"."""
        return "; ".join(part for part in (self.ruled, self.differs) if part)

    def seen_from(self, side: int) -> Outcome:
        if side == 0:
            return self
        return Outcome(self.results[::-1], self.score[::-1], self.how, self.log[::-1])


def results_of(winner: int) -> Results:
    """Return the results of both sides; `winner` is -1 for a tie."""
    return (TIED, TIED) if winner < 0 else (LOST, WON) if winner else (WON, LOST)


def by_log(game: Game) -> Outcome:
    score = (game.score_0, game.score_1)
    if game.state == Game.State.OVER:
        return Outcome(results_of(game.winner), score, PLAYED, score)
    if game.state == Game.State.ABANDONED and game.table.reserved and game.counts:
        leader = -1 if score[0] == score[1] else int(score[1] > score[0])
        return Outcome(results_of(leader), score, TIME, score)
    return Outcome((None, None), score, GIVEN_UP, score)


def outcome_of(game: Game) -> Outcome:
    """Return the outcome of an ended game; select its table with it to save a query."""
    logged = by_log(game)
    if game.for_practice:
        return Outcome((None, None), logged.log, PRACTICE, logged.log)
    if game.ruling is None:
        return logged
    first, second = game.ruling["results"]
    score = tuple(game.ruling["score"])
    return Outcome((first, second), (score[0], score[1]), game.ruling["how"], logged.log)


def ruling(results: Results, score: tuple[int, int], how: str) -> dict[str, Any]:
    return {"results": list(results), "score": list(score), "how": how}
