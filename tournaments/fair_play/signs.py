"""Signs: what stands out in the finished games of an event or a club, in words that accuse nobody.

Each has an innocent explanation, which is told with it. A sign that concerns matches of whoever
looks is left to others. However many games there are, the number of queries is the same.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, NamedTuple
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
MOST_ROWS: Final = 8000
#: The most addresses' traces that are compared.
MOST_TRACES: Final = 20000
#: The most signs on a page, and games told of each.
MOST_SIGNS: Final = 30
MOST_GAMES: Final = 12
#: More players from one address are a room; nothing of one of them is looked into for it.
A_ROOM: Final = 6

INNOCENT: Final = {
    Kind.ADDRESS: "One household, one workplace or the club’s own wireless looks just like this.",
    Kind.CALLS: "Long luck with the cards looks like this too, once in some thousand pairs.",
    Kind.LEFT: "A weak connection or a long evening looks like this too.",
    Kind.CLOCK: "Hard decisions come more often at one score than at another.",
}


class SignScope(NamedTuple):
    """Where signs are looked for: in one event, or with None in all of a club."""

    club: Club
    event: Event | None = None

    @property
    def word(self) -> str:
        """What it is called in the names of signs."""
        return f"event {self.event.pk}" if self.event else "club"

    def of_rounds(self) -> Q:
        """The matches in it, as a condition on `Pairing`."""
        if self.event is not None:
            return Q(round__event=self.event)
        return Q(round__event__club=self.club)


class SignGame(NamedTuple):
    """A game behind a sign. path: of its page. label: where and when it was played."""

    path: str
    label: str


@dataclass(frozen=True, slots=True)
class FairPlaySign:
    """Something that stands out.

    Attributes:
        kind: what.
        sign: its name, the same at every look, good for nothing else.
        players: whom it concerns, by name.
        said: what was counted, without any name.
        every: the games behind it, the latest first.
        lines: the same to be followed.
        matters: what was opened of it, by player.
    """

    kind: Kind
    sign: str
    players: tuple[Player, ...]
    said: str
    every: tuple[UUID, ...]
    lines: tuple[SignGame, ...] = ()
    matters: tuple[FairPlayMatter, ...] = ()

    @property
    def games(self) -> tuple[UUID, ...]:
        """The latest games behind it, which are told."""
        return self.every[:MOST_GAMES]

    @property
    def innocent(self) -> str:
        """How it may have come about without anybody's doing."""
        return INNOCENT[self.kind]

    @property
    def room(self) -> bool:
        """Whether it is that of many in one room, so that nobody is looked into for it."""
        return len(self.players) > A_ROOM

    @property
    def unopened(self) -> list[Player]:
        """The players of whom no matter has been opened yet."""
        known = {matter.player_id for matter in self.matters}
        return [] if self.room else [one for one in self.players if one.pk not in known]


class SignsSeen(NamedTuple):
    """What somebody is shown.

    Attributes:
        signs: what stands out.
        left_to_others: how many more concern matches of their own.
        games: how many games were counted.
        unread: how many that have ended are still to be read.
        failed: how many could not be read.
    """

    signs: tuple[FairPlaySign, ...]
    left_to_others: int
    games: int
    unread: int
    failed: int


def seen(scope: SignScope, viewer: Player | None, now: datetime) -> SignsSeen:
    """Return what stands out, without what concerns matches of `viewer`."""
    rows = _rows(scope, now)
    found = [
        *_addresses(scope),
        *_calls(scope, rows),
        *_left(scope, rows),
        *_clock(scope, rows),
    ][:MOST_SIGNS]
    mine = _played_by(viewer, scope) if found else set()
    shown = [one for one in found if mine.isdisjoint(one.every) and viewer not in one.players]
    in_scope = Q(event=scope.event) if scope.event else Q(event__club=scope.club)
    looked = FairPlayLook.objects.filter(in_scope)
    return SignsSeen(
        tuple(_told(scope, shown)),
        len(found) - len(shown),
        len({row.game for row in rows}),
        measuring.unread(now, scope.of_rounds()),
        looked.filter(failed=True).count(),
    )


class _Row(NamedTuple):
    game: UUID
    player: int
    partner: int | None
    calls: int
    held: float
    held_squares: float
    gained: float
    gained_squares: float
    lost: bool
    left_behind: bool
    turns_behind: int
    turns_level: int
    turns_ahead: int
    late_behind: int
    late_level: int
    late_ahead: int


