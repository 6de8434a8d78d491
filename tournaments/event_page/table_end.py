"""When the time of an event's table is up, as its players read it on the table's own page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping

from django.urls import reverse

from games.models import Seat
from tournaments.models import Event, Pairing
from tournaments.times import clock_time, zone_name


def ends_by_player(player_ids: Collection[int]) -> Mapping[int, Mapping[str, str]]:
    """Return for several players, by the path of each table where they play, its end in words.

    Words are as for `in_words`; tables without are left out. Takes one query.
    """
    seats = Seat.objects.filter(
        player__in=player_ids,
        table__pairing__state__in=(Pairing.State.CALLED, Pairing.State.PLAYING),
        table__pairing__round__event__state=Event.State.RUNNING,
    ).select_related("table__pairing__round__event__club")
    ends: defaultdict[int, dict[str, str]] = defaultdict(dict)
    for seat in seats:
        words = in_words(seat.table.pairing)
        if seat.player_id and words:
            ends[seat.player_id][reverse("table", args=[seat.table_id])] = words
    return ends


def in_words(match: Pairing) -> str:
    """Return "+5 min, until 21:25 Dublin time" on the club's clock; empty without a limit."""
    event = match.round.event
    if match.ends is None:
        return ""
    if event.paused is not None:
        return "The round’s clock is paused"
    zone = event.club.zone
    clock = f"{clock_time(match.ends, zone)} {zone_name(zone)}"
    return f"+{match.more_minutes} min, until {clock}" if match.more_minutes else f"Until {clock}"
