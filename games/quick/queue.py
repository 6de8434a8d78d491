"""The queue for quick games: rows, which every process sees.

Whoever presses "Play now" is matched at once with a table that is playing, else waits for
``QUICK_GATHER`` seconds for others who press, and then sits down with them and the house. Their
page asks for the next step; the tick does it for everybody, so that it happens without the page.
A row and then its table's are locked, in this order, and no transaction locks two tables.

Whoever wants a rated game waits until enough people do: it has no house players and no newcomers
(`games.quick.rated_tables`).
"""

import random
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from heapq import nsmallest
from typing import Final, TypeAlias

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet
from django.utils.crypto import salted_hmac

from games.engine.rules import RULE_SETS, RuleSet, rules_to_data
from games.exclusive_tasks import failing_alone
from games.models import Player, Seat, SeatRequest, Seeker, Table, Trace
from games.models.tables import BEGUN, PATIENCE
from games.people import avoiding
from games.people.traces import Origin
from games.quick import arrivals, company, matching, rated_tables
from games.quick.matching import Apart, QuickOffer
from games.seats import seating
from games.seats.seating import Newcomer, SeatingError

log = structlog.get_logger(__name__)

#: How long somebody waits for the end of a hand; then the house makes up a table of their own.
HAND_WITHIN: Final = timedelta(seconds=60)
#: Whoever has not asked for this time has gone.
GONE_AFTER: Final = timedelta(seconds=15)
#: Whoever wants a rated game keeps their place for this time without asking, since browsers slow
#: down pages in the background; they get a seat only if they asked within `HERE_WITHIN`.
RATED_GONE_AFTER: Final = timedelta(seconds=90)
HERE_WITHIN: Final = timedelta(seconds=10)
#: How often it is stored that somebody is still there.
SEEN_EVERY: Final = timedelta(seconds=5)
#: How many tables that are playing are weighed for a newcomer.
OFFERS: Final = 40
#: How long after the press a page's steps look for a table that is playing.
AT_FIRST: Final = timedelta(seconds=1.5)
SALT: Final = "games.quick"
_chance: Final = random.SystemRandom()


@dataclass(frozen=True, slots=True)
class QuickWish:
    """What a person would like to play; turn_seconds: the pace."""

    rules: RuleSet
    turn_seconds: int
    rated: bool = False

    @property
    def key(self) -> tuple[str, int, bool]:
        return self.rules.key, self.turn_seconds, self.rated


def join(
    player: Player, wish: QuickWish, where: Origin, now: datetime, *, throws_in: bool = False
) -> Table | None:
    """Put a player into the queue, and return the table where they sit already, if any.

    A second wish replaces the first. A seat at a quick game that is over becomes free. A rated wish
    is only for players with an account; during a rated game they are led back to it.
    """
    table = seated_at(player, wish)
    if table is not None:
        return table
    with transaction.atomic():
        wanted = {
            "rules": wish.rules.key,
            "turn_seconds": wish.turn_seconds,
            "rated": wish.rated,
            "throws_in": throws_in,
            "since": now,
            "seen": now,
            "due": now + gather_for(),
            **digests(where)._asdict(),
        }
        mine, new = Seeker.objects.select_for_update().get_or_create(wanted, player=player)
        table = seated_at(player, wish) if new else None
        if table is not None:  # they have got a seat at this moment
            mine.delete()
            return table
        if not new and _key(mine) != wish.key:
            seated = _withdraw(mine)
            mine.delete()
            if seated:
                return seated_at(player)
            Seeker.objects.create(player=player, **wanted)
    leave_finished(player)
    return None


def look(player: Player, where: Origin, now: datetime) -> Table | None:
    """Do a player's next step, and return the table at which they have got a seat, if any."""
    _, table = advance(player, where, now)
    return table


def advance(player: Player, where: Origin, now: datetime) -> tuple[Seeker | None, Table | None]:
    """Do a player's next step; return their row while they wait, then the table of their seat.

    Where nothing is due it only reads, since every page asks again and again.
    """
    mine = _row(player)
    if mine is None:
        return None, seated_at(player)
    if not _rests(mine, now):
        _step(player, where, now)
        mine = _row(player)
    elif mine.table_id is None and not mine.rated and now - mine.since < AT_FIRST:
        _ask(player, where, now)
        mine = _row(player)
    if mine is not None and _may_start(mine, now):
        open_tables(now)
        mine = _row(player)
    return mine, seated_at(player) if mine is None else None


