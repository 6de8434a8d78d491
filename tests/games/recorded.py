"""Games played by chance, as records and as what files are written from."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta
from random import Random

from games.engine import shuffle
from games.engine.actions import CUT, Action
from games.engine.game import Game
from games.engine.rules import RuleSet
from games.files.played import PlayedDeal, PlayedGame, standings
from games.files.record import ABANDONED, CLOCK, OVER, GameRecord, RecordedEvent, RecordedSitter
from tests.property.chance import random_action, random_game
from tests.volume import volume

NAMES = ("Maeve", "Ben", "Iris", "Jonah")
#: Games of each of five kinds of rule set.
GAMES = volume(10, 100, 2000)


def random_record(rules: RuleSet, seed: str, *, events: int | None = None) -> GameRecord:
    """A game played by chance to its end, or given up after so many events."""
    chance = Random(seed)
    game_id, secret = uuid.UUID(int=chance.getrandbits(128)), chance.randbytes(32)
    commitment = shuffle.commit(game_id.bytes, secret)
    commitments, contributions = thrown_in(game_id.bytes, commitment, rules.players, chance)
    at = datetime(2026, 11, 19, 20, 23, tzinfo=UTC)
    record = GameRecord(
        game_id=game_id,
        title=chance.choice(["", "Thursday at the Old Mill, table 4", "“Löwen”"]),
        number=chance.randint(1, 9),
        state=OVER,
        started=at,
        ended=at,
        rules=rules,
        sitters=tuple(
            RecordedSitter(name, chance.choice(["person", "house", "program"]))
            for name in NAMES[: rules.players]
        ),
        commitment=commitment,
        commitments=commitments,
        contributions=contributions,
        mixed=shuffle.mix(game_id.bytes, commitment, commitments, contributions),
        secret=secret,
        events=(),
    )
    game = Game(rules, record.first_dealer, record.pack)
    done: list[RecordedEvent] = []
    while game.legal_actions() and (events is None or len(done) < events):
        action, seat = random_action(game, chance), game.turn
        by = chance.choice(("person", "house")) if seat >= 0 else CLOCK
        if action.kind == CUT and chance.random() < 0.5:
            action, by = Action(CUT, record.cut(game.standing.deal_number - 1)), CLOCK
        game.push(action)
        at += timedelta(microseconds=chance.randrange(9_000_000))
        done.append(RecordedEvent(seat, by, action, at))
    state = OVER if game.standing.over else ABANDONED
    return record._replace(events=tuple(done), ended=at, state=state)


def thrown_in(
    match: bytes, commitment: bytes, seats: int, chance: Random
) -> tuple[tuple[bytes, ...], tuple[bytes, ...]]:
    """Commitments and numbers of the seats; some sent none, some did not tell their number."""
    commitments, numbers = [], []
    for seat in range(seats):
        number, kept = chance.randbytes(32), chance.random()
        promised = shuffle.commit_seat(match, commitment, seat, number)
        commitments.append(promised if kept < 0.8 else shuffle.NOTHING)
        numbers.append(number if kept < 0.7 else shuffle.NOTHING)
    return tuple(commitments), tuple(numbers)


def random_played(rules: RuleSet, seed: str, *, events: int | None = None) -> PlayedGame:
    """The same kind of game as files are written from, without a shuffle behind it."""
    chance, game = Random(seed), random_game(rules, seed)
    deals = [game.deal]
    while game.legal_actions() and (events is None or game.version < events):
        game.push(random_action(game, chance))
        if game.deal is not deals[-1]:
            deals.append(game.deal)
    stood = standings(rules, deals)
    return PlayedGame(
        rules,
        NAMES[: rules.players],
        tuple(PlayedDeal(deal, *both) for deal, both in zip(deals, stood, strict=True)),
        title="Thursday",
    )
