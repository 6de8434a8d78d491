"""A club's results from before it came to the site, from a list.

The columns are described in docs/exports.md; `tournaments.seasons.past_results` exports the same.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final, TypeAlias

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Count
from django.utils.timezone import localtime

from games.models import Player
from games.numbers import parse_number
from tournaments.changes.row_locks import locked_club
from tournaments.importing import dates
from tournaments.importing.forms import CellName, PersonName
from tournaments.importing.plans import WHOLE, Plan, check
from tournaments.importing.sheets import Line, Sheet
from tournaments.models import Club, PastResult
from tournaments.models.club_lists import LISTED_NAME_LENGTH
from tournaments.models.past_results import EVENT_NAME_LENGTH
from tournaments.refusals import RefusedError

#: Past results of a club, and the last place.
MAX_RESULTS: Final = 20_000
MAX_PLACE: Final = 999
FIRST_YEAR: Final = 1900
NEEDED: Final = ("date", "event", "place")
ADDED, BY_NAME, STAYS = "added for a member", "added as a name", "stays"

#: Who has a result: a member's number, or a name as it is compared.
Person: TypeAlias = int | str
Place: TypeAlias = tuple[date, str, Person]

_names: Final = {
    column: field(
        max_length=most,
        error_messages={
            "required": f"There is no {column}.",
            "max_length": f"The {what} has more than {most} characters.",
        },
    )
    for column, what, most, field in (
        ("event", "name of the event", EVENT_NAME_LENGTH, CellName),
        ("name", "name", LISTED_NAME_LENGTH, PersonName),
    )
}


@dataclass
class _Known:
    """What a list is compared with; `seen`: the lines of those who are in it."""

    members: Mapping[int, Player]
    by_name: Mapping[str, list[Player]]
    by_email: Mapping[str, int]
    there: Mapping[Place, PastResult]
    today: date
    orders: Sequence[Sequence[str]]
    seen: dict[Place, int]


def plan(club: Club, sheet: Sheet, now: datetime) -> Plan[PastResult]:
    """Return what importing past results would do; it changes nothing."""
    made: Plan[PastResult] = Plan(sheet.faults)
    for column in NEEDED:
        if column not in sheet.columns:
            words = f"The first line names no column “{column}”, which is needed."
            made.refuse(WHOLE, column, words)
    if not {"name", "player", "email"} & set(sheet.columns):
        made.refuse(WHOLE, "name", "The first line names no column “name”, which is needed.")
    if made.refused:
        return made
    known = _known(club, sheet, now)
    for line in sheet.lines:
        _read(made, club, line, known)
    number = len(known.there) + len(made.new)
    if number > MAX_RESULTS:
        words = f"The club would have {number:,} past results; at most {MAX_RESULTS:,} are kept."
        made.refuse(WHOLE, "", words)
    return made


@transaction.atomic
def carry_out(club: Club, sheet: Sheet, digest: str, by: Player, now: datetime) -> Plan[PastResult]:
    """Import past results as they were shown; safe to repeat.

    Returns what was done. Raises ChangedSinceError, or RefusedError ``gone``.
    """
    club = locked_club(club)
    made = plan(club, sheet, now)
    if check(made, digest):
        for row in made.new:
            row.club, row.added, row.added_by = club, now, by
        PastResult.objects.bulk_create(made.new, batch_size=100)
    return made


@transaction.atomic
def take_back(club: Club, added: datetime) -> int:
    """Remove the results of an import; return how many. Raises RefusedError ``taken back``."""
    number, _ = locked_club(club).past_results.filter(added=added).delete()
    if not number:
        raise RefusedError("taken back", "This import has been taken back already.")
    return number


def imports_of(club: Club) -> Sequence[Mapping[str, object]]:
    """Return when and by whom results were imported, and how many, the latest first."""
    rows = club.past_results.order_by().values("added", "added_by__name")
    return list(rows.annotate(size=Count("pk")).order_by("-added"))


def _known(club: Club, sheet: Sheet, now: datetime) -> _Known:
    members = {one.player_id: one.player for one in club.memberships.select_related("player")}
    by_name: dict[str, list[Player]] = {}
    for member in members.values():
        by_name.setdefault(member.name.casefold(), []).append(member)
    invited = club.listed_names.filter(player__in=members).exclude(email="")
    there = {}
    for row in club.past_results.all():
        there[row.day, row.event.casefold(), row.player_id or row.name.casefold()] = row
    return _Known(
        members,
        by_name,
        dict(invited.values_list("email", "player")),
        there,
        localtime(now, club.zone).date(),
        dates.orders_of(line.cells["date"] for line in sheet.lines),
        {},
    )


def _read(made: Plan[PastResult], club: Club, line: Line, known: _Known) -> None:
    """Add a line's step, or its problems, to the plan."""
    cells, before, found = line.cells, len(made.refused), dict[str, Any]()
    for column, read in (
        ("date", _day), ("event", _event), ("place", _place), ("name", _who), ("points", _points),
    ):  # fmt: skip
        try:
            found[column] = read(cells, known)
        except ValidationError as error:
            made.refuse(line.number, error.code or column, error.messages[0])
    if not {"date", "event", "name"} <= found.keys():
        return
    player, name = found["name"]
    key = (found["date"], found["event"].casefold(), player.pk if player else name.casefold())
    if key in known.seen:
        words = f"{player or name} is in line {known.seen[key]} already, in the same event."
        made.refuse(line.number, "name", words)
    known.seen.setdefault(key, line.number)
    if len(made.refused) > before:
        return
    row = PastResult(
        club=club,
        day=found["date"],
        event=found["event"],
        place=found["place"],
        name=name,
        player=player,
        points=found["points"],
    )
    what = f"{row.who} · {row.place} · {row.event}, {row.day}"
    if (old := known.there.get(key)) is None:
        made.step(line.number, ADDED if player else BY_NAME, what)
        made.new.append(row)
    elif (old.place, old.points) == (row.place, row.points):
        made.step(line.number, STAYS, what, "imported already")
    else:
        score = f" with {old.score} points" if old.score else ""
        words = f"{row.who} is there already, in place {old.place}{score}: the owner can take that"
        made.refuse(line.number, "place", f"{words} import back.")


