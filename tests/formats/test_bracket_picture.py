"""The picture of a knock-out: nothing lies over anything, every line joins what it should."""

from collections.abc import Callable, Sequence
from itertools import combinations, pairwise
from random import Random

from tests.formats.results import decided
from tests.loops import looped
from tournaments.formats import bracket
from tournaments.formats.bracket import BracketPart, Node, SlotSource
from tournaments.formats.bracket_picture import (
    FROM_AFAR,
    ON_PAPER,
    Box,
    BracketPicture,
    Division,
    champion,
    match_names,
    matches,
    origin,
    picture,
    sheets,
    titles,
)
from tournaments.formats.double_elimination import DoubleElimination
from tournaments.formats.draw import PlayedRound
from tournaments.formats.single_elimination import SingleElimination

SINGLE, DOUBLE = SingleElimination(), DoubleElimination()

SIZE = (240, 112)
SIZES = [*range(2, 34), 48, 63, 64, 65, 100, 128, 129, 200, 255, 256]
Nodes = Callable[[Sequence[int], Sequence[PlayedRound]], list[Node]]


def places(drawn: BracketPicture) -> list[Box]:
    """Return all places of a whole picture, the champion's last."""
    assert drawn.crown is not None
    return [*drawn.boxes, drawn.crown]


def with_third_place(entrants: Sequence[int], history: Sequence[PlayedRound]) -> list[Node]:
    return SINGLE.nodes(entrants, history, third_place=True)


KINDS: dict[str, Nodes] = {
    "single": SINGLE.nodes,
    "third place": with_third_place,
    "double": DOUBLE.nodes,
}


def absent_now_and_then(kind: str, entrants: int) -> list[Node]:
    """A bracket at its end in which neither side came to some matches."""
    field, history, rng = [*range(100, 100 + entrants)], list[PlayedRound](), Random(entrants)
    while (draw := bracket.draw(KINDS[kind](field, history))).pairings:
        matches = decided(draw, rng).matches
        some = (
            one._replace(winner=-1, forfeit=True) if rng.random() < 0.3 else one for one in matches
        )
        history.append(PlayedRound(tuple(some), draw.sit_outs))
    return KINDS[kind](field, history)


@looped("kind", KINDS)
@looped("entrants", [*range(2, 34), 64])
def test_a_bracket_with_absent_sides_is_drawn_up_to_its_final(kind: str, entrants: int) -> None:
    nodes = absent_now_and_then(kind, entrants)
    drawn = picture(nodes, SIZE)
    assert drawn.crown is not None
    assert drawn.champion == nodes[-1].winner
    for one, other in combinations(drawn.boxes, 2):
        apart = one.right <= other.left or other.right <= one.left
        assert apart or one.bottom <= other.top or other.bottom <= one.top
    assert all(sheet for sheet in sheets(nodes))


def played(kind: str, entrants: int, rounds: int, better: float = 0.6) -> list[Node]:
    """A bracket of so many entrants after so many rounds, or at its end."""
    field, history, rng = [*range(100, 100 + entrants)], list[PlayedRound](), Random(entrants)
    for _ in range(rounds):
        draw = bracket.draw(KINDS[kind](field, history))
        if not draw.pairings:
            break
        history.append(decided(draw, rng, better))
    return KINDS[kind](field, history)


def stages(kind: str, entrants: int) -> list[list[Node]]:
    """The bracket at its start, in the middle and at its end."""
    return [played(kind, entrants, rounds) for rounds in (0, 2, 4, 99)]


def overlap(one: Box, other: Box) -> bool:
    return (
        one.left < other.right
        and other.left < one.right
        and one.top < other.bottom
        and other.top < one.bottom
    )


def boxes_by_match(drawn: BracketPicture) -> dict[int | None, Box]:
    return {box.node: box for box in places(drawn)}


