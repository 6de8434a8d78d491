"""Sitting down, standing up and starting games.

Each function locks the table's row (`SELECT FOR UPDATE`; on SQLite the transaction is IMMEDIATE),
so that of two people who want a seat exactly one gets it, and announces the change to the table's
watchers.
"""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import ClassVar, NamedTuple

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from games.engine.rules import RuleSet, rules_to_data
from games.live import seat_changes
from games.models import Game, GameSeat, Player, Proposal, Seat, Table
from games.models.tables import BACK, BEGUN, CAME, HOUSE_AFTER, LEFT, LONG_AGO, PATIENCE
from games.people import avoiding, traces
from games.people.house_players import house_player
from games.people.traces import UNKNOWN_ORIGIN, Origin
from games.refusals import VerbError
from games.shuffle import shuffling
from games.sockets import hub

DOUBLE_CLICK = timedelta(seconds=3)  # two "Play now" closer than this mean one table

SAME_FOR_ALL = (
    "These deals are the same for everybody, and played alone to the end: no hints, nothing taken "
    "back, claimed or resigned, and nobody watches or sits down. You can leave and come back."
)

FREE_OR_HOUSE = Q(player=None) | Q(player__kind=Player.Kind.HOUSE)
NOT_HOUSE = Q(player__kind__in=[Player.Kind.PERSON, Player.Kind.PROGRAM])


class SeatingError(VerbError):
    STATUS: ClassVar = {
        "not seated": 403,
        "not host": 403,
        "no such seat": 400,
        "another hand": 403,
        "same person": 403,
        "refused": 403,
        "left": 403,
        "not asked": 403,
        "stood in": 403,
        "too many": 429,
        "too many ask": 429,
    }


class Newcomer(NamedTuple):
    player: Player
    position: int
    throws_in: bool


def make_table(
    host: Player,
    rules: RuleSet,
    *,
    open: bool = True,  # noqa: A002
    house_seats: Collection[int] = (),
    seat: int | None = None,
    throws_in: bool = False,
    house_after: int | None = HOUSE_AFTER,
    house_level: str = Table.HouseLevel.STRONG,
    turn_seconds: int | None = None,
    quick: bool = False,
    delayed: bool = False,
    beside: Collection[Newcomer] = (),
) -> Table:
    """Create a table and start its game at once if no seat is free.

    open: in the lobby for all, or by invitation. throws_in: the host's browser contributes to the
    shuffle. house_after: seconds after which the house plays for a player who has gone, or None.
    house_level: how strong house players are here, one of ``Table.HouseLevel``.
    turn_seconds: the time for an action while somebody else is waiting, or None. quick: people
    from the queue of quick games replace its house players. delayed: whoever has no seat sees the
    game two hands later. beside: others who sit down at once.
    Raises SeatingError if no seat is left for a person.
    """
    positions = range(rules.players)
    if all(position in house_seats and position != seat for position in positions):
        raise SeatingError("no person", "At least one seat must be for a person.")
    with transaction.atomic():
        table = Table.objects.create(
            host=host,
            open=open,
            rules_data=rules_to_data(rules),
            house_after=house_after,
            house_level=house_level,
            turn_seconds=turn_seconds,
            quick=quick,
            delayed=delayed,
        )
        Seat.objects.bulk_create(Seat(table=table, position=position) for position in positions)
        if seat is not None:
            table.seats.filter(position=seat).update(player=host, throws_in=throws_in)
        for one in beside:
            table.seats.filter(position=one.position).update(
                player=one.player, throws_in=one.throws_in
            )
        _fill(table, (position for position in house_seats if position != seat))
        shuffling.prepare([table])
        start_when_full(table)
        transaction.on_commit(lambda: hub.announce(table.pk))  # starts its clock
    return table


