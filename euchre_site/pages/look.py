"""Appearance of pages and tables, and the variables of all templates.

The visitor's choices are stored with the account, or for guests in a cookie.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.functional import SimpleLazyObject

from games.models import Player, User
from games.people.identity import player_of
from games.people.old_words import LOOK_COOKIE, OF_OLD

YEAR: Final = 60 * 60 * 24 * 365


class Choice(NamedTuple):
    """A setting of appearance.

    values: the first is the default. brief, short: label and values in the menu at the table, if
    it is offered there.
    """

    label: str
    values: Mapping[str, str]
    brief: str = ""
    short: Mapping[str, str] = MappingProxyType({})

    @property
    def usual(self) -> str:
        return next(iter(self.values))


def _short(label: str, brief: str, **values: str) -> Choice:
    return Choice(label, values, brief, values)


#: By name, in the order of the cookie; new ones are added at the end.
CHOICES: Final[Mapping[str, Choice]] = {
    "theme": Choice(
        "Light or dark", {"system": "As this device", "light": "Light", "dark": "Dark"}
    ),
    "suits": Choice(
        "Suit colours",
        {
            "two": "Two colours: red and black",
            "four": "Four colours: clubs green, diamonds blue",
        },
        "Suit colours",
        {"two": "Two", "four": "Four"},
    ),
    "letters": Choice(
        "Keyboard shortcuts at the table",
        {"on": "On: P passes, L shows the previous trick, ? lists them", "off": "Off"},
    ),
    "speed": _short(
        "How cards move", "Speed", normal="Normal", slow="Slow", fast="Fast", off="Off"
    ),
    "confirm": _short("To play a card", "Play a card", one="One press", two="Two presses"),
    "last": _short("The last card of a hand", "Last card", mine="I play it", itself="Plays itself"),
    "print": _short("Card faces", "Card faces", usual="Standard", large="Large print"),
    "back": _short(
        "Backs of the cards", "Backs", leaf="Leaf", sky="Sky", brick="Brick", plum="Plum"
    ),
    "cloth": _short(
        "Cloth of the table", "Cloth", green="Green", blue="Blue", wine="Wine", slate="Slate"
    ),
    "trump": _short("Trump in your hand", "Trump in hand", left="Left", right="Right"),
    "hand": _short("Where the buttons are", "Buttons", right="Right", left="Left"),
    "calls": Choice(
        "Words of the calls",
        {"plain": "Plain: “Order it up”", OF_OLD: "Traditional: “I assist”, “I make it next”"},
        "Words of the calls",
        {"plain": "Plain", OF_OLD: "Traditional"},
    ),
}

#: The choices on each page of settings.
APPEARANCE: Final = ("theme", "suits", "print", "back", "cloth", "hand")
AT_THE_TABLE: Final = ("calls", "speed", "confirm", "last", "trump", "letters")

#: The chosen values, by name of the setting.
Look = Mapping[str, str]


def look_of(request: HttpRequest) -> Look:
    """Return the look stored with the account, or else in the cookie.

    Unknown values count as unset. A request refused before it has a session has no user.
    """
    user = getattr(request, "user", None)
    kept = user.look if user is not None and user.is_authenticated else ""
    return parse(kept or request.COOKIES.get(LOOK_COOKIE, ""))


def parse(text: str) -> Look:
    """Parse the text that `remember` stored, such as "dark.four.on"; older ones are shorter."""
    parts = dict(zip(CHOICES, text.split("."), strict=False))
    return {
        name: parts[name] if parts.get(name) in choice.values else choice.usual
        for name, choice in CHOICES.items()
    }


def chosen(look: Look) -> dict[str, str]:
    return {name: look[name] for name, choice in CHOICES.items() if look[name] != choice.usual}


def remember(request: HttpRequest, response: HttpResponse, look: Look) -> None:
    """Store a look with the account, if there is one, and in the browser for a year."""
    if request.user.is_authenticated:
        keep(request.user, look)
    response.set_cookie(
        LOOK_COOKIE, _text(look), max_age=YEAR, httponly=True, samesite="Lax", secure=settings.HTTPS
    )


def keep(user: User, look: Look) -> None:
    User.objects.filter(pk=user.pk).update(look=_text(look))


def _text(look: Look) -> str:
    return ".".join(look[name] for name in CHOICES)


def site(request: HttpRequest) -> dict[str, Any]:
    """Return the variables added to every template.

    `me` is the visitor's player, queried only if a template uses it; None without a session.
    """

    def me() -> Player | None:
        return player_of(request) if hasattr(request, "user") else None

    return {
        "site_name": settings.SITE_NAME,
        "look": chosen(look_of(request)),
        "me": SimpleLazyObject(me),
    }
