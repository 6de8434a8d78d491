"""Pairs: finding and inviting a partner, answering, and the list of players without one.

Typing a part of a name suggests members of the club, and only to players who may see the members'
page: not to somebody who was let into a single event of an invitation-only club.

An entry arrives, for its place, when the partner accepts. Each action locks the event, so that
nobody is in two pairs.
"""

from contextlib import suppress
from datetime import datetime
from typing import Final

from django.db.models import Case, IntegerField, Q, QuerySet, Value, When
from django.http import HttpRequest, QueryDict
from django.shortcuts import resolve_url
from django.urls import reverse

from games.models import Player
from games.notifying import pushes
from games.notifying.kinds import INVITE
from games.people import limits
from tournaments.access import ClubAccess, EventAccess
from tournaments.answers import typed
from tournaments.changes.row_locks import changed, with_event_lock
from tournaments.entering.conditions import reasons_not_to_enter, unmet_conditions_for_others
from tournaments.entering.entering import entry_of, refuse
from tournaments.entering.places_and_waiting_list import arrive, full_now
from tournaments.events.timetable import start_in_words
from tournaments.models import Entry, EntryPlayer, Event, Membership
from tournaments.models.entries import COMPLETE, INCOMPLETE
from tournaments.outbox import letters
from tournaments.refusals import RefusedError

State = Entry.State
#: Suggestions a minute; the script asks at most four times a second while one types.
MAX_IN_A_MINUTE: Final = 60
TOO_OFTEN: Final = "You have searched for many names. Wait a minute, or enter the full name."
MAX_LENGTH: Final = 254
#: Members suggested for a part of a name.
MAX_FOUND: Final = 8


def members_named(event: Event, player: Player, words: str) -> list[Membership]:
    """Return the members matching a part of a name who are free to be the player's partner.

    The caller checks that the player may see the members; see `sees_members`.

    words: parts of a name, all of which must match; names that begin with them come first.
    """
    parts = words.split()
    if not parts:
        return []
    named = Q()
    for part in parts:
        named &= Q(player__name__icontains=part)
    taken = event.entries.filter(state__in=COMPLETE).values("players__player")
    begins = When(player__name__istartswith=" ".join(parts), then=Value(0))
    found = (
        _members(event)
        .filter(named)
        .exclude(player=player)
        .exclude(player__in=taken)
        .annotate(later=Case(begins, default=Value(1), output_field=IntegerField()))
        .select_related("player")
        .order_by("later", "player__name", "player")
    )
    return list(found[:MAX_FOUND])


def typed_name(fields: QueryDict) -> str:
    """Return the field `partner` without NUL characters, which databases refuse."""
    return fields.get("partner", "").replace("\0", "").strip()[:MAX_LENGTH]


def sees_members(access: ClubAccess) -> bool:
    return access.invited or access.may("see_club")


def search_members(access: EventAccess, words: str, now: datetime) -> list[Membership] | None:
    """Return the matching members; None if the player has asked too often."""
    player = access.player
    if player is None or player.user_id is None or not sees_members(access) or not words:
        return []
    if access.event.team_size == 1:
        return []
    if limits.count(f"partner-{player.pk}", MAX_IN_A_MINUTE, now).exceeded:
        return None
    return members_named(access.event, player, words)


def partner_choice(request: HttpRequest, access: EventAccess, now: datetime) -> dict[str, object]:
    """Return the template context for choosing a member if the name sent was not an exact match."""
    fields = typed(request, resolve_url("ask_partner", access.event.pk))
    words = typed_name(fields) if fields is not None else ""
    return {
        "wanted": words,
        "candidates": (search_members(access, words, now) or []) if words else [],
    }


def member(event: Event, player_id: int) -> Player:
    """Return the member chosen; raise RefusedError ``unknown`` if nobody such could enter."""
    found = _members(event).filter(player=player_id).select_related("player").first()
    if found is None:
        raise RefusedError("unknown", f"{event.club.name} has no such member.", 422)
    return found.player


@with_event_lock
def ask(event: Event, player: Player, words: str, now: datetime) -> Entry:
    """Invite a member by name or e-mail address; raises ``unknown``, ``several``; see `invite`."""
    _lone_entry(event, player, now)
    words, club = " ".join(words.split()), event.club
    members = Player.objects.filter(memberships__in=_members(event))
    found = list(members.filter(name__iexact=words)[:2])
    # Only members can find each other by e-mail address.
    if club.memberships.filter(player=player).exists():
        found = list(members.filter(user__email=words.lower())) or found
    if not found:
        raise RefusedError("unknown", f"No member of {club.name} is called “{words}”.", 422)
    if len(found) > 1:
        raise RefusedError(
            "several",
            f"Several members are called “{words}”; choose one, or enter their e-mail address.",
            422,
        )
    return invite(event, player, found[0], now)


@with_event_lock
def invite(event: Event, player: Player, partner: Player, now: datetime) -> Entry:
    """Invite somebody as a player's partner, in place of an earlier invitation.

    If `partner` has already invited this player, the two are a pair at once. Raises RefusedError
    ``alone``, ``yourself``, ``conditions``, ``taken`` or ``stranger``.
    """
    entry = _lone_entry(event, player, now)
    theirs = _may_be_asked(event, player, partner)
    if theirs is not None and theirs.invited_id == player.pk:
        return _join(event, theirs, player, now)
    if entry.pk and entry.invited_id == partner.pk:
        return entry
    _store(entry, player, State.INVITING, partner)
    letters.write(
        f"event {event.pk} asked {entry.pk} {now:%Y%m%d%H%M%S}",
        [partner],
        f"{player.name} asks you to be their partner: {event.name}",
        "partner_asked",
        kind=INVITE,
        event=event,
        who=player,
        full=full_now(event),
        starts=start_in_words(event),
    )
    pushes.queue(
        INVITE,
        f"event {event.pk} asked {entry.pk} {now:%Y%m%d%H%M%S}",
        [partner.pk],
        f"{player.name} asks you to be their partner",
        reverse("event", args=[event.pk]),
        text=event.name,
    )
    changed(event)
    return entry


