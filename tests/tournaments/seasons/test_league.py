"""A league of two divisions over ten generated nights, added up again from the public exports.

Nothing of the club's own arithmetic is used: places, points, who moves, prizes and attendance
follow from the results, entries and lots that everybody can download.
"""

from __future__ import annotations

import csv
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import date, timedelta
from io import StringIO
from random import Random
from typing import Any

import pytest
from django.test import Client

from games.models import Player
from tests.factories import logged_in, people
from tests.tournaments import build
from tests.tournaments.build import NOON, ruled
from tests.tournaments.seasons.test_divisions import split
from tournaments.acts import correcting
from tournaments.models import Club, Event, Pairing, Season
from tournaments.seasons import seasons
from tournaments.seasons.rule import Rule, SeasonTie

pytestmark = pytest.mark.django_db

NIGHTS, ROUNDS, BEST, MOVERS = 10, 3, 8, 2
PAIRS_ON = (4, 8)  # nights with a knock-out for pairs, in which places are shared
ENTRY, TO_CLUB, TO_POT, PERCENT = 535, 100, 35, (50, 30, 20)
RULE = Rule(
    attendance=2, below=1, match_won=1, best=BEST, ties=(SeasonTie.EVENINGS, SeasonTie.WINS)
)
MONEY: dict[str, Any] = {
    "currency": "EUR",
    "entry_money": ENTRY,
    "club_share": TO_CLUB,
    "lone_pot": TO_POT,
    "prizes": [{"amount": 0, "percent": percent} for percent in PERCENT],
}


# The league -----------------------------------------------------------------------------------


@dataclass
class League:
    club: Club
    season: Season
    director: Player
    events: list[Event] = field(default_factory=list)


@pytest.fixture
def league() -> League:
    """Nine players in each division, three guests, and ten nights played in the room."""
    rng, mill = Random(13), build.club(currency="EUR")
    players = people(21)
    season = mill.seasons.create(
        name="Spring", first_day=NOON.date(), last_day=NOON.date() + timedelta(days=90)
    )
    seasons.set_rule(season, RULE, None)
    split(season, {"First": players[:9], "Second": players[9:18]}, MOVERS)
    made = League(mill, season, build.director(mill))
    for night in range(1, NIGHTS + 1):
        made.events.append(play(made, night, players, rng))
    return made


def play(league: League, night: int, players: list[Player], rng: Random) -> Event:
    """Play a night with chance results: a rotation, some with sit-outs, or a knock-out."""
    starts = NOON + timedelta(days=7 * night)
    form: dict[str, Any] = {"format": "rotation", "rounds": ROUNDS, "sit_out": "fixed"}
    if night in PAIRS_ON:
        form = {"format": "single_elimination"}
    event = build.event(
        league.club, name=f"Night {night}", place="room", rated=False, starts=starts,
        registration_opens=starts - timedelta(days=1), registration_closes=starts,
        tie_breaks=["wins", "point_difference"] if night not in PAIRS_ON else [],
        created_by=league.director, **form, **MONEY,
    )  # fmt: skip
    build.let_in(event, rng.sample(players, 16 if night in PAIRS_ON else rng.choice((15, 16, 18))))
    build.begin(event, starts)
    while event.state == Event.State.RUNNING and event.final_at is None:
        for match in build.latest(event).pairings.exclude(state=Pairing.State.DECIDED):
            side, lost = rng.randrange(2), rng.randrange(5)
            lone = (int(rng.random() < 0.3), 0)
            ruling = ruled(side, ((5, lost), (lost, 5))[side])._replace(
                lone=lone if side == 0 else lone[::-1]
            )
            correcting.set_result(match, league.director, ruling, reason="", now=starts)
        build.step(event, starts)
    if event.final_at is not None:
        build.step(event, event.final_at)
    assert event.state == Event.State.FINISHED
    return event


# The plain recomputation ----------------------------------------------------------------------


@dataclass
class Night:
    """An event as its exports say it; all by entry."""

    number: int
    players: dict[int, list[int]]
    names: dict[int, str]
    place: dict[int, int]
    won: Counter[int]
    lone: Counter[int]


def download(path: str) -> Any:
    response = Client().get(path)
    assert response.status_code == 200
    return response


