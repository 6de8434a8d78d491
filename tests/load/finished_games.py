"""Bytes a finished game takes: ``python -m tests.load.finished_games --data DIR --games 2000``.

House players play games of four with rows as people's play stores them: with the browsers' numbers
in the shuffle, their keys and times to the microsecond; noted and published. Then they are
archived. Printed are the bytes a game of each table and index after `VACUUM`, before and after, and
the time it took. The record of every hundredth game must be the same before and after.
"""

from __future__ import annotations

import argparse
import random
import time
import uuid
from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from tests.load.fill import use

if TYPE_CHECKING:
    from games.models import Player, Table

PEOPLE: Final = 100
#: Days ago at which the games are played.
AGO: Final = 60


def main(arguments: Sequence[str] | None = None) -> None:
    """Play the games and print what they take."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--data", required=True, help="data folder, made if it is missing")
    parser.add_argument("--database", help="address of an empty database; default: the folder's")
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args(arguments)
    use(asked.data, asked.database)
    nothing = sizes()
    begun = time.monotonic()
    play(asked.games, random.Random(asked.seed))
    print(f"{asked.games:,} games played in {time.monotonic() - begun:.0f} s")
    tell(nothing, asked.games)
    records, begun = every_hundredth(), time.monotonic()
    archived = archive(asked.games)
    print(
        f"{archived:,} games archived, {1000 * (time.monotonic() - begun) / archived:.1f} ms each"
    )
    tell(nothing, asked.games)
    same = sum(one == records[game] for game, one in every_hundredth().items())
    print(f"{same} of {len(records)} records are the same")


def every_hundredth() -> dict[uuid.UUID, bytes]:
    """Return the record files of every hundredth game."""
    from games.models import Game
    from games.records.game_files import record_file

    return {game.pk: record_file(game) for game in Game.objects.order_by("ended")[::100]}


def archive(games: int) -> int:
    """Archive all games and return how many."""
    from django.utils import timezone

    from games.records import archiving

    return archiving.archive_due(timezone.now(), games)


def play(games: int, chance: random.Random) -> None:
    """Play games, three of four among four persons, the others of one with the house."""
    from django.db import transaction
    from django.utils import timezone

    from games.fairness import publishing
    from games.models import Player, User
    from games.records import performances
    from games.shuffle import public_log

    people = [
        Player.objects.create(
            name=f"Player {number}", user=User.objects.create(email=f"{number}@example.com")
        )
        for number in range(PEOPLE)
    ]
    for done in range(0, games, 50):
        with transaction.atomic():
            for number in range(done, min(done + 50, games)):
                play_one(chance.sample(people, 4), chance, house=number % 4 == 0)
        performances.record_ended()
        while publishing.publish_ended(timezone.now()):
            pass
        public_log.chain()


def play_one(seated: list[Player], chance: random.Random, *, house: bool) -> None:
    """Play one game and store it as the journal does."""
    from django.utils import timezone

    from games.bots.house import choose
    from games.engine.actions import CUT, NEXT_DEAL, Action, action_text
    from games.engine.game import Game as Play
    from games.engine.observation import CUTTING
    from games.engine.rules import CLASSIC_24
    from games.models import Game, GameEvent, Table
    from games.seats import seating
    from games.shuffle.dealing import auto_cut_of, packs_of

    people = dict(enumerate(seated[:1] if house else seated))
    table = seating.make_table(
        seated[0],
        CLASSIC_24,
        seat=0,
        throws_in=True,
        house_seats=(1, 2, 3) if house else (),
        beside=[seating.Newcomer(people[at], at, True) for at in people if at > 0],
    )
    throw_in(table, people, chance)
    game = table.games.get()
    engine, cuts = Play(game.rules, game.first_dealer, packs_of(game)), auto_cut_of(game)
    at = timezone.now() - timedelta(days=AGO)
    game.started = at
    events = []
    while not engine.standing.over:
        seat = engine.turn
        if engine.between_deals:
            action = NEXT_DEAL
        elif engine.deal.phase == CUTTING:
            action = Action(CUT, cuts(engine.standing.deal_number - 1))
        else:
            action = choose(engine.observe(seat), chance)
        engine.push(action)
        at += timedelta(seconds=chance.uniform(1, 5))
        by = "clock" if seat < 0 else "person" if seat in people else "house"
        person = by == "person"
        events.append(
            GameEvent(
                game=game, seq=engine.version, seat=seat, by=by, action=action_text(action), at=at,
                player_id=people[seat].pk if person else None,
                client_key=str(uuid.UUID(int=chance.getrandbits(128))) if person else None,
            )
        )  # fmt: skip
    GameEvent.objects.bulk_create(events)
    standing = engine.standing
    game.state, game.ended, game.moved, game.winner = Game.State.OVER, at, at, standing.winner
    game.score_0, game.score_1 = standing.score
    game.deal_number, game.turn, game.version, game.due = (
        standing.deal_number, -1, engine.version, None,
    )  # fmt: skip
    game.save()
    Table.objects.filter(pk=table.pk).update(state=Table.State.FINISHED)


def throw_in(table: Table, people: dict[int, Player], chance: random.Random) -> None:
    """Let everybody's browser contribute its number to the shuffle, which starts the game."""
    from games.engine import shuffle as euf1
    from games.shuffle import shuffling

    shuffle = table.shuffles.get()
    match, commitment = shuffle.pk, bytes(shuffle.commitment)
    numbers = {at: chance.randbytes(32) for at in people}
    for at, number in numbers.items():
        promise = euf1.commit_seat(match.bytes, commitment, at, number)
        shuffling.commit(table.pk, people[at].pk, match, promise)
    for at, number in numbers.items():
        shuffling.reveal(table.pk, people[at].pk, match, number)


def sizes() -> dict[str, int]:
    """Return the bytes of each table and index after the database has been packed."""
    from django.db import connection

    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("VACUUM")
            cursor.execute("SELECT name, SUM(pgsize) FROM dbstat GROUP BY name")
        else:
            cursor.execute("VACUUM FULL")
            cursor.execute(
                "SELECT relname, CASE relkind WHEN 'r' THEN pg_table_size(oid)"
                " ELSE pg_relation_size(oid) END FROM pg_class WHERE relkind IN ('r', 'i')"
                " AND relnamespace = 'public'::regnamespace"
            )
        return {name: int(size) for name, size in cursor.fetchall()}


def tell(before: dict[str, int], games: int) -> None:
    """Print the bytes a game of everything that has grown."""
    grown = {name: size - before.get(name, 0) for name, size in sizes().items()}
    for name, size in sorted(grown.items(), key=lambda one: -one[1]):
        if size > 16_384:
            print(f"{size / games:10,.0f}  {name}")
    print(f"{sum(grown.values()) / games:10,.0f}  a game in all")


if __name__ == "__main__":
    main()
