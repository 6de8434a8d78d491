"""The home page: an introduction, what needs the visitor's attention, and what is going on."""

from typing import Any, Final

from django.core.cache import caches
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from euchre_site.pages import member_home, shown_hand
from games.models import Player
from games.people.identity import player_of
from games.puzzles import progress
from games.puzzles import views as puzzles
from games.seats import lobby, wishes
from games.seats.lobby import LobbyTable, PlayingNow
from tournaments.calendar import listing, your_events
from tournaments.calendar.listing import EventLine
from tournaments.clubs import club_pages
from tournaments.clubs.club_pages import SizedClub
from tournaments.events.states import UPCOMING
from tournaments.models import Entry

#: Maximum length of each list.
MAX_RUNNING: Final = 4
#: Seconds for which visitors share a rendering of the lists.
SHARED_FOR: Final = 2


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    player, now = player_of(request), timezone.now()
    yours = lobby.your_tables(player)
    context: dict[str, Any] = {
        "yours": yours,
        "results": lobby.results_of(player),
        **puzzles.today(progress.progress_of(request)),
        **wishes.for_form(request.session),
    }
    if player is not None and player.user_id is not None:
        line = listing.next_for(player, now)
        context |= {"line": line, "invitations": your_events.invitations_to(player)}
        context |= qualifying(player, yours, line)
        context |= member_home.for_member(player, now)
    else:
        context |= {"welcome": not yours, "shown_hand": shown_hand.picture()}
        context |= {"playing": playing_now()}
        context |= qualifying(player, yours) if player else {"shared_lists": visitors_lists()}
    return render(request, "site/home/home.html", context)


def playing_now() -> PlayingNow:
    """Return how many people are playing, counted once for all visitors."""
    pages = caches["pages"]
    playing: PlayingNow | None = pages.get("playing")
    if playing is None:
        playing = lobby.playing_now()
        pages.set("playing", playing, SHARED_FOR)
    return playing


def visitors_lists() -> SafeString:
    """Return the lists for visitors, rendered once for all of them."""
    pages = caches["pages"]
    lists: SafeString | None = pages.get("home")
    if lists is None:
        lists = render_to_string("site/home/_going_on.html", qualifying(None))
        pages.set("home", lists, SHARED_FOR)
    return lists


def qualifying(
    player: Player | None, yours: tuple[LobbyTable, ...] = (), line: EventLine | None = None
) -> dict[str, Any]:
    """Return the lists of the home page for a player (None: a visitor).

    yours, line: the player's own tables and next event, which are left out of the other lists.
    """
    own, now = {table.table_id for table in yours}, timezone.now()
    running = lobby.running_tables(player, most=MAX_RUNNING + lobby.MAX_OWN)
    events = listing.visible_to(player)
    people = Entry.objects.filter(event=OuterRef("pk"), house=False, place__isnull=False)
    coming = listing.upcoming(events).exclude(pk__in=[line.event.pk] if line else [])
    finished = listing.past(events).filter(Exists(people))
    lines = listing.lines_of([*coming[:MAX_RUNNING], *finished[:MAX_RUNNING]], player, now)
    return {
        "live": [table for table in running if table.table_id not in own][:MAX_RUNNING],
        "next_events": [one for one in lines if one.event.state in UPCOMING],
        "finished": [one for one in lines if one.event.state not in UPCOMING],
        "clubs": largest_clubs(),
    }


def largest_clubs() -> QuerySet[SizedClub]:
    clubs = club_pages.with_next_event(club_pages.listed_clubs(""))
    return clubs.order_by("-size", "pk")[:MAX_RUNNING]
