"""The sheet for the door: one list by family name, and what is done in its rows."""

from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from games.models import Player
from tests.factories import logged_in, member
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON, acted_by_form
from tournaments.acts import house_players, page
from tournaments.attendance import newcomers
from tournaments.console import door, door_views
from tournaments.family_names import by_family_name
from tournaments.models import Act, Entry, Event

pytestmark = pytest.mark.django_db

NAMES = ("Pete Alder", "Anna Zorn", "Tom Bell", "ruth bell", "Örjan Åkesson", "Maeve")
IN_ORDER = ["Örjan Åkesson", "Pete Alder", "ruth bell", "Tom Bell", "Maeve", "Anna Zorn"]
SCRIPT = {"HX-Request": "true"}


@pytest.fixture(autouse=True)
def _before_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SimpleNamespace(now=lambda: NOON - 10 * MINUTE)
    for module in (page, door_views):
        monkeypatch.setattr(module, "timezone", clock)


@pytest.fixture
def browser(ada: Player) -> Client:
    return logged_in(ada)


def evening(ada: Player, **fields: Any) -> Event:
    """An event in the room whose check-in is open, with six who have entered."""
    values = {
        "place": Event.Place.ROOM, "check_in_minutes": 30, "state": Event.State.CHECK_IN,
        "entry_money": 500, "currency": "EUR", "format": "progressive", **fields,
    }  # fmt: skip
    event = build.event(ada.memberships.get().club, **values)
    build.let_in(event, [member(name) for name in NAMES])
    return event


def path(event: Event) -> str:
    return reverse("door", args=[event.pk])


def entry(event: Event, name: str) -> Entry:
    return event.entries.get(players__player__name=name)


def names(event: Event) -> list[str]:
    return [one.entry.name for one in door.guests_of(event, event.created_by, NOON - MINUTE)]


class TestTheOrder:
    def test_everybody_is_listed_by_family_name(self, ada: Player, browser: Client) -> None:
        event = evening(ada)
        assert names(event) == IN_ORDER
        text = browser.get(path(event)).text
        places = [text.index(f'id="guest-{entry(event, one).pk}"') for one in IN_ORDER]
        assert places == sorted(places)

    def test_the_printed_lists_have_the_same_order(self, ada: Player, browser: Client) -> None:
        event = evening(ada)
        printed = browser.get(reverse("print_door", args=[event.pk])).text
        shown = ["Åkesson, Örjan", "Alder, Pete", "bell, ruth", "Bell, Tom", "Maeve", "Zorn, Anna"]
        places = [printed.index(f">{one}<") for one in shown]
        assert places == sorted(places)

    def test_pairings_are_printed_by_family_name(self, ada: Player, browser: Client) -> None:
        event = evening(ada, check_in_minutes=0, entry_money=0)
        Entry.objects.filter(event=event).update(state=Entry.State.CHECKED_IN)
        build.begin(event)
        printed = browser.get(reverse("print_pairings", args=[event.pk, 1])).text
        by_name = printed[printed.index("Where to sit, by name") :]
        places = [by_name.index(one) for one in ("Åkesson", "Alder", "bell, ruth", "Zorn, Anna")]
        assert places == sorted(places)

    @pytest.mark.parametrize(
        ("one", "other"),
        [("Zoe Abel", "Abe Zorn"), ("Ann Ost", "Ben Ost"), ("Ida Öst", "Ida Pohl"), ("Bo", "Al C")],
    )
    def test_the_last_word_counts_then_the_rest(self, one: str, other: str) -> None:
        assert by_family_name(one) < by_family_name(other)


