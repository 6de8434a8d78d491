"""The rounds of an event in time: those that are over, the present one, and those to come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.urls import reverse

from tournaments.models import Event, Round
from tournaments.results.match_lines import MatchLine


@dataclass(frozen=True, slots=True)
class RoundStep:
    """A round in the strip of rounds.

    state: "over", "now" or "to come". words, at: "Finished", "Until" or "About", and when; `at`
    is None where that is not known. path: of its page, empty before it is drawn.
    """

    number: int
    state: str
    words: str
    at: datetime | None
    path: str


@dataclass(frozen=True, slots=True)
class RoundClock:
    """The time that is left.

    Attributes:
        words: of what: "left in round 3".
        since, ends: when it began and ends; None where there is no limit.
        left: seconds now, None without a limit.
        whole: seconds from its beginning to its end, 0 without a limit.
        share: of the whole time, in hundredths.
        paused: whether it stands still.
        finished, tables: how many tables of the round have finished, of how many.
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
        """The time left as a clock shows it."""
        return clock_words(self.left or 0)

    @property
    def of(self) -> str:
        """How long it is altogether, as a clock shows it; empty without a limit."""
        return clock_words(self.whole) if self.whole else ""

    @property
    def duration(self) -> str:
        """The time left as ISO 8601 writes it."""
        return f"PT{self.left or 0}S"


def clock_words(seconds: int) -> str:
    """Return a time as a clock shows it: "18:24", and "1:05:00" above an hour."""
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def steps_of(
    event: Event, rounds: Sequence[Round], total: int | None, now: datetime
) -> tuple[RoundStep, ...]:
    """Return all rounds; of an event that has ended only those that were played."""
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


def clock_of(
    event: Event, rounds: Sequence[Round], matches: Sequence[MatchLine], now: datetime
) -> RoundClock | None:
    """Return what is left of the present round, or of the break after it.

    matches: of the present round.
    """
    if event.state != Event.State.RUNNING:
        return None
    finished, tables = sum(match.decided for match in matches), len(matches)
    seen = min(now, event.paused) if event.paused else now
    since: datetime | None
    ends: datetime | None
    if event.final_at is not None:
        since = rounds[-1].over if rounds else event.started
        words, ends = "until results are final", event.final_at
    elif not rounds or rounds[-1].over is not None:
        since = rounds[-1].over if rounds else event.started
        words, ends = f"until round {len(rounds) + 1}", event.due
    else:
        since, ends = rounds[-1].called, rounds[-1].ends
        words = f"left in round {rounds[-1].number}" if ends else f"Round {rounds[-1].number}"
    left = max(0, round((ends - seen).total_seconds())) if ends else None
    whole = max(0, round((ends - since).total_seconds())) if ends and since else 0
    share = min(100, round(100 * (left or 0) / whole)) if whole > 0 else 0
    paused = event.paused is not None
    return RoundClock(words, since, ends, left, whole, share, paused, finished, tables)
