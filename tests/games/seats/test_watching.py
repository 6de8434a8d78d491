"""Who may watch a table: its host opens and closes it."""

import pytest
from asgiref.sync import sync_to_async

from games.models import Player, Table
from games.seats import seating
from games.sockets import hub
from tests.factories import cast, logged_in, member, room
from tests.factories import table as make_table
from tests.tabs import new_tab

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_host_closes_a_table_and_opens_it_again() -> None:
    maeve, *others = cast()
    at = make_table(maeve, *others)
    page = logged_in(maeve)
    assert "Stop others from watching" in page.get(f"/tables/{at.pk}/").text
    stranger = logged_in(member("Otto"))
    assert stranger.get(f"/tables/{at.pk}/").status_code == 200
    assert page.post(f"/tables/{at.pk}/watching", {"open": "no"}).status_code == 303
    assert stranger.get(f"/tables/{at.pk}/").status_code == 404
    assert logged_in(others[0]).get(f"/tables/{at.pk}/").status_code == 200
    assert "Let anybody watch" in page.get(f"/tables/{at.pk}/").text
    page.post(f"/tables/{at.pk}/watching", {"open": "yes"})
    assert stranger.get(f"/tables/{at.pk}/").status_code == 200


@pytest.mark.parametrize(
    ("who", "fields", "status"),
    [(1, {"open": "no"}, 403), (0, {"open": "perhaps"}, 400), (0, {}, 400)],
)
def test_nobody_else_and_nothing_else(who: int, fields: dict[str, str], status: int) -> None:
    people = cast()
    at = make_table(*people)
    answer = logged_in(people[who]).post(f"/tables/{at.pk}/watching", fields)
    assert answer.status_code == status
    assert Table.objects.get().open


def test_an_events_table_is_the_events() -> None:
    people = cast()
    at = make_table(*people)
    Table.objects.update(reserved=True)
    with pytest.raises(seating.SeatingError, match="The event decides who may watch its tables"):
        seating.let_watch(at, people[0], everybody=False)
    assert "from watching" not in logged_in(people[0]).get(f"/tables/{at.pk}/").text


async def test_those_who_watch_are_sent_away_and_the_players_stay() -> None:
    at = await room()
    host = await Player.objects.aget(hosted_tables=at.table_id)
    watching, playing = await new_tab(at.table_id), await new_tab(at.table_id, at.players[2])
    for tab in (watching, playing):
        assert await tab.connect() is None
    table = await Table.objects.aget(pk=at.table_id)
    await sync_to_async(seating.let_watch)(table, host, everybody=False)
    while (message := await watching.receive())["type"] != "websocket.close":
        pass
    assert message["code"] == hub.NOT_HERE
    await at.act(await at.turn(), "pass")
    await playing.until("1.1")
