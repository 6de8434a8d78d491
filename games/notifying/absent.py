"""Calling people who are not at their table: their turn, and a quick game that has begun.

A task asks the rows every few seconds, so that playing a card costs nothing. Whoever's page is open
sees it there.
"""

from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.db.models import F, Q
from django.urls import reverse

from games.models import Game, Player, PushDevice, Seat, Table
from games.models.tables import BEGUN
from games.notifying import pushes
from games.notifying.kinds import READY, TURN

#: How long somebody is gone, or looks elsewhere, before they are called.
GONE_FOR: Final = timedelta(seconds=3)
IDLE_FOR: Final = timedelta(seconds=20)
#: Older turns and tables call nobody any more.
RECENT: Final = timedelta(minutes=5)
MOST: Final = 500


def call_absent(now: datetime) -> None:
    """Queue the pushes that are due; safe to run twice, late or concurrently."""
    if not settings.PUSH_KEY or not PushDevice.objects.exists():
        return
    seats = Seat.objects.filter(
        player__kind=Player.Kind.PERSON, player__push_devices__isnull=False, stand_in=False
    ).distinct()
    turns = seats.filter(
        Q(missing_since__lte=now - GONE_FOR) | Q(table__games__moved__lte=now - IDLE_FOR),
        table__state=Table.State.PLAYING,
        table__games__state=Game.State.PLAYING,
        table__games__turn=F("position"),
        table__games__moved__gt=now - RECENT,
    )
    rows = turns.values_list("player", "table", "table__games", "table__games__version")
    for player, table, game, version in rows[:MOST]:
        path = reverse("table", args=[table])
        pushes.queue(TURN, f"turn {game} {version}", [player], "Your turn", path, now=now)
    # At a new table somebody has been seen since only if their page has opened.
    ready = seats.filter(
        Q(table__quick=True) | Q(table__rated=True),
        table__state__in=BEGUN,
        since__range=(now - RECENT, now - GONE_FOR),
        last_seen__lte=F("since") + timedelta(seconds=1),
    )
    for player, table, seat in ready.values_list("player", "table", "pk")[:MOST]:
        path = reverse("table", args=[table])
        title = "Your table is ready"
        pushes.queue(READY, f"ready {table} {seat}", [player], title, path, now=now)
