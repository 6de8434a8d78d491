"""Letters that somebody without a confirmed address can make the site send to anybody."""

import pytest
from allauth.core.internal import ratelimit
from django.core import mail
from django.test import Client

from games.people.identity import NO_ADDRESS
from tests.factories import PASSWORD, confirmed, logged_in, member
from tournaments.models import Club

pytestmark = pytest.mark.django_db


class Clock:
    """A clock that is four minutes later each time somebody has waited."""

    def __init__(self) -> None:
        self.now = 1e9

    def wait(self) -> None:
        self.now += 240


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(ratelimit.time, "time", lambda: made.now)
    return made


def written_to() -> set[str]:
    return {address for letter in mail.outbox for address in letter.to}


def test_an_account_has_letters_sent_to_ten_new_addresses_a_day(clock: Clock) -> None:
    browser = logged_in(confirmed(member("Maeve")))
    for number in range(14):
        clock.wait()
        browser.post("/accounts/reauthenticate/", {"password": PASSWORD})
        browser.post("/accounts/email/", {"email": f"p{number}@example.org", "action_add": ""})
    assert len(written_to() - {"maeve@example.com"}) == 10


def test_a_visitor_has_letters_sent_to_a_hundred_addresses_a_day(clock: Clock) -> None:
    browser = Client()
    for number in range(103):
        clock.wait()
        browser.post("/accounts/password/reset/", {"email": f"p{number}@example.org"})
    assert len(written_to()) == 100


def test_nobody_is_sent_more_than_ten_letters_a_day_about_a_password(clock: Clock) -> None:
    for number in range(12):
        clock.wait()
        path = "/accounts/password/reset/"
        Client(REMOTE_ADDR=f"192.0.2.{number}").post(path, {"email": "kit@example.org"})
    assert len(mail.outbox) == 10


@pytest.mark.parametrize("name", ["evil.example.com", "e v i l . c o m", "+44 20 7946 0000"])
def test_no_name_of_a_person_holds_a_link(name: str) -> None:
    answer = Client().post(
        "/accounts/signup/",
        {"email": "kit@example.org", "password1": PASSWORD, "name": name},
    )
    assert NO_ADDRESS in answer.text
    assert mail.outbox == []


@pytest.mark.parametrize(
    "name",
    [
        "evil.example.com", "e v i l . c o m", "You have won 500 dollars", "You won", "$1,000,000",
        "Click here now", "1000€ for you", "Free money", "Verify your account",
        "\uff39\uff2f\uff35 won",
    ],
)  # fmt: skip
def test_no_club_name_reads_like_spam(name: str) -> None:
    browser = logged_in(member("Maeve"))
    answer = browser.post(
        "/clubs/new/", {"name": name, "joining": "open", "time_zone": "Europe/Dublin"}
    )
    assert answer.status_code == 422
    assert not Club.objects.exists()


@pytest.mark.parametrize(
    "name", ["St. Louis Euchre", "The $5 Club", "Wed. Night, Est. 1987", "A.K."]
)
def test_other_clubs_are_founded(name: str) -> None:
    browser = logged_in(member("Maeve"))
    answer = browser.post(
        "/clubs/new/", {"name": name, "joining": "open", "time_zone": "Europe/Dublin"}
    )
    assert answer.status_code in (302, 303)
    assert Club.objects.get().name == name
