"""FIDE's own exercise on tie-breaks: a Swiss of sixteen in five rounds, with every kind of absence.

The cross-table and the solutions are those of the exercise that FIDE's Technical Commission
published for the regulations of 2023 (https://tec.fide.com/2024/03/18/tie-break-exercise/; see also
M. Held, "Exercises in Tie-Breaking", https://arbiters.fide.com/news/9119). They are taken from the
tests of two programs for chess tournaments, which agree: marceljuenemann/tiebreak (the table and
the first solutions) and Sharly-Chess/sharly-chess (the table and all solutions).

For the edition in force since 1 March 2026 the values are those of the program of FIDE's Technical
Commission (TieBreakServer 1.9.57, which gives the published ones for the edition before). They
differ for three players: 4 asked for a bye in round 2, 6 had one, and 11 won by forfeit against 9.
"""

from fractions import Fraction

import pytest

from tournaments.formats.draw import EntrantTurn
from tournaments.formats.standings import EntrantStanding, ranked
from tournaments.formats.tie_breaks import Edition, TieBreak

# Result and opponent in each round: + won, = tied, - lost, F by forfeit, BYE a sit-out drawn (+)
# or asked for (=), -- absent.
CROSS_TABLE = {
    1: "+9 =13 =2 +15 =4",
    2: "+10 +7 =1 +16 =3",
    3: "=11 +6 +8 =4 =2",
    4: "+12 =BYE +13 =3 =1",
    5: "-13 -15 +11 =7 +10",
    6: "-14 -3 +BYE +10 +8",
    7: "+15 -2 -16 =5 -11",
    8: "=16 +14 -3 +13 -6",
    9: "-1 -10 =BYE -F11 +BYE",
    10: "-2 +9 -15 -6 -5",
    11: "=3 -16 -5 +F9 +7",
    12: "-4 +BYE +F14 -- --",
    13: "+5 =1 -4 -8 -14",
    14: "+6 -8 -F12 -- +13",
    15: "-7 +5 +10 -1 -16",
    16: "=8 +11 +7 -2 +15",
}
WINS = {
    1: 3.5, 2: 4, 3: 3.5, 4: 3.5, 5: 2.5, 6: 3, 7: 1.5, 8: 2.5,
    9: 1.5, 10: 1, 11: 2.5, 12: 2, 13: 1.5, 14: 2, 15: 2, 16: 3.5,
}  # fmt: skip
BUCHHOLZ = {
    1: 12.5, 2: 13, 3: 15.5, 4: 15, 5: 8.5, 6: 12, 7: 14.5, 8: 13.5,
    9: 9, 10: 13, 11: 13.5, 12: 11.5, 13: 14, 14: 11, 15: 12, 16: 12.5,
}  # fmt: skip
BUCHHOLZ_CUT_1 = {
    1: 11, 3: 13, 4: 11.5, 5: 7.5, 7: 12.5, 8: 12,
    9: 7.5, 11: 12, 12: 9.5, 13: 12, 14: 9, 15: 11, 16: 11,
}  # fmt: skip
SONNEBORN_BERGER = {
    1: 8, 2: 9.5, 3: 10.5, 4: 9.75, 5: 4.25, 6: 6.5, 7: 3.25, 8: 5.25,
    9: 2.25, 10: 1.5, 11: 5.75, 12: 4, 13: 4.25, 14: 4.5, 15: 3.5, 16: 7.25,
}  # fmt: skip
#: What the edition of 2026 changes.
AMENDED = {
    TieBreak.BUCHHOLZ: {4: 14, 6: 11.5, 11: 12.5},
    TieBreak.BUCHHOLZ_CUT_1: {6: 10.5, 11: 11},
    TieBreak.SONNEBORN_BERGER: {4: 9.25, 6: 6, 11: 4.75},
}


def turn(entry: str) -> EntrantTurn:
    """A round as the cross-table has it."""
    if entry == "--":
        return EntrantTurn()
    half_wins = "-=+".index(entry[0])
    if entry[1:] == "BYE":
        return EntrantTurn(half_wins=half_wins, available=half_wins == 2)
    if entry[1] == "F":
        return EntrantTurn(
            half_wins=half_wins, opponents=(int(entry[2:]),), available=half_wins == 2
        )
    return EntrantTurn(
        half_wins=half_wins, opponents=(int(entry[1:]),), available=True, played=True
    )


def table(edition: Edition) -> dict[int, EntrantStanding]:
    """The standings of the exercise."""
    turns = {player: [turn(entry) for entry in row.split()] for player, row in CROSS_TABLE.items()}
    order = [which for which in TieBreak if which is not TieBreak.LOT]
    lots = {player: player for player in turns}
    return {
        standing.entrant: standing
        for standing in ranked(list(turns), turns, order, lots, edition=edition)
    }


@pytest.mark.parametrize(
    ("tie_break", "published"),
    [
        (TieBreak.WINS, WINS),
        (TieBreak.BUCHHOLZ, BUCHHOLZ),
        (TieBreak.BUCHHOLZ_CUT_1, BUCHHOLZ_CUT_1),
        (TieBreak.SONNEBORN_BERGER, SONNEBORN_BERGER),
    ],
)
def test_values_match_the_published_exercise(
    tie_break: TieBreak, published: dict[int, float]
) -> None:
    for edition, amended in (
        (Edition.FIDE_2023, {}), (Edition.FIDE_2026, AMENDED.get(tie_break, {})),
    ):  # fmt: skip
        expected = published | amended
        lines = table(edition)
        values = {player: lines[player].values[tie_break] for player in expected}
        assert values == {player: Fraction(value) for player, value in expected.items()}
