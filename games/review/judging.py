"""The judgement of one decision over worlds that the player could not tell apart.

Every option is valued in the same worlds, so that differences are surer than values. A decision is
screened in a few worlds and given up as sound when no option seems better by a mark; otherwise
more worlds follow. Half of all the worlds choose the best option and the other half, which had no
say in that, tell how much was lost. So luck in the draw of the worlds makes no marks.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final, NamedTuple

from games.engine.actions import Action
from games.engine.observation import Observation
from games.review.sampling import Gain, Row, SampledWorlds, difference

#: The marks, from the smallest.
SOUND: Final = ""
INACCURACY: Final = "inaccuracy"
MISTAKE: Final = "mistake"
BLUNDER: Final = "blunder"
MARKS: Final = (INACCURACY, MISTAKE, BLUNDER)
#: Expected points lost from which each mark is given, and the fewest worlds for it.
MIN_LOSS: Final = {INACCURACY: 0.15, MISTAKE: 0.4, BLUNDER: 0.9}
MIN_WORLDS: Final = {INACCURACY: 200, MISTAKE: 100, BLUNDER: 100}
#: A marked loss is at least this many standard errors.
MIN_ERRORS: Final = 2.0

#: Worlds of the screening, which belong to the half that chooses, and of each deepening.
SCREENED: Final = 24
DEPTHS: Final = (100, 200, 400, 800)
#: An option is followed while it may be the best one, at this many standard errors.
FOLLOWED: Final = 2.0


class Option(NamedTuple):
    """A legal action and the points of the deal expected from it, for the player's side."""

    action: Action
    value: float


class Judgement(NamedTuple):
    """The judgement of one decision.

    Attributes:
        mark: ``SOUND`` or one of ``MARKS``.
        best: the best option; the one taken unless there is a mark.
        loss: points lost against it, 0 without a mark; ``error`` is its standard error.
        worlds: how many worlds were looked at.
        options: all legal actions, the best first, then by value.
    """

    mark: str
    best: Action
    loss: float
    error: float
    worlds: int
    options: tuple[Option, ...]


def judge(seen: Observation, taken: Action, rng: Random) -> Judgement:
    """Return the judgement of an action by the player in turn, from nothing but what they saw."""
    sample = _Sample(seen, taken, rng)
    sample.choose_in(SCREENED)
    if max(gain.mean + gain.error for gain in sample.gains()) < MIN_LOSS[INACCURACY]:
        return sample.sound()
    for depth in DEPTHS:
        sample.deepen(depth)
        best = sample.best()
        if best == taken:
            return sample.sound()
        loss = sample.told(best)
        if loss.mean + loss.error < MIN_LOSS[INACCURACY]:
            return sample.sound()
        mark = _mark(loss, depth)
        near_a_limit = any(abs(loss.mean - limit) < loss.error for limit in MIN_LOSS.values())
        if depth == DEPTHS[-1] or (mark and not near_a_limit):
            return sample.marked(mark, best, loss) if mark else sample.sound()
    raise AssertionError("The last depth ends the loop.")


def _mark(loss: Gain, depth: int) -> str:
    if loss.mean < MIN_ERRORS * loss.error:
        return SOUND
    earned = [mark for mark in MARKS if loss.mean >= MIN_LOSS[mark] and depth >= MIN_WORLDS[mark]]
    return earned[-1] if earned else SOUND


class _Sample:
    """The worlds looked at for one decision, and what each option was worth in them."""

    def __init__(self, seen: Observation, taken: Action, rng: Random) -> None:
        self.seen, self.taken = seen, taken
        self.followed: Sequence[Action] = seen.legal
        self.choosing: list[Row] = []
        self.telling: list[Row] = []
        self._worlds = SampledWorlds(seen, rng)

    def choose_in(self, count: int) -> None:
        self.choosing += self._worlds.rows(count, self.followed)

    def deepen(self, depth: int) -> None:
        """Look at worlds up to this number, half of them for choosing and half for telling."""
        self.followed = self._still_followed()
        draw, followed = self._worlds.rows, self.followed
        self.choosing += draw(depth // 2 - len(self.choosing), followed)
        self.telling += draw(depth // 2 - len(self.telling), followed)

    def _still_followed(self) -> list[Action]:
        best = self.best()
        return [
            option
            for option in self.followed
            if option in (best, self.taken) or self._may_beat(option, best)
        ]

    def _may_beat(self, option: Action, best: Action) -> bool:
        behind = difference(self.choosing, best, option)
        return behind.mean <= FOLLOWED * behind.error  # an equal option has neither

    def gains(self) -> list[Gain]:
        """Return how much better than the action taken each followed option seems so far."""
        return [difference(self.choosing, option, self.taken) for option in self.followed]

    def best(self) -> Action:
        """Return the best option by the choosing half; the one taken if none is better."""
        ahead = {
            option: gain.mean for option, gain in zip(self.followed, self.gains(), strict=True)
        }
        best = max(ahead, key=ahead.__getitem__)
        return best if ahead[best] > 0 else self.taken

    def told(self, option: Action) -> Gain:
        return difference(self.telling, option, self.taken)

    def sound(self) -> Judgement:
        return self._judgement(SOUND, self.taken, Gain(0.0, 0.0))

    def marked(self, mark: str, best: Action, loss: Gain) -> Judgement:
        return self._judgement(mark, best, loss)

    def _judgement(self, mark: str, best: Action, loss: Gain) -> Judgement:
        rows = self.telling if mark else self.choosing + self.telling
        base = sum([row[self.taken] for row in rows]) / len(rows)
        values = {option: base + self._ahead(option, rows) for option in self.seen.legal}
        order = sorted(values, key=lambda option: (option != best, -values[option]))
        options = tuple([Option(option, values[option]) for option in order])
        count = len(self.choosing) + len(self.telling)
        return Judgement(mark, best, loss.mean, loss.error, count, options)

    def _ahead(self, option: Action, rows: Sequence[Row]) -> float:
        """Return the lead over the action taken, in those worlds where both were valued."""
        both = [row for row in rows if option in row]
        return difference(both or self.choosing, option, self.taken).mean
