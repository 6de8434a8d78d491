"""Teams of a season: who belongs to them, and their table.

A team's score of an evening is the sum of the best of its people's scores there, as many as
`Season.team_best` says; registered substitutes count like everybody else. The season's rule says
how many evenings count.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from django.db import transaction
from django.db.models import prefetch_related_objects

from games.models import Player
from tournaments.models import Club, Season, SeasonChange, SeasonTeam, TeamPlayer
from tournaments.refusals import RefusedError
from tournaments.seasons.season_table import HeldEvening, SeasonResults
from tournaments.seasons.seasons import locked

MOST_TEAMS: Final = 40
MOST_PLAYERS: Final = 40  # of a team
LONGEST_NAME: Final = 40
#: Between the players of a team and its substitutes, and between two names.
SUBSTITUTES, NEXT = "/", ";"


class WantedTeam(NamedTuple):
    """A team as it is to be."""

    name: str
    players: tuple[Player, ...]
    substitutes: tuple[Player, ...]


class TeamEvening(NamedTuple):
    """A team's score of an evening; `counts`: whether the evening is one of those that count."""

    points: int
    counts: bool


@dataclass(frozen=True, slots=True)
class TeamRow:
    """A line of the table of teams; equal teams share the place. `evenings` are by event."""

    place: int
    team: SeasonTeam
    points: int
    evenings: Mapping[int, TeamEvening]


def table(season: Season, results: SeasonResults) -> list[TeamRow]:
    """Return the table of a season's teams, the best first, in at most three queries."""
    if not season.pk or season.line == Season.Line.PAIR:
        return []
    prefetch_related_objects([season], "teams__players__player")
    teams = list(season.teams.all())
    if not teams:
        return []
    scores = {row.player.pk: row.evenings for row in results.sheet().lines}
    found = []
    for team in teams:
        people = [scores.get(one.player_id, {}) for one in team.players.all()]
        played = {
            held.head.event: sorted(
                (one[held.head.event].points for one in people if held.head.event in one),
                reverse=True,
            )
            for held in results.events
        }
        there = [event for event, best in played.items() if best]
        points = [sum(played[event][: season.team_best]) for event in there]
        counted = results.rule.counted(points)
        evenings = {event: TeamEvening(points[at], at in counted) for at, event in enumerate(there)}
        found.append((team, sum(points[at] for at in counted), evenings))
    rows = [
        TeamRow(1 + sum(other > points for _team, other, _evenings in found), *line)
        for line in found
        for points in [line[1]]
    ]
    return sorted(rows, key=lambda row: (row.place, row.team.name.casefold()))


def nights(
    season: Season, results: SeasonResults, row: TeamRow
) -> list[tuple[HeldEvening, TeamEvening, list[tuple[Player, int, bool]]]]:
    """Return a team's evenings, each with the scores of its people, the best first.

    Each score comes with whether it is one of those that count. Takes one query.
    """
    scores = {line.player.pk: line.evenings for line in results.sheet().lines}
    people = [one.player for one in row.team.players.all()]
    found = []
    for held in results.events:
        event = held.head.event
        if event not in row.evenings:
            continue
        there = [one for one in people if event in scores.get(one.pk, {})]
        there.sort(key=lambda one: -scores[one.pk][event].points)
        each = [
            (one, scores[one.pk][event].points, at < season.team_best)
            for at, one in enumerate(there)
        ]
        found.append((held.head, row.evenings[event], each))
    return found


def in_words(season: Season) -> str:
    """Return the teams as `read` takes them, one a line: "Mill: Maeve; Ben / Iris"."""
    prefetch_related_objects([season], "teams__players__player")
    lines = []
    for team in season.teams.all():
        own = [one.player.name for one in team.players.all() if not one.substitute]
        others = [one.player.name for one in team.players.all() if one.substitute]
        head = "" if season.line == Season.Line.PAIR else f"{team.name}: "
        line = f"{head}{f'{NEXT} '.join(own)}"
        lines.append(f"{line} {SUBSTITUTES} {f'{NEXT} '.join(others)}" if others else line)
    return "\n".join(lines)