class TestActs:
    def test_check_in_and_money_from_one_row_and_back(self, ada: Player, browser: Client) -> None:
        event = evening(ada)
        tom = entry(event, "Tom Bell")
        for act, state, paid in [
            ("in", Entry.State.CHECKED_IN, False),
            ("paid", Entry.State.CHECKED_IN, True),
            ("unpaid", Entry.State.CHECKED_IN, False),
            ("out", Entry.State.ENTERED, False),
        ]:
            for _twice in range(2):
                answer = browser.post(path(event), {act: tom.pk})
                assert (answer.status_code, f"#guest-{tom.pk}" in answer["Location"]) == (303, True)
            tom.refresh_from_db()
            assert (tom.state, tom.paid is not None) == (state, paid), act
        (checked, undone) = event.acts.order_by("pk")
        assert (checked.kind, undone.kind, undone.undoes) == (Act.Kind.CHECK_IN, "undo", checked)

    def test_a_script_gets_the_row_and_the_sums_alone(self, ada: Player, browser: Client) -> None:
        event = evening(ada)
        tom = entry(event, "Tom Bell")
        answer = browser.post(path(event), {"paid": tom.pk}, headers=SCRIPT).text
        assert f'id="guest-{tom.pk}"' in answer
        assert "Pete" not in answer
        assert "5.00</b> of 30.00 paid" in answer
        assert "Tom Bell: paid." in answer
        assert len(answer.encode()) < 6_000

    def test_whoever_checked_in_by_phone_is_taken_back_too(
        self, ada: Player, browser: Client
    ) -> None:
        event = evening(ada)
        tom = entry(event, "Tom Bell")
        event.entries.filter(pk=tom.pk).update(state=Entry.State.CHECKED_IN)
        browser.post(path(event), {"out": tom.pk})
        assert entry(event, "Tom Bell").state == Entry.State.ENTERED
        assert event.notices.filter(text="Tom Bell: not checked in after all.", by=ada).exists()

    def test_whoever_was_checked_in_waiting_and_got_a_place_is_taken_back(
        self, ada: Player, browser: Client
    ) -> None:
        event = evening(ada)
        event.entries.filter(pk=entry(event, "Tom Bell").pk).update(state=Entry.State.WAITING)
        browser.post(path(event), {"in": entry(event, "Tom Bell").pk})
        event.entries.filter(here=True).update(here=False, state=Entry.State.CHECKED_IN)
        browser.post(path(event), {"out": entry(event, "Tom Bell").pk})
        assert entry(event, "Tom Bell").state == Entry.State.ENTERED

    def test_a_withdrawal_returns_to_the_row(self, ada: Player, browser: Client) -> None:
        event = evening(ada)
        tom = entry(event, "Tom Bell")
        way = f"{reverse('withdraw_entry', args=[event.pk, tom.pk])}?door={tom.pk}"
        assert way in browser.get(path(event)).text
        back = acted_by_form(browser, way, reason="Ill.")["Location"]
        assert back == f"{path(event)}?at={tom.pk}#guest-{tom.pk}"
        assert names(event) == IN_ORDER, "whoever has left keeps the place"
        assert "Put back" in browser.get(path(event)).text

    def test_before_check_in_opens_nobody_can_press_it(self, ada: Player, browser: Client) -> None:
        event = evening(ada, check_in_minutes=5, state=Event.State.REGISTRATION)
        text = browser.get(path(event)).text
        assert "Check-in opens" in text
        assert 'name="in"' not in text
        answer = browser.post(path(event), {"in": entry(event, "Tom Bell").pk}, headers=SCRIPT)
        assert (answer.status_code, answer.text) == (409, "Check-in is not open.")

    def test_whoever_did_not_come_is_let_in_late(self, ada: Player, browser: Client) -> None:
        event = evening(ada)
        event.entries.exclude(pk=entry(event, "Tom Bell").pk).update(state=Entry.State.CHECKED_IN)
        event.entries.filter(pk=entry(event, "Tom Bell").pk).update(state=Entry.State.NO_SHOW)
        build.begin(event)
        assert 'name="late"' in browser.get(path(event)).text
        browser.post(path(event), {"late": entry(event, "Tom Bell").pk})
        assert entry(event, "Tom Bell").first_round == 2

    def test_house_players_are_in_owe_nothing_and_can_be_withdrawn(
        self, ada: Player, browser: Client
    ) -> None:
        event = evening(ada, place=Event.Place.ONLINE)
        house_players.add_house_entries(event, ada, 1, NOON - 10 * MINUTE)
        (heron,) = (
            one for one in door.guests_of(event, event.created_by, NOON - MINUTE) if one.entry.house
        )
        assert (heron.kind, heron.here, heron.pays) == ("House", True, False)
        assert (heron.can_check_in, heron.can_leave) == (False, True)
        out = reverse("withdraw_entry", args=[event.pk, heron.entry.pk])
        assert f"{out}?door={heron.entry.pk}" in browser.get(path(event)).text
        assert browser.post(path(event), {"out": heron.entry.pk}).status_code == 404

    def test_an_entry_of_another_event_is_not_found(self, ada: Player, browser: Client) -> None:
        event, other = evening(ada), build.event(ada.memberships.get().club, name="Other")
        answer = browser.post(path(other), {"in": entry(event, "Tom Bell").pk})
        assert answer.status_code == 404


