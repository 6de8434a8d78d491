"""Who may reach which club and which event: every page and socket asks here first.

A club joined by invitation, and everything of it, is there only for its members, for those entered
in the event asked for, and for whoever came by its link; for anybody else it does not exist: 404.
A draft is there only for those who direct.
"""

import hmac
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

import rules
from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.backends.base import SessionBase
from django.core.exceptions import PermissionDenied
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404

from games.api.callers import ApiRequest
from games.api.problems import Problem
from games.models import Player, User
from games.people import two_steps
from games.people.identity import player_of
from games.records.reading import shows_record
from tournaments.models import Club, Entry, Event, Membership
from tournaments.rules import Role, outranks

INVITED_KEY = "invited_clubs"  # in the session: the words of invitation links that were followed
MOST_INVITATIONS = 20  # the oldest are forgotten; a link can be followed again


@dataclass(frozen=True)
class ClubAccess:
    """What somebody may do in a club; each right is looked up once.

    club: the club. player: who asks, None for a visitor. membership: theirs, or None. invited:
    whether they came by the club's present invitation link.
    """

    club: Club
    player: Player | None
    membership: Membership | None
    invited: bool

    def may(self, permission: str) -> bool:
        """Whether they have a permission of `tournaments.rules`, such as "direct"."""
        # Of a superuser Django would say that they may all, whatever the rules say.
        return bool(rules.has_perm(f"tournaments.{permission}", _user(self.player), self.club))

    @cached_property
    def owns(self) -> bool:
        """Whether they may change the club itself and its roles."""
        return self.may("own_club")

    @cached_property
    def directs(self) -> bool:
        """Whether they may set up and direct the club's events."""
        return self.may("direct")

    @cached_property
    def held_back(self) -> bool:
        """Whether they have a rank here that does not count until they log in by two steps."""
        user, role = _user(self.player), self.membership.role if self.membership else Role.MEMBER
        return (user.is_staff or outranks(role, Role.MEMBER)) and two_steps.lacks(user)

    @cached_property
    def moderates(self) -> bool:
        """Whether they may answer who asks to join, and remove members."""
        return self.may("moderate")


@dataclass(frozen=True)
class EventAccess(ClubAccess):
    """What somebody may do at an event.

    event: the event, with its club. entry: the one they are in, withdrawn before the start or not
    at all: None.
    """

    event: Event
    entry: Entry | None


def club_for(player: Player | None, slug: str, session: SessionBase) -> ClubAccess:
    """Return what `player` (None: a visitor) may do in a club; raise Http404 if not theirs to see.

    session: theirs, which keeps the invitation links they followed.
    """
    club = Club.objects.filter(slug=slug).first()
    if club is None:
        raise Http404
    access = ClubAccess(*_standing(player, club, session))
    if not (access.invited or access.may("see_club")):
        raise Http404
    return access


def club_by_key(slug: str, key: str) -> Club | None:
    """Return the club if `key`, which a calendar program sends, is that of its invitation link."""
    club = Club.objects.filter(slug=slug, closed=None).first()
    opened = club is not None and hmac.compare_digest(key.encode(), club.invite_token.encode())
    return club if opened else None


def event_for(player: Player | None, event_id: int, session: SessionBase) -> EventAccess:
    """Return what `player` (None: a visitor) may do at an event; raise Http404 as `club_for` does.

    session: theirs, which keeps the invitation links they followed.
    """
    event = Event.objects.select_related("club").filter(pk=event_id).first()
    if event is None:
        raise Http404
    mine = event.entries.filter(players__player=player, players__active=True)
    entry = mine.first() if player and event.club.closed is None else None
    access = EventAccess(*_standing(player, event.club, session), event, entry)
    if not (access.invited or entry or access.may("see_club")):
        raise Http404
    if event.state == Event.State.DRAFT and not access.directs:
        raise PermissionDenied if access.held_back else Http404
    return access


def club_of(request: HttpRequest, slug: str, permission: str = "") -> ClubAccess:
    """Return what the asker may do in a club, as `club_for` does.

    permission: one of `tournaments.rules` that they must have; without it PermissionDenied is
    raised.
    """
    access = club_for(player_of(request), slug, request.session)
    if permission and not access.may(permission):
        raise PermissionDenied
    return access


def event_of(request: HttpRequest, event_id: int, permission: str = "") -> EventAccess:
    """Return what the asker may do at an event, as `event_for` does.

    permission: as of `club_of`.
    """
    access = event_for(player_of(request), event_id, request.session)
    if permission and not access.may(permission):
        raise PermissionDenied
    return access


def event_asked_for(request: ApiRequest, event_id: int) -> EventAccess:
    """Return what a caller of the API may do at an event, as `event_for` does."""
    return event_for(request.auth.player, event_id, request.auth.session)


def player_asked_for(request: ApiRequest, player_id: int) -> Player:
    """Return a player whose record a caller of the API may see.

    Raises:
        Http404: there is no such player.
        Problem: ``private``, they keep it to themselves.
    """
    player = get_object_or_404(Player, pk=player_id)
    if not shows_record(player, request.auth.player):
        raise Problem(403, "private", f"{player.name} keeps the record private.")
    return player


def invited_clubs(session: SessionBase) -> Collection[str]:
    """Return the words of the invitation links that this session has followed."""
    return tuple(session.get(INVITED_KEY, ()))


def clubs_shown(player: Player | None, session: SessionBase) -> QuerySet[Club]:
    """Return all clubs that `player` (None: a visitor) may see; see `club_for`."""
    user = _user(player)
    if user.is_staff and not two_steps.lacks(user):
        return Club.objects.all()
    shown = ~Q(joining=Club.Joining.INVITATION) | Q(invite_token__in=invited_clubs(session))
    if player is not None:
        shown |= Q(Exists(Membership.objects.filter(club=OuterRef("pk"), player=player)))
    return Club.objects.filter(shown, closed=None)


def remember_club(session: SessionBase, club: Club) -> None:
    """Note that this session came by a club's link; a new link of the club ends it."""
    others = [known for known in invited_clubs(session) if known != club.invite_token]
    session[INVITED_KEY] = [*others, club.invite_token][-MOST_INVITATIONS:]


def _standing(
    player: Player | None, club: Club, session: SessionBase
) -> tuple[Club, Player | None, Membership | None, bool]:
    membership = club.memberships.filter(player=player).first() if player else None
    invited = club.closed is None and club.invite_token in invited_clubs(session)
    return club, player, membership, invited


def _user(player: Player | None) -> User | AnonymousUser:
    return player.user if player and player.user else AnonymousUser()
