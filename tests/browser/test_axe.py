"""What axe-core finds wrong with a table: nothing, in any of its states, in any light.

axe-core (MPL 2.0) is Deque's; it is fetched for the tests and no part of this program.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Final, Literal

import pytest

from tests.browser.conftest import MakePerson
from tests.browser.person import Person
from tests.browser.states import STATES, states
from tests.served import Server
from tests.volume import volume

WINDOWS = ((1280, 800), (390, 844))
LIGHTS: Final[tuple[Literal["light", "dark"], ...]] = ("light", "dark")
#: Each light in one of the sizes, or thoroughly both in both.
EACH = tuple(zip(WINDOWS, LIGHTS, strict=True))
SIGHTS = volume(EACH, EACH, tuple(product(WINDOWS, LIGHTS)))

# Colours that change with the light are looked at once they have changed. A rule that is off unless
# asked for: what is written on something to be pressed belongs to its name.
_RUN = """async () => {
  const drawn = () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
  await drawn(); // only then has the change of a colour begun
  await Promise.allSettled(document.getAnimations().map(one => one.finished));
  const rules = {"label-content-name-mismatch": {enabled: true}};
  const {violations} = await axe.run(document, {rules});
  return violations.flatMap(({id, nodes}) => nodes.map(({target, failureSummary}) =>
    `${id} at ${target.join(" ")}: ${failureSummary.replace(/\\s+/g, " ")}`));
}"""


class Axe:
    """Runs axe-core in somebody's page, and keeps what it finds.

    Args:
        script: axe-core itself.
    """

    def __init__(self, script: str) -> None:
        self.script = script
        self.found: dict[str, list[str]] = {}

    def __call__(self, moment: str, one: Person) -> None:
        if one.page.evaluate("() => typeof axe === 'undefined'"):
            one.page.evaluate(self.script)
        for (width, height), light in SIGHTS:
            one.page.set_viewport_size({"width": width, "height": height})
            one.page.emulate_media(color_scheme=light)
            if found := one.page.evaluate(_RUN):
                self.found[f"{moment}, {width}x{height}, {light}"] = found
        one.page.emulate_media(color_scheme="light")


@pytest.fixture
def axe(axe_path: str) -> Axe:
    """axe-core, read once."""
    return Axe(Path(axe_path).read_text())


def told(axe: Axe) -> str:
    """What was found, moment by moment."""
    return "\n".join(f"{moment}: {found}" for moment, found in axe.found.items())


def test_axe_finds_nothing_in_any_state(person: MakePerson, server: Server, axe: Axe) -> None:
    maeve, seen = person("Maeve"), set()
    for state in states(maeve, server):
        axe(state, maeve)
        seen.add(state)
    assert seen == set(STATES)
    assert not axe.found, told(axe)


def test_axe_finds_nothing_for_a_spectator(person: MakePerson, axe: Axe) -> None:
    maeve, otto = person("Maeve"), person("Otto")
    maeve.play_now()
    otto.go(maeve.path)
    otto.wait_until_live()
    axe("watching", otto)
    while maeve.wait_for_turn() != "next":
        maeve.press(maeve.choices.first)
    otto.wait_for_stamp(maeve.stamp)
    axe("watching, hand over", otto)
    assert not axe.found, told(axe)


def test_axe_finds_nothing_in_lessons(person: MakePerson, axe: Axe) -> None:
    maeve = person("Maeve", account=False)
    for path in ("/learn/", "/learn/bowers/1/", "/learn/bowers/1/?said=play+JD"):
        maeve.go(path)
        axe(path, maeve)
    assert not axe.found, told(axe)
