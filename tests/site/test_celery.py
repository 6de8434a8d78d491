"""The task queue: which tasks use which queue, and which workers are refused."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from celery import beat, schedules
from celery.apps import worker as worker_program
from celery.concurrency import get_implementation
from django.db import DatabaseError, connection
from django.utils import timezone
from structlog.testing import capture_logs

from euchre_site.celery import app, keep_our_logging, refuse_other_pools
from euchre_site.schedule import Schedule, ScheduleProgram
from euchre_site.startup import startup
from games.sockets import heartbeats
from tests.served import ROOT
from tests.site.processes import environment

SHORT = {
    "sweep", "keep_log", "tick", "close_left", "record_performances", "measure_games", "keep_bans",
    "play_on", "seat_waiting", "release_left", "call_absent", "archive", "forget_analyses",
}  # fmt: skip
#: What may take long beside each other, each one at a time in a process.
LONG = {
    "send_letters", "send_pushes", "send_webhooks", "rate", "check_ratings",
    "remove_old_deliveries", "forget_addresses", "forget_talk", "forget_pushes", "own_data",
    "review", "back_up", "analyse", "daily_deals",
}  # fmt: skip


def queue_of(each: Any) -> str:
    route = app.amqp.router.route(dict(each["options"]), each["task"])
    return str(route["queue"].name)


def test_long_tasks_have_their_own_queue(settings: Any) -> None:
    scheduled = list(settings.CELERY_BEAT_SCHEDULE.values())
    names = {each["task"].rpartition(".")[2]: queue_of(each) for each in scheduled}
    assert {name for name, queue in names.items() if queue == "work"} == LONG
    assert {name for name, queue in names.items() if queue == "ticks"} == SHORT


def test_ticks_expire(settings: Any) -> None:
    for each in settings.CELERY_BEAT_SCHEDULE.values():
        assert each["options"]["expires"] > 0


def test_long_tasks_cannot_take_all_threads(settings: Any) -> None:
    assert len(LONG) + 2 <= settings.CELERY_WORKER_CONCURRENCY


def worker(pool: str, threads: int, queues: str = "ticks,work") -> Any:
    app.amqp.queues.select(queues.split(","))
    return SimpleNamespace(pool_cls=get_implementation(pool), concurrency=threads)


@pytest.fixture
def _all_queues() -> Any:
    yield
    app.amqp.queues.consume_from.clear()
    app.amqp.queues.consume_from.update(app.amqp.queues)


@pytest.mark.usefixtures("_all_queues")
class TestRefused:
    @pytest.mark.parametrize("pool", ["prefork", "solo"])
    def test_workers_without_threads(self, pool: str) -> None:
        with pytest.raises(SystemExit, match=rf"the pool “{pool}”.*--pool threads"):
            refuse_other_pools(worker(pool, 9))

    def test_too_few_threads_for_both_queues(self) -> None:
        with pytest.raises(SystemExit, match=r"2 threads for all.*leave --concurrency at 16"):
            refuse_other_pools(worker("threads", 2))

    def test_valid_workers_are_accepted(self) -> None:
        refuse_other_pools(worker("threads", 16))
        refuse_other_pools(worker("threads", 1, "ticks"))
        refuse_other_pools(worker("threads", 2, "work"))


def test_a_worker_with_another_pool_exits_with_one_line(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "celery", "-A", "euchre_site", "worker", "--pool", "solo"],
        cwd=ROOT,
        env={"BOWER_DATA": str(tmp_path), "DATABASE_URL": f"sqlite:///{tmp_path}/db.sqlite3"}
        | {"SECRET_KEY": "a" * 60, "DEAL_KEY": "YWFh" * 10 + "YWE=", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]  # before it Celery may warn about the user who runs it
    assert last.startswith("This worker would use the pool “solo”")
    assert "Traceback" not in done.stderr


@pytest.mark.django_db
class TestSchedule:
    def test_it_writes_heartbeats(self, monkeypatch: pytest.MonkeyPatch) -> None:
        told: list[str] = []
        schedule = Schedule(app, schedule={}, lazy=True)
        monkeypatch.setattr(schedule, "send_heartbeat", lambda: told.append("schedule"))
        monkeypatch.setattr(schedule, "send_task", lambda *_args, **_options: None)
        for _time in range(3):
            schedule.tick()
        assert told == ["schedule"]
        schedule.next_beat -= Schedule.EVERY
        schedule.tick()
        assert told == ["schedule", "schedule"]

    @pytest.mark.db
    def test_an_entry_is_due_when_celery_says(self) -> None:
        schedule = Schedule(app, lazy=True)
        entry = schedule.Entry(name="sweep", task="sweep", schedule=schedules.schedule(1.0))
        theirs = beat.Scheduler._when(schedule, entry, 3600.0)  # type: ignore[attr-defined]
        assert schedule._when(entry, 3600.0) == pytest.approx(theirs, abs=60)

    def test_only_the_latest_heartbeat_is_kept(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(connection, "close", lambda: None)
        schedule, begun = Schedule(app, schedule={}, lazy=True), timezone.now()
        schedule.send_heartbeat()
        first = heartbeats.last("schedule")
        schedule.send_heartbeat()
        last = heartbeats.last("schedule")
        assert first is not None
        assert last is not None
        assert begun <= first < last <= timezone.now()

    def test_it_continues_without_a_database(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def away() -> None:
            raise DatabaseError("the database is being started anew")

        monkeypatch.setattr(connection, "cursor", away)
        monkeypatch.setattr(connection, "close", lambda: None)
        with capture_logs() as lines:
            Schedule(app, schedule={}, lazy=True).send_heartbeat()
        assert [line["log_level"] for line in lines] == ["warning"]


SEND_EACH_TASK_ONCE = """
import sys
from euchre_site.celery import app
from euchre_site.schedule import Schedule, ScheduleProgram

