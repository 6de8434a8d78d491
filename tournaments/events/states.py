"""The states of an event, and who may move it from which to which."""

from collections.abc import Collection, Mapping
from enum import StrEnum
from typing import NamedTuple

from tournaments.models import Event
from tournaments.refusals import RefusedError

State = Event.State


class Who(StrEnum):
    CLOCK = "the clock"
    DIRECTOR = "a director"


CLOCK: Collection[Who] = (Who.CLOCK,)
DIRECTOR: Collection[Who] = (Who.DIRECTOR,)
BOTH: Collection[Who] = (Who.CLOCK, Who.DIRECTOR)

#: Published, but not begun.
UPCOMING = (State.ANNOUNCED, State.REGISTRATION, State.CHECK_IN, State.READY)
#: Finished or cancelled.
OVER = (State.FINISHED, State.CANCELLED)

#: Who may move an event from one state to another; there are no other moves. The clock moves it
#: when its time has come, a director by changing that time or at once.
MOVES: Mapping[State, Mapping[State, Collection[Who]]] = {
    State.DRAFT: {
        State.ANNOUNCED: DIRECTOR,
        State.REGISTRATION: DIRECTOR,
        State.CHECK_IN: DIRECTOR,
        State.READY: DIRECTOR,
    },
    State.ANNOUNCED: {
        State.REGISTRATION: BOTH,
        State.CHECK_IN: BOTH,
        State.READY: BOTH,
        State.RUNNING: BOTH,
        State.CANCELLED: BOTH,
    },
    State.REGISTRATION: {
        State.ANNOUNCED: DIRECTOR,
        State.CHECK_IN: BOTH,
        State.READY: BOTH,
        State.RUNNING: BOTH,
        State.CANCELLED: BOTH,
    },
    State.READY: {
        State.ANNOUNCED: DIRECTOR,
        State.REGISTRATION: DIRECTOR,
        State.CHECK_IN: BOTH,
        State.RUNNING: BOTH,
        State.CANCELLED: BOTH,
    },
    State.CHECK_IN: {
        State.ANNOUNCED: DIRECTOR,
        State.REGISTRATION: DIRECTOR,
        State.READY: DIRECTOR,
        State.RUNNING: BOTH,
        State.CANCELLED: BOTH,
    },
    State.RUNNING: {State.FINISHED: CLOCK, State.CANCELLED: DIRECTOR},
    State.FINISHED: {},
    State.CANCELLED: {},
}

MEANING: Mapping[State, str] = {
    State.DRAFT: "Only directors see it until one of them publishes it.",
    State.ANNOUNCED: "Everybody who may see the club sees it. Registration has not opened yet.",
    State.REGISTRATION: "Players enter; when all places are taken they join the waiting list.",
    State.READY: "New entries are no longer possible, but players can still withdraw.",
    State.CHECK_IN: "Those who have entered check in. Registration stays open until it closes.",
    State.RUNNING: "Rounds are drawn and played.",
    State.FINISHED: "The result is final.",
    State.CANCELLED: "It does not take place.",
}


class StateLine(NamedTuple):
    """A state in words; `moves` says who can move an event from it, and where to."""

    state: State
    meaning: str
    moves: tuple[tuple[str, list[str]], ...]
    current: bool


def allowed(state: State, who: Who) -> list[State]:
    return [to for to, movers in MOVES[state].items() if who in movers]


def check(event: Event, to: State, who: Who) -> None:
    """Check that `who` may move an event to a state; RefusedError names where they may move it."""
    state = State(event.state)
    if to not in allowed(state, who):
        open_to = " or ".join(f"“{one.label}”" for one in allowed(state, who)) or "no other state"
        raise RefusedError(
            "state",
            f"The event is “{state.label}”: {who} can move it to {open_to}, not to “{to.label}”.",
        )


def move(event: Event, to: State, who: Who) -> None:
    """Move an event to a state and save it; raise RefusedError as `check` does."""
    check(event, to, who)
    event.state = to
    event.save(update_fields=["state"])


def in_words(event: Event) -> list[StateLine]:
    lines = []
    for state, moves in MOVES.items():
        together: dict[str, list[str]] = {}
        for to, movers in moves.items():
            together.setdefault(" or ".join(movers), []).append(str(to.label))
        there = event.state == state
        lines.append(StateLine(state, MEANING[state], tuple(together.items()), there))
    return lines
