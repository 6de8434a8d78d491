"""The addresses of the site, for tables of who is answered what at each."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver, reverse

#: Who may do what at allauth's addresses is its own matter; the API has a table of its own.
ELSEWHERE = ("accounts/", "api/")


def patterns() -> Iterator[URLPattern]:
    """All named addresses but those of `ELSEWHERE`."""

    def walk(resolver: URLResolver) -> Iterator[URLPattern]:
        for entry in resolver.url_patterns:
            if isinstance(entry, URLPattern):
                yield entry
            elif not str(entry.pattern).startswith(ELSEWHERE):
                yield from walk(entry)

    return walk(get_resolver())


def arguments(name: str) -> set[str]:
    """What stands in the address behind a name."""
    return {
        argument
        for pattern in patterns()
        if pattern.name == name
        for argument in pattern.pattern.converters
    }


def address(name: str, known: Mapping[str, Any]) -> str:
    """The address behind a name, with what is known put in."""
    return reverse(name, kwargs={argument: known[argument] for argument in arguments(name)})
