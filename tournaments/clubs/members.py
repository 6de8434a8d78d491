"""Joining and leaving a club, and the roles of its members."""

from datetime import datetime

from django.db import transaction
from django.db.models import Case, QuerySet, When
from django.db.models.functions import Lower

from games.models import Player
from tournaments.changes.row_locks import locked_club
from tournaments.models import Club, JoinRequest, Membership
from tournaments.outbox import letters
from tournaments.refusals import RefusedError
from tournaments.rules import RANKS, outranks

Role = Membership.Role


def members_of(club: Club) -> QuerySet[Membership]:
    ranks = [When(role=role, then=rank) for rank, role in enumerate(reversed(RANKS))]
    members = club.memberships.select_related("player")
    return members.order_by(Case(*ranks), Lower("player__name"), "pk")


@transaction.atomic
def join(
    club: Club, player: Player, *, words: str = "", invited: bool = False
) -> Membership | JoinRequest:
    """Make a player a member, or store their request to join; safe to repeat.

    `invited` players have the invitation link, which admits to any club. Raises RefusedError
    ``account``, ``by invitation`` or ``gone``.
    """
    if player.user_id is None:
        raise RefusedError("account", "Joining a club needs an account.", 403)
    club = locked_club(club)
    member = club.memberships.filter(player=player).first()
    if member is not None:
        return member
    if invited or club.joining == Club.Joining.OPEN:
        return _admit(club, player)
    if club.joining == Club.Joining.INVITATION:
        raise RefusedError(
            "by invitation", f"You can join {club} only with its invitation link.", 403
        )
    request, new = club.requests.get_or_create(player=player, defaults={"words": words})
    if new:
        members = request.club.memberships.exclude(role=Role.MEMBER).select_related("player")
        letters.write(
            f"join request {request.pk}",
            [member.player for member in members],
            f"{request.player} asks to join {request.club}",
            "join_request",
            request=request,
            club=request.club,
        )
    return request


@transaction.atomic
def take_back(club: Club, player: Player) -> None:
    locked_club(club).requests.filter(player=player).delete()


@transaction.atomic
def accept(club: Club, request_id: int) -> Player:
    """Accept a request and write to the player; raise RefusedError ``answered`` or ``gone``."""
    club = locked_club(club)
    request = _request(club, request_id)
    _admit(club, request.player)
    letters.write(
        f"join request {request_id} accepted",
        [request.player],
        f"You are a member of {club}",
        "request_accepted",
        club=club,
    )
    return request.player


@transaction.atomic
def decline(club: Club, request_id: int) -> Player:
    """Decline a request and write to the player; raise RefusedError ``answered`` or ``gone``."""
    club = locked_club(club)
    request = _request(club, request_id)
    request.delete()
    letters.write(
        f"join request {request_id} declined",
        [request.player],
        f"Your request to join {club}",
        "request_declined",
        club=club,
    )
    return request.player


@transaction.atomic
def leave(club: Club, player: Player) -> None:
    """End a membership, if there is one; raise RefusedError ``last owner`` or ``gone``."""
    member = locked_club(club).memberships.filter(player=player).first()
    if member is not None:
        _refuse_last_owner(member)
        member.delete()


@transaction.atomic
def choose_home(player: Player, slug: str) -> None:
    """Show a club as the player's home club, or none; raise RefusedError ``no member``."""
    Player.objects.select_for_update(no_key=True).get(pk=player.pk)  # one choice at a time
    player.memberships.filter(home=True).exclude(club__slug=slug).update(home=False)
    if slug and not player.memberships.filter(club__slug=slug).update(home=True):
        raise RefusedError("no member", "You are no longer a member of this club.")


@transaction.atomic
def remove(club: Club, by: Player, player_id: int) -> Player:
    """Remove a member; raise RefusedError ``not lower``, ``no member`` or ``gone``."""
    club = locked_club(club)
    member = _member(club, player_id)
    # Staff of the site rank as owners; other non-members rank as members.
    own = club.memberships.filter(player=by).first()
    rank = own.role if own else Role.MEMBER
    if by.user is not None and by.user.is_staff:
        rank = Role.OWNER
    if not outranks(rank, member.role):
        article = "an" if member.role == Role.OWNER else "a"
        raise RefusedError(
            "not lower",
            f"{member.player} is {article} {member.get_role_display().lower()}; "
            "you can only remove members with a lower role than your own.",
            403,
        )
    member.delete()
    return member.player


@transaction.atomic
def set_role(club: Club, player_id: int, role: str) -> Membership:
    """Give a member another role; raise RefusedError ``last owner``, ``no member`` or ``gone``."""
    member = _member(locked_club(club), player_id)
    if role != Role.OWNER:
        _refuse_last_owner(member)
    member.role = role
    member.save(update_fields=["role"])
    return member


@transaction.atomic
def hand_over(club: Club, by: Player, player_id: int, now: datetime) -> Membership:
    """Make another member the owner; the former owner becomes a director.

    Raises RefusedError ``not owner``, ``yourself``, ``no member`` or ``gone``.
    """
    club = locked_club(club)
    owner = club.memberships.filter(player=by, role=Role.OWNER).first()
    if owner is None:
        raise RefusedError("not owner", f"Only an owner of {club} can hand it over.", 403)
    new_owner = _member(club, player_id)
    if new_owner.pk == owner.pk:
        raise RefusedError("yourself", "Choose another member to hand the club over to.")
    new_owner.role, owner.role = Role.OWNER, Role.DIRECTOR
    Membership.objects.bulk_update([new_owner, owner], ["role"])
    letters.write(
        f"club {club.pk} handed over {now.isoformat()}",
        [new_owner.player],
        f"{club} is yours now",
        "club_handed_over",
        club=club,
        by=by,
    )
    return new_owner


def _admit(club: Club, player: Player) -> Membership:
    club.requests.filter(player=player).delete()
    return club.memberships.create(player=player)


def _request(club: Club, request_id: int) -> JoinRequest:
    request = club.requests.select_related("player").filter(pk=request_id).first()
    if request is None:
        raise RefusedError("answered", "This request has already been answered or withdrawn.")
    return request


def _member(club: Club, player_id: int) -> Membership:
    named = Player.objects.filter(pk=player_id)  # by primary key, which accepts any number
    member = club.memberships.select_related("player").filter(player__in=named).first()
    if member is None:
        raise RefusedError("no member", f"{club} no longer has this member.", 404)
    return member


def _refuse_last_owner(member: Membership) -> None:
    others = member.club.memberships.exclude(pk=member.pk)
    if member.role == Role.OWNER and not others.filter(role=Role.OWNER).exists():
        raise RefusedError(
            "last owner",
            f"{member.player} is the only owner of {member.club}: hand the club over first.",
        )
