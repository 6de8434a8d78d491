"""Clubs: the list, a club's page, founding one and its settings."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from games import rule_words
from games.services.identity import player_of
from tournaments.access import club_by_key, club_of, remember_club
from tournaments.forms.clubs import JOINING_WORDS, ClubForm, JoinForm
from tournaments.geography import countries, zone_in_words
from tournaments.models import Club, Event
from tournaments.refusals import RefusedError
from tournaments.services import club_pages, clubs, leaderboards, seasons
from tournaments.services.members import members_of
from tournaments.views.answers import SeeOther, account_needed, refused, typed

A_PAGE = 24
TOP = 5
SHOWN_MEMBERS = 8


@require_safe
def club_list(request: HttpRequest) -> HttpResponse:
    """List the visitor's clubs and all that are not by invitation; field `q` searches."""
    search = request.GET.get("q", "").replace("\0", "").strip()  # databases refuse it
    page = Paginator(club_pages.listed_clubs(search), A_PAGE).get_page(request.GET.get("page"))
    context = {
        "search": search,
        "page": page,
        "lines": club_pages.lines_of(page.object_list),
        "yours": club_pages.clubs_of(player_of(request)),
    }
    return render(request, "tournaments/club_list.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def new_club(request: HttpRequest) -> HttpResponse:
    """Found a club."""
    player = player_of(request)
    if player is None or player.user_id is None:
        return account_needed(request, "Founding a club", resolve_url("new_club"))
    form = ClubForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            club = clubs.found(player, **form.cleaned_data)
        except RefusedError as error:
            _put(form, error)
        else:
            messages.success(request, f"{club} is founded, and you are its owner.")
            return SeeOther(resolve_url("club", club.slug))
    return _settings_page(request, form)


@require_safe
def club_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a club: what comes next, its members, results, rules and season."""
    access = club_of(request, slug)
    club = access.club
    now = timezone.now()
    events = club_pages.next_events(club, access.player, now, drafts=access.directs)
    following = next((line for line in events if line.event.state != Event.State.DRAFT), None)
    season = seasons.spans(club, now)[0]
    context = {
        "access": access,
        "club": club,
        "place": _place(club),
        "next": following,
        "others": [line for line in events if line is not following],
        "results": club_pages.latest_results(club, access.player),
        "members": members_of(club)[:SHOWN_MEMBERS],
        "size": club.memberships.count(),
        "asking": club.requests.count() if access.moderates else 0,
        "asked": club.requests.filter(player=access.player).first() if access.player else None,
        "join_form": JoinForm(typed(request, resolve_url("join_club", slug))),
        "house_rules": [(house, rule_words.goal(house.rules)) for house in club.house_rules.all()],
        "season": season,
        "table": seasons.table(club, season)[:TOP],
        "pools": leaderboards.pools_of(club),
    }
    return render(request, "tournaments/club.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def club_settings(request: HttpRequest, slug: str) -> HttpResponse:
    """Change a club's settings."""
    club = club_of(request, slug, "own_club").club
    form = ClubForm(request.POST) if request.method == "POST" else ClubForm.of(club)
    if form.is_valid():
        try:
            clubs.change(club, **form.cleaned_data)
        except RefusedError as error:
            _put(form, error)
        else:
            messages.success(request, "The settings are saved.")
            return SeeOther(resolve_url("club", club.slug))
    return _settings_page(request, form, club=club)


@require_POST
def renew_link(request: HttpRequest, slug: str) -> HttpResponse:
    """Make a new invitation link; the old one ends."""
    club = club_of(request, slug, "own_club").club
    clubs.renew_link(club)
    messages.success(request, "There is a new link; the old one lets nobody in any more.")
    return SeeOther(resolve_url("club_members", club.slug))


@require_POST
def delete_club(request: HttpRequest, slug: str) -> HttpResponse:
    """Delete a club without events."""
    club = club_of(request, slug, "own_club").club
    try:
        clubs.delete(club)
    except RefusedError as error:
        return refused(request, error, resolve_url("club_settings", slug))
    messages.success(request, f"{club} is deleted.")
    return SeeOther(resolve_url("club_list"))


@require_safe
def follow_invitation(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """Follow an invitation link: this session may see the club and join it."""
    club = club_by_key(slug, key)
    if club is None:
        messages.warning(request, "This invitation link has been replaced by another one.")
        club = club_of(request, slug).club
    else:
        remember_club(request.session, club)
    return redirect("club", club.slug)


def invitation_link(request: HttpRequest, club: Club) -> str:
    """The address that lets its holder into a club."""
    return request.build_absolute_uri(
        reverse("club_invitation", args=[club.slug, club.invite_token])
    )


def _place(club: Club) -> list[str]:
    """Where a club is at home, for its headline."""
    country = countries().get(club.country)
    return [*([country] if country else []), f"{zone_in_words(club.time_zone)} time"]


def _settings_page(request: HttpRequest, form: ClubForm, **context: Any) -> HttpResponse:
    status = 422 if form.is_bound else 200
    ways = [(radio, JOINING_WORDS[Club.Joining(radio.data["value"])]) for radio in form["joining"]]
    context |= {"form": form, "ways": ways}
    return render(request, "tournaments/club_form.html", context, status=status)


def _put(form: ClubForm, error: RefusedError) -> None:
    """Show a refusal where it belongs in the form."""
    form.add_error("name" if error.code == "name taken" else None, error.message)
