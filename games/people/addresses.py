"""From which address somebody asks, and as what it is counted."""

import ipaddress

from django.conf import settings
from django.http import HttpRequest

#: Of an IPv6 address: whoever has one has all that begin with the same 64 bits (RFC 6177, 4291).
NETWORK_BITS = 64


def asker(request: HttpRequest) -> str:
    """By what an asker without a name is counted: their address, as `address_of` gives it."""
    forwarded = request.headers.get("X-Forwarded-For", "")
    return address_of(forwarded, request.META.get("REMOTE_ADDR", ""))


def address_of(forwarded: str, peer: str) -> str:
    """The address somebody asks from, such as ``192.0.2.7``; of IPv6 its network of 64 bits.

    forwarded: the X-Forwarded-For header. peer: the address that connects. Behind trusted proxies
    it is the one that the last of them saw; what anybody else claims does not count.
    """
    address = full_address_of(forwarded, peer)
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    return str(ipaddress.IPv6Network((int(parsed), NETWORK_BITS), strict=False))


def full_address_of(forwarded: str, peer: str) -> str:
    """The same, whole; an IPv4 address that is written as one of IPv6 as what it is."""
    hops = [hop.strip() for hop in forwarded.split(",")]
    proxies: int = settings.ALLAUTH_TRUSTED_PROXY_COUNT
    address = hops[-proxies] if 0 < proxies <= len(hops) and hops[-proxies] else peer
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    mapped = parsed.ipv4_mapped if isinstance(parsed, ipaddress.IPv6Address) else None
    return str(mapped or parsed)
