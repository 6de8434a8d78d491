"""Permissions in clubs and at their events.

Permissions are checked with ``user.has_perm("tournaments.direct", club)``. Roles include each
other: an owner may do what a director may, a director what a moderator may, and so on. Staff of
the site may do everything; in a club they have closed nobody else may do anything. Where the site
requires two-step login (``TWO_STEPS_FOR``), directors and staff without it have a member's rights.

    ==========  ===================================================================
    see_club    see the club, its events and its members
    moderate    answer requests to join, remove members of a lower role, hide words
    direct      events, house rule sets, seasons, announcements
    own_club    settings, the invitation link, roles, deleting the club
    ==========  ===================================================================

Open clubs and clubs joined by approval are visible to everybody. Visitors with the link of an
invitation-only club see it too; `tournaments.access` knows that from their session.
"""

import rules
from django.contrib.auth.models import AnonymousUser

from games.models import User
from games.people import two_steps
from tournaments.models import Club, Membership

Role = Membership.Role
RANKS = (Role.MEMBER, Role.MODERATOR, Role.DIRECTOR, Role.OWNER)


def outranks(role: str, other: str) -> bool:
    ranks = [str(rank) for rank in RANKS]
    return ranks.index(role) > ranks.index(other)


def _staff(user: User | AnonymousUser) -> bool:
    return user.is_staff


def _seen_by_all(_user: User | AnonymousUser, club: Club | None) -> bool:
    if club is None or club.closed is not None:
        return False
    return club.joining != Club.Joining.INVITATION


def _at_least(least: Role) -> rules.Predicate:
    enough = RANKS[RANKS.index(least) :]

    def holds(user: User | AnonymousUser, club: Club | None) -> bool:
        if club is None or club.closed is not None or not user.is_authenticated:
            return False
        return club.memberships.filter(player__user=user, role__in=enough).exists()

    return rules.predicate(holds, name=f"at least {least.label}")


def _directs_a_club(user: User) -> bool:
    ranks = (Role.DIRECTOR, Role.OWNER)
    return Membership.objects.filter(player__user=user, role__in=ranks).exists()


def _counts(user: User | AnonymousUser) -> bool:
    return not two_steps.lacks(user)


two_steps.asked_of(_directs_a_club)
COUNTS = rules.predicate(_counts, name="logs in as it is asked of a rank")
STAFF = rules.predicate(_staff, name="staff") & COUNTS
SEEN_BY_ALL = rules.predicate(_seen_by_all, name="seen by all")

rules.add_perm("tournaments.see_club", STAFF | SEEN_BY_ALL | _at_least(Role.MEMBER))
rules.add_perm("tournaments.moderate", STAFF | (_at_least(Role.MODERATOR) & COUNTS))
rules.add_perm("tournaments.direct", STAFF | (_at_least(Role.DIRECTOR) & COUNTS))
rules.add_perm("tournaments.own_club", STAFF | (_at_least(Role.OWNER) & COUNTS))
