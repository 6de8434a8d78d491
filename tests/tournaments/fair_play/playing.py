"""Events whose games are played card by card, with logs that can be read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from random import Random

from games.engine.game import Game as Play
from games.models import Game, GameEvent, Player, Seat, Table
from games.records import performances
from games.shuffle.dealing import packs_of
from games.shuffle.secret_box import seal
from tests.factories import finish, push
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON
from tests.tournaments.fair_play.signalling import Style, honest
from tournaments.fair_play import measuring
from tournaments.models import Club, Event, FairPlayMeasure, Pairing

SECOND = timedelta(seconds=1)
#: How long somebody thinks: seat, and the score of their side and the other.
Pace = Callable[[int, tuple[int, int]], float]
#: Whether somebody is away: the same.
Gone = Callable[[int, tuple[int, int]], bool]


def called(of: Club, players: Sequence[Player], **fields: object) -> Event:
    """An event of one round whose games have begun."""
    made = build.event(of, **{"rounds": 1, "rated": True, **fields})
    build.let_in(made, players)
    build.begin(made)
    build.arrive(made)
    build.step(made, NOON)
    return made


def played(
    of: Club,
    players: Sequence[Player],
    *,
    styles: Mapping[Player, Style] | None = None,
    pace: Pace = lambda _seat, _score: 3.0,
    gone: Gone = lambda _seat, _score: False,
    seed: int = 1,
    **fields: object,
) -> Event:
    """A finished event of one round, played by house rules of thumb in the players' names.

    styles: of those who play otherwise. pace: seconds a turn takes. gone: for whom the house plays.
    """
    made = called(of, players, **fields)
    for pairing in Pairing.objects.filter(round__event=made).select_related("table"):
        assert pairing.table is not None
        play(pairing.table, styles or {}, pace, gone, Random(seed))
    while made.state == Event.State.RUNNING:
        build.step(made, NOON + MINUTE * 60)
    return made


def play(table: Table, styles: Mapping[Player, Style], pace: Pace, gone: Gone, rng: Random) -> Game:
    """Play the running game of a table to its end.

    The cards follow from the generator, and who was made first deals first: wherever lots have
    seated everybody, each is dealt the same.
    """
    game = table.games.get(state=Game.State.PLAYING)
    seats = Seat.objects.filter(table=table).select_related("player")
    sitting = {seat.position: seat.player for seat in seats if seat.player is not None}
    game.secret, game.mixed = seal(rng.randbytes(32)), rng.randbytes(32)
    game.first_dealer = min(sitting, key=lambda position: sitting[position].pk)
    game.save(update_fields=["secret", "mixed", "first_dealer"])
    engine, events, at = Play(game.rules, game.first_dealer, packs_of(game)), [], game.started
    while not engine.standing.over:
        seat, legal = engine.turn, engine.legal_actions()
        side = engine.rules.side_of(max(seat, 0))
        score = engine.standing.score[side], engine.standing.score[1 - side]
        style = styles.get(sitting[max(seat, 0)], honest)
        action = style(engine.deal, engine.standing, rng) if seat >= 0 else legal[0]
        house = seat < 0 or gone(seat, score)
        by = GameEvent.By.HOUSE if house else GameEvent.By.PERSON
        event = push(game, engine, action, by, None if house else sitting[seat].pk)
        event.at = at = at + (pace(seat, score) if seat >= 0 else 1.0) * SECOND
        events.append(event)
    GameEvent.objects.bulk_create(events)
    over = finish(table, engine.standing)
    performances.note(over)
    over.refresh_from_db()
    return over


def measured(of: Event) -> dict[str, FairPlayMeasure]:
    """What is counted of an event of one game, by the players' names."""
    while measuring.measure_ended(moment_after(of)):
        pass
    return {row.player.name: row for row in of.fair_play_measures.select_related("player")}


def moment_after(of: Event) -> datetime:
    """A moment soon after the games of an event."""
    game = Game.objects.filter(table__pairing__round__event=of).latest("ended")
    assert game.ended is not None
    return game.ended + MINUTE
