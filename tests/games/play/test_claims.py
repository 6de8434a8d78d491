"""The rest of a hand that was claimed is played out by the table, and stored as it is played."""

from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from django.utils import timezone

from games.engine.rules import CLASSIC_24, HEADS_UP, JOKER_33, RuleSet
from games.files.egn import write_egn
from games.files.record import read_record
from games.live import state
from games.models import Game, GameEvent, Proposal
from games.play import play, sweep
from games.records import game_files, performances
from games.records.finished import finished
from games.seats import consent
from games.sockets import hub
from tests.games.seats.test_consent import Claimable, claimable, propose

pytestmark = pytest.mark.django_db(transaction=True)

NOW = timezone.now()


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    """Nothing happens at a table by itself but what is claimed."""
    settings.NEXT_DEAL_PAUSE = 600.0
    monkeypatch.setattr(hub, "announce", lambda _table_id: None)


async def agreed(rules: RuleSet = CLASSIC_24) -> Claimable:
    """A table at which everybody has agreed to a claim."""
    return await sync_to_async(_agreed)(rules)


def _agreed(rules: RuleSet) -> Claimable:
    found = claimable(rules)
    propose(found.at, found.claimer, Proposal.Kind.CLAIM, NOW)
    proposal = Proposal.objects.get(game__table=found.at)
    for other in found.others:
        consent.answer(found.at, other, proposal.pk, agree=True, now=NOW)
    state.forget_all()
    return found


async def played_out(found: Claimable) -> Game:
    """Let the table act until the hand is over."""
    live = await state.get(found.at.pk)
    assert live.claimed >= 0
    while live.claimed >= 0:
        await play.act_by_itself(found.at.pk)
    return await Game.objects.aget(pk=found.game.pk)


@pytest.mark.parametrize("rules", [CLASSIC_24, JOKER_33, HEADS_UP], ids=lambda rules: rules.key)
async def test_the_table_plays_it_out_as_everybodys_own_play(rules: RuleSet) -> None:
    found = await agreed(rules)
    before = found.game.version
    game = await played_out(found)
    live = await state.get(found.at.pk)
    assert live.playing
    assert live.playing.engine.deal.result is not None
    events = [one async for one in GameEvent.objects.filter(game=game, seq__gt=before)]
    assert len(events) == game.version - before > 1
    assert {event.by for event in events} == {GameEvent.By.PERSON}
    sitting = {seat: sitter.player_id for seat, sitter in enumerate(live.seats)}
    assert all(event.player_id == sitting[event.seat] for event in events)
    assert all(event.action.startswith("play ") for event in events)


async def test_the_next_hand_is_not_claimed() -> None:
    found = await agreed()
    await played_out(found)
    live = await state.get(found.at.pk)
    assert live.playing
    if live.playing.engine.between_deals:
        await play.act_by_itself(found.at.pk)
        assert live.playing.engine.deal.result is None
    assert live.claimed < 0
    assert live.proposal(NOW) is None


async def test_after_a_restart_the_sweep_goes_on_with_it() -> None:
    found = await agreed()
    state.forget_all()
    overdue = NOW - timedelta(seconds=2 * sweep.GRACE)
    await Game.objects.filter(pk=found.game.pk).aupdate(due=overdue)
    await sweep.sweep()
    game = await Game.objects.aget(pk=found.game.pk)
    assert game.version > found.game.version


async def test_a_card_played_lets_the_claim_go_by() -> None:
    found = await sync_to_async(claimable)()
    await sync_to_async(propose)(found.at, found.claimer, Proposal.Kind.CLAIM, NOW)
    state.forget_all()
    live = await state.get(found.at.pk)
    assert live.playing
    assert live.proposal(NOW) is not None
    card = str(live.playing.engine.legal_actions()[0])
    decision = play.Decision(card, live.stamp, "a card")
    answer = await play.act(found.at.pk, found.claimer.pk, decision)
    assert answer.kind == play.DONE
    assert live.proposal(NOW) is None
    assert live.claimed < 0


async def test_what_comes_after_a_game_was_resigned_is_not_stored() -> None:
    found = await sync_to_async(claimable)(HEADS_UP)
    live = await state.get(found.at.pk)
    assert live.playing
    card, stamp = str(live.playing.engine.legal_actions()[0]), live.stamp
    await sync_to_async(propose)(found.at, found.claimer, Proposal.Kind.RESIGN, NOW)
    answer = await play.act(found.at.pk, found.claimer.pk, play.Decision(card, stamp, "late"))
    assert (answer.kind, answer.message) == (play.STALE, "This game is over.")
    game = await Game.objects.aget(pk=found.game.pk)
    assert (game.state, game.version) == (Game.State.ABANDONED, found.game.version)
    live = await state.get(found.at.pk)
    assert live.playing
    assert (live.resigned >= 0, live.state) == (True, "finished")
    assert live.playing.engine.version == game.version


def test_the_record_holds_it_as_real_play() -> None:
    found = _agreed(CLASSIC_24)
    game = async_to_sync(played_out)(found)
    if game.state == Game.State.PLAYING:  # only a game that has ended is a record
        game.state, game.ended = Game.State.ABANDONED, NOW
        game.save()
    record = read_record(game_files.record_file(game))
    assert len(record.events) == game.version
    assert write_egn(game_files.played_of(game))
    assert f"{found.claimer.name} claims the rest" in finished(game).logs[-1][2]
    performances.record(game)
    game.refresh_from_db()
    assert set(game.stood_in[-1:]) <= {"0"}, "nobody was stood in for"
