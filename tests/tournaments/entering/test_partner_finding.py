"""Choosing a partner by typing a part of a name: who is found, by whom, and the second step."""

from typing import Any

import pytest
from django.test import Client

from games.models import Player
from tests.factories import logged_in, member, player
from tests.tournaments import build
from tests.tournaments.entering.test_entry_pages import page, post, upcoming
from tournaments.entering import partners
from tournaments.models import Club, Entry, Event

pytestmark = [pytest.mark.django_db, pytest.mark.db]

SCRIPT = {"HX-Request": "true"}


@pytest.fixture
def swiss() -> Event:
    """An event for pairs whose club has Maeve, Ben and two who are called alike."""
    event = upcoming(format="swiss", minimum=2)
    for name in ("Maeve", "Ben Hall", "Benita", "Ruben"):
        build.joined(event.club, named(name))
    return event


def named(name: str) -> Player:
    """A person with an account."""
    person = member(name.replace(" ", "."))
    person.name = name
    person.save(update_fields=["name"])
    return person


def maeve() -> Client:
    return logged_in(Player.objects.get(name="Maeve"))


def find(browser: Client, event: Event, words: str) -> Any:
    return browser.get(f"/events/{event.pk}/partner/find", {"partner": words}, headers=SCRIPT)


def names(response: Any) -> list[str]:
    assert response.status_code == 200
    return [membership.player.name for membership in response.context["found"]]


class TestFinding:
    def test_search_matches_any_part_with_prefixes_first(self, swiss: Event) -> None:
        assert names(find(maeve(), swiss, "ben")) == ["Ben Hall", "Benita", "Ruben"]
        assert names(find(maeve(), swiss, "hall b")) == ["Ben Hall"]
        assert names(find(maeve(), swiss, "nobody")) == []
        assert names(find(maeve(), swiss, "a\0")) == names(find(maeve(), swiss, "a"))
        assert names(find(maeve(), swiss, " ")) == []

    def test_search_leaves_out_oneself_entered_and_ineligible_players(self, swiss: Event) -> None:
        iris, closed = named("Ben Out"), named("Ben Closed")
        build.joined(swiss.club, closed)
        assert closed.user is not None
        closed.user.is_active = False
        closed.user.save()
        build.joined(swiss.club, player("Ben the guest"))
        assert names(find(maeve(), swiss, "maeve")) == []
        assert iris.name not in names(find(maeve(), swiss, "ben"))  # no member
        ben, benita = (Player.objects.get(name=name) for name in ("Ben Hall", "Benita"))
        browser = logged_in(ben)
        post(browser, swiss, "partner", player=str(benita.pk))
        entry = Entry.objects.get()
        post(logged_in(benita), swiss, f"partner/{entry.pk}/accept")
        assert names(find(maeve(), swiss, "ben")) == ["Ruben"]

    def test_search_hides_members_of_a_closed_club_from_strangers(self) -> None:
        club = build.club(joining=Club.Joining.INVITATION)
        event = upcoming(club, format="swiss", minimum=2)
        ben, otto = member("Ben"), member("Otto")
        build.joined(club, ben)
        stranger = logged_in(otto)
        assert find(stranger, event, "ben").status_code == 404
        # Let into this event alone, Otto sees it, and still nobody of the club.
        post(logged_in(ben), event, "partner/seek")
        entry = Entry.objects.create(event=event, state=Entry.State.SEEKING)
        entry.players.create(event=event, player=otto)
        assert names(find(stranger, event, "ben")) == []
        by_number = post(stranger, event, "partner", player=str(ben.pk))
        assert by_number.status_code == 422
        assert "Who do you mean?" not in post(stranger, event, "partner", partner="Be").text

    @pytest.mark.parametrize("guest", [True, False])
    def test_search_without_an_account_finds_none(self, swiss: Event, guest: bool) -> None:
        browser = logged_in(player("Otto")) if guest else Client()
        assert names(find(browser, swiss, "ben")) == []

    def test_search_finds_none_in_an_individual_event(self, swiss: Event) -> None:
        Event.objects.update(format="rotation")
        assert names(find(maeve(), Event.objects.get(), "ben")) == []

    def test_search_results_are_limited(
        self, swiss: Event, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(partners, "MAX_IN_A_MINUTE", 2)
        browser = maeve()
        find(browser, swiss, "b")
        find(browser, swiss, "be")
        assert find(browser, swiss, "ben").status_code == 429


class TestTheSecondStep:
    def test_partial_name_is_answered_with_a_choice(self, swiss: Event) -> None:
        response = post(maeve(), swiss, "partner", partner="ben")
        assert response.status_code == 422
        assert "Who do you mean?" in response.text
        ben = Player.objects.get(name="Ben Hall")
        assert f'name="player" value="{ben.pk}"' in response.text
        assert 'name="partner" value="ben"' in response.text
        assert post(maeve(), swiss, "partner", player=str(ben.pk)).status_code == 303
        assert "Ben Hall is asked" in page(maeve(), swiss)

    def test_players_of_the_same_name_can_be_chosen_between(self, swiss: Event) -> None:
        other = member("Other")
        other.name = "Benita"
        other.save()
        build.joined(swiss.club, other)
        response = post(maeve(), swiss, "partner", partner="Benita")
        assert response.status_code == 422
        assert response.text.count('type="radio"') == 2
        assert post(maeve(), swiss, "partner", player=str(other.pk)).status_code == 303
        assert Entry.objects.get().invited == other

    def test_unknown_name_is_kept_in_the_form(self, swiss: Event) -> None:
        response = post(maeve(), swiss, "partner", partner='Xan "<b>')
        assert response.status_code == 422
        assert "Who do you mean?" not in response.text
        assert 'value="Xan &quot;&lt;b&gt;"' in response.text
        assert 'id="partner_error"' in response.text

    @pytest.mark.parametrize("number", ["0", "999999999999999999", "-1", "x"])
    def test_unknown_player_number_is_refused(self, swiss: Event, number: str) -> None:
        response = post(maeve(), swiss, "partner", player=number)
        assert response.status_code == 422

    def test_non_member_cannot_be_chosen_by_number(self, swiss: Event) -> None:
        stranger = named("Otto")
        response = post(maeve(), swiss, "partner", player=str(stranger.pk))
        assert response.status_code == 422
        assert "Otto" not in response.text


def test_invitation_is_shown_on_the_home_page(swiss: Event) -> None:
    ben = Player.objects.get(name="Ben Hall")
    assert "Partner invitations" not in logged_in(ben).get("/").text
    post(maeve(), swiss, "partner", player=str(ben.pk))
    shown = logged_in(ben).get("/").text
    assert "Partner invitations" in shown
    entry = Entry.objects.get()
    assert f'action="/events/{swiss.pk}/partner/{entry.pk}/accept"' in shown
    assert f'action="/events/{swiss.pk}/partner/{entry.pk}/decline"' in shown
    Event.objects.update(state=Event.State.RUNNING)
    assert "Partner invitations" not in logged_in(ben).get("/").text
