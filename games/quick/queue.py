"""The queue for quick games: rows, which every process sees.

Whoever presses "Play now" is matched at once with a table that is playing, else waits for
``QUICK_GATHER`` seconds for others who press, and then sits down with them and the house. Their
page asks for the next step; the tick does it for everybody, so that it happens without the page.
A row and then its table's are locked, in this order, and no transaction locks two tables.

Partners (`games.quick.pairs`) have a row each and are one party in all steps: `_party` locks their
pair and then both rows, in the order of their players. Both sit down, or neither.

Whoever wants a rated game waits until enough people do: it has no house players and no newcomers
(`games.quick.rated_tables`).
"""

import random
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from heapq import nsmallest
from typing import Final, NamedTuple

import structlog
from django.conf import settings
from django.db import DatabaseError, transaction
from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet
from django.utils.crypto import salted_hmac

from games.engine.rules import RULE_SETS, RuleSet, rules_to_data
from games.models import Pair, Player, Seat, SeatRequest, Seeker, Table, Trace
from games.models.tables import BEGUN, PATIENCE
from games.people import avoiding
from games.people.traces import Origin
from games.quick import arrivals, company, matching, rated_tables
from games.quick.matching import Apart, Offer
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
#: Partners keep their place for as long; for a friendly game both must have asked within this time.
PAIR_HERE_WITHIN: Final = timedelta(seconds=30)
#: How often it is stored that somebody is still there.
SEEN_EVERY: Final = timedelta(seconds=5)
#: How many tables that are playing are weighed for a newcomer.
OFFERS: Final = 40
#: How long after the press a page's steps look for a table that is playing.
AT_FIRST: Final = timedelta(seconds=1.5)
SALT: Final = "games.quick"
_chance: Final = random.SystemRandom()


@dataclass(frozen=True, slots=True)
class Wish:
    """What a person would like to play; turn_seconds: the pace."""

    rules: RuleSet
    turn_seconds: int
    rated: bool = False

    @property
    def key(self) -> tuple[str, int, bool]:
        return self.rules.key, self.turn_seconds, self.rated


def join(
    player: Player, wish: Wish, where: Origin, now: datetime, *, throws_in: bool = False
) -> Table | None:
    """Put a player into the queue, and return the table where they sit already, if any.

    A second wish replaces the first, and ends a search with a partner. A seat at a quick game that
    is over becomes free. A rated wish is only for players with an account; during a rated game they
    are led back to it.
    """
    if Seeker.objects.filter(player=player, pair__isnull=False).exists():
        leave(player)
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
        if mine.pair_id is not None:  # a partner has said yes at this moment
            return None
        table = seated_at(player, wish) if new else None
        if table is not None:  # they have got a seat at this moment
            mine.delete()
            return table
        if not new and _key(mine) != wish.key:
            seated = _withdraw([mine])
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
    rows = Seeker.objects.select_related("table", "pair__by", "pair__to")
    return rows.filter(player=player).first()


def _rests(mine: Seeker, now: datetime) -> bool:
    """Return True if a step would change nothing in a row, not even when its player was here."""
    if mine.pair_id is not None or now - mine.seen >= SEEN_EVERY:
        return False
    return mine.table_id is None or _still_asked(mine, now)


def start_now(player: Player, now: datetime) -> None:
    """Let a player in the queue wait no longer: the house takes the seats that are free.

    Whoever has been given a seat at this moment keeps it. Does nothing for a rated game.
    """
    with transaction.atomic():
        party = _party(player)
        if not party or party[0].rated:
            return
        if _withdraw(party):
            _delete(party)
            return
        for one in party:
            one.table, one.since, one.due = None, min(one.since, now - gather_for()), now
            one.save()
    open_tables(now)


def play_friendly(player: Player, now: datetime) -> None:
    """Turn a wish for a rated game into one for a friendly game, for a partner too.

    Harmless without such a wish.
    """
    with transaction.atomic():
        for one in _party(player):
            if one.rated:
                one.rated, one.since, one.due = False, now, now + gather_for()
                one.seen = now if one.player_id == player.pk else one.seen
                one.save()


