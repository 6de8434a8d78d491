"""Planning a night: templates of the club, its next free day, and publishing in one press."""

import re
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from games.models import Player
from tests.factories import logged_in
from tests.tournaments import build
from tests.tournaments.setting_up.test_event_form import offered
from tournaments.models import Club, Event
from tournaments.setting_up import plan as plan_page

pytestmark = pytest.mark.django_db

State = Event.State


@pytest.fixture
def club() -> Club:
    return build.club(time_zone="America/New_York", venue="The Old Mill")


@pytest.fixture
def browser(ada: Player) -> Client:
    return logged_in(ada)


def held(club: Club, weeks: int, name: str = "Thursday euchre", **fields: Any) -> Event:
    """An event so many weeks ago, at half past seven in New York."""
    local = (timezone.now() - timedelta(weeks=weeks)).astimezone(club.zone)
    starts = local.replace(hour=19, minute=30, second=0, microsecond=0)
    times = {"registration_opens": starts - timedelta(days=6), "registration_closes": starts}
    times["created"] = times["registration_opens"]
    usual = {"state": State.FINISHED, "starts": starts, **times}
    return build.event(club, name=name, **{**usual, **fields})


def plan(club: Club, query: str = "") -> str:
    return f"/clubs/{club.slug}/events/plan/{query}"


def local(event: Event) -> datetime:
    return event.starts.astimezone(event.club.zone)


def test_a_usual_night_is_published_in_one_press(browser: Client, club: Club) -> None:
    held(club, 4, "Winter Cup", format="swiss", capacity=40)
    for weeks in (1, 2, 3):
        last = held(club, weeks, capacity=20, place="room", venue="The Anchor", rated=False)
    assert last.name == "Thursday euchre"
    page = browser.get(plan(club))
    assert page.status_code == 200
    assert page.text.index("Thursday euchre") < page.text.index("Winter Cup")
    response = browser.post(plan(club), {"then": "publish"})
    made = Event.objects.latest("pk")
    assert (response.status_code, response["Location"]) == (303, f"/events/{made.pk}/")
    assert (made.name, made.capacity, made.where) == ("Thursday euchre", 20, "The Anchor")
    assert (made.state, made.rated, made.recurrence) == (State.REGISTRATION, False, "")
    assert local(made).time() == local(last).time()
    assert local(made).weekday() == local(last).weekday()
    assert timezone.now() < made.starts <= timezone.now() + timedelta(days=8)


def test_publish_follows_the_day_and_is_a_few_tabs_away(browser: Client, club: Club) -> None:
    held(club, 1)
    page = browser.get(plan(club)).text
    order = ['href="#publish"', 'id="what"', 'id="when"', 'id="publish"', 'id="whole"']
    assert [page.index(one) for one in order] == sorted(page.index(one) for one in order)
    days = re.findall(r'class="set day-set" href="([^"]+)"', page)
    assert all(day.endswith("#publish") for day in days)
    assert days


def test_a_second_press_plans_no_second_night(browser: Client, club: Club) -> None:
    model = held(club, 1)
    first = browser.post(plan(club, f"?like={model.pk}&at=20:00"), {"then": "publish"})
    assert first.status_code == 303
    day = local(Event.objects.latest("pk")).date()
    again = browser.post(plan(club, f"?like={model.pk}&day={day}&at=20:00"), {"then": "publish"})
    assert again.status_code == 409
    assert "planned for that day and hour already" in again.text
    assert Event.objects.count() == 2


@pytest.mark.parametrize("then", ["publish", "draft"])
@pytest.mark.parametrize("like", ["", "?like={}"])
def test_pressing_twice_on_the_page_is_one_night(
    browser: Client, club: Club, like: str, then: str
) -> None:
    page = browser.get(plan(club, like.format(held(club, 1).pk))).text
    action = re.search(r'<form[^>]* method="post" action="(\?[^"]*)"', page)
    assert action
    address = plan(club, action[1].replace("&amp;", "&"))
    assert browser.post(address, {"then": then}).status_code == 303
    again = browser.post(address, {"then": then})
    assert again.status_code == 409
    assert "planned for that day and hour already" in again.text
    assert Event.objects.count() == 2


def test_the_dates_of_a_series_are_taken_and_it_is_not_begun_twice(
    browser: Client, club: Club
) -> None:
    held(club, 1)
    browser.post(plan(club), {"then": "publish", "weekly": "on"})
    made = Event.objects.latest("pk")
    whys = [why for _day, why in plan_page.days(made, timezone.now())]
    assert whys == ["Thursday euchre"] * 4
    page = browser.get(plan(club)).text
    assert 'name="weekly"' not in page
    assert "is repeated already" in page
    browser.post(plan(club), {"then": "publish", "weekly": "on"})
    assert Event.objects.latest("pk").recurrence == ""
    Event.objects.filter(pk=made.pk).update(recurrence="fortnightly")
    whys = [why for _day, why in plan_page.days(held(club, 1, "Quiz"), timezone.now())]
    assert "" in whys


def test_moving_a_night_of_a_series_says_which_of_its_dates_it_takes(
    browser: Client, club: Club
) -> None:
    held(club, 1)
    browser.post(plan(club), {"then": "publish", "weekly": "on"})
    event = Event.objects.latest("pk")
    lost = f"{local(event) + timedelta(days=7):%-d %B}"
    event.starts += timedelta(days=8)
    answer = browser.post(f"/events/{event.pk}/edit/", offered(club, event), follow=True)
    assert f"The series leaves out {lost}:" in answer.text


