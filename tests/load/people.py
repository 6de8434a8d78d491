"""People at tables for the benchmarks, and what each may legally do next."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from games.engine.game import Game as Engine

#: The next legal action: which seat, and its text.
Mover = Callable[[], tuple[int, str]]


class Seated(NamedTuple):
    """A table of four people in play.

    Attributes:
        table_id: which.
        cookies: each person's session cookie, by position.
        engine: the same game as the server's, to know what is legal.
        mover: plays on in ``engine`` and says what was done.
    """

    table_id: int
    cookies: list[str]
    engine: Engine
    mover: Mover


def seat_people(tables: int) -> list[Seated]:
    """Make tables of four people each; their games last longer than any measurement."""
    from django.db import transaction

    with transaction.atomic():
        return [_seat_four(number) for number in range(tables)]


def _seat_four(number: int) -> Seated:
    from games.engine.game import Game as Engine
    from games.engine.rules import RuleSet
    from games.models import Player
    from games.seats import seating
    from games.shuffle.dealing import packs_of

    rules = RuleSet(
        key="load", name="Load", deals=100, target=None, packets=(2, 3), stick_the_dealer=True
    )
    people = [Player.objects.create(name=f"Player {number}-{seat}") for seat in range(4)]
    table = seating.make_table(people[0], rules, open=True)
    for seat, person in enumerate(people):
        seating.sit(table, person, seat)
    row = table.games.get()
    engine = Engine(row.rules, row.first_dealer, packs_of(row))
    mover = mover_of(engine, random.Random(number))
    return Seated(table.pk, [cookie_of(person.pk) for person in people], engine, mover)


def cookie_of(player_id: int) -> str:
    """A session of a guest's, as a browser sends it."""
    from django.conf import settings
    from django.contrib.sessions.backends.db import SessionStore

    from games.people.identity import PLAYER_KEY

    session = SessionStore()
    session[PLAYER_KEY] = player_id
    session.save()
    return f"{settings.SESSION_COOKIE_NAME}={session.session_key}"


def mover_of(engine: Engine, chance: random.Random) -> Mover:
    """Plays legal actions by chance in ``engine``, one a call."""

    def move() -> tuple[int, str]:
        action = chance.choice(engine.legal_actions())
        seat = max(engine.turn, 0)
        engine.push(action)
        return seat, str(action)

    return move
