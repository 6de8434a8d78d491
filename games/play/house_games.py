"""Games of house players only that nobody watches, played to the end at once."""

from __future__ import annotations

import asyncio

from django.db import transaction
from django.utils import timezone

from games.engine.actions import NEXT_DEAL
from games.engine.game import Game as Play
from games.live import thinking
from games.models import Game, GameEvent, Table
from games.shuffle.dealing import Packs, packs_of
from games.sockets import hub


def play_out(table_id: int) -> bool:
    """Play the game of a solo table of four house players; return False if it is over.

    No timer and no sweep acts there (`games.live.pace`).
    It takes some seconds of a processor, so call it outside of transactions. All events are stored
    together, and only once.
    """
    game = Game.objects.filter(table=table_id, state=Game.State.PLAYING).first()
    if game is None:
        return False
    packs = packs_of(game)
    engine = Play(game.rules, game.first_dealer, packs)
    events = asyncio.run(_events(game, engine, packs))
    with transaction.atomic():
        table = Table.objects.select_for_update().get(pk=table_id)
        now, standing = timezone.now(), engine.standing
        stored = Game.objects.filter(pk=game.pk, version=0, state=Game.State.PLAYING).update(
            state=Game.State.OVER, version=len(events), ended=now, moved=now, turn=-1,
            winner=standing.winner, score_0=standing.score[0], score_1=standing.score[1],
            deal_number=standing.deal_number, due=None,
        )  # fmt: skip
        if not stored:
            return False
        GameEvent.objects.bulk_create(events)
        table.state = Table.State.FINISHED
        table.save(update_fields=["state"])
        transaction.on_commit(lambda: hub.announce(table_id))
    return True


async def _events(game: Game, engine: Play, packs: Packs) -> list[GameEvent]:
    events = []
    while not engine.standing.over:
        seat, by, action = engine.turn, GameEvent.By.HOUSE, NEXT_DEAL
        if engine.between_deals:
            seat, by = -1, GameEvent.By.CLOCK
        else:
            seen = engine.observe(seat)
            action = await thinking.choose_alike(packs.position(seen), seen)
        engine.push(action)
        events.append(
            GameEvent(
                game=game, seq=engine.version, seat=seat, by=by, action=str(action),
                at=timezone.now(),
            )
        )  # fmt: skip
    return events