def play_now(
    player: Player,
    rules: RuleSet,
    *,
    open: bool = True,  # noqa: A002
    throws_in: bool = False,
    turn_seconds: int | None = None,
    beside: Collection[Newcomer] = (),
) -> Table:
    """Start a game of a player (South) and the house; a double click returns the same table.

    open: in the lobby for all, or by invitation. turn_seconds, beside: of a quick game, as
    `make_table` says; it is always a new table.
    """
    south, quick = rules.players // 2, turn_seconds is not None
    with transaction.atomic():
        Player.objects.select_for_update(no_key=True).get(pk=player.pk)
        just_made = Table.objects.filter(
            host=player,
            seats__player=player,
            rules_data=rules_to_data(rules),
            open=open,
            state__in=BEGUN,
            created__gt=timezone.now() - DOUBLE_CLICK,
        )
        table = None if quick else just_made.first()
        taken = {south, *(one.position for one in beside)}
        return table or make_table(
            player,
            rules,
            open=open,
            house_seats=[position for position in range(rules.players) if position not in taken],
            seat=south,
            throws_in=throws_in,
            turn_seconds=turn_seconds,
            quick=quick,
            beside=beside,
        )


def sit(
    table: Table,
    player: Player,
    position: int,
    *,
    throws_in: bool = False,
    where: Origin = UNKNOWN_ORIGIN,
    by_link: bool = False,
) -> None:
    """Take a free seat or, between games, a house player's.

    Before the first game a seated player moves to the new seat. Taking the last free seat starts
    the game. During a game only the table's link gives a seat; other players make a request
    (`games.seats.seat_requests`). Between games so does a player who may be the same person as one
    who is seated. A player can always take back their own seat.

    Raises SeatingError: ``no such seat``, ``taken``, ``seated``, ``closed``, ``reserved``, ``ask``,
    ``another hand``.
    """
    with held_table(table) as held:
        refuse_reserved(
            held, "The seats at this table are assigned: nobody else can sit down here."
        )
        if held.state == Table.State.CLOSED:
            raise SeatingError("closed", "This table is closed.")
        seated = held.seats.filter(player=player).exists()
        own = held.seats.filter(position=position, player=player).exists()
        if held.state in BEGUN and not own:
            refuse_second_hand(held, player, where.at(held))
            if not by_link:
                raise SeatingError("ask", "A game is being played: ask those who play for a seat.")
        elif (
            not (by_link or seated)
            and held.seats.filter(FREE_OR_HOUSE, position=position).exists()
            and traces.sees_another_hand(held, player, where.at(held))
        ):
            raise SeatingError(
                "ask",
                "Somebody at your address, or with your account, sits here already: ask those at "
                "the table, or come by its link.",
            )
        traces.record(held, player, where)
        give(held, player, position, throws_in=throws_in)
        start_when_full(held)


def give(table: Table, player: Player, position: int, *, throws_in: bool = False) -> None:
    """Seat a player at a locked table; raise SeatingError if the seat is not available.

    A running game then counts for them, unless the seat's player left it for good.
    """
    new_here = not table.seats.filter(player=player).exists()
    old = table.seats.filter(player=player).exclude(position=position)
    if table.state == Table.State.GATHERING:
        old.update(player=None)
    elif old.exists():
        raise SeatingError("seated", "You already have a seat at this table.")
    if table.quick and new_here:
        refuse_avoided(table, player)
    seats, now = table.seats.filter(position=position), timezone.now()
    if not seats.filter(FREE_OR_HOUSE | Q(player=player)).update(
        player=player,
        stand_in=False,
        throws_in=throws_in,
        since=now,
        last_seen=now,
        missing_since=None,
    ):
        raise no_seat(table, position)
    game_seats = GameSeat.objects.filter(game__table=table, game__state=Game.State.PLAYING)
    game_seats.filter(position=position).exclude(
        game__in=left_for_good(table).filter(position=position).values("game")
    ).update(player=player)
    if new_here:
        seat_changes.record(table, CAME, player, position, now)


