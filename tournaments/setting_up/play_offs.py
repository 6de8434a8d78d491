"""Play-offs out of a season's table: who plays together, and the event with its seeds.

The first of a table play a single elimination. Two who were partners on every evening of the season
stay together; the others are paired, the best with the last, as before a second stage.
"""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from django.core.exceptions import ValidationError
from django.db import transaction

from games.models import Player
from tournaments.attendance import newcomers
from tournaments.changes import row_locks
from tournaments.models import Event, Season, WalkIn
from tournaments.refusals import RefusedError
from tournaments.seasons.season_table import Held, SeasonResults, SeasonRow
from tournaments.seasons.seasons import events_of
from tournaments.setting_up import setting_up

FORMAT: Final = "single_elimination"
MOST_PLAYERS: Final = 64
USUAL_PLAYERS: Final = 8


class PlayOffTeam(NamedTuple):
    """Who plays together in play-offs; `seed` 1 is the best."""

    seed: int
    players: tuple[Player, ...]

    @property
    def name(self) -> str:
        return " and ".join(player.name for player in self.players)


def teams(
    rows: Sequence[SeasonRow], count: int, results: SeasonResults, size: int
) -> list[PlayOffTeam]:
    """Return the teams of `size` players of the first `count` of a table, the best first.

    Whoever has deleted their account is passed over. Raise RefusedError ``few`` or ``odd`` if so
    many cannot play, ``shared`` if places are shared across the line, since nobody gets in by lot,
    or ``walk-in`` if one of them has no account.
    """
    able = [row for row in rows if row.events and not row.player.former]
    if count > len(able):
        played = f"{len(able)} player{'' if len(able) == 1 else 's'}"
        raise RefusedError("few", f"Only {played} of this table have played.", 422)
    if count % size or count < 2 * size:
        allowed = "an even number, 4 or more" if size == 2 else "2 or more"
        raise RefusedError("odd", f"Play-offs are for {allowed}.", 422)
    if count < len(able) and able[count - 1].place == able[count].place:
        shared = able[count].place
        names = ", ".join(row.player.name for row in able if row.place == shared)
        raise RefusedError(
            "shared",
            f"{names} share place {shared}: choose a number that includes all or none of them.",
            422,
        )
    chosen = [row.player for row in able[:count]]
    walk_ins = WalkIn.objects.filter(player__in=chosen, claimed_by=None).select_related("player")
    if walk_ins:
        names = ", ".join(dict.fromkeys(map(str, walk_ins)))
        words = f"Without an account: {names}. Let them claim their results"
        raise RefusedError(
            "walk-in", f"{words} by their codes first, or choose fewer players.", 422
        )
    together = [(one,) for one in chosen] if size == 1 else _paired(chosen, results)
    return [PlayOffTeam(seed, team) for seed, team in enumerate(together, start=1)]


def _paired(chosen: Sequence[Player], results: SeasonResults) -> list[tuple[Player, ...]]:
    """Pair players, the best first, and order the pairs by their better player."""
    partner = _partners(results.events)
    rank = {player.pk: at for at, player in enumerate(chosen)}
    by_key = {player.pk: player for player in chosen}
    pairs: list[tuple[Player, ...]] = []
    single: list[Player] = []
    for player in chosen:
        other = partner.get(player.pk)
        if other not in rank:
            single.append(player)
        elif rank[player.pk] < rank[other]:
            pairs.append((player, by_key[other]))
    half = len(single) // 2
    pairs += zip(single[:half], reversed(single[half:]), strict=True)
    return sorted(pairs, key=lambda pair: rank[pair[0].pk])


def _partners(events: Sequence[Held]) -> dict[int, int]:
    """Return who played every evening as a partner of the same player, and of whom."""
    entries: dict[int, set[int]] = defaultdict(set)
    people: dict[int, list[int]] = {}
    for held in events:
        for placed, players in held.entries.items():
            people[placed.entry] = players
            for player in players:
                entries[player].add(placed.entry)
    found = {}
    for player, mine in entries.items():
        others = {other for entry in mine for other in people[entry] if other != player}
        if len(others) == 1 and entries[other := others.pop()] == mine:
            found[player] = other
    return found


def team_size(season: Season) -> int:
    """Return how many play together: one by rules for two players, otherwise two."""
    return _like(season).rules.players // 2


@transaction.atomic
def make(
    season: Season,
    chosen: Sequence[PlayOffTeam],
    by: Player,
    now: datetime,
    *,
    name: str,
    starts: datetime,
    place: str,
    match: str,
) -> Event:
    """Publish the play-offs with these teams as its only entries, seeded in this order.

    Rules and pace are those of the season's last event. Raise RefusedError ``settings`` if they do
    not go together, ``past`` if the start has passed, ``made`` if one of the players is already in
    play-offs of this season that are not over.
    """
    row_locks.locked_club(season.club)
    _refuse_if_made(season, chosen)
    event = _like(season)
    event.name, event.place, event.match, event.deals = name, place, match, None
    event.format, event.capacity, event.minimum = FORMAT, len(chosen), 2
    event.starts, event.registration_opens = starts, now - timedelta(minutes=1)
    event.registration_closes = now  # only those of the table play
    event.members_only, event.play_offs_of = False, season
    event.min_rating = event.max_rating = None
    event.min_games = event.check_in_minutes = event.entry_money = 0
    try:
        event.clean()
    except ValidationError as error:
        raise RefusedError("settings", " ".join(error.messages), 422) from error
    made = setting_up.publish(setting_up.create(event, by, now), by, now)
    for team in chosen:
        entry = newcomers.enter(made, team.players, by, now)
        entry.table_place = team.seed
        entry.save(update_fields=["table_place"])
    return made


def _refuse_if_made(season: Season, chosen: Sequence[PlayOffTeam]) -> None:
    over = (Event.State.FINISHED, Event.State.CANCELLED)
    players = [player for team in chosen for player in team.players]
    made = season.play_offs.exclude(state__in=over)
    same = made.filter(entered_players__player__in=players).first()
    if same is not None:
        raise RefusedError("made", f"{same.name} has already been made with these players.")


def _like(season: Season) -> Event:
    """Return an unsaved event like the season's last one."""
    last = events_of(season.club, season).order_by("starts").last()
    if last is None:
        return setting_up.new_event(season.club, season.club.created)
    later = setting_up.copy_to_next_date(last, last.starts)
    later.second_stage = later.final_match = ""
    return later
