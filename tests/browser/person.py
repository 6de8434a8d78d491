"""People with browsers of their own: what they open, choose and press."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from playwright.sync_api import (
    APIResponse,
    BrowserContext,
    ConsoleMessage,
    Locator,
    Page,
    Request,
    Response,
)

#: Everything a viewer may choose now; cards that cannot be played are not among it.
CHOICES = '#hand[data-choose] button:not([aria-disabled="true"]), #prompt button[name="action"]'
#: What a viewer is offered once the game is over.
OVER = '#prompt a[href^="/games/"], #prompt .calls a:not(.plain)'
NOW = f"""() => ({{
  stamp: document.getElementById("stamp").value,
  asked: document.getElementById("question").dataset.waitsFor ?? "",
  over: Boolean(document.querySelector('{OVER}')),
}})"""
#: Seconds to wait for what must come; a machine with much else to do is slow, and that is no fault.
PATIENCE = 60
#: Milliseconds between two looks; at every frame, each page that waits would draw all the time.
POLLING = 25
#: What the browser says when the network is gone, as it must be in some tests.
OUTAGE = ("WebSocket connection", "net::ERR_", "Failed to fetch", "htmx:ws:error")
#: What it says of a page that is left while it opens its socket for calls or a director's news.
LEFT = re.compile(
    r"(/ws/calls/\S*|\?news)' failed: WebSocket is closed before the connection is established"
)
#: The cookie with the secret that a form repeats.
CSRF_COOKIE = "bower_csrf"
#: What it says where tests do without service workers.
NO_WORKER = "Service Worker registration blocked by Playwright"


#: Ends once the service worker has the page and keeps a copy; the site's CSP forbids to evaluate.
KEPT = """async () => {
  while (!navigator.serviceWorker.controller || !(await caches.match(location.pathname))) {
    await new Promise(done => setTimeout(done, 20));
  }
}"""


def wait_until_kept(page: Page) -> None:
    """Wait until a score card opens without a connection."""
    page.evaluate(KEPT)


def named(words: str) -> re.Pattern[str]:
    """The name of a call's button: its words, and what stands under them."""
    return re.compile(rf"{re.escape(words)}(?!,|\w)")


def _note(button: Locator) -> str:
    note = button.locator("small[data-each]:visible")
    return note.inner_text() if note.count() else ""


