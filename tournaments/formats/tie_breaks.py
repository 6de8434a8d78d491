"""The values of tie-breaks, after FIDE's Tie-Break Regulations (Handbook C.07).

They also define the value of unplayed rounds (16), what Buchholz cut 1 cuts first, the order by
direct encounter, here head-to-head (6), and that a forfeit counts like any result in a round robin,
where everybody meets everybody (15). The editions differ in 16.4, the value of an unplayed round
for the entrant; see `Edition`. Scores are added up in half wins, which are whole numbers except for
credits, and reported in wins. Two opponents on a side count as one with their mean score.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum, StrEnum
from fractions import Fraction
from itertools import groupby, takewhile
from typing import Final, NamedTuple

from games.figures import MINUS
from tournaments.formats.draw import EntrantTurn

TIE = 1  # in half wins
WIN = 2

Number = int | Fraction


class Edition(IntEnum):
    """An edition of the regulations, by the year in which it came into force.

    In the edition of 2023 an unplayed round counts as a match against an opponent with one's own
    score. From 1 March 2026 that score is capped: by the adjusted score of the scheduled opponent
    or, without one, by ties in all rounds (16.4.1, 16.4.2).
    """

    FIDE_2023 = 2023
    FIDE_2026 = 2026


CURRENT = Edition.FIDE_2026


class TieBreak(StrEnum):
    DUPLICATE = "duplicate"
    WINS = "wins"
    BUCHHOLZ_CUT_1 = "buchholz_cut_1"
    BUCHHOLZ = "buchholz"
    HEAD_TO_HEAD = "head_to_head"
    POINT_DIFFERENCE = "point_difference"
    SONNEBORN_BERGER = "sonneborn_berger"
    LONE_HANDS = "lone_hands"
    LOT = "lot"

    @property
    def label(self) -> str:
        return _WORDS[self][0]

    @property
    def short(self) -> str:
        return _WORDS[self][1]

    @property
    def meaning(self) -> str:
        return _WORDS[self][2]


_WORDS = {
    TieBreak.DUPLICATE: (
        "Score",
        "Score",
        "the score: on each deal the difference to the other tables, added up",
    ),
    TieBreak.WINS: ("Wins", "Wins", "wins, a tie being half a win"),
    TieBreak.BUCHHOLZ_CUT_1: (
        "Buchholz cut 1",
        f"Buch. {MINUS}1",
        "the wins of the opponents met but the lowest (Buchholz cut 1)",
    ),
    TieBreak.BUCHHOLZ: ("Buchholz", "Buch.", "the wins of the opponents met (Buchholz)"),
    TieBreak.HEAD_TO_HEAD: (
        "Head-to-head",
        "Head",
        "the wins among those who are still tied (head-to-head)",
    ),
    TieBreak.POINT_DIFFERENCE: (
        "Point difference",
        "Margin",
        "the margin: points won less points lost",
    ),
    TieBreak.SONNEBORN_BERGER: (
        "Sonneborn–Berger",
        "S–B",
        "the wins of the opponents beaten (Sonneborn–Berger)",
    ),
    TieBreak.LONE_HANDS: ("Lone hands", "Alone", "hands played alone that took all tricks"),
    TieBreak.LOT: ("Lot", "Lot", "a lot drawn at the start: the lower number goes first"),
}


#: The tie-breaks that only duplicate events have; the score comes first there.
OF_DUPLICATE: Final = frozenset({TieBreak.DUPLICATE})
#: The usual order of duplicate events. Wins say little, as the cards decide who can win a match.
DUPLICATE_ORDER: Final = (
    TieBreak.DUPLICATE,
    TieBreak.WINS,
    TieBreak.POINT_DIFFERENCE,
    TieBreak.LONE_HANDS,
)


class _Faced(NamedTuple):
    """What one round adds to Buchholz: the opponent's score, the result, whether one was absent."""

    score: Number
    half_wins: Number
    missed: bool


