"""A day of quick games by different matching rules: ``python -m tests.load.quick_games``.

Ten thousand people come over a day, most of them in the evening, and press "Play now"; the rule in
use (`games.quick.matching`) and others decide with whom they sit. Times are drawn: how long hands
last, how long people stay, what they like to play. Prints for each rule what people wait, the share
who wait more than three seconds, the people in a hand, the distance between a newcomer's rating and
the mean of the table, and how many of the people met have been met in the hour before.
"""

from __future__ import annotations

import argparse
import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count
from random import Random
from statistics import mean, median, quantiles
from typing import NamedTuple

from games.quick import matching
from games.quick.matching import QuickOffer, QuickPlayer, Weights

DAY = 24 * 3600.0
HOUR = 3600.0
#: Seconds of the product: to gather, to be asked, to wait for a hand at most, between two hands.
GATHER, ASKED, AT_MOST, PAUSE = 2.0, 3.0, 60.0, 6.0
#: Share of newcomers whom somebody at the table refuses.
REFUSED = 0.03
#: What people like to play: rule set and pace, with shares.
WISHES = ("stick relaxed", "stick fast", "classic relaxed", "classic fast", "joker", "other")
SHARES = (0.42, 0.14, 0.2, 0.07, 0.11, 0.06)
#: People who come in each hour of the day, as shares.
HOURS = (2, 1, 1, 1, 1, 1, 2, 3, 4, 4, 4, 5, 6, 5, 5, 5, 6, 7, 9, 12, 13, 11, 7, 4)
#: Seconds of a hand, its logarithm spread; games in hands; how long people stay, in seconds.
HAND, HAND_SPREAD = {True: 32.0, False: 52.0}, 0.3
STAY, STAY_SPREAD = 35 * 60.0, 0.8


class Rule(NamedTuple):
    """A rule to compare; joins: whether newcomers join tables that are playing."""

    name: str
    weights: Weights
    joins: bool = True


RULES = (
    Rule("new tables only", matching.WEIGHTS, joins=False),
    Rule("the fullest table, however long", Weights(1, 0, 0, 0, 1000)),
    Rule("in use", matching.WEIGHTS),
    Rule("in use, but 20 s at most", matching.WEIGHTS._replace(most=20)),
    Rule("in use, but however long", matching.WEIGHTS._replace(most=1000)),
    Rule("in use, without ratings and people met", matching.WEIGHTS._replace(rating=0, again=0)),
    Rule("in use, ratings and people met doubled", matching.WEIGHTS._replace(rating=2, again=2)),
)


@dataclass(eq=False)
class Person:
    number: int
    rating: float
    wish: str
    leaves: float
    pressed: float = 0.0
    met: dict[int, list[float]] = field(default_factory=dict)
    passed: set[int] = field(default_factory=set)

    def looking(self, now: float) -> QuickPlayer:
        """The person as the rule sees them."""
        met = {who: sum(now - at < HOUR for at in times) for who, times in self.met.items()}
        return QuickPlayer(self.number, self.rating, now - self.pressed, met)


@dataclass(eq=False)
class Table:
    number: int
    wish: str
    people: list[Person]
    ends: float = 0.0
    hands_left: int = 0
    coming: list[tuple[float, Person]] = field(default_factory=list)

    def offer(self, now: float, chance: Random) -> QuickOffer:
        """The table as the rule sees it, which guesses when the hand ends."""
        people = [*self.people, *(one for _, one in self.coming)]
        usual = HAND["fast" in self.wish]
        ends_in = max(0.0, self.ends - now) * chance.uniform(0.7, 1.3) + PAUSE
        if now > self.ends:
            ends_in = self.ends + PAUSE - now
            ends_in += (usual + PAUSE) * (ends_in < ASKED)
        return QuickOffer(
            self.number, {one.number: one.rating for one in people}, 4 - len(people), ends_in
        )


@dataclass
class Figures:
    waits: list[float] = field(default_factory=list)
    distances: list[float] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    met: int = 0
    again: int = 0


