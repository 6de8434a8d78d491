"""Proposals that the other players must agree to: to resign, to claim, to undo.

Proposals are stored, so that they survive a restart. A game has at most one open proposal, which
neither stops the clock nor prevents play; playing on drops a claim. Leaving a game for good needs
no consent but is stored as a proposal too.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final

from games.engine.claiming import may_claim
from games.live import pace, seat_changes, state
from games.live.state import Live
from games.models import Game, Player, Proposal, Table
from games.models.log import RESIGNED
from games.models.proposals import ANSWER_AT_ONCE, ANSWER_WITHIN
from games.models.tables import LEFT, LONG_AGO
from games.records.outcomes import results_of, ruling
from games.seats import seating
from games.seats.seating import SeatingError

_STANDS: Final = "In an event a card played stays played; the directors decide the rest."
_GIVEN: Final = "The games of an event are played to their end; its directors decide the rest."


def leave(table: Table, player: Player, number: int, now: datetime) -> None:
    """Leave the running game for good and give the seat to a house player; repeating is harmless.

    The game counts for the player who left. In a rated quick game the house plays until they take
    the seat back. Raises SeatingError: ``not seated``, ``reserved``, ``another game``, ``not
    playing``.
    """
    with seating.held_table(table) as held:
        left = Proposal.objects.filter(kind=Proposal.Kind.LEAVE, player=player)
        latest = _latest(held)
        if latest and latest.number == number and left.filter(game=latest).exists():
            return
        seat = seating.seat_of(held, player)
        if held.rated:
            _running(held, _meant(held, number))
            seat_changes.record(held, LEFT, player, seat.position, now)
            seat.stand_in, seat.last_seen, seat.missing_since = True, LONG_AGO, now
            seat.save(update_fields=["stand_in", "last_seen", "missing_since"])
            return
        seating.refuse_reserved(held, _GIVEN)
        game = _meant(held, number)
        live = _running(held, game)
        game.proposals.filter(state=Proposal.State.OPEN, position=seat.position).update(
            state=Proposal.State.LAPSED
        )
        _store_proposal(live, game, Proposal.Kind.LEAVE, player, now)
        seat_changes.record(held, LEFT, player, seat.position, now)
        seat.player = seating.house_player_for(held, seat.position)
        seat.stand_in, seat.throws_in, seat.missing_since = False, False, None
        seat.save(update_fields=["player", "stand_in", "throws_in", "missing_since"])
        _agree_for_the_house(held, game, seat.position, now)


def undo(table: Table, player: Player, number: int, version: int, now: datetime) -> None:
    """Propose to undo the player's last action; undo it at once if no one must agree.

    Repeating it changes nothing, whatever became of the proposal. Raises SeatingError as `propose`
    does, ``moved on`` if the game is at another `version`, or ``no undo`` if the last action is
    another person's, the hand is over, or it has been proposed already.
    """
    with seating.held_table(table) as held:
        seating.seat_of(held, player)
        seating.refuse_reserved(held, _STANDS)
        game = _meant(held, number)
        if game.proposals.filter(kind=Proposal.Kind.UNDO, player=player, version=version).exists():
            return
        if version != game.version:
            raise SeatingError("moved on", "The table has moved on since; nothing is undone.")
        _propose(held, game, player, Proposal.Kind.UNDO, now)


def propose(table: Table, player: Player, kind: str, number: int, now: datetime) -> None:
    """Propose to ``RESIGN`` or to ``CLAIM``; do it at once if no one must agree.

    Repeating an open or accepted proposal changes nothing. Raises SeatingError: ``not seated``;
    ``reserved``: an event's games cannot be resigned; ``another game`` is the current one; ``not
    playing``; ``stood in``: a house player plays for them; ``proposed``: another proposal is open;
    ``too many`` in this hand; ``no claim``: the player cannot know that the result is certain, or
    it is another player's turn.
    """
    with seating.held_table(table) as held:
        seat = seating.seat_of(held, player)
        seating.refuse_solo(held)
        if kind == Proposal.Kind.RESIGN:
            seating.refuse_reserved(held, _GIVEN)
        game = _meant(held, number)
        if _already_proposed(state.read(held.pk), player, kind, seat.position, now):
            return
        _propose(held, game, player, kind, now)


def _propose(held: Table, game: Game, player: Player, kind: str, now: datetime) -> None:
    live, position = _running(held, game), seating.seat_of(held, player).position
    _check_may_propose(live, position, kind, now)
    alone = live.is_alone_with_the_house(position)
    if kind == Proposal.Kind.UNDO and alone and live.undone_by(position) > 1:
        game.for_practice = True  # the house takes back what it has shown
        game.save(update_fields=["for_practice"])
    # Expired proposals still have the state "open", and only one may be open.
    game.proposals.filter(state=Proposal.State.OPEN).update(state=Proposal.State.LAPSED)
    row = _store_proposal(live, game, kind, player, now)
    _settle(held, game, row, now)


def answer(
    table: Table, by_player: Player, proposal_id: int, *, agree: bool, now: datetime
) -> None:
    """Agree to a proposal, or decline it for all; repeating an answer is harmless.

    Raises SeatingError: ``not seated``, ``no proposal``, ``not asked``.
    """
    with seating.held_table(table) as held:
        seat = seating.seat_of(held, by_player)
        game = _latest(held)
        row = game.proposals.filter(pk=proposal_id).first() if game else None
        if game is None or row is None:
            raise SeatingError("no proposal", "That proposal is no longer open.")
        if _answered(row, seat.position, by_player, agree=agree):
            return
        live = _running(held, game)
        open_one = live.proposal(now)
        if open_one is None or open_one.proposal_id != proposal_id:
            raise SeatingError("no proposal", "That proposal is no longer open.")
        if seat.position not in live.awaited(open_one):
            raise SeatingError("not asked", "You are not asked about this.")
        if not agree:
            row.state, row.answered_by = Proposal.State.DECLINED, by_player
            row.save(update_fields=["state", "answered_by"])
            return
        row.agreed = [*row.agreed, seat.position]
        row.save(update_fields=["agreed"])
        _settle(held, game, row, now)


def withdraw(table: Table, player: Player, number: int, now: datetime) -> None:
    """Withdraw the player's open proposal; raise SeatingError ``not seated``, ``another game``."""
    with seating.held_table(table) as held:
        seat = seating.seat_of(held, player)
        game = _meant(held, number)
        if held.state != Table.State.PLAYING:
            return
        open_one = _running(held, game).proposal(now)
        if open_one is not None and open_one.position == seat.position:
            game.proposals.filter(pk=open_one.proposal_id).update(state=Proposal.State.WITHDRAWN)