def _day(cells: Mapping[str, str], known: _Known) -> date:
    text = cells["date"]
    try:
        day = dates.day_of(text, known.orders)
    except ValueError as error:
        words = f"“{text[:20]}” may be {error}. Write dates as 2019-05-04."
        raise ValidationError(words, "date") from error
    if day is None:
        raise ValidationError(f"“{text[:20]}” is not a date. Write it as 2019-05-04.", "date")
    if day > known.today:
        raise ValidationError(f"{day} is in the future.", "date")
    if day.year < FIRST_YEAR:
        raise ValidationError(f"{day} is before {FIRST_YEAR}.", "date")
    return day


def _event(cells: Mapping[str, str], _known: _Known) -> str:
    return _name("event", cells["event"])


def _place(cells: Mapping[str, str], _known: _Known) -> int:
    text = cells["place"]
    place = parse_number(text) or 0
    if not 1 <= place <= MAX_PLACE:
        words = f"“{text[:20]}” is not a place: write a whole number from 1 to {MAX_PLACE}."
        raise ValidationError(words, "place")
    return place


def _who(cells: Mapping[str, str], known: _Known) -> tuple[Player | None, str]:
    """Return a member, or the name of somebody else."""
    if number := cells.get("player", ""):
        player = known.members.get(parse_number(number) or 0)
        if player is None:
            words = f"No member has the number “{number[:20]}”. Leave it empty for a name."
            raise ValidationError(words, "player")
        return player, ""
    email = cells.get("email", "").lower()
    if (invited := known.by_email.get(email)) is not None:
        return known.members[invited], ""
    name = _name("name", cells.get("name", ""))
    same = known.by_name.get(name.casefold(), [])
    return (same[0], "") if len(same) == 1 else (None, name)


def _points(cells: Mapping[str, str], _known: _Known) -> Decimal | None:
    text = cells.get("points", "")
    if not text:
        return None
    if not re.fullmatch(r"-?[0-9]{1,6}([.,][0-9]{1,2})?", text):
        words = (
            f"“{text[:20]}” is not a score: write a number below a million,"
            " with at most two decimals."
        )
        raise ValidationError(words, "points")
    return Decimal(text.replace(",", "."))


def _name(column: str, text: str) -> str:
    try:
        name: str = _names[column].clean(text)
    except ValidationError as error:
        raise ValidationError(error.messages[0], column) from error
    return name
