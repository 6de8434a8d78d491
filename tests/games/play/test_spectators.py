"""Who watches is counted by person, over all processes; those who wish so are named."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from pytest_django import DjangoAssertNumQueries

from games.api.table_view import table_view
from games.live.state import Live
from games.models import Player
from games.people import avoiding, identity
from games.picture import phrases, viewing
from games.play import spectators
from games.sockets import audience, news
from games.talk import muting
from tests.factories import Room, logged_in, member, player, room
from tests.tabs import Tab, new_tab

pytestmark = pytest.mark.django_db(transaction=True)


#: Tabs close when nothing refers to them.
_tabs: list[Tab] = []


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(spectators, "AFTER", 0.0)
    yield
    _tabs.clear()


async def opened(at: Room, who: Any = None) -> Tab:
    tab = await new_tab(at.table_id, who)
    assert await tab.connect() is None
    _tabs.append(tab)
    return tab


async def until(at: Room, words: str | None) -> None:
    """Wait until the page of the table says how many watch."""
    live = await at.live()
    for _ in range(200):
        if viewing.pictures(live, [None])[None].table.values["watching"] == words:
            return
        await asyncio.sleep(0)
    pytest.fail(f"never {words}")


async def test_people_are_counted_and_not_windows_or_players() -> None:
    at = await room()
    otto = await sync_to_async(member)("Otto")
    tabs = [await opened(at, who) for who in (at.players[0], otto, otto)]
    await until(at, "1 watching")
    for tab in tabs[1:]:
        await tab.close()
    await until(at, None)


async def test_a_page_is_told_of_whoever_comes_to_watch() -> None:
    at = await room()
    player = await opened(at, at.players[0])
    otto = await sync_to_async(member)("Otto")
    await opened(at, otto)
    while '"watching":"1 watching"' not in player.frames[-1]:
        await player.frame()


async def test_other_processes_report_theirs(monkeypatch: pytest.MonkeyPatch) -> None:
    at = await room()
    await news._report(audience.AUDIENCE, {"table": at.table_id, "process": "other", "count": 3})
    await until(at, "3 watching")
    assert table_view(viewing.view_of(await at.live(), None)).spectators == 3
    monkeypatch.setattr(audience, "FORGOTTEN_AFTER", -1.0)
    await until(at, None)
    monkeypatch.undo()
    await news._report(audience.AUDIENCE, {"table": at.table_id, "process": "other", "count": 0})
    await until(at, None)
    assert audience.elsewhere(at.table_id) == 0


async def test_those_who_come_one_after_another_are_counted_meanwhile(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(spectators, "AFTER", 60.0)
    at = await room()
    otto, zoe = [await sync_to_async(member)(name) for name in ("Otto", "Zoe")]
    await opened(at, otto)
    due = spectators._counting[at.table_id].when()
    await opened(at, zoe)
    assert spectators._counting[at.table_id].when() == due


# Names ----------------------------------------------------------------------------------------


def named(name: str) -> Player:
    """A member who wishes to be named."""
    one = member(name)
    Player.objects.filter(pk=one.pk).update(named_watching=True)
    one.named_watching = True
    return one


async def names(at: Room, viewer: Player | None, words: str | None) -> None:
    """Wait until a viewer's page of the table has these words behind the number."""
    live, key = await at.live(), viewer.pk if viewer is not None else None
    for _ in range(400):
        if viewing.pictures(live, [key])[key].own["watching.names"] == words:
            return
        await asyncio.sleep(0.001)
    pytest.fail(f"never {words}")


async def report(at: Room, number: int, *watching: tuple[int, str]) -> None:
    """Another process reports its spectators."""
    told = {"table": at.table_id, "process": "other", "count": number, "names": watching}
    await news._report(audience.AUDIENCE, told)


@pytest.mark.parametrize(
    ("people", "number", "words"),
    [
        ((), 4, None),
        (("Ben",), 1, ": Ben"),
        (("Ben", "Zoe"), 2, ": Ben and Zoe"),
        (("Ben",), 4, ": Ben and 3 more"),
        (("Ada", "Ben", "Iris", "Zoe"), 4, ": Ada, Ben, Iris and 1 more"),
        (("Ada", "Ben"), 1, ": Ada"),  # Ben has just gone
        (("Ada",), 0, None),
    ],
)
def test_a_short_list_and_how_many_more(
    people: tuple[str, ...], number: int, words: str | None
) -> None:
    assert phrases.watching(people, number) == words


async def test_only_who_wishes_so_is_named() -> None:
    at = await room()
    maeve = await opened(at, at.players[0])
    await opened(at, await sync_to_async(member)("Otto"))
    await opened(at, await sync_to_async(player)("A guest"))
    zoe = await opened(at, await sync_to_async(named)("Zoe <b>"))
    await until(at, "3 watching")
    for viewer in (at.players[0], None):
        await names(at, viewer, ": Zoe <b> and 2 more")
    while '"watching.names":": Zoe <b> and 2 more"' not in maeve.frames[-1]:
        await maeve.frame()
    page = await sync_to_async(
        lambda: logged_in(at.players[0]).get(f"/tables/{at.table_id}/").text
    )()
    assert "Zoe &lt;b&gt; and 2 more" in page
    await zoe.close()
    await names(at, at.players[0], None)


