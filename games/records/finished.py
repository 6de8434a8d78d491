"""A finished game to be read: its players, its score sheet and its log."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.utils.safestring import SafeString, mark_safe

from games.engine import scoring
from games.engine.cards import SUIT_NAMES
from games.engine.observation import Observation
from games.engine.rules import RuleSet
from games.engine.seats import compass
from games.models import Game, Player
from games.picture import rule_words, viewing
from games.picture.cast import Cast, cast_of
from games.picture.render import deal_log
from games.picture.words import together
from games.records.outcomes import FORFEIT, Outcome, outcome_of
from games.records.results import LOST

#: The outcomes of a deal in words.
OUTCOMES: Final = {
    scoring.MADE: "Made",
    scoring.MARCH: "March",
    scoring.ALONE_MADE: "Made alone",
    scoring.LONE_MARCH: "March alone",
    scoring.EUCHRE: "Euchred",
    scoring.SKUNK: "Euchred without a trick",
    scoring.THROWN_IN: "Thrown in",
}
#: Targets whose score cards can keep, to the highest score these show.
MARKED: Final = {5: 4, 10: 10}
#: The suit of each side's score cards.
MARKER_SUITS: Final = "hs"


@dataclass(frozen=True, slots=True)
class SeatedPlayer:
    """Who sat where when the game ended.

    program_of: whose program it is, or empty. guest: whether he still has no account.
    """

    compass: str
    name: str
    house: bool
    program: bool
    program_of: str
    guest: bool


@dataclass(frozen=True, slots=True)
class SideScore:
    """A side's score after a deal.

    points: all so far. won: by this deal. markers: the drawing of the score cards, or empty.
    """

    points: int
    won: int
    markers: str


@dataclass(frozen=True, slots=True)
class SheetRow:
    """One deal on the score sheet.

    dealer, maker: names; maker is empty when nobody made trump. suit: a letter of "cdhs", or
    empty. tricks: taken by the makers. scores: by side.
    """

    number: int
    dealer: str
    maker: str
    suit: str
    suit_name: str
    alone: bool
    tricks: int
    outcome: str
    scores: tuple[SideScore, SideScore]


@dataclass(frozen=True, slots=True)
class DealLog:
    """The log of one deal. words: how it ended. lines: HTML."""

    number: int
    words: str
    lines: SafeString


@dataclass(frozen=True, slots=True)
class Finished:
    """All that the page of a finished game shows.

    sides: the players of both sides, by name. outcome: how it ended, and what counts.
    """

    game_id: UUID
    table_id: int
    rules: RuleSet
    title: str
    number: int
    ended: datetime | None
    sitters: tuple[SeatedPlayer, ...]
    sides: tuple[str, str]
    outcome: Outcome
    rows: tuple[SheetRow, ...]
    logs: tuple[DealLog, ...]

    @property
    def score(self) -> tuple[int, int]:
        """The points of both sides that count."""
        return self.outcome.score

    @property
    def headline(self) -> str:
        """How it ended: "Maeve and Iris win, 10–7"."""
        score, winner = self.outcome.score, self.outcome.winner
        if not self.outcome.counts:
            return f"{'Not counted' if self.outcome.ruled else 'Given up'} at {score[0]}–{score[1]}"
        if self.outcome.how == FORFEIT:
            lost = [self.sides[side] for side in (0, 1) if self.outcome.results[side] == LOST]
            return f"{' and '.join(lost)} lost by forfeit"
        if winner < 0:
            return f"A tie, {score[0]}–{score[1]}"
        win = "wins" if self.rules.players == 2 else "win"
        return f"{self.sides[winner]} {win}, {score[winner]}–{score[1 - winner]}"


def running(game: Game) -> bool:
    """Whether the game is still being played."""
    return game.state == Game.State.PLAYING


def finished(game: Game) -> Finished:
    """Read a game that has ended; call it for nobody who may not see its table."""
    rules = game.rules
    sitters = tuple(
        SeatedPlayer(
            compass(rules.players, seat.position),
            seat.player.name,
            seat.player.kind == Player.Kind.HOUSE,
            seat.player.kind == Player.Kind.PROGRAM,
            seat.player.owner.name if seat.player.owner else "",
            seat.player.guest,
        )
        for seat in game.seats.select_related("player__owner").order_by("position")
    )
    names = tuple(sitter.name for sitter in sitters)
    cast = cast_of(names, None)
    deals = viewing.deal_views(game.pk)
    return Finished(
        game_id=game.pk,
        table_id=game.table_id,
        rules=rules,
        title=rule_words.brief(rules),
        number=game.number,
        ended=game.ended,
        sitters=sitters,
        sides=(together(cast, 0), together(cast, 1)),
        outcome=outcome_of(game),
        rows=tuple(_row(deal, cast) for deal in deals),
        logs=tuple(_log(deal, cast, names) for deal in deals),
    )


def _row(deal: Observation, cast: Cast) -> SheetRow:
    result = deal.result or scoring.thrown_in()
    made = deal.maker >= 0
    return SheetRow(
        number=deal.standing.deal_number,
        dealer=cast[deal.dealer].short,
        maker=cast[deal.maker].short if made else "",
        suit="cdhs"[deal.trump] if made else "",
        suit_name=SUIT_NAMES[deal.trump] if made else "",
        alone=deal.alone,
        tricks=result.tricks[result.makers] if made else 0,
        outcome=OUTCOMES[result.outcome],
        scores=(_score(deal, result, 0), _score(deal, result, 1)),
    )


def _log(deal: Observation, cast: Cast, names: tuple[str, ...]) -> DealLog:
    result = deal.result or scoring.thrown_in()
    told = OUTCOMES[result.outcome]
    if result.side >= 0:
        told += f", {together(cast, result.side)} +{result.points}"
    lines = mark_safe(deal_log(deal, names))  # noqa: S308 - drawn with every name escaped
    return DealLog(deal.standing.deal_number, told, lines)


def _score(deal: Observation, result: scoring.DealResult, side: int) -> SideScore:
    points = deal.standing.score[side]
    return SideScore(
        points,
        result.points if result.side == side else 0,
        markers(deal.rules, side, points),
    )


def markers(rules: RuleSet, side: int, points: int) -> str:
    """Return the symbol of the two cards that keep a score, or nothing where a number must do."""
    if rules.target is None or points > MARKED.get(rules.target, -1):
        return ""
    return f"m{rules.target}-{points}{MARKER_SUITS[side]}"
