"""Standing tables: made, agreed to, opened, left, and the score kept there."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connections
from django.utils import timezone

from games.engine.rules import CLASSIC_24, HEADS_UP
from games.friends import inviting, standing, standing_score
from games.friends.standing import StandingError
from games.models import (
    Game,
    Invitation,
    Player,
    Seat,
    StandingPlace,
    StandingTable,
    Table,
)
from games.people import avoiding, friends, limits
from games.sockets import hub
from tests.factories import finish, logged_in, member, play_out, player, table

pytestmark = pytest.mark.django_db

NAMES = ("Maeve", "Ben", "Iris", "Jonah")


@pytest.fixture
def four() -> tuple[StandingTable, list[Player]]:
    """A standing table to which four people belong."""
    people = [member(name) for name in NAMES]
    return of(*people), people


def of(*people: Player) -> StandingTable:
    """A standing table to which all of these have agreed."""
    now = timezone.now()
    made = standing.make(
        people[0],
        "Thursday four",
        CLASSIC_24,
        people[1:],
        now,
        seats={one.pk: at for at, one in enumerate(people[:4])},
    )
    for one in people[1:]:
        standing.accept(made, one, now)
    return made


def befriend(one: Player, other: Player) -> None:
    friends.ask(one, other, timezone.now())
    friends.accept(other, one, timezone.now())


def opened(at: StandingTable, by: Player, *, house: bool = False) -> Table:
    return standing.open_table(at, by, timezone.now(), house=house)


def seats_of(at: Table) -> dict[int, str]:
    rows = at.seats.filter(player__kind=Player.Kind.PERSON).order_by("position")
    return dict(rows.values_list("position", "player__name"))


def seated(made: StandingTable, people: list[Player]) -> Table:
    """A table of the standing table's, at which these play."""
    at = table(*people)
    at.standing = made
    at.save(update_fields=["standing"])
    return at


