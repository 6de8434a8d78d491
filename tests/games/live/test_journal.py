"""Many events in one transaction: what spoils one, and what spoils all."""

import asyncio
from typing import Any

import pytest
from django.db import IntegrityError, OperationalError

from games.live import journal
from games.live.journal import STORED, Appended, JournalEntry
from tests.factories import room

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.sqlite]


async def together(*entries: JournalEntry) -> list[Appended | BaseException]:
    """How events end that the writer finds queued at once."""
    loop = asyncio.get_running_loop()
    batch = [journal._Waiting(entry, loop, loop.create_future()) for entry in entries]
    await asyncio.to_thread(journal._Writer()._store, batch)
    answers = (waiting.answer for waiting in batch)
    return await asyncio.gather(*answers, return_exceptions=True)


async def test_an_event_that_fails_does_not_affect_its_batch() -> None:
    good, bad = await room(), await room()
    entries = await good.passing(), await bad.passing(player_id=4711)
    stored, refused = await together(*entries)
    assert stored == Appended(STORED, 1)
    assert isinstance(refused, IntegrityError)
    assert (len(await good.events()), len(await bad.events())) == (1, 0)


async def test_a_batch_waits_once_for_a_locked_database(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tables = [await room() for _ in range(3)]
    entries = [await table.passing() for table in tables]
    tries = []

    def locked(_cursor: Any, entry: JournalEntry) -> Appended:
        tries.append(entry)
        raise OperationalError("database is locked")

    monkeypatch.setattr(journal, "_append_to_sqlite", locked)
    answers = await together(*entries)
    assert [type(answer) for answer in answers] == [OperationalError] * 3
    assert tries == entries[:1]
