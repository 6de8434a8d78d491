"""Messages for people in a group chat: those of Discord and Slack by webhook, others by hand."""

import json
import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Final

import httpx
from django.conf import settings
from django.urls import reverse

from tournaments.event_page import exports
from tournaments.models import Event

#: How the address of a channel's webhook begins: host, and path.
DISCORD: Final = ("discord.com", "/api/webhooks/")
SLACK: Final = ("hooks.slack.com", "/services/")
#: All hosts of both: Discord's test versions, and its former name, give addresses of their own.
HOSTS: Final = {"hooks.slack.com": SLACK} | {
    part + host: DISCORD
    for host in ("discord.com", "discordapp.com")
    for part in ("", "canary.", "ptb.")
}
#: Characters of a message; Discord takes 2,000, of which the link needs some.
MAX_TEXT: Final = 1700
#: What Discord reads as formatting; Slack has three characters of its own.
FORMATTING: Final = re.compile(r"([\\`*_~|>#\[\]()<:-])")
#: Put behind an @, it keeps a name from calling everybody, and is not seen.
JOINER: Final = "\u2060"
#: The places told at the end.
MAX_PLACES: Final = 10


def kind_of(url: str) -> tuple[str, str] | None:
    """Return `DISCORD` or `SLACK` for the address of a channel's webhook."""
    address = httpx.URL(url)
    kind = HOSTS.get(address.host)
    if kind and address.scheme == "https" and address.path.startswith(kind[1]):
        return kind
    return None


def fault(url: str) -> str:
    """Return why an address at a chat is refused; empty if it is a channel's, or elsewhere."""
    kind = HOSTS.get(httpx.URL(url).host)
    if kind is None or kind_of(url):
        return ""
    host, path = kind
    return f"Copy the address of the channel’s webhook: it begins with https://{host}{path}."


def body(kind: tuple[str, str], lines: Sequence[str], link: str) -> str:
    """Return a message in the JSON of a chat, in which no text calls anybody or is formatted."""
    if kind == SLACK:
        plain = [escape(line, quote=False) for line in lines]
        return json.dumps({"text": text(plain, link), "unfurl_links": False})
    plain = [FORMATTING.sub(r"\\\1", line) for line in lines]
    return json.dumps({"content": text(plain, link), "allowed_mentions": {"parse": []}})


def text(lines: Iterable[str], link: str, most: int = MAX_TEXT) -> str:
    """Return a message as it is read, of at most so many characters before the link."""
    said: list[str] = []
    for line in lines:
        if sum(map(len, said)) + len(said) + len(line) > most:
            said.append("…")
            break
        said.append(line.replace("@", f"@{JOINER}"))
    return "\n".join([*said, link])


def link_to(event: Event) -> str:
    return f"{settings.SITE_URL}{reverse('event', args=[event.pk])}"


def round_lines(event: Event, number: int, *, changed: bool = False) -> list[str]:
    """Tell who plays whom at which table in a round, and who sits out."""
    lines = [f"{event.name}, round {number}{', changed' if changed else ''}"]
    for row in exports.pairings(event):
        if row["round"] == number:
            sides = [_names(row[side]["players"]) for side in exports.SIDES]
            table = row["table"]
            lines.append(f"Table {table}: {' – '.join(sides)}" if table else f"Out: {sides[0]}")
    return lines


def result_lines(event: Event) -> list[str]:
    """Tell the first places of the standings."""
    over = event.state == Event.State.FINISHED
    places = exports.standings(event)[:MAX_PLACES]
    return [
        f"{event.name}: the result" if over else f"{event.name} so far",
        *(f"{row['place']}. {_names(row['players'])}" for row in places),
    ]


def _names(players: Iterable[exports.Row]) -> str:
    return " & ".join(player["name"] for player in players)
