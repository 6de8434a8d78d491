"""Events of house players to watch now, and past events of the demonstration club."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from random import Random
from typing import Final, NamedTuple

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from games.engine.rules import RuleSet, rules_to_data
from games.models import Player, Seat, Table
from games.play.playing_out import play_out
from games.shuffle import shuffling
from tournaments.acts import house_players, starting_and_ending
from tournaments.changes import row_locks
from tournaments.formats.base import Format
from tournaments.formats.registry import FORMATS
from tournaments.models import Club, Entry, EntryPlayer, Event
from tournaments.models.events import USUAL_DEALS
from tournaments.refusals import RefusedError
from tournaments.running import finishing, steps

TWO_STAGES: Final = "two_stages"
FIRST_OF_TWO, SECOND_OF_TWO = "swiss", "single_elimination"
#: What can be watched, with its name in the form: every format, and two stages.
HOUSE_EVENT_FORMATS: Final[dict[str, str]] = {
    **{key: one.name for key, one in FORMATS.items()},
    TWO_STAGES: "Two stages: Swiss, then a knock-out",
}
PREFIX: Final = "House players: "


class Pace(NamedTuple):
    """How long an event takes: hands per match, None for a game to its target; pause in seconds."""

    words: str
    hands: int | None
    rounds: int
    pause: int


PACES: Final = {
    "quick": Pace("Quick: two hands a match", 2, 3, 8),
    "evening": Pace("A club night: eight hands a match", 8, 5, 20),
    "games": Pace("In full: a game to its target", None, 8, 30),
}


class HouseEventOptions(NamedTuple):
    """An event to watch: a key of HOUSE_EVENT_FORMATS, the number of entries, a key of PACES."""

    format: str = "rotation"
    entries: int = 8
    pace: str = "quick"

    @property
    def first_stage(self) -> Format:
        return FORMATS[FIRST_OF_TWO if self.format == TWO_STAGES else self.format]

    @property
    def fewest(self) -> int:
        """The fewest entries; in two stages, enough that not all qualify."""
        return 4 if self.format == TWO_STAGES else self.first_stage.least_entries


#: An event that is over in a few minutes.
QUICK_ROTATION: Final = HouseEventOptions()


def start_house_event(
    club: Club,
    by: Player,
    rules: RuleSet,
    now: datetime,
    options: HouseEventOptions = QUICK_ROTATION,
) -> Event:
    """Start an unrated event of house players.

    Raises RefusedError if such an event is running in the club, or the rules are for two.
    """
    individual, duplicate = options.first_stage.individual, options.first_stage.duplicate
    if (individual or duplicate) and rules.players != 4:
        raise RefusedError("rules", "This format needs rules for four players.", 422)
    pace, two = PACES[options.pace], options.format == TWO_STAGES
    hands = pace.hands or (USUAL_DEALS if duplicate else None)
    with transaction.atomic():
        Club.objects.select_for_update().get(pk=club.pk)
        if club.events.filter(state=Event.State.RUNNING, name__startswith=PREFIX).exists():
            raise RefusedError("running", "House players are playing in this club already.")
        event = Event.objects.create(
            club=club,
            name=PREFIX + HOUSE_EVENT_FORMATS[options.format].partition(":")[0].lower(),
            about=f"House players only, for spectators. {pace.words}. Unrated.",
            rules_data=rules_to_data(rules),
            format=options.first_stage.key,
            rounds=min(pace.rounds, options.entries - 1)
            if individual or two or duplicate
            else None,
            second_stage=SECOND_OF_TWO if two else "",
            qualifiers=(4 if options.entries > 4 else 2) if two else None,
            match=Event.Match.DEALS if hands else Event.Match.GAME,
            deals=hands,
            capacity=options.entries,
            minimum=options.fewest,
            rated=False,
            break_seconds=pace.pause,
            created_by=by,
            registration_opens=now,
            registration_closes=now,
            starts=now,
            state=Event.State.READY,
        )
        house_players.add_house_entries(event, by, options.entries, now)
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