async def test_a_choice_shows_at_once_and_is_taken_back(monkeypatch: pytest.MonkeyPatch) -> None:
    at = await room()
    await opened(at, at.players[0])
    otto = await sync_to_async(member)("Otto")
    await opened(at, otto)
    await until(at, "1 watching")
    browser = await sync_to_async(logged_in)(otto)
    for choice, words in (("named", ": Otto"), ("counted", None)):
        fields = {"watching": choice}
        answer = await sync_to_async(browser.post)("/you/table/", fields)
        assert answer.status_code == 302
        await names(at, at.players[0], words)


@pytest.mark.parametrize("how", ["mute", "avoid"])
async def test_a_blocked_name_is_hidden_from_who_blocked_it(how: str) -> None:
    at = await room()
    maeve, ben = at.players[0], at.players[1]
    for one in (maeve, ben):
        await opened(at, one)
    otto, zoe = [await sync_to_async(named)(name) for name in ("Otto", "Zoe")]
    for one in (otto, zoe):
        await opened(at, one)
    await names(at, maeve, ": Otto and Zoe")
    if how == "mute":
        await sync_to_async(muting.mute)(maeve, otto, at.table_id)
    else:
        await sync_to_async(avoiding.avoid)(maeve, otto)
    await names(at, maeve, ": Zoe and 1 more")
    await names(at, ben, ": Otto and Zoe")
    if how == "mute":
        await sync_to_async(muting.unmute)(maeve, otto.pk, at.table_id)
    else:
        await sync_to_async(avoiding.meet_again)(maeve, otto.pk)
    await names(at, maeve, ": Otto and Zoe")


async def test_who_has_just_come_sees_no_names_before_it_is_known_whom_they_blocked() -> None:
    at = await room()
    await opened(at, await sync_to_async(named)("Zoe"))
    await until(at, "1 watching")
    assert audience.names_for(at.table_id, at.players[0].pk) == ()
    await opened(at, at.players[0])
    await names(at, at.players[0], ": Zoe")


async def test_all_processes_show_the_same_list(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[str, Any]] = []

    async def publish(topic: str, what: Any) -> None:
        told.append((topic, what))

    monkeypatch.setattr(news, "publish_remote", publish)
    at = await room()
    maeve = at.players[0]
    await opened(at, maeve)
    zoe = await sync_to_async(named)("Zoe")
    await opened(at, zoe)
    await names(at, maeve, ": Zoe")
    reports = [what for topic, what in told if topic == audience.AUDIENCE]
    assert json.loads(json.dumps(reports[-1]["names"])) == [[zoe.pk, "Zoe"]]
    otto = await sync_to_async(named)("Otto")
    await report(at, 2, (otto.pk, "Otto"), (zoe.pk, "Zoe"))
    await names(at, maeve, ": Otto, Zoe and 1 more")
    await sync_to_async(muting.mute)(maeve, otto, at.table_id)
    await names(at, maeve, ": Zoe and 2 more")
    await report(at, 0)
    await names(at, maeve, ": Zoe")


async def test_names_read_before_a_choice_do_not_replace_those_read_after(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    at = await room()
    maeve = at.players[0]
    zoe = await sync_to_async(named)("Zoe")
    for one in (maeve, zoe):
        await opened(at, one)
    await names(at, maeve, ": Zoe")
    begun: list[int] = []
    read, release, original = asyncio.Event(), asyncio.Event(), spectators._names

    async def slowly(live: Live) -> Any:
        begun.append(live.table_id)
        found = await original(live)
        read.set()
        await release.wait()
        return found

    monkeypatch.setattr(spectators, "_names", slowly)
    spectators.on_timer(at.table_id)
    await read.wait()
    await Player.objects.filter(pk=zoe.pk).aupdate(named_watching=False)
    spectators.on_timer(at.table_id)
    await asyncio.sleep(0)
    assert len(begun) == 1
    release.set()
    await names(at, maeve, None)


async def test_a_process_of_an_earlier_version_reports_no_names() -> None:
    at = await room()
    await news._report(audience.AUDIENCE, {"table": at.table_id, "process": "old", "count": 2})
    await until(at, "2 watching")
    await names(at, None, None)


async def test_without_the_names_the_number_is_right(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_args: object) -> None:
        raise OSError("the database is away")

    monkeypatch.setattr(spectators, "_read_names", fails)
    at = await room()
    await opened(at, await sync_to_async(named)("Zoe"))
    await until(at, "1 watching")
    await names(at, None, None)


def test_sixty_take_three_queries(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    people = [named(f"Watcher {number}").pk for number in range(60)]
    with django_assert_num_queries(3):
        own, shown = spectators._read_names(people, people, {})
    assert len(own) == spectators.NAMES
    assert len(shown[people[0]]) == spectators.NAMES


def test_a_closed_account_is_not_named() -> None:
    zoe = named("Zoe")
    assert zoe.user is not None
    zoe.user.is_active = False
    zoe.user.save()
    assert spectators._read_names([zoe.pk], [], {}) == ({}, {})


def test_guests_have_no_such_choice() -> None:
    otto = player("Otto")
    browser = logged_in(otto)
    assert 'name="watching"' not in browser.get("/you/table/").text
    browser.post("/you/table/", {"cut": "me", "watching": "named"})
    otto.refresh_from_db()
    assert not otto.named_watching


def test_an_unknown_choice_is_refused() -> None:
    otto = member("Otto")
    assert logged_in(otto).post("/you/table/", {"watching": "loudly"}).status_code == 422
    identity.show_name_watching(otto, named=False)
    assert not Player.objects.get(pk=otto.pk).named_watching