class TestFilters:
    def test_each_filter_leaves_whom_it_names(self, ada: Player, browser: Client) -> None:
        event = evening(ada)
        browser.post(path(event), {"in": entry(event, "Tom Bell").pk})
        browser.post(path(event), {"paid": entry(event, "Maeve").pk})
        event.entries.filter(pk=entry(event, "Pete Alder").pk).update(state="withdrawn")
        guests = door.guests_of(event, event.created_by, NOON - MINUTE)
        kept = {show: [one.entry.name for one in guests if one.fits(show)] for show in door.FILTERS}
        stay = [one for one in IN_ORDER if one != "Pete Alder"]
        assert kept["in"] == ["Tom Bell"]
        assert kept["not-in"] == [one for one in stay if one != "Tom Bell"]
        assert kept["not-paid"] == [one for one in stay if one != "Maeve"]
        assert kept["sits-out"] == []
        text = browser.get(path(event), {"show": "in"}).text
        assert "Tom" in text
        assert "Anna" not in text

    def test_whoever_sits_out_the_round_is_found(self, ada: Player, browser: Client) -> None:
        event = evening(ada, check_in_minutes=0)
        build.begin(event)
        text = browser.get(path(event), {"show": "sits-out"}).text
        assert text.count('id="guest-') == 2
        assert "sits out" in text


