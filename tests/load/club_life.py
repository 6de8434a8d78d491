"""Years of club life by chance: people, clubs, rated events, games at tables, and ratings."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from random import Random
from typing import Final, NamedTuple
from uuid import UUID

from games.engine.rules import HEADS_UP, RULE_SETS, RuleSet
from games.models import Player
from tests.load.samples import Sample, sample
from tests.load.sheets import DATA, ROUNDS, Sheets
from tournaments import rating_formula as formula
from tournaments.rating_formula import START, Skill
from tournaments.ratings.rating_games import pool_key, ranked_until

YEARS: Final = 3
ROUND: Final = timedelta(minutes=25)
MAX_TABLES: Final = 16
HOUSE_PLAYERS: Final = 8
LARGE: Final = 200  # members of the first club
SAMPLES: Final = 400  # different games a rule set
FOUR: Final = tuple(rules for rules in RULE_SETS.values() if rules.players == 4)
FIRST: Final = ("Maeve", "Ben", "Iris", "Jonah", "Otto", "Clara", "Theo", "Nora", "Silas", "Ada")
LAST: Final = ("Aldous", "Brandt", "Cole", "Doyle", "Ekman", "Flynn", "Grant", "Hale", "Ivers")
COUNTRIES: Final = ("", "IE", "GB", "US", "CA", "DE", "NZ")


class Night(NamedTuple):
    """An event being played. entries: its entries with their players. points: by entry."""

    event: int
    rules: RuleSet
    host: int
    starts: datetime
    entries: dict[int, tuple[int, ...]]
    points: Counter[int]


class Match(NamedTuple):
    """Entries drawn to a table in a round, and the players by seat."""

    round_id: int
    number: int
    table: int
    entries: Sequence[int]
    seated: Sequence[int]
    called: datetime
    ended: datetime


class ClubLife:
    """Makes all rows for so many persons and games until `now`.

    The first person, Maeve, plays each event of the first club and has the most games.
    """

    def __init__(self, players: int, games: int, now: datetime, seed: int = 1) -> None:
        self.people, self.wanted, self.now = range(1, players + 1), games, now
        self.begins = now - timedelta(days=365 * YEARS)
        self.rng, self.sheets = Random(seed), Sheets(now)
        self.strength = {player: self.rng.gauss(0, 90) for player in self.people}
        self.samples = {
            rules.key: [sample(rules, self.rng) for _ in range(SAMPLES)]
            for rules in (*FOUR, HEADS_UP)
        }
        self.members: dict[int, list[int]] = {}
        self.played: Counter[int] = Counter()
        self.pools: dict[str, int] = {}
        self.skills: dict[int, dict[int, tuple[Skill, datetime, int]]] = defaultdict(dict)
        self.positions: Counter[int] = Counter()

    def write(self) -> None:
        """Write everything."""
        self._make_people()
        self._make_clubs()
        for number in range(self.wanted):
            if self.sheets.games.count >= self.wanted * 9 // 10:
                break
            self._make_event(number)
        while self.sheets.games.count < self.wanted:
            self._play_for_itself()
        for pool, held in self.skills.items():
            for player, (skill, latest, games) in held.items():
                until = ranked_until(skill, latest)
                self.sheets.ratings.add(pool, player, *skill, games, latest, until)
        self.sheets.finish()

    def _make_people(self) -> None:
        for player in self.people:
            first, last = FIRST[(player - 1) % 10], LAST[player // 10 % 9]
            name = first if player <= len(FIRST) else f"{first} {last} {player}"
            user = self.sheets.users.add(f"player{player}@example.com")
            private = player > len(FIRST) and self.rng.random() < 0.02
            country = self.rng.choice(COUNTRIES)
            self.sheets.players.add(name, Player.Kind.PERSON, user, private, country)
        for number in range(HOUSE_PLAYERS):
            self.sheets.players.add(f"House {number + 1}", Player.Kind.HOUSE, None, False, "")

    def _make_clubs(self) -> None:
        everybody = list(self.people)
        size = min(LARGE, len(everybody))
        groups = [everybody[:size]]
        groups += [everybody[at : at + 100] for at in range(size, len(everybody), 100)]
        for number, members in enumerate(groups, start=1):
            guests = self.rng.sample(everybody, len(everybody) // 500) if number > 1 else []
            joining = ("open", "open", "approval", "open", "invitation")[(number - 1) % 5]
            self._make_club(number, sorted({*members, *guests}), joining)

    def _make_club(self, number: int, members: list[int], joining: str) -> None:
        country = self.rng.choice(COUNTRIES)
        club = self.sheets.clubs.add(
            f"Club {number}", f"club-{number}", joining, country, f"k{number}"
        )
        self.members[club] = members
        for place, player in enumerate(members):
            role = ("owner", "director")[place] if place < 2 else "member"
            self.sheets.members.add(club, player, role, self.begins)
        for year in range(self.begins.year, self.now.year + 1):
            for name, first, last in (("Spring", (1, 1), (6, 30)), ("Autumn", (7, 1), (12, 31))):
                days = [self.now.replace(year, *day).date() for day in (first, last)]
                self.sheets.seasons.add(club, f"{name} {year}", *days)

    def _make_event(self, number: int) -> None:
        """Let an event be played; one in fourteen is the first club's."""
        others = len(self.members) - 1
        club = 1 if number % 14 == 0 or not others else 2 + number % others
        done = self.sheets.games.count / (self.wanted * 0.9)
        day = self.begins + (self.now - timedelta(days=1) - self.begins) * min(done, 1.0)
        starts = day.replace(hour=19, minute=30, second=0, microsecond=0)
        rules, pairs = FOUR[number % len(FOUR) if club > 1 else 0], number % 5 < 2
        coming = self._coming(club)
        opens = starts - timedelta(days=7)
        event = self.sheets.events.add(
            club, f"Night {number + 1}", DATA[rules.key], self.members[club][0],
            "swiss" if pairs else "progressive", 256,
            opens, starts, starts, starts, starts + ROUNDS * ROUND,
        )  # fmt: skip
        size = 2 if pairs else 1
        groups = [tuple(coming[at : at + size]) for at in range(0, len(coming), size)]
        first = self.sheets.entries.count + 1
        entries = {first + at: group for at, group in enumerate(groups)}
        night = Night(event, rules, self.members[club][0], starts, entries, Counter())
        for round_number in range(1, ROUNDS + 1):
            self._play_round(night, round_number)
        self._place(night)

    def _coming(self, club: int) -> list[int]:
        """Who comes, by number, so that neighbours are often partners; always a multiple of 4."""
        members = self.members[club]
        tables = max(1, min(MAX_TABLES, int(len(members) * self.rng.uniform(0.4, 0.9)) // 4))
        return sorted([members[0], *self.rng.sample(members[1:], 4 * tables - 1)])

    def _play_round(self, night: Night, number: int) -> None:
        called = night.starts + (number - 1) * ROUND
        ended = called + timedelta(minutes=20)
        round_ = self.sheets.rounds.add(night.event, number, called, ended)
        order = self.rng.sample(sorted(night.entries), len(night.entries))
        size = 4 // len(night.entries[order[0]])
        for place, at in enumerate(range(0, len(order), size), start=1):
            drawn = order[at : at + size]
            seated = [player for one in drawn for player in night.entries[one]]
            if size == 2:
                seated = [seated[0], seated[2], seated[1], seated[3]]
            self._play_match(night, Match(round_, number, place, drawn, seated, called, ended))

    def _play_match(self, night: Night, match: Match) -> None:
        title = f"Night {night.event} · round {match.number} · table {match.table}"
        back = f"/events/{night.event}/"
        table = self._table(night.rules, night.host, match.called, title, back)
        when = match.called, match.ended
        played = self._play(table, night.rules, match.seated, when)
        winner, score = played.winner, played.score
        pairing = self.sheets.pairings.add(
            match.round_id, match.table, table, winner, *score, 1 - winner, winner, match.ended
        )
        for position, entry in enumerate(match.entries):
            side = position % 2
            self.sheets.drawn.add(match.round_id, pairing, entry, side, position // 2)
            night.points[entry] += score[side]
        self._rate(pairing, night.rules, match.seated, winner, match.ended)

    def _place(self, night: Night) -> None:
        order = sorted(night.entries, key=lambda entry: (-night.points[entry], entry))
        places = {entry: place for place, entry in enumerate(order, start=1)}
        for arrival, (entry, players) in enumerate(night.entries.items(), start=1):
            self.sheets.entries.add(night.event, arrival, arrival, arrival, places[entry])
            for position, player in enumerate(players):
                self.sheets.entered.add(night.event, entry, player, position)
                if places[entry] <= 3:
                    self.sheets.trophies.add(night.event, player, places[entry], len(order))

    def _play_for_itself(self) -> None:
        """A game of no event; Maeve sits down at each until they are enough."""
        rules = HEADS_UP if self.rng.random() < 0.2 else self.rng.choice(FOUR)
        seated = self.rng.sample(self.people, rules.players)
        if self.played[1] < min(3000, self.wanted // 20) and 1 not in seated:
            seated[0] = 1
        if rules.players == 4 and self.rng.random() < 0.3:
            seated[3] = self.people[-1] + self.rng.randint(1, HOUSE_PLAYERS)
        ended = self.now - (self.now - self.begins) * self.rng.random()
        called = ended - timedelta(minutes=20)
        table = self._table(rules, seated[0], called)
        self._play(table, rules, seated, (called, ended))

    def _table(
        self, rules: RuleSet, host: int, made: datetime, title: str = "", back: str = ""
    ) -> int:
        shown = bool(back) or self.rng.random() < 0.8
        return self.sheets.tables.add(DATA[rules.key], shown, host, made, bool(back), title, back)

    def _play(
        self, table: int, rules: RuleSet, seated: Sequence[int], when: tuple[datetime, datetime]
    ) -> Sample:
        """Write a game and what everybody did in it; the stronger side wins more often."""
        lead = sum(self.strength.get(one, 0) * (-1) ** seat for seat, one in enumerate(seated))
        wins = int(self.rng.random() > 1 / (1 + 10 ** (-lead / 800)))
        played = self.rng.choice(self.samples[rules.key])
        if played.winner != wins:
            played = played.turned()
        game = UUID(int=self.rng.getrandbits(128), version=4)
        called, ended = when
        self.sheets.games.add(
            game, table, DATA[rules.key], called, ended, ended, played.seats[0][0],
            *played.score, played.winner, "0" * played.seats[0][0],
        )  # fmt: skip
        for seat, player in enumerate(seated):
            self.sheets.seats.add(table, seat, player, called, ended)
            self.sheets.game_seats.add(game, seat, player)
        for row in self._did(rules, seated, played, ended):
            self.sheets.performances.add(game, *row)
        return played

    def _did(
        self, rules: RuleSet, seated: Sequence[int], played: Sample, ended: datetime
    ) -> Iterator[tuple[object, ...]]:
        for seat, player in enumerate(seated):
            if player > self.people[-1]:
                continue
            self.played[player] += 1
            side, partner = rules.side_of(seat), rules.partner_of(seat)
            yield (
                player,
                None if partner is None else seated[partner],
                seated[rules.after(seat)],
                seated[seat - 1] if rules.players > 2 else None,
                seat,
                rules.name,
                ended,
                1 if side == played.winner else -1,
                played.score[side],
                played.score[1 - side],
                *played.seats[seat],
            )

    def _rate(
        self, pairing: int, rules: RuleSet, seated: Sequence[int], winner: int, at: datetime
    ) -> None:
        key = pool_key(rules)
        pool = self.pools.get(key) or self.pools.setdefault(key, self.sheets.pools.add(key))
        held = self.skills[pool]
        sides = seated[0::2], seated[1::2]
        before = (
            [self._rested(pool, one, at) for one in sides[0]],
            [self._rested(pool, one, at) for one in sides[1]],
        )
        after, chance = formula.updated(before, winner), formula.expected(before)
        for side, expected in enumerate((chance, 1 - chance)):
            for player, old, new in zip(sides[side], before[side], after[side], strict=True):
                self.positions[pool] += 1
                games = held[player][2] + 1 if player in held else 1
                held[player] = new, at, games
                self.sheets.changes.add(
                    pool, pairing, player, self.positions[pool], side, winner, expected,
                    *old, *new, at,
                )  # fmt: skip

    def _rested(self, pool: int, player: int, at: datetime) -> Skill:
        if player not in self.skills[pool]:
            return START
        skill, latest, _games = self.skills[pool][player]
        return formula.after_rest(skill, (at - latest).total_seconds() / 86_400)
