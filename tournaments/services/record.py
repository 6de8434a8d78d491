"""The record of an event: what was done, when and by whom."""

from games.models import Player
from tournaments.models import Event, Notice

LONGEST = 300


def note(event: Event, text: str, by: Player | None = None, *, public: bool = False) -> None:
    """Add a line to the event's record; by: None for the clock; public: words to everybody."""
    Notice.objects.create(event=event, by=by, text=text[:LONGEST], public=public)
