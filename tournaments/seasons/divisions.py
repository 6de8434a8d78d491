"""Divisions of a season: who plays in which, their tables, and the next season from the last.

As many as `Season.movers` says go up and down between neighbouring divisions. Nobody moves by lot:
where players share a place across the line, a director decides.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from itertools import pairwise
from typing import Final, NamedTuple

from django.db import transaction
from django.db.models import Q, prefetch_related_objects
from django.db.models.functions import Lower

from games.models import Player
from tournaments.models import Club, Division, DivisionPlayer, Season, SeasonChange
from tournaments.refusals import RefusedError
from tournaments.seasons.season_table import SeasonResults, SeasonRow, SeasonSheet, pairs_of
from tournaments.seasons.seasons import locked, make

MOST_DIVISIONS: Final = 10
MOST_MOVERS: Final = 50
#: The division of those who play in none.
NONE: Final = 0
#: What to fetch of seasons before their tables are read.
PLACED: Final = "divisions__players__player"


class DivisionLine(NamedTuple):
    """A line across a table after this many rows: what happens above or below it, in words."""

    after: int
    words: str
    down: bool


class DivisionTable(NamedTuple):
    """A division with its table; how many of its first go up, and how many of its last go down.

    `higher` and `lower` are its neighbours.
    """

    division: Division
    sheet: SeasonSheet
    up: int
    down: int
    higher: Division | None
    lower: Division | None

    @property
    def rows(self) -> Sequence[SeasonRow]:
        return self.sheet.lines

    @property
    def lines(self) -> list[DivisionLine]:
        """The lines to draw across the table: none among people without points."""
        after = {False: self.up, True: len(self.rows) - self.down}
        return [
            DivisionLine(after[down], f"{'Relegation' if down else 'Promotion'}: {words}", down)
            for words, down in self.fates
            if after[down] and self.rows[after[down] - 1].points
        ]

    @property
    def fates(self) -> list[tuple[str, bool]]:
        """Who goes up and who goes down, in words; whether down."""
        found = []
        if self.higher and self.up:
            who = _first(self.up, "first", "goes", "go")
            found.append((f"{who} up to {self.higher.name}", False))
        if self.lower and self.down:
            who = _first(self.down, "last", "goes", "go")
            found.append((f"{who} down to {self.lower.name}", True))
        return found

    @property
    def played(self) -> bool:
        return any(row.points for row in self.rows)


class PlayerMove(NamedTuple):
    """Where a player of a division plays next; `tied`: shares a place across the line."""

    row: SeasonRow
    division: Division
    to: Division
    tied: bool

    @property
    def direction(self) -> int:
        """-1: up, 1: down, 0: neither."""
        return (self.to.number > self.division.number) - (self.to.number < self.division.number)


def tables(season: Season, results: SeasonResults) -> list[DivisionTable]:
    """Return the tables of a season's divisions, the highest first.

    A pair plays in the division of one of the two; the first player's if they are placed apart.
    Takes at most three queries, and one for each division with a pair of which only one is placed.
    """
    if not season.pk:
        return []
    prefetch_related_objects([season], PLACED)
    divisions = list(season.divisions.all())
    placed = [
        {one.player_id: one.player for one in division.players.all()} for division in divisions
    ]
    everybody = {who for players in placed for who in players}
    follow = {other.pk for who, other in results.pairs.items() if who in everybody}
    sheets = [
        results.among({who: one for who, one in players.items() if who not in follow})
        for players in placed
    ]
    movers = _movers(season.movers, [len(sheet.lines) for sheet in sheets])
    ups, downs = [0, *movers], [*movers, 0]
    higher, lower = [None, *divisions], [*divisions[1:], None]
    return [
        DivisionTable(*parts)
        for parts in zip(divisions, sheets, ups, downs, higher, lower, strict=False)
    ]


def without_division(found: Sequence[DivisionTable], results: SeasonResults) -> SeasonSheet:
    """Return the table of those who played in a season, but in none of its divisions.

    Without divisions it is the table of all.
    """
    if not found:
        return results.sheet()
    placed = {who.pk for one in found for row in one.rows for who in row.people}
    guests = Player.objects.in_bulk(list(results.players - placed))
    return results.among(guests)


def leaders(club: Club, season: Season, most: int) -> list[tuple[str, Sequence[SeasonRow]]]:
    """Return the first rows of each division with its name; "" if the season has none."""
    results = SeasonResults.of(club, season)
    found = [(one.division.name, one.rows[:most]) for one in tables(season, results)]
    return found or [("", results.sheet().lines[:most])]


def moves(found: Sequence[DivisionTable]) -> list[PlayerMove]:
    """Return where each player of the divisions plays next, in the order of the tables."""
    return [move for one in found for move in _moves_of(one)]


def choices(club: Club, season: Season, results: SeasonResults) -> list[tuple[Player, int]]:
    """Return all who can be placed, by name, each with the key of their division or NONE.

    They are the club's members, those who played in the season, and those placed already. Takes
    two queries.
    """
    placed = dict(season.division_players.values_list("player", "division"))
    able = Q(memberships__club=club) | Q(pk__in=[*results.players, *placed])
    players = Player.objects.filter(able).distinct().order_by(Lower("name"), "pk")
    return [(who, placed.get(who.pk, NONE)) for who in players]


@transaction.atomic
def set_up(season: Season, names: Sequence[str], movers: int, by: Player | None) -> Season:
    """Name a season's divisions, the highest first, and how many go up and down.

    A division keeps its players while its name is there, or takes the first name that is new. Raise
    RefusedError ``gone``, ``division taken`` or ``has players``.
    """
    kept = locked(season)
    before = list(kept.divisions.all())
    wanted = {name.casefold(): name for name in names}
    if len(wanted) < len(names):
        raise RefusedError("division taken", "Two divisions cannot have the same name.")
    was = _words(before, kept.movers)
    stored = {one.name.casefold(): one for one in before}
    left = [one for name, one in stored.items() if name not in wanted]
    for name in [name for name in wanted if name not in stored]:
        stored[name] = left.pop(0) if left else Division(season=kept, number=0)
    for one in left:
        if players := one.players.count():
            raise RefusedError(
                "has players",
                f"{one.name} has {players} player{'s' if players > 1 else ''}: place them"
                " elsewhere before you delete it.",
            )
        one.delete()
    # Names and numbers may change places, and are unique at every moment.
    for one in kept.divisions.all():
        kept.divisions.filter(pk=one.pk).update(name=f"#{one.pk}", number=one.number + 100)
    for number, (key, name) in enumerate(wanted.items(), start=1):
        stored[key].number, stored[key].name = number, name
        stored[key].save()
    kept.movers = movers
    kept.save(update_fields=["movers"])
    after = _words(list(kept.divisions.all()), movers)
    if after != was:
        words = f"Divisions: {was} → {after}."
        SeasonChange.objects.create(season=kept, by=by, words=words)
    return kept


@transaction.atomic
def place(season: Season, chosen: Mapping[int, int], by: Player | None) -> int:
    """Place players in divisions, partners together, and return how many have changed theirs.

    chosen: the key of a division of the season, or NONE, by the key of the player. Raise
    RefusedError ``gone``, also if a division has been deleted.
    """
    kept = locked(season)
    divisions = {one.pk: one for one in kept.divisions.all()}
    placed = dict(kept.division_players.values_list("player", "division"))
    wanted = {who: to for who, to in chosen.items() if placed.get(who, NONE) != to}
    for who, other in pairs_of(kept).items():
        if {who, other.pk} & wanted.keys():
            wanted |= dict.fromkeys((who, other.pk), wanted.get(who, wanted.get(other.pk, NONE)))
    changed = {who: to for who, to in wanted.items() if placed.get(who, NONE) != to}
    if not {*changed.values()} <= {NONE, *divisions}:
        raise RefusedError("gone", "A division has been deleted: place its players again.", 409)
    kept.division_players.filter(player__in=changed).delete()
    _store(kept, {who: divisions[to] for who, to in changed.items() if to != NONE})
    if changed:
        steps = ((who, placed.get(who, NONE), to) for who, to in changed.items())
        SeasonChange.objects.create(season=kept, by=by, words=_moved(steps, divisions))
    return len(changed)


def following_days(season: Season) -> tuple[date, date]:
    """Return the first and last day of a season as long as this one that follows it."""
    first = season.last_day + timedelta(days=1)
    return first, first + (season.last_day - season.first_day)


@transaction.atomic
def next_season(
    last: Season, chosen: Mapping[int, int], by: Player | None, **fields: object
) -> Season:
    """Make a season from the last one: its rule, its divisions, and its players as chosen.

    chosen: as for `place`, of the last season's divisions. fields: as for `seasons.make`, whose
    refusals are raised too.
    """
    last = locked(last)
    made = make(last.club, **fields)
    for name in ("rule_data", "movers", "line", "team_best", "nights"):
        setattr(made, name, getattr(last, name))
    made.save()
    for team in last.teams.prefetch_related("players"):
        again = made.teams.create(name=team.name)
        for one in team.players.all():
            again.players.create(season=made, player_id=one.player_id, substitute=one.substitute)
    # Partners move together.
    partners = {other.pk: who for who, other in pairs_of(last).items()}
    chosen = {**chosen, **{who: chosen[one] for who, one in partners.items() if one in chosen}}
    old = list(last.divisions.all())
    placed = last.division_players.order_by("division__number", "pk")
    steps = [
        (who, at, chosen.get(who, NONE)) for who, at in placed.values_list("player", "division")
    ]
    new = {one.pk: made.divisions.create(name=one.name, number=one.number) for one in old}
    if not {*chosen.values()} <= {NONE, *new}:
        raise RefusedError("gone", "A division has been deleted: look at the moves again.", 409)
    _store(made, {who: new[to] for who, to in chosen.items() if to != NONE})
    words = f"Made from {last.name}. {_moved(steps, {one.pk: one for one in old})}"
    SeasonChange.objects.create(season=made, by=by, words=words.strip())
    return made


def moving_words(names: Sequence[str], movers: int, nights: int | None) -> str:
    """Return who goes up and down between divisions, before it is played."""
    if not names[1:]:
        return "One table: everybody together."
    when = f"After night {nights}" if nights else "After the last night"
    if not movers:
        return "Nobody goes up or down."
    lines = [
        f"{_first(movers, 'last', 'of', 'of')} {upper} go{'es' * (movers == 1)} down, "
        f"{_first(movers, 'first', 'of', 'of')} {lower} go{'es' * (movers == 1)} up"
        for upper, lower in pairwise(names)
    ]
    return f"{when} {'; '.join(lines)}."


def _movers(wanted: int, sizes: Sequence[int]) -> list[int]:
    """Return how many move across each line between two divisions, as many up as down.

    A division with a line on both sides gives at most half of its players to each.
    """
    last = len(sizes) - 1
    room = [size if at in (0, last) else size // 2 for at, size in enumerate(sizes)]
    return [min(wanted, upper, lower) for upper, lower in pairwise(room)]


def _moves_of(table: DivisionTable) -> Iterable[PlayerMove]:
    rows = table.rows
    first_down = len(rows) - table.down
    tied = _across(rows, table.up) | _across(rows, first_down)
    for at, row in enumerate(rows):
        to = table.division
        if row.place not in tied and table.higher and at < table.up:
            to = table.higher
        elif row.place not in tied and table.lower and at >= first_down:
            to = table.lower
        yield PlayerMove(row, table.division, to, row.place in tied)


def _across(rows: Sequence[SeasonRow], after: int) -> set[int]:
    """Return the place that is shared across a line after so many rows, if there is one."""
    if 0 < after < len(rows) and rows[after - 1].place == rows[after].place:
        return {rows[after].place}
    return set()


def _first(number: int, which: str, one: str, several: str) -> str:
    return f"the {which} {one}" if number == 1 else f"the {which} {number} {several}"


def _store(season: Season, placed: Mapping[int, Division]) -> None:
    DivisionPlayer.objects.bulk_create(
        DivisionPlayer(season=season, division=division, player_id=who)
        for who, division in placed.items()
    )


def _words(divisions: Sequence[Division], movers: int) -> str:
    if not divisions:
        return "no divisions"
    return f"{', '.join(one.name for one in divisions)}; {movers} up and {movers} down"


def _moved(steps: Iterable[tuple[int, int, int]], divisions: Mapping[int, Division]) -> str:
    """Return who changes division, in words: "Second → First: Ben, Iris."

    steps: players, with the keys of their divisions before and after, or NONE.
    """
    groups: dict[tuple[int, int], list[int]] = {}
    for who, before, after in steps:
        if before != after:
            groups.setdefault((before, after), []).append(who)
    moved = [who for group in groups.values() for who in group]
    names = dict(Player.objects.filter(pk__in=moved).values_list("pk", "name"))
    named = {NONE: "no division"} | {pk: one.name for pk, one in divisions.items()}
    return " ".join(
        f"{named[before]} → {named[after]}: {', '.join(names[who] for who in group)}."
        for (before, after), group in groups.items()
    )
