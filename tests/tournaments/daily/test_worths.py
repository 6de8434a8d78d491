"""What both choices were worth where somebody and the house parted."""

from typing import Any

import pytest
from django.utils import timezone

from games.analysis import valuing
from games.engine.actions import parse_action
from games.models import Player
from games.records.game_files import played_of
from games.review.decisions import decisions_in
from games.review.wording import points
from tests.factories import logged_in, member
from tests.tournaments.daily.days_for_tests import closed, played, table_of, today
from tournaments.daily import closing, opened, worths
from tournaments.models import DailyDeal, DailyTry

pytestmark = pytest.mark.django_db


class Here:
    """A worker in this process."""

    def __init__(self, function: Any, niceness: int) -> None:
        self.function = function

    def __enter__(self) -> "Here":
        return self

    def __exit__(self, *_error: object) -> None:
        pass

    def ask(self, seconds: float, *arguments: object) -> Any:
        return self.function(*arguments)


def test_both_choices_are_valued_once_and_shown_as_the_board_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(worths, "Worker", Here)
    monkeypatch.setattr(worths, "DRAWN", range(1))
    daily, ben = today(), member("Ben")
    house = played(daily, Player.objects.create(name="Stand-in"), 1)
    DailyDeal.objects.filter(pk=daily.pk).update(house_table=house.table, house=house.points)
    DailyTry.objects.filter(pk=house.pk).delete()
    mine = played(daily, ben, 2)
    closing.tick(timezone.now())
    daily.refresh_from_db()
    assert daily.valued == 0  # the day is open
    daily = closed(daily)
    browser, path = logged_in(ben), f"/daily/{daily.day}/"
    before = browser.get(path).content.decode()
    assert "You parted from the house" in before
    assert "By what you could see" not in before
    for valued in (1, 2, 3, 4, 4):  # a deal a run, whoever went before
        closing.tick(timezone.now())
        earlier, daily = daily, DailyDeal.objects.get(pk=daily.pk)
        assert daily.valued == len(daily.worths) == valued
        if earlier.valued < daily.valued:  # another worker that is late
            assert worths.value_deal(earlier, timezone.now()) is False
    page = browser.get(path).content.decode()
    apart = [(one.number, one.parted) for one in opened.opened(daily, mine) if one.parted]
    assert apart
    for _, parted in apart:
        assert parted.worth.startswith("By what you could see")
        assert parted.worth in page
    # In the first deal even the score is the same, and so are the deals drawn.
    number, parted = apart[0]
    deal = played_of(table_of(mine).games.get()).deals[number - 1]
    seen = next(one.seen for one in decisions_in(deal) if one.step == parted.step)
    value = valuing.value_step(seen, 0).value(seen.legal.index(deal.deal.actions[parted.step])).mean
    assert points(value) in parted.worth or number > 1


@pytest.mark.parametrize(
    ("mine", "words"),
    [
        ([0.85, 0.05, 0.06], "yours +0.85 ± 0.05 points, the house’s +1.66 ± 0.02."),
        ([1.6, 0.05, 0.06], "the house’s +1.66 ± 0.02. Too close to say."),
        ([1.66, 0.02, 0.0], "both came to +1.66 points."),
    ],
)
def test_the_two_worths_in_words(mine: list[float], words: str) -> None:
    pass_, order = parse_action("pass"), parse_action("order")
    daily = DailyDeal(worths=[{"3": {"pass": mine, "order": [1.66, 0.02, 0.0]}}], valued=1)
    assert worths.compared(daily, 0, 3, pass_, order).endswith(words)
    assert worths.compared(daily, 0, 4, pass_, order) == ""
    assert worths.compared(daily, 1, 3, pass_, order) == ""