def others_waiting(mine: Seeker, now: datetime) -> int:
    """Return how many other people wait for the same rated game: partners, if one has a partner."""
    others = _same(mine).filter(seen__gt=now - RATED_GONE_AFTER).exclude(pk=mine.pk)
    return (others.exclude(pair=mine.pair_id) if mine.pair_id else others).count()


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
    others = waiting.exclude(pk=mine.pk).exclude(session=mine.session)
    if (others.exclude(pair=mine.pair_id) if mine.pair_id else others).exists():
        return True
    wish = Wish(RULE_SETS[mine.rules], mine.turn_seconds)
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


def partner_away(mine: Seeker, now: datetime) -> Player | None:
    """Return the partner if the table has to wait until their page is open again."""
    if mine.pair_id is None or mine.table_id is not None:
        return None
    away = Seeker.objects.filter(pair=mine.pair_id, seen__lte=now - _here_within(mine))
    other = away.exclude(pk=mine.pk).select_related("player").first()
    return other.player if other is not None else None


def leave(player: Player, *, alone: bool = False) -> Table | None:
    """Take a player out of the queue, and return the table at which they have got a seat, if any.

    A partner leaves it, too, and is told. alone: only whoever looks without one. Repeating it is
    harmless.
    """
    among = Seeker.objects.filter(pair=None) if alone else None
    return seated_at(player) if _drop(player, among) else None


