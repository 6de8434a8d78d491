"""Actions of operators on clubs: closing, reopening and renaming them, and changing the owner.

Only the site's staff can see a closed club. Its events are cancelled when it is closed.
"""

from datetime import datetime

from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from euchre_site.office.account_actions import checked_reason
from euchre_site.office.actions import What, check_not_undone, record, subject_of
from games.models import OperatorAct, Player, User
from games.people import identity
from games.seats import house_tables
from tournaments.acts import starting_and_ending
from tournaments.changes import row_locks
from tournaments.changes.row_locks import locked_club
from tournaments.clubs import clubs, members
from tournaments.events.notices import note as note_in_event
from tournaments.events.states import UPCOMING
from tournaments.models import Club, Event, Membership
from tournaments.outbox import letters
from tournaments.refusals import RefusedError

UNFINISHED = (*UPCOMING, Event.State.RUNNING)


def unfinished_events(club: Club) -> list[Event]:
    return list(club.events.filter(state__in=UNFINISHED).order_by("starts", "pk"))


def close(operator: User, club: Club, reason: str, now: datetime) -> OperatorAct:
    """Close a club: cancel its events, with a letter to everybody entered, and end house tables.

    Raises RefusedError: ``reason``, ``closed``, ``gone``, or why an event cannot be cancelled;
    the club then stays open.
    """
    reason = checked_reason(reason)
    by = identity.player_of_user(operator)
    with transaction.atomic():
        locked = locked_club(club)
        if locked.closed is not None:
            raise RefusedError("closed", f"{locked} is closed already.")
        locked.events.exclude(recurrence="").update(recurrence="")
        unfinished = unfinished_events(locked)
        for event in unfinished:
            starting_and_ending.cancel(
                event, by, f"The site has closed the club: {reason}"[:200], now
            )
        house_tables.end_house_tables(reverse("club", args=[locked.slug]), now)
        locked.closed = now
        locked.save(update_fields=["closed"])
        act = record(operator, What.CLOSE_CLUB, subject_of(locked), reason,
                   called_off=len(unfinished))  # fmt: skip
        letters.write(
            f"club closed {act.pk}", owners(locked), f"{locked} is closed", "club_closed",
            club=locked, reason=reason,
        )  # fmt: skip
    return act


def reopen(
    operator: User, club: Club, reason: str, undoes: OperatorAct | None = None
) -> OperatorAct:
    """Reopen a closed club; its events stay cancelled. Raises RefusedError: ``open``, ``gone``."""
    with transaction.atomic():
        locked = locked_club(club)
        if locked.closed is None:
            raise RefusedError("open", f"{locked} is open already.")
        locked.closed = None
        locked.save(update_fields=["closed"])
        if undoes is None:
            closings = OperatorAct.objects.filter(
                what=What.CLOSE_CLUB, about_id=locked.pk, undone_by=None
            )
            undoes = closings.first()
        act = record(operator, What.REOPEN_CLUB, subject_of(locked), reason, undoes=undoes)
        letters.write(
            f"club opened {act.pk}", owners(locked), f"{locked} is open again", "club_opened",
            club=locked,
        )  # fmt: skip
    return act


def rename(
    operator: User, club: Club, name: str, reason: str, *, undoes: OperatorAct | None = None
) -> OperatorAct:
    """Give a club another name; its URL stays the same.

    Raises RefusedError: ``reason``, ``name``, ``same``, ``name taken`` or ``gone``.
    """
    reason, name = checked_reason(reason), _checked_title(name, Club)
    with transaction.atomic():
        locked = locked_club(club)
        before = locked.name
        if name == before:
            raise RefusedError("same", f"It is called {before} already.", 422)
        changed = clubs.change(
            locked,
            name=name,
            about=locked.about,
            joining=locked.joining,
            time_zone=locked.time_zone,
            country=locked.country,
        )
        act = record(operator, What.RENAME, subject_of(changed), reason, undoes=undoes,
                   before=before, after=name)  # fmt: skip
        letters.write(
            f"renamed {act.pk}", owners(changed), f"{before} has another name",
            "club_renamed_by_staff", club=changed, before=before, reason=reason,
        )  # fmt: skip
    return act


