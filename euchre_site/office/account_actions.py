"""Actions of operators on accounts: closing, reopening and deleting them, renaming players.

An account is closed in one transaction. Afterwards its seats and entries are given up step by step,
each in a transaction of its own, at once or by a task that completes what was interrupted.
"""

from datetime import datetime
from functools import partial

import structlog
from django.core.exceptions import ValidationError
from django.db import DatabaseError, IntegrityError, transaction
from django.utils import timezone

from euchre_site.accounts.accounts import user_display
from euchre_site.office.actions import What, check_may, check_not_undone, record, subject_of
from euchre_site.own_data import deletion
from games.models import Ban, OperatorAct, Player, User
from games.models.office import REASON_LENGTH
from games.people import bans, identity, names
from games.seats import leaving
from tournaments.acts import withdrawing
from tournaments.changes import row_locks
from tournaments.entering import leaving_running_event, partners
from tournaments.events import notices
from tournaments.events.states import OVER, UPCOMING
from tournaments.models import EntryPlayer, Event
from tournaments.models.clubs import DIRECTORS
from tournaments.models.entries import OUT
from tournaments.outbox import letters
from tournaments.refusals import RefusedError

log = structlog.get_logger(__name__)


def ban(
    operator: User, user: User, reason: str, until: datetime | None, now: datetime
) -> OperatorAct:
    """Close an account until a given time or, if None, for good: nobody can log in to it.

    Its sessions, sockets and tokens end. House players take its seats, and its entries are
    withdrawn or the directors notified.

    Raises RefusedError: ``reason``, ``until``, ``yourself``, ``superuser`` or ``banned``.
    """
    reason = checked_reason(reason)
    if until is not None and until <= now:
        raise RefusedError("until", "Choose a time in the future, or close it for good.", 422)
    check_may(operator, user)
    with transaction.atomic():
        locked = User.objects.select_for_update().get(pk=user.pk)
        check_may(operator, locked)
        if bans.standing(locked) is not None:
            raise RefusedError("banned", "This account is closed already.")
        made = bans.ban(locked, reason, until, (operator.pk, user_display(operator)), now)
        act = record(operator, What.BAN, subject_of(locked), reason, ban=made.pk,
                   until=until.isoformat() if until else None)  # fmt: skip
        player = Player.objects.filter(user=locked).first()
        if player is not None:
            letters.write(
                f"{letters.ACCOUNT_CLOSED_PREFIX}{made.pk}",
                [player],
                "Your account is closed",
                "account_closed",
                words=bans.in_words(made),
            )
        transaction.on_commit(partial(settle, made, now))
    user.refresh_from_db()
    return act


def delete(operator: User, user: User, reason: str, now: datetime) -> OperatorAct:
    """Delete an account at once; games and ratings stay, under another name.

    Raises RefusedError: ``reason``, ``yourself``, ``superuser``, ``gone``, or as
    `deletion.delete_account`.
    """
    reason = checked_reason(reason)
    check_may(operator, user)
    with transaction.atomic():
        act = record(operator, What.DELETE_ACCOUNT, subject_of(user), reason)
        if not deletion.delete_account(user, operator, now):
            raise RefusedError("gone", "This account has been deleted already.")
    return act


def lift(operator: User | None, made: Ban, reason: str, now: datetime) -> OperatorAct:
    """Reopen a closed account, without the seats and entries that it gave up.

    operator: None if its time is up. Raises RefusedError: ``yourself``, ``superuser``, ``lifted``.
    """
    if operator is not None:
        check_may(operator, made.user)
    with transaction.atomic():
        if not bans.lift(made, now):
            raise RefusedError("lifted", "This account has been opened again already.")
        closed = OperatorAct.objects.filter(what=What.BAN, detail__ban=made.pk).first()
        act = record(operator, What.LIFT_BAN, subject_of(made.user), reason, undoes=closed)
        player = Player.objects.filter(user=made.user).first()
        letters.forget_unsent(made.user_id)  # they are out of date
        if player is not None:
            letters.write(
                f"account opened {made.pk}", [player], "Your account is open again",
                "account_opened",
            )  # fmt: skip
    return act


def keep(now: datetime) -> None:
    bans.close_sockets_again(now)
    for made in bans.ended(now):
        try:
            lift(None, made, "Its time was up.", now)
        except RefusedError:  # reopened by an operator
            continue
        except DatabaseError as error:  # locked: try again next time
            log.warning("account not opened", ban=made.pk, reason=type(error).__name__)
    for made in Ban.objects.filter(settled=False, lifted=None).order_by("made"):
        settle(made, now)