def night_of(number: int, event: Event) -> Night:
    path = f"/events/{event.pk}/export/"
    entries = download(f"{path}entries.json").json()["entries"]
    results = download(f"{path}results.json").json()["results"]
    drawn = download(f"{path}pairings.json").json()["pairings"]
    players = {one["entry"]: [who["id"] for who in one["players"]] for one in entries}
    names = {one["entry"]: " & ".join(who["name"] for who in one["players"]) for one in entries}
    won, lone, difference = Counter[int](), Counter[int](), Counter[int]()
    for one in results:
        for side, other in (("north_south", "east_west"), ("east_west", "north_south")):
            for entry in one[side]["entries"]:
                won[entry] += one["winner"] == side
                lone[entry] += one["lone_hands"][side]
                difference[entry] += one["points"][side] - one["points"][other]
    idle = Counter(
        entry for one in drawn if one["table"] is None for entry in one["north_south"]["entries"]
    )
    lots = {one["entry"]: one["lot"] for one in entries}
    order: dict[int, tuple[Any, ...]]
    if number in PAIRS_ON:  # whoever goes out in the same round shares a place
        order = {entry: (-won[entry],) for entry in players}
    else:  # a sit-out is worth a win
        order = {
            entry: (-won[entry] - idle[entry], -difference[entry], lots[entry]) for entry in players
        }
    place = {one: 1 + sum(other < order[one] for other in order.values()) for one in order}
    return Night(number, players, names, place, won, lone)


@dataclass
class Line:
    """A player of a division: the points of each night there, and evenings won."""

    points: dict[int, int] = field(default_factory=dict)
    wins: int = 0
    best: int = 0

    @property
    def total(self) -> int:
        return sum(sorted(self.points.values(), reverse=True)[:BEST])

    @property
    def order(self) -> tuple[Any, ...]:
        return (self.total, sorted(self.points.values(), reverse=True), self.wins)


def division_table(nights: list[Night], members: set[int]) -> dict[int, Line]:
    """The lines of a division, counted as if nobody else had played."""
    lines: dict[int, Line] = defaultdict(Line, {who: Line() for who in members})
    for night in nights:
        there = {one: night.place[one] for one in night.place if members & {*night.players[one]}}
        for entry, place in there.items():
            better = sum(other < place for other in there.values())
            below = sum(other > place for other in there.values())
            for who in members & {*night.players[entry]}:
                line = lines[who]
                line.points[night.number] = 2 + below + night.won[entry]
                line.wins += better == 0
                line.best = min(line.best or better + 1, better + 1)
    return dict(lines)


def places(lines: dict[int, Line]) -> dict[int, int]:
    return {
        who: 1 + sum(other.order > line.order for other in lines.values())
        for who, line in lines.items()
    }


def movers(upper: dict[int, int], lower: dict[int, int]) -> tuple[set[int], set[int]]:
    """Who goes down and who goes up: those clearly beyond the line, as places are shared."""

    def beyond(table: dict[int, int], count: int) -> set[int]:
        return {
            who for who, place in table.items()
            if sum(other <= place for other in table.values()) <= count
        }  # fmt: skip

    last = {who: -place for who, place in upper.items()}
    return beyond(last, MOVERS), beyond(lower, MOVERS)


