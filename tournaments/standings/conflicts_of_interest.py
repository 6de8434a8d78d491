"""Conflicts of interest: directors do not rule on matches in which they play themselves.

Players who were drawn into a match count as playing in it, even after withdrawing. Site staff are
bound by this too: they may direct any club, and need not play in any. Whoever owns a place that a
substitute plays in has an interest in it like a player (`results.place_owners`).
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from django.db.models import F, Q, QuerySet
from django.urls import reverse

from games.models import Player
from games.refusals import Remedy
from tournaments.models import Entry, EntryPlayer, Event, Pairing, WalkIn
from tournaments.models.clubs import DIRECTORS
from tournaments.refusals import RefusedError
from tournaments.results import place_owners
from tournaments.standings import draws, ranking

#: The code of all refusals here.
OWN: Final = "own table"


def current_match(event: Event, by: Player) -> Pairing | None:
    mine = Pairing.objects.filter(
        round__event=event, round__over=None, entries__entry__in=own_entries(event, by)
    )
    return mine.exclude(state=Pairing.State.DECIDED).select_related("round").first()


def own_entries(event: Event, by: Player) -> QuerySet[Entry]:
    """Return the entries of an event in which a player sits, or whose place they own."""
    seats = place_owners.first_players(event).items()
    owned = [seat.entry for seat, owner in seats if owner == by]
    mine = event.entered_players.filter(player=by).values("entry")
    return event.entries.filter(Q(pk__in=mine) | Q(pk__in=owned))


def why_no_result(event: Event, by: Player, match: Pairing) -> str:
    """Return why a player of a match does not set its result, and who can."""
    players = set(match.entries.values_list("entry__players__player", flat=True))
    return f"{_no_result(match, by)} {who_can(event, players)}"


def _no_result(match: Pairing, by: Player) -> str:
    return (
        f"{by.name} plays at table {match.number} of round {match.round.number}, so somebody else"
        " has to set its result."
    )


def check_result(event: Event, match: Pairing, by: Player) -> None:
    _check_table(event, match, by, _no_result(match, by))


def check_place(event: Event, match: Pairing, by: Player) -> None:
    """Refuse to let a player of a match move it to the room, or out of it."""
    where = f"{by.name} plays at table {match.number} of round {match.round.number}"
    _check_table(event, match, by, f"{where}, so somebody else has to move it.")


def check_table_time(event: Event, match: Pairing, by: Player) -> None:
    """Refuse to let a player of a match change its time."""
    where = f"{by.name} plays at table {match.number} of round {match.round.number}"
    _check_table(event, match, by, f"{where}, so somebody else has to give it time.")


def check_message(event: Event, match: Pairing, by: Player) -> None:
    """Refuse to let a player of a match write to its table as a director."""
    where = f"{by.name} plays at table {match.number} of round {match.round.number}"
    _check_table(event, match, by, f"{where}, so somebody else has to write to it.")


def check_seats(event: Event, match: Pairing, by: Player) -> None:
    """Refuse to let a player of a match change who plays in it."""
    where = f"{by.name} plays at table {match.number} of round {match.round.number}"
    _check_table(event, match, by, f"{where}, so somebody else has to change its seats.")


def _check_table(event: Event, match: Pairing, by: Player, why: str) -> None:
    now_there = Q(entries__entry__pairings__pairing=match)
    before = Q(seats_left__entry__pairings__pairing=match)
    players = Player.objects.filter(now_there | before)
    if players.filter(pk=by.pk).exists():
        others = set(players.values_list("pk", flat=True))
        raise _refused(why, event, others)


def check_time(event: Event, by: Player) -> None:
    """Refuse to change a round's time, or to end the event, while `by` plays in it."""
    match = current_match(event, by)
    if match is not None:
        raise RefusedError(OWN, why_no_time(event, by, match), 403, remedy(event, {by.pk}))


def check_end(event: Event, by: Player) -> None:
    """Refuse to let a player of the event shorten the time for objections."""
    why = why_no_end(event, by)
    if why:
        raise RefusedError(OWN, why, 403, remedy(event, {by.pk}))


def why_no_end(event: Event, by: Player) -> str:
    if not own_entries(event, by).filter(seed__isnull=False).exists():
        return ""
    others = who_can(event, {by.pk})
    return f"{by.name} has played in this event, so somebody else has to end it. {others}"


def check_seeds(event: Event, by: Player) -> None:
    """Refuse to let a player of the event, or of its waiting list, set its seeds."""
    if own_entries(event, by).exclude(state=Entry.State.WITHDRAWN).exists():
        words = f"{by.name} plays in this event, so somebody else has to set the seeds."
        playing = event.entered_players.exclude(entry__state=Entry.State.WITHDRAWN)
        raise _refused(words, event, {by.pk, *playing.values_list("player", flat=True)})


