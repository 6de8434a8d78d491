"""What `manage.py doctor` looks at on its own machine: packages, folder, disk, clock, settings."""

import os
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Final, TypeAlias
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.http.request import validate_host

from euchre_site.health.findings import Finding, fine, note, wrong
from euchre_site.startup.data_folder import OF_OTHERS
from euchre_site.static import own_files

#: This machine's time.
Clock: TypeAlias = Callable[[], datetime]

#: Versions of Python with which Bower is known to run: the least, and the latest.
PYTHONS: Final = ((3, 11), (3, 13))
#: Bytes free on a disk: with fewer it is full, or will be soon.
FULL: Final = 100 * 2**20
SOON_FULL: Final = 2**30
#: Files that can still be made on a disk.
FEW_FILES: Final = 1000
#: Seconds by which two clocks may differ.
CLOCKS_DIFFER: Final = 2.0
#: Fewer characters, or fewer different ones, and a SECRET_KEY might be guessed (as Django's check).
KEY_LENGTH: Final = 50
KEY_VARIETY: Final = 5
#: Hosts and mail addresses of the guide's files.
OF_THE_GUIDE: Final = re.compile(r"(?:^|[.@])example\.org$")
#: Names that are told of a longer list.
SHOWN: Final = 5


def versions(
    pins: Path = settings.BASE_DIR / "requirements.txt",
    python: tuple[int, int] = sys.version_info[:2],
) -> Iterator[Finding]:
    """Python, and each package against the release that `requirements.txt` names."""
    here = ".".join(map(str, python))
    if not PYTHONS[0] <= python <= PYTHONS[1]:
        least, most = (".".join(map(str, one)) for one in PYTHONS)
        yield note(
            "A Python that was not tried",
            f"This is Python {here}; Bower is known to run with {least} to {most}.",
            "Make the virtual environment with one of these.",
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
            others.append(f"{name} {found} in place of {version}")
    install = "Run `pip install --require-hashes -r requirements.txt` in the virtual environment."
    if missing:
        yield wrong("Packages are missing", f"Not installed: {some(missing)}.", install)
    if others:
        yield note("Packages of other releases", f"Installed: {some(others)}.", install)
    if not (missing or others):
        yield fine("Versions", f"Python {here}, {count} packages as requirements.txt has them")


def key_strength() -> Iterator[Finding]:
    """Whether the SECRET_KEY could be guessed; the DEAL_KEY has one length only."""
    key = settings.SECRET_KEY
    if len(key) < KEY_LENGTH or len(set(key)) < KEY_VARIETY:
        yield wrong(
            "The SECRET_KEY could be guessed",
            f"It has {len(key)} characters, {len(set(key))} different ones; whoever finds it logs "
            "in as anybody.",
            "Put in one of 50 random characters or more, run `manage.py accept_key SECRET_KEY`, "
            "and start all processes again; everybody is logged out by that.",
        )
    else:
        yield fine("Keys", "SECRET_KEY and DEAL_KEY are there and long enough")


def folder(path: Path) -> Iterator[Finding]:
    """Whether the data folder is there and nobody else's."""
    if not path.is_dir():
        yield wrong(
            "There is no data folder",
            f"{path} is no folder.",
            "Name the right one by BOWER_DATA, or make it: `manage.py make_keys --data DIR`.",
        )
        return
    owner = path.stat().st_uid
    modes = {}
    for one in (path, *path.rglob("*")):
        with suppress(FileNotFoundError):  # what somebody has removed meanwhile
            modes[one] = one.lstat()
    public = Path(settings.STATIC_ROOT)  # everybody may have these files anyway
    open_ones = [
        one
        for one, about in modes.items()
        if about.st_mode & OF_OTHERS
        and not stat.S_ISLNK(about.st_mode)
        and not one.is_relative_to(public)
    ]
    strangers = [one for one, about in modes.items() if about.st_uid != owner]
    close = f"Run `chmod -R go= {path}`."
    if path in open_ones:
        yield wrong(
            "Others can look into the data folder",
            f"{path} holds keys, mails and the cards of running games, and others than its owner "
            "may open it.",
            close,
        )
    elif open_ones:
        yield note(
            "Files that are kept from others by their folder alone",
            f"Others than their owner might read or write {some(sorted(open_ones))}.",
            f"{close} Each start of Bower does so too; commands need `umask 077` before.",
        )
    if strangers:
        yield wrong(
            "Files of another owner",
            f"{some(sorted(strangers))} belong to somebody else than {path} does, who may not let "
            "Bower write them; mostly a command was run as another user.",
            f"Stop Bower, run `chown -R --reference={path} {path}`, start it again.",
        )
    if owner != os.geteuid():
        yield note(
            "Looked at by another user",
            f"{path} belongs to user {owner} and this is user {os.geteuid()}: what may be read and "
            "written is not what Bower may.",
            "Run this command as the user that Bower runs as.",
        )
    if not (open_ones or strangers):
        yield fine("Data folder", f"{path}, {len(modes)} files for their owner only")


def disk(path: Path) -> Iterator[Finding]:
    """Whether there is room on the disk of a folder, and whether what is written gets there."""
    try:
        about, free = os.statvfs(path), shutil.disk_usage(path).free
        with tempfile.NamedTemporaryFile(dir=path, prefix=".doctor-") as file:
            file.write(b"Is anything kept here?" * 200)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        yield wrong(
            "Nothing can be written",
            f"A file in {path} could not be written and brought to the disk: {error.strerror}.",
            "Let the user that Bower runs as write there, or make room on the disk.",
        )
        return
    room = f"{free / 2**20:,.0f} MiB are free on the disk of {path}"
    if free < FULL or (about.f_files and about.f_favail < FEW_FILES):
        yield wrong(
            "The disk is full",
            f"{room}, for {about.f_favail} more files.",
            "Make room: when nothing more can be stored, no table plays on.",
        )
    elif free < SOON_FULL:
        yield note("The disk is nearly full", f"{room}.", "Make room before long.")
    else:
        yield fine("Disk", f"{room}; what is written gets there")


def file_clock(path: Path, clock: Clock) -> Iterator[Finding]:
    """Whether files made in a folder bear this machine's time; clock: this machine's."""
    try:
        before = clock()
        with tempfile.NamedTemporaryFile(dir=path, prefix=".doctor-") as file:
            made = os.fstat(file.fileno()).st_mtime
    except OSError:
        return  # `disk` says so
    theirs = datetime.fromtimestamp(made, UTC)
    yield clocks(f"the files in {path}", before, theirs, clock())


def clocks(of_what: str, before: datetime, theirs: datetime, after: datetime) -> Finding:
    """What is to be said of another clock, looked at between two looks at this machine's."""
    ahead = max((theirs - after).total_seconds(), 0) or min((theirs - before).total_seconds(), 0)
    if abs(ahead) <= CLOCKS_DIFFER:
        return fine("Clock", f"that of {of_what} is this machine's")
    where = "ahead of" if ahead > 0 else "behind"
    return wrong(
        "Clocks differ",
        f"The clock of {of_what} is {abs(ahead):.0f} seconds {where} this machine's: turn clocks "
        "and the times of events go wrong.",
        "Let all machines keep their time by NTP (chrony, systemd-timesyncd).",
    )


def static_files() -> Iterator[Finding]:
    """Whether the collected files are those of this version."""
    if settings.STATIC_LIVE:
        yield note(
            "Style sheets and scripts are not the collected ones",
            "STATIC_LIVE or DEBUG is on: browsers fetch them anew with every page.",
            "Leave both out of the environment.",
        )
        return
    root, collect = Path(settings.STATIC_ROOT), "Run `manage.py collectstatic --noinput`."
    known = getattr(staticfiles_storage, "hashed_files", {})
    if not (root / "staticfiles.json").exists():
        yield wrong("Static files are not collected", f"{root} holds no list of them.", collect)
        return
    old = [name for name, wanted in own_files() if not same(root / name, wanted)]
    if old:
        yield wrong(
            "Static files are those of another version",
            f"Missing or different in {root}: {some(old)}.",
            f"{collect} Then start the web processes again: they look for files when they start.",
        )
    else:
        yield fine("Static files", f"{len(known)} are collected, and of this version")


def same(path: Path, wanted: bytes) -> bool:
    """Whether a file holds just this."""
    try:
        return path.read_bytes() == wanted
    except OSError:
        return False


def addresses() -> Iterator[Finding]:
    """Whether the settings of names, addresses and proxies fit each other."""
    url = urlsplit(settings.SITE_URL)
    host = url.hostname or ""
    found = [*_https(url.scheme), *_names(host)]
    found += [
        note(
            "Pages of another site may post here",
            f"CSRF_TRUSTED_ORIGINS has {origin}, and SITE_URL is {settings.SITE_URL}.",
            "Leave it out unless that is this site under another name.",
        )
        for origin in settings.CSRF_TRUSTED_ORIGINS
        if urlsplit(origin).hostname != host
    ]
    if settings.DEBUG:
        found.append(
            wrong(
                "DEBUG is on",
                "Errors show visitors the code and the settings.",
                "Leave DEBUG out of the environment.",
            )
        )
    yield from found or [fine("Addresses", f"HTTPS, proxies and names fit {settings.SITE_URL}")]


def left_over() -> Iterator[Finding]:
    """Whether something still stands as the guide's files have it."""
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
    left = [name for name, hosts in places.items() if any(map(OF_THE_GUIDE.search, hosts))]
    if left:
        yield wrong(
            "Was the guide's example left?",
            f"{', '.join(left)}: example.org is nobody's domain, but that of examples.",
            "Put your own names there.",
        )


def _https(scheme: str) -> Iterator[Finding]:
    proxies = settings.ALLAUTH_TRUSTED_PROXY_COUNT
    if settings.HTTPS and not proxies:
        yield wrong(
            "HTTPS without a proxy that says so",
            "HTTPS is true and TRUSTED_PROXIES is 0: behind a proxy every page is redirected to "
            "itself for ever, and all visitors count as one address.",
            "Set TRUSTED_PROXIES to how many proxies stand in front, mostly 1; each must set "
            "X-Forwarded-Proto and X-Forwarded-For.",
        )
    if proxies and not settings.HTTPS:
        yield wrong(
            "A proxy without HTTPS",
            "TRUSTED_PROXIES is set and HTTPS is not: cookies may travel in the open, and a page "
            "that the proxy serves by https cannot post nor open sockets.",
            "Set HTTPS=true where the proxy speaks TLS.",
        )
    if (scheme == "https") is not settings.HTTPS:
        yield wrong(
            "SITE_URL and HTTPS disagree",
            f"SITE_URL is {settings.SITE_URL} and HTTPS is {str(settings.HTTPS).lower()}: links in "
            "mails lead to the wrong address.",
            "Set SITE_URL to the address that people type, with https:// if HTTPS is true.",
        )


def _names(host: str) -> Iterator[Finding]:
    if not validate_host(host, settings.ALLOWED_HOSTS):
        yield wrong(
            "The site does not answer under its own name",
            f"SITE_URL leads to {host}, and ALLOWED_HOSTS is {some(settings.ALLOWED_HOSTS)}: each "
            "page there is answered 400.",
            f"Add {host} to ALLOWED_HOSTS.",
        )
    if "*" in settings.ALLOWED_HOSTS:
        yield note(
            "The site answers under any name",
            "ALLOWED_HOSTS has *: whoever points a name at this machine has a copy of the site.",
            f"Set ALLOWED_HOSTS={host}.",
        )


def some(things: object) -> str:
    """The first few of some things, and how many more there are."""
    names = [str(one) for one in things]  # type: ignore[attr-defined]
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f"{', '.join(names[:SHOWN])}{more}"