def prizes(night: Night) -> dict[str, int]:
    """What each entry gets, in cents."""
    count = len(night.place)
    fund = count * (ENTRY - TO_CLUB - TO_POT)
    most = max(night.lone.values())
    best = [entry for entry in night.place if night.lone[entry] == most] if most else []
    fund += 0 if best else count * TO_POT
    by_place = dict(enumerate((fund * percent // 100 for percent in PERCENT), start=1))
    got = Counter[str]()
    for entry, place in night.place.items():
        sharing = sum(other == place for other in night.place.values())
        pooled = sum(by_place.get(at, 0) for at in range(place, place + sharing))
        got[night.names[entry]] = pooled // sharing
        got[night.names[entry]] += count * TO_POT // len(best) if entry in best else 0
    return {name: amount for name, amount in got.items() if amount}


# What the club's pages say --------------------------------------------------------------------


def season_csv(league: League) -> list[dict[str, str]]:
    path = f"/clubs/{league.club.slug}/seasons/{league.season.pk}/table.csv"
    return list(csv.DictReader(StringIO(download(path).content.decode("utf-8-sig"))))


def cents(text: str) -> int:
    return int(text.replace(",", "").replace(".", ""))


def plain(text: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", text)).strip()


def money_page(league: League, event: Event) -> tuple[dict[str, int], dict[str, int]]:
    """What the sheet says: each line of the balance, and what everybody gets."""
    page = logged_in(league.director).get(f"/events/{event.pk}/money/").content.decode()
    balance, gets = re.findall(r"<table.*?</table>", page, re.DOTALL)
    rows = re.findall(r"<tr>(.*?)</tr>", balance, re.DOTALL)
    parts = [
        [plain(cell) for cell in re.findall(r"<t[hd].*?</t[hd]>", row, re.DOTALL)] for row in rows
    ]
    found = {}
    for row in re.findall(r"<tr>(.*?)</tr>", gets.split("<tbody>")[1], re.DOTALL):
        cells = [plain(cell) for cell in re.findall(r"<t[hd].*?</t[hd]>", row, re.DOTALL)]
        found[cells[1].replace("&amp;", "&")] = cents(cells[2])
    return {what.split(":")[0]: cents(amount) for what, amount in parts}, found


def check(league: League) -> None:
    """Compare everything that the club says with what its exports add up to."""
    nights = [night_of(at, event) for at, event in enumerate(league.events, start=1)]
    rows = season_csv(league)
    tables = {}
    for division in ("First", "Second"):
        mine = {int(row["player_id"]): row for row in rows if row["division"] == division}
        lines = division_table(nights, {*mine})
        tables[division] = placed = places(lines)
        assert len(lines) == 9
        for who, line in lines.items():
            row = mine[who]
            said = [int(row[name] or 0) for name in ("place", "points", "evenings", "evenings_won")]
            assert said == [placed[who], line.total, len(line.points), line.wins]
            assert int(row["best_place"] or 0) == line.best
            evenings = [row[name] for name in row if "Night " in name]
            assert [int(one) for one in evenings if one] == [*line.points.values()]
    for event, night in zip(league.events, nights, strict=True):
        balance, gets = money_page(league, event)
        assert gets == prizes(night)
        assert balance["Paid in"] == ENTRY * len(night.place)
        assert balance["Paid out as prizes and from pots"] == sum(gets.values())
        assert balance["Paid in"] == sum(balance.values()) - balance["Paid in"]
        standings = download(f"/events/{event.pk}/export/standings.json").json()["standings"]
        assert {one["entry"]: one["place"] for one in standings} == night.place
    season = f"/clubs/{league.club.slug}/seasons/{league.season.pk}/"
    held = Client().get(season).context["evenings"]
    attendance = [sum(map(len, night.players.values())) for night in nights]
    assert [evening.players for evening in held] == attendance
    down, up = movers(tables["First"], tables["Second"])
    form = logged_in(league.director).get(f"{season}next/").context["form"]
    moved = {move.row.player.pk: move.direction for move, _field in form.moves}
    assert {who for who, way in moved.items() if way > 0} == down
    assert {who for who, way in moved.items() if way < 0} == up


def test_a_league_adds_up_from_its_public_exports(league: League) -> None:
    check(league)
    # A result that a director corrects afterwards counts everywhere.
    event = league.events[2]
    match = build.latest(event).pairings.order_by("number")[0]
    other = ruled(1 - match.winner, match.points[::-1])
    before = season_csv(league)
    reason = "Written down the wrong way round"
    correcting.set_result(match, league.director, other, reason=reason, now=NOON)
    build.step(event, NOON)
    assert season_csv(league) != before
    check(league)
    promote(league)


def promote(league: League) -> None:
    """Make the next season as it is offered: it begins with those who moved."""
    browser = logged_in(league.director)
    path = f"/clubs/{league.club.slug}/seasons/{league.season.pk}/next/"
    form = browser.get(path).context["form"]
    chosen = {name: form[name].initial for name in form.fields if name.startswith("player_")}
    days = {"first_day": date(2026, 7, 1), "last_day": date(2026, 9, 30)}
    assert browser.post(path, {"name": "Summer", **days, **chosen}).status_code == 303
    moved = {move.row.player.pk: move.to.name for move, _field in form.moves}
    league.season = league.club.seasons.get(name="Summer")
    assert {int(row["player_id"]): row["division"] for row in season_csv(league)} == moved
    assert Counter(moved.values()) == {"First": 9, "Second": 9}
