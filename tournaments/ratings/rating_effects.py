"""What a game, and what an event, did to the ratings of those who played; or why nothing.

And line by line what games did to one player's, for those who may know of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, TypeAlias

from django.db.models import QuerySet
from django.urls import reverse

from games.models import Game, Player
from games.records.outcomes import DIRECTOR, RULED, outcome_of
from tournaments.events import states
from tournaments.models import Club, Event, Pairing, RatingChange, RatingHold
from tournaments.rating_formula import Skill
from tournaments.ratings.rating_words import ChangeWords, RatingStep
from tournaments.results.match_lines import visit_path

#: A game: its match and its number there, which is 0 for a result that a director set.
Key: TypeAlias = tuple[int, int]

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
DIRECTOR_RULED: Final = (
    "The director has corrected the result of this match, so it counts once, not game by game."
)


@dataclass(frozen=True, slots=True)
class GameEffects:
    """What a game did: to each player's rating, or why to none.

    words: why none, or why it counts otherwise than it was played; or empty.
    effects: None stands for the change of whoever keeps their record private.
    """

    words: str
    effects: tuple[tuple[Player, ChangeWords | None], ...] = ()


def of_game(game: Game, reader: Player | None) -> GameEffects:
    """Return what a finished game did to ratings.

    reader: who asks, None for a visitor; learns nothing of others who keep their record private.
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
    if not changes:
        return GameEffects(_why_none(pairing, game))
    seats = seats_of(changes)
    effects = []
    for change in changes:
        player, around = change.player, seats[change.pairing_id, change.number]
        told = change_in_words(change, around, "" if player == reader else player.name)
        effects.append((player, told if _open_to(player, reader) else None))
    if any(change.number == 0 for change in changes):
        return GameEffects(DIRECTOR_RULED, tuple(effects))
    ruled = outcome_of(game).said
    return GameEffects(f"Its result is {ruled}." if ruled else "", tuple(effects))


def why_waiting(event: Event) -> str:
    """Return why an event's games are not rated, or not yet; empty once they are."""
    if not event.rated:
        return UNRATED
    if event.state not in states.OVER:
        return LATER
    if event.started is None:
        return CANCELLED
    return SOON if event.to_rate else ""


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
        games: how many of their games were rated.
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
    effects = [
        EventEffect(
            player_id=player,
            name=each[0].player.name,
            mine=each[0].player == reader,
            games=len(each),
            before=Skill(each[0].mu_before, each[0].sigma_before),
            after=Skill(each[-1].mu_after, each[-1].sigma_after),
        )
        for player, each in whole.items()
        if _open_to(each[0].player, reader)
    ]
    effects.sort(key=lambda effect: (-effect.points, effect.name.casefold(), effect.player_id))
    held = RatingHold.objects.filter(
        pairing__round__event=event, state=RatingHold.State.WAITING
    ).count()
    words = "" if whole else WAITING if held else NOTHING
    return EventEffects(words, tuple(effects), len(whole) - len(effects), held)


# Line by line -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RatedGameLine:
    """A rated game as one of its players lived it.

    Attributes:
        at: when it ended.
        change: what it did to the player's rating.
        event: where it was played, None if the reader may not see that, nor then learns with
            and against whom.
        partner, opponents: their names; the first is empty where nobody had a partner.
        score: the points of the player's side and of the other, None if nothing was counted.
        ruled: how the result came about where it is not the log's, see `Outcome.said`.
        path: of the game's page, or of its event's where the result is a director's.
    """

    at: datetime
    change: ChangeWords
    event: Event | None = None
    partner: str = ""
    opponents: str = ""
    score: tuple[int, int] | None = None
    ruled: str = ""
    path: str = ""


def changes_of(player: Player) -> QuerySet[RatingChange]:
    """Return what rated games did to a player, with all that `lines` needs, the latest first."""
    changes = RatingChange.objects.filter(player=player).order_by("-position")
    return changes.select_related("pairing__round__event__club")


def lines(
    changes: Iterable[RatingChange],
    player: Player,
    reader: Player | None,
    clubs: QuerySet[Club],
) -> list[RatedGameLine]:
    """Return changes of one player, from `changes_of`, as lines: in three queries at most.

    Args:
        changes: the changes.
        player: whose they are.
        reader: who reads them, None for a visitor.
        clubs: those the reader may see.
    """
    found = list(changes)
    seats = seats_of(found)
    matches = {
        change.pairing.table_id: change.pairing_id
        for change in found
        if change.pairing.table_id is not None
    }
    played = Game.objects.filter(table__in=matches)
    played = played.select_related("table").defer("rules_data", "secret", "commitment", "mixed")
    games = {(matches[game.table_id], game.number): game for game in played}
    held = {change.pairing.round.event.club_id for change in found}
    seen = set(clubs.filter(pk__in=held).values_list("pk", flat=True)) if held else set()
    told = []
    for change in found:
        key = change.pairing_id, change.number
        around = seats[key]
        may_know = change.pairing.round.event.club_id in seen or any(
            reader is not None and seat.player_id == reader.pk for seat in around
        )
        name = "" if reader == player else player.name
        if not may_know:
            told.append(RatedGameLine(change.at, change_in_words(change, (), name)))
            continue
        game = games.get(key)
        pairing, event = change.pairing, change.pairing.round.event
        words = change_in_words(change, around, name)
        if game is not None:
            ended = outcome_of(game)
            score, ruled, path = ended.score, ended.said, visit_path(event, pairing, game.pk)
        else:
            score, ruled = pairing.points, RULED[DIRECTOR]
            path = reverse("event_round", args=[event.pk, pairing.round.number])
            path += f"#round-{pairing.round.number}-table-{pairing.number}"
        told.append(
            RatedGameLine(
                at=change.at,
                change=words,
                event=event,
                partner=words.partner,
                opponents=" and ".join(
                    seat.player.name for seat in around if seat.side != change.side
                ),
                score=(score[change.side], score[1 - change.side]),
                ruled=ruled,
                path=path,
            )
        )
    return told


def seats_of(changes: Sequence[RatingChange]) -> dict[Key, list[RatingChange]]:
    """Return the changes of all who played in the games that made these."""
    pairings = {change.pairing_id for change in changes}
    rows = RatingChange.objects.filter(pairing__in=pairings).order_by("pk")
    seats: dict[Key, list[RatingChange]] = {}
    for row in rows.select_related("player").only("pairing", "number", "side", "player__name"):
        seats.setdefault((row.pairing_id, row.number), []).append(row)
    return seats


def change_in_words(change: RatingChange, seats: Iterable[RatingChange], name: str) -> ChangeWords:
    """Return a change as words tell it.

    Args:
        change: what happened to a player.
        seats: who played in the game; without them nothing is told of a partner.
        name: how the player is called, empty for who reads it.
    """
    partners = (
        seat.player.name
        for seat in seats
        if seat.side == change.side and seat.player_id != change.player_id
    )
    return ChangeWords(
        name=name,
        partner=" and ".join(partners),
        before=Skill(change.mu_before, change.sigma_before),
        after=Skill(change.mu_after, change.sigma_after),
        expected=change.expected,
        outcome=outcome(change),
        weight=change.weight,
    )


def outcome(change: RatingChange) -> int:
    """Return how the game ended for the player: 1 won, 0 tied, -1 lost."""
    if change.winner < 0:
        return 0
    return 1 if change.winner == change.side else -1
