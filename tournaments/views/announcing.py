"""Announcements of a club, and who is sent them."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render, resolve_url
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from games.services.identity import player_of
from tournaments.access import ClubAccess, club_for
from tournaments.forms.announcing import AnnouncementForm
from tournaments.refusals import RefusedError
from tournaments.services import announcing
from tournaments.views.answers import SeeOther

A_PAGE = 20


@require_safe
def club_announcements(request: HttpRequest, slug: str) -> HttpResponse:
    """List all announcements of a club, the newest first."""
    access = _access(request, slug)
    posts = access.club.announcements.select_related("author")
    page = Paginator(posts, A_PAGE).get_page(request.GET.get("page"))
    context = {"access": access, "club": access.club, "page": page}
    return render(request, "tournaments/club_announcements.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def announce(request: HttpRequest, slug: str) -> HttpResponse:
    """Write an announcement to the club."""
    access = _access(request, slug)
    player = access.player
    if player is None or not access.directs:
        raise PermissionDenied
    form = AnnouncementForm(request.POST if request.method == "POST" else None)
    status = 422 if form.is_bound else 200
    if form.is_valid():
        try:
            announcing.announce(access.club, player, **form.cleaned_data, now=timezone.now())
        except RefusedError as error:
            form.add_error(None, error.message)
            status = error.status
        else:
            messages.success(request, "Announced. Members who want news get it by e-mail.")
            return SeeOther(resolve_url("club", slug))
    readers = access.club.memberships.filter(news=True).count()
    context = {"access": access, "club": access.club, "form": form, "readers": readers}
    return render(request, "tournaments/announce.html", context, status=status)


@require_POST
def take_down(request: HttpRequest, slug: str, announcement_id: int) -> HttpResponse:
    """Take an announcement down."""
    access = _access(request, slug)
    if not access.moderates:
        raise PermissionDenied
    announcing.take_down(get_object_or_404(access.club.announcements, pk=announcement_id))
    messages.success(request, "The announcement is taken down.")
    return SeeOther(resolve_url("club_announcements", slug))


@require_POST
def club_news(request: HttpRequest, slug: str) -> HttpResponse:
    """Switch the club's news on or off; field `news`: "on" or "off", `from`: "you" to go there."""
    access = _access(request, slug)
    if access.membership is None:
        raise PermissionDenied
    news = request.POST.get("news") == "on"
    announcing.choose_news(access.membership, news=news)
    name = access.club.name
    messages.success(
        request,
        f"You are sent the news of {name}." if news else f"No more news of {name} is sent to you.",
    )
    yours = request.POST.get("from") == "you"
    return SeeOther(resolve_url("your_events") if yours else resolve_url("club", slug))


def _access(request: HttpRequest, slug: str) -> ClubAccess:
    return club_for(player_of(request), slug, request.session)
