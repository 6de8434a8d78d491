"""The entries of an event from a list: who signed up on paper or in another program.

The columns are those of the event's export. Members of the club and people on its list can be
entered by a list; those with an account are written to and can withdraw.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, TypeAlias

from games.models import Player
from games.numbers import parse_number
from tournaments.attendance import on_paper, walk_ins
from tournaments.changes import row_locks
from tournaments.changes.row_locks import changed
from tournaments.entering.conditions import unmet_conditions_for_others
from tournaments.entering.places_and_waiting_list import (
    PlaceCounts,
    full,
    give_place,
    place_counts,
)
from tournaments.event_page.exports import COLUMNS as EXPORTED
from tournaments.events.notices import note
from tournaments.events.states import UPCOMING
from tournaments.events.timetable import start_in_words
from tournaments.importing.plans import WHOLE, Plan, check
from tournaments.importing.sheets import Line, Sheet
from tournaments.models import Entry, EntryPlayer, Event, ListedName
from tournaments.models.entries import COMPLETE, OUT
from tournaments.outbox import letters
from tournaments.refusals import RefusedError

COLUMNS: Final = EXPORTED["entries"]
ENTERED, WAITS, STAYS, LEFT_OUT = "is entered", "waits for a place", "stays", "left out"

Team: TypeAlias = tuple[Player | ListedName, ...]


@dataclass
class _Known:
    """What an event's list is compared with; `in_event`: each player's entry.

    names: of all who have a seat. house: whether house players play.
    """

    event: Event
    members: Mapping[int, Player]
    by_name: Mapping[str, Player]
    listed: Mapping[str, set[ListedName]]
    in_event: Mapping[int, Entry]
    teams: frozenset[frozenset[int]]
    filled: PlaceCounts
    names: frozenset[str]
    house: bool


def plan(event: Event, sheet: Sheet, now: datetime) -> Plan[Team]:
    """Return what importing a list would do; it changes nothing.

    Raises RefusedError ``begun`` if nobody can be entered.
    """
    if event.state not in UPCOMING or now >= event.starts:
        state = event.get_state_display().lower()
        words = f"Entries are imported between publishing and the start; the event is {state}."
        raise RefusedError("begun", words)
    made: Plan[Team] = Plan(sheet.faults)
    if not {"players_id", "players_name"} & set(sheet.columns):
        words = "The first line names neither “players_id” nor “players_name”: one is needed."
        made.refuse(WHOLE, "players_name", words)
        return made
    known = _known(event)
    seen: dict[int, int] = {}
    for line in sheet.lines:
        _read(made, line, known, seen)
    return made


def carry_out(event: Event, sheet: Sheet, digest: str, by: Player, now: datetime) -> Plan[Team]:
    """Enter the players of a list as it was shown, and write to them; safe to repeat.

    Returns what was done. Raises ChangedSinceError, or RefusedError as `plan`.
    """
    with row_locks.locked(event) as locked:
        made = plan(locked, sheet, now)
        if not check(made, digest):
            return made
        filled, entries = place_counts(locked), [Entry(event=locked, made=now) for _ in made.new]
        teams = [walk_ins.made(locked, team) for team in made.new]
        for entry in entries:
            filled = give_place(locked, entry, filled, now)
        Entry.objects.bulk_create(entries, batch_size=100)
        EntryPlayer.objects.bulk_create(
            (
                EntryPlayer(event=locked, entry=entry, player=player, position=position)
                for entry, team in zip(entries, teams, strict=True)
                for position, player in enumerate(team)
            ),
            batch_size=100,
        )
        common = {"event": locked, "by": by, "starts": start_in_words(locked)}
        letters.write_many(
            (
                (
                    f"event {locked.pk} entered by list {entry.pk}",
                    team,
                    {**common, "waiting": entry.state == Entry.State.WAITING},
                )
                for entry, team in zip(entries, teams, strict=True)
            ),
            f"You are entered in {locked.name}",
            "entered",
        )
        note(locked, f"{len(made.new)} entries from a list.", by)
        changed(locked)
    return made


def _known(event: Event) -> _Known:
    joined = event.club.memberships.filter(player__user__is_active=True)
    members = {one.player_id: one.player for one in joined.select_related("player__user")}
    lines = event.entered_players.filter(active=True).select_related("entry")
    in_event = {line.player_id: line.entry for line in lines}
    teams: dict[int, set[int]] = defaultdict(set)
    for player_id, entry in in_event.items():
        if entry.state not in (*OUT, Entry.State.SEEKING, Entry.State.INVITING):
            teams[entry.pk].add(player_id)
    by_name = {player.name.casefold(): player for player in members.values()}
    there = frozenset(map(frozenset, teams.values()))
    listed: dict[str, set[ListedName]] = defaultdict(set)
    if event.place != Event.Place.ONLINE:
        for row in event.club.listed_names.select_related("joined_to", "player", "plays_as"):
            listed[row.name.casefold()].add(on_paper.person_of(row))
    seated = event.entered_players.values_list("player__name", flat=True)
    names = frozenset(map(str.casefold, seated))
    house = walk_ins.with_house(event)
    filled = place_counts(event)
    return _Known(event, members, by_name, listed, in_event, there, filled, names, house)


def _read(made: Plan[Team], line: Line, known: _Known, seen: dict[int, int]) -> None:
    """Add a line's step, or its problems, to the plan."""
    cells, before = line.cells, len(made.refused)
    names = _listed(cells.get("players_name", ""))
    if cells.get("house", "").lower() == "true":
        words = "house players are added on the event’s page"
        made.step(line.number, LEFT_OUT, " and ".join(names), words)
        return
    team = _team(made, line, known)
    if len(made.refused) > before:
        return
    name = " and ".join(player.name for player in team)
    if frozenset(map(_number, team)) in known.teams:
        made.step(line.number, STAYS, name, "in the event")
        return
    if cells.get("state", "") in OUT:
        made.step(line.number, LEFT_OUT, name, "withdrawn, or did not come")
        return
    for player in team:
        for words in _hindrances(known, player, seen):
            made.refuse(line.number, "players_name", words)
        seen.setdefault(_number(player), line.number)
    if len(made.refused) == before:
        inside = known.filled.places + len(made.new)
        waits = full(known.event, inside, known.filled.waiting)
        made.step(line.number, WAITS if waits else ENTERED, name)
        made.new.append(team)


