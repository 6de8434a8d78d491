"""Rates the games of finished events, once each and always in the same order.

The order is that of the events' ends, then round, table and game. An event that ended before one
that has been rated, or whose results were corrected, is rated anew together with everything after
it, so that the ratings are always those that follow from all results in order.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import NamedTuple

from django.db import transaction

from games.engine.rules import RuleSet
from games.models import Game, Player
from games.services import performances
from tournaments import ratings
from tournaments.models import Event, Pairing, Pool, Rating, RatingChange
from tournaments.ratings import START, Skill

DAY = 86_400  # seconds
#: Days after his latest rated game during which somebody is ranked.
ACTIVE = 180.0


class Unit(NamedTuple):
    """A rated game.

    Attributes:
        pairing_id: its match.
        number: the game's number in the match, or 0 for a result that a director set.
        sides: the players of both sides.
        winner: 0 or 1, or -1 for a tie.
        at: when it ended.
    """

    pairing_id: int
    number: int
    sides: tuple[tuple[int, ...], tuple[int, ...]]
    winner: int
    at: datetime


@dataclass(slots=True)
class Held:
    """A player's rating while games are gone through; `latest` is None before the first."""

    skill: Skill = START
    games: int = 0
    latest: datetime | None = None


def pool_key(rules: RuleSet) -> str:
    """Return the pool in which online games of a rule set are rated."""
    if rules.players == 2:
        return "heads-up online"
    return "joker online" if rules.joker else "classic online"


def rating_of(player: Player, rules: RuleSet) -> Skill:
    """Return a player's rating for a rule set after his latest rated game; START before any."""
    stored = Rating.objects.filter(player=player, pool__key=pool_key(rules)).first()
    return Skill(stored.mu, stored.sigma) if stored else START


def strengths(event: Event) -> dict[int, float]:
    """Return the sum of the ratings of each entry's players, by entry."""
    players = event.entered_players.filter(active=True).values_list("entry", "player")
    pool = Rating.objects.filter(pool__key=pool_key(event.rules))
    rated = dict(pool.values_list("player", "mu"))
    sums: dict[int, float] = {}
    for entry, player in players:
        sums[entry] = sums.get(entry, 0.0) + rated.get(player, START.mu)
    return sums


def mark(event: Event) -> None:
    """Let a finished event be rated, or rated anew after a correction; nothing if it is unrated."""
    if event.rated:
        Event.objects.filter(pk=event.pk).update(to_rate=True)


def catch_up() -> int:
    """Rate what is to be rated; return how many events were. Twice or late, it does the same."""
    waiting = Event.objects.filter(to_rate=True, state=Event.State.FINISHED)
    keys = {pool_key(event.rules) for event in waiting}
    return sum(_catch_up(key) for key in sorted(keys))


def _catch_up(key: str) -> int:
    pool, _made = Pool.objects.get_or_create(key=key)
    with transaction.atomic():
        Pool.objects.select_for_update().get(pk=pool.pk)
        events = _events(key)
        first = next((at for at, event in enumerate(events) if event.to_rate), None)
        if first is None:
            return 0
        anew = events[first:]
        pool.changes.filter(pairing__round__event__in=anew).delete()
        held = _held(pool)
        position = pool.changes.count()
        changes = _changes(pool, held, (unit for event in anew for unit in units(event)))
        for place, change in enumerate(changes, start=position + 1):
            change.position = place
        RatingChange.objects.bulk_create(changes)
        _store(pool, held)
        Event.objects.filter(pk__in=[event.pk for event in anew]).update(to_rate=False)
        pool.fingerprint = fingerprint(held)
        pool.save(update_fields=["fingerprint"])
        return len(anew)


def _events(key: str) -> list[Event]:
    """The rated events of a pool in the order in which they count."""
    ended = Event.objects.filter(rated=True, state=Event.State.FINISHED).order_by("ended", "pk")
    return [event for event in ended if pool_key(event.rules) == key]


def _held(pool: Pool) -> dict[int, Held]:
    """Everybody's rating after the changes that are stored."""
    held: dict[int, Held] = {}
    for change in pool.changes.order_by("position").iterator():
        mine = held.setdefault(change.player_id, Held())
        mine.skill = Skill(change.mu_after, change.sigma_after)
        mine.games += 1
        mine.latest = change.at
    return held


def _changes(pool: Pool, held: dict[int, Held], played: Iterable[Unit]) -> list[RatingChange]:
    """What games do to ratings, in order; `held` is brought up to date."""
    return [change for unit in played for change in _rate(pool, held, unit)]


