"""What must be there before Django can load its settings: a data folder and secret keys."""

import argparse
import base64
import os
import secrets
import sys
from collections.abc import Sequence
from pathlib import Path

KEYS_FILE = "secrets.env"
DEFAULT_DATA = Path(__file__).resolve().parent.parent / "var"


def prepare(arguments: Sequence[str]) -> None:
    """Make the data folder named by `--data` and its keys; end with one clear line if impossible.

    arguments: what follows `quickstart` on the command line.
    """
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--data", default=os.environ.get("BOWER_DATA", str(DEFAULT_DATA)))
    options, _others = parser.parse_known_args(arguments)
    folder = Path(options.data).expanduser().resolve()
    os.environ["BOWER_DATA"] = str(folder)
    if {"-h", "--help"} & set(arguments):
        os.environ.setdefault("SECRET_KEY", "only-for-help")
        os.environ.setdefault("DEAL_KEY", "only-for-help")
        return
    try:
        make_data_folder(folder)
    except OSError as error:
        sys.exit(f"Cannot use the data folder {folder}: {error.strerror}. Choose one with --data.")


def make_data_folder(folder: Path) -> None:
    """Make the folder and, once, a file of random keys that only its owner may read.

    Raises OSError when the folder cannot be made or written to.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(13, "Permission denied")
    keys = folder / KEYS_FILE
    if keys.exists():
        return
    draft = folder / f"{KEYS_FILE}.{os.getpid()}"
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(f"SECRET_KEY={secrets.token_urlsafe(48)}\n")
        file.write(f"DEAL_KEY={base64.urlsafe_b64encode(secrets.token_bytes(32)).decode()}\n")
    draft.rename(keys)  # whole or not at all