class Simulation:
    def __init__(self, rule: Rule, people: int, seed: int) -> None:
        self.rule, self.chance, self.figures = rule, Random(seed), Figures()
        self.numbers, self.order = count(1), count()
        self.tables: dict[str, dict[int, Table]] = {wish: {} for wish in WISHES}
        self.waiting: dict[str, list[Person]] = {wish: [] for wish in WISHES}
        self.events: list[tuple[float, int, str, Person | Table | str]] = []
        for number in range(people):
            hour = self.chance.choices(range(24), HOURS)[0]
            comes = (hour + self.chance.random()) * HOUR
            stays = self.chance.lognormvariate(0, STAY_SPREAD) * STAY
            wish = self.chance.choices(WISHES, SHARES)[0]
            person = Person(number, self.chance.gauss(1500, 130), wish, comes + stays)
            self.at(comes, "press", person)

    def at(self, when: float, what: str, whom: Person | Table | str) -> None:
        """Let something happen at a time."""
        heapq.heappush(self.events, (when, next(self.order), what, whom))

    def run(self) -> Figures:
        """Live through the day."""
        while self.events:
            now, _, what, whom = heapq.heappop(self.events)
            if isinstance(whom, Person):
                self.press(whom, now)
            elif isinstance(whom, Table):
                self.hand_ends(whom, now)
            elif what == "tick":
                self.open_tables(whom, now)
        return self.figures

    def press(self, person: Person, now: float) -> None:
        """Join a table that is playing, else the queue."""
        person.pressed, person.passed = now, set()
        self.look(person, now)

    def look(self, person: Person, now: float) -> None:
        offers = [
            table.offer(now, self.chance)
            for table in self.tables[person.wish].values()
            if table.number not in person.passed
        ]
        chosen = None
        if self.rule.joins:
            seeker = person.looking(now)
            chosen = matching.choose_table(seeker, offers, nobody_apart, self.rule.weights)
        if chosen is not None:
            self.tables[person.wish][chosen.table].coming.append((now, person))
        else:
            self.wait(person, now)

    def wait(self, person: Person, now: float) -> None:
        self.waiting[person.wish].append(person)
        self.at(max(now, person.pressed + GATHER), "tick", person.wish)

    def open_tables(self, wish: str, now: float) -> None:
        waiting = {one.number: one for one in self.waiting[wish]}
        looking = [one.looking(now + 0.001) for one in waiting.values()]
        for group in matching.gather(looking, 4, GATHER, nobody_apart, self.rule.weights):
            table = Table(next(self.numbers), wish, [])
            self.tables[wish][table.number] = table
            for number in group:
                self.sit(table, waiting.pop(number), now)
            self.new_game(table, now)
        self.waiting[wish] = list(waiting.values())

    def new_game(self, table: Table, now: float) -> None:
        table.hands_left = max(5, round(self.chance.gauss(12, 3)))
        self.deal(table, now)

    def deal(self, table: Table, now: float) -> None:
        usual = HAND["fast" in table.wish]
        table.ends = now + usual * self.chance.lognormvariate(0, HAND_SPREAD)
        self.figures.sizes.append(len(table.people))
        self.at(table.ends + PAUSE, "hand", table)

    def hand_ends(self, table: Table, now: float) -> None:
        """Let people go, let newcomers sit down, and deal the next hand."""
        table.people = [one for one in table.people if one.leaves > now]
        coming, table.coming = table.coming, []
        for asked, person in coming:
            if now - asked > AT_MOST:
                self.wait(person, asked + AT_MOST)
            elif self.chance.random() < REFUSED:
                person.passed.add(table.number)
                self.look(person, now)
            elif now - asked < ASKED:
                table.coming.append((asked, person))
            else:
                self.sit(table, person, now)
        table.hands_left -= 1
        if table.hands_left <= 0:
            for one in [one for one in table.people if self.chance.random() < 0.4]:
                table.people.remove(one)
                self.at(now + 5, "press", one)
        if not table.people:
            del self.tables[table.wish][table.number]
            for _, person in table.coming:
                self.look(person, now)
        elif table.hands_left <= 0:
            self.new_game(table, now)
        else:
            self.deal(table, now)

    def sit(self, table: Table, person: Person, now: float) -> None:
        """Seat somebody, and count what they waited for and whom they meet."""
        figures = self.figures
        figures.waits.append(now - person.pressed)
        if table.people:
            level = mean(one.rating for one in table.people)
            figures.distances.append(abs(person.rating - level))
        for other in table.people:
            figures.met += 1
            figures.again += any(now - at < HOUR for at in person.met.get(other.number, ()))
            person.met.setdefault(other.number, []).append(now)
            other.met.setdefault(person.number, []).append(now)
        table.people.append(person)


def nobody_apart(_one: int, _other: int) -> bool:
    return False


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line for each rule."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("people", nargs="?", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    print("rule | waiting: median, p95, max s | over 3 s | people a hand | distance | met again")
    for rule in RULES:
        got = Simulation(rule, options.people, options.seed).run()
        late = sum(one > 3.01 for one in got.waits) / len(got.waits)
        print(
            f"{rule.name} | {median(got.waits):.1f}, {quantiles(got.waits, n=20)[-1]:.1f}, "
            f"{max(got.waits):.0f} | {late:.0%} | {mean(got.sizes):.2f} | "
            f"{mean(got.distances or [0]):.0f} | {got.again / max(1, got.met):.1%}"
        )


if __name__ == "__main__":
    main()
