"""Types shared by many operations: times, players, enumerations and paged lists.

A paged list has `limit` and `offset` in the query and `next` in the answer.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Annotated, Any, Final, Generic, TypeVar
from urllib.parse import urlencode

from django.db.models import QuerySet
from django.http import HttpRequest
from ninja import Field, Schema
from pydantic import AfterValidator, AwareDatetime

from games.engine.rules import RULE_SETS
from games.models import Player

T = TypeVar("T")
R = TypeVar("R")

#: For texts without control characters, some of which databases refuse.
NO_CONTROLS: Final = r"^[^\x00-\x1f\x7f]*$"
#: Years far from the limits of calendars and time zones.
YEARS: Final = range(1900, 3000)


def _in_years(moment: datetime) -> datetime:
    if moment.year not in YEARS:
        raise ValueError(f"the year must be {YEARS[0]} to {YEARS[-1]}")
    return moment


#: A time with its offset from UTC, as in RFC 3339.
Moment = Annotated[AwareDatetime, AfterValidator(_in_years)]
GUEST: Final = "guest"


def one_of(words: Iterable[str]) -> Any:
    """Return a field that lists the possible values in the OpenAPI document only."""
    return Field(json_schema_extra={"enum": list(words)})


def _offered(key: str) -> str:
    if key not in RULE_SETS:
        raise ValueError(f"the rules must be one of {', '.join(RULE_SETS)}")
    return key


#: The key of a rule set that is offered.
RuleSetKey = Annotated[
    str,
    AfterValidator(_offered),
    Field(json_schema_extra=lambda schema: schema.update(enum=list(RULE_SETS))),
]


class PlayerRef(Schema):
    """Somebody who plays."""

    id: int
    name: str
    kind: Annotated[str, one_of([*Player.Kind.values, GUEST])] = Field(
        description="A person with an account, a guest, a house player of this site, or "
        "somebody’s program."
    )


def ref_of(player: Player) -> PlayerRef:
    return PlayerRef(id=player.pk, name=player.name, kind=GUEST if player.guest else player.kind)


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
    """Return a page of a list, reading only its rows; `lines` converts them to items."""
    count = rows.count() if isinstance(rows, QuerySet) else len(rows)
    end = page.offset + page.limit
    part = rows[page.offset : end]
    following = {**request.GET.dict(), "limit": page.limit, "offset": end}
    address = request.build_absolute_uri(f"{request.path}?{urlencode(following)}")
    return Page[T](count=count, next=address if end < count else None, items=list(lines(part)))
