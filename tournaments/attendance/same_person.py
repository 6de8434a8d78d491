"""Lines of a club's list: joining two that are one person, codes to claim them, names, deletion."""

from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.timezone import localtime

from games.models import Player
from tournaments.attendance import claiming, on_paper, walk_ins
from tournaments.changes.row_locks import changed
from tournaments.models import ListedName, WalkIn
from tournaments.models.walk_ins import new_code
from tournaments.refusals import RefusedError

CODE_LASTS: Final = timedelta(days=30)
SALT: Final = "tournaments.attendance.same_person"


# One person -----------------------------------------------------------------------------------


def why_not(row: ListedName, other: ListedName) -> str:
    """Return why two lines cannot be one person; empty if they can."""
    for one in (row, other):
        if one.player_id is not None:
            return f"An account has taken over the line of {one.name}."
    if row.plays_as is None or other.plays_as is None:
        return ""
    if event := claiming.both(other.plays_as, row.plays_as):
        return f"Both played on {localtime(event.starts, row.club.zone):%-d %B %Y}."
    if season := claiming.both_placed(other.plays_as, row.plays_as):
        return f"Both have a place in a division or team of {season}: take one out there first."
    return ""


@transaction.atomic
def join(row: ListedName, other: ListedName) -> None:
    """Make the nights of another line those of a person, who keeps the name.

    Raises RefusedError ``apart`` as `why_not` says, ``taken`` if in one of those nights somebody
    else has the name, or ``no name`` if one was taken off the list.
    """
    other, nights = claiming.locked_person(other)
    row = on_paper.held(row)
    if row.pk == other.pk:
        raise RefusedError("apart", "These lines are one person already.")
    if why := why_not(row, other):
        raise RefusedError("apart", why)
    other.moved = {"lines": list(other.joined.values_list("pk", flat=True))}
    if other.plays_as is not None:
        taker = on_paper.plays_as(row, on_paper.tidy_name(row.name))
        for event in nights:
            walk_ins.free_name(event, taker.name, other.plays_as)
            claiming.give(event, other.plays_as, taker)
            event.walk_ins.filter(player=other.plays_as).update(player=taker)
            changed(event)
        other.moved |= claiming.give_seasons(row.club, other.plays_as, taker)
    other.joined.update(joined_to=row)
    other.joined_to = row
    other.save(update_fields=["joined_to", "moved"])


@transaction.atomic
def part(other: ListedName) -> None:
    """Undo a join: the line has its own nights again.

    Raises RefusedError ``apart`` once an account has claimed them, or if they are not joined.
    """
    row, nights = claiming.locked_person(other)
    rows = ListedName.objects.select_for_update(of=("self",)).select_related("plays_as")
    other = rows.get(pk=other.pk)
    if row.pk == other.pk:
        raise RefusedError("apart", f"{other.name} is a line of its own.")
    if row.player_id is not None:
        raise RefusedError("apart", "An account has claimed these nights: they stay together.")
    lines = [other.pk, *other.moved.get("lines", ())]
    if other.plays_as is not None and row.plays_as is not None:
        for event in nights:
            mine = event.walk_ins.filter(player=row.plays_as, listed__in=lines)
            if mine.exists():
                walk_ins.free_name(event, other.plays_as.name, row.plays_as)
                claiming.give(event, row.plays_as, other.plays_as)
                mine.update(player=other.plays_as)
                changed(event)
        claiming.take_seasons(other.moved, other.plays_as)
    gone = {**other.moved, "lines": lines}
    for left in row.joined.exclude(pk__in=lines):  # which may have brought these along
        left.moved = {
            what: [key for key in keys if key not in gone.get(what, ())]
            for what, keys in left.moved.items()
        }
        left.save(update_fields=["moved"])
    ListedName.objects.filter(pk__in=lines).update(joined_to=other)
    ListedName.objects.filter(pk=other.pk).update(joined_to=None, moved={})


# Handing over ---------------------------------------------------------------------------------


def renew_code(row: ListedName, now: datetime) -> str:
    """Give a person a code by which an account claims all nights; only its digest is kept."""
    if row.player_id is not None:
        raise RefusedError("claimed", f"An account has taken over the line of {row.name}.")
    code = new_code()
    ListedName.objects.filter(pk=row.pk).update(code=_digest(code), code_until=now + CODE_LASTS)
    return code


def by_code(code: str) -> ListedName | None:
    """Return the person whose code this is, if it still works."""
    rows = ListedName.objects.filter(code=_digest(code), code_until__gt=timezone.now(), player=None)
    row = rows.select_related("club", "plays_as", "joined_to__club", "joined_to__plays_as").first()
    return row and on_paper.person_of(row)


def _digest(code: str) -> str:
    return salted_hmac(SALT, code, algorithm="sha256").hexdigest()


# Names ----------------------------------------------------------------------------------------


@transaction.atomic
def rename(row: ListedName, text: str) -> None:
    """Put a person's name right, on all nights; raises as `walk_ins.free_name`."""
    row, nights = claiming.locked_person(row)
    name = on_paper.tidy_name(text)
    if row.plays_as is not None:
        for event in nights:
            walk_ins.free_name(event, name, row.plays_as)
        walk_ins.name_everywhere(row.plays_as, name, nights, row.club)
    ListedName.objects.filter(pk=row.pk).update(name=name)


@transaction.atomic
def forget(row: ListedName) -> None:
    """Delete a person's name and address; results stay, of a former player.

    Raises RefusedError ``claimed`` if an account has them: then that account decides.
    """
    row, nights = claiming.locked_person(row)
    if row.claimed is not None:
        raise RefusedError("claimed", f"An account has taken over the line of {row.name}.")
    lines = on_paper.lines_of(row)
    players = list(Player.objects.filter(on_paper__in=lines))
    WalkIn.objects.filter(listed__in=lines).update(listed=None)
    lines.delete()
    for player in players:
        walk_ins.name_everywhere(player, f"Former player {player.pk}", nights, row.club)
        Player.objects.filter(pk=player.pk).update(skeleton="", former=True, private=True)
