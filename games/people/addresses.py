"""Client IP address and its rate-limit key."""

import ipaddress

from django.conf import settings
from django.http import HttpRequest

#: A subscriber is assigned at least a /64 of IPv6 addresses (RFC 6177, 4291).
NETWORK_BITS = 64


def client_address(request: HttpRequest) -> str:
    forwarded = request.headers.get("X-Forwarded-For", "")
    return address_of(forwarded, request.META.get("REMOTE_ADDR", ""))


def address_of(forwarded: str, peer: str) -> str:
    """Return the client's address, such as ``192.0.2.7``, or the /64 network of an IPv6 address.

    `forwarded` is the X-Forwarded-For header, of which only what trusted proxies added is believed.
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
    """Return the full address; unwraps IPv4-mapped IPv6."""
    hops = [hop.strip() for hop in forwarded.split(",")]
    proxies: int = settings.ALLAUTH_TRUSTED_PROXY_COUNT
    address = hops[-proxies] if 0 < proxies <= len(hops) and hops[-proxies] else peer
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    mapped = parsed.ipv4_mapped if isinstance(parsed, ipaddress.IPv6Address) else None
    return str(mapped or parsed)
