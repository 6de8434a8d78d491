"""Games: their players and score, and after the end every card."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated
from uuid import UUID

from ninja import Field, Router, Schema

from games import rule_words
from games.access import game_for, invitations
from games.api.callers import ApiRequest
from games.api.values import PlayerRef, one_of, ref_of
from games.engine import scoring
from games.engine.actions import NEXT, parse_action
from games.engine.cards import TRUMP_TEXTS
from games.engine.game_notation import GameRecord, game_text
from games.engine.observation import Observation
from games.engine.rules import RuleSet
from games.engine.scoring import DealRecord, DealResult
from games.engine.seats import COMPASS
from games.models import Game
from games.picture import viewing
from games.records.finished import running
from games.records.outcomes import RULED, outcome_of
from games.shuffle.dealing import packs_of

router = Router(tags=["Games"])

SEATS = ("North", "East", "South", "West")
OUTCOMES = (
    scoring.MADE,
    scoring.MARCH,
    scoring.ALONE_MADE,
    scoring.LONE_MARCH,
    scoring.EUCHRE,
    scoring.SKUNK,
    scoring.THROWN_IN,
    scoring.FOLDED,
)
TRUMPS = tuple(filter(None, TRUMP_TEXTS))


class RulesRef(Schema):
    """What is played."""

    key: str
    name: str
    words: str = Field(description="With the goal: “Classic, 24 cards, to 5”.")
    players: int = Field(description="4, partners opposite, or 2.")


class SeatOut(Schema):
    """Somebody at a table."""

    seat: Annotated[str, one_of(SEATS)]
    player: PlayerRef


class DealOut(Schema):
    """A deal that was played to its end."""

    number: int = Field(description="From 1; deals that were thrown in or folded count.")
    dealer: Annotated[str, one_of(SEATS)]
    maker: str | None = Field(description="Who made trump; null where nobody did.")
    trump: Annotated[str, one_of((*TRUMPS, ""))] = Field(
        description="A suit, `NT` (no trump) or `LNT` (low no trump); empty where nobody made it."
    )
    alone: bool
    defender: str | None = Field(description="Who defended alone against a lone maker.")
    tricks: list[int] = Field(description="Of both sides, north’s first.")
    outcome: Annotated[str, one_of(OUTCOMES)]
    points: list[int] = Field(description="What it was worth to each side, north’s first.")
    score: list[int] = Field(description="Of each side, after it.")


class GameOut(Schema):
    """A game."""

    id: UUID
    table: int
    number: int = Field(description="Which game at its table, from 1.")
    rules: RulesRef
    state: Annotated[str, one_of(Game.State.values)]
    started: datetime
    ended: datetime | None
    seats: list[SeatOut]
    score: list[int] = Field(description="Of both sides, north’s first: the points that count.")
    winner: int | None = Field(description="0: north’s side; 1: the other; null: nobody.")
    ruled: Annotated[str, one_of((*RULED, ""))] = Field(
        description="How the result came about where it is not that of the table’s log; or empty."
    )
    log_score: list[int] = Field(description="The score by the table’s log.")
    deals: list[DealOut] = Field(description="Empty while it is being played.")
    record: str | None = Field(
        description="The whole game in the notation of the rules engine, with every pack; "
        "null while it is being played."
    )


@router.get("{uuid:game_id}", response=GameOut)
def game(request: ApiRequest, game_id: UUID) -> GameOut:
    """A game.

    While it is being played: its seats and its score. Once it has ended: every deal.
    """
    caller = request.auth
    _access, found = game_for(caller.player, game_id, invited=invitations(caller.session))
    return game_out(found)


def game_out(game: Game) -> GameOut:
    """Return a game as data; the caller must be allowed to see its table."""
    over, outcome = not running(game), outcome_of(game)
    names = COMPASS[game.rules.players]
    seats = game.seats.select_related("player").order_by("position")
    return GameOut(
        id=game.pk,
        table=game.table_id,
        number=game.number,
        rules=rules_ref(game.rules),
        state=game.state,
        started=game.started,
        ended=game.ended,
        seats=[SeatOut(seat=names[seat.position], player=ref_of(seat.player)) for seat in seats],
        score=list(outcome.score),
        winner=outcome.winner if outcome.winner >= 0 else None,
        ruled=outcome.how if outcome.ruled else "",
        log_score=list(outcome.log),
        deals=[deal_out(_record(seen), names) for seen in viewing.deal_views(game.pk)]
        if over
        else [],
        record=text_of(game) if over else None,
    )


def _record(seen: Observation) -> DealRecord:
    """Return a deal's line of the score sheet; an unfinished deal counts as thrown in."""
    return DealRecord(
        seen.standing.deal_number,
        seen.dealer,
        seen.maker,
        seen.trump,
        seen.alone,
        seen.result or scoring.thrown_in(),
        seen.standing.score,
        seen.defender,
    )


def deal_out(record: DealRecord, names: Sequence[str]) -> DealOut:
    result, made = record.result, record.maker >= 0
    return DealOut(
        number=record.number,
        dealer=names[record.dealer],
        maker=names[record.maker] if made else None,
        trump=TRUMP_TEXTS[record.trump] if made else "",
        alone=record.alone,
        defender=names[record.defender] if record.defender >= 0 else None,
        tricks=list(result.tricks),
        outcome=result.outcome,
        points=points_by_side(result),
        score=list(record.score),
    )


def points_by_side(result: DealResult) -> list[int]:
    return [result.points if result.side == side else 0 for side in (0, 1)]


def text_of(game: Game) -> str:
    """Return an ended game as the text of `games.engine.game_notation`, whole packs included."""
    actions = tuple(parse_action(action) for (action,) in game.line_of_play("action"))
    packs = packs_of(game)
    dealt = 1 + sum(action.kind == NEXT for action in actions)
    record = GameRecord(
        game.rules, game.first_dealer, tuple(packs(deal) for deal in range(dealt)), actions
    )
    return game_text(record)


def rules_ref(rules: RuleSet) -> RulesRef:
    return RulesRef(
        key=rules.key, name=rules.name, words=rule_words.brief(rules), players=rules.players
    )
