"""What the tests of clubs and events may ask for."""

from collections.abc import Iterator
from typing import Any

import pytest

from games.models import Player
from tests.receiver import Receiver, receiving
from tests.tournaments import build
from tournaments.models import Club


@pytest.fixture
def club() -> Club:
    """The Old Mill, which has no members yet."""
    return build.club()


@pytest.fixture
def ada(club: Club) -> Player:
    """A director of the club, who does not play."""
    return build.director(club)


@pytest.fixture
def receiver(settings: Any) -> Iterator[Receiver]:
    """A program on this machine, to which webhooks may lead."""
    settings.WEBHOOKS_TO_PRIVATE = True
    settings.WEBHOOKS_HTTP_HOSTS = ["127.0.0.1", "localhost"]
    settings.SITE_URL = "https://euchre.example.org"
    with receiving() as one:
        yield one
