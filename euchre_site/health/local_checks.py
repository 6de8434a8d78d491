"""Checks of this machine: packages, data folder, disk, clock, static files, settings."""

import os
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Final, TypeAlias
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.http.request import validate_host

from euchre_site.backups.files import size_text
from euchre_site.health.findings import Finding, fine, note, wrong
from euchre_site.startup.data_folder import OTHERS
from euchre_site.static_files.static_files import own_files
from games.bots import levels
from games.live import thinking
from games.review import reports
from games.subprocesses.client import Worker, WorkerLostError

#: Returns this machine's time.
Clock: TypeAlias = Callable[[], datetime]

#: The oldest and the newest Python that Bower is tested with.
PYTHONS: Final = ((3, 11), (3, 13))
#: A disk with fewer free bytes is full.
FULL: Final = 100 * 2**20
#: A disk with fewer free bytes, or a smaller share of them, is nearly full.
NEARLY_FULL: Final = 2 * 2**30
NEARLY_FULL_SHARE: Final = 0.10
#: A disk that can hold fewer new files is full, too.
FEW_FILES: Final = 1000
#: Tolerated difference between two clocks, in seconds.
CLOCK_TOLERANCE: Final = 2.0
#: Minimum length and number of different characters of a SECRET_KEY, as in Django's own check.
KEY_LENGTH: Final = 50
KEY_VARIETY: Final = 5
#: Hosts and mail addresses in the example files of docs/running.md.
EXAMPLE_HOST: Final = re.compile(r"(?:^|[.@])example\.org$")
#: What the site does without the worker processes of house players and of reviews.
HOUSE_PLAYERS: Final = "House players"
REVIEWS: Final = "Reviews"
WITHOUT_WORKER: Final = {
    HOUSE_PLAYERS: "Strong house players decide in the web process instead, with a sixth of the "
    "guesses of the hidden hands.",
    REVIEWS: "Games are not reviewed.",
}
#: Number of names listed before "and 3 more".
LISTED: Final = 5


def versions(
    pins: Path = settings.BASE_DIR / "requirements.txt",
    python: tuple[int, int] = sys.version_info[:2],
) -> Iterator[Finding]:
    here = ".".join(map(str, python))
    if not PYTHONS[0] <= python <= PYTHONS[1]:
        least, most = (".".join(map(str, one)) for one in PYTHONS)
        yield note(
            "Untested Python version",
            f"This is Python {here}; Bower is tested with {least} to {most}.",
            "Create the virtual environment with one of these.",
        )
    missing, others, count = [], [], 0
    lines = re.findall(r"^([\w.-]+)==([^\s;]+)( ;)?", pins.read_text(), re.MULTILINE)
    for name, version, elsewhere in lines:
        try:
            found = metadata.version(name)
        except metadata.PackageNotFoundError:
            if not elsewhere:
                missing.append(f"{name} {version}")
            continue
        count += 1
        if found != version:
            others.append(f"{name} {found} instead of {version}")
    install = "Run `pip install --require-hashes -r requirements.txt` in the virtual environment."
    if missing:
        yield wrong("Packages are missing", f"Not installed: {some(missing)}.", install)
    if others:
        yield note("Different package versions", f"Installed: {some(others)}.", install)
    if not (missing or others):
        yield fine("Versions", f"Python {here}, {count} packages, as in requirements.txt")


def key_strength() -> Iterator[Finding]:
    """Check the SECRET_KEY; a DEAL_KEY always has the same length."""
    key = settings.SECRET_KEY
    if len(key) < KEY_LENGTH or len(set(key)) < KEY_VARIETY:
        yield wrong(
            "The SECRET_KEY could be guessed",
            f"It has {len(key)} characters, {len(set(key))} different ones. Anybody who guesses it "
            "can log in to any account.",
            "Replace it with 50 or more random characters, run `manage.py accept_key SECRET_KEY` "
            "and restart all processes; that logs everybody out.",
        )
    else:
        yield fine("Keys", "SECRET_KEY and DEAL_KEY are set and long enough")


