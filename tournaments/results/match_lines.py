"""Matches as pages show them: the sides, their games and their state in words.

Everything is loaded beforehand, so that templates run no queries.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import QuerySet
from django.urls import reverse

from games.models import Player
from games.seats import reserved
from games.seats.reserved import TableResult
from tournaments.formats.draw import DrawnMatch, PlayedMatch
from tournaments.models import Club, Correction, Entry, Event, Pairing, SitOut, Substitution
from tournaments.models.events import GAMES_TO_WIN
from tournaments.results import event_rows, matches
from tournaments.results.matches import TIE

HOW = {
    Pairing.How.PLAYED: "Finished",
    Pairing.How.TIME: "Ended on time",
    Pairing.How.FORFEIT: "Forfeit",
    Pairing.How.DIRECTOR: "By the director",
}
#: Reasons why both sides forfeited a match. In one given up, nobody was called to a table.
GIVEN_UP = "Given up by both"
RULED = "Forfeited by both, by the director"
NOBODY_CAME = "Nobody came"
INCOMPLETE = "Both sides lacked a player"


@dataclass(frozen=True, slots=True)
class Team:
    """Players on the same side: of one entry, or of two entries that are partners for a match."""

    entries: tuple[int, ...]
    people: tuple[Player, ...]

    @property
    def name(self) -> str:
        """Their names: "Maeve & Ben"."""
        return " & ".join(person.name for person in self.people)

    @property
    def house(self) -> bool:
        return all(person.house for person in self.people)


@dataclass(frozen=True, slots=True)
class MatchGameLine:
    """A game of a match; `said` is what the table's log says if that differs from the result."""

    game_id: UUID
    number: int
    score: tuple[int, int]
    winner: int
    running: bool
    hand: int
    path: str
    said: str = ""

    @property
    def words(self) -> str:
        return f"{self.score[0]}–{self.score[1]}"


@dataclass(frozen=True, slots=True)
class SideLine:
    """A side of a match; `count` is empty before the first hand.

    `handicap`: points given to it that count for the standings; `won` is with them. `left`: the
    players at a table in the room that goes on who have withdrawn and are not replaced yet.
    """

    team: Team
    count: str
    won: bool
    handicap: int = 0
    left: frozenset[int] = frozenset()

    @property
    def name(self) -> str:
        """The names of its players: "Maeve (left) & Ben"."""
        return " & ".join(map(self.name_of, self.team.people))

    def name_of(self, person: Player) -> str:
        """Return the name of one of its players, and whether they have left."""
        return f"{person.name} (left)" if person.pk in self.left else person.name


@dataclass(frozen=True, slots=True)
class MatchLine:
    """A match as pages show it.

    `path` is where it can be seen: its table, its only game's page, or its line in the list of its
    round; empty if nothing was played. `lost_by_both` is a reason, or empty.
    `sealed`: other tables still play its deals, so that nothing is said about its score.
    `counted_winner`: with the handicap, if it is not the winner as played.
    """

    pairing: Pairing
    sides: tuple[SideLine, SideLine]
    games: tuple[MatchGameLine, ...] = ()
    several: bool = False
    path: str = ""
    lost_by_both: str = ""
    broken_off: bool = False
    sealed: bool = False
    counted_winner: int | None = None

    @property
    def decided(self) -> bool:
        return self.pairing.state == Pairing.State.DECIDED

    @property
    def more_time(self) -> bool:
        """Whether its table still plays and has more time than the round."""
        return not self.decided and self.pairing.more_minutes > 0 and self.pairing.ends is not None

    @property
    def tied(self) -> bool:
        winner = self.pairing.winner if self.counted_winner is None else self.counted_winner
        return self.decided and not self.sealed and winner == TIE

    @property
    def scores(self) -> str:
        """The scores of its games if there are several: "10–6, 7–10"."""
        if not self.several:
            return ""
        in_room = (f"{first}–{second}" for first, second in self.pairing.scores)
        return ", ".join([*(game.words for game in self.games), *in_room])

    @property
    def words(self) -> str:
        """Its state: "Called", "Shuffling", "Hand 9", "Game 2, hand 3", "Finished"."""
        if self.lost_by_both:
            return self.lost_by_both
        if self.decided and self.sealed:
            return "Finished; others still play"
        if self.decided:
            return self._ended
        if self.broken_off or self.pairing.in_room:
            return "Broken off" if self.broken_off else "In the room"
        if not self.games:
            return "Called" if self.pairing.state == Pairing.State.CALLED else "Shuffling"
        game = self.games[-1]
        hand = f"hand {game.hand}" if game.running else "over"
        return f"Game {game.number}, {hand}" if self.several else hand.capitalize()

    @property
    def _ended(self) -> str:
        how = self.pairing.how
        ended = HOW[Pairing.How(how)] if how else "Finished"
        if self.pairing.in_room and how == Pairing.How.PLAYED:
            ended = "Played in the room"
        return f"{ended}, a tie" if self.tied else ended

    @property
    def entries(self) -> tuple[int, ...]:
        return self.sides[0].team.entries + self.sides[1].team.entries