def _rows(scope: SignScope, now: datetime) -> list[_Row]:
    """What persons did in the games, the latest first."""
    rows = FairPlayMeasure.objects.filter(ended__gt=now - LOOKED_BACK)
    if scope.event is not None:
        rows = FairPlayMeasure.objects.filter(event=scope.event)
    else:
        rows = rows.filter(event__club=scope.club)
    return [_Row._make(row) for row in rows.values_list(*_Row._fields)[:MOST_ROWS]]


# One address ------------------------------------------------------------------------------------


def _addresses(scope: SignScope) -> Iterator[FairPlaySign]:
    """Players who came from one address to tables of one event, by event and address."""
    matches = Pairing.objects.filter(scope.of_rounds(), state=Pairing.State.DECIDED)
    seen_from = SeenFrom.objects.filter(table__in=matches.values("table")).order_by("-at", "-pk")
    fields = ("table__pairing__round__event", "digest", "table", "player")
    who: dict[tuple[int, str], dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
    for event, digest, table, player in seen_from.values_list(*fields)[:MOST_TRACES]:
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
    partners: dict[int, list[tuple[int, int]]] = defaultdict(list)
    played = Game.objects.filter(table__in=tables_of).exclude(state=Game.State.PLAYING)
    for game, table in played.order_by("-ended").values_list("pk", "table"):
        games[table].append(game)
    sides = Pairing.objects.filter(table__in=tables_of).values_list(
        "table", "entries__side", "entries__entry__players__player"
    )
    for table, side, player in sides.order_by("table"):
        partners[table].append((side, player))
    people = Player.objects.in_bulk({one for _event, players in groups for one in players})
    for (event, players), tables in groups.items():
        shared = [table for table, there in tables.items() if len(there) > 1]
        beside = sum(_beside(partners[table], tables[table]) for table in shared)
        behind = [game for table in shared or tables for game in games[table]]
        named = _named(players, people)
        words = f"{_number(len(players))} players came to this event from one address. "
        words += _matches_together(len(shared), beside)
        name = _name(Kind.ADDRESS, f"event {event}", players)
        yield FairPlaySign(Kind.ADDRESS, name, named, words, tuple(behind))


def _beside(sides: Sequence[tuple[int, int]], there: Collection[int]) -> bool:
    """Whether two of those who were there played as partners."""
    by_side = [side for side, player in sides if player in there]
    return len(set(by_side)) < len(by_side)


def _matches_together(matches: int, beside: int) -> str:
    if not matches:
        return "No two of them sat in one match."
    text = f"{matches} match{'es' * (matches != 1)} had two of them at the table"
    return f"{text}, {beside} of these as partners." if beside else f"{text}, none as partners."


# Calls ------------------------------------------------------------------------------------------


def _calls(scope: SignScope, rows: Sequence[_Row]) -> Iterator[FairPlaySign]:
    """Pairs whose calls go with the partner's cards."""
    held: dict[frozenset[int], Spread] = defaultdict(Spread)
    gained: dict[frozenset[int], Spread] = defaultdict(Spread)
    games: dict[frozenset[int], dict[UUID, None]] = defaultdict(dict)
    every = Spread()
    for row in rows:
        if row.partner is None or not row.calls:
            continue
        pair = frozenset((row.player, row.partner))
        more = Spread(row.calls, row.gained, row.gained_squares)
        held[pair] = held[pair].plus(Spread(row.calls, row.held, row.held_squares))
        gained[pair] = gained[pair].plus(more)
        every = every.plus(more)
        games[pair][row.game] = None
    figures = {
        pair: CallFigures(held[pair], gained[pair], every.less(gained[pair])) for pair in held
    }
    out = {pair: one for pair, one in figures.items() if one.stands_out}
    people = Player.objects.in_bulk({one for pair in out for one in pair}) if out else {}
    for pair, one in out.items():
        words = (
            f"At {one.held.number} early calls of one pair the partner’s cards were worth"
            f" {one.held.mean:.2f} tricks more than an opponent’s (standard error"
            f" {one.held.error:.2f}; without knowing them it is 0 on average), and the calls"
            f" brought {one.more:.2f} points more than those of others (standard error"
            f" {one.more_error:.2f})."
        )
        name = _name(Kind.CALLS, scope.word, pair)
        yield FairPlaySign(Kind.CALLS, name, _named(pair, people), words, tuple(games[pair]))


# Seats left, and the clock ------------------------------------------------------------------------


def _by_player(rows: Iterable[_Row]) -> dict[int, list[_Row]]:
    found: dict[int, list[_Row]] = defaultdict(list)
    for row in rows:
        found[row.player].append(row)
    return found


def _left(scope: SignScope, rows: Sequence[_Row]) -> Iterator[FairPlaySign]:
    """Players who left more of the games they lost than others do."""
    lost = [row for row in rows if row.lost]
    left = sum(row.left_behind for row in lost)
    out = {}
    for player, mine in _by_player(lost).items():
        gone = sum(row.left_behind for row in mine)
        figures = LeftFigures(len(mine), gone, len(lost) - len(mine), left - gone)
        if figures.stands_out:
            out[player] = figures, [row.game for row in mine if row.left_behind]
    people = Player.objects.in_bulk(out) if out else {}
    for player, (one, games) in out.items():
        words = (
            f"Of {one.lost} games lost, {one.left} were left while behind, and a house player"
            f" played on to the end; of those that others lost it were {one.others_left} of"
            f" {one.others_lost}."
        )
        name = _name(Kind.LEFT, scope.word, [player])
        yield FairPlaySign(Kind.LEFT, name, (people[player],), words, tuple(games))


def _clock(scope: SignScope, rows: Sequence[_Row]) -> Iterator[FairPlaySign]:
    """Players who are late at one kind of score, and not otherwise."""
    parts: dict[str, Callable[[_Row], tuple[int, int]]] = {
        "behind": lambda row: (row.turns_behind, row.late_behind),
        "ahead": lambda row: (row.turns_ahead, row.late_ahead),
    }
    out = []
    for player, mine in _by_player(rows).items():
        turns = sum(row.turns_behind + row.turns_level + row.turns_ahead for row in mine)
        late = sum(row.late_behind + row.late_level + row.late_ahead for row in mine)
        for part, of in parts.items():
            there = [of(row) for row in mine]
            now, slow = sum(one for one, _ in there), sum(one for _, one in there)
            figures = ClockFigures(now, slow, turns - now, late - slow)
            if figures.stands_out:
                out.append((player, part, figures, [row.game for row in mine if of(row)[1]]))
    people = Player.objects.in_bulk([player for player, *_ in out]) if out else {}
    for player, part, one, games in out:
        words = (
            f"While {part}, {one.late} of {one.turns} turns ({one.share:.0%}) were taken in the"
            f" last fifth of the clock; of the same player’s other turns {one.other_late} of"
            f" {one.other_turns} ({one.other_share:.0%})."
        )
        name = _name(Kind.CLOCK, f"{scope.word} {part}", [player])
        yield FairPlaySign(Kind.CLOCK, name, (people[player],), words, tuple(games))


# What is told with them -------------------------------------------------------------------------


def _name(kind: Kind, where: str, players: Iterable[int]) -> str:
    text = f"{where}: {' '.join(str(one) for one in sorted(players))}"
    return f"{kind.value}-{hashlib.sha256(text.encode()).hexdigest()[:20]}"


def _named(players: Iterable[int], people: dict[int, Player]) -> tuple[Player, ...]:
    return tuple(sorted((people[one] for one in players), key=lambda one: (one.name, one.pk)))


def _number(count: int) -> str:
    words = ("No", "One", "Two", "Three", "Four", "Five", "Six")
    return words[count] if count < len(words) else str(count)


def _played_by(viewer: Player | None, scope: SignScope) -> set[UUID]:
    """The games of matches there in which somebody has played."""
    if viewer is None:
        return set()
    tables = Pairing.objects.filter(scope.of_rounds()).values("table")
    seats = GameSeat.objects.filter(player=viewer, game__table__in=tables)
    return set(seats.values_list("game", flat=True))


def _told(scope: SignScope, signs: Sequence[FairPlaySign]) -> Iterator[FairPlaySign]:
    """The same with what has been opened of them, and their games to be followed."""
    names = [sign.sign for sign in signs]
    matters: dict[str, list[FairPlayMatter]] = defaultdict(list)
    known = FairPlayMatter.objects.filter(club=scope.club, sign__in=names)
    for matter in known.select_related("player"):
        matters[matter.sign].append(matter)
    lines = game_lines({game for sign in signs for game in sign.games})
    for sign in signs:
        yield replace(
            sign,
            lines=tuple(lines[game] for game in sign.games if game in lines),
            matters=tuple(matters[sign.sign]),
        )


def game_lines(games: Collection[UUID]) -> dict[UUID, SignGame]:
    """Return how games of events are followed and called, by game; one query."""
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
