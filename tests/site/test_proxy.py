"""nginx and Caddy with the guide's files before a site: TLS, sockets, addresses, sizes."""

import json
import os
import re
import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from tests.served import HOST, ROOT, Server, free_port
from tests.site.processes import NAME, PATIENCE, certificate, nginx_files, wait_for

pytestmark = [pytest.mark.servers, pytest.mark.slow]

#: What lets Caddy listen on other ports than those of the web, and ask nobody for a certificate.
OF_TESTS = "admin off\n\tskip_install_trust\n\thttp_port {plain}\n\thttps_port {port}\n"


class Proxied(NamedTuple):
    """A site behind a proxy.

    program: "nginx" or "caddy". port, plain: with TLS and without. trusts: knows its certificate.
    """

    program: str
    port: int
    plain: int
    trusts: ssl.SSLContext

    @property
    def url(self) -> str:
        """The site's address; every name in it resolves to this machine."""
        return f"https://{HOST}:{self.port}"

    def browser(self, from_: str = HOST) -> httpx.Client:
        """Return a browser at an address of this machine."""
        return httpx.Client(
            base_url=self.url,
            headers={"Host": NAME, "Referer": f"https://{NAME}/"},
            transport=httpx.HTTPTransport(verify=self.trusts, local_address=from_),
            timeout=PATIENCE,
        )


@pytest.fixture(scope="module", params=["nginx", "caddy"])
def site(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[Proxied]:
    """A quickstart with the guide's settings behind a proxy with the guide's file."""
    name: str = request.param
    program = shutil.which(name) or shutil.which(name, path="/usr/sbin")
    if program is None:
        pytest.skip(f"needs {name}")
    folder: Path = tmp_path_factory.mktemp(name)
    folder.chmod(0o755)
    guide = (ROOT / "deploy/embedded.env").read_text()
    settings = dict(re.findall(r"^([A-Z_]+)=(?!/var)(.*)$", guide, re.MULTILINE))
    server = Server(
        folder, HOUSE_PAUSE="0,0", TRICK_REST="0", TABLES_IN_TEN_MINUTES="1", **settings
    )
    port, plain = free_port(), free_port()
    of = {"nginx": of_nginx, "caddy": of_caddy}[name]
    command, more = of(folder, server.port, port, plain)
    proxy = None
    try:
        server.start()
        with (folder / "proxy.log").open("wb") as log:
            proxy = subprocess.Popen([program, *command], env=os.environ | more, stderr=log)
        wait_for(port, proxy, folder / "proxy.log")
        trusts = ssl.create_default_context(cafile=str(folder / "cert.pem"))
        yield Proxied(name, port, plain, trusts)
    finally:
        server.stop()
        if proxy is not None:
            proxy.terminate()
            proxy.wait(PATIENCE)


def of_nginx(folder: Path, web: int, port: int, plain: int) -> tuple[list[str], dict[str, str]]:
    """Write nginx's files; return its arguments and environment."""
    return nginx_files(folder, [web], port, plain), {}


def of_caddy(folder: Path, web: int, port: int, plain: int) -> tuple[list[str], dict[str, str]]:
    """Write the guide's Caddyfile with other ports and a certificate; return as `of_nginx`."""
    cert, key = certificate(folder)
    text = (ROOT / "deploy/Caddyfile").read_text()
    text = text.replace("{\n", "{\n\t" + OF_TESTS.format(port=port, plain=plain), 1)
    site = "{$BOWER_HOST:euchre.example.org} {\n"
    assert site in text
    text = text.replace(site, f"{site}\ttls {cert} {key}\n")
    (folder / "Caddyfile").write_text(text)
    more = {"BOWER_HOST": NAME, "BOWER_WEB": f"{HOST}:{web}", "HOME": str(folder)}
    return ["run", "--adapter", "caddyfile", "--config", str(folder / "Caddyfile")], more


def play_now(browser: httpx.Client) -> httpx.Response:
    """Request a table as a guest."""
    page = browser.get("/play/")
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.text)
    assert token is not None
    fields = {"rules": "classic-24", "csrfmiddlewaretoken": token[1]}
    return browser.post("/play/now/", data=fields, headers=cookies(browser))