def push() -> Iterator[Finding]:
    """Check that people can be called by push."""
    if not settings.PUSH_KEY:
        yield note(
            "There is no push",
            "Nobody can be called on a phone whose browser is closed.",
            "Set the PUSH_KEY that `manage.py push_key` prints, the same for all processes.",
        )
    elif urlsplit(settings.SITE_URL).scheme != "https":
        yield note(
            "Push on this machine only",
            f"Browsers take push only from sites with https, and SITE_URL is {settings.SITE_URL}.",
            "Serve the site by https, see docs/running.md.",
        )
    else:
        yield fine("Push", f"by {some(settings.PUSH_HOSTS)}")


def folder(path: Path) -> Iterator[Finding]:
    if not path.is_dir():
        yield wrong(
            "There is no data folder",
            f"{path} is not a folder.",
            "Set BOWER_DATA to the right one, or create it: `manage.py make_keys --data DIR`.",
        )
        return
    owner = path.stat().st_uid
    modes = {}
    for one in (path, *path.rglob("*")):
        with suppress(FileNotFoundError):  # removed during this check
            modes[one] = one.lstat()
    public = Path(settings.STATIC_ROOT)  # its files are public anyway
    open_ones = [
        one
        for one, about in modes.items()
        if about.st_mode & OTHERS
        and not stat.S_ISLNK(about.st_mode)
        and not one.is_relative_to(public)
    ]
    strangers = [one for one, about in modes.items() if about.st_uid != owner]
    close = f"Run `chmod -R go= {path}`."
    if path in open_ones:
        yield wrong(
            "Other users can open the data folder",
            f"{path} holds keys, mails and the cards of running games, and not only its owner can "
            "open it.",
            close,
        )
    elif open_ones:
        yield note(
            "Files protected only by their folder",
            f"Other users could read or write {some(sorted(open_ones))}.",
            f"{close} Bower does the same at every start; run commands after `umask 077`.",
        )
    if strangers:
        yield wrong(
            "Files with another owner",
            f"{some(sorted(strangers))} do not belong to the owner of {path}, so Bower may not be "
            "able to write them. Most likely a command was run as another user.",
            f"Stop Bower, run `chown -R --reference={path} {path}` and start it again.",
        )
    if owner != os.geteuid():
        yield note(
            "Run as another user",
            f"{path} belongs to user {owner} and this is user {os.geteuid()}, who may have other "
            "permissions.",
            "Run this command as the user that runs Bower.",
        )
    if not (open_ones or strangers):
        yield fine("Data folder", f"{path}, {len(modes)} files, for their owner only")


def workers() -> Iterator[Finding]:
    """Start each kind of worker process once, and end it."""
    functions: dict[str, Callable[..., object]] = {
        HOUSE_PLAYERS: levels.choose_by_seed,
        REVIEWS: reports.judge_as_data,
    }
    if not settings.HOUSE_PROCESSES:
        del functions[HOUSE_PLAYERS]
    for title, function in functions.items():
        try:
            with Worker(function, 0):
                yield fine(title, "Their process starts.")
        except WorkerLostError as error:
            yield no_worker(title, str(error))


def no_worker(title: str, reason: str) -> Finding:
    return wrong(
        f"{title}: their process fails",
        f"{WITHOUT_WORKER[title]} Reason: {reason.rstrip('.')}.",
        "See whether memory or the number of processes is short; otherwise install Bower's files "
        "again. It is retried automatically.",
    )


def house_players() -> Iterator[Finding]:
    """Report what keeps this web process's house players from their worker processes."""
    if thinking.pool.why_failing:
        yield no_worker(HOUSE_PLAYERS, thinking.pool.why_failing)
    if thinking.slowness.seconds:
        yield note(
            f"{HOUSE_PLAYERS}: slow where deals are played alone",
            f"A choice took {thinking.slowness.seconds:.0f} seconds. They wait for a free process "
            "rather than choose otherwise than for others with the same cards.",
            "If this goes on, raise HOUSE_PROCESSES where processors are idle.",
        )


