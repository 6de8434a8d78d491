"""What somebody wants to undo is undone by the table once all agree, and stored as an event."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.utils import timezone
from django.utils.html import strip_tags

from games.bots import levels
from games.engine.observation import PLAYING
from games.engine.rules import HEADS_UP
from games.files.egn import write_egn
from games.files.record import read_record
from games.live import absence, pace, state
from games.models import Game, GameEvent, Performance, Proposal, Seat, Table
from games.models.proposals import MAX_PER_HAND
from games.picture import viewing
from games.picture.page import log_list
from games.picture.wording import Reader
from games.play import play, sweep
from games.records import game_files, performances
from games.records.finished import finished
from games.records.game_lists import game_lines, rows_of
from games.seats import consent
from games.seats.seating import SeatingError
from games.sockets import hub
from tests.factories import Room, player, room

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    """Nothing happens at a table by itself but what was agreed to."""
    settings.HOUSE_PAUSE = (600.0, 600.0)
    settings.NEXT_DEAL_PAUSE = 600.0
    monkeypatch.setattr(hub, "announce", lambda _table_id: None)
    monkeypatch.setattr(play, "on_timer", lambda *_due: None)


async def called() -> tuple[Room, int]:
    """A table at which somebody has just passed, and that seat."""
    at = await room()
    while "pass" not in await at.legal():
        await at.step()
    seat = await at.turn()
    assert (await at.act(seat, "pass")).kind == play.DONE
    return at, seat


async def wants_to_undo(at: Room, seat: int) -> None:
    """Propose to undo what a seat did last."""
    table, version = await Table.objects.aget(pk=at.table_id), (await at.row()).version
    await sync_to_async(consent.undo)(table, at.players[seat], 1, version, timezone.now())
    await state.look_again(at.table_id)


async def say(at: Room, seat: int, *, agree: bool) -> None:
    """Answer what is proposed."""
    table = await Table.objects.aget(pk=at.table_id)
    proposal = await Proposal.objects.alatest("pk")
    answer = sync_to_async(consent.answer)
    await answer(table, at.players[seat], proposal.pk, agree=agree, now=timezone.now())
    await state.look_again(at.table_id)


def is_agreed(live: state.Live) -> bool:
    """Whether the table is about to undo something."""
    return live.undoing is not None


async def agreed() -> tuple[Room, int]:
    """A table at which all have agreed to undo a call, which is not undone yet."""
    at, seat = await called()
    await wants_to_undo(at, seat)
    for other in {0, 1, 2, 3} - {seat}:
        await say(at, other, agree=True)
    return at, seat


async def agreed_by_leaving() -> tuple[Room, int]:
    """A table as in ``agreed``, at which the last who was asked has left for good instead."""
    at, seat = await called()
    await wants_to_undo(at, seat)
    leaver, *others = {0, 1, 2, 3} - {seat}
    for other in others:
        await say(at, other, agree=True)
    table = await Table.objects.aget(pk=at.table_id)
    await sync_to_async(consent.leave)(table, at.players[leaver], 1, timezone.now())
    await state.look_again(at.table_id)
    return at, seat


async def test_an_agreed_undo_is_performed() -> None:
    at, seat = await called()
    before = await at.row()
    live = await at.live()
    await wants_to_undo(at, seat)
    for other in {0, 1, 2, 3} - {seat}:
        assert not is_agreed(live)
        await say(at, other, agree=True)
    assert is_agreed(live)
    await play.act_by_itself(at.table_id)
    game, events = await at.row(), await at.events()
    assert (game.version, game.turn, await at.turn()) == (before.version + 1, seat, seat)
    assert (events[-1].action, events[-1].by) == ("undo 1", GameEvent.By.PERSON)
    assert (events[-1].seat, events[-1].player_id) == (seat, at.players[seat].pk)
    assert not is_agreed(live)
    assert "pass" in await at.legal()
    state.forget_all()
    assert await at.turn() == seat, "read again from what is stored"
    assert (await at.step()).kind == play.DONE


async def test_an_undo_is_logged_and_announced() -> None:
    at, seat = await agreed()
    await play.act_by_itself(at.table_id)
    live, name = await at.live(), at.players[seat].name
    shown = viewing.pictures(live, [None])[None]
    values = shown.table.values
    log = str([*map(Reader(values).line, values["log.deal"])])
    assert "wants to undo their last move" in log
    assert "Agreed: it is taken back" in log
    assert shown.table.news == f"The last move of {name} is undone."


async def test_acting_drops_the_undo() -> None:
    at, seat = await called()
    await wants_to_undo(at, seat)
    assert (await at.step()).kind == play.DONE
    assert (await at.live()).proposal(timezone.now()) is None
    with pytest.raises(SeatingError, match="no longer open"):
        await say(at, await at.turn(), agree=True)
    await play.act_by_itself(at.table_id)
    assert not any(event.action.startswith("undo") for event in await at.events())


async def test_one_refusal_rejects_the_undo() -> None:
    at, seat = await called()
    await wants_to_undo(at, seat)
    other = (seat + 1) % 4
    await say(at, other, agree=False)
    live = await at.live()
    assert (live.undoing, live.proposal(timezone.now())) == (None, None)
    assert f"{at.players[other].name} lets it stand" in _log(live)
    assert (await at.step()).kind == play.DONE


async def test_an_undo_needs_consent() -> None:
    at, seat = await called()
    answer = await at.act(seat, "undo 1")
    assert (answer.kind, answer.message) == (
        play.ILLEGAL,
        "Nothing is undone without the others: propose it, and the table does so.",
    )


async def test_no_actions_between_agreement_and_undo() -> None:
    at, seat = await agreed()
    answer = await at.step()
    assert (answer.kind, "the table does so now" in answer.message) == (play.ILLEGAL, True)
    await play.act_by_itself(at.table_id)
    assert await at.turn() == seat


async def test_an_agreed_undo_of_a_player_who_left_does_not_block() -> None:
    at, seat = await agreed()
    await Seat.objects.filter(table=at.table_id, position=seat).aupdate(stand_in=True)
    await state.look_again(at.table_id)
    assert (await at.live()).undoing is None
    assert (await at.step()).kind == play.DONE


async def test_the_sweep_performs_an_agreed_undo_after_a_restart() -> None:
    at, seat = await agreed()
    state.forget_all()
    overdue = timezone.now() - timedelta(seconds=2 * sweep.GRACE)
    await Game.objects.filter(table=at.table_id).aupdate(due=overdue)
    await sweep.sweep()
    assert (await at.row()).turn == seat


async def test_an_undo_against_house_players_needs_no_consent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    at = await room(HEADS_UP, house_seats=(1,))
    monkeypatch.setattr(levels, "choose", lambda _level, seen, *_rest: seen.legal[0])
    while await at.turn() != 0 or "order" not in await at.legal():
        await (at.step() if await at.turn() <= 0 else play.act_by_itself(at.table_id))
    assert (await at.act(0, "order")).kind == play.DONE
    if await at.turn() == 1:  # to discard: while the house decides, nothing is proposed
        with pytest.raises(SeatingError, match="until another person has acted"):
            await wants_to_undo(at, 0)
        await play.act_by_itself(at.table_id)
    stored = len(await at.events())
    if await at.turn() == 0:
        await wants_to_undo(at, 0)
        assert is_agreed(await at.live())
        await play.act_by_itself(at.table_id)
        assert (await at.turn(), len(await at.events())) == (0, stored + 1)


def _cards_left(live: state.Live) -> int:
    """How many cards the first seat has left."""
    assert live.playing
    return live.playing.engine.deal.hands[0].bit_count()


def _is_followed(live: state.Live) -> bool:
    """Whether the first seat is to play a card and others play after it in the same trick."""
    assert live.playing
    deal = live.playing.engine.deal
    to_play = deal.turn == 0 and deal.phase == PLAYING and not deal.sitting_out
    return to_play and len(deal.plays) < 3 and len(deal.tricks) < 4


async def answered_by_the_house(monkeypatch: pytest.MonkeyPatch) -> tuple[Room, str, str]:
    """One person with the house, who has played a card and is asked again; the card, and when."""
    at = await room(house_seats=(1, 2, 3))
    monkeypatch.setattr(levels, "choose", lambda _level, seen, *_rest: seen.legal[0])
    while not _is_followed(await at.live()):
        await (at.step() if await at.turn() <= 0 else play.act_by_itself(at.table_id))
    before, card = await at.stamp(), (await at.legal())[0]
    assert (await at.act(0, card)).kind == play.DONE
    while await at.turn() != 0:
        await play.act_by_itself(at.table_id)
    return at, card, before


async def test_the_house_agrees_at_once_and_takes_its_cards_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    at, card, before = await answered_by_the_house(monkeypatch)
    live = await at.live()
    since = int((await at.stamp()).split(".")[1]) - int(before.split(".")[1])
    assert since > 1
    assert pace.seats_that_may_undo(live) == (0,), "it is offered"
    await wants_to_undo(at, 0)
    assert is_agreed(live)
    await play.act_by_itself(at.table_id)
    assert (await at.events())[-1].action == f"undo {since}"
    assert await at.turn() == 0
    assert card in await at.legal()
    log = _log(live)
    assert any("is taken back" in line for line in log)
    assert "House players take back what they played since: now a practice game" in log[-1]
    state.forget_all()
    assert await at.turn() == 0, "read again from what is stored"
    assert _log(await at.live()) == log


async def test_a_game_with_house_undo_is_not_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    at, _, _ = await answered_by_the_house(monkeypatch)
    await wants_to_undo(at, 0)
    await play.act_by_itself(at.table_id)
    while not await at.over():
        await (at.step() if await at.turn() <= 0 else play.act_by_itself(at.table_id))
    await sync_to_async(_is_practice)(await at.row(), at.players[0])


def _is_practice(game: Game, who: Any) -> None:
    assert game.practice
    performances.record(game)
    done = Performance.objects.get(game=game)
    assert (done.player, done.result, done.deals, done.called) == (who, None, 0, 0)
    game.refresh_from_db()
    assert finished(game).headline.startswith("A practice game, ")
    (line,) = game_lines(who, rows_of(who), who)
    assert (line.outcome, line.said) == (
        "Practice",
        "practice: with hints, or the house took cards back",
    )
    assert read_record(game_files.record_file(game)).rules == game.rules


async def test_undoing_before_house_plays_keeps_the_game_counted() -> None:
    at, _ = await agreed()
    await play.act_by_itself(at.table_id)
    assert not await sync_to_async(lambda game: game.practice)(await at.row())


async def test_an_undo_never_reaches_a_finished_hand(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    at, _, _ = await answered_by_the_house(monkeypatch)
    while await at.turn() >= 0:
        await (at.step() if await at.turn() <= 0 else play.act_by_itself(at.table_id))
    assert (await at.live()).since_own_last(0) == 0


async def test_no_undo_of_others_plays_or_in_event_games(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    at, _, _ = await answered_by_the_house(monkeypatch)
    live = await at.live()
    assert live.undone_by(0) > 1
    live.reserved = state.TableOwner("Table 1", "/")
    assert live.undone_by(0) == 0
    live.reserved = None
    other = (await at.events())[-1].seat
    live.seats[other].house, live.seats[other].stand_in = False, True
    assert live.undone_by(0) == 0


async def test_no_undo_after_another_player_acted() -> None:
    at, seat = await called()
    with pytest.raises(SeatingError, match="until another person has acted"):
        await wants_to_undo(at, (seat + 1) % 4)
    await at.act((seat + 1) % 4, "pass")
    with pytest.raises(SeatingError, match="until another person has acted"):
        await wants_to_undo(at, seat)


async def test_a_successor_cannot_undo_earlier_actions() -> None:
    at, seat = await called()
    other = await sync_to_async(player)("Otto")
    await Seat.objects.filter(table=at.table_id, position=seat).aupdate(player=other)
    await state.look_again(at.table_id)
    assert (await at.live()).undone_by(seat) == 0


async def test_repeated_undo_is_idempotent() -> None:
    at, seat = await agreed()
    table, version = await Table.objects.aget(pk=at.table_id), (await at.row()).version
    undo = sync_to_async(consent.undo)
    await play.act_by_itself(at.table_id)
    await undo(table, at.players[seat], 1, version, timezone.now())
    assert await Proposal.objects.acount() == 1
    with pytest.raises(SeatingError, match="The table has moved on since"):
        await undo(table, at.players[(seat + 1) % 4], 1, version, timezone.now())


async def test_no_own_undo_while_one_is_agreed() -> None:
    at, seat = await agreed()
    for other in range(4):
        answer = await at.act(other, "undo 2" if other == seat else "undo 1")
        assert (answer.kind, "the table does so now" in answer.message) == (play.ILLEGAL, True)


async def test_an_undo_is_performed_although_a_player_left() -> None:
    at, seat = await agreed_by_leaving()
    assert is_agreed(await at.live())
    await play.act_by_itself(at.table_id)
    assert await at.turn() == seat


def frame_of(at_live: state.Live) -> dict[str, Any]:
    """The last frame of a table, as everybody is sent it."""
    shown = viewing.pictures(at_live, [None])[None]
    (text,) = shown.frames(shown.table.number - 1, shown.own)
    frame: dict[str, Any] = json.loads(text)
    return frame


async def test_pages_are_sent_an_undo_even_if_a_player_left_meanwhile() -> None:
    at, seat = await agreed_by_leaving()
    frame_of(await at.live())
    await play.act_by_itself(at.table_id)
    frame = frame_of(await at.live())
    assert frame["back"] is True
    assert frame["say"] == f"The last move of {at.players[seat].name} is undone."


async def test_an_undo_is_announced_by_exactly_one_frame() -> None:
    at, seat = await agreed()
    live = await at.live()
    assert "back" not in frame_of(live)
    await play.act_by_itself(at.table_id)
    await at.step()
    frame = frame_of(live)
    assert frame["back"] is True
    assert "undone" not in frame["say"], "it was not the last thing that happened"
    await Seat.objects.filter(table=at.table_id, position=seat).aupdate(stand_in=True)
    await state.look_again(at.table_id)
    frame = frame_of(live)
    assert "set" in frame
    assert "back" not in frame


async def test_log_lines_before_an_undo_are_kept() -> None:
    at, _ = await called()
    while len((await at.live()).playing.engine.deal.plays) != 1:  # type: ignore[union-attr]
        await at.step()
    live = await at.live()
    seat = live.playing.engine.deal.plays[0][0]  # type: ignore[union-attr]
    table = await Table.objects.aget(pk=at.table_id)
    propose, partner = sync_to_async(consent.propose), at.players[(seat + 2) % 4]
    await propose(table, partner, Proposal.Kind.RESIGN, 1, timezone.now())
    await state.look_again(at.table_id)
    await say(at, seat, agree=False)
    await wants_to_undo(at, seat)
    for other in {0, 1, 2, 3} - {seat}:
        await say(at, other, agree=True)
    await play.act_by_itself(at.table_id)
    before = _log(live)
    assert before[-1].endswith("is taken back")
    await at.step()
    assert _log(live)[: len(before)] == before
    assert len(_log(live)) > len(before)


def _log(live: state.Live) -> list[str]:
    values = viewing.pictures(live, [None])[None].table.values
    lines = map(Reader(values).line, values["log.deal"])
    return [strip_tags(log_list("log", [line])) for line in lines]


@pytest.mark.parametrize("kind", [Proposal.Kind.UNDO, Proposal.Kind.CLAIM])
async def test_a_stand_in_agrees_for_the_last_asked_player(kind: Proposal.Kind) -> None:
    at, seat = await called()
    await wants_to_undo(at, seat)
    if kind == Proposal.Kind.CLAIM:
        await Proposal.objects.aupdate(kind=kind)
    gone, *others = {0, 1, 2, 3} - {seat}
    for other in others:
        await say(at, other, agree=True)
    await Seat.objects.filter(table=at.table_id, position=gone).aupdate(stand_in=True)
    await play.catch_up(at.table_id)
    assert (await Proposal.objects.aget()).state == Proposal.State.AGREED


async def test_a_stand_in_does_not_agree_after_the_player_returned() -> None:
    at, seat = await called()
    await wants_to_undo(at, seat)
    proposal = await Proposal.objects.aget()
    agree = sync_to_async(absence.agree)
    await agree(at.table_id, proposal.pk, timezone.now())
    await proposal.arefresh_from_db()
    assert proposal.state == Proposal.State.OPEN, "the others are here, and were not asked"


async def test_a_card_stored_before_the_agreement_is_known_wins() -> None:
    at, _ = await agreed()
    await Proposal.objects.aupdate(state=Proposal.State.OPEN)
    await state.look_again(at.table_id)
    assert (await at.step()).kind == play.DONE
    await Proposal.objects.aupdate(state=Proposal.State.AGREED)
    await state.look_again(at.table_id)
    log = " ".join(_log(await at.live()))
    assert "Not everybody agreed" in log
    assert "taken back" not in log


async def test_an_undo_can_be_proposed_once_per_action() -> None:
    at, seat = await called()
    await wants_to_undo(at, seat)
    await say(at, (seat + 1) % 4, agree=False)
    assert (await at.live()).undone_by(seat) == 0
    await wants_to_undo(at, seat)  # the same again
    assert await Proposal.objects.acount() == 1


async def test_undone_actions_are_left_out_of_record_and_statistics() -> None:
    at, _ = await agreed()
    await play.act_by_itself(at.table_id)
    while not (await at.live()).playing.engine.deal.plays:  # type: ignore[union-attr]
        await at.step()
    played = (await at.live()).playing.engine.deal.plays[-1]  # type: ignore[union-attr]
    await wants_to_undo(at, played[0])
    for other in {0, 1, 2, 3} - {played[0]}:
        await say(at, other, agree=True)
    await play.act_by_itself(at.table_id)
    await at.play_out()
    await sync_to_async(_has_what_stands)(await at.row())


def _has_what_stands(game: Game) -> None:
    undone = [one for one in game.events.values_list("action", flat=True) if "undo" in one]
    assert undone == ["undo 1", "undo 1"]
    record = read_record(game_files.record_file(game))
    assert len(record.events) == game.version - 4
    assert write_egn(game_files.played_of(game))
    logs = "".join(str(part) for part in finished(game).logs)
    assert logs.count("wants to undo their last move") == 2
    assert logs.count("is taken back") == 2
    performances.record(game)
    assert Performance.objects.filter(game=game).count() == 4


async def test_alone_with_the_house_one_takes_back_freely(monkeypatch: pytest.MonkeyPatch) -> None:
    at, _, _ = await answered_by_the_house(monkeypatch)
    while _cards_left(await at.live()) > 2:
        assert (await at.step()).kind == play.DONE
        while await at.turn() != 0:
            await play.act_by_itself(at.table_id)
    me, undone = at.players[0].pk, 0
    assert viewing.pictures(await at.live(), [me])[me].own["undo.first"], "it asks before"
    while (await at.live()).undone_by(0):
        await wants_to_undo(at, 0)
        assert (await at.row()).for_practice
        await play.act_by_itself(at.table_id)
        undone += 1
        while await at.turn() not in (0, -1):
            await play.act_by_itself(at.table_id)
        assert not viewing.pictures(await at.live(), [me])[me].own["undo.first"], "once"
    assert undone > MAX_PER_HAND, "card by card, and then the calls"


async def test_actions_in_practice_can_be_taken_back_only_so_often(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(state, "MAX_IN_PRACTICE", 3)
    at, card, _ = await answered_by_the_house(monkeypatch)
    for _time in range(3):
        await wants_to_undo(at, 0)
        await play.act_by_itself(at.table_id)
        await at.act(0, card)
        while await at.turn() != 0:
            await play.act_by_itself(at.table_id)
    with pytest.raises(SeatingError, match="proposed 3 times in this hand"):
        await wants_to_undo(at, 0)


async def test_another_person_at_the_table_ends_the_freedom(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    at, card, _ = await answered_by_the_house(monkeypatch)
    for _time in range(MAX_PER_HAND):
        await wants_to_undo(at, 0)
        await play.act_by_itself(at.table_id)
        await at.act(0, card)
        while await at.turn() != 0:
            await play.act_by_itself(at.table_id)
    live = await at.live()
    assert not live.has_proposed(0)
    live.seats[2].house = False
    assert live.has_proposed(0)
