"""Names: nobody can take one that could be mistaken for a member's."""

import re
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from games.models import Player
from games.people import identity, names
from games.people.house_players import NAMES, house_players
from games.programs import programs
from games.programs.programs import ProgramError
from games.seats import lobby
from tests.factories import logged_in, member, player, table

pytestmark = pytest.mark.django_db
CYRILLIC = "Сосо"  # looks like Coco
FIELDS = {"email": "otto@example.org", "password1": "old mill thursday"}


@pytest.mark.parametrize("name", ["Coco", "coco", CYRILLIC, "Ｃoco", "C o c o"])
def test_sign_up_refuses_a_members_name(client: Client, name: str) -> None:
    member("Coco")
    page = client.post(reverse("account_signup"), FIELDS | {"name": name})
    assert page.status_code == 200
    assert "is taken, or looks like a name that is" in page.text
    assert Player.objects.count() == 1


@pytest.mark.parametrize(
    "name",
    [
        "Director",
        "Dіrector",
        "D1RECTOR",
        "Director 2",
        "Rowan",
        "Rоwan",
        "Hazel 12",
        "Guest",
        "Director ✓",
        "★ Director",
        "Director^",
        "Guest ♠",
    ],
)
def test_reserved_and_house_players_names_are_refused(name: str) -> None:
    assert not names.free(name)


@pytest.mark.parametrize("name", ["Maeve", "Directa", "Elmo", "Ivy League", "Bowers"])
def test_other_names_are_free(name: str) -> None:
    assert names.free(name)


def test_a_guest_may_share_only_a_guests_name() -> None:
    member("Coco")
    guest, other = player("Quiet Heron"), player("Tidy Wren")
    page = logged_in(guest).post(reverse("name"), {"name": CYRILLIC})
    assert page.status_code == 422
    assert "looks like a name that is" in page.text
    identity.rename(guest, other.name)
    assert guest.name == other.name


def test_a_program_cannot_take_a_members_name() -> None:
    maeve = member("Coco")
    with pytest.raises(ProgramError, match="taken"):
        programs.make(maeve, CYRILLIC, timezone.now())
    robo, _token = programs.make(maeve, "Robo", timezone.now())
    with pytest.raises(ProgramError, match="taken"):
        programs.rename(robo, "coco")


def test_a_name_may_be_changed_to_its_lookalike() -> None:
    maeve = member("Maeve")
    identity.rename(maeve, "MAEVE")
    identity.rename(maeve, "MAEVE")
    maeve.refresh_from_db()
    assert maeve.name == "MAEVE"


def test_a_simultaneous_rename_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    member("Coco")
    otto = member("Otto")
    monkeypatch.setattr(names, "free", lambda *_: True)  # it was, a moment ago
    page = logged_in(otto).post(reverse("name"), {"name": CYRILLIC})
    assert page.status_code == 422
    assert "looks like a name that is" in page.text
    otto.refresh_from_db()
    assert otto.name == "Otto"


def test_a_simultaneous_sign_up_gets_another_name(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    member("Coco")
    monkeypatch.setattr(identity, "free_name", lambda name, _player: name)
    page = client.post(reverse("account_signup"), FIELDS | {"name": CYRILLIC}, follow=True)
    otto = Player.objects.get(user__email=FIELDS["email"])
    assert otto.name != CYRILLIC
    assert f"you are {otto.name} for now" in page.text


def test_friendly_names_are_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(names, "FIRST", "Quiet")
    monkeypatch.setattr(names, "SECOND", "Heron")
    Player.objects.filter(pk=member("Maeve").pk).update(
        name="Quiet Heron", skeleton=player("Quiet Heron").skeleton
    )
    assert names.friendly_name().startswith("Quiet Heron ")


def test_friendly_names_avoid_words_of_house_players() -> None:
    house = names.words_of(NAMES)
    assert not house & names.words_of([names.FIRST, names.SECOND])


def test_friendly_names_at_a_table_share_no_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(names, "FIRST", "Quiet Merry")
    monkeypatch.setattr(names, "SECOND", "Heron Finch")
    assert {names.friendly_name(["quiet Finch"]) for _ in range(20)} == {"Merry Heron"}


def test_house_players_names_do_not_limit_friendly_names() -> None:
    Player.objects.filter(pk=member("Maeve").pk).update(name="Rowan")
    assert next(one.name for one in house_players(4)) == "Rowan"


def test_guests_are_marked_in_the_lobby_and_at_the_table(client: Client) -> None:
    at = table(member("Maeve"), player("Quiet Heron"))
    places: Any = lobby.lobby_for(None).waiting[0].places
    assert [place.guest for place in places[:2]] == [False, True]
    assert '<span class="tag">Guest</span>' in client.get(reverse("lobby")).text
    page = client.get(reverse("table", args=[at.pk])).text
    shown = re.sub("<template.*?</template>", "", page, flags=re.DOTALL)
    assert shown.count('<span class="mark guest">Guest</span>') == 1
    told = client.get("/api/tables").json()[0]["seats"]
    assert [seat["guest"] for seat in told[:2]] == [False, True]


def test_a_name_older_than_a_check_can_be_kept() -> None:
    maeve = member("Coco")
    Player.objects.filter(pk=maeve.pk).update(name="see bower.club")
    maeve.refresh_from_db()
    assert identity.free_name("see bower.club", maeve) == "see bower.club"
    with pytest.raises(ValidationError, match="no links"):
        identity.free_name("see bower.club", member("Otto"))
