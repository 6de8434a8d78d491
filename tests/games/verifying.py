"""The script that checks records, as a module and as a command, and logs for it to check."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from games.fairness.views import SCRIPT


def loaded() -> Any:
    """The script as a module."""
    spec = importlib.util.spec_from_file_location(SCRIPT.stem, SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


script: Final = loaded()


def faults(data: bytes) -> list[tuple[str, str]]:
    """The places that the script finds wrong in a record, with its words; as it prints them."""
    try:
        record, text = script.read_record(data)
    except script.UnreadableError as why:
        place, _, words = str(why).partition(": ")
        return [(place, words)]
    return [fault for step in script.check(record, text) for fault in step.faults]


def faults_with_log(data: bytes, log: bytes) -> list[str]:
    """The places that are wrong in a record and in lines of the log."""
    record, text = script.read_record(data)
    log_read, lines = script.Log(record["game"]["id"]), log.splitlines(keepends=True)
    steps = [*script.check(record, text), *script.check_with_log(record, log_read, lines)]
    return [fault.place for step in steps for fault in step.faults]


def log_of(data: bytes, *, others: int = 0) -> bytes:
    """The log's lines of a record's game, between lines of so many other games."""
    record = json.loads(data)
    told, match = record["shuffle"], record["game"]["id"]
    started = {key: told[key] for key in ("commitments", "contributions", "flags", "mixed")}
    revealed = {
        "state": record["game"]["state"],
        "secret": told["secret"],
        "seal": record["seal"],
    }
    tells = [
        (match, "created", {"commitment": told["commitment"]}),
        (match, "started", started),
        (match, "revealed", revealed),
    ]
    for other in range(others):
        name = f"00000000-0000-4000-8000-{other:012}"
        tells.insert(other % 4, (name, "created", {"commitment": "0" * 64}))
    return chained(tells)


def chained(
    tells: list[tuple[str, str, dict[str, Any]]], *, times: Sequence[str] = (), first: int = 1
) -> bytes:
    """Lines of the log, each with the hash of the one before.

    times: of the lines; without them all are of one moment. first: the place of the first.
    """
    lines, before = [], bytes(32)
    for number, (match, kind, data) in enumerate(tells):
        at = times[number] if times else "2026-11-19T20:23:05.000000Z"
        line = {"place": first + number, "at": at, "kind": kind, "match": match}
        text = json.dumps({**line, **data, "previous": before.hex()}, separators=(",", ":"))
        before = hashlib.sha256(b"EUF1.log" + text.encode()).digest()
        lines.append(text.encode() + b"\n")
    return b"".join(lines)


def run(*arguments: Path | str) -> subprocess.CompletedProcess[str]:
    """Run the script as a visitor does, with nothing of the project in sight."""
    command = [sys.executable, "-I", "-W", "error", SCRIPT, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
