"""The pages of the daily deal, and what they lead to."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.core.cache import caches
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from euchre_site.own_data import export_contents
from games.figures import signed
from games.models import Player, PushMessage
from games.play import house_games
from tests.factories import confirmed, logged_in, member, people
from tests.tournaments import build
from tests.tournaments.daily.days_for_tests import begun, closed, pass_by, played, table_of, today
from tournaments.daily import closing, days, opened, reminders, sharing, standings, tries
from tournaments.models import DailyReminder, DailyTry, Letter, Membership
from tournaments.models.daily import DailyDeal

pytestmark = pytest.mark.django_db


def page(browser: Client, path: str) -> str:
    response = browser.get(path, follow=True)
    assert response.status_code == 200, path
    return str(response.content.decode())


def test_a_guest_begins_by_one_press_and_goes_on() -> None:
    daily, browser = today(), Client()
    shown = page(browser, "/daily/")
    assert "Play today’s deals" in shown
    assert "No account needed" in shown
    response = browser.post(f"/daily/{daily.day}/begin")
    table = table_of(daily.tries.get())
    assert response.headers["Location"] == f"/tables/{table.pk}/"
    assert "Deal 1 of 4" in page(browser, f"/daily/{daily.day}/")
    again = browser.post(f"/daily/{daily.day}/begin")
    assert again.headers["Location"] == f"/tables/{table.pk}/"
    assert "Go on" in page(browser, "/")


def test_while_it_is_open_a_result_is_points_without_comparison() -> None:
    daily, maeve = today(), member()
    browser = logged_in(maeve)
    mine = played(daily, maeve, 2)
    played(daily, member("Ben"), 3)
    shown = page(browser, f"/daily/{daily.day}/")
    assert f"You made {signed(mine.total)} point" in shown
    assert "You are one of 2 so far" in shown
    assert "It comes by push." in shown
    assert "%" not in re.sub(r"<(script|link|style)[^>]*>", "", shown).partition("<main")[2]
    assert "Ben" not in shown
    assert browser.post(f"/daily/{daily.day}/begin").headers["Location"] == f"/daily/{daily.day}/"
    home = page(browser, "/")
    assert f"See your {signed(mine.total)}" in home
    assert "Results at" in home


def test_the_text_to_share_says_nothing_of_the_cards() -> None:
    daily, maeve = today(), member()
    mine = played(daily, maeve, 2)
    mine.points = [2, 1, -2, -1]
    first, second, third = sharing.text_of(daily, mine).splitlines()
    assert first.startswith("Bower daily deal, ")
    assert first.endswith(f"{daily.day:%B}")
    assert second == "\U0001f7e9\U0001f7e9⬛⬜ 0 points"
    assert third.endswith(f"/daily/{daily.day}/")
    mine.percent = 49.66
    assert sharing.text_of(daily, mine).splitlines()[0].endswith(": 49.7 %")


def test_a_closed_day_opens_its_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    daily, (ann, ben, cy) = today(), (member("Ann"), member("Ben"), member("Cy"))
    house = played(daily, Player.objects.create(name="Stand-in"), 1)
    DailyDeal.objects.filter(pk=daily.pk).update(
        house_table=house.table, house=house.points
    )  # plays as Ann does
    DailyTry.objects.filter(pk=house.pk).delete()
    played(daily, ann, 1)
    played(daily, ben, 2)
    daily = closed(daily)
    deals = opened.opened(daily, daily.tries.get(player=ann))
    assert [one.parted for one in deals] == [None] * 4
    assert [one.points for one in deals] == daily.house
    other = opened.opened(daily, daily.tries.get(player=ben))
    assert any(one.parted for one in other)
    for one in other:
        assert len(one.hands) == 4
        assert {len(cards) for _, cards in one.hands} == {5}
    path = f"/daily/{daily.day}/"
    shown = page(logged_in(ann), path)
    assert "You played it as the house did." in shown
    assert "drawn towards 50 (Neuberg)" in shown
    assert shown.count("card by card") == 4
    assert "Replay yours" in shown
    replay = re.findall(r'href="(/games/[^"]*)"', shown)[0]
    assert logged_in(ann).get(replay.replace("&amp;", "&")).status_code == 200
    leading = re.findall(r'href="(/games/[^"]*/analyse[^"]*)"', page(logged_in(ben), path))
    assert len(leading) == sum(one.parted is not None for one in other)
    board = logged_in(ben).get(leading[0], follow=True)
    assert board.status_code == 200
    assert board.request["PATH_INFO"] == "/analysis/board/"
    DailyDeal.objects.filter(pk=daily.pk).update(house_table=None)
    assert "Neither you nor the house has played" in page(logged_in(cy), path)
    DailyDeal.objects.filter(pk=daily.pk).update(house_table=house.table)
    stranger = page(logged_in(cy), path)
    assert "Replay yours" not in stranger
    assert "Analyse your choice" not in stranger
    assert "The house in your seat" in stranger
    assert "Ann" in stranger
    assert "Ann" in page(Client(), f"{path}table/")
    assert "Ann" in page(Client(), f"/daily/{daily.day:%Y-%m}/")


def test_a_day_that_has_closed_says_so_until_its_results_are_there() -> None:
    daily, maeve = today(), member()
    played(daily, maeve, deals=2)
    pass_by(daily)
    daily.refresh_from_db()
    path = f"/daily/{daily.day}/"
    closing.end_late_tables(timezone.now())
    for browser in (Client(), logged_in(maeve)):
        assert "This day has closed" in page(browser, path)
    response = Client().post(f"{path}begin")
    assert response.status_code == 409
    assert "have closed" in response.content.decode()
    assert Player.objects.filter(kind=Player.Kind.PERSON).count() == 1  # no guest was made


def test_days_that_are_not_there_are_not_found() -> None:
    daily = today()
    tomorrow = daily.day + timedelta(days=1)
    never = ("2026-02-30/", "1999-01-01/", "1999-01/", "9999-12/")
    for path in (f"{tomorrow}/", *never, f"{daily.day}/table/"):
        assert Client().get(f"/daily/{path}").status_code == 404, path


def test_a_member_is_reminded_once_at_the_hour_unless_the_day_is_begun(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    daily, (ann, ben) = today(), (member("Ann"), member("Ben"))
    browser = logged_in(ann)
    now = timezone.now()
    monkeypatch.setattr(days, "open_day", lambda _club, _now: daily)
    fields = {"remind": "on", "hour": str(now.hour), "zone": "UTC", "mail": "on"}
    assert browser.post("/daily/tell-me", fields).status_code == 303
    assert browser.post("/daily/tell-me", fields | {"hour": "24"}).status_code == 422
    assert browser.post("/daily/tell-me", fields | {"zone": "Mars/Dome"}).status_code == 422
    assert Client().post("/daily/tell-me", fields).status_code == 403
    reminders.choose(ben, now.hour, "UTC")
    (due,) = set(DailyReminder.objects.values_list("due", flat=True))
    assert now < due <= now + timedelta(days=1)
    assert (due.hour, due.minute) == (now.hour, 0)
    assert reminders.send_due(now) == 0
    DailyReminder.objects.update(due=now)
    begun(daily, ben)
    confirmed(ann)
    ann.notification_choices.create(kind="daily_deal", way="mail", on=True)
    assert reminders.send_due(now) == 1
    assert reminders.send_due(now) == 0
    assert set(DailyReminder.objects.values_list("due", flat=True)) == {due}
    DailyReminder.objects.update(due=now - reminders.LATE)
    assert reminders.send_due(now) == 0  # hours late, it would say nothing new
    assert [one.subject for one in Letter.objects.all()] == [reminders.TITLE]
    for hour in (0, 23):  # 19:00 in New York before and after the clocks go forward
        evening = datetime(2027, 3, 14, hour, tzinfo=UTC)
        DailyReminder.objects.update(zone="America/New_York", due=evening)
        assert reminders.send_due(evening) == 1
    assert Letter.objects.count() == 3
    assert browser.post("/daily/tell-me", {}).status_code == 303
    assert not DailyReminder.objects.filter(player=ann).exists()


def test_a_school_s_guests_may_all_begin_and_the_next_are_told_what_to_do(
    settings: Settings,
) -> None:
    settings.GUESTS_IN_TEN_MINUTES, settings.TABLES_IN_TEN_MINUTES = 2, 1
    path = f"/daily/{today().day}/begin"
    browsers = [Client() for _ in range(2)]
    assert [browser.post(path).status_code for browser in browsers * 2] == [303] * 4
    refused = Client().post(path)
    assert refused.status_code == 429
    assert "Log in to play now, or try again in ten minutes." in refused.content.decode()
    assert logged_in(member()).post(path).status_code == 303


def test_a_club_s_page_says_whose_deals_one_is_reminded_of() -> None:
    club, maeve = build.club(), member()
    days.choose_hour(club, 0, timezone.now())
    for daily, words in ((today(), False), (today(club), True)):
        played(daily, maeve)
        path = f"/clubs/{club.slug}/daily/{daily.day}/" if daily.club else f"/daily/{daily.day}/"
        browser = logged_in(maeve)
        assert ("Remind me of the daily deal of Bower" in page(browser, path)) is words
        headers = {"referer": f"http://testserver{path}"}
        saved = browser.post("/daily/tell-me", {}, headers=headers)
        assert saved.headers["Location"] == path


def test_guests_tries_go_with_their_sessions(settings: Settings) -> None:
    daily, (guest,), ann = today(), people(1), member("Ann")
    played(daily, guest, 1)
    played(daily, ann, 2)
    daily = closed(daily)
    table = standings.month(None, daily.day.replace(day=1))
    tries.forget_guests(timezone.now())
    assert daily.tries.count() == 2
    tries.forget_guests(timezone.now() + timedelta(seconds=settings.SESSION_COOKIE_AGE + 1))
    assert [one.player for one in daily.tries.all()] == [ann]
    caches["pages"].clear()
    assert standings.month(None, daily.day.replace(day=1)) == table
    assert "2 played" in page(Client(), f"/daily/{daily.day}/")


def test_the_close_writes_to_those_who_asked(settings: pytest.MonkeyPatch) -> None:
    daily, (ann, ben) = today(), (member("Ann"), member("Ben"))
    for who in (ann, ben):
        confirmed(who)
        played(daily, who)
    ann.notification_choices.create(kind="daily_results", way="mail", on=True)
    closed(daily)
    (letter,) = Letter.objects.all()
    assert letter.user == ann.user
    assert "Your place and all the cards" in letter.text
    assert not PushMessage.objects.exists()


def test_the_feed_has_closed_days_only() -> None:
    daily = today()
    played(daily, member("Ann"))
    assert "<entry>" not in page(Client(), "/daily/results.atom")
    closed(daily)
    feed = page(Client(), "/daily/results.atom")
    assert feed.count("<entry>") == 1
    assert "1 played. Ann 50.0 %" in feed


def test_the_picture_of_a_link_is_the_same_before_and_after_the_close() -> None:
    daily = today()
    played(daily, member("Ann"))
    shown = page(Client(), f"/daily/{daily.day}/")
    assert f"/daily/{daily.day}/picture.png" in shown
    picture = Client().get(f"/daily/{daily.day}/picture.png")
    assert picture.headers["Content-Type"] == "image/png"


def test_a_club_has_a_deal_of_its_own_with_its_members_listed() -> None:
    club = build.club("The Old Mill")
    owner, ann, ben = member("Olga"), member("Ann"), member("Ben")
    build.joined(club, owner, Membership.Role.OWNER)
    build.joined(club, ann)
    browser, path = logged_in(owner), f"/clubs/{club.slug}/daily/"
    assert "has no daily deal" in page(browser, path)
    assert browser.post(f"{path}hour", {"hour": "25"}).status_code == 422
    assert logged_in(ann).post(f"{path}hour", {"hour": "0"}).status_code == 403
    assert browser.post(f"{path}hour", {"hour": "0"}).status_code == 303
    daily = today(club)
    assert "The daily deal of The Old Mill" in page(browser, f"/clubs/{club.slug}/")
    assert "The Old Mill" not in page(logged_in(ben), f"/daily/{today().day}/")
    played(daily, ann)
    played(daily, ben)
    daily = closed(daily)
    places = dict(daily.tries.values_list("player__name", "place"))
    assert places == {"Ann": 1, "Ben": None}
    assert today().tries.count() == 0
    page(browser, f"{path}{daily.day}/")


def test_one_s_own_data_has_the_tries_but_no_card_of_an_open_day() -> None:
    daily, ann = today(), member("Ann")
    mine = played(daily, ann)
    data = export_contents.data(ann, timezone.now())
    assert data["daily_deals"][0]["points"] == mine.points
    assert data["daily_deals"][0]["percents"] == []
    assert export_contents.games_of(ann) == []
    closed(daily)
    assert len(export_contents.games_of(ann)) == 1


def test_an_account_deleted_leaves_a_day_as_it_was() -> None:
    daily = today()
    for seed, player in enumerate([member("Ann"), *people(3)]):
        played(daily, player, seed)
    assert "daily" in export_contents.as_json(
        export_contents.data(Player.objects.get(name="Ann"), timezone.now())
    )
    assert closed(daily).played == 4


def test_the_tick_does_it_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(house_games, "play_out", lambda _table: False)
    closing.tick(timezone.now())
    assert days.open_day(None, timezone.now()) is not None
    caches["pages"].clear()
