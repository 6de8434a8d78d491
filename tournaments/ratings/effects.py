"""Rating changes for pages: of a game, of an event, and of one player game by game.

Changes of private records are shown to their players only, and names of a closed club's players
to those who may see the club or played with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias, cast
from uuid import UUID

from django.db.models import Q, QuerySet
from django.urls import reverse

from games.models import Game, Player
from games.records.outcomes import DIRECTOR, FORFEIT, RULED, outcome_of
from tournaments.events import states
from tournaments.models import Club, Event, Pairing, Pool, RatingChange, RatingHold
from tournaments.rating_formula import Skill, kind_and_place
from tournaments.ratings.words import ChangeWords, RatingStep
from tournaments.results.match_lines import visit_path

#: A game: its match, or the key of the quick game, and its number there; 0 for a result that a
#: director set.
Key: TypeAlias = tuple[int | UUID | None, int]

CASUAL: Final = "Nothing changed: only rated quick games and games of rated events are rated."
QUICK_SOON: Final = "The game is being rated: the changes appear here in a moment."
STOPPED: Final = "Nothing changed: the game was not played to its end."
UNRATED: Final = "Nothing changes: this event is not rated."
LATER: Final = "Its games are rated when the event is over."
SOON: Final = "The event is over and is being rated: the changes appear here in a moment."
CANCELLED: Final = "Nothing changed: the event was called off before it began."
WAITING: Final = "Its games wait for a moderator of this site before they are rated."
NOTHING: Final = "Nothing changed: no game of this event could be rated."
HOUSE: Final = "Nothing changed: a house player sat in one seat."
ABSENT: Final = "Nothing changed: not everybody had come when this match began."
GIVEN_UP: Final = "Nothing changed: the game was given up."
NOT_YET: Final = "Nothing changed: this game was not rated."
SET: Final = "Nothing changed: the director set the result before the game was over."
#: What is said of a game with real cards, by how its match was decided.
_RULED_IN_ROOM: Final = {
    Pairing.How.DIRECTOR.value: RULED[DIRECTOR],
    Pairing.How.FORFEIT.value: RULED[FORFEIT],
    Pairing.How.TIME.value: "on time",
}
DIRECTOR_RULED: Final = (
    "The director has corrected the result of this match, so it counts once, not game by game."
)


@dataclass(frozen=True, slots=True)
class GameEffects:
    """The rating changes of a game; a change is None for players whose record is private.

    `words` say why there are none, or why the result is not the one played. `soon`: there will be
    some within seconds.
    """

    words: str
    effects: tuple[tuple[Player, ChangeWords | None], ...] = ()
    soon: bool = False


def of_game(game: Game, reader: Player | None) -> GameEffects:
    """Return the rating changes of a finished game, as `reader` (None: a visitor) may see them."""
    if game.table.rated:
        return _of_quick_game(game, reader)
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
    effects = _in_words(changes, reader)
    if any(change.number == 0 for change in changes):
        return GameEffects(DIRECTOR_RULED, effects)
    ruled = outcome_of(game).said
    return GameEffects(f"Its result is {ruled}." if ruled else "", effects)


def _of_quick_game(game: Game, reader: Player | None) -> GameEffects:
    changes = list(game.rating_changes.select_related("player").order_by("side", "pk"))
    if changes:
        return GameEffects("", _in_words(changes, reader))
    held = _why_held(RatingHold.objects.filter(game=game).first())
    if held or game.state != Game.State.OVER:
        return GameEffects(held or STOPPED)
    return GameEffects(QUICK_SOON, soon=True)


def _in_words(
    changes: Sequence[RatingChange], reader: Player | None
) -> tuple[tuple[Player, ChangeWords | None], ...]:
    seats = seats_of(changes)
    effects = []
    for change in changes:
        player, around = change.player, seats[key_of(change)]
        words = change_in_words(change, around, "" if player == reader else player.name)
        effects.append((player, words if _open_to(player, reader) else None))
    return tuple(effects)


def why_waiting(event: Event) -> str:
    """Return why an event's games are not rated (yet), or an empty text."""
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
    left = Q(entry__substitutions__until__gte=pairing.round.number)
    left &= Q(entry__substitutions__player__kind=Player.Kind.HOUSE)
    now = Q(entry__players__player__kind=Player.Kind.HOUSE)
    if pairing.entries.filter(now | left).exists():
        return HOUSE
    if not pairing.rated:
        return ABSENT
    held = _why_held(RatingHold.objects.filter(pairing=pairing).first())
    if held:
        return held
    if game.state == Game.State.ABANDONED:
        return SET if pairing.how == Pairing.How.DIRECTOR else GIVEN_UP
    return NOT_YET


