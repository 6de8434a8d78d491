"""What happens at a table besides the game: second tabs, hasty clicks, wrong cards, spectators."""

from __future__ import annotations

import random
import re

from tests.browser.conftest import MakePerson
from tests.browser.person import Person
from tests.browser.store import actions
from tests.browser.tables import all_show, mover, sit_together
from tests.served import Server

WATCH_LIVE = """() => {
  const live = document.getElementById("live");
  const watched = window.said;
  window.said = [];
  if (watched) return;
  const note = () => window.said.push(document.getElementById("live").textContent);
  new MutationObserver(note).observe(live, {childList: true, characterData: true, subtree: true});
}"""


def to_the_play(person: Person) -> None:
    """Call and discard anything until a card is to be played."""
    chance = random.Random(6)
    while person.wait_for_turn() != "card" or person.page.locator("#kitty:visible").count():
        person.choose(chance)


def test_a_second_tab_shows_and_plays_the_same_seat(person: MakePerson) -> None:
    maeve = person("Maeve", account=False)
    maeve.play_now()
    maeve.wait_until_live()
    first = maeve.page
    second = maeve.context.new_page()
    second.goto(first.url)
    to_the_play(maeve)
    maeve.page = second
    maeve.wait_until_live()
    to_the_play(maeve)
    cards = second.locator("#hand .card").count()
    maeve.play_a_card()
    stamp = maeve.stamp
    maeve.page = first
    maeve.until("""stamp => {
        const order = text => Number(text.split(".")[1]);
        return order(document.getElementById("stamp").value) >= order(stamp);
    }""", stamp)  # fmt: skip
    assert first.locator("#hand .card").count() <= cards - 1


#: Two clicks of one press, before the page can draw.
TWO_CLICKS = """card => {
  for (const kind of ["pointerdown", "pointerup"])
    card.dispatchEvent(new PointerEvent(kind, { bubbles: true }));
  card.click();
  card.click();
}"""


def test_two_clicks_on_one_card_play_one_card(person: MakePerson, server: Server) -> None:
    people = [person("Maeve"), person("Ben")]
    sit_together(people, "heads-up")
    chance = random.Random(4)
    for clicks in ("double", "rapid"):
        while (one := mover(people)).now()["asked"] != "card" or not trick_begun(one):
            one.choose(chance)
        before = actions(server, one.table_id)
        stamp, card = one.stamp, one.legal_cards.first
        value = card.get_attribute("value")
        if clicks == "double":
            card.dblclick()
        else:
            card.evaluate(TWO_CLICKS)
        one.wait_past(stamp)
        all_show(people)
        after = actions(server, one.table_id)
        assert [action for _, action in after[len(before) :]] == [value]
        assert not one.page.locator("#notices .note").count()


def trick_begun(one: Person) -> bool:
    """Whether the middle of the table shows a trick and the mover is to play a card to it."""
    return bool(one.page.locator('#hand button[value^="play"]').count())


def test_an_unplayable_card_says_why_and_sends_nothing(person: MakePerson, server: Server) -> None:
    maeve = person("Maeve", account=False)
    maeve.play_now()
    maeve.wait_until_live()
    chance = random.Random(9)
    wrong = maeve.page.locator('#hand button[aria-disabled="true"]')
    while maeve.wait_for_turn() != "card" or not wrong.count():
        maeve.choose(chance)
    stored, stamp = actions(server, maeve.table_id), maeve.stamp
    led = re.search(r"follow (\w+)", maeve.question[0])
    assert led, "cards that may not be played: a suit is to be followed"
    wrong.first.click(force=True)  # Playwright takes aria-disabled for disabled
    why = maeve.page.locator("#prompt .why").inner_text()
    assert why.startswith(f"You must follow {led[1]}.")
    assert maeve.page.locator("#live").inner_text() == why
    assert (wrong.first.get_attribute("aria-label") or "").endswith(why)
    maeve.page.reload()
    assert (actions(server, maeve.table_id), maeve.stamp) == (stored, stamp)


def test_all_four_hear_each_event_once_and_see_the_same_log(cast: list[Person]) -> None:
    sit_together(cast, "stick-the-dealer")
    listener = cast[0]
    for name in ("Order it up", None, None, None, None, None):
        one = mover(cast)
        for each in cast:
            each.page.evaluate(WATCH_LIVE)
        if name:
            one.call(name)
        else:
            one.press(one.choices.first)
        shown = all_show(cast)
        for each, now in zip(cast, shown, strict=True):
            said = each.page.evaluate("() => window.said")
            assert len(said) == 1, said
            assert said[0].startswith(f"{one.name} "), said
            asks = bool(re.search(r"(Your turn: [^.]+|Discard one card)\.$", said[0]))
            assert asks == bool(now["asked"]), said
    assert listener.page.locator("#live").get_attribute("role") == "status"
    lines = [one.page.locator("#log li:visible").count() for one in cast]
    assert len(set(lines)) == 1
    assert lines[0] >= 6


def test_a_spectator_sees_the_table_and_no_hand(person: MakePerson) -> None:
    maeve, otto = person("Maeve"), person("Otto", account=False)
    maeve.play_now()
    maeve.wait_until_live()
    to_the_play(maeve)
    otto.go("/play/")
    otto.page.get_by_role("link", name=re.compile(rf"Watch\s+table {maeve.table_id}$")).click()
    otto.page.wait_for_url("**/tables/*/")
    otto.wait_until_live()
    assert otto.page.locator(".seat[data-at=south] .name").inner_text() == "Maeve"
    for _ in range(3):
        to_the_play(maeve)
        held = [card.get_attribute("data-card") for card in maeve.cards.all()]
        otto.wait_for_stamp(maeve.stamp)
        choices = "#hand .card:not(.back), #hand button, #prompt button:visible"
        assert otto.page.locator(choices).count() == 0
        assert otto.page.locator("#hand .card.back").count() == len(held)
        for code in held:
            assert otto.page.locator(f'[data-card="{code}"]').count() == 0
        maeve.play_a_card()
