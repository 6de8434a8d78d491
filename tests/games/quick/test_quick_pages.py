"""The button "Play now", and the page of those who are about to sit down."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from games.engine.rules import CLASSIC_24
from games.models import Player, SeatRequest, Seeker, Table
from games.people import traces
from games.people.traces import Origin
from games.quick import company, queue
from games.seats import seating
from tests.database_steps import steps
from tests.factories import logged_in, member

pytestmark = pytest.mark.django_db
SCRIPT = {"HX-Request": "true"}


@pytest.fixture(autouse=True)
def _a_time_to_gather(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two seconds, and hands that are soon over."""
    settings.QUICK_GATHER = 2.0
    monkeypatch.setattr(company, "ACTIONS", 10)


def press(browser: Client, **fields: str) -> str:
    """Press "Play now", and return where it leads."""
    answer = browser.post("/play/now/", {"rules": "classic-24", **fields})
    assert answer.status_code == 303
    return str(answer.headers["Location"])


def waited() -> None:
    """Let everybody in the queue have waited for long enough."""
    now = timezone.now()
    Seeker.objects.update(since=now - timedelta(seconds=3), due=now - timedelta(seconds=1))


def test_a_visitor_waits_on_a_page_and_then_comes_to_a_table(client: Client) -> None:
    assert press(client) == "/play/seat/"
    page = client.get("/play/seat/").text
    assert "Your table is nearly ready" in page
    assert "Classic, 24 cards, to 5" in page
    waited()
    at = client.get("/play/seat/")
    table = Table.objects.get()
    assert at.headers["Location"] == f"/tables/{table.pk}/"
    assert client.get(f"/tables/{table.pk}/").status_code == 200


def test_a_script_is_told_only_of_changes_and_then_led_on(client: Client) -> None:
    press(client)
    page = client.get("/play/seat/").text
    seen = page.partition("?seen=")[2].partition('"')[0]
    assert client.get(f"/play/seat/?seen={seen}", headers=SCRIPT).status_code == 204
    assert "<html" not in client.get("/play/seat/?seen=x", headers=SCRIPT).text
    waited()
    answer = client.get(f"/play/seat/?seen={seen}", headers=SCRIPT)
    assert answer.headers["HX-Redirect"] == f"/tables/{Table.objects.get().pk}/"


def test_the_page_says_who_is_playing_and_where_one_will_sit() -> None:
    maeve, ben = (logged_in(member(name)) for name in ("Maeve", "Ben"))
    press(maeve)
    maeve.post("/play/seat/start")
    table = Table.objects.get()
    traces.record(table, table.host, Origin("browser of Maeve"))  # her page of it is open
    assert press(ben) == "/play/seat/"
    page = ben.get("/play/seat/").text
    assert "You sit down after this hand" in page
    assert "Maeve is playing a hand. They know that you are coming." in page
    asked = SeatRequest.objects.get()
    assert (asked.table, asked.player.name) == (Table.objects.get(), "Ben")


def test_start_now_and_cancel(client: Client) -> None:
    press(client)
    assert client.post("/play/seat/start").headers["Location"] == "/play/seat/"
    assert client.get("/play/seat/").headers["Location"].startswith("/tables/")
    other = Client()
    press(other, rules="heads-up")
    assert other.post("/play/seat/leave").headers["Location"] == "/play/"
    assert other.get("/play/seat/").headers["Location"] == "/play/"
    assert not Seeker.objects.exists()


def test_cancel_leads_to_a_seat_that_came_first(client: Client) -> None:
    press(client)
    table = seating.play_now(member("Maeve"), CLASSIC_24, turn_seconds=45)
    seeker = Seeker.objects.get()
    Seeker.objects.update(table=table)
    table.seats.filter(position=0).update(player=seeker.player)
    answer = client.post("/play/seat/leave")
    assert answer.headers["Location"] == f"/tables/{table.pk}/"
    assert not Seeker.objects.exists()


def test_the_pace_is_the_clock_of_the_table(client: Client) -> None:
    press(client, pace="fast")
    client.post("/play/seat/start")
    assert Table.objects.get().turn_seconds == 12


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"rules": "whist"}, "There is no such game here; choose one of the list."),
        ({"pace": "slow"}, "The pace is relaxed or fast."),
    ],
)
def test_an_impossible_choice_of_a_quick_game_is_refused(
    client: Client, fields: dict[str, str], why: str
) -> None:
    answer = client.post("/play/now/", {"rules": "classic-24", **fields})
    assert answer.status_code == 400
    assert why in answer.text
    assert not Seeker.objects.exists()


