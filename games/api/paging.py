"""Lists in pages: `limit` and `offset` in the query, `next` in the answer."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, TypeVar
from urllib.parse import urlencode

from django.db.models import QuerySet
from django.http import HttpRequest
from ninja import Field, Schema

T = TypeVar("T")
R = TypeVar("R")


class PageQuery(Schema):
    """Which part of a list is asked for."""

    limit: int = Field(50, ge=1, le=200, description="How many at most.")
    offset: int = Field(0, ge=0, le=1_000_000, description="How many are left out before them.")


class Page(Schema, Generic[T]):
    """A part of a list."""

    count: int = Field(description="How many there are in all.")
    next: str | None = Field(description="The address of the next part; null after the last.")
    items: list[T]


def page_of(
    request: HttpRequest,
    rows: "QuerySet[Any] | Sequence[R]",
    page: PageQuery,
    lines: Callable[[Iterable[R]], Iterable[T]],
) -> Page[T]:
    """Return a part of a list.

    Args:
        request: whose address leads to the next part.
        rows: the whole list; of a query only the part is read.
        page: which part.
        lines: makes of the rows of the part what is answered.
    """
    count = rows.count() if isinstance(rows, QuerySet) else len(rows)
    end = page.offset + page.limit
    part = rows[page.offset : end]
    following = {**request.GET.dict(), "limit": page.limit, "offset": end}
    address = request.build_absolute_uri(f"{request.path}?{urlencode(following)}")
    return Page[T](count=count, next=address if end < count else None, items=list(lines(part)))
