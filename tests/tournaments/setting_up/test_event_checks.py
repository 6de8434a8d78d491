"""Which settings of an event go together, and what is said where they do not."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError

from games.engine.rules import CLASSIC_24, HEADS_UP, rules_to_data
from tests.tournaments.build import MINUTE, NOON
from tournaments.formats.registry import FORMATS
from tournaments.models import Event

M = Event.Match
EARLY = NOON - timedelta(hours=2)


def event(**fields: Any) -> Event:
    """An event whose settings go together, but for those given."""
    form = fields.get("format", "swiss")
    usual = {
        "rules_data": rules_to_data(CLASSIC_24),
        "format": form,
        "tie_breaks": [str(one) for one in FORMATS[form].usual_order],
        "capacity": 16,
        "minimum": 4,
        "registration_opens": EARLY,
        "registration_closes": NOON,
        "starts": NOON,
    }
    return Event(**{**usual, **fields})


def wrong(**fields: Any) -> dict[str, list[str]]:
    """What is said about an event with such settings, by field."""
    try:
        event(**fields).clean()
    except ValidationError as error:
        return error.message_dict
    return {}


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("most", [4, 64])
def test_every_format_can_be_played_with_its_usual_settings(form: str, most: int) -> None:
    one = FORMATS[form]
    size = max(one.least_entries, min(most, one.most_entries))
    assert wrong(format=form, capacity=size, minimum=one.least_entries) == {}


@pytest.mark.parametrize("form", FORMATS)
def test_heads_up_is_not_for_formats_that_change_partners(form: str) -> None:
    least = FORMATS[form].least_entries
    said = wrong(format=form, rules_data=rules_to_data(HEADS_UP), minimum=least)
    if FORMATS[form].individual or FORMATS[form].duplicate:
        assert "four players" in said["format"][0]
    else:
        assert said == {}


def test_a_duplicate_round_has_a_number_of_deals_and_its_score_comes_first() -> None:
    own = ["lone_hands", "wins"]
    made = event(format="duplicate", match="best_of_3", minimum=12, tie_breaks=own)
    made.clean()
    assert (made.match, made.deals) == ("deals", 4)
    assert made.tie_breaks == ["duplicate", *own]
    made = event(format="duplicate", deals=8, minimum=12, tie_breaks=["wins", "duplicate"])
    made.clean()
    assert (made.match, made.deals, made.tie_breaks) == ("deals", 8, ["duplicate", "wins"])
    assert "Each is one of" in wrong(format="swiss", tie_breaks=["duplicate"])["tie_breaks"][0]


def test_a_duplicate_event_always_has_a_time_to_act() -> None:
    made = event(format="duplicate", minimum=12)
    made.clean()
    assert made.turn_seconds == 45
    made = event(format="duplicate_pairs", minimum=6, turn_seconds=120)
    made.clean()
    assert made.turn_seconds == 120
    swiss = event(format="swiss")
    swiss.clean()
    assert swiss.turn_seconds is None
    over = event(format="duplicate", minimum=12, state=Event.State.FINISHED, ended=NOON)
    over.clean()
    assert over.turn_seconds is None


def test_only_duplicate_events_have_a_scoring() -> None:
    swiss = event(format="swiss", scoring="matchpoints")
    swiss.clean()
    assert swiss.scoring == "points"
    duplicate = event(format="duplicate_pairs", minimum=6, scoring="matchpoints")
    duplicate.clean()
    assert duplicate.scoring == "matchpoints"


SECOND = {"second_stage": "single_elimination"}
CASES: list[tuple[dict[str, Any], dict[str, str]]] = [
    ({"format": "rotation", "rounds": 0}, {"rounds": "1 to 50 rounds."}),
    ({"format": "rotation", "rounds": 51}, {"rounds": "1 to 50 rounds."}),
    ({"rounds": 51, "capacity": 200}, {"rounds": "1 to 50 rounds."}),
    (
        {"rounds": 40, "capacity": 8},
        {"rounds": "1 to 7 rounds: with 8 places everybody has met by then."},
    ),
    ({"rounds": 7, "capacity": 8}, {}),
    ({"rounds": 8, "capacity": 7}, {"rounds": "1 to 7 rounds: with 7 places"}),
    ({"rounds": 7, "capacity": 7}, {}),
    ({"rounds": 40, "capacity": 8, "started": NOON}, {}),
    ({"format": "round_robin", "cycles": 5}, {"cycles": "1 to 4 times."}),
    ({"second_stage": "swiss", "qualifiers": 4}, {"second_stage": "single or double"}),
    (SECOND, {"qualifiers": "Say how many"}),
    ({**SECOND, "qualifiers": 1}, {"qualifiers": "2 or more"}),
    ({**SECOND, "qualifiers": 17}, {"qualifiers": "2 to 16"}),
    ({**SECOND, "qualifiers": 3}, {}),
    ({**SECOND, "qualifiers": 3, "format": "rotation"}, {"qualifiers": "an even number"}),
    ({**SECOND, "qualifiers": 2, "format": "rotation"}, {"qualifiers": "4 or more"}),
    ({**SECOND, "qualifiers": 6, "format": "rotation"}, {}),
    ({"match": M.DEALS}, {"deals": "1 to 100"}),
    ({"match": M.DEALS, "deals": 101}, {"deals": "1 to 100 hands"}),
    ({"match": M.DEALS, "deals": 8, "format": "single_elimination"}, {}),
    ({"format": "single_elimination", "final_match": M.DEALS}, {"final_deals": "1 to 100"}),
    ({"tie_breaks": []}, {}),
    ({"tie_breaks": ["wins", "wins"]}, {"tie_breaks": "only once"}),
    ({"tie_breaks": ["wins", "lot"]}, {"tie_breaks": "Each is one of: wins, buchholz_cut_1"}),
    ({"capacity": 3}, {"minimum": "2 to 3"}),
    ({"capacity": 1}, {"capacity": "2 to 1000"}),
    ({"format": "rotation", "minimum": 3}, {"minimum": "4 to 16"}),
    ({"format": "rotation", "capacity": 401}, {"capacity": "4 to 400"}),
    ({"format": "round_robin", "capacity": 65}, {"capacity": "2 to 64"}),
    ({"min_rating": 1600, "max_rating": 1500}, {"max_rating": "below the lowest, 1600"}),
    ({"min_rating": 4001}, {"min_rating": "0 to 4000"}),
    ({"min_games": 1001}, {"min_games": "0 to 1000"}),
    ({"registration_closes": NOON + MINUTE}, {"registration_closes": "when the event starts"}),
    ({"registration_opens": NOON}, {"registration_opens": "before it closes"}),
    ({"check_in_minutes": 121}, {"check_in_minutes": "0 to 120"}),
    ({"round_minutes": 0}, {"round_minutes": "1 to 600"}),
    ({"break_seconds": 3601}, {"break_seconds": "0 to 3600"}),
    ({"turn_seconds": 9}, {"turn_seconds": "10 to 300"}),
    ({"no_show_minutes": 0}, {"no_show_minutes": "1 to 60"}),
]


@pytest.mark.parametrize(("settings", "said"), CASES, ids=lambda case: str(case)[:60])
def test_incompatible_settings_are_refused(settings: dict[str, Any], said: dict[str, str]) -> None:
    found = wrong(**settings)
    assert found.keys() == said.keys()
    for field, words in said.items():
        assert words in found[field][0]


def test_settings_unused_by_the_format_are_cleared() -> None:
    knock_out = event(
        format="double_elimination", rounds=7, cycles=3, second_stage="single_elimination",
        qualifiers=8, third_place=True,
        tie_breaks=["wins"], deals=9, final_match=M.GAME, final_deals=4,
    )  # fmt: skip
    knock_out.clean()
    left = (
        knock_out.rounds, knock_out.cycles, knock_out.second_stage, knock_out.qualifiers,
        knock_out.third_place, knock_out.tie_breaks, knock_out.deals, knock_out.final_match,
        knock_out.final_deals,
    )  # fmt: skip
    assert left == (None, 1, "", None, False, [], None, M.GAME, None)


def test_an_event_without_a_knock_out_has_no_final() -> None:
    swiss = event(final_match=M.BEST_OF_3, third_place=True, cycles=2)
    swiss.clean()
    assert (swiss.final_match, swiss.third_place, swiss.cycles) == ("", False, 1)


@pytest.mark.parametrize(
    "missing", ["capacity", "minimum", "starts", "registration_opens", "registration_closes"]
)
def test_missing_values_are_not_checked(missing: str) -> None:
    assert missing not in wrong(**{missing: None})


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"place": "room", "format": "duplicate"}, "place"),
        ({"place": "mixed", "room_from": 2, "format": "duplicate_pairs"}, "place"),
        ({"place": "room", "sit_out": "house"}, "sit_out"),
        ({"place": "mixed"}, "room_from"),
        ({"place": "mixed", "room_from": 0}, "room_from"),
        ({"place": "mixed", "room_from": 1001}, "room_from"),
    ],
)
def test_what_cannot_be_played_in_the_room_is_refused(fields: dict[str, Any], field: str) -> None:
    assert list(wrong(**{"capacity": 12, "minimum": 12, **fields})) == [field]


@pytest.mark.parametrize("form", [key for key, one in FORMATS.items() if not one.duplicate])
def test_every_other_format_can_be_played_in_the_room(form: str) -> None:
    assert wrong(format=form, place="room") == {}
    assert wrong(format=form, place="mixed", room_from=3) == {}


def test_only_a_mixed_event_has_a_first_table_in_the_room() -> None:
    one = event(place="room", room_from=3)
    one.clean()
    assert one.room_from is None
