"""The data folder and its secret keys, prepared before Django loads its settings."""

import argparse
import base64
import os
import re
import secrets
import signal
import stat
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

KEYS_FILE = "secrets.env"
PUSH_KEY = "PUSH_KEY"
#: The order of the base point of P-256 (FIPS 186-5): a private key is less.
P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
#: Placeholders for commands that need no keys, if there are none yet.
NO_KEYS = {"SECRET_KEY": "none-yet", "DEAL_KEY": base64.urlsafe_b64encode(bytes(32)).decode()}
DEFAULT_DATA = Path(__file__).resolve().parents[2] / "var"
#: The permission bits of everybody but the owner.
OTHERS = stat.S_IRWXG | stat.S_IRWXO


def prepare_start(arguments: Sequence[str]) -> None:
    """Call `prepare` for quickstart; until its server is up, Ctrl-C exits immediately."""
    signal.signal(signal.SIGINT, stop_at_once)
    prepare(arguments)


def stop_at_once(*_signal_and_frame: object) -> NoReturn:
    """Exit at once with one line; nothing more is stored.

    Python loses a KeyboardInterrupt that is raised in a weak reference's callback, which happens
    often while importing: one Ctrl-C in ten had no effect.
    """
    with suppress(RuntimeError):  # it may be in the middle of a write
        sys.stdout.flush()
    os.write(2, b"Stopped before it was ready. Run the same command to continue.\n")
    os._exit(130)


def prepare(arguments: Sequence[str]) -> None:
    """Make the data folder given by `--data` and its keys; exit with one line if that fails."""
    folder = choose_data_folder(arguments)
    if {"-h", "--help"} & set(arguments):
        allow_missing_keys()
        return
    try:
        make_data_folder(folder)
    except OSError as error:
        sys.exit(f"Cannot use the data folder {folder}: {error.strerror}. Choose one with --data.")


def prepare_restore(arguments: Sequence[str]) -> None:
    """Choose the data folder for `restore`, which needs no keys as a backup contains them."""
    # Lets PostgreSQL's activity view identify this process
    os.environ["PGAPPNAME"] = f"bower restore {os.getpid()}"
    if not (choose_data_folder(arguments) / KEYS_FILE).exists():
        allow_missing_keys()


def prepare_backup(arguments: Sequence[str]) -> None:
    """Choose the data folder for `backup`, which can verify a backup without a site."""
    folder = choose_data_folder(arguments)
    if "--new-key" in arguments:
        os.environ["BACKUP_KEY"] = ""  # the present one may be malformed
    no_backup = any(one.startswith(("--verify", "--new-key", "-h", "--help")) for one in arguments)
    if no_backup and not (folder / KEYS_FILE).exists():
        allow_missing_keys()


def prepare_no_keys(arguments: Sequence[str]) -> None:
    """Choose the data folder for a command that needs no keys."""
    if not (choose_data_folder(arguments) / KEYS_FILE).exists():
        allow_missing_keys()


def choose_data_folder(arguments: Sequence[str]) -> Path:
    """Return the data folder given by `--data`, after setting BOWER_DATA to it."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--data", default=os.environ.get("BOWER_DATA", str(DEFAULT_DATA)))
    options, _others = parser.parse_known_args(arguments)
    folder = Path(options.data).expanduser().resolve()
    os.environ["BOWER_DATA"] = str(folder)
    return folder


def allow_missing_keys() -> None:
    for name, none in NO_KEYS.items():
        os.environ.setdefault(name, none)


def make_data_folder(folder: Path) -> None:
    """Make the folder and, unless it exists, a private file of random keys; raise OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(13, "Permission denied")
    keep_private(folder)
    keys = folder / KEYS_FILE
    if keys.exists():
        add_push_key(keys)
        return
    if (folder / "db.sqlite3").exists() and not {"SECRET_KEY", "DEAL_KEY"} <= os.environ.keys():
        sys.exit(
            f"The data folder {folder} has a database but no keys: restore its file {KEYS_FILE}."
        )
    draft = folder / f"{KEYS_FILE}.{os.getpid()}"
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(f"SECRET_KEY={secrets.token_urlsafe(48)}\n")
            file.write(f"DEAL_KEY={base64.urlsafe_b64encode(secrets.token_bytes(32)).decode()}\n")
            file.write(f"{PUSH_KEY}={new_push_key()}\n")
        draft.rename(keys)  # atomic
    except OSError:
        draft.unlink(missing_ok=True)
        raise


def add_push_key(keys: Path) -> None:
    """Add a key for push to a file of keys from before there was push."""
    if PUSH_KEY in os.environ or not os.access(keys, os.W_OK):
        return
    text = keys.read_text("utf-8-sig", errors="replace")
    if not re.search(rf"^(export )?{PUSH_KEY}=", text, re.MULTILINE):
        with keys.open("a") as file:
            file.write(f"{'' if text.endswith(chr(10)) else chr(10)}{PUSH_KEY}={new_push_key()}\n")


def new_push_key() -> str:
    """Return a private key of P-256 in URL-safe base64, without its `=`."""
    number = 1 + secrets.randbelow(P256_ORDER - 1)
    return base64.urlsafe_b64encode(number.to_bytes(32, "big")).decode().rstrip("=")


def keep_private(folder: Path) -> None:
    """Remove other users' permissions on the folder and its files, existing and new.

    It holds keys, mails and the cards of running games. Files of another owner are not changed.
    """
    os.umask(OTHERS)
    for path in (folder, *folder.rglob("*")):
        with suppress(FileNotFoundError, PermissionError):
            mode = path.lstat().st_mode
            if mode & OTHERS and not stat.S_ISLNK(mode):
                path.chmod(stat.S_IMODE(mode) & ~OTHERS)
