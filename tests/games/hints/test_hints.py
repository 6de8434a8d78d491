"""A hint: who may have one, what it makes of the game, and that it is the house's own choice."""

from __future__ import annotations

import json
import random
import re
from dataclasses import replace
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.test import AsyncClient
from django.urls import reverse
from django.utils import timezone

from games.bots import levels
from games.engine.actions import MAKE, ORDER, PASS, PLAY, parse_action
from games.engine.observation import (
    ASKING,
    DEFENDING,
    FOLDING,
    GIVING,
    SWAPPING,
    Observation,
)
from games.engine.rules import CLASSIC_24, NEVER, RuleSet
from games.hints import asking
from games.hints.advice import MOST, advice_of
from games.live import state, thinking
from games.models import Game, Performance, Player, Table
from games.people import limits
from games.people.identity import PLAYER_KEY
from games.picture import viewing
from games.picture.cast import cast_of
from games.play import play
from games.records import performances
from games.records.outcomes import PRACTICE, outcome_of
from games.seats import consent
from games.seats.seating import SeatingError
from games.sockets import hub
from tests.chance import PUBLISHED
from tests.factories import Room, player, room
from tests.games.picture.scenes import CLUB, deal

pytestmark = pytest.mark.django_db(transaction=True)

ALONE = (1, 2, 3)
BIDS = {PASS, ORDER, MAKE}
LONE = replace(CLUB, farmers_hand=False, fold=NEVER)
POOR = ("9H TH 9C TC 9D", "AH 9S TS JC AD", "JH JD AS KS QS", "QH AC KC QC KD")
#: What brings the person in seat 0 before each question that only some rules ask.
QUESTIONS = {
    SWAPPING: deal(rules=CLUB),
    FOLDING: deal(*["decline"] * 4, rules=CLUB, hands=POOR, turn_up="JS"),
    ASKING: deal("order alone", "discard TD", rules=LONE),
    GIVING: deal("pass", "pass", "order alone", "discard TD", "give KS", rules=LONE),
    DEFENDING: deal("pass", "order alone", "decline", "decline", rules=LONE),
}
CARD = r"the [a-z0-9]+ of [a-z]+"
HEADS = {
    SWAPPING: rf"The computer would (keep all five|swap {CARD}, {CARD} and {CARD})\.",
    FOLDING: r"The computer would (fold|play on)\.",
    ASKING: rf"The computer would (keep all five|give away {CARD})\.",
    GIVING: rf"The computer would give {CARD}\.",
    DEFENDING: r"The computer would defend (alone|together)\.",
}


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    settings.HOUSE_PAUSE = (0.01, 0.01)  # some decisions always take so long
    settings.NEXT_DEAL_PAUSE = 600.0
    settings.HOUSE_PROCESSES = 0
    monkeypatch.setattr(hub, "announce", lambda _table_id: None)
    monkeypatch.setattr(play, "on_timer", lambda *_due: None)


async def my_turn(
    rules: RuleSet = CLASSIC_24, house: tuple[int, ...] = ALONE, level: str = levels.STEADY
) -> Room:
    """A table at which the person in seat 0 has something to weigh."""
    at = await room(rules, house)
    await Table.objects.filter(pk=at.table_id).aupdate(house_level=level)
    while not viewing.view_of(await at.live(), at.players[0].pk).may_hint:
        if await at.turn() == 0:
            assert (await at.step()).kind == play.DONE
        else:
            await play.act_by_itself(at.table_id)
    return at


async def browser(at: Room, seat: int = 0) -> AsyncClient:
    client = AsyncClient()
    session = await client.asession()
    session[PLAYER_KEY] = at.players[seat].pk
    await session.asave()
    return client


async def ask(client: AsyncClient, at: Room, stamp: str | None = None) -> Any:
    address = reverse("hint", args=[at.table_id])
    data = {"version": stamp or await at.stamp()}
    return await client.post(address, data, headers={"HX-Request": "true"})


