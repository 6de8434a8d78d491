"""Games that have ended as data and as text, for programs; the text is the engine's own.

Once a game has ended nothing of it is secret any more, so that the text holds the whole packs: by
it anybody can play the game again.
"""

from dataclasses import dataclass

from games.engine import scoring
from games.engine.actions import NEXT, parse_action
from games.engine.notation import GameRecord, game_text
from games.engine.observation import Observation
from games.models import Game
from games.picture import viewing
from games.shuffle.dealing import packs_of

SUITS = "CDHS"


@dataclass(frozen=True, slots=True)
class DealLine:
    """A deal that was played to its end.

    number: from 1, thrown-in deals counted. dealer, maker: seats; maker is None where nobody made
    trump. trump: a letter of "CDHS", or empty. tricks: of both sides. outcome: how it ended, as in
    `games.engine.scoring`. side: who got the points, None for nobody. score: after it.
    """

    number: int
    dealer: int
    maker: int | None
    trump: str
    alone: bool
    tricks: tuple[int, int]
    outcome: str
    side: int | None
    points: int
    score: tuple[int, int]


def ended(game: Game) -> bool:
    """Whether a game is over or given up, so that it may be told."""
    return game.state != Game.State.PLAYING


def deals_of(game: Game) -> list[DealLine]:
    """Return the deals of a game that has ended."""
    return [_line(deal) for deal in viewing.deal_views(game.pk)]


def text_of(game: Game) -> str:
    """Return a game that has ended as the text of `games.engine.notation`."""
    rows = game.events.order_by("seq").values_list("action", flat=True)
    actions = tuple(parse_action(action) for action in rows)
    packs = packs_of(game)
    dealt = 1 + sum(action.kind == NEXT for action in actions)
    record = GameRecord(
        game.rules, game.first_dealer, tuple(packs(deal) for deal in range(dealt)), actions
    )
    return game_text(record)


def _line(deal: Observation) -> DealLine:
    result = deal.result or scoring.thrown_in()
    made = deal.maker >= 0
    return DealLine(
        number=deal.standing.deal_number,
        dealer=deal.dealer,
        maker=deal.maker if made else None,
        trump=SUITS[deal.trump] if made else "",
        alone=deal.alone,
        tricks=result.tricks,
        outcome=result.outcome,
        side=result.side if result.side >= 0 else None,
        points=result.points,
        score=deal.standing.score,
    )
