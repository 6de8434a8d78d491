"""Deleting an account, after some days in which the request can be withdrawn.

Games, results and ratings belong to the other players too. They stay, and so does the row of the
player, renamed to "Former player" and a number; see `euchre_site.own_data.relations`.
"""

from datetime import datetime, timedelta
from functools import partial
from smtplib import SMTPException
from typing import Final

import structlog
from django.conf import settings
from django.core.mail import EmailMessage
from django.db import DatabaseError, transaction
from django.db.models import F, Q
from django.template.loader import render_to_string
from django.utils import timezone

from euchre_site.own_data import stored_names, withdrawal
from euchre_site.own_data.relations import delete_rows
from games.models import Deletion, Farewell, Player, Table, User
from games.people import names
from games.people.identity import player_of_user
from games.sockets import hub
from tournaments.changes import live
from tournaments.models import Event
from tournaments.outbox import letters
from tournaments.outbox.claiming import Clock, claims
from tournaments.refusals import RefusedError

log = structlog.get_logger(__name__)

PLAYER, PROGRAM = names.FORMER
#: Maximum number of accounts deleted in one sweep, so that other tasks are not held up.
AT_ONCE: Final = 100


def schedule(user: User, now: datetime) -> Deletion | None:
    """Schedule an account's deletion in `DELETION_DAYS`; return None if it was deleted at once.

    Raises RefusedError: ``last owner`` if a club would have no owner; ``shuffling``.
    """
    with transaction.atomic():
        if not _lock(user):
            return None
        known = Deletion.objects.filter(user=user).first()
        if known is not None:
            return known
        player = player_of_user(user)
        why = withdrawal.obstacle(player)
        if why:
            raise RefusedError("last owner", why)
        if settings.DELETION_DAYS == 0:
            _delete(user, user, now)
            return None
        asked = Deletion.objects.create(
            user=user, asked=now, due=now + timedelta(days=settings.DELETION_DAYS)
        )
        letters.write(
            f"deletion {asked.pk}", [player], "Your account will be deleted", "deletion_asked",
            deletion=asked,
        )  # fmt: skip
        return asked


@transaction.atomic
def cancel(user: User) -> bool:
    if not _lock(user):
        return False
    known = Deletion.objects.filter(user=user).first()
    if known is None:
        return False
    letters.delete_unsent(f"deletion {known.pk}")
    letters.write(
        f"deletion {known.pk} kept", [player_of_user(user)], "Your account is kept",
        "deletion_kept",
    )  # fmt: skip
    known.delete()
    return True


def delete_account(user: User, by: User | None, now: datetime) -> bool:
    """Delete an account now; return False if it does not exist any more.

    by: for the log; None if it was due. Raises RefusedError: ``last owner`` if a club with other
    members would have no owner; ``shuffling`` if a game is about to begin at one of their tables:
    retry in seconds.
    """
    with transaction.atomic():
        if not _lock(user):
            return False
        _delete(user, by, now)
        return True


def forget_guest(player: Player, now: datetime) -> bool:
    """Delete a guest's data now; return False if there are none. Raises as `delete_account`."""
    with transaction.atomic():
        held = Player.objects.select_for_update(no_key=True).filter(pk=player.pk).first()
        if held is None or not held.guest:
            return False
        _forget(held, now)
    log.info("guest forgotten", player=player.pk)
    return True


def sweep(now: datetime) -> int:
    """Delete the accounts that are due; return their number. Safe to run late or in parallel.

    An account that cannot be deleted does not hold up the others; its owner is notified once.
    """
    done = 0
    # A closed account waits: its owner cannot log in to keep it, and deletion would lift the ban.
    due = (
        Deletion.objects.filter(due__lte=now, user__is_active=True)
        .order_by("due", "pk")
        .select_related("user")
    )
    for asked in due[:AT_ONCE]:
        try:
            done += _delete_due(asked.user, now)
        except RefusedError as error:
            _notify_obstacle(asked, error, now)
        except DatabaseError as error:  # locked: retry in the next sweep
            log.warning("account not deleted", player=_number(asked.user), error=str(error))
        except Exception:
            log.exception("account not deleted", player=_number(asked.user))
    return done


def gone_just_now(now: datetime) -> bool:
    """Return whether a farewell mail has not been tried yet."""
    return Farewell.objects.filter(due__lte=now, tries=0).exists()


def send_farewells(clock: Clock = timezone.now) -> int:
    """Send the farewell mails that are due, and delete their addresses; return the number sent."""
    sent = 0
    for (farewell,) in claims(Farewell.objects.all(), clock, letters.DELAYS, "tries"):
        given_up = farewell.due is None
        try:
            _mail(farewell).send()
        except (OSError, SMTPException, ValueError) as error:
            words = "farewell given up" if given_up else "farewell not sent"
            log.warning(words, tries=farewell.tries, error=type(error).__name__)
            if given_up:
                farewell.delete()
            continue
        farewell.delete()
        sent += 1
    return sent


