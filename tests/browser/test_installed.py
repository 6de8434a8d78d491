"""The site as an app in a real browser: without a connection, upgraded, and called by push.

A headless browser has no push service: the page gets a subscription whose service is on this
machine, and the browser gives what that receives to the worker. Chromium then shows a notification;
its headless shell cannot.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urljoin

import pytest
from django.db import connection
from playwright.sync_api import Browser as Chromium
from playwright.sync_api import BrowserContext, Page, Worker, expect
from pytest_django.live_server_helper import LiveServer

from games.engine.rules import JOKER_33, RULE_SETS
from games.models import Player, PushDevice
from games.notifying import choices
from games.notifying.kinds import TURN, Way
from tests.factories import logged_in, member
from tests.push_service import LOCAL, Browser
from tests.receiver import Receiver, receiving
from tests.volume import volume
from tournaments.outbox.pushes import send_due

pytestmark = pytest.mark.django_db(transaction=True)

PAGES = """
async () => {
  const urls = [];
  for (const name of await caches.keys()) {
    urls.push(...(await (await caches.open(name)).keys()).map((one) => one.url));
  }
  return urls;
}
"""
#: Prepares the worker: no script opens a window but after a real click, so addresses are kept; and
#: so is what should be shown, in Chromium's headless shell, which has no notifications or badges.
PREPARE = """
() => {
  self.opened = [];
  self.clients.openWindow = async (url) => { self.opened.push(url); };
  if (Notification.permission === "granted") return;
  let shown = [];
  const close = (one) => { shown = shown.filter((other) => other !== one); };
  self.registration.showNotification = async (title, options) => {
    shown.push({ title, ...options, close() { close(this); } });
  };
  self.registration.getNotifications = async () => shown;
  self.navigator.setAppBadge = self.navigator.clearAppBadge = async () => {};
}
"""
SHOWN = """
() => self.registration.getNotifications()
  .then((shown) => shown.map(({ title, body, data }) => [title, body, data.path]))
"""
CLICK = """
async () => {
  const [notification] = await self.registration.getNotifications();
  const event = new Event("notificationclick");
  const waited = [];
  Object.assign(event, { notification, waitUntil: (one) => waited.push(one) });
  self.dispatchEvent(event);
  await Promise.all(waited);
  return self.opened;
}
"""
SUBSCRIBE = """
Object.defineProperty(Notification, "permission", { get: () => "granted" });
Notification.requestPermission = async () => "granted";
PushManager.prototype.subscribe = async () => ({
  endpoint: %(endpoint)s, unsubscribe: async () => true,
  getKey: (name) => Uint8Array.from(atob(%(keys)s[name]), (one) => one.charCodeAt(0)).buffer,
});
"""


@pytest.fixture(name="context")
def browser_context(browser: Chromium) -> Iterator[BrowserContext]:
    context = browser.new_context(reduced_motion="reduce", permissions=["notifications"])
    yield context
    context.close()


def open_site(context: BrowserContext, site: LiveServer, path: str = "/") -> Page:
    """Open a page, and wait until the worker has kept what it keeps."""
    page = context.new_page()
    page.goto(f"{site.url}{path}")
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    page.wait_for_function("navigator.serviceWorker.controller !== null")
    return page


def until(page: Page | Worker, test: str, value: Any = None) -> None:
    """Wait until a function that returns a promise says so; `wait_for_function` awaits none."""
    again = "await new Promise((done) => setTimeout(done, 20))"
    page.evaluate(f"async (value) => {{ while (!(await ({test})(value))) {again}; }}", value)


def log_in(context: BrowserContext, site: LiveServer, who: Player) -> None:
    cookie = logged_in(who).cookies["bower_session"].value
    context.add_cookies([{"name": "bower_session", "value": cookie, "url": site.url}])


def kept(page: Page) -> list[str]:
    """The paths of everything that is kept."""
    urls: list[str] = page.evaluate(PAGES)
    return sorted(url.partition("//")[2].partition("/")[2] for url in urls)


def test_without_a_connection_the_rules_are_there_though_never_opened(
    context: BrowserContext, live_server: LiveServer
) -> None:
    page = open_site(context, live_server)
    context.set_offline(True)
    assert {f"rules/{key}/" for key in RULE_SETS} <= {*kept(page)}
    for rules in volume((JOKER_33,), (JOKER_33,), RULE_SETS.values()):
        page.goto(f"{live_server.url}/rules/{rules.key}/")
        expect(page.get_by_role("heading", level=1)).to_contain_text(rules.name)


def test_without_a_connection_it_says_so_and_shows_lessons_once_opened(
    context: BrowserContext, live_server: LiveServer
) -> None:
    page = open_site(context, live_server)
    page.goto(f"{live_server.url}/learn/")
    first = page.locator('main a[href^="/learn/"]').first.get_attribute("href")
    step = "path => caches.match(`${path}1/`).then((one) => Boolean(one))"
    until(page, step, first)
    context.set_offline(True)
    page.goto(f"{live_server.url}/events/")
    expect(page.get_by_role("heading", level=1)).to_have_text("No connection")
    page.get_by_role("link", name="Lessons").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Learn")
    page.locator('main a[href^="/learn/"]').first.click()
    expect(page.locator("#stage")).to_be_visible()
    context.set_offline(False)
    page.goto(f"{live_server.url}/events/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Events")


def test_a_new_version_replaces_what_the_old_one_kept(
    context: BrowserContext, live_server: LiveServer, settings: Any
) -> None:
    page = open_site(context, live_server)
    for name in ("app of before", "score of another worker"):
        page.evaluate("name => caches.open(name).then(() => true)", name)
    before = page.evaluate("caches.keys()")
    settings.SITE_NAME = "The new one"
    page.evaluate("navigator.serviceWorker.ready.then((one) => one.update()).then(() => true)")
    until(
        page,
        "before => caches.keys().then((names) =>"
        " names.length === 2 && names.filter((one) => before.includes(one)).length === 1)",
        before,
    )
    assert "score of another worker" in page.evaluate("caches.keys()")
    context.set_offline(True)
    page.goto(f"{live_server.url}/events/")
    expect(page.locator(".brand")).to_have_text("The new one")


def test_nothing_of_whoever_is_logged_in_is_kept(
    context: BrowserContext, live_server: LiveServer
) -> None:
    log_in(context, live_server, member())
    page = open_site(context, live_server, "/you/")
    for path in ("/", "/rules/", "/you/notifications/"):
        page.goto(f"{live_server.url}{path}")
        expect(page.locator(".me .name")).to_have_text("Maeve")
    until(page, "path => caches.match(path).then((one) => Boolean(one))", "/rules/classic-24/")
    texts = page.evaluate(
        "caches.keys().then(async (names) => { const kept = await caches.open(names[0]);"
        " return Promise.all((await kept.matchAll()).map((one) => one.text())); })"
    )
    assert texts
    assert not any("Maeve" in text for text in texts)
    public = ("offline/", "rules/", "learn/", "static/")
    assert all(path.startswith(public) for path in kept(page)), kept(page)


@pytest.fixture(name="service")
def push_service(settings: Any) -> Iterator[Receiver]:
    for name, value in LOCAL.items():
        setattr(settings, name, value)
    with receiving() as service:
        service.status = 201
        yield service


def push_of(page: Page) -> Callable[[dict[str, Any]], object]:
    """Return what gives a decrypted message to the worker, as the browser's push service does."""
    found: list[str] = []
    scope = urljoin(page.url, "/")

    def hear(event: dict[str, Any]) -> None:
        registrations = event["registrations"]
        found.extend(one["registrationId"] for one in registrations if one["scopeURL"] == scope)

    browser = page.context.new_cdp_session(page)
    browser.on("ServiceWorker.workerRegistrationUpdated", hear)
    browser.send("ServiceWorker.enable")
    while not found:
        page.evaluate("1")
    worker = {"origin": scope[:-1], "registrationId": found[0]}
    return lambda message: browser.send(
        "ServiceWorker.deliverPushMessage", {**worker, "data": json.dumps(message)}
    )


