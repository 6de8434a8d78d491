"""From where hands are seen, so that nobody sees two of one game.

A person may have several players: a guest in another browser, an account, a program. They are
the same as far as this can tell it: one account and its programs, one session, and, where one of
them is a guest, one address. Members of a household with accounts of their own are different.
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
#: In a session: a word for its browser, which the next session there takes over after a logout.
BROWSER: Final = "browser"


class Where(NamedTuple):
    """From where somebody asks.

    Attributes:
        session: as `browser_of` gives it, or empty where there is no session.
        address: as `addresses.asker` gives it, or empty for a program.
    """

    session: str = ""
    address: str = ""

    def at(self, table: Table) -> "Where":
        """Return both as a table keeps them: digests, or empty."""
        return Where(
            _digest(table, Trace.Kind.SESSION, self.session),
            _digest(table, Trace.Kind.ADDRESS, self.address),
        )


NOWHERE: Final = Where()


def _digest(table: Table, kind: str, value: str) -> str:
    if not value:
        return ""
    return salted_hmac(SALT, f"{table.pk} {kind} {value}", algorithm="sha256").hexdigest()


def browser_of(session: SessionBase) -> str:
    """The word for the browser that a session is in, or the session's key while it has none."""
    return str(session.get(BROWSER, "")) or session.session_key or ""


def know_browser(session: SessionBase) -> None:
    """Give a session in which cards are about to be seen a word for its browser."""
    if BROWSER not in session:
        session[BROWSER] = secrets.token_hex(8)


def note(table: Table, player: Player, where: Where) -> None:
    """Note from where somebody who has a seat is about to see its cards."""
    note_all([(table, player, where)])


def note_all(seen: Iterable[tuple[Table, Player, Where]]) -> None:
    """Do as `note` for many."""
    # At a reserved table nobody asks for a seat.
    keep_all([(table, who, where.at(table)) for table, who, where in seen if not table.reserved])


def keep(table: Table, player: Player, here: Where) -> None:
    """Note the digests of where somebody who has a seat sees its cards from."""
    keep_all([(table, player, here)])


def keep_all(seen: Collection[tuple[Table, Player, Where]]) -> None:
    """Do as `keep` for many."""
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


def sees_another_hand(table: Table, player: Player, here: Where) -> bool:
    """Whether somebody has another seat at a table, or has left its running game for good.

    here: from where the player asks, as the table keeps it.
    """
    others = _others(table, player)
    return _is_one_of(others, player, here) or _is_near(others, player, here)


def is_certain(table: Table, player: Player, here: Where) -> bool:
    """Whether the account or the browser says so, not only the address."""
    return _is_one_of(_others(table, player), player, here)


def may_vouch(by_player: Player, player: Player, here: Where) -> bool:
    """Whether somebody counts as another person than the player who asks for a seat from here."""
    others = Player.objects.filter(pk=by_player.pk)
    return not (_is_one_of(others, player, here) or _is_near(others, player, here))


def same_address(seen: Iterable[Trace], guests: Collection[int]) -> frozenset[int]:
    """Return those seen at a table who share an address there, one of them a guest."""
    at: defaultdict[str, set[int]] = defaultdict(set)
    for one in seen:
        if one.kind == Trace.Kind.ADDRESS:
            at[one.digest].add(one.player_id)
    shared = (one for one in at.values() if len(one) > 1 and not one.isdisjoint(guests))
    return frozenset().union(*shared)


def _others(table: Table, player: Player) -> QuerySet[Player]:
    """Who else sits at a table or has left its running game for good."""
    left = Proposal.objects.filter(
        game__table=table, game__state=Game.State.PLAYING, kind=Proposal.Kind.LEAVE
    ).values("player")
    sat = Player.objects.filter(Q(seats__table=table) | Q(pk__in=left))
    return sat.exclude(kind=Player.Kind.HOUSE).exclude(pk=player.pk)


def _is_one_of(others: QuerySet[Player], player: Player, here: Where) -> bool:
    """Whether one of the others has the same account or the same browser."""
    account = player.owner_id or player.pk
    if others.filter(Q(pk=account) | Q(owner=account)).exists():
        return True
    seen = Trace.objects.filter(player__in=others, kind=Trace.Kind.SESSION, digest=here.session)
    return here.session != "" and seen.exists()


def _is_near(others: QuerySet[Player], player: Player, here: Where) -> bool:
    """Whether one of the others is at the same address, and one of the two is a guest."""
    near = Trace.objects.filter(player__in=others, kind=Trace.Kind.ADDRESS, digest=here.address)
    if not player.guest:
        near = near.filter(player__user=None, player__kind=Player.Kind.PERSON)
    return here.address != "" and near.exists()


def forget(table: Table) -> None:
    """Forget those who do not sit at a table any more; everybody at one that is closed."""
    gone = table.traces.exclude(player__seats__table=table)
    (table.traces.all() if table.state == Table.State.CLOSED else gone).delete()
