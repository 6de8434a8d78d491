"""Asking the API as a program does, and a club with something of everything in it."""

import json
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.test import Client
from django.utils import timezone

from games.models import Performance, Player, Scope
from games.programs import tokens
from tests.factories import member
from tests.tournaments import build
from tournaments.models import Club, Event, Pool

ALL = tuple(Scope)


def token_of(
    player: Player, *scopes: Scope, expires: datetime | None = None, now: datetime | None = None
) -> str:
    """A new token of a player; without scopes it has all of them."""
    _token, secret = tokens.make(player, "Test", scopes or ALL, expires, now or timezone.now())
    return secret


def ask(path: str, token: str = "", *, method: str = "GET", body: Any = None, **query: Any) -> Any:
    """Ask the API; path: after `/api`."""
    headers = {"authorization": f"Bearer {token}"} if token else {}
    return Client().generic(
        method,
        f"/api{path}",
        "" if body is None else as_json(body),
        content_type="application/json",
        query_params=query,
        headers=headers,
    )


def as_json(body: Any) -> str:
    """A body as JSON; a text stays as it is, also where it is none."""
    return body if isinstance(body, str) else json.dumps(body)


@dataclass(frozen=True, slots=True)
class Scene:
    """A club with a season and two events: one that is over, and one that can be entered."""

    club: Club
    over: Event
    coming: Event
    maeve: Player

    def anew(self) -> "Scene":
        """The same as it is stored: for a test of its own in a database that lasts."""
        return Scene(
            Club.objects.get(pk=self.club.pk),
            Event.objects.get(pk=self.over.pk),
            Event.objects.get(pk=self.coming.pk),
            Player.objects.get(pk=self.maeve.pk),
        )

    @property
    def season(self) -> int:
        """The club's only season."""
        return self.club.seasons.get().pk


def scene(joining: str = Club.Joining.OPEN) -> Scene:
    """A club whose member Maeve has an account; eight others have played its first event."""
    club = build.club(joining=joining)
    maeve = member("Maeve")
    build.joined(club, maeve)
    club.seasons.create(name="Spring", first_day=date(2026, 3, 1), last_day=date(2026, 5, 31))
    over = build.event(club, rounds=3, name="First")
    build.enter(over, 8)
    build.play_to_end(over)
    rated(maeve, over)
    now = timezone.now()
    coming = build.event(
        club,
        name="Second",
        created_by=maeve,
        registration_opens=now - build.MINUTE,
        registration_closes=now + 60 * build.MINUTE,
        starts=now + 60 * build.MINUTE,
    )
    return Scene(club, over, coming, maeve)


def rated(player: Player, event: Event) -> None:
    """Give a player a rating, a change of it and a game, as if they had won the first match."""
    pairing = event.played_rounds.get(number=1).pairings.get(number=1)
    assert pairing.table is not None
    game = pairing.table.games.get()
    pool = Pool.objects.create(key="classic online")
    at = timezone.now()
    pool.ratings.create(
        player=player, mu=1516.4, sigma=118.2, games=1, latest=at, ranked_until=at - build.MINUTE
    )
    pool.changes.create(
        pairing=pairing,
        number=1,
        player=player,
        position=1,
        side=0,
        winner=0,
        expected=0.5,
        mu_before=1500.0,
        sigma_before=120.0,
        mu_after=1516.4,
        sigma_after=118.2,
        at=at,
    )
    players = [seat.player for seat in game.seats.select_related("player").order_by("position")]
    Performance.objects.create(
        game=game,
        player=player,
        partner=players[2],
        left=players[1],
        right=players[3],
        position=0,
        rules=game.rules.name,
        ended=at,
        result=1,
        points=10,
        against=5,
        deals=9,
        called=4,
        made=3,
        marched=1,
        euchred=1,
        called_1=4,
        trumps_1=12,
        worth=20.0,
        worth_against=18.5,
    )