def disk(path: Path, *, try_writing: bool) -> Iterator[Finding]:
    """Check the free space on a folder's disk.

    try_writing: also sync a file; the staff page does not, as it may be loaded often.
    """
    try:
        about, usage = os.statvfs(path), shutil.disk_usage(path)
        if try_writing:
            with tempfile.NamedTemporaryFile(dir=path, prefix=".doctor-") as file:
                file.write(b"Is this stored?" * 200)
                file.flush()
                os.fsync(file.fileno())
    except OSError as error:
        yield wrong(
            "The disk cannot be written",
            f"Writing a file to {path} failed: {error.strerror}.",
            "Let the user that runs Bower write there, or free some space.",
        )
        return
    room = f"{size_text(usage.free)} of {size_text(usage.total)} free on the disk of {path}"
    if usage.free < FULL or (about.f_files and about.f_favail < FEW_FILES):
        yield wrong(
            "The disk is full",
            f"{room}, room for {about.f_favail} more files.",
            "Free some space now: games stop when nothing can be stored. Old copies and logs can "
            "go first.",
        )
    elif usage.free < max(NEARLY_FULL, NEARLY_FULL_SHARE * usage.total):
        yield note(
            "The disk is nearly full",
            f"{room}.",
            "Free some space soon: a full disk stops every game. Old copies and logs can go first.",
        )
    else:
        yield fine("Disk", room)


def file_clock(path: Path, clock: Clock) -> Iterator[Finding]:
    try:
        before = clock()
        with tempfile.NamedTemporaryFile(dir=path, prefix=".doctor-") as file:
            made = os.fstat(file.fileno()).st_mtime
    except OSError:
        return  # `disk` reports it
    yield compare_clocks(f"the disk of {path}", before, datetime.fromtimestamp(made, UTC), clock())


def compare_clocks(name: str, before: datetime, theirs: datetime, after: datetime) -> Finding:
    """Compare a clock with this machine's, read before and after it."""
    ahead = max((theirs - after).total_seconds(), 0) or min((theirs - before).total_seconds(), 0)
    if abs(ahead) <= CLOCK_TOLERANCE:
        return fine("Clock", f"that of {name} agrees with this machine's")
    where = "ahead of" if ahead > 0 else "behind"
    return wrong(
        "Clocks differ",
        f"The clock of {name} is {abs(ahead):.0f} seconds {where} this machine's, which makes turn "
        "clocks and event times wrong.",
        "Synchronise the clocks of all machines with NTP (chrony, systemd-timesyncd).",
    )


def static_files() -> Iterator[Finding]:
    if settings.STATIC_LIVE:
        yield note(
            "Static files are served uncached",
            "STATIC_LIVE or DEBUG is on: browsers fetch style sheets and scripts with every page.",
            "Remove both from the environment.",
        )
        return
    root, collect = Path(settings.STATIC_ROOT), "Run `manage.py collectstatic --noinput`."
    known = getattr(staticfiles_storage, "hashed_files", {})
    if not (root / "staticfiles.json").exists():
        yield wrong("Static files are not collected", f"{root} has no list of them.", collect)
        return
    old = [name for name, wanted in own_files() if not _holds(root / name, wanted)]
    if old:
        yield wrong(
            "Static files are from another version",
            f"Missing or different in {root}: {some(old)}.",
            f"{collect} Then restart the web processes, which read the list at start.",
        )
    else:
        yield fine("Static files", f"{len(known)} collected, from this version")


def _holds(path: Path, wanted: bytes) -> bool:
    try:
        return path.read_bytes() == wanted
    except OSError:
        return False