def why_no_time(event: Event, by: Player, match: Pairing) -> str:
    """Return why a player cannot manage the round's time, and who can."""
    sits = match.entries.filter(entry__players__player=by).exists()
    plays = "still plays" if sits else "has a place that still plays"
    return (
        f"{by.name} {plays} at table {match.number}, so others must manage the round's"
        f" time until that match is decided. {who_can(event, {by.pk})}"
    )


def check_withdrawal(event: Event, entry: Entry, by: Player) -> None:
    """Refuse to let `by`, who plays too, withdraw somebody to their own advantage."""
    why = why_not_out(event, by).get(entry.pk)
    if why:
        players = set(entry.players.values_list("player", flat=True))
        raise _refused(f"{why}.", event, {by.pk, *players})


def why_not_out(event: Event, by: Player) -> dict[int, str]:
    """Return the entries that `by` may not withdraw from a running event, with the reasons.

    These are players at the same table, everybody else in the knock-out while `by` is in it, since
    any of them may be the next opponent, and everybody who is placed better.
    """
    own = own_entries(event, by).filter(seed__isnull=False).first()
    if own is None or event.state != Event.State.RUNNING:
        return {}
    match = current_match(event, by)
    there = match.entries.values_list("entry", flat=True) if match else ()
    reasons = dict.fromkeys(there, f"{by.name} plays at the same table")
    reasons.pop(own.pk, None)
    if own.state == Entry.State.WITHDRAWN:
        return reasons
    field = ranking.field_of(event, unfinished=True)
    if field.first and any(past.matches for past in field.first):
        order = [line.entry.pk for line in ranking.standings_of(event).lines]
        better = order[: order.index(own.pk)]
        reasons |= dict.fromkeys(better, f"{by.name} is placed behind them in this event")
    # Entries that are still in the knock-out.
    best = ranking.best_of(field)
    nodes = draws.nodes(field, best)
    captains = {one for node in nodes if not node.over for one in node.sides if one}
    sides = draws.sides_of(event, best) if best else {}
    remaining = {one for captain in captains for one in sides.get(captain, (captain,))}
    if own.pk in remaining:
        reasons |= dict.fromkeys(remaining, f"{by.name} is still in the same knock-out")
    reasons |= dict.fromkeys(there, f"{by.name} plays at the same table")
    reasons.pop(own.pk, None)
    return reasons


def check_return(event: Event, entry: Entry, by: Player) -> None:
    """Refuse to let players put themselves back: another director has to, as for any player."""
    if own_entries(event, by).filter(pk=entry.pk).exists():
        raise _refused(f"{by.name} cannot put their own entry back.", event, {by.pk})


def check_substitute(event: Event, seat: EntryPlayer, by: Player) -> None:
    """Refuse to let directors choose who plays for them in a place that they keep."""
    if place_owners.owner_after(seat) == by:
        words = f"{by.name} keeps this place, so somebody else has to say who plays in it."
        raise _refused(words, event, {by.pk})


def check_newcomers(event: Event, people: Collection[Player], by: Player) -> None:
    """Refuse to let directors let themselves into a running event."""
    if by in people:
        raise _refused(f"{by.name} cannot let themselves in.", event, {by.pk})


def check_claim(event: Event, nights: QuerySet[WalkIn], by: Player) -> None:
    """Refuse to let an account take back its own claim once drawn matches are rated for it."""
    rated = Q(event__rated=True, event__played_rounds__drawn__gt=F("claimed"))
    if nights.filter(rated, claimed_by=by).exists():
        words = f"{by.name} cannot take back their own claim: a round has been drawn since."
        raise _refused(words, event, {by.pk})


def _refused(why: str, event: Event, playing: Collection[int]) -> RefusedError:
    words = f"{why} {who_can(event, playing)}"
    return RefusedError(OWN, words, 403, remedy(event, playing))


def remedy(event: Event, playing: Collection[int]) -> Remedy | None:
    """Return a link to name another director, if no director can do it who does not play."""
    if _other_directors(event, playing):
        return None
    return Remedy("Name a second director", reverse("club_members", args=[event.club.slug]))


def _other_directors(event: Event, playing: Collection[int]) -> list[str]:
    others = event.club.memberships.filter(role__in=DIRECTORS).exclude(player__in=playing)
    return list(others.order_by("player__name").values_list("player__name", flat=True)[:4])


def is_only_director(event: Event, by: Player) -> bool:
    return not event.club.memberships.filter(role__in=DIRECTORS).exclude(player=by).exists()


def who_can(event: Event, playing: Collection[int]) -> str:
    """Return a sentence that names who can do it instead."""
    names = _other_directors(event, playing)
    if names:
        *most, last = names
        return f"{', '.join(most)} or {last} can." if most else f"{last} can."
    return "Nobody else directs this club now: its owner can make another member a director."
