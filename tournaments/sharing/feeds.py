"""A club's results as an Atom feed (RFC 4287)."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

from django.conf import settings
from django.contrib.syndication.views import Feed
from django.http import HttpRequest
from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed

from games.people.identity import player_of
from tournaments.access import club_by_key, club_for
from tournaments.calendar.listing import with_counts
from tournaments.events import event_words
from tournaments.models import Club, Event
from tournaments.standings.winners import names_of, outcomes_of

if TYPE_CHECKING:
    Results = Feed[Event, Club]
else:
    Results = Feed

#: Results in a feed.
MAX_RESULTS: Final = 30


class SteadyAtom(Atom1Feed):
    """An Atom feed that was last updated when its club was founded, if it has no entries.

    Django's would say now, and differ with every reading.
    """

    def latest_post_date(self) -> datetime:
        founded: datetime = self.feed["founded"]
        return super().latest_post_date() if self.items else founded


class ClubResults(Results):
    """The events that a club has finished, the latest first.

    `key` in the query is the invitation token of a club by invitation, as for its calendar.
    """

    feed_type = SteadyAtom

    def get_object(self, request: HttpRequest, slug: str) -> Club:
        """Return the club; raise Http404 if the reader may not see it."""
        club = club_by_key(slug, request.GET.get("key", ""))
        return club or club_for(player_of(request), slug, request.session).club

    def title(self, club: Club) -> str:
        return f"Results of {club.name}"

    def link(self, club: Club) -> str:
        return f"{settings.SITE_URL}{reverse('club', args=[club.slug])}"

    def feed_url(self, club: Club) -> str:
        return f"{settings.SITE_URL}{reverse('club_results_feed', args=[club.slug])}"

    def subtitle(self, club: Club) -> str:
        return f"Events that {club.name} has finished, at {settings.SITE_NAME}"

    def author_name(self, club: Club) -> str:
        """Return the author, which a feed needs unless each entry has one (RFC 4287, 4.1.1)."""
        return club.name

    def author_link(self, club: Club) -> str:
        return self.link(club)

    def feed_extra_kwargs(self, club: Club) -> dict[str, datetime]:
        return {"founded": club.created}

    def items(self, club: Club) -> Sequence[Event]:
        """Return the events, with `entrants` and the names of the `winners`."""
        finished = club.events.filter(state=Event.State.FINISHED, ended__isnull=False)
        found = with_counts(finished.order_by("-ended", "-pk")[:MAX_RESULTS])
        winners = names_of(outcomes_of(found))
        for event in found:
            event.winners = winners.get(event.pk, "")  # type: ignore[attr-defined]
        return found

    def item_title(self, event: Event) -> str:
        winners: str = event.winners  # type: ignore[attr-defined]
        return f"{event.name}: won by {winners}" if winners else event.name

    def item_description(self, event: Event) -> str:
        count = event_words.counted(event, event.entrants)  # type: ignore[attr-defined]
        pieces = (event.get_format_display(), count, event_words.place_in_words(event))
        return ", ".join(filter(None, pieces))

    def item_link(self, event: Event) -> str:
        return f"{settings.SITE_URL}{reverse('event', args=[event.pk])}"

    def item_guid(self, event: Event) -> str:
        return self.item_link(event)

    def item_pubdate(self, event: Event) -> datetime | None:
        return event.ended

    item_updateddate = item_pubdate
