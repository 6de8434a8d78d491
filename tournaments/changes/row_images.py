"""Rows as an act found and left them, stored with the act so that its undo can restore them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from django.apps import apps
from django.db.models import Model, QuerySet

from tournaments.refusals import RefusedError

#: A row of a model, with the values before and after of what was changed.
Image = dict[str, Any]


def change(row: Model, **values: Any) -> Image:
    """Store other values of a row; return what they were and are.

    No texts: `walk_ins.rename` could not take a name out of them here.
    """
    rows = row._meta.base_manager.filter(pk=row.pk)
    before = _stored(rows, values)
    for name, value in values.items():
        setattr(row, name, value)
    row.save(update_fields=list(values))
    after = _stored(rows, values)
    return {"model": row._meta.label, "pk": row.pk, "before": before, "after": after}


def restore(
    kept: Mapping[str, Any], changed: str = "What it changed has been changed again since."
) -> None:
    """Restore the rows of an act out of what it has kept, the latest first.

    Raises RefusedError ``depends`` with the words `changed` if a value is not as the act left it;
    ``final`` if nothing was kept, as before rows were kept with acts.
    """
    if not kept.get("images"):
        raise RefusedError("final", "An older version of this site did it and kept no way back.")
    for image in reversed(kept["images"]):
        rows = apps.get_model(image["model"])._meta.base_manager.filter(pk=image["pk"])
        if _stored(rows, image["before"]) != image["after"]:
            raise RefusedError("depends", changed)
        rows.update(**image["before"])


def _stored(rows: QuerySet[Any], names: Iterable[str]) -> Any:
    """Return values of a row, as the database has them, as JSON; None if it is gone."""
    return json.loads(json.dumps(rows.values(*names).first(), default=str))
