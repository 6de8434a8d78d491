"""Exports of an event, as CSV and as a workbook for spreadsheets and as JSON for programs.

The columns are described in docs/exports.md.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, tzinfo
from fractions import Fraction
from typing import Any, Final, TypeAlias

from games.models.shared_deals import sealed
from games.seats import reserved
from tournaments.formats.tie_breaks import TieBreak
from tournaments.models import Event, Pairing, SitOut
from tournaments.results import event_rows, place_owners
from tournaments.results.event_rows import entry_values
from tournaments.results.match_lines import (
    Team,
    past_seats,
    teams_at,
    teams_drawn,
    teams_of,
    together,
)
from tournaments.results.possible import Points
from tournaments.spreadsheets import cell, csv_text, workbook
from tournaments.standings import ranking
from tournaments.standings.ranking import standing_values
from tournaments.standings.winners import prize_places

#: A row: column to a number, text, None, a row, or a list of numbers or rows.
Row: TypeAlias = dict[str, Any]

#: Decimals of fractions.
DECIMALS: Final = 6

SIDES: Final = ("north_south", "east_west")
WHERE: Final = ("round", "stage", "table")
SIDE_COLUMNS: Final = tuple(
    f"{side}_{what}" for side in SIDES for what in ("entries", "players_id", "players_name")
)
COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "entries": (
        *("entry", "players_id", "players_name", "state", "house"),
        *("seed", "lot", "first_round", "qualified", "place", "prize_place"),
    ),
    "pairings": (*WHERE, *SIDE_COLUMNS, "in_room"),
    "results": (
        *WHERE,
        *SIDE_COLUMNS,
        "in_room",
        *("winner", "how"),
        *(
            f"{what}_{side}"
            for what in ("points", "games_won", "lone_hands", "handicap")
            for side in SIDES
        ),
        *("decided", "games_id", "games_north_south", "games_east_west"),
        *("games_log_north_south", "games_log_east_west"),
    ),
    "standings": (
        *("place", "prize_place", "entry", "players_id", "players_name", "house", "withdrawn"),
        *("won", "lost", "tied", "sat_out", "credit", "finals_won", "finals_lost"),
        *("points_for", "points_against", "score_error"),
    ),
}


def as_json(event: Event, what: str) -> str:
    document = {"event": about(event) | {"version": event.version}, what: EXPORTS[what](event)}
    return json.dumps(document, ensure_ascii=False, indent=1, default=_moment) + "\n"


def as_csv(event: Event, what: str) -> str:
    rows = ({name: _cell(value) for name, value in _flat(row)} for row in EXPORTS[what](event))
    return csv_text(_columns(event, what), rows)


def as_workbook(event: Event) -> bytes:
    """Return all tables as sheets of one workbook; times are those of the club."""
    zone = event.club.zone
    first = {**about(event), "starts": _value(event.starts, zone), "times": str(zone)}
    tables = {
        what: (
            _columns(event, what),
            [{name: _value(value, zone) for name, value in _flat(row)} for row in rows(event)],
        )
        for what, rows in EXPORTS.items()
    }
    return workbook({"event": ([*first], [first]), **tables})


def _columns(event: Event, what: str) -> list[str]:
    tie_breaks = _tie_breaks(event) if what == "standings" else ()
    return [*COLUMNS[what], *(which.value for which in tie_breaks)]


def about(event: Event) -> Row:
    """Identify the event; event: with its club."""
    return {
        "id": event.pk,
        "name": event.name,
        "club": event.club.slug,
        "format": event.format,
        "state": event.state,
        "starts": _moment(event.starts),
    }


def entries(event: Event) -> list[Row]:
    prizes, rows = prize_places(event), list(event_rows.entries(event))
    teams = place_owners.teams_by_owner(event, teams_of(rows))
    return [entry_values(entry, _players(teams[entry.pk]), prizes) for entry in rows]


def pairings(event: Event) -> list[Row]:
    """Return the draw of each round: its tables, then its sit-outs."""
    teams, past = teams_drawn(event), past_seats(event)
    rows = [_drawn(row, teams_at(row, teams, past)) for row in event_rows.pairings(event)]
    idle = SitOut.objects.filter(round__event=event).select_related("round").order_by("entry")
    rows += [
        {
            "round": line.round.number,
            "stage": line.round.stage,
            "table": None,
            "north_south": _side(teams_at(line, teams, past)[line.entry_id]),
            "east_west": _side(Team((), ())),
            "in_room": False,
        }
        for line in idle
    ]
    return sorted(rows, key=lambda row: (row["round"], row["table"] is None))


def results(event: Event) -> list[Row]:
    """Return the decided matches with their games, but those whose deals are still played."""
    teams, past = teams_drawn(event), past_seats(event)
    decided = list(event_rows.pairings(event).filter(~sealed(), state=Pairing.State.DECIDED))
    games = reserved.results(row.table_id for row in decided if row.table_id is not None)
    return [
        {
            **_drawn(row, teams_at(row, teams, past)),
            "winner": {0: SIDES[0], 1: SIDES[1]}.get(row.winner),
            "how": row.how,
            "points": _both(row.points),
            "games_won": _both(row.games_won),
            "lone_hands": _both(row.lone_hands),
            "handicap": _both(row.handicap),
            "decided": row.decided,
            "games": [
                _game(str(game.game_id), game.counted, game.score)
                for game in games.get(row.table_id or 0, ())
            ]
            or [_game(None, (first, second), None) for first, second in row.scores],
        }
        for row in decided
    ]


def standings(event: Event) -> list[Row]:
    """Return the standings after the last round that is over, with all tie-breaks."""
    if event.started is None:
        return []
    lines = ranking.standings_of(event).lines
    teams = place_owners.teams_by_owner(event, teams_of(line.entry for line in lines))
    return [
        {
            **standing_values(line, _players(teams[line.entry.pk]), _number),
            **{which.value: _number(line.values.get(which)) for which in _tie_breaks(event)},
        }
        for line in lines
    ]


EXPORTS: Final[Mapping[str, Callable[[Event], list[Row]]]] = {
    "entries": entries,
    "pairings": pairings,
    "results": results,
    "standings": standings,
}


def _tie_breaks(event: Event) -> tuple[TieBreak, ...]:
    order = ranking.order_of(event)
    return (*order, TieBreak.LOT) if order else ()


# Rows --------------------------------------------------------------------------------------


def _drawn(row: Pairing, teams: Mapping[int, Team]) -> Row:
    both = (together(teams[entry] for entry in row.entries_of_side(side)) for side in (0, 1))
    return {
        "round": row.round.number,
        "stage": row.round.stage,
        "table": row.number,
        **{name: _side(team) for name, team in zip(SIDES, both, strict=True)},
        "in_room": row.in_room,
    }


def _side(team: Team) -> Row:
    return {"entries": list(team.entries), "players": _players(team)}


def _players(team: Team) -> list[Row]:
    return [{"id": person.pk, "name": person.name} for person in team.people]


def _both(values: tuple[int | None, int | None]) -> Row:
    return dict(zip(SIDES, values, strict=True))


def _game(game_id: str | None, counted: Points, log: Points | None) -> Row:
    """Return a game; those in the room have no page and no log."""
    logged = _both(log or (None, None))
    return {
        "id": game_id,
        **_both(counted),
        **{f"log_{side}": points for side, points in logged.items()},
    }


def _moment(moment: datetime | None) -> str | None:
    return moment.astimezone(UTC).isoformat(timespec="seconds") if moment else None


def _number(value: Fraction | None) -> int | float | None:
    if value is None:
        return None
    return int(value) if value.denominator == 1 else round(float(value), DECIMALS)


# Cells -------------------------------------------------------------------------------------


def _flat(row: Row, before: str = "") -> Iterator[tuple[str, Any]]:
    """Flatten nested rows: their columns are prefixed with the name of the outer column.

    A column of a list holds all its values.
    """
    for name, value in row.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{name}_")
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            for key in value[0]:
                yield f"{before}{name}_{key}", [one[key] for one in value]
        elif value != []:
            yield f"{before}{name}", value


def _value(value: object, zone: tzinfo) -> Any:
    """Return a value as a workbook has it; several are a text, with semicolons between them."""
    if isinstance(value, datetime):
        return value.astimezone(zone).replace(tzinfo=None)
    if not isinstance(value, list):
        return value
    return value[0] if len(value) == 1 else "; ".join(str(one) for one in value if one is not None)


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, datetime):
        return _moment(value) or ""
    if isinstance(value, list):
        text = "; ".join(str(one) for one in value if one is not None)
    else:
        text = "" if value is None else str(value)
    return cell(text)
