"""What is wrong with an installation, in plain words, and how to mend it.

It looks and changes nothing: what it writes to try a disk is gone at once, and no key is marked.
"""

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import connection

from euchre_site.health.findings import Finding, Level, wrong
from euchre_site.startup import startup

#: How settings are mended.
OF_KEYS: Final = (
    "`manage.py make_keys --data DIR` makes keys where there never were any. Of an installation "
    "with games put back the keys it had."
)
OF_OTHERS: Final = "Put it right where it is set, or leave it out for the default."
OF_FILE: Final = "Correct the file, or put back its copy: it holds the keys of this installation."


@dataclass(frozen=True, slots=True)
class Asked:
    """What the doctor is told.

    Attributes:
        web: how many web processes there are.
        workers: how many workers.
        mail_to: an address that is sent a mail to try that; empty for none.
    """

    web: int = 1
    workers: int = 1
    mail_to: str = ""


def load_settings(arguments: Sequence[str]) -> None:
    """Load the settings; end the process with a finding if they cannot be loaded.

    arguments: what follows `doctor` on the command line.
    """
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
            wrong(
                f"A setting is wrong: {line.partition(' ')[0]}",
                line,
                _mend(line),
            )
            for line in str(error).splitlines()
        ]
        sys.stdout.write(told(found, as_json=options.json))
        sys.exit(1)


def _mend(line: str) -> str:
    """Say how to mend what a line of the settings' errors says."""
    if "secrets.env" in line.partition(" ")[0]:
        return OF_FILE
    return OF_KEYS if line.startswith(tuple(startup.KEYS)) else OF_OTHERS


def look(asked: Asked, clock: Callable[[], datetime]) -> Iterator[Finding]:
    """Look at everything; clock: this machine's."""
    from euchre_site.health import local_checks, remote_checks

    data: Path = settings.DATA_DIR
    yield from each(local_checks.versions)
    yield from each(local_checks.key_strength)
    yield from each(lambda: local_checks.folder(data))
    if data.is_dir():
        yield from each(lambda: local_checks.disk(data))
        yield from each(lambda: local_checks.file_clock(data, clock))
        yield from each(local_checks.static_files)
    yield from each(local_checks.addresses)
    yield from each(local_checks.left_over)
    yield from each(lambda: database(asked, clock))
    yield from each(remote_checks.redis)
    yield from each(lambda: remote_checks.mails(asked.mail_to))


def database(asked: Asked, clock: Callable[[], datetime]) -> Iterator[Finding]:
    """Look at the database and, if it can be used, at what it holds."""
    from euchre_site.health import remote_checks

    if (unusable := remote_checks.cannot_reach()) is not None:
        yield unusable
        return
    if connection.vendor == "sqlite":
        yield from remote_checks.sqlite()
    else:
        yield from remote_checks.postgresql(asked.web, asked.workers, clock)
    of_tables = list(remote_checks.versions_of_tables())
    yield from of_tables
    if all(one.level is Level.FINE for one in of_tables):
        yield from remote_checks.key_marks()
        yield from remote_checks.parts(clock)
        yield from remote_checks.backups(clock)


def each(looks: Callable[[], Iterable[Finding]]) -> Iterator[Finding]:
    """What one look finds; one that fails is a finding too, and the others go on."""
    try:
        yield from looks()
    except Exception as error:  # noqa: BLE001 - whatever it is, the others are still told
        yield wrong(
            "Something could not be looked at",
            f"{type(error).__name__}: {next(iter(str(error).splitlines()), '')}",
            "Mend the other findings first, then look again.",
        )


def told(findings: Iterable[Finding], *, as_json: bool) -> str:
    """What is said of the findings: for people the worst first, or JSON."""
    order = [Level.WRONG, Level.NOTE, Level.FINE]
    ordered = sorted(findings, key=lambda one: order.index(one.level))
    if as_json:
        fine = not is_wrong(ordered)
        found = {"fine": fine, "findings": [one.as_dict() for one in ordered]}
        return f"{json.dumps(found, indent=1)}\n"
    bad = sum(one.level is Level.WRONG for one in ordered)
    end = f"{bad} to mend." if bad else "Nothing is wrong."
    return "".join(f"{one}\n" for one in ordered) + f"\n{end}\n"


def is_wrong(findings: Iterable[Finding]) -> bool:
    """Whether something has to be mended."""
    return any(one.level is Level.WRONG for one in findings)