def send_all() -> int:
    """Send what is due in a thread, as a worker does."""

    def send() -> int:
        try:
            return send_due()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as threads:
        return threads.submit(send).result()


def test_somebody_turns_push_on_is_called_and_opens_the_page(
    context: BrowserContext, live_server: LiveServer, service: Receiver
) -> None:
    maeve, own = member(), Browser()
    choices.choose(maeve, {(TURN.key, Way.PUSH): False})
    sent = own.subscription(service.url)
    keys = {name: _plain(getattr(sent, name)) for name in ("p256dh", "auth")}
    script = SUBSCRIBE % {"endpoint": json.dumps(sent.endpoint), "keys": json.dumps(keys)}
    context.add_init_script(script)
    log_in(context, live_server, maeve)
    page = open_site(context, live_server, "/you/notifications/")
    assert not PushDevice.objects.exists()  # nobody is asked before they wish
    page.get_by_role("button", name="Turn on").click()
    expect(page.get_by_text("On · this browser")).to_be_visible()
    page.get_by_role("button", name="Test").click()
    expect(page.get_by_text("A test is on its way")).to_be_visible()
    assert send_all() == 1
    (received,) = own.read(service)
    opened = f"{live_server.url}/you/notifications/"
    push = push_of(page)
    (worker,) = context.service_workers
    worker.evaluate(PREPARE)
    push({**received, "title": "It is on the page", "tag": "seen"})
    page.goto(f"{live_server.url}/rules/")  # another page than the one it opens
    push(received)
    until(worker, "() => self.registration.getNotifications().then((shown) => shown.length)")
    text = "Push works on this device."
    assert worker.evaluate(SHOWN) == [["This is a test", text, "/you/notifications/"]]
    assert worker.evaluate(CLICK) == [opened]
    assert worker.evaluate(SHOWN) == []
    page.goto(opened)
    page.get_by_role("button", name="Remove").click()
    expect(page.locator("[data-own]")).to_have_count(0)
    assert not PushDevice.objects.exists()


def test_each_change_is_kept_at_once(context: BrowserContext, live_server: LiveServer) -> None:
    maeve = member()
    log_in(context, live_server, maeve)
    page = open_site(context, live_server, "/you/notifications/")
    page.get_by_label("Results: push").check()
    expect(page.locator("#kept")).to_have_text("Saved")
    with page.expect_response("**/notifications/quiet/"):
        page.get_by_label("Quiet hours on").check()
    expect(page.get_by_label("In the time zone of")).not_to_have_value("")
    page.reload()
    expect(page.get_by_label("Results: push")).to_be_checked()
    expect(page.get_by_label("Quiet hours on")).to_be_checked()


def test_a_change_that_fails_is_turned_back(
    context: BrowserContext, live_server: LiveServer
) -> None:
    maeve = member()
    log_in(context, live_server, maeve)
    page = open_site(context, live_server, "/you/notifications/")
    context.set_offline(True)
    page.get_by_label("Results: push").click()
    expect(page.locator("#kept")).to_have_text("Not saved. Try again")
    expect(page.get_by_label("Results: push")).not_to_be_checked()
    context.set_offline(False)
    page.get_by_label("From", exact=True).fill("07:30")
    expect(page.locator("#kept")).to_contain_text("another time")


def _plain(text: str) -> str:
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    return base64.b64encode(data).decode()
