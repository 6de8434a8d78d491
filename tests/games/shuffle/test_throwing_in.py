"""Numbers thrown in through sockets: who is asked, what is refused, what nobody sees."""

import pytest
from asgiref.sync import sync_to_async
from django.utils import timezone

from games.engine.rules import CLASSIC_24
from games.models import Game, Table
from games.play import play
from games.play.sweep import sweep
from games.seats import seating
from games.shuffle.shuffling import COMMIT_WITHIN, REVEAL_WITHIN
from tests.factories import cast, player
from tests.games.shuffles import Browser, shuffle_of
from tests.tabs import Tab, new_tab

pytestmark = pytest.mark.django_db(transaction=True)


@sync_to_async
def full_table() -> tuple[Table, list[Browser]]:
    """A table at which four have just sat down, all with browsers that throw in."""
    people = cast()
    at = seating.make_table(people[0], CLASSIC_24)
    for position, who in enumerate(people):
        seating.sit(at, who, position, throws_in=True)
    return at, [Browser(who, at, position) for position, who in enumerate(people)]


async def opened(at: Table, browsers: list[Browser]) -> list[Tab]:
    """A connected tab of each."""
    tabs = [await new_tab(at.pk, browser.who) for browser in browsers]
    for one in tabs:
        assert await one.connect() is None
    return tabs


async def asked(one: Tab, what: str) -> None:
    """Take frames until the page asks its browser for something."""
    while f'"shuffle":"{what}"' not in one.frames[-1]:
        await one.frame()


async def test_a_game_begins_when_all_browsers_have_thrown_in() -> None:
    at, browsers = await full_table()
    tabs = await opened(at, browsers)
    shuffle = await sync_to_async(shuffle_of)(at)
    for one, browser in zip(tabs, browsers, strict=True):
        await asked(one, "commitment")
        await one.send(shuffle=str(shuffle.pk), commitment=browser.promise(shuffle).hex())
    for one, browser in zip(tabs, browsers, strict=True):
        await asked(one, "number")
        await one.send(shuffle=str(shuffle.pk), number=browser.number.hex())
    for one in tabs:
        await one.until("1.0")
    game = await Game.objects.select_related("table__shared_deals").aget(table=at)
    assert game.pk == shuffle.pk
    assert game.commitments_and_contributions[1] == tuple(browser.number for browser in browsers)


async def test_no_frame_shows_a_number_before_the_game_begins() -> None:
    at, browsers = await full_table()
    otto = await sync_to_async(player)("Otto")
    tabs = await opened(at, [*browsers, Browser(otto, at, -1)])
    for browser in browsers:
        await sync_to_async(browser.commit)()
    for one in tabs[:4]:
        await asked(one, "number")
    for browser in browsers[:3]:
        await sync_to_async(browser.reveal)()
    for one in tabs:
        await one.send(beat="9.9")
        await one.frame()
    frames = [frame for one in tabs for frame in one.frames]
    assert not [frame for frame in frames for one in browsers if one.number.hex() in frame]
    shuffle = await sync_to_async(shuffle_of)(at)
    promise = browsers[3].promise(shuffle).hex()
    assert [any(promise in frame for frame in one.frames) for one in tabs] == [True] * 4 + [False]


async def test_a_spectator_and_a_seat_that_has_answered_are_asked_for_nothing() -> None:
    at, browsers = await full_table()
    otto = await sync_to_async(player)("Otto")
    await sync_to_async(browsers[0].commit)()
    maeve, watching = await opened(at, [browsers[0], Browser(otto, at, -1)])
    assert '"shuffle":"' not in maeve.frames[0] + watching.frames[0]
    assert "The cards are being shuffled" in watching.frames[0]


async def test_what_is_wrong_is_refused_and_the_socket_lives() -> None:
    at, browsers = await full_table()
    (one,) = await opened(at, browsers[:1])
    match = str((await sync_to_async(shuffle_of)(at)).pk)
    for wrong in (
        {"shuffle": match},
        {"shuffle": 3, "number": "00" * 32},
        {"shuffle": match, "commitment": "00" * 31},
        {"shuffle": match, "number": ["00" * 32]},
        {"shuffle": "no", "commitment": "ab" * 32},
    ):
        await one.send(**wrong)
        answer = await one.answer()
        assert (answer["key"], answer["kind"]) == ("shuffle", play.MALFORMED), wrong
    await one.send(shuffle=match, number="ab" * 32)
    answer = await one.answer()
    assert (answer["kind"], answer["message"]) == (
        play.ILLEGAL, "The commitments of this shuffle are not frozen yet.",
    )  # fmt: skip
    await one.send(have=one.have)
    assert await one.silent()


async def test_the_sweep_goes_on_without_those_who_never_answer() -> None:
    at, browsers = await full_table()
    await sync_to_async(browsers[0].commit)()
    shuffle = await sync_to_async(shuffle_of)(at)
    await at.shuffles.aupdate(due=shuffle.made - COMMIT_WITHIN)
    await sweep()
    (one,) = await opened(at, browsers[:1])
    await asked(one, "number")
    await at.shuffles.aupdate(due=shuffle.made - COMMIT_WITHIN)
    await sweep()
    await one.until("1.0")


async def test_a_shuffle_that_fails_does_not_hold_up_another_table() -> None:
    tables = [(await full_table())[0] for _ in range(2)]
    past = timezone.now() - REVEAL_WITHIN
    for at in tables:
        await at.shuffles.aupdate(frozen=past, due=past)
    await tables[0].shuffles.aupdate(secret=b"no secret", due=past - COMMIT_WITHIN)
    await sweep()
    games = [await Game.objects.filter(table=at).acount() for at in tables]
    assert games == [0, 1]


async def test_who_sits_down_after_another_left_the_seat_is_asked_too() -> None:
    maeve, ben = await sync_to_async(lambda: (player("Maeve"), player("Ben")))()
    at = await sync_to_async(seating.make_table)(maeve, CLASSIC_24)
    await sync_to_async(seating.sit)(at, ben, 0, throws_in=True)
    await sync_to_async(Browser(ben, at, 0).commit)()
    await sync_to_async(seating.sit)(at, ben, 1, throws_in=True)
    await sync_to_async(seating.sit)(at, maeve, 0, throws_in=True)
    tabs = await opened(at, [Browser(maeve, at, 0), Browser(ben, at, 1)])
    assert all('"shuffle":"commitment"' in one.frames[0] for one in tabs)
