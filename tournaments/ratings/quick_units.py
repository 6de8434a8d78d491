"""The rated quick games that are over, in the order of their ends.

A game is to be rated while its table has `rating_due`: since the table was opened, or since a
moderator's decision. Games that were abandoned, as when staff have closed the table, rate nobody.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from games.models import Game, GameSeat, Player, Table
from games.models.stored_rules import stored_rules
from tournaments.models import RatingHold
from tournaments.rating_formula import quick_pool_key
from tournaments.ratings import units as rating_units
from tournaments.ratings.units import CHUNK, Drawn, Played, Unit, shares_of

_OVER = Game.objects.filter(table__rated=True, state=Game.State.OVER, ended__isnull=False)


class QuickGame(NamedTuple):
    """A rated quick game that is over; they are rated in order of `ended`, then `pk`."""

    pk: UUID
    ended: datetime
    table: int
    due: int


def waiting() -> dict[str, list[QuickGame]]:
    """Return the games that are to be rated, by pool, in order."""
    found: dict[str, list[QuickGame]] = defaultdict(list)
    for key, game in _rated(Q(table__rating_due__gt=0)):
        found[key].append(game)
    return dict(found)


def pools() -> set[str]:
    """Return the pools of all rated quick games that are over."""
    rules = Table.objects.filter(Exists(_OVER.filter(table=OuterRef("pk"))), rated=True)
    every = rules.order_by().values_list("rules_data", flat=True).distinct()
    return {quick_pool_key(stored_rules(data)) for data in every}


def games(key: str, since: QuickGame | None = None) -> list[QuickGame]:
    """Return the games of a pool in order: all, or `since` and those after it."""
    which = Q()
    if since is not None:
        which = Q(ended__gt=since.ended) | Q(ended=since.ended, pk__gte=since.pk)
    return [game for of, game in _rated(which) if of == key]


def _rated(which: Q) -> Iterator[tuple[str, QuickGame]]:
    rows = _OVER.filter(which).order_by("ended", "pk")
    columns = ("table__rules_data", "pk", "ended", "table", "table__rating_due")
    for data, pk, ended, table, due in rows.values_list(*columns).iterator():
        if ended is not None:
            yield quick_pool_key(stored_rules(data)), QuickGame(pk, ended, table, due)


def done(of: Sequence[QuickGame]) -> None:
    """Note that games have been rated, except those of which it was requested again meanwhile."""
    tables: dict[int, list[int]] = defaultdict(list)
    for game in of:
        tables[game.due].append(game.table)
    for due, some in tables.items():
        for at in range(0, len(some), CHUNK):
            part = Table.objects.filter(pk__in=some[at : at + CHUNK], rating_due=due)
            locked = list(part.select_for_update().order_by("pk").values_list("pk", flat=True))
            Table.objects.filter(pk__in=locked).update(rating_due=0)


def request_rating(tables: Collection[int]) -> None:
    """Request that the games at some tables are rated, or rated anew after a decision."""
    rated = Table.objects.filter(pk__in=tables, rated=True)
    locked = list(rated.select_for_update().order_by("pk").values_list("pk", flat=True))
    Table.objects.filter(pk__in=locked).update(rating_due=F("rating_due") + 1)


def forget_abandoned() -> None:
    """Request no rating any more for closed tables whose game was not played to its end."""
    closed = Table.objects.filter(rating_due__gt=0, state=Table.State.CLOSED)
    closed.filter(~Exists(_OVER.filter(table=OuterRef("pk")))).update(rating_due=0)


def chunks(of: Sequence[QuickGame]) -> Iterator[Sequence[QuickGame]]:
    return (of[at : at + CHUNK] for at in range(0, len(of), CHUNK))


def units(of: Sequence[QuickGame]) -> Iterator[Unit]:
    """Return some games as units in order, in a fixed number of queries.

    Games on hold are left out. Missing performances are stored on the way.
    """
    keys = [game.pk for game in of]
    rows = Game.objects.filter(pk__in=keys)
    rating_units.note_performances(rows)
    played = {key: Played(*row) for key, *row in rows.values_list("pk", *Played._fields)}
    held = set(
        RatingHold.objects.filter(game__in=keys)
        .exclude(state=RatingHold.State.PASSED)
        .values_list("game", flat=True)
    )
    sides = sides_of(GameSeat.objects.filter(game__in=keys, player__kind=Player.Kind.PERSON))
    for game in of:
        seated = sides[game.pk]
        if game.pk in held or len(seated[0]) != len(seated[1]) or not seated[0]:
            continue
        row = played[game.pk]
        if row.decided is not None:
            # Everybody answers for themselves: partners are drawn.
            shares = shares_of(row.stood_in, Drawn(seated, seated))
            yield Unit(None, row.number, seated, shares, row.decided, game.ended, None, game.pk)


def sides_of(seats: QuerySet[GameSeat]) -> dict[UUID, rating_units.Sides]:
    """Return the players of games by side, in order of their seats."""
    found: defaultdict[UUID, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for game, position, player in seats.order_by("position").values_list(
        "game", "position", "player"
    ):
        found[game][position % 2].append(player)
    return defaultdict(
        lambda: ((), ()),
        {game: (tuple(first), tuple(second)) for game, (first, second) in found.items()},
    )
