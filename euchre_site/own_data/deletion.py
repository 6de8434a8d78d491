"""Deleting an account: asked for, taken back for some days, and then done for good.

Games, results and ratings are the others' too. They stay, under "Former player" and a number; the
row of the player stays for them, and nobody is that player any more. What is removed and what
stays is told, relation by relation, in `euchre_site.own_data.relations`.
"""

from datetime import datetime, timedelta
from functools import partial
from smtplib import SMTPException
from typing import Final

import structlog
from django.conf import settings
from django.core.mail import EmailMessage
from django.db import DatabaseError, transaction
from django.db.models import F
from django.template.loader import render_to_string
from django.utils import timezone

from euchre_site.own_data import leaving, texts
from euchre_site.own_data.relations import remove_what_goes
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
#: As many accounts are deleted in one sweep, so that it does not hold up other tasks.
AT_ONCE: Final = 100


def ask(user: User, now: datetime) -> Deletion | None:
    """Ask for an account to be deleted after `DELETION_DAYS`; asked again it stays as it was.

    Returns:
        When it will be done; None where it has been done at once.

    Raises:
        RefusedError: ``last owner``, a club would have no owner; ``shuffling``.
    """
    with transaction.atomic():
        if not _held(user):
            return None
        known = Deletion.objects.filter(user=user).first()
        if known is not None:
            return known
        player = player_of_user(user)
        why = leaving.hindrance(player)
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
def take_back(user: User) -> bool:
    """Keep an account after all; whether it was to be deleted."""
    if not _held(user):
        return False
    known = Deletion.objects.filter(user=user).first()
    if known is None:
        return False
    letters.keep_back(f"deletion {known.pk}")
    letters.write(
        f"deletion {known.pk} kept", [player_of_user(user)], "Your account is kept",
        "deletion_kept",
    )  # fmt: skip
    known.delete()
    return True


def delete_account(user: User, by: User | None, now: datetime) -> bool:
    """Delete an account for good, whether it was asked for or not; whether there still was one.

    Args:
        user: whose.
        by: who does so, for the log; None: the clock.
        now: the present moment.

    Raises:
        RefusedError: ``last owner``, a club with other members would have no owner;
            ``shuffling``, a game begins at one of their tables: again in a few seconds.
    """
    with transaction.atomic():
        if not _held(user):
            return False
        _delete(user, by, now)
        return True


def forget_guest(player: Player, now: datetime) -> bool:
    """Forget a guest for good, at once; whether there still was one.

    Raises:
        RefusedError: ``shuffling``, as of `delete_account`.
    """
    with transaction.atomic():
        held = Player.objects.select_for_update(no_key=True).filter(pk=player.pk).first()
        if held is None or not held.guest:
            return False
        _forget(held, now)
    log.info("guest forgotten", player=player.pk)
    return True


def sweep(now: datetime) -> int:
    """Delete the accounts that are due; return how many.

    It may come late, twice or in several places at once. One that cannot be deleted holds up no
    other: whoever stands in the way of it themselves is told by mail, once.
    """
    done = 0
    # A closed account waits: its owner cannot take it back, and would shed what closed it.
    due = (
        Deletion.objects.filter(due__lte=now, user__is_active=True)
        .order_by("due", "pk")
        .select_related("user")
    )
    for asked in due[:AT_ONCE]:
        try:
            done += _delete_due(asked.user, now)
        except RefusedError as error:
            _tell_hindrance(asked, error, now)
        except DatabaseError as error:  # somebody else holds what is needed: at the next sweep
            log.warning("account not deleted", player=_number(asked.user), error=str(error))
        except Exception:
            log.exception("account not deleted", player=_number(asked.user))
    return done


def gone_just_now(now: datetime) -> bool:
    """Whether accounts have been deleted to which no last mail has been tried yet."""
    return Farewell.objects.filter(due__lte=now, tries=0).exists()


def send_farewells(clock: Clock = timezone.now) -> int:
    """Send the last mails that are due, and forget their addresses; return how many were sent."""
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


def _held(user: User) -> bool:
    """Hold an account's row until the transaction ends; whether there is one."""
    return User.objects.select_for_update(no_key=True).filter(pk=user.pk).first() is not None


def _delete_due(user: User, now: datetime) -> bool:
    """Delete an account unless that has been taken back meanwhile."""
    with transaction.atomic():
        asked = Deletion.objects.filter(user=user, user__is_active=True, due__lte=now)
        if not _held(user) or not asked.exists():
            return False
        _delete(user, None, now)
        return True


def _delete(user: User, by: User | None, now: datetime) -> None:
    player = Player.objects.filter(user=user).first()
    number, done_by = player and player.pk, _number(by) if by is not None else None
    if player is not None:
        _forget(player, now)
    remove_what_goes(user)
    gone = User.objects.get(pk=user.pk)
    Farewell.objects.create(address=gone.email, made=now, due=now)
    gone.delete()
    transaction.on_commit(lambda: log.info("account deleted", player=number, by=done_by))


def _forget(player: Player, now: datetime) -> None:
    """Leave everything, and let nothing tell any more who a player was; programs go along."""
    events = texts.events_of(player)
    clubs = texts.clubs_of(player, events)
    leaving.leave_clubs(player)
    # Held in one order, since each is changed: two who go at once do not wait for each other.
    list(Event.objects.select_for_update(of=("self",)).filter(pk__in=events).order_by("pk"))
    leaving.leave_events(player, now)
    everybody = [player, *player.programs.order_by("pk")]
    for one in everybody:
        leaving.leave_tables(one, now)
    for one in everybody:
        _take_the_name(one, events, clubs, now)
    Event.objects.filter(pk__in=events).update(version=F("version") + 1)
    for event_id in events:
        transaction.on_commit(partial(live.announce, event_id))


def _take_the_name(player: Player, events: set[int], clubs: set[int], now: datetime) -> None:
    of_program = player.kind == Player.Kind.PROGRAM
    called = f"{PROGRAM if of_program else PLAYER} {player.pk}"
    if not player.guest:  # a guest does not own a name
        names.hold(player.name, now)
    had = texts.names_of(player)
    texts.replace(had, called, events, clubs)
    texts.replace_in_messages(player, called)
    texts.replace_in_reports(player, called)
    remove_what_goes(player)
    Player.objects.filter(pk=player.pk).update(
        name=called, skeleton="", user=None, former=True, private=True, country="", quick=False
    )
    shown = Table.objects.filter(games__seats__player=player) | Table.objects.filter(
        seats__player=player
    )
    open_ones = shown.exclude(state=Table.State.CLOSED).distinct()
    for table_id in open_ones.values_list("pk", flat=True):
        transaction.on_commit(partial(hub.announce, table_id))
    transaction.on_commit(partial(hub.close_player, player.pk))


def _tell_hindrance(asked: Deletion, error: RefusedError, now: datetime) -> None:
    """Note what stands in the way, and write it to whoever can do something about it."""
    if error.code != "last owner":
        return  # it passes by itself
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
    """Of the player of an account, for the log: neither name nor address stands there."""
    return Player.objects.filter(user=user).values_list("pk", flat=True).first()


def _mail(farewell: Farewell) -> EmailMessage:
    context = {"site_name": settings.SITE_NAME, "site_url": settings.SITE_URL}
    return EmailMessage(
        f"{settings.SITE_NAME}: Your account is deleted",
        render_to_string("site/own_data/farewell.txt", context),
        to=[farewell.address],
        headers={"Auto-Submitted": "auto-generated"},
    )
