"""Who has paid: a director's tick for each entry; the site handles no payment."""

from datetime import datetime

from games.models import Player
from tournaments.changes import row_locks
from tournaments.events.notices import note
from tournaments.models import Entry


def tick(entry: Entry, by: Player, now: datetime, *, paid: bool) -> None:
    """Store whether an entry's money was paid, and note it in the event's record."""
    with row_locks.locked(entry.event) as event:
        mine = event.entries.prefetch_related("players__player").get(pk=entry.pk)
        if paid == (mine.paid is not None):
            return
        mine.paid = now if paid else None
        mine.save(update_fields=["paid"])
        note(event, f"{mine.name}: {'paid' if paid else 'not paid after all'}.", by)
