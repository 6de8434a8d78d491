"""Who may enter an event now, and if he may not, why."""

from datetime import datetime

from games.models import Game, GameSeat, Player
from tournaments.events.states import UPCOMING
from tournaments.models import EntryPlayer, Event
from tournaments.models.entries import INCOMPLETE
from tournaments.ratings import rating
from tournaments.times import told

NO_ACCOUNT = "Events are for players with an account: sign up or log in, then register."


def why_not(event: Event, player: Player | None, now: datetime) -> list[str]:
    """Return every reason for which a player cannot enter an event now; none: he can.

    player: None for a visitor.
    """
    reasons = barred(event, player, now)
    if player is not None and (already := entered(event, player)):
        reasons.append(already)
    return reasons


def barred(event: Event, player: Player | None, now: datetime) -> list[str]:
    """Do as `why_not` for one who is known not to have entered."""
    shut = closed(event, now)
    account = player is not None and player.user_id is not None
    personal = not_met(event, player) if player and account else [NO_ACCOUNT]
    return [shut, *personal] if shut else personal


def closed(event: Event, now: datetime) -> str:
    """Return why nobody can enter now, or an empty text."""
    zone = event.club.zone
    if event.state == Event.State.DRAFT:
        return "This event has not been published."
    if event.state not in UPCOMING:
        return f"This event is {event.get_state_display().lower()}."
    if now < event.registration_opens:
        return f"Registration opens on {told(event.registration_opens, zone)}."
    if now >= event.registration_closes:
        return f"Registration closed on {told(event.registration_closes, zone)}."
    return ""


def in_words(event: Event) -> list[str]:
    """Return who may enter, piece by piece: "members of The Old Mill", "ratings from 1400"."""
    low, high = event.min_rating, event.max_rating
    pieces = [
        f"members of {event.club.name}" if event.members_only else "everybody with an account",
        f"{event.min_games} finished games" if event.min_games else "",
        f"ratings from {low}" if low is not None else "",
        f"ratings up to {high}" if high is not None else "",
    ]
    return [piece for piece in pieces if piece]


def not_met(event: Event, player: Player) -> list[str]:
    """Return the conditions of the event that a player does not meet."""
    reasons = []
    if event.members_only and not event.club.memberships.filter(player=player).exists():
        reasons.append(not_a_member(event))
    if event.min_games and (games := finished_games(player)) < event.min_games:
        reasons.append(f"Finished games needed: {event.min_games}. {player.name} has {games}.")
    if event.min_rating is not None or event.max_rating is not None:
        reasons += _rating_not_met(event, player, rating_of(player, event))
    return reasons


def not_met_by_other(event: Event, player: Player) -> list[str]:
    """Do as `not_met`, for somebody else to read: of a private record nothing is told."""
    reasons = not_met(event, player)
    if reasons and player.private:
        return [f"{player.name} does not meet the conditions of {event.name}."]
    return reasons


def _rating_not_met(event: Event, player: Player, mine: int) -> list[str]:
    if event.min_rating is not None and mine < event.min_rating:
        return [f"Ratings from {event.min_rating}. {player.name} has {mine}."]
    if event.max_rating is not None and mine > event.max_rating:
        return [f"Ratings up to {event.max_rating}. {player.name} has {mine}."]
    return []


def not_a_member(event: Event) -> str:
    """Return why somebody who does not belong to the club cannot enter."""
    return f"Only members of {event.club.name} can enter."


def entered(event: Event, player: Player) -> str:
    """Return that a player is in the event, or on its waiting list, already; or an empty text."""
    line = (
        EntryPlayer.objects.filter(event=event, player=player, active=True)
        .exclude(entry__state__in=INCOMPLETE)
        .first()
    )
    return f"{player.name} has entered already." if line else ""


def finished_games(player: Player) -> int:
    """Return how many games a player has finished."""
    return GameSeat.objects.filter(player=player, game__state=Game.State.OVER).count()


def rating_of(player: Player, event: Event) -> int:
    """Return the rating of a player that counts for the event's conditions."""
    return round(rating.rating_of(player, event.rules).mu)
