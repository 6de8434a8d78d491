"""The addresses of web sites that may show a club's results in a frame."""

from __future__ import annotations

from typing import Final

import httpx

from tournaments.outbox.outside import PORTS

#: Web sites that a club may name.
MOST_SITES: Final = 10


def origin_of(address: str) -> str | None:
    """Return the origin of a web address, such as ``https://www.example.org``; None if it has none.

    Only HTTPS: a page on the way to which anybody can put words of their own is no club's page.
    The path is dropped, since a browser checks origins only (CSP 3, section 6.7.2.7).
    """
    try:
        url = httpx.URL(address)
    except httpx.InvalidURL:
        return None
    host = url.raw_host.decode("ascii")  # lower case, IDNA
    plain = host.replace("-", "").replace(".", "").isalnum() and "." in host
    if url.scheme != "https" or url.userinfo or not plain or (url.port or 443) not in PORTS:
        return None
    return f"https://{host}" + (f":{url.port}" if url.port else "")
