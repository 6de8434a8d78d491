"""Where a secret could leak besides answers: sockets, streams, errors and logs.

Admin pages have tests of their own, `tests/site/office/test_admin_pages.py`.
"""

import asyncio
import json
import logging
from collections.abc import Iterator
from datetime import timedelta
from io import StringIO
from logging.config import dictConfig
from random import Random
from typing import Any

import pytest
import structlog
from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import connection
from django.test import Client

from games import tasks
from games.api import games_stream
from games.engine import observation
from games.engine import shuffle as euf1
from games.engine.cards import card_text
from games.engine.rules import CLASSIC_24, HEADS_UP, JOKER_33
from games.live import state
from games.models import Game, Table
from games.shuffle.dealing import packs_of
from games.shuffle.secret_box import unseal
from games.sockets import hub
from tests.factories import cast, play_out, player, room
from tests.factories import table as seated_table
from tests.games.api_program import program
from tests.games.shuffles import OPEN, REVEALING, Search, kept, table
from tests.tabs import new_tab


def in_play(phase: str = observation.FIRST_ROUND) -> tuple[Table, Game]:
    """An open table and its game, in a phase of its first deal or a later one."""
    at = table(cast(), CLASSIC_24, OPEN, phase, Random(3))
    assert at is not None
    return at, at.games.get()


