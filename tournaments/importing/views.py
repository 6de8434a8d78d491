"""The pages that take lists in, and give a club's list out."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render, resolve_url
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from games.models import Player
from games.numbers import parse_number
from games.people.identity import player_of
from tournaments.access import ClubAccess, club_of, event_of
from tournaments.answers import SeeOther, account_needed, refused, refused_at
from tournaments.importing import club_list, entry_list, invitations, past_results
from tournaments.importing.forms import ListForm
from tournaments.importing.plans import ChangedSinceError, Plan
from tournaments.importing.sheets import Sheet, UnreadableError, read
from tournaments.models import Club
from tournaments.refusals import RefusedError
from tournaments.seasons.past_results import COLUMNS

NAMES_A_PAGE = 50
NOT_AGAIN = {
    "no": "You are off the list, and the club cannot invite this address again.",
    "never": "You are off the list, and no club can invite this address any more.",
}


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def members_list(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a club's list; POST previews a list to import, with `plan` it is imported."""
    access = club_of(request, slug, "direct")
    club, player = access.club, _asker(access)
    shown = club_list.shown(club)
    page = Paginator(shown.pop("names"), NAMES_A_PAGE).get_page(request.GET.get("page"))
    context = {
        "access": access,
        "club": club,
        "page": page,
        "columns": club_list.COLUMNS,
        "back": resolve_url("members_list", slug),
        **shown,
    }

    def do(sheet: Sheet, digest: str, now: datetime) -> str:
        done = club_list.carry_out(club, sheet, digest, player, now)
        invited = sum(bool(row.email) for row in done.new)
        on_paper = len(done.new) - invited
        if not done.new:
            return "Nothing was added: all of it is there already."
        return " ".join(
            f"{number:,} {what}."
            for number, what in (
                (invited, "person is invited" if invited == 1 else "people are invited"),
                (on_paper, "name is on paper" if on_paper == 1 else "names are on paper"),
            )
            if number
        )

    return _take(
        request,
        "tournaments/importing/members_list.html",
        context,
        lambda sheet, now: club_list.plan(club, sheet, player, now),
        do,
    )


