"""Shuffles that several tables share, so that all of them play the same deals.

All tables begin together: the commitments are frozen once every table's seats are taken, so that
the players of all tables contribute and none knows a card before the others. Then each table deals
for itself, with the same secret, mix and first dealer. The secret is published when the last table
has finished. Functions that lock deals must have locked no table but their own: a table's row is
always locked before its deals.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

import structlog
from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from games.engine import shuffle as euf1
from games.exclusive_tasks import failing_alone
from games.models import Contribution, Game, LogLine, Seat, SharedDeals, Shuffle, Table
from games.models.tables import BEFORE_A_GAME
from games.shuffle import public_log, secret_box
from games.shuffle.secret_box import seal, unseal
from games.sockets import hub

log = structlog.get_logger(__name__)

#: Seats of a table, and the most tables: the number of all seats is mixed in as one byte.
SEATS: Final = 4
MAX_TABLES: Final = 255 // SEATS
#: How long tables whose players are ready wait for one that has not begun, if its owner fails.
TOGETHER_WITHIN: Final = timedelta(seconds=60)
#: Games that the log's `opened` line lists; a duplicate round has no more tables than that.
MAX_LISTED: Final = MAX_TABLES
#: States of a table that has yet to play its deals.
STILL_TO_PLAY: Final = (*BEFORE_A_GAME, Table.State.PLAYING)


def commit_to(tables: int) -> SharedDeals:
    """Commit to a shuffle for this many tables; call it in the transaction that creates them."""
    if not 1 <= tables <= MAX_TABLES:
        raise ValueError(f"1 to {MAX_TABLES} tables can share their deals, not {tables}")
    match, secret = secret_box.draw()
    commitment = euf1.commit(match.bytes, secret)
    deals = SharedDeals.objects.create(
        id=match, secret=seal(secret), commitment=commitment, seats=SEATS * tables
    )
    public_log.append([(match, LogLine.Kind.CREATED, {"commitment": commitment.hex()})])
    return deals


def make_for_solo_tables(opens_from: datetime) -> SharedDeals:
    """Commit to deals that any number of tables join one by one until `opens_from`, and mix them.

    No seat contributes: those who play them later would know the cards of those who play now. So
    the log's `started` line follows from the commitment, and appears when they are opened.
    """
    with transaction.atomic():
        deals = commit_to(1)
        deals.opens_from = opens_from
        deals.save(update_fields=["opens_from"])
        freeze(deals, {}, deals.made, deals.made)
        mix(deals, deals.made)
    return deals


def locked(table: Table) -> SharedDeals | None:
    """Lock and return the deals that a locked table shares, if it does."""
    if table.shared_deals_id is None:
        return None
    deals = SharedDeals.objects.select_for_update().get(pk=table.shared_deals_id)
    table.shared_deals = deals
    return deals


def frozen_commitments(deals: SharedDeals) -> list[bytes]:
    """Return the frozen commitments of all seats, zeros for those that sent none."""
    return _by_seat(bytes(deals.seat_commitments), deals.seats)


def contributions(deals: SharedDeals) -> list[bytes]:
    return _by_seat(bytes(deals.contributions), deals.seats)


def _by_seat(joined: bytes, seats: int) -> list[bytes]:
    size = len(euf1.NOTHING)
    joined = joined or euf1.NOTHING * seats
    return [joined[size * seat : size * (seat + 1)] for seat in range(seats)]


def freeze(deals: SharedDeals, kept: Mapping[int, bytes], now: datetime, until: datetime) -> None:
    """Fix the commitments by number of seat, and let all tables ask for the numbers."""
    commitments = [kept.get(place, euf1.NOTHING) for place in range(deals.seats)]
    deals.frozen, deals.due = now, until
    deals.seat_commitments = b"".join(commitments)
    deals.save(update_fields=["frozen", "due", "seat_commitments"])
    Shuffle.objects.filter(table__shared_deals=deals).update(frozen=now, due=until)


def mix(deals: SharedDeals, now: datetime) -> None:
    """Mix the numbers that fit the frozen commitments, and let all tables deal."""
    commitments = frozen_commitments(deals)
    numbers = [euf1.NOTHING] * deals.seats
    for one in _contributions(deals):
        place = one.shuffle.table.first_place + one.position
        if one.number is not None and bytes(one.commitment) == commitments[place]:
            numbers[place] = bytes(one.number)
    match, commitment = deals.pk.bytes, bytes(deals.commitment)
    deals.contributions = b"".join(numbers)
    deals.mixed = euf1.mix(match, commitment, commitments, numbers)
    deals.first_dealer = euf1.first_dealer(unseal(deals.secret), deals.mixed, SEATS)
    deals.save(update_fields=["contributions", "mixed", "first_dealer"])
    Shuffle.objects.filter(table__shared_deals=deals).update(due=now)
    if deals.opens_from is None:
        public_log.append([_start(deals)])


def _start(deals: SharedDeals) -> public_log.NewLine:
    commitments, numbers = frozen_commitments(deals), contributions(deals)
    flagged = euf1.flags(deals.pk.bytes, bytes(deals.commitment), commitments, numbers)
    data = {
        "commitments": [one.hex() for one in commitments],
        "contributions": [one.hex() for one in numbers],
        "flags": euf1.written_flags(flagged, deals.seats),
        "mixed": bytes(deals.mixed).hex(),
    }
    return deals.pk, LogLine.Kind.STARTED, data


def complete(deals: SharedDeals) -> bool:
    """Return True if every seat that has committed to a number has sent it."""
    commitments = frozen_commitments(deals)
    sent = {
        one.shuffle.table.first_place + one.position
        for one in _contributions(deals)
        if one.number is not None
    }
    return all(
        commitment == euf1.NOTHING or place in sent for place, commitment in enumerate(commitments)
    )


def _contributions(deals: SharedDeals) -> Sequence[Contribution]:
    found = Contribution.objects.filter(shuffle__table__shared_deals=deals)
    return list(found.select_related("shuffle__table"))


def waiting(deals: SharedDeals) -> list[Shuffle]:
    """Return the shuffles of all its tables that have not dealt and are not closed."""
    found = Shuffle.objects.filter(table__shared_deals=deals).select_related("table")
    return list(found.order_by("table__number_in_deals"))


def seats_by_table(shuffles: Iterable[Shuffle]) -> dict[int, list[Seat]]:
    tables: dict[int, list[Seat]] = {one.table_id: [] for one in shuffles}
    seats = Seat.objects.filter(table__in=tables).select_related("player")
    for seat in seats.order_by("table", "position"):
        tables[seat.table_id].append(seat)
    return tables


def announce(deals: SharedDeals) -> None:
    """Notify the pages of all its tables after the commit."""
    tables = list(Table.objects.filter(shared_deals=deals).values_list("pk", flat=True))

    def tell() -> None:
        for table_id in tables:
            hub.announce(table_id)

    transaction.on_commit(tell)


def open_played() -> int:
    """Open the deals that all their tables have played; return how many.

    Safe to run twice, late or concurrently.
    """
    playing = Table.objects.filter(shared_deals=OuterRef("pk"), state__in=STILL_TO_PLAY)
    waits = Q(opens_from__gt=timezone.now())
    ready = SharedDeals.objects.filter(~Exists(playing), ~waits, opened=None)
    opened = 0
    for match in list(ready.values_list("pk", flat=True)):
        with failing_alone(log, "shared deals not opened", match=str(match)):
            opened += open_deals(match)
    return opened


def open_deals(match: uuid.UUID) -> bool:
    """Publish the secret of shared deals; return False if it is too early, or repeated.

    It is too early while a table is still to play, and before `opens_from`.

    The time is the present, not that of a step that began earlier: `games.api.games_stream` lists
    games in the order in which they opened, and must not pass one by that is stored later.
    """
    with transaction.atomic():
        deals = SharedDeals.objects.select_for_update().get(pk=match)
        tables = Table.objects.filter(shared_deals=deals)
        now = timezone.now()
        waits = deals.opens_from is not None and now < deals.opens_from
        if waits or deals.opened is not None or tables.filter(state__in=STILL_TO_PLAY).exists():
            return False
        deals.opened = now
        deals.save(update_fields=["opened"])
        games = Game.objects.filter(table__in=tables).order_by("table__number_in_deals", "number")
        listed = [str(game) for game in games.values_list("pk", flat=True)[:MAX_LISTED]]
        data: dict[str, object] = {"secret": unseal(deals.secret).hex(), "games": listed}
        if len(listed) == MAX_LISTED and (count := games.count()) > MAX_LISTED:
            data["tables"] = count
        started = [_start(deals)] if deals.opens_from is not None else []
        public_log.append([*started, (deals.pk, LogLine.Kind.OPENED, data)])
        announce(deals)
    return True
