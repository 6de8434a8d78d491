"""Detect one person behind several players, so that nobody sees two hands of one game.

A person may have several players: an account, a guest in another browser, a program. Players count
as the same person if they share an account, a session or, where one is a guest, an address. Members
of a household with accounts of their own count as different people.
"""

import secrets
from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Final, NamedTuple

from django.contrib.sessions.backends.base import SessionBase
from django.db.models import Q, QuerySet
from django.utils.crypto import salted_hmac

from games.models import Game, Player, Proposal, Table, Trace

SALT: Final = "games.trace"
#: Session key of the browser's id, which survives a logout.
BROWSER: Final = "browser"


class Origin(NamedTuple):
    """The browser (`browser_of`) and client address of a request; empty if unknown."""

    session: str = ""
    address: str = ""

    def at(self, table: Table) -> "Origin":
        """Return both as the digests that a table stores."""
        return Origin(
            _digest(table, Trace.Kind.SESSION, self.session),
            _digest(table, Trace.Kind.ADDRESS, self.address),
        )


UNKNOWN_ORIGIN: Final = Origin()


def _digest(table: Table, kind: str, value: str) -> str:
    if not value:
        return ""
    return salted_hmac(SALT, f"{table.pk} {kind} {value}", algorithm="sha256").hexdigest()


def browser_of(session: SessionBase) -> str:
    """Return the browser's id, or the session key before it has one."""
    return str(session.get(BROWSER, "")) or session.session_key or ""


def know_browser(session: SessionBase) -> None:
    """Give a session a browser id before it shows cards."""
    if BROWSER not in session:
        session[BROWSER] = secrets.token_hex(8)


def record(table: Table, player: Player, where: Origin) -> None:
    record_all([(table, player, where)])


def record_all(seen: Iterable[tuple[Table, Player, Origin]]) -> None:
    # At a reserved table nobody asks for a seat.
    record_all_digests(
        [(table, who, where.at(table)) for table, who, where in seen if not table.reserved]
    )


def record_digests(table: Table, player: Player, here: Origin) -> None:
    record_all_digests([(table, player, here)])


def record_all_digests(seen: Collection[tuple[Table, Player, Origin]]) -> None:
    traces = {
        (table.pk, player.pk, digest): Trace(table=table, player=player, kind=kind, digest=digest)
        for table, player, here in seen
        for kind, digest in zip((Trace.Kind.SESSION, Trace.Kind.ADDRESS), here, strict=True)
        if digest
    }
    if not traces:
        return
    tables, players, digests = ({*column} for column in zip(*traces, strict=True))
    known = Trace.objects.filter(table__in=tables, player__in=players, digest__in=digests)
    for one in known.values_list("table", "player", "digest"):
        traces.pop(one, None)
    Trace.objects.bulk_create(traces.values(), ignore_conflicts=True)


def sees_another_hand(table: Table, player: Player, here: Origin) -> bool:
    """Return True if the person has, or gave up for good, another seat in the running game."""
    others = _others(table, player)
    return _is_one_of(others, player, here) or _is_near(others, player, here)


def is_certain(table: Table, player: Player, here: Origin) -> bool:
    """Return True if that follows from the account or browser, not only from the address."""
    return _is_one_of(_others(table, player), player, here)


def may_vouch(by_player: Player, player: Player, here: Origin) -> bool:
    """Return True if `by_player` counts as another person than the player asking for a seat."""
    others = Player.objects.filter(pk=by_player.pk)
    return not (_is_one_of(others, player, here) or _is_near(others, player, here))


def same_address(seen: Iterable[Trace], guests: Collection[int]) -> frozenset[int]:
    """Return the players at a table who share an address, at least one of them a guest."""
    at: defaultdict[str, set[int]] = defaultdict(set)
    for one in seen:
        if one.kind == Trace.Kind.ADDRESS:
            at[one.digest].add(one.player_id)
    shared = (one for one in at.values() if len(one) > 1 and not one.isdisjoint(guests))
    return frozenset().union(*shared)


def _others(table: Table, player: Player) -> QuerySet[Player]:
    """Return the other players at a table and those who left its running game for good."""
    left = Proposal.objects.filter(
        game__table=table, game__state=Game.State.PLAYING, kind=Proposal.Kind.LEAVE
    ).values("player")
    sat = Player.objects.filter(Q(seats__table=table) | Q(pk__in=left))
    return sat.exclude(kind=Player.Kind.HOUSE).exclude(pk=player.pk)


def _is_one_of(others: QuerySet[Player], player: Player, here: Origin) -> bool:
    """Return True if another player has the same account or browser."""
    account = player.owner_id or player.pk
    if others.filter(Q(pk=account) | Q(owner=account)).exists():
        return True
    seen = Trace.objects.filter(player__in=others, kind=Trace.Kind.SESSION, digest=here.session)
    return here.session != "" and seen.exists()


def _is_near(others: QuerySet[Player], player: Player, here: Origin) -> bool:
    """Return True if another player has the same address and one of the two is a guest."""
    near = Trace.objects.filter(player__in=others, kind=Trace.Kind.ADDRESS, digest=here.address)
    if not player.guest:
        near = near.filter(player__user=None, player__kind=Player.Kind.PERSON)
    return here.address != "" and near.exists()


def forget(table: Table) -> None:
    """Delete the traces of players who left the table, or all if it is closed."""
    gone = table.traces.exclude(player__seats__table=table)
    (table.traces.all() if table.state == Table.State.CLOSED else gone).delete()
