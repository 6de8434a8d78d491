"""What the tests of clubs and events may ask for."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.receiver import Receiver, receiving


@pytest.fixture
def receiver(settings: Any) -> Iterator[Receiver]:
    """A program on this machine, to which webhooks may lead."""
    settings.WEBHOOKS_TO_PRIVATE = True
    settings.WEBHOOKS_HTTP_HOSTS = ["127.0.0.1", "localhost"]
    settings.SITE_URL = "https://euchre.example.org"
    with receiving() as one:
        yield one
