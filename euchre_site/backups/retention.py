"""Which backups stay: names, dates and which of them are kept; and whose folder it is."""

import json
import re
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from euchre_site.backups.errors import BackupError
from euchre_site.backups.files import new_file

#: Of how many days, and of how many weeks, the latest backup is kept.
DAYS: Final = 7
WEEKS: Final = 4
#: The ends of names: plain, and encrypted.
PLAIN: Final = ".tar.gz"
SEALED: Final = ".tar.gz.sealed"
_NAME: Final = re.compile(r"bower-(\d{8}-\d{6}-\d{6})\.tar\.gz(\.sealed)?")
_STAMP: Final = "%Y%m%d-%H%M%S-%f"
#: Tells of which site a folder's backups are: the marks of its keys, by name.
SITE: Final = ".site"


def name_of(made: datetime, *, sealed: bool) -> str:
    """Return the name of a backup made then."""
    return f"bower-{made.astimezone(UTC):{_STAMP}}{SEALED if sealed else PLAIN}"


def made_at(name: str) -> datetime | None:
    """Return when a backup of this name was made; None for any other file."""
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    try:
        return datetime.strptime(found[1], _STAMP).replace(tzinfo=UTC)
    except ValueError:
        return None


def kept(made: Collection[datetime]) -> set[datetime]:
    """Return which backups stay: the latest of each of the last days and weeks that have one.

    A site that is seldom on keeps as many as one that runs always. The newest always stays.
    """
    of_day: dict[object, datetime] = {}
    of_week: dict[object, datetime] = {}
    for one in sorted(made):
        of_day[one.date()] = one
        of_week[one.isocalendar()[:2]] = one
    return {*list(of_day.values())[-DAYS:], *list(of_week.values())[-WEEKS:]}


def backups_in(folder: Path) -> dict[datetime, Path]:
    """Return the backups in a folder by when they were made."""
    found = {made_at(path.name): path for path in folder.iterdir()}
    return {made: path for made, path in found.items() if made is not None}


def remove_old(folder: Path) -> list[Path]:
    """Remove the backups that need not stay; return them. Other files are left alone."""
    present = backups_in(folder)
    stay = kept(present)
    removed = [path for made, path in sorted(present.items()) if made not in stay]
    for path in removed:
        path.unlink(missing_ok=True)
    return removed


def refuse_another_site(folder: Path, marks: Mapping[str, str]) -> None:
    """Note whose folder it is; raise BackupError if it is another site's.

    The old backups of the one would else be removed as those of the other. A site that has changed
    one of its keys is the same by the other, and the new one is noted.
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
            f"{folder} holds the backups of another site: name another folder. If it is this "
            f"site's, remove {file}."
        )
    if known != marks or not file.exists():
        draft = file.with_suffix(".draft")
        draft.unlink(missing_ok=True)  # of one that was killed
        try:
            with new_file(draft) as out:
                out.write(json.dumps(marks).encode())
            draft.replace(file)
        finally:
            draft.unlink(missing_ok=True)
