"""Which secret keys a site has and where they are kept: in `secrets.env`, or in the environment."""

import io
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

import environ
from cryptography.fernet import Fernet
from django.conf import settings
from django.utils.crypto import constant_time_compare

from euchre_site.backups.archives import KEYS as KEYS_FILE
from euchre_site.backups.archives import BackupManifest
from euchre_site.backups.errors import BackupError
from euchre_site.startup.data_folder import NO_KEYS
from euchre_site.startup.startup import KEYS, mark_of


def values_in(file: Path) -> dict[str, str]:
    """Return what a file such as `secrets.env` says; nothing if there is none."""
    if not file.exists():
        return {}

    class Found(environ.Env):  # type: ignore[misc]
        ENVIRON: ClassVar[dict[str, str]] = {}

    Found.read_env(io.StringIO(file.read_text(encoding="utf-8")))
    return Found.ENVIRON


def kept_apart() -> list[str]:
    """Return the names of the keys that `secrets.env` does not hold as they are in use."""
    inside = values_in(settings.DATA_DIR / KEYS_FILE)
    return [name for name in KEYS if inside.get(name) != getattr(settings, name)]


def marks() -> dict[str, str]:
    """Return the marks of the keys in use, by name."""
    return {name: mark_of(name) for name in KEYS}


def keys_of(manifest: BackupManifest, file: Path) -> dict[str, str]:
    """Return the keys that belong to a backup, each from the backup or else from the settings.

    file: the backup's own `secrets.env`; there need be none.

    Raises BackupError if one is not there or is another.
    """
    inside, found = values_in(file), {}
    for name in KEYS:
        apart = name in manifest.apart
        value = getattr(settings, name) if apart else inside.get(name, "")
        if value == NO_KEYS[name]:
            raise BackupError(f"it does not hold {name}: set the {name} that the site had")
        if not is_marked(manifest.marks, name, value):
            whose = "the one set now" if apart else "the one in it"
            raise BackupError(f"it belongs to another {name} than {whose}")
        found[name] = value
    Fernet(found["DEAL_KEY"])  # as it was in use, so it is one
    return found


def is_marked(known: Mapping[str, str], name: str, value: str) -> bool:
    """Return whether a key is the one of which a mark tells."""
    return constant_time_compare(known.get(name, ""), mark_of(name, value))


def refuse_others_from_outside(manifest: BackupManifest) -> None:
    """Raise BackupError if the environment sets a key that is not the backup's.

    It would go before the one in `secrets.env` at the next start.
    """
    inside = values_in(settings.DATA_DIR / KEYS_FILE)
    for name in KEYS:
        value = getattr(settings, name)
        from_file = value in (inside.get(name), NO_KEYS[name])
        if not from_file and not is_marked(manifest.marks, name, value):
            raise BackupError(
                f"it belongs to another {name} than the environment sets: take that out"
            )
