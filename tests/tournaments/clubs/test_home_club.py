"""The home club on a profile: one's choice among one's clubs, and gone with the membership."""

import re

import pytest
from django.test import Client

from euchre_site.own_data.export_contents import data
from games.models import Player
from tests.factories import logged_in, member
from tests.tournaments.build import NOON
from tournaments.clubs import clubs, members
from tournaments.models import Club
from tournaments.refusals import RefusedError

pytestmark = pytest.mark.django_db

NAMED = r"Home club\s*<a[^>]*>([^<]*)</a>"


@pytest.fixture
def maeve() -> Player:
    return member("Maeve")


@pytest.fixture(autouse=True)
def own(maeve: Player) -> tuple[Club, Club]:
    """Two clubs of Maeve's, one by invitation only, and one that is not hers."""
    owner = member("Ada")

    def made(name: str, joining: str = "open") -> Club:
        return clubs.create(owner, name=name, about="", joining=joining, time_zone="UTC")

    mill, vault, _ = made("Mill Lane"), made("Vault", "invitation"), made("Elsewhere")
    for club in (mill, vault):
        members.join(club, maeve, invited=True)
    return mill, vault


def shown(player: Player, client: Client) -> list[str]:
    return re.findall(NAMED, client.get(f"/players/{player.pk}/").text)


def choose(player: Player, slug: str) -> int:
    return (
        logged_in(player).post("/you/name/", {"name": player.name, "home_club": slug}).status_code
    )


def test_one_of_the_own_clubs_is_chosen_changed_and_taken_back(maeve: Player) -> None:
    browser = logged_in(maeve)
    assert shown(maeve, browser) == []
    for slug, name in (("mill-lane", ["Mill Lane"]), ("vault", ["Vault"]), ("", [])):
        assert choose(maeve, slug) == 302
        assert shown(maeve, browser) == name
        assert f'<option value="{slug}" selected>' in browser.get("/you/name/").text


@pytest.mark.parametrize("slug", ["elsewhere", "nowhere"])
def test_a_club_of_others_is_refused(maeve: Player, slug: str) -> None:
    answer = logged_in(maeve).post("/you/name/", {"name": "Maeve", "home_club": slug})
    assert answer.status_code == 422
    assert "Choose one of your clubs, or none." in answer.text
    assert not maeve.memberships.filter(home=True).exists()


def test_whoever_leaves_or_is_removed_shows_it_no_longer(
    maeve: Player, own: tuple[Club, Club]
) -> None:
    for club in own:
        choose(maeve, club.slug)
        members.leave(club, maeve)
        assert shown(maeve, Client()) == []
        members.join(club, maeve, invited=True)
        assert shown(maeve, logged_in(maeve)) == []


def test_who_has_left_at_the_same_moment_is_told(maeve: Player, own: tuple[Club, Club]) -> None:
    members.choose_home(maeve, own[0].slug)
    members.leave(own[1], maeve)
    with pytest.raises(RefusedError, match="no longer a member"):
        members.choose_home(maeve, own[1].slug)


def test_a_club_by_invitation_is_shown_to_its_members_only(
    maeve: Player, own: tuple[Club, Club]
) -> None:
    choose(maeve, "vault")
    assert shown(maeve, Client()) == []
    otto = member("Otto")
    assert shown(maeve, logged_in(otto)) == []
    assert logged_in(otto).get(f"/api/players/{maeve.pk}").json()["home_club"] == ""
    members.join(own[1], otto, invited=True)
    assert shown(maeve, logged_in(otto)) == ["Vault"]
    assert logged_in(otto).get(f"/api/players/{maeve.pk}").json()["home_club"] == "vault"


def test_a_private_record_shows_no_home_club(maeve: Player) -> None:
    choose(maeve, "mill-lane")
    Player.objects.filter(pk=maeve.pk).update(private=True)
    assert shown(maeve, logged_in(member("Otto"))) == []


def test_the_export_says_which_it_is(maeve: Player) -> None:
    choose(maeve, "vault")
    found = {club["club__slug"]: club["home"] for club in data(maeve, NOON)["clubs"]}
    assert found == {"mill-lane": False, "vault": True}


def test_without_a_club_there_is_no_choice() -> None:
    assert "Home club" not in logged_in(member("Otto")).get("/you/name/").text
