"""Announcements: who writes them, who reads them, and who is sent them."""

from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from games.models import Player
from tests.factories import logged_in, member
from tests.tournaments.build import NOON, club, director, joined
from tournaments.clubs import clubs
from tournaments.models import Announcement, Club, Letter, Membership
from tournaments.outbox import letters
from tournaments.refusals import RefusedError

pytestmark = pytest.mark.django_db
WORDS = {"subject": "Tea at eight", "text": "Bring cake.\r\nSee <https://tea.example.org>."}


def announced(by: Player, at: Club, number: int = 1, **changed: Any) -> list[Announcement]:
    """So many different announcements, a minute apart from noon on."""
    return [
        clubs.announce(at, by, f"Tea {n}", "Cake.", NOON + timedelta(minutes=n), **changed)
        for n in range(number)
    ]


def address(at: Club, what: str) -> str:
    return f"/clubs/{at.slug}/{what}"


def post(who: Player, path: str, data: dict[str, str] | None = None) -> Any:
    return logged_in(who).post(path, data or {})


def test_announcement_is_mailed_to_members_with_news_on() -> None:
    at = club()
    ada, maeve, ben = director(at), member(), member("Ben")
    joined(at, maeve)
    Membership.objects.create(club=at, player=ben, news=False)
    member("Otto")
    response = post(ada, address(at, "announce/"), WORDS)
    assert (response.status_code, response["Location"]) == (303, "/clubs/the-old-mill/")
    assert letters.send_due() == 2
    assert {sent.to[0] for sent in mail.outbox} == {"ada@example.com", "maeve@example.com"}
    assert mail.outbox[0].subject == "Bower: The Old Mill: Tea at eight"
    assert "Bring cake.\nSee <https://tea.example.org>." in mail.outbox[0].body


def test_announcement_is_public_as_plain_text() -> None:
    at = club()
    clubs.announce(at, director(at), "<b>Tea</b>", "See https://tea.example.org <i>", NOON)
    page = Client().get(address(at, "announcements/")).content.decode()
    assert "&lt;b&gt;Tea&lt;/b&gt;" in page
    assert '<a href="https://tea.example.org" rel="nofollow">' in page
    assert "<i>" not in page


@pytest.mark.parametrize("role", ["member", "moderator", None])
def test_only_directors_announce(role: str | None) -> None:
    at, maeve = club(), member()
    if role:
        joined(at, maeve, role)
    assert logged_in(maeve).get(address(at, "announce/")).status_code == 403
    assert post(maeve, address(at, "announce/"), WORDS).status_code == 403
    assert not Announcement.objects.exists()


def test_closed_clubs_announcements_are_hidden_from_others() -> None:
    at = club(joining=Club.Joining.INVITATION)
    announced(director(at), at)
    maeve = logged_in(member())
    for what in ("announcements/", "announce/"):
        assert maeve.get(address(at, what)).status_code == 404
    assert post(member("Ben"), address(at, "news")).status_code == 404


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ({"subject": ""}, "Fill this in."),
        ({"text": " "}, "Fill this in."),
        ({"subject": "x" * 101}, "At most 100 characters; these are 101."),
        ({"text": "x" * 5001}, "At most 5000 characters; these are 5001."),
    ],
)
def test_invalid_announcement_form_shows_its_errors(fault: dict[str, str], said: str) -> None:
    at = club()
    response = post(director(at), address(at, "announce/"), WORDS | fault)
    assert response.status_code == 422
    assert said in response.content.decode()
    assert not Announcement.objects.exists()
    assert not Letter.objects.exists()


def test_the_same_words_sent_twice_are_one_announcement() -> None:
    at = club()
    ada = director(at)
    first = clubs.announce(at, ada, "Tea", "Cake.", NOON)
    assert clubs.announce(at, ada, "Tea", "Cake.", NOON + timedelta(minutes=9)) == first
    assert Letter.objects.count() == 1
    again = clubs.announce(at, ada, "Tea", "Cake.", NOON + timedelta(days=7))
    assert again != first


def test_a_club_announces_ten_things_a_day_at_most() -> None:
    at = club()
    ada = director(at)
    announced(ada, at, clubs.MAX_A_DAY)
    with pytest.raises(RefusedError, match="can send 10 announcements in 24 hours") as refusal:
        clubs.announce(at, ada, "More", "Cake.", NOON + timedelta(hours=23))
    assert refusal.value.status == 429
    clubs.announce(at, ada, "More", "Cake.", NOON + timedelta(hours=24, minutes=1))


def test_eleventh_announcement_of_a_day_states_the_limit() -> None:
    at = club()
    ada = director(at)
    for number in range(clubs.MAX_A_DAY):
        clubs.announce(at, ada, f"Tea {number}", "Cake.", timezone.now())
    response = post(ada, address(at, "announce/"), WORDS)
    assert response.status_code == 429
    assert "Nothing was sent" in response.content.decode()


def test_page_holds_twenty_and_links_to_older_ones() -> None:
    at = club()
    ada = director(at)
    Announcement.objects.bulk_create(
        Announcement(
            club=at, author=ada, subject=f"Tea {n:02}", text="Cake.", at=NOON + timedelta(n)
        )
        for n in range(21)
    )
    first = Client().get(address(at, "announcements/")).content.decode()
    assert "Tea 20" in first
    assert "Tea 00" not in first
    assert 'href="?page=2"' in first
    assert "Tea 00" in Client().get(address(at, "announcements/?page=2")).content.decode()


@pytest.mark.parametrize(("role", "status"), [("moderator", 303), ("member", 403)])
def test_announcement_taken_down_stops_unsent_letters(role: str, status: int) -> None:
    at, maeve = club(), member()
    (made,) = announced(director(at), at)
    joined(at, maeve, role)
    response = post(maeve, address(at, f"announcements/{made.pk}/remove"))
    assert response.status_code == status
    assert Announcement.objects.exists() == (status == 403)
    assert Letter.objects.exists() == (status == 403)


def test_announcement_of_another_club_is_not_found() -> None:
    at, other = club(), club("Lakeside")
    (made,) = announced(director(other, "Theo"), other)
    response = post(director(at), address(at, f"announcements/{made.pk}/remove"))
    assert response.status_code == 404
    assert Announcement.objects.exists()


def test_a_member_switches_the_news_off_and_on() -> None:
    at, maeve = club(), member()
    membership = joined(at, maeve)
    response = post(maeve, address(at, "news"), {"news": "off"})
    assert response["Location"] == "/clubs/the-old-mill/"
    assert not Membership.objects.get(pk=membership.pk).news
    response = post(maeve, address(at, "news"), {"news": "on", "from": "you"})
    assert response["Location"] == "/you/events/"
    assert Membership.objects.get(pk=membership.pk).news
    assert post(member("Ben"), address(at, "news"), {"news": "on"}).status_code == 403
