"""The pages "Your data" and "Delete your account": permissions and passwords."""

import io
import zipfile
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from euchre_site import tasks
from euchre_site.own_data import exports
from games.models import Deletion, Farewell, Player, Takeaway, User
from games.sockets import hub
from tests.factories import PASSWORD, logged_in, member, player, table
from tests.site.own_data import full_account
from tests.tournaments import build
from tournaments.models import Membership

pytestmark = pytest.mark.django_db
SURE = {"sure": "on"}
DATA, TAKE, FILE = "/you/data/", "/you/data/take/", "/you/data/1/"
PAGE, ASK, KEEP = "/you/delete/", "/you/delete/ask/", "/you/delete/keep/"
REAUTHENTICATE = "/accounts/reauthenticate/"


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "announce", lambda _table_id: None)


def test_all_pages_say_alike_where_looks_are_kept() -> None:
    browser = logged_in(member("Otto"))
    words = "kept with your account, or, for guests, in this browser"
    for path in (DATA, "/you/look/", "/you/table/"):
        assert words in browser.get(path).text.lower()


@pytest.fixture
def maeve() -> Player:
    return full_account.named(full_account.NAME, full_account.ADDRESS)


def asks_for_the_password(answer: Any) -> bool:
    return bool(answer.status_code == 302 and answer.headers["Location"].startswith(REAUTHENTICATE))


def test_the_profile_links_to_both_pages(maeve: Player) -> None:
    for who in (maeve, player("Otto")):
        page = logged_in(who).get("/you/").text
        assert f'href="{DATA}"' in page
        assert f'href="{PAGE}"' in page
    assert f'href="{PAGE}"' not in Client().get("/you/").text


def test_an_export_needs_the_password(maeve: Player) -> None:
    browser = full_account.browser(maeve)
    assert "Make the files" in browser.get(DATA).text
    assert asks_for_the_password(browser.post(TAKE))
    assert not Takeaway.objects.exists()
    full_account.confirm(browser, TAKE)
    assert Takeaway.objects.count() == 1, "what was asked for is done after the password"
    assert "being made" in browser.get(DATA).text
    tasks.own_data()
    page = browser.get(DATA).text
    assert f'href="{FILE}"' in page
    answer = browser.get(FILE)
    assert answer.headers["Content-Type"] == "application/zip"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="your-data.zip"'
    assert "no-store" in answer.headers["Cache-Control"]
    with zipfile.ZipFile(io.BytesIO(answer.content)) as packed:
        assert full_account.NAME in packed.read("data.json").decode()


def test_downloads_need_a_recent_login(maeve: Player) -> None:
    exports.request(maeve, timezone.now())
    tasks.own_data()
    assert asks_for_the_password(full_account.browser(maeve).get(FILE))
    assert asks_for_the_password(logged_in(maeve).get(FILE))


def test_files_of_others_are_not_found(maeve: Player) -> None:
    exports.request(maeve, timezone.now())
    tasks.own_data()
    ben = full_account.named("Ben", "ben@example.org")
    browser = full_account.browser(ben)
    assert asks_for_the_password(browser.get(FILE))
    assert full_account.confirm(browser, FILE).status_code == 404
    for other in (browser, logged_in(player("Otto")), Client()):
        assert other.get(FILE).status_code == 404


def test_get_requests_change_nothing(maeve: Player) -> None:
    browser = full_account.browser(maeve)
    for path in (DATA, PAGE):
        assert browser.get(path).status_code == 200
    assert not Takeaway.objects.exists()
    assert not Deletion.objects.exists()
    for path in (TAKE, ASK, KEEP):
        assert browser.get(path).status_code == 405


def test_a_fourth_request_in_a_day_is_refused(maeve: Player) -> None:
    browser = full_account.browser(maeve)
    browser.post(TAKE)
    full_account.confirm(browser, TAKE)
    for _ in range(3):
        tasks.own_data()
        answer = browser.post(TAKE, headers={"referer": f"http://testserver{DATA}"})
    assert answer.status_code == 429
    assert "3 times in 24 hours" in answer.text
    assert f'href="{FILE}"' in answer.text


def test_a_guests_export_needs_no_password() -> None:
    otto = player("Otto")
    table(otto, house_seats=(1, 2, 3))
    browser = logged_in(otto)
    assert browser.post(TAKE).status_code == 303
    tasks.own_data()
    assert browser.get(FILE).status_code == 200


