"""Requests to addresses that people have given: where they may lead, and how one is made.

A host's name is resolved once, and the connection is made to an address that was looked at:
asking again could give another one (DNS rebinding). Addresses of private networks are refused
unless `settings.WEBHOOKS_TO_PRIVATE` allows them, so that nobody reaches by way of this server
what only this server can reach.
"""

import asyncio
import socket
import ssl
from collections.abc import Mapping
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Final

import httpx
from django.conf import settings

#: Seconds for everything: the name, the connection, the request and the head of the answer.
LIMIT: Final = 5
PORTS: Final = range(1, 65536)
#: IPv6 networks whose addresses end with an IPv4 address that they stand for: translated (RFC 6052,
#: RFC 2765) and compatible ones (RFC 4291, 2.5.5.1).
TRANSLATED: Final = tuple(map(IPv6Network, ("64:ff9b::/96", "::ffff:0:0:0/96", "::/96")))
#: What is not of the public internet though some versions of Python take it to be: site-local
#: (RFC 3879), translated within a network (RFC 8215), discarded (RFC 6666), for documents (RFC
#: 3849, RFC 9637), for segment routing (RFC 9602), and tunnels whose other end is anywhere (Teredo,
#: RFC 4380).
NOT_PUBLIC: Final = tuple(
    map(
        IPv6Network,
        (
            "fec0::/10", "64:ff9b:1::/48", "100::/64", "100:0:0:1::/64", "2001:db8::/32",
            "3fff::/20", "5f00::/16", "2001::/32",
        ),
    )
)  # fmt: skip
#: IPv4 addresses kept for protocols (RFC 6890), of which some versions of Python take too many to
#: be public; and those of them that IANA's registry lists as globally reachable.
PROTOCOLS: Final = IPv4Network("192.0.0.0/24")
REACHABLE: Final = tuple(map(IPv4Address, ("192.0.0.9", "192.0.0.10")))

_trusted: Final = ssl.create_default_context()


class UnreachableError(Exception):
    """There was no answer; the message says why, in words for the address's owner."""


def fault(url: str) -> str:
    """Why requests are not sent to an address as it is written; empty if they are.

    url: as somebody typed it.
    """
    try:
        address = httpx.URL(url)
    except httpx.InvalidURL:
        return "That is not an address."
    if not address.host:
        return "The address names no host: it must be such as https://example.org/euchre."
    if address.userinfo:
        return "An address cannot hold a user name or a password: what is sent is signed."
    if address.port is not None and address.port not in PORTS:
        return f"A port is a number from {PORTS[0]} to {PORTS[-1]}, not {address.port}."
    plain = address.scheme == "http" and address.host in settings.WEBHOOKS_HTTP_HOSTS
    return "" if plain or address.scheme == "https" else "The address must begin with https://."


async def post(url: str, body: bytes, headers: Mapping[str, str]) -> int:
    """Post to an address and return the status of the answer, of which nothing else is read.

    Redirects are not followed, and no proxy is used.

    Raises:
        UnreachableError: there was no answer in time, or the address is not allowed.
    """
    wrong = fault(url)
    if wrong:
        raise UnreachableError(wrong)
    try:
        async with asyncio.timeout(LIMIT):
            target = httpx.URL(url)
            address = await _resolved(target)
            literal = f"[{address}]" if address.version == 6 else str(address)
            async with (
                httpx.AsyncClient(verify=_trusted, trust_env=False, timeout=LIMIT) as client,
                client.stream(
                    "POST",
                    target.copy_with(host=literal),
                    content=body,
                    headers={**headers, "Host": target.netloc.decode("ascii")},
                    extensions={"sni_hostname": target.raw_host.decode("ascii")},
                ) as answer,
            ):
                return answer.status_code
    except TimeoutError as error:
        raise UnreachableError(f"There was no answer within {LIMIT} seconds.") from error
    except (httpx.HTTPError, OSError) as error:
        why = str(error) or type(error).__name__
        raise UnreachableError(f"The connection failed: {why}") from error


def private(address: IPv4Address | IPv6Address) -> bool:
    """Whether an address is not one of the public internet, or stands for one that is not."""
    if isinstance(address, IPv6Address):
        within = address.ipv4_mapped or address.sixtofour
        if within is None and any(address in network for network in TRANSLATED):
            within = IPv4Address(int(address) & 0xFFFFFFFF)
        if within is not None:
            return private(within)
        if any(address in network for network in NOT_PUBLIC):
            return True
    elif address in PROTOCOLS:
        return address not in REACHABLE
    return not address.is_global or address.is_multicast


async def _resolved(url: httpx.URL) -> IPv4Address | IPv6Address:
    """The address to connect to."""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(
            url.raw_host.decode("ascii"), url.port, type=socket.SOCK_STREAM
        )
    except (socket.gaierror, UnicodeError) as error:  # the second for a name that none can have
        raise UnreachableError(f"No host is called {url.host}.") from error
    addresses = [ip_address(str(place[0]).partition("%")[0]) for *_, place in found]
    allowed = [one for one in addresses if settings.WEBHOOKS_TO_PRIVATE or not private(one)]
    if not allowed:
        raise UnreachableError(f"{url.host} is in a private network, and that is not allowed.")
    return allowed[0]
