"""The shuffle for a table's next game, from the server's commitment to the first deal.

The server commits to a secret when the table is created, and browsers commit to a number as their
players sit down. Once all seats are taken the commitments are frozen and shown to all; the
browsers then reveal their numbers, which stay hidden until all are in. A seat that is late, sends
a wrong number or has no browser contributes nothing. Tables that share their deals have one
shuffle together, see `shared`. See docs/fairness.md.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

import structlog
from django.core.exceptions import ImproperlyConfigured
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from games.engine import shuffle as euf1
from games.engine.game import Game as Play
from games.engine.rules import STUCK_AFTER, rules_to_data
from games.models import (
    Contribution,
    Game,
    GameSeat,
    LogLine,
    Player,
    Seat,
    SharedDeals,
    Shuffle,
    Table,
)  # fmt: skip
from games.shuffle import public_log, secret_box, shared
from games.shuffle.dealing import packs_of
from games.shuffle.secret_box import seal, unseal
from games.sockets import hub

log = structlog.get_logger(__name__)

#: How long to wait for commitments once the seats are taken, and then for numbers.
COMMIT_WITHIN: Final = timedelta(seconds=3)
REVEAL_WITHIN: Final = timedelta(seconds=5)
#: Do not wait for the browser of a player last seen longer ago than this.
HERE_WITHIN: Final = timedelta(seconds=30)


class ShuffleError(Exception):
    pass


def prepare(tables: Iterable[Table]) -> None:
    """Commit to the first game of new tables; call it in the transaction that creates them."""
    made = [_new(table, 1) for table in tables]
    Shuffle.objects.bulk_create(made)
    _log_created(made)


def begin(table: Table, now: datetime) -> None:
    """Shuffle for the next game of a full table, and start it at once if no browser is awaited.

    Call it in a transaction that has locked the table's row. Raises ValueError if a seat is free.
    """
    shuffle = table.shuffles.first()
    if shuffle is None:
        last: int | None = table.games.aggregate(last=Max("number"))["last"]
        shuffle = _new(table, (last or 0) + 1)
        shuffle.save(force_insert=True)
        _log_created([shuffle])
    shuffle.due = now + COMMIT_WITHIN
    _advance(table, shuffle, now)


def advance(table_id: int, now: datetime) -> None:
    """Continue a table's shuffle as far as possible; safe to run twice, late or concurrently."""
    with transaction.atomic():
        table = Table.objects.select_for_update().get(pk=table_id)
        shuffle = table.shuffles.first()
        if shuffle is None or table.state != Table.State.SHUFFLING:
            return
        if _advance(table, shuffle, now):
            transaction.on_commit(lambda: hub.announce(table_id))


def overdue(now: datetime) -> list[int]:
    late = Shuffle.objects.filter(due__lte=now, table__state=Table.State.SHUFFLING)
    return list(late.order_by("due").values_list("table_id", flat=True))


def commit(table_id: int, player_id: int, match: uuid.UUID, commitment: bytes) -> None:
    """Store a seat's commitment to its number; repeating it is harmless.

    Raises ShuffleError: this is not the table's shuffle, it is frozen, the player has no seat or
    has committed to something else.
    """
    with transaction.atomic():
        table, shuffle = _held(table_id, match)
        seat = table.seats.filter(player=player_id).first()
        if seat is None:
            raise ShuffleError("You have no seat at this table.")
        if shuffle.frozen is not None:
            raise ShuffleError("The commitments of this shuffle are frozen.")
        if len(commitment) != len(euf1.NOTHING) or commitment == euf1.NOTHING:
            raise ShuffleError("A commitment has 32 bytes, not all of them zero.")
        known = shuffle.contributions.filter(position=seat.position).first()
        if known is not None and known.player_id == player_id:
            if bytes(known.commitment) != commitment:
                raise ShuffleError("This seat has committed to another number.")
            return
        Contribution.objects.update_or_create(
            shuffle=shuffle,
            position=seat.position,
            defaults={"player_id": player_id, "commitment": commitment},
        )
        if table.state == Table.State.SHUFFLING and _advance(table, shuffle, timezone.now()):
            transaction.on_commit(lambda: hub.announce(table_id))


def reveal(table_id: int, player_id: int, match: uuid.UUID, number: bytes) -> None:
    """Store the number that a seat has committed to; repeating it is harmless.

    Raises ShuffleError: this is not the table's shuffle, nothing is frozen yet, or it is not the
    number the player has committed to.
    """
    with transaction.atomic():
        table, shuffle = _held(table_id, match)
        if shuffle.frozen is None:
            raise ShuffleError("The commitments of this shuffle are not frozen yet.")
        mine = shuffle.contributions.filter(player=player_id).first()
        if mine is None:
            raise ShuffleError("You have not committed to a number.")
        place = table.first_place + mine.position
        promised = euf1.commit_seat(match.bytes, bytes(shuffle.commitment), place, number)
        if len(number) != len(euf1.NOTHING) or promised != bytes(mine.commitment):
            raise ShuffleError("This is not the number you have committed to.")
        if mine.number is not None:
            return
        mine.number = number
        mine.save(update_fields=["number"])
        if _advance(table, shuffle, timezone.now()):
            transaction.on_commit(lambda: hub.announce(table_id))


