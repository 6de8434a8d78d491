"""The rated games of finished events, read in order and in chunks.

The order is by the events' ends, then round, table and game. Whether a match online is rated is
decided when it starts: only persons were drawn into it, and all of them had come. `shares_of` says
how a game counts that somebody has left. A match played to its end that a director has corrected
counts once, as corrected. In a cancelled event all games count that were over by then; otherwise
cancelling would undo losses.

Games in the room have a pool of their own. Nothing is known of them but their scores, so each
counts as it was entered or corrected last; see `tournaments.results.room_results`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from itertools import chain
from typing import Any, Final, NamedTuple, TypeAlias
from uuid import UUID

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from games.models import Game
from games.models.stored_rules import stored_rules
from games.records import LOST, performances
from tournaments.events import states
from tournaments.models import (
    Correction,
    Event,
    Pairing,
    PairingEntry,
    Pool,
    RatingHold,
    Substitution,
    WalkIn,
)
from tournaments.rating_formula import keys_of, kind_and_place, kind_of
from tournaments.results import matches

#: Matches read together, unless one event has more.
CHUNK = 1000
#: Events whose matches are counted in one query.
COUNTED = 500

_ROOM_MATCHES: Final = Pairing.objects.filter(rated=True, in_room=True)

Sides: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]


class RatedShare(NamedTuple):
    """The shares of a game, from 0 to 1, that count if a player's rating rises, and if not."""

    gained: float = 1.0
    lost: float = 1.0


Shares: TypeAlias = tuple[tuple[RatedShare, ...], tuple[RatedShare, ...]]
WHOLE: Final = RatedShare()


class RatedEvent(NamedTuple):
    """A rated event that is over; events are rated in order of `ended`, then `pk`."""

    pk: int
    ended: datetime
    starts: datetime
    version: int
    club: int


class Unit(NamedTuple):
    """A rated game; `number` is 0 for a result that a director set, `winner` is -1 for a tie.

    It is one of a match (`pairing_id`), or a quick game (`game_id`), which has no club.
    """

    pairing_id: int | None
    number: int
    sides: Sides
    shares: Shares
    winner: int
    at: datetime
    club: int | None = 0
    game_id: UUID | None = None


def kinds() -> set[str]:
    """Return the kinds of games of all rated events that are over."""
    over = Event.objects.filter(rated=True, state__in=states.OVER)
    every = over.order_by().values_list("rules_data", flat=True).distinct()
    return {kind_of(stored_rules(data)) for data in every}


def waiting(kind: str) -> list[RatedEvent]:
    return [event for of, event in _rated(Q(to_rate=True)) if of == kind]


def waiting_kinds() -> set[str]:
    return {of for of, _event in _rated(Q(to_rate=True))}


def events(key: str, since: RatedEvent | None = None) -> list[RatedEvent]:
    """Return the events of a pool in order: all, or `since` and those after it.

    Those of a pool in the room have matches there. Online all are returned, as most have some.
    """
    kind, in_room = kind_and_place(key)
    which = Q(ended__gte=since.ended) if since else Q()
    if in_room:
        which &= Q(Exists(_ROOM_MATCHES.filter(round__event=OuterRef("pk"))))
    return [
        event
        for of, event in _rated(which)
        if of == kind and (since is None or (event.ended, event.pk) >= (since.ended, since.pk))
    ]


def pools_for(kind: str, of: Sequence[RatedEvent]) -> list[str]:
    """Return the pools of a kind of game that some of its events need.

    The one in the room is left out as long as nothing has been rated there.
    """
    online, in_room = keys_of(kind)
    if Pool.objects.filter(key=in_room).exists():
        return [online, in_room]
    for at in range(0, len(of), COUNTED):
        some = [event.pk for event in of[at : at + COUNTED]]
        if _ROOM_MATCHES.filter(round__event__in=some).exists():
            return [online, in_room]
    return [online]


def _rated(which: Q) -> Iterator[tuple[str, RatedEvent]]:
    """Yield rated events that are over, in order, with their kinds of games.

    The state is checked here: with that condition SQLite would read all finished events.
    """
    ended = Event.objects.filter(which, ended__isnull=False).order_by("ended", "pk")
    rows = ended.values_list("state", "rated", "rules_data", *RatedEvent._fields)
    for state, rated, data, *values in rows.iterator():
        if rated and state in states.OVER:
            yield kind_of(stored_rules(data)), RatedEvent(*values)


