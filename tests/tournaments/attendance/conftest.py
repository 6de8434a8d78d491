"""Who comes late, or for somebody else."""

import pytest

from games.models import Player
from tests.factories import member
from tests.tournaments import build


@pytest.fixture
def rosa(ada: Player) -> Player:
    """A member of Ada's club who is not in the event."""
    player = member("Rosa")
    build.joined(ada.memberships.get().club, player)
    return player
