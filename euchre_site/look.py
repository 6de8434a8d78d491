"""How a visitor likes the pages to look: theme, suit colours, letter keys; kept in one cookie."""

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse

COOKIE = "bower_look"
YEAR = 60 * 60 * 24 * 365
THEMES = {"system": "As this device", "light": "Light", "dark": "Dark"}
SUITS = {"two": "Two colours: red and black", "four": "Four colours: clubs green, diamonds blue"}
LETTERS = {"on": "On: P passes, L shows the last trick, ? lists them", "off": "Off"}


@dataclass(frozen=True, slots=True)
class Look:
    """One visitor's choice.

    theme: "system", "light" or "dark". suits: "two" or "four" colours. letters: whether single
    letters act as keys at the table ("on" or "off").
    """

    theme: str = "system"
    suits: str = "two"
    letters: str = "on"


def look_of(request: HttpRequest) -> Look:
    """Return the look kept in the visitor's cookie; anything unknown in it counts as unset."""
    return parse(request.COOKIES.get(COOKIE, ""))


def parse(text: str) -> Look:
    """Read what `remember` wrote, for example "dark.four.on"."""
    parts = tuple(text.split("."))
    if len(parts) != 3:
        return Look()
    theme, suits, letters = parts
    if theme not in THEMES or suits not in SUITS or letters not in LETTERS:
        return Look()
    return Look(theme, suits, letters)


def remember(response: HttpResponse, look: Look, *, secure: bool) -> None:
    """Keep `look` in the visitor's browser for a year."""
    value = f"{look.theme}.{look.suits}.{look.letters}"
    response.set_cookie(COOKIE, value, max_age=YEAR, httponly=True, samesite="Lax", secure=secure)
