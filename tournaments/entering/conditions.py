"""Conditions for entering an event, and the action to suggest to a reader.

All pages, e-mails and the API make the same suggestion. It depends on the event's times, like the
players' actions, not on the state, which the clock updates later. Whether the reader meets the
conditions is shown on the event's own page.
"""

from datetime import datetime
from enum import StrEnum

from games.models import Game, GameSeat, Performance, Player
from tournaments.events.states import UPCOMING
from tournaments.events.timetable import checking_in
from tournaments.models import Entry, EntryPlayer, Event
from tournaments.models.entries import INCOMPLETE, PLACED
from tournaments.rating_formula import START
from tournaments.ratings import rating_games
from tournaments.times import local_time_in_words

NO_ACCOUNT = "Events are for players with an account: sign up or log in, then register."


def reasons_not_to_enter(event: Event, player: Player | None, now: datetime) -> list[str]:
    """Return all reasons why a player (None: a visitor) cannot enter an event now."""
    reasons = reasons_before_entering(event, player, now)
    if player is not None and (already := entered(event, player)):
        reasons.append(already)
    return reasons


def reasons_before_entering(event: Event, player: Player | None, now: datetime) -> list[str]:
    closed_reason = closed(event, now)
    account = player is not None and player.user_id is not None
    personal = unmet_conditions(event, player) if player and account else [NO_ACCOUNT]
    return [closed_reason, *personal] if closed_reason else personal


def closed(event: Event, now: datetime) -> str:
    """Return why nobody can enter now; empty if entering is open."""
    zone = event.club.zone
    if event.state == Event.State.DRAFT:
        return "This event has not been published."
    if event.state not in UPCOMING:
        return f"This event is {event.get_state_display().lower()}."
    if now < event.registration_opens:
        return f"Registration opens on {local_time_in_words(event.registration_opens, zone)}."
    if now >= event.registration_closes:
        return f"Registration closed on {local_time_in_words(event.registration_closes, zone)}."
    return ""


def in_words(event: Event) -> list[str]:
    """Return the conditions in words: "members of The Old Mill", "ratings from 1400"."""
    low, high = event.min_rating, event.max_rating
    pieces = [
        f"members of {event.club.name}" if event.members_only else "everybody with an account",
        f"{event.min_games} finished games" if event.min_games else "",
        f"ratings from {low}" if low is not None else "",
        f"ratings up to {high}" if high is not None else "",
    ]
    return [piece for piece in pieces if piece]


def unmet_conditions(event: Event, player: Player) -> list[str]:
    reasons = []
    if event.members_only and not event.club.memberships.filter(player=player).exists():
        reasons.append(not_a_member(event))
    if event.min_games:
        games = GameSeat.objects.filter(player=player, game__state=Game.State.OVER).count()
        in_room = Performance.objects.filter(player=player, game=None, result__isnull=False)
        games += in_room.count()
        if games < event.min_games:
            are = "finished game is" if event.min_games == 1 else "finished games are"
            reasons.append(f"{event.min_games} {are} required; {player.name} has {games}.")
    low, high = event.min_rating, event.max_rating
    if low is not None or high is not None:
        mine = round(rating_games.skills_for(event, [player.pk]).get(player.pk, START).mu)
        if low is not None and mine < low:
            reasons.append(f"Requires a rating of at least {low}; {player.name} is rated {mine}.")
        elif high is not None and mine > high:
            reasons.append(f"Requires a rating of at most {high}; {player.name} is rated {mine}.")
    return reasons


def unmet_conditions_for_others(event: Event, player: Player) -> list[str]:
    """Return the conditions that a player does not meet, without details of a private record."""
    reasons = unmet_conditions(event, player)
    if reasons and player.private:
        return [f"{player.name} does not meet the conditions of {event.name}."]
    return reasons


def not_a_member(event: Event) -> str:
    return f"Only members of {event.club.name} can enter."


def entered(event: Event, player: Player) -> str:
    """Return a sentence if the player has already entered, else an empty string."""
    line = (
        EntryPlayer.objects.filter(event=event, player=player, active=True)
        .exclude(entry__state__in=INCOMPLETE)
        .first()
    )
    return f"{player.name} has already entered." if line else ""


class Suggestion(StrEnum):
    """The action an event suggests to a reader: a button to its page, or a value in the API."""

    FINISH = "finish"
    REGISTER = "register"
    WAIT = "wait"
    CHECK_IN = "check_in"
    WATCH = "watch"
    SEE = "see"

    @property
    def label(self) -> str:
        return LABELS[self]


LABELS = {
    Suggestion.FINISH: "Finish the draft",
    Suggestion.REGISTER: "Register",
    Suggestion.WAIT: "Join the waiting list",
    Suggestion.CHECK_IN: "Check in",
    Suggestion.WATCH: "Watch",
    Suggestion.SEE: "See the event",
}


def suggested(event: Event, mine: str, now: datetime, *, full: bool, here: bool) -> Suggestion:
    """Return the action to suggest to a reader; `mine` is the state of their entry, or empty."""
    if event.state == Event.State.DRAFT:
        return Suggestion.FINISH
    if event.state == Event.State.RUNNING:
        return Suggestion.SEE if mine in PLACED else Suggestion.WATCH
    if event.state not in UPCOMING:
        return Suggestion.SEE
    if awaited(event, mine, now, here=here):
        return Suggestion.CHECK_IN
    if mine or closed(event, now):
        return Suggestion.SEE
    return Suggestion.WAIT if full else Suggestion.REGISTER


def awaited(event: Event, mine: str, now: datetime, *, here: bool) -> bool:
    """Return whether an entry may check in now; arguments as for `suggested`."""
    if event.state not in UPCOMING or now >= event.starts or not checking_in(event, now):
        return False
    return mine == Entry.State.ENTERED or (mine == Entry.State.WAITING and not here)
