"""Finished rated events with their games, written as rows: nobody has to play them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import islice
from random import Random
from typing import Any

from django.db import transaction
from django.utils import timezone

from games.engine.rules import CLASSIC_24, RuleSet, rules_to_data
from games.models import Game, Player, Table
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON
from tournaments.models import Entry, EntryPlayer, Event, Pairing, PairingEntry, Round

#: Tables of an event, and rounds: each table plays one game in each round.
TABLES, ROUNDS = 8, 4
HANDS = 8  # of a game
GAMES_AN_EVENT = TABLES * ROUNDS
#: Events whose rows are written together.
TOGETHER = 40


def people(number: int) -> list[Player]:
    """So many persons."""
    return Player.objects.bulk_create(
        (Player(name=f"Player {n + 1}") for n in range(number)), batch_size=1000
    )


def play(
    events: int,
    players: Sequence[Player],
    *,
    seed: int = 1,
    rules: RuleSet = CLASSIC_24,
    tables: int = TABLES,
    rounds: int = ROUNDS,
) -> list[int]:
    """Write events that have finished, one every six hours; return their keys in order.

    Each is for partnerships drawn from `players`, at so many tables in so many rounds; who wins is
    chance, and one game in twenty is stopped by time.
    """
    club = build.club(f"Club {seed} {rules.name}")
    director = players[0]
    numbers = iter(range(events))
    written: list[int] = []
    while some := list(islice(numbers, TOGETHER)):
        with transaction.atomic():
            made = Event.objects.bulk_create(
                Event(
                    club=club,
                    name=f"Evening {number + 1}",
                    rules_data=rules_to_data(rules),
                    created_by=director,
                    format=Event.Format.ROUND_ROBIN,
                    capacity=2 * tables,
                    registration_opens=starts - timedelta(days=1),
                    registration_closes=starts,
                    starts=starts,
                    state=Event.State.FINISHED,
                    ended=starts + (rounds + 1) * MINUTE,
                )
                for number, starts in ((n, NOON + n * timedelta(hours=6)) for n in some)
            )
            _Writer(Random(f"{seed} {some[0]}"), made, players, tables, rounds).write()
        written += [event.pk for event in made]
    return written


class _Writer:
    """Writes entries, rounds, matches and games of some events, each kind at once."""

    def __init__(
        self, rng: Random, events: list[Event], players: Sequence[Player], tables: int, rounds: int
    ) -> None:
        self.rng = rng
        self.events = events
        self.players = players
        self.tables = tables
        self.rounds = rounds

    def write(self) -> None:
        entries = Entry.objects.bulk_create(
            Entry(event=event, state=Entry.State.ENTERED, arrival=arrival + 1)
            for event in self.events
            for arrival in range(2 * self.tables)
        )
        size = self.events[0].team_size
        EntryPlayer.objects.bulk_create(self._entered(entries, size))
        played = Round.objects.bulk_create(
            Round(event=event, number=number + 1)
            for event in self.events
            for number in range(self.rounds)
        )
        at = Table.objects.bulk_create(
            Table(
                rules_data=round_.event.rules_data,
                host=self.players[0],
                state=Table.State.FINISHED,
                reserved=True,
            )
            for round_ in played
            for _table in range(self.tables)
        )
        pairings = Pairing.objects.bulk_create(
            Pairing(
                round=played[n // self.tables],
                number=n % self.tables + 1,
                table=table,
                state=Pairing.State.DECIDED,
                how=Pairing.How.PLAYED,
                rated=True,
                played_out=True,
                decided=_ended(played[n // self.tables]),
            )
            for n, table in enumerate(at)
        )
        PairingEntry.objects.bulk_create(self._drawn(pairings, entries))
        Game.objects.bulk_create(self._game(pairing) for pairing in pairings)

    def _entered(self, entries: list[Entry], size: int) -> Iterator[EntryPlayer]:
        many = 2 * self.tables
        for at in range(0, len(entries), many):
            chosen = iter(self.rng.sample(self.players, many * size))
            for entry in entries[at : at + many]:
                for position in range(size):
                    yield EntryPlayer(
                        event=entry.event, entry=entry, player=next(chosen), position=position
                    )

    def _drawn(self, pairings: list[Pairing], entries: list[Entry]) -> Iterator[PairingEntry]:
        many = 2 * self.tables
        for at in range(0, len(pairings), self.tables):
            first = at // self.tables // self.rounds * many
            drawn = iter(self.rng.sample(entries[first : first + many], many))
            for pairing in pairings[at : at + self.tables]:
                for side in (0, 1):
                    yield PairingEntry(
                        round=pairing.round, pairing=pairing, entry=next(drawn), side=side
                    )

    def _game(self, pairing: Pairing) -> Game:
        score = self.rng.choice([(10, self.rng.randrange(10)), (self.rng.randrange(10), 10)])
        stopped = self.rng.random() < 0.05
        return game(pairing, score, stopped=stopped)


def game(pairing: Pairing, score: tuple[int, int], number: int = 1, **fields: Any) -> Game:
    """A game of a match that persons have played to a score, not saved.

    It ended by its rules unless `stopped` says that time was up; then the score may be a tie.
    """
    stopped = fields.pop("stopped", False)
    if stopped:
        score = (score[0] // 2, score[1] // 2)
    first, second = score
    return Game(
        table=pairing.table,
        number=number,
        rules_data=pairing.round.event.rules_data,
        secret=b"",
        commitment=b"",
        mixed=b"",
        first_dealer=0,
        started=timezone.now(),
        ended=_ended(pairing.round),
        state=Game.State.ABANDONED if stopped else Game.State.OVER,
        score_0=first,
        score_1=second,
        winner=-1 if stopped else int(second > first),
        noted=True,
        published=True,
        **{"stood_in": "0" * HANDS, **fields},
    )


def _ended(round_: Round) -> datetime:
    """When the games of a round ended."""
    return round_.event.starts + round_.number * MINUTE
