"""The site's secret keys in `secrets.env` and the environment, and those of a backup."""

import io
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

import environ
from cryptography.fernet import Fernet
from django.conf import settings
from django.utils.crypto import constant_time_compare

from euchre_site.backups.archives import KEYS as KEYS_FILE
from euchre_site.backups.archives import BackupInfo
from euchre_site.backups.errors import BackupError
from euchre_site.startup.data_folder import NO_KEYS
from euchre_site.startup.startup import KEYS, mark_of


def values_in(file: Path) -> dict[str, str]:
    """Return the variables in a file such as `secrets.env`; none if it does not exist."""
    if not file.exists():
        return {}

    class Found(environ.Env):  # type: ignore[misc]
        ENVIRON: ClassVar[dict[str, str]] = {}

    Found.read_env(io.StringIO(file.read_text(encoding="utf-8")))
    return Found.ENVIRON


def not_in_file() -> list[str]:
    inside = values_in(settings.DATA_DIR / KEYS_FILE)
    return [name for name in KEYS if inside.get(name) != getattr(settings, name)]


def marks() -> dict[str, str]:
    return {name: mark_of(name) for name in KEYS}


def keys_of(info: BackupInfo, file: Path) -> dict[str, str]:
    """Return the keys of a backup, from its `secrets.env` or else from the settings.

    Raises BackupError if a key is missing or is not the one of that site.
    """
    inside, found = values_in(file), {}
    for name in KEYS:
        apart = name in info.apart
        value = getattr(settings, name) if apart else inside.get(name, "")
        if value in ("", NO_KEYS[name]):
            raise BackupError(f"it does not contain {name}: set the {name} that the site had")
        if not is_marked(info.marks, name, value):
            whose = "the one set now" if apart else "the one in it"
            raise BackupError(f"it belongs to another {name} than {whose}")
        found[name] = value
    Fernet(found["DEAL_KEY"])  # raises ValueError if malformed, which a key in use cannot be
    return found


def is_marked(known: Mapping[str, str], name: str, value: str) -> bool:
    return constant_time_compare(known.get(name, ""), mark_of(name, value))


def check_environment(info: BackupInfo) -> None:
    """Raise BackupError if the environment sets a key that is not the backup's.

    At the next start it would take precedence over the one in `secrets.env`.
    """
    inside = values_in(settings.DATA_DIR / KEYS_FILE)
    for name in KEYS:
        value = getattr(settings, name)
        from_file = value in (inside.get(name), NO_KEYS[name])
        if not from_file and not is_marked(info.marks, name, value):
            raise BackupError(
                f"the environment sets another {name} than it belongs to: remove that"
            )