def read(club: Club, text: str, *, pairs: bool = False) -> list[WantedTeam]:
    """Return the teams that are written, one a line; raise RefusedError, 422, by line.

    pairs: a line is two players, without a name.
    """
    members = Player.objects.filter(memberships__club=club)
    by_name = {player.name.casefold(): player for player in members}
    teams: list[WantedTeam] = []
    seen: dict[int, str] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        name, colon, people = _pair(number, line) if pairs else line.partition(":")
        name = " ".join(name.split())
        if not colon or not 0 < len(name) <= LONGEST_NAME:
            words = f"write a name of at most {LONGEST_NAME} letters, a colon, and its players."
            raise _wrong(number, words)
        if name.casefold() in {team.name.casefold() for team in teams}:
            raise _wrong(number, f"there are two teams called {name}.")
        own, _slash, others = people.partition(SUBSTITUTES)
        found = [_players(number, part, by_name) for part in (own, others)]
        for player in (*found[0], *found[1]):
            if player.pk in seen:
                raise _wrong(number, f"{player.name} is in {seen[player.pk]} already.")
            seen[player.pk] = name
        if not found[0] or len(found[0]) + len(found[1]) > MOST_PLAYERS:
            raise _wrong(number, f"a team has 1 to {MOST_PLAYERS} people.")
        teams.append(WantedTeam(name, *found))
    if len(teams) > MOST_TEAMS:
        raise RefusedError("many", f"At most {MOST_TEAMS} teams; these are {len(teams)}.", 422)
    return teams


def _pair(number: int, line: str) -> tuple[str, str, str]:
    """Return a pair as a team of two, which is called by their names."""
    names = [" ".join(name.split()) for name in line.split(NEXT) if name.strip()]
    if len(names) != 2 or SUBSTITUTES in line:
        raise _wrong(number, "write two players, with a semicolon between them.")
    return " & ".join(names)[:LONGEST_NAME], ":", line


def _players(number: int, part: str, by_name: Mapping[str, Player]) -> tuple[Player, ...]:
    names = [" ".join(name.split()) for name in part.split(NEXT) if name.strip()]
    for name in names:
        if name.casefold() not in by_name:
            raise _wrong(number, f"no member of the club is called “{name[:30]}”.")
    return tuple(by_name[name.casefold()] for name in names)


def _wrong(number: int, words: str) -> RefusedError:
    return RefusedError("teams", f"Line {number}: {words}", 422)


@transaction.atomic
def set_up(season: Season, wanted: Sequence[WantedTeam], best: int, by: Player | None) -> None:
    """Replace a season's teams, and log who did; raise RefusedError ``gone``.

    A team that keeps its name keeps its page.
    """
    kept = locked(season)
    before = (in_words(kept), kept.team_best)
    had = {team.name.casefold(): team for team in kept.teams.all()}
    names = {one.name.casefold() for one in wanted}
    kept.team_players.all().delete()
    kept.teams.filter(pk__in=[team.pk for name, team in had.items() if name not in names]).delete()
    for one in wanted:
        team = had.get(one.name.casefold()) or SeasonTeam(season=kept)
        team.name = one.name
        team.save()
        people = ((one.players, False), (one.substitutes, True))
        TeamPlayer.objects.bulk_create(
            TeamPlayer(season=kept, team=team, player=player, substitute=substitute)
            for players, substitute in people
            for player in players
        )
    kept.team_best = best
    kept.save(update_fields=["team_best"])
    kept = Season.objects.get(pk=kept.pk)
    after = (in_words(kept), best)
    if after != before:
        teams = after[0].replace("\n", ". ") or "none"
        words = f"Teams: {teams}. The best {best} of a night count."
        if kept.line == Season.Line.PAIR:
            words = f"Pairs: {teams}."
        SeasonChange.objects.create(season=kept, by=by, words=words)
