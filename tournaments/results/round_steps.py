"""The schedule of an event's rounds: those played, the present one and its clock, those to come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.urls import reverse

from tournaments.models import Event, Round


@dataclass(frozen=True, slots=True)
class RoundStep:
    """A round in the strip of rounds.

    state: "over", "now" or "to come". words, at: "Finished", "Until" or "About", and the time if it
    is known. path: of its page; empty before it is drawn.
    """

    number: int
    state: str
    words: str
    at: datetime | None
    path: str


@dataclass(frozen=True, slots=True)
class RoundClock:
    """The clock of a round, or of the break after it; without a limit `ends` and `left` are None.

    `share` is the percentage of the time that is left, `whole` is in seconds.
    """

    words: str
    since: datetime | None
    ends: datetime | None
    left: int | None
    whole: int
    share: int
    paused: bool
    finished: int
    tables: int

    @property
    def shown(self) -> str:
        """The time left: "18:24"."""
        return clock_words(self.left or 0)

    @property
    def of(self) -> str:
        """The whole time: "25:00"; empty without a limit."""
        return clock_words(self.whole) if self.whole else ""

    @property
    def duration(self) -> str:
        """The time left as an ISO 8601 duration."""
        return f"PT{self.left or 0}S"


def clock_words(seconds: int) -> str:
    """Format seconds as on a clock: "18:24", or "1:05:00" from an hour on."""
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def steps_of(
    event: Event, rounds: Sequence[Round], total: int | None, now: datetime
) -> tuple[RoundStep, ...]:
    """Return all rounds, those to come included; of an event that has ended only those played."""
    steps = []
    for one in rounds:
        state, words, at = "over", "Finished", one.over
        if one.over is None and event.state != Event.State.RUNNING:
            words = "Broken off"
        elif one.over is None:
            state, words, at = "now", "Until" if one.ends else "Since", one.ends or one.called
        path = reverse("event_round", args=[event.pk, one.number])
        steps.append(RoundStep(one.number, state, words, at, path))
    if event.state == Event.State.RUNNING and event.final_at is None:
        numbers = range(len(rounds) + 1, (total or 0) + 1)
        begins = None
        if event.paused is None and (not rounds or rounds[-1].over is not None):
            begins = max(event.due or now, now)
        elif event.paused is None and rounds[-1].ends is not None:
            begins = rounds[-1].ends + timedelta(seconds=event.break_seconds)
        length = timedelta(minutes=event.round_minutes or 0, seconds=event.break_seconds)
        for ahead, number in enumerate(numbers):
            at = begins + ahead * length if begins and (event.round_minutes or not ahead) else None
            steps.append(RoundStep(number, "to come", "About" if at else "", at, ""))
    return tuple(steps)


def _break_ends(event: Event, rounds: Sequence[Round]) -> datetime | None:
    """Return when the next round is drawn; None if that is when a paused event goes on."""
    if event.paused is None:
        return event.due
    over = rounds[-1].over if rounds else None
    ends = over and over + timedelta(seconds=event.break_seconds)
    return ends if ends and ends > event.paused else None


def clock_of(
    event: Event, rounds: Sequence[Round], decided: Sequence[bool], now: datetime
) -> RoundClock | None:
    """Return the clock of the present round, or of the break after it; None if nothing runs.

    decided: of each match of the present round, whether it is.
    """
    if event.state != Event.State.RUNNING:
        return None
    finished, tables = sum(decided), len(decided)
    seen = min(now, event.paused) if event.paused else now
    since: datetime | None
    ends: datetime | None
    if event.final_at is not None:
        since = rounds[-1].over if rounds else event.started
        words, ends = "until it is final", event.final_at
    elif not rounds or rounds[-1].over is not None:
        since = rounds[-1].over if rounds else event.started
        ends = _break_ends(event, rounds)
        words = f"{'until' if ends else 'Before'} round {len(rounds) + 1}"
    else:
        since, ends = rounds[-1].called, rounds[-1].ends
        words = f"left in round {rounds[-1].number}" if ends else f"Round {rounds[-1].number}"
    left = max(0, round((ends - seen).total_seconds())) if ends else None
    whole = max(0, round((ends - since).total_seconds())) if ends and since else 0
    share = min(100, round(100 * (left or 0) / whole)) if whole > 0 else 0
    paused = event.paused is not None
    return RoundClock(words, since, ends, left, whole, share, paused, finished, tables)
