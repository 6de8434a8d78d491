"""Runs of the tests that need a process of their own, so that one command runs everything.

Playwright's synchronous interface keeps an event loop running, which Django's and asyncio's own
tests cannot share; and a process has one database engine.
"""

import os
import re
import subprocess
import sys
import warnings
from functools import partial
from pathlib import Path

import pytest

from tests.served import OF_TEST_RUNS, ROOT
from tests.volume import volume

LONGEST = 3600  # seconds before a run counts as hanging, also with BOWER_THOROUGH=1
#: Seconds before a test counts as hanging: what each of its threads does is told, and it ends.
HANGS = "300"
#: The tests of events that lock, race or count in the database.
EVENTS = (
    "clubs/test_clubs_members.py", "directing/test_directing.py", "entering/test_entering.py",
    "entering/test_partners.py", "event_page/live", "outbox/test_letters.py",
    "ratings/test_rating.py", "ratings/test_rating_claims.py",
    "ratings/test_rating_replay.py::TestThousandGames", "running/test_clock.py",
    "running/test_opening.py", "running/test_outages.py", "running/test_rush.py",
    "running/test_second_stage.py",
)  # fmt: skip
#: The tests of tables that only read or compare bytes, whichever database is asked.
OF_NO_SERVER = (
    "games/api/test_api_play.py", "games/fairness", "games/picture/test_leak.py", "games/programs",
    "games/records/test_finished.py", "games/records/test_replays.py",
    "games/seats/test_new_table.py",
)  # fmt: skip
#: kill -9 of a running game.
KILLS = volume("6", "6", "30")
#: Backups of running games.
BACKUPS = volume("3", "3", "50")


def run_pytest(*arguments: str, cache: str = "", **environment: str) -> None:
    """Run pytest again with other variables and fail with its output if it fails.

    cache: a folder in which pytest keeps what has failed, if it shall.
    """
    told = (f"-ofaulthandler_timeout={HANGS}", "-ofaulthandler_exit_on_timeout=true")
    kept = (f"-ocache_dir={cache}",) if cache else ("-p", "no:cacheprovider")
    here = ("-q", "-n", "0", *kept)
    run_module("pytest", *here, *told, *arguments, **environment)


def run_module(module: str, *arguments: str, **environment: str) -> str:
    """Run a module in a process of its own, fail with its output if it fails, and return that.

    It has none of the settings that this run of tests has put into the environment.
    """
    inherited = {name: os.environ[name] for name in os.environ if name not in OF_TEST_RUNS}
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


@pytest.mark.browser
@pytest.mark.slow
def test_in_a_browser(chromium_path: str, tmp_path: Path) -> None:
    # The shuffle is secret, so that the cards of these games come by chance. What fails is asked
    # once more, which is told; a page that is wrong is so for any cards. Of a browser that stood
    # still nothing is known, so that all is asked again.
    run = partial(run_pytest, "tests/browser", cache=str(tmp_path), CHROMIUM=chromium_path)
    try:
        run()
    except AssertionError as first:
        failed = "\n".join(re.findall("^FAILED .*|^ERROR .*", str(first), re.MULTILINE))
        warnings.warn(f"Asked once more:\n{failed}\n{first}", stacklevel=1)
        run(*(("--last-failed", "--last-failed-no-failures=none") if failed else ()))


@pytest.mark.postgres
@pytest.mark.xdist_group("database")  # it disturbs no server, and takes as long as all of them
@pytest.mark.slow
def test_on_postgresql(postgres_url: str) -> None:
    run_pytest(
        "tests/games", "tests/site", *(f"tests/tournaments/{name}" for name in EVENTS),
        *(f"--ignore=tests/{name}" for name in OF_NO_SERVER), "-m", "django_db and not sqlite",
        DATABASE_URL=postgres_url,
    )  # fmt: skip


@pytest.mark.servers
@pytest.mark.slow
def test_killed_in_the_middle() -> None:
    told = run_module("tests.faults.crash", "--kills", KILLS)
    assert f"{KILLS} kills" in told
    assert "0 of them lost, 0 doubled" in told


@pytest.mark.servers
@pytest.mark.slow
def test_backed_up_while_tables_play() -> None:
    told = run_module("tests.load.backups", "--backups", BACKUPS, "--tables", "6", "--key")
    assert f"{BACKUPS} backups while 6 tables played: 0 failed" in told
    assert ", 0 of them lacking" in told


@pytest.mark.postgres
@pytest.mark.slow
def test_backed_up_while_tables_play_on_postgresql(postgres_url: str) -> None:
    numbers = ("--backups", "2", "--tables", "4")
    told = run_module("tests.load.backups", *numbers, "--database", postgres_url)
    assert "0 failed" in told
    assert ", 0 of them lacking" in told


@pytest.mark.servers
@pytest.mark.slow
def test_away_for_longer_than_any_clock() -> None:
    assert "nobody replaced, nothing forfeited" in run_module("tests.faults.outage")


@pytest.mark.servers
@pytest.mark.slow
def test_nonsense_and_sockets_without_end() -> None:
    small = ("--tables", "4", "--frames", "144", "--sockets", "240", "--seconds", "10")
    told = run_module("tests.load.hostile", *small, "--quiet", "3")
    assert "0 tracebacks in the log, 0 tables lost" in told


@pytest.mark.servers
@pytest.mark.slow
def test_every_part_of_a_site_killed_once() -> None:
    # With a PostgreSQL and a Redis of its own, which it kills too.
    # Turns are long: who had a line to one of two web processes waits here until that is back,
    # which takes seconds on a busy machine, and not for an outage of the site.
    small = ("--each", "1", "--tables", "4", "--events", "0", "--turn", "60")
    told = run_module("tests.faults.kills", *small)
    assert "0 of them lost, 0 doubled, 0 played by the house" in told


@pytest.mark.servers
@pytest.mark.slow
def test_of_many_who_take_one_turn_one_gets_it() -> None:
    told = run_module("tests.faults.racers", "--racers", "100", "--races", "3", "--database=sqlite")
    assert "100 racers, 3 races, 3 won" in told


@pytest.mark.slow
def test_no_hidden_card_in_any_byte() -> None:
    told = run_module("tests.faults.taint", "--deals", "4", "--processes", "1")
    assert "no hidden card, no secret" in told


@pytest.mark.servers
@pytest.mark.slow
def test_played_on_after_the_disk_was_full() -> None:
    told = run_module("tests.faults.disk", "--tables=2", "--seconds=2", "--only=full")
    assert "0 of them lost, 0 doubled, 0 played by the house" in told


@pytest.mark.postgres
@pytest.mark.slow
@pytest.mark.parametrize("pool", ["4", pytest.param("8", marks=pytest.mark.thorough)])
def test_sixty_open_one_page_while_its_table_plays(postgres_url: str, pool: str) -> None:
    # Of 2 s for a page and 1 s for an action; more only by what the server computed meanwhile.
    run_module("tests.load.rush", "--database", postgres_url, "--pool", pool, "--shared", "4")


@pytest.mark.postgres
@pytest.mark.redis
@pytest.mark.slow
def test_tables_spread_over_two_processes(postgres_url: str, redis_url: str) -> None:
    servers = ("--processes", "2", "--database", postgres_url, "--redis", redis_url)
    told = run_module("tests.load.live", "--tables", "6", "--seconds", "3", *servers)
    assert " 0 lost)" in told
