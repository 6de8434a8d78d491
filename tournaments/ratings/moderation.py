"""Moderators' decisions on matches that wait to be rated."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from datetime import datetime
from typing import Final

import structlog
from django.db import transaction
from django.db.models import Q, QuerySet

from games.models import Game, GameSeat, Player
from tournaments.events import states
from tournaments.models import Club, Event, Pairing, PairingEntry, RatingHold, Substitution
from tournaments.ratings import quick_units, rating_games, units, vouching
from tournaments.refusals import RefusedError

log = structlog.get_logger(__name__)

#: The most characters of a reason.
MAX_LENGTH: Final = 200


def of_their_players(
    waiting: QuerySet[RatingHold], numbers: Collection[int]
) -> QuerySet[RatingHold]:
    """Return what waits of everybody who has played in one of these."""
    groups = by_players(RatingHold.objects.filter(pk__in=numbers))
    people = [player for players, _rows in groups for player in players]
    of_people = Q(entry__players__player__in=people)
    of_people |= Q(entry__substitutions__player__in=people)
    drawn = PairingEntry.objects.filter(of_people)
    seated = GameSeat.objects.filter(player__in=people)
    return waiting.filter(
        Q(pairing__in=drawn.values("pairing")) | Q(game__in=seated.values("game"))
    )


def by_players(
    held: QuerySet[RatingHold],
) -> Iterator[tuple[tuple[Player, ...], list[RatingHold]]]:
    """Yield players and their holds, the oldest first, in five queries.

    Holds of the same players for the same reason, in one club or of quick games, are together.
    """
    holds = list(held.select_related("pairing__round__event__club", "game"))
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
    together: dict[tuple[tuple[int, ...], int | None, str], list[RatingHold]] = defaultdict(list)
    for hold in holds:
        club = hold.pairing.round.event.club_id if hold.pairing is not None else None
        players = tuple(sorted(playing[hold.pairing_id or hold.game_id]))
        together[players, club, hold.reason].append(hold)
    for (players, _club, _reason), rows in together.items():
        yield tuple(people[player] for player in players), rows


def why_not_decide(holds: Collection[int], by: Player) -> str:
    """Return why somebody may not decide on these matches; empty if they may."""
    entry = "pairing__entries__entry"
    played = Q(**{f"{entry}__players__player": by}) | Q(game__seats__player=by)
    played |= Q(**{f"{entry}__substitutions__player": by})
    if RatingHold.objects.filter(played, pk__in=holds).exists():
        return f"{by.name} has played in one of these matches; another moderator decides."
    return ""


def decide(
    holds: Collection[int],
    by: Player,
    words: str,
    now: datetime,
    *,
    let_through: bool,
    recognise: Collection[int] = (),
) -> int:
    """Decide whether matches are rated; return how many were still waiting.

    Matches let through are rated in their places, with everything after them. `recognise`: clubs
    that are marked as meeting in one room. Raises RefusedError ``words`` if the reason is missing
    or too long, ``own table`` if the moderator played in one of the matches.
    """
    words = words.strip()
    if len(words) > MAX_LENGTH or not (words or let_through):
        raise RefusedError("words", f"Give a reason of 1 to {MAX_LENGTH} characters.", 422)
    why_not = why_not_decide(holds, by)
    if why_not:
        raise RefusedError("own table", why_not, 403)
    state = RatingHold.State.PASSED if let_through else RatingHold.State.REFUSED
    with transaction.atomic():
        waits = RatingHold.objects.select_for_update().filter(
            pk__in=holds, state=RatingHold.State.WAITING
        )
        found = {hold.pk: hold for hold in waits}
        RatingHold.objects.filter(pk__in=found).update(state=state, by=by, decided=now, words=words)
        _rate_again(found.values())
        _set_recognised(recognise, True)
    log.info("waiting ratings decided", state=str(state), matches=len(found), by=by.pk)
    return len(found)


def _set_recognised(clubs: Collection[int], value: bool) -> None:
    if Club.objects.filter(pk__in=clubs).update(recognised=value):
        # Not in the transaction, which holds events that whoever stores ratings wants to lock.
        transaction.on_commit(vouching.review_all)


def _rate_again(holds: Collection[RatingHold]) -> None:
    """Queue what has been decided on for rating."""
    games = [hold.game_id for hold in holds if hold.game_id is not None]
    quick_units.request_rating(
        list(Game.objects.filter(pk__in=games).values_list("table", flat=True))
    )
    pairings = [hold.pairing_id for hold in holds if hold.pairing_id is not None]
    events = list(Event.objects.filter(played_rounds__pairings__in=pairings).distinct())
    for event in events:
        if event.state in states.OVER:
            rating_games.queue_rating(event)


@transaction.atomic
def hold_again(holds: Collection[int], recognised: Collection[int] = ()) -> None:
    """Undo `decide`: the matches wait again. recognised: the clubs that it had recognised."""
    rows = list(RatingHold.objects.select_for_update().filter(pk__in=holds))
    RatingHold.objects.filter(pk__in=[row.pk for row in rows]).update(
        state=RatingHold.State.WAITING, by=None, decided=None, words=""
    )
    _rate_again(rows)
    _set_recognised(recognised, False)


@transaction.atomic
def ask_to_wait(pairings: Collection[int], found: str, now: datetime) -> bool:
    """Put rated matches on hold at a club's request; return whether there were any.

    Matches that wait already, or have been decided, are left alone.
    """
    free = Pairing.objects.filter(pk__in=pairings, rated=True, rating_hold__isnull=True)
    holds = [
        RatingHold(pairing=match, reason=RatingHold.Reason.CLUB, found=found[:MAX_LENGTH], made=now)
        for match in free.select_for_update(of=("self",))
    ]
    RatingHold.objects.bulk_create(holds)
    _rate_again(holds)
    return bool(holds)
