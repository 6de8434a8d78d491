"""The review of a whole game as data: every decision of every seat with its judgement.

Names and sentences are no part of it; they are made when it is shown (`phrases`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from random import Random
from typing import Any, Final, NamedTuple

from games.engine.actions import Action, action_text, parse_action
from games.files.played import PlayedDeal
from games.review.decisions import decisions_in
from games.review.judging import Judgement, Option, judge

#: Raised when judging changes; a review of an older version is made again when it is asked for.
VERSION: Final = 2
#: Digits kept of points; a standard error is rarely below 0.02.
_DIGITS: Final = 3


class Judged(NamedTuple):
    """A judged decision.

    Attributes:
        hand, step: as in ``decisions.SeatDecision``.
        seat: who was in turn; ``stood_in``: a house player or the clock acted for them.
        taken: what was done.
    """

    hand: int
    step: int
    seat: int
    taken: Action
    stood_in: bool
    judgement: Judgement

    @property
    def mark(self) -> str:
        return self.judgement.mark

    @property
    def value(self) -> float:
        """Return the points that could be expected after the action."""
        return next(
            option.value for option in self.judgement.options if option.action == self.taken
        )

    @property
    def lost(self) -> float:
        """Return the points lost as they are shown: best less taken, both to two decimals."""
        if not self.mark:
            return 0.0
        best = next(
            one.value for one in self.judgement.options if one.action == self.judgement.best
        )
        return round(round(best, 2) - round(self.value, 2), 2)


class GameReport(NamedTuple):
    """The judged decisions of a game, in the order of play."""

    decisions: tuple[Judged, ...]

    def at(self, hand: int, step: int) -> Judged | None:
        return next((one for one in self.decisions if (one.hand, one.step) == (hand, step)), None)

    def in_hand(self, hand: int) -> list[Judged]:
        return [one for one in self.decisions if one.hand == hand]

    def of(self, seat: int) -> list[Judged]:
        """Return a person's own decisions, without those taken in their place."""
        return [one for one in self.decisions if one.seat == seat and not one.stood_in]


def judge_hand(played: PlayedDeal, seed: str, stood_in: Collection[int] = ()) -> list[Judged]:
    """Judge the decisions of one hand; the same seed gives the same judgements.

    stood_in: the steps at which somebody else acted for the seat's player.
    """
    return [
        Judged(
            one.hand,
            one.step,
            one.seat,
            one.taken,
            one.step in stood_in,
            # No hidden card has a part in the source of the worlds. (A sample, no secret.)
            judge(one.seen, one.taken, Random(f"{seed}/{one.hand}/{one.step}")),  # noqa: S311
        )
        for one in decisions_in(played)
    ]


# As JSON data ------------------------------------------------------------------------------


def to_data(decisions: Collection[Judged]) -> list[dict[str, Any]]:
    return [dict(_fields(one)) for one in decisions]


def judge_as_data(
    played: PlayedDeal, seed: str, stood_in: Collection[int] = ()
) -> list[dict[str, Any]]:
    """Judge one hand, as ``judge_hand``; for a worker process (``games.subprocesses``)."""
    return to_data(judge_hand(played, seed, stood_in))


def from_data(data: Collection[Mapping[str, Any]]) -> GameReport:
    return GameReport(tuple([_judged(one) for one in data]))


def _fields(one: Judged) -> Iterator[tuple[str, Any]]:
    judgement = one.judgement
    yield from (("hand", one.hand), ("step", one.step), ("seat", one.seat))
    yield "taken", action_text(one.taken)
    if one.stood_in:
        yield "stood_in", True
    if judgement.mark:
        yield "mark", judgement.mark
        yield "loss", round(judgement.loss, _DIGITS)
        yield "error", round(judgement.error, _DIGITS)
    yield "worlds", judgement.worlds
    yield (
        "options",
        [[action_text(action), round(value, _DIGITS)] for action, value in judgement.options],
    )


def _judged(data: Mapping[str, Any]) -> Judged:
    taken, mark = parse_action(data["taken"]), data.get("mark", "")
    options = tuple([Option(parse_action(text), value) for text, value in data["options"]])
    best = options[0].action if mark else taken
    loss, error = data.get("loss", 0.0), data.get("error", 0.0)
    judgement = Judgement(mark, best, loss, error, data["worlds"], options)
    stood_in = data.get("stood_in", False)
    return Judged(data["hand"], data["step"], data["seat"], taken, stood_in, judgement)
