"""What must be there before Django can load its settings: a data folder and secret keys."""

import argparse
import base64
import os
import secrets
import signal
import stat
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

KEYS_FILE = "secrets.env"
#: What stands for the keys where there are none yet and none are needed.
NO_KEYS = {"SECRET_KEY": "none-yet", "DEAL_KEY": base64.urlsafe_b64encode(bytes(32)).decode()}
DEFAULT_DATA = Path(__file__).resolve().parents[2] / "var"
#: The permission bits of everybody but the owner.
OTHERS = stat.S_IRWXG | stat.S_IRWXO


def prepare_start(arguments: Sequence[str]) -> None:
    """As `prepare`, for a command that Ctrl-C may end at any moment until the server takes over.

    arguments: what follows `quickstart` on the command line.
    """
    signal.signal(signal.SIGINT, stop_at_once)
    prepare(arguments)


def stop_at_once(*_signal_and_frame: object) -> NoReturn:
    """End the process with one line; what it was about to store is not stored.

    A KeyboardInterrupt would be lost where Python is calling back about an object that is gone,
    which importing does all the time: one Ctrl-C in ten was of no effect.
    """
    with suppress(RuntimeError):  # it may be writing just now
        sys.stdout.flush()
    os.write(2, b"Stopped before it was ready. The same command goes on from here.\n")
    os._exit(130)


def prepare(arguments: Sequence[str]) -> None:
    """Make the data folder named by `--data` and its keys; end with one clear line if impossible.

    arguments: what follows `quickstart` on the command line.
    """
    folder = choose_data_folder(arguments)
    if {"-h", "--help"} & set(arguments):
        do_without_keys()
        return
    try:
        make_data_folder(folder)
    except OSError as error:
        sys.exit(f"Cannot use the data folder {folder}: {error.strerror}. Choose one with --data.")


def prepare_restore(arguments: Sequence[str]) -> None:
    """Choose the data folder named by `--data`; where it holds no keys, a backup will bring them.

    And give this process a name by which PostgreSQL can tell it from others on the database.

    arguments: what follows `restore` on the command line.
    """
    os.environ["PGAPPNAME"] = f"bower restore {os.getpid()}"
    if not (choose_data_folder(arguments) / KEYS_FILE).exists():
        do_without_keys()


def prepare_backup(arguments: Sequence[str]) -> None:
    """Choose the data folder named by `--data`; to try a backup no site need be there.

    arguments: what follows `backup` on the command line.
    """
    folder = choose_data_folder(arguments)
    if "--new-key" in arguments:
        os.environ["BACKUP_KEY"] = ""  # whatever stands there, a malformed one too
    makes_none = any(one.startswith(("--verify", "--new-key", "-h", "--help")) for one in arguments)
    if makes_none and not (folder / KEYS_FILE).exists():
        do_without_keys()


def choose_data_folder(arguments: Sequence[str]) -> Path:
    """Have the settings take the data folder named by `--data`, and return it."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--data", default=os.environ.get("BOWER_DATA", str(DEFAULT_DATA)))
    options, _others = parser.parse_known_args(arguments)
    folder = Path(options.data).expanduser().resolve()
    os.environ["BOWER_DATA"] = str(folder)
    return folder


def do_without_keys() -> None:
    """Have the settings load without keys, for a command that uses none."""
    for name, none in NO_KEYS.items():
        os.environ.setdefault(name, none)


def make_data_folder(folder: Path) -> None:
    """Make the folder and, once, a file of random keys that only its owner may read.

    Raises OSError when the folder cannot be made or written to.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(13, "Permission denied")
    keep_private(folder)
    keys = folder / KEYS_FILE
    if keys.exists():
        return
    if (folder / "db.sqlite3").exists() and not {"SECRET_KEY", "DEAL_KEY"} <= os.environ.keys():
        sys.exit(
            f"The data folder {folder} holds a database and has lost its keys: put back the file "
            f"{KEYS_FILE} that was beside it."
        )
    draft = folder / f"{KEYS_FILE}.{os.getpid()}"
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(f"SECRET_KEY={secrets.token_urlsafe(48)}\n")
            file.write(f"DEAL_KEY={base64.urlsafe_b64encode(secrets.token_bytes(32)).decode()}\n")
        draft.rename(keys)  # whole or not at all
    except OSError:
        draft.unlink(missing_ok=True)
        raise


def keep_private(folder: Path) -> None:
    """Let nobody but their owners see the folder and what is in it, now and later.

    It holds keys, mails and the cards of running games. Files of another owner stay as they are.
    """
    os.umask(OTHERS)
    for path in (folder, *folder.rglob("*")):
        with suppress(FileNotFoundError, PermissionError):
            mode = path.lstat().st_mode
            if mode & OTHERS and not stat.S_ISLNK(mode):
                path.chmod(stat.S_IMODE(mode) & ~OTHERS)
