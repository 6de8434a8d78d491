"""Programs: external players, each owned by a person with an account.

A program plays through the API with its own token and is marked as a program at the table. A
program without a token is retired: it has left its tables, and a new token brings it back.
"""

from datetime import datetime
from typing import ClassVar, Final

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet

from games.models import Player, Scope, Seat, Table, Token
from games.models.tables import BEFORE_A_GAME
from games.people import identity
from games.programs import tokens
from games.refusals import VerbError
from games.seats import reserved, seating

#: Programs with a token that one person may have.
MAX_PROGRAMS: Final = 5
#: Tables at which a program may have a seat at the same time.
MAX_SEATS: Final = 10
IN_USE: Final = (*BEFORE_A_GAME, Table.State.PLAYING)
SCOPES: Final = (Scope.READ, Scope.PLAY)


class ProgramError(VerbError):
    STATUS: ClassVar = {"account": 403, "name": 422, "program": 403, "reserved": 403}


def programs_of(owner: Player) -> list[tuple[Player, Token | None]]:
    """Return an owner's programs by age, the retired ones last, each with its token or None."""
    programs = _programs(owner).prefetch_related("tokens").order_by("pk")
    lines = [(one, next(iter(one.tokens.all()), None)) for one in programs]
    return sorted(lines, key=lambda line: line[1] is None)


@transaction.atomic
def make(owner: Player, name: str, now: datetime) -> tuple[Player, str]:
    """Create a program and return it with its token's secret, which is not stored.

    Raises ProgramError ``account``, ``name`` or ``many``.
    """
    if owner.user_id is None:
        raise ProgramError("account", "Making a program needs an account.")
    try:
        checked = identity.free_name(name)
    except ValidationError as error:
        raise ProgramError("name", " ".join(error.messages)) from error
    _refuse_many(owner)
    try:
        with transaction.atomic():
            program = Player.objects.create(name=checked, kind=Player.Kind.PROGRAM, owner=owner)
    except IntegrityError as error:  # the name was taken at the same moment
        raise ProgramError("name", f"“{checked}” has just been taken.") from error
    return program, _token(program, now)


def rename(program: Player, name: str) -> None:
    """Rename a program; raise ProgramError ``name`` if the name is invalid or taken."""
    try:
        identity.rename(program, name)
    except ValidationError as error:
        raise ProgramError("name", " ".join(error.messages)) from error


@transaction.atomic
def renew(program: Player, now: datetime) -> str:
    """Replace a program's token and return its secret; this brings a retired program back."""
    if program.owner is not None and not program.tokens.exists():
        _refuse_many(program.owner)
    program.tokens.all().delete()
    return _token(program, now)


@transaction.atomic
def retire(program: Player) -> None:
    """Delete a program's token and remove it from its tables; delete it if it never sat at one."""
    program.tokens.all().delete()
    at = Table.objects.filter(seats__player=program).exclude(state=Table.State.CLOSED)
    for table in at:
        reserved.stand_in_for(table.pk, [program.pk])
        seating.stand_up(table, program)
    kept = program.game_seats.exists() or program.seats.exists() or program.hosted_tables.exists()
    if not kept:
        program.delete()


def check_may_sit(program: Player, table: Table | None = None) -> None:
    """Raise ProgramError ``program``, ``reserved`` or ``many`` if a program may not sit down."""
    check_is_program(program)
    if table is not None and table.reserved:
        raise ProgramError(
            "reserved",
            f"{table.title or 'This table'} belongs to an event: its seats are assigned, and "
            "programs cannot play there.",
        )
    elsewhere = Seat.objects.filter(player=program, table__state__in=IN_USE)
    if elsewhere.exclude(table=table).count() >= MAX_SEATS:
        raise ProgramError("many", f"A program can sit at {MAX_SEATS} tables at most; leave one.")


def check_is_program(player: Player) -> None:
    """Raise ProgramError ``program`` for a person, who may not play through the API."""
    if player.kind != Player.Kind.PROGRAM:
        raise ProgramError(
            "program",
            "Only a program plays by the API, so that everybody sees what it is: "
            "make one at /you/programs/ and send its token.",
        )


def _programs(owner: Player) -> QuerySet[Player]:
    return Player.objects.filter(owner=owner, kind=Player.Kind.PROGRAM)


def _refuse_many(owner: Player) -> None:
    """Raise ProgramError ``many`` at the limit; locks the owner's row against concurrent ones."""
    Player.objects.select_for_update().get(pk=owner.pk)
    if _programs(owner).filter(~Q(tokens=None)).distinct().count() >= MAX_PROGRAMS:
        raise ProgramError("many", f"You have {MAX_PROGRAMS} programs; retire one first.")


def _token(program: Player, now: datetime) -> str:
    return tokens.make(program, program.name, SCOPES, None, now)[1]
