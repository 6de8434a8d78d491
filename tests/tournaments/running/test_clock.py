"""The tick: late, twice, in several workers at once, and after a failure."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from threading import Barrier

import pytest
from django.db import connection
from django.utils import timezone

from games.models import Game, Table
from games.seats import reserved
from tests.factories import play_out
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON
from tournaments.models import Entry, Event, Letter, Pairing, Round, Trophy
from tournaments.running import clock, steps
from tournaments.tasks import tick as task

pytestmark = pytest.mark.django_db(transaction=True)

WORKERS = 8
TIMES = 50


def together(verb: Callable[[], object], times: int = TIMES) -> None:
    """Do something so often, in several threads from one moment on; raise what any of them does."""
    ready = Barrier(WORKERS)

    def run(_number: int) -> None:
        try:
            ready.wait()
            for _time in range(times // WORKERS + 1):
                verb()
        finally:
            connection.close()

    with ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(run, range(WORKERS)))


def ready_to_start(players: int = 9, **fields: object) -> Event:
    made = build.event(rounds=3, **fields)  # type: ignore[arg-type]
    build.enter(made, players)
    Event.objects.filter(pk=made.pk).update(due=NOON)
    return made


def test_fifty_concurrent_workers_draw_one_round() -> None:
    event = ready_to_start()
    together(lambda: clock.tick(NOON))
    round_ = Round.objects.get()
    assert (round_.number, round_.pairings.count(), round_.sit_outs.count()) == (1, 2, 1)
    assert Table.objects.count() == 2
    assert event.notices.filter(text__startswith="Started").count() == 1


def test_concurrent_ticks_double_nothing_from_start_to_result() -> None:
    event = ready_to_start(8)
    now = NOON
    for number in (1, 2, 3):
        together(lambda at=now: clock.tick(at), 16)  # type: ignore[misc]
        assert event.played_rounds.count() == number
        build.arrive(event)
        together(lambda at=now: clock.tick(at), 16)  # type: ignore[misc]
        for pairing in build.latest(event).pairings.all():
            build.win(pairing, 0)
        now += MINUTE
        together(lambda at=now: clock.tick(at), 16)  # type: ignore[misc]
    event.refresh_from_db()
    assert event.state == Event.State.FINISHED
    assert Round.objects.count() == 3
    assert Game.objects.count() == Table.objects.count() == 6
    assert Trophy.objects.count() <= 3
    texts = list(event.notices.values_list("text", flat=True))
    assert len(texts) == len(set(texts))


def test_a_late_tick_makes_up_for_all_that_was_missed() -> None:
    event = ready_to_start(registration_closes=NOON)
    clock.tick(NOON + timedelta(hours=2))
    event.refresh_from_db()
    assert event.state == Event.State.RUNNING
    assert build.latest(event).number == 1


def test_a_failed_step_is_undone_shown_and_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    event = ready_to_start()
    open_tables = reserved.open_tables

    def broken(*_arguments: object, **_named: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(reserved, "open_tables", broken)
    clock.tick(NOON)
    event.refresh_from_db()
    assert not Round.objects.exists()
    assert event.trouble == "OSError: the disk is full"
    assert event.due == NOON + timedelta(seconds=2)
    clock.tick(NOON + timedelta(seconds=1))
    event.refresh_from_db()
    assert event.tries == 1
    clock.tick(NOON + timedelta(seconds=2))
    event.refresh_from_db()
    assert (event.tries, event.due) == (2, NOON + timedelta(seconds=6))
    monkeypatch.setattr(reserved, "open_tables", open_tables)
    clock.tick(NOON + timedelta(seconds=6))
    event.refresh_from_db()
    assert (event.trouble, event.tries) == ("", 0)
    assert Round.objects.count() == 1


def test_failing_event_does_not_delay_others(monkeypatch: pytest.MonkeyPatch) -> None:
    ill = ready_to_start()
    well = ready_to_start(of=build.club("The New Mill"))
    good = steps.step

    def step(event: Event, now: datetime) -> bool:
        if event.pk == ill.pk:
            raise OSError("ill")
        return good(event, now)

    monkeypatch.setattr(steps, "step", step)
    clock.tick(NOON)
    assert well.played_rounds.count() == 1
    assert ill.played_rounds.count() == 0


def test_a_finished_game_wakes_its_event_without_a_moment_set() -> None:
    event = ready_to_start(4)
    clock.tick(NOON)
    build.arrive(event)
    clock.tick(NOON)
    pairing = build.latest(event).pairings.get()
    assert pairing.table is not None
    game = play_out(pairing.table)
    Game.objects.filter(pk=game.pk).update(ended=NOON)
    Event.objects.update(due=None)
    clock.tick(NOON + MINUTE)
    pairing.refresh_from_db()
    assert pairing.state == Pairing.State.DECIDED
    assert (pairing.points_0, pairing.points_1) == (game.score_0, game.score_1)


def test_unattended_tables_are_handled_after_a_worker_dies(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    event = ready_to_start(40, no_show_minutes=5)
    clock.tick(NOON)
    late = NOON + 5 * MINUTE
    with monkeypatch.context() as dying:
        dying.setattr(clock, "MAX_STEPS", 1)  # the worker dies after its first step
        clock.tick(late)
    assert build.latest(event).pairings.exclude(state=Pairing.State.DECIDED).exists()
    clock.tick(late + MINUTE)
    assert not event.played_rounds.get(number=1).pairings.exclude(how="forfeit").exists()


def test_unreplayable_game_does_not_delay_other_events(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ill = ready_to_start(4)
    clock.tick(NOON)
    build.arrive(ill)
    clock.tick(NOON)
    build.win(build.latest(ill).pairings.get(), 0)
    well = ready_to_start(of=build.club("The New Mill"))

    def broken(*_arguments: object) -> tuple[int, int]:
        raise ValueError("no such card")

    monkeypatch.setattr(reserved, "lone_marches", broken)
    clock.tick(NOON + MINUTE)
    assert well.played_rounds.count() == 1
    ill.refresh_from_db()
    assert ill.trouble == "ValueError: no such card"


def test_event_ended_by_another_worker_reports_no_trouble(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    event = ready_to_start()

    def ended_meanwhile(event_id: int, _now: datetime) -> bool:
        Event.objects.filter(pk=event_id).update(state=Event.State.FINISHED, due=None)
        raise OSError("the connection is lost")

    monkeypatch.setattr(clock, "_step_of", ended_meanwhile)
    clock.tick(NOON)
    event.refresh_from_db()
    assert (event.trouble, event.due) == ("", None)


def test_lone_marches_are_counted_from_the_hands_played() -> None:
    event = ready_to_start(4)
    clock.tick(NOON)
    build.arrive(event)
    clock.tick(NOON)
    pairing = build.latest(event).pairings.get()
    assert pairing.table is not None
    game = play_out(pairing.table)
    clock.tick(timezone.now())
    pairing.refresh_from_db()
    from games.picture.viewing import deal_views

    lone = [deal.result for deal in deal_views(game.pk) if deal.result]
    counted = [
        sum(one.outcome == "lone march" and one.side == side for one in lone) for side in (0, 1)
    ]
    assert [pairing.lone_0, pairing.lone_1] == counted


def test_entry_without_check_in_does_not_play() -> None:
    event = ready_to_start(10, state=Event.State.CHECK_IN, check_in_minutes=30)
    here = event.entries.order_by("arrival")[:8]
    Entry.objects.filter(pk__in=[entry.pk for entry in here]).update(state=Entry.State.CHECKED_IN)
    clock.tick(NOON)
    assert event.entries.filter(state=Entry.State.NO_SHOW).count() == 2
    assert build.latest(event).pairings.count() == 2
    assert build.latest(event).sit_outs.count() == 0


def test_the_task_is_the_tick() -> None:
    now = timezone.now()
    event = ready_to_start(starts=now, registration_closes=now)
    Event.objects.update(due=now)
    task()
    assert event.played_rounds.count() == 1
    assert not Letter.objects.exists()  # nobody there has an account
