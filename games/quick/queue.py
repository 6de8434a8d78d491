"""The queue for quick games: rows, which every process sees.

Whoever presses "Play now" is matched at once with a table that is playing, else waits for
``QUICK_GATHER`` seconds for others who press, and then sits down with them and the house. Their
page asks for the next step; the tick does it for everybody, so that it happens without the page.
A row and then its table's are locked, in this order.
"""

import random
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import structlog
from django.conf import settings
from django.db import DatabaseError, transaction
from django.db.models import Count, Prefetch, Q, QuerySet
from django.utils.crypto import salted_hmac

from games.engine.rules import RULE_SETS, RuleSet, rules_to_data
from games.models import Player, Seat, SeatRequest, Seeker, Table
from games.models.tables import BEGUN, PATIENCE
from games.people import avoiding
from games.people.traces import Origin
from games.quick import arrivals, company, matching
from games.quick.matching import Apart, Offer
from games.seats import seating
from games.seats.seating import Newcomer, SeatingError

log = structlog.get_logger(__name__)

#: How long somebody waits for the end of a hand; then the house makes up a table of their own.
HAND_WITHIN: Final = timedelta(seconds=60)
#: Whoever has not asked for this time has gone.
GONE_AFTER: Final = timedelta(seconds=15)
#: How often it is stored that somebody is still there.
SEEN_EVERY: Final = timedelta(seconds=5)
SALT: Final = "games.quick"
_chance: Final = random.SystemRandom()


@dataclass(frozen=True, slots=True)
class Wish:
    """What a person would like to play; turn_seconds: the pace."""

    rules: RuleSet
    turn_seconds: int


def join(
    player: Player, wish: Wish, where: Origin, now: datetime, *, throws_in: bool = False
) -> Table | None:
    """Put a player into the queue, and return the table where they sit already, if any.

    A second wish replaces the first.
    """
    with transaction.atomic():
        Player.objects.select_for_update().get(pk=player.pk)
        table = seated_at(player, wish)
        if table is not None:
            return table
        old = Seeker.objects.select_for_update().filter(player=player).first()
        known = (wish.rules.key, wish.turn_seconds)
        if old is not None and (old.rules, old.turn_seconds) == known:
            return None
        if old is not None:
            _withdraw(old)
            old.delete()
        Seeker.objects.create(
            player=player,
            rules=wish.rules.key,
            turn_seconds=wish.turn_seconds,
            throws_in=throws_in,
            since=now,
            seen=now,
            due=now + _gather(),
            session=_digest(where.session),
            address=_digest(where.address),
        )
    return None


def look(player: Player, where: Origin, now: datetime) -> Table | None:
    """Do a player's next step, and return the table at which they have got a seat, if any."""
    mine = Seeker.objects.filter(player=player).first()
    if mine is None:
        return seated_at(player)
    if mine.table_id is not None and _still_asked(mine, now) and now - mine.seen < SEEN_EVERY:
        return None
    with transaction.atomic():
        mine = Seeker.objects.select_for_update().filter(player=player).first()
        if mine is None:
            return seated_at(player)
        mine.seen = now
        if mine.table_id is not None and not _still_asked(mine, now):
            if Seat.objects.filter(table=mine.table_id, player=player).exists():
                mine.delete()
                return seated_at(player)
            _give_up(mine, now)
        if mine.table_id is None and now - mine.since < HAND_WITHIN:
            _ask_a_table(mine, player, where, now)
        mine.save()
    if mine.table_id is None:
        open_tables(now)
    return seated_at(player) if not Seeker.objects.filter(player=player).exists() else None


def start_now(player: Player, now: datetime) -> None:
    """Let a player in the queue wait no longer: the house takes the seats that are free."""
    with transaction.atomic():
        mine = Seeker.objects.select_for_update().filter(player=player).first()
        if mine is None:
            return
        _withdraw(mine)
        mine.table, mine.since, mine.due = None, min(mine.since, now - _gather()), now
        mine.save()
    open_tables(now)


def leave(player: Player) -> None:
    """Take a player out of the queue; repeating it is harmless."""
    with transaction.atomic():
        mine = Seeker.objects.select_for_update().filter(player=player).first()
        if mine is not None:
            _withdraw(mine)
            mine.delete()


def seat_waiting(now: datetime) -> None:
    """Do what is due for everybody in the queue; safe to run twice, late or concurrently."""
    with transaction.atomic():
        gone = Seeker.objects.select_for_update().filter(seen__lt=now - GONE_AFTER)
        for one in gone:
            _withdraw(one)
            one.delete()
    arrivals.seat_all(now)
    if Seeker.objects.filter(table=None).exists():
        open_tables(now)


def open_tables(now: datetime) -> None:
    """Open new tables for those who have waited long enough; a failure holds up no other table."""
    with transaction.atomic():
        pools: dict[tuple[str, int], list[Seeker]] = {}
        waiting = Seeker.objects.select_for_update(of=("self",)).filter(table=None)
        for one in waiting.select_related("player").order_by("since", "pk"):
            pools.setdefault((one.rules, one.turn_seconds), []).append(one)
        for (key, turn_seconds), seekers in pools.items():
            wish = Wish(RULE_SETS[key], turn_seconds)
            known = {one.player_id: one for one in seekers}
            queue = _queue(wish, seekers, now)
            apart, patience = _apart(known.values()), _gather().total_seconds()
            for group in matching.gather(queue, wish.rules.players, patience, apart):
                _open(wish, [known[player] for player in group])


def _gather() -> timedelta:
    return timedelta(seconds=settings.QUICK_GATHER)