def chunks(of: Sequence[RatedEvent]) -> Iterator[list[RatedEvent]]:
    """Split events into chunks of about `CHUNK` matches, which fit into memory."""
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


def units(of: Sequence[RatedEvent], *, in_room: bool = False) -> Iterator[Unit]:
    """Return the rated games of some events in order, in a fixed number of queries.

    Missing performances are stored on the way, see `games.records.performances`.

    in_room: return those played with real cards, not the others.
    """
    place = {event.pk: at for at, event in enumerate(of)}
    ruled = Exists(Correction.objects.filter(pairing=OuterRef("pk")))
    rows = (
        Pairing.objects.filter(round__event__in=place, in_room=in_room)
        .annotate(ruled=ruled)
        .values_list("round__event", "round__number", "number", *_Match._fields)
    )
    drawn = _drawn(place)
    walk_ins = _walk_ins(place)
    games = {} if in_room else _games(place)
    for row in sorted(rows.order_by(), key=lambda row: (place[row[0]], row[1], row[2])):
        match = _Match(*row[3:])
        held = match.rating_hold__state not in (None, RatingHold.State.PASSED)
        unknown = any(
            one in walk_ins[row[0]] and not _claimed_before(walk_ins[row[0]][one], match)
            for one in chain(*drawn[match.pk].sides)
        )
        if match.rated and not held and not unknown:
            event = of[place[row[0]]]
            if in_room:
                found = _units_in_room(match, drawn[match.pk], event.starts)
            else:
                played = games.get(match.table, [])
                found = _units(match, drawn[match.pk], played, event.starts)
            for unit in found:
                yield unit._replace(club=event.club)


def _walk_ins(event_ids: Collection[int]) -> defaultdict[int, dict[int, datetime | None]]:
    """Return by event its walk-ins, and the accounts that claimed their results with the time."""
    found: defaultdict[int, dict[int, datetime | None]] = defaultdict(dict)
    rows = WalkIn.objects.filter(event__in=event_ids)
    for event, player, account, claimed in rows.values_list(
        "event", "player", "claimed_by", "claimed"
    ):
        found[event][player] = None
        if account is not None:
            found[event][account] = claimed
    return found


def _claimed_before(claimed: datetime | None, match: _Match) -> bool:
    """Return whether a walk-in's results were claimed before the round of a match was drawn.

    Otherwise people would choose the matches that count.
    """
    return claimed is not None and match.round__drawn is not None and claimed < match.round__drawn


class _Match(NamedTuple):
    pk: int
    table: int
    how: str
    winner: int
    decided: datetime | None
    rated: bool
    played_out: bool
    scores: list[list[int]]
    ruled: bool
    rating_hold__state: str | None
    round__drawn: datetime | None


def _units_in_room(match: _Match, drawn: Drawn, starts: datetime) -> Iterator[Unit]:
    """Yield the games of a match with real cards; one without a point was not played."""
    whole = (WHOLE,) * len(drawn.sides[0])
    for number, (first, second) in enumerate(match.scores, start=1):
        if first or second:
            winner, at = matches.leader(first, second), match.decided or starts
            yield Unit(match.pk, number, drawn.sides, (whole, whole), winner, at)


def _units(
    match: _Match, drawn: Drawn, games: Sequence[Played], starts: datetime
) -> Iterator[Unit]:
    sides, ended = drawn.sides, match.decided or starts
    if match.how == Pairing.How.DIRECTOR and match.played_out:
        hands = "".join(game.stood_in for game in games)
        if hands:
            yield Unit(match.pk, 0, sides, shares_of(hands, drawn), match.winner, ended)
        return
    for game in games:
        at = game.ended or ended
        if game.state == Game.State.OVER:
            shares = shares_of(game.stood_in, drawn)
            if game.decided is not None:
                yield Unit(match.pk, game.number, sides, shares, game.decided, at)
        elif match.played_out and game.stood_in:
            shares = shares_of(game.stood_in, drawn)
            yield Unit(match.pk, game.number, sides, shares, game.leader, at)
        elif match.how == Pairing.How.FORFEIT and match.winner >= 0 and not match.ruled:
            # A game given up counts for those who left, and not for the others.
            none = (RatedShare(0.0, 0.0),) * len(sides[0])
            whole = (WHOLE,) * len(sides[0])
            left = (none, whole) if match.winner == 0 else (whole, none)
            yield Unit(match.pk, game.number, sides, left, match.winner, at)


