"""Fair-play signs: statistical anomalies in the finished games of an event or a club.

Each is worded neutrally and comes with its innocent explanation. Signs that concern matches of the
viewer are hidden from them. The number of queries does not depend on the number of games.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, NamedTuple, cast
from uuid import UUID

from django.db.models import Q

from games.models import Game, GameSeat, Player, SeenFrom
from tournaments.fair_play import measuring
from tournaments.fair_play.figures import CallFigures, ClockFigures, LeftFigures, Spread
from tournaments.models import (
    Club,
    Event,
    FairPlayLook,
    FairPlayMatter,
    FairPlayMeasure,
    Pairing,
)
from tournaments.results.match_lines import visit_path

Kind = FairPlayMatter.Kind

#: How far back a club's games are counted, and the most rows, the latest ones.
LOOKED_BACK: Final = timedelta(days=365)
MAX_ROWS: Final = 8000
#: The most traces of addresses that are compared.
MAX_TRACES: Final = 20000
#: The most signs on a page, and games listed for each.
MAX_SIGNS: Final = 30
MAX_GAMES: Final = 12
#: This many players from one address are taken for a club's room: no reason for a matter.
CLUB_ROOM_MIN_PLAYERS: Final = 7

INNOCENT: Final = {
    Kind.ADDRESS: "One household, one workplace or the club’s own wireless looks just like this.",
    Kind.CALLS: "A long run of good cards can look like this too, in one of a few thousand pairs.",
    Kind.LEFT: "A weak connection or a long night looks like this too.",
    Kind.CLOCK: "Hard decisions come more often at one score than at another.",
}


class SignScope(NamedTuple):
    """Where to look for signs: in one event, or in all events of a club (None)."""

    club: Club
    event: Event | None = None

    @property
    def word(self) -> str:
        return f"event {self.event.pk}" if self.event else "club"

    def of_rounds(self) -> Q:
        """Return the condition on pairings for the scope's matches."""
        if self.event is not None:
            return Q(round__event=self.event)
        return Q(round__event__club=self.club)


class SignGame(NamedTuple):
    """A game behind a sign: the path of its page, and its event, round and table."""

    path: str
    label: str


@dataclass(frozen=True, slots=True)
class FairPlaySign:
    """A sign as moderators see it.

    `finding` is what was counted, without names; `every` has all games behind it, the latest first,
    `lines` the latest of them.
    """

    kind: Kind
    sign: str
    players: tuple[Player, ...]
    finding: str
    every: tuple[UUID, ...]
    lines: tuple[SignGame, ...]
    matters: tuple[FairPlayMatter, ...]

    @property
    def innocent(self) -> str:
        return INNOCENT[self.kind]

    @property
    def room(self) -> bool:
        """Whether the players are so many that they probably share a club's room."""
        return len(self.players) >= CLUB_ROOM_MIN_PLAYERS

    @property
    def unopened(self) -> list[Player]:
        """The players for whom no matter has been opened yet."""
        known = {matter.player_id for matter in self.matters}
        return [] if self.room else [one for one in self.players if one.pk not in known]


class SignsSeen(NamedTuple):
    """The signs a viewer may see; `left_to_others` counts those hidden for their own matches."""

    signs: tuple[FairPlaySign, ...]
    left_to_others: int
    games: int
    unread: int
    failed: int


class _Found(NamedTuple):
    """A sign before its players and games are read. where: its part in the key."""

    kind: Kind
    where: str
    players: frozenset[int]
    finding: str
    games: tuple[UUID, ...]

    @property
    def sign(self) -> str:
        text = f"{self.where}: {' '.join(str(one) for one in sorted(self.players))}"
        return f"{self.kind.value}-{hashlib.sha256(text.encode()).hexdigest()[:20]}"


def seen(scope: SignScope, viewer: Player | None, now: datetime) -> SignsSeen:
    """Return the signs in a scope that `viewer` may see."""
    rows = _rows(scope, now)
    found = [
        *_addresses(scope),
        *_calls(scope, rows),
        *_left(scope, rows),
        *_clock(scope, rows),
    ][:MAX_SIGNS]
    mine = _played_by(viewer, scope) if found else set()
    own = viewer.pk if viewer else None
    shown = [one for one in found if mine.isdisjoint(one.games) and own not in one.players]
    in_scope = Q(event=scope.event) if scope.event else Q(event__club=scope.club)
    looked = FairPlayLook.objects.filter(in_scope)
    return SignsSeen(
        tuple(_signs(scope, shown)),
        len(found) - len(shown),
        len({row.game_id for row in rows}),
        measuring.unread(now, scope.of_rounds()),
        looked.filter(failed=True).count(),
    )


