"""Names of players, and their places on a page."""

import pytest

from games.engine.deal import Deal
from games.engine.rules import HEADS_UP, PACK_SETS
from games.picture.cast import bottom_seat, cast_of, place_of
from games.picture.page import seats_of
from games.picture.phrases import together
from tests.games.picture.scenes import (
    EAST,
    NAMES,
    SOUTH,
    deal,
    view,
)

FOUR = NAMES[4]


def test_the_viewer_sits_at_the_bottom_and_the_next_player_to_his_left() -> None:
    places = {person.compass: place_of(person.seat, EAST, 4) for person in cast_of(FOUR)}
    assert places == {"East": "south", "South": "west", "West": "north", "North": "east"}


def test_heads_up_has_but_two_places() -> None:
    assert [place_of(seat, 0, 2) for seat in (0, 1)] == ["south", "north"]


def test_a_spectator_sees_south_at_the_bottom() -> None:
    assert place_of(SOUTH, None, 4) == "south"
    assert (bottom_seat(None, 4), bottom_seat(None, 2), bottom_seat(EAST, 4)) == (SOUTH, 1, EAST)


@pytest.mark.parametrize(
    ("names", "shorts"),
    [
        (("Ben Okafor", "Jonah", "Maeve", "Iris"), ["Ben", "Jonah", "Maeve", "Iris"]),
        (
            ("Ben Okafor", "Ben Pike", "Maeve", "Iris"),
            ["Ben Okafor", "Ben Pike", "Maeve", "Iris"],
        ),
        (("Ben", "Ben", "Maeve", ""), ["Ben (North)", "Ben (East)", "Maeve", "West"]),
        (("East", "", "Maeve", "Iris"), ["East (North)", "East (East)", "Maeve", "Iris"]),
        (
            ("Quiet Heron", "Late Curlew", "Maeve", "Quick Wren 1234"),
            ["Heron", "Curlew", "Maeve", "Wren 1234"],
        ),
        (
            ("Quiet Heron", "Quick Heron", "Maeve", "Heron"),
            ["Quiet Heron", "Quick Heron", "Maeve", "Heron (West)"],
        ),
        (("Hazel Plover", "Hazel", "Maeve", "Iris"), ["Plover", "Hazel (East)", "Maeve", "Iris"]),
        (("Hazel Pike", "Hazel", "Maeve", "Iris"), ["Hazel Pike", "Hazel (East)", "Maeve", "Iris"]),
        (("Ben Okafor", "ben Pike", "Maeve", "Iris"), ["Ben Okafor", "ben Pike", "Maeve", "Iris"]),
        (("You", "Ben", "Maeve", "Iris"), ["You (North)", "Ben", "Maeve", "Iris"]),
    ],
)
def test_short_names_tell_people_apart(names: tuple[str, ...], shorts: list[str]) -> None:
    assert [person.short for person in cast_of(names)] == shorts


def test_two_casts_are_alike_only_if_they_are_one() -> None:
    assert cast_of(FOUR) == cast_of(tuple(FOUR))
    assert cast_of(FOUR) != tuple(cast_of(FOUR))
    assert cast_of(FOUR) != cast_of((*FOUR[:3], "Otto"))


def test_sides_are_named_by_their_players() -> None:
    assert [together(cast_of(FOUR), side) for side in (0, 1)] == ["Ben and Maeve", "Jonah and Iris"]
    assert [together(cast_of(NAMES[2]), side) for side in (0, 1)] == ["Ben", "Maeve"]


def test_only_the_seat_opposite_is_the_partner() -> None:
    for seat, partner in ((SOUTH, "North"), (EAST, "West")):
        at = {one.name: one for one in seats_of(view(deal(), seat))}
        partners = [one.role for one in at.values() if "Partner" in one.role]
        assert partners == [f"Partner · {partner}"]
        sides = [at[name].side for name in ("north", "east", "south", "west")]
        assert sides == ["us", "them", "us", "them"]
    watching = seats_of(view(deal(), None))
    heads_up = seats_of(view(Deal.from_pack(HEADS_UP, 0, sorted(PACK_SETS[24])), 0))
    assert not any("Partner" in one.role for one in (*watching, *heads_up))
