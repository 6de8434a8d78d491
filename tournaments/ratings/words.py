"""Ratings in words: a rating with its deviation, a change and its reason, the model."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Final

from django.conf import settings
from django.utils.text import slugify

from games.figures import NO_BREAK, signed
from games.records import RESULT_WORDS
from tournaments import rating_formula as formula
from tournaments.models import Rating, RatingChange
from tournaments.rating_formula import START, Skill
from tournaments.ratings.holds import LOOKED_BACK
from tournaments.ratings.rating_games import DAY
from tournaments.ratings.store import ACTIVE

#: A deviation well below the limit of a settled rating.
FIRM: Final = formula.SETTLED - 10
MONTH: Final = 30  # days

#: The pools' names; others go by their key.
POOLS: Final = {
    "classic online": "Euchre",
    "joker online": "Euchre with the joker",
    "heads-up online": "Heads-up",
    "classic in the room": "Euchre in the room",
    "joker in the room": "Euchre with the joker, in the room",
    "heads-up in the room": "Heads-up in the room",
    "classic quick": "Quick games: Euchre",
    "joker quick": "Quick games: Euchre with the joker",
    "heads-up quick": "Quick games: Heads-up",
}


def pool_name(key: str) -> str:
    return POOLS.get(key, key.capitalize())


def pool_slug(key: str) -> str:
    return slugify(key)


def present(rating: Rating, now: datetime) -> Skill:
    """Return a rating as of now: its deviation grows with the days since the last rated game."""
    days = (now - rating.latest).total_seconds() / DAY
    return formula.after_rest(Skill(rating.mu, rating.sigma), days)


def in_words(skill: Skill) -> str:
    """Return a rating for a title or a screen reader: "1523 ± 88, not settled yet"."""
    settled = "settled" if skill.settled else "not settled yet"
    return f"{round(skill.mu)} ± {round(skill.sigma)}, {settled}"


def percent(chance: float) -> str:
    """Return a chance from 0 to 1 in percent: "58 %", but never "0 %" or "100 %"."""
    number = round(100 * chance)
    if number < 1:
        return f"under 1{NO_BREAK}%"
    return f"{number}{NO_BREAK}%" if number < 100 else f"over 99{NO_BREAK}%"


class RatingStep:
    """A rating before and after one or more games."""

    __slots__ = ()
    before: Skill
    after: Skill

    @property
    def points(self) -> int:
        return round(self.after.mu) - round(self.before.mu)

    @property
    def signed(self) -> str:
        return signed(self.points)


@dataclass(frozen=True, slots=True)
class ChangeWords(RatingStep):
    """A rating change in words; `name` is empty if the player is the reader."""

    row: RatingChange
    name: str
    partner: str

    @property
    def before(self) -> Skill:  # type: ignore[override]
        return self.row.before

    @property
    def after(self) -> Skill:  # type: ignore[override]
        return self.row.after

    @property
    def chance(self) -> str:
        return percent(self.row.expected)

    @property
    def outcome(self) -> int:
        """The game's result for the player: 1 won, 0 tied, -1 lost."""
        if self.row.winner < 0:
            return 0
        return 1 if self.row.winner == self.row.side else -1

    @property
    def result(self) -> str:
        """The game's result for the player in words: "Won"."""
        return RESULT_WORDS[self.outcome].capitalize()

    @property
    def sentence(self) -> str:
        """The change and why: "You gained 7: the two of you were expected to win 41 % and won"."""
        what = f"{self.name or 'You'} stayed at {round(self.after.mu)}"
        if self.points:
            moved = "gained" if self.points > 0 else "lost"
            what = f"{self.name or 'You'} {moved} {abs(self.points)}"
        side = f"{self.name} was" if self.name else "you were"
        if self.partner:
            side = f"{self.name} and {self.partner} were" if self.name else "the two of you were"
        ended = RESULT_WORDS[self.outcome]
        why = f"{what}: {side} expected to win {self.chance} and {ended}."
        if self.row.weight == 1:
            return why
        counts = (
            f"{percent(self.row.weight)} of it counts" if self.row.weight else "It does not count"
        )
        return f"{why} {counts}: not everybody played it to its end."


# The model, explained -----------------------------------------------------------------------


def bounds() -> dict[str, int]:
    """Return the settings for ranking players and holding matches for a moderator; 0: never."""
    return {
        "opponents": settings.RANKED_OPPONENTS,  # different opponents, to be ranked
        "days": LOOKED_BACK.days,
        "same_matches": settings.RATING_SAME_MATCHES,  # more than this among no more others than
        "same_players": settings.RATING_SAME_PLAYERS,
        "least_hands": settings.RATING_LEAST_HANDS,  # hands or points a match must be set to
        "matches_an_hour": settings.RATING_MATCHES_AN_HOUR,
        "hand_seconds": settings.RATING_HAND_SECONDS,  # the least for each hand of a game
        "room_hand_seconds": settings.RATING_ROOM_HAND_SECONDS,
        "address_matches": settings.RATING_ADDRESS_MATCHES,
    }


@cache
def model_facts() -> dict[str, int | float | str]:
    """Return the numbers in the explanation of the ratings, computed from the model."""
    sure = Skill(formula.START_MU, 50.0)
    better = Skill(formula.START_MU + 100, 50.0)
    winners, _losers = formula.updated(([START, START], [START, START]), 0)
    return {
        "mu": round(formula.START_MU),
        "sigma": round(formula.START_SIGMA),
        "beta": round(formula.BETA),
        "rest": formula.REST_A_DAY,  # of the variance
        "settled": round(formula.SETTLED),
        "active": round(ACTIVE),
        "games": games_until_settled(2),
        "games_of_two": games_until_settled(1),
        "firm": round(FIRM),
        "months": int(formula.settled_for(Skill(formula.START_MU, FIRM)) // MONTH),
        "better": percent(formula.expected(([better, better], [sure, sure]))),
        "first": round(winners[0].mu)
        - round(formula.START_MU),  # rounded like the changes on pages
    }


def games_until_settled(size: int) -> int:
    """Return after how many games new players of equal strength, `size` a side, are settled."""
    sides = [START] * size, [START] * size
    games = 0
    while not sides[0][0].settled:
        sides = formula.updated(sides, games % 2)
        games += 1
    return games
