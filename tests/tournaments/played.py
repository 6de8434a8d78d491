"""Games that have been played and noted, made by rows."""

from datetime import datetime, timedelta
from typing import Any

from games.engine.rules import CLASSIC_24, RuleSet, rules_to_data
from games.models import Game, GameSeat, Performance, Player, Table
from tests.tournaments.build import NOON

LENGTH = timedelta(minutes=20)


def game(
    *seated: Player,
    winner: int = 0,
    at: datetime = NOON,
    rules: RuleSet = CLASSIC_24,
    open_to_all: bool = True,
    score: tuple[int, int] = (10, 6),
    **did: Any,
) -> Game:
    """A game that ended at a time, north first.

    winner: the side that won, -1 for a tie. score: the winner's points first. did: what the first
    player did, by the columns of `Performance`.
    """
    data = rules_to_data(rules)
    table = Table.objects.create(rules_data=data, host=seated[0], open=open_to_all)
    points = score if winner < 1 else score[::-1]
    made = Game.objects.create(
        table=table, number=1, rules_data=data, secret=b"", commitment=b"", mixed=b"",
        first_dealer=0, started=at - LENGTH, ended=at, state=Game.State.OVER, winner=winner,
        score_0=points[0], score_1=points[1], noted=True, published=True,
    )  # fmt: skip
    for position, player in enumerate(seated):
        GameSeat.objects.create(game=made, position=position, player=player)
        if player.kind == Player.Kind.HOUSE:
            continue
        side = rules.side_of(position)
        partner = rules.partner_of(position)
        Performance.objects.create(
            game=made,
            player=player,
            partner=None if partner is None else seated[partner],
            left=seated[rules.after(position)],
            right=seated[position - 1] if rules.players > 2 else None,
            position=position,
            rules=rules.name,
            ended=at,
            result=0 if winner < 0 else 1 if side == winner else -1,
            points=points[side],
            against=points[1 - side],
            **{"deals": 10, **(did if position == 0 else {})},
        )
    return made
