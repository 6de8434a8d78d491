"""The script that checks records against the public log: what the log told, and its chain."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from games.engine.rules import HEADS_UP, RuleSet
from games.engine.shuffle import NOTHING
from games.fairness import publishing
from games.files.record import write_record
from games.seats import seating
from games.shuffle import public_log
from tests.chance import TYPICAL, random_record
from tests.factories import cast, play_out, table
from tests.games.verifying import chained, faults_with_log, log_of, run, script


def test_lines_of_the_match_alone_are_enough() -> None:
    data = write_record(random_record(HEADS_UP, "a game"))
    log = log_of(data, others=9)
    match = json.loads(data)["game"]["id"].encode()
    mine = b"".join(line for line in log.splitlines(keepends=True) if match in line)
    assert mine.count(b"\n") == 3
    assert faults_with_log(data, log) == []
    assert faults_with_log(data, mine) == []


def tells_of(data: bytes, others: int = 0) -> list[tuple[str, str, dict[str, Any]]]:
    """What the log tells of a record's game: match, kind and the rest of each line."""
    own = ("place", "at", "kind", "match", "previous")
    return [
        (line["match"], line["kind"], {key: line[key] for key in line if key not in own})
        for line in map(json.loads, log_of(data, others=others).splitlines())
    ]


def altered_logs() -> Iterator[Any]:
    """Every way to alter a log: the change to its lines, and the places that are named."""
    lines = "line {} of the log"
    yield lambda log: log[:4] + log[5:], [lines.format(6)], "line removed"
    yield lambda log: [*log[:4], log[5], log[4], *log[6:]], [lines.format(5)], "swapped"
    yield (
        lambda log: [line.replace(b'"commitment":"0', b'"commitment":"1') for line in log],
        [lines.format(2)],
        "line altered",
    )
    yield (
        lambda log: [line.replace(b":05.0", b":06.0") for line in log[:1]] + log[1:],
        ["line 2"],
        "time",
    )
    yield lambda log: [log[0].replace(b'"place":1,', b'"place": 1,'), *log[1:]], ["line 1"], "white"
    yield lambda log: [line for line in log if b"revealed" not in line], ["the log"], "no reveal"
    yield lambda log: [], ["the log"], "nothing"


@pytest.mark.parametrize(
    ("change", "places"),
    [pytest.param(*one[:2], id=one[2]) for one in altered_logs()],
)
def test_whatever_is_altered_in_the_log_is_found(
    change: Callable[[list[bytes]], list[bytes]], places: list[str]
) -> None:
    data = write_record(random_record(HEADS_UP, "a game"))
    log = log_of(data, others=6).splitlines(keepends=True)
    found = faults_with_log(data, b"".join(change(log)))
    for place in places:
        assert any(where.startswith(place) for where in found), found


@pytest.mark.parametrize(
    ("kind", "key"),
    [
        ("created", "commitment"),
        *[("started", key) for key in ("commitments", "contributions", "flags", "mixed")],
        *[("revealed", key) for key in ("state", "secret", "seal")],
    ],
)
def test_a_contradicting_log_is_found(kind: str, key: str) -> None:
    data = write_record(random_record(HEADS_UP, "a game"))
    tells = [
        (match, told, {**data, key: "0" * 64} if told == kind else data)
        for match, told, data in tells_of(data)
    ]
    place = {"created": 1, "started": 2, "revealed": 3}[kind]
    assert faults_with_log(data, chained(tells)) == [f"{key} in line {place} of the log"]


@pytest.mark.parametrize(
    ("times", "wrong"),
    [
        (("20:23:05.000000Z", "20:23:05.000000Z", "20:23:05.000001Z"), []),
        (("20:23:05.000000Z", "20:23:04.999999Z", "20:23:06.000000Z"), [2]),
        (("20:23:05.000000Z", "20:23:04.000000Z", "20:23:04.500000Z"), [2, 3]),
        (("20:23:05.000000Z", "20:61:05.000000Z", "20:23:05.000000Z"), [2]),
        (("20:23:05Z", "20:23:05.000000Z", "20:23:05.000000+00:00"), [1, 3]),
        (("tomorrow", "", "20:23:05.000000"), [1, 2, 3]),
    ],
)
def test_times_that_run_backwards_or_are_none_are_found(
    times: tuple[str, ...], wrong: list[int]
) -> None:
    data = write_record(random_record(HEADS_UP, "a game"))
    log = chained(tells_of(data), times=[f"2026-11-19T{time}" for time in times])
    assert faults_with_log(data, log) == [f"at in line {place} of the log" for place in wrong]