class TestFinding:
    def test_the_event_then_the_clubs_list_then_somebody_new(
        self, ada: Player, browser: Client
    ) -> None:
        event = evening(ada)
        build.joined(event.club, member("Abe Bell"))
        text = browser.get(path(event), {"q": "bell"}).text
        blocks = ("In this event", "On the club’s list", "Somebody new", 'value="Bell"')
        places = [text.index(words) for words in blocks]
        assert places == sorted(places)
        assert text.index("ruth") < text.index("Tom") < text.index("Abe")
        listed = text[text.index('id="door"') :]
        assert listed.count('aria-current="true"') == 1, "the first one found is marked"

    def test_a_member_is_entered_and_checked_in_at_once(self, ada: Player, browser: Client) -> None:
        event = evening(ada)
        abe = member("Abe Bell")
        build.joined(event.club, abe)
        answer = browser.post(path(event), {"player": abe.pk}, headers=SCRIPT).text
        assert entry(event, "Abe Bell").state == Entry.State.CHECKED_IN
        assert answer.count('id="guest-') == 7, "the whole list comes, with the new row"
        assert "Abe Bell: in the event." in answer

    def test_somebody_new_needs_a_name_only(self, ada: Player, browser: Client) -> None:
        event = evening(ada)
        browser.post(path(event), {"first": "Joan ", "family": " Moss"})
        made = entry(event, "Joan Moss")
        assert made.state == Entry.State.CHECKED_IN
        assert event.walk_ins.get().player.name == "Joan Moss"
        text = browser.get(path(event)).text
        assert reverse("change_walk_in_name", args=[event.pk, event.walk_ins.get().pk]) in text

    def test_people_on_paper_are_offered_and_are_the_same_every_night(
        self, ada: Player, browser: Client
    ) -> None:
        before = evening(ada, name="Before")
        browser.post(path(before), {"first": "Joan", "family": "Moss"})
        event = build.event(
            before.club, place=Event.Place.ROOM, check_in_minutes=30, format="progressive"
        )
        text = " ".join(browser.get(path(event), {"q": "moss"}).text.split())
        assert "On paper, 1 night, last on" in text
        row = event.club.listed_names.get()
        browser.post(path(event), {"listed": row.pk})
        assert event.walk_ins.get().player == before.walk_ins.get().player
        assert 'On paper<span class="nth">, 2 nights</span>' in browser.get(path(event)).text

    @pytest.mark.parametrize(("first", "family"), [("", ""), ("Tom", "Bell"), ("a" * 40, "b" * 40)])
    def test_a_name_that_is_none_or_taken_is_refused(
        self, ada: Player, browser: Client, first: str, family: str
    ) -> None:
        event = evening(ada)
        answer = browser.post(path(event), {"first": first, "family": family}, headers=SCRIPT)
        assert answer.status_code in {409, 422}
        assert event.entries.count() == len(NAMES)

    def test_nights_tell_two_of_one_name_apart(self, ada: Player, browser: Client) -> None:
        event = evening(ada)
        before = build.event(event.club, name="Before")
        abe, other = member("Abe Lang"), member("Abe Lange")
        for one in (abe, other):
            build.joined(event.club, one)
        build.let_in(before, [abe])
        before.entries.update(seed=1)
        text = " ".join(browser.get(path(event), {"q": "lang"}).text.split())
        assert "Member, 1 night, last on" in text

    def test_the_number_of_a_table_leads_to_the_console(self, ada: Player, browser: Client) -> None:
        assert "The console has the tables" in browser.get(path(evening(ada)), {"q": "2"}).text


def test_only_directors_see_the_door(ada: Player) -> None:
    event = evening(ada)
    assert Client().get(path(event)).status_code == 403
    assert logged_in(member("Nils")).post(path(event), {"in": 1}).status_code == 403


def test_the_list_costs_no_query_for_each_person(
    ada: Player, browser: Client, django_assert_max_num_queries: Any
) -> None:
    event = evening(ada)
    for number in range(30):
        newcomers.enter(event, [f"Walker {number}"], ada, NOON - MINUTE)
    browser.get(path(event))
    with django_assert_max_num_queries(30):
        browser.get(path(event))


@pytest.mark.django_db(transaction=True)
def test_two_at_the_door_take_the_same_money_once(ada: Player) -> None:
    event = evening(ada)
    tom = entry(event, "Tom Bell")
    olga = build.director(event.club, "Olga")
    browsers = [logged_in(one) for one in (ada, olga)]

    def press(one: Client) -> int:
        try:
            return one.post(path(event), {"paid": tom.pk}).status_code
        finally:
            connection.close()

    with ThreadPoolExecutor() as pool:
        assert list(pool.map(press, browsers)) == [303, 303]
    assert event.notices.filter(text="Tom Bell: paid.").count() == 1


@pytest.mark.parametrize(("cents", "said"), [(500, True), (0, False)])
def test_the_console_speaks_of_money_only_where_there_is_some(
    ada: Player, browser: Client, cents: int, *, said: bool
) -> None:
    event = evening(ada, entry_money=cents)
    text = browser.get(reverse("manage_event", args=[event.pk])).text
    assert "Everybody in one list by family name" in text
    assert ("take the money" in text) == said
