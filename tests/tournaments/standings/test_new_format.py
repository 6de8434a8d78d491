"""A new format is one class and one line of the registry: nothing else knows its name."""

import pytest

from tests.tournaments import build
from tournaments.formats import registry
from tournaments.formats.base import Format, Stage
from tournaments.formats.draw import Draw, DrawnMatch
from tournaments.formats.tie_breaks import TieBreak
from tournaments.models import Event
from tournaments.standings import ranking

pytestmark = pytest.mark.django_db


class Lottery(Format):
    """Everybody is drawn by lot in every round."""

    key = "lottery"
    name = "Lottery"
    settings = Format.settings | {"rounds"}
    usual_order = (TieBreak.WINS, TieBreak.POINT_DIFFERENCE)

    def draw(self, stage: Stage) -> Draw:
        seats = stage.rng().sample(stage.playing, len(stage.playing))
        pairs = zip(seats[::2], seats[1::2], strict=False)
        tables = (
            DrawnMatch(number, ((one,), (other,)))
            for number, (one, other) in enumerate(pairs, start=1)
        )
        return Draw(tuple(tables), tuple(seats[len(seats) - len(seats) % 2 :]))


@pytest.mark.parametrize("second_stage", ["", "single_elimination"])
def test_new_format_is_played_to_its_end(
    monkeypatch: pytest.MonkeyPatch, second_stage: str
) -> None:
    monkeypatch.setitem(registry.FORMATS, "lottery", Lottery())
    event = build.event(
        format="lottery",
        rounds=3,
        second_stage=second_stage,
        qualifiers=2 if second_stage else None,
    )
    event.clean()
    build.enter(event, 5)
    build.play_to_end(event)
    event.refresh_from_db()
    assert event.state == Event.State.FINISHED
    assert event.played_rounds.filter(stage=1).count() == 3
    assert event.played_rounds.filter(stage=2).exists() is bool(second_stage)
    assert ranking.order_of(event) == Lottery.usual_order
    assert [line.place for line in ranking.standings_of(event).lines] == [1, 2, 3, 4, 5]