def _rate(pool: Pool, held: dict[int, Held], unit: Unit) -> Iterator[RatingChange]:
    players = [[held.setdefault(one, Held()) for one in side] for side in unit.sides]
    before = (
        [_rested(mine, unit.at) for mine in players[0]],
        [_rested(mine, unit.at) for mine in players[1]],
    )
    after = ratings.rated(before, unit.winner)
    chance = ratings.expected(before)
    for side in (0, 1):
        for player, mine, old, new in zip(
            unit.sides[side], players[side], before[side], after[side], strict=True
        ):
            mine.skill, mine.latest = new, unit.at
            mine.games += 1
            yield RatingChange(
                pool=pool,
                pairing_id=unit.pairing_id,
                number=unit.number,
                player_id=player,
                side=side,
                winner=unit.winner,
                expected=chance if side == 0 else 1 - chance,
                mu_before=old.mu,
                sigma_before=old.sigma,
                mu_after=new.mu,
                sigma_after=new.sigma,
                at=unit.at,
            )


def _rested(mine: Held, at: datetime) -> Skill:
    if mine.latest is None:
        return mine.skill
    return ratings.rested(mine.skill, (at - mine.latest).total_seconds() / DAY)


def _store(pool: Pool, held: Mapping[int, Held]) -> None:
    pool.ratings.exclude(player__in=held).delete()
    Rating.objects.bulk_create(
        (
            Rating(
                pool=pool,
                player_id=player,
                mu=mine.skill.mu,
                sigma=mine.skill.sigma,
                games=mine.games,
                latest=mine.latest,
                ranked_until=ranked_until(mine.skill, mine.latest),
            )
            for player, mine in held.items()
            if mine.latest is not None
        ),
        update_conflicts=True,
        unique_fields=["pool", "player"],
        update_fields=["mu", "sigma", "games", "latest", "ranked_until"],
    )


def ranked_until(skill: Skill, latest: datetime) -> datetime:
    """Return when a rating stops being ranked: it is no more settled, or its player inactive."""
    days = min(ratings.settled_for(skill), ACTIVE)
    return latest + timedelta(days=days)


# What is rated -----------------------------------------------------------------------------


def units(event: Event) -> Iterator[Unit]:
    """Return the rated games of an event in order.

    A match counts if only persons were drawn into it and it was not forfeited; a game of it if
    somebody has played in every seat himself. A result that a director set counts once.
    """
    pairings = (
        Pairing.objects.filter(round__event=event, state=Pairing.State.DECIDED)
        .exclude(how=Pairing.How.FORFEIT)
        .exclude(entries__entry__players__player__kind=Player.Kind.HOUSE)
        .prefetch_related("entries__entry__players")
        .order_by("round__number", "number")
    )
    for pairing in pairings:
        sides = _players(pairing)
        if pairing.how == Pairing.How.DIRECTOR:
            yield Unit(pairing.pk, 0, sides, pairing.winner, pairing.decided or event.starts)
            continue
        for game in _games(pairing):
            ended = game.ended or pairing.decided or event.starts
            yield Unit(pairing.pk, game.number, sides, _winner(game), ended)


def _players(pairing: Pairing) -> tuple[tuple[int, ...], tuple[int, ...]]:
    lines = sorted(pairing.entries.all(), key=lambda line: (line.side, line.position))
    first, second = (
        tuple(
            one.player_id for line in lines if line.side == side for one in line.entry.players.all()
        )
        for side in (0, 1)
    )
    return first, second


def _games(pairing: Pairing) -> Iterator[Game]:
    """The games of a match in which somebody has played in every seat himself."""
    for game in Game.objects.filter(table=pairing.table_id, noted=False, ended__isnull=False):
        performances.note(game)
    games = Game.objects.filter(table=pairing.table_id, peopled=True).order_by("number")
    yield from games.defer("secret", "commitment", "mixed")


def _winner(game: Game) -> int:
    """Who won a game, or led it when time was up."""
    if game.state == Game.State.OVER:
        return game.winner
    first, second = game.score_0, game.score_1
    return -1 if first == second else int(second > first)


# The whole again ---------------------------------------------------------------------------


def fingerprint(held: Mapping[int, Held]) -> str:
    """Return a hash of ratings: equal for equal ratings to the last bit."""
    lines = (
        f"{player} {mine.skill.mu.hex()} {mine.skill.sigma.hex()} {mine.games}"
        for player, mine in sorted(held.items())
    )
    return sha256("\n".join(lines).encode()).hexdigest()


def recompute() -> dict[str, str]:
    """Rate everything anew from the results; return each pool's hash."""
    with transaction.atomic():
        finished = Event.objects.filter(rated=True, state=Event.State.FINISHED)
        finished.update(to_rate=True)
        catch_up()
    return dict(Pool.objects.values_list("key", "fingerprint"))


def differing() -> list[str]:
    """Return the pools whose stored ratings are not those that follow from the results.

    Pools with an event that waits to be rated are left out.
    """
    wrong = []
    for pool in Pool.objects.all():
        with transaction.atomic():
            Pool.objects.select_for_update().get(pk=pool.pk)
            events = _events(pool.key)
            if any(event.to_rate for event in events):
                continue
            held: dict[int, Held] = {}
            _changes(pool, held, (unit for event in events for unit in units(event)))
            stored = {
                rating.player_id: Held(Skill(rating.mu, rating.sigma), rating.games)
                for rating in pool.ratings.all()
            }
            if fingerprint(held) != fingerprint(stored):
                wrong.append(pool.key)
    return wrong
