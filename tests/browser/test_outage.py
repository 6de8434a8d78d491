"""A server that dies in mid-trick, and networks that fail: everybody comes back unaided."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable

import pytest

from tests.browser.checks import crowded
from tests.browser.conftest import MakePerson
from tests.browser.person import OUTAGE, Person
from tests.browser.store import actions
from tests.browser.tables import LOST, all_show, come_back, mover, sit_together
from tests.served import Server


@pytest.fixture(scope="module")
def own_server(start_server: Callable[..., Server]) -> Server:
    """A server that may be killed."""
    return start_server()


@pytest.fixture
def four(person: MakePerson, own_server: Server) -> list[Person]:
    """Four people in the middle of a trick, two cards on the table."""
    people = [person(name, server=own_server) for name in ("Maeve", "Ben", "Iris", "Jonah")]
    for one in people:
        one.expected = OUTAGE
    sit_together(people, "stick-the-dealer")
    mover(people).call("Order it up")
    all_of_trick(people, 2)
    return people


def all_of_trick(people: list[Person], cards: int) -> None:
    """Play on until so many cards lie on the table."""
    while mover(people).page.locator(".trick .card").count() != cards:
        one = mover(people)
        one.press(one.legal_cards.first)


def lies_in_its_place(one: Person) -> bool:
    """Whether the pressed card lies where it belongs in the trick, and covers nothing else."""
    held: bool = one.page.evaluate("""() => {
        const box = one => Object.values(one.getBoundingClientRect().toJSON()).map(Math.round);
        const laid = document.querySelector('.trick [data-at="south"] > .laid');
        return box(laid).join() === box(laid.parentElement).join();
    }""")
    return held and crowded(one.page) == []


def killed_in_mid_trick(four: list[Person], own_server: Server) -> None:
    """A card pressed while nobody answers waits in its place, goes back, and is played once."""
    one = mover(four)
    before = actions(own_server, one.table_id)
    own_server.kill()
    for each in four:
        each.until(LOST)
        assert each.cards.first.is_visible(), "the cards stay in sight"
    held, stamp = one.legal_cards.count(), one.stamp
    one.legal_cards.first.click(force=True)
    take_back = one.page.get_by_role("button", name="Take it back")
    for width, height in ((1280, 800), (1024, 768), (390, 844), (360, 640), (740, 360)):
        one.page.set_viewport_size({"width": width, "height": height})
        assert lies_in_its_place(one), (width, height)
        assert one.page.locator("#link .word").is_visible()
    take_back.click()
    take_back.wait_for(state="hidden")
    assert one.legal_cards.count() == held
    card = one.legal_cards.last
    value = card.get_attribute("value")
    card.click(force=True)
    take_back.wait_for()
    come_back(four, own_server)
    one.wait_past(stamp)
    all_show(four)
    after = actions(own_server, one.table_id)
    assert [action for _, action in after[len(before) :]] == [value]
    assert not one.page.locator("#lost, .laid, #why").filter(visible=True).count()


def killed_with_a_card_on_its_way(four: list[Person], own_server: Server) -> None:
    """A card sent to a server that never answered is sent again, and played once."""
    one = mover(four)
    before = actions(own_server, one.table_id)
    assert own_server.process is not None
    os.kill(own_server.process.pid, signal.SIGSTOP)
    stamp = one.stamp
    card = one.legal_cards.first
    value = card.get_attribute("value")
    card.click()
    assert one.stamp == stamp
    own_server.kill()
    come_back(four, own_server)
    one.wait_past(stamp)
    all_show(four)
    after = actions(own_server, one.table_id)
    assert [action for _, action in after[len(before) :]] == [value]


def killed_right_after_a_card(four: list[Person], own_server: Server) -> None:
    """Whether or not it was stored, after the restart it has been played exactly once."""
    one = mover(four)
    before = actions(own_server, one.table_id)
    stamp, value = one.stamp, one.legal_cards.first.get_attribute("value")
    one.page.evaluate("""() => {
        document.querySelector('#hand button:not([aria-disabled="true"])').click();
    }""")
    own_server.kill()
    come_back(four, own_server)
    one.wait_past(stamp)
    all_show(four)
    after = actions(own_server, one.table_id)
    assert [action for _, action in after[len(before) :]] == [value]


def dead_connection(four: list[Person], own_server: Server) -> None:
    """It is reported, and the card is sent: the server stands still, and nothing answers."""
    one = mover(four)
    before = actions(own_server, one.table_id)
    stamp, card = one.stamp, one.legal_cards.first
    value, name = card.get_attribute("value"), card.get_attribute("aria-label")
    assert own_server.process is not None
    os.kill(own_server.process.pid, signal.SIGSTOP)
    since = time.monotonic()
    card.click()
    lost = one.page.locator("#lost")
    lost.get_by_text("Connection lost").wait_for()
    print(f"said after {time.monotonic() - since:.2f} s")
    assert name is not None
    rank = name.split(",")[0].split(" of ")[0].lower()
    lost.get_by_text(f"Your {rank} is played once you are back.").wait_for()
    others = [each for each in four if each is not one]
    for each in others:
        each.page.locator("#lost").get_by_text("Nothing you did is lost.").wait_for()
        each.until(LOST)
    os.kill(own_server.process.pid, signal.SIGCONT)
    one.wait_past(stamp)
    all_show(four)
    for each in four:
        each.wait_until_live()
        assert each.page.locator("#lost").is_hidden()
    after = actions(own_server, one.table_id)
    assert [action for _, action in after[len(before) :]] == [value]


def closed_laptop(four: list[Person], own_server: Server) -> None:
    """Whoever was away sees the present, and how much they have missed."""
    away = next(one for one in four if not one.now()["asked"])
    others = [one for one in four if one is not away]
    away.context.set_offline(offline=True)
    away.page.evaluate("""() => {
        const path = document.getElementById("room").getAttribute("hx-ws:connect");
        htmx.ext.ws.getRegistry().get(path).socket.close();
    }""")
    away.until(LOST)
    assert away.page.locator("#room").get_attribute("data-lost") is not None
    asked = mover(others)
    asked.play_a_card()
    away.context.set_offline(offline=False)
    away.wait_until_live()
    away.wait_for_stamp(asked.stamp)
    assert "You missed 1 event" in away.page.locator("#notices").inner_text()


#: The socket is closed as a server does that is replaced; what the page then shows is noted.
REPLACED = """() => {
  window.shown = [];
  const lost = document.getElementById("lost");
  new MutationObserver(() => window.shown.push(lost.hidden ? "" : lost.innerText)).observe(
    lost, { attributes: true });
  const path = document.getElementById("room").getAttribute("hx-ws:connect");
  const connection = htmx.ext.ws.getRegistry().get(path);
  const { socket } = connection;
  socket.addEventListener("close", (event) => {
    if (event.isTrusted) event.stopImmediatePropagation();
  }, true);
  socket.close();
  socket.dispatchEvent(new CloseEvent("close", { code: 1012 }));
  return connection.config.reconnectDelay;
}"""
CLICK = "() => document.querySelector('#hand button:not([aria-disabled=\"true\"])').click()"


def server_replaced(four: list[Person], own_server: Server) -> None:
    """It is not reported, and a press is sent: each comes back at a moment of its own."""
    one = mover(four)
    before = actions(own_server, one.table_id)
    stamp, value = one.stamp, one.legal_cards.first.get_attribute("value")
    delays = [each.page.evaluate(REPLACED) for each in four]
    assert all(0 < delay < 1600 for delay in delays)
    assert len(set(delays)) == len(delays)
    one.page.evaluate(CLICK)
    one.wait_past(stamp)
    all_show(four)
    for each in four:
        each.wait_until_live()
        assert [told for told in each.page.evaluate("window.shown") if "lost" in told] == []
    after = actions(own_server, one.table_id)
    assert [action for _, action in after[len(before) :]] == [value]


def test_a_server_dies_in_mid_trick(four: list[Person], own_server: Server) -> None:
    for dies in (killed_in_mid_trick, killed_with_a_card_on_its_way, killed_right_after_a_card):
        all_of_trick(four, 2)
        dies(four, own_server)


def test_networks_fail_in_mid_trick(four: list[Person], own_server: Server) -> None:
    for fails in (dead_connection, closed_laptop, server_replaced):
        all_of_trick(four, 2)
        fails(four, own_server)
    four[0].page.evaluate("() => dispatchEvent(new Event('offline'))")
    four[0].until(LOST)
    four[0].wait_until_live()


def test_page_over_the_address_limit_connects_later(
    person: MakePerson, start_server: Callable[..., Server]
) -> None:
    """As in a hall, while one of two servers is replaced and the other is asked by everybody."""
    server = start_server(SOCKETS_PER_ADDRESS="1")
    one, other = (person(name, server=server, account=False) for name in ("Theo", "Zoe"))
    one.play_now()
    one.wait_until_live()
    other.page.clock.install()
    other.expected = OUTAGE
    other.go(f"/tables/{one.table_id}/")
    other.page.locator("#notices").get_by_text("Too many pages").wait_for()
    one.page.goto("about:blank")  # every page of the site has a socket while their game runs
    other.page.clock.fast_forward(2000)
    assert "Too many pages" in other.page.locator("#notices").inner_text()
    for _second in range(22):
        other.page.clock.fast_forward(1000)
    other.page.locator("#notices").get_by_text("Too many pages").wait_for(state="detached")
    other.wait_until_live()