def _row(player: Player) -> Seeker | None:
    return Seeker.objects.select_related("table").filter(player=player).first()


def _rests(mine: Seeker, now: datetime) -> bool:
    """Return True if a step would change nothing in a row, not even when its player was here."""
    if now - mine.seen >= SEEN_EVERY:
        return False
    return mine.table_id is None or _still_asked(mine, now)


def start_now(player: Player, now: datetime) -> None:
    """Let a player in the queue wait no longer: the house takes the seats that are free.

    Whoever has been given a seat at this moment keeps it. Does nothing for a rated game.
    """
    with transaction.atomic():
        mine = _locked(player)
        if mine is None or mine.rated:
            return
        if _withdraw(mine):
            mine.delete()
            return
        mine.table, mine.since, mine.due = None, min(mine.since, now - gather_for()), now
        mine.save()
    open_tables(now)


def play_friendly(player: Player, now: datetime) -> None:
    """Turn a wish for a rated game into one for a friendly game; harmless without such a wish."""
    with transaction.atomic():
        mine = _locked(player)
        if mine is not None and mine.rated:
            mine.rated, mine.since, mine.seen, mine.due = False, now, now, now + gather_for()
            mine.save()


def others_waiting(mine: Seeker, now: datetime) -> int:
    """Return how many other people wait for the same rated game."""
    return _same(mine).filter(seen__gt=now - RATED_GONE_AFTER).exclude(pk=mine.pk).count()


def near_waiting(mine: Seeker, now: datetime) -> bool:
    """Return whether somebody at the same address waits for the same rated game for two."""
    if not _by_address(RULE_SETS[mine.rules], rated=mine.rated) or not mine.address:
        return False
    here = _same(mine).filter(seen__gt=now - RATED_GONE_AFTER, address=mine.address)
    return here.exclude(pk=mine.pk).exists()


def kept_apart_from(mine: Seeker, where: Origin, now: datetime) -> bool:
    """Return whether somebody at one's address plays this friendly game, but never at one's table.

    Where one of two is a guest they may be one person. It says no more: not who, nor how many.
    """
    if mine.rated or not mine.address:
        return False
    guests = {} if mine.player.guest else {"player__user": None}
    waiting = _same(mine).filter(
        seen__gt=now - GONE_AFTER, address=mine.address, player__kind=Player.Kind.PERSON, **guests
    )
    if waiting.exclude(pk=mine.pk).exclude(session=mine.session).exists():
        return True
    wish = QuickWish(RULE_SETS[mine.rules], mine.turn_seconds)
    tables = Table.objects.filter(
        quick=True, state=Table.State.PLAYING, rules_data=rules_to_data(wish.rules)
    )
    playing = list(tables.order_by("-pk")[:OFFERS])
    here = [where.at(table) for table in playing]
    # Traces are found by their tables: by the guests they would be looked up for each ever seen.
    digests = {digest for one in here for digest in one}
    seen = Trace.objects.filter(table__in=playing, digest__in=digests)
    rows = list(seen.order_by().values_list("player", "digest", "player__user"))
    sessions, addresses = {one.session for one in here}, {one.address for one in here}
    in_this_browser = {player for player, digest, _user in rows if digest in sessions}
    return any(
        digest in addresses
        and player not in {mine.player_id, *in_this_browser}
        and (mine.player.guest or user is None)
        for player, digest, user in rows
    )


def leave(player: Player) -> Table | None:
    """Take a player out of the queue, and return the table at which they have got a seat, if any.

    Repeating it is harmless.
    """
    return seated_at(player) if _drop(player) else None


def seat_waiting(now: datetime) -> None:
    """Do what is due for everybody in the queue; safe to run twice, late or concurrently."""
    gone = Seeker.objects.filter(
        Q(rated=False, seen__lt=now - GONE_AFTER) | Q(seen__lt=now - RATED_GONE_AFTER)
    )
    for player in list(Player.objects.filter(seeker__in=gone)):
        _drop(player, gone)
    arrivals.seat_all(now)
    if Seeker.objects.filter(table=None).exists():
        open_tables(now)
    rated_tables.close_over(now)