def _why_held(hold: RatingHold | None) -> str:
    if hold is None or hold.state == RatingHold.State.PASSED:
        return ""
    if hold.state == RatingHold.State.REFUSED:
        return f"Nothing changed: a moderator of this site has refused to rate it. {hold.words}"
    reason = hold.get_reason_display().lower()
    return f"Waiting for a moderator of this site before it is rated: {reason}."


# An event -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class EventEffect(RatingStep):
    """The change of one player's rating in a pool; `games` is the number of rated games."""

    player: Player
    pool: Pool
    games: int
    before: Skill
    after: Skill

    @property
    def sentence(self) -> str:
        games = f"{self.games} rated game{'s' * (self.games != 1)}"
        games += " in the room" * kind_and_place(self.pool.key)[1]
        way = f"{round(self.before.mu)} to {round(self.after.mu)}"
        if not self.points:
            return f"You stayed at {round(self.after.mu)} in {games}."
        return (
            f"You {'gained' if self.points > 0 else 'lost'} {abs(self.points)} in {games}: {way}."
        )


@dataclass(frozen=True, slots=True)
class EventEffects:
    """The rating changes of an event, the largest gain first.

    A player has two in a mixed event: online, and in the room. `hidden` counts the players left
    out because their record is private.
    """

    words: str
    effects: tuple[EventEffect, ...] = ()
    hidden: int = 0
    waiting: int = 0
    mine: tuple[EventEffect, ...] = ()

    @property
    def pools(self) -> tuple[tuple[Pool, tuple[EventEffect, ...]], ...]:
        """The changes pool by pool."""
        found = sorted({effect.pool for effect in self.effects}, key=lambda pool: pool.key)
        return tuple(
            (pool, tuple(one for one in self.effects if one.pool == pool)) for pool in found
        )


def of_event(event: Event, reader: Player | None) -> EventEffects:
    every = RatingChange.objects.filter(pairing__round__event=event)
    return _effects_of(event, every, reader)


def own_in(event: Event, reader: Player | None) -> EventEffects:
    own = RatingChange.objects.filter(pairing__round__event=event, player=reader)
    return replace(_effects_of(event, own, reader), words=why_waiting(event))


def _effects_of(
    event: Event, changes: QuerySet[RatingChange], reader: Player | None
) -> EventEffects:
    waiting = why_waiting(event)
    if waiting:
        return EventEffects(waiting)
    whole: dict[tuple[int, int], list[RatingChange]] = {}
    for change in changes.select_related("player", "pool").order_by("position"):
        whole.setdefault((change.player_id, change.pool_id), []).append(change)
    effects = [
        EventEffect(
            player=each[0].player,
            pool=each[0].pool,
            games=len(each),
            before=each[0].before,
            after=each[-1].after,
        )
        for each in whole.values()
        if _open_to(each[0].player, reader)
    ]
    effects.sort(
        key=lambda effect: (-effect.points, effect.player.name.casefold(), effect.player.pk)
    )
    held = RatingHold.objects.filter(
        pairing__round__event=event, state=RatingHold.State.WAITING
    ).count()
    words = "" if whole else WAITING if held else NOTHING
    mine = tuple(effect for effect in effects if effect.player == reader)
    hidden = {player for player, _pool in whole} - {effect.player.pk for effect in effects}
    return EventEffects(words, tuple(effects), len(hidden), held, mine)


# Line by line -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RatedGameLine:
    """A rated game in one player's history.

    If the reader may not see the event it is None; then partner, opponents and path are empty too.
    `quick`: the quick game, which has no event. `ruled` is how the result came about if not by
    play, see `Outcome.said`. `path` leads to the round if a director set the result, or the game
    was played in the room.
    """

    change: ChangeWords
    event: Event | None = None
    quick: UUID | None = None
    opponents: str = ""
    score: tuple[int, int] | None = None
    ruled: str = ""
    path: str = ""


def changes_of(player: Player) -> QuerySet[RatingChange]:
    """Return a player's rating changes for `lines`, the latest first."""
    changes = RatingChange.objects.filter(player=player).order_by("-position")
    return changes.select_related("pairing__round__event__club", "game__table")


