"""A thousand records each altered in one place: every one is refused, with the place."""

from __future__ import annotations

import json

import pytest

from games.files.record import read_record
from games.files.strict_json import FileError
from tests.games.verifying import alterations, forgeries, originals

#: What else follows from a record than its digests: the rest may be changed by who seals it again.
FOLLOWS = ("deals", "shuffle", "result")


@pytest.mark.parametrize("part", range(4))
def test_whatever_is_altered_is_found_and_named(part: int) -> None:
    for altered in alterations(250, f"reader {part}"):
        with pytest.raises(FileError) as refused:
            read_record(altered.data)
        assert altered.is_named_by(refused.value.place, refused.value.reason), altered.kind


def test_every_kind_of_alteration_and_every_part_is_tried() -> None:
    tried = list(alterations(1000, "all"))
    assert len({altered.kind for altered in tried}) == 15
    assert {altered.part for altered in tried} >= set(json.loads(originals()[0]))
    assert all(altered.data != altered.original for altered in tried)


def test_the_originals_are_right() -> None:
    for original in originals():
        read_record(original)


def test_a_record_sealed_again_cannot_change_cards_or_results() -> None:
    passed = 0
    for forged in forgeries(200, "forged"):
        try:
            read_record(forged.data)
        except FileError:
            continue
        passed += 1
        assert forged.part not in FOLLOWS
        told, before = json.loads(forged.data), json.loads(forged.original)
        named_only = forged.part in ("players", "table")
        assert (told["seal"] == before["seal"]) is named_only
    assert passed