def addresses() -> Iterator[Finding]:
    """Check that the settings for host names, addresses and proxies agree."""
    url = urlsplit(settings.SITE_URL)
    host = url.hostname or ""
    found = [*_https(url.scheme), *_names(host)]
    found += [
        note(
            "Another site may post here",
            f"CSRF_TRUSTED_ORIGINS has {origin}, and SITE_URL is {settings.SITE_URL}.",
            "Remove it unless it is another name of this site.",
        )
        for origin in settings.CSRF_TRUSTED_ORIGINS
        if urlsplit(origin).hostname != host
    ]
    if settings.DEBUG:
        found.append(
            wrong(
                "DEBUG is on",
                "Error pages show code and settings to visitors.",
                "Remove DEBUG from the environment.",
            )
        )
    yield from found or [
        fine("Addresses", f"HTTPS, proxies and host names agree with {settings.SITE_URL}")
    ]


def leftovers() -> Iterator[Finding]:
    """Check for values left from the example files of docs/running.md."""
    url = urlsplit(settings.SITE_URL)
    places = {
        "SITE_URL": [url.hostname or ""],
        "ALLOWED_HOSTS": settings.ALLOWED_HOSTS,
        "CSRF_TRUSTED_ORIGINS": [
            urlsplit(one).hostname or "" for one in settings.CSRF_TRUSTED_ORIGINS
        ],
        "DEFAULT_FROM_EMAIL": [settings.DEFAULT_FROM_EMAIL.strip("<> ")],
        "EMAIL_URL": [settings.EMAIL_HOST or ""],
    }
    left = [name for name, hosts in places.items() if any(map(EXAMPLE_HOST.search, hosts))]
    if left:
        yield wrong(
            "Example values are still set",
            f"{', '.join(left)}: example.org is reserved for examples.",
            "Use your own names.",
        )


def _https(scheme: str) -> Iterator[Finding]:
    proxies = settings.ALLAUTH_TRUSTED_PROXY_COUNT
    if settings.HTTPS and not proxies:
        yield wrong(
            "HTTPS without a trusted proxy",
            "HTTPS is true and TRUSTED_PROXIES is 0: behind a proxy every page redirects to itself "
            "for ever, and all visitors share one address.",
            "Set TRUSTED_PROXIES to the number of proxies in front, usually 1; each must set "
            "X-Forwarded-Proto and X-Forwarded-For.",
        )
    if proxies and not settings.HTTPS:
        yield wrong(
            "A proxy without HTTPS",
            "TRUSTED_PROXIES is set and HTTPS is not: cookies may be sent unencrypted, and pages "
            "that the proxy serves over https can neither post forms nor open sockets.",
            "Set HTTPS=true if the proxy speaks TLS.",
        )
    if (scheme == "https") is not settings.HTTPS:
        yield wrong(
            "SITE_URL and HTTPS disagree",
            f"SITE_URL is {settings.SITE_URL} and HTTPS is {str(settings.HTTPS).lower()}: links in "
            "mails have the wrong address.",
            "Set SITE_URL to the address that people type, with https:// if HTTPS is true.",
        )


def _names(host: str) -> Iterator[Finding]:
    if not validate_host(host, settings.ALLOWED_HOSTS):
        yield wrong(
            "The site does not answer under its own name",
            f"SITE_URL is on {host}, and ALLOWED_HOSTS is {some(settings.ALLOWED_HOSTS)}: every "
            "page there gets status 400.",
            f"Add {host} to ALLOWED_HOSTS.",
        )
    if "*" in settings.ALLOWED_HOSTS:
        yield note(
            "The site answers under any name",
            "ALLOWED_HOSTS has *: anybody can point a host name at this machine and show the site.",
            f"Set ALLOWED_HOSTS={host}.",
        )


def some(things: Iterable[object]) -> str:
    names = [str(one) for one in things]
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return f"{', '.join(names[:LISTED])}{more}"
