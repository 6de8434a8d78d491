"""Frames: a club's results on web sites that it has named, and on no others."""

import pytest
from django.test import Client

from tests.factories import logged_in, member
from tests.tournaments import build
from tournaments.clubs.embedding_sites import MOST_SITES, origin_of
from tournaments.models import Club, Event

pytestmark = pytest.mark.django_db
SITE = "https://mill.example"


def policy(response: object) -> dict[str, str]:
    """The content security policy of a response, by directive."""
    header = response["Content-Security-Policy"]  # type: ignore[index]
    return dict(one.strip().split(" ", 1) for one in header.split(";"))


@pytest.mark.parametrize("format_", ["rotation", "single_elimination"])
def test_a_club_and_its_event_in_frames(format_: str) -> None:
    club = build.club(embedding_sites=f"{SITE}\nhttps://other.example:444")
    event = build.event(club, name="Thursday <euchre>", format=format_, minimum=4)
    build.enter(event, 4)
    build.play_to_end(event)
    reader = member("Reader")
    draft = build.event(club, name="Not yet", state=Event.State.DRAFT)
    for path in (f"/clubs/{club.slug}/frame/", f"/events/{event.pk}/frame/"):
        response = Client().get(path)
        assert response.status_code == 200
        assert "Thursday &lt;euchre&gt;" in response.text
        assert "Not yet" not in response.text
        assert policy(response)["frame-ancestors"] == f"{SITE} https://other.example:444"
        assert policy(response)["script-src"] == "'none'"
        assert "X-Frame-Options" not in response
        assert "<script" not in response.text
        assert "<form" not in response.text
        assert not response.cookies
        assert "public" in response["Cache-Control"]
        own = logged_in(reader).get(path)
        assert own.content == response.content, "whoever reads it, it is the same"
    assert Client().get(f"/events/{draft.pk}/frame/").status_code == 404


def test_without_named_sites_there_are_no_frames() -> None:
    club = build.club()
    event = build.event(club)
    paths = f"/clubs/{club.slug}/frame/", f"/events/{event.pk}/frame/"
    assert [Client().get(path).status_code for path in paths] == [404, 404]
    named = Client().get(f"/clubs/{club.slug}/")
    assert policy(named)["frame-ancestors"] == "'none'"
    assert named["X-Frame-Options"] == "DENY"
    Club.objects.update(embedding_sites=SITE, joining=Club.Joining.INVITATION)
    assert [Client().get(path).status_code for path in paths] == [404, 404]
    Club.objects.update(joining=Club.Joining.OPEN, closed=build.NOON)
    assert [Client().get(path).status_code for path in paths] == [404, 404]


@pytest.mark.parametrize(
    ("typed", "origin"),
    [
        ("https://Mill.Example/our/page?x", SITE),
        ("https://mill.example:444/", f"{SITE}:444"),
        ("https://mühle.example", "https://xn--mhle-0ra.example"),
        ("http://mill.example", None),
        ("mill.example", None),
        ("https://*.example", None),
        ("https://mill.example; script-src *", None),
        ("https://mill'none'.example", None),
        ("https://me:secret@mill.example", None),
        ("https://localhost", None),
        ("https://[::1]", None),
        ("https://", None),
        ("https://mill.example:99999", None),
    ],
)
def test_an_origin_is_read_from_what_was_typed(typed: str, origin: str | None) -> None:
    assert origin_of(typed) == origin


def test_the_owner_names_sites() -> None:
    club, founder = build.club(), member("Founder")
    club.memberships.create(player=founder, role="owner")
    owner = logged_in(founder)
    path = f"/clubs/{club.slug}/settings/"
    fields = {"name": club.name, "joining": "open", "time_zone": "Europe/Dublin"}

    def save(sites: str) -> tuple[int, str]:
        response = owner.post(path, fields | {"embedding_sites": sites})
        return response.status_code, response.text

    assert save(f" {SITE}/where \r\n\r\n{SITE}\r\nhttps://b.example")[0] == 303
    club.refresh_from_db()
    assert club.embedding_sites == f"{SITE}\nhttps://b.example"
    assert f"/clubs/{club.slug}/frame/&quot;" in owner.get(path).text
    status, page = save("https://a.example\r\nftp://b.example")
    assert status == 422
    assert "“ftp://b.example” is not the address of a web site" in page
    status, page = save("\r\n".join(f"https://s{n}.example" for n in range(MOST_SITES + 1)))
    assert status == 422
    assert f"These are {MOST_SITES + 1} web sites; at most {MOST_SITES} are allowed." in page
    assert save("")[0] == 303
    assert Client().get(f"/clubs/{club.slug}/frame/").status_code == 404
