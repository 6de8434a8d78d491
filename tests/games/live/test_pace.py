"""How long house players take: the site's time, and less where everybody wants it quick."""

import asyncio
from random import Random
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.utils import timezone

from games.bots import levels
from games.engine.actions import DECLINED, NINES_AND_TENS, SWAP, Action
from games.engine.observation import DEFENDING, FIRST_ROUND, FOLDING, SWAPPING, Observation
from games.engine.rules import NO_FACE, RuleSet
from games.live import pace, state, thinking
from games.models import Seat, Table
from games.people import identity
from tests.chance import random_deal
from tests.factories import Room, room

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("announced")]


async def house_turn(settings: Any, house_seats: tuple[int, ...]) -> Room:
    """A table at which a house player is to call."""
    at = await room(house_seats=house_seats)
    settings.HOUSE_PAUSE = (10.0, 10.0)
    while await at.turn() not in house_seats:
        await at.act(await at.turn(), (await at.legal())[0])
    return at


async def wants(at: Room, seat: int, *, quick: bool) -> float | None:
    """The pause of a table once somebody there has chosen a pace."""
    await sync_to_async(identity.ask_for_pace)(at.players[seat].pk, quick=quick)
    await state.look_again(at.table_id)
    return pace.pause(await at.live())


async def test_house_players_are_quick_where_everybody_wants_it(settings: Any) -> None:
    at = await house_turn(settings, (1, 3))
    assert pace.pause(await at.live()) == 10
    assert await wants(at, 0, quick=True) == 10, "the other has not asked for it"
    assert await wants(at, 2, quick=True) == pytest.approx(10 * pace.QUICK_FACTOR)
    assert await wants(at, 0, quick=False) == 10


async def test_absent_players_are_not_waited_for(settings: Any) -> None:
    at = await house_turn(settings, (1, 3))
    gone = Seat.objects.filter(table=at.table_id, position=2)
    await gone.aupdate(missing_since=timezone.now())
    assert await wants(at, 0, quick=True) == pytest.approx(10 * pace.QUICK_FACTOR)


async def test_nobody_there_wants_anything(settings: Any) -> None:
    at = await house_turn(settings, (1, 3))
    people = Seat.objects.filter(table=at.table_id, position__in=(0, 2))
    await people.aupdate(missing_since=timezone.now())
    await state.look_again(at.table_id)
    assert pace.pause(await at.live()) == 10


async def test_a_finished_game_never_acts_though_its_table_was_read_before_its_end() -> None:
    at = await room()
    await at.play_out()
    live = await at.live()
    live.state = Table.State.PLAYING
    assert pace.pause(live) is None
    assert pace.due(live, timezone.now()) is None
    assert pace.seats_that_may_undo(live) == ()


async def test_the_last_event_leaves_nothing_due() -> None:
    at = await room()
    await at.play_out()
    assert (await at.row()).due is None


async def between_two_hands(house_seats: tuple[int, ...]) -> Room:
    at = await room(house_seats=house_seats)
    while (playing := (await at.live()).playing) and not playing.engine.between_deals:
        await at.act(await at.turn(), (await at.legal())[0])
    return at


@pytest.mark.parametrize(
    ("house_seats", "pause"), [((1, 2, 3), None), ((1, 3), 6.0)], ids=["one person", "two"]
)
async def test_the_next_hand_waits_for_one_person_who_plays_with_the_house(
    settings: Any, house_seats: tuple[int, ...], pause: float | None
) -> None:
    settings.NEXT_DEAL_PAUSE = 6.0
    at = await between_two_hands(house_seats)
    assert pace.pause(await at.live()) == pause
    gone = Seat.objects.filter(table=at.table_id, position=0)
    await gone.aupdate(missing_since=timezone.now())
    await state.look_again(at.table_id)
    assert pace.pause(await at.live()) == 6.0, "nobody reads"


CLUB = RuleSet(key="club", name="Club", farmers_hand=True, fold=NO_FACE, own_trump=True)


async def test_a_stand_in_declines_what_only_some_rules_ask(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever a house player would do with the hand."""

    async def swap(_level: str, _seen: Observation) -> Action:
        return Action(SWAP, NINES_AND_TENS)

    monkeypatch.setattr(thinking, "choose", swap)
    at = await room(CLUB)
    live, turn = await at.live(), await at.turn()
    assert live.playing
    live.seats[turn].stand_in = True
    made = await pace.decide(live, live.playing)
    assert (made.seat, made.action) == (turn, "decline")
    live.seats[turn].stand_in, live.seats[turn].house = False, True
    assert (await pace.decide(live, live.playing)).action.startswith("swap ")


def test_a_defender_takes_as_long_with_a_hopeless_hand_as_with_a_fair_one() -> None:
    assert thinking.takes_fixed_time(CLUB, DEFENDING)


@pytest.mark.parametrize("phase", [SWAPPING, FOLDING, FIRST_ROUND])
async def test_a_hand_without_a_choice_takes_as_long_as_one_with_a_choice(
    phase: str, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Strong house players think as long and wait as long, whatever their hand allows."""
    settings.HOUSE_PAUSE = (0.7, 1.5)
    waited, budgets = list[float](), list[float]()

    async def wait(seconds: float) -> None:
        waited.append(seconds)

    def choose(_level: str, seen: Observation, *rest: Any) -> Action:
        budgets.append(rest[-1])
        return seen.legal[0]

    monkeypatch.setattr(asyncio, "sleep", wait)
    monkeypatch.setattr(levels, "choose", choose)
    choices = set()
    for seed in range(3000):
        deal = random_deal(CLUB, Random(seed))
        while deal.phase != phase:
            deal.push(DECLINED)
        seen = deal.observe(deal.turn)
        if len(seen.legal) in choices:
            continue
        choices.add(len(seen.legal))
        await thinking.choose(levels.STRONG, seen)
        if len(choices) > 1:
            break
    assert 1 in choices
    assert len(choices) > 1
    assert set(waited) == {0.7}
    assert len(waited) == len(choices)
    assert max(budgets) < 0.7


async def test_where_thinking_takes_its_fixed_time_the_pause_is_shorter_by_it(
    settings: Any,
) -> None:
    at = await room(CLUB, house_seats=(0, 1, 2, 3)[1:])
    settings.HOUSE_PAUSE = (10.0, 10.0)
    while await at.turn() == 0:
        await at.act(0, "decline")
    assert pace.pause(await at.live()) == 0