def refuse_avoided(table: Table, player: Player) -> None:
    """Raise SeatingError if a player avoids somebody here or is avoided, as if it were full."""
    people = table.seats.filter(NOT_HOUSE).values_list("player_id", flat=True)
    if avoiding.kept_apart(player, [one for one in people if one is not None]):
        raise no_seat(table, None)


def left_for_good(table: Table) -> QuerySet[Proposal]:
    running = Proposal.objects.filter(game__table=table, game__state=Game.State.PLAYING)
    return running.filter(kind=Proposal.Kind.LEAVE)


def refuse_second_hand(table: Table, player: Player, here: Origin) -> None:
    """Raise SeatingError if a player has seen another hand of the running game."""
    if table.seats.filter(player=player).exists():
        raise SeatingError("seated", "You already have a seat at this table.")
    if left_for_good(table).filter(player=player).exists():
        raise SeatingError("left", "You have left this game for good; the next one is open to you.")
    if traces.sees_another_hand(table, player, here):
        raise second_hand()


def second_hand() -> SeatingError:
    return SeatingError(
        "another hand",
        "Somebody with your account, in your browser or, where one of you is a guest, at your "
        "address already plays in this game, and nobody may see two hands.",
    )


def stand_up(table: Table, player: Player) -> None:
    """Leave the table; raise SeatingError if the player has no seat.

    Between games the seat becomes free. The table closes if only house players remain and its host
    has left, or a game has been finished. During a game, and always at a reserved table, the
    player keeps the seat: they count as gone at once, so that the others may call a house player,
    and may come back at any time.
    """
    with held_table(table) as held:
        seat, now = seat_of(held, player), timezone.now()
        seat_changes.record(held, LEFT, player, seat.position, now)
        if held.reserved or held.state in BEGUN:
            seat.last_seen, seat.missing_since = LONG_AGO, now
            seat.save(update_fields=["last_seen", "missing_since"])
            return
        seat.player, seat.missing_since = None, None
        seat.stand_in = False
        seat.save(update_fields=["player", "stand_in", "missing_since"])
        others = held.seats.filter(NOT_HOUSE)
        last_word = held.state == Table.State.FINISHED or held.host_id == player.pk
        if last_word and not others.exists():
            held.state = Table.State.CLOSED
            held.save(update_fields=["state"])
            forget_strangers(held)
            shuffling.abort([held.pk])


def start(table: Table, by_player: Player) -> None:
    """Fill the free seats with house players and start the first game, unless it has started.

    Raises SeatingError unless `by_player` is the host or seated; always at a reserved table.
    """
    with held_table(table) as held:
        refuse_reserved(held, "The game at this table begins by itself when everybody has come.")
        if held.host_id != by_player.pk:
            seat_of(held, by_player)
        if held.state != Table.State.GATHERING:
            _check_begun(held)
            return
        if not held.seats.filter(NOT_HOUSE).exists():
            raise SeatingError("no person", "Somebody has to sit down first.")
        _begin(held)


def again(table: Table, by_player: Player) -> None:
    """Start the next game with the same seats, unless it has started.

    House players fill free seats. Raises SeatingError unless `by_player` is seated and a game has
    been finished; always at a reserved table.
    """
    with held_table(table) as held:
        refuse_reserved(held, "You cannot start another game at this table: its games are set.")
        seat_of(held, by_player)
        if held.state == Table.State.FINISHED:
            _begin(held)
        else:
            _check_begun(held)


def let_watch(table: Table, by_player: Player, *, everybody: bool) -> None:
    """Open a table to everybody, or close it to all but its players and those with its link.

    Closing it ends the sockets of all who watch; repeating it is harmless. Raises SeatingError
    unless `by_player` is the host, and at a reserved table.
    """
    with held_table(table) as held:
        refuse_reserved(held, "The event decides who may watch its tables.")
        if held.host_id != by_player.pk:
            raise SeatingError(
                "not host", "Only the person who made this table decides who may watch it."
            )
        if held.open == everybody:
            return
        held.open = everybody
        held.save(update_fields=["open"])
        if not everybody:
            players = held.seats.filter(NOT_HOUSE).values_list("player_id", flat=True)
            stay = {by_player.pk, *(one for one in players if one is not None)}
            transaction.on_commit(lambda: hub.end_watching(held.pk, stay))