@looped("kind", KINDS)
@looped("entrants", SIZES)
def test_no_two_boxes_overlap_and_all_lie_in_the_picture(kind: str, entrants: int) -> None:
    for nodes in stages(kind, entrants):
        drawn = picture(nodes, SIZE)
        every = places(drawn)
        columns: dict[int, list[Box]] = {}
        for box in every:
            columns.setdefault(box.left, []).append(box)
        assert not [
            pair for one in columns.values() for pair in combinations(one, 2) if overlap(*pair)
        ]
        widths = {left: max(box.right for box in one) for left, one in columns.items()}
        assert all(widths[left] < right for left, right in pairwise(sorted(columns)))
        assert min(box.top for box in every) >= 0
        assert max(box.right for box in every) <= drawn.width
        assert max(box.bottom for box in every) <= drawn.height


@looped("kind", KINDS)
@looped("entrants", SIZES)
def test_every_line_joins_a_match_with_the_one_its_winner_goes_to(kind: str, entrants: int) -> None:
    for nodes in stages(kind, entrants):
        drawn = picture(nodes, SIZE)
        boxes = boxes_by_match(drawn)
        sources = [line.source for line in drawn.lines]
        third = [at for at in matches(nodes) if nodes[at].spot.part is BracketPart.THIRD_PLACE]
        assert sorted(sources + third) == sorted(
            box.node for box in drawn.boxes if box.node is not None
        )
        for line in drawn.lines:
            source, target = boxes[line.source], boxes[line.target]
            assert line.points[0] == (source.right, source.middle)
            assert line.points[-1] == (target.left, target.middle)
            for (left, top), (right, bottom) in pairwise(line.points):
                assert left == right or top == bottom
            winner = nodes[line.source].winner
            if winner is not None and line.target is not None:
                assert winner in nodes[line.target].sides


@looped("kind", KINDS)
@looped("entrants", [2, 3, 5, 6, 7, 8, 11, 12, 16, 21, 31, 32])
def test_no_line_runs_over_a_box(kind: str, entrants: int) -> None:
    for nodes in stages(kind, entrants):
        drawn = picture(nodes, SIZE)
        for line in drawn.lines:
            for (x1, y1), (x2, y2) in pairwise(line.points):
                left, right, top, bottom = min(x1, x2), max(x1, x2), min(y1, y2), max(y1, y2)
                crossed = [
                    box.node
                    for box in places(drawn)
                    if left < box.right
                    and box.left < right
                    and top < box.bottom
                    and box.top < bottom
                ]
                assert crossed == []


@looped("kind", KINDS)
@looped("entrants", [2, 3, 8, 13, 64])
def test_headings_are_above_their_columns(kind: str, entrants: int) -> None:
    nodes = played(kind, entrants, 99)
    drawn = picture(nodes, SIZE)
    words = [heading.words for heading in drawn.headings]
    assert len(set(words)) == len(words)
    assert words[-1] == "Winner"
    for heading in drawn.headings:
        place = Box(None, heading.left, heading.base - 24, SIZE[0], 28)
        assert not [box for box in drawn.boxes if overlap(place, box)]
        assert any(box.left == heading.left for box in places(drawn))


@looped("kind", KINDS)
@looped("better", [0.0, 0.5, 1.0])
def test_golden_line_follows_the_champion(kind: str, better: float) -> None:
    nodes = played(kind, 12, 99, better)
    drawn = picture(nodes, SIZE)
    golden = [line for line in drawn.lines if line.golden]
    assert drawn.champion == champion(nodes)
    assert drawn.champion is not None
    assert golden[-1].target is None
    for line in golden[:-1]:
        assert nodes[line.source].winner == drawn.champion
        assert line.target is not None
        assert drawn.champion in nodes[line.target].sides


def test_no_golden_line_before_the_end() -> None:
    drawn = picture(played("double", 8, 3), SIZE)
    assert drawn.champion is None
    assert not [line for line in drawn.lines if line.golden]


