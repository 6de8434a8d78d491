"""What members have solved is kept with the account, and what visitors have in the session."""

import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.core import mail
from django.db import connections
from django.test import Client
from django.urls import reverse

from euchre_site.own_data import export_contents
from games.lessons import progress
from games.lessons.course import COURSE
from games.models import Player, SolvedStep, User
from tests.factories import PASSWORD, logged_in, member, player

pytestmark = pytest.mark.django_db


def solve(browser: Client, *, step: int = 1, lesson: str = "bowers") -> None:
    found = next(one for one in COURSE if one.slug == lesson).steps[step - 1]
    answer = browser.post(f"/learn/{lesson}/{step}/", {"action": str(found.right[0])})
    assert "#next" in answer.headers["Location"]


def shown(browser: Client) -> str:
    return " ".join(browser.get("/learn/").text.split())


def rows(who: Player) -> list[tuple[str, int]]:
    steps = SolvedStep.objects.filter(user=who.user).order_by("lesson", "number")
    return list(steps.values_list("lesson", "number"))


def log_in(browser: Client, who: Player) -> None:
    assert who.user is not None
    browser.post(reverse("account_login"), {"login": who.user.email, "password": PASSWORD})


class TestMembers:
    def test_another_device_goes_on_where_one_left_off(self) -> None:
        maeve = member("Maeve")
        one, other = logged_in(maeve), logged_in(maeve)
        solve(one)
        page = shown(other)
        assert "You left off at step 2 of 4." in page
        assert "Kept with your account, on every device." in page
        assert other.get("/learn/bowers/").headers["Location"] == "/learn/bowers/2/"
        assert progress.SESSION_KEY not in one.session
        assert "You left off" not in shown(logged_in(member("Ben")))

    def test_the_latest_lesson_is_the_one_to_go_on_with(self) -> None:
        browser = logged_in(member("Maeve"))
        for lesson in ("bowers", "trump", "bowers"):
            solve(browser, lesson=lesson)
            assert browser.get("/learn/").context["current"]["lesson"].slug == lesson
        assert SolvedStep.objects.count() == 2

    def test_all_lessons_done(self) -> None:
        maeve = member("Maeve")
        assert maeve.user is not None
        SolvedStep.objects.bulk_create(
            SolvedStep(user=maeve.user, lesson=lesson.slug, number=number)
            for lesson in COURSE
            for number in range(1, len(lesson.steps) + 1)
        )
        page = shown(logged_in(maeve))
        assert "You know euchre." in page
        assert page.count("Practice table") == 1
        assert page.count(">Done<") == len(COURSE)


class TestLoggingIn:
    def test_what_the_browser_has_is_added_to_the_account(self, client: Client) -> None:
        maeve = member("Maeve")
        solve(logged_in(maeve), lesson="trump")
        solve(client)
        solve(client, step=2)
        assert "Kept in this browser." in shown(client)
        assert not SolvedStep.objects.filter(lesson="bowers").exists()
        log_in(client, maeve)
        assert rows(maeve) == [("bowers", 1), ("bowers", 2), ("trump", 1)]
        assert client.get("/learn/").context["current"]["lesson"].slug == "bowers"
        client.post(reverse("account_logout"))
        assert "You left off" not in shown(client)
        log_in(client, maeve)
        assert len(rows(maeve)) == 3

    @pytest.mark.parametrize("verification", ["optional", "mandatory"])
    def test_a_guest_who_signs_up_keeps_it(self, settings: Any, verification: str) -> None:
        settings.ACCOUNT_EMAIL_VERIFICATION = verification
        guest = player("Maeve")
        browser = logged_in(guest)
        solve(browser)
        fields = {"name": "Maeve", "email": "maeve@example.org", "password1": PASSWORD}
        browser.post(reverse("account_signup"), fields)
        if verification == "mandatory":
            assert "You left off at step 2" in shown(browser)
            link = re.search(r"http://localhost:8000(\S+)", str(mail.outbox[0].body))
            assert link is not None
            browser.post(link[1])
            browser.post(reverse("account_login"), {"login": fields["email"], "password": PASSWORD})
        guest.refresh_from_db()
        assert guest.user is not None
        assert rows(guest) == [("bowers", 1)]
        assert "You left off at step 2" in shown(logged_in(guest))

    def test_a_wrong_password_moves_nothing(self, client: Client) -> None:
        maeve = member("Maeve")
        solve(client)
        assert maeve.user is not None
        client.post(reverse("account_login"), {"login": maeve.user.email, "password": "wrong"})
        assert rows(maeve) == []
        assert "You left off at step 2" in shown(client)

    def test_a_session_that_was_logged_in_before_is_shown_and_kept(self) -> None:
        maeve = member("Maeve")
        browser = logged_in(maeve)
        session = browser.session
        session[progress.SESSION_KEY] = {"bowers": [1, 2], "gone since": [1]}
        session.save()
        assert "You left off at step 3 of 4." in shown(browser)
        solve(browser, step=3)
        assert rows(maeve) == [("bowers", 1), ("bowers", 2), ("bowers", 3)]
        assert progress.SESSION_KEY not in browser.session


class TestOwnData:
    def test_members_take_it_away_and_it_goes_with_the_account(self) -> None:
        maeve = member("Maeve")
        solve(logged_in(maeve))
        assert maeve.user is not None
        data = export_contents.data(maeve, maeve.created)
        assert [(one["lesson"], one["number"]) for one in data["lessons"]] == [("bowers", 1)]
        User.objects.get(pk=maeve.user.pk).delete()
        assert not SolvedStep.objects.exists()

    def test_guests_take_away_what_the_session_has(self) -> None:
        guest = player("Gus")
        solve(logged_in(guest))
        data = export_contents.data(guest, guest.created)
        assert [one["lessons"] for one in data["sessions"]] == [{"bowers": [1]}]
        assert "lessons" not in data


@pytest.mark.db
@pytest.mark.django_db(transaction=True)
class TestAtOnce:
    def test_sixty_answers_from_two_devices_are_a_row_for_each_step(self) -> None:
        maeve = member("Maeve")

        def press(number: int) -> None:
            try:
                solve(logged_in(maeve), step=number % 2 + 1)
            finally:
                connections.close_all()

        with ThreadPoolExecutor(6) as workers:
            list(workers.map(press, range(60)))
        assert rows(maeve) == [("bowers", 1), ("bowers", 2)]