def settle(made: Ban, now: datetime) -> None:
    """Give up the seats and entries of a closed account; log a failure, which is retried."""
    complete = True
    for player in [
        *Player.objects.filter(user=made.user_id),
        *Player.objects.filter(owner__user=made.user_id),
    ]:
        try:
            complete = leaving.leave_all(player, now) and complete
            partners.decline_all(player)
            for line in _entries(player):
                _leave_event(line, made, now)
        except Exception:
            log.exception("closed account not settled", ban=made.pk)
            complete = False
    if complete:
        Ban.objects.filter(pk=made.pk).update(settled=True)


def _entries(player: Player) -> list[EntryPlayer]:
    lines = EntryPlayer.objects.filter(player=player, active=True)
    lines = lines.exclude(event__state__in=OVER).exclude(entry__state__in=OUT)
    return list(lines.select_related("entry", "event__club", "player"))


def _leave_event(line: EntryPlayer, made: Ban, now: datetime) -> None:
    """Withdraw an entry if the event allows it; otherwise notify the directors."""
    by = _deputy(made, line.event)
    try:
        if line.event.state in UPCOMING:
            withdrawing.withdraw(line.entry, by, now)
            return
        if line.event.team_size == 1 or line.event.individual:
            leaving_running_event.withdraw(line.entry, by, now)
            return
    except RefusedError:
        pass  # the event has moved on, or its directors decide
    _notify_directors(line, made)


def _deputy(made: Ban, event: Event) -> Player:
    operator = User.objects.filter(pk=made.by_id or 0).first()
    return identity.player_of_user(operator) if operator is not None else event.created_by


def _notify_directors(line: EntryPlayer, made: Ban) -> None:
    event = line.event
    members = event.club.memberships.filter(role__in=DIRECTORS).select_related("player__user")
    with row_locks.changing(event) as locked:
        words = f"{line.player.name} cannot continue: the site has closed the account."
        if locked.notices.filter(text=words, at__gte=made.made).exists():
            return
        notices.note(locked, words)
        letters.write(
            f"event {locked.pk} account closed {made.pk}",
            [one.player for one in members],
            f"{line.player.name} cannot continue in {locked.name}",
            "account_closed_in_event",
            event=locked,
            who=line.player,
        )


# Names --------------------------------------------------------------------------------------


def rename(
    operator: User, player: Player, name: str, reason: str, *, undoes: OperatorAct | None = None
) -> OperatorAct:
    """Give a player another name; if empty, a random friendly one.

    Raises RefusedError: ``reason``, ``house``, ``gone``, ``superuser``, ``name`` or ``same``.
    """
    reason = checked_reason(reason)
    if player.kind == Player.Kind.HOUSE:
        raise RefusedError("house", "House players keep their names.")
    if player.former:
        raise RefusedError("gone", "This account has been deleted: its name is a number.")
    if player.user is not None and player.user != operator:
        check_may(operator, player.user)
    before = player.name
    with transaction.atomic():
        try:
            identity.rename(player, name or names.friendly_name())
        except ValidationError as error:
            raise RefusedError("name", " ".join(error.messages), 422) from error
        if player.name == before:
            raise RefusedError("same", f"The name is {before} already.", 422)
        subject = subject_of(player)
        act = record(operator, What.RENAME, subject, reason, undoes=undoes,
                   before=before, after=player.name)  # fmt: skip
        letters.write(
            f"renamed {act.pk}", [player], "You have another name", "renamed_by_staff",
            before=before, reason=reason,
        )  # fmt: skip
    return act


# Undo ---------------------------------------------------------------------------------------


def undo_ban(operator: User, act: OperatorAct, reason: str) -> OperatorAct:
    check_not_undone(act)
    made = Ban.objects.select_related("user").filter(pk=act.detail.get("ban")).first()
    if made is None:
        raise RefusedError("gone", "This account has been deleted.", 404)
    return lift(operator, made, reason, timezone.now())


def undo_rename(operator: User, act: OperatorAct, reason: str) -> OperatorAct:
    """Restore a player's previous name, unless it is taken or was changed since.

    Raises RefusedError: ``undone``, ``gone``, ``changed``, or as `rename`.
    """
    check_not_undone(act)
    player = Player.objects.select_related("user").filter(pk=act.about_id or 0).first()
    if player is None:
        raise RefusedError("gone", "This player no longer exists.", 404)
    if player.name != act.detail["after"]:
        raise RefusedError("changed", f"The name has been changed since: it is {player.name} now.")
    try:
        return rename(operator, player, act.detail["before"], reason, undoes=act)
    except IntegrityError as error:
        raise RefusedError("undone", "This has been undone already.") from error


def checked_reason(reason: str) -> str:
    tidy = " ".join(reason.split())
    if not 1 <= len(tidy) <= REASON_LENGTH:
        raise RefusedError("reason", f"Give a reason of 1 to {REASON_LENGTH} characters.", 422)
    return tidy
