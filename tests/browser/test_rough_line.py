"""A line on which all is late and much is lost: everybody sees the right picture all the same."""

from __future__ import annotations

import random
from contextlib import ExitStack

import pytest

from games.engine.rules import STICK_THE_DEALER
from tests.browser.conftest import MakePerson
from tests.browser.person import Person
from tests.browser.tables import all_show, play_on, sit_together

#: Milliseconds by which everything comes late, either way, and the share of frames that never come.
DELAY = 300
LOST = 0.1
#: What stands between the page and its socket. Chance is by a seed, the same in every run.
ROUGH = """([delay, lost, seed]) => {
  let state = seed;
  const chance = () => (state = (48271 * state) % 2147483647) / 2147483647;
  window.lost = 0;
  const deliver = new WeakSet();
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (text) {
    setTimeout(() => this.readyState === WebSocket.OPEN && send.call(this, text), delay);
  };
  const Plain = window.WebSocket;
  window.WebSocket = class extends Plain {
    constructor(...address) {
      super(...address);
      this.addEventListener("message", (event) => {
        if (deliver.has(event)) return;
        event.stopImmediatePropagation();
        if ("version" in JSON.parse(event.data) && chance() < lost) {
          window.lost += 1;
          return;
        }
        const late = new MessageEvent("message", { data: event.data });
        deliver.add(late);
        setTimeout(() => this.dispatchEvent(late), delay);
      });
    }
  };
}"""
#: What keeps the last frame that a page was sent, and its socket.
KEEP = """() => {
  const Plain = window.WebSocket;
  window.WebSocket = class extends Plain {
    constructor(...address) {
      super(...address);
      this.addEventListener("message", (event) => {
        if (JSON.parse(event.data).from !== undefined) window.last = [this, JSON.parse(event.data)];
      });
    }
  };
}"""
#: The same frame again, with another question; returns what the page then shows.
AGAIN = """() => {
  const [socket, frame] = window.last;
  const lines = document.querySelectorAll("#log-deal > *").length;
  const old = "Nothing of it is new.";
  const own = { question: [{ as: "more", text: "This alone is new." }] };
  const again = { ...frame, set: { line: old }, add: { "log.deal": [{ words: [old] }] }, own };
  socket.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(again) }));
  return document.querySelectorAll("#log-deal > *").length - lines;
}"""
#: The same frame twice again, with a part of the viewer's own; returns whether it stayed in place.
STAYS = """() => {
  const [socket, frame] = window.last;
  const own = { leaving: [{ as: "ask_table", class: "button", text: "Going" }] };
  const data = JSON.stringify({ ...frame, set: {}, add: {}, own });
  const arrives = () => socket.dispatchEvent(new MessageEvent("message", { data }));
  arrives();
  const pressed = document.querySelector("#leaving-ways button");
  arrives();
  return pressed.isConnected;
}"""
#: What a page shows of its table.
SEEN = """() => [...document.querySelectorAll("#stage [id], #log, #question, #hand")]
  .filter(one => !/^(live|link|notices|lift|why)$/.test(one.id) && one.checkVisibility())
  .map(one => `${one.id}: ${one.textContent.replace(/\\s+/g, " ").trim()}`)"""
#: Actions between two looks at whether everybody's page is as one just loaded.
LOOK_EVERY = 15


def roughened(person: MakePerson, name: str, seed: int) -> Person:
    """Somebody whose browser loses some of what it is sent and has everything late."""
    one = person(name)
    one.page.add_init_script(f"({ROUGH})({[DELAY, LOST, seed]})")
    return one


def shows_what_a_new_page_does(one: Person) -> None:
    """Load the table in another tab and compare, once both show the same version."""
    tab = one.context.new_page()
    tab.goto(one.page.url)
    assert tab.locator("#stamp").input_value() == one.stamp
    assert one.page.evaluate(SEEN) == tab.evaluate(SEEN)
    tab.close()


def test_resent_frame_brings_only_new_private_parts(person: MakePerson) -> None:
    maeve = person("Maeve")
    maeve.page.add_init_script(f"({KEEP})()")
    maeve.play_now()
    maeve.wait_until_live()
    maeve.wait_for_turn()
    maeve.press(maeve.choices.first)
    maeve.until("() => window.last")
    maeve.wait_for_turn()
    assert maeve.page.evaluate(AGAIN) == 0
    assert maeve.page.locator("#question").text_content() == "This alone is new."
    assert "Nothing of it is new." not in maeve.page.locator("#room").inner_text()
    assert maeve.page.evaluate(STAYS)


@pytest.mark.thorough
def test_a_whole_game_on_a_bad_line(person: MakePerson) -> None:
    people = [
        roughened(person, name, seed)
        for seed, name in enumerate(("Maeve", "Ben", "Iris", "Jonah"), start=7)
    ]
    sit_together(people, STICK_THE_DEALER.key)
    chance, acted = random.Random(3), 0
    with ExitStack() as marks:
        for one in people:
            marks.enter_context(one.no_reload())
        while play_on(people, chance):
            acted += 1
            if acted % LOOK_EVERY == 0:
                all_show(people)
                shows_what_a_new_page_does(people[acted % 4])
        for one in people:
            shows_what_a_new_page_does(one)
            assert one.page.evaluate("window.lost") > 5