def abort(tables: Iterable[int]) -> None:
    """Delete the shuffles of tables at which no further game will start, and log their secrets.

    Call it in a transaction that has locked the tables' rows. A shuffle whose secret can no longer
    be decrypted is deleted without a log line, so that a table can be closed after the key was
    lost. The secret of shared deals is kept, as other tables still play them.
    """
    dropped = list(Shuffle.objects.filter(table__in=tables).select_related("table"))
    for shuffle in dropped:
        if shuffle.table.shared_deals_id is not None:
            continue
        try:
            secret = unseal(shuffle.secret)
        except ImproperlyConfigured as error:
            log.error(
                "shuffle deleted without a log line", match=str(shuffle.pk), reason=str(error)
            )
            continue
        public_log.append([(shuffle.pk, LogLine.Kind.ABORTED, {"secret": secret.hex()})])
    Shuffle.objects.filter(pk__in=[shuffle.pk for shuffle in dropped]).delete()


def _held(table_id: int, match: uuid.UUID) -> tuple[Table, Shuffle]:
    table = Table.objects.select_for_update().get(pk=table_id)
    shared.locked(table)
    shuffle = table.shuffles.first()
    if shuffle is None or shuffle.match != match:
        raise ShuffleError("This table has no such shuffle, or its game has begun.")
    return table, shuffle


def _new(table: Table, number: int) -> Shuffle:
    deals = table.shared_deals
    if deals is not None:
        if number > 1:
            raise ValueError("Tables that share their deals play one game.")
        return Shuffle(table=table, number=number, secret=deals.secret, commitment=deals.commitment)
    match, secret = secret_box.draw()
    return Shuffle(
        id=match,
        table=table,
        number=number,
        secret=seal(secret),
        commitment=euf1.commit(match.bytes, secret),
    )


def _log_created(made: Sequence[Shuffle]) -> None:
    public_log.append(
        (shuffle.pk, LogLine.Kind.CREATED, {"commitment": bytes(shuffle.commitment).hex()})
        for shuffle in made
        if shuffle.table.shared_deals_id is None  # logged once for all tables
    )


def _advance(table: Table, shuffle: Shuffle, now: datetime) -> bool:
    """Freeze the commitments or start the game if it is time; return True if anything changed."""
    deals = shared.locked(table)
    if deals is not None:
        return _advance_together(table, shuffle, deals, now)
    seats = list(table.seats.select_related("player").order_by("position"))
    frozen_before = shuffle.frozen
    thrown = {one.position: one for one in shuffle.contributions.all()}
    late = shuffle.due is not None and now >= shuffle.due
    if shuffle.frozen is None and (late or not _awaits_any(seats, thrown, now)):
        thrown = _drop_stale_commitments(seats, thrown)
        shuffle.reversed_by = _reversed_by(table, seats)
        shuffle.frozen, shuffle.due, late = now, now + REVEAL_WITHIN, False
    if shuffle.frozen is not None and (late or all(one.number for one in thrown.values())):
        _deal(table, shuffle, seats, thrown, now)
        return True
    shuffle.save(update_fields=["frozen", "reversed_by", "due"])
    _set_state(table, Table.State.SHUFFLING)
    return shuffle.frozen != frozen_before


def _advance_together(table: Table, shuffle: Shuffle, deals: SharedDeals, now: datetime) -> bool:
    """Do what `_go_on` does for a table that shares its locked deals with others."""
    before = deals.frozen
    shuffle.save(update_fields=["due"])
    _set_state(table, Table.State.SHUFFLING)
    if deals.frozen is None:
        _freeze_together(deals, now)
    if deals.frozen is not None and not deals.mixed:
        late = deals.due is not None and now >= deals.due
        if late or shared.complete(deals):
            shared.mix(deals, now)
            others = [one.table_id for one in shared.waiting(deals) if one.table_id != table.pk]
            transaction.on_commit(partial(_advance_all, others, now))
    if deals.mixed:
        _start(table, shuffle, list(table.seats.order_by("position")), now)
        return True
    if deals.frozen != before:
        shared.announce(deals)
    return deals.frozen != before


def _advance_all(tables: Sequence[int], now: datetime) -> None:
    for table_id in tables:
        advance(table_id, now)


