"""Clubs and events for the API: everything the caller may see, with simple filters."""

from datetime import datetime

from django.contrib.sessions.backends.base import SessionBase
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce, Lower

from games.models import Player
from tournaments.access import clubs_shown
from tournaments.models import Club, EntryPlayer, Event, Membership


def clubs(player: Player | None, session: SessionBase, words: str = "") -> QuerySet[Club]:
    """Return the clubs that a player (None: a visitor) may see, by name."""
    found = clubs_shown(player, session)
    for word in words.split():
        found = found.filter(Q(name__icontains=word) | Q(about__icontains=word))
    return with_members(found).order_by(Lower("name"), "pk")


def with_members(clubs: QuerySet[Club]) -> QuerySet[Club]:
    members = Membership.objects.filter(club=OuterRef("pk")).order_by().values("club")
    count = members.annotate(count=Count("pk")).values("count")
    return clubs.annotate(members=Coalesce(Subquery(count), 0))


def events(
    player: Player | None,
    session: SessionBase,
    *,
    club: str = "",
    state: str = "",
    after: datetime | None = None,
    before: datetime | None = None,
) -> QuerySet[Event]:
    """Return the published events of the clubs a player may see, the latest start first."""
    shown = Q(club__in=clubs_shown(player, session).values("pk"))
    if player is not None:
        mine = EntryPlayer.objects.filter(event=OuterRef("pk"), player=player, active=True)
        shown |= Q(Exists(mine), club__closed=None)
    found = Event.objects.exclude(state=Event.State.DRAFT).filter(shown)
    wanted = {
        "club__slug": club,
        "state": state,
        "starts__gte": after,
        "starts__lt": before,
    }
    found = found.filter(**{name: value for name, value in wanted.items() if value})
    return found.select_related("club").order_by("-starts", "-pk")
