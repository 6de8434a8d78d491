"""A program that plays by the API, for the tests: what it asks and what it is answered."""

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from asgiref.sync import sync_to_async
from django.http import StreamingHttpResponse
from django.test import AsyncClient
from django.utils import timezone

from games.models import Player
from games.programs import programs
from tests.factories import member


class Program:
    """A program with its token.

    Attributes:
        player: the program.
        token: what it sends.
    """

    def __init__(self, player: Player, token: str) -> None:
        self.player = player
        self.token = token
        self.client = AsyncClient()

    async def ask(self, method: str, path: str, body: Any = None) -> Any:
        """Ask the API; path: after `/api`."""
        return await self.client.generic(
            method,
            f"/api{path}",
            "" if body is None else json.dumps(body),
            content_type="application/json",
            headers={"authorization": f"Bearer {self.token}"},
        )

    async def get(self, path: str) -> Any:
        """What is there, as JSON."""
        return (await self.ask("GET", path)).json()

    async def post(self, path: str, body: Any = None) -> Any:
        """Do something; the answer's JSON."""
        return (await self.ask("POST", path, {} if body is None else body)).json()

    async def stream(self, path: str) -> AsyncGenerator[dict[str, Any], None]:
        """The lines of a stream, as JSON."""
        answer = await self.ask("GET", path)
        assert isinstance(answer, StreamingHttpResponse), answer.content
        assert answer.headers["Content-Type"] == "application/x-ndjson"
        return lines(answer)


async def lines(answer: StreamingHttpResponse) -> AsyncGenerator[dict[str, Any], None]:
    """What a stream says, a line at a time; closing it is hanging up."""
    content: Any = answer._iterator  # type: ignore[attr-defined]
    async with aclosing(content):
        async for line in content:
            assert line.endswith(b"\n")
            yield json.loads(line)


async def program(name: str = "Robo", owner: str = "Maeve") -> Program:
    """A new program of a new person."""
    return await sync_to_async(_program)(name, owner)


def _program(name: str, owner: str) -> Program:
    return Program(*programs.make(member(owner), name, timezone.now()))
