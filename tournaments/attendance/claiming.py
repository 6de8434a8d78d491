"""Results of a walk-in that an account claims by the code, once, and taking the claim back."""

from datetime import datetime

from django.db.models import Q

from games.models import Performance, Player
from tournaments.changes import row_locks
from tournaments.events import acts
from tournaments.events.notices import note
from tournaments.models import Act, Entry, Event, Pairing, Substitution, Trophy, WalkIn
from tournaments.ratings import rating_games
from tournaments.refusals import RefusedError


def why_not(walk_in: WalkIn, player: Player) -> str:
    """Return why an account cannot claim these results; empty if it can."""
    event = walk_in.event
    if walk_in.claimed_by_id is not None:
        return "These results have been claimed. If that is wrong, ask a director of the club."
    lines = event.entered_players.filter(player=player).exists()
    if lines or Substitution.objects.filter(entry__event=event, player=player).exists():
        return f"{player.name} is in this event already, and nobody plays twice in one event."
    return ""


def claim(walk_in: WalkIn, player: Player, now: datetime) -> None:
    """Make the results of a walk-in those of an account: entry, history and, in time, rating.

    What was drawn before the claim is never rated (`ratings.units`): otherwise people would
    choose the matches that count. Raises RefusedError ``account``, 403, for a guest, or
    ``claimed``: see `why_not`.
    """
    if player.user_id is None:
        raise RefusedError("account", "Sign up or log in first, then claim your results.", 403)
    with row_locks.changing(walk_in.event) as event:
        row = event.walk_ins.select_related("event", "player").get(pk=walk_in.pk)
        if why := why_not(row, player):
            raise RefusedError("claimed", why)
        entry = Entry.objects.filter(event=event, players__player=row.player).first()
        _give(event, row.player, player)
        row.claimed_by, row.claimed = player, now
        row.save(update_fields=["claimed_by", "claimed"])
        note(event, f"{row.player.name}: results claimed by {player.name}.", player)
        acts.record(
            event, Act.Kind.CLAIM, player, now, on=entry,
            before={"players": [row.player_id]}, after={"players": [player.pk]},
        )  # fmt: skip


def undo(event: Event, act: Act, _by: Player, _now: datetime) -> None:
    """Take a claim back: the results are a walk-in's again, and the code can claim them."""
    row = event.walk_ins.select_related("player", "claimed_by").get(player=act.before["players"][0])
    if row.claimed_by is None:
        raise RefusedError("depends", "The claim has been taken back.")
    if act.entry_id is not None:
        there = Q(players__player=row.claimed_by) | Q(substitutions__player=row.claimed_by)
        if event.entries.filter(there).exclude(pk=act.entry_id).exists():
            words = f"{row.claimed_by.name} has had another place in this event since."
            raise RefusedError("depends", words)
    seated = Pairing.objects.filter(
        round__event=event, in_room=False, entries__entry__players__player=row.claimed_by
    )
    online = seated.exclude(state=Pairing.State.DECIDED).first()
    if online is not None and event.state == Event.State.RUNNING:
        words = f"{row.claimed_by.name} plays online at table {online.number}, which a walk-in"
        raise RefusedError("depends", f"{words} cannot. Wait until that match is over.")
    _give(event, row.claimed_by, row.player)
    row.claimed_by = row.claimed = None
    row.save(update_fields=["claimed_by", "claimed"])


def _give(event: Event, giver: Player, taker: Player) -> None:
    """Make the seats, the results and the prize of one player in an event those of another."""
    event.entered_players.filter(player=giver).update(player=taker)
    Substitution.objects.filter(entry__event=event, player=giver).update(player=taker)
    Trophy.objects.filter(event=event, player=giver).update(player=taker)
    matches = Pairing.objects.filter(round__event=event)
    counted = Performance.objects.filter(match__in=matches.values("pk"))
    for place in ("player", "partner", "left", "right"):
        counted.filter(**{place: giver}).update(**{place: taker})
    rating_games.queue_rating(event)
