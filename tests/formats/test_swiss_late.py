"""Late entries in a Swiss: they are last in the order for byes, whatever the draw."""

from collections.abc import Mapping
from random import Random

from tests.formats.results import played
from tests.loops import looped
from tests.volume import SIZES, volume
from tournaments.formats import swiss
from tournaments.formats.draw import Draw, PlayedRound
from tournaments.formats.swiss_field import teams_of

#: Worth of a round missed, in half wins.
WORTH = (0, 1, 2)


def check_bye(
    field: list[int], history: list[PlayedRound], credit: Mapping[int, int], draw: Draw
) -> None:
    """Nobody who comes before the team with the bye in the order could have had it.

    Independent of the search: by score, and of equal scores by rounds missed by coming late, as in
    FIDE's rules for the pairing-allocated bye; whoever has only just come is after all others.
    """
    (idle,) = draw.sit_outs
    teams = {team.entrant: team for team in teams_of(field, history, credit)}
    there = [past.present for past in history]

    def order(entrant: int) -> tuple[bool, int, int]:
        missed = next((at for at, past in enumerate(there) if entrant in past), len(there))
        return missed == len(there) > 0, teams[entrant].score, missed

    for other in field:
        if order(other) < order(idle) and not teams[other].had_bye:
            rest = [one for one in field if one != other]
            assert swiss.rounds_left(rest, history, 1) == 0, (idle, other)


@looped("size", [size for size in SIZES if 4 <= size <= 40])
@looped("worth", WORTH)
def test_byes_over_many_draws(size: int, worth: int) -> None:
    byes_of_new = draws = 0
    for seed in range(volume(4, 4, 12)):
        rng = Random(f"{size} {worth} {seed}")
        field, history, credit = list(range(size - size % 2)), list[PlayedRound](), {}
        comes = rng.randrange(1, 3)
        for number in range(4):
            if number == comes:
                late = len(field)
                field.append(late)
                credit[late] = worth * number
            draw = swiss.pair(field, history, rng, 0, credit)
            if draw.sit_outs:
                check_bye(field, history, credit, draw)
            if number == comes:
                draws += 1
                byes_of_new += late in draw.sit_outs
            history.append(played(draw, rng))
    assert byes_of_new == 0 < draws


def test_a_late_team_has_the_bye_where_everybody_else_had_one() -> None:
    draw = swiss.pair([0, 1, 2], [PlayedRound((), (0, 1))], Random(1))
    assert draw.sit_outs == (2,)
