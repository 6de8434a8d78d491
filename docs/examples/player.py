"""A program that plays euchre on a Bower site, with nothing but Python's standard library.

    python player.py https://euchre.example.org --rules heads-up

It makes a table with house players, or takes a seat at one (``--table 7 --seat South``, with
``--invitation`` where it is not open), plays one game and prints how it ended. Its token, made at
/you/programs/, stands in the environment variable BOWER_TOKEN.
"""

import argparse
import json
import os
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

RANKS = "789TJQKA"
SAME_COLOUR = {"C": "S", "S": "C", "D": "H", "H": "D"}
SEATS = {"heads-up": ["South"]}
#: Seconds without a line after which a stream counts as broken; heartbeats come more often.
SILENCE = 60
#: Cards of a suit that make it worth calling.
ENOUGH = 3


class Site:
    """A site and the token by which it is asked."""

    def __init__(self, url: str, token: str) -> None:
        self.url = url.rstrip("/")
        self.token = token

    def ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """Ask once, or again after a while where that is what the site wants.

        Raises:
            urllib.error.HTTPError: it was refused; the body says why.
        """
        while True:
            try:
                with self._open(method, path, body) as answer:
                    return json.load(answer)
            except urllib.error.HTTPError as error:
                wait = error.headers.get("Retry-After")
                if error.code != 429 or wait is None:
                    raise
                time.sleep(int(wait))

    def views(self, table: int) -> Iterator[dict[str, Any]]:
        """The table now and whenever it changes; a stream that breaks is opened again."""
        while True:
            try:
                with self._open("GET", f"/tables/{table}/stream", None) as stream:
                    lines = (json.loads(line) for line in stream)
                    yield from (line for line in lines if "heartbeat" not in line)
            except OSError as error:
                if isinstance(error, urllib.error.HTTPError) and error.code < 500:
                    raise
            time.sleep(1)

    def _open(self, method: str, path: str, body: dict[str, Any] | None) -> Any:
        request = urllib.request.Request(
            f"{self.url}/api{path}",
            data=None if body is None else json.dumps(body).encode(),
            method=method,
            headers={"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"},
        )
        return urllib.request.urlopen(request, timeout=SILENCE)


def choose(view: dict[str, Any]) -> str:
    """What to do now: the simplest of everything, one of ``view["legal"]``."""
    legal: list[str] = view["legal"]
    deal: dict[str, Any] = view["deal"]
    kind = legal[0].split()[0]
    if kind == "play":
        cards = sorted(legal, key=lambda play: worth(play.split()[1], deal["trump"]))
        return cards[0] if deal["plays"] else cards[-1]  # lead high, follow low
    if kind == "discard":
        return min(legal, key=lambda discard: worth(discard.split()[1], deal["trump"]))
    if kind == "best":
        return max(legal, key=lambda best: worth(best.split()[1], deal["trump"]))
    if "pass" in legal or kind == "make":
        return bid(legal, deal)
    return legal[0]  # also to decline what only some rules offer


def bid(legal: list[str], deal: dict[str, Any]) -> str:
    """Call the suit of which there are most cards, if they are enough or nothing else is left."""
    calls = [call for call in legal if call.startswith(("order", "make")) and "alone" not in call]
    if not calls:
        return legal[0]
    best = max(calls, key=lambda call: trumps(deal["hand"], suit_of(call, deal)))
    strong = trumps(deal["hand"], suit_of(best, deal)) >= ENOUGH
    return best if strong or "pass" not in legal else "pass"


def suit_of(call: str, deal: dict[str, Any]) -> str:
    """The suit that a call would make trump."""
    return deal["turned_suit"] if call == "order" else call.split()[1]


def trumps(hand: list[str], suit: str) -> int:
    """How many of some cards would be trumps."""
    return sum(is_trump(card, suit) for card in hand)


def is_trump(card: str, trump: str | None) -> bool:
    """Whether a card is a trump: one of the suit, the other jack of its colour, or the joker."""
    return trump is not None and (
        card[1] == trump or card in ("Jo", "2S", f"J{SAME_COLOUR.get(trump)}")
    )


def worth(card: str, trump: str | None) -> int:
    """A number by which cards can be ordered."""
    if card in ("Jo", "2S"):
        return 100
    bower = 50 * (card[0] == "J" and is_trump(card, trump))
    return RANKS.index(card[0]) + 20 * is_trump(card, trump) + bower


def play(site: Site, table: int) -> dict[str, Any]:
    """Play at a table until its game is over; return how it stands then."""
    for view in site.views(table):
        if view["over"]:
            return view
        if not view["legal"]:
            continue
        try:
            action = {"action": choose(view), "version": view["version"]}
            site.ask("POST", f"/tables/{table}/actions", action)
        except urllib.error.HTTPError as error:
            if error.code != 409:  # somebody was quicker: the stream tells what is so now
                raise
    raise AssertionError("a stream is opened again for ever")


def sit(site: Site, options: argparse.Namespace) -> int:
    """Take a seat; return the table's number."""
    if options.table is None:
        house = SEATS.get(options.rules, ["East", "South", "West"])
        made = {"rules": options.rules, "seat": "North", "house_seats": house}
        return int(site.ask("POST", "/tables", made)["id"])
    body = {"invitation": options.invitation}
    site.ask("POST", f"/tables/{options.table}/seats/{options.seat}", body)
    return int(options.table)


def main() -> None:
    """Play one game, as the command line says."""
    parser = argparse.ArgumentParser(description="Play a game of euchre on a Bower site.")
    parser.add_argument("site", help="its address, such as https://euchre.example.org")
    parser.add_argument("--rules", default="classic-24", help="of a table of its own")
    parser.add_argument("--table", type=int, help="the number of a table with a free seat")
    parser.add_argument("--seat", default="South", help="the seat to take there")
    parser.add_argument("--invitation", default="", help="the word that lets it in there")
    options = parser.parse_args()
    token = os.environ.get("BOWER_TOKEN")
    if not token:
        sys.exit("Set BOWER_TOKEN to the token of your program, made at /you/programs/.")
    site = Site(options.site, token)
    try:
        end = play(site, sit(site, options))
    except urllib.error.HTTPError as error:
        sys.exit(f"{error.code}: {json.load(error)['detail']}")
    print(f"Table {end['id']}: {end['score'][0]}-{end['score'][1]}")


if __name__ == "__main__":
    main()
