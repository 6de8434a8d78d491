"""Time zones and countries by name, from Python's tz database."""

from functools import cache
from importlib.resources import files
from typing import Final, TypeAlias

Zones: TypeAlias = list[tuple[str, list[tuple[str, str]]]]

#: Countries where a clock has twelve hours, of those where euchre is played.
TWELVE_HOURS: Final = frozenset({"AU", "CA", "NZ", "US"})


@cache
def zones() -> Zones:
    """Return the IANA time zones by region as name and place: "Europe/Dublin", "Dublin".

    UTC comes first, by itself. Historical zones are left out.
    """
    by_region: dict[str, list[tuple[str, str]]] = {}
    for zone in sorted(line[2] for line in _table("zone.tab")):
        region, _, place = zone.partition("/")
        by_region.setdefault(region, []).append((zone, _in_words(place)))
    return [("Worldwide", [("UTC", "UTC")]), *by_region.items()]


@cache
def twelve_hours(zone: str) -> bool:
    """Return whether people in a time zone say "7:30 pm" for 19:30."""
    return {line[2]: line[0] for line in _table("zone.tab")}.get(zone) in TWELVE_HOURS


@cache
def countries() -> dict[str, str]:
    """Return the countries' names by ISO 3166 code, in order of name."""
    names = {code: name for code, name, *_ in _table("iso3166.tab")}
    return dict(sorted(names.items(), key=lambda country: country[1]))


def flag_of(code: str) -> str:
    """Return a country's flag as an emoji, by ISO 3166 code; empty for none."""
    return "".join(
        chr(ord("\N{REGIONAL INDICATOR SYMBOL LETTER A}") + ord(one) - ord("A")) for one in code
    )


def zone_in_words(zone: str) -> str:
    """Return a zone for people: "Dublin", "Argentina, Buenos Aires"."""
    return _in_words(zone.partition("/")[2] or zone)


def _in_words(place: str) -> str:
    return place.replace("/", ", ").replace("_", " ")


def _table(name: str) -> list[list[str]]:
    text = (files("tzdata") / "zoneinfo" / name).read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines() if line and not line.startswith("#")]