def test_a_failed_export_is_shown(maeve: Player) -> None:
    exports.request(maeve, timezone.now())
    Takeaway.objects.update(due=None)
    page = full_account.browser(maeve).get(DATA).text
    assert "could not be made" in page
    assert "Make the files again" in page


def test_deletion_can_be_requested_and_cancelled(maeve: Player) -> None:
    browser = full_account.browser(maeve)
    page = browser.get(PAGE).text
    assert "This is done in 7 days." in page
    unsure = browser.post(ASK)
    assert unsure.status_code == 422
    assert "Tick the box" in unsure.text
    assert asks_for_the_password(browser.post(ASK, SURE))
    assert not Deletion.objects.exists()
    full_account.confirm(browser, ASK)
    due = timezone.localtime(Deletion.objects.get().due)
    assert f"will be deleted on {due.day} {due:%B %Y}" in browser.get(PAGE).text
    assert "Keep my account" in browser.get(PAGE).text
    assert "will be deleted" in browser.get("/you/").text
    elsewhere = Client()
    login = {"login": full_account.ADDRESS, "password": PASSWORD}
    told = elsewhere.post("/accounts/login/", login, follow=True)
    assert f"Your account will be deleted on {due.day} {due:%B %Y}" in told.text
    assert "Your account is kept" in elsewhere.post(KEEP, follow=True).text
    assert not Deletion.objects.exists()
    assert elsewhere.post(KEEP).status_code == 303, "and again"


def test_without_a_delay_the_account_is_deleted_at_once(maeve: Player, settings: Any) -> None:
    settings.DELETION_DAYS = 0
    browser = full_account.browser(maeve)
    assert "cannot be undone" in browser.get(PAGE).text
    assert asks_for_the_password(browser.post(ASK, SURE))
    answer = full_account.confirm(browser, ASK)
    assert answer.redirect_chain[-1][0] == "/"
    assert "Your account is deleted" in answer.text
    assert not User.objects.exists()
    assert full_account.NAME not in browser.get("/you/").text
    tasks.own_data()
    assert not Farewell.objects.exists()


def test_the_task_deletes_accounts_and_old_files(maeve: Player) -> None:
    browser = full_account.browser(maeve)
    browser.post(ASK, SURE)
    full_account.confirm(browser, ASK)
    Deletion.objects.update(due=timezone.now() - timedelta(seconds=1))
    tasks.own_data()
    assert "Log in" in browser.get("/you/").text
    assert not User.objects.exists()
    assert not Session.objects.exists(), "a session of nobody is removed"


def test_a_wrong_password_deletes_nothing(maeve: Player) -> None:
    browser = full_account.browser(maeve)
    browser.post(ASK, SURE)
    assert browser.post(REAUTHENTICATE, {"password": "wrong"}).status_code == 200
    assert not Deletion.objects.exists()


def test_the_only_owner_of_a_club_is_refused(maeve: Player) -> None:
    club = build.club()
    build.joined(club, maeve, Membership.Role.OWNER)
    build.joined(club, member("Ben"))
    browser = full_account.browser(maeve)
    assert "only owner of The Old Mill" in browser.get(PAGE).text
    answer = browser.post(ASK, SURE, headers={"referer": f"http://testserver{PAGE}"})
    assert answer.status_code == 409
    assert "only owner of The Old Mill" in answer.text


def test_a_guest_can_delete_their_data() -> None:
    otto = player("Otto")
    browser = logged_in(otto)
    assert "Forget me" in browser.get(PAGE).text
    assert browser.post(ASK).status_code == 422
    old = browser.session.session_key
    answer = browser.post(ASK, SURE, follow=True)
    assert "Your data here is deleted" in answer.text
    assert Player.objects.get().former
    assert browser.session.session_key != old
    assert "Nothing is stored about you" in browser.get(PAGE).text
    assert browser.post(ASK, SURE).status_code == 303, "and again"


def test_a_visitor_has_no_data() -> None:
    browser = Client()
    for path in (DATA, PAGE):
        assert "Nothing is stored about you" in browser.get(path).text
    for path in (TAKE, ASK, KEEP):
        assert browser.post(path, SURE).status_code == 303
    assert not Player.objects.exists()


def test_deletion_is_protected_against_csrf(maeve: Player) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(maeve.user)  # type: ignore[arg-type]
    for name in ("take_data", "ask_deletion", "keep_account"):
        assert browser.post(reverse(name), SURE).status_code == 403