def _latest(held: Table) -> Game | None:
    return Game.objects.select_for_update().filter(table=held).order_by("-number").first()


def _meant(held: Table, number: int) -> Game:
    """Return the current or last game if it has this number; else raise SeatingError."""
    game = _latest(held)
    if game is None:
        raise SeatingError("not playing", "No game is being played at this table.")
    if game.number != number:
        raise SeatingError(
            "another game",
            "That was meant for another game than the one at this table now; nothing is changed.",
        )
    return game


def _running(held: Table, game: Game) -> Live:
    """Return the live state of a locked table; raise SeatingError if its game is not in play."""
    if game.state != Game.State.PLAYING or held.state != Table.State.PLAYING:
        raise SeatingError("not playing", "No game is being played at this table.")
    return state.read(held.pk)


def _already_proposed(live: Live, player: Player, kind: str, position: int, now: datetime) -> bool:
    """Return True if the player's same proposal is open, or accepted and still in effect."""
    if kind == Proposal.Kind.CLAIM and live.claimed >= 0:
        return live.claimed == position
    asked = [one for one in live.proposals if one.kind != Proposal.Kind.LEAVE]
    if not asked or (asked[-1].kind, asked[-1].player_id) != (kind, player.pk):
        return False
    resigned = kind == Proposal.Kind.RESIGN and asked[-1].state == Proposal.State.AGREED
    return resigned or live.proposal(now) is not None


