"""The page of a person on a club's list, and what directors do there."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.core.validators import validate_email
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render, resolve_url
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from games.models import Player
from games.numbers import parse_number
from tournaments.access import ClubAccess, club_of
from tournaments.answers import SeeOther, refused_at
from tournaments.attendance import same_person
from tournaments.importing import club_list, person
from tournaments.models import Entry, ListedName
from tournaments.money import paying
from tournaments.refusals import RefusedError


@require_safe
@never_cache
@refused_at("members_list", "slug")
def listed_person(request: HttpRequest, slug: str, listed_id: int) -> HttpResponse:
    """Show a person on the list; query `q`: a name to join with, `other`: the line chosen.

    A line that has been joined to another leads there.
    """
    access, row, by = _asked(request, slug, listed_id)
    if row.joined_to_id is not None:
        return redirect("listed_person", slug, row.joined_to_id)
    return _page(request, access, row, by)


@require_POST
@refused_at("listed_person", "slug", "listed_id")
def change_listed(request: HttpRequest, slug: str, listed_id: int) -> HttpResponse:
    """Do what field `do` says for a person on the list."""
    access, row, by = _asked(request, slug, listed_id)
    now, do = timezone.now(), request.POST.get("do", "")
    if row.joined_to is not None:
        raise RefusedError("joined", f"{row.name} and {row.joined_to} are one person now.")
    if do == "join":
        other = _other(row, request.POST.get("other", ""))
        person.carry_out(row, other, request.POST.get("seen", ""), now)
        messages.success(request, f"{row.name} and {other.name} are one person now.")
    elif do == "part":
        other = _other(row, request.POST.get("other", ""))
        same_person.part(other)
        messages.success(request, f"{other.name} is a line of its own again.")
    elif do == "code":
        return _page(request, access, row, by, code=same_person.renew_code(row, now))
    elif do == "invite":
        _invite(row, request.POST.get("email", "").strip().lower(), by)
        messages.success(request, f"{row.name} gets a letter with the invitation.")
    elif do == "name":
        same_person.rename(row, request.POST.get("name", ""))
        messages.success(request, "The name has been changed, on all nights.")
    elif do in {"paid", "back"}:
        entries = Entry.objects.filter(event__club=row.club).select_related("event")
        entry = get_object_or_404(entries, pk=parse_number(request.POST.get("entry", "")))
        paying.tick(entry, by, now, paid=do == "paid")
    else:
        raise RefusedError("do", "Choose what to do for this person.", 422)
    return SeeOther(resolve_url("listed_person", slug, row.pk))


def _page(
    request: HttpRequest, access: ClubAccess, row: ListedName, by: Player, *, code: str = ""
) -> HttpResponse:
    now, query = timezone.now(), request.GET.get("q", "").replace("\0", "").strip()[:60]
    context = {
        "access": access,
        "club": access.club,
        "q": query,
        "code": code,
        "until": now + same_person.CODE_LASTS,
        **person.page_of(row, by, query, now),
    }
    if request.GET.get("other"):
        context["other"] = other = _other(row, request.GET["other"])
        context["preview"] = person.preview(row, other, now)
    return render(request, "tournaments/importing/person.html", context)


def _asked(
    request: HttpRequest, slug: str, listed_id: int
) -> tuple[ClubAccess, ListedName, Player]:
    access = club_of(request, slug, "direct")
    if access.player is None:
        raise PermissionDenied
    rows = access.club.listed_names.select_related("club", "player", "plays_as", "added_by")
    row = get_object_or_404(rows, pk=listed_id)
    return access, row, access.player


def _other(row: ListedName, sent: str) -> ListedName:
    rows = row.club.listed_names.select_related("club", "plays_as", "player")
    return get_object_or_404(rows, pk=parse_number(sent))


def _invite(row: ListedName, email: str, by: Player) -> None:
    """Invite a person on paper by an address, which stays on the list."""
    try:
        validate_email(email)
    except ValidationError as error:
        words = f"“{email}” is not an e-mail address. One looks like kit@example.org."
        raise RefusedError("email", words, 422) from error
    club_list.invite_one(row, email, by, timezone.now())
