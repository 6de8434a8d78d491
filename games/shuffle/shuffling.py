"""The shuffle for a table's next game, from the server's commitment to the first deal.

The server commits to a secret when the table is created, and browsers commit to a number as their
players sit down. Once all seats are taken the commitments are frozen and shown to all; the
browsers then reveal their numbers, which stay hidden until all are in. A seat that is late, sends
a wrong number or has no browser contributes nothing. See docs/fairness.md.
"""

from __future__ import annotations

import secrets
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

import structlog
from django.core.exceptions import ImproperlyConfigured
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from games.engine import shuffle as euf1
from games.engine.game import Game as Play
from games.engine.rules import STUCK_AFTER, RuleSet, rules_to_data
from games.models import Contribution, Game, GameSeat, LogLine, Player, Seat, Shuffle, Table
from games.shuffle import public_log
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
        promised = euf1.commit_seat(match.bytes, bytes(shuffle.commitment), mine.position, number)
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
    lost.
    """
    dropped = list(Shuffle.objects.filter(table__in=tables))
    for shuffle in dropped:
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
    shuffle = table.shuffles.filter(pk=match).first()
    if shuffle is None:
        raise ShuffleError("This table has no such shuffle, or its game has begun.")
    return table, shuffle


def _new(table: Table, number: int) -> Shuffle:
    secret = secrets.token_bytes(euf1.SECRET_SIZE)
    match = uuid.uuid4()
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
    )


def _advance(table: Table, shuffle: Shuffle, now: datetime) -> bool:
    """Freeze the commitments or start the game if it is time; return True if anything changed."""
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


def _rules_of_game(rules: RuleSet, shuffle: Shuffle) -> RuleSet:
    stuck_after = STUCK_AFTER if rules.deal_stays else 0
    return replace(rules, reversed_by=shuffle.reversed_by, stuck_after=stuck_after)


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
    commitment, secret = bytes(shuffle.commitment), unseal(shuffle.secret)
    shuffle_id = shuffle.pk
    mixed = euf1.mix(shuffle_id.bytes, commitment, commitments, numbers)
    game = Game(
        id=shuffle_id,
        table=table,
        number=shuffle.number,
        rules_data=rules_to_data(_rules_of_game(table.rules, shuffle)),
        secret=shuffle.secret,
        commitment=commitment,
        seat_commitments=b"".join(commitments),
        contributions=b"".join(numbers),
        mixed=mixed,
        first_dealer=euf1.first_dealer(secret, mixed, len(seats)),
        started=now,
        moved=now,
        due=now,
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
    data = {
        "commitments": [one.hex() for one in commitments],
        "contributions": [one.hex() for one in numbers],
        "flags": euf1.flags(shuffle_id.bytes, commitment, commitments, numbers),
        "mixed": mixed.hex(),
    }
    public_log.append([(game.pk, LogLine.Kind.STARTED, data)])


def _set_state(table: Table, state: Table.State) -> None:
    if table.state != state:
        table.state = state
        table.save(update_fields=["state"])