def _answered(row: Proposal, position: int, by_player: Player, *, agree: bool) -> bool:
    if not agree:
        return row.state == Proposal.State.DECLINED and row.answered_by == by_player
    counts = (Proposal.State.OPEN, Proposal.State.AGREED)
    return row.state in counts and position in row.agreed


def _agree_for_the_house(held: Table, game: Game, position: int, now: datetime) -> None:
    """Settle the open proposal if it now waits for no one but the house player in this seat.

    An agreement by the previous player does not bind the seat's next one.
    """
    open_one = state.read(held.pk).proposal(now)
    if open_one is None:
        return
    row = game.proposals.get(pk=open_one.proposal_id)
    row.agreed = [seat for seat in row.agreed if seat != position]
    row.save(update_fields=["agreed"])
    _settle(held, game, row, now)


def _check_may_propose(live: Live, position: int, kind: str, now: datetime) -> None:
    if live.seats[position].stand_in:
        raise SeatingError(
            "stood in", "A house player is playing for you: take your seat back first."
        )
    if live.claimed >= 0:
        raise SeatingError(
            "proposed", "The rest of this hand is being played out, as all have agreed."
        )
    if live.proposal(now) is not None or live.undoing is not None:
        raise SeatingError("proposed", "Another proposal is already open at this table.")
    if kind == Proposal.Kind.UNDO and position not in pace.seats_that_may_undo(live):
        raise SeatingError(
            "no undo",
            "You can undo your last call or card, once, in the same hand and until another person "
            "has acted; house players take back what they did after it.",
        )
    if kind == Proposal.Kind.CLAIM:
        observation = live.playing.engine.observe(position) if live.playing else None
        if observation is None or not may_claim(observation):
            raise SeatingError(
                "no claim",
                "The rest can be claimed in your turn, once it follows from what you have seen "
                "that the result of the hand cannot change.",
            )
    if live.has_proposed(position):
        raise SeatingError(
            "too many",
            f"You have proposed {live.most_proposals(position)} times in this hand; that is the "
            "most.",
        )


def _store_proposal(live: Live, game: Game, kind: str, player: Player, now: datetime) -> Proposal:
    position = live.seat_of(player.pk)
    engine = live.playing.engine if live.playing else None
    if engine is None or position is None:
        raise SeatingError("not playing", "No game is being played at this table.")
    at_once = kind in Proposal.AT_ONCE
    until = now + (ANSWER_AT_ONCE if at_once else ANSWER_WITHIN)
    turn_ends = pace.turn_ends(live, game.moved) if at_once else None
    leaves = kind == Proposal.Kind.LEAVE
    return Proposal.objects.create(
        game=game,
        kind=kind,
        position=position,
        player=player,
        made=now,
        until=until if turn_ends is None else min(until, turn_ends),
        deal_number=engine.standing.deal_number,
        version=engine.version,
        cards=engine.observe().cards_played,
        state=Proposal.State.AGREED if leaves else Proposal.State.OPEN,
    )


def _settle(held: Table, game: Game, row: Proposal, now: datetime) -> None:
    live = state.read(held.pk)
    if live.awaited(next(one for one in live.proposals if one.proposal_id == row.pk)):
        return
    row.state = Proposal.State.AGREED
    row.save(update_fields=["state"])
    if row.kind in Proposal.AT_ONCE:
        game.due = now  # the sweep executes it if this process ends before
        game.save(update_fields=["due"])
        return
    side = game.rules.side_of(row.position)
    game.state, game.ended, game.due, game.turn = Game.State.ABANDONED, now, None, -1
    game.ruling = ruling(results_of(1 - side), (game.score_0, game.score_1), RESIGNED)
    game.save(update_fields=["state", "ended", "due", "turn", "ruling"])
    held.state = Table.State.FINISHED
    held.save(update_fields=["state"])
