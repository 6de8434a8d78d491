"""A club with a sign in its games, and those who look into it."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest

from games.engine.rules import STICK_THE_DEALER
from games.models import Player
from games.people import whereabouts
from tests.factories import member
from tests.tournaments import build
from tests.tournaments.build import NOON
from tournaments.access import ClubAccess
from tournaments.fair_play import matters, signs
from tournaments.fair_play.signs import SignScope
from tournaments.models import (
    FairPlayAct,
    FairPlayMatter,
    Letter,
    Membership,
    Pairing,
)
from tournaments.refusals import RefusedError

Role = Membership.Role
LATER = NOON + timedelta(days=1)


class Story:
    """A club with two moderators, a director and an owner, and a rated event of four others.

    Maeve and Ben came from one address; Maeve is the moderator who played in it.
    """

    def __init__(self) -> None:
        self.club = build.club()
        self.four = [member(name) for name in ("Maeve", "Ben", "Iris", "Jonah")]
        build.joined(self.club, self.four[0], Role.MODERATOR)
        self.event = build.rated(*self.four, of=self.club, rules=STICK_THE_DEALER)
        self.pairing = Pairing.objects.get(round__event=self.event)
        for player in self.four[:2]:
            whereabouts.record(self.pairing.table_id or 0, player.pk, "192.0.2.7")
        self.ada, self.omar, self.dora = member("Ada"), member("Omar"), member("Dora")
        build.joined(self.club, self.ada, Role.MODERATOR)
        build.joined(self.club, self.omar, Role.OWNER)
        build.joined(self.club, self.dora, Role.DIRECTOR)
        self.ben = self.four[1]

    def afresh(self) -> "Story":
        """The same with its rows read again."""
        for row in (self.club, self.event, self.pairing, *self.four):
            row.refresh_from_db()
        return self

    def access(self, player: Player) -> ClubAccess:
        """What somebody may do in the club."""
        found = self.club.memberships.filter(player=player).first()
        return ClubAccess(self.club, player, found, False)

    def open(self, of: Player | None = None, by: Player | None = None) -> FairPlayMatter:
        """A matter of Ben, unless it is said, opened by Ada."""
        (sign,) = signs.seen(SignScope(self.club), None, LATER).signs
        access = self.access(by or self.ada)
        return matters.open_matter(access, None, sign.sign, (of or self.ben).pk, LATER)

    def act(self, matter: FairPlayMatter, kind: str, by: Player | None = None) -> FairPlayAct:
        """Do something as Ada, unless it is said."""
        return matters.act(
            self.access(by or self.ada), matter, kind, "So.", LATER, pairing_id=self.pairing.pk
        )


def staff(name: str = "Sam") -> Player:
    """Somebody of the site's staff."""
    player = member(name)
    assert player.user is not None
    player.user.is_staff = True
    player.user.save()
    return player


@contextmanager
def refused(code: str) -> Iterator[None]:
    """What is done here is refused with this code."""
    with pytest.raises(RefusedError) as raised:
        yield
    assert raised.value.code == code


def letters_to(player: Player) -> list[Letter]:
    """What was written to somebody in matters, in order."""
    written = Letter.objects.filter(user=player.user, key__startswith="fair play")
    return list(written.order_by("pk"))


def subjects_to(player: Player) -> list[str]:
    """What these letters are about."""
    return [one.subject for one in letters_to(player)]


def result_of(pairing: Pairing) -> tuple[Any, ...]:
    """How a match stands."""
    pairing.refresh_from_db()
    return pairing.winner, pairing.points, pairing.games_won, pairing.how
