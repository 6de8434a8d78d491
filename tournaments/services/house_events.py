"""Events of house players: one to watch now, and a demonstration's past ones played at once."""

from datetime import datetime, timedelta
from random import Random

from django.db import transaction

from games.engine.rules import RULE_SETS, RuleSet, rules_to_data
from games.models import Player, Table
from games.services.playing_out import play_out
from tournaments.models import Club, Event
from tournaments.refusals import RefusedError
from tournaments.services import directing, holding, running

#: What is played while somebody watches: short enough for a whole event in a few minutes.
NAME = "House players’ rotation"
SEATS = 4
#: The published rule sets of such an event, by key.
RULES = {key: rules for key, rules in RULE_SETS.items() if rules.players == SEATS}
PLAYERS = 8
ROUNDS = 3
HANDS = 2
BREAK = 8  # seconds


def watch_now(club: Club, by: Player, rules: RuleSet, now: datetime) -> Event:
    """Begin an event of eight house players that is over in a few minutes; not rated.

    Args:
        club: whose event it is.
        by: the director who asks for it.
        rules: a rule set for four players.
        now: when it begins.

    Raises:
        RefusedError: such an event is running in the club already, or the rules are for two.
    """
    if rules.players != SEATS:
        raise RefusedError("rules", "A rotation takes rules for four players.", 422)
    with transaction.atomic():
        Club.objects.select_for_update().get(pk=club.pk)
        if club.events.filter(state=Event.State.RUNNING, name=NAME).exists():
            raise RefusedError("running", "House players are playing in this club already.")
        event = Event.objects.create(
            club=club,
            name=NAME,
            about="Eight house players change partners every round. Nobody is rated.",
            rules_data=rules_to_data(rules),
            format=Event.Format.ROTATION,
            rounds=ROUNDS,
            match=Event.Match.DEALS,
            deals=HANDS,
            capacity=PLAYERS,
            rated=False,
            break_seconds=BREAK,
            created_by=by,
            registration_opens=now,
            registration_closes=now,
            starts=now,
            state=Event.State.READY,
        )
        directing.add_house_entries(event, by, PLAYERS, now)
        directing.start_now(event, by, now)
    event.refresh_from_db()
    return event


@transaction.atomic
def play_at_once(event: Event, entries: int) -> None:
    """Play a past event from its start to its result with so many entries of house players.

    It is one transaction, so that no process hears of a table before its game is over.

    event: registered for, not begun; its times say when it was. Used to set up a demonstration.
    """
    rng = Random(event.seed)  # noqa: S311 - house players need no secrets
    now = event.starts
    directing.add_house_entries(event, event.created_by, entries, now)
    with holding.held(event) as held:
        running.start(held, now)
    event.notices.update(at=now)
    while _go_on(event, now):
        tables = Table.objects.filter(pairing__round__event=event, state=Table.State.PLAYING)
        games = [play_out(table, rng, now) for table in tables.order_by("pk")]
        ended = [game.ended for game in games if game.ended is not None]
        now = max(ended, default=now) + timedelta(seconds=event.break_seconds)


def _go_on(event: Event, now: datetime) -> bool:
    """Do every step that is due, on the record as of that moment; whether it still runs."""
    last = event.notices.order_by("-pk").values_list("pk", flat=True).first() or 0
    more = True
    while more:
        with holding.held(event) as held:
            more = running.step(held, now)
    event.notices.filter(pk__gt=last).update(at=now)
    event.refresh_from_db()
    return event.state == Event.State.RUNNING
