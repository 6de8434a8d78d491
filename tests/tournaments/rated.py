"""Ratings and what changed them, made as rows."""

from datetime import timedelta
from typing import Any

from games.models import Game, Player
from tests.tournaments import build
from tests.tournaments.build import NOON
from tournaments.models import Club, Entry, EntryPlayer, Event, Pairing, Pool, Rating, RatingChange
from tournaments.ratings import rating as rating_service

CLASSIC = "classic online"


def pool(key: str = CLASSIC) -> Pool:
    """A pool, the same at every call."""
    return Pool.objects.get_or_create(key=key)[0]


def matches(number: int, of: Event | None = None) -> list[Pairing]:
    """So many decided matches of the first round of a finished event."""
    event = of or build.event(state=Event.State.FINISHED, ended=NOON)
    round_ = event.played_rounds.create(number=event.played_rounds.count() + 1)
    return [
        round_.pairings.create(number=at + 1, state=Pairing.State.DECIDED, winner=0)
        for at in range(number)
    ]


def change(
    player: Player,
    match: Pairing,
    position: int,
    before: tuple[float, float],
    after: tuple[float, float],
    *,
    days: float = 0,
    **fields: Any,
) -> RatingChange:
    """What the game of a match did to a player's rating, so many days after noon."""
    row = {"number": 1, "side": 0, "winner": 0, "expected": 0.5, "pool": pool()}
    return RatingChange.objects.create(
        player=player,
        pairing=match,
        position=position,
        mu_before=before[0],
        sigma_before=before[1],
        mu_after=after[0],
        sigma_after=after[1],
        at=NOON + timedelta(days=days),
        **{**row, **fields},
    )


def played(*players: Player, of: Club | None = None, **fields: Any) -> Event:
    """A finished event that these have played themselves, one round unless it is said."""
    event = build.event(of, **{"rounds": 1, **fields})
    entries = [
        Entry(event=event, state=Entry.State.ENTERED, arrival=at) for at in range(len(players))
    ]
    for entry, player in zip(Entry.objects.bulk_create(entries), players, strict=True):
        EntryPlayer.objects.create(event=event, entry=entry, player=player)
    build.play_to_end(event)
    Game.objects.filter(table__pairing__round__event=event).update(noted=True, stood_in="0" * 8)
    return event


def rated(*players: Player, of: Club | None = None, **fields: Any) -> Event:
    """A finished event as `played` makes it, with its games rated."""
    event = played(*players, of=of, **fields)
    rating_service.catch_up()
    event.refresh_from_db()
    return event


def rating(player: Player, mu: float, sigma: float = 60.0, **fields: Any) -> Rating:
    """A player's rating after a game at noon, ranked for a hundred days unless it is said."""
    row = {"pool": pool(), "games": 40, "latest": NOON, "ranked_until": NOON + timedelta(days=100)}
    return Rating.objects.create(player=player, mu=mu, sigma=sigma, **{**row, **fields})