def open_tables(now: datetime) -> None:
    """Open new tables for those who have waited long enough; a failure holds up no other table.

    Groups are found without locks. Each group then locks its rows; if one of them has changed
    meanwhile or is locked by another process, a later call does what is still due.
    """
    pools: dict[tuple[str, int, bool], list[Seeker]] = {}
    here = Q(rated=False) | Q(seen__gt=now - HERE_WITHIN, player__user__is_active=True)
    waiting = Seeker.objects.filter(here, table=None).select_related("player")
    for one in waiting.order_by("since", "pk"):
        pools.setdefault(_key(one), []).append(one)
    for (key, turn_seconds, rated), seekers in pools.items():
        wish = QuickWish(RULE_SETS[key], turn_seconds, rated)
        if rated and len(seekers) < wish.rules.players:
            continue
        apart = _apart(seekers, _by_address(wish.rules, rated=rated))
        for group in _groups(wish, _queue(wish, seekers, now), apart):
            _open(wish, group)


def _groups(
    wish: QuickWish, queue: list[matching.QuickPlayer], apart: Apart
) -> list[tuple[int, ...]]:
    seats = wish.rules.players
    if wish.rated:
        return matching.full_groups(queue, seats, apart)
    return matching.gather(queue, seats, gather_for().total_seconds(), apart)


def _same(mine: Seeker) -> QuerySet[Seeker]:
    """Return the rows that wait for the same game."""
    return Seeker.objects.filter(
        table=None, rules=mine.rules, turn_seconds=mine.turn_seconds, rated=mine.rated
    )


def _key(mine: Seeker) -> tuple[str, int, bool]:
    return mine.rules, mine.turn_seconds, mine.rated


def gather_for() -> timedelta:
    return timedelta(seconds=settings.QUICK_GATHER)


def seated_at(player: Player, wish: QuickWish | None = None) -> Table | None:
    """Return the quick game, of a wish if given, in which a player has a seat.

    For a rated wish it is any rated game: nobody plays two at once.
    """
    tables = Table.objects.filter(Q(quick=True) | Q(rated=True), state__in=BEGUN)
    tables = tables.filter(seats__player=player)
    if wish is not None and wish.rated:
        tables = tables.filter(rated=True)
    elif wish is not None:
        tables = tables.filter(
            quick=True, rules_data=rules_to_data(wish.rules), turn_seconds=wish.turn_seconds
        )
    return tables.order_by("-pk").first()


def _may_start(mine: Seeker, now: datetime) -> bool:
    """Return True if a new table for a row is due, or there may be enough people for one."""
    seats = RULE_SETS[mine.rules].players
    due = mine.due <= now and not mine.rated
    return mine.table_id is None and (due or _same(mine).count() >= seats)


def _step(player: Player, where: Origin, now: datetime) -> None:
    """Record that a player is still here, and ask a table if none is asked.

    Only the first steps and one after a refusal look for a table: a new one is opened two seconds
    after the press, and hardly another could begin to fit before.
    """
    with transaction.atomic():
        mine = _locked(player)
        if mine is None:
            return
        looks = now - mine.since < AT_FIRST
        mine.seen = now
        if mine.table_id is not None and not _still_asked(mine, now):
            if _withdraw(mine):
                mine.delete()
                return
            looks = True
            mine.passed_over = [*mine.passed_over, mine.table_id]
            mine.table, mine.asked, mine.due = None, None, now
        mine.save()
    if looks and not mine.rated and now - mine.since < HAND_WITHIN:
        _ask(player, where, now)


def _ask(player: Player, where: Origin, now: datetime) -> None:
    """Ask the best of the tables that fit, which are found before anything is locked."""
    mine = _row(player)
    if mine is None or not _may_ask(mine):
        return
    newcomer, offers, apart = _tables_for(mine, now)
    if not offers:
        return
    with transaction.atomic():
        locked = _locked(player)
        if locked == mine and _may_ask(locked) and _key(locked) == _key(mine):
            _ask_a_table(locked, player, where, now, (newcomer, offers, apart))
            locked.save()


def _may_ask(mine: Seeker) -> bool:
    return mine.table_id is None and not mine.rated


def _locked(player: Player) -> Seeker | None:
    return Seeker.objects.select_for_update().filter(player=player).first()


