"""Streams: a table as it changes for a program, and the games that have ended for anybody."""

import asyncio
import gc
from collections import Counter
from collections.abc import AsyncGenerator
from datetime import datetime, timedelta
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.test import AsyncClient
from django.utils import timezone

from games.api import games_stream, streaming
from games.engine.rules import HEADS_UP
from games.models import Game, GameSeat, Player, Seat, SharedDeals, Table
from games.play import presence
from games.programs import programs
from games.shuffle import shared
from games.sockets import hub
from tests.engine.texts import parse_game, replay_record
from tests.factories import play_out, player, table
from tests.games.api.test_api_play import action, against, in_turn, pass_for_ben
from tests.games.api_program import lines, program

pytestmark = pytest.mark.django_db(transaction=True)
PATIENCE = 30  # seconds before a stream that says nothing fails a test

Lines = AsyncGenerator[dict[str, Any], None]


async def next_of(stream: Lines) -> dict[str, Any]:
    """The next line of a stream."""
    return await asyncio.wait_for(anext(stream), PATIENCE)


async def rest_of(stream: Lines) -> None:
    """Read a stream to its end."""
    async with asyncio.timeout(PATIENCE):
        async for _line in stream:
            pass


class TestTable:
    async def test_a_line_now_and_one_for_each_change(self) -> None:
        robo, at = await in_turn()
        stream = await robo.stream(f"/tables/{at['id']}/stream")
        assert await next_of(stream) == at
        done = await robo.post(f"/tables/{at['id']}/actions", action(at))
        assert await next_of(stream) == done["table"]
        await stream.aclose()

    async def test_whoever_reads_slowly_is_sent_only_what_is_so_now(self) -> None:
        robo, at = await in_turn()
        stream = await robo.stream(f"/tables/{at['id']}/stream")
        await next_of(stream)
        await robo.post(f"/tables/{at['id']}/actions", action(at))
        ben_s = await Table.objects.aget(pk=at["id"])
        now = await robo.get(f"/tables/{at['id']}")
        if now["turn"] == "South":
            await pass_for_ben(ben_s)
            now = await robo.get(f"/tables/{at['id']}")
        line = await next_of(stream)
        assert line["version"] == now["version"]
        await stream.aclose()

    async def test_an_open_stream_counts_as_being_there(self) -> None:
        robo = await program()
        at = await against(robo)
        stream = await robo.stream(f"/tables/{at['id']}/stream")
        await next_of(stream)
        long_ago = timezone.now() - timedelta(hours=1)
        await Seat.objects.filter(table=at["id"]).aupdate(last_seen=long_ago)
        await presence.beat([at["id"]])
        seat = await Seat.objects.aget(table=at["id"], position=0)
        assert seat.last_seen > long_ago
        await stream.aclose()

    async def test_whoever_hangs_up_is_no_longer_there(self) -> None:
        robo = await program()
        at = await against(robo)
        token = await robo.player.tokens.aget()
        views = streaming.views(at["id"], robo.player, token)
        await anext(views)
        assert robo.player.pk in hub.connected(at["id"])
        await views.aclose()
        assert robo.player.pk not in hub.connected(at["id"])

    async def test_while_nothing_happens_it_says_that_it_is_there(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(streaming, "HEARTBEAT", 0.02)
        robo = await program()
        at = await against(robo)
        stream = await robo.stream(f"/tables/{at['id']}/stream")
        first = await next_of(stream)
        assert await next_of(stream) == {"heartbeat": first["version"]}
        await stream.aclose()

    async def test_it_ends_when_its_token_does(self) -> None:
        robo = await program()
        at = await against(robo)
        stream = await robo.stream(f"/tables/{at['id']}/stream")
        await next_of(stream)
        await sync_to_async(programs.renew)(robo.player, timezone.now())
        await rest_of(stream)
        assert (await robo.ask("GET", f"/tables/{at['id']}/stream")).status_code == 401

    async def test_another_process_s_word_for_that_is_not_needed(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(streaming, "HEARTBEAT", 0.02)
        monkeypatch.setattr(hub, "close_session", lambda _key: None)
        robo = await program()
        at = await against(robo)
        stream = await robo.stream(f"/tables/{at['id']}/stream")
        await next_of(stream)
        await sync_to_async(programs.retire)(robo.player)
        await rest_of(stream)

    async def test_all_end_when_the_server_stops(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(games_stream, "POLL_EVERY", 0.01)
        monkeypatch.setattr(games_stream, "HEARTBEAT", 0.01)
        robo = await program()
        at = await against(robo)
        stream = await robo.stream(f"/tables/{at['id']}/stream")
        await next_of(stream)
        followed: Any = await AsyncClient().get("/api/games/stream?follow=yes")
        games_told = lines(followed)
        await next_of(games_told)
        streaming.end_all()
        await rest_of(stream)
        await rest_of(games_told)

    async def test_a_token_has_few_of_them(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(streaming, "MAX_STREAMS", 1)
        robo = await program()
        at = await against(robo)
        stream = await robo.stream(f"/tables/{at['id']}/stream")
        await next_of(stream)
        refused = await robo.ask("GET", f"/tables/{at['id']}/stream")
        assert (refused.status_code, refused.json()["code"]) == (429, "too many streams")
        await stream.aclose()

    async def test_however_many_are_asked_for_at_once(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(streaming, "MAX_STREAMS", 2)
        robo = await program()
        at = await against(robo)
        asked = [robo.ask("GET", f"/tables/{at['id']}/stream") for _ in range(6)]
        answers = await asyncio.gather(*asked)
        assert sorted(answer.status_code for answer in answers) == [200, 200, 429, 429, 429, 429]

    async def test_one_that_may_not_see_the_table(self) -> None:
        robo, other = await program(), await program("Tin", "Ben")
        at = await robo.post("/tables", {"rules": "heads-up", "seat": "North", "open": False})
        assert (await other.ask("GET", f"/tables/{at['id']}/stream")).status_code == 404


class TestGames:
    @pytest.fixture(autouse=True)
    def _no_place_is_taken(self) -> None:
        """What nobody has read holds its place as long as it is there, also in a test's rubbish."""
        gc.collect()

    async def test_finished_games_of_open_tables_come_oldest_first(self) -> None:
        ids = await sync_to_async(games)(3)
        told = await everything("")
        assert [line["game"]["id"] for line in told] == ids
        game = told[0]["game"]
        assert [seat["player"]["name"] for seat in game["seats"]] == ["Maeve", "Ben"]
        assert game["rules"]["key"] == "heads-up"
        assert list(replay_record(parse_game(game["record"])).standing.score) == game["score"]
        assert len(game["deals"]) > 0

    async def test_it_goes_on_after_a_cursor(self) -> None:
        ids = await sync_to_async(games)(3)
        first, *_ = await everything("")
        assert [line["game"]["id"] for line in await everything(first["cursor"])] == ids[1:]
        last = (await everything(""))[-1]["cursor"]
        assert await everything(last) == []

    async def test_games_that_ended_together_each_come_once(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(games_stream, "BATCH", 1)
        ids = await sync_to_async(games)(3)
        ended = timezone.now() - timedelta(minutes=1)
        await Game.objects.aupdate(ended=ended)
        assert sorted(line["game"]["id"] for line in await everything("")) == sorted(ids)

    async def test_a_sealed_game_holds_up_no_other_and_comes_when_it_opens(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(games_stream, "BATCH", 1)
        first, hidden, third = await sync_to_async(games)(3)
        deals = await sync_to_async(shared.commit_to)(3)
        await Table.objects.filter(games__pk=hidden).aupdate(shared_deals=deals)
        told = await everything("")
        assert [line["game"]["id"] for line in told] == [first, third]
        last = told[-1]["cursor"]
        assert await everything(last) == []
        await SharedDeals.objects.aupdate(opened=timezone.now())
        assert await everything(last) == []  # it, too, appears a moment later
        await SharedDeals.objects.aupdate(opened=timezone.now() - timedelta(minutes=1))
        (line,) = await everything(last)
        assert line["game"]["id"] == hidden
        assert await everything(line["cursor"]) == []
        ids = [one["game"]["id"] for one in await everything("")]
        assert ids == [first, third, hidden]

    async def test_games_at_closed_tables_are_left_out(self) -> None:
        await sync_to_async(games)(1, open=False)
        await sync_to_async(running)()
        assert await everything("") == []

    async def test_a_game_appears_a_moment_after_its_end(self) -> None:
        await sync_to_async(games)(1)
        ended = (await Game.objects.aget()).ended
        assert isinstance(ended, datetime)
        soon = ended + games_stream.APPEARS_AFTER - timedelta(microseconds=1)
        later = ended + games_stream.APPEARS_AFTER
        assert await sync_to_async(games_stream.opened_after)(None, soon) == []
        assert len(await sync_to_async(games_stream.opened_after)(None, later)) == 1

    async def test_followed_it_waits_for_new_ones(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(games_stream, "POLL_EVERY", 0.01)
        monkeypatch.setattr(games_stream, "HEARTBEAT", 0.02)
        answer: Any = await AsyncClient().get("/api/games/stream?follow=yes")
        stream = lines(answer)
        assert await next_of(stream) == {"heartbeat": ""}
        (made,) = await sync_to_async(games)(1)
        line = await next_of(stream)
        while "game" not in line:
            line = await next_of(stream)
        assert line["game"]["id"] == made
        assert await next_of(stream) == {"heartbeat": line["cursor"]}
        await stream.aclose()

    async def test_an_address_has_few_of_them(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(games_stream, "MAX_PER_ADDRESS", 1)
        monkeypatch.setattr(games_stream, "POLL_EVERY", 0.01)
        monkeypatch.setattr(games_stream, "HEARTBEAT", 0.01)
        answer: Any = await AsyncClient().get("/api/games/stream?follow=yes")
        stream = lines(answer)
        await next_of(stream)
        assert (await AsyncClient().get("/api/games/stream")).status_code == 429
        await stream.aclose()
        assert (await AsyncClient().get("/api/games/stream")).status_code == 200

    async def test_an_address_has_few_of_them_however_many_it_asks_for_at_once(self) -> None:
        asked = (AsyncClient().get("/api/games/stream?follow=yes") for _ in range(30))
        answers = await asyncio.gather(*asked)
        statuses = Counter(answer.status_code for answer in answers)
        assert statuses == {
            200: games_stream.MAX_PER_ADDRESS,
            429: 30 - games_stream.MAX_PER_ADDRESS,
        }

    async def test_one_that_nobody_reads_holds_no_place(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(games_stream, "MAX_PER_ADDRESS", 1)
        unread: Any = await AsyncClient().get("/api/games/stream?follow=yes")
        assert (await AsyncClient().get("/api/games/stream")).status_code == 429
        del unread
        gc.collect()
        assert (await AsyncClient().get("/api/games/stream")).status_code == 200

    async def test_a_request_for_the_head_alone_begins_no_stream(self) -> None:
        answer = await AsyncClient().head("/api/games/stream?follow=yes")
        assert not answer.streaming
        assert answer.headers["Content-Type"] == "application/x-ndjson"

    @pytest.mark.parametrize("cursor", ["x", "12-", "1-" + "g" * 32, "-1-" + "0" * 32])
    async def test_a_text_that_is_no_cursor(self, cursor: str) -> None:
        answer = await AsyncClient().get("/api/games/stream", {"after": cursor})
        assert (answer.status_code, answer.json()["code"]) == (422, "cursor")

    def test_it_is_read_in_few_queries_and_by_its_index(
        self, django_assert_max_num_queries: Any
    ) -> None:
        games(1)
        with django_assert_max_num_queries(2):
            games_stream.opened_after(None, timezone.now())
        cursor = games_stream.cursor_of(Game.objects.get())
        assert games_stream.parse_cursor(str(cursor)) == cursor
        assert cursor.moment == Game.objects.get().ended


async def everything(after: str) -> list[dict[str, Any]]:
    """All lines of a stream that is not followed."""
    answer: Any = await AsyncClient().get("/api/games/stream", {"after": after})
    return [line async for line in lines(answer)]


def games(number: int, *, open: bool = True) -> list[str]:  # noqa: A002
    """So many games that Maeve and Ben have played, which ended a minute apart, long ago."""
    maeve, ben = player("Maeve"), player("Ben")
    made = []
    for minutes in range(number):
        game = play_out(table(maeve, ben, rules=HEADS_UP, open=open))
        game.ended = timezone.now() - timedelta(hours=1) + minutes * timedelta(minutes=1)
        game.save()
        made.append(str(game.pk))
    return made


def running() -> None:
    """A game that is being played."""
    table(player("Iris"), player("Jonah"), rules=HEADS_UP)
    assert GameSeat.objects.filter(player=Player.objects.get(name="Iris")).exists()
