"""What an event has played, read from its rows as the values the formats take.

An entrant's number is the primary key of his entry.
"""

from collections.abc import Iterable

from django.db.models import Prefetch, QuerySet

from tournaments.formats.draw import Pairing as Match
from tournaments.formats.draw import Played
from tournaments.formats.draw import Round as PlayedRound
from tournaments.models import Entry, EntryPlayer, Event, Pairing, Round


def entries_of(event: Event) -> list[Entry]:
    """Return all who started, in seeding order, with their players."""
    return list(_with_players(event.entries.filter(seed__isnull=False)).order_by("seed"))


def fillers_of(event: Event) -> list[Entry]:
    """Return the entries of house players that only fill tables, with their players."""
    return list(_with_players(event.entries.filter(house=True, arrival=None)).order_by("pk"))


def _with_players(entries: QuerySet[Entry]) -> QuerySet[Entry]:
    players = EntryPlayer.objects.select_related("player").order_by("position")
    return entries.prefetch_related(Prefetch("players", queryset=players))


def rounds_of(
    event: Event, *, stage: int | None = None, unfinished: bool = False
) -> list[PlayedRound]:
    """Return the rounds played, in order.

    stage: 1 or 2; None for both. unfinished: also what is decided of the round being played.
    """
    rounds = event.played_rounds.order_by("number").prefetch_related(
        "sit_outs", Prefetch("pairings", Pairing.objects.order_by("number")), "pairings__entries"
    )
    if stage is not None:
        rounds = rounds.filter(stage=stage)
    if not unfinished:
        rounds = rounds.filter(over__isnull=False)
    return [_played(one) for one in rounds]


def _played(one: Round) -> PlayedRound:
    decided = (each for each in one.pairings.all() if each.state == Pairing.State.DECIDED)
    return PlayedRound(
        tuple(played(pairing) for pairing in decided),
        tuple(sorted(line.entry_id for line in one.sit_outs.all())),
    )


def played(pairing: Pairing) -> Played:
    """Return a decided match; read `entries` beforehand."""
    return Played(
        Match(pairing.number, sides_of(pairing)),
        pairing.winner,
        (pairing.points_0, pairing.points_1),
        (pairing.lone_0, pairing.lone_1),
        forfeit=pairing.how == Pairing.How.FORFEIT,
    )


def sides_of(pairing: Pairing) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the entries of both sides; read `entries` beforehand."""
    lines = sorted(pairing.entries.all(), key=lambda line: (line.side, line.position))
    north_south = tuple(line.entry_id for line in lines if line.side == 0)
    return north_south, tuple(line.entry_id for line in lines if line.side == 1)


def still_in(entries: Iterable[Entry]) -> list[Entry]:
    """Return those who have not withdrawn."""
    return [entry for entry in entries if entry.state != Entry.State.WITHDRAWN]
