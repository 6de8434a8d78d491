"""The puzzle of each day as an Atom feed (RFC 4287), with the answer from the next day on."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Final

from django.conf import settings
from django.contrib.syndication.views import Feed
from django.urls import reverse
from django.utils import timezone
from django.utils.feedgenerator import Atom1Feed

from games.engine.cards import cards_in
from games.picture.phrases import plain_name
from games.puzzles import daily, questions
from games.puzzles.collection import CAST
from games.review import wording

if TYPE_CHECKING:
    Days = Feed[date, None]
else:
    Days = Feed

#: Days in the feed; fewer than there are puzzles, or it would have the answer of today's.
DAYS: Final = 14


class PuzzleFeed(Days):
    feed_type = Atom1Feed

    def title(self) -> str:
        return f"Puzzle of the day at {settings.SITE_NAME}"

    def link(self) -> str:
        return f"{settings.SITE_URL}{reverse('puzzles')}"

    def feed_url(self) -> str:
        return f"{settings.SITE_URL}{reverse('puzzle_feed')}"

    def author_name(self) -> str:
        return settings.SITE_NAME

    def items(self) -> Sequence[date]:
        today = daily.today(timezone.now())
        return [today - timedelta(days=back) for back in range(DAYS)]

    def item_title(self, item: date) -> str:
        return f"Puzzle for {item:%A} {item.day} {item:%B}"

    def item_description(self, item: date) -> str:
        puzzle = daily.puzzle_of(item)
        seen = puzzle.decision.seen
        asked, more = questions.in_words(seen, CAST)
        hand = ", ".join(plain_name(card).lower() for card in cards_in(seen.hand))
        words = [f"You hold {hand}.", more, asked]
        if item < daily.today(timezone.now()):
            best = wording.in_words(seen, puzzle.judged.judgement.best)
            why = wording.plain(questions.why(CAST, puzzle.decision, puzzle.judged))
            words += [f"Best: {best}.", why]
        return " ".join(words)

    def item_link(self, item: date) -> str:
        return f"{settings.SITE_URL}{reverse('set_puzzle', args=[daily.puzzle_of(item).number])}"

    def item_guid(self, item: date) -> str:
        return f"{self.link()}#{item.isoformat()}"

    def item_pubdate(self, item: date) -> datetime:
        return datetime.combine(item, time(), UTC)

    def item_updateddate(self, item: date) -> datetime:
        """Return when the entry was changed last: its answer is added at the next midnight."""
        is_answered = item < daily.today(timezone.now())
        return self.item_pubdate(item) + timedelta(days=is_answered)
