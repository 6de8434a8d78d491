"""Founding, changing and deleting clubs; the list, and what a club by invitation does not tell."""

from typing import Any

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from games.models import Game, Player
from tests.factories import logged_in, member, player
from tests.tournaments.build import club, director, enter, event, joined, play_to_end
from tournaments.clubs import clubs
from tournaments.models import Club, Event, Membership
from tournaments.refusals import RefusedError

pytestmark = pytest.mark.django_db
PLAIN = {
    "name": "The Old Mill",
    "about": "Thursdays in the long room.",
    "joining": "open",
    "time_zone": "Europe/Dublin",
    "country": "IE",
}


def owner(of: Club, name: str = "Maeve") -> Player:
    who = member(name)
    joined(of, who, Membership.Role.OWNER)
    return who


def found(who: Player, **changed: str) -> Any:
    """The answer to the form that founds a club."""
    return logged_in(who).post("/clubs/new/", PLAIN | changed)


def errors(response: Any) -> dict[str, list[str]]:
    assert response.status_code == 422
    return dict(response.context["form"].errors)


def test_founder_owns_the_club() -> None:
    maeve = member()
    response = found(maeve)
    assert (response.status_code, response["Location"]) == (303, "/clubs/the-old-mill/")
    made = Club.objects.get()
    assert {name: getattr(made, name) for name in PLAIN} == PLAIN
    assert made.memberships.get().player == maeve
    assert made.memberships.get().role == Membership.Role.OWNER


@pytest.mark.parametrize("guest", [False, True])
def test_founding_a_club_needs_an_account(guest: bool) -> None:
    browser = logged_in(player()) if guest else Client()
    for response in (browser.get("/clubs/new/"), browser.post("/clubs/new/", PLAIN)):
        assert response.status_code == 403
        assert 'href="/accounts/signup/?next=/clubs/new/"' in response.content.decode()
    assert not Club.objects.exists()


@pytest.mark.parametrize("name", ["The Old Mill", "the old MILL", "  The  Old Mill "])
def test_club_names_are_unique(name: str) -> None:
    club("The Old Mill")
    assert errors(found(member(), name=name))["name"] == [
        f"There is already a club called {' '.join(name.split())}."
    ]
    assert Club.objects.count() == 1


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("The Old Mill!", "the-old-mill-2"),
        ("New", "new-2"),
        ("Клуб", "club"),
        ("-- ♥ --", "club"),
        ("A" * 60, "a" * 50),
    ],
)
def test_every_name_gets_a_distinct_slug(name: str, slug: str) -> None:
    club("The Old Mill")
    assert clubs.create(member(), name=name).slug == slug


@pytest.mark.parametrize(
    ("field", "value", "why"),
    [
        ("name", "", "Fill this in."),
        ("name", "x" * 61, "At most 60 characters; these are 61."),
        ("name", "Mill\u200b", "A name has letters or digits, and nothing invisible."),
        ("about", "x" * 2001, "At most 2000 characters; these are 2001."),
        ("joining", "anybody", "Choose one of those listed."),
        ("time_zone", "Europe/Atlantis", "Choose one of the listed time zones."),
        ("time_zone", "", "Choose the time zone in which the club plays."),
        ("country", "XX", "Choose one of the listed countries, or none."),
    ],
)
def test_a_bad_field_is_named(field: str, value: str, why: str) -> None:
    assert errors(found(member(), **{field: value})) == {field: [why]}
    assert not Club.objects.exists()


def test_form_with_errors_keeps_the_input() -> None:
    page = found(member(), time_zone="nowhere").content.decode()
    assert 'value="The Old Mill"' in page
    assert "Thursdays in the long room." in page


def test_number_of_owned_clubs_is_limited(settings: Settings) -> None:
    settings.CLUBS_OWNED = 2
    maeve = member()
    for number in range(2):
        clubs.create(maeve, name=f"Club {number}")
    assert errors(found(maeve)) == {"__all__": ["You own 2 clubs, and the limit is 2."]}


def test_an_owner_changes_everything_but_the_address() -> None:
    mill = club()
    browser = logged_in(owner(mill))
    assert 'value="The Old Mill"' in browser.get("/clubs/the-old-mill/settings/").content.decode()
    changed = {
        "name": "The New Mill",
        "about": "",
        "joining": "approval",
        "time_zone": "America/Chicago",
        "country": "",
    }
    response = browser.post("/clubs/the-old-mill/settings/", changed)
    assert (response.status_code, response["Location"]) == (303, "/clubs/the-old-mill/")
    mill.refresh_from_db()
    assert {name: getattr(mill, name) for name in changed} == changed


def test_a_club_cannot_take_the_name_of_another() -> None:
    mill = club()
    club("Lakeside")
    response = logged_in(owner(mill)).post(
        "/clubs/the-old-mill/settings/", PLAIN | {"name": "lakeside"}
    )
    assert errors(response)["name"] == ["There is already a club called lakeside."]