def shares_of(hands: str, drawn: Drawn) -> Shares:
    """Return how much of a game counts for each player if house players acted in it.

    Gains count by the share of hands that the player played in person. Losses count except for
    hands that the player played in person while somebody of another entry did not. So being away
    neither protects nor earns rating, and nobody suffers from others' absence; but partners who
    entered together answer for each other, or one of them could leave whenever they are losing.

    hands: `Game.stood_in`.
    """
    places = range(len(drawn.sides[0]))
    if not hands.strip("0"):
        return (WHOLE,) * len(places), (WHOLE,) * len(places)
    away = [int(figure, 16) for figure in hands]

    def share(side: int, place: int) -> RatedShare:
        seat = 1 << (2 * place + side)
        others = sum(
            1 << (2 * at + of)
            for of in (0, 1)
            for at, entry in enumerate(drawn.entries[of])
            if entry != drawn.entries[side][place]
        )
        here = sum(not hand & seat for hand in away)
        spared = sum(not hand & seat and bool(hand & others) for hand in away)
        return RatedShare(here / len(away), (len(away) - spared) / len(away))

    return tuple(share(0, place) for place in places), tuple(share(1, place) for place in places)


class Drawn(NamedTuple):
    """The players of a match by side and seat, and the entry of each."""

    sides: Sides
    entries: Sides


def _drawn(of: dict[int, int]) -> dict[int, Drawn]:
    lines = PairingEntry.objects.filter(round__event__in=of).order_by(
        "pairing", "side", "position", "entry__players__position"
    )
    left = seats_left(Substitution.objects.filter(entry__event__in=of))
    found: dict[int, tuple[list[tuple[int, int]], list[tuple[int, int]]]]
    found = defaultdict(lambda: ([], []))
    for pairing, side, entry, player, position, number in lines.values_list(
        *("pairing", "side", "entry", "entry__players__player", "entry__players__position"),
        "round__number",
    ):
        there = sat_there(left, (entry, position), number, player)
        found[pairing][side].append((there, entry))
    return {
        pairing: Drawn(
            (tuple(one[0] for one in first), tuple(one[0] for one in second)),
            (tuple(one[1] for one in first), tuple(one[1] for one in second)),
        )
        for pairing, (first, second) in found.items()
    }


#: By entry and position: until which round players had the seat, and who, in order.
SeatsLeft: TypeAlias = dict[tuple[int, int], list[tuple[int, int]]]


def seats_left(substitutions: QuerySet[Substitution]) -> SeatsLeft:
    left: SeatsLeft = defaultdict(list)
    rows = substitutions.order_by("until", "pk")
    for entry, position, until, player in rows.values_list("entry", "position", "until", "player"):
        left[entry, position].append((until, player))
    return left


def sat_there(left: SeatsLeft, seat: tuple[int, int], number: int, player: int) -> int:
    """Return who had a seat in a round: somebody who has left it since, or its present player."""
    past = (before for until, before in left.get(seat, ()) if until >= number)
    return next(past, player)


class Played(NamedTuple):
    table: int
    number: int
    state: str
    winner: int
    score_0: int
    score_1: int
    ended: datetime | None
    stood_in: str
    ruling: dict[str, Any] | None

    @property
    def decided(self) -> int | None:
        """The winner that counts: -1 for a tie, None if the game counts for nobody."""
        if self.ruling is None:
            return self.winner
        first, second = self.ruling["results"]
        if (first, second) == (LOST, LOST):
            return self.winner  # forfeits affect places only; ratings follow the log
        return None if first is None else -1 if first == second else int(second > first)

    @property
    def leader(self) -> int:
        if self.score_0 == self.score_1:
            return -1
        return int(self.score_1 > self.score_0)


def _games(of: dict[int, int]) -> dict[int, list[Played]]:
    played = Game.objects.filter(table__pairing__round__event__in=of)
    note_performances(played)
    rows = played.order_by("number").values_list(*Played._fields)
    games: dict[int, list[Played]] = defaultdict(list)
    for row in rows:
        games[row[0]].append(Played(*row))
    return games


def note_performances(of: QuerySet[Game]) -> None:
    """Store the missing performances in ended games, with the hands that the house played."""
    unnoted = of.filter(noted=False, ended__isnull=False).select_related("table")
    for game in unnoted.prefetch_related("seats__player"):
        performances.record(game)
