"""The public log of every shuffle, each line of which holds the hash of the line before."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from typing import Any

from games.models import LogLine


def tell(lines: Iterable[tuple[uuid.UUID, str, Mapping[str, Any]]]) -> None:
    """Write lines (match, kind, what is told), to be chained once they are stored; a line that
    stands there already is left as it is. Call it in the transaction of what they tell of."""
    LogLine.objects.bulk_create(
        (LogLine(match=match, kind=kind, data=dict(data)) for match, kind, data in lines),
        ignore_conflicts=True,
    )