def _freeze_together(deals: SharedDeals, now: datetime) -> None:
    """Freeze the commitments of all tables if each has begun and no browser is awaited."""
    shuffles = shared.waiting(deals)
    begun = [one.due for one in shuffles if one.due is not None]
    if len(begun) < len(shuffles) and now < min(begun) + shared.TOGETHER_WITHIN:
        return
    tables = shared.seats_by_table(shuffles)
    thrown = {
        one.pk: {given.position: given for given in one.contributions.all()} for one in shuffles
    }
    late = now >= max(begun)
    if not late and any(_awaits_any(tables[one.table_id], thrown[one.pk], now) for one in shuffles):
        return
    kept = {
        one.table.first_place + position: bytes(given.commitment)
        for one in shuffles
        for position, given in _drop_stale_commitments(tables[one.table_id], thrown[one.pk]).items()
    }
    shared.freeze(deals, kept, now, now + REVEAL_WITHIN)


def _awaits_any(seats: Sequence[Seat], thrown: Mapping[int, Contribution], now: datetime) -> bool:
    """Return True if a present player's browser has not committed to a number yet."""
    return any(
        seat.throws_in
        and not seat.stand_in
        and seat.player is not None
        and seat.player.kind == Player.Kind.PERSON
        and seat.last_seen > now - HERE_WITHIN
        and not _belongs_to(thrown.get(seat.position), seat)
        for seat in seats
    )


def _drop_stale_commitments(
    seats: Sequence[Seat], thrown: Mapping[int, Contribution]
) -> dict[int, Contribution]:
    """Return the commitments of the seated players and delete the others."""
    kept = {}
    for seat in seats:
        one = thrown.get(seat.position)
        if one is not None and _belongs_to(one, seat):
            kept[seat.position] = one
        elif one is not None:
            one.delete()
    return kept


def _reversed_by(table: Table, seats: Sequence[Seat]) -> int:
    """Return the seats that deal their packets in the reverse order, bit i for seat i.

    It is fixed together with the commitments, while no one can know any pack.
    """
    if not table.rules.packets_by_dealer:
        return 0
    return sum(1 << seat.position for seat in seats if seat.player and seat.player.reverses_packets)


def _belongs_to(one: Contribution | None, seat: Seat) -> bool:
    return one is not None and one.player_id == seat.player_id


def _deal(
    table: Table,
    shuffle: Shuffle,
    seats: Sequence[Seat],
    thrown: Mapping[int, Contribution],
    now: datetime,
) -> None:
    commitments, numbers = ([euf1.NOTHING] * len(seats) for _ in range(2))
    for position, one in thrown.items():
        commitments[position] = bytes(one.commitment)
        numbers[position] = bytes(one.number or euf1.NOTHING)
    commitment, match = bytes(shuffle.commitment), shuffle.pk
    mixed = euf1.mix(match.bytes, commitment, commitments, numbers)
    _start(
        table,
        shuffle,
        seats,
        now,
        seat_commitments=b"".join(commitments),
        contributions=b"".join(numbers),
        mixed=mixed,
        first_dealer=euf1.first_dealer(unseal(shuffle.secret), mixed, len(seats)),
    )
    data = {
        "commitments": [one.hex() for one in commitments],
        "contributions": [one.hex() for one in numbers],
        "flags": euf1.flags(match.bytes, commitment, commitments, numbers),
        "mixed": mixed.hex(),
    }
    public_log.append([(match, LogLine.Kind.STARTED, data)])


def _start(
    table: Table, shuffle: Shuffle, seats: Sequence[Seat], now: datetime, **mixture: Any
) -> None:
    """Start the game of a shuffle; `mixture` are the game's own numbers, else they are shared."""
    deals = table.shared_deals
    if deals is not None:
        mixture = {"mixed": deals.mixed, "first_dealer": deals.first_dealer}
    stuck_after = STUCK_AFTER if table.rules.deal_stays else 0
    rules = replace(table.rules, reversed_by=shuffle.reversed_by, stuck_after=stuck_after)
    game = Game(
        id=shuffle.pk,
        table=table,
        number=shuffle.number,
        rules_data=rules_to_data(rules),
        secret=shuffle.secret,
        commitment=shuffle.commitment,
        started=now,
        moved=now,
        due=now,
        **mixture,
    )
    game.turn = Play(game.rules, game.first_dealer, packs_of(game)).turn
    game.save(force_insert=True)
    players = {seat.position: seat.player_id for seat in seats if seat.player_id is not None}
    if len(players) < len(seats):
        free = next(seat.position for seat in seats if seat.player_id is None)
        raise ValueError(f"Seat {free} is free.")
    GameSeat.objects.bulk_create(
        GameSeat(game=game, position=position, player_id=player)
        for position, player in players.items()
    )
    shuffle.delete()
    _set_state(table, Table.State.PLAYING)


def _set_state(table: Table, state: Table.State) -> None:
    if table.state != state:
        table.state = state
        table.save(update_fields=["state"])
