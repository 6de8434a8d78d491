"""Presses that were meant for the question before do nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.browser.conftest import MakePerson
from tests.browser.person import CHOICES, OVER, Person
from tests.browser.tables import mover, sit_together
from tests.served import Server

#: Counts the decisions that a page sends, and names what can be chosen first.
COUNT = """() => {
  window.sent = 0;
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (text) {
    if (JSON.parse(text).action) window.sent += 1;
    return send.call(this, text);
  };
  window.stamp = () => document.getElementById("stamp").value;
  window.first = () => document.querySelector(
    '#hand button:not([aria-disabled="true"]), #prompt button[name="action"]');
}"""
#: Presses as hastily as can be, until the press is taken.
PRESS_ON = """() => new Promise((done) => {
  const before = stamp();
  const timer = setInterval(() => {
    if (stamp() === before) return first()?.click();
    clearInterval(timer);
    done();
  }, 10);
})"""
#: Presses once more at the very moment the next question is shown; what was sent before and after.
PRESS_AGAIN = """() => new Promise((done) => {
  const before = stamp();
  const over = new AbortController();
  const timer = setInterval(() => stamp() === before && first()?.click(), 10);
  document.getElementById("room").addEventListener("shown", () => {
    if (stamp() === before) return;
    clearInterval(timer);
    if (!document.getElementById("question").dataset.waitsFor) return;
    over.abort();
    const sent = window.sent;
    first().click();
    done([sent, window.sent]);
  }, { signal: over.signal });
})"""


def with_house_players(person: MakePerson, server: Server) -> Person:
    """Somebody who plays with house players, and is asked for a card."""
    maeve = person("Maeve", server=server)
    maeve.page.add_init_script(f"({COUNT})()")
    maeve.play_now("stick-the-dealer")
    maeve.wait_until_live()
    while maeve.wait_for_turn() != "card":
        maeve.page.evaluate(PRESS_ON)
    return maeve


@pytest.fixture(scope="module")
def guarded(start_server: Callable[..., Server]) -> Server:
    """A server at which a question that has just come takes no press, as at every real one."""
    return start_server(PRESS_GUARD="0.3")


def test_second_press_of_a_double_press_does_nothing(person: MakePerson, guarded: Server) -> None:
    maeve = with_house_players(person, guarded)
    for _ in range(3):
        before, after = maeve.page.evaluate(PRESS_AGAIN)
        assert before == after
        maeve.page.evaluate(PRESS_ON)  # a moment later it does
        maeve.wait_for_turn()


def test_a_key_held_down_plays_one_card(person: MakePerson, server: Server) -> None:
    maeve = with_house_players(person, server)
    stamp, sent = maeve.stamp, maeve.page.evaluate("window.sent")
    maeve.legal_cards.first.focus()
    maeve.page.keyboard.down("Enter")
    maeve.wait_past(stamp)
    maeve.wait_for_turn()
    maeve.page.evaluate("first().focus()")
    for _ in range(5):
        maeve.page.keyboard.down("Enter")
    assert maeve.page.evaluate("window.sent") == sent + 1
    maeve.page.keyboard.up("Enter")
    maeve.page.keyboard.press("Enter")
    assert maeve.page.evaluate("window.sent") == sent + 2


#: Taps a card, and again whenever the table shows anything new until another question is there.
TAP_ON = """() => new Promise((done) => {
  const over = new AbortController();
  const before = stamp();
  const sent = window.sent;
  const tapOnce = () => document.querySelector('#hand button:not([aria-disabled="true"])').click();
  const tap = () => {
    const card = document.querySelector('#hand button:not([aria-disabled="true"])');
    for (const kind of ["pointerdown", "pointerup"])
      card?.dispatchEvent(new PointerEvent(kind, { bubbles: true }));
    card?.click();
  };
  document.getElementById("room").addEventListener("shown", () => {
    tap();
    if (stamp() === before || !document.getElementById("question").dataset.waitsFor) return;
    over.abort();
    clearInterval(first);
    done();
  }, { signal: over.signal });
  // The first counts once the question is old enough; the others follow what it brings.
  const first = setInterval(() => window.sent > sent ? clearInterval(first) : tapOnce(), 10);
})"""


def test_quick_taps_play_one_card(person: MakePerson, start_server: Callable[..., Server]) -> None:
    maeve = with_house_players(person, start_server(PRESS_GUARD="2"))
    sent = maeve.page.evaluate("window.sent")
    maeve.page.evaluate(TAP_ON)
    assert maeve.page.evaluate("window.sent") == sent + 1


def test_press_begun_before_the_question_does_nothing(person: MakePerson, server: Server) -> None:
    people = [person(name, server=server) for name in ("Maeve", "Ben")]
    for one in people:
        one.page.add_init_script(f"({COUNT})()")
    sit_together(people, "heads-up")
    while (one := mover(people)).now()["asked"] != "card" or one.cards.count() != 5:
        one.press(one.choices.first)
    other = next(each for each in people if each is not one)
    waiting = other.cards.first
    waiting.hover()
    other.page.mouse.down()
    one.play_a_card()
    other.wait_for_turn("card")
    sent = other.page.evaluate("window.sent")
    other.page.mouse.up()
    other.page.keyboard.press("s")  # what has been pressed before has been dealt with
    assert other.page.evaluate("window.sent") == sent
    other.play_a_card()
    assert other.page.evaluate("window.sent") == sent + 1


#: Presses something 1,000 times, hastily: once, twice, two things, or with a key held down. What
#: was sent, by the version it was decided on; and how much was sent while a key was held down.
PRESS_A_LOT = """([choices, over]) => new Promise((done) => {
  const decided = new Map();
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (text) {
    const { action, version, key } = JSON.parse(text);
    if (action) decided.set(version, (decided.get(version) ?? new Set()).add(key));
    return send.call(this, text);
  };
  const key = (kind, repeat) => document.body.dispatchEvent(
    new KeyboardEvent(kind, { key: "Enter", repeat, bubbles: true }));
  let left = 1000;
  let held = 0;
  const press = () => {
    if (!left || document.querySelector(over)) {
      done([1000 - left, [...decided.values()].map((keys) => keys.size), held]);
      return;
    }
    const shown = [...document.querySelectorAll(choices)];
    const [one, other] = [shown[left % shown.length], shown[(left + 1) % shown.length]];
    if (one && left % 4 === 3) {
      const before = window.sent;
      key("keydown", true);
      one.click();
      key("keyup", false);
      held += window.sent - before;
    } else if (one) {
      one.click();
      if (left % 4 === 1) one.click();
      if (left % 4 === 2) other.click();
    }
    left -= 1;
    setTimeout(press, 15);
  };
  press();
})"""


@pytest.mark.thorough
def test_a_thousand_hasty_presses_are_one_decision_each_at_most(
    person: MakePerson, guarded: Server
) -> None:
    maeve, pressed, decided = with_house_players(person, guarded), 0, 0
    while pressed < 1000:
        presses, decisions, held = maeve.page.evaluate(PRESS_A_LOT, [CHOICES, OVER])
        pressed, decided = pressed + presses, decided + len(decisions)
        assert set(decisions) == {1}
        assert held == 0
        if maeve.now()["over"]:
            maeve.play_now("stick-the-dealer")
            maeve.wait_until_live()
    assert decided > 20