class Book:
    def __init__(
        self,
        turns: Mapping[int, Sequence[EntrantTurn]],
        *,
        round_robin: bool = False,
        edition: Edition = CURRENT,
    ) -> None:
        """Add up the scores of turns whose sit-outs have been credited."""
        self._edition = edition
        self.turns = (
            turns
            if not round_robin
            # A forfeit counts as played.
            else {
                entrant: [
                    turn._replace(available=True, played=True) if turn.opponents else turn
                    for turn in mine
                ]
                for entrant, mine in turns.items()
            }
        )
        self._scores = {entrant: _half_wins(mine) for entrant, mine in turns.items()}
        self._adjusted = (
            self._scores
            if round_robin
            else {entrant: _adjusted(mine) for entrant, mine in turns.items()}
        )
        self._round_robin = round_robin

    def value(self, tie_break: TieBreak, entrant: int) -> Fraction:
        """Return the value of a tie-break; raise ValueError for head-to-head and the lot."""
        match tie_break:
            case TieBreak.WINS:
                return Fraction(self._scores[entrant], WIN)
            case TieBreak.BUCHHOLZ:
                return Fraction(sum(faced.score for faced in self._faced(entrant)), WIN)
            case TieBreak.BUCHHOLZ_CUT_1:
                # Cut the lowest of the rounds missed voluntarily, or else the lowest of all.
                every = [one.score for one in self._faced(entrant)]
                missed = [one.score for one in self._faced(entrant) if one.missed]
                return Fraction(sum(every) - min(missed or every, default=0), WIN)
            case TieBreak.SONNEBORN_BERGER:
                products = (faced.score * faced.half_wins for faced in self._faced(entrant))
                return Fraction(sum(products), WIN * WIN)
        return self._sum(tie_break, entrant)

    def _sum(self, tie_break: TieBreak, entrant: int) -> Fraction:
        turns = self.turns[entrant]
        match tie_break:
            case TieBreak.DUPLICATE:
                return Fraction(sum(sum(turn.scores) for turn in turns))
            case TieBreak.POINT_DIFFERENCE:
                return Fraction(sum(turn.difference for turn in turns))
            case TieBreak.LONE_HANDS:
                return Fraction(sum(turn.lone_hands for turn in turns))
        raise ValueError(f"{tie_break} is not a value of an entrant alone")

    def _faced(self, entrant: int) -> list[_Faced]:
        """Return the scores faced in all rounds; an unplayed one counts as of `Edition`.

        In a round robin an unplayed round does not count at all.
        """
        faced = []
        for turn in self.turns[entrant]:
            if turn.played:
                faced.append(_Faced(self._adjusted_of(turn), turn.half_wins, missed=False))
            elif not self._round_robin:
                score = self._scores[entrant]
                if self._edition >= Edition.FIDE_2026:
                    rounds = len(self.turns[entrant])
                    most = self._adjusted_of(turn) if turn.opponents else TIE * rounds
                    score = min(score, most)
                faced.append(_Faced(score, turn.half_wins, missed=not turn.available))
        return faced

    def _adjusted_of(self, turn: EntrantTurn) -> Number:
        """Return the adjusted score of the opponents in a round, of two their mean."""
        scores = [self._adjusted[other] for other in turn.opponents]
        return scores[0] if len(scores) == 1 else Fraction(sum(scores), len(scores))

    def head_to_head(self, tied: Sequence[int]) -> dict[int, Fraction]:
        return {entrant: Fraction(self._among(entrant, set(tied)), WIN) for entrant in tied}

    def by_head_to_head(self, tied: Sequence[int]) -> list[list[int]]:
        """Split tied entrants by the matches among them, and each group that is left tied again.

        If not all have met, an entrant is placed first only if no result of the missing matches
        could bring another level; then the same is tried for the second, and so on. The best group
        is first; within a group entrants keep their order.
        """
        if len(tied) < 2:
            return [list(tied)]
        rivals = set(tied)
        wins = {entrant: self._among(entrant, rivals) for entrant in tied}
        met = {
            entrant: {one for turn in self.turns[entrant] if turn.played for one in turn.opponents}
            for entrant in tied
        }
        unmet = {entrant: len(rivals - met[entrant] - {entrant}) for entrant in tied}
        ordered = sorted(tied, key=wins.__getitem__, reverse=True)
        if any(unmet.values()):
            first = self._certain(ordered, wins, unmet)
            rest = [entrant for entrant in tied if entrant not in ordered[:first]]
            groups = [*([entrant] for entrant in ordered[:first]), rest]
        else:
            groups = [list(part) for _, part in groupby(ordered, key=wins.__getitem__)]
        groups = [group for group in groups if group]
        if len(groups) == 1:
            return [list(tied)]
        return [part for group in groups for part in self.by_head_to_head(group)]

    @staticmethod
    def _certain(
        ordered: Sequence[int], wins: Mapping[int, Number], unmet: Mapping[int, int]
    ) -> int:
        """Return how many at the front nobody behind them could catch up with."""
        for at, entrant in enumerate(ordered):
            behind = ordered[at + 1 :]
            if any(wins[other] + WIN * unmet[other] >= wins[entrant] for other in behind):
                return at
        return len(ordered)

    def _among(self, entrant: int, rivals: set[int]) -> Number:
        return sum(
            turn.half_wins
            for turn in self.turns[entrant]
            if turn.played
            for other in turn.opponents
            if other in rivals
        )


def _half_wins(turns: Sequence[EntrantTurn]) -> Number:
    return sum(turn.half_wins for turn in turns)


def _adjusted(turns: Sequence[EntrantTurn]) -> Number:
    """Return the score as opponents see it: trailing rounds without a pairing count as ties.

    Those are the rounds after somebody has left. A forfeit counts at face value, even the last one
    before leaving (16.2.4, 16.2.5, 16.3.1, 16.3.2).
    """
    missed = list(takewhile(lambda turn: not (turn.available or turn.opponents), reversed(turns)))
    return _half_wins(turns) - _half_wins(missed) + TIE * len(missed)