def _rows(scope: SignScope, now: datetime) -> list[FairPlayMeasure]:
    rows = FairPlayMeasure.objects.filter(ended__gt=now - LOOKED_BACK)
    if scope.event is not None:
        rows = FairPlayMeasure.objects.filter(event=scope.event)
    else:
        rows = rows.filter(event__club=scope.club)
    # Tuples with the columns' names, which are read three times as fast as instances.
    return cast("list[FairPlayMeasure]", list(rows.values_list(named=True)[:MAX_ROWS]))


# One address ------------------------------------------------------------------------------------


def _addresses(scope: SignScope) -> Iterator[_Found]:
    """Find players who came to one event from one address."""
    matches = Pairing.objects.filter(scope.of_rounds(), state=Pairing.State.DECIDED)
    seen_from = SeenFrom.objects.filter(table__in=matches.values("table")).order_by("-at", "-pk")
    fields = ("table__pairing__round__event", "digest", "table", "player")
    who: dict[tuple[int, str], dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
    for event, digest, table, player in seen_from.values_list(*fields)[:MAX_TRACES]:
        who[event, digest][table].add(player)
    groups: dict[tuple[int, frozenset[int]], dict[int, set[int]]] = {}
    for (event, _digest), tables in who.items():
        players = frozenset().union(*tables.values())
        if len(players) > 1:
            together = groups.setdefault((event, players), defaultdict(set))
            for table, there in tables.items():
                together[table] |= there
    if not groups:
        return
    tables_of = {table for tables in groups.values() for table in tables}
    games: dict[int, list[UUID]] = defaultdict(list)
    partners: dict[int, set[tuple[int, int]]] = defaultdict(set)
    played = Game.objects.filter(table__in=tables_of).exclude(state=Game.State.PLAYING)
    for game, table in played.order_by("-ended").values_list("pk", "table"):
        games[table].append(game)
    for had in ("players", "substitutions"):  # who has the seat now, and who had it before
        sides = Pairing.objects.filter(table__in=tables_of).values_list(
            "table", "entries__side", f"entries__entry__{had}__player"
        )
        for table, side, player in sides.order_by("table"):
            partners[table].add((side, player))
    for (event, players), tables in groups.items():
        shared = [table for table, there in tables.items() if len(there) > 1]
        as_partners = sum(_were_partners(partners[table], tables[table]) for table in shared)
        behind = [game for table in shared or tables for game in games[table]]
        words = f"{_number(len(players))} players came to this event from one address. "
        words += _matches_together(len(shared), as_partners)
        yield _Found(Kind.ADDRESS, f"event {event}", players, words, tuple(behind))


def _were_partners(sides: Collection[tuple[int, int]], there: Collection[int]) -> bool:
    """Return whether two players from one address were partners in a match."""
    by_side = [side for side, player in sides if player in there]
    return len(set(by_side)) < len(by_side)


def _matches_together(matches: int, as_partners: int) -> str:
    if not matches:
        return "No two of them played in the same match."
    text = f"{matches} match{'es' * (matches != 1)} had two of them at the table"
    return (
        f"{text}, {as_partners} of these as partners."
        if as_partners
        else f"{text}, none as partners."
    )


# Calls ------------------------------------------------------------------------------------------


def _calls(scope: SignScope, rows: Sequence[FairPlayMeasure]) -> Iterator[_Found]:
    """Find pairs whose calls depend on the partner's cards; see `calls`."""
    held: dict[frozenset[int], Spread] = defaultdict(Spread)
    gained: dict[frozenset[int], Spread] = defaultdict(Spread)
    games: dict[frozenset[int], dict[UUID, None]] = defaultdict(dict)
    every = Spread()
    for row in rows:
        if row.partner_id is None or not row.calls:
            continue
        pair = frozenset((row.player_id, row.partner_id))
        more = Spread(row.calls, row.gained, row.gained_squares)
        held[pair] = held[pair].plus(Spread(row.calls, row.held, row.held_squares))
        gained[pair] = gained[pair].plus(more)
        every = every.plus(more)
        games[pair][row.game_id] = None
    figures = {
        pair: CallFigures(held[pair], gained[pair], every.less(gained[pair])) for pair in held
    }
    out = {pair: one for pair, one in figures.items() if one.stands_out}
    for pair, one in out.items():
        words = (
            f"At {one.held.number} early calls of one pair the partner’s cards were worth"
            f" {one.held.mean:.2f} tricks more than an opponent’s (standard error"
            f" {one.held.error:.2f}; without knowing them it is 0 on average), and the calls"
            f" brought {one.more:.2f} points more than those of others (standard error"
            f" {one.more_error:.2f})."
        )
        yield _Found(Kind.CALLS, scope.word, pair, words, tuple(games[pair]))


# Seats left, and the clock ------------------------------------------------------------------------


def _by_player(rows: Iterable[FairPlayMeasure]) -> dict[int, list[FairPlayMeasure]]:
    found: dict[int, list[FairPlayMeasure]] = defaultdict(list)
    for row in rows:
        found[row.player_id].append(row)
    return found


def _left(scope: SignScope, rows: Sequence[FairPlayMeasure]) -> Iterator[_Found]:
    """Find players who left more of the games they lost than others do."""
    lost = [row for row in rows if row.lost]
    left = sum(row.left_behind for row in lost)
    for player, mine in _by_player(lost).items():
        gone = sum(row.left_behind for row in mine)
        one = LeftFigures(len(mine), gone, len(lost) - len(mine), left - gone)
        if not one.stands_out:
            continue
        games = tuple(row.game_id for row in mine if row.left_behind)
        words = (
            f"Of {one.lost} games lost, {one.left} were left while behind, and a house player"
            f" played on to the end; of those that others lost it were {one.others_left} of"
            f" {one.others_lost}."
        )
        yield _Found(Kind.LEFT, scope.word, frozenset([player]), words, games)


def _clock(scope: SignScope, rows: Sequence[FairPlayMeasure]) -> Iterator[_Found]:
    """Find players who are slow when behind (or ahead) and not otherwise."""
    parts: dict[str, Callable[[FairPlayMeasure], tuple[int, int]]] = {
        "behind": lambda row: (row.turns_behind, row.late_behind),
        "ahead": lambda row: (row.turns_ahead, row.late_ahead),
    }
    for player, mine in _by_player(rows).items():
        turns = sum(row.turns_behind + row.turns_level + row.turns_ahead for row in mine)
        late = sum(row.late_behind + row.late_level + row.late_ahead for row in mine)
        for part, of in parts.items():
            there = [of(row) for row in mine]
            now, slow = sum(one for one, _ in there), sum(one for _, one in there)
            one = ClockFigures(now, slow, turns - now, late - slow)
            if not one.stands_out:
                continue
            games = tuple(row.game_id for row in mine if of(row)[1])
            words = (
                f"While {part}, {one.late} of {one.turns} turns ({one.share:.0%}) were taken in the"
                f" last fifth of the clock; of the same player’s other turns {one.other_late} of"
                f" {one.other_turns} ({one.other_share:.0%})."
            )
            yield _Found(Kind.CLOCK, f"{scope.word} {part}", frozenset([player]), words, games)


# Players, games and matters ---------------------------------------------------------------------


def _number(count: int) -> str:
    words = ("No", "One", "Two", "Three", "Four", "Five", "Six")
    return words[count] if count < len(words) else str(count)


def _played_by(viewer: Player | None, scope: SignScope) -> set[UUID]:
    if viewer is None:
        return set()
    tables = Pairing.objects.filter(scope.of_rounds()).values("table")
    seats = GameSeat.objects.filter(player=viewer, game__table__in=tables)
    return set(seats.values_list("game", flat=True))


def _signs(scope: SignScope, found: Sequence[_Found]) -> Iterator[FairPlaySign]:
    """Add players, games and opened matters to signs, in three queries."""
    if not found:
        return
    people = Player.objects.in_bulk({player for one in found for player in one.players})
    matters: dict[str, list[FairPlayMatter]] = defaultdict(list)
    keys = [one.sign for one in found]
    known = FairPlayMatter.objects.filter(club=scope.club, sign__in=keys)
    for matter in known.select_related("player"):
        matters[matter.sign].append(matter)
    lines = game_lines({game for one in found for game in one.games[:MAX_GAMES]})
    for one in found:
        players = sorted((people[pk] for pk in one.players), key=lambda who: (who.name, who.pk))
        yield FairPlaySign(
            one.kind,
            one.sign,
            tuple(players),
            one.finding,
            one.games,
            tuple(lines[game] for game in one.games[:MAX_GAMES] if game in lines),
            tuple(matters[one.sign]),
        )


def game_lines(games: Collection[UUID]) -> dict[UUID, SignGame]:
    """Return links to games of events, by the game's key, in one query."""
    rows = Game.objects.filter(pk__in=games).exclude(state=Game.State.PLAYING)
    of_events = rows.filter(table__pairing__isnull=False).select_related(
        "table__pairing__round__event__club"
    )
    found = {}
    for game in of_events.defer("secret", "mixed", "contributions", "seat_commitments"):
        pairing = game.table.pairing
        event = pairing.round.event
        label = f"{event.name}, round {pairing.round.number}, table {pairing.number}"
        if game.number > 1:
            label += f", game {game.number}"
        found[game.pk] = SignGame(visit_path(event, pairing, game.pk), label)
    return found