@require_safe
@never_cache
def members_csv(request: HttpRequest, slug: str) -> HttpResponse:
    club = club_of(request, slug, "direct").club
    response = HttpResponse(club_list.as_csv(club), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{club.slug}-members.csv"'
    return response


@require_POST
@refused_at("members_list", "slug")
def remove_listed(request: HttpRequest, slug: str, listed_id: int) -> HttpResponse:
    club = club_of(request, slug, "direct").club
    row = club_list.remove(club, listed_id)
    messages.success(request, f"{row.name} is no longer on the list.")
    return SeeOther(resolve_url("members_list", slug))


@require_POST
@refused_at("members_list", "slug")
def take_back_list(request: HttpRequest, slug: str) -> HttpResponse:
    """Take an import back; field `added`: its moment."""
    club = club_of(request, slug, "direct").club
    number = club_list.take_back(club, _added(request))
    messages.success(request, f"Taken back: {number} names are off the list.")
    return SeeOther(resolve_url("members_list", slug))


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def import_past_results(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the form for results of earlier years; POST previews them, with `plan` imports them."""
    access = club_of(request, slug, "direct")
    club, player = access.club, _asker(access)
    context = {
        "access": access,
        "club": club,
        "columns": COLUMNS,
        "imports": past_results.imports_of(club),
        "back": resolve_url("import_past_results", slug),
    }

    def do(sheet: Sheet, digest: str, now: datetime) -> str:
        done = past_results.carry_out(club, sheet, digest, player, now)
        if not done.new:
            return "Nothing was added: all of it is there already."
        return f"Results imported: {len(done.new)}."

    return _take(
        request,
        "tournaments/importing/import_past_results.html",
        context,
        lambda sheet, now: past_results.plan(club, sheet, now),
        do,
    )


@require_POST
@refused_at("import_past_results", "slug")
def take_back_past_results(request: HttpRequest, slug: str) -> HttpResponse:
    """Take an import of past results back; field `added`: its moment."""
    club = club_of(request, slug, "own_club").club
    number = past_results.take_back(club, _added(request))
    messages.success(request, f"Taken back: {number} results are gone.")
    return SeeOther(resolve_url("import_past_results", slug))


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@refused_at("list_invitation", "slug", "key")
def list_invitation(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """Ask an invited person; POST field `answer`: `yes`, `no`, or `never` for no club at all."""
    club = get_object_or_404(Club, slug=slug, closed=None)
    row = invitations.invitation(club, key)
    if row is None:
        raise Http404
    player = player_of(request)
    if request.method != "POST":
        has_account = player is not None and player.user_id is not None
        context = {"club": club, "row": row, "has_account": has_account}
        return render(request, "tournaments/importing/invitation.html", context)
    answer = request.POST.get("answer", "")
    if answer not in {"yes", *NOT_AGAIN}:
        raise RefusedError("answer", "Answer yes, no or never.", 422)
    if answer == "yes":
        if player is None or player.user_id is None:
            path = resolve_url("list_invitation", slug, key)
            return account_needed(request, "Joining a club", path)
        invitations.accept(row, player)
        messages.success(request, f"You are now a member of {club}.")
        return SeeOther(resolve_url("club", slug))
    invitations.decline(row, everywhere=answer == "never")
    messages.success(request, NOT_AGAIN[answer])
    return SeeOther(resolve_url("home"))


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def import_entries(request: HttpRequest, event_id: int) -> HttpResponse:
    """Show the form for a list of entries; POST previews it, with `plan` it is imported."""
    access = event_of(request, event_id, "direct")
    event, player = access.event, _asker(access)
    context = {
        "access": access,
        "event": event,
        "columns": entry_list.COLUMNS,
        "back": resolve_url("import_entries", event.pk),
    }

    def do(sheet: Sheet, digest: str, now: datetime) -> str:
        done = entry_list.carry_out(event, sheet, digest, player, now)
        if not done.new:
            return "Nobody was entered: all of it is there already."
        return f"Entered: {len(done.new)}. The players get an e-mail."

    return _take(
        request,
        "tournaments/importing/import_entries.html",
        context,
        lambda sheet, now: entry_list.plan(event, sheet, now),
        do,
    )


def _take(
    request: HttpRequest,
    template: str,
    context: dict[str, Any],
    plan: Callable[[Sheet, datetime], Plan[Any]],
    do: Callable[[Sheet, str, datetime], str],
) -> HttpResponse:
    """Answer with the form, the preview of a list, or what importing it has done."""
    form = ListForm(*((request.POST, request.FILES) if request.method == "POST" else ()))
    now, status = timezone.now(), 200
    if form.is_valid():
        try:
            sheet = read(form.cleaned_data["data"], context["columns"], _chosen(request))
            if digest := request.POST.get("plan", ""):
                try:
                    messages.success(request, do(sheet, digest, now))
                except ChangedSinceError as error:
                    context["changed"], status = error.message, error.status
                else:
                    return SeeOther(context["back"])
            context |= {"plan": plan(sheet, now), "sheet": sheet}
            if context["plan"].problems:
                status = 422
        except UnreadableError as error:
            form.add_error(None, str(error))
        except RefusedError as error:
            return refused(request, error, context["back"])
    if form.errors:
        status = 422
    return render(request, template, context | {"form": form}, status=status)


def _chosen(request: HttpRequest) -> dict[str, int | None] | None:
    """Return which column was chosen for what, from fields such as `column-email`."""
    sent = {one.removeprefix("column-"): one for one in request.POST if one.startswith("column-")}
    places = {what: parse_number(request.POST[field]) for what, field in sent.items()}
    return {what: at for what, at in places.items() if at is not None} if sent else None


def _added(request: HttpRequest) -> datetime:
    """Return the moment of the import that is meant; raise RefusedError ``added``."""
    try:
        added = parse_datetime(request.POST.get("added", ""))
    except ValueError:
        added = None
    if added is None or timezone.is_naive(added):
        raise RefusedError("added", "Choose an import of the list.", 422)
    return added


def _asker(access: ClubAccess) -> Player:
    if access.player is None:
        raise PermissionDenied
    return access.player
