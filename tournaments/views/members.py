"""Joining and leaving a club, its members and their roles, who asks to join."""

from collections.abc import Callable

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render, resolve_url
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from games.models import Player
from tournaments.access import ClubAccess, club_of
from tournaments.forms.clubs import JoinForm, RoleForm
from tournaments.models import JoinRequest, Membership
from tournaments.refusals import RefusedError
from tournaments.rules import outranks
from tournaments.services import members
from tournaments.views.answers import SeeOther, account_needed, refused
from tournaments.views.clubs import invitation_link

A_PAGE = 50


@require_POST
def join_club(request: HttpRequest, slug: str) -> HttpResponse:
    """Join a club, or ask to; field `words` for those who decide."""
    access = club_of(request, slug)
    club, player, back = access.club, access.player, resolve_url("club", slug)
    if player is None or player.user_id is None:
        return account_needed(request, "Joining a club", back)
    form = JoinForm(request.POST)
    if not form.is_valid():
        error = RefusedError("words", "Say it in at most 200 characters.", 422)
        return refused(request, error, back)
    try:
        joined = members.join(club, player, invited=access.invited, **form.cleaned_data)
    except RefusedError as error:
        return refused(request, error, back)
    if isinstance(joined, JoinRequest):
        messages.success(request, "You have asked to join. You get the answer by e-mail.")
    else:
        messages.success(request, f"You are a member of {club}.")
    return SeeOther(back)


@require_POST
def take_back_request(request: HttpRequest, slug: str) -> HttpResponse:
    """Take back one's own request to join."""
    access = club_of(request, slug)
    if access.player is not None:
        members.take_back(access.club, access.player)
    return SeeOther(resolve_url("club", slug))


@require_POST
def leave_club(request: HttpRequest, slug: str) -> HttpResponse:
    """End one's own membership."""
    access = club_of(request, slug)
    if access.membership is not None:
        try:
            members.leave(access.club, access.membership.player)
        except RefusedError as error:
            return refused(request, error, resolve_url("club", slug))
        messages.success(request, f"You have left {access.club}.")
    return SeeOther(resolve_url("club_list"))


@require_safe
def club_members(request: HttpRequest, slug: str) -> HttpResponse:
    """List the members; who may finds here who asks to join, the link, and the roles to change."""
    access = club_of(request, slug)
    page = Paginator(members.members_of(access.club), A_PAGE).get_page(request.GET.get("page"))
    context = {
        "access": access,
        "club": access.club,
        "page": page,
        "lines": [(member, _can_remove(access, member)) for member in page.object_list],
        "roles": Membership.Role.choices,
    }
    if access.moderates:
        context["requests"] = access.club.requests.select_related("player")
        context["link"] = invitation_link(request, access.club)
    return render(request, "tournaments/club_members.html", context)


@require_POST
def set_role(request: HttpRequest, slug: str, player_id: int) -> HttpResponse:
    """Give a member another role; field `role`."""
    club = club_of(request, slug, "own_club").club
    form = RoleForm(request.POST)
    if not form.is_valid():
        roles = ", ".join(Membership.Role.values)
        error = RefusedError("role", f"The role must be one of {roles}.", 422)
        return refused(request, error, resolve_url("club_members", slug))

    def change() -> str:
        member = members.set_role(club, player_id, form.cleaned_data["role"])
        return f"{member.player}: {member.get_role_display().lower()}."

    return _done(request, slug, change)


@require_POST
def hand_over(request: HttpRequest, slug: str, player_id: int) -> HttpResponse:
    """Make another member the owner in one's own place."""
    access = club_of(request, slug, "own_club")

    def change() -> str:
        heir = members.hand_over(access.club, _asker(access), player_id, timezone.now())
        return f"{heir.player} owns {access.club} now; you are a director."

    return _done(request, slug, change)


@require_POST
def remove_member(request: HttpRequest, slug: str, player_id: int) -> HttpResponse:
    """End the membership of somebody with a lower role."""
    access = club_of(request, slug, "moderate")

    def change() -> str:
        removed = members.remove(access.club, _asker(access), player_id)
        return f"{removed} is no longer a member."

    return _done(request, slug, change)


@require_POST
def accept_request(request: HttpRequest, slug: str, request_id: int) -> HttpResponse:
    """Let somebody in who asks to join."""
    club = club_of(request, slug, "moderate").club
    return _done(request, slug, lambda: f"{members.accept(club, request_id)} is a member now.")


@require_POST
def decline_request(request: HttpRequest, slug: str, request_id: int) -> HttpResponse:
    """Turn down somebody who asks to join."""
    club = club_of(request, slug, "moderate").club
    return _done(request, slug, lambda: f"{members.decline(club, request_id)} is turned down.")


def _done(request: HttpRequest, slug: str, change: Callable[[], str]) -> HttpResponse:
    """Do what changes the members and go back to them; `change` returns what to say then."""
    back = resolve_url("club_members", slug)
    try:
        messages.success(request, change())
    except RefusedError as error:
        return refused(request, error, back)
    return SeeOther(back)


def _asker(access: ClubAccess) -> Player:
    if access.player is None:
        raise PermissionDenied
    return access.player


def _can_remove(access: ClubAccess, member: Membership) -> bool:
    """Whether the asker may remove a member; `tournaments.services.members` decides it again."""
    own = access.membership
    return access.moderates and (own is None or outranks(own.role, member.role))