def seated_at(player: Player, wish: Wish | None = None) -> Table | None:
    """Return the quick game, of a wish if given, in which a player has a seat."""
    tables = Table.objects.filter(quick=True, state__in=BEGUN, seats__player=player)
    if wish is not None:
        tables = tables.filter(rules_data=rules_to_data(wish.rules), turn_seconds=wish.turn_seconds)
    return tables.order_by("-pk").first()


def _open(wish: Wish, seekers: list[Seeker]) -> None:
    first, *others = seekers
    free = [place for place in range(wish.rules.players) if place != wish.rules.players // 2]
    _chance.shuffle(free)
    beside = [
        Newcomer(one.player, place, one.throws_in) for one, place in zip(others, free, strict=False)
    ]
    try:
        with transaction.atomic():
            seating.play_now(
                first.player,
                wish.rules,
                throws_in=first.throws_in,
                turn_seconds=wish.turn_seconds,
                beside=beside,
            )
            Seeker.objects.filter(pk__in=[one.pk for one in seekers]).delete()
    except DatabaseError:
        raise
    except Exception:
        log.exception("quick game not opened")


def _ask_a_table(mine: Seeker, player: Player, where: Origin, now: datetime) -> None:
    """Ask the best of the tables that fit; those that refuse a seat are passed over."""
    wish = Wish(RULE_SETS[mine.rules], mine.turn_seconds)
    offers = _offers(wish, now, mine.passed_over)
    everybody = {player.pk, *(one for offer in offers for one in offer.people)}
    apart = avoiding.apart_among(everybody)
    newcomer = matching.Player(
        player.pk,
        company.ratings_of([player.pk], wish.rules)[player.pk],
        met=company.met(everybody, now)[player.pk] if offers else {},
    )
    while offer := matching.choose_table(newcomer, offers, apart):
        table = Table(pk=offer.table)
        try:
            with seating.held_table(table) as held:
                arrivals.ask(held, player, where.at(held), now)
        except SeatingError:
            mine.passed_over = [*mine.passed_over, offer.table]
            offers = [one for one in offers if one.table != offer.table]
        else:
            mine.table_id, mine.asked, mine.due = offer.table, now, now + HAND_WITHIN
            return


def _offers(wish: Wish, now: datetime, passed_over: Collection[int]) -> list[Offer]:
    here = Q(
        seats__player__kind=Player.Kind.PERSON,
        seats__missing_since=None,
        seats__stand_in=False,
        seats__last_seen__gt=now - PATIENCE,
    )
    tables = (
        Table.objects.filter(
            quick=True,
            open=True,
            state=Table.State.PLAYING,
            rules_data=rules_to_data(wish.rules),
            turn_seconds=wish.turn_seconds,
        )
        .exclude(pk__in=passed_over)
        .annotate(here=Count("seats", filter=here))
        .filter(here__gt=0)
        .prefetch_related(
            Prefetch("seats", Seat.objects.select_related("player")),
            Prefetch("requests", arrivals.awaited(now), to_attr="coming"),
        )
    )
    playing = {table.pk: _people(table) for table in tables}
    if not playing:
        return []
    everybody = {one for people, _ in playing.values() for one in people}
    ratings = company.ratings_of(everybody, wish.rules)
    ends_in = company.ends_in(playing.keys(), now)
    return [
        Offer(table, {one: ratings[one] for one in people}, free, ends_in[table])
        for table, (people, free) in playing.items()
        if table in ends_in
    ]


def _people(table: Table) -> tuple[list[int], int]:
    """Return the people who sit at a table or are to, and how many seats are free."""
    coming: list[SeatRequest] = table.coming  # type: ignore[attr-defined]
    players = [seat.player for seat in table.seats.all() if seat.player is not None]
    people = [one.pk for one in players if not one.house] + [one.player_id for one in coming]
    return people, sum(one.house for one in players) - len(coming)


def _queue(wish: Wish, seekers: Collection[Seeker], now: datetime) -> list[matching.Player]:
    players = [one.player_id for one in seekers]
    ratings, met = company.ratings_of(players, wish.rules), company.met(players, now)
    return [
        matching.Player(
            one.player_id,
            ratings[one.player_id],
            (now - one.since).total_seconds(),
            met[one.player_id],
        )
        for one in seekers
    ]


def _still_asked(mine: Seeker, now: datetime) -> bool:
    if mine.asked is None or now - mine.asked >= HAND_WITHIN:
        return False
    asked: QuerySet[SeatRequest] = arrivals.awaited(now)
    return asked.filter(
        table=mine.table_id, player=mine.player_id, table__state=Table.State.PLAYING
    ).exists()


def _give_up(mine: Seeker, now: datetime) -> None:
    """Pass over the table that was asked; its players have refused, or it took too long."""
    _withdraw(mine)
    mine.passed_over = [*mine.passed_over, mine.table_id]
    mine.table, mine.asked, mine.due = None, None, now


def _withdraw(mine: Seeker) -> None:
    """Withdraw a request that has not been answered; a refusal stays."""
    if mine.table_id is not None:
        with seating.held_table(Table(pk=mine.table_id)) as held:
            held.requests.filter(player=mine.player_id, refused=False).delete()


def _apart(seekers: Iterable[Seeker]) -> Apart:
    """Return who must not sit together: those who avoid each other, or may be one person.

    One person would see two hands.
    """
    known = {one.player_id: one for one in seekers}
    avoided = avoiding.apart_among(known.keys())

    def apart(player: int, other: int) -> bool:
        one, two = known[player], known[other]
        guest = one.player.guest or two.player.guest
        same_browser = one.session != "" and one.session == two.session
        same_address = one.address != "" and one.address == two.address
        return avoided(player, other) or same_browser or (guest and same_address)

    return apart


def _digest(value: str) -> str:
    return salted_hmac(SALT, value, algorithm="sha256").hexdigest() if value else ""