class TestWhatIsThrownIn:
    """A number that a seat has told is shown to nobody before all are in."""

    @pytest.mark.django_db(transaction=True)
    @pytest.mark.parametrize("rules", [CLASSIC_24, HEADS_UP, JOKER_33], ids=lambda one: one.key)
    async def test_in_no_frame_and_on_no_page(self, rules: Any) -> None:
        people = (await sync_to_async(cast)())[: rules.players]
        otto = await sync_to_async(player)("Otto")
        at = await sync_to_async(table)(people, rules, OPEN, REVEALING, Random(1))
        assert at is not None
        search = await sync_to_async(Search)(await sync_to_async(kept)([at]))
        thrown = await at.shuffles.aget()
        assert await thrown.contributions.filter(number__isnull=False).aexists()
        for who in (*people, otto, None):
            one = await new_tab(at.pk, who)
            assert await one.connect() is None
            await one.send(beat="9.9")
            await one.frame()
            assert search.told_by("".join(one.frames)) == []
            await one.close()
        assert (
            search.told_by((await sync_to_async(Client().get)(f"/tables/{at.pk}/")).content) == []
        )


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("rules", [CLASSIC_24, HEADS_UP, JOKER_33], ids=lambda one: one.key)
async def test_no_frame_of_a_game_reveals_a_secret(
    rules: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    at = await room(rules)
    row = await Table.objects.aget(pk=at.table_id)
    tabs = [await new_tab(at.table_id, who) for who in (*at.players, None)]
    for one in tabs:
        assert await one.connect() is None
    for _ in range(40):
        search = await sync_to_async(lambda: Search(kept([row])))()
        if await at.over():
            break
        await at.act(max(await at.turn(), 0), "play 9C")
        await at.step()
        stamp = await at.stamp()
        for one in tabs:
            await one.until(stamp)
            told = one.frames if not await at.over() else one.frames[:-1]
            assert search.told_by("".join(told)) == []
            one.frames.clear()
        assert search.told_by(caplog.text) == []
        caplog.clear()
    await asyncio.to_thread(tasks.sweep.apply, throw=True)
    for one in tabs:
        await one.close()


@pytest.mark.django_db(transaction=True)
async def test_no_stream_reveals_a_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(games_stream, "POLL_EVERY", 0.01)
    at, _ = await sync_to_async(in_play)()
    over = await sync_to_async(lambda: play_out(seated_table(*cast())))()
    await Game.objects.filter(pk=over.pk).aupdate(ended=over.started - timedelta(hours=1))
    robo = await program(owner="Greta")
    await at.seats.filter(position=1).aupdate(player=robo.player)
    search = await sync_to_async(lambda: Search(kept([at])))()
    for path in (f"/tables/{at.pk}/stream", "/games/stream"):
        lines = await robo.stream(path)
        line = await asyncio.wait_for(anext(lines), 30)
        assert search.told_by(json.dumps(line)) == []
        await lines.aclose()


class TestErrors:
    """An error tells where it happened, and none of what is held there."""

    pytestmark = pytest.mark.django_db

    @pytest.fixture(autouse=True)
    def _no_live_tables(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        monkeypatch.setattr(hub, "announce", lambda _table_id: None)
        yield
        state.forget_all()

    @pytest.fixture
    def crashing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Let the shuffle crash with everything in its hands."""

        def crash(_rules: object, secret: bytes, mixed: bytes, deal: int) -> None:
            pack = euf1._keyed(secret, mixed)
            raise RuntimeError(f"deal {deal}: {len(pack)}")

        monkeypatch.setattr(euf1, "shuffled", crash)

    def crash(self, path: str) -> bytes:
        """The answer of an address that fails."""
        client = Client(raise_request_exception=False)
        answer = client.get(path)
        assert answer.status_code == 500
        content: bytes = answer.content
        return content

    @pytest.mark.parametrize("debug", [False, True])
    def test_a_page_that_fails(
        self, debug: bool, settings: Any, caplog: Any, written: StringIO, request: Any
    ) -> None:
        at, game = in_play()
        search = Search([game])
        request.getfixturevalue("crashing")
        settings.DEBUG = debug
        content = self.crash(f"/tables/{at.pk}/")
        assert (b"RuntimeError" in content) == debug
        assert search.told_by(content) == []
        assert search.told_by(written.getvalue()) == []
        assert search.told_by(caplog.text) == []
        assert "RuntimeError" in written.getvalue()
        assert "deal 0: 32" not in written.getvalue(), "nor are there words of an error"

    def test_what_is_written_of_rows_and_packs(self) -> None:
        at, game = in_play()
        waiting = table(cast(), CLASSIC_24, OPEN, REVEALING, Random(1))
        assert waiting is not None
        shuffle = waiting.shuffles.get()
        thrown = list(shuffle.contributions.all())
        search = Search([game, shuffle])
        log = structlog.get_logger("games.test")
        for held in (game, shuffle, packs_of(game), thrown, at, state.read(at.pk)):
            log.error("something is wrong", held=held)
            assert search.told_by(f"{held} {held!r}") == []

    def test_no_query_is_logged(self, written: StringIO) -> None:
        logging.getLogger().setLevel(logging.DEBUG)
        connection.force_debug_cursor = True
        try:
            _, game = in_play()
        finally:
            connection.force_debug_cursor = False
        assert Search([game]).told_by(written.getvalue()) == []
        assert "INSERT" not in written.getvalue()

    def test_the_search_finds_what_it_should(self) -> None:
        _, game = in_play()
        secret, search = unseal(game.secret), Search([game])
        pack = packs_of(game)(game.deal_number - 1)
        for told in (
            secret,
            secret.hex(),
            secret.hex().upper(),
            repr(secret),
            str(list(secret)),
            json.dumps([*secret], separators=(",", ":")),
            bytes(game.secret),
            str(list(pack)),
            " ".join(f"<i>{name}</i>" for name in names(pack)[3:11]),
            "".join(names(pack)),
        ):
            assert search.told_by(told), told
        assert search.told_by(" ".join(names(pack)[:7])) == []
        assert search.told_by(bytes(game.commitment).hex() + bytes(game.mixed).hex()) == []


def names(pack: tuple[int, ...]) -> list[str]:
    """Cards as they are written."""
    return [card_text(card) for card in pack]


@pytest.fixture
def written() -> Iterator[StringIO]:
    """What the site's own logging writes."""
    lines = StringIO()
    configured: dict[str, Any] = settings.LOGGING
    handler = {"class": "logging.StreamHandler", "formatter": "line", "stream": lines}
    dictConfig(configured | {"handlers": {"stderr": handler}})
    yield lines
    dictConfig(configured)
