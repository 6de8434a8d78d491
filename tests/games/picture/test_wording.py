"""Texts that read differently to different viewers."""

import pytest

from games.picture.cast import cast_of, company_of
from games.picture.wording import WATCHING, Wording, either, for_each, in_both, read, viewer_bit
from tests.games.picture.scenes import EAST, NAMES, NORTH, SOUTH, WEST

SEATS = (NORTH, EAST, SOUTH, WEST)
VIEWERS = (*SEATS, None)


def as_read(text: str) -> list[str]:
    """What each seat and a spectator read."""
    return [read(text, viewer_bit(seat)) for seat in VIEWERS]


def test_each_reads_his_own_wording() -> None:
    text = f"Then {either(1 << EAST, 'you pass', 'Jonah passes')}."
    assert as_read(text) == ["Then Jonah passes.", "Then you pass."] + ["Then Jonah passes."] * 3


def test_a_text_may_hold_many_choices() -> None:
    one, other = either(1 << NORTH, "You", "Ben"), either(1 << WEST | WATCHING, "", "!")
    assert as_read(f"{one} and {one}{other}") == [
        "You and You!", "Ben and Ben!", "Ben and Ben!", "Ben and Ben", "Ben and Ben",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "texts",
    [
        ("a", "a", "a", "a", "a"),
        ("a", "b", "a", "b", "a"),
        ("a", "b", "c", "d", "e"),
        ("a", "", "b"),
    ],
)
def test_what_is_given_for_each_is_read_by_each(texts: tuple[str, ...]) -> None:
    viewers = (*range(len(texts) - 1), None)
    text = for_each(texts)
    assert [read(text, viewer_bit(seat)) for seat in viewers] == list(texts)


def test_what_all_read_alike_is_no_choice() -> None:
    assert for_each(("a", "a", "a")) == "a"
    assert Wording("a").read(WATCHING) == "a"


def test_both_wordings_can_be_made_into_something_else() -> None:
    text = in_both(str.upper, either(1 << SOUTH, "you", "Maeve"))
    assert as_read(text) == ["MAEVE", "MAEVE", "YOU", "MAEVE", "MAEVE"]
    assert in_both(str.upper, "all") == "ALL"


@pytest.mark.parametrize("count", [2, 4])
def test_a_company_tells_each_viewer_what_his_cast_does(count: int) -> None:
    company = company_of(NAMES[count])
    for viewer in (*range(count), None):
        cast, bit = cast_of(NAMES[count], viewer), viewer_bit(viewer)
        assert company.cast(viewer) is cast
        for person, anybody in zip(cast, company.told, strict=True):
            assert read(anybody.subject, bit) == person.subject
            assert read(anybody.lower, bit) == person.lower
            assert read(anybody.own, bit) == person.own
            assert read(anybody.does("win", "wins"), bit) == person.does("win", "wins")
            assert read(anybody.for_us("ours", "theirs"), bit) == person.for_us("ours", "theirs")


def test_a_name_cannot_hold_a_choice() -> None:
    names = (either(1 << EAST, "Ace of Spades", "Ben"), "Jonah", "Maeve", "Iris")
    for viewer in (EAST, None):
        assert cast_of(names, viewer)[NORTH].name == "2Ace of SpadesBen"
