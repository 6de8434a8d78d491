"""Test runs that need a process of their own, so that one command runs everything.

Playwright's synchronous interface keeps an event loop running, which Django's and asyncio's own
tests cannot share; and a process has one database engine. What breaks a running site on purpose
(``tests.faults``) is tried once, at its smallest, in CI, and in full with ``BOWER_THOROUGH=1``.
"""

import os
import subprocess
import sys

import pytest

from tests.served import OF_TEST_RUNS, ROOT
from tests.volume import volume

LONGEST = 3600  # seconds before a run counts as hanging, also with BOWER_THOROUGH=1
#: Seconds before a test counts as hanging: it prints the stack of each thread and ends. An evening
#: of browsers takes four minutes where six runs of tests share two cores.
HANGS = "1200"


def run_pytest(*arguments: str, **environment: str) -> None:
    """Run pytest again with other variables and fail with its output if it fails."""
    hanging = (f"-ofaulthandler_timeout={HANGS}", "-ofaulthandler_exit_on_timeout=true")
    here = ("-q", "-n", "0", "-p", "no:cacheprovider")
    run_module("pytest", *here, *hanging, *arguments, **environment)


def run_module(module: str, *arguments: str, **environment: str) -> str:
    """Run a module in a process of its own, fail with its output if it fails, and return that.

    It has none of the settings and options of this run of tests.
    """
    ours = (*OF_TEST_RUNS, "PYTEST_ADDOPTS")
    inherited = {name: os.environ[name] for name in os.environ if name not in ours}
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=ROOT,
        env=inherited | environment,
        capture_output=True,
        text=True,
        timeout=LONGEST,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout[-20_000:]}\n{done.stderr[-5_000:]}"
    return done.stdout


@pytest.mark.slow
def test_every_branch_of_the_engine() -> None:
    # Measured apart, and plainly: to follow each line takes four times as long, and more deals, or
    # all other tests, reach no branch that these miss. This run plays the many itself.
    measured = ("--cov=games.engine", "--cov-branch", "--cov-fail-under=100")
    guesses = "tests/games/bots/test_bots_playouts.py"  # of `Deal.from_observation`
    lacking = "--cov-report=term-missing:skip-covered"
    run_pytest("tests/engine", guesses, *measured, lacking, CI="", BOWER_THOROUGH="")


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.parametrize(
    "files",
    [
        # Each takes half of the time.
        pytest.param("test_[a-p]*.py", marks=pytest.mark.xdist_group("browser")),
        pytest.param("test_[q-z]*.py", marks=pytest.mark.xdist_group("another browser")),
    ],
)
def test_in_a_browser(chromium_path: str, files: str) -> None:
    found = sorted(str(path) for path in (ROOT / "tests/browser").glob(files))
    run_pytest(*found, CHROMIUM=chromium_path)


@pytest.mark.postgres
@pytest.mark.xdist_group("database")  # it shares no server with the others
@pytest.mark.slow
def test_on_postgresql(postgres_url: str) -> None:
    which = volume("db and not sqlite", "db and not sqlite", "django_db and not sqlite")
    apps = ("tests/games", "tests/site", "tests/tournaments")
    run_pytest(*apps, "-m", which, DATABASE_URL=postgres_url)


# A running site, broken on purpose ------------------------------------------------------------


@pytest.mark.servers
@pytest.mark.slow
def test_killed_in_the_middle() -> None:
    kills = volume("2", "2", "30")
    report = run_module("tests.faults.crash", "--kills", kills)
    assert f"{kills} kills" in report
    assert "0 of them lost, 0 doubled" in report


@pytest.mark.servers
@pytest.mark.thorough
def test_every_part_of_a_site_killed_once() -> None:
    # With a PostgreSQL and a Redis of its own, which it kills too.
    # Turns are long: on a busy machine a killed web process needs seconds to come back, and
    # nobody's turn may run out meanwhile.
    small = ("--each", "1", "--tables", "4", "--events", "0", "--turn", "60")
    report = run_module("tests.faults.kills", *small)
    assert "0 of them lost, 0 doubled, 0 played by the house" in report


@pytest.mark.servers
@pytest.mark.slow
def test_backed_up_while_tables_play() -> None:
    backups, tables = volume(("1", "2"), ("1", "2"), ("50", "6"))
    report = run_module("tests.load.backups", "--backups", backups, "--tables", tables, "--key")
    assert f"{backups} backups while {tables} tables played: 0 failed" in report
    assert ", 0 of them lacking" in report


@pytest.mark.postgres
@pytest.mark.thorough
def test_backed_up_while_tables_play_on_postgresql(postgres_url: str) -> None:
    numbers = ("--backups", "2", "--tables", "4")
    report = run_module("tests.load.backups", *numbers, "--database", postgres_url)
    assert "0 failed" in report
    assert ", 0 of them lacking" in report


@pytest.mark.servers
@pytest.mark.thorough
def test_away_for_longer_than_any_clock() -> None:
    assert "nobody replaced, nothing forfeited" in run_module("tests.faults.outage")


@pytest.mark.servers
@pytest.mark.slow
def test_malformed_frames_and_hostile_sockets() -> None:
    tables, frames, sockets, seconds = volume(
        ("2", "72", "40", "2"), ("2", "72", "40", "2"), ("4", "1440", "400", "10")
    )
    numbers = ("--tables", tables, "--frames", frames, "--sockets", sockets, "--seconds", seconds)
    report = run_module("tests.load.hostile", *numbers, "--quiet", "1")
    assert "0 tracebacks in the log, 0 tables lost" in report


@pytest.mark.servers
@pytest.mark.slow
def test_one_of_many_concurrent_turns_succeeds() -> None:
    racers, races = volume(("20", "1"), ("20", "1"), ("1000", "3"))
    numbers = ("--racers", racers, "--races", races)
    report = run_module("tests.faults.racers", *numbers, "--database=sqlite")
    assert f"{racers} racers, {races} races, {races} won" in report


@pytest.mark.slow
def test_no_hidden_card_in_any_byte() -> None:
    deals = volume("1", "1", "100")
    report = run_module("tests.faults.taint", "--deals", deals, "--processes", "1")
    assert "no hidden card, no secret" in report


@pytest.mark.servers
@pytest.mark.slow
def test_played_on_after_the_disk_was_full() -> None:
    tables, seconds = volume(("1", "1"), ("1", "1"), ("20", "10"))
    numbers = (f"--tables={tables}", f"--seconds={seconds}")
    report = run_module("tests.faults.disk", *numbers, "--only=full")
    assert "0 of them lost, 0 doubled, 0 played by the house" in report


@pytest.mark.postgres
@pytest.mark.slow
@pytest.mark.parametrize("pool", ["4", pytest.param("8", marks=pytest.mark.thorough)])
def test_many_open_one_page_while_its_table_plays(postgres_url: str, pool: str) -> None:
    numbers = ("--pool", pool, "--visitors", volume("15", "15", "60"))
    run_module("tests.load.rush", "--database", postgres_url, *numbers)


@pytest.mark.postgres
@pytest.mark.redis
@pytest.mark.slow
def test_tables_spread_over_two_processes(postgres_url: str, redis_url: str) -> None:
    servers = ("--processes", "2", "--database", postgres_url, "--redis", redis_url)
    tables, seconds = volume(("2", "1"), ("2", "1"), ("6", "3"))
    report = run_module("tests.load.live", "--tables", tables, "--seconds", seconds, *servers)
    assert " 0 lost)" in report
