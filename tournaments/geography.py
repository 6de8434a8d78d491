"""Time zones and countries by name, from the tz database that Python reads its zones from."""

from functools import cache
from importlib.resources import files
from typing import TypeAlias

Zones: TypeAlias = list[tuple[str, list[tuple[str, str]]]]


@cache
def zones() -> Zones:
    """The IANA time zones by region, each as its name and its place: "Europe/Dublin", "Dublin".

    UTC stands by itself, first. Zones that only history needs are left out.
    """
    by_region: dict[str, list[tuple[str, str]]] = {}
    for zone in sorted(line[2] for line in _table("zone.tab")):
        region, _, place = zone.partition("/")
        by_region.setdefault(region, []).append((zone, _in_words(place)))
    return [("Worldwide", [("UTC", "UTC")]), *by_region.items()]


@cache
def zone_names() -> frozenset[str]:
    """The names of all zones that `zones` offers."""
    return frozenset(zone for _, group in zones() for zone, _ in group)


@cache
def countries() -> dict[str, str]:
    """The countries by their ISO 3166 codes, in the order of their names."""
    names = {code: name for code, name, *_ in _table("iso3166.tab")}
    return dict(sorted(names.items(), key=lambda country: country[1]))


def zone_in_words(zone: str) -> str:
    """A zone as people say it: "Dublin", "Argentina, Buenos Aires"."""
    return _in_words(zone.partition("/")[2] or zone)


def _in_words(place: str) -> str:
    return place.replace("/", ", ").replace("_", " ")


def _table(name: str) -> list[list[str]]:
    """The columns of a table of the database, its comments left out."""
    text = (files("tzdata") / "zoneinfo" / name).read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines() if line and not line.startswith("#")]
