"""A server, a browser, and people with browsers of their own."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from playwright.sync_api import Browser, Page, StorageState, expect, sync_playwright

from tests.browser.person import PATIENCE, Person
from tests.browser.store import usual_looks
from tests.served import HOST, Server
from tests.volume import THOROUGH

#: House players answer at once, and so may people; the next hand is dealt when somebody asks. No
#: page is answered with 503 because the machine is busy.
FAST = {
    "HOUSE_PAUSE": "0,0",
    "TRICK_REST": "0",
    "NEXT_DEAL_PAUSE": "3600",
    "PRESS_GUARD": "0",
    "SOCKET_BURST": "1000",
    "TABLES_IN_TEN_MINUTES": "1000",
    "CLUBS_OWNED": "1000",
    "DB_POOL": "100",
}

#: Who has an account on every server.
CAST = ("Maeve", "Ben", "Iris", "Jonah")

FAILED = pytest.StashKey[bool]()

_names = tempfile.TemporaryDirectory(prefix="bower-test-")
#: The file with the name of the running test, which seeds the servers' random numbers.
TEST = Path(_names.name) / "test"
#: Makes a browser contribute the same number to every shuffle.
SAME_NUMBER = """(name => {
  const { getRandomValues } = Crypto.prototype;
  Crypto.prototype.getRandomValues = function (values) {
    if (values.length !== 32) return getRandomValues.call(this, values);
    values.set(new TextEncoder().encode(name.slice(0, 8)));
    return values;
  };
})"""

#: Makes a person: name, then options of their browser (`server`, `account`, and Playwright's own).
MakePerson = Callable[..., Person]

#: Cookies by name and port, or None for all ports.
Accounts: TypeAlias = dict[tuple[str, int | None], StorageState]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Seed the servers' random numbers with this test's name, before its fixtures run."""
    named = TEST.with_suffix(".next")
    named.write_text(item.nodeid)
    named.replace(TEST)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Let fixtures know whether their test failed."""
    report = yield
    item.stash[FAILED] = item.stash.get(FAILED, False) or report.failed
    return report


@pytest.fixture(scope="session", autouse=True)
def beside_the_browser() -> Iterator[None]:
    """Let the database be asked while the browser's loop runs in the same thread."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        yield


@pytest.fixture(scope="session")
def browser(chromium_path: str) -> Iterator[Browser]:
    """One Chromium for all."""
    expect.set_options(timeout=1000 * PATIENCE)
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
        browser = playwright.chromium.launch(executable_path=chromium_path, args=arguments)
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """An empty page of its own."""
    page = browser.new_page()
    yield page
    page.close()


@pytest.fixture(scope="session")
def new_data(
    tmp_path_factory: pytest.TempPathFactory, browser: Browser, accounts: Accounts
) -> Path:
    """A data folder as a first start leaves it, and the cast's signing up.

    To copy it is quicker than all that.
    """
    server = Server(tmp_path_factory.mktemp("new")).start()
    try:
        for name in CAST:
            context = browser.new_context(service_workers="block")
            one = Person(name, context, f"http://{HOST}:{server.port}")
            one.sign_up()
            accounts[name, None] = context.storage_state()
            context.close()
            assert not one.complaints
    finally:
        server.stop()
    return server.data


@contextmanager
def running(new_data: Path, settings: Mapping[str, str]) -> Iterator[Server]:
    """A server on a copy of a data folder, until the block ends."""
    data = Path(tempfile.mkdtemp(prefix="bower-browser-"))
    shutil.copytree(new_data, data, dirs_exist_ok=True)
    server = Server(data, 0, None, **{**FAST, **settings, "BOWER_CHANCE": str(TEST)})
    if not THOROUGH:
        server.command = [sys.executable, "-m", "tests.same_chance", *server.command[2:]]
    try:
        yield server.start()
    finally:
        server.stop()
        shutil.rmtree(data, ignore_errors=True)


@pytest.fixture(scope="session")
def server(new_data: Path) -> Iterator[Server]:
    """The server that most tests share."""
    with running(new_data, {}) as server:
        yield server


@pytest.fixture(scope="module")
def start_server(new_data: Path) -> Iterator[Callable[..., Server]]:
    """Start a server of one's own for the tests of a module; keyword arguments are settings."""
    with ExitStack() as servers:
        yield lambda **settings: servers.enter_context(running(new_data, settings))


@pytest.fixture(scope="session")
def accounts() -> Accounts:
    """The cookies of people who have signed up already."""
    return {}


@pytest.fixture
def person(
    request: pytest.FixtureRequest,
    browser: Browser,
    accounts: Accounts,
) -> Iterator[MakePerson]:
    """Make people; at the end nobody's browser may have complained.

    After a failure their pages are kept as pictures and HTML in a folder that is printed.
    """
    people: list[Person] = []
    fresh: set[int] = set()

    def make(
        name: str, *, server: Server | None = None, account: bool = True, **options: Any
    ) -> Person:
        server = server or request.getfixturevalue("server")
        if server.port not in fresh:
            usual_looks(server)  # another test's choices go with the account
            fresh.add(server.port)
        port = None if name in CAST else server.port
        known = accounts.get((name, port)) if account else None
        # Pages are asked for by the pages themselves, so that tests can answer in between.
        options = {"reduced_motion": "reduce", "service_workers": "block", **options}
        context = browser.new_context(storage_state=known, **options)
        context.set_default_timeout(1000 * PATIENCE)
        if not THOROUGH:
            context.add_init_script(f"{SAME_NUMBER}({json.dumps(name)})")
        one = Person(name, context, f"http://{HOST}:{server.port}")
        people.append(one)
        one.has_account = known is not None
        if account and known is None:
            one.sign_up()
            accounts[name, port] = context.storage_state()
        return one

    yield make
    if request.node.stash.get(FAILED, False):
        _keep_pictures(people, request.node.name)
    complaints = [complaint for one in people for complaint in one.complaints]
    for one in people:
        one.context.close()
    assert not complaints, complaints


def _keep_pictures(people: list[Person], test: str) -> None:
    folder = Path(tempfile.mkdtemp(prefix="bower-browser-"))
    for one in people:
        for number, page in enumerate(one.context.pages):
            kept = folder / f"{test}-{one.name}-{number}"
            page.screenshot(path=kept.with_suffix(".png"))
            kept.with_suffix(".html").write_text(page.content())
    print(f"What they saw: {folder}")


@pytest.fixture
def cast(person: MakePerson) -> list[Person]:
    """Maeve, Ben, Iris and Jonah, each with an account and a browser."""
    return [person(name) for name in CAST]
