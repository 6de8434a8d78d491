"""Leaderboards: who is ranked and where, who is listed as not, and who is in no list."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from games.models import Player
from tests.factories import member, player
from tests.tournaments import build
from tests.tournaments.build import NOON, pool, rating
from tournaments.models import Club, Entry, EntryPlayer, Event
from tournaments.ratings import leaderboards
from tournaments.ratings.leaderboards import BoardFilter, BoardPage
from tournaments.seasons import seasons

pytestmark = [pytest.mark.django_db, pytest.mark.db]

DAY = timedelta(days=1)
EVERYBODY = BoardFilter()


def board(
    wanted: BoardFilter = EVERYBODY, reader: Player | None = None, page: int = 1, days: int = 0
) -> BoardPage:
    return leaderboards.board_of(pool(), wanted, reader, page, NOON + days * DAY)


def places(shown: BoardPage) -> list[tuple[int | None, str]]:
    return [(line.place, line.rating.player.name) for line in shown.lines]


class TestPlaces:
    def test_settled_active_players_are_ranked_before_others(self) -> None:
        rating(player("Maeve"), 1500)
        rating(player("Ben"), 1620)
        rating(player("Iris"), 1700, 110, ranked_until=NOON - 30 * DAY)
        rating(player("Jonah"), 1400, ranked_until=NOON)
        assert places(board()) == [(1, "Ben"), (2, "Maeve"), (None, "Iris"), (None, "Jonah")]
        assert (board().ranked, board().total) == (2, 4)

    def test_unranked_player_has_a_reason(self) -> None:
        settled_until = NOON + 50 * DAY
        rating(player("Maeve"), 1700, 110, ranked_until=NOON - 30 * DAY)
        rating(player("Ben"), 1600, 40, ranked_until=NOON + 180 * DAY)
        rating(player("Iris"), 1500, 76, ranked_until=settled_until)
        assert [line.why for line in board().lines] == ["", "", "Still uncertain"]
        later = board(days=200)
        assert {line.rating.player.name: line.why for line in later.lines} == {
            "Maeve": "Still uncertain",
            "Ben": "Not played since 7 March 2026",
            "Iris": "Not played since 7 March 2026",
        }
        between = {line.rating.player.name: line.why for line in board(days=100).lines}
        assert between["Iris"] == "Uncertain again, not played since 7 March 2026"

    def test_equal_ratings_have_distinct_stable_places(self) -> None:
        for name in ("Maeve", "Ben", "Iris"):
            rating(player(name), 1500)
        assert places(board()) == [(1, "Maeve"), (2, "Ben"), (3, "Iris")]

    def test_ratings_are_shown_after_rest(self) -> None:
        rating(player("Maeve"), 1500, 50)
        line = board(days=10).lines[0]
        assert line.skill.sigma == pytest.approx((50**2 + 17) ** 0.5)

    def test_private_player_is_not_listed(self) -> None:
        maeve = player("Maeve")
        rating(maeve, 1700)
        rating(player("Ben"), 1500)
        Player.objects.filter(pk=maeve.pk).update(private=True)
        maeve.refresh_from_db()
        assert places(board()) == [(1, "Ben")]
        own = board(reader=maeve).own
        assert own is not None
        assert (own.listed, round(own.line.skill.mu)) == (False, 1700)
        assert leaderboards.pools(None, NOON)[0][0].total == 1


class TestPages:
    def test_page_holds_fifty_and_finds_the_reader(self) -> None:
        people = [player(f"Player {number}") for number in range(120)]
        for number, one in enumerate(people):
            until = NOON - DAY if number >= 110 else NOON + DAY
            rating(one, 2000 - number, ranked_until=until)
        shown = board(reader=people[60])
        assert (len(shown.lines), shown.pages, shown.page) == (50, 3, 1)
        assert shown.own is not None
        assert (shown.own.page, shown.own.line.place) == (2, 61)
        second = board(reader=people[60], page=2)
        assert people[60] in [line.rating.player for line in second.lines]
        assert [line.place for line in second.lines] == list(range(51, 101))

    def test_unranked_players_follow_all_ranked(self) -> None:
        people = [player(f"Player {number}") for number in range(60)]
        for number, one in enumerate(people):
            rating(one, 2000 - number, ranked_until=NOON - DAY if number < 5 else NOON + DAY)
        own = board(reader=people[1]).own
        assert own is not None
        assert (own.page, own.line.place) == (2, None)
        assert people[1] in [line.rating.player for line in board(page=2).lines]

    def test_a_page_too_far_is_the_last(self) -> None:
        rating(player(), 1500)
        assert board(page=7).page == 1

    def test_an_empty_board_has_one_page(self) -> None:
        assert (board().lines, board().pages, board().own) == ((), 1, None)

    def test_leaderboard_takes_three_queries(
        self, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        classic, maeve = pool(), player()
        rating(maeve, 1500)
        for number in range(60):
            rating(player(f"Player {number}"), 1500 + number)
        with django_assert_num_queries(3):
            leaderboards.board_of(classic, EVERYBODY, maeve, 1, NOON)
        with django_assert_num_queries(2):
            leaderboards.board_of(classic, EVERYBODY, None, 1, NOON)


class TestWanted:
    def test_club_board_has_its_members(self) -> None:
        club, maeve, ben = build.club(), player("Maeve"), player("Ben")
        build.joined(club, maeve)
        rating(maeve, 1500)
        rating(ben, 1600)
        assert places(board(BoardFilter(club))) == [(1, "Maeve")]
        own = board(BoardFilter(club), ben).own
        assert own is not None
        assert not own.listed

    def test_club_page_links_to_its_board_if_members_are_on_it(self, client: Client) -> None:
        club, maeve = build.club(), player("Maeve")
        build.joined(club, maeve)
        night = build.event(club, rounds=3)
        build.enter(night, 8)
        build.play_to_end(night)
        rating(player("Ben"), 1600)
        link = f'href="{reverse("leaderboard", args=["classic-online"])}?club={club.slug}"'
        assert link not in client.get(reverse("club", args=[club.slug])).text
        rating(maeve, 1500)
        assert link in client.get(reverse("club", args=[club.slug])).text

    def test_season_board_has_its_participants(self) -> None:
        club, maeve, ben, iris = build.club(), player("Maeve"), player("Ben"), player("Iris")
        for one in (maeve, ben, iris):
            rating(one, 1500)
        took_part(club, maeve, days=0)
        took_part(club, ben, days=400)
        took_part(build.club("Lakeside"), iris, days=0)
        assert places(board(BoardFilter(club, seasons.year(2026)))) == [(1, "Maeve")]
        assert places(board(BoardFilter(club, seasons.year(2027)))) == [(1, "Ben")]

    def test_country_board_has_players_of_the_country(self) -> None:
        maeve, ben = player("Maeve"), player("Ben")
        Player.objects.filter(pk=maeve.pk).update(country="IE")
        rating(maeve, 1500)
        rating(ben, 1600)
        assert places(board(BoardFilter(country="IE"))) == [(1, "Maeve")]


def took_part(club: Club, who: Player, days: int) -> None:
    """A finished event of a club in which somebody was placed."""
    event = build.event(club, state=Event.State.FINISHED, starts=NOON + days * DAY,
                        registration_closes=NOON)  # fmt: skip
    entry = Entry.objects.create(event=event, state=Entry.State.CHECKED_IN, place=1)
    EntryPlayer.objects.create(event=event, entry=entry, player=who)


class TestPools:
    def test_pools_show_leaders_and_the_reader(
        self, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        maeve = member()
        rating(maeve, 1400)
        for number in range(6):
            rating(player(f"Player {number}"), 1500 + number)
        rating(player("Otto"), 1800, ranked_until=NOON)
        rating(maeve, 1650, pool=pool("heads-up online"))
        pool("joker online")
        with django_assert_num_queries(3):
            (classic, leaders, own), (heads_up, *_rest) = leaderboards.pools(maeve, NOON)
        assert (classic.ranked, classic.total) == (7, 8)
        assert [line.rating.player.name for line in leaders] == [
            f"Player {number}" for number in (5, 4, 3, 2, 1)
        ]
        assert [line.place for line in leaders] == [1, 2, 3, 4, 5]
        assert own is not None
        assert round(own.mu) == 1400
        assert (heads_up.key, heads_up.total) == ("heads-up online", 1)