async def refused(at: Room, who: Player, stamp: str | None = None) -> str:
    table, at_stamp = await Table.objects.aget(pk=at.table_id), stamp or await at.stamp()
    with pytest.raises(SeatingError) as error:
        await sync_to_async(asking.ask)(table, who, at_stamp)
    return error.value.code


async def test_the_hint_is_the_house_players_choice_and_always_the_same() -> None:
    at = await my_turn()
    client = await browser(at)
    first, again = await ask(client, at), await ask(client, at)
    assert first.status_code == 200
    assert first.json() == again.json()
    live = await at.live()
    assert live.playing
    chosen = await thinking.advise(live.house_level, live.playing.engine.observe(0))
    assert first.json()["action"] == str(chosen)
    assert first.json()["head"].startswith("The computer would ")
    assert 1 <= len(first.json()["reasons"]) <= MOST
    assert first.json()["action"] in await at.legal()


async def test_without_scripts_the_hint_is_a_page() -> None:
    at = await my_turn()
    client = await browser(at)
    address = reverse("hint", args=[at.table_id])
    response = await client.post(address, {"version": await at.stamp()})
    assert response.status_code == 200
    assert "The computer would" in response.content.decode()


async def test_a_hint_makes_the_game_practice_for_all_to_see() -> None:
    at = await my_turn()
    assert viewing.pictures(await at.live(), [None])[None].table.values["practice"] is None
    client = await browser(at)
    await ask(client, at)
    await state.look_again(at.table_id)
    shown = viewing.pictures(await at.live(), [None])[None]
    assert shown.table.values["practice"] is True
    assert (await at.row()).for_practice
    state.forget_all()
    assert (await at.live()).practice, "read again from what is stored"


@pytest.mark.parametrize("resigns", [False, True])
async def test_nothing_of_a_game_with_a_hint_counts(*, resigns: bool) -> None:
    at = await my_turn()
    await ask(await browser(at), at)
    table = await Table.objects.aget(pk=at.table_id)
    if resigns:
        propose = sync_to_async(consent.propose)
        await propose(table, at.players[0], "resign", 1, timezone.now())
    else:
        over = {"state": Game.State.OVER, "winner": 0, "score_0": 10, "ended": timezone.now()}
        await Game.objects.filter(table=table).aupdate(**over)
    assert await sync_to_async(performances.record_ended)() == 1
    game = await Game.objects.select_related("table").aget(table=table)
    outcome = outcome_of(game)
    assert (outcome.how, outcome.counts) == (PRACTICE, False)
    mine = await Performance.objects.aget(game=game, player=at.players[0])
    assert (mine.result, mine.deals, mine.euchres) == (None, 0, 0)


async def test_with_another_person_there_is_no_hint() -> None:
    at = await room(CLASSIC_24, (2, 3))
    while await at.turn() != 0:
        if await at.turn() == 1:
            await at.step()
        else:
            await play.act_by_itself(at.table_id)
    assert await refused(at, at.players[0]) == "no hint"
    assert not (await at.row()).for_practice


async def test_at_the_table_of_an_event_there_is_no_hint() -> None:
    at = await my_turn()
    await Table.objects.filter(pk=at.table_id).aupdate(reserved=True)
    assert await refused(at, at.players[0]) == "no hint"
    assert not (await at.row()).for_practice


async def test_a_program_gets_no_hint() -> None:
    at = await my_turn()
    await Player.objects.filter(pk=at.players[0].pk).aupdate(kind=Player.Kind.PROGRAM)
    assert await refused(at, at.players[0]) == "no hint"
    assert not (await at.row()).for_practice


async def test_a_hint_needs_a_seat_the_turn_and_the_present_moment() -> None:
    at = await my_turn()
    stranger = await sync_to_async(player)("Stranger")
    assert await refused(at, stranger) == "not seated"
    assert await refused(at, at.players[0], "1.9999") == "moved on"
    await at.step()
    if await at.turn() != 0:
        assert await refused(at, at.players[0]) == "no hint"
    assert not (await at.row()).for_practice


