"""The formats on offer: each says all that the rest of the code asks of it."""

from collections.abc import Sequence

import pytest

from tournaments.formats.base import Format, KnockOut, Stage
from tournaments.formats.registry import FORMATS, KNOCK_OUTS
from tournaments.models import Event

each = pytest.mark.parametrize("one", FORMATS.values(), ids=FORMATS)
SETTINGS = {
    "rounds", "cycles", "movement", "third_place", "second_stage", "tie_breaks", "sit_out",
    "scoring", "late_half_wins",
}  # fmt: skip


@each
def test_format_has_a_name_a_description_and_a_key_that_fits_its_column(one: Format) -> None:
    assert FORMATS[one.key] is one
    assert all((one.key, one.name, one.brief, one.length, one.how_many))
    assert len(one.key) <= (Event._meta.get_field("format").max_length or 0)
    assert one.least_entries <= one.most_entries
    assert one.settings <= SETTINGS
    assert bool(one.no_late_entry) == ("late_half_wins" not in one.settings)


@each
def test_format_describes_its_draw_and_its_order(one: Format) -> None:
    kind: Sequence[str] = ("spots", "rounds", "may_idle_a_person")
    base: type[Format] = KnockOut
    if one.key not in KNOCK_OUTS:
        kind, base = ("draw",), Format
    assert all(getattr(type(one), name) is not getattr(base, name) for name in kind)
    assert bool(one.usual_order) is not one.knock_out


def test_event_without_a_format_has_usable_properties() -> None:
    event = Event(format="")
    assert (event.individual, event.is_knock_out, event.knock_out) == (False, False, None)
    with pytest.raises(NotImplementedError):
        event.first_stage.draw(Stage(event, "", (), (), (), 1))
