"""Pages are answered a few at a time, in order, or refused with a 503."""

import asyncio

import pytest
from asgiref.sync import markcoroutinefunction
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory
from pytest_django.fixtures import Settings

from euchre_site.guards import waiting_room
from euchre_site.guards.waiting_room import BusyError, FairLimiter, WaitingRoom
from games.sockets import loop


class Pages:
    """Pages that are answered on command."""

    def __init__(self) -> None:
        markcoroutinefunction(self)
        self.begun: list[str] = []
        self.finish = asyncio.Semaphore(0)

    async def __call__(self, request: HttpRequest) -> HttpResponse:
        self.begun.append(request.path)
        await self.finish.acquire()
        return HttpResponse(request.path)

    async def has_begun(self, count: int) -> None:
        """Wait until this many have started."""
        async with asyncio.timeout(30):
            while len(self.begun) < count:  # noqa: ASYNC110 - it says nothing when it begins
                await asyncio.sleep(0)


@pytest.fixture
async def pages() -> Pages:
    return Pages()


@pytest.fixture
def room(pages: Pages, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> WaitingRoom:
    settings.PAGES_AT_ONCE = 2
    monkeypatch.setattr(loop, "give_connection_back", lambda: None)  # none was taken
    return WaitingRoom(pages)


def ask(room: WaitingRoom, path: str, **headers: str) -> "asyncio.Task[HttpResponse]":
    request = RequestFactory().get(path, headers=headers)
    return asyncio.ensure_future(asyncio.wait_for(room(request), 30))  # type: ignore[arg-type]


async def test_turns_are_limited_and_in_order(pages: Pages, room: WaitingRoom) -> None:
    asked = [ask(room, f"/{number}") for number in range(5)]
    for answered in range(1, 6):
        await pages.has_begun(min(5, answered + 1))
        assert len(pages.begun) == min(5, answered + 1)
        pages.finish.release()
        await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
    assert [(await one).status_code for one in asked] == [200] * 5
    assert pages.begun == [f"/{number}" for number in range(5)]


async def test_a_stalled_queue_times_out(
    pages: Pages, room: WaitingRoom, monkeypatch: pytest.MonkeyPatch
) -> None:
    busy = [ask(room, "/busy"), ask(room, "/busy")]
    await pages.has_begun(2)
    monkeypatch.setattr(waiting_room, "STALL_TIMEOUT", 0.01)
    page, program = await ask(room, "/page?one=1"), await ask(room, "/api/clubs")
    assert (page.status_code, program.status_code) == (503, 503)
    assert page["Retry-After"] == program["Retry-After"] == "3"
    assert 'href="/page?one=1"' in page.content.decode()
    assert program["Content-Type"] == "application/problem+json"
    for _ in busy:
        pages.finish.release()
    assert [(await one).status_code for one in busy] == [200, 200]
    pages.finish.release()
    assert (await ask(room, "/again")).status_code == 200


async def test_a_cancelled_request_passes_its_turn_on(pages: Pages, room: WaitingRoom) -> None:
    asked = [ask(room, f"/{number}") for number in range(5)]
    await pages.has_begun(2)
    asked[0].cancel()  # was being answered
    asked[2].cancel()  # was in line
    await pages.has_begun(3)
    assert pages.begun == ["/0", "/1", "/3"]
    for _ in range(3):
        pages.finish.release()
    assert [(await one).status_code for one in (asked[1], asked[3], asked[4])] == [200] * 3


async def test_a_moving_queue_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr("euchre_site.guards.waiting_room.time.monotonic", lambda: clock[0])
    turns = FairLimiter(1)
    clock[0] = 1.5
    turns._moved = 1.4
    assert turns._time_left(came=0.0) == pytest.approx(1.9)
    turns._moved = 14.5
    clock[0] = 14.6
    assert turns._time_left(came=0.0) == pytest.approx(0.4)


async def test_the_queue_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting_room, "QUEUE", 0)
    turns = FairLimiter(1)
    async with turns.turn():
        with pytest.raises(BusyError):
            async with turns.turn():
                raise AssertionError


async def test_a_failing_page_releases_its_turn() -> None:
    turns = FairLimiter(1)
    with pytest.raises(LookupError):
        async with turns.turn():
            raise LookupError
    async with asyncio.timeout(30), turns.turn():
        pass