def rename_event(
    operator: User, event: Event, name: str, reason: str, *, undoes: OperatorAct | None = None
) -> OperatorAct:
    """Give an event another name. Raises RefusedError: ``reason``, ``name`` or ``same``."""
    reason, name = checked_reason(reason), _checked_title(name, Event)
    with row_locks.changing(event) as locked:
        before = locked.name
        if name == before:
            raise RefusedError("same", f"It is called {before} already.", 422)
        locked.name = name
        locked.save(update_fields=["name"])
        note_in_event(locked, f"Renamed by the site, from “{before}”.")
        return record(operator, What.RENAME, subject_of(locked), reason, undoes=undoes,
                    before=before, after=name)  # fmt: skip


def hand_over(
    operator: User,
    club: Club,
    heir: Player,
    reason: str,
    now: datetime,
    *,
    undoes: OperatorAct | None = None,
) -> OperatorAct:
    """Make a member the owner of a club; former owners become directors.

    Raises RefusedError: ``reason``, ``owner``, ``no member`` or ``gone``.
    """
    reason = checked_reason(reason)
    with transaction.atomic():
        locked = locked_club(club)
        before = list(locked.memberships.filter(role=Membership.Role.OWNER))
        if [owner.player_id for owner in before] == [heir.pk]:
            raise RefusedError("owner", f"{heir.name} is the owner already.", 422)
        members.set_role(locked, heir.pk, Membership.Role.OWNER)
        for owner in before:
            if owner.player_id != heir.pk:
                members.set_role(locked, owner.player_id, Membership.Role.DIRECTOR)
        act = record(operator, What.HAND_OVER, subject_of(locked), reason, undoes=undoes,
                   before=[owner.player_id for owner in before], after=heir.pk,
                   heir=heir.name)  # fmt: skip
        letters.write(
            f"club {locked.pk} handed over {now.isoformat()}",
            [heir],
            f"{locked} is yours now",
            "club_handed_over",
            club=locked,
            by=identity.player_of_user(operator),
        )
    return act


def owners(club: Club) -> list[Player]:
    owning = club.memberships.filter(role=Membership.Role.OWNER)
    return [member.player for member in owning.select_related("player__user")]


def undo(operator: User, act: OperatorAct, reason: str) -> OperatorAct:
    """Undo an action on a club or an event.

    Raises RefusedError: ``undone``, ``gone``, ``changed``, or as the function that does it.
    """
    check_not_undone(act)
    if act.what == What.RENAME and act.about == "event":
        event = Event.objects.filter(pk=act.about_id or 0).first()
        if event is None or event.name != act.detail["after"]:
            raise RefusedError("changed", "It has been renamed or deleted since.")
        return rename_event(operator, event, act.detail["before"], reason, undoes=act)
    club = Club.objects.filter(pk=act.about_id or 0).first()
    if club is None:
        raise RefusedError("gone", "This club has been deleted.", 404)
    if act.what == What.CLOSE_CLUB:
        return reopen(operator, club, reason, act)
    if act.what == What.RENAME:
        if club.name != act.detail["after"]:
            raise RefusedError("changed", f"It has been renamed since: it is {club.name} now.")
        return rename(operator, club, act.detail["before"], reason, undoes=act)
    heir = Player.objects.filter(pk__in=act.detail["before"]).order_by("pk").first()
    if heir is None:
        raise RefusedError("gone", "None of its former owners still exists.", 404)
    return hand_over(operator, club, heir, reason, timezone.now(), undoes=act)


def _checked_title(name: str, model: type[Club] | type[Event]) -> str:
    tidy, longest = " ".join(name.split()), model._meta.get_field("name").max_length or 0
    if not 1 <= len(tidy) <= longest:
        raise RefusedError("name", f"A name must have 1 to {longest} characters.", 422)
    return tidy
