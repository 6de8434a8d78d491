"""What an act will change names the people and their places."""

import pytest

from games.models import Player
from tests.tournaments import build
from tests.tournaments.build import NOON, ruled
from tests.tournaments.console.first_round import running
from tournaments.acts import correcting, previews
from tournaments.models import Event

pytestmark = pytest.mark.django_db


def corrected(event: Event, by: Player) -> list[tuple[str, str, str]]:
    """The places that change if the first table's result is turned round."""
    match = event.played_rounds.get(number=1).pairings.get(number=1)
    ruling = ruled(1, (3, 5))

    def verb() -> None:
        correcting.set_result(match, by, ruling, reason="Swapped.", now=NOON)

    changes = previews.preview(Event.objects.get(pk=event.pk), verb).changes
    return [one[:3] for one in changes if one.thing.startswith("Place")]


def played(ada: Player, players: int) -> Event:
    event = running(ada, players)
    for match in build.latest(event).pairings.order_by("number"):
        points = 5 if match.number == 1 else 8
        correcting.set_result(match, ada, ruled(0, (points, 3)), reason="So it was.", now=NOON)
    build.step(Event.objects.get(pk=event.pk), NOON)
    return event


def test_everybody_whose_place_changes_is_named(ada: Player) -> None:
    event = played(ada, 4)
    changes = corrected(event, ada)
    assert len(changes) == 4
    assert all(thing.startswith("Place of ") for thing, *_ in changes)
    assert {before for _thing, before, _after in changes} <= {"1st", "2nd", "3rd", "4th"}
    assert any(after in ("3rd", "last") for _thing, _before, after in changes)


def test_beyond_some_the_others_are_counted(ada: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(previews, "MAX_NAMED", 2)
    changes = corrected(played(ada, 4), ada)
    assert len(changes) == 3
    assert changes[-1] == ("Places of 2 others", "", "change, too")


def test_never_is_one_other_counted(ada: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(previews, "MAX_NAMED", 3)
    changes = corrected(played(ada, 4), ada)
    assert len(changes) == 4
    assert not any("others" in thing for thing, *_ in changes)
