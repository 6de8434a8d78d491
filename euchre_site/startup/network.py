"""How others in the network reach this machine: its addresses, and their QR codes in a terminal."""

import io
import socket
from ipaddress import ip_address

import ifaddr
import segno

#: Black on white in any terminal's colours: segno draws what is white.
WHITE_ON_BLACK, NORMAL = "\033[97;40m", "\033[0m"


def addresses() -> list[str]:
    """Return this machine's IPv4 addresses in its networks, that of the default route first."""
    found = [one.ip for adapter in ifaddr.get_adapters() for one in adapter.ips if one.is_IPv4]
    usable = [str(ip) for ip in found if not _only_here(str(ip))]
    routed = _routed_address()
    return sorted(usable, key=lambda ip: ip != routed)


def _only_here(ip: str) -> bool:
    address = ip_address(ip)
    return address.is_loopback or address.is_link_local


def _routed_address() -> str:
    """Return the address from which packets to the internet would leave; empty: no such route."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing: the protocol has no connections
        except OSError:
            return ""
        return str(probe.getsockname()[0])


def qr_code(link: str, *, coloured: bool) -> str:
    """Return a link's QR code as lines of half blocks; `coloured` by a terminal's codes."""
    drawn = io.StringIO()
    segno.make_qr(link).terminal(drawn, compact=True)
    lines = drawn.getvalue().splitlines()
    return "\n".join(f"{WHITE_ON_BLACK}{one}{NORMAL}" if coloured else one for one in lines)
