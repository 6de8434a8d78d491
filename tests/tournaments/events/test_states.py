"""The table of states: who moves an event where."""

import pytest

from tests.loops import looped
from tests.tournaments import build
from tournaments.events import states
from tournaments.events.states import MOVES, UPCOMING, Who
from tournaments.models import Club, Event
from tournaments.refusals import RefusedError

State = Event.State


def every_move() -> list[tuple[State, State, Who]]:
    """Every state, every other, everybody."""
    return [(a, b, who) for a in State for b in State if a != b for who in Who]


@pytest.fixture
def club(db: None) -> Club:
    return build.club()


@looped("start, end, who", every_move())
def test_only_listed_moves_are_allowed(club: Club, start: State, end: State, who: Who) -> None:
    event = build.event(club, state=start)
    if who in MOVES[start].get(end, ()):
        states.move(event, end, who)
    else:
        with pytest.raises(RefusedError) as refusal:
            states.move(event, end, who)
        assert f"is “{start.label}”" in refusal.value.message
        for one in states.allowed(start, who):
            assert f"“{one.label}”" in refusal.value.message
    left_at = Event.objects.get(pk=event.pk).state
    assert (left_at == end) == (who in MOVES[start].get(end, ()))


def test_every_state_is_listed_and_explained() -> None:
    assert set(MOVES) == set(State) == set(states.MEANING)


def test_every_draft_can_reach_an_end() -> None:
    reached, new = {State.DRAFT}, {State.DRAFT}
    while new:
        new = {to for one in new for to in MOVES[one]} - reached
        reached |= new
    assert reached == set(State)


@pytest.mark.parametrize("state", UPCOMING)
def test_published_event_can_begin_and_be_cancelled(state: State) -> None:
    for who in Who:
        assert {State.RUNNING, State.CANCELLED} <= {*states.allowed(state, who)}


@pytest.mark.parametrize("state", [State.FINISHED, State.CANCELLED])
def test_final_states_have_no_moves(state: State) -> None:
    assert MOVES[state] == {}


def test_only_the_clock_finishes_a_running_event() -> None:
    assert MOVES[State.RUNNING][State.FINISHED] == states.CLOCK


@pytest.mark.django_db
def test_states_in_words() -> None:
    lines = {line.state: line for line in states.in_words(build.event(state=State.READY))}
    assert [state for state, line in lines.items() if line.current] == [State.READY]
    assert lines[State.RUNNING].moves == (
        ("the clock", ["Finished"]),
        ("a director", ["Cancelled"]),
    )
    assert lines[State.READY].moves == (
        ("a director", ["Announced", "Registration open"]),
        ("the clock or a director", ["Check-in", "Running", "Cancelled"]),
    )
    assert lines[State.FINISHED].moves == ()