def _team(made: Plan[Team], line: Line, known: _Known) -> Team:
    """Return the players of a line; add what is wrong with it to the plan."""
    column = "players_id" if line.cells.get("players_id") else "players_name"
    listed = _listed(line.cells.get(column, ""))
    found: list[Player | ListedName] = []
    for one in listed:
        player = _member(known, one, column)
        named = known.listed.get(one.casefold(), ()) if column == "players_name" else ()
        if player is not None:
            found.append(player)
        elif len(named) == 1:
            (row,) = named
            found.append(row.player or row)
        elif named:
            words = f"Several people on the club’s list are called “{one}”: enter them by hand."
            made.refuse(line.number, column, words)
        else:
            words = (
                f"No member of {known.event.club} has the number “{one[:20]}”."
                if column == "players_id"
                else f"Nobody of {known.event.club} is called “{one}”."
            )
            hint = " Only members, and people on the club’s list, can be entered by a list."
            made.refuse(line.number, column, words + hint)
    size = known.event.team_size
    if len(listed) != size or len(set(map(_number, found))) != len(found):
        wanted = "two different players, such as “Maeve; Ben”" if size == 2 else "one player"
        made.refuse(line.number, column, f"An entry is {wanted}; here are {len(listed)}.")
    return tuple(found)


def _member(known: _Known, text: str, column: str) -> Player | None:
    if column == "players_name":
        return known.by_name.get(text.casefold())
    return known.members.get(parse_number(text) or 0)


def _number(who: Player | ListedName) -> int:
    """Return the key of a player, or one that no player has for somebody who has never played."""
    return who.pk if isinstance(who, Player) else who.plays_as_id or -who.pk


def _hindrances(
    known: _Known, player: Player | ListedName, seen: Mapping[int, int]
) -> Sequence[str]:
    """Return why somebody cannot be entered by a line."""
    number = _number(player)
    if number in seen:
        return [f"{player.name} is in line {seen[number]} already."]
    entry = known.in_event.get(number)
    if entry is not None and entry.state in COMPLETE:
        return [f"{player.name} is in the event already, but not as in this line."]
    if entry is not None:
        state = entry.get_state_display().lower()
        return [f"{player.name} {state}: they withdraw first, or find a partner."]
    if isinstance(player, Player):
        return unmet_conditions_for_others(known.event, player)
    try:
        name = on_paper.tidy_name((player.plays_as or player).name)
        if name.casefold() in known.names:
            walk_ins.free_name(known.event, name, player.plays_as)
        if known.house:
            walk_ins.check_place(known.event)
    except RefusedError as error:
        return [f"{player.name}: {error.message}"]
    return []


def _listed(cell: str) -> list[str]:
    return [one.strip() for one in cell.split(";") if one.strip()]