def seat_waiting(now: datetime) -> None:
    """Do what is due for everybody in the queue; safe to run twice, late or concurrently."""
    gone = Seeker.objects.filter(
        Q(rated=False, pair=None, seen__lt=now - GONE_AFTER) | Q(seen__lt=now - RATED_GONE_AFTER)
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
    pools: dict[tuple[str, int, bool, bool], list[Seeker]] = {}
    here = (
        Q(rated=False, pair=None)
        | Q(rated=False, seen__gt=now - PAIR_HERE_WITHIN)
        | Q(seen__gt=now - HERE_WITHIN, player__user__is_active=True)
    )
    waiting = Seeker.objects.filter(here, table=None).select_related("player")
    for one in waiting.order_by("since", "pk"):
        pools.setdefault((*_key(one), _only_pairs(one)), []).append(one)
    for (key, turn_seconds, rated, _), seekers in pools.items():
        wish = Wish(RULE_SETS[key], turn_seconds, rated)
        if rated and len(seekers) < wish.rules.players:
            continue
        apart = _apart(seekers, _by_address(wish.rules, rated=rated))
        for group in _groups(wish, _queue(wish, seekers, apart, now), apart):
            _open(wish, {one.player_id: one.pair_id for one in seekers if one.player_id in group})


def _groups(wish: Wish, queue: list[matching.Player], apart: Apart) -> list[tuple[int, ...]]:
    seats = wish.rules.players
    if wish.rated:
        return matching.full_groups(queue, seats, apart)
    return matching.gather(queue, seats, gather_for().total_seconds(), apart)


def _only_pairs(mine: Seeker) -> bool:
    """Return True if only other partners are met: in rated games, where practice is an edge."""
    return mine.rated and mine.pair_id is not None


def _same(mine: Seeker) -> QuerySet[Seeker]:
    """Return the rows that wait for the same game."""
    same = Seeker.objects.filter(
        table=None, rules=mine.rules, turn_seconds=mine.turn_seconds, rated=mine.rated
    )
    return same.filter(pair__isnull=not _only_pairs(mine)) if mine.rated else same


def _here_within(mine: Seeker) -> timedelta:
    return HERE_WITHIN if mine.rated else PAIR_HERE_WITHIN


def _key(mine: Seeker) -> tuple[str, int, bool]:
    return mine.rules, mine.turn_seconds, mine.rated


def gather_for() -> timedelta:
    return timedelta(seconds=settings.QUICK_GATHER)


def seated_at(player: Player, wish: Wish | None = None) -> Table | None:
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
        party = _party(player)
        if not party:
            return
        mine = _own(party, player)
        looks = now - mine.since < AT_FIRST
        mine.seen = now
        if mine.table_id is not None and not _still_asked(mine, now):
            if _withdraw(party):
                _delete(party)
                return
            looks = True
            for one in party:
                one.passed_over = [*one.passed_over, mine.table_id]
                one.table, one.asked, one.due = None, None, now
        elif mine.pair_id is not None and mine.table_id is None and _all_here(party, now):
            for one in party:
                one.due = min(one.due, now + gather_for())
        for one in party:
            one.save()
    if mine.table_id is not None and mine.pair_id is not None:
        _ask_beside(player, where, now)
    elif looks and not mine.rated and now - mine.since < HAND_WITHIN:
        _ask(player, where, now)


def _ask(player: Player, where: Origin, now: datetime) -> None:
    """Ask the best of the tables that fit, which are found before anything is locked."""
    mine = _row(player)
    party = [] if mine is None else [mine]
    if mine is not None and mine.pair_id is not None:
        party = list(Seeker.objects.filter(pair=mine.pair_id).order_by("player"))
    if not _may_ask(party, now):
        return
    found = _tables_for(party, now)
    if not found.offers:
        return
    with transaction.atomic():
        locked = _party(player)
        if _may_ask(locked, now) and _wishes_of(locked) == _wishes_of(party):
            _ask_a_table(locked, player, where, now, found)
            for one in locked:
                one.save()


def _wishes_of(party: Sequence[Seeker]) -> list[tuple[int, tuple[str, int, bool]]]:
    return [(one.pk, _key(one)) for one in party]


def _may_ask(party: Sequence[Seeker], now: datetime) -> bool:
    free = all(one.table_id is None and not one.rated for one in party)
    return bool(party) and free and (len(party) == 1 or _all_here(party, now))


def _ask_beside(player: Player, where: Origin, now: datetime) -> None:
    """Ask for the seat across from a partner, who has asked; only here is it known from where."""
    if SeatRequest.objects.filter(player=player, table__seekers__player=player).exists():
        return
    with transaction.atomic():
        party = _party(player)
        if len(party) < 2 or party[0].table_id is None:
            return
        table = Table(pk=party[0].table_id)
        partner = next(one.player_id for one in party if one.player_id != player.pk)
        try:
            with seating.held_table(table) as held:
                arrivals.ask_beside(held, player, partner, where.at(held), now)
        except SeatingError:
            _withdraw(party)  # the next step passes the table over


def _party(player: Player) -> list[Seeker]:
    """Lock and return a player's row and, after their pair's, that of their partner.

    A pair of which one row is missing is at its end.
    """
    alone = list(Seeker.objects.select_for_update().filter(player=player, pair=None))
    if alone:
        return alone
    locked = Pair.objects.select_for_update(of=("self",))
    pair = locked.filter(seekers__player=player).order_by("pk").first()
    if pair is None:
        return []
    party = list(Seeker.objects.select_for_update().filter(pair=pair).order_by("player"))
    if len(party) < 2:
        gone = pair.to_id if any(one.player_id == pair.by_id for one in party) else pair.by_id
        _delete(party, left_by=gone)
        return []
    return party


def _own(party: Iterable[Seeker], player: Player) -> Seeker:
    return next(one for one in party if one.player_id == player.pk)


def _all_here(party: Sequence[Seeker], now: datetime) -> bool:
    return all(one.seen > now - _here_within(one) for one in party)


def _delete(party: Sequence[Seeker], left_by: int | None = None) -> None:
    """Delete the rows of a party, and its pair; if a player has left it, it waits to be told."""
    Seeker.objects.filter(pk__in=[one.pk for one in party]).delete()
    pairs = Pair.objects.filter(pk__in=[one.pair_id for one in party if one.pair_id is not None])
    if left_by is None:
        pairs.delete()
    else:
        pairs.update(left_by=left_by)


def _open(wish: Wish, planned: Mapping[int, int | None]) -> None:
    """Open a table for players, unless one of them or of their pairs has changed meanwhile."""
    players, pairs = planned.keys(), {pair for pair in planned.values() if pair is not None}
    try:
        with transaction.atomic():
            held = Pair.objects.select_for_update(skip_locked=True).filter(pk__in=pairs)
            if pairs and len(held.order_by("pk")) < len(pairs):
                return
            seekers = list(
                Seeker.objects.select_for_update(of=("self",), skip_locked=True)
                .select_related("player")
                .filter(
                    player__in=players,
                    table=None,
                    rules=wish.rules.key,
                    turn_seconds=wish.turn_seconds,
                    rated=wish.rated,
                )
                .order_by("since", "pk")
            )
            playing = _playing_rated(players) if wish.rated else set()
            if playing:  # a press that came twice
                _delete([one for one in seekers if one.player_id in playing])
            elif {one.player_id: one.pair_id for one in seekers} == planned:
                if wish.rated:
                    rated_tables.open_table(wish.rules, wish.turn_seconds, seekers)
                else:
                    _seat_together(wish, seekers)
                _delete(seekers)
    except DatabaseError:
        raise
    except Exception:
        log.exception("quick game not opened")


def _playing_rated(players: Collection[int]) -> set[int]:
    seats = Seat.objects.filter(player__in=players, table__rated=True, table__state__in=BEGUN)
    return {one for one in seats.values_list("player", flat=True) if one is not None}


def _seat_together(wish: Wish, seekers: Sequence[Seeker]) -> None:
    first, *others = seekers
    places = _places(wish.rules.players, seekers)
    seating.play_now(
        first.player,
        wish.rules,
        throws_in=first.throws_in,
        turn_seconds=wish.turn_seconds,
        beside=[Newcomer(one.player, places[one.player_id], one.throws_in) for one in others],
    )


def _places(seats: int, seekers: Sequence[Seeker]) -> dict[int, int]:
    """Return seats by lot, by player: partners across from each other, the first in the South."""
    first, *others = seekers
    free = [place for place in range(seats) if place != seats // 2]
    _chance.shuffle(free)
    places: dict[int, int] = {}
    kept: dict[int | None, int] = {}
    for one in (first, *sorted(others, key=lambda one: one.pair_id is None)):
        if one is first:
            place = seats // 2
        elif one.pair_id is None:
            place = free.pop()
        elif one.pair_id in kept:
            place = kept[one.pair_id]
        else:
            place = next(at for at in free if (at + 2) % 4 in free)
        places[one.player_id] = place
        if one.pair_id is not None:
            kept[one.pair_id] = (place + 2) % 4
        free = [at for at in free if at not in (place, *kept.values())]
    return places


class _Found(NamedTuple):
    """What the matching rule weighs for a newcomer."""

    newcomer: matching.Player
    offers: list[Offer]
    apart: Apart


def _tables_for(party: Sequence[Seeker], now: datetime) -> _Found:
    wish = Wish(RULE_SETS[party[0].rules], party[0].turn_seconds)
    offers = _offers(wish, now, party[0].passed_over)
    ours = [one.player_id for one in party]
    everybody = {*ours, *(one for offer in offers for one in offer.people)}
    ratings = company.ratings_of(ours, wish.rules)
    met = {one: company.met_by(one, everybody, now) if offers else {} for one in ours}
    apart = avoiding.apart_among(everybody)
    return _Found(_as_one(party, ratings, met, now), offers, apart)


def _ask_a_table(
    party: Sequence[Seeker], player: Player, where: Origin, now: datetime, found: _Found
) -> None:
    """Ask the best of the tables found; those that refuse a seat are passed over."""
    newcomer, offers, apart = found
    partner = newcomer.partner if newcomer.player == player.pk else newcomer.player
    while offer := matching.choose_table(newcomer, offers, apart):
        table = Table(pk=offer.table)
        try:
            with seating.held_table(table) as held:
                arrivals.ask(held, player, where.at(held), now, partner)
        except SeatingError:
            for one in party:
                one.passed_over = [*one.passed_over, offer.table]
            offers = [one for one in offers if one.table != offer.table]
        else:
            for one in party:
                one.table_id, one.asked, one.due = offer.table, now, now + HAND_WITHIN
            return


def _offers(wish: Wish, now: datetime, passed_over: Collection[int]) -> list[Offer]:
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
        free = arrivals.free_seats(table, table.seats.all(), table.coming)
        side = any(table.rules.partner_of(at) in free for at in free)
        rated = {one: ratings[one] for one in among}
        offers.append(Offer(table.pk, rated, len(free), ends_in[table.pk], side))
    return offers


def _people(table: Table) -> list[int]:
    """Return the people who sit at a table or are to."""
    coming: list[SeatRequest] = table.coming  # type: ignore[attr-defined]
    players = [seat.player for seat in table.seats.all() if seat.player is not None]
    newcomers = {one.player_id: None for one in coming}
    newcomers |= {one.partner_id: None for one in coming if one.partner_id is not None}
    return [one.pk for one in players if not one.house] + [*newcomers]


def _queue(
    wish: Wish, seekers: Collection[Seeker], apart: Apart, now: datetime
) -> list[matching.Player]:
    """Return those who wait; partners as one, once both are here."""
    players = [one.player_id for one in seekers]
    ratings, met = company.ratings_of(players, wish.rules), company.met(players, now)
    parties: dict[tuple[int | None, int], list[Seeker]] = {}
    for one in seekers:
        parties.setdefault((one.pair_id, 0 if one.pair_id else one.pk), []).append(one)
    return [
        _as_one(party, ratings, met, now)
        for (pair, _), party in parties.items()
        if pair is None or (len(party) == 2 and not apart(party[0].player_id, party[1].player_id))
    ]


def _as_one(
    party: Sequence[Seeker],
    ratings: Mapping[int, float],
    met: Mapping[int, Mapping[int, int]],
    now: datetime,
) -> matching.Player:
    """Return a row, or those of two partners, as the matching rule sees them."""
    players = [one.player_id for one in party]
    games: Counter[int] = Counter()
    for one in players:
        games.update(met[one])
    return matching.Player(
        players[0],
        sum(ratings[one] for one in players) / len(players),
        (now - party[0].since).total_seconds(),
        games,
        players[1] if len(players) == 2 else None,
    )


def _still_asked(mine: Seeker, now: datetime) -> bool:
    """Return True if the table asked may still let a party in; a refusal of one is one of both."""
    if mine.asked is None or now - mine.asked >= HAND_WITHIN:
        return False
    asked: QuerySet[SeatRequest] = arrivals.awaited(now)
    asked = asked.filter(table=mine.table_id, table__state=Table.State.PLAYING)
    if mine.pair_id is None:
        return asked.filter(player=mine.player_id).exists()
    both = Player.objects.filter(seeker__pair=mine.pair_id)
    refused = SeatRequest.objects.filter(table=mine.table_id, player__in=both, refused=True)
    return asked.filter(player__in=both).exists() and not refused.exists()


@transaction.atomic
def _drop(player: Player, among: QuerySet[Seeker] | None = None) -> bool:
    """Take a party out of the queue, if its player's row is there; return True if it has seats.

    among: leave a row alone that is no longer one of these.
    """
    party = _party(player)
    if not party or (among is not None and not among.filter(player=player).exists()):
        return False
    seated = _withdraw(party)
    _delete(party, left_by=None if seated else player.pk)
    return seated


def _withdraw(party: Sequence[Seeker]) -> bool:
    """Withdraw requests that are still open; return True if they have been granted meanwhile.

    A refusal stays.
    """
    if party[0].table_id is None:
        return False
    players = [one.player_id for one in party]
    with seating.held_table(Table(pk=party[0].table_id)) as held:
        held.requests.filter(player__in=players, refused=False).delete()
        return held.seats.filter(player__in=players).exists()


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
