"""How a game ended: the one place that says it, for pages, records, API and exports.

The table's log says what was played. Where seats are given, whoever gave them may set another
result (`Game.ruling`): that one counts, and what the log says is told beside it. A side that
resigns has lost, whatever the score is then. A game in which house players have taken back cards
that they had shown is practice: it has no result.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from games.models import Game
from games.models.log import RESIGNED
from games.records import LOST, TIED, WON

PLAYED, TIME, GIVEN_UP = "played", "time", "given up"
#: How a result came about that is not the log's.
DIRECTOR, FORFEIT, LOT, VOID = "director", "forfeit", "lot", "void"
PRACTICE = "practice"
RULED: Final = {
    DIRECTOR: "set by a director",
    FORFEIT: "by forfeit",
    LOT: "by lot",
    VOID: "not counted by a director",
    RESIGNED: "by resignation",
    PRACTICE: "practice: the house took cards back",
}

Results = tuple[int | None, int | None]


class Outcome(NamedTuple):
    """How a game ended.

    Attributes:
        results: of both sides: 1 for won, 0 for a tie, -1 for lost, None where nothing counts.
        score: the points that count.
        how: one of the words above.
        log: the score by the table's log.
    """

    results: Results
    score: tuple[int, int]
    how: str
    log: tuple[int, int]

    @property
    def winner(self) -> int:
        """The side that won, or -1."""
        return self.results.index(WON) if WON in self.results else -1

    @property
    def counts(self) -> bool:
        """Whether it has a result."""
        return self.results != (None, None)

    @property
    def ruled(self) -> str:
        """How the result came about where it is not the log's, in words, or empty."""
        return RULED.get(self.how, "")

    @property
    def differs(self) -> str:
        """What the table's log says, where the points are others; or empty."""
        if not self.ruled or self.log == self.score:
            return ""
        return f"the table’s log says {self.log[0]}–{self.log[1]}"

    @property
    def said(self) -> str:
        """Both: "set by a director; the table’s log says 4–10"."""
        return "; ".join(part for part in (self.ruled, self.differs) if part)

    def seen_from(self, side: int) -> Outcome:
        """The same with the points of a side first."""
        if side == 0:
            return self
        return Outcome(self.results[::-1], self.score[::-1], self.how, self.log[::-1])


def results_of(winner: int) -> Results:
    """Return what both sides have when one has won, or with -1 none."""
    return (TIED, TIED) if winner < 0 else (LOST, WON) if winner else (WON, LOST)


def by_log(game: Game) -> Outcome:
    """Return how a game ended by its log alone."""
    score = (game.score_0, game.score_1)
    if game.state == Game.State.OVER:
        return Outcome(results_of(game.winner), score, PLAYED, score)
    if game.state == Game.State.ABANDONED and game.table.reserved and game.counts:
        leader = -1 if score[0] == score[1] else int(score[1] > score[0])
        return Outcome(results_of(leader), score, TIME, score)
    return Outcome((None, None), score, GIVEN_UP, score)


def outcome_of(game: Game) -> Outcome:
    """Return how a game that has ended did so; read its table beforehand."""
    stands = by_log(game)
    if game.ruling is None:
        return stands
    first, second = game.ruling["results"]
    score = tuple(game.ruling["score"])
    return Outcome((first, second), (score[0], score[1]), game.ruling["how"], stands.log)


def ruling(results: Results, score: tuple[int, int], how: str) -> dict[str, Any]:
    """Return a ruling as a game keeps it."""
    return {"results": list(results), "score": list(score), "how": how}
