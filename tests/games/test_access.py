"""Who may reach which table and which game."""

import uuid

import pytest
from django.contrib.sessions.backends.signed_cookies import SessionStore
from django.http import Http404

from games import access
from games.engine.rules import CLASSIC_24
from games.models import SharedDeals, Table
from games.seats import seating
from tests.factories import cast, player, table

pytestmark = pytest.mark.django_db


@pytest.fixture
def private() -> Table:
    """A table by invitation that Maeve made and where Ben sits South."""
    maeve, ben = player("Maeve"), player("Ben")
    made = seating.make_table(maeve, CLASSIC_24, open=False)
    seating.sit(made, ben, 2)
    return made


def test_anybody_may_watch_an_open_table() -> None:
    at = table(player("Maeve"))
    assert access.table_for(None, at.pk).spectator
    assert access.table_for(player("Otto"), at.pk).spectator


def test_a_seated_player_gets_their_seat() -> None:
    maeve, ben, *_ = cast()
    at = table(maeve, ben)
    found = access.table_for(ben, at.pk)
    assert (found.table, found.seat, found.host, found.spectator) == (at, 1, False, False)
    assert access.table_for(maeve, at.pk).host


@pytest.mark.parametrize("name", ["Maeve", "Ben"])
def test_a_table_by_invitation_is_there_for_its_host_and_its_players(
    private: Table, name: str
) -> None:
    who = private.host if name == "Maeve" else private.seats.get(position=2).player
    assert access.table_for(who, private.pk).table == private


@pytest.mark.parametrize("token", ["", "guess", "é"])
def test_a_table_by_invitation_is_not_there_for_others(private: Table, token: str) -> None:
    for who in (None, player("Otto")):
        with pytest.raises(Http404):
            access.table_for(who, private.pk, token=token)


def test_while_others_play_its_deals_a_table_is_there_for_its_players_alone(private: Table) -> None:
    deals = SharedDeals.objects.create(secret=b"", commitment=b"", seats=8)
    Table.objects.filter(pk=private.pk).update(shared_deals=deals, open=True)
    ben, otto = private.seats.get(position=2).player, player("Otto")
    assert access.table_for(ben, private.pk).seat == 2
    for who in (None, otto, private.host):
        with pytest.raises(access.SealedError):
            access.table_for(who, private.pk, token=private.invite_token, invited=[private.pk])
    asked = [(who, private.pk, [private.pk]) for who in (None, otto, private.host, ben)]
    assert [found is not None for found in access.tables_for(asked)] == [False, False, False, True]


def test_its_link_lets_anybody_in(private: Table) -> None:
    assert access.table_for(None, private.pk, token=private.invite_token).spectator


def test_who_followed_the_link_before_may_come_back(private: Table) -> None:
    session = SessionStore()
    with pytest.raises(Http404):
        access.table_for(None, private.pk, invited=access.invitations(session))
    access.remember_invitation(session, private.pk)
    assert access.table_for(None, private.pk, invited=access.invitations(session)).spectator


def test_the_oldest_invitations_are_forgotten() -> None:
    session = SessionStore()
    for table_id in range(1, access.MAX_INVITATIONS + 2):
        access.remember_invitation(session, table_id)
    access.remember_invitation(session, 2)
    kept = access.invitations(session)
    assert len(kept) == access.MAX_INVITATIONS
    assert (kept[0], kept[-1]) == (3, 2)


@pytest.mark.parametrize("table_id", [0, 404, 2**63, 10**40])
def test_a_table_that_does_not_exist_is_not_found(table_id: int) -> None:
    with pytest.raises(Http404):
        access.table_for(None, table_id)


def test_a_game_is_readable_by_whoever_may_reach_its_table() -> None:
    at = table(*cast())
    game = at.games.get()
    assert access.game_for(None, game.pk)[1] == game


def test_a_game_at_a_table_by_invitation_is_not_there_for_others(private: Table) -> None:
    seating.start(private, private.host)
    game = private.games.get()
    for who in (None, player("Otto")):
        with pytest.raises(Http404):
            access.game_for(who, game.pk)
    assert access.game_for(None, game.pk, invited=[private.pk])[1] == game


def test_who_played_may_read_the_game_after_leaving_the_table(private: Table) -> None:
    ben = private.seats.get(position=2).player
    seating.start(private, private.host)
    game = private.games.get()
    private.seats.filter(position=2).update(player=None)
    found, read = access.game_for(ben, game.pk)
    assert (found.spectator, read) == (True, game)


def test_a_game_that_does_not_exist_is_not_found() -> None:
    with pytest.raises(Http404):
        access.game_for(None, uuid.uuid4())


@pytest.mark.django_db(transaction=True)
async def test_the_same_answers_come_from_async_code(private: Table) -> None:
    assert (await access.atable_for(private.host, private.pk)).host
