"""The days that have closed as an Atom feed (RFC 4287)."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

from django.conf import settings
from django.contrib.syndication.views import Feed
from django.http import HttpRequest
from django.urls import reverse

from tournaments.daily import days, standings, tries
from tournaments.models import Club, DailyDeal
from tournaments.sharing.feeds import SteadyAtom

if TYPE_CHECKING:
    Results = Feed[DailyDeal, list[Club | None]]
else:
    Results = Feed

#: Days in a feed.
MAX_DAYS: Final = 30


class DailyResults(Results):
    """The closed days of the site, or of a club; nothing of the one that is open."""

    feed_type = SteadyAtom

    def get_object(self, _request: HttpRequest, club: Club | None) -> list[Club | None]:
        """Return the club in a list: Django asks for no items of an object that is None."""
        return [club]

    def title(self, of: list[Club | None]) -> str:
        return tries.title_of(of[0])

    def link(self, of: list[Club | None]) -> str:
        path = reverse("club_daily", args=[of[0].slug]) if of[0] else reverse("daily")
        return f"{settings.SITE_URL}{path}"

    def feed_url(self, of: list[Club | None]) -> str:
        path = reverse("club_daily_feed", args=[of[0].slug]) if of[0] else reverse("daily_feed")
        return f"{settings.SITE_URL}{path}"

    def author_name(self, of: list[Club | None]) -> str:
        return of[0].name if of[0] else settings.SITE_NAME

    def feed_extra_kwargs(self, of: list[Club | None]) -> dict[str, datetime]:
        first = days.days_of(of[0]).last()
        return {"founded": first.opens if first else datetime.fromisoformat("2000-01-01T00:00Z")}

    def items(self, of: list[Club | None]) -> Sequence[DailyDeal]:
        return list(days.days_of(of[0]).filter(closed__isnull=False)[:MAX_DAYS])

    def item_title(self, daily: DailyDeal) -> str:
        return f"{daily.day:%A} {daily.day.day} {daily.day:%B}"

    def item_description(self, daily: DailyDeal) -> str:
        best = standings.places(daily)[:3]
        names = "; ".join(f"{one.player.name} {one.percent:.1f} %" for one in best)
        return f"{daily.played} played. {names}".strip()

    def item_link(self, daily: DailyDeal) -> str:
        return f"{settings.SITE_URL}{tries.path_of(daily)}"

    def item_guid(self, daily: DailyDeal) -> str:
        return self.item_link(daily)

    def item_pubdate(self, daily: DailyDeal) -> datetime | None:
        return daily.closed

    item_updateddate = item_pubdate
