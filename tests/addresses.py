"""The addresses of the site, for tables of who is answered what at each."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver, path, reverse

#: Who may do what at allauth's addresses is its own matter; the API has a table of its own.
ELSEWHERE = ("accounts/", "api/")


def patterns() -> Iterator[URLPattern]:
    """All named addresses but those of `ELSEWHERE`, each with its whole route."""

    def walk(resolver: URLResolver, before: str) -> Iterator[URLPattern]:
        for entry in resolver.url_patterns:
            route = before + str(entry.pattern)
            if isinstance(entry, URLPattern):
                yield path(route, entry.callback, name=entry.name)
            elif not route.startswith(ELSEWHERE):
                yield from walk(entry, route)

    return walk(get_resolver(), "")


def arguments(name: str) -> set[str]:
    """What stands in the address behind a name."""
    found = get_resolver().reverse_dict.getlist(name)
    return {argument for *_, converters in found for argument in converters}


def address(name: str, known: Mapping[str, Any]) -> str:
    """The address behind a name, with what is known put in."""
    return reverse(name, kwargs={argument: known[argument] for argument in arguments(name)})
