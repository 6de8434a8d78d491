"""Leak test: changing only what a viewer cannot see changes no byte that is sent to them.

A deal is stopped at a random moment and another made that looks the same to the viewer (see
``tests.property.test_leak``). Both are put on a table; the page with its values, the
socket's frames and the answer to every card tried must then be the same to the letter. What all
are sent of a frame is the same text for each of them, and for whatever nobody has seen.
"""

import asyncio
import logging
import uuid
from collections import defaultdict
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from random import Random
from types import SimpleNamespace

import pytest
from django.template.loader import render_to_string
from django.test import RequestFactory

from games.engine.actions import (
    BESTS,
    DEFENDS,
    DISCARDS,
    FOLDS,
    GIVES,
    NINES_AND_TENS,
    PLAY,
    PLAYS,
    Action,
    swaps_of,
)
from games.engine.cards import card_text, cards_in
from games.engine.deal import Deal
from games.engine.game import Game
from games.engine.rules import RuleSet
from games.live.state import Live, LiveGame, Sitter
from games.models import GameEvent
from games.picture import page as drawing
from games.picture import viewing
from games.picture.frames import OwnPicture, TablePicture
from games.picture.scene import View
from games.picture.values import spoken
from games.picture.wording import WORDING
from games.play import play
from games.play.play import Actor, Decision
from games.sockets.html_frames import answer_frame
from tests.chance import PLAIN, random_deal, rules_of
from tests.factories import room
from tests.games.picture.pages import frames_without_own
from tests.games.picture.test_shared_values import codes
from tests.property.test_leak import (
    ANSWERS,
    Seen,
    actions_of,
    again,
    another,
    answered,
    hands_of,
    stopped,
)
from tests.volume import scaled, volume

DEALS = volume(24, 48, 5_000)
SHARES = volume(2, 2, 8)
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
    playing = LiveGame(GAME, 1, engine, {}, lambda _: 0, SEEN)
    return Live(1, rules, "playing", True, 1, "token", sitters, playing)


@dataclass
class Sent:
    """All that one viewer is sent of a table.

    Attributes:
        everybody: what of the frames each of all viewers is sent.
    """

    page: str
    frames: list[str]
    everybody: list[str]
    answers: list[str]


async def sent(deal: Deal, actions: list[Action], viewer: int | None) -> Sent:
    """What a viewer is sent: the page, a frame after each action, and every refusal."""
    shown = TablePicture()
    shown.name = "a table"
    everybody = [*range(deal.rules.players), None]
    frames: dict[int | None, list[str]] = {one: [] for one in everybody}
    had: dict[int | None, dict[str, object]] = {one: {} for one in everybody}
    for number in range(max(0, len(actions) - 2), len(actions) + 1):
        live = table(deal, actions[:number])
        viewing._pictures[live] = defaultdict(TablePicture, {(False, False): shown})
        at, pictures = shown.number, drawn(live)
        for one, picture in pictures.items():
            frames[one] += [text.decode() for text in picture.frames(at, had[one])]
            had[one] = dict(picture.own)
    whole = {one: [picture.frames(0, {})[0].decode()] for one, picture in pictures.items()}
    to_all = {tuple(frames_without_own(frames[one] + whole[one])) for one in everybody}
    assert len(to_all) == 1, "not all are sent the same"
    return Sent(
        page=page(live, viewer, pictures[viewer]),
        frames=frames[viewer] + whole[viewer],
        everybody=list(to_all.pop()),
        answers=await answers(live, viewer),
    )


def seen_by(live: Live, viewer: int | None) -> View:
    """All that a viewer is shown of a table."""
    return viewing.view_of(live, player(viewer))


def player(viewer: int | None) -> int | None:
    """The number of whoever has a seat."""
    return None if viewer is None else viewer + 1


def drawn(live: Live) -> dict[int | None, OwnPicture]:
    """Everybody's picture of a table, by seat."""
    everybody = [*range(live.rules.players), None]
    pictures = viewing.pictures(live, [player(one) for one in everybody])
    return {one: pictures[player(one)] for one in everybody}


