"""The home page for visitors and members, and its number of queries."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import caches
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from games.engine.rules import HEADS_UP, RULE_SETS
from games.models import Player
from games.people import friends, online
from games.seats import house_tables
from tests.factories import cast, logged_in, member, play_out, player, table
from tests.tournaments import build
from tournaments.models import Entry, Event, Membership, Rating, RatingChange

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


def shown(browser: Client | None = None) -> str:
    """Return the text of the page with single spaces."""
    return " ".join((browser or Client()).get("/").text.split())


def section(page: str, name: str) -> str:
    """Return a section of the page by the id of its heading."""
    found = re.search(rf'<section[^>]*aria-labelledby="{name}".*?</section>', page)
    return found[0] if found else ""


def coming(name: str) -> Event:
    """Make an event of its own club, open for registration, tomorrow."""
    return build.event(build.club(f"Club of {name}"), name=name, starts=timezone.now() + DAY)


def finished(name: str, *, house: bool = False, days_ago: int = 7) -> Event:
    """Make a finished event that a person, or a house player, has won."""
    then = timezone.now() - days_ago * DAY
    event = build.event(build.club(f"Club of {name}"), name=name, starts=then)
    build.let_in(event, [player(f"Ada of {name}")])
    event.entries.update(place=1, seed=1, house=house, state=Entry.State.CHECKED_IN)
    Event.objects.filter(pk=event.pk).update(state=Event.State.FINISHED, started=then, ended=then)
    return event


class TestVisitors:
    def test_the_introduction_starts_with_play_now(self) -> None:
        page = shown()
        main = page[page.index("<main") :]
        words = (
            "Play euchre online, by yourself or with your club",
            "two against two, five cards each",
            "Play now",
            "Learn: lesson one",
            "Hearts are trump",
            "Choose your game",
            "no account needed",
            "How to play",
            "Next events",
            "For your euchre club",
        )
        places = [main.index(each) for each in words]
        assert places == sorted(places)
        assert 'href="/rules/"' in main
        assert 'href="/learn/following-suit/"' in main
        assert "Hello" not in main
        assert not Player.objects.exists()

    def test_every_rule_set_can_be_chosen(self) -> None:
        form = section(shown(), "welcome")
        chosen = re.findall(r'name="rules" value="([^"]+)" form="play" (checked)?', form)
        assert [key for key, _ in chosen] == list(RULE_SETS)
        assert [key for key, checked in chosen if checked] == [next(iter(RULE_SETS))]

    def test_the_lists_show_tables_events_and_clubs(self) -> None:
        maeve, ben, *_ = cast()
        at = table(maeve, ben, rules=HEADS_UP)
        event, past = coming("Thursday euchre"), finished("Winter Cup")
        page = shown()
        assert f'href="/events/{event.pk}/">Thursday euchre<' in section(page, "next-events")
        assert f'href="/events/{past.pk}/">Winter Cup<' in section(page, "finished")
        assert "Won by </span>Ada of Winter Cup" in section(page, "finished")
        assert f'href="/tables/{at.pk}/"' in section(page, "live")
        assert f'href="/clubs/{event.club.slug}/"' in section(page, "clubs")
        assert 'class="none"' not in page

    def test_empty_lists_take_one_line(self) -> None:
        page = shown()
        for name, words in (
            ("next-events", "No events are coming up."),
            ("finished", "No event has finished yet."),
            ("live", "No games right now. Start one and it shows up here."),
            ("clubs", "No clubs yet."),
        ):
            assert f'<p class="none">{words}' in section(page, name)

    def test_private_items_are_not_listed(self) -> None:
        for joining, state in (("invitation", "registration"), ("open", "draft")):
            club = build.club(f"{joining} {state}", joining=joining)
            build.event(club, name="Secret evening", state=state, starts=timezone.now() + DAY)
        maeve, ben, *_ = cast()
        table(maeve, ben, rules=HEADS_UP, open=False)
        page = shown()
        assert "Secret evening" not in page
        assert "invitation registration" not in page
        assert "No games right now" in page

    def test_results_exclude_house_players(self) -> None:
        finished("Winter Cup", days_ago=30)
        finished("House players", house=True, days_ago=1)
        assert "Winter Cup" in section(shown(), "finished")
        assert "House players" not in section(shown(), "finished")

    def test_the_largest_clubs_are_listed(self) -> None:
        for size in range(6):
            club = build.club(f"Club of {size}")
            for number in range(size):
                build.joined(club, player(f"{size} {number}"))
        names = re.findall(r">(Club of \d)<", section(shown(), "clubs"))
        assert names == ["Club of 5", "Club of 4", "Club of 3", "Club of 2"]

    def test_a_guest_sees_own_results(self) -> None:
        maeve, ben, *_ = cast()
        game = play_out(table(maeve, ben, rules=HEADS_UP))
        maeve.seats.update(player=None)
        page = shown(logged_in(maeve))
        assert "Play euchre online" in page
        assert f'href="/games/{game.pk}/"' in section(page, "results")


class TestMembers:
    def test_open_tasks_come_first(self) -> None:
        maeve = member("Maeve")
        at = table(maeve, player("Ben"), rules=HEADS_UP)
        coming("Thursday euchre")
        page = shown(logged_in(maeve))
        assert page.index("Back to your seat") < page.index("Thursday euchre")
        assert f'href="/tables/{at.pk}/"' not in section(page, "live")
        assert "Play euchre online" not in page

    def test_without_open_tasks_there_is_a_greeting(self) -> None:
        page = shown(logged_in(member("Maeve")))
        assert "<h1>Hello, Maeve</h1>" in page
        assert page.count("<h1") == 1
        assert "Join a club and its next events appear here." in page

    def test_the_next_event_is_listed_once(self) -> None:
        maeve, event = member("Maeve"), coming("Thursday euchre")
        build.joined(event.club, maeve)
        coming("Friday euchre")
        listed = section(shown(logged_in(maeve)), "next-events")
        assert "Friday euchre" in listed
        assert "Thursday euchre" not in listed


def test_ratings_are_found_from_every_page_the_home_page_and_clubs() -> None:
    """Wide screens have them in the main navigation, phones on the home page and under Clubs."""
    for browser in (Client(), logged_in(member("Maeve"))):
        for path in ("/", "/clubs/"):
            page = browser.get(path).text
            navigation, _, rest = page.partition("</nav>")
            assert 'href="/ratings/"' in navigation
            assert 'href="/ratings/"' in rest.partition("<footer")[0]


class TestPerformance:
    @pytest.fixture
    def kept(self, settings: Any) -> None:
        """An empty page cache."""
        memory = "django.core.cache.backends.locmem.LocMemCache"
        settings.CACHES = {**settings.CACHES, "pages": {"BACKEND": memory, "LOCATION": "home"}}
        caches["pages"].clear()

    def fill(self, number: int) -> None:
        """Make this many of everything."""
        for each in range(number):
            coming(f"Thursday {each}")
            finished(f"Cup {each}")
            house_tables.open_house_table(player(), HEADS_UP, title="House table", back="/")

    @pytest.mark.parametrize("number", [1, 6])
    def test_the_number_of_queries_is_constant(
        self, number: int, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        self.fill(number)
        with django_assert_num_queries(13):
            Client().get("/")

    @pytest.mark.usefixtures("kept")
    def test_simultaneous_visitors_cause_one_rendering(
        self, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        self.fill(2)
        first = shown()
        with django_assert_num_queries(0):
            again = shown()
        assert section(again, "live") == section(first, "live")
        coming("Friday euchre")
        assert "Friday euchre" not in shown()
        assert "Friday euchre" in shown(logged_in(member("Maeve")))
        caches["pages"].clear()  # two seconds later
        assert "Friday euchre" in shown()

    @pytest.mark.usefixtures("kept")
    def test_the_shared_page_contains_nothing_personal(self) -> None:
        maeve, event = member("Maeve"), coming("Thursday euchre")
        build.let_in(event, [maeve])
        coming("Friday euchre")
        assert "Your next event" in shown(logged_in(maeve))
        shown()
        lists = caches["pages"].get("home")
        assert "csrf" not in lists
        assert "You are in" not in lists
        assert "Thursday euchre" in lists


class TestMembersPeopleAndRating:
    def test_friends_who_are_online_come_with_what_can_be_done(self) -> None:
        online._Noted.players.clear()  # people of other tests with the same numbers
        maeve, ben, iris = (member(name) for name in ("Maeve", "Ben", "Iris"))
        browser = logged_in(maeve)
        assert "add the people you liked" in section(shown(browser), "friends")
        for other in (ben, iris):
            friends.ask(maeve, other, timezone.now())
            friends.accept(other, maeve, timezone.now())
        assert "None of them is here" in section(shown(browser), "friends")
        online.note(ben.pk)
        online.store(timezone.now())
        part = section(shown(browser), "friends")
        assert "Ben" in part
        assert "Here now" in part
        assert "Invite" in part
        assert "Iris" not in part
        assert "All 2" in part

    def test_nothing_is_said_of_other_events_beside_the_next_one(self) -> None:
        maeve = member("Maeve")
        build.let_in(coming("Thursday euchre"), [maeve])
        page = shown(logged_in(maeve))
        assert "Your next event" in page
        assert "No events are coming up" not in page
        coming("Friday euchre")
        assert "More events" in section(shown(logged_in(maeve)), "next-events")

    def test_below_a_game_the_next_event_is_a_panel(self) -> None:
        maeve = member("Maeve")
        event = coming("Thursday euchre")
        build.let_in(event, [maeve])
        alone = shown(logged_in(maeve))
        assert 'class="next next-event"' in alone
        assert '<h1 id="next-event">Thursday euchre</h1>' in alone
        table(maeve, player("Ben"), rules=HEADS_UP)
        page = shown(logged_in(maeve))
        assert re.search(r'<h1 id="next"> Your game goes on </h1>|<h1 id="next"> It is your', page)
        assert page.count("<h1") == 1
        part = section(page, "next-event")
        assert '<h2 id="next-event"> Your next event </h2>' in part
        assert f'<a class="button plain" href="/events/{event.pk}/">See the event</a>' in part
        assert "You are checked in" in part or "You are in" in part

    def test_a_provisional_rating_has_no_line(self) -> None:
        maeve, ben, iris, jonah = (member(name) for name in ("Maeve", "Ben", "Iris", "Jonah"))
        club = build.club()
        build.joined(club, maeve, Membership.Role.OWNER)
        build.rated(maeve, ben, iris, jonah, of=club, created_by=maeve)
        part = section(shown(logged_in(maeve)), "own-rating")
        assert "Provisional, " in part
        assert "<svg" not in part
        Rating.objects.filter(player=maeve).update(games=12)
        RatingChange.objects.filter(player=maeve).update(at=timezone.now())
        part = section(shown(logged_in(maeve)), "own-rating")
        assert "this month" in part
        assert "<polyline" in part
        assert section(shown(logged_in(member("Otto"))), "own-rating") == ""

    def test_visitors_read_how_many_are_playing(self) -> None:
        assert "playing. Free" not in shown()
        table(*cast())
        assert "<b>4 people</b> are playing. Free" in shown()
