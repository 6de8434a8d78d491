"""Rows by the hundred thousand, written by the database's own driver: the ORM would take hours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any, Final

from django.core.management.color import no_style
from django.db import connection
from django.db.models import AutoField, DateField, Field, ForeignKey, Model, UUIDField

BATCH: Final = 20_000  # rows held back until they are written together

Row = tuple[Any, ...]


class Sheet:
    """New rows of one empty model; a number is given to each as its primary key.

    Args:
        model: which.
        columns: the attributes that every row gives, such as "player_id"; JSON as text.
        always: what other attributes are in all rows; those not named have the field's default.
    """

    def __init__(self, model: type[Model], columns: Sequence[str], **always: Any) -> None:
        fields = {field.attname: field for field in model._meta.concrete_fields}
        given = [fields.pop(name) for name in columns]
        key = model._meta.pk
        self.model, self.numbered = model, isinstance(key, AutoField) and key not in given
        if self.numbered:
            fields.pop(key.attname)
        self.columns = [*([key] if self.numbered else []), *given, *fields.values()]
        self.constants = tuple(
            field.get_db_prep_save(always.get(name, field.get_default()), connection)
            for name, field in fields.items()
        )
        first = int(self.numbered)
        self.written = {at: _written(one) for at, one in enumerate(given, first) if _adapted(one)}
        self.rows: list[Row] = []
        self.count = 0

    def add(self, *values: Any) -> int:
        """Add a row of the values of `columns`; return its number."""
        self.count += 1
        self.rows.append((self.count, *values) if self.numbered else values)
        if len(self.rows) == BATCH:
            self.flush()
        return self.count

    def flush(self) -> None:
        """Write the rows that are held back."""
        rows = [self._whole(row) for row in self.rows]
        self.rows.clear()
        table = connection.ops.quote_name(self.model._meta.db_table)
        names = ", ".join(connection.ops.quote_name(str(field.column)) for field in self.columns)
        with connection.cursor() as cursor:
            if connection.vendor == "postgresql":
                with cursor.copy(f"COPY {table} ({names}) FROM STDIN") as copy:
                    for row in rows:
                        copy.write_row(row)
            else:
                marks = ", ".join(["%s"] * len(self.columns))
                cursor.executemany(f"INSERT INTO {table} ({names}) VALUES ({marks})", rows)  # noqa: S608

    def _whole(self, row: Row) -> Row:
        values = [*row, *self.constants]
        for at, written in self.written.items():
            values[at] = written(values[at])
        return tuple(values)


def finish(sheets: Sequence[Sheet]) -> None:
    """Write what is held back, and let the database go on counting where the rows end."""
    for sheet in sheets:
        sheet.flush()
    models = [sheet.model for sheet in sheets]
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), models):
            cursor.execute(statement)
        if connection.vendor == "postgresql":
            cursor.execute("ANALYZE")


def _adapted(field: Field[Any, Any]) -> bool:
    """Whether the driver cannot take a field's values as they are."""
    target = field.target_field if isinstance(field, ForeignKey) else field
    return isinstance(target, DateField | UUIDField)


def _written(field: Field[Any, Any]) -> Callable[[Any], Any]:
    return lru_cache(1000)(partial(field.get_db_prep_save, connection=connection))
