"""Ratings in words: how good and how sure, what was expected, what has changed and why."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.utils.text import slugify

from games.records.results import RESULT_WORDS
from tournaments import skill as formula
from tournaments.figures import NO_BREAK, signed
from tournaments.models import Rating
from tournaments.ratings.rating import DAY
from tournaments.skill import Skill

#: The pools' names; one that is not here is called by its key.
POOLS: Final = {
    "classic online": "Euchre",
    "joker online": "Euchre with the joker",
    "heads-up online": "Heads-up",
    "classic in the room": "Euchre in the room",
    "joker in the room": "Euchre with the joker, in the room",
    "heads-up in the room": "Heads-up in the room",
}


def pool_name(key: str) -> str:
    """Return what people call a pool: "Euchre with the joker"."""
    return POOLS.get(key, key.capitalize())


def pool_slug(key: str) -> str:
    """Return a pool's word in addresses: "classic-online"."""
    return slugify(key)


def present(rating: Rating, now: datetime) -> Skill:
    """Return a rating as it is now: less sure after days without a rated game."""
    days = (now - rating.latest).total_seconds() / DAY
    return formula.rested(Skill(rating.mu, rating.sigma), days)


def in_words(skill: Skill) -> str:
    """Return a rating for a title or a screen reader: "1523 ± 88, not settled yet"."""
    settled = "settled" if skill.settled else "not settled yet"
    return f"{round(skill.mu)} ± {round(skill.sigma)}, {settled}"


def percent(chance: float) -> str:
    """Return a chance, from 0 to 1, as people read it: "58 %"; never that something is sure."""
    number = round(100 * chance)
    if number < 1:
        return f"under 1{NO_BREAK}%"
    return f"{number}{NO_BREAK}%" if number < 100 else f"over 99{NO_BREAK}%"


class RatingStep:
    """A rating before and after something: by how much what is shown of it has changed."""

    __slots__ = ()
    before: Skill
    after: Skill

    @property
    def points(self) -> int:
        """By how much the number that is shown has changed."""
        return round(self.after.mu) - round(self.before.mu)

    @property
    def signed(self) -> str:
        """The change for a column."""
        return signed(self.points)


@dataclass(frozen=True, slots=True)
class ChangeWords(RatingStep):
    """What one game did to one player's rating.

    Attributes:
        name: whose, empty for whoever reads it.
        partner: his partner's name, empty where he played alone.
        before, after: the rating.
        expected: how likely his side was to win, from 0 to 1.
        outcome: 1 for won, 0 for tied, -1 for lost.
        weight: the share of the game that counts for whoever it is, from 0 to 1.
    """

    name: str
    partner: str
    before: Skill
    after: Skill
    expected: float
    outcome: int
    weight: float = 1.0

    @property
    def chance(self) -> str:
        """What was expected, in percent."""
        return percent(self.expected)

    @property
    def result(self) -> str:
        """How the game ended for him: "Won"."""
        return RESULT_WORDS[self.outcome].capitalize()

    @property
    def sentence(self) -> str:
        """What changed and why.

        "You gained 7: the two of you were expected to win 41 % and won."
        """
        why = f"{self._what}: {self._side} expected to win {self.chance} and {self._ended}."
        return f"{why} {self._share}" if self._share else why

    @property
    def _share(self) -> str:
        """Why not all of the game counts, as a sentence; empty where it does."""
        if self.weight == 1:
            return ""
        counts = f"{percent(self.weight)} of it counts" if self.weight else "It does not count"
        return f"{counts}: not everybody played it to its end."

    @property
    def _what(self) -> str:
        who = self.name or "You"
        if self.points:
            return f"{who} {'gained' if self.points > 0 else 'lost'} {abs(self.points)}"
        return f"{who} stayed at {round(self.after.mu)}"

    @property
    def _side(self) -> str:
        if self.partner:
            return f"{self.name} and {self.partner} were" if self.name else "the two of you were"
        return f"{self.name} was" if self.name else "you were"

    @property
    def _ended(self) -> str:
        return RESULT_WORDS[self.outcome]
