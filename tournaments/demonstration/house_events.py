"""Events of house players to watch now, and past events of the demonstration club."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from random import Random
from typing import Final

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from games.engine.rules import CLASSIC_24, rules_to_data
from games.models import Player, Seat, Table
from games.play.playing_out import play_out
from games.shuffle import shuffling
from tournaments.acts import house_players, starting_and_ending
from tournaments.changes import row_locks
from tournaments.models import Club, Entry, EntryPlayer, Event
from tournaments.refusals import RefusedError
from tournaments.running import finishing, steps

PREFIX: Final = "House players: "
#: How many play, in how many rounds of how many hands: it is over in a few minutes.
PLAYERS, ROUNDS, HANDS = 8, 3, 2


def start_house_event(club: Club, by: Player, now: datetime) -> Event:
    """Start a short, unrated event of house players; RefusedError if one is running in the club."""
    with transaction.atomic():
        Club.objects.select_for_update().get(pk=club.pk)
        if club.events.filter(state=Event.State.RUNNING, name__startswith=PREFIX).exists():
            raise RefusedError("running", "House players are playing in this club already.")
        event = Event.objects.create(
            club=club,
            name=f"{PREFIX}perfect rotation",
            about="House players only, for spectators. Two hands a match. Unrated.",
            rules_data=rules_to_data(CLASSIC_24),
            format="rotation",
            rounds=ROUNDS,
            match=Event.Match.DEALS,
            deals=HANDS,
            capacity=PLAYERS,
            minimum=PLAYERS,
            rated=False,
            break_seconds=8,
            created_by=by,
            registration_opens=now,
            registration_closes=now,
            starts=now,
            state=Event.State.READY,
        )
        house_players.add_house_entries(event, by, PLAYERS, now)
        starting_and_ending.start_now(event, by, now)
    event.refresh_from_db()
    return event


@transaction.atomic
def simulate(event: Event, members: Sequence[Player]) -> None:
    """Play a past event of the demonstration's members from start to finish.

    It is one transaction, so that no process sees a table before its game is over. Where partners
    do not change, `members` enter in pairs.
    """
    rng = Random(event.seed)  # noqa: S311 - house players need no secrets
    now, size = event.starts, event.team_size
    entries = Entry.objects.bulk_create(
        Entry(event=event, state=Entry.State.CHECKED_IN, arrival=number)
        for number in range(1, len(members) // size + 1)
    )
    EntryPlayer.objects.bulk_create(
        EntryPlayer(event=event, entry=entry, player=player, position=position)
        for number, entry in enumerate(entries)
        for position, player in enumerate(members[number * size : (number + 1) * size])
    )
    with row_locks.locked(event) as held:
        steps.start(held, now)
    event.notices.update(at=now)
    play_to_the_end(event, now, rng)


def play_to_the_end(event: Event, now: datetime, rng: Random) -> None:
    """Play a running event of house players or the demonstration's members to its end.

    Every round takes as long as its longest game.
    """
    while _go_on(event, now):
        for table_id in _sharing_deals(event):
            shuffling.advance(table_id, timezone.now())
        tables = Table.objects.filter(pairing__round__event=event, state=Table.State.PLAYING)
        games = [play_out(table, rng, now) for table in tables.order_by("pk")]
        ended = [game.ended for game in games if game.ended is not None]
        now = max(ended, default=now) + timedelta(seconds=event.break_seconds)


def _sharing_deals(event: Event) -> list[int]:
    """Return the tables that begin when a transaction that has mixed their shuffle commits.

    A past event is one transaction, so they are begun here.
    """
    waiting = Table.objects.filter(pairing__round__event=event, state=Table.State.SHUFFLING)
    return list(waiting.values_list("pk", flat=True))


def _go_on(event: Event, now: datetime) -> bool:
    """Run all steps that are due, recorded at that time; return whether the event still runs."""
    last = event.notices.order_by("-pk").values_list("pk", flat=True).first() or 0
    more = True
    while more:
        with row_locks.locked(event) as held:
            more = steps.step(held, now)
            if held.final_at is not None:  # no person is there to object
                finishing.finish(held, now)
        # Let the players who are called come to their tables.
        called = Seat.objects.filter(
            table__pairing__round__event=event, last_seen__lt=F("table__created")
        )
        brought = called.filter(player__demonstration=True).update(last_seen=timezone.now())
        more = bool(brought) or more
    event.notices.filter(pk__gt=last).update(at=now)
    event.refresh_from_db()
    return event.state == Event.State.RUNNING
