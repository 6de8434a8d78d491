"""The folder of backups: their names, which of them are kept, and to which site it belongs."""

import json
import re
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from euchre_site.backups.errors import BackupError
from euchre_site.backups.files import new_file

#: The latest backup of each of this many days and weeks is kept.
DAYS: Final = 7
WEEKS: Final = 4
#: Encrypted backups of earlier versions end in `.sealed`; they are removed like all others.
_NAME: Final = re.compile(r"bower-(\d{8}-\d{6}-\d{6})\.tar\.gz(\.age|\.sealed)?")
_STAMP: Final = "%Y%m%d-%H%M%S-%f"
#: The file that identifies the site of a folder by its key fingerprints.
SITE: Final = ".site"


def backup_name(made: datetime, *, encrypted: bool) -> str:
    return f"bower-{made.astimezone(UTC):{_STAMP}}.tar.gz{'.age' if encrypted else ''}"


def made_at(name: str) -> datetime | None:
    """Return when a backup was made, by its file name; None for other files."""
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    try:
        return datetime.strptime(found[1], _STAMP).replace(tzinfo=UTC)
    except ValueError:
        return None


def to_keep(made: Collection[datetime]) -> set[datetime]:
    """Return the backups to keep: the latest of each of the last days and weeks that have one.

    Days without a backup do not count, so a site that runs rarely keeps just as many.
    """
    of_day: dict[object, datetime] = {}
    of_week: dict[object, datetime] = {}
    for one in sorted(made):
        of_day[one.date()] = one
        of_week[one.isocalendar()[:2]] = one
    return {*list(of_day.values())[-DAYS:], *list(of_week.values())[-WEEKS:]}


def backups_in(folder: Path) -> dict[datetime, Path]:
    found = {made_at(path.name): path for path in folder.iterdir()}
    return {made: path for made, path in found.items() if made is not None}


def remove_old(folder: Path) -> list[Path]:
    present = backups_in(folder)
    stay = to_keep(present)
    removed = [path for made, path in sorted(present.items()) if made not in stay]
    for path in removed:
        path.unlink(missing_ok=True)
    return removed


def check_owner(folder: Path, marks: Mapping[str, str]) -> None:
    """Record whose folder this is; raise BackupError if it is another site's.

    Otherwise one site's pruning would remove the other's backups. A site that has changed one of
    its keys is recognised by the other, and the new one is recorded.
    """
    file = folder / SITE
    try:
        known = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        known = dict(marks)
    except ValueError:
        known = None
    if not isinstance(known, dict) or not any(known.get(name) == marks[name] for name in marks):
        raise BackupError(
            f"{folder} contains the backups of another site: choose another folder. If they "
            f"are this site's, remove {file}."
        )
    if known != marks or not file.exists():
        draft = file.with_suffix(".draft")
        draft.unlink(missing_ok=True)  # left by a killed process
        try:
            with new_file(draft) as out:
                out.write(json.dumps(marks).encode())
            draft.replace(file)
        finally:
            draft.unlink(missing_ok=True)