class Person:
    """One person with a browser of their own (its cookies are nobody else's).

    Args:
        name: what they are called.
        context: their browser.
        address: the server's address, without a slash at the end.
    """

    def __init__(self, name: str, context: BrowserContext, address: str) -> None:
        self.name = name
        self.has_account = False
        self.context = context
        self.address = address
        self.complaints: list[str] = []
        self.expected: tuple[str, ...] = ()
        context.on("page", self._listen)
        self.page = context.new_page()
        # Whoever reads how a game ended is kept from the next only until they have read it.
        begun = self.page.get_by_role("button", name="To the new game")
        self.page.add_locator_handler(begun, lambda button: button.click())

    def _listen(self, page: Page) -> None:
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self._complain(f"page error: {error}"))
        page.on("response", self._answered)

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self._complain(f"console: {message.text}")

    def _answered(self, response: Response) -> None:
        if response.status >= 500:
            self._complain(f"{response.status} from {response.url}")

    def _complain(self, text: str) -> None:
        if not LEFT.search(text) and not any(part in text for part in (*self.expected, NO_WORKER)):
            self.complaints.append(f"{self.name}: {text}")

    def count(self) -> Counter[str]:
        """Return a count of the "pages" they load and the "presses" of links and buttons."""
        counted = Counter[str]()

        def asked(request: Request) -> None:
            counted["pages"] += request.is_navigation_request() and not request.frame.parent_frame

        self.page.on("request", asked)
        self.context.expose_function("pressed", lambda: counted.update(["presses"]))
        told = "(press) => { if (press.isTrusted) window.pressed(); }"
        self.context.add_init_script(f"addEventListener('click', {told}, true);")
        return counted

    # Going places ---------------------------------------------------------------------------

    def go(self, path: str) -> None:
        """Load a page of the site."""
        self.page.goto(f"{self.address}{path}")

    @property
    def path(self) -> str:
        """Where they are."""
        return self.page.url.removeprefix(self.address)

    def sign_up(self) -> None:
        """Make an account under their name."""
        self.go("/accounts/signup/")
        self.page.get_by_label("Name at the table").fill(self.name)
        self.page.get_by_label("E-mail address").fill(f"{self.name.lower()}@example.com")
        self.page.get_by_label("Password").fill("a quiet bower")
        self.page.get_by_role("button", name="Sign up").click()
        self.page.wait_for_url(f"{self.address}/")
        self.has_account = True

    def send(self, path: str, **fields: str) -> APIResponse:
        """Send a form of the site without opening its page, nor the one that follows.

        They have an account, and so the cookie that a form needs.
        """
        (token,) = (one for one in self.context.cookies(self.address) if one["name"] == CSRF_COOKIE)
        return self.context.request.post(
            f"{self.address}{path}",
            form={"csrfmiddlewaretoken": token["value"], **fields},
            max_redirects=0,
        )

    def post(self, path: str, **fields: str) -> str:
        """Send a form as `send` does; return where the answer leads."""
        answer = self.send(path, **fields)
        assert answer.status == 303, answer.text()
        return answer.headers["location"]

    def play_now(self, rules: str = "classic-24") -> None:
        """Press "Play now" on the home page, and wait until the cards are dealt."""
        self.go("/")
        choice = self.page.locator(f'[type="radio"][name="rules"][value="{rules}"]')
        if choice.count():  # a first-time visitor's page shows the games side by side
            choice.check()
        else:
            self.page.get_by_label("Game", exact=True).select_option(rules)
        self.page.get_by_role("button", name="Play now").click()
        self.page.wait_for_url("**/tables/*/")
        self.wait_until_dealt()

    def make_table(
        self,
        rules: str = "classic-24",
        *,
        open: bool = True,  # noqa: A002
        seats: Mapping[str, str] | None = None,
        house_rules: Mapping[str, str] | None = None,
        house_after: str = "12",
        level: str = "steady",
    ) -> None:
        """Make a table; they take South unless `seats` says otherwise.

        Whoever has no account, or plays by rules of their own, fills in the form.

        seats: compass word to "me", "free" or "house". house_rules: their fields by name.
        house_after: seconds after which the house plays for who has gone, or "never".
        level: of its house players, "steady" or "strong".
        """
        if not house_rules and self.has_account:
            seated = {**dict.fromkeys(("north", "east", "west"), "free"), "south": "me"}
            self.go(
                self.post(
                    "/tables/new/",
                    rules=rules, open="yes" if open else "no", house_after=house_after,
                    house_level=level, **(seated | dict(seats or {})),
                )
            )  # fmt: skip
            return
        self.go("/tables/new/")
        form = self.page.locator("form.new-table")
        form.locator(f'[name="rules"][value="{rules}"]').check()
        form.locator(f'[name="open"][value="{"yes" if open else "no"}"]').check()
        form.locator('[name="house_after"]').select_option(house_after)
        form.locator('[name="house_level"]').select_option(level)
        for seat, who in (seats or {}).items():
            form.locator(f'[name="{seat}"]').select_option(who)
        if house_rules:  # some of them are folded
            form.locator("details").evaluate_all("all => all.forEach(one => one.open = true)")
        for field, value in (house_rules or {}).items():
            control = form.locator(f'[name="house-{field}"]')
            if control.get_attribute("type") == "checkbox":
                control.set_checked(value == "on")
            elif control.evaluate("one => one.matches('select')"):
                control.select_option(value)
            else:
                control.fill(value)
        form.get_by_role("button", name="Make the table").click()
        self.page.wait_for_url(re.compile(r"/tables/\d+/$"))

    @property
    def table_id(self) -> int:
        """The number of the table they are at."""
        return int(self.path.split("/")[2])

    @property
    def invitation(self) -> str:
        """The link that lets others in, as the table shows it."""
        return self.page.get_by_label("Send this link to your friends").input_value()

    def sit_here(self, compass: str) -> None:
        """Take the seat with this compass word, on the table's page."""
        seat = self.page.locator(".seat").filter(has_text=re.compile(rf"\b{compass}\b"))
        seat.get_by_role("button").click()
        self.page.locator(".stage[data-seat]").wait_for()

    def take_seat_in_lobby(self, words: str, table_id: int) -> None:
        """Press a seat's button in the lobby, such as "Sit West"."""
        name = re.compile(rf"^{re.escape(words)}\s*, table {table_id}$")
        self.page.get_by_role("button", name=name).click()
        self.page.wait_for_url(f"**/tables/{table_id}/")

    # At the table ---------------------------------------------------------------------------

    @property
    def stamp(self) -> str:
        """The game number and version shown."""
        return self.page.locator("#stamp").input_value()

    def now(self) -> dict[str, str]:
        """What the page shows: `stamp`, what is `asked` of them, whether the game is `over`."""
        shown: dict[str, str] = self.page.evaluate(NOW)
        return shown

    def until(self, condition: str, argument: object = None, seconds: float = PATIENCE) -> None:
        """Wait until a JavaScript function holds in the page, which may still be loading."""
        self.page.wait_for_function(
            f"argument => document.readyState !== 'loading' && ({condition})(argument)",
            arg=argument,
            timeout=1000 * seconds,
            polling=POLLING,
        )

    def wait_until_dealt(self) -> None:
        """Wait until the page, which may still be loading, shows a game."""
        self.page.locator("#stamp:not([value='0.0'])").wait_for(state="attached")

    def wait_for_stamp(self, stamp: str) -> None:
        """Wait until the page shows this version."""
        self.until("stamp => document.getElementById('stamp').value === stamp", stamp)

    def wait_past(self, stamp: str) -> None:
        """Wait until the page shows another version than this."""
        self.until("stamp => document.getElementById('stamp').value !== stamp", stamp)

    def wait_until_live(self, seconds: float = PATIENCE) -> None:
        """Wait until the socket is open."""
        self.until("() => /Live/.test(document.getElementById('link').textContent)"
                   " && !document.getElementById('link').hidden", seconds=seconds)  # fmt: skip

    def wait_until_over(self) -> None:
        """Wait until the page shows that the game is over, though it may be their turn before."""
        self.until(f"() => ({NOW})().over")

    def wait_for_turn(self, *what: str) -> str:
        """Wait until something is asked of them ("call", "card", "next"), or the game is over.

        Returns:
            What is asked, or "over".
        """
        self.until(f"""what => {{
            const now = ({NOW})();
            return now.over || (what.length ? what.includes(now.asked) : now.asked !== "");
        }}""", list(what))  # fmt: skip
        shown = self.now()
        return "over" if shown["over"] else shown["asked"]

    @property
    def choices(self) -> Locator:
        """All they may choose now."""
        return self.page.locator(CHOICES)

    @property
    def cards(self) -> Locator:
        """Their cards, as buttons or not."""
        return self.page.locator("#hand .card:not(.back)")

    @property
    def legal_cards(self) -> Locator:
        """The cards they may play."""
        return self.page.locator('#hand[data-choose] button:not([aria-disabled="true"])')

    @property
    def question(self) -> tuple[str, str]:
        """The prompt's heading and its second line."""
        asked = self.page.locator("#question:not([hidden])").count()
        place = self.page.locator("#question" if asked else "#line")
        more = place.locator("small:not(.why)").first
        head = place.locator("#ask" if asked else "b").inner_text()
        words = [head, more.inner_text() if more.count() else ""]
        first, second = (" ".join(one.split()) for one in words)
        return first, second

    @property
    def buttons(self) -> list[str]:
        """The words on the prompt's buttons, in their order."""
        buttons = self.page.locator("#prompt .calls button, #prompt .suits button").all()
        return [" ".join(one.inner_text().removesuffix(_note(one)).split()) for one in buttons]

    @property
    def notes(self) -> list[str]:
        """What stands under the prompt's buttons, in their order."""
        buttons = self.page.locator("#prompt .calls button, #prompt .suits button").all()
        return [" ".join(_note(one).split()) for one in buttons]

    @property
    def filled(self) -> list[str]:
        """The words on the filled buttons."""
        return self.page.locator("#prompt .calls button.button:not(.plain)").all_inner_texts()

    def press(self, choice: Locator) -> None:
        """Choose something and wait until the table has moved on."""
        stamp = self.stamp
        choice.click()
        self.wait_past(stamp)

    def call(self, words: str) -> None:
        """Press a call by its words."""
        self.press(self.page.locator("#prompt").get_by_role("button", name=named(words)))

    def choose(self, chance: random.Random) -> None:
        """Choose anything that may be chosen."""
        choices = self.choices
        self.press(choices.nth(chance.randrange(choices.count())))

    def play_a_card(self) -> None:
        """Play the first card that may be played."""
        self.press(self.legal_cards.first)

    @contextmanager
    def no_reload(self) -> Iterator[None]:
        """Fail if the page has been loaded anew meanwhile."""
        self.page.evaluate("() => { window.loadedOnce = true; }")
        yield
        assert self.page.evaluate("() => window.loadedOnce === true"), f"{self.name} reloaded"


def press(person: Person, *keys: str) -> None:
    for key in keys:
        person.page.keyboard.press(key)


def tab_to(person: Person, condition: str) -> None:
    """Press Tab until the focused element meets a condition in JavaScript, of ``here``."""
    for _ in range(60):
        press(person, "Tab")
        if person.page.evaluate(f"() => {{ const here = document.activeElement; {condition} }}"):
            return
    raise AssertionError(f"Tab never came to: {condition}")