def test_nothing_is_said_to_be_in_time_where_times_run_backwards() -> None:
    data = write_record(random_record(HEADS_UP, "a game"))
    times = [f"2026-11-19T20:23:0{second}.000000Z" for second in (5, 4, 3)]
    record, _text = script.read_record(data)
    lines = chained(tells_of(data), times=times).splitlines(keepends=True)
    chain, told = script.check_with_log(record, script.Log(record["game"]["id"]), lines)
    assert len(chain.faults) == 2
    assert "not older" in chain.claim
    assert told.faults == []
    assert "time" not in told.claim


def test_a_log_that_begins_after_its_first_line_is_found() -> None:
    data = write_record(random_record(HEADS_UP, "a game"))
    mine = tells_of(data)
    assert faults_with_log(data, chained(tells_of(data, others=6))) == []
    later = chained(tells_of(data, others=6), first=3)
    assert faults_with_log(data, later) == ["line 3 of the log"]
    # The lines of one match alone may stand anywhere.
    assert faults_with_log(data, chained(mine, first=3)) == []


def test_a_secret_published_before_the_start_is_found() -> None:
    data = write_record(random_record(HEADS_UP, "a game"))
    created, started, revealed = tells_of(data)
    assert faults_with_log(data, chained([created, revealed, started])) == ["the log"]
    assert faults_with_log(data, chained([created, created, started, revealed])) == ["the log"]
    dropped = (created[0], "aborted", {"secret": "0" * 64})
    assert faults_with_log(data, chained([created, dropped, started, revealed])) == ["the log"]


def record_without_promises() -> bytes:
    """A game into which nobody threw a number, as in all that are older than the log."""
    games = (random_record(HEADS_UP, f"game {seed}") for seed in count())
    return write_record(next(game for game in games if set(game.commitments) == {NOTHING}))


def end_alone(data: bytes) -> bytes:
    """The log's line that tells the end of a record's game, as if nothing had stood before it."""
    told = json.loads(log_of(data).splitlines()[-1])
    end = {key: told[key] for key in ("state", "secret", "seal")}
    return chained([(told["match"], told["kind"], end)])


def test_a_game_older_than_the_log_has_its_end_there_alone(tmp_path: Path) -> None:
    data = record_without_promises()
    assert faults_with_log(data, end_alone(data)) == []
    record, log = tmp_path / "record.json", tmp_path / "log.ndjson"
    record.write_bytes(data)
    log.write_bytes(end_alone(data))
    assert "the game is older than the log" in run(record, "--log", log).stdout


def test_the_log_never_begins_with_the_end_where_a_seat_has_promised_a_number() -> None:
    data = write_record(random_record(HEADS_UP, "a game"))
    assert faults_with_log(data, end_alone(data)) == ["the log"]


@pytest.mark.django_db
@pytest.mark.parametrize("rules", TYPICAL.values(), ids=TYPICAL)
def test_a_game_of_this_site_with_its_public_log(rules: RuleSet, tmp_path: Path) -> None:
    seating.make_table(cast()[0], rules)
    game = play_out(table(*cast()[: rules.players], rules=rules))
    while public_log.chain():
        pass
    assert publishing.publish_ended(timezone.now() + timedelta(seconds=1)) == 1
    while public_log.chain():
        pass
    client = Client()
    record, log = tmp_path / "record.json", tmp_path / "log.ndjson"
    record.write_bytes(client.get(f"/games/{game.pk}/record.json").content)
    for address in ("/fairness/log.ndjson", f"/fairness/log/{game.pk}.ndjson"):
        log.write_bytes(b"".join(client.get(address)))
        done = run(record, "--log", log)
        assert (done.returncode, done.stderr) == (0, "")
        assert "Everything is right." in done.stdout
        told = "Only this game's lines were given" in done.stdout
        assert told == (str(game.pk) in address)
