"""Plays a game of house players to its end at once, for demonstration data."""

from collections.abc import Callable
from datetime import datetime, timedelta
from random import Random
from typing import Final

from django.db import transaction

from games.bots.house import choose
from games.engine.actions import CUT, NEXT_DEAL, Action, action_text
from games.engine.game import Game as Play
from games.engine.observation import CUTTING, PLAYING
from games.models import Game, GameEvent, Player, Table
from games.shuffle.dealing import auto_cut_of, packs_of

#: Nominal duration of a hand.
HAND: Final = timedelta(seconds=45)
#: The share of cards that demonstration members play without a thought, so that they differ.
CARELESS: Final = 0.1


def play_out(table: Table, rng: Random, began: datetime) -> Game:
    """Let house players finish a table's running game, store every event and return the game.

    The table has house players and demonstration members, whose actions are stored as their own.
    began: nominal start of the game; each hand takes 45 seconds.
    """
    game = table.games.get(state=Game.State.PLAYING)
    engine, cuts = Play(game.rules, game.first_dealer, packs_of(game)), auto_cut_of(game)
    people = game.seats.filter(player__kind=Player.Kind.PERSON)
    own = dict(people.values_list("position", "player"))
    events: list[GameEvent] = []
    while not engine.standing.over:
        seat = engine.turn
        action = _decide(engine, cuts, rng, careless=seat in own)
        engine.push(action)
        by = GameEvent.By.PERSON if seat in own else GameEvent.By.HOUSE
        if seat < 0 or action.kind == CUT:
            by = GameEvent.By.CLOCK
        events.append(
            GameEvent(
                game=game,
                seq=engine.version,
                seat=seat,
                by=by,
                player_id=own.get(seat) if by == GameEvent.By.PERSON else None,
                action=action_text(action),
                at=began + HAND * (engine.standing.deal_number - 1),
            )
        )
    standing = engine.standing
    game.started, game.ended = began, began + HAND * standing.deal_number
    game.state, game.version, game.winner = Game.State.OVER, engine.version, standing.winner
    game.score_0, game.score_1 = standing.score
    game.deal_number, game.turn, game.due, game.moved = standing.deal_number, -1, None, game.ended
    table.state = Table.State.FINISHED
    with transaction.atomic():
        GameEvent.objects.bulk_create(events)
        game.save()
        table.save(update_fields=["state"])
    return game


def _decide(engine: Play, cuts: Callable[[int], int], rng: Random, *, careless: bool) -> Action:
    if engine.between_deals:
        return NEXT_DEAL
    if engine.deal.phase == CUTTING:
        return Action(CUT, cuts(engine.standing.deal_number - 1))
    seen = engine.observe(engine.turn)
    if careless and seen.phase == PLAYING and rng.random() < CARELESS:
        return rng.choice(seen.legal)
    return choose(seen, rng)