def team_of(*entries: Entry) -> Team:
    return Team(
        tuple(entry.pk for entry in entries),
        tuple(line.player for entry in entries for line in entry.players.all()),
    )


def teams_of(entries: Iterable[Entry]) -> dict[int, Team]:
    return {entry.pk: team_of(entry) for entry in entries}


def teams_drawn(event: Event) -> dict[int, Team]:
    return teams_of(event_rows.drawn(event).values())


def past_seats(event: Event) -> list[Substitution]:
    """Return who has left seats of an event's entries, the latest first."""
    rows = Substitution.objects.filter(entry__event=event).select_related("player")
    return list(rows.order_by("-until", "-pk"))


def teams_at(
    row: Pairing | SitOut, teams: Mapping[int, Team], past: Sequence[Substitution]
) -> Mapping[int, Team]:
    """Return the teams as they were in the round of a match, or of a sit-out."""
    changed: dict[int, list[Player]] = {}
    for one in past:
        if one.until >= row.round.number and one.entry_id in teams:
            people = changed.setdefault(one.entry_id, [*teams[one.entry_id].people])
            people[one.position] = one.player
    if not changed:
        return teams
    return {**teams, **{entry: Team((entry,), tuple(there)) for entry, there in changed.items()}}


def together(teams: Iterable[Team]) -> Team:
    every = list(teams)
    return Team(
        tuple(entry for team in every for entry in team.entries),
        tuple(person for team in every for person in team.people),
    )


def matches_of(
    event: Event, pairings: QuerySet[Pairing], teams: Mapping[int, Team]
) -> list[MatchLine]:
    """Return matches by round and table, in four queries.

    It takes one more if any was forfeited by both, and if any in the room goes on.
    """
    rows = list(event_rows.with_entries(pairings))
    gone = _gone(rows)
    past = past_seats(event)
    games = reserved.results(row.table_id for row in rows if row.table_id is not None)
    lost = _lost_by_both(rows, teams)
    hidden = event_rows.sealed_tables(rows) if event.first_stage.duplicate else set()
    return [
        _sealed_match(event, row, games.get(row.table_id or 0, ()), teams_at(row, teams, past))
        if row.table_id in hidden and row.pk not in lost
        else _match(
            event,
            row,
            games.get(row.table_id or 0, ()),
            teams_at(row, teams, past),
            lost.get(row.pk, ""),
            gone=gone,
        )
        for row in rows
    ]


def _gone(rows: Iterable[Pairing]) -> set[int]:
    """Return the entries that have withdrawn from matches in the room that go on without them."""
    going_on = [row.pk for row in rows if row.in_room and row.state != Pairing.State.DECIDED]
    if not going_on:
        return set()
    withdrawn = Entry.objects.filter(pairings__pairing__in=going_on, state=Entry.State.WITHDRAWN)
    return set(withdrawn.values_list("pk", flat=True))


def _sealed_match(
    event: Event, row: Pairing, results: Sequence[TableResult], teams: Mapping[int, Team]
) -> MatchLine:
    """Return a match whose deals other tables still play: how far it is, and nothing else.

    The path to its table is for its players.
    """
    forfeit = row.state == Pairing.State.DECIDED and row.how == Pairing.How.FORFEIT
    if forfeit:
        return _match(event, row, (), teams, "")
    decided = row.state == Pairing.State.DECIDED
    row.hide_result()
    north_south, east_west = (
        SideLine(together(teams[entry] for entry in row.entries_of_side(side)), "", won=False)
        for side in (0, 1)
    )
    games = tuple(
        MatchGameLine(one.game_id, number, (0, 0), TIE, one.running, one.deal_number, "")
        for number, one in enumerate(results, start=1)
    )
    path = visit_path(event, row, None) if row.table_id is not None and not decided else ""
    return MatchLine(row, (north_south, east_west), games, path=path, sealed=True)


