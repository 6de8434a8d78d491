"""What a game, and what an event, did to the ratings of those who played; or why nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from django.db.models import QuerySet

from games.models import Game, Player
from games.records.outcomes import outcome_of
from tournaments.events import states
from tournaments.models import Event, Pairing, RatingChange, RatingHold
from tournaments.ratings.rating_history import change_in_words, seats_of
from tournaments.ratings.rating_words import ChangeWords, RatingStep
from tournaments.skill import Skill

CASUAL: Final = "Nothing changed: only games of rated events are rated."
UNRATED: Final = "Nothing changes: this event is not rated."
LATER: Final = "Its games are rated when the event is over."
SOON: Final = "The event is over and is being rated: the changes stand here in a moment."
CANCELLED: Final = "Nothing changed: the event was called off before it began."
WAITING: Final = "Its games wait for a moderator of this site before they are rated."
NOTHING: Final = "Nothing changed: no game of this event could be rated."
HOUSE: Final = "Nothing changed: a house player sat in one seat."
ABSENT: Final = "Nothing changed: not everybody had come when this match began."
GIVEN_UP: Final = "Nothing changed: the game was given up."
NOT_YET: Final = "Nothing changed: this game was not rated."
SET: Final = "Nothing changed: the director set the result before the game was over."
DIRECTOR: Final = (
    "The director has corrected the result of this match, so it counts once, not game by game."
)


@dataclass(frozen=True, slots=True)
class Effect:
    """What happened to one player's rating.

    Attributes:
        player_id, name: whose.
        mine: whether it is the reader's.
        change: None if he keeps his record private.
    """

    player_id: int
    name: str
    mine: bool
    change: ChangeWords | None


@dataclass(frozen=True, slots=True)
class GameEffects:
    """What a game did: one effect each, or why there are none.

    words: why none, or why it counts otherwise than it was played; or empty.
    """

    words: str
    effects: tuple[Effect, ...] = ()


def of_game(game: Game, reader: Player | None) -> GameEffects:
    """Return what a finished game did to ratings.

    reader: who asks, None for a visitor; of others who keep their record private he learns nothing.
    """
    pairings = Pairing.objects.select_related("round__event")
    pairing = pairings.filter(table=game.table_id).first()
    if pairing is None:
        return GameEffects(CASUAL)
    waiting = why_waiting(pairing.round.event)
    if waiting:
        return GameEffects(waiting)
    found = pairing.rating_changes.filter(number__in=(0, game.number)).select_related("player")
    changes = list(found.order_by("side", "pk"))
    effects = tuple(_effects(changes, reader))
    if not effects:
        return GameEffects(_why_none(pairing, game))
    if any(change.number == 0 for change in changes):
        return GameEffects(DIRECTOR, effects)
    ruled = outcome_of(game).said
    return GameEffects(f"Its result is {ruled}." if ruled else "", effects)


def why_waiting(event: Event) -> str:
    """Return why an event's games are not rated, or not yet; empty once they are."""
    if not event.rated:
        return UNRATED
    if event.state not in states.OVER:
        return LATER
    if event.started is None:
        return CANCELLED
    return SOON if event.to_rate else ""


def _effects(changes: Sequence[RatingChange], reader: Player | None) -> Iterator[Effect]:
    seats = seats_of(changes)
    for change in changes:
        player, mine = change.player, change.player == reader
        around = seats[change.pairing_id, change.number]
        told = change_in_words(change, around, "" if mine else player.name)
        shown = told if _open_to(player, reader) else None
        yield Effect(player.pk, player.name, mine, shown)


def _open_to(player: Player, reader: Player | None) -> bool:
    return not player.private or player == reader


def _why_none(pairing: Pairing, game: Game) -> str:
    if pairing.entries.filter(entry__players__player__kind=Player.Kind.HOUSE).exists():
        return HOUSE
    if not pairing.rated:
        return ABSENT
    hold = RatingHold.objects.filter(pairing=pairing).first()
    if hold is not None and hold.state != RatingHold.State.PASSED:
        reason = hold.get_reason_display().lower()
        if hold.state == RatingHold.State.REFUSED:
            return f"Nothing changed: a moderator of this site has refused to rate it. {hold.words}"
        return f"Waiting for a moderator of this site before it is rated: {reason}."
    if game.state == Game.State.ABANDONED:
        return SET if pairing.how == Pairing.How.DIRECTOR else GIVEN_UP
    return NOT_YET


# An event -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class EventEffect(RatingStep):
    """What an event did to one player's rating.

    Attributes:
        player_id, name: whose.
        mine: whether it is the reader's.
        games: how many of his games were rated.
        before, after: the rating.
    """

    player_id: int
    name: str
    mine: bool
    games: int
    before: Skill
    after: Skill

    @property
    def sentence(self) -> str:
        """The change to whom it happened: "You gained 23 in 8 rated games: 1500 to 1523."."""
        games = f"{self.games} rated game{'s' * (self.games != 1)}"
        way = f"{round(self.before.mu)} to {round(self.after.mu)}"
        if not self.points:
            return f"You stayed at {round(self.after.mu)} in {games}."
        return (
            f"You {'gained' if self.points > 0 else 'lost'} {abs(self.points)} in {games}: {way}."
        )


@dataclass(frozen=True, slots=True)
class EventEffects:
    """What an event did, who gained most first, or why nothing.

    Attributes:
        words: why nothing.
        effects: of each whose record is not private.
        hidden: how many are.
        waiting: how many of its matches wait for a moderator.
    """

    words: str
    effects: tuple[EventEffect, ...] = ()
    hidden: int = 0
    waiting: int = 0

    @property
    def mine(self) -> EventEffect | None:
        """What it did to the reader."""
        return next((effect for effect in self.effects if effect.mine), None)


def of_event(event: Event, reader: Player | None) -> EventEffects:
    """Return what an event did to the ratings of all who played in it.

    reader: who asks, None for a visitor; others who keep their record private are only counted.
    """
    every = RatingChange.objects.filter(pairing__round__event=event)
    return _effects_of(event, every, reader)


def own_in(event: Event, reader: Player | None) -> EventEffects:
    """Return what an event did to the rating of who asks (None: a visitor), and of nobody else."""
    own = RatingChange.objects.filter(pairing__round__event=event, player=reader)
    return replace(_effects_of(event, own, reader), words=why_waiting(event))


def _effects_of(
    event: Event, changes: QuerySet[RatingChange], reader: Player | None
) -> EventEffects:
    waiting = why_waiting(event)
    if waiting:
        return EventEffects(waiting)
    whole: dict[int, list[RatingChange]] = {}
    for change in changes.select_related("player").order_by("position"):
        whole.setdefault(change.player_id, []).append(change)
    shown = [each for each in whole.values() if _open_to(each[0].player, reader)]
    effects = [_event_effect(each, reader) for each in shown]
    effects.sort(key=lambda effect: (-effect.points, effect.name.casefold(), effect.player_id))
    held = RatingHold.objects.filter(
        pairing__round__event=event, state=RatingHold.State.WAITING
    ).count()
    words = "" if whole else WAITING if held else NOTHING
    return EventEffects(words, tuple(effects), len(whole) - len(shown), held)


def _event_effect(changes: Sequence[RatingChange], reader: Player | None) -> EventEffect:
    first, last = changes[0], changes[-1]
    return EventEffect(
        player_id=first.player_id,
        name=first.player.name,
        mine=first.player == reader,
        games=len(changes),
        before=Skill(first.mu_before, first.sigma_before),
        after=Skill(last.mu_after, last.sigma_after),
    )