def test_a_bye_is_no_match() -> None:
    nodes = played("single", 6, 0)
    assert [nodes[at].sides for at in matches(nodes)[:2]] == [(103, 104), (102, 105)]
    assert len(matches(nodes)) == 5
    drawn = picture(nodes, SIZE)
    starts = {box.left for box in drawn.boxes}
    assert len(starts) == 3


def test_unneeded_second_final_is_left_out() -> None:
    by_favourites = played("double", 4, 99, better=1.0)
    parts = [by_favourites[at].spot.part for at in matches(by_favourites)]
    assert BracketPart.RESET not in parts
    assert parts[-1] is BracketPart.FINAL
    assert champion(by_favourites) == 100


def test_possible_second_final_is_shown() -> None:
    parts = [node.spot.part for node in played("double", 4, 0)]
    assert parts[-1] is BracketPart.RESET
    assert len(matches(played("double", 4, 0))) == len(parts)


def test_rounds_of_a_single_elimination_have_their_names() -> None:
    assert list(titles(played("third place", 16, 0)).values()) == [
        "Round of 16",
        "Quarter-finals",
        "Semi-finals",
        "Third place",
        "Final",
    ]


def test_rounds_of_a_double_elimination_have_their_names() -> None:
    assert list(titles(played("double", 8, 0)).values()) == [
        "Winners’ round 1",
        "Winners’ semi-finals",
        "Winners’ final",
        "Losers’ round 1",
        "Losers’ round 2",
        "Losers’ round 3",
        "Losers’ final",
        "Final",
        "Second final",
    ]


def test_matches_have_names() -> None:
    names = match_names(played("third place", 6, 0))
    assert list(names.values()) == [
        "Quarter-final 1",
        "Quarter-final 2",
        "Semi-final 1",
        "Semi-final 2",
        "Third place",
        "Final",
    ]
    assert "Losers’ round 1, match 2" in match_names(played("double", 8, 0)).values()


def test_match_origins_skip_byes() -> None:
    nodes = played("double", 3, 0)
    names = match_names(nodes)
    final = next(at for at, node in enumerate(nodes) if node.spot.part is BracketPart.FINAL)
    winners_final, losers_final = (origin(nodes, final, side)[1] for side in (0, 1))
    assert names[winners_final] == "Winners’ final"
    comes, where = origin(nodes, losers_final, 1)
    assert (comes, names[where]) == (SlotSource.LOSER, "Winners’ semi-final")
    assert origin(nodes, winners_final, 0) == (SlotSource.SEED, 0)


@looped("kind", KINDS)
@looped("entrants", [9, 16, 21, 32, 64])
@looped("divisions", [FROM_AFAR, ON_PAPER])
def test_sheets_hold_every_match_once_at_a_readable_size(
    kind: str, entrants: int, divisions: tuple[Division, Division]
) -> None:
    nodes = played(kind, entrants, 99)
    found = sheets(nodes, divisions) or [matches(nodes)]
    most = 3 if divisions == FROM_AFAR else 8
    assert sorted(at for sheet in found for at in sheet) == sorted(matches(nodes))
    for sheet in found:
        drawn = picture(nodes, SIZE, sheet)
        columns = {box.left for box in drawn.boxes}
        assert len(columns) <= most
        assert not [pair for pair in combinations(drawn.boxes, 2) if overlap(*pair)]
    assert [bool(picture(nodes, SIZE, sheet).crown) for sheet in found] == [
        number == len(found) for number in range(1, len(found) + 1)
    ]


def test_a_small_bracket_needs_no_sheets() -> None:
    assert sheets(played("single", 32, 1), ON_PAPER) == []


@looped("entrants", [8, 32])
def test_winners_and_losers_have_a_sheet_each(entrants: int) -> None:
    assert len(sheets(played("double", entrants, 1), ON_PAPER)) == 2