def _lost_by_both(rows: Iterable[Pairing], teams: Mapping[int, Team]) -> dict[int, str]:
    """Return the reason why both sides lost a match that was not played, by match."""
    forfeits = [
        row
        for row in rows
        if row.state == Pairing.State.DECIDED
        and row.how == Pairing.How.FORFEIT
        and row.winner == matches.TIE
    ]
    numbers = [row.pk for row in forfeits]
    by_hand = (
        Correction.objects.filter(pairing__in=numbers) if numbers else Correction.objects.none()
    )
    ruled = set(by_hand.values_list("pairing", flat=True))
    opened = [row.table_id for row in forfeits if row.table_id is not None and row.pk not in ruled]
    missing = reserved.awaited(opened) if opened else {}
    words = {row.pk: GIVEN_UP for row in forfeits}
    for row in forfeits:
        if row.pk in ruled:
            words[row.pk] = RULED
        elif row.table_id is not None:
            drawn = (person for line in row.entries.all() for person in teams[line.entry_id].people)
            persons = {person.pk for person in drawn if not person.house}
            words[row.pk] = INCOMPLETE if persons - missing[row.table_id] else NOBODY_CAME
    return words


def _match(
    event: Event,
    row: Pairing,
    results: Sequence[TableResult],
    teams: Mapping[int, Team],
    lost_by_both: str,
    *,
    gone: Collection[int] = (),
) -> MatchLine:
    kind, _deals = matches.match_kind(event, row)
    several = GAMES_TO_WIN.get(Event.Match(kind), 1) > 1
    decided = row.state == Pairing.State.DECIDED
    counts = _counts(row, results, several=several)
    played = PlayedMatch(
        DrawnMatch(row.number, ((), ())),
        row.winner,
        row.points,
        forfeit=row.how == Pairing.How.FORFEIT,
    )
    winner = event_rows.with_handicap(played, row.handicap).winner
    north_south, east_west = (
        SideLine(
            together(teams[entry] for entry in row.entries_of_side(side)),
            counts[side],
            won=decided and winner == side,
            handicap=row.handicap[side],
            left=frozenset()
            if decided or not row.in_room
            else frozenset(
                person.pk
                for entry in row.entries_of_side(side)
                if entry in gone
                for person in teams[entry].people
            ),
        )
        for side in (0, 1)
    )
    games = tuple(
        MatchGameLine(
            one.game_id,
            number,
            one.counted,
            one.leading,
            one.running,
            one.deal_number,
            visit_path(event, row, None if one.running else one.game_id),
            one.outcome.said if one.outcome else "",
        )
        for number, one in enumerate(results, start=1)
    )
    path = games[0].path if games else ""
    if not decided and event.state != Event.State.CANCELLED:
        path = visit_path(event, row, None) if row.table_id is not None else ""
    elif len(games) > 1:
        page = reverse("event_round", args=[event.pk, row.round.number])
        path = f"{page}#round-{row.round.number}-table-{row.number}"
    return MatchLine(
        row,
        (north_south, east_west),
        games,
        several,
        path,
        lost_by_both,
        broken_off=not decided and event.state == Event.State.CANCELLED,
        counted_winner=winner,
    )


def _counts(row: Pairing, results: Sequence[TableResult], *, several: bool) -> tuple[str, str]:
    if row.state == Pairing.State.DECIDED:
        if row.how == Pairing.How.FORFEIT:
            return "", ""
        by_games = several and (row.games_0 or row.games_1)
        first, second = row.games_won if by_games else row.points
        return str(first), str(second)
    if not results:
        return "", ""
    score = matches.score_of(results)
    first, second = score.games if several else score.points
    return str(first), str(second)


def visit_path(event: Event, row: Pairing, game_id: UUID | None) -> str:
    """Return the path of a match's table, or of one of its games.

    In a club joined by invitation tables are not public, so the path goes through the event, which
    admits everybody who may see it.
    """
    if event.club.joining == Club.Joining.INVITATION:
        path = reverse("event_visit", args=[event.pk, row.round.number, row.number])
        return f"{path}?game={game_id}" if game_id else path
    return reverse("game", args=[game_id]) if game_id else reverse("table", args=[row.table_id])
