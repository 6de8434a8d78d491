"""A club's list as CSV: its members, the people it has invited, and names on paper.

`rows` writes what `plan` reads: an exported list changes nothing where it is imported again. The
columns are described in docs/exports.md.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import QuerySet

from games.models import Player
from games.numbers import parse_number
from tournaments.attendance import same_person
from tournaments.changes.row_locks import locked_club
from tournaments.clubs.members import members_of
from tournaments.importing import invitations
from tournaments.importing.forms import PersonName
from tournaments.importing.plans import WHOLE, Plan, check
from tournaments.importing.sheets import Line, Sheet
from tournaments.models import Club, ListedName, Membership
from tournaments.models.club_lists import LISTED_NAME_LENGTH
from tournaments.models.clubs import new_token
from tournaments.refusals import RefusedError
from tournaments.search import club_list as people
from tournaments.spreadsheets import cell, csv_text

COLUMNS: Final = ("player", "name", "email", "role", "status", "joined")
#: Names on a club's list.
MAX_LISTED: Final = 2000
INVITED, ON_PAPER, STAYS, NOT_INVITED = "is invited", "on paper", "stays", "not invited"
MEMBER, LEFT, CLAIMED = "member", "left", "claimed"
#: Roles that a list cannot give.
OFFICES: Final = frozenset(set(Membership.Role.values) - {Membership.Role.MEMBER.value})

_name = PersonName(
    max_length=LISTED_NAME_LENGTH,
    error_messages={
        "required": "There is no name. Write one in the column “name”.",
        "max_length": f"The name has more than {LISTED_NAME_LENGTH} characters.",
    },
)


# Out ---------------------------------------------------------------------------------------


def as_csv(club: Club) -> str:
    return csv_text(COLUMNS, rows(club))


def rows(club: Club) -> Iterator[dict[str, str]]:
    """Yield the members, then the other names of the list.

    A member's address is there only if they were invited by it: the club knows no other.
    """
    listed = list(club.listed_names.all())
    known = {row.player_id: row.email for row in listed if row.player_id}
    members = set()
    for member in members_of(club):
        members.add(member.player_id)
        yield {
            "player": str(member.player_id),
            "name": cell(member.player.name),
            "email": cell(known.get(member.player_id, "")),
            "role": member.role,
            "status": MEMBER,
            "joined": member.joined.astimezone(UTC).isoformat(timespec="seconds"),
        }
    for row in listed:
        if row.player_id not in members:
            yield {
                "name": cell(row.name),
                "email": cell(row.email),
                "status": _status(row),
            }


def _status(row: ListedName) -> str:
    if row.player_id:  # without an invitation: by a claim, which makes few a member
        return LEFT if row.email else CLAIMED
    return "invited" if row.email else ON_PAPER


# In ----------------------------------------------------------------------------------------


@dataclass
class _Known:
    """What a club's list is compared with."""

    members: Mapping[int, Membership]
    names: frozenset[str]
    addresses: frozenset[str]
    paper: frozenset[str]
    unwanted: set[str]


def plan(club: Club, sheet: Sheet, by: Player, now: datetime) -> Plan[ListedName]:
    """Return what importing a list would do; it changes nothing."""
    made: Plan[ListedName] = Plan(sheet.faults)
    if "name" not in sheet.columns:
        made.refuse(WHOLE, "name", "The first line names no column “name”, which is needed.")
        return made
    known = _known(club, sheet)
    seen: dict[tuple[str, str], int] = {}
    for line in sheet.lines:
        _read(made, club, line, known, seen)
    listed = club.listed_names.count() + len(made.new)
    if listed > MAX_LISTED:
        words = f"The club’s list would have {listed:,} names; at most {MAX_LISTED:,} are kept."
        made.refuse(WHOLE, "", words)
    invited = sum(bool(row.email) for row in made.new)
    if invited and (words := invitations.refusal(club, by, invited, now)):
        made.refuse(WHOLE, "email", words)
    return made


@transaction.atomic
def carry_out(club: Club, sheet: Sheet, digest: str, by: Player, now: datetime) -> Plan[ListedName]:
    """Import a list as it was shown, and write to the invited; safe to repeat.

    Returns what was done. Raises ChangedSinceError, or RefusedError ``gone``.
    """
    # One at a time for each person, whose letters are counted in all clubs. Rows about the person
    # can still be made by whoever holds the club, or both would wait for each other.
    Player.objects.select_for_update(no_key=True).get(pk=by.pk)
    club = locked_club(club)
    made = plan(club, sheet, by, now)
    if check(made, digest):
        for row in made.new:
            row.club, row.added, row.added_by = club, now, by
        ListedName.objects.bulk_create(made.new, batch_size=100)
        invitations.invite(made.new, by)
    return made


@transaction.atomic
def remove(club: Club, listed_id: int) -> ListedName:
    """Take a person off the list; a membership stays, and so do results, without the name.

    Raises RefusedError ``no name``.
    """
    row = locked_club(club).listed_names.filter(pk=listed_id, joined_to=None).first()
    if row is None:
        raise RefusedError("no name", "This name is no longer on the list.", 404)
    invitations.cancel([row, *row.joined.all()])
    if row.player_id is None:
        same_person.forget(row)
    else:
        row.joined.all().delete()
        row.delete()
    return row