def test_nobody_is_seated_by_looking_at_the_page(client: Client) -> None:
    assert client.get("/play/seat/").headers["Location"] == "/play/"
    logged_in(member("Maeve")).get("/play/seat/")
    queue.seat_waiting(timezone.now())
    assert not Table.objects.exists()


class TestChoices:
    def test_the_lobby_remembers_what_was_chosen(self, client: Client) -> None:
        page = client.get("/play/").text
        assert 'value="relaxed" checked' in page
        press(client, rules="heads-up", pace="fast")
        page = client.get("/play/").text
        assert 'value="heads-up" checked' in page
        assert 'value="fast" checked' in page

    def test_a_member_repeats_the_last_choice_in_one_press(self) -> None:
        maeve = logged_in(member("Maeve"))
        assert "as last time" not in maeve.get("/").text
        press(maeve, rules="joker-33", pace="fast")
        page = maeve.get("/").text
        assert "Fast, as last time." in " ".join(page.split())
        assert 'value="joker-33" selected' in page
        assert '<input type="hidden" name="pace" value="fast">' in page

    def test_a_choice_of_former_times_is_forgotten(self, client: Client) -> None:
        client.get("/play/")
        session = client.session
        session["wish"] = ["whist", "slow"]
        session.save()
        assert 'value="relaxed" checked' in client.get("/play/").text

    def test_the_lobby_says_how_many_are_playing(self, client: Client) -> None:
        assert "Play with the house; people join as they come" in client.get("/play/").text
        maeve = logged_in(member("Maeve"))
        press(maeve)
        maeve.post("/play/seat/start")
        assert "1 person is playing" in client.get("/play/").text


HOME, ELSEWHERE = "192.0.2.7", "192.0.2.8"
APART = "Somebody at your address plays too"


def visitor(address: str) -> Client:
    """A browser of its own at an address."""
    return Client(REMOTE_ADDR=address)


@pytest.mark.parametrize("sits", [False, True], ids=["waits", "sits"])
def test_guests_at_one_address_are_told_why_they_do_not_meet(sits: bool) -> None:
    first, second = visitor(HOME), visitor(HOME)
    press(first)
    assert APART not in first.get("/play/seat/").text, "nobody else is there"
    if sits:
        waited()
        first.get(first.get("/play/seat/").headers["Location"])
    press(second)
    page = second.get("/play/seat/").text
    assert APART in page
    assert 'href="/tables/new/?for=friends"' in page
    if not sits:
        assert APART in first.get("/play/seat/").text


def test_nobody_is_told_of_people_at_other_addresses() -> None:
    first, second = visitor(HOME), visitor(ELSEWHERE)
    for browser in (first, second):
        press(browser)
        assert APART not in browser.get("/play/seat/").text


def test_the_sentence_does_not_say_who_is_there_nor_how_many() -> None:
    others = [visitor(HOME) for _ in range(2)]
    pages = []
    for browser in (*others, visitor(HOME)):
        press(browser)
        pages.append(browser.get("/play/seat/").text)
    told = [page.partition(APART)[2].partition("</p>")[0] for page in pages[1:]]
    assert told[0] == told[1] != ""
    names = Seeker.objects.values_list("player__name", flat=True)
    assert not any(name in told[0] for name in names)


def test_members_of_a_household_are_not_told_since_they_meet() -> None:
    for name in ("Maeve", "Ben"):
        browser = logged_in(member(name))
        press(browser)
        assert APART not in browser.get("/play/seat/").text


def test_guests_of_long_ago_cost_nothing() -> None:
    first, second = visitor(HOME), visitor(HOME)
    press(first)
    waited()
    first.get(first.get("/play/seat/").headers["Location"])
    press(second)
    mine, where = Seeker.objects.get(table=None), Origin("a browser", "elsewhere")

    def cost() -> int:
        with steps() as counted:
            assert not queue.kept_apart_from(mine, where, timezone.now())
        return counted.taken

    before = cost()
    old = Table.objects.get()
    old.pk, old.state = None, Table.State.FINISHED
    old.save()
    guests = Player.objects.bulk_create(Player(name=f"Guest {number}") for number in range(300))
    traces.record_all((old, one, Origin(f"{one.pk}", HOME)) for one in guests)
    assert cost() < before + 300
