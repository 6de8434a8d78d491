"""What a table shows of those who are missing."""

import pytest

from games.models.tables import PATIENCE
from games.picture.viewing import _wait
from tests.factories import room

pytestmark = pytest.mark.django_db(transaction=True)


async def test_a_house_player_is_offered_no_sooner_than_accepted() -> None:
    missing = (await (await room()).live()).seats[0]
    patience = PATIENCE.total_seconds()
    assert [_wait(missing, patience - left) for left in (10, 0.4, 0, -5)] == [10, 1, 0, 0]
