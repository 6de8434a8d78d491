"""Who watches each table: numbers and names of other processes, and the names each viewer sees.

Nothing is stored: a report that is lost or late makes the number wrong for a while, no more.
"""

from __future__ import annotations

import itertools
import time
from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from games.sockets import loop, news

#: Topics: the reports; a player has chosen whose names are shown to whom.
AUDIENCE: Final = "audience"
CHOSEN: Final = "audience chosen"
#: Seconds after which a process that no longer reports is not counted.
FORGOTTEN_AFTER: Final = 75.0

#: Names by player. By viewer, those that they see; a visitor is None.
Names: TypeAlias = Mapping[int, str]
NamesByViewer: TypeAlias = Mapping[int | None, tuple[str, ...]]


class _Report(NamedTuple):
    number: int
    names: Names
    at: float


#: Each process's last report, by table and process.
_reports: Final[defaultdict[int, dict[str, _Report]]] = defaultdict(dict)
#: The names that those in this process see, by table.
_shown: Final[dict[int, NamesByViewer]] = {}
#: By table with one of the two, a number that no other has; it changes with them.
changes: Final[dict[int, int]] = {}
_numbers: Final = itertools.count(1)


def _note_change(table_id: int) -> None:
    if table_id in _reports or table_id in _shown:
        changes[table_id] = next(_numbers)
    else:
        changes.pop(table_id, None)


def _present(table_id: int) -> list[_Report]:
    since = time.monotonic() - FORGOTTEN_AFTER
    return [one for one in _reports.get(table_id, {}).values() if one.at > since]


def elsewhere(table_id: int) -> int:
    """Return how many spectators other processes have at a table."""
    return sum(one.number for one in _present(table_id))


def names_elsewhere(table_id: int) -> Names:
    """Return the names of the spectators that other processes have, of those who show them."""
    return {key: name for one in _present(table_id) for key, name in one.names.items()}


def names_for(table_id: int, player_id: int | None) -> tuple[str, ...]:
    """Return the spectators' names that a viewer sees; none for one who has just come."""
    found = _shown.get(table_id)
    return found.get(player_id, ()) if found is not None else ()


def show_names(table_id: int, names: NamesByViewer) -> None:
    if names:
        _shown[table_id] = names
    else:
        _shown.pop(table_id, None)
    _note_change(table_id)


def take(report: dict[str, Any]) -> int:
    """Take another process's report; return the id of its table."""
    table_id, process, count = int(report["table"]), str(report["process"]), int(report["count"])
    if count:
        # Processes of an earlier version report no names.
        names = {int(key): str(name) for key, name in report.get("names", ())}
        _reports[table_id][process] = _Report(count, names, time.monotonic())
    else:
        _reports[table_id].pop(process, None)
        if not _reports[table_id]:
            del _reports[table_id]
    _note_change(table_id)
    return table_id


async def report(table_id: int, process: str, count: int, names: Names) -> None:
    told = {"table": table_id, "process": process, "count": count, "names": list(names.items())}
    await news.publish_remote(AUDIENCE, told)


def choose_again(player_ids: Collection[int]) -> None:
    """Publish from any thread that players have chosen anew who sees which names."""
    loop.spawn(news.publish(CHOSEN, list(player_ids)))