def _lock(user: User) -> bool:
    return User.objects.select_for_update(no_key=True).filter(pk=user.pk).first() is not None


def _delete_due(user: User, now: datetime) -> bool:
    with transaction.atomic():
        asked = Deletion.objects.filter(user=user, user__is_active=True, due__lte=now)
        if not _lock(user) or not asked.exists():
            return False
        _delete(user, None, now)
        return True


def _delete(user: User, by: User | None, now: datetime) -> None:
    player = Player.objects.filter(user=user).first()
    number, done_by = player and player.pk, _number(by) if by is not None else None
    if player is not None:
        _forget(player, now)
    delete_rows(user)
    gone = User.objects.get(pk=user.pk)
    Farewell.objects.create(address=gone.email, made=now, due=now)
    gone.delete()
    transaction.on_commit(lambda: log.info("account deleted", player=number, by=done_by))


def _forget(player: Player, now: datetime) -> None:
    """Withdraw a player and their programs from everything, and anonymise them."""
    events = stored_names.events_of(player)
    clubs = stored_names.clubs_of(player, events)
    withdrawal.leave_clubs(player)
    # Lock in a fixed order, so that two simultaneous deletions cannot deadlock.
    list(Event.objects.select_for_update(of=("self",)).filter(pk__in=events).order_by("pk"))
    withdrawal.leave_events(player, now)
    everybody = [player, *player.programs.order_by("pk")]
    for one in everybody:
        withdrawal.leave_tables(one, now)
    # As whom they played on paper, by lines that were joined to theirs too.
    claimed = Q(walk_ins__claimed_by=player) | Q(on_paper__player=player)
    on_paper = Player.objects.filter(claimed).distinct().order_by("pk")
    for one in (*everybody, *on_paper):
        _anonymise(one, events, clubs, now)
    Event.objects.filter(pk__in=events).update(version=F("version") + 1)
    for event_id in events:
        transaction.on_commit(partial(live.announce, event_id))


def _anonymise(player: Player, events: set[int], clubs: set[int], now: datetime) -> None:
    of_program = player.kind == Player.Kind.PROGRAM
    new_name = f"{PROGRAM if of_program else PLAYER} {player.pk}"
    if not player.guest:  # guests do not reserve their names
        names.hold(player.name, now)
    old_names = stored_names.names_of(player)
    stored_names.replace(old_names, new_name, events, clubs)
    stored_names.replace_in_messages(player, new_name)
    stored_names.replace_in_reports(player, new_name)
    # Friends are locked before their friendship, see `games.people.friends`.
    Player.objects.select_for_update(no_key=True).get(pk=player.pk)
    delete_rows(player)
    Player.objects.filter(pk=player.pk).update(
        name=new_name,
        skeleton="",
        user=None,
        former=True,
        private=True,
        country="",
        about="",
        named_watching=False,
        quick=False,
    )
    shown = Table.objects.filter(games__seats__player=player) | Table.objects.filter(
        seats__player=player
    )
    open_ones = shown.exclude(state=Table.State.CLOSED).distinct()
    for table_id in open_ones.values_list("pk", flat=True):
        transaction.on_commit(partial(hub.announce, table_id))
    transaction.on_commit(partial(hub.close_player, player.pk))


def _notify_obstacle(asked: Deletion, error: RefusedError, now: datetime) -> None:
    if error.code != "last owner":
        return  # temporary
    why = error.message[:300]
    with transaction.atomic():
        if not Deletion.objects.filter(pk=asked.pk).exclude(hindered=why).update(hindered=why):
            return
        letters.write(
            f"deletion {asked.pk} hindered {now:%Y%m%d%H%M%S}",
            [player_of_user(asked.user)],
            "Your account is not deleted yet",
            "deletion_hindered",
            why=error.message,
        )
    log.warning("account waits to be deleted", player=_number(asked.user), why=error.code)


def _number(user: User) -> int | None:
    return Player.objects.filter(user=user).values_list("pk", flat=True).first()


def _mail(farewell: Farewell) -> EmailMessage:
    context = {"site_name": settings.SITE_NAME, "site_url": settings.SITE_URL}
    return EmailMessage(
        f"{settings.SITE_NAME}: Your account is deleted",
        render_to_string("site/own_data/farewell.txt", context),
        to=[farewell.address],
        headers={"Auto-Submitted": "auto-generated"},
    )