@with_event_lock
def seek(event: Event, player: Player, now: datetime) -> Entry:
    """List a player as looking for a partner; RefusedError ``alone`` or ``conditions``."""
    entry = _lone_entry(event, player, now)
    _store(entry, player, State.SEEKING, None)
    changed(event)
    return entry


@with_event_lock
def accept(event: Event, entry_id: int, player: Player, now: datetime) -> Entry:
    """Accept an invitation; the pair gets a place or joins the waiting list. Safe to repeat.

    Raises RefusedError ``gone`` if it has been withdrawn, ``conditions`` if they cannot enter.
    """
    mine = entry_of(event, player)
    if mine is not None and mine.pk == entry_id and mine.state in COMPLETE:
        return mine
    entry = _asked(event, entry_id, player)
    refuse(reasons_not_to_enter(event, player, now))
    return _join(event, entry, player, now)


@with_event_lock
def decline(event: Event, entry_id: int, player: Player) -> None:
    """Decline an invitation and list its sender as looking; may raise RefusedError ``gone``."""
    _turn_down(event, _asked(event, entry_id, player), player)
    changed(event)


def decline_all(player: Player) -> None:
    """Decline all invitations to a player whose account is deleted."""
    asked = Entry.objects.filter(invited=player, state=State.INVITING)
    for entry in asked.select_related("event").order_by("event_id", "pk"):
        with suppress(RefusedError):  # answered or withdrawn in the meantime
            decline(entry.event, entry.pk, player)


def invitations_of(event: Event, player: Player) -> list[Entry]:
    asking = event.entries.filter(state=State.INVITING, invited=player)
    return list(asking.prefetch_related("players__player").order_by("made"))


def seekers(event: Event) -> list[Entry]:
    looking = event.entries.filter(state=State.SEEKING)
    return list(looking.prefetch_related("players__player").order_by("made"))


def _members(event: Event) -> QuerySet[Membership]:
    return event.club.memberships.filter(player__user__is_active=True)


def _lone_entry(event: Event, player: Player, now: datetime) -> Entry:
    """Return a player's entry without a partner, or a new unsaved one."""
    if event.team_size == 1:
        raise RefusedError("alone", "Players enter this event alone, without partners.")
    refuse(reasons_not_to_enter(event, player, now))
    return entry_of(event, player) or Entry(event=event, made=now)


def _store(entry: Entry, player: Player, state: str, invited: Player | None) -> None:
    new = entry.pk is None
    entry.state, entry.invited = state, invited
    entry.save()
    if new:
        EntryPlayer.objects.create(event=entry.event, entry=entry, player=player)


def _may_be_asked(event: Event, player: Player, partner: Player) -> Entry | None:
    """Check that somebody can be invited, and return their entry without a partner, if any."""
    if partner.pk == player.pk:
        raise RefusedError("yourself", "You cannot be your own partner; name somebody else.", 422)
    theirs = entry_of(event, partner)
    if theirs is not None and theirs.state not in INCOMPLETE:
        raise RefusedError("taken", f"{partner.name} already has a partner for this event.")
    member = event.club.memberships.filter(player=partner).exists()
    asking = theirs is not None and (
        theirs.state == State.SEEKING or theirs.invited_id == player.pk
    )
    if not member and not asking:
        raise RefusedError(
            "stranger",
            f"{partner.name} can be asked as a member of {event.club.name},"
            " or once on the list of those who look for a partner.",
            422,
        )
    refuse(unmet_conditions_for_others(event, partner))
    return theirs


def _asked(event: Event, entry_id: int, player: Player) -> Entry:
    asking = event.entries.filter(pk=entry_id, state=State.INVITING, invited=player)
    entry = asking.prefetch_related("players__player").first()
    if entry is None:
        raise RefusedError(
            "gone", "This invitation has been withdrawn or answered. You can ask somebody yourself."
        )
    return entry


def _join(event: Event, entry: Entry, player: Player, now: datetime) -> Entry:
    """Make two players a pair, and notify others who invited them or were invited by them."""
    asker = entry.players.all()[0].player
    refuse(unmet_conditions_for_others(event, asker))
    own = entry_of(event, player)
    if own is not None:
        own.delete()
    EntryPlayer.objects.create(event=event, entry=entry, player=player, position=1)
    arrive(event, entry, now)
    for other in invitations_of(event, player) + invitations_of(event, asker):
        invited = other.invited
        if invited is not None:
            _turn_down(event, other, invited)
    letters.write(
        f"event {event.pk} accepted {entry.pk}",
        [asker],
        f"{player.name} is your partner: {event.name}",
        "partner_accepted",
        event=event,
        who=player,
        waiting=entry.state == State.WAITING,
        starts=start_in_words(event),
    )
    changed(event)
    return event.entries.prefetch_related("players__player").get(pk=entry.pk)


def _turn_down(event: Event, entry: Entry, invited: Player) -> None:
    """List the player who invited as looking for a partner, and write to them."""
    entry.state, entry.invited = State.SEEKING, None
    entry.save(update_fields=["state", "invited"])
    letters.write(
        f"event {event.pk} declined {entry.pk} by {invited.pk}",
        [line.player for line in entry.players.all()],
        f"{invited.name} cannot be your partner: {event.name}",
        "partner_declined",
        event=event,
        who=invited,
        full=full_now(event),
    )
