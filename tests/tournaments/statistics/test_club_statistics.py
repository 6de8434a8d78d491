"""A club's statistics: what counts, who is named, over which days, and what it costs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from games.engine.rules import CLASSIC_24, rules_to_data
from games.models import Game, Performance, Player, Table
from tests.factories import logged_in, member, player
from tests.tournaments import build
from tournaments.models import (
    Club,
    Entry,
    EntryPlayer,
    Event,
    Membership,
    Pairing,
    Pool,
    RatingChange,
    Round,
    Season,
)
from tournaments.statistics import activity, club_statistics
from tournaments.statistics.activity import Week
from tournaments.statistics.club_statistics import ALL_TIME, Statistics

pytestmark = [pytest.mark.django_db, pytest.mark.db]

MARCH = datetime(2026, 3, 12, 19, 30, tzinfo=UTC)
PAGE = "/clubs/the-old-mill/statistics/"
#: North and south, who win by 10 to 5, and east and west.
Four = tuple[Player, Player, Player, Player]


@pytest.fixture
def mill() -> Club:
    return build.club()


@pytest.fixture
def four() -> Four:
    return player("Maeve"), player("Ben"), player("Iris"), player("Jonah")


def evening(
    club: Club, games: Sequence[Four], starts: datetime = MARCH, **done: Any
) -> tuple[Event, list[Game]]:
    """An event that is over: its games, a round each; places go by the order of the players."""
    event = build.event(
        club,
        state=Event.State.FINISHED,
        starts=starts,
        registration_opens=starts,
        registration_closes=starts,
        started=starts,
        ended=starts,
    )
    entries = {}
    for place, one in enumerate(dict.fromkeys(one for four in games for one in four), start=1):
        entries[one.pk] = Entry.objects.create(
            event=event, state=Entry.State.ENTERED, place=place, seed=place
        )
        EntryPlayer.objects.create(event=event, entry=entries[one.pk], player=one)
    return event, [_game(event, number, four, done) for number, four in enumerate(games, start=1)]


def _game(event: Event, number: int, four: Four, done: dict[str, Any]) -> Game:
    ended = event.starts + number * timedelta(minutes=20)
    rules = rules_to_data(CLASSIC_24)
    table = Table.objects.create(
        host=event.created_by, rules_data=rules, reserved=True, open=False, title="A table"
    )
    round_ = Round.objects.create(event=event, number=number, over=ended)
    Pairing.objects.create(
        round=round_, number=1, table=table, state=Pairing.State.DECIDED, winner=0
    )
    game = Game.objects.create(
        table=table, number=1, rules_data=rules, first_dealer=0, state=Game.State.OVER,
        secret=b"", commitment=b"", mixed=b"", ended=ended, noted=True,
    )  # fmt: skip
    for position, who in enumerate((four[0], four[2], four[1], four[3])):
        won = position % 2 == 0
        north, east, south, west = four[0], four[2], four[1], four[3]
        partner = (south, west, north, east)[position]
        Performance.objects.create(
            **{
                "game": game, "player": who, "partner": partner, "position": position,
                "rules": "classic", "ended": ended, "result": 1 if won else -1,
                "points": 10 if won else 5, "against": 5 if won else 10, "deals": 8, **done,
            }
        )  # fmt: skip
    return game


def read(club: Club, season: Season = ALL_TIME) -> Statistics:
    return club_statistics.read(club, season, club_statistics.held_by(club))


def shown(browser: Client, path: str = PAGE) -> str:
    """The words of the page."""
    html = browser.get(path).content.decode()
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split())


class TestTable:
    def test_season_table_with_figures_of_the_games(self, mill: Club, four: Four) -> None:
        maeve, ben, iris, jonah = four
        evening(mill, [four, (iris, ben, maeve, jonah)], called=3, made=2, alone=1, euchres=1)
        evening(mill, [(maeve, iris, ben, jonah)])
        lines = {line.player.name: line for line in read(mill).lines}
        assert [*lines] == ["Maeve", "Ben", "Iris", "Jonah"]
        assert lines["Maeve"].place == "1"
        assert lines["Maeve"].cells == [
            "8", "2", "2", "1.0", "3", "67%", "8.3", "6", "67%", "2", "2",
        ]  # fmt: skip
        assert lines["Ben"].cells[3:5] == ["2.5", "3"]

    def test_only_games_of_the_clubs_finished_events_count(self, mill: Club, four: Four) -> None:
        evening(mill, [four])
        other, _games = evening(build.club("The New Mill"), [four])
        running, _games = evening(mill, [four])
        Event.objects.filter(pk=running.pk).update(state=Event.State.RUNNING)
        assert {line.cells[4] for line in read(mill).lines} == {"1"}
        assert read(other.club).games == 1

    def test_only_selected_days_count(self, mill: Club, four: Four) -> None:
        evening(mill, [four])
        evening(mill, [four, four], MARCH.replace(month=7))
        spring = Season.objects.create(
            club=mill, name="Spring", first_day=date(2026, 3, 1), last_day=date(2026, 3, 31)
        )
        assert read(mill, spring).games == 1
        assert read(mill).games == 3
        browser = Client()
        assert "Spring, 1 March 2026 to 31 March 2026 · 1 event · 1 game" in shown(browser)
        words = shown(browser, f"{PAGE}?season=all")
        assert "All time · 2 events · 3 games" in words

    def test_table_is_sorted_by_links(self, mill: Club, four: Four) -> None:
        maeve, ben, iris, jonah = four
        evening(mill, [(iris, jonah, maeve, ben)])
        browser = Client()
        html = browser.get(PAGE, {"sort": "won"}).content.decode()
        assert 'href="?sort=games"' in html
        assert html.count("aria-sort=") == 1
        rows = re.findall(r'<th scope="row"><a href="/players/\d+/">(\w+)', html)
        assert rows == ["Iris", "Jonah", "Maeve", "Ben"]

    def test_a_long_table_has_pages_that_keep_the_order(self, mill: Club) -> None:
        people = [player(f"Player {number}") for number in range(28)]
        evening(mill, [tuple(people[at : at + 4]) for at in range(0, 28, 4)])  # type: ignore[misc]
        html = Client().get(PAGE, {"sort": "points"}).content.decode()
        assert "1–25 of 28" in html
        assert 'href="?sort=points&amp;page=2"' in html

    @pytest.mark.parametrize(
        ("query", "status", "words"),
        [
            ("sort=luck", 400, "The table can be sorted by place, points, events,"),
            ("season=1812", 404, "The club has no season “1812”; it has 7, all."),
        ],
    )
    def test_unknown_choice_lists_the_valid_ones(
        self, mill: Club, query: str, status: int, words: str
    ) -> None:
        Season.objects.create(
            club=mill, name="Spring", first_day=date(2026, 3, 1), last_day=date(2026, 3, 31), pk=7
        )
        answer = Client().get(f"{PAGE}?{query}")
        assert answer.status_code == status
        assert words in unescape(answer.content.decode())

    def test_club_and_season_pages_link_to_the_statistics(self, mill: Club, four: Four) -> None:
        browser = Client()
        assert PAGE not in browser.get("/clubs/the-old-mill/").content.decode()
        evening(mill, [four])
        assert f'href="{PAGE}"' in browser.get("/clubs/the-old-mill/").content.decode()
        year = browser.get("/clubs/the-old-mill/years/2026/").content.decode()
        assert f'href="{PAGE}?season=2026"' in year
        assert browser.get(f"{PAGE}?season=2026").status_code == 200

    def test_page_before_the_first_event(self, mill: Club) -> None:
        assert "The figures begin with the first one." in shown(Client())

    def test_a_house_player_has_no_line(self, mill: Club, four: Four) -> None:
        Player.objects.filter(pk=four[3].pk).update(kind=Player.Kind.HOUSE)
        build.joined(mill, four[3])
        evening(mill, [four])
        assert [line.player.name for line in read(mill).lines] == ["Maeve", "Ben", "Iris"]


class TestLists:
    def test_pairs_by_games_and_from_ten_on_by_share(self, mill: Club, four: Four) -> None:
        maeve, ben, iris, jonah = four
        evening(mill, [four] * 9 + [(iris, jonah, maeve, ben)] * 2 + [(maeve, iris, ben, jonah)])
        found = read(mill)
        often = [
            (pair.one.name, pair.other.name, pair.score.games, pair.score.won)
            for pair in found.often[:2]
        ]
        assert often == [("Maeve", "Ben", 11, 9), ("Iris", "Jonah", 11, 2)]
        assert [pair.one.name for pair in found.best] == ["Maeve", "Iris"]
        html = Client().get(f"{PAGE}?season=all").content.decode()
        assert f'href="/players/{maeve.pk}/and/{ben.pk}/"' in html

    def test_rating_gains_need_ten_rated_games(self, mill: Club, four: Four) -> None:
        _event, games = evening(mill, [four] * 10)
        pool = Pool.objects.create(key="classic online")
        for number, game in enumerate(games):
            for who, change in ((four[0], 4), (four[2], -4)):
                _rate(pool, game, who, (number, 1500 + change * number, change))
        for number, game in enumerate(games[:9]):
            _rate(pool, game, four[1], (number, 1500 + 50 * number, 50))
        (gain,) = read(mill).gains
        assert (gain.person.name, gain.games, gain.before, gain.after) == ("Maeve", 10, 1500, 1540)
        assert (gain.signed, gain.pool) == ("+40", "Euchre")
        assert "at least 10" in shown(Client(), f"{PAGE}?season=all")

    def test_luck_is_relative_to_the_field_with_its_error(self, mill: Club, four: Four) -> None:
        _maeve, ben, iris, jonah = four
        evening(mill, [four] * 13, worth=20.0, worth_against=16.0)
        Performance.objects.filter(player__in=[iris, jonah]).update(worth=17.0, worth_against=19.0)
        Performance.objects.filter(player=iris).update(worth_against=19.8)
        Performance.objects.filter(player=ben).update(deals=7)  # 91 hands
        found = read(mill)
        field = (4 + 4 - 2.8 - 2) / (8 + 7 + 8 + 8)
        assert [dealt.person.name for dealt in found.lucky] == ["Maeve", "Jonah"]
        assert [dealt.person.name for dealt in found.unlucky] == ["Iris"]
        assert found.lucky[0].hands == 104
        assert found.lucky[0].more == pytest.approx(4 / 8 - field)
        assert found.unlucky[0].more == pytest.approx(-2.8 / 8 - field)
        assert found.unlucky[0].error == pytest.approx(0, abs=1e-6)
        assert "one standard error" in shown(Client(), f"{PAGE}?season=all")

    def test_records_lead_to_their_games_past_the_event(self, mill: Club, four: Four) -> None:
        event, games = evening(mill, [four, four], marched=2)
        found = {record["label"]: record for record in read(mill).records}
        streak = found["Games won in a row"]
        assert (streak["value"], streak["people"][0].name) == (2, "Maeve")
        path = f"/events/{event.pk}/rounds/2/tables/1/?game={games[1].pk.hex}"
        assert streak["path"].replace("-", "") == path
        answer = Client().get(streak["path"])
        assert answer.headers["Location"] == f"/games/{games[1].pk}/"
        assert found["Points in an event"]["value"] == 20
        assert found["Points in an event"]["path"] == f"/events/{event.pk}/"
        assert "Lone marches in a game" not in found


def _rate(pool: Pool, game: Game, who: Player, rated: tuple[int, float, float]) -> None:
    """Store what a game did: its position in the pool, the rating before, and the change."""
    position, before, change = rated
    RatingChange.objects.create(
        pool=pool, pairing=game.table.pairing, number=1, player=who, position=position, side=0,
        winner=0, expected=0.5, mu_before=before, sigma_before=90, mu_after=before + change,
        sigma_after=89, at=MARCH,
    )  # fmt: skip


class TestActivity:
    def test_weeks_follow_the_clubs_time_zone(self, four: Four) -> None:
        mill = build.club(time_zone="America/New_York")
        monday = datetime(2026, 3, 16, 1, 0, tzinfo=UTC)  # Sunday evening there
        evening(mill, [four], monday)
        evening(mill, [four, four], monday + timedelta(days=14, hours=12))
        assert read(mill).weeks == (
            Week(date(2026, 3, 9), 1, 4),
            Week(date(2026, 3, 16), 0, 0),
            Week(date(2026, 3, 23), 0, 0),
            Week(date(2026, 3, 30), 2, 4),
        )
        evenings = [(played.games, len(played.players)) for _, played in read(mill).evenings]
        assert evenings == [(2, 4), (1, 4)]

    def test_games_in_the_room_count_wherever_games_are_counted(
        self, mill: Club, four: Four
    ) -> None:
        _event, (_online, *in_room) = evening(mill, [four, four, four])
        match = Pairing.objects.get(table__games=in_room[0])
        for number, game in enumerate(in_room, start=1):
            rows = Performance.objects.filter(game=game)
            rows.update(game=None, match=match.pk, number=number)
        found = read(mill)
        assert {line.cells[4] for line in found.lines} == {"3"}
        assert (found.games, [week.games for week in found.weeks]) == (3, [3])
        assert [(played.games, len(played.players)) for _, played in found.evenings] == [(3, 4)]
        assert "1 event · 3 games" in shown(Client())

    def test_the_latest_weeks_are_drawn_with_their_values(self) -> None:
        first = date(2020, 1, 6)
        weeks = [Week(first + number * activity.WEEK, number, 8) for number in range(200)]
        kept = activity.filled(weeks)
        assert (len(kept), kept[-1]) == (activity.MAX_WEEKS, weeks[-1])
        games, people = activity.charts(kept)
        assert [words for _at, words in games["values"]] == ["0", "100", "200"]
        assert [words for _at, words in people["values"]] == ["0", "4", "8"]
        assert games["bars"][-1]["words"] == "Week of 30 October 2023: 199 games"
        assert games["bars"][-1]["height"] == pytest.approx(148 * 199 / 200, abs=0.1)
        assert "199 at most" in games["words"]

    def test_a_single_game_is_drawn_too(self) -> None:
        games, _people = activity.charts([Week(date(2026, 3, 9), 1, 4)])
        assert games["bars"][0]["words"] == "Week of 9 March 2026: 1 game"

    def test_only_moderators_see_inactive_members(self, mill: Club, four: Four) -> None:
        now = timezone.now()
        ada = build.director(mill)
        names = ("Clara", "Theo", "Nora")
        clara, theo, nora = people = [member(name) for name in names]
        for one in (*people, *four):
            build.joined(mill, one)
        Membership.objects.exclude(player=nora).update(joined=now - timedelta(days=400))
        evening(mill, [four], now - timedelta(days=2))
        evening(mill, [(clara, *four[1:])], now - timedelta(days=100))
        Player.objects.filter(pk=theo.pk).update(private=True)
        assert [one.name for one in club_statistics.inactive_members(mill, now)] == ["Ada", "Clara"]
        assert "Not seen for 90 days" in shown(logged_in(ada))
        assert "Not seen for 90 days" not in shown(logged_in(nora))
        assert "Not seen for 90 days" not in shown(Client())


class TestPrivacy:
    def test_private_player_is_left_out(self, mill: Club, four: Four) -> None:
        maeve = four[0]
        evening(mill, [four] * 13, worth=20.0, marched=1)
        Player.objects.filter(pk=maeve.pk).update(private=True)
        words = shown(Client(), f"{PAGE}?season=all")
        assert "Maeve" not in words
        assert "Left out: 1 player with a private record." in words
        found = read(mill)
        assert found.hidden == {maeve.pk}
        assert [(pair.one.name, pair.other.name) for pair in found.often] == [("Iris", "Jonah")]

    def test_becoming_private_takes_effect_at_once(self, mill: Club, four: Four) -> None:
        evening(mill, [four])
        browser = Client()
        assert "Maeve" in shown(browser, f"{PAGE}?season=all")
        Player.objects.filter(name="Maeve").update(private=True)
        assert "Maeve" not in shown(browser, f"{PAGE}?season=all")

    def test_no_privacy_note_if_all_players_are_shown(self, mill: Club, four: Four) -> None:
        evening(mill, [four])
        assert "Left out" not in shown(Client(), f"{PAGE}?season=all")


class TestCost:
    def test_statistics_are_cached_until_an_event_changes(self, mill: Club, four: Four) -> None:
        event, _games = evening(mill, [four])
        assert read(mill).lines[0].cells[5] == "100%"
        Performance.objects.filter(player=four[0]).update(result=-1)
        assert read(mill).lines[0].cells[5] == "100%"
        Event.objects.filter(pk=event.pk).update(version=event.version + 1)
        assert read(mill).lines[0].cells[5] == "0%"
        evening(mill, [four])
        assert read(mill).lines[0].cells[5] == "50%"

    @pytest.mark.parametrize("nights", [1, 4])
    @pytest.mark.parametrize("role", ["", "member", "owner"])
    def test_a_page_takes_fourteen_queries_however_much_was_played(
        self, mill: Club, four: Four, role: str, nights: int
    ) -> None:
        for night in range(nights):
            evening(mill, [four] * (2 * nights), MARCH + timedelta(days=night))
        clara = member("Clara")
        if role:
            build.joined(mill, clara, role)
        browser = logged_in(clara)
        for most in (14, 11):
            with CaptureQueriesContext(connection) as queries:
                assert browser.get(f"{PAGE}?season=all").status_code == 200
            assert len(queries) <= most, [query["sql"] for query in queries]
