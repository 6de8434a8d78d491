"""The pages of ratings: what each shows to whom, and in how many queries."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from games.models import Game, Player
from tests.factories import cast, logged_in, member, player
from tests.tournaments import build
from tests.tournaments.build import played, pool, rated, rating
from tournaments.models import Club, Event, RatingChange
from tournaments.ratings import effects as rating_effects
from tournaments.ratings import rating_games

pytestmark = pytest.mark.django_db

#: The most queries a page may take.
MAX_QUERIES = 12
CLASSIC = "/ratings/classic-online/"


def page(path: str, to: Client | None = None, status: int = 200) -> str:
    response = (to or Client()).get(path)
    assert response.status_code == status
    return response.content.decode()


def queries(path: str, to: Client) -> int:
    with CaptureQueriesContext(connection) as captured:
        page(path, to)
    return len(captured)


def ranked(who: Player, mu: float, **fields: Any) -> None:
    """A rating that is ranked today."""
    now = timezone.now()
    rating(who, mu, latest=now, ranked_until=now + timedelta(days=90), **fields)


def hidden(who: Player) -> None:
    """Let somebody keep their record private."""
    Player.objects.filter(pk=who.pk).update(private=True)


class TestPools:
    def test_each_pool_leads_to_its_leaderboard(self) -> None:
        maeve = member()
        ranked(maeve, 1612)
        ranked(player("Ben"), 1700, pool=pool("heads-up online"))
        shown = page("/ratings/", logged_in(maeve))
        for words in ('href="/ratings/classic-online/"', 'href="/ratings/heads-up-online/"'):
            assert words in shown
        assert "You: <span" in shown
        assert f'href="/players/{maeve.pk}/ratings/classic-online/"' in shown

    def test_empty_ratings_page_explains_what_to_do(self) -> None:
        assert 'href="/events/">Find an event' in page("/ratings/")

    def test_ratings_are_in_the_menu(self) -> None:
        assert '<a href="/ratings/"' in page("/events/")


class TestLeaderboard:
    def test_own_line_is_marked_and_linked(self) -> None:
        maeve = member()
        for number in range(60):
            ranked(player(f"Player {number}"), 1600 + number)
        ranked(maeve, 1500)
        first = page(CLASSIC, logged_in(maeve))
        assert "Your place: 61 of 61" in first
        assert 'href="?page=2#you"' in first
        assert 'id="you"' not in first
        assert 'class="mine" id="you"' in page(f"{CLASSIC}?page=2", logged_in(maeve))

    def test_unranked_players_are_listed_apart_with_the_reason(self) -> None:
        ranked(player("Maeve"), 1500)
        rating(player("Ben"), 1700, 110, ranked_until=timezone.now())
        shown = page(CLASSIC)
        assert shown.index("Maeve") < shown.index('scope="rowgroup">Not ranked')
        assert shown.index('scope="rowgroup">Not ranked') < shown.index("Still uncertain")

    def test_private_rating_is_shown_to_its_owner_only(self) -> None:
        maeve = member()
        ranked(maeve, 1777)
        hidden(maeve)
        for reader in (Client(), logged_in(member("Otto"))):
            for path in (CLASSIC, "/ratings/"):
                assert "Maeve" not in page(path, reader)
        own = page(CLASSIC, logged_in(maeve))
        assert "Your record is private" in own
        assert '<b class="rate">1777</b>' in own

    def test_guests_are_marked(self) -> None:
        ranked(player("Maeve"), 1500)
        assert '<span class="tag">Guest</span>' in page(CLASSIC)

    def test_unknown_pool_is_not_found(self) -> None:
        assert Client().get("/ratings/whist/").status_code == 404

    def test_leaderboard_can_be_empty(self) -> None:
        pool()
        assert "Nobody has a rating yet" in page(CLASSIC)


class TestFilters:
    def club(self, name: str, *people: Player, **fields: Any) -> Club:
        """A club with a finished rated event and these members."""
        club = build.club(name, **fields)
        build.event(club, state=Event.State.FINISHED)
        for one in people:
            build.joined(club, one)
            ranked(one, 1500)
        return club

    def test_a_club_and_a_country_can_be_chosen(self) -> None:
        maeve, ben = member("Maeve"), member("Ben")
        self.club("The Old Mill", maeve)
        self.club("Lakeside", ben)
        Player.objects.filter(pk=ben.pk).update(country="IE")
        assert '<option value="IE">Ireland</option>' in page(CLASSIC)
        by_club = page(f"{CLASSIC}?club=the-old-mill")
        assert ("Maeve" in by_club, "Ben" in by_club) == (True, False)
        by_country = page(f"{CLASSIC}?country=IE")
        assert ("Maeve" in by_country, "Ben" in by_country) == (False, True)

    def test_a_season_of_the_chosen_club_can_be_chosen(self) -> None:
        self.club("The Old Mill", member("Maeve"))
        shown = page(f"{CLASSIC}?club=the-old-mill")
        assert '<option value="y2026">2026</option>' in shown
        assert "Nobody here has a rating yet" in page(f"{CLASSIC}?club=the-old-mill&season=y2026")
        assert 'name="season"' not in page(CLASSIC)
        assert "who took part in The Old Mill, 2026</p>" in page(
            f"{CLASSIC}?club=the-old-mill&season=y2026"
        )

    @pytest.mark.parametrize("joining", Club.Joining.values)
    def test_a_club_can_be_chosen_by_those_who_see_it(self, joining: str) -> None:
        maeve = member("Maeve")
        club = self.club("Hidden Harts", maeve, joining=joining)
        invited = Client()
        invited.get(f"/clubs/{club.slug}/join/{club.invite_token}/")
        for insider in (logged_in(maeve), invited):
            assert "Hidden Harts" in page(CLASSIC, insider)
            assert "Maeve" in page(f"{CLASSIC}?club={club.slug}", insider)
        closed = joining == Club.Joining.INVITATION
        for outsider in (Client(), logged_in(member("Otto"))):
            assert ("Hidden Harts" not in page(CLASSIC, outsider)) is closed
            asked = page(f"{CLASSIC}?club={club.slug}", outsider, 400 if closed else 200)
            assert ("Choose one of the listed clubs" in asked) is closed

    @pytest.mark.parametrize(
        ("asked", "allowed"),
        [
            ("club=nowhere", "Choose one of the listed clubs"),
            ("season=12", "Choose one of the listed seasons"),
            ("country=XX", "Choose one of the listed countries"),
        ],
    )
    def test_invalid_filter_is_named(self, asked: str, allowed: str) -> None:
        ranked(player("Maeve"), 1500)
        shown = page(f"{CLASSIC}?{asked}", status=400)
        assert allowed in shown
        assert "Maeve" in shown

    @pytest.mark.parametrize("number", ["0", "-3", "x", "", "99999999", "²"])
    def test_any_page_number_shows_a_page(self, number: str) -> None:
        ranked(player("Maeve"), 1500)
        assert "Maeve" in page(f"{CLASSIC}?page={number}")


class TestPlayer:
    def test_player_page_shows_curve_and_games_in_plain_html(self) -> None:
        people = cast()
        event = rated(*people, rounds=3)
        shown = page(f"/players/{people[0].pk}/ratings/classic-online/")
        assert shown.count('<svg class="curve unscaled"') == 2
        assert "<script" not in shown.partition("<main")[2].partition("</main>")[0]
        assert shown.count("Maeve gained") + shown.count("Maeve lost") == 3
        assert f'href="/events/{event.pk}/">Thursday euchre' in shown
        assert shown.count('class="dot"') == 2

    def test_a_curve_with_links_on_it_is_a_group_and_no_image(self) -> None:
        people = cast()
        rated(*people)
        shown = page(f"/players/{people[0].pk}/ratings/classic-online/")
        curves = re.findall(r'<svg class="curve.*?</svg>', shown, re.DOTALL)
        assert [("<a " in one, 'role="img"' in one, 'role="group"' in one) for one in curves] == [
            (True, False, True),
            (False, True, False),
        ]

    def test_private_player_page_is_hidden_from_others(self) -> None:
        maeve = member()
        rated(maeve, player("Ben"), player("Iris"), player("Jonah"))
        hidden(maeve)
        path = f"/players/{maeve.pk}/ratings/classic-online/"
        for reader in (Client(), logged_in(member("Otto"))):
            shown = page(path, reader)
            assert "Maeve keeps their record private" in shown
            assert "svg class" not in shown
            assert 'class="rate"' not in shown
        assert "You gained" in (own := page(path, logged_in(maeve))) or "You lost" in own

    def test_closed_events_are_not_named(self) -> None:
        maeve, *others = cast()
        club = build.club("Hidden Harts", joining=Club.Joining.INVITATION)
        rated(maeve, *others, of=club, name="Hidden cup")
        path = f"/players/{maeve.pk}/ratings/classic-online/"
        shown = page(path)
        assert "An event of a private club" in shown
        for words in ("Hidden", "Ben", "Iris", "Jonah", 'class="dot"'):
            assert words not in shown
        assert "Hidden cup" in page(path, logged_in(maeve))

    @pytest.mark.parametrize(
        ("kind", "words"),
        [("house", "is a house player"), ("person", "has no rating here yet")],
    )
    def test_player_without_a_rating_sees_why(self, kind: str, words: str) -> None:
        pool()
        heron = Player.objects.create(name="Quiet Heron", kind=kind)
        assert words in page(f"/players/{heron.pk}/ratings/classic-online/")

    def test_twelve_games_are_on_a_page(self) -> None:
        maeve, *others = cast()
        build.evenings(15, [maeve, *others], tables=1, rounds=1)
        Event.objects.update(to_rate=True)
        rating_games.catch_up()
        path = f"/players/{maeve.pk}/ratings/classic-online/"
        first = page(path)
        assert first.count('<small class="why">') == 12
        assert "1–12 of 15" in first
        assert page(f"{path}?page=2").count('<small class="why">') == 3
        assert RatingChange.objects.filter(player=maeve).count() == 15


class TestEventAndGame:
    def test_an_event_shows_before_and_after(self) -> None:
        maeve = member()
        event = rated(maeve, player("Ben"), player("Iris"), player("Jonah"))
        shown = page(f"/events/{event.pk}/ratings/", logged_in(maeve))
        assert "in 1 rated game: 1500 to" in shown
        assert shown.count('<th scope="row">') == 4

    def test_an_event_leaves_out_private_records(self) -> None:
        maeve, *others = cast()
        event = rated(maeve, *others)
        hidden(maeve)
        shown = page(f"/events/{event.pk}/ratings/")
        assert "Maeve" not in shown
        assert "1 player with a private record is left out" in shown

    def test_unfinished_event_states_when_it_is_rated(self) -> None:
        event = build.event()
        assert rating_effects.LATER in page(f"/events/{event.pk}/ratings/")

    def test_game_ratings_are_a_page_or_a_fragment(self) -> None:
        rated(*cast())
        path = f"/games/{Game.objects.get().pk}/ratings/"
        assert "<html" in page(path)
        part = Client().get(path, headers={"HX-Request": "true"})
        assert part.headers["Vary"].count("HX-Request") == 1
        assert "<html" not in part.content.decode()
        assert "were expected to win" in part.content.decode()

    def test_a_running_game_is_at_its_table(self) -> None:
        event = build.event()
        build.enter(event, 4)
        build.begin(event)
        build.arrive(event)
        build.step(event, build.NOON)
        game = Game.objects.get()
        answer = Client().get(f"/games/{game.pk}/ratings/")
        assert (answer.status_code, answer.headers["Location"]) == (
            302,
            f"/tables/{game.table_id}/",
        )

    def test_the_page_of_an_events_game_has_the_panel(self) -> None:
        played(*cast())
        game = Game.objects.get()
        assert f"/games/{game.pk}/ratings/" in page(f"/games/{game.pk}/")

    def test_finished_event_shows_the_readers_change_and_links_to_all(self) -> None:
        maeve = member()
        event = rated(maeve, player("Ben"), player("Iris"), player("Jonah"))
        path = f"/events/{event.pk}/"
        assert f"{path}ratings/" in page(path)
        assert "in 1 rated game" not in page(path)
        assert "in 1 rated game: 1500 to" in page(path, logged_in(maeve))
        Event.objects.update(to_rate=True)
        assert rating_effects.SOON in page(path)


class TestEntries:
    def test_entries_are_shown_with_their_ratings(self) -> None:
        event = build.event()
        for entry in build.enter(event, 3):
            ranked(entry.players.get().player, 1600 + entry.pk)
        first, second = event.entries.order_by("pk")[:2]
        hidden(second.players.get().player)
        shown = page(f"/events/{event.pk}/")
        assert f'<b class="rate">{1600 + first.pk}</b>' in shown
        assert f'<b class="rate">{1600 + second.pk}</b>' not in shown
        Event.objects.update(rated=False)
        assert 'class="rate"' not in page(f"/events/{event.pk}/")


class TestHow:
    def test_how_page_states_the_model_constants(self) -> None:
        shown = page("/ratings/how/")
        words = " ".join(shown.split())
        for told in ("starts at 1500", "± 70", "until it is under 80", "2 · 240²", "+ 1.7 · days"):
            assert told in words

    def test_how_page_example_matches_a_game(self) -> None:
        words = " ".join(page("/ratings/how/").split())
        rated(*(player(name) for name in ("Maeve", "Ben", "Iris", "Jonah")), rounds=1)
        shown = {
            abs(one.points) for one in rating_effects.of_event(Event.objects.get(), None).effects
        }
        assert len(shown) == 1
        assert f"The first game of four newcomers moves each by {shown.pop()}," in words


def test_no_page_takes_many_queries() -> None:
    maeve = member()
    people = [maeve, *(player(name) for name in ("Ben", "Iris", "Jonah"))]
    club = build.club()
    build.joined(club, maeve)
    event = rated(*people, of=club, rounds=4)
    reader = logged_in(maeve)
    counts = {
        path: queries(path, reader)
        for path in (
            "/ratings/",
            "/ratings/how/",
            CLASSIC,
            f"{CLASSIC}?club={club.slug}&season=y2026",
            f"/players/{maeve.pk}/ratings/classic-online/",
            f"/players/{people[1].pk}/ratings/classic-online/",
            f"/events/{event.pk}/ratings/",
            f"/games/{Game.objects.earliest('number').pk}/ratings/",
        )
    }
    assert {path: count for path, count in counts.items() if count > MAX_QUERIES} == {}