def _open(wish: QuickWish, planned: Collection[int]) -> None:
    """Open a table for players, unless one of their rows has changed meanwhile."""
    with failing_alone(log, "quick game not opened"), transaction.atomic():
        seekers = list(
            Seeker.objects.select_for_update(of=("self",), skip_locked=True)
            .select_related("player")
            .filter(
                player__in=planned,
                table=None,
                rules=wish.rules.key,
                turn_seconds=wish.turn_seconds,
                rated=wish.rated,
            )
            .order_by("since", "pk")
        )
        playing = _playing_rated(planned) if wish.rated else set()
        if playing:  # a press that came twice
            Seeker.objects.filter(
                pk__in=[one.pk for one in seekers if one.player_id in playing]
            ).delete()
        elif len(seekers) == len(planned):
            if wish.rated:
                rated_tables.open_table(wish.rules, wish.turn_seconds, seekers)
            else:
                _seat_together(wish, seekers)
            Seeker.objects.filter(pk__in=[one.pk for one in seekers]).delete()


def _playing_rated(players: Collection[int]) -> set[int]:
    seats = Seat.objects.filter(player__in=players, table__rated=True, table__state__in=BEGUN)
    return {one for one in seats.values_list("player", flat=True) if one is not None}


def _seat_together(wish: QuickWish, seekers: Sequence[Seeker]) -> None:
    first, *others = seekers
    places = [place for place in range(wish.rules.players) if place != wish.rules.players // 2]
    _chance.shuffle(places)
    seating.play_now(
        first.player,
        wish.rules,
        throws_in=first.throws_in,
        turn_seconds=wish.turn_seconds,
        beside=[
            Newcomer(one.player, place, one.throws_in)
            for one, place in zip(others, places, strict=False)
        ],
    )


#: What the matching rule weighs for a newcomer.
_Weighed: TypeAlias = tuple[matching.QuickPlayer, list[QuickOffer], Apart]


def _tables_for(mine: Seeker, now: datetime) -> _Weighed:
    wish, player = QuickWish(RULE_SETS[mine.rules], mine.turn_seconds), mine.player_id
    offers = _offers(wish, now, mine.passed_over)
    everybody = {player, *(one for offer in offers for one in offer.people)}
    ratings = company.ratings_of([player], wish.rules)
    met = {player: company.met_by(player, everybody, now) if offers else {}}
    return _newcomer(mine, ratings, met, now), offers, avoiding.apart_among(everybody)


def _ask_a_table(
    mine: Seeker, player: Player, where: Origin, now: datetime, found: _Weighed
) -> None:
    """Ask the best of the tables found; those that refuse a seat are passed over."""
    newcomer, offers, apart = found
    while offer := matching.choose_table(newcomer, offers, apart):
        try:
            with seating.held_table(Table(pk=offer.table)) as held:
                arrivals.ask(held, player, where.at(held), now)
        except SeatingError:
            mine.passed_over = [*mine.passed_over, offer.table]
            offers = [one for one in offers if one.table != offer.table]
        else:
            mine.table_id, mine.asked, mine.due = offer.table, now, now + HAND_WITHIN
            return


def _offers(wish: QuickWish, now: datetime, passed_over: Collection[int]) -> list[QuickOffer]:
    """Return the tables with free seats whose hands end soon, at most `OFFERS` of them."""
    people = Seat.objects.filter(table=OuterRef("pk"), player__kind=Player.Kind.PERSON)
    playing = Table.objects.filter(
        Exists(Seat.objects.filter(table=OuterRef("pk"), player__kind=Player.Kind.HOUSE)),
        Exists(people.filter(missing_since=None, stand_in=False, last_seen__gt=now - PATIENCE)),
        ~Exists(arrivals.unseen(people)),
        quick=True,
        open=True,
        state=Table.State.PLAYING,
        rules_data=rules_to_data(wish.rules),
        turn_seconds=wish.turn_seconds,
    ).exclude(pk__in=passed_over)
    ends_in = company.ends_in(playing.values_list("pk", flat=True), now)
    soon = [table for table, seconds in ends_in.items() if seconds <= matching.WEIGHTS.most]
    tables = Table.objects.filter(
        pk__in=nsmallest(OFFERS, soon, key=lambda table: (ends_in[table], table))
    ).prefetch_related(
        Prefetch("seats", Seat.objects.select_related("player")),
        Prefetch("requests", arrivals.awaited(now), to_attr="coming"),
    )
    known = {table: _people(table) for table in tables}
    ratings = company.ratings_of({one for among in known.values() for one in among}, wish.rules)
    offers = []
    for table, among in known.items():
        free = arrivals.free_seats(table.seats.all(), table.coming)
        rated = {one: ratings[one] for one in among}
        offers.append(QuickOffer(table.pk, rated, len(free), ends_in[table.pk]))
    return offers


def _people(table: Table) -> list[int]:
    """Return the people who sit at a table or are to."""
    coming: list[SeatRequest] = table.coming  # type: ignore[attr-defined]
    players = [seat.player for seat in table.seats.all() if seat.player is not None]
    return [one.pk for one in players if not one.house] + [one.player_id for one in coming]


def _queue(
    wish: QuickWish, seekers: Collection[Seeker], now: datetime
) -> list[matching.QuickPlayer]:
    players = [one.player_id for one in seekers]
    ratings, met = company.ratings_of(players, wish.rules), company.met(players, now)
    return [_newcomer(one, ratings, met, now) for one in seekers]


def _newcomer(
    mine: Seeker,
    ratings: Mapping[int, float],
    met: Mapping[int, Mapping[int, int]],
    now: datetime,
) -> matching.QuickPlayer:
    """Return a row as the matching rule sees it."""
    player, waited = mine.player_id, (now - mine.since).total_seconds()
    return matching.QuickPlayer(player, ratings[player], waited, met[player])


def _still_asked(mine: Seeker, now: datetime) -> bool:
    """Return True if the table asked may still let a player in."""
    if mine.asked is None or now - mine.asked >= HAND_WITHIN:
        return False
    asked: QuerySet[SeatRequest] = arrivals.awaited(now).filter(player=mine.player_id)
    return asked.filter(table=mine.table_id, table__state=Table.State.PLAYING).exists()


@transaction.atomic
def _drop(player: Player, among: QuerySet[Seeker] | None = None) -> bool:
    """Take a player out of the queue, if their row is there; return True if they have a seat.

    among: leave a row alone that is no longer one of these.
    """
    mine = _locked(player)
    if mine is None or (among is not None and not among.filter(player=player).exists()):
        return False
    seated = _withdraw(mine)
    mine.delete()
    return seated


def _withdraw(mine: Seeker) -> bool:
    """Withdraw a request that is still open; return True if it has been granted meanwhile.

    A refusal stays.
    """
    if mine.table_id is None:
        return False
    with seating.held_table(Table(pk=mine.table_id)) as held:
        held.requests.filter(player=mine.player_id, refused=False).delete()
        return held.seats.filter(player=mine.player_id).exists()


def leave_finished(player: Player) -> None:
    """Give up seats at quick games that are over, so that the next game there has no absent one."""
    over = Table.objects.filter(quick=True, state=Table.State.FINISHED, seats__player=player)
    for table in over:
        with suppress(SeatingError), seating.held_table(table) as held:
            if held.state == Table.State.FINISHED:
                seating.stand_up(held, player)


def _by_address(rules: RuleSet, *, rated: bool) -> bool:
    """Return whether accounts at one address are kept apart: one person could have both."""
    return rated and rules.players == 2 and settings.RATING_ADDRESS_MATCHES > 0


def _apart(seekers: Iterable[Seeker], by_address: bool) -> Apart:
    """Return who must not sit together: those who avoid each other, or may be one person.

    One person would see two hands. by_address: whether all at one address are, not only guests.
    """
    known = {one.player_id: one for one in seekers}
    avoided = avoiding.apart_among(known.keys())

    def apart(player: int, other: int) -> bool:
        one, two = known[player], known[other]
        strict = by_address or one.player.guest or two.player.guest
        same_browser = one.session != "" and one.session == two.session
        same_address = one.address != "" and one.address == two.address
        return avoided(player, other) or same_browser or (strict and same_address)

    return apart


def digests(where: Origin) -> Origin:
    return Origin(_digest(where.session), _digest(where.address))


def _digest(value: str) -> str:
    return salted_hmac(SALT, value, algorithm="sha256").hexdigest() if value else ""