def ask_stand_in(table: Table, by_player: Player, now: datetime) -> None:
    """Let a house player stand in for the player in turn, who has been away for `PATIENCE`.

    Raises SeatingError: `by_player` has no seat, it is no person's turn, or the player is there.
    """
    with held_table(table) as held:
        own = seat_of(held, by_player)
        seat = held.seats.select_related("player").filter(position=_running(held).turn).first()
        if seat is None or seat.player is None or seat.player.kind == Player.Kind.HOUSE:
            raise SeatingError("nobody missing", "The table is not waiting for anybody.")
        if seat == own:
            raise SeatingError("your turn", "It is your own turn.")
        if now - seat.last_seen < PATIENCE:
            raise SeatingError(
                "too soon",
                f"{seat.player.name} was here less than {PATIENCE.seconds} seconds ago.",
            )
        held.seats.filter(pk=seat.pk).update(stand_in=True)


def take_back(table: Table, player: Player) -> None:
    """Take a seat back from a stand-in, if any; raise SeatingError if the player has no seat."""
    with held_table(table) as held:
        seat = seat_of(held, player)
        if seat.stand_in:
            seat_changes.record(held, BACK, player, seat.position, timezone.now())
            seat.stand_in = False
            seat.since = timezone.now()
        seat.last_seen, seat.missing_since = timezone.now(), None
        seat.save(update_fields=["stand_in", "since", "last_seen", "missing_since"])


@contextmanager
def held_table(table: Table) -> Iterator[Table]:
    """Lock the table's row for a change, and announce the change after the commit."""
    with transaction.atomic():
        held = Table.objects.select_for_update().get(pk=table.pk)
        yield held
        transaction.on_commit(lambda: hub.announce(held.pk))


def refuse_reserved(table: Table, why: str) -> None:
    refuse_solo(table)
    if table.reserved:
        raise SeatingError("reserved", why)


def refuse_solo(table: Table) -> None:
    if table.solo:
        raise SeatingError("reserved", SAME_FOR_ALL)


def seat_of(table: Table, player: Player) -> Seat:
    seat = table.seats.filter(player=player).first()
    if seat is None:
        raise SeatingError("not seated", "You have no seat at this table.")
    return seat


def no_seat(table: Table, position: int | None) -> SeatingError:
    if position is None:
        return SeatingError("taken", "Every seat is taken.")
    seat = table.seats.select_related("player").filter(position=position).first()
    if seat is None or seat.player is None:
        return SeatingError("no such seat", "This table has no such seat.")
    return SeatingError("taken", f"{seat.player.name} has just taken this seat.")


def _check_begun(table: Table) -> None:
    if table.state != Table.State.SHUFFLING:
        _running(table)


def _running(table: Table) -> Game:
    game = table.games.filter(state=Game.State.PLAYING).order_by("-number").first()
    if game is None:
        raise SeatingError("not playing", "No game is being played at this table.")
    return game


def forget_strangers(table: Table) -> None:
    table.requests.all().delete()
    traces.forget(table)


def start_when_full(table: Table) -> None:
    free = table.seats.filter(player=None).exists()
    if table.state == Table.State.GATHERING and not free:
        _begin(table)


def _begin(table: Table) -> None:
    forget_strangers(table)
    _fill(table, table.seats.filter(player=None).values_list("position", flat=True))
    shuffling.begin(table, timezone.now())


def _fill(table: Table, positions: Collection[int] | Iterator[int]) -> None:
    for position in list(positions):
        table.seats.filter(position=position).update(player=house_player_for(table, position))


def house_player_for(table: Table, position: int) -> Player:
    seated = table.seats.exclude(position=position).filter(player__isnull=False)
    names = seated.values_list("player__name", flat=True)
    return house_player(position, table.rules.players, names)