def test_a_club_that_only_has_drafts_can_be_deleted() -> None:
    mill = club()
    event(mill, state=Event.State.DRAFT)
    response = logged_in(owner(mill)).post("/clubs/the-old-mill/delete")
    assert (response.status_code, response["Location"]) == (303, "/clubs/")
    assert not Club.objects.exists()


def test_a_club_with_events_cannot_be_deleted() -> None:
    mill = club()
    event(mill, state=Event.State.CANCELLED)
    response = logged_in(owner(mill)).post("/clubs/the-old-mill/delete")
    assert response.status_code == 409
    assert "The Old Mill has announced events" in response.content.decode()
    assert Club.objects.exists()


def test_actions_on_a_deleted_club_are_refused() -> None:
    mill = club()
    Club.objects.all().delete()
    with pytest.raises(RefusedError, match="has been deleted"):
        clubs.renew_link(mill)


def listed(browser: Client, search: str = "") -> list[str]:
    """The names in the list of all clubs, from its first page."""
    return [club.name for club in browser.get("/clubs/", {"q": search}).context["page"]]


def test_the_list_is_by_name_and_can_be_searched() -> None:
    for name in ("the Old Mill", "Lakeside", "Sunday Pairs"):
        club(name, about="By the lake." if name == "Sunday Pairs" else "")
    assert listed(Client()) == ["Lakeside", "Sunday Pairs", "the Old Mill"]
    assert listed(Client(), "LAKE") == ["Lakeside", "Sunday Pairs"]
    assert listed(Client(), "lake pairs") == ["Sunday Pairs"]
    assert listed(Client(), "<none>") == []
    assert "&lt;none&gt;" in Client().get("/clubs/", {"q": "<none>"}).content.decode()


def test_search_ignores_characters_the_database_rejects() -> None:
    club()
    assert listed(Client(), "old\0mill") == []
    assert listed(Client(), "old \0mill") == ["The Old Mill"]


def test_a_long_list_has_pages() -> None:
    for number in range(30):
        club(f"Club {number:02}")
    first, second = (Client().get("/clubs/", {"page": page}) for page in ("1", "2"))
    assert len(first.context["page"]) == 24
    assert second.context["page"][0].name == "Club 24"
    assert 'href="?page=2"' in first.content.decode()


@pytest.mark.parametrize("path", ["", "members/", "rules/", "seasons/", "years/2026/", "settings/"])
def test_closed_club_is_not_found_by_others(path: str) -> None:
    mill = club(joining=Club.Joining.INVITATION)
    maeve, otto = owner(mill), member("Otto")
    for browser in (Client(), logged_in(otto)):
        assert browser.get(f"/clubs/the-old-mill/{path}").status_code == 404
        assert listed(browser) == []
    assert logged_in(maeve).get(f"/clubs/the-old-mill/{path}").status_code == 200


def test_the_link_opens_a_club_by_invitation_until_it_is_renewed() -> None:
    mill = club(joining=Club.Joining.INVITATION)
    otto = logged_in(member("Otto"))
    link = f"/clubs/the-old-mill/join/{mill.invite_token}/"
    assert otto.get(link)["Location"] == "/clubs/the-old-mill/"
    assert otto.get("/clubs/the-old-mill/").status_code == 200
    assert logged_in(owner(mill)).post("/clubs/the-old-mill/link").status_code == 303
    for path in (link, "/clubs/the-old-mill/"):
        assert otto.get(path).status_code == 404
    assert otto.post("/clubs/the-old-mill/join").status_code == 404


@pytest.mark.parametrize(
    ("before", "after", "status"),
    [("open", "invitation", 404), ("invitation", "open", 200), ("open", "approval", 200)],
)
def test_club_games_are_visible_to_those_who_see_the_club(
    before: str, after: str, status: int
) -> None:
    mill = club(joining=before)
    played = event(mill, rounds=1)
    enter(played, 4)
    play_to_end(played)
    game = Game.objects.get(table__pairing__round__event=played)
    assert Client().get(f"/games/{game.pk}/").status_code == (
        404 if before == "invitation" else 200
    )
    assert logged_in(owner(mill)).post("/clubs/the-old-mill/settings/", PLAIN | {"joining": after})
    for path in (f"/games/{game.pk}/", f"/api/games/{game.pk}", f"/tables/{game.table_id}/"):
        assert Client().get(path).status_code == status, path


def test_wrong_invitation_to_a_public_club_leads_to_its_page() -> None:
    club()
    response = Client().get("/clubs/the-old-mill/join/wrong/", follow=True)
    assert response.redirect_chain == [("/clubs/the-old-mill/", 302)]
    assert "has been replaced" in response.content.decode()


def test_invitation_link_is_shown_to_those_who_admit_members_only() -> None:
    mill = club(joining=Club.Joining.INVITATION)
    ben = member("Ben")
    joined(mill, ben)
    for path in ("", "members/"):
        page = logged_in(ben).get(f"/clubs/the-old-mill/{path}").content.decode()
        assert mill.invite_token not in page
    page = logged_in(director(mill)).get("/clubs/the-old-mill/members/").content.decode()
    assert f"http://testserver/clubs/the-old-mill/join/{mill.invite_token}/" in page
