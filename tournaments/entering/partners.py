"""Pairs: finding a partner, asking, answering, and the list of those who look for one.

Who is named to somebody that types a part of a partner's name: members of the club, and only to
whoever may see them anyway, not to one who was let into a single event of a club that is joined by
invitation.

Only a pair counts: it arrives when the second of the two accepts. Each verb holds the event, so
that nobody is taken twice.
"""

from contextlib import suppress
from datetime import datetime
from typing import Final

from django.db.models import Case, IntegerField, Q, QuerySet, Value, When
from django.http import HttpRequest, QueryDict
from django.shortcuts import resolve_url

from games.models import Player
from games.people import limits
from tournaments.access import ClubAccess, EventAccess
from tournaments.answers import typed
from tournaments.changes.held_rows import changed, on_held_event
from tournaments.entering.conditions import not_met_by_other, why_not
from tournaments.entering.entering import entry_of, refuse
from tournaments.entering.places import arrive, full_now
from tournaments.events.timetable import start_in_words
from tournaments.models import Entry, EntryPlayer, Event, Membership
from tournaments.models.entries import COMPLETE, INCOMPLETE
from tournaments.outbox import letters
from tournaments.refusals import RefusedError

State = Entry.State
#: How often in a minute; a list is asked for at most four times a second while one types.
MOST_IN_A_MINUTE: Final = 60
TOO_OFTEN: Final = "You have looked for many names; wait a minute, or write the whole name."
LONGEST: Final = 254
#: How many members are named to whoever types a part of a name.
MOST_FOUND: Final = 8


def members_named(event: Event, player: Player, words: str) -> list[Membership]:
    """Return the members whom a player may mean by `words`, and who are free to be the partner.

    Whether the player may see who belongs to the club is for the caller to know.

    words: parts of a name, all of which it has; those whose names begin with them come first.
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
    return list(found[:MOST_FOUND])


def words_of(fields: QueryDict) -> str:
    """Return what stands in the field `partner`, without what databases refuse."""
    return fields.get("partner", "").replace("\0", "").strip()[:LONGEST]


def sees_members(access: ClubAccess) -> bool:
    """Whether somebody may see who belongs to the club, as on the page of its members."""
    return access.invited or access.may("see_club")


def found(access: EventAccess, words: str, now: datetime) -> list[Membership] | None:
    """Return the members who may be meant; None if this player has asked too often."""
    player = access.player
    if player is None or player.user_id is None or not sees_members(access) or not words:
        return []
    if access.event.team_size == 1:
        return []
    if limits.count(f"partner-{player.pk}", MOST_IN_A_MINUTE, now).exceeded:
        return None
    return members_named(access.event, player, words)


def meant(request: HttpRequest, access: EventAccess, now: datetime) -> dict[str, object]:
    """Return what the page of an event tells when the name just sent was not exactly a member's.

    wanted: what was typed, or an empty text. candidates: the members who may be meant.
    """
    fields = typed(request, resolve_url("ask_partner", access.event.pk))
    words = words_of(fields) if fields is not None else ""
    return {"wanted": words, "candidates": (found(access, words, now) or []) if words else []}


def member(event: Event, player_id: int) -> Player:
    """Return the member who was chosen out of those that `members_named` found.

    Raises:
        RefusedError: ``unknown``, nobody of the club who could enter has this number.
    """
    found = _members(event).filter(player=player_id).select_related("player").first()
    if found is None:
        raise RefusedError("unknown", f"{event.club.name} has no such member.", 422)
    return found.player


@on_held_event
def ask(event: Event, player: Player, words: str, now: datetime) -> Entry:
    """Ask the member of the club who is called so to be a player's partner; see `invite`.

    words: the member's name or e-mail address.

    Raises:
        RefusedError: ``unknown``, ``several`` of that name, or as of `invite`.
    """
    _lone_entry(event, player, now)
    words, club = " ".join(words.split()), event.club
    members = Player.objects.filter(memberships__in=_members(event))
    found = list(members.filter(name__iexact=words)[:2])
    # Only members find each other by e-mail address.
    if club.memberships.filter(player=player).exists():
        found = list(members.filter(user__email=words.lower())) or found
    if not found:
        raise RefusedError("unknown", f"No member of {club.name} is called “{words}”.", 422)
    if len(found) > 1:
        raise RefusedError(
            "several",
            f"Several members are called “{words}”; choose one, or write the e-mail address.",
            422,
        )
    return invite(event, player, found[0], now)


@on_held_event
def invite(event: Event, player: Player, partner: Player, now: datetime) -> Entry:
    """Ask somebody to be a player's partner; a question asked before is taken back.

    If `partner` has already asked this player, the two are a pair at once.

    partner: a member of the club, or one who looks for a partner in this event.

    Raises:
        RefusedError: ``alone``, ``yourself``, ``conditions``, ``taken`` or ``stranger``.
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
        f"{player.name} asks you to be partners: {event.name}",
        "partner_asked",
        event=event,
        who=player,
        full=full_now(event),
        starts=start_in_words(event),
    )
    changed(event)
    return entry


