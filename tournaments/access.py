"""Access to clubs and events; every page and socket checks here first.

An invitation-only club and everything in it answers 404 except to its members, to those entered in
the event asked for, and to sessions that have followed its invitation link. Drafts are visible to
directors only.
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
from games.api.problems import ApiProblem
from games.models import Player, User
from games.people import two_steps
from games.people.identity import player_of
from games.records.game_lists import shows_record
from tournaments.models import Club, Entry, Event, Membership
from tournaments.rules import Role, outranks

INVITED_KEY = "invited_clubs"  # session key: tokens of the invitation links followed
MAX_INVITATIONS = 20  # per session; older ones are dropped and can be followed again


@dataclass(frozen=True)
class ClubAccess:
    """A player's rights in a club; `invited` by its current link, in this session."""

    club: Club
    player: Player | None
    membership: Membership | None
    invited: bool

    def may(self, permission: str) -> bool:
        # Not user.has_perm(): Django grants superusers everything, whatever the rules say.
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
        """Whether their role is suspended until they log in by two steps."""
        user, role = _user(self.player), self.membership.role if self.membership else Role.MEMBER
        return (user.is_staff or outranks(role, Role.MEMBER)) and two_steps.lacks(user)

    @cached_property
    def moderates(self) -> bool:
        """Whether they may answer requests to join, and remove members."""
        return self.may("moderate")


@dataclass(frozen=True)
class EventAccess(ClubAccess):
    """A player's rights at an event; no entry if they withdrew before the start."""

    event: Event
    entry: Entry | None


def club_for(player: Player | None, slug: str, session: SessionBase) -> ClubAccess:
    """Return the rights of `player` (None: a visitor) in a club; raise Http404 if it is hidden."""
    club = Club.objects.filter(slug=slug).first()
    if club is None:
        raise Http404
    access = ClubAccess(*_standing(player, club, session))
    if not (access.invited or access.may("see_club")):
        raise Http404
    return access


def club_by_key(slug: str, key: str) -> Club | None:
    """Return the club if `key`, sent by a calendar program, is its invitation token."""
    club = Club.objects.filter(slug=slug, closed=None).first()
    opened = club is not None and hmac.compare_digest(key.encode(), club.invite_token.encode())
    return club if opened else None


def event_for(player: Player | None, event_id: int, session: SessionBase) -> EventAccess:
    """Return the rights of `player` (None: a visitor) at an event; Http404 if it is hidden."""
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


def event_if_shown(request: HttpRequest, event: Event) -> EventAccess | None:
    """Return the requester's rights at an event; None if it is hidden from them."""
    try:
        return event_for(player_of(request), event.pk, request.session)
    except Http404:
        return None


def club_of(request: HttpRequest, slug: str, permission: str = "") -> ClubAccess:
    """Return the requester's rights in a club; PermissionDenied without `permission`."""
    access = club_for(player_of(request), slug, request.session)
    if permission and not access.may(permission):
        raise PermissionDenied
    return access


def event_of(request: HttpRequest, event_id: int, permission: str = "") -> EventAccess:
    """Return the requester's rights at an event; PermissionDenied without `permission`."""
    access = event_for(player_of(request), event_id, request.session)
    if permission and not access.may(permission):
        raise PermissionDenied
    return access


def requested_event(request: ApiRequest, event_id: int) -> EventAccess:
    """Return an API caller's rights at an event, like `event_for`."""
    return event_for(request.auth.player, event_id, request.auth.session)


def requested_player(request: ApiRequest, player_id: int) -> Player:
    """Return a player; raise Http404 if there is none, Problem ``private`` if their record is."""
    player = get_object_or_404(Player, pk=player_id)
    if not shows_record(player, request.auth.player):
        raise ApiProblem(403, "private", f"{player.name} keeps their record private.")
    return player


def invited_clubs(session: SessionBase) -> Collection[str]:
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
    """Remember in the session that it followed a club's invitation link, until that is replaced."""
    others = [known for known in invited_clubs(session) if known != club.invite_token]
    session[INVITED_KEY] = [*others, club.invite_token][-MAX_INVITATIONS:]


def _standing(
    player: Player | None, club: Club, session: SessionBase
) -> tuple[Club, Player | None, Membership | None, bool]:
    membership = club.memberships.filter(player=player).first() if player else None
    invited = club.closed is None and club.invite_token in invited_clubs(session)
    return club, player, membership, invited


def _user(player: Player | None) -> User | AnonymousUser:
    return player.user if player and player.user else AnonymousUser()
