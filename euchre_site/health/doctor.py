"""`manage.py doctor`: everything that is wrong with an installation, and how to fix it.

It changes nothing: its test files are deleted at once and no key is marked.
"""

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Final, NamedTuple

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import connection

from euchre_site.health.findings import Finding, Level, first_line, worst_first, wrong
from euchre_site.startup import startup

FIX_KEYS: Final = (
    "For a new installation `manage.py make_keys --data DIR` makes keys. If there are games "
    "already, restore the keys they were played with."
)
FIX_SETTING: Final = "Correct it where it is set, or remove it to use the default."
FIX_FILE: Final = "Correct the file or restore it from a copy: it holds this installation's keys."


class Options(NamedTuple):
    """Numbers of processes, and a recipient for a test mail if any."""

    web: int = 1
    workers: int = 1
    mail_to: str = ""


def load_settings(arguments: Sequence[str]) -> None:
    """Load the settings; if that fails, print the findings and exit."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--data")
    parser.add_argument("--json", action="store_true")
    options, _others = parser.parse_known_args(arguments)
    if options.data:
        os.environ["BOWER_DATA"] = str(Path(options.data).expanduser().resolve())
    try:
        settings.INSTALLED_APPS  # noqa: B018
    except (ImproperlyConfigured, OSError) as error:
        found = [
            wrong(f"A setting is wrong: {line.partition(' ')[0]}", line, _fix_for(line))
            for line in str(error).splitlines()
        ]
        sys.stdout.write(report(found, as_json=options.json))
        sys.exit(1)


def _fix_for(line: str) -> str:
    if "secrets.env" in line.partition(" ")[0]:
        return FIX_FILE
    return FIX_KEYS if line.startswith(tuple(startup.KEYS)) else FIX_SETTING


def run_checks(options: Options, clock: Callable[[], datetime]) -> Iterator[Finding]:
    yield from installation(clock)
    yield from dependencies(options, clock)


def installation(clock: Callable[[], datetime], *, running: bool = False) -> Iterator[Finding]:
    """Check what is on this machine.

    running: asked by the site itself, often perhaps: no file is synced and no process started.
    """
    from euchre_site.health import local_checks  # needs loaded settings

    data: Path = settings.DATA_DIR
    yield from guarded(local_checks.versions)
    yield from guarded(local_checks.key_strength)
    yield from guarded(lambda: local_checks.folder(data))
    yield from guarded(
        lambda: local_checks.disk(data if data.is_dir() else Path("/"), try_writing=not running)
    )
    if data.is_dir():
        yield from guarded(lambda: local_checks.file_clock(data, clock))
        yield from guarded(local_checks.static_files)
    yield from guarded(local_checks.house_players if running else local_checks.workers)
    yield from guarded(local_checks.addresses)
    yield from guarded(local_checks.leftovers)


def dependencies(
    options: Options, clock: Callable[[], datetime], *, running: bool = False
) -> Iterator[Finding]:
    """Check what Bower depends on, causes before what follows from them."""
    from euchre_site.health import local_checks, remote_checks

    redis = list(guarded(remote_checks.redis))
    yield from redis
    away = any(one.title == remote_checks.REDIS_AWAY for one in redis)
    yield from guarded(lambda: database(options, clock, running=running, redis_away=away))
    yield from guarded(
        remote_checks.mails_lately if running else lambda: remote_checks.mails(options.mail_to)
    )
    yield from guarded(local_checks.push)


def database(
    options: Options,
    clock: Callable[[], datetime],
    *,
    running: bool = False,
    redis_away: bool = False,
) -> Iterator[Finding]:
    from euchre_site.health import remote_checks

    if (unusable := remote_checks.cannot_connect()) is not None:
        yield unusable
        return
    if connection.vendor == "sqlite":
        yield from remote_checks.sqlite()
    else:
        yield from remote_checks.postgresql(options.web, options.workers, clock)
    tables = remote_checks.migrations(running=running)
    yield tables
    if tables.level is Level.FINE:
        yield from remote_checks.key_marks()
        yield from remote_checks.services(clock(), running=running, redis_away=redis_away)
        yield from remote_checks.service_clocks(clock())
        yield remote_checks.last_backup(clock(), running=running)
        yield from remote_checks.pushes(clock())
        yield from remote_checks.archives()


def guarded(check: Callable[[], Iterable[Finding]]) -> Iterator[Finding]:
    try:
        yield from check()
    except Exception as error:  # noqa: BLE001 - whatever it is, the other checks still run
        yield wrong(
            "A check failed",
            f"{type(error).__name__}: {first_line(error)}",
            "Fix the other findings first, then run this again.",
        )


def report(findings: Iterable[Finding], *, as_json: bool) -> str:
    ordered = worst_first(findings)
    bad = sum(one.level is Level.WRONG for one in ordered)
    if as_json:
        found = {"fine": not bad, "findings": [one.as_dict() for one in ordered]}
        return f"{json.dumps(found, indent=1)}\n"
    end = f"{bad} to fix." if bad else "Nothing is wrong."
    return "".join(f"{one}\n" for one in ordered) + f"\n{end}\n"