@transaction.atomic
def invite_one(row: ListedName, email: str, by: Player, now: datetime) -> None:
    """Invite a person on paper; raises RefusedError ``email`` or ``many``."""
    club = locked_club(row.club)
    if row.player_id is not None:
        raise RefusedError("claimed", f"An account has taken over the line of {row.name}.")
    if club.listed_names.filter(email=email).exclude(pk=row.pk).exists():
        raise RefusedError("email", f"{email} is on the list already, in another line.", 422)
    if invitations.unwanted(club, [email]):
        raise RefusedError("email", f"{email} has asked not to be written to.", 422)
    if why := invitations.refusal(club, by, 1, now):
        raise RefusedError("many", why)
    invitations.cancel([row])
    row.email, row.key, row.added_by = email, new_token(), by
    row.save(update_fields=["email", "key", "added_by"])
    invitations.invite([row], by)


@transaction.atomic
def take_back(club: Club, added: datetime) -> int:
    """Take an import back: remove its names, but those who have become members.

    Invitations that were sent no longer work. Returns how many names were removed.
    """
    names = list(imported(locked_club(club)).filter(added=added).select_related("added_by"))
    invitations.cancel(names)
    ListedName.objects.filter(pk__in=[row.pk for row in names]).delete()
    return len(names)


def imported(club: Club) -> QuerySet[ListedName]:
    """Return the names that nobody has become or played as, so that an import can be undone."""
    return club.listed_names.filter(player=None, plays_as=None, joined_to=None, joined=None)


def _known(club: Club, sheet: Sheet) -> _Known:
    members = {one.player_id: one for one in club.memberships.select_related("player")}
    listed = list(club.listed_names.all())
    emails = {line.cells.get("email", "").lower() for line in sheet.lines} - {""}
    return _Known(
        members,
        frozenset(one.player.name.casefold() for one in members.values()),
        frozenset(row.email for row in listed if row.email),
        frozenset(row.name.casefold() for row in listed if not row.email),
        invitations.unwanted(club, emails),
    )


def _read(
    made: Plan[ListedName], club: Club, line: Line, known: _Known, seen: dict[tuple[str, str], int]
) -> None:
    """Add a line's step, or its problem, to the plan."""
    cells = line.cells
    if number := cells.get("player", ""):
        _read_member(made, line.number, number, cells, known)
        return
    before = len(made.refused)
    name, email = _checked(made, line)
    if not name:
        return
    key = ("email", email) if email else ("name", name.casefold())
    if key in seen:
        column, hint = key[0], "" if email else " Add something to tell the two apart."
        words = f"“{email or name}” is in line {seen[key]} already.{hint}"
        made.refuse(line.number, column, words)
    seen.setdefault(key, line.number)
    if len(made.refused) > before:
        return
    what, words = _deed(name, email, cells.get("status", ""), known)
    made.step(line.number, what, f"{name} · {email}" if email else name, words)
    if what in {INVITED, ON_PAPER}:
        made.new.append(ListedName(club=club, name=name, email=email))


def _read_member(
    made: Plan[ListedName], line: int, number: str, cells: Mapping[str, str], known: _Known
) -> None:
    member = known.members.get(parse_number(number) or 0)
    role = cells.get("role", "")
    if member is None:
        words = f"No member has the number “{number[:20]}”. Leave it empty for a new name."
        made.refuse(line, "player", words)
    elif role in Membership.Role.values and role != member.role:
        made.refuse(line, "role", _no_roles(role))
    else:
        made.step(line, STAYS, member.player.name, "a member")


def _deed(name: str, email: str, status: str, known: _Known) -> tuple[str, str]:
    """Return what a line that has no problem does, and why."""
    if not email:
        return _deed_on_paper(name, known)
    if email in known.addresses:
        return STAYS, "on the list"
    if email in known.unwanted:
        return NOT_INVITED, "has asked not to be written to"
    if status == LEFT:
        return NOT_INVITED, "has left the club; empty the column “status” to invite them"
    return INVITED, ""


def _deed_on_paper(name: str, known: _Known) -> tuple[str, str]:
    if name.casefold() in known.paper:
        return STAYS, "on paper"
    if name.casefold() in known.names:
        return STAYS, "a member has this name"
    return ON_PAPER, ""


def _checked(made: Plan[ListedName], line: Line) -> tuple[str, str]:
    """Return a new name and its address; add what is wrong with the line to the plan."""
    name, email = "", line.cells.get("email", "").lower()
    try:
        name = _name.clean(line.cells["name"])
    except ValidationError as error:
        made.refuse(line.number, "name", error.messages[0])
    try:
        if email:
            validate_email(email)
    except ValidationError:
        words = f"“{email}” is not an e-mail address. One looks like kit@example.org."
        made.refuse(line.number, "email", words)
    role = line.cells.get("role", "")
    if role in OFFICES:
        made.refuse(line.number, "role", _no_roles(role))
    return name, email


def _no_roles(role: str) -> str:
    return f"A list gives no roles, such as “{role}”: leave it empty, and use the members’ page."


def shown(club: Club) -> dict[str, Any]:
    """Return the values of the page of a club's list: the names that are not members."""
    names = people.people(club)
    latest = imported(club).select_related("added_by").order_by("-added").first()
    batch = imported(club).filter(added=latest.added) if latest else None
    return {
        "names": names,
        "latest": latest,
        "latest_size": batch.count() if batch is not None else 0,
    }