@on_held_event
def seek(event: Event, player: Player, now: datetime) -> Entry:
    """Put a player on the list of those who look for a partner; a question of theirs is taken back.

    Raises:
        RefusedError: ``alone`` or ``conditions``.
    """
    entry = _lone_entry(event, player, now)
    _store(entry, player, State.SEEKING, None)
    changed(event)
    return entry


@on_held_event
def accept(event: Event, entry_id: int, player: Player, now: datetime) -> Entry:
    """Become the partner of whoever asked; the pair gets a place, or waits.

    Accepted twice, it stays as it is.

    entry_id: the entry of who asked.

    Raises:
        RefusedError: ``gone``, it is not asked any more; ``conditions``, this player cannot enter.
    """
    mine = entry_of(event, player)
    if mine is not None and mine.pk == entry_id and mine.state in COMPLETE:
        return mine
    entry = _asked(event, entry_id, player)
    refuse(why_not(event, player, now))
    return _join(event, entry, player, now)


@on_held_event
def decline(event: Event, entry_id: int, player: Player) -> None:
    """Say no to whoever asked; they then stand on the list of those who look for a partner.

    Raises:
        RefusedError: ``gone``, it is not asked any more.
    """
    _turn_down(event, _asked(event, entry_id, player), player)
    changed(event)


def decline_all(player: Player) -> None:
    """Turn down whoever asks somebody who goes to be partners, so that they can ask another."""
    asked = Entry.objects.filter(invited=player, state=State.INVITING)
    for entry in asked.select_related("event").order_by("event_id", "pk"):
        with suppress(RefusedError):  # answered or taken back meanwhile
            decline(entry.event, entry.pk, player)


def invitations_of(event: Event, player: Player) -> list[Entry]:
    """Return the entries whose player waits for this player's answer."""
    asking = event.entries.filter(state=State.INVITING, invited=player)
    return list(asking.prefetch_related("players__player").order_by("made"))


def seekers(event: Event) -> list[Entry]:
    """Return the entries of those who look for a partner."""
    looking = event.entries.filter(state=State.SEEKING)
    return list(looking.prefetch_related("players__player").order_by("made"))


def _members(event: Event) -> QuerySet[Membership]:
    """The members of the club who have an account they can use."""
    return event.club.memberships.filter(player__user__is_active=True)


def _lone_entry(event: Event, player: Player, now: datetime) -> Entry:
    """The entry of a player who has no partner yet, or a new one, not stored."""
    if event.team_size == 1:
        raise RefusedError("alone", "Everybody enters this event alone; there are no partners.")
    refuse(why_not(event, player, now))
    return entry_of(event, player) or Entry(event=event, made=now)


def _store(entry: Entry, player: Player, state: str, invited: Player | None) -> None:
    new = entry.pk is None
    entry.state, entry.invited = state, invited
    entry.save()
    if new:
        EntryPlayer.objects.create(event=entry.event, entry=entry, player=player)


def _may_be_asked(event: Event, player: Player, partner: Player) -> Entry | None:
    """Check that somebody can be asked, and return the entry they have without a partner."""
    if partner.pk == player.pk:
        raise RefusedError("yourself", "You cannot be your own partner; name somebody else.", 422)
    theirs = entry_of(event, partner)
    if theirs is not None and theirs.state not in INCOMPLETE:
        raise RefusedError("taken", f"{partner.name} has a partner for this event already.")
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
    refuse(not_met_by_other(event, partner))
    return theirs


def _asked(event: Event, entry_id: int, player: Player) -> Entry:
    asking = event.entries.filter(pk=entry_id, state=State.INVITING, invited=player)
    entry = asking.prefetch_related("players__player").first()
    if entry is None:
        raise RefusedError(
            "gone", "This question has been taken back or answered; you can ask somebody yourself."
        )
    return entry


def _join(event: Event, entry: Entry, player: Player, now: datetime) -> Entry:
    """Make two players a pair; whoever else they asked, or asked them, is told."""
    asker = entry.players.all()[0].player
    refuse(not_met_by_other(event, asker))
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
    """Put whoever asked on the list of those who look for a partner, and tell them."""
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
