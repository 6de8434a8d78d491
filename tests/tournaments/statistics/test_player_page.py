"""A player's page shows what its visitor may see, and what the player is."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from games.models import Player
from games.records.performances import record_ended
from tests.factories import finish, logged_in, member, player, table
from tests.tournaments.build import club, event, joined
from tournaments.models import Club, Entry, EntryPlayer, Event, Trophy

pytestmark = pytest.mark.django_db
State = Event.State


def shown(who: Player, to: Client | None = None) -> str:
    response = (to or Client()).get(f"/players/{who.pk}/")
    assert response.status_code == 200
    return response.content.decode()


def entered(into: Event, *players: Player, **fields: Any) -> Entry:
    """An entry of these players."""
    entry = Entry.objects.create(event=into, **({"state": Entry.State.ENTERED} | fields))
    for position, who in enumerate(players):
        EntryPlayer.objects.create(event=into, entry=entry, player=who, position=position)
    return entry


def test_page_shows_clubs_trophies_events_and_places() -> None:
    at, maeve, ben = club(), member(), member("Ben")
    joined(at, maeve)
    over = event(at, name="Autumn cup", state=State.FINISHED)
    entered(over, maeve, ben, place=2)
    entered(over, member("Iris"), place=1)
    Trophy.objects.create(event=over, player=maeve, place=2, entrants=2)
    entered(event(at, name="Thursday euchre"), maeve)
    page = shown(maeve)
    for words in ("The Old Mill", "Autumn cup", "2nd of 2", "Second", "Ben", "Thursday euchre"):
        assert words in page
    assert "Guest" not in page


def test_page_hides_closed_clubs_from_others() -> None:
    at = club("Hidden Harts", joining=Club.Joining.INVITATION)
    maeve, iris = member(), member("Iris")
    joined(at, maeve)
    joined(at, iris)
    over = event(at, name="Hidden cup", state=State.FINISHED)
    entered(over, maeve, place=1)
    Trophy.objects.create(event=over, player=maeve, place=1, entrants=8)
    entered(event(at, name="Hidden night"), maeve)
    for outsider in (Client(), logged_in(member("Otto"))):
        assert "Hidden" not in shown(maeve, outsider)
    invited = Client()
    invited.get(f"/clubs/{at.slug}/join/{at.invite_token}/")
    for insider in (logged_in(maeve), logged_in(iris), invited):
        page = shown(maeve, insider)
        assert all(name in page for name in ("Hidden Harts", "Hidden cup", "Hidden night"))


def test_page_omits_drafts_withdrawn_and_waiting_entries() -> None:
    at, maeve = club(), member()
    entered(event(at, name="Draft night", state=State.DRAFT), maeve)
    entered(event(at, name="Full night"), maeve, state=Entry.State.WAITING)
    gone = entered(event(at, name="Gone night"), maeve, state=Entry.State.WITHDRAWN)
    gone.players.update(active=False)
    assert "night" not in shown(maeve)


def test_page_shows_games_the_visitor_may_read() -> None:
    maeve, ben, iris, jonah = (member(name) for name in ("Maeve", "Ben", "Iris", "Jonah"))
    open_game = finish(table(maeve, ben, house_seats=(2, 3)))
    closed_game = finish(table(iris, maeve, ben, jonah, open=False))
    record_ended()
    everybody, players = f"/games/{open_game.pk}/", f"/games/{closed_game.pk}/"
    for visitor in (Client(), logged_in(player("Otto"))):
        page = shown(maeve, visitor)
        assert everybody in page
        assert players not in page
        assert visitor.get(players).status_code == 404
    for one in (maeve, ben, iris, jonah):
        assert players in shown(maeve, logged_in(one))
    link = f"/tables/{closed_game.table_id}/join/{closed_game.table.invite_token}/"
    invited = Client()
    invited.get(link)
    assert players in shown(maeve, invited)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (Player.Kind.HOUSE, "is a house player: a program of this site"),
        (Player.Kind.PROGRAM, "is a program from outside this site"),
        (Player.Kind.PERSON, "plays as a guest, without an account"),
    ],
)
def test_page_labels_guests_house_players_and_programs(kind: str, words: str) -> None:
    assert words in shown(Player.objects.create(name="Quiet Heron", kind=kind))


def test_guest_is_asked_to_sign_up() -> None:
    guest = player("Quiet Heron")
    page = shown(guest, logged_in(guest))
    assert f"/accounts/signup/?next=/players/{guest.pk}/" in page


def test_unknown_player_is_not_found() -> None:
    assert Client().get("/players/12345/").status_code == 404


def test_the_number_of_queries_does_not_grow() -> None:
    at, maeve = club(), member()
    counts = []
    for number in range(8):
        over = event(at, name=f"Cup {number}", state=State.FINISHED)
        entered(over, maeve, member(f"Partner {number}"), place=1)
        entered(event(at), maeve)
        Trophy.objects.create(event=over, player=maeve, place=1, entrants=8)
        finish(table(maeve, player("Ben"), house_seats=(2, 3)))
        record_ended()
        with CaptureQueriesContext(connection) as queries:
            shown(maeve)
        counts.append(len(queries))
    assert counts[1:] == [counts[0]] * 7
