"""What quickstart says to others in the network: this machine's addresses and a QR code."""

import io
import socket
from typing import Any

import ifaddr
import pytest
import segno

from euchre_site.management.commands.quickstart import Command, others_use
from euchre_site.startup import network

LINK = "http://192.168.1.20:8000/"
#: By the half blocks that segno draws: which of an upper and a lower module are black.
BLACK = {" ": (1, 1), "▀": (0, 1), "▄": (1, 0), "█": (0, 0)}


def adapter(name: str, *ips: Any) -> ifaddr.Adapter:
    return ifaddr.Adapter(name, name, [ifaddr.IP(ip, 24, name) for ip in ips])


def modules(drawn: str) -> list[tuple[int, ...]]:
    """The modules of a drawn code, without its margin."""
    rows = []
    for line in drawn.splitlines():
        pairs = [BLACK[block] for block in line]
        rows += [tuple(upper for upper, _ in pairs), tuple(lower for _, lower in pairs)]
    return [row[4:-4] for row in rows[4 : len(rows[0]) - 4]]


def test_the_address_of_the_default_route_is_first_and_only_those_of_networks_are_listed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = [
        adapter("lo", "127.0.0.1", ("::1", 0, 0)),
        adapter("bridge", "172.17.0.1"),
        adapter("unplugged", "169.254.7.7"),
        adapter("wireless", "192.168.1.20", ("fe80::1", 0, 3)),
    ]
    monkeypatch.setattr(ifaddr, "get_adapters", lambda: found)
    monkeypatch.setattr(network, "_routed_address", lambda: "192.168.1.20")
    assert network.addresses() == ["192.168.1.20", "172.17.0.1"]
    monkeypatch.setattr(network, "_routed_address", lambda: "")  # a hall without internet
    assert network.addresses() == ["172.17.0.1", "192.168.1.20"]


def test_every_address_found_here_can_be_listened_on() -> None:
    for address in network.addresses():
        with socket.create_server((address, 0)) as listener:
            assert listener.getsockname()[0] == address


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost", "192.168.1.20"])
def test_who_listens_on_one_address_offers_no_other(host: str) -> None:
    assert others_use(host) == []


def test_the_code_in_the_terminal_is_that_of_the_link() -> None:
    plain = network.qr_code(LINK, coloured=False)
    assert modules(plain) == [tuple(row) for row in segno.make_qr(LINK).matrix]
    coloured = network.qr_code(LINK, coloured=True)
    assert coloured.replace("\033[97;40m", "").replace("\033[0m", "") == plain


def said(output: io.StringIO, *others: str) -> str:
    command = Command(stdout=output)
    command.say_ready("http://127.0.0.1:8000/", list(others), browse=False)
    return output.getvalue()


def test_quickstart_says_what_others_open_and_shows_its_code(settings: Any) -> None:
    settings.LOG_FORMAT = "console"
    text = said(io.StringIO(), LINK, "http://172.17.0.1:8000/")
    assert f"in your network open {LINK} or http://172.17.0.1:8000/\n" in text
    assert network.qr_code(LINK, coloured=False) in text
    alone = said(io.StringIO())
    assert "network" not in alone
    assert "█" not in alone


def test_a_log_and_an_output_without_blocks_get_the_address_only(settings: Any) -> None:
    settings.LOG_FORMAT = "console"
    raw = io.BytesIO()
    ascii_only = io.TextIOWrapper(raw, encoding="ascii")
    Command(stdout=ascii_only).say_ready("http://127.0.0.1:8000/", [LINK], browse=False)
    ascii_only.flush()
    assert LINK.encode() in raw.getvalue()
    settings.LOG_FORMAT = "json"
    text = said(io.StringIO(), LINK)
    assert LINK in text
    assert "█" not in text