async def test_a_hint_asked_for_as_the_table_moves_on_is_no_error_to_a_script() -> None:
    at = await my_turn()
    client, stamp = await browser(at), await at.stamp()
    await at.step()
    response = await ask(client, at, stamp)
    assert (response.status_code, response.content) == (204, b"")
    address = reverse("hint", args=[at.table_id])
    plain = await client.post(address, {"version": stamp})
    assert plain.status_code == 409
    assert "The table has moved on since" in plain.content.decode()
    assert not (await at.row()).for_practice


async def test_hints_are_limited() -> None:
    at = await my_turn()
    client = await browser(at)
    for _ in range(limits.HINTS_IN_A_MINUTE):
        assert (await ask(client, at)).status_code == 200
    assert (await ask(client, at)).status_code == 429


async def test_if_the_house_fails_there_is_no_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    async def nothing(_level: str, _seen: Observation) -> None:
        return None

    at = await my_turn()
    monkeypatch.setattr(thinking, "advise", nothing)
    response = await ask(await browser(at), at)
    assert (response.status_code, response.content) == (503, b"No hint this time.")


async def test_the_words_tell_nothing_that_the_player_cannot_see() -> None:
    """The other hands dealt anew leave every byte of the answer as it was."""
    at = await my_turn()
    seen = _seen(await at.live())
    action = await thinking.advise("strong", seen)
    assert action is not None
    live = await at.live()
    assert live.playing
    hands = live.playing.engine.deal.hands
    before = json.dumps(advice_of(seen, action, cast_of(("A", "B", "C", "D"))))
    hands[1], hands[3] = hands[3], hands[1]
    after_seen = _seen(live)
    assert await thinking.advise("strong", after_seen) == action
    assert json.dumps(advice_of(after_seen, action, cast_of(("A", "B", "C", "D")))) == before


def _seen(live: state.Live) -> Observation:
    assert live.playing
    return live.playing.engine.observe(0)


@pytest.mark.parametrize("rules", PUBLISHED.values(), ids=PUBLISHED)
async def test_every_choice_of_a_game_has_words(rules: RuleSet) -> None:
    at = await my_turn(rules, tuple(range(1, rules.players)))
    kinds: set[str] = set()
    chance = random.Random(3)
    for acts in range(400):
        if acts >= 40 and PLAY in kinds and kinds & BIDS:
            break
        view = viewing.view_of(await at.live(), at.players[0].pk)
        if view.may_hint and view.observation is not None:
            names = ("Ada", "Ben", "Cleo", "Dan")[: rules.players]
            for text in await at.legal():
                action = parse_action(text)
                kinds.add(action.kind)
                advice = advice_of(view.observation, action, cast_of(names))
                assert advice.action == text
                assert advice.head.endswith(".")
                assert all(one.words for one in advice.reasons)
        if (await at.live()).state != Table.State.PLAYING:
            break
        turn = await at.turn()
        if turn < 0:
            await at.act(0, "next")  # the table waits for whoever plays with the house alone
        elif turn == 0:
            await at.act(0, chance.choice(await at.legal()))
        else:
            await play.act_by_itself(at.table_id)
    assert PLAY in kinds
    assert kinds & BIDS


@pytest.mark.parametrize("phase", QUESTIONS)
async def test_a_hint_can_be_asked_for_at_each_question_that_only_some_rules_ask(
    phase: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = await room(QUESTIONS[phase].rules, ALONE)
    live = await at.live()
    assert live.playing
    live.playing.engine.deal = QUESTIONS[phase].copy()
    monkeypatch.setattr(state, "read", lambda _table_id: live)
    assert _seen(live).phase == phase
    me = at.players[0].pk
    shown = viewing.pictures(live, [me, None])
    assert shown[me].own["hint"] is True
    assert not shown[None].own.get("hint")
    answer = await ask(await browser(at), at)
    assert answer.status_code == 200
    assert answer.json()["action"] in await at.legal()
    for text in await at.legal():
        head = advice_of(_seen(live), parse_action(text), cast_of(("A", "B", "C", "D"))).head
        assert re.fullmatch(HEADS[phase], head), head
