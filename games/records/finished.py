"""The score sheet and log of a finished game."""

from dataclasses import dataclass
from typing import Any, Final

from django.utils.safestring import SafeString, mark_safe

from games import rule_words
from games.engine import scoring
from games.engine.cards import TRUMP_NAMES, UNNAMED
from games.engine.observation import Observation
from games.engine.rules import RuleSet
from games.models import Game, Player
from games.models.log import RESIGNED
from games.people import avoiding
from games.picture import log, viewing
from games.picture.cast import Cast, cast_of
from games.picture.page import log_list
from games.picture.phrases import SUIT_LETTERS, resigned_at, together
from games.records import LOST
from games.records.outcomes import FORFEIT, PRACTICE, Outcome, outcome_of

OUTCOMES: Final = {
    scoring.MADE: "Made",
    scoring.MARCH: "March",
    scoring.ALONE_MADE: "Made alone",
    scoring.LONE_MARCH: "March alone",
    scoring.EUCHRE: "Euchred",
    scoring.SKUNK: "Euchred without a trick",
    scoring.THROWN_IN: "Thrown in",
    scoring.FOLDED: "Folded",
}
#: Target score to the highest score that two score cards can show.
MARKED: Final = {5: 4, 10: 10}
#: The suit of each side's score cards.
MARKER_SUITS: Final = "hs"


@dataclass(frozen=True, slots=True)
class ScoreSheet:
    """The content of a finished game's page; `logs`: number, result and HTML log of each deal."""

    title: str
    players: tuple[Player, ...]
    sides: tuple[str, str]
    outcome: Outcome
    rows: tuple[dict[str, Any], ...]
    logs: tuple[tuple[int, str, SafeString], ...]

    @property
    def score(self) -> tuple[int, int]:
        return self.outcome.score

    @property
    def headline(self) -> str:
        """Return the result as a sentence: "Maeve and Iris win, 10–7"."""
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
    return game.state == Game.State.PLAYING


def finished(game: Game) -> ScoreSheet:
    seats = game.seats.select_related("player__owner").order_by("position")
    players = tuple(seat.player for seat in seats)
    names = tuple(player.name for player in players)
    cast = cast_of(names)
    deals, proposals = viewing.history(game.pk)
    logs = []
    for deal in deals:
        result = deal.result or scoring.thrown_in()
        outcome = _ended(deal, result)
        if result.points:
            outcome += f", {together(cast, result.side)} +{result.points}"
        number = deal.standing.deal_number
        lines = log_list(f"deal-{number}", log.deal_lines(deal, cast, proposals))
        logs.append((number, outcome, mark_safe(lines)))  # noqa: S308 - every name is escaped
    return ScoreSheet(
        title=rule_words.brief(game.rules),
        players=players,
        sides=(together(cast, 0), together(cast, 1)),
        outcome=outcome_of(game),
        rows=tuple(_row(deal, cast) for deal in deals),
        logs=tuple(logs),
    )


def _row(deal: Observation, cast: Cast) -> dict[str, Any]:
    """Return a deal on the score sheet; `maker` and `suit_name` are empty if trump was not made.

    `scores`: of each side after it, with what it won in it, and their drawing or nothing.
    """
    result = deal.result or scoring.thrown_in()
    made = deal.maker >= 0
    return {
        "number": deal.standing.deal_number,
        "dealer": cast[deal.dealer].short,
        "maker": cast[deal.maker].short if made else "",
        "suit": SUIT_LETTERS[deal.trump] if deal.trump < UNNAMED else "",
        "suit_name": TRUMP_NAMES[deal.trump],
        "alone": deal.alone,
        "tricks": result.tricks[result.makers] if made else 0,
        "outcome": _ended(deal, result),
        "scores": (_score(deal, result, 0), _score(deal, result, 1)),
    }


def _ended(deal: Observation, result: scoring.DealResult) -> str:
    return OUTCOMES[result.outcome] + ", defended alone" * (deal.defender >= 0)


def _score(deal: Observation, result: scoring.DealResult, side: int) -> tuple[int, int, str]:
    points = deal.standing.score[side]
    won = result.points if result.side == side else 0
    return points, won, markers(deal.rules, side, points)


def markers(rules: RuleSet, side: int, points: int) -> str:
    if rules.target is None or points > MARKED.get(rules.target, -1):
        return ""
    return f"m{rules.target}-{points}{MARKER_SUITS[side]}"


def companions(game: Game, player: Player | None) -> list[tuple[Player, bool]]:
    """Return the other people of a player's game, and whether the player avoids each.

    Nobody for a visitor and for whoever did not play.
    """
    people = Player.objects.filter(game_seats__game=game, kind=Player.Kind.PERSON)
    seated = {one.pk: one for one in people.order_by("game_seats__position")}
    if player is None or seated.pop(player.pk, None) is None:
        return []
    avoided = avoiding.avoided_by(player, seated.keys())
    return [(one, one.pk in avoided) for one in seated.values()]
