"""Moderators' decisions on matches that wait to be rated."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import structlog
from django.db import transaction
from django.db.models import Q

from games.models import Game, GameSeat, Player
from tournaments.events import states
from tournaments.models import Club, Event, Pairing, PairingEntry, RatingHold, Substitution
from tournaments.ratings import quick_units, rating, units, vouching
from tournaments.refusals import RefusedError

log = structlog.get_logger(__name__)

#: The most waiting matches, and past decisions, on the page.
SHOWN: Final = 400
PAST: Final = 50
#: The most characters of a reason.
MAX_LENGTH: Final = 200


@dataclass(frozen=True, slots=True)
class Case:
    """Matches of the same players that wait for the same reason, in one club.

    Without a club they are quick games.
    """

    club: Club | None
    players: tuple[Player, ...]
    holds: list[RatingHold]

    @property
    def reason(self) -> str:
        return self.holds[0].get_reason_display()

    @property
    def events(self) -> list[Event]:
        every = (hold.pairing.round.event for hold in self.holds if hold.pairing is not None)
        return list({event.pk: event for event in every}.values())

    @property
    def found(self) -> str:
        """The counts at the last match."""
        return self.holds[-1].found

    @property
    def from_one_address(self) -> bool:
        """Whether a club that meets in one room would explain the hold."""
        return self.club is not None and self.holds[0].reason == RatingHold.Reason.ADDRESS


def waiting() -> list[Case]:
    """Return the waiting cases, the oldest first, in five queries."""
    held = RatingHold.objects.filter(state=RatingHold.State.WAITING)
    holds = list(held.select_related("pairing__round__event__club", "game")[:SHOWN])
    drawn = PairingEntry.objects.filter(pairing__in=[hold.pairing_id for hold in holds])
    playing: dict[object, set[int]] = defaultdict(set)
    left = units.seats_left(Substitution.objects.filter(entry__in=drawn.values("entry")))
    for pairing, number, entry, position, player in drawn.values_list(
        *("pairing", "round__number", "entry"),
        *("entry__players__position", "entry__players__player"),
    ):
        playing[pairing].add(units.sat_there(left, (entry, position), number, player))
    seated = GameSeat.objects.filter(game__in=[hold.game_id for hold in holds if hold.game_id])
    for game, player in seated.values_list("game", "player"):
        playing[game].add(player)
    people = Player.objects.in_bulk({player for each in playing.values() for player in each})
    cases: dict[object, Case] = {}
    for hold in holds:
        club = hold.pairing.round.event.club if hold.pairing is not None else None
        players = frozenset(playing[hold.pairing_id or hold.game_id])
        named = tuple(people[player] for player in sorted(players))
        case = cases.setdefault((club and club.pk, hold.reason, players), Case(club, named, []))
        case.holds.append(hold)
    return list(cases.values())


def decided() -> list[RatingHold]:
    done = RatingHold.objects.exclude(state=RatingHold.State.WAITING).order_by("-decided", "-pk")
    return list(done.select_related("pairing__round__event", "game", "by")[:PAST])


def decide(
    holds: Collection[int],
    by: Player,
    words: str,
    now: datetime,
    *,
    let_through: bool,
    recognise: bool = False,
) -> int:
    """Decide whether matches are rated; return how many were still waiting.

    Matches let through are rated in their places, with everything after them. `recognise` also
    marks the clubs as meeting in one room. Raises RefusedError ``words`` if the reason is missing
    or too long, ``own table`` if the moderator played in one of the matches.
    """
    words = words.strip()
    if len(words) > MAX_LENGTH or not (words or let_through):
        raise RefusedError("words", f"Give a reason of 1 to {MAX_LENGTH} characters.", 422)
    entry = "pairing__entries__entry"
    played = Q(**{f"{entry}__players__player": by}) | Q(game__seats__player=by)
    played |= Q(**{f"{entry}__substitutions__player": by})
    if RatingHold.objects.filter(played, pk__in=holds).exists():
        words = f"{by.name} has played in one of these matches; another moderator decides."
        raise RefusedError("own table", words, 403)
    state = RatingHold.State.PASSED if let_through else RatingHold.State.REFUSED
    with transaction.atomic():
        waits = RatingHold.objects.select_for_update().filter(
            pk__in=holds, state=RatingHold.State.WAITING
        )
        found = {hold.pk: hold for hold in waits}
        RatingHold.objects.filter(pk__in=found).update(state=state, by=by, decided=now, words=words)
        pairings = [hold.pairing_id for hold in found.values() if hold.pairing_id is not None]
        games = [hold.game_id for hold in found.values() if hold.game_id is not None]
        tables = Game.objects.filter(pk__in=games).values_list("table", flat=True)
        quick_units.request_rating(list(tables))
        events = Event.objects.filter(played_rounds__pairings__in=pairings).distinct()
        for event in events:
            if recognise and let_through:
                Club.objects.filter(pk=event.club_id).update(recognised=True)
            if event.state in states.OVER:
                rating.queue_rating(event)
    if recognise and let_through:
        # Not in the transaction, which holds events that whoever stores ratings wants to lock.
        vouching.review_all()
    log.info("waiting ratings decided", state=str(state), matches=len(found), by=by.pk)
    return len(found)


@transaction.atomic
def ask_to_wait(pairings: Collection[int], found: str, now: datetime) -> bool:
    """Put rated matches on hold at a club's request; return whether there were any.

    Matches that wait already, or have been decided, are left alone.
    """
    free = Pairing.objects.filter(pk__in=pairings, rated=True, rating_hold__isnull=True)
    matches = list(free.select_for_update(of=("self",)))
    RatingHold.objects.bulk_create(
        RatingHold(pairing=match, reason=RatingHold.Reason.CLUB, found=found[:MAX_LENGTH], made=now)
        for match in matches
    )
    for event in Event.objects.filter(played_rounds__pairings__in=matches).distinct():
        if event.state in states.OVER:
            rating.queue_rating(event)
    return bool(matches)
