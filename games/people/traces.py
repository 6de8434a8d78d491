"""From where hands are seen, so that nobody sees two of one running game.

A person may have several players: a guest in another browser, an account, a program. They are
the same as far as this can tell it: one account and its programs, one session, and, where one of
them is a guest, one address. Members of a household with accounts of their own are different.
"""

import secrets
from typing import Final, NamedTuple

from django.contrib.sessions.backends.base import SessionBase
from django.db.models import Q
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
    if table.reserved:
        return  # nobody asks for a seat there
    session, address = where.at(table)
    kinds = {session: Trace.Kind.SESSION, address: Trace.Kind.ADDRESS}
    kinds.pop("", None)
    known = Trace.objects.filter(table=table, player=player, digest__in=kinds)
    missing = kinds.keys() - set(known.values_list("digest", flat=True))
    Trace.objects.bulk_create(
        [Trace(table=table, player=player, kind=kinds[one], digest=one) for one in missing],
        ignore_conflicts=True,
    )


def sees_another_hand(table: Table, player: Player, here: Where) -> bool:
    """Whether somebody sees, or has seen, another hand of the game that a table plays.

    here: from where the player asks, as the table keeps it.
    """
    left = Proposal.objects.filter(
        game__table=table, game__state=Game.State.PLAYING, kind=Proposal.Kind.LEAVE
    ).values("player")
    sat = Player.objects.filter(Q(seats__table=table) | Q(pk__in=left))
    sitting = sat.exclude(kind=Player.Kind.HOUSE)
    account = player.owner_id or player.pk
    if sitting.exclude(pk=player.pk).filter(Q(pk=account) | Q(owner=account)).exists():
        return True
    others = Trace.objects.filter(table=table, player__in=sitting.exclude(pk=player.pk))
    if here.session and others.filter(kind=Trace.Kind.SESSION, digest=here.session).exists():
        return True
    near = others.filter(kind=Trace.Kind.ADDRESS, digest=here.address)
    if not player.guest:
        near = near.filter(player__user=None, player__kind=Player.Kind.PERSON)
    return here.address != "" and near.exists()


def forget(table: Table) -> None:
    """Forget those who do not sit at a table any more; everybody at one that is closed."""
    gone = table.traces.exclude(player__seats__table=table)
    (table.traces.all() if table.state == Table.State.CLOSED else gone).delete()
