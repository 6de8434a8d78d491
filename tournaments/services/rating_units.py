"""What is rated: the games of finished rated events, read in their order and in chunks.

The order is that of the events' ends, then round, table and game. A match counts if only persons
were drawn into it; a game of it if somebody has played in every seat himself, and of a forfeited
match if it was over by then: nobody keeps his rating by leaving. A result that a director set
counts once, whatever had been played.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from django.db.models import Count, Q

from games.engine.rules import rules_from_data
from games.models import Game, Player
from games.services import performances
from tournaments.models import Event, Pairing, PairingEntry
from tournaments.ratings import pool_key

#: Matches that are read together, unless one event has more.
CHUNK = 1000
#: Events whose matches are counted together.
COUNTED = 500

Sides = tuple[tuple[int, ...], tuple[int, ...]]


class RatedEvent(NamedTuple):
    """A finished rated event.

    Attributes:
        pk: its key.
        ended: when it ended; events are rated in this order, then by key.
        starts: when it was to start.
        version: its version when it was read.
    """

    pk: int
    ended: datetime
    starts: datetime
    version: int


class Unit(NamedTuple):
    """A rated game.

    Attributes:
        pairing_id: its match.
        number: the game's number in the match, or 0 for a result that a director set.
        sides: the players of both sides.
        winner: 0 or 1, or -1 for a tie.
        at: when it ended.
    """

    pairing_id: int
    number: int
    sides: Sides
    winner: int
    at: datetime


def keys() -> set[str]:
    """Return the pools of all finished rated events."""
    finished = Event.objects.filter(rated=True, state=Event.State.FINISHED)
    kinds = finished.order_by().values_list("rules_data", flat=True).distinct()
    return {pool_key(rules_from_data(data)) for data in kinds}


def waiting(key: str) -> RatedEvent | None:
    """Return the first event of a pool that is to be rated, if there is one."""
    return next((event for of, event in _rated(Q(to_rate=True)) if of == key), None)


def waiting_keys() -> set[str]:
    """Return the pools in which an event is to be rated."""
    return {of for of, _event in _rated(Q(to_rate=True))}


def events(key: str, since: RatedEvent | None = None) -> list[RatedEvent]:
    """Return the events of a pool in order, all of them or one and those after it."""
    which = Q(ended__gte=since.ended) if since else Q()
    return [
        event
        for of, event in _rated(which)
        if of == key and (since is None or (event.ended, event.pk) >= (since.ended, since.pk))
    ]


def _rated(which: Q) -> Iterator[tuple[str, RatedEvent]]:
    """Finished rated events in order, each with its pool.

    Whether they are finished is looked at here: asked for that, SQLite would read all that are.
    """
    ended = Event.objects.filter(which, ended__isnull=False).order_by("ended", "pk")
    rows = ended.values_list("state", "rated", "rules_data", *RatedEvent._fields)
    for state, rated, data, *values in rows.iterator():
        if rated and state == Event.State.FINISHED:
            yield pool_key(rules_from_data(data)), RatedEvent(*values)


def chunks(of: Sequence[RatedEvent]) -> Iterator[list[RatedEvent]]:
    """Split events into runs that can be held in memory: of about `CHUNK` matches each."""
    chunk: list[RatedEvent] = []
    held = 0
    for at in range(0, len(of), COUNTED):
        some = of[at : at + COUNTED]
        pairings = Pairing.objects.filter(round__event__in=[event.pk for event in some])
        counted = pairings.order_by().values_list("round__event").annotate(Count("pk"))
        counts = dict(counted)
        for event in some:
            if chunk and held + counts.get(event.pk, 0) > CHUNK:
                yield chunk
                chunk, held = [], 0
            chunk.append(event)
            held += counts.get(event.pk, 0)
    if chunk:
        yield chunk


def units(of: Sequence[RatedEvent]) -> Iterator[Unit]:
    """Return the rated games of some events in order; the number of queries is always the same.

    Games that nobody has noted yet are noted on the way, see `games.services.performances`.
    """
    place = {event.pk: at for at, event in enumerate(of)}
    matches = Pairing.objects.filter(round__event__in=place).values_list(
        "round__event", "round__number", "number",
        "pk", "table", "state", "how", "winner", "decided",
    )  # fmt: skip
    sides = _sides(place)
    games = _games(place)
    # Asked for decided matches, SQLite would go through all there are by the index of the state.
    for match in sorted(matches.order_by(), key=lambda row: (place[row[0]], row[1], row[2])):
        event, _round, _number, pk, table, state, how, winner, at = match
        if state != Pairing.State.DECIDED or pk not in sides:
            continue
        ended = at or of[place[event]].starts
        if how == Pairing.How.DIRECTOR:
            yield Unit(pk, 0, sides[pk], winner, ended)
            continue
        for game in games.get(table, ()):
            if how == Pairing.How.FORFEIT and game.state != Game.State.OVER:
                continue
            yield Unit(pk, game.number, sides[pk], game.leader, game.ended or ended)


def _sides(of: dict[int, int]) -> dict[int, Sides]:
    """The players of each match into which only persons were drawn."""
    lines = PairingEntry.objects.filter(round__event__in=of).order_by(
        "pairing", "side", "position", "entry__players__position"
    )
    players: dict[int, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    others = set()
    for pairing, side, player, kind in lines.values_list(
        "pairing", "side", "entry__players__player", "entry__players__player__kind"
    ):
        if kind != Player.Kind.PERSON:
            others.add(pairing)
        players[pairing][side].append(player)
    return {
        pairing: (tuple(first), tuple(second))
        for pairing, (first, second) in players.items()
        if pairing not in others
    }


class _Played(NamedTuple):
    table: int
    number: int
    state: str
    winner: int
    score_0: int
    score_1: int
    ended: datetime | None

    @property
    def leader(self) -> int:
        """Who won the game, or led it when time was up."""
        if self.state == Game.State.OVER:
            return self.winner
        if self.score_0 == self.score_1:
            return -1
        return int(self.score_1 > self.score_0)


def _games(of: dict[int, int]) -> dict[int, list[_Played]]:
    """The games at each table in which somebody has played in every seat himself, in order."""
    played = Game.objects.filter(table__pairing__round__event__in=of)
    unnoted = played.filter(noted=False, ended__isnull=False).select_related("table")
    for game in unnoted.prefetch_related("seats__player"):
        performances.note(game)
    rows = played.filter(peopled=True).order_by("number").values_list(*_Played._fields)
    games: dict[int, list[_Played]] = defaultdict(list)
    for row in rows:
        games[row[0]].append(_Played(*row))
    return games
