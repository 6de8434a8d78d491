"""Rows as an act found and left them, stored with the act so that its undo can restore them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from django.apps import apps
from django.db.models import Model

from tournaments.refusals import RefusedError

#: A row of a model, with the values of what was changed; `before` is None if the row was added.
Image = dict[str, Any]


def change(row: Model, **values: Any) -> Image:
    """Store other values of a row; return what they were and are.

    No texts: `walk_ins.rename` could not take a name out of them here.
    """
    before = {name: row.serializable_value(name) for name in values}
    for name, value in values.items():
        setattr(row, name, value)
    row.save(update_fields=list(values))
    after = {name: row.serializable_value(name) for name in values}
    return {
        "model": row._meta.label,
        "pk": row.pk,
        "before": _plain(before),
        "after": _plain(after),
    }


def added(row: Model) -> Image:
    return {"model": row._meta.label, "pk": row.pk, "before": None}


def restore(kept: Mapping[str, Any], changed: str = "It has been changed since.") -> None:
    """Restore the rows of an act out of what it has kept, the latest first.

    Raises RefusedError ``depends`` with the words `changed` if a value is not as the act left it.
    """
    for image in reversed(kept.get("images", ())):
        rows = apps.get_model(image["model"])._meta.base_manager.filter(pk=image["pk"])
        before = image["before"]
        if before is None:
            rows.delete()
        elif _plain(rows.values(*before).first()) == image["after"]:
            rows.update(**before)
        else:
            raise RefusedError("depends", changed)


def _plain(values: Any) -> Any:
    """Return values as they are stored with an act."""
    return json.loads(json.dumps(values, default=str))
