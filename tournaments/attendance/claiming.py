"""Results on paper that an account claims, of all nights at once, and taking the claim back."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.timezone import localtime

from games.models import Performance, Player
from tournaments.attendance import on_paper
from tournaments.changes.row_locks import changed, locked_club
from tournaments.events import acts
from tournaments.events.notices import note
from tournaments.models import (
    Act,
    Club,
    DivisionPlayer,
    Entry,
    EntryPlayer,
    Event,
    ListedName,
    Pairing,
    Season,
    Substitution,
    TeamPlayer,
    Trophy,
    WalkIn,
)
from tournaments.ratings import rating_games
from tournaments.refusals import RefusedError
from tournaments.standings import conflicts_of_interest

#: How long after its night the card of a walk-in claims results.
CARD_LASTS: Final = timedelta(days=30)
#: Where somebody has one place in a season.
OF_SEASONS: Final = (DivisionPlayer, TeamPlayer)


def both(one: Player, other: Player) -> Event | None:
    """Return an event in which both play, or are on paper; None if there is none.

    Who withdrew before the start does not play.
    """
    theirs, on_paper_too = Q(), Q()
    for player in (one, other):
        seats = EntryPlayer.objects.filter(player=player, active=True)
        left = Substitution.objects.filter(player=player)
        theirs &= Q(pk__in=seats.values("event")) | Q(pk__in=left.values("entry__event"))
        on_paper_too &= Q(pk__in=player.walk_ins.values("event"))
    return Event.objects.filter(theirs | on_paper_too).order_by("starts").first()


def both_placed(one: Player, other: Player) -> Season | None:
    """Return a season in which both have a place in a division or team; None if there is none."""
    for model in OF_SEASONS:
        theirs = model.objects.filter(player=other).values_list("season", flat=True)
        place = model.objects.filter(player=one, season__in=theirs).select_related("season").first()
        if place is not None:
            return place.season
    return None


def why_not(walk_in: WalkIn, player: Player, now: datetime) -> str:
    """Return why an account cannot claim these results; empty if it can."""
    if walk_in.claimed_by_id is not None:
        return "These results have been claimed. If that is wrong, ask a director of the club."
    return why_expired(walk_in, now) or _plays_twice(walk_in.player, player, walk_in.event)


def why_expired(walk_in: WalkIn, now: datetime) -> str:
    """Return why a card is too old to claim: it claims all nights, and cards are left lying."""
    ended = walk_in.event.ended
    if ended is None or now < ended + CARD_LASTS:
        return ""
    return (
        f"This card claimed results until {CARD_LASTS.days} days after its night. Ask a director of"
        f" {walk_in.event.club} for a new code: it claims all your nights."
    )


def _plays_twice(paper: Player, player: Player, seen: Event | None) -> str:
    if season := both_placed(paper, player):
        words = f"{player.name} has a place in a division or team of {season}, as these results do."
        return f"{words} Ask a director to take one of the two out there first."
    event = both(paper, player)
    if event is None:
        return ""
    day = localtime(event.starts, event.club.zone)
    where = "this event" if event == seen else f"{event} of {day:%-d %B %Y}"
    return f"{player.name} is in {where} already, and nobody plays twice in one event."


def claim(walk_in: WalkIn, player: Player, now: datetime) -> None:
    """Make the results of a person on paper those of an account, of all nights at once.

    That is entries, history and, in time, rating. What was drawn before the claim is never rated
    (`ratings.units`): otherwise people would choose the matches that count. Raises RefusedError
    ``account``, 403, for a guest, ``expired``, or ``claimed``: see `why_not`.
    """
    if walk_in.claimed_by_id is None and (why := why_expired(walk_in, now)):
        raise RefusedError("expired", why)
    row = ListedName.objects.filter(plays_as=walk_in.player_id).first()
    _claim(walk_in.event.club, walk_in.player, row, player, now, seen=walk_in.event)


def claim_line(row: ListedName, player: Player, now: datetime) -> None:
    """Claim as `claim` does, for somebody whom the club has invited: they become a member."""
    _claim(row.club, row.plays_as, row, player, now, invited=True)


@transaction.atomic
def _claim(
    club: Club,
    paper: Player | None,
    row: ListedName | None,
    player: Player,
    now: datetime,
    *,
    seen: Event | None = None,
    invited: bool = False,
) -> None:
    if player.user_id is None:
        raise RefusedError("account", "Sign up or log in first, then claim your results.", 403)
    club = locked_club(club)
    if row is None:
        events = locked_nights(paper)
    else:
        row, events = locked_person(row)
        paper = row.plays_as
    nights = WalkIn.objects.filter(player=paper, claimed_by=None).select_related("player", "event")
    found = {night.event_id: night for night in nights}
    if (row and row.player_id) or (paper and not found and row is None):
        words = "These results have been claimed. If that is wrong, ask a director of the club."
        raise RefusedError("claimed", words)
    if paper and (why := _plays_twice(paper, player, seen)):
        raise RefusedError("claimed", why)
    for event in events:
        if event.pk not in found:
            continue
        night = found[event.pk]
        entry = Entry.objects.filter(event=event, players__player=night.player).first()
        own = list(event.entered_players.filter(player=player).values_list("pk", flat=True))
        give(event, night.player, player)
        night.claimed_by, night.claimed = player, now
        night.save(update_fields=["claimed_by", "claimed"])
        note(event, f"{night.player.name}: results claimed by {player.name}.", player)
        acts.record(
            event, Act.Kind.CLAIM, player, now, on=entry,
            before={"players": [night.player_id]}, after={"players": [player.pk]},
            kept={"own": own},
        )  # fmt: skip
        changed(event)
    if row:
        row.moved = give_seasons(club, paper, player)
        row.save(update_fields=["moved"])
        on_paper.lines_of(row).update(player=player, claimed=now, code="", code_until=None)
    if invited or club.joining == Club.Joining.OPEN:
        club.requests.filter(player=player).delete()
        club.memberships.get_or_create(player=player)


@contextmanager
def holding(act: Act) -> Iterator[None]:
    """Lock the club and all nights of a claim, in the order in which claims lock them."""
    with transaction.atomic():
        locked_club(act.event.club)
        locked_nights(act.before["players"][0])
        yield


def check_undo(event: Event, act: Act, by: Player) -> None:
    """Refuse to take a claim back if on one of its nights that cannot be; it only reads.

    Raises RefusedError ``depends``, or as `conflicts_of_interest.check_claim`.
    """
    nights = _nights(act)
    found = {night.event_id: night for night in nights}
    account = found[event.pk].claimed_by if event.pk in found else None
    if account is None:
        raise RefusedError("depends", "The claim has been taken back.")
    conflicts_of_interest.check_claim(event, nights, by)
    entries = {one.event_id: one.entry_id for one in _claims(act) if one.entry_id is not None}
    there = Q(players__player=account) | Q(substitutions__player=account)
    others = Entry.objects.filter(there, event__in=entries).exclude(pk__in=entries.values())
    others = others.exclude(players__in=_own_seats(act))
    if (other := others.select_related("event").first()) is not None:
        where = "this event" if other.event == event else str(other.event)
        raise RefusedError("depends", f"{account.name} has had another place in {where} since.")
    running = Pairing.objects.filter(
        round__event__in=found, round__event__state=Event.State.RUNNING
    )
    seated = running.filter(in_room=False, entries__entry__players__player=account)
    online = seated.exclude(state=Pairing.State.DECIDED).first()
    if online is not None:
        words = f"{account.name} plays online at table {online.number}, which a walk-in"
        raise RefusedError("depends", f"{words} cannot. Wait until that match is over.")


def undo(event: Event, act: Act, by: Player, now: datetime) -> None:
    """Take a claim back, of all nights: the results are on paper again, and can be claimed.

    The nights are locked by `holding`. Raises RefusedError as `check_undo`.
    """
    check_undo(event, act, by)
    own = _own_seats(act)
    found = {night.event_id: night for night in _nights(act)}
    claims = {one.event_id: one for one in _claims(act)}
    for held in locked_nights(act.before["players"][0]):
        night = found.get(held.pk)
        if night is None or night.claimed_by is None:
            continue
        give(held, night.claimed_by, night.player, but=own)
        night.claimed_by = night.claimed = None
        night.save(update_fields=["claimed_by", "claimed"])
        other = claims.get(held.pk)
        if other and other.pk != act.pk:
            acts.record(
                held, Act.Kind.UNDO, by, now, on=other.entry, undoes=other,
                before=other.after, after=other.before,
            )  # fmt: skip
            note(held, "Undone: Claimed a walk-in’s results.", by)
        changed(held)
    paper = found[event.pk].player
    row = ListedName.objects.filter(plays_as=paper).first()
    if row:
        take_seasons(row.moved, paper)
        ListedName.objects.filter(pk=row.pk).update(moved={})
        on_paper.lines_of(row).update(player=None, claimed=None)


def _nights(act: Act) -> QuerySet[WalkIn]:
    """Return the nights of a claim that has not been taken back."""
    (paper,), (account,) = act.before["players"], act.after["players"]
    nights = WalkIn.objects.filter(player=paper, claimed_by=account)
    return nights.select_related("player", "claimed_by")


def _own_seats(act: Act) -> list[int]:
    """Return the seats that an account had itself before a claim, all of them withdrawn."""
    return [seat for one in _claims(act) for seat in one.kept.get("own", ())]


def locked_person(row: ListedName) -> tuple[ListedName, list[Event]]:
    """Lock a person's club, nights and line, in this order; return the line as stored, and those.

    Raises RefusedError ``changed`` if they are entered meanwhile, or as `on_paper.held`.
    """
    locked_club(row.club)
    stored = ListedName.objects.select_related("plays_as", "joined_to__plays_as")
    found = stored.filter(pk=row.pk).first()
    nights = locked_nights(on_paper.person_of(found).plays_as if found else None)
    row = on_paper.held(row)
    if row.plays_as and row.plays_as.walk_ins.exclude(event__in=nights).exists():
        raise RefusedError("changed", f"{row.name} is being entered just now: try again.")
    return row, nights


def _claims(act: Act) -> QuerySet[Act]:
    """Return a claim as the log of each night has it."""
    same = Act.objects.filter(kind=Act.Kind.CLAIM, before=act.before, after=act.after)
    return same.filter(undone_by=None).select_related("entry").order_by("pk")


def locked_nights(paper: Player | int | None) -> list[Event]:
    """Lock and return the events in which somebody plays on paper, after their club."""
    nights = WalkIn.objects.filter(player=paper).values("event")
    rows = Event.objects.select_related("club").select_for_update(of=("self",))
    return list(rows.filter(pk__in=nights).order_by("pk"))


def give(event: Event, giver: Player, taker: Player, but: Collection[int] = ()) -> None:
    """Make the seats, the results and the prize of one player in an event those of another.

    but: the keys of seats that the giver keeps.
    """
    seats = event.entered_players.filter(player=giver)
    plays = seats.filter(pk__in=but, active=True).exists()
    seats.exclude(pk__in=but).update(player=taker)
    if plays:  # so the taker has only what was withdrawn before the start
        return
    Substitution.objects.filter(entry__event=event, player=giver).update(player=taker)
    Trophy.objects.filter(event=event, player=giver).update(player=taker)
    matches = Pairing.objects.filter(round__event=event)
    counted = Performance.objects.filter(match__in=matches.values("pk"))
    for place in ("player", "partner", "left", "right"):
        counted.filter(**{place: giver}).update(**{place: taker})
    rating_games.queue_rating(event)


def give_seasons(club: Club, giver: Player | None, taker: Player) -> dict[str, list[int]]:
    """Make somebody's places in divisions and teams another's: see `both_placed`.

    Returns the keys of these rows, by model.
    """
    moved = {}
    for model in OF_SEASONS:
        rows = model.objects.filter(season__club=club, player=giver)
        moved[model.__name__] = list(rows.values_list("pk", flat=True))
        model.objects.filter(pk__in=moved[model.__name__]).update(player=taker)
    return moved


def take_seasons(moved: dict[str, list[int]], giver: Player) -> None:
    """Take back what `give_seasons` has given."""
    for model in OF_SEASONS:
        model.objects.filter(pk__in=moved.get(model.__name__, ())).update(player=giver)