def page(live: Live, viewer: int | None, picture: OwnPicture) -> str:
    """The table's page as the view renders it."""
    view = seen_by(live, viewer)
    context = {
        "view": view,
        "page": drawing.draw(view, picture.table.values, picture.own),
        "values": {**picture.table.values, **picture.own},
        "have": picture.table.at,
        "wording": WORDING,
        "spoken": spoken(view, picture.own, picture.table.cast),
        "table_id": 1,
        "ws_path": "/ws/tables/1/",
        "can_act": viewer is not None,
        "guard": 300,
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
    for action in (*PLAYS, *DISCARDS, *GIVES, *BESTS, *swaps_of(NINES_AND_TENS), FOLDS, DEFENDS):
        if action not in legal:
            answer = await play.perform(live, actor, Decision(str(action), live.stamp))
            assert answer.kind != play.DONE
            told.append(answer_frame("key", answer.kind, answer.message, answer.stamp))
    return told


def long_game(source: str, rng: Random) -> RuleSet:
    """The rule set of that key, or one by chance; one hand does not end the game."""
    rules = rules_of(source, rng)
    return replace(rules, deals=100) if rules.target is None else replace(rules, target=50)


@pytest.mark.parametrize("share", range(SHARES))
@pytest.mark.parametrize("key", [*PLAIN, "club rules"])
def test_hidden_cards_change_no_byte(key: str, share: int) -> None:
    asyncio.run(compare_share(key, share))


async def compare_share(key: str, share: int) -> None:
    """Compare a share of the deals of a rule set, each with another that looks the same."""
    compared = tried = 0
    while compared < DEALS // SHARES:
        tried += 1
        rng = Random(f"{key} {share} {tried}")
        rules = long_game(key, rng)
        deal = random_deal(rules, rng)
        actions = stopped(deal, rng)
        viewer = rng.choice([None, *range(rules.players)])
        found = another(Seen.by(deal, viewer), actions, rng)
        if found is not None:
            other, done = found
            compared += hands_of(other) != hands_of(deal)
            assert await sent(deal, actions, viewer) == await sent(other, done, viewer)
    assert tried < 10 * DEALS


@pytest.mark.parametrize("kind", ANSWERS)
def test_no_byte_tells_of_a_card_swapped_given_or_folded(kind: str) -> None:
    """At the answer itself, at the action after it, or later, for every viewer."""
    compared = 0
    for deal, rng in islice(answered(kind), volume(2, 6, 1_000)):
        done = actions_of(deal)
        at = next(number for number, action in enumerate(done) if action.kind == kind)
        actions = done[: at + rng.choice([1, 2, len(done)])]
        original = again(deal)
        for action in actions:
            original.push(action)
        for viewer in (None, *range(deal.rules.players)):
            seen = Seen.by(original, viewer)
            found = next(filter(None, (another(seen, actions, rng) for _ in range(40))), None)
            if found is not None:
                compared += 1
                ours, theirs = asyncio.run(both(original, actions, *found, viewer))
                assert ours == theirs
    assert compared


@pytest.mark.parametrize("key", [*PLAIN, "club rules"])
def test_what_all_are_sent_is_the_same_for_all_that_nobody_has_seen(key: str) -> None:
    """Whoever looks: dealt anew is what no spectator has seen, so that every hand is another."""
    compared = tried = 0
    while compared < scaled(30):
        tried += 1
        rng = Random(f"all {key} {tried}")
        rules = long_game(key, rng)
        deal = random_deal(rules, rng)
        actions = stopped(deal, rng)
        found = another(Seen.by(deal, None), actions, rng)
        if found is not None:
            other, done = found
            compared += hands_of(other) != hands_of(deal)
            viewer = rng.randrange(rules.players)
            ours, theirs = asyncio.run(both(deal, actions, other, done, viewer))
            assert ours.everybody == theirs.everybody
            known = {card_text(card) for card in known_to_all(deal, actions)}
            text = "".join(ours.everybody)
            assert codes(text) <= known
    assert tried < 1000


async def both(
    deal: Deal, actions: list[Action], other: Deal, done: list[Action], viewer: int | None
) -> tuple[Sent, Sent]:
    """What a seat is sent of two deals."""
    return await sent(deal, actions, viewer), await sent(other, done, viewer)


def known_to_all(deal: Deal, actions: list[Action]) -> set[int]:
    """The cards that everybody has seen: those played or folded, and the turn-up."""
    now = again(deal)
    for action in actions:
        now.push(action)
    folded = cards_in(now.observe().folded)
    return {deal.turn_up, *folded} | {one.value for one in actions if one.kind == PLAY}


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
