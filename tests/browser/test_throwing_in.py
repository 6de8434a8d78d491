"""Browsers throw numbers into the shuffle, and the game begins with all of them mixed in."""

from __future__ import annotations

import time
from typing import Any

from games.engine import shuffle as euf1
from tests.browser.conftest import MakePerson
from tests.browser.person import PATIENCE, Person
from tests.browser.store import rows
from tests.browser.tables import sit_together
from tests.served import Server

KEPT = """() => Object.fromEntries(
  Object.entries(localStorage).filter(([name]) => name.startsWith("bower.thrown."))
    .map(([name, value]) => [name, JSON.parse(value)]))"""
DRAWN_ELSEWHERE = """name => localStorage.setItem(name,
  JSON.stringify({ at: 1, number: "ab".repeat(32), frozen: null }))"""
#: A socket by which nothing of a shuffle is sent.
NEVER_ANSWERS = """const { send } = WebSocket.prototype;
  WebSocket.prototype.send = function (text) {
    if (!("shuffle" in JSON.parse(text))) send.call(this, text);
  };"""
#: Numbers of sixty earlier matches, the later ones first in the order of their names.
FILL = """() => { for (let at = 1; at <= 60; at += 1)
  localStorage.setItem(`bower.thrown.${99 - at}.0`, JSON.stringify({ at, number: "" })) }"""


def shown(one: Person) -> list[dict[str, Any]]:
    """What a browser keeps of the shuffles it has thrown a number into."""
    return list(one.page.evaluate(KEPT).values())


def kept(one: Person) -> dict[str, str]:
    """The numbers a browser has thrown in, by match and seat."""
    return {name: value["number"] for name, value in one.page.evaluate(KEPT).items()}


def thrown(server: Server, table_id: int) -> tuple[str, list[bytes]]:
    """The id of a table's last game, and what the seats contributedto its shuffle."""
    game, numbers = rows(
        server,
        "SELECT id, contributions FROM games_game WHERE table_id = ? ORDER BY number DESC LIMIT 1",
        table_id,
    )[0]
    assert isinstance(numbers, bytes)
    return str(game), [numbers[at : at + 32] for at in range(0, len(numbers), 32)]


def wait_until_committed(server: Server, table_id: int) -> None:
    """Wait until the one browser at a table has committed itself to a number."""
    deadline = time.monotonic() + PATIENCE
    committed = (
        "SELECT 1 FROM games_contribution c JOIN games_shuffle s ON s.id = c.shuffle_id"
        " WHERE s.table_id = ?"
    )
    while not rows(server, committed, table_id):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_each_of_four_browsers_has_its_own_number_in_the_shuffle(
    cast: list[Person], server: Server
) -> None:
    sit_together(cast, "classic-24")
    game, numbers = thrown(server, cast[0].table_id)
    names = [list(kept(one).items())[-1] for one in cast]
    by_seat = {int(name.rpartition(".")[2]): bytes.fromhex(number) for name, number in names}
    assert [by_seat[seat] for seat in range(4)] == numbers
    assert len(set(numbers)) == 4
    (promised,) = rows(
        server, "SELECT seat_commitments FROM games_game WHERE table_id = ?", cast[0].table_id
    )[0]
    assert isinstance(promised, bytes)
    frozen = [promised[at : at + 32].hex() for at in range(0, len(promised), 32)]
    assert [shown(one)[-1]["frozen"] for one in cast] == [frozen] * 4
    assert {name.split(".")[2].replace("-", "") for name, _ in names} == {game}


def test_single_person_throws_in_a_number_in_every_game(person: MakePerson, server: Server) -> None:
    maeve = person("Maeve", account=False)
    maeve.play_now("heads-up")
    _, numbers = thrown(server, maeve.table_id)
    assert [number == euf1.NOTHING for number in numbers] == [True, False]
    assert numbers[1].hex() in kept(maeve).values()


def test_a_browser_forgets_the_oldest_of_more_than_fifty_numbers(person: MakePerson) -> None:
    maeve = person("Maeve", account=False)
    maeve.go("/rules/")
    maeve.page.evaluate(FILL)
    maeve.play_now("heads-up")
    times = sorted(value["at"] for value in shown(maeve))
    assert (len(times), times[:-1]) == (50, list(range(12, 61)))


def test_reloaded_page_reveals_its_committed_number(person: MakePerson, server: Server) -> None:
    maeve, ben = (person(name, account=False) for name in ("Maeve", "Ben"))
    maeve.make_table("heads-up", seats={"north": "free"})
    wait_until_committed(server, maeve.table_id)
    maeve.page.reload()
    maeve.wait_until_live()
    ben.page.goto(maeve.invitation)
    ben.sit_here("North")
    maeve.wait_for_stamp("1.0")
    _, numbers = thrown(server, maeve.table_id)
    assert numbers[1].hex() in kept(maeve).values()
    assert numbers[0].hex() in kept(ben).values()


def test_number_drawn_by_another_tab_is_ignored(person: MakePerson, server: Server) -> None:
    maeve, ben = (person(name, account=False) for name in ("Maeve", "Ben"))
    maeve.make_table("heads-up", seats={"north": "free"})
    wait_until_committed(server, maeve.table_id)
    ((name, number),) = kept(maeve).items()
    maeve.page.evaluate(DRAWN_ELSEWHERE, name)
    ben.page.goto(maeve.invitation)
    ben.sit_here("North")
    maeve.wait_for_stamp("1.0")
    assert thrown(server, maeve.table_id)[1][1].hex() == number
    assert kept(maeve)[name] == number


def test_silent_browser_delays_the_others_for_seconds_only(
    person: MakePerson, server: Server
) -> None:
    maeve, ben = person("Maeve", account=False), person("Ben", account=False)
    maeve.make_table("heads-up", seats={"north": "free"})
    ben.page.add_init_script(NEVER_ANSWERS)
    ben.page.goto(maeve.invitation)
    ben.sit_here("North")
    maeve.wait_for_stamp("1.0")
    _, numbers = thrown(server, maeve.table_id)
    assert [number == euf1.NOTHING for number in numbers] == [True, False]