program = app.Beat(quiet=True)
program.init_loader()
schedule = Schedule(app)
for entry in schedule.schedule.values():
    schedule.apply_async(entry, advance=False)
schedule.send_heartbeat()
print(sum(app.connection().default_channel.queue_declare(name, passive=True).message_count
          for name in ("ticks", "work")), len(schedule.schedule))
print({"games.models", "tournaments.models"} & set(sys.modules))
"""


@pytest.mark.slow
def test_the_schedule_sends_every_task_without_models(tmp_path: Path) -> None:
    def run(*command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *command], cwd=ROOT, capture_output=True, text=True, check=False,
            env=environment() | {"BOWER_DATA": str(tmp_path)},
        )  # fmt: skip

    run("manage.py", "make_keys")
    refused = run("-c", SEND_EACH_TASK_ONCE)
    assert "The database lacks" in refused.stderr
    assert refused.returncode == startup.REFUSED
    run("manage.py", "migrate", "-v0")
    done = run("-c", SEND_EACH_TASK_ONCE)
    assert done.stderr == ""
    sent, models = done.stdout.splitlines()
    assert len(set(sent.split())) == 1
    assert models == "set()"


def test_json_logs_contain_only_json(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_program, "safe_say", lambda *_said: pytest.fail("it is printed"))
    settings.LOG_FORMAT = "json"
    keep_our_logging()
    with capture_logs() as logs:
        worker_program.safe_say("\nworker: Warm shutdown (MainProcess)", sys.stderr)  # type: ignore[attr-defined]
    assert [line["event"] for line in logs] == ["worker: Warm shutdown (MainProcess)"]


def test_python_warnings_are_logged(tmp_path: Path) -> None:
    warn = "import django, warnings; django.setup(); warnings.warn('It is\\nold.')"
    keys = {"SECRET_KEY": "a" * 60, "DEAL_KEY": "b" * 43 + "=", "LOG_FORMAT": "json"}
    set_here = {"DJANGO_SETTINGS_MODULE": "euchre_site.settings", "BOWER_DATA": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", warn],
        cwd=ROOT, env=environment() | keys | set_here, capture_output=True, text=True, check=True,
    )  # fmt: skip
    (line,) = done.stderr.splitlines()
    assert json.loads(line)["logger"] == "py.warnings"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_schedule_though_it_comes_where_exceptions_are_lost(
    number: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Interrupted:
        def __del__(self) -> None:
            signal.raise_signal(number)  # what is raised here is ignored

    stopped: list[bool] = []
    service = beat.Service(app, schedule_filename="none")
    monkeypatch.setattr(service, "stop", lambda: stopped.append(True))
    before = {one: signal.getsignal(one) for one in (signal.SIGTERM, signal.SIGINT)}
    try:
        ScheduleProgram(app=app).install_sync_handler(service)
        one = Interrupted()
        del one
        assert stopped == [True]
    finally:
        for one_of_them, handler in before.items():
            signal.signal(one_of_them, handler)
