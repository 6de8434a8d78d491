"""A finished game to be read: its players, its score sheet and its log."""

from dataclasses import dataclass
from typing import Final

from django.utils.safestring import SafeString, mark_safe

from games import rule_words
from games.engine import scoring
from games.engine.cards import SUIT_NAMES
from games.engine.observation import Observation
from games.engine.rules import RuleSet
from games.models import Game, Player
from games.models.log import RESIGNED
from games.picture import log, viewing
from games.picture.cast import Cast, cast_of
from games.picture.page import log_list
from games.picture.phrases import resigned_at, together
from games.records import LOST
from games.records.outcomes import FORFEIT, PRACTICE, Outcome, outcome_of

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
class SheetScore:
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
    scores: tuple[SheetScore, SheetScore]


@dataclass(frozen=True, slots=True)
class ScoreSheet:
    """What the page of a finished game tells, beside the game itself.

    title: what was played. players: by seat. sides: the players of both, by name. outcome: how it
    ended, and what counts. rows: the deals. logs: of each deal its number, how it ended, and HTML.
    """

    title: str
    players: tuple[Player, ...]
    sides: tuple[str, str]
    outcome: Outcome
    rows: tuple[SheetRow, ...]
    logs: tuple[tuple[int, str, SafeString], ...]

    @property
    def score(self) -> tuple[int, int]:
        """The points of both sides that count."""
        return self.outcome.score

    @property
    def headline(self) -> str:
        """How it ended: "Maeve and Iris win, 10–7"."""
        score, winner = self.outcome.score, self.outcome.winner
        if self.outcome.how == PRACTICE:
            return f"A practice game, {score[0]}–{score[1]}"
        if not self.outcome.counts:
            return f"{'Not counted' if self.outcome.ruled else 'Given up'} at {score[0]}–{score[1]}"
        if self.outcome.how == FORFEIT:
            lost = [self.sides[side] for side in (0, 1) if self.outcome.results[side] == LOST]
            return f"{' and '.join(lost)} lost by forfeit"
        if self.outcome.how == RESIGNED:
            cast = cast_of(tuple(player.name for player in self.players))
            return resigned_at(cast, 1 - winner, score)
        if winner < 0:
            return f"A tie, {score[0]}–{score[1]}"
        win = "wins" if len(self.players) == 2 else "win"
        return f"{self.sides[winner]} {win}, {score[winner]}–{score[1 - winner]}"


def running(game: Game) -> bool:
    """Whether the game is still being played."""
    return game.state == Game.State.PLAYING


def finished(game: Game) -> ScoreSheet:
    """Read a game that has ended; call it for nobody who may not see its table."""
    seats = game.seats.select_related("player__owner").order_by("position")
    players = tuple(seat.player for seat in seats)
    names = tuple(player.name for player in players)
    cast = cast_of(names)
    deals, told_in_it = viewing.history(game.pk)
    logs = []
    for deal in deals:
        result = deal.result or scoring.thrown_in()
        told = OUTCOMES[result.outcome]
        if result.side >= 0:
            told += f", {together(cast, result.side)} +{result.points}"
        number = deal.standing.deal_number
        lines = log_list(f"deal-{number}", log.deal_lines(deal, cast, told_in_it))
        logs.append((number, told, mark_safe(lines)))  # noqa: S308 - every name is escaped
    return ScoreSheet(
        title=rule_words.brief(game.rules),
        players=players,
        sides=(together(cast, 0), together(cast, 1)),
        outcome=outcome_of(game),
        rows=tuple(_row(deal, cast) for deal in deals),
        logs=tuple(logs),
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


def _score(deal: Observation, result: scoring.DealResult, side: int) -> SheetScore:
    points = deal.standing.score[side]
    return SheetScore(
        points,
        result.points if result.side == side else 0,
        markers(deal.rules, side, points),
    )


def markers(rules: RuleSet, side: int, points: int) -> str:
    """Return the symbol of the two cards that keep a score, or nothing where a number must do."""
    if rules.target is None or points > MARKED.get(rules.target, -1):
        return ""
    return f"m{rules.target}-{points}{MARKER_SUITS[side]}"
