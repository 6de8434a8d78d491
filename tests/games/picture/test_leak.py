"""Leak test: changing only what a viewer cannot see changes no byte that is sent to him.

A deal is stopped at a random moment and another made that looks the same to the viewer (see
``tests.property.test_leak``). Both are put on a table; the page, every part of the picture, the
socket's frames and the answer to every card tried must then be the same to the letter.
"""

import asyncio
import logging
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from random import Random
from types import SimpleNamespace

import pytest
from django.template.loader import render_to_string
from django.test import RequestFactory

from games.engine.actions import DISCARDS, PLAYS, Action
from games.engine.deal import Deal
from games.engine.game import Game
from games.engine.rules import RULE_SETS
from games.live.state import Live, Playing, Sitter
from games.models import GameEvent
from games.picture import viewing
from games.picture.render import Drawings, TablePicture, draw
from games.picture.scene import View
from games.play import play
from games.play.play import Actor, Decision
from games.sockets.frames import answer_frame, frame
from tests.chance import random_deal
from tests.factories import room
from tests.property.test_leak import Seen, another, hands_of, stopped
from tests.volume import scaled

DEALS = scaled(250)
SHARES = 8
NAMES = ("Maeve", "Ben", "Iris", "Jonah")
GAME = uuid.UUID(int=7)
SEEN = datetime(2100, 1, 1, tzinfo=UTC)  # everybody is here, however long the test takes


def table(deal: Deal, actions: list[Action]) -> Live:
    """A table at which a deal stands after some actions, everybody present."""
    rules = deal.rules
    engine = Game(rules, deal.dealer, lambda _: rules.pack_in_order())
    engine.deal = Deal.from_cards(rules, deal.dealer, hands_of(deal), deal.turn_up)
    for action in actions:
        engine.push(action)
    sitters = tuple(
        Sitter(seat + 1, NAMES[seat], False, True, False, False, SEEN, SEEN)
        for seat in range(rules.players)
    )
    playing = Playing(GAME, 1, engine, {}, lambda _: 0, SEEN)
    return Live(1, rules, "playing", True, 1, "token", sitters, playing)


@dataclass
class Sent:
    """All that one viewer is sent of a table."""

    page: str
    frames: list[str]
    answers: list[str]


async def sent(deal: Deal, actions: list[Action], viewer: int | None) -> Sent:
    """What a viewer is sent: the page, a frame after each action, and every refusal."""
    pictures: list[TablePicture | None] = [None]
    drawings = Drawings()
    for number in range(max(0, len(actions) - 2), len(actions) + 1):
        live = table(deal, actions[:number])
        viewing._drawings[live] = drawings
        pictures.append(picture(live, viewer))
    frames = [
        frame(after.changes(before), version="1.1")
        for before, after in pairwise(pictures)
        if after is not None
    ]
    return Sent(
        page(live, viewer, draw(seen_by(live, viewer))), frames, await answers(live, viewer)
    )


def seen_by(live: Live, viewer: int | None) -> View:
    """All that a viewer is shown of a table."""
    return viewing.view_of(live, None if viewer is None else viewer + 1)


def picture(live: Live, viewer: int | None) -> TablePicture:
    """A viewer's picture, drawn as for a table at which everybody watches."""
    drawings = viewing.drawings_of(live)
    sheet = drawings.sheet(viewing.scene_of(live), viewing.seen_by_all(live))
    everybody = [*range(live.rules.players), None]
    pictures = {one: drawings.picture(seen_by(live, one), sheet) for one in everybody}
    return pictures[viewer]


def page(live: Live, viewer: int | None, parts: Mapping[str, str]) -> str:
    """The table's page as the view renders it."""
    context = {
        "view": seen_by(live, viewer),
        "parts": parts,
        "table_id": 1,
        "ws_path": "/ws/tables/1/",
        "can_act": viewer is not None,
        "why": "",
    }
    return render_to_string("games/play/table.html", context | SHELL)


request = RequestFactory().get("/tables/1/")
SHELL = {"request": request, "csrf_token": "t", "user": SimpleNamespace(is_authenticated=False)}


async def answers(live: Live, viewer: int | None) -> list[str]:
    """What a seat is answered to each card it tries to play or throw away, where it is refused."""
    if viewer is None or live.playing is None:
        return []
    told = []
    actor = Actor(viewer, viewer + 1, GameEvent.By.PERSON)
    legal = live.playing.engine.legal_actions() if live.playing.engine.turn == viewer else ()
    for action in (*PLAYS, *DISCARDS):
        if action not in legal:
            answer = await play.perform(live, actor, Decision(str(action), live.stamp))
            assert answer.kind != play.DONE
            told.append(answer_frame("key", answer.kind, answer.message, answer.stamp))
    return told


@pytest.mark.parametrize("share", range(SHARES))
@pytest.mark.parametrize("key", RULE_SETS)
def test_hidden_cards_change_no_byte(key: str, share: int) -> None:
    asyncio.run(compare_share(key, share))


async def compare_share(key: str, share: int) -> None:
    """Compare a share of the deals of a rule set, each with another that looks the same."""
    compared = tried = 0
    rules = RULE_SETS[key]
    while compared < DEALS // SHARES:
        tried += 1
        rng = Random(f"{key} {share} {tried}")
        deal = random_deal(rules, rng)
        actions = stopped(deal, rng)
        viewer = rng.choice([None, *range(rules.players)])
        found = another(Seen.by(deal, viewer), actions, rng)
        if found is not None:
            other, done = found
            compared += hands_of(other) != hands_of(deal)
            assert await sent(deal, actions, viewer) == await sent(other, done, viewer)
    assert tried < 10 * DEALS


@pytest.mark.django_db(transaction=True)
async def test_no_log_line_names_a_card_or_an_action(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    at = await room()
    await at.act(await at.turn(), "play 9C")
    await at.play_out()
    events = {event.action for event in await at.events() if " " in event.action}
    assert events
    logged = "\n".join(record.getMessage() for record in caplog.records)
    assert not [action for action in events if action in logged]
