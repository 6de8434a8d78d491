"""The sum of frames is a fresh page: element by element, as the script puts values in their places.

Pages and frames of random evenings are made without a server and given to a browser: people come
and go, propose and undo, seats change hands, frames get lost or come twice. After each event the
page that got frames is compared with one drawn afresh.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random
from types import SimpleNamespace

import pytest
from django.template.loader import render_to_string
from django.test import RequestFactory
from playwright.sync_api import Browser, Page, Route

from games.engine.rules import RULE_SETS, RuleSet
from games.picture import page as drawing
from games.picture.frames import OwnPicture, TablePicture
from games.picture.scene import View
from games.picture.values import spoken
from games.picture.wording import WORDING, Reader
from tests.games.picture.scenes import evening
from tests.volume import volume

ROOT = Path(__file__).resolve().parents[2]
#: Events of an evening that are followed; thoroughly all.
STEPS = volume(120, 120, 100_000)
ADDRESS = "http://bower.test"
TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}

#: What else the page loads, which changes it while it is compared.
OTHERS = ("/static/bundles/table.js", "/static/js/turn-clock.js")

_TAKE = """async ([frames, fresh]) => {
  const values = await import("/static/js/values.js");
  const { news } = await import("/static/js/wording.js");
  let asks = false;
  const said = [];
  for (const frame of frames) {
    const order = values.orderOf(frame);
    const unseen = values.unseenPart(frame);
    if (order === values.NEXT || (order === values.SEEN && unseen !== frame)) {
      values.apply(unseen);
      said.push(news(unseen.say ?? ""));
    }
    else if (order === values.GAP) asks = true;
  }
  if (fresh === null) return { have: values.have(), asks, said, wrong: [] };
  const wrong = [];
  const compare = (one, other, where) => {
    if (one.nodeType !== other.nodeType) { wrong.push(`${where}: another kind of node`); return; }
    if (one.nodeType === Node.TEXT_NODE) {
      if (one.data !== other.data) wrong.push(`${where}: ${one.data} | ${other.data}`);
      return;
    }
    const pairs = (element) => [...element.attributes].map((one) => `${one.name}=${one.value}`);
    const named = (element) => pairs(element).sort().join(" ");
    if (one.tagName !== other.tagName || named(one) !== named(other)) {
      wrong.push(`${where}: <${one.tagName} ${named(one)}> | <${other.tagName} ${named(other)}>`);
    }
    const [mine, theirs] = [[...one.childNodes], [...other.childNodes]];
    const begins = (element) => element.outerHTML.slice(0, 200);
    if (mine.length !== theirs.length) wrong.push(`${where}: ${begins(one)} | ${begins(other)}`);
    else mine.forEach((node, at) => compare(node, theirs[at], `${where} > ${node.nodeName}`));
  };
  const page = new DOMParser().parseFromString(fresh, "text/html");
  for (const id of ["stage", "side", "last-trick", "leaving", "all-hands"]) {
    compare(document.getElementById(id), page.getElementById(id), id);
  }
  return { have: values.have(), asks, wrong: wrong.slice(0, 5) };
}"""


def html(view: View, picture: OwnPicture) -> str:
    """The table's page as the view renders it."""
    context = {
        "request": RequestFactory().get("/tables/4/"),
        "csrf_token": "t",
        "user": SimpleNamespace(is_authenticated=False),
        "view": view,
        "page": drawing.draw(view, picture.table.values, picture.own),
        "values": {**picture.table.values, **picture.own},
        "have": picture.table.at,
        "wording": WORDING,
        "spoken": spoken(view, picture.own, picture.table.cast),
        "table_id": 4,
        "ws_path": "/ws/tables/4/",
        "can_act": view.viewer.seat is not None,
        "guard": 0,
        "now": 0,
    }
    return render_to_string("games/play/table.html", context)


def shown_at(table: TablePicture, view: View) -> OwnPicture:
    """A view's picture, from a table's picture that is brought up to date."""
    seen = view.observation
    table.show(view.scene, seen.public if seen is not None else None)
    picture = table.of(view.viewer)
    picture.show(view)
    return picture


def answer(route: Route) -> None:
    """Serve static files from the tree, the page itself from the test, and no socket."""
    path = route.request.url.removeprefix(ADDRESS)
    if path in OTHERS:
        route.fulfill(body="", content_type="text/javascript")
    elif path.startswith("/static/") and (ROOT / path[1:]).is_file():
        file = ROOT / path[1:]
        route.fulfill(body=file.read_bytes(), content_type=TYPES.get(file.suffix, "text/plain"))
    else:
        route.fulfill(status=404, body="")


@pytest.fixture
def tab(browser: Browser) -> Iterator[Page]:
    """A page of a browser that sees only what the test gives it."""
    context = browser.new_context()
    page = context.new_page()
    page.route("**/*", answer)
    yield page
    context.close()


def load(page: Page, text: str) -> None:
    """Show a page."""
    page.unroute("**/tables/4/")
    page.route("**/tables/4/", lambda route: route.fulfill(body=text, content_type="text/html"))
    page.goto(f"{ADDRESS}/tables/4/")


@pytest.mark.parametrize(
    "rules",
    [
        pytest.param(rules, marks=() if key in ("joker-33", "heads-up") else pytest.mark.thorough)
        for key, rules in RULE_SETS.items()
    ],
    ids=RULE_SETS,
)
def test_page_built_from_frames_equals_a_fresh_page(tab: Page, rules: RuleSet) -> None:
    rng, table = Random(f"values {rules.key}"), TablePicture()
    viewers = (*range(rules.players), None)
    at, own, lost, checked, heard = 0, {}, 0, 0, 0
    who = rng.randrange(len(viewers))
    for step, shown in enumerate(islice(evening(rules, seed=31, games=1), STEPS)):
        if step % 50 == 0:  # another looks on
            who = rng.randrange(len(viewers))
            picture = shown_at(table, shown[who])
            load(tab, html(shown[who], picture))
            at, own = table.number, picture.own
        picture = shown_at(table, shown[who])
        texts = picture.frames(at, own)
        frames = [json.loads(text) for text in texts]
        at, own = table.number, picture.own
        if rng.random() < 0.1:
            lost += len(frames)
            continue
        frames += frames[-1:] if rng.random() < 0.1 else []  # one comes twice
        found = tab.evaluate(_TAKE, [frames, None])
        if len(frames) == len(found["said"]) == 1:
            assert found["said"] == [Reader(table.values).news(frames[0].get("say", ""))]
            heard += found["said"] != [""]
        if found["asks"] or found["have"] != table.at:  # as its heartbeat finds
            had = int(found["have"].partition(".")[2])
            again = [json.loads(text) for text in picture.frames(had, {})]
            found = tab.evaluate(_TAKE, [again, None])
        fresh = TablePicture()
        fresh.name = table.name
        found = tab.evaluate(_TAKE, [[], html(shown[who], shown_at(fresh, shown[who]))])
        assert found["wrong"] == [], f"step {step}: " + "\n".join(found["wrong"])
        checked += 1
    assert min(checked, heard) > 30
    assert lost