def lines(
    changes: Iterable[RatingChange],
    player: Player,
    reader: Player | None,
    clubs: QuerySet[Club],
) -> list[RatedGameLine]:
    """Return one player's changes, from `changes_of`, as lines, in at most three queries."""
    found = list(changes)
    seats = seats_of(found)
    matches = {
        change.pairing.table_id: change.pairing_id
        for change in found
        if change.pairing is not None and change.pairing.table_id is not None
    }
    played = Game.objects.filter(table__in=matches)
    played = played.select_related("table").defer("rules_data", "secret", "commitment", "mixed")
    games: dict[Key, Game] = {(matches[game.table_id], game.number): game for game in played}
    held = {change.pairing.round.event.club_id for change in found if change.pairing is not None}
    seen = set(clubs.filter(pk__in=held).values_list("pk", flat=True)) if held else set()
    lines = []
    for change in found:
        key = key_of(change)
        around = seats[key]
        if change.pairing is None:
            lines.append(_quick_line(change, around, "" if reader == player else player.name))
            continue
        may_know = change.pairing.round.event.club_id in seen or any(
            reader is not None and seat.player_id == reader.pk for seat in around
        )
        name = "" if reader == player else player.name
        if not may_know:
            lines.append(RatedGameLine(change_in_words(change, (), name)))
            continue
        game = games.get(key)
        score: tuple[int, int] | None
        pairing, event = change.pairing, change.pairing.round.event
        words = change_in_words(change, around, name)
        if game is not None:
            ended = outcome_of(game)
            score, ruled, path = ended.score, ended.said, visit_path(event, pairing, game.pk)
        else:
            score, ruled = pairing.points, RULED[DIRECTOR]
            if pairing.in_room:
                score, ruled = _in_room(pairing, change.number)
            path = reverse("event_round", args=[event.pk, pairing.round.number])
            path += f"#round-{pairing.round.number}-table-{pairing.number}"
        lines.append(
            RatedGameLine(
                change=words,
                event=event,
                opponents=_opponents(change, around),
                score=(score[change.side], score[1 - change.side]) if score else None,
                ruled=ruled,
                path=path,
            )
        )
    return lines


def _quick_line(change: RatingChange, around: Sequence[RatingChange], name: str) -> RatedGameLine:
    """Return the line of a quick game, whose players everybody may know."""
    game = cast("Game", change.game)  # a change without a match has one
    ended = outcome_of(game)
    first, second = ended.score[change.side], ended.score[1 - change.side]
    return RatedGameLine(
        change=change_in_words(change, around, name),
        quick=game.pk,
        opponents=_opponents(change, around),
        score=(first, second),
        ruled=ended.said,
        path=reverse("game", args=[game.pk]),
    )


def _opponents(change: RatingChange, around: Iterable[RatingChange]) -> str:
    return " and ".join(seat.player.name for seat in around if seat.side != change.side)


def _in_room(pairing: Pairing, number: int) -> tuple[tuple[int, int] | None, str]:
    """Return the score of a game with real cards, and how its match was decided if not by play.

    The score is None if a correction has taken it away that is not rated yet.
    """
    ruled = _RULED_IN_ROOM.get(pairing.how, "")
    if number > len(pairing.scores):
        return None, ruled
    first, second = pairing.scores[number - 1]
    return (first, second), ruled


def key_of(change: RatingChange) -> Key:
    return change.pairing_id or change.game_id, change.number


def seats_of(changes: Sequence[RatingChange]) -> dict[Key, list[RatingChange]]:
    pairings = {change.pairing_id for change in changes} - {None}
    games = {change.game_id for change in changes} - {None}
    which = Q(pairing__in=pairings) | Q(game__in=games)
    if not (pairings and games):  # a condition with "or" would not use an index
        which = Q(pairing__in=pairings) if pairings else Q(game__in=games)
    rows = RatingChange.objects.filter(which).order_by("pk").select_related("player")
    seats: dict[Key, list[RatingChange]] = {}
    for row in rows.only("pairing", "game", "number", "side", "player__name"):
        seats.setdefault(key_of(row), []).append(row)
    return seats


def change_in_words(change: RatingChange, seats: Iterable[RatingChange], name: str) -> ChangeWords:
    """Return a change in words; without `seats` the partner's name is hidden.

    `name` is empty if the player is the reader.
    """
    partners = (
        seat.player.name
        for seat in seats
        if seat.side == change.side and seat.player_id != change.player_id
    )
    return ChangeWords(change, name, " and ".join(partners))
