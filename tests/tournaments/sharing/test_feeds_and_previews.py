"""Feeds of results and previews show what everybody may see, and nothing else."""

from xml.etree import ElementTree as ET

import pytest
from django.test import Client

from tests.factories import logged_in, member
from tests.tournaments import build
from tests.tournaments.build import club, director
from tournaments.models import Club, Event

pytestmark = pytest.mark.django_db
ATOM = "{http://www.w3.org/2005/Atom}"


def finished(of: Club, name: str = "Thursday euchre") -> Event:
    event = build.event(of, name=name, format="rotation", minimum=4)
    build.enter(event, 4)
    build.play_to_end(event)
    return event


def entries(text: str) -> list[str]:
    found = ET.fromstring(text).findall(f"{ATOM}entry/{ATOM}title")  # noqa: S314 - our own
    return [one.text or "" for one in found]


def test_a_feed_of_results() -> None:
    mill = club("Mill & Sons")
    Club.objects.update(slug="mill")
    mill.refresh_from_db()
    event = finished(mill)
    build.event(mill, name="To come")
    build.event(mill, name="Draft", state=Event.State.DRAFT)
    path = "/clubs/mill/results.atom"
    response = Client().get(path)
    assert response["Content-Type"].startswith("application/atom+xml")
    (title,) = entries(response.text)
    assert title.startswith("Thursday euchre: won by ")
    assert f"/events/{event.pk}/" in response.text
    assert "public" in response["Cache-Control"]
    again = Client().get(path, headers={"If-None-Match": response["ETag"]})
    assert again.status_code == 304
    page = Client().get("/clubs/mill/").text
    assert f'href="{path}"' in page


@pytest.mark.parametrize("events", [0, 2])
def test_a_feed_has_what_rfc_4287_asks_for(events: int) -> None:
    mill = club()
    for number in range(events):
        finished(mill, f"Evening {number}")
    feed = ET.fromstring(Client().get("/clubs/the-old-mill/results.atom").text)  # noqa: S314 - our own
    assert [one.text for one in feed.findall(f"{ATOM}author/{ATOM}name")] == ["The Old Mill"]
    (uri,) = feed.findall(f"{ATOM}author/{ATOM}uri")
    assert (uri.text or "").endswith("/clubs/the-old-mill/")
    for element in (feed, *feed.findall(f"{ATOM}entry")):
        for name in ("id", "title", "updated"):
            assert len(element.findall(f"{ATOM}{name}")) == 1
    assert len(feed.findall(f"{ATOM}entry")) == events


def test_an_empty_feed_stays_the_same() -> None:
    mill = club(created=build.NOON)
    text = Client().get(f"/clubs/{mill.slug}/results.atom").text
    assert entries(text) == []
    assert "<updated>2026-03-07T12:00:00+00:00</updated>" in text


def test_the_feed_of_a_club_by_invitation_needs_its_key() -> None:
    mill = club(joining=Club.Joining.INVITATION)
    finished(mill)
    path = "/clubs/the-old-mill/results.atom"
    assert Client().get(path).status_code == 404
    assert Client().get(path, {"key": "x"}).status_code == 404
    response = Client().get(path, {"key": mill.invite_token})
    assert entries(response.text)
    assert "private" in response["Cache-Control"]
    assert mill.invite_token not in response.text
    Club.objects.update(closed=build.NOON)
    assert Client().get(path, {"key": mill.invite_token}).status_code == 404


def test_previews_of_a_club_and_its_events() -> None:
    mill = club(about="Thursdays <at> the mill.")
    event = finished(mill)
    for path, words in (
        ("/clubs/the-old-mill/", "Thursdays &lt;at&gt; the mill."),
        (f"/events/{event.pk}/", "Won by "),
        (f"/events/{event.pk}/standings/", "Won by "),
        (f"/events/{event.pk}/bracket/", "Won by "),
    ):
        page = Client().get(path).text
        head = page[: page.index("</head>")]
        assert words in head
        link = head.split('og:image" content="')[1].split('"')[0]
        picture = Client().get("/" + link.split("/", 3)[3])
        assert picture["Content-Type"] == "image/png"


@pytest.mark.parametrize("hidden", ["invitation", "closed", "draft"])
def test_what_is_not_everybodys_has_no_preview(hidden: str) -> None:
    mill = club()
    ada = director(mill)
    event = build.event(mill)
    if hidden == "invitation":
        Club.objects.update(joining=Club.Joining.INVITATION)
    elif hidden == "closed":
        Club.objects.update(closed=build.NOON)
    else:
        Event.objects.update(state=Event.State.DRAFT)
    for browser in (Client(), logged_in(ada), logged_in(member("Otto"))):
        assert browser.get(f"/events/{event.pk}/preview.png").status_code == 404
        assert "og:title" not in browser.get(f"/events/{event.pk}/").text
        club_hidden = hidden != "draft"
        status = browser.get("/clubs/the-old-mill/preview.png").status_code
        assert status == (404 if club_hidden else 200)
