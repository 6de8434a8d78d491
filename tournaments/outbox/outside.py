"""Requests to user-supplied URLs, protected against server-side request forgery.

A host name is resolved once and the connection is made to the address that was checked, since
resolving again could give another one (DNS rebinding). Addresses of private networks are refused
unless `settings.WEBHOOKS_TO_PRIVATE` allows them.
"""

import asyncio
import socket
import ssl
from collections.abc import Mapping
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Final

import httpx
from django.conf import settings

#: Seconds for resolving, connecting, the request and the headers of the response together.
LIMIT: Final = 5
PORTS: Final = range(1, 65536)
#: IPv4 networks of IANA's special-purpose address registry, and multicast (RFC 5771). Some of them
#: are reachable from anywhere, but none has a receiver: anycast of the nearest gateway (192.0.0.9,
#: RFC 7723), relay (192.88.99.0/24, RFC 7526; 192.52.193.0/24, RFC 7450) or name server
#: (192.31.196.0/24 and 192.175.48.0/24, RFC 7534) may answer inside the own network.
SPECIAL_IPV4: Final = tuple(
    map(
        IPv4Network,
        (
            "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16",
            "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24",
            "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15",
            "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
        ),
    )
)  # fmt: skip
#: Where global unicast addresses of IPv6 are allocated (RFC 4291), and the networks of IANA's
#: special-purpose registry in it: protocols with Teredo (RFC 2928, RFC 4380), documentation (RFC
#: 3849, RFC 9637) and name servers of nobody (RFC 7534).
UNICAST_IPV6: Final = IPv6Network("2000::/3")
SPECIAL_IPV6: Final = tuple(
    map(IPv6Network, ("2001::/23", "2001:db8::/32", "2620:4f:8000::/48", "3fff::/20"))
)
#: IPv6 networks whose addresses end with an IPv4 address: translated (RFC 6052,
#: RFC 2765) and compatible ones (RFC 4291, 2.5.5.1).
TRANSLATED: Final = tuple(map(IPv6Network, ("64:ff9b::/96", "::ffff:0:0:0/96", "::/96")))

_trusted: Final = ssl.create_default_context()


class UnreachableError(Exception):
    """There was no response; the message says why, for the URL's owner."""


def fault(url: str) -> str:
    """Return why a URL, as typed, is refused; empty if it is allowed."""
    try:
        address = httpx.URL(url)
    except httpx.InvalidURL:
        return "That is not a URL."
    if not address.host:
        return "The URL has no host. Example: https://example.org/euchre."
    if address.userinfo:
        return "The URL must not contain a user name or a password; messages are signed instead."
    if address.port is not None and address.port not in PORTS:
        return f"A port is a number from {PORTS[0]} to {PORTS[-1]}, not {address.port}."
    plain = address.scheme == "http" and address.host in settings.WEBHOOKS_HTTP_HOSTS
    return "" if plain or address.scheme == "https" else "The URL must start with https://."


async def post(url: str, body: bytes, headers: Mapping[str, str]) -> int:
    """POST to a URL and return the status of the response, whose body is not read.

    Redirects are not followed, and no proxy is used. Raises UnreachableError if there was no
    response in time, or the address is not allowed.
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
        raise UnreachableError(f"There was no response within {LIMIT} seconds.") from error
    except (httpx.HTTPError, OSError) as error:
        why = str(error) or type(error).__name__
        raise UnreachableError(f"The connection failed: {why}") from error


def private(address: IPv4Address | IPv6Address) -> bool:
    """Return whether an address is not public, or embeds an IPv4 address that is not."""
    if isinstance(address, IPv4Address):
        return any(address in network for network in SPECIAL_IPV4)
    within = address.ipv4_mapped or address.sixtofour
    if within is None and any(address in network for network in TRANSLATED):
        within = IPv4Address(int(address) & 0xFFFFFFFF)
    if within is not None:
        return private(within)
    return address not in UNICAST_IPV6 or any(address in network for network in SPECIAL_IPV6)


async def _resolved(url: httpx.URL) -> IPv4Address | IPv6Address:
    """Resolve the host to an allowed address."""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(
            url.raw_host.decode("ascii"), url.port, type=socket.SOCK_STREAM
        )
    except (socket.gaierror, UnicodeError) as error:  # UnicodeError: an invalid host name
        raise UnreachableError(f"There is no host {url.host}.") from error
    addresses = [ip_address(str(place[0]).partition("%")[0]) for *_, place in found]
    allowed = [one for one in addresses if settings.WEBHOOKS_TO_PRIVATE or not private(one)]
    if not allowed:
        raise UnreachableError(f"{url.host} is in a private network, which is not allowed.")
    return allowed[0]