class TestMaking:
    def test_from_the_friends_page_and_agreed_by_the_others(self) -> None:
        maeve, ben, iris = (member(name) for name in NAMES[:3])
        befriend(maeve, ben)
        befriend(maeve, iris)
        browser = logged_in(maeve)
        assert "New standing table" in browser.get("/you/tables/new/").text
        fields = {"name": "Thursday four", "people": [ben.pk, iris.pk], "rules": "joker-33"}
        answer = browser.post("/you/tables/new/", fields)
        made = StandingTable.objects.get()
        page = f"/you/tables/{made.pk}/"
        assert (answer.status_code, answer.headers["Location"]) == (303, page)
        shown = browser.get(page).text
        assert shown.count("Invited") == 2
        asked = logged_in(ben)
        assert asked.get(page).status_code == 404
        assert "Maeve asks you to join" in asked.get("/you/friends/").text
        assert asked.post(f"{page}accept").headers["Location"] == page
        assert "Thursday four" in asked.get("/").text
        said_no = logged_in(iris)
        assert said_no.post(f"{page}decline").status_code == 303
        assert "Thursday four" not in said_no.get("/you/friends/").text
        assert browser.get(page).text.count("Invited") == 1  # which nobody is told
        assert said_no.post(f"{page}accept").status_code == 409
        assert made.rules.key == "joker-33"

    def test_from_a_finished_game_with_its_people_rules_and_seats(self) -> None:
        maeve, ben, guest = member("Maeve"), member("Ben"), player("Gus")
        game = play_out(table(ben, guest, maeve, house_seats=(3,)))
        path = f"/you/tables/new/?game={game.pk}"
        browser = logged_in(maeve)
        assert path in browser.get(f"/games/{game.pk}/").text
        assert "Gus" not in browser.get(path).text
        fields = {"game": str(game.pk), "name": "After work", "people": [ben.pk]}
        assert browser.post("/you/tables/new/", fields).status_code == 303
        made = StandingTable.objects.get()
        assert made.rules == game.rules
        assert dict(made.places.values_list("player__name", "position")) == {"Maeve": 2, "Ben": 0}
        assert logged_in(member("Otto")).get(path).status_code == 404
        assert logged_in(guest).get(path).status_code == 403

    def test_what_is_wrong_is_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        maeve, ben, otto = member("Maeve"), member("Ben"), member("Otto")
        befriend(maeve, ben)
        browser, path = logged_in(maeve), "/you/tables/new/"
        fields = {"name": "Ours", "people": [ben.pk], "rules": "classic-24"}
        for wrong, words in (
            ({"people": []}, "Choose at least one person"),
            ({"people": [otto.pk]}, "Choose among the people listed."),
            ({"name": "see www.example.org"}, "Links and addresses"),
            ({"rules": "whist"}, "Choose one of the listed games."),
        ):
            answer = browser.post(path, {**fields, **wrong})
            assert (answer.status_code, words in answer.text) == (422, True), wrong
        assert browser.get(f"{path}?game=x").status_code == 404
        monkeypatch.setattr(limits, "INVITATIONS_IN_TEN_MINUTES", 0)
        assert browser.post(path, fields).status_code == 429
        assert not StandingTable.objects.exists()

    def test_limits_of_tables_and_people(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(standing, "MOST_TABLES", 1)
        monkeypatch.setattr(standing, "MOST_PEOPLE", 3)
        maeve, ben, iris, jonah = (member(name) for name in NAMES)
        made, now = of(maeve, ben), timezone.now()
        with pytest.raises(StandingError, match="the most"):
            standing.make(maeve, "Another", CLASSIC_24, [iris], now)
        another = standing.make(iris, "Another", CLASSIC_24, [ben], now)
        with pytest.raises(StandingError, match="the most"):
            standing.accept(another, ben, now)
        befriend(maeve, iris)
        befriend(maeve, jonah)
        standing.ask(made, maeve, iris, now)
        with pytest.raises(StandingError, match="at most"):
            standing.ask(made, maeve, jonah, now)
        standing.take_back(made, maeve, iris)
        standing.ask(made, maeve, jonah, now)
        with pytest.raises(StandingError, match="at most"):
            standing.ask(made, maeve, iris, now)

    def test_asking_again_undoes_no_no_until_it_has_expired(self) -> None:
        maeve, ben, iris = (member(name) for name in NAMES[:3])
        befriend(maeve, iris)
        made, now = of(maeve, ben), timezone.now()
        standing.ask(made, maeve, iris, now)
        standing.decline(made, iris)
        standing.take_back(made, ben, iris)
        standing.ask(made, maeve, iris, now)
        assert standing.asking(iris, now) == []
        later = now + friends.WAITS
        standing.ask(made, maeve, iris, later)
        assert len(standing.asking(iris, later)) == 1
        standing.forget(later + friends.WAITS)
        assert not StandingPlace.objects.filter(player=iris).exists()

    def test_whoever_avoids_the_one_who_asks_hears_nothing(self) -> None:
        maeve, ben = member("Maeve"), member("Ben")
        avoiding.avoid(ben, maeve)
        made = standing.make(maeve, "Ours", CLASSIC_24, [ben], timezone.now())
        assert standing.asking(ben, timezone.now()) == []
        assert "Invited" in logged_in(maeve).get(f"/you/tables/{made.pk}/").text


class TestOpening:
    def test_the_others_are_called_and_each_gets_the_usual_seat(
        self, four: tuple[StandingTable, list[Player]]
    ) -> None:
        made, people = four
        page = f"/you/tables/{made.pk}/"
        browsers = [logged_in(one) for one in people]
        answer = browsers[0].post(f"{page}open", {"house": "no"})
        at = made.tables.get()
        assert answer.headers["Location"] == f"/tables/{at.pk}/"
        assert (at.open, at.rated, at.state) == (False, False, Table.State.GATHERING)
        for browser in browsers[1:]:
            assert "Maeve has opened Thursday four" in browser.get("/").text
            assert "Waiting for players" in browser.get(page).text
            assert browser.post(f"{page}open", {"house": "no"}).status_code == 303
        at.refresh_from_db()
        assert at.state in (Table.State.SHUFFLING, Table.State.PLAYING)
        assert seats_of(at) == dict(enumerate(NAMES))

    def test_with_the_house_it_begins_at_once_and_who_comes_takes_a_house_seat(
        self, four: tuple[StandingTable, list[Player]]
    ) -> None:
        made, people = four
        at = opened(made, people[0], house=True)
        assert at.seats.filter(player__kind=Player.Kind.HOUSE).count() == 3
        assert opened(made, people[2]) == at
        assert opened(made, people[2]) == at
        assert seats_of(at) == {0: "Maeve", 2: "Iris"}

    def test_a_fifth_may_watch_a_full_table(self) -> None:
        people = [member(name) for name in (*NAMES, "Nora")]
        made = of(*people)
        for one in people[:4]:
            opened(made, one)
        page, browser = f"/you/tables/{made.pk}/", logged_in(people[4])
        assert "Watch" in browser.get(page).text
        answer = browser.post(f"{page}open", {"house": "no"}, follow=True)
        assert answer.status_code == 200
        assert seats_of(made.tables.get()) == dict(enumerate(NAMES))

    def test_it_goes_on_after_a_game_while_somebody_is_there(
        self, four: tuple[StandingTable, list[Player]]
    ) -> None:
        made, people = four
        at = opened(made, people[0], house=True)
        finish(at)
        assert opened(made, people[0]) == at
        at.refresh_from_db()
        assert at.state in (Table.State.SHUFFLING, Table.State.PLAYING)
        finish(at)
        Seat.objects.filter(table=at).update(last_seen=timezone.now() - timedelta(hours=1))
        assert opened(made, people[1], house=True) != at

    def test_two_kept_apart_do_not_call_each_other_or_sit_together(
        self, four: tuple[StandingTable, list[Player]]
    ) -> None:
        made, people = four
        avoiding.avoid(people[1], people[0])
        at = opened(made, people[0])
        assert {one.to.name for one in Invitation.objects.all()} == {"Iris", "Jonah"}
        for own in (people[0], people[1]):
            assert logged_in(own).get(f"/you/tables/{made.pk}/").status_code == 200
        answer = logged_in(people[1]).post(f"/you/tables/{made.pk}/open", {"house": "yes"})
        assert (answer.status_code, "Every seat is taken" in answer.text) == (409, True)
        assert "Waiting for players" not in logged_in(people[1]).get(f"/you/tables/{made.pk}/").text
        assert seats_of(at) == {0: "Maeve"}

    def test_only_its_people_and_it_says_what_is_missing(
        self, four: tuple[StandingTable, list[Player]]
    ) -> None:
        made, people = four
        path = f"/you/tables/{made.pk}/open"
        assert logged_in(member("Otto")).post(path, {"house": "no"}).status_code == 404
        answer = logged_in(people[0]).post(path)
        assert (answer.status_code, "yes or no" in answer.text) == (400, True)
        assert not made.tables.exists()

    def test_heads_up(self) -> None:
        maeve, ben = member("Maeve"), member("Ben")
        made = standing.make(maeve, "Two", HEADS_UP, [ben], timezone.now())
        standing.accept(made, ben, timezone.now())
        at = opened(made, maeve)
        opened(made, ben)
        assert sorted(seats_of(at).values()) == ["Ben", "Maeve"]


class TestRenaming:
    def test_any_of_its_people_renames_it_and_it_has_that_name_everywhere(
        self, four: tuple[StandingTable, list[Player]]
    ) -> None:
        made, people = four
        opened(made, people[0])
        page = f"/you/tables/{made.pk}/"
        answer = logged_in(people[1]).post(f"{page}rename", {"name": "  Friday   four "})
        assert (answer.status_code, answer.headers["Location"]) == (303, page)
        browser = logged_in(people[2])
        assert "<h1>Friday four</h1>" in browser.get(page).text
        assert "Maeve has opened Friday four" in browser.get("/").text
        for path in (page, "/", "/you/friends/"):
            assert ">Thursday four<" not in browser.get(path).text
        logged_in(people[0]).post(f"{page}rename", {"name": "Thursday four"})  # as it was
        made.refresh_from_db()
        assert (made.name, made.places.count(), made.tables.count()) == ("Thursday four", 4, 1)

    def test_nobody_else_does(self, four: tuple[StandingTable, list[Player]]) -> None:
        made, people = four
        path = f"/you/tables/{made.pk}/rename"
        asked = member("Nora")
        befriend(people[0], asked)
        standing.ask(made, people[0], asked, timezone.now())
        standing.leave(made, people[3])
        for one in (asked, people[3], member("Otto")):
            assert logged_in(one).post(path, {"name": "Mine"}).status_code == 404
            with pytest.raises(StandingError, match="do not belong"):
                standing.rename(made, one, "Mine")
        made.refresh_from_db()
        assert made.name == "Thursday four"

    @pytest.mark.parametrize(
        ("name", "words"),
        [
            ("", "Fill this in."),
            ("x" * 41, "At most 40 characters"),
            ("see www.example.org", "Links and addresses"),
        ],
    )
    def test_what_is_wrong_is_named(
        self, four: tuple[StandingTable, list[Player]], name: str, words: str
    ) -> None:
        made, people = four
        answer = logged_in(people[0]).post(f"/you/tables/{made.pk}/rename", {"name": name})
        assert (answer.status_code, words in answer.text) == (422, True)
        made.refresh_from_db()
        assert made.name == "Thursday four"


class TestLeaving:
    def test_whoever_left_is_called_no_more(self, four: tuple[StandingTable, list[Player]]) -> None:
        made, people = four
        opened(made, people[0])
        browser = logged_in(people[1])
        answer = browser.post(f"/you/tables/{made.pk}/leave")
        assert answer.headers["Location"] == "/you/friends/"
        assert inviting.waiting_for(people[1], timezone.now()) == []
        assert browser.get(f"/you/tables/{made.pk}/").status_code == 404
        with pytest.raises(StandingError, match="do not belong"):
            opened(made, people[1])

    def test_with_the_last_it_goes_and_its_games_stay(self) -> None:
        maeve, ben = member("Maeve"), member("Ben")
        made = of(maeve, ben)
        finish(opened(made, maeve, house=True))
        standing.leave(made, ben)
        standing.leave(made, ben)
        assert standing.people_of(made, timezone.now())[0] == [maeve]
        standing.leave(made, maeve)
        assert not StandingTable.objects.exists()
        assert Game.objects.get().table.standing is None


class TestScore:
    def test_games_won_by_each_and_by_partners(
        self, four: tuple[StandingTable, list[Player]]
    ) -> None:
        made, people = four
        for winner in (0, 0, 1):
            game = play_out(seated(made, people))
            Game.objects.filter(pk=game.pk).update(winner=winner)
        play_out(table(*people))  # not of the standing table
        practice = Game.objects.filter(table__standing=made).order_by("pk")
        found = standing_score.score_of(made, people)
        won = {line.names: (line.won, line.played) for line in (*found.people, *found.partners)}
        assert won == {
            "Maeve": (2, 3),
            "Iris": (2, 3),
            "Ben": (1, 3),
            "Jonah": (1, 3),
            "Maeve and Iris": (2, 3),
            "Ben and Jonah": (1, 3),
        }
        Game.objects.filter(pk=practice[0].pk).update(for_practice=True)
        standing.leave(made, people[3])
        shown = logged_in(people[0]).get(f"/you/tables/{made.pk}/").text
        assert "practice, not counted" in shown
        found = standing_score.score_of(made, people[:3])
        assert (found.counted, len(found.games)) == (2, 3)
        assert {line.names for line in found.partners} == {"Maeve and Iris"}

    def test_a_finished_game_leads_back_to_it(
        self, four: tuple[StandingTable, list[Player]]
    ) -> None:
        made, people = four
        game = play_out(seated(made, people))
        link = f"/you/tables/{made.pk}/"
        assert link in logged_in(people[0]).get(f"/games/{game.pk}/").text
        standing.leave(made, people[0])
        assert link not in logged_in(people[0]).get(f"/games/{game.pk}/").text


@pytest.mark.db
@pytest.mark.django_db(transaction=True)
class TestAtOnce:
    @pytest.mark.parametrize("house", [True, False])
    def test_sixty_open_it_and_there_is_one_game(
        self, monkeypatch: pytest.MonkeyPatch, house: bool
    ) -> None:
        monkeypatch.setattr(hub, "announce", lambda _table_id: None)
        people = [member(name) for name in NAMES]
        made = of(*people)

        def press(number: int) -> int:
            try:
                return opened(made, people[number % 4], house=house).pk
            finally:
                connections.close_all()

        with ThreadPoolExecutor(6) as workers:
            assert len({*workers.map(press, range(60))}) == 1
        at = Table.objects.get()
        assert at.state in (Table.State.SHUFFLING, Table.State.PLAYING)
        assert seats_of(at) == dict(enumerate(NAMES))

    def test_one_leaves_while_others_open(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(hub, "announce", lambda _table_id: None)
        people = [member(name) for name in NAMES]
        made = of(*people)

        def press(one: Player) -> None:
            try:
                if one == people[3]:
                    standing.leave(made, one)
                else:
                    opened(made, one)
            finally:
                connections.close_all()

        with ThreadPoolExecutor(4) as workers:
            list(workers.map(press, [people[0], people[3], people[1], people[2]]))
        assert seats_of(Table.objects.get()) == {0: "Maeve", 1: "Ben", 2: "Iris"}
        assert not Invitation.objects.filter(to=people[3]).exists()

    def test_all_leave_at_once_and_it_goes(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(hub, "announce", lambda _table_id: None)
        people = [member(name) for name in NAMES]
        made = of(*people)
        opened(made, people[0])

        def press(one: Player) -> None:
            try:
                standing.leave(made, one)
            finally:
                connections.close_all()

        with ThreadPoolExecutor(4) as workers:
            list(workers.map(press, people))
        assert not StandingTable.objects.exists()
        assert not StandingPlace.objects.exists()

    def test_nobody_agrees_to_more_than_may_be(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(standing, "MOST_TABLES", 2)
        maeve, now = member("Maeve"), timezone.now()
        tables = [standing.make(member(name), name, CLASSIC_24, [maeve], now) for name in NAMES[1:]]

        def press(one: StandingTable) -> bool:
            try:
                standing.accept(one, maeve, now)
            except StandingError:
                return False
            finally:
                connections.close_all()
            return True

        with ThreadPoolExecutor(3) as workers:
            assert sum(workers.map(press, tables)) == 2
