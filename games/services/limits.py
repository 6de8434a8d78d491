"""How often one address may do what costs the server rows that are kept."""

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest

WINDOW = 600  # seconds


def may_make_table(request: HttpRequest) -> bool:
    """Count one more table made from the asker's address; False when there have been too many."""
    forwarded = request.headers.get("X-Forwarded-For", "")
    key = f"tables-made:{address_of(forwarded, request.META.get('REMOTE_ADDR', ''))}"
    cache.add(key, 0, WINDOW)
    try:
        made = cache.incr(key)
    except ValueError:  # the window has ended in between
        return True
    return bool(made <= settings.TABLES_IN_TEN_MINUTES)


def address_of(forwarded: str, peer: str) -> str:
    """The address somebody asks from.

    forwarded: the X-Forwarded-For header. peer: the address that connects. Behind trusted proxies
    it is the one that the last of them saw; what anybody else claims does not count.
    """
    hops = [hop.strip() for hop in forwarded.split(",")]
    proxies: int = settings.ALLAUTH_TRUSTED_PROXY_COUNT
    if 0 < proxies <= len(hops) and hops[-proxies]:
        return hops[-proxies]
    return peer