def cookies(browser: httpx.Client) -> dict[str, str]:
    return {"Cookie": "; ".join(f"{one.name}={one.value}" for one in browser.cookies.jar)}


def test_http_is_redirected_to_https(site: Proxied) -> None:
    answer = httpx.get(f"http://{HOST}:{site.plain}/play/?of=x", headers={"Host": NAME})
    assert answer.status_code in {301, 308}
    place = answer.headers["Location"].replace(f":{site.port}/", "/")  # no port where it is 443
    assert place == f"https://{NAME}/play/?of=x"


def test_pages_are_served_with_hsts(site: Proxied) -> None:
    with site.browser() as browser:
        answer = browser.get("/play/")
    assert answer.status_code == 200
    assert "max-age=2592000" in answer.headers["Strict-Transport-Security"]


def test_other_hosts_are_refused(site: Proxied) -> None:
    with site.browser() as browser:
        answer = browser.get("/", headers={"Host": "other.example"})
    # Caddy knows no such site and says nothing; nginx asks Bower, which refuses.
    if site.program == "caddy":
        assert (answer.status_code, answer.text) == (200, "")
    else:
        assert answer.status_code == 400


def test_sockets_work_and_rate_limits_use_the_visitors_address(site: Proxied) -> None:
    """One table per address in ten minutes, whatever X-Forwarded-For claims."""
    with site.browser() as iris, site.browser() as otto, site.browser("127.0.0.2") as maeve:
        seated = play_now(iris)
        assert seated.status_code == 303
        otto.headers["X-Forwarded-For"] = "198.51.100.7"
        assert play_now(otto).status_code == 429
        assert play_now(maeve).status_code == 303
        table = seated.headers["Location"]
        with connect(
            f"wss://{NAME}:{site.port}/ws{table}",
            sock=socket.create_connection((HOST, site.port)),
            ssl=site.trusts,
            server_hostname=NAME,
            origin=Origin(f"https://{NAME}"),
            open_timeout=PATIENCE,
            additional_headers=cookies(iris),
        ) as live:
            live.send('{"have": ""}')
            play_cards(live, 3)


def play_cards(live: ClientConnection, count: int) -> None:
    """Do as the page asks until some cards have been stored and shown; no frame may be missing."""
    values: dict[str, Any] = {}
    number = cards = 0
    while cards < count:
        frame = json.loads(live.recv(PATIENCE))
        assert "answer" not in frame, frame
        assert frame.get("from", number) in {0, number}
        number = frame.get("to", number)
        values |= frame.get("set", {}) | frame.get("own", {})
        cards += frame.get("done", "").startswith("play")
        barred = (values["barred"] or "").split()
        held = [row for row in values["hand"] if isinstance(row, str)]
        calls = re.findall(r'"value": "((?:pass|make|name|next)[^"/]*)"', json.dumps(values))
        if values["hand.choose"]:
            action = f"{values['hand.choose']} {next(one for one in held if one not in barred)}"
        elif calls and values["question.waits"]:
            action = "pass" if "pass" in calls else calls[0]
        else:
            continue
        said = {"action": action, "version": frame["version"], "key": f"{action} {number}"}
        live.send(json.dumps(said))


def test_sockets_of_other_sites_are_refused(site: Proxied) -> None:
    with pytest.raises(InvalidStatus) as refused:
        connect(
            f"wss://{NAME}:{site.port}/ws/tables/1/",
            sock=socket.create_connection((HOST, site.port)),
            ssl=site.trusts,
            server_hostname=NAME,
            origin=Origin("https://other.example"),
            open_timeout=PATIENCE,
        )
    assert refused.value.response.status_code == 403


def test_body_limits_are_the_sites(site: Proxied) -> None:
    """The proxy refuses what is too large; a file of a game gets through."""
    with site.browser() as browser:
        large = browser.post("/you/look/", content=b"x" * 100_000)
        refused = {413, 502} if site.program == "caddy" else {413}  # Caddy 2.6.2 says 502
        assert large.status_code in refused
        assert "<main" not in large.text
        file = browser.post("/replay/", content=b"x" * 1_000_000)
        assert (file.status_code, "<main" in file.text) == (403, True)  # it lacks the form's token
        assert browser.post("/replay/", content=b"x" * 2_200_000).status_code in refused
