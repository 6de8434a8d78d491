"""Clubs and events for the tests, and events played by a controllable clock."""

from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from django.db import transaction
from django.utils import timezone

from games.engine.rules import CLASSIC_24, rules_to_data
from games.models import Game, Player, Seat, Table
from tests.factories import member
from tournaments.models import Club, Entry, EntryPlayer, Event, Membership, Pairing, Round
from tournaments.results.possible import Ruling
from tournaments.running import running

NOON = datetime(2026, 3, 7, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def club(name: str = "The Old Mill", **fields: Any) -> Club:
    """A club that everybody may join."""
    return Club.objects.create(name=name, slug=name.lower().replace(" ", "-"), **fields)


def joined(to: Club, player: Player, role: str = Membership.Role.MEMBER) -> Membership:
    """A membership."""
    return Membership.objects.create(club=to, player=player, role=role)


def director(of: Club, name: str = "Ada") -> Player:
    """A director of a club, with an account."""
    player = member(name)
    joined(of, player, Membership.Role.DIRECTOR)
    return player


def event(of: Club | None = None, **fields: Any) -> Event:
    """An event that starts at noon, with registration open; a rotation unless it is said."""
    made = {
        "club": of or club(),
        "name": "Thursday euchre",
        "rules_data": rules_to_data(fields.pop("rules", CLASSIC_24)),
        "format": Event.Format.ROTATION,
        "capacity": 256,
        "registration_opens": NOON - timedelta(days=1),
        "registration_closes": NOON,
        "starts": NOON,
        "state": Event.State.REGISTRATION,
        "members_only": False,
        "break_seconds": 0,
        "seed": "5" * 32,
    }
    if "created_by" not in fields:
        fields["created_by"] = Player.objects.create(name="Greta")
    return Event.objects.create(**{**made, **fields})


def enter(into: Event, number: int) -> list[Entry]:
    """Let so many entries of new persons enter, called "1", "2" and so on."""
    size = into.team_size
    players = Player.objects.bulk_create(Player(name=f"{n + 1}") for n in range(number * size))
    state = Entry.State.ENTERED
    entries = Entry.objects.bulk_create(
        Entry(event=into, state=state, arrival=n + 1) for n in range(number)
    )
    EntryPlayer.objects.bulk_create(
        EntryPlayer(event=into, entry=entries[n // size], player=player, position=n % size)
        for n, player in enumerate(players)
    )
    return entries


def step(of: Event, now: datetime) -> None:
    """Do all steps that are due in a running event."""
    for _step in range(1000):
        with transaction.atomic():
            held = Event.objects.select_for_update().get(pk=of.pk)
            more = running.step(held, now)
        if not more:
            break
    of.refresh_from_db()


def begin(of: Event, now: datetime = NOON) -> None:
    """Start an event and draw its first round."""
    with transaction.atomic():
        running.start(Event.objects.select_for_update().get(pk=of.pk), now)
    step(of, now)


def latest(of: Event) -> Round:
    """The latest round of an event."""
    return of.played_rounds.order_by("-number")[0]


def arrive(at: Event) -> None:
    """Let everybody come to his table."""
    tables = Table.objects.filter(pairing__round__event=at)
    Seat.objects.filter(table__in=tables).update(last_seen=timezone.now())


def win(
    pairing: Pairing, side: int, score: tuple[int, int] | None = None, at: datetime = NOON
) -> None:
    """Let a side win the game being played at a table; by 10 to 5 unless it is said."""
    score = score or ((10, 5) if side == 0 else (5, 10))
    games = Game.objects.filter(table=pairing.table_id, state=Game.State.PLAYING)
    assert games.update(
        state=Game.State.OVER,
        ended=at,
        winner=side,
        score_0=score[0],
        score_1=score[1],
        due=None,
        turn=-1,
    )
    Table.objects.filter(pairing=pairing).update(state=Table.State.FINISHED)


def ruled(winner: int, *scores: tuple[int, int], ended: str = Pairing.How.PLAYED) -> Ruling:
    """A result that a director sets: the winner, and the score of each game."""
    return Ruling(winner, ended, scores)


def play_round(of: Event, now: datetime, rng: Random) -> None:
    """Let everybody come and the games of the latest round end by chance."""
    arrive(of)
    step(of, now)
    for pairing in latest(of).pairings.filter(state=Pairing.State.PLAYING):
        side = rng.randrange(2)
        lost = rng.randrange(10)
        win(pairing, side, (10, lost) if side == 0 else (lost, 10), now)
    step(of, now)


def play_to_end(of: Event, now: datetime = NOON, seed: int = 1, most: int = 600) -> int:
    """Start an event and play it to its end; how many rounds it took."""
    rng = Random(seed)
    begin(of, now)
    rounds = 0
    while of.state == Event.State.RUNNING:
        rounds += 1
        assert rounds <= most, "it does not end"
        now += MINUTE
        play_round(of, now, rng)
        step(of, now + timedelta(seconds=of.break_seconds))
    return rounds
