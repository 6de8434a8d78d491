"""The pages of clubs: settings, members, announcements and house rules."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render, resolve_url
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from games import rule_words
from games.analysis import links
from games.answers import number_in
from games.models import Player
from games.people.identity import player_of
from tournaments.access import ClubAccess, club_by_key, club_for, club_of, remember_club
from tournaments.answers import SeeOther, account_needed, refused, refused_at, typed
from tournaments.clubs import calls, club_pages, clubs, members
from tournaments.clubs.forms import (
    JOINING_WORDS,
    AnnouncementForm,
    ClubForm,
    ClubRulesForm,
    JoinForm,
    RoleForm,
)
from tournaments.clubs.members import members_of
from tournaments.geography import countries
from tournaments.models import Club, Event, HouseRules, JoinRequest, Membership
from tournaments.ratings import leaderboards
from tournaments.refusals import RefusedError
from tournaments.rules import outranks
from tournaments.seasons import divisions, seasons
from tournaments.times import zone_name

POSTS_A_PAGE = 20


@require_safe
def club_announcements(request: HttpRequest, slug: str) -> HttpResponse:
    """List all announcements of a club, the newest first."""
    access = _access(request, slug)
    posts = access.club.announcements.select_related("author")
    page = Paginator(posts, POSTS_A_PAGE).get_page(request.GET.get("page"))
    context = {"access": access, "club": access.club, "page": page}
    return render(request, "tournaments/clubs/announcements.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def announce(request: HttpRequest, slug: str) -> HttpResponse:
    access = _access(request, slug)
    player = access.player
    if player is None or not access.directs:
        raise PermissionDenied
    form = AnnouncementForm(request.POST if request.method == "POST" else None)
    status = 422 if form.is_bound else 200
    if form.is_valid():
        try:
            clubs.announce(access.club, player, **form.cleaned_data, now=timezone.now())
        except RefusedError as error:
            form.add_error(None, error.message)
            status = error.status
        else:
            messages.success(request, "Announced. Members who want news get it by e-mail.")
            return SeeOther(resolve_url("club", slug))
    readers = access.club.memberships.filter(news=True).count()
    context = {"access": access, "club": access.club, "form": form, "readers": readers}
    return render(request, "tournaments/clubs/announce.html", context, status=status)


@require_POST
def take_down(request: HttpRequest, slug: str, announcement_id: int) -> HttpResponse:
    access = _access(request, slug)
    if not access.moderates:
        raise PermissionDenied
    clubs.take_down(get_object_or_404(access.club.announcements, pk=announcement_id))
    messages.success(request, "The announcement has been taken down.")
    return SeeOther(resolve_url("club_announcements", slug))


@require_POST
def club_news(request: HttpRequest, slug: str) -> HttpResponse:
    """Switch the club's news on or off; `from=you` returns to the page of one's own events."""
    access = _access(request, slug)
    if access.membership is None:
        raise PermissionDenied
    news = request.POST.get("news") == "on"
    clubs.choose_news(access.membership, news=news)
    name = access.club.name
    messages.success(
        request,
        f"You now get news from {name}." if news else f"You no longer get news from {name}.",
    )
    yours = request.POST.get("from") == "you"
    return SeeOther(resolve_url("your_events") if yours else resolve_url("club", slug))


def _access(request: HttpRequest, slug: str) -> ClubAccess:
    return club_for(player_of(request), slug, request.session)


CLUBS_A_PAGE = 24
TOP = 5
SHOWN_MEMBERS = 8


@require_safe
def club_list(request: HttpRequest) -> HttpResponse:
    """List the visitor's own clubs and all public ones; `q` in the query searches."""
    search = request.GET.get("q", "").replace("\0", "").strip()  # NUL, which databases refuse
    clubs = club_pages.with_next_event(club_pages.listed_clubs(search))
    page = Paginator(clubs, CLUBS_A_PAGE).get_page(request.GET.get("page"))
    context = {
        "search": search,
        "page": page,
        "yours": club_pages.clubs_of(player_of(request)),
    }
    return render(request, "tournaments/clubs/list.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def new_club(request: HttpRequest) -> HttpResponse:
    player = player_of(request)
    if player is None or player.user_id is None:
        return account_needed(request, "Founding a club", resolve_url("new_club"))
    form = ClubForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            club = clubs.create(player, **form.cleaned_data)
        except RefusedError as error:
            form.add_error("name" if error.code == "name taken" else None, error.message)
        else:
            messages.success(request, f"{club} is founded, and you are its owner.")
            return SeeOther(resolve_url("club", club.slug))
    return _settings_page(request, form)


@require_safe
def club_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a club: its next events, members, results, rules and season."""
    access = club_of(request, slug)
    club = access.club
    now = timezone.now()
    events = club_pages.next_events(club, access.player, now, drafts=access.directs)
    following = next((line for line in events if line.event.state != Event.State.DRAFT), None)
    season = seasons.seasons_of(club, now)[0]
    country = countries().get(club.country)
    member = access.player if access.membership else None
    open_calls = calls.open_calls(club, member, now) if member else []
    context = {
        "calls": open_calls,
        "own_table": calls.own_table(member) if calls.may_be_called(club, now) else None,
        "access": access,
        "club": club,
        "place": [*([country] if country else []), zone_name(club.zone)],
        "next": following,
        "others": [line for line in events if line is not following],
        "results": club_pages.latest_results(club, access.player, now),
        "members": members_of(club)[:SHOWN_MEMBERS],
        "size": club.memberships.count(),
        "asking": club.requests.count() if access.moderates else 0,
        "asked": club.requests.filter(player=access.player).first() if access.player else None,
        "join_form": JoinForm(typed(request, resolve_url("join_club", slug))),
        "house_rules": [(house, rule_words.goal(house.rules)) for house in club.house_rules.all()],
        "season": season,
        "leagues": seasons.listed(club, now),
        "leaders": divisions.leaders(club, season, TOP),
        "pools": leaderboards.pools_of(club),
        "link": f"{settings.SITE_URL}{resolve_url('club', slug)}",
    }
    return render(request, "tournaments/clubs/club.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def club_settings(request: HttpRequest, slug: str) -> HttpResponse:
    club = club_of(request, slug, "own_club").club
    form = ClubForm(request.POST) if request.method == "POST" else ClubForm.of(club)
    if form.is_valid():
        try:
            clubs.change(club, **form.cleaned_data)
        except RefusedError as error:
            form.add_error("name" if error.code == "name taken" else None, error.message)
        else:
            messages.success(request, "The settings have been saved.")
            return SeeOther(resolve_url("club", club.slug))
    return _settings_page(request, form, club=club)


@require_POST
def renew_link(request: HttpRequest, slug: str) -> HttpResponse:
    club = club_of(request, slug, "own_club").club
    clubs.renew_link(club)
    messages.success(request, "There is a new link. The old one no longer works.")
    return SeeOther(resolve_url("club_members", club.slug))


@require_POST
@refused_at("club_settings", "slug")
def delete_club(request: HttpRequest, slug: str) -> HttpResponse:
    club = club_of(request, slug, "own_club").club
    clubs.delete(club)
    messages.success(request, f"{club} has been deleted.")
    return SeeOther(resolve_url("club_list"))


@require_safe
def follow_invitation(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """Follow an invitation link, which lets this session see and join the club."""
    club = club_by_key(slug, key)
    if club is None:
        messages.warning(request, "This invitation link has been replaced by a new one.")
        club = club_of(request, slug).club
    else:
        remember_club(request.session, club)
    return redirect("club", club.slug)


def invitation_link(request: HttpRequest, club: Club) -> str:
    return request.build_absolute_uri(
        reverse("club_invitation", args=[club.slug, club.invite_token])
    )


def _settings_page(request: HttpRequest, form: ClubForm, **context: Any) -> HttpResponse:
    status = 422 if form.is_bound else 200
    ways = [(radio, JOINING_WORDS[Club.Joining(radio.data["value"])]) for radio in form["joining"]]
    club = context.get("club")
    if club is not None and club.embedding_sites:
        source = settings.SITE_URL + resolve_url("club_frame", club.slug)
        context["frame"] = format_html(
            '<iframe src="{}" title="{}" width="100%" height="900"></iframe>', source, club
        )
    context |= {"form": form, "ways": ways}
    return render(request, "tournaments/clubs/form.html", context, status=status)


MEMBERS_A_PAGE = 50


@require_POST
@refused_at("club", "slug")
def join_club(request: HttpRequest, slug: str) -> HttpResponse:
    """Join a club or ask to join it; field `words`: a message for those who answer."""
    access = club_of(request, slug)
    club, player, back = access.club, access.player, resolve_url("club", slug)
    if player is None or player.user_id is None:
        return account_needed(request, "Joining a club", back)
    form = JoinForm(request.POST)
    if not form.is_valid():
        raise RefusedError("words", "Write at most 200 characters.", 422)
    joined = members.join(club, player, invited=access.invited, **form.cleaned_data)
    if isinstance(joined, JoinRequest):
        messages.success(request, "You have asked to join. You will get the answer by e-mail.")
    else:
        messages.success(request, f"You are now a member of {club}.")
    return SeeOther(back)


@require_POST
def take_back_request(request: HttpRequest, slug: str) -> HttpResponse:
    access = club_of(request, slug)
    if access.player is not None:
        members.take_back(access.club, access.player)
    return SeeOther(resolve_url("club", slug))


@require_POST
@refused_at("club", "slug")
def leave_club(request: HttpRequest, slug: str) -> HttpResponse:
    access = club_of(request, slug)
    if access.membership is not None:
        members.leave(access.club, access.membership.player)
        messages.success(request, f"You have left {access.club}.")
    return SeeOther(resolve_url("club_list"))


@require_safe
def club_members(request: HttpRequest, slug: str) -> HttpResponse:
    """List the members; for officers also the requests to join, the link and the roles."""
    access = club_of(request, slug)
    own = access.membership

    def can_remove(member: Membership) -> bool:
        """Return whether to offer it; `members.remove` checks again."""
        return access.moderates and (own is None or outranks(own.role, member.role))

    page = Paginator(members_of(access.club), MEMBERS_A_PAGE).get_page(request.GET.get("page"))
    context = {
        "access": access,
        "club": access.club,
        "page": page,
        "lines": [(member, can_remove(member)) for member in page.object_list],
        "roles": Membership.Role.choices,
    }
    if access.moderates:
        context["requests"] = access.club.requests.select_related("player")
        context["link"] = invitation_link(request, access.club)
    return render(request, "tournaments/clubs/members.html", context)


@require_POST
@refused_at("club_members", "slug")
def set_role(request: HttpRequest, slug: str, player_id: int) -> HttpResponse:
    club = club_of(request, slug, "own_club").club
    form = RoleForm(request.POST)
    if not form.is_valid():
        roles = ", ".join(Membership.Role.values)
        raise RefusedError("role", f"The role must be one of {roles}.", 422)
    member = members.set_role(club, player_id, form.cleaned_data["role"])
    return _done(request, slug, f"{member.player}: {member.get_role_display().lower()}.")


@require_POST
def name_director(request: HttpRequest, slug: str) -> HttpResponse:
    """Make a member a director; `event` is the event whose page to return to, if any."""
    club = club_of(request, slug, "own_club").club
    event_id = number_in(request, "event")
    back = resolve_url("event", event_id) if event_id is not None else ""
    player_id = number_in(request, "player")
    try:
        if player_id is None:
            raise RefusedError("player", "Choose a member.", 422)
        member = members.set_role(club, player_id, Membership.Role.DIRECTOR)
    except RefusedError as error:
        return refused(request, error, back or resolve_url("club_members", slug))
    messages.success(request, f"{member.player} is now a director of {club}, too.")
    return SeeOther(back or resolve_url("club_members", slug))


@require_POST
@refused_at("club_members", "slug")
def hand_over(request: HttpRequest, slug: str, player_id: int) -> HttpResponse:
    access = club_of(request, slug, "own_club")
    heir = members.hand_over(access.club, _asker(access), player_id, timezone.now())
    words = f"{heir.player} now owns {access.club}; you are a director."
    return _done(request, slug, words)


@require_POST
@refused_at("club_members", "slug")
def remove_member(request: HttpRequest, slug: str, player_id: int) -> HttpResponse:
    access = club_of(request, slug, "moderate")
    removed = members.remove(access.club, _asker(access), player_id)
    return _done(request, slug, f"{removed} is no longer a member.")


@require_POST
@refused_at("club_members", "slug")
def accept_request(request: HttpRequest, slug: str, request_id: int) -> HttpResponse:
    club = club_of(request, slug, "moderate").club
    return _done(request, slug, f"{members.accept(club, request_id)} is a member now.")


@require_POST
@refused_at("club_members", "slug")
def decline_request(request: HttpRequest, slug: str, request_id: int) -> HttpResponse:
    club = club_of(request, slug, "moderate").club
    return _done(request, slug, f"{members.decline(club, request_id)} is turned down.")


def _done(request: HttpRequest, slug: str, words: str) -> HttpResponse:
    messages.success(request, words)
    return SeeOther(resolve_url("club_members", slug))


def _asker(access: ClubAccess) -> Player:
    if access.player is None:
        raise PermissionDenied
    return access.player


@require_safe
def rules_list(request: HttpRequest, slug: str) -> HttpResponse:
    access = club_of(request, slug)
    sets = [
        {
            "pk": house.pk,
            "key": f"rules-{house.pk}",
            "name": house.name,
            "goal": rule_words.goal(house.rules),
            "facts": rule_words.facts(house.rules),
            "points": rule_words.points(house.rules),
            "set_up": links.set_up_address(house.rules),
        }
        for house in access.club.house_rules.all()
    ]
    context = {"access": access, "club": access.club, "rule_sets": sets}
    return render(request, "tournaments/clubs/rules.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def new_rules(request: HttpRequest, slug: str) -> HttpResponse:
    club = club_of(request, slug, "direct").club
    return _edit(request, club, None)


@require_http_methods(["GET", "HEAD", "POST"])
def edit_rules(request: HttpRequest, slug: str, rules_id: int) -> HttpResponse:
    """Change a rule set for future events."""
    club = club_of(request, slug, "direct").club
    return _edit(request, club, get_object_or_404(club.house_rules, pk=rules_id))


@require_POST
def delete_rules(request: HttpRequest, slug: str, rules_id: int) -> HttpResponse:
    club = club_of(request, slug, "direct").club
    house = get_object_or_404(club.house_rules, pk=rules_id)
    clubs.delete_rules(house)
    messages.success(request, f"{house} is deleted; events that use it keep it.")
    return SeeOther(resolve_url("club_rules", slug))


def _edit(request: HttpRequest, club: Club, house: HouseRules | None) -> HttpResponse:
    if request.method == "POST":
        form = ClubRulesForm(request.POST)
    else:
        form = ClubRulesForm.of(house.rules) if house else ClubRulesForm()
    if form.is_valid() and not form.asks_again:
        try:
            if house is None:
                kept = clubs.make_rules(club, form.rules)
            else:
                kept = clubs.change_rules(house, form.rules)
        except RefusedError as error:
            form.add_error("name" if error.code == "name taken" else None, error.message)
        else:
            messages.success(request, f"{kept} is saved.")
            return SeeOther(resolve_url("club_rules", club.slug))
    context = {"club": club, "house": house, "form": form}
    status = 422 if form.is_bound and not form.asks_again else 200
    return render(request, "tournaments/clubs/rules_form.html", context, status=status)