def test_the_page_says_how_often_a_night_was_held_and_when_it_is_next(
    browser: Client, club: Club
) -> None:
    held(club, 1, "Quiz", state=State.REGISTRATION)  # nobody started it
    held(club, 3, "Quiz", template=True)
    held(club, 2, "Quiz")
    now = timezone.now()
    (offer,) = plan_page.templates(club, now)
    assert (offer.times, offer.coming) == (2, None)
    assert offer.last == Event.objects.latest("pk").starts
    later = held(club, 0, "Quiz", state=State.REGISTRATION, starts=now + timedelta(days=30))
    soon = held(club, 0, "Quiz", state=State.REGISTRATION, starts=now + timedelta(days=3))
    (offer,) = plan_page.templates(club, now)
    assert (offer.times, offer.coming) == (2, soon.starts)
    assert later.starts > soon.starts
    words = re.sub(r"<[^>]*>", "", browser.get(plan(club)).text)
    assert "2 times, next on" in words


def test_every_field_is_taken_along_and_can_be_changed(browser: Client, club: Club) -> None:
    model = held(club, 1, format="swiss", rounds=5, about="Bring cake.")
    page = browser.get(plan(club, f"?like={model.pk}")).text
    fields = re.search(r'href="(/clubs/[^"]*/events/new/[^"#]*)#id_name"', page)
    assert fields
    form = browser.get(fields[1].replace("&amp;", "&")).context["form"]
    assert (form.instance.format, form.instance.rounds) == ("swiss", 5)
    assert form.instance.about == "Bring cake."
    sent = offered(club, form.instance)
    assert (
        browser.post(fields[1].replace("&amp;", "&"), {**sent, "then": "draft"}).status_code == 303
    )
    assert Event.objects.latest("pk").state == State.DRAFT


def test_the_next_free_day_is_neither_taken_nor_closed(browser: Client, club: Club) -> None:
    model = held(club, 1)
    first, second, third, _ = (day for day, _why in plan_page.days(model, timezone.now()))
    away = first - local(model).date()
    held(club, 0, "Quiz", state=State.ANNOUNCED, starts=model.starts + away + timedelta(minutes=9))
    Event.objects.filter(pk=model.pk).update(no_event_on=[second.isoformat()])
    page = browser.get(plan(club, f"?like={model.pk}")).text
    assert "the club is closed" in page
    assert "<small>Quiz</small>" in page
    browser.post(plan(club, f"?like={model.pk}"), {"then": "publish"})
    assert local(Event.objects.latest("pk")).date() == third


def test_a_night_can_be_repeated_and_keeps_to_the_closed_days(browser: Client, club: Club) -> None:
    closed = (timezone.now() + timedelta(days=100)).date().isoformat()
    held(club, 1, no_event_on=[closed])
    assert browser.post(plan(club), {"then": "publish", "weekly": "on"}).status_code == 303
    made = Event.objects.latest("pk")
    assert (made.recurrence, made.no_event_on) == ("weekly", [closed])
    assert made.series_day == local(made).date()


def test_a_template_is_offered_even_if_it_was_held_once_long_ago(
    browser: Client, club: Club
) -> None:
    cup = held(club, 60, "Winter Cup")
    for name in ("Monday", "Tuesday", "Wednesday"):
        for weeks in (1, 2):
            held(club, weeks, name)
    assert "Winter Cup" not in browser.get(plan(club)).text
    assert browser.post(f"/events/{cup.pk}/template").status_code == 303
    assert "Winter Cup" in browser.get(plan(club)).text
    assert browser.post(f"/events/{cup.pk}/template", {"back": ""}).status_code == 303
    browser.get(plan(club))  # which shows the message
    assert "Winter Cup" not in browser.get(plan(club)).text


def test_a_club_without_events_begins_with_all_fields(browser: Client, club: Club) -> None:
    response = browser.get(plan(club))
    assert (response.status_code, response["Location"]) == (302, f"/clubs/{club.slug}/events/new/")


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("day=soon", "Give the day, such as 2026-12-04."),
        ("day=2001-01-01", "Choose a day from today on"),
        ("day=9999-12-31", "Choose a day from today on"),
        ("at=late", "Give the time, such as 19:30."),
    ],
)
def test_a_wrong_day_is_named_and_nothing_is_planned(
    browser: Client, club: Club, query: str, words: str
) -> None:
    model = held(club, 1)
    for response in (
        browser.get(plan(club, f"?like={model.pk}&{query}")),
        browser.post(plan(club, f"?like={model.pk}&{query}"), {"then": "publish"}),
    ):
        assert response.status_code == 422
        assert words in response.text
    assert Event.objects.count() == 1


def test_an_hour_that_has_passed_today_is_refused(browser: Client, club: Club) -> None:
    model, today = held(club, 1), timezone.now().astimezone(club.zone).date()
    response = browser.post(plan(club, f"?like={model.pk}&day={today}&at=00:00"), {})
    assert response.status_code == 422
    assert "That hour has passed" in response.text


def test_an_event_of_another_club_is_not_copied(browser: Client, club: Club) -> None:
    held(club, 1)
    other = held(build.club("Elsewhere"), 1, "Secret night")
    assert "Secret night" not in browser.get(plan(club, f"?like={other.pk}")).text


def test_the_page_of_an_event_leads_to_its_copy(browser: Client, club: Club) -> None:
    model = held(club, 1, state=State.REGISTRATION, starts=timezone.now() + timedelta(days=1))
    assert f"{plan(club)}?like={model.pk}" in browser.get(f"/events/{model.pk}/").text
